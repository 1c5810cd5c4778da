//! The report over one mixed bag: exact counts and exact text.

use std::time::Duration;

use proofmark::adapter::{Declaration, SuiteInfo};
use proofmark::case::{LoadOptions, Suite, SuiteFiles};
use proofmark::judge::{CaseResult, Finding, FindingSource, Outcome, StepDifference};
use proofmark::verdict::Level;
use proofmark_runner::exit::Exit;
use proofmark_runner::report::{self, Terminal};
use proofmark_runner::run::{ProfileResult, ProfileSettings, RunReport, RunSettings, Summary};
use serde_json::json;

fn suite() -> Suite {
    let case = |id: &str, level: &str| {
        format!(
            "  - {{id: t.{id}, title: It is {id} in this bag, level: {level}, basis: text, since: 0.1.0, operation: activation.read, given: {{payload: 1}}, expect: {{error: {{category: invalid_payload}}}}}}\n"
        )
    };
    let ids = ["passed", "failed", "errored", "late", "crashed", "unknown-operation", "inapplicable", "skipped", "remarked"];
    let cases: String = ids.iter().map(|id| case(id, if *id == "skipped" { "may" } else { "must" })).collect();
    let files = [
        ("spec-cases/suite.yaml", "version: 0.1.0\n".to_owned()),
        ("spec-cases/wrong-hosts.yaml", "wrong_hosts: {}\n".to_owned()),
        (
            "spec-cases/requirements/r.yaml",
            "{contract: skill_activation_evidence, version: 1, source: s, requirements: [{id: \"t#one\", level: must, section: One, text: One thing holds.}]}".to_owned(),
        ),
        ("spec-cases/c/a.yaml", format!("contract: skill_activation_evidence\nversion: 1\nclause: \"t#one\"\ncases:\n{cases}")),
    ];
    let files: SuiteFiles = files.into_iter().map(|(name, text)| (name.to_owned(), text.into_bytes())).collect();
    Suite::load(files, LoadOptions::default()).unwrap_or_else(|faults| panic!("{faults:?}"))
}

fn finding(level: Level, source: FindingSource) -> Finding {
    Finding {
        level,
        source,
        clause: "t#one".into(),
        step: None,
        path: "/shown".into(),
        expected: "[\"a\"]".into(),
        got: "[\"a\",\"b\u{1b}[2J\"]".into(),
        line: 6,
        column: 9,
        request: None,
        asked: None,
        events: Vec::new(),
    }
}

fn mixed_bag(suite: &Suite) -> RunReport {
    let outcomes = [
        (Outcome::Passed, None),
        (Outcome::Passed, None),
        (Outcome::Errored, Some("activation.read: error -32603: boom")),
        (Outcome::TimedOut, Some("no answer within 10s")),
        (Outcome::Crashed, Some("it ended with status 1")),
        (Outcome::Unsupported, Some("activation.read is not among the declared operations")),
        (Outcome::NotApplicable, Some("another profile")),
        (Outcome::Skipped, Some("no profile")),
        (Outcome::Passed, None),
    ];
    let mut results: Vec<CaseResult> = suite
        .cases()
        .iter()
        .zip(outcomes)
        .map(|(case, (outcome, reason))| CaseResult::new(case, outcome, reason.map(str::to_owned)))
        .collect();
    results[1].add(vec![finding(Level::Must, FindingSource::Expectation)]);
    results[1].differences =
        vec![StepDifference { step: None, expected: json!({"shown": ["a"]}), got: json!({"shown": ["a", "b\u{1b}[2J"]}) }];
    results[4].stderr = Some("Traceback\u{7}\n  line two\n".into());
    results[8].add(vec![finding(Level::Should, FindingSource::Rule("AE-117".into()))]);
    let mut declaration = Declaration::new("bag\u{1b}", "2", "Rust");
    declaration.operations = vec!["activation.read".into()];
    let settings = RunSettings {
        suite: SuiteInfo { version: "0.1.0".into(), digest: "sha256:0123456789abcdef".into() },
        command: vec!["./my host".into()],
        seed: 7,
        ..RunSettings::new(suite, 9)
    };
    RunReport {
        declaration: Some(declaration),
        results,
        faults: vec!["it had to be killed".into()],
        repeated: 1,
        elapsed: Duration::from_millis(1234),
        ..RunReport::new(settings)
    }
}

