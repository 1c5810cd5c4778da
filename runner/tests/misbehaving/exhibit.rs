//! What an exhibit is, and how its run is held against what it must come to.

use std::fs::{self, File};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{self, Output, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

use libtest_mimic::Failed;
use serde_json::Value;

use crate::binary::{Said, proofmark};
use crate::files::scratch;
use crate::host::{Host, LIVES};
use crate::leftovers::{MARK, left};

pub(crate) const MISBEHAVE: &str = "--misbehave";
/// For a run that must end. Only one that hangs needs so long.
const HANG: Duration = Duration::from_secs(600);

// The cases that are run, in the suite's order, a few of each contract. Those of one request are all in flight when the first is answered.
pub(crate) const PROJECT: &str = "project.whole.read-only";
/// Two requests; both packets lack a pointer.
pub(crate) const LOSSY: &str = "packet.recovery.lossy-without-pointer";
/// Two requests; both packets are valid.
pub(crate) const LOSSLESS: &str = "packet.recovery.lossless";
/// With a dozen requests beside its own.
pub(crate) const EVIDENCE: &str = "activation.budget.tail-is-cut-exactly";
pub(crate) const LOAD: &str = "activation.load.body-is-returned";
/// Two requests.
pub(crate) const MERGE: &str = "registry.merge.bundled-shadows-runtime";
/// With one request beside its own.
pub(crate) const READ: &str = "activation.read.shown-and-omitted-are-handed-on";
/// The case that most exhibits are about: its one request is the only one of its method.
pub(crate) const PLAN: &str = "plan.resume.with-receipt";
/// A session of six requests.
pub(crate) const RUN: &str = "run.none.collected";
/// Two sessions at once.
pub(crate) const SESSIONS: &str = "run.session.two-texts-do-not-mix";
/// The receipt is valid.
pub(crate) const UTC: &str = "receipt.time.utc";
/// The receipt is not.
pub(crate) const NO_OFFSET: &str = "receipt.time.no-offset";

pub(crate) const ALL: &[&str] = &[PROJECT, LOSSY, LOSSLESS, EVIDENCE, LOAD, MERGE, READ, PLAN, RUN, SESSIONS, UTC, NO_OFFSET];
/// What is run where an exhibit does not say otherwise: whole packets cost each of many processes much.
const MOST: &[&str] = &[PROJECT, EVIDENCE, LOAD, MERGE, READ, PLAN, RUN, SESSIONS, UTC, NO_OFFSET];
/// For runs that wait for a timeout: every case but [`PLAN`] asks for next to nothing.
pub(crate) const FEW: &[&str] = &[LOAD, PLAN, RUN];

pub(crate) const PLAN_METHOD: &str = "lifecycle.plan";

/// What must be said of a case: its outcome, and words of the reason or of what was found.
pub(crate) type Outcome = (&'static str, &'static [&'static str]);
pub(crate) const PASSED: Outcome = ("passed", &[]);

/// An adapter with one fault, and what a run of it must come to.
pub(crate) struct Exhibit {
    pub(crate) name: &'static str,
    /// The adapter's side.
    pub(crate) child: fn(&mut Host),
    /// Which cases are run, in the suite's order.
    pub(crate) cases: &'static [&'static str],
    /// Words of the command line.
    pub(crate) flags: &'static [&'static str],
    pub(crate) exit: i32,
    /// Whether the run comes to any case.
    pub(crate) starts: bool,
    /// What is said of every case that is not named in `but`.
    pub(crate) outcome: Outcome,
    pub(crate) but: &'static [(&'static str, Outcome)],
    /// The faults of the run, each by some of its words.
    pub(crate) faults: &'static [&'static [&'static str]],
    /// What else has to be so.
    pub(crate) more: fn(&Report),
    /// Words of the report for people, as it is written to a terminal.
    pub(crate) in_text: &'static [&'static str],
}

/// No fault, and everything passes. The exhibits say in what they are otherwise.
pub(crate) const HONEST: Exhibit = Exhibit {
    name: "",
    child: |_| (),
    cases: MOST,
    flags: &[],
    exit: 0,
    starts: true,
    outcome: PASSED,
    but: &[],
    faults: &[],
    more: |_| (),
    in_text: &[],
};

/// A fault that is put down to nobody at first: with many cases in flight, each of which runs again by itself.
pub(crate) const IN_DOUBT: &str = "cases in flight, each of which then ran again alone: ";

/// What a run said.
pub(crate) struct Report {
    pub(crate) json: Value,
    /// How often the adapter was started.
    pub(crate) lives: u64,
}

impl Report {
    pub(crate) fn case(&self, id: &str) -> &Value {
        self.json["cases"].as_array().unwrap().iter().find(|case| case["id"] == id).unwrap_or_else(|| panic!("{id} is not there"))
    }

    /// What the adapter said to people while a case ran.
    pub(crate) fn stderr_of(&self, id: &str) -> &str {
        self.case(id)["stderr"].as_str().unwrap_or_default()
    }
}

