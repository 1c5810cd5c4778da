//! Known failures: excused while they fail as listed, and an error as soon as they do not.
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
use std::path::{Path, PathBuf};

use binary::{Said, run};
use scratch::scratch;
use serde_json::{Value, json};
use shell_host::{declaration, result, shell_host};

/// A host that projects every packet to the same, and its folder.
struct Host {
    folder: PathBuf,
    command: Vec<String>,
}

impl Host {
    fn new(name: &str) -> Self {
        let folder = scratch(name);
        let mut declaration = declaration();
        declaration["operations"] = json!(["packet.project"]);
        declaration["contracts"] = json!({"evidence_return_packet": ["0.1"]});
        let command = shell_host(&folder, &result(&declaration), "", &[]);
        let host = Self { folder, command };
        host.answers(&json!({"projection": {"read_only": true, "packet": {}, "missing": []}}));
        host
    }

    fn answers(&self, answer: &Value) {
        fs::write(self.folder.join("answer"), result(answer)).unwrap();
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, text: &str) -> String {
        fs::write(self.folder.join("known.yaml"), text).unwrap();
        self.path("known.yaml")
    }

    fn read(&self) -> String {
        fs::read_to_string(self.folder.join("known.yaml")).unwrap()
    }

    /// Runs these words behind `run`, against this host.
    fn run(&self, words: &[&str]) -> Said {
        let command = self.command.iter().map(String::as_str);
        run(["run"].into_iter().chain(words.iter().copied()).chain(["--profile", "observatory", "--"]).chain(command))
    }

    /// What a run of these words said as JSON.
    fn report(&self, words: &[&str]) -> Value {
        self.run(&[words, &["--format", "json"]].concat()).json()
    }

    /// Brings the baseline up to date from a run of the whole profile.
    fn update(&self) -> Said {
        let (journal, known) = (self.path("run.jsonl"), self.path("known.yaml"));
        self.run(&["--journal", &journal]);
        run(["baseline", "update", &known, &journal])
    }

    fn give_reasons(&self) {
        self.write(&self.read().replace("\"TODO: say why\"", "It projects every packet to the same."));
    }
}

#[test]
fn a_baseline_is_begun_filled_in_and_kept() {
    let host = Host::new("life");
    host.run(&[]).ends_with(1);
    let first = host.update().ends_with(0);
    assert!(first.last_line().contains("have no reason yet"), "{}", first.out);
    let known = host.path("known.yaml");
    // Nobody has said why: nothing is excused.
    let said = host.run(&["--baseline", &known]).ends_with(1);
    assert!(said.out.contains("has no reason yet"), "{}", said.out);
    host.give_reasons();
    let said = host.run(&["--baseline", &known]).ends_with(0);
    assert!(said.last_line().starts_with("passed but for known failures; known failures: "), "{}", said.out);
    assert!(!said.out.contains("FAILED"), "{}", said.out);
    // Another run finds nothing to change, and nothing is.
    let before = host.read();
    assert!(host.update().ends_with(0).last_line().starts_with("0 entries changed"));
    assert_eq!(host.read(), before);

    // It breaks in another way, and nothing of that is excused.
    host.answers(&json!({"projection": {"read_only": false, "packet": {}, "missing": []}}));
    let said = host.report(&["--baseline", &known]);
    let stale = said["stale"].as_array().unwrap();
    assert!(stale.iter().all(|stale| stale["kind"] == "other_failure"), "{stale:?}");
    assert_eq!((stale.len(), &said["exit"]), (before.matches("case:").count(), &json!(1)));
    assert_eq!(said["known_failures"], json!({}));
    host.update().ends_with(0);
    assert!(host.read().contains("It projects every packet to the same.") && !host.read().contains("TODO"), "reasons stay");
    host.run(&["--baseline", &known]).ends_with(0);
}