#[test]
fn every_outcome_is_counted_by_itself() {
    let suite = suite();
    let summary = Summary::of(&mixed_bag(&suite));
    let must = &summary.levels[&Level::Must];
    for (outcome, count) in [
        (Outcome::Passed, 2),
        (Outcome::Failed, 1),
        (Outcome::Errored, 1),
        (Outcome::TimedOut, 1),
        (Outcome::Crashed, 1),
        (Outcome::Unsupported, 1),
        (Outcome::NotApplicable, 1),
        (Outcome::Skipped, 0),
    ] {
        assert_eq!(must.of(outcome), count, "{outcome}");
    }
    assert_eq!(summary.levels[&Level::May].of(Outcome::Skipped), 1);
    assert_eq!((summary.in_suite, summary.selected, summary.judged), (9, 9, 3));
    assert_eq!((summary.adapter_faults(), summary.faults, summary.must_not_judged()), (3, 1, 1));
    assert_eq!(summary.exit(Level::Must, false), Exit::NotConformant);
}

#[test]
fn the_exit_status_says_what_kind_of_trouble_it_was() {
    let suite = suite();
    let exit = |keep: &[usize], faults: bool, fail_on: Level| {
        let mut report = mixed_bag(&suite);
        let mut at = 0;
        report.results.retain(|_| {
            at += 1;
            keep.contains(&(at - 1))
        });
        report.settings.selected = keep.len();
        if !faults {
            report.faults.clear();
        }
        Summary::of(&report).exit(fail_on, false)
    };
    assert_eq!(exit(&[0, 8], false, Level::Must), Exit::Conformant);
    assert_eq!(exit(&[0, 8], true, Level::Must), Exit::Adapter, "a fault that no case stands for");
    assert_eq!(exit(&[0, 2], false, Level::Must), Exit::Adapter);
    assert_eq!(exit(&[1, 2], false, Level::Must), Exit::NotConformant, "what was judged outweighs what was not");
    assert_eq!(exit(&[5, 6, 7], false, Level::Must), Exit::NotConformant, "nothing was judged");
    assert_eq!(exit(&[], false, Level::Must), Exit::NotConformant, "nothing was run");
}

#[test]
fn a_run_of_which_a_part_is_missing_conforms_to_nothing() {
    let suite = suite();
    let mut report = mixed_bag(&suite);
    report.results.truncate(1);
    report.faults.clear();
    let summary = Summary::of(&report);
    assert_eq!((summary.missing, summary.exit(Level::Must, true)), (8, Exit::NotConformant));
    let verdict = summary.verdict(Level::Must);
    assert_eq!((verdict.is_good, verdict.head, verdict.rest.as_str()), (false, "incomplete", ": 8 of 9 cases have no result"));
}

