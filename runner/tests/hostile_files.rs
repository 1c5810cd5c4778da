//! Files that somebody else wrote: journals and baselines with bytes, lines and words changed at random. None of them makes
//! us panic or hang, and no changed journal is taken for the one that was written. (Certificates are changed in `certify`.)
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, and says where")]

use std::fs;
use std::path::{Path, PathBuf};

use proofmark::adapter::Implementation as _;
use proofmark::case::{Case, Suite};
use proofmark::dice::Dice;
use proofmark::reference::Reference;
use proofmark_runner::baseline::{Baseline, update};
use proofmark_runner::journal::{Journal, JournalWriter};
use proofmark_runner::run::{Plan, RunReport, RunSettings, hello, run_implementation};

const TRIES: usize = 3_000;

/// Pieces of what such files are made of, and of what they are not.
const PIECES: [&str; 20] = [
    "null",
    "{}",
    "[]",
    "\"\"",
    "-1",
    "1e999",
    "18446744073709551616",
    "\n",
    "\r\n",
    "\u{0}",
    "\u{feff}",
    "\u{1b}[2J",
    "\"case\":",
    "{\"case\":{}}\n",
    "{\"end\":{}}\n",
    "- case: x\n",
    "  reason: |\n",
    "&a [*a]",
    "\t",
    "# ",
];

/// One to three random changes.
fn changed(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=dice.below(3) {
        let at = dice.below(bytes.len() + 1);
        match dice.below(6) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
            2 => bytes.splice(at..at, dice.pick(&PIECES).bytes()).for_each(drop),
            3 => {
                let end = (at + dice.below(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            4 => {
                // A line twice, or somewhere else.
                let lines: Vec<Vec<u8>> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
                if !lines.is_empty() {
                    let line = dice.pick(&lines).clone();
                    let mut lines = lines;
                    let place = dice.below(lines.len() + 1);
                    lines.insert(place, line);
                    bytes = lines.concat();
                }
            }
            _ if at < bytes.len() => bytes[at] = *dice.pick(b"0919{}[]\",:\\ \xff\x80eE-+"),
            _ => {}
        }
    }
    bytes
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile_files").join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A journal of a few cases, as a run writes it.
fn journal(path: &Path) -> (Vec<u8>, RunReport) {
    let suite = Suite::embedded().unwrap();
    let cases: Vec<&Case> = suite.cases().iter().filter(|case| case.id.starts_with("activation.read.")).take(8).collect();
    let settings = RunSettings::new(&suite, cases.len());
    let mut host = Reference::new(proofmark::embedded::page_1());
    let declaration = host.initialize(&hello(&suite, "n".to_owned())).unwrap();
    let mut writer = JournalWriter::create(path, &settings, "2026-01-01T00:00:00Z".to_owned()).unwrap();
    let report = run_implementation(&suite, Plan::new(&cases), settings, host, 1, &mut ());
    writer.declared(&declaration);
    report.results.iter().for_each(|result| writer.case(result, None));
    writer.fault("it had to be killed");
    writer.end(report.elapsed).unwrap();
    (fs::read(path).unwrap(), report)
}

#[test]
fn no_changed_journal_is_taken_for_the_one_that_was_written() {
    let path = folder("journal").join("run.jsonl");
    let _ = fs::remove_file(&path);
    let (good, report) = journal(&path);
    assert_eq!(Journal::read_from(&good[..]).unwrap().results(), report.results);
    let mut dice = Dice::new(1);
    let mut read = 0;
    for _ in 0..TRIES {
        let bad = changed(&good, &mut dice);
        if bad == good {
            continue;
        }
        if let Ok(journal) = Journal::read_from(&bad[..]) {
            read += 1;
            // A part of it may be read; it is no finished run then, but what it has is what was written.
            assert!(journal.ended.is_none(), "a changed journal is complete: {}", String::from_utf8_lossy(&bad));
            let _ = (journal.report(), journal.complete());
        }
    }
    assert!(read > 100, "{read} of {TRIES} were read at least in part, so that both sides were tried");
}

#[test]
fn a_changed_baseline_is_refused_or_says_what_it_says() {
    let good = "# known\nknown_failures:\n  # one\n  - case: activation.read.a\n    fingerprint: f0123456789abcde\n    reason: >-\n      It counts\n      bytes.\n  - case: b\n    check: AE-110\n    reason: r # why\n    flaky: true\n    expires: 2030-01-01\n";
    let (_, report) = journal(&folder("baseline").join(format!("run-{}.jsonl", std::process::id())));
    assert!(Baseline::read(good).is_ok());
    let mut dice = Dice::new(2);
    let mut read = 0;
    for _ in 0..TRIES {
        let bad = String::from_utf8_lossy(&changed(good.as_bytes(), &mut dice)).into_owned();
        let Ok(baseline) = Baseline::read(&bad) else { continue };
        read += 1;
        assert!(baseline.entries.iter().all(|entry| !entry.case.is_empty() && !entry.reason.trim().is_empty()), "{bad:?}");
        // What is brought up to date can be read again, and has no more to change.
        if let Ok((new, _)) = update(&bad, &report.results, &|_| false) {
            let (again, changes) =
                update(&new, &report.results, &|_| false).unwrap_or_else(|fault| panic!("{fault} in {new:?} from {bad:?}"));
            assert!(changes.is_empty() && again == new, "{changes:?}\n{new}\n{again}");
        }
    }
    assert!(read > 300, "{read} of {TRIES} were read");
}