#[test]
fn what_passes_now_is_an_error_and_is_taken_out() {
    let host = Host::new("passes");
    host.update().ends_with(0);
    host.give_reasons();
    let known = host.path("known.yaml");
    let profile = ["run", "--profile", "observatory", "--seed", "1"];
    // The reference passes all of it.
    let journal = host.path("good.jsonl");
    let said = run(profile.iter().copied().chain(["--baseline", &known, "--journal", &journal])).ends_with(3);
    assert!(said.out.contains("passes now: take the entry out"), "{}", said.out);
    assert!(said.last_line().starts_with("baseline stale"), "{}", said.out);
    let junit = run(["report", &journal, "--as", "junit", "--baseline", &known]).ends_with(3);
    assert!(junit.out.contains("type=\"exit 3\""), "{}", junit.out);
    // Comments stay, and so does what only sometimes fails.
    let text = host.read().replacen("  - case:", "  # a note\n  - case:", 1);
    host.write(&text);
    let said = run(["baseline", "update", &known, &journal, "--dry-run"]).ends_with(0);
    assert!(said.out.starts_with("removed ") && said.last_line().contains("would be changed"), "{}", said.out);
    assert_eq!(host.read(), text);
    run(["baseline", "update", &known, &journal]).ends_with(0);
    assert!(host.read().contains("# a note") && !host.read().contains("case:"), "{}", host.read());
    run(profile.iter().copied().chain(["--baseline", &known])).ends_with(0);
}

/// Every way of being stale, on one failing case and one passing one.
#[test]
fn an_entry_is_stale_in_one_way_each() {
    let host = Host::new("stale");
    // The projection of an empty packet is right, and so that case passes.
    host.answers(&empty_projection());
    let (bad, good) = ("project.whole.everything".to_owned(), "project.missing.nothing-there".to_owned());
    let said = |entry: &str| {
        let known = host.write(&format!("known_failures:\n  - {}\n", entry.replace('\n', "\n    ")));
        host.report(&["--baseline", &known, &bad, &good])
    };
    let listed = host.update().ends_with(0);
    assert!(listed.out.contains(&format!("added    {bad}")), "{}", listed.out);
    let text = host.read();
    let fingerprint = text.lines().skip_while(|line| !line.contains(&bad)).nth(1).unwrap().trim().to_owned();
    assert!(fingerprint.starts_with("fingerprint: f"), "{fingerprint}");

    let known = said(&format!("case: {bad}\n{fingerprint}\nreason: r"));
    assert_eq!((&known["exit"], &known["stale"], &known["known_failures"][&bad]), (&json!(0), &json!([]), &json!("r")));
    for (entry, kind, exit) in [
        (format!("case: {bad}\nfingerprint: f000000000000000\nreason: r"), json!("other_failure"), 1),
        (format!("case: {bad}\nreason: r"), json!("no_fingerprint"), 1),
        (format!("case: {bad}\n{fingerprint}\nreason: TODO"), json!("no_reason"), 1),
        (format!("case: {bad}\n{fingerprint}\nreason: r\nexpires: 2020-01-01"), json!({"expired": "2020-01-01"}), 1),
        (format!("case: {bad}\ncheck: AE-100\n{fingerprint}\nreason: r"), json!("unexpected_pass"), 1),
        (format!("case: {good}\n{fingerprint}\nreason: r"), json!("unexpected_pass"), 1),
        (format!("case: packet.gone\n{fingerprint}\nreason: r"), json!("no_such_case"), 1),
    ] {
        let said = said(&entry);
        assert_eq!((&said["exit"], &said["stale"][0]["kind"]), (&json!(exit), &kind), "{entry}\n{}", said["stale"]);
        assert_eq!(said["known_failures"], json!({}), "{entry}");
    }
    // A day that is still to come excuses; a flaky entry may pass, and where it fails it does so as listed.
    assert_eq!(said(&format!("case: {bad}\n{fingerprint}\nreason: r\nexpires: 9999-12-31"))["exit"], 0);
    assert_eq!(said(&format!("case: {bad}\n{fingerprint}\nreason: r\nflaky: true"))["exit"], 0);
    assert_eq!(said(&format!("case: {bad}\nreason: r\nflaky: true"))["stale"][0]["kind"], "no_fingerprint");
    assert_eq!(said(&format!("case: {good}\nreason: r\nflaky: true"))["stale"], json!([]));
    // A part of the suite says nothing of the other entries.
    let known = host.write(&text.replace("\"TODO: say why\"", "r"));
    host.run(&["--baseline", &known, &bad]).ends_with(0);
}