/// What counts for a profile: the frozen set, but for cases that an optional operation keeps from being asked.
#[test]
fn a_claim_does_not_shrink_a_profile() {
    let suite = suite();
    let of = |optional: &[&str], added_since: &[&str], outcome: Outcome, declared: bool| {
        let mut report = mixed_bag(&suite);
        report.faults.clear();
        report.results.truncate(2);
        report.results[1] = CaseResult::new(&suite.cases()[1], outcome, None);
        if outcome == Outcome::Failed {
            report.results[1] = CaseResult::new(&suite.cases()[1], Outcome::Passed, None);
            report.results[1].add(vec![finding(Level::Must, FindingSource::Expectation)]);
        }
        report.results[1].operations = vec!["activation.read".into(), "registry.merge".into()];
        let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        report.settings.selected = 2;
        report.settings.profile = Some(ProfileSettings {
            name: "evidence-consumer".into(),
            optional: texts(optional),
            requirement_set: "0.1.0".into(),
            digest: "sha256:0".into(),
            in_set: 2,
            added_since: texts(added_since),
        });
        if declared && let Some(declaration) = &mut report.declaration {
            declaration.operations.push("registry.merge".into());
        }
        let summary = Summary::of(&report);
        let profile = summary.profile.clone().unwrap_or_else(|| panic!("the run is about a profile"));
        ((profile.claimed, profile.run, profile.judged), profile.result, summary.exit(Level::Must, false))
    };
    let (success, partial, failure) = (Some(ProfileResult::Success), Some(ProfileResult::Partial), Some(ProfileResult::Failure));
    assert_eq!(of(&[], &[], Outcome::Passed, true), ((2, 2, 2), success, Exit::Conformant));
    assert_eq!(of(&[], &[], Outcome::Unsupported, false), ((1, 1, 1), partial, Exit::NotConformant), "a required operation is missing");
    assert_eq!(of(&["registry.merge"], &[], Outcome::Unsupported, false), ((1, 1, 1), success, Exit::Conformant));
    assert_eq!(of(&["registry.merge"], &[], Outcome::Unsupported, true), ((1, 1, 1), partial, Exit::NotConformant), "it was declared");
    assert_eq!(of(&["registry.merge"], &[], Outcome::Failed, true), ((2, 2, 2), failure, Exit::NotConformant));
    assert_eq!(of(&[], &["t.failed"], Outcome::Failed, true), ((1, 1, 1), success, Exit::Conformant), "it was added since");
    assert_eq!(of(&[], &[], Outcome::Crashed, true), ((2, 2, 1), failure, Exit::Adapter));
    assert_eq!(of(&[], &[], Outcome::Skipped, true), ((2, 1, 1), partial, Exit::NotConformant));
}