impl Exhibit {
    pub(crate) fn run(&'static self) -> Result<(), Failed> {
        let mark = format!("{MARK}={}-{}", self.name, process::id());
        let judged = catch_unwind(AssertUnwindSafe(|| self.judge(&mark)));
        judged.map_err(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
            text.unwrap_or("it panicked").to_owned()
        })?;
        match left(&mark) {
            processes if processes.is_empty() => Ok(()),
            processes => Err(format!("processes are left: {processes:?}").into()),
        }
    }

    fn judge(&self, mark: &str) {
        let directory = scratch(self.name);
        let said = self.proofmark(mark, &directory);
        assert_eq!(said.err, "", "the report says it all");
        let lives = fs::metadata(directory.join("lives")).unwrap().len();
        let for_people = !self.in_text.is_empty();
        let json = if for_people { serde_json::from_slice(&fs::read(directory.join("report")).unwrap()).unwrap() } else { said.json() };
        self.hold(&Report { json, lives });
        assert_eq!(said.code, Some(self.exit));
        if !for_people {
            return;
        }
        assert_eq!(commands(&said.out), [], "{}", said.out);
        assert!(said.out.len() < 100_000, "nobody reads {} bytes", said.out.len());
        let text = without_colours(&said.out);
        for words in self.in_text {
            assert!(text.contains(words), "{words:?} is not in: {text}");
        }
    }

    /// Runs `proofmark run`: for a program, or for people as on a terminal and with the other report in a file.
    fn proofmark(&self, mark: &str, directory: &Path) -> Said {
        let path = |name: &str| directory.join(name);
        let lives = format!("{LIVES}={}", path("lives").display());
        let report = format!("json={}", path("report").display());
        let mut command = proofmark(["run", "--env", mark, "--env", &lives]);
        for timeout in ["--timeout", "--start-timeout"].iter().filter(|it| !self.flags.contains(it)) {
            command.args([timeout, "60s"]);
        }
        if self.in_text.is_empty() {
            command.args(["--format", "json"]);
        } else {
            command.args(["--report", &report]).env("CLICOLOR_FORCE", "1");
        }
        command.args(self.flags).args(self.cases).arg("--").arg(env::current_exe().unwrap()).args([MISBEHAVE, self.name]);
        // Files, so that nobody has to read while we wait.
        let stream = |name: &str| Stdio::from(File::create(path(name)).unwrap());
        let mut child = command.stdout(stream("stdout")).stderr(stream("stderr")).spawn().unwrap();
        let end = Instant::now() + HANG;
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if Instant::now() > end {
                child.kill().unwrap();
                child.wait().unwrap();
                panic!("the run does not end");
            }
            thread::sleep(Duration::from_millis(5));
        };
        let read = |name: &str| fs::read(path(name)).unwrap();
        Said::new(Output { status, stdout: read("stdout"), stderr: read("stderr") })
    }

    fn hold(&self, report: &Report) {
        let json = &report.json;
        let faults: Vec<&str> = json["faults"].as_array().unwrap().iter().map(|fault| fault.as_str().unwrap()).collect();
        let cases = json["cases"].as_array().unwrap();
        let outcomes: Vec<(&str, &str)> =
            cases.iter().map(|case| (case["id"].as_str().unwrap(), case["outcome"].as_str().unwrap())).collect();
        let expected: Vec<(&str, Outcome)> = if self.starts {
            self.cases.iter().map(|id| (*id, self.but.iter().find(|(but, _)| but == id).map_or(self.outcome, |(_, it)| *it))).collect()
        } else {
            Vec::new()
        };
        let head = |text: &str| text.chars().take(600).collect::<String>();
        let context = format!("faults: {}\ncases: {}", head(&format!("{faults:#?}")), head(&json["cases"].to_string()));
        let expected_outcomes: Vec<_> = expected.iter().map(|(id, (outcome, _))| (*id, *outcome)).collect();
        assert_eq!(outcomes, expected_outcomes, "{context}");
        for (case, (id, (outcome, words))) in cases.iter().zip(&expected) {
            let why =
                [&case["reason"], &case["findings"]].map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned)).concat();
            for words in *words {
                assert!(why.contains(words), "{id}: {words:?} is not in: {}", head(&why));
            }
            if *outcome == "passed" {
                let clean = case["reason"].is_null() && case["findings"] == serde_json::json!([]) && case.get("stderr").is_none();
                assert!(clean, "a case that passed has nothing to say: {}", head(&case.to_string()));
            }
        }
        assert_eq!(faults.len(), self.faults.len(), "{context}");
        for (fault, words) in faults.iter().zip(self.faults) {
            for words in *words {
                assert!(fault.contains(words), "{words:?} is not in: {}", head(fault));
            }
        }
        let judged = expected_outcomes.iter().filter(|(_, outcome)| matches!(*outcome, "passed" | "failed")).count();
        assert_eq!((&json["summary"]["judged"], &json["summary"]["faults"]), (&judged.into(), &faults.len().into()));
        assert_eq!((&json["summary"]["selected"], &json["exit"]), (&self.cases.len().into(), &self.exit.into()));
        (self.more)(report);
    }
}

/// A text without our own colours.
fn without_colours(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let colour = part.strip_prefix('[').map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';'));
        match colour.and_then(|part| part.strip_prefix('m')) {
            Some(rest) => out.push_str(rest),
            None => out.extend(["\u{1b}", part]),
        }
    }
    out
}

/// What of a text could command a terminal or hide in it, our own colours aside.
fn commands(text: &str) -> Vec<char> {
    without_colours(text).chars().filter(|c| (c.is_control() && *c != '\n') || *c == '\u{feff}').collect()
}