/// What a projection of an empty packet has to be, as the case has it.
fn empty_projection() -> Value {
    let missing = [
        "/evidence_used",
        "/handoff/reason",
        "/handoff/signal",
        "/metrics",
        "/observation_id",
        "/recovery/lossiness",
        "/recovery/pointer",
        "/recovery/sensitivity",
        "/result/compact_summary",
        "/result/observation_class",
        "/result/outcome",
        "/risks",
        "/skill/execution_profile",
        "/skill/id",
        "/skill/mode",
        "/skill/modules_used",
        "/source_refs",
        "/version",
        "/work_slice_id",
    ];
    json!({"projection": {"read_only": true, "packet": {}, "missing": missing}})
}

/// What an entry excuses is one failure: another at the same place is another.
#[test]
fn another_value_at_the_same_place_is_another_failure() {
    let host = Host::new("values");
    host.answers(&json!({"projection": {"read_only": true, "packet": {"risks": ["One."]}, "missing": []}}));
    host.update().ends_with(0);
    host.give_reasons();
    let known = host.path("known.yaml");
    host.run(&["--baseline", &known]).ends_with(0);
    host.answers(&json!({"projection": {"read_only": true, "packet": {"risks": ["Approved for production."]}, "missing": []}}));
    let said = host.report(&["--baseline", &known]);
    assert!(said["stale"].as_array().unwrap().iter().any(|stale| stale["kind"] == "other_failure"), "{}", said["stale"]);
}

/// Entries about cases that the run did not judge are nobody's to take out, and the file is otherwise as it was.
#[test]
fn an_update_touches_what_the_run_judged_and_nothing_else() {
    let host = Host::new("others");
    host.update().ends_with(0);
    host.give_reasons();
    let others = "  - case: activation.unit.combining-marks\r\n    fingerprint: f0123456789abcde\r\n    reason: |\r\n      It counts bytes.\r\n      fingerprint: is spoken of here\r\n";
    let text = host.read().replace('\n', "\r\n") + others + "  # the last word";
    host.write(&text);
    let said = host.update().ends_with(0);
    assert!(said.last_line().starts_with("0 entries changed"), "{}", said.out);
    host.write(&text.replacen("project.whole.again", "project.was.renamed", 1));
    host.update().ends_with(0);
    let new = host.read();
    assert!(new.contains(others) && new.contains("# the last word") && !new.contains("renamed"), "{new}");
    assert_eq!(new.matches('\n').count(), new.matches("\r\n").count());
}

#[test]
fn a_fault_of_the_adapter_is_never_excused() {
    let host = Host::new("fault");
    host.update().ends_with(0);
    host.give_reasons();
    let known = host.path("known.yaml");
    fs::write(host.folder.join("answer"), shell_host::error("boom")).unwrap();
    let said = host.run(&["--baseline", &known, "--format", "json"]).ends_with(4).json();
    assert!(said["stale"].as_array().unwrap().iter().all(|stale| stale["kind"] == json!({"not_judged": "errored"})), "{}", said["stale"]);
    // Such a run can't say which cases fail.
    host.update().refuses(2, &["at fault"]);
}

#[test]
fn a_baseline_is_brought_up_to_date_from_whole_runs_only() {
    let host = Host::new("whole");
    let (journal, known) = (host.path("part.jsonl"), host.path("known.yaml"));
    for words in [["project", "--fail-on", "must"], ["--shard", "1/2", "--seed=1"]] {
        host.run(&[&words[..], &["--journal", &journal]].concat());
        run(["baseline", "update", &known, &journal]).refuses(2, &["a part of the cases"]);
        assert!(!Path::new(&known).exists());
    }
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, text.lines().take(5).map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    run(["baseline", "update", &known, &journal]).refuses(2, &["did not come to its end"]);
    assert!(!Path::new(&known).exists());
    // What can't be edited without harm is refused by line.
    let journal = host.path("run.jsonl");
    host.run(&["--journal", &journal]);
    host.write("known_failures: [{case: a.b, reason: r}]\n");
    let err = run(["baseline", "update", &known, &journal]).refuses(2, &["block of lines"]);
    assert!(err.contains("known.yaml:1"), "{err}");
    host.write("known_failures:\n- case: a.b\n  reasons: r\n");
    host.run(&["--baseline", &known]).refuses(2, &["known.yaml:2", "reasons"]);
}