#[test]
fn the_text_is_exact_and_harmless() {
    let suite = suite();
    let report = mixed_bag(&suite);
    let summary = Summary::of(&report);
    let terminal = Terminal { suite: &suite, verbose: false, flags: vec!["--timeout".into(), "1s".into()] };
    let mut out = anstream::StripStream::new(Vec::new());
    terminal.write(&mut out, &report, &summary, Level::Must).unwrap_or_else(|error| panic!("{error}"));
    let text = String::from_utf8(out.into_inner()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(text, include_str!("snapshots/mixed-bag.txt"), "\n{text}");
}

#[test]
fn the_json_form_has_everything() {
    let suite = suite();
    let report = mixed_bag(&suite);
    let summary = Summary::of(&report);
    let value = report::json(&report, &summary, summary.exit(Level::Must, false));
    assert_eq!(value["exit"], 1);
    assert_eq!(value["summary"]["levels"]["must"]["outcomes"]["timed_out"], 1);
    assert_eq!(value["cases"].as_array().map(Vec::len), Some(9));
    assert_eq!(value["cases"][1]["findings"][0]["source"], "expectation");
    assert_eq!(value["cases"][8]["findings"][0]["source"], json!({"rule": "AE-117"}));
    assert_eq!(value["cases"][8]["outcome"], "passed");
    assert_eq!(value["cases"][3]["reason"], "no answer within 10s");
}

#[test]
fn junit_counts_what_the_exit_status_counts() {
    let suite = suite();
    let report = mixed_bag(&suite);
    let summary = Summary::of(&report);
    let xml = report::junit(&report, &summary, Level::Must, summary.exit(Level::Must, false), &["--timeout".into(), "1s".into()]);
    assert_eq!(xml, include_str!("snapshots/mixed-bag.xml"), "\n{xml}");
    // One case failed, three are the adapter's fault, three were not judged; and the verdict itself fails.
    assert!(xml.contains(r#"<testsuite name="skill_activation_evidence" tests="9" skipped="3" errors="3" failures="1">"#), "{xml}");
    assert!(xml.contains(r#"<testsuite name="proofmark" tests="1" skipped="0" errors="0" failures="1">"#), "{xml}");
}

#[test]
fn junit_is_red_exactly_where_the_run_is() {
    let suite = suite();
    let is_red = |xml: &str| xml.contains("<failure") || xml.contains("<error");
    let of = |keep: &[usize], change: fn(&mut RunReport), fail_on: Level| {
        let mut report = mixed_bag(&suite);
        report.faults.clear();
        report.results = keep.iter().map(|at| report.results[*at].clone()).collect();
        report.settings.selected = keep.len();
        change(&mut report);
        let summary = Summary::of(&report);
        let exit = summary.exit(fail_on, false);
        let xml = report::junit(&report, &summary, fail_on, exit, &[]);
        assert_eq!(is_red(&xml), exit != Exit::Conformant, "{exit:?}\n{xml}");
        xml
    };
    let as_is = |_: &mut RunReport| ();
    let should_fails = |report: &mut RunReport| {
        report.results[0].level = Level::Should;
        report.results[0].add(vec![finding(Level::Should, FindingSource::Expectation)]);
    };
    assert!(!is_red(&of(&[0, 6, 8], as_is, Level::Must)));
    assert!(is_red(&of(&[0, 5], as_is, Level::Must)), "a must case is unsupported");
    assert!(is_red(&of(&[], as_is, Level::Must)), "nothing ran");
    assert!(is_red(&of(&[0], |report| report.settings.selected = 2, Level::Must)), "a case has no result");
    assert!(is_red(&of(&[0], |report| report.faults.push("killed".into()), Level::Must)));
    let below = of(&[0, 8], should_fails, Level::Must);
    assert!(!is_red(&below) && below.contains("failed at should, below --fail-on must: /shown: expected"), "{below}");
    assert!(is_red(&of(&[0, 8], should_fails, Level::Should)));
}

#[test]
fn what_an_adapter_says_is_no_markup() {
    let suite = suite();
    let mut report = mixed_bag(&suite);
    let evil = "</failure>]]><a onclick=\"x\">&amp; |`\u{fffe}\u{ffff}\u{0}\u{1b}[31m\u{202e}\n## conformant";
    report.faults = vec![evil.to_owned()];
    report.results[3].reason = Some(evil.to_owned());
    report.results[5].reason = Some(evil.to_owned());
    report.results[1].findings[0].got = evil.to_owned();
    report.results[1].findings[0].path = evil.to_owned();
    if let Some(it) = &mut report.declaration {
        it.implementation.name = evil.to_owned();
    }
    let summary = Summary::of(&report);
    let xml = report::junit(&report, &summary, Level::Must, Exit::NotConformant, &[]);
    let markdown = report::markdown(&report, &summary, Level::Must, &[]);
    assert!(!xml.contains("<a onclick") && !xml.contains("]]>"), "{xml}");
    for text in [&xml, &markdown] {
        assert!(!text.contains(['\u{fffe}', '\u{ffff}', '\u{0}', '\u{1b}', '\u{202e}']), "{text}");
    }
    assert_eq!(markdown.lines().filter(|line| line.starts_with("## ")).collect::<Vec<_>>(), ["## proofmark: not conformant"]);
    // Each row has as many cells as its head: a bar in what was said begins none.
    for row in markdown.lines().filter(|line| line.starts_with("| `t.")) {
        assert_eq!(row.replace("\\|", "").matches('|').count(), 5, "{row}");
    }
    // No tag outside of code.
    for line in markdown.lines().filter(|line| line.contains("<a onclick")) {
        let before = line.split("<a onclick").next().unwrap_or_default();
        assert_eq!(before.matches("``").count() % 2, 1, "{line}");
    }
}

#[test]
fn the_markdown_is_exact() {
    let suite = suite();
    let report = mixed_bag(&suite);
    let markdown = report::markdown(&report, &Summary::of(&report), Level::Must, &["--timeout".into(), "1s".into()]);
    assert_eq!(markdown, include_str!("snapshots/mixed-bag.md"), "\n{markdown}");
}
