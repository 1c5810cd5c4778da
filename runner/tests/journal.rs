//! The journal of a run: every report comes from it, a killed run loses nothing that was finished, and shards make one run again.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, and says where")]

#[path = "support/binary.rs"]
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod binary;
#[path = "support/files.rs"]
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod scratch;
#[path = "support/shell_host.rs"]
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod shell_host;

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use binary::{PROGRAM, Said, proofmark, run};
use proofmark::dice::Dice;
use proofmark_runner::journal::Journal;
use scratch::scratch;
use serde_json::{Value, json};
use shell_host::{declaration, result, shell_host};

/// How often the runner is killed; more often where somebody asks for it.
const KILLS: &str = "PROOFMARK_KILLS";

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Runs `proofmark`, with further words behind those of the line.
fn said(line: &str, further: &[&str]) -> Said {
    run(words(line).into_iter().chain(further.iter().map(|word| (*word).to_owned())))
}

/// A report of a journal, without what tells time.
fn report(journal: &Path) -> Value {
    timeless(&said("report --as json", &[journal.to_str().unwrap()]).ends_with(0).json())
}

fn timeless(report: &Value) -> Value {
    let mut report = report.clone();
    report["elapsed_ms"] = Value::Null;
    report
}

fn file(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

#[test]
fn a_report_from_the_journal_is_the_report_of_the_run() {
    let folder = scratch("same");
    let journal = file(&folder, "run.jsonl");
    for (line, forms) in [
        ("run activation.read project --seed 7", ["json", "text", "junit", "markdown"].as_slice()),
        ("run activation.read plan --seed 7 --rendering wide --shuffle", ["json"].as_slice()),
    ] {
        let direct = said(line, &["--format", "json", "--journal", &journal]).ends_with(0).json();
        for form in forms {
            let from_journal = said("report", &[&journal, "--as", form]).ends_with(0);
            if *form == "json" {
                assert_eq!(timeless(&from_journal.json()), timeless(&direct));
                assert_eq!(from_journal.json()["elapsed_ms"], direct["elapsed_ms"]);
            } else {
                assert!(from_journal.out.contains("conformant") || from_journal.out.contains("passed"), "{form}");
            }
        }
    }
}

#[test]
fn several_children_and_another_order_come_to_the_same() {
    let folder = scratch("jobs");
    let report_of = |name: &str, further: &[&str]| {
        let journal = file(&folder, name);
        let flags = [&["--journal", &journal], further, &["--", PROGRAM, "serve"]].concat();
        said("run activation.load activation.budget run.walk packet.fields --seed 4", &flags).ends_with(0);
        (report(Path::new(&journal)), fs::read_to_string(&journal).unwrap())
    };
    let (one, _) = report_of("one.jsonl", &[]);
    let (three, _) = report_of("three.jsonl", &["--jobs", "3"]);
    assert_eq!(three, one);
    let (shuffled, journal) = report_of("shuffled.jsonl", &["--shuffle", "--jobs", "2"]);
    assert_eq!(shuffled, one);
    let first: Vec<&str> = journal.lines().filter_map(|line| line.strip_prefix("{\"case\":{\"id\":\"")).take(20).collect();
    assert!(!first.is_sorted(), "the order is another: {first:?}");
    // More children than cases are no more than cases.
    let many = said("run activation.read.cards-are-handed-on --format json --jobs 200", &["--", PROGRAM, "serve"]).ends_with(0).json();
    assert_eq!(many["summary"]["judged"], 1);
}

/// A journal cut off anywhere, as a crash of the machine may leave it, is gone on with, and comes to the same.
#[test]
fn a_journal_that_ends_anywhere_is_gone_on_with() {
    let folder = scratch("cut");
    let whole = file(&folder, "whole.jsonl");
    let line = "run activation.budget activation.read run.walk --seed 11";
    said(line, &["--journal", &whole]).ends_with(0);
    let expected = report(Path::new(&whole));
    let bytes = fs::read(&whole).unwrap();
    let first_line = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let mut dice = Dice::new(3);
    let mut cuts: Vec<usize> = (0..12).map(|_| first_line + dice.below(bytes.len() - first_line)).collect();
    cuts.extend([first_line, bytes.len() - 1, bytes.len()]);
    for cut in cuts {
        let part = file(&folder, "part.jsonl");
        fs::write(&part, &bytes[..cut]).unwrap();
        let resumed = said(line, &["--resume", &part, "--format", "json"]).ends_with(0);
        assert_eq!(timeless(&resumed.json()), expected, "cut at {cut}");
        assert_eq!(report(Path::new(&part)), expected, "cut at {cut}");
    }
    // Before the first line is whole there is nothing to go on with.
    let part = file(&folder, "nothing.jsonl");
    fs::write(&part, &bytes[..first_line - 1]).unwrap();
    said(line, &["--resume", &part]).refuses(2, &["not one whole line"]);
}

#[test]
fn a_run_that_is_killed_loses_no_finished_case() {
    let kills: u64 = std::env::var(KILLS).ok().and_then(|text| text.parse().ok()).unwrap_or(5);
    let folder = scratch("killed");
    let whole = file(&folder, "whole.jsonl");
    let line = words("run activation.read activation.load run.walk plan render --seed 5");
    let adapter = ["--", PROGRAM, "serve"];
    let arguments = |flag: &str, path: &str| {
        let flags = [flag, path].map(str::to_owned);
        line.iter().cloned().chain(flags).chain(adapter.map(str::to_owned)).collect::<Vec<_>>()
    };
    run(arguments("--journal", &whole)).ends_with(0);
    // How long the cases take, without the time before the first of them.
    let takes = Duration::from_millis(Journal::read(Path::new(&whole)).unwrap().ended.unwrap().elapsed_ms);
    let expected = report(Path::new(&whole));
    let mut dice = Dice::new(std::process::id().into());
    let mut amid = 0;
    for kill in 0..kills {
        let part = file(&folder, &format!("part-{kill}.jsonl"));
        // A few of the parts are killed again while they are gone on with.
        let mut flag = "--journal";
        for _ in 0..=dice.below(3) {
            let had = lines(&part);
            let mut child = proofmark(arguments(flag, &part)).spawn_silent();
            // From the first thing that it writes on; before that there is no run.
            while lines(&part) <= had && child.try_wait().unwrap().is_none() {
                thread::sleep(Duration::from_millis(1));
            }
            thread::sleep(takes.mul_f64(dice.below(800) as f64 / 1000.0));
            child.kill().unwrap();
            child.wait().unwrap();
            flag = "--resume";
        }
        let before = lines(&part);
        amid += usize::from(!fs::read_to_string(&part).unwrap().contains("\"end\""));
        run(arguments("--resume", &part)).ends_with(0);
        assert_eq!(report(Path::new(&part)), expected, "kill {kill}");
        assert!(lines(&part) >= before, "what was there is there");
    }
    eprintln!(
        "{kills} runs of {takes:?} were killed, some of them again: {amid} amid the run; every report was that of the undisturbed run"
    );
    assert!(amid > 0, "not one of the kills was amid the run");
}

trait Silent {
    fn spawn_silent(&mut self) -> std::process::Child;
}

impl Silent for std::process::Command {
    fn spawn_silent(&mut self) -> std::process::Child {
        self.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap()
    }
}

/// Whole lines of a journal.
fn lines(path: &str) -> usize {
    fs::read(path).map_or(0, |bytes| bytes.iter().filter(|byte| **byte == b'\n').count())
}

#[test]
fn what_is_gone_on_with_is_the_same_run_or_is_refused() {
    let folder = scratch("other");
    let journal = file(&folder, "run.jsonl");
    let line = "run activation.read --seed 1";
    said(line, &["--journal", &journal]).ends_with(0);
    let text = fs::read_to_string(&journal).unwrap();
    let part: String = text.lines().take(5).map(|line| format!("{line}\n")).collect();
    let begin_again = || fs::write(&journal, &part).unwrap();
    begin_again();
    for (other, differs) in [
        ("run activation.read --seed 2", "seed"),
        ("run activation.budget --seed 1", "selection"),
        ("run activation.read --seed 1 --no-laws", "laws"),
        ("run activation.read --seed 1 --shuffle", "order"),
        ("run activation.read --seed 1 --profile evidence-consumer", "profile"),
        ("run activation.read --seed 1 --rendering wide", "option"),
        ("run activation.read --seed 1 --fail-on may", "option"),
        ("run activation.read --seed 1 --shard 1/2", "shard"),
    ] {
        said(other, &["--resume", &journal]).refuses(2, &["was made otherwise", differs]);
        assert_eq!(fs::read_to_string(&journal).unwrap(), part, "a refusal changes nothing");
    }
    said(line, &["--resume", &journal, "--", PROGRAM, "serve"]).refuses(2, &["command differs"]);
    // An unfinished run is not overwritten by mistake; a finished one is.
    said(line, &["--journal", &journal]).refuses(2, &["did not come to its end", "--resume"]);
    assert_eq!(fs::read_to_string(&journal).unwrap(), part);
    said(line, &["--resume", &journal]).ends_with(0);
    said(line, &["--journal", &journal]).ends_with(0);
    // Without --seed the run goes on with its own.
    begin_again();
    let resumed = said("run activation.read", &["--resume", &journal, "--format", "json"]).ends_with(0).json();
    assert_eq!(resumed["seed"], 1);
}

#[test]
fn a_changed_journal_is_refused_by_line() {
    let folder = scratch("changed");
    let journal = file(&folder, "run.jsonl");
    said("run activation.read --seed 1", &["--journal", &journal]).ends_with(0);
    let text = fs::read_to_string(&journal).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let refused = |text: String, words: &[&str]| {
        fs::write(&journal, text).unwrap();
        said("report", &[&journal]).refuses(2, words);
    };
    let joined = |lines: &[&str]| lines.join("\n") + "\n";
    let unrepeated = lines.iter().position(|line| !line.contains("\"exchange\"") && line.starts_with("{\"case\"")).unwrap();
    refused(text.replacen("\"passed\"", "\"failed\"", 1), &["changed after it was written"]);
    refused(text.replacen("\"outcome\":\"passed\"", "\"outcome\":\"splendid\"", 1), &["line 3", "splendid"]);
    refused(text.replacen("{\"case\":{", "{\"case\":{\"id\":\"again\",", 1), &["line 3"]);
    refused(joined(&[&lines[..4], &lines[3..]].concat()), &["line 5", "second time"]);
    refused(joined(&[&lines[..unrepeated], &lines[unrepeated + 1..]].concat()), &["changed after it was written"]);
    refused(joined(&lines[1..]), &["line 1", "begins with"]);
    refused(format!("{text}\n"), &["behind the end"]);
    refused(text.replacen("\"journal\":1", "\"journal\":2", 1), &["form 2", "newer"]);
    refused("\u{0}\u{1}".to_owned(), &["not one whole line"]);
    refused("{}\n".to_owned(), &["line 1"]);
    refused(format!("{}\n", "[".repeat(100_000)), &["line 1"]);
}

#[test]
fn three_shards_are_the_whole_run() {
    let folder = scratch("shards");
    let line = "run activation run.walk packet --seed 9";
    let whole = file(&folder, "whole.jsonl");
    said(line, &["--journal", &whole]).ends_with(0);
    let shards: Vec<String> = (1..=3).map(|index| file(&folder, &format!("{index}.jsonl"))).collect();
    for (index, shard) in (1..).zip(&shards) {
        said(line, &["--shard", &format!("{index}/3"), "--journal", shard]).ends_with(0);
    }
    let merged = file(&folder, "merged.jsonl");
    let merge = |parts: &[&str]| said("report merge", &[parts, &["--out", &merged]].concat());
    merge(&[&shards[2], &shards[0], &shards[1]]).ends_with(0);
    assert_eq!(report(Path::new(&merged)), report(Path::new(&whole)));

    // Not one of these leaves a merged journal behind.
    fs::remove_file(&merged).unwrap();
    merge(&[&shards[0], &shards[2]]).refuses(2, &["missing", "2/3"]);
    merge(&[&shards[0], &shards[1], &shards[2], &shards[1]]).refuses(2, &["2/3", "twice"]);
    merge(&[&whole]).refuses(2, &["no shard"]);
    let other = file(&folder, "other.jsonl");
    said("run activation run.walk packet --seed 10", &["--shard", "2/3", "--journal", &other]).ends_with(0);
    merge(&[&shards[0], &other, &shards[2]]).refuses(2, &["another run", "seed"]);
    said(line, &["--shard", "2/4", "--journal", &other]).ends_with(0);
    merge(&[&shards[0], &other, &shards[2]]).refuses(2, &["one of 4"]);
    let text = fs::read_to_string(&shards[1]).unwrap();
    fs::write(&other, text.lines().take(9).map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    merge(&[&shards[0], &other, &shards[2]]).refuses(2, &["did not come to its end"]);
    fs::remove_file(&other).unwrap();
    said(line, &["--shard", "2/3", "--rendering", "wide", "--journal", &other]).ends_with(0);
    merge(&[&shards[0], &other, &shards[2]]).refuses(2, &["differs"]);
    // A shard with a case taken out, its counts and its digest put right, is no shard of this run.
    let shard = fs::read_to_string(&shards[1]).unwrap();
    fs::write(&other, with_a_case_less(&shard)).unwrap();
    merge(&[&shards[0], &other, &shards[2]]).refuses(2, &["its settings select"]);
    // And no shard is written over.
    said("report merge", &[&shards[0], &shards[1], &shards[2], "--out", &shards[0]]).refuses(2, &["two things"]);
    assert!(!Path::new(&merged).exists());
    run(words("run --shard 1/3")).ends_with(2);
}

/// A journal without its first case that is repeated by nothing, and with figures that fit.
fn with_a_case_less(journal: &str) -> String {
    let mut lines: Vec<String> = journal.lines().map(str::to_owned).collect();
    let at = lines.iter().position(|line| line.starts_with("{\"case\"") && !line.contains("\"exchange\"")).unwrap();
    lines.remove(at);
    let mut end: Value = serde_json::from_str(&lines.pop().unwrap()).unwrap();
    let selected = end["end"]["cases"].as_u64().unwrap();
    lines[0] = lines[0].replacen(&format!("\"selected\":{selected}"), &format!("\"selected\":{}", selected - 1), 1);
    let body = lines.join("\n") + "\n";
    end["end"]["cases"] = json!(selected - 1);
    end["end"]["digest"] = json!(proofmark::digest::of_bytes(body.as_bytes()));
    format!("{body}{end}\n")
}

/// A run that could not be gone on with is as it was, and can be gone on with afterwards.
#[test]
fn a_failed_attempt_to_go_on_changes_nothing() {
    let folder = scratch("attempt");
    let (whole, part) = (file(&folder, "whole.jsonl"), file(&folder, "part.jsonl"));
    let host = projects_nothing(&folder);
    let adapter: Vec<&str> = std::iter::once("--").chain(host.iter().map(String::as_str)).collect();
    let go = |flag: &str, path: &str| said("run project --seed 1", &[&[flag, path][..], &adapter].concat());
    go("--journal", &whole).ends_with(1);
    let text = fs::read_to_string(&whole).unwrap();
    let cut: String = text.lines().take(9).map(|line| format!("{line}\n")).collect();
    fs::write(&part, &cut).unwrap();
    let declaration = fs::read_to_string(folder.join("declaration")).unwrap();
    for other in [declaration.replace("\"version\":\"1\"", "\"version\":\"2\""), "\"error\":{\"code\":1,\"message\":\"no\"}".to_owned()] {
        fs::write(folder.join("declaration"), other).unwrap();
        go("--resume", &part).ends_with(1);
        assert_eq!(fs::read_to_string(&part).unwrap(), cut);
    }
    fs::write(folder.join("declaration"), declaration).unwrap();
    go("--resume", &part).ends_with(1);
    let report = |path: &str| timeless(&said("report --as json", &[path]).ends_with(1).json());
    assert_eq!(report(&part), report(&whole));
}

#[test]
fn nothing_that_is_no_journal_is_written_over() {
    let folder = scratch("precious");
    let precious = file(&folder, "notes.txt");
    fs::write(&precious, "precious\n").unwrap();
    said("run activation.read", &["--journal", &precious]).refuses(2, &["no journal"]);
    assert_eq!(fs::read_to_string(&precious).unwrap(), "precious\n");
    let report = format!("json={precious}");
    said("run activation.read", &["--journal", &precious, "--report", &report]).refuses(2, &["two things"]);
    assert_eq!(fs::read_to_string(&precious).unwrap(), "precious\n");
}

/// A run that was killed behind its last case is green in no form.
#[test]
fn a_run_without_its_end_is_green_in_no_form() {
    let folder = scratch("endless");
    let journal = file(&folder, "run.jsonl");
    said("run project --seed 1", &["--journal", &journal]).ends_with(0);
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, &text[..text.trim_end().rfind('\n').unwrap() + 1]).unwrap();
    let form = |form: &str| said("report --as", &[form, &journal]).ends_with(1).out;
    assert!(form("junit").contains("<failure"));
    assert!(form("json").contains("\"exit\": 1"));
    assert!(form("markdown").contains("## proofmark: incomplete"));
    assert!(form("text").ends_with("incomplete: the run did not come to its end\n"));
}

#[test]
fn what_failed_is_run_again_alone() {
    let folder = scratch("again");
    let journal = file(&folder, "run.jsonl");
    let host = projects_nothing(&folder);
    let adapter: Vec<&str> = std::iter::once("--").chain(host.iter().map(String::as_str)).collect();
    said("run project --journal", &[&[journal.as_str()][..], &adapter].concat()).ends_with(1);
    let failed = said("report --as json", &[&journal]).ends_with(1).json();
    let count = failed["cases"].as_array().unwrap().iter().filter(|case| case["outcome"] != "passed").count();
    let again = said("run --format json --rerun-failed", &[&[journal.as_str()][..], &adapter].concat()).ends_with(1).json();
    assert_eq!(again["summary"]["selected"], count);
    // On the reference they pass, and then there is nothing left.
    let good = file(&folder, "good.jsonl");
    said("run --rerun-failed", &[&journal, "--journal", &good]).ends_with(0);
    said("run --rerun-failed", &[&good]).refuses(2, &["nothing", "failed there"]);
}

/// The command of a host that projects every packet to the same.
fn projects_nothing(folder: &Path) -> Vec<String> {
    let mut declaration = declaration();
    declaration["operations"] = json!(["packet.project"]);
    declaration["contracts"] = json!({"evidence_return_packet": ["0.1"]});
    let answer = json!({"projection": {"read_only": true, "packet": {}, "missing": []}});
    shell_host(folder, &result(&declaration), &result(&answer), &[])
}
