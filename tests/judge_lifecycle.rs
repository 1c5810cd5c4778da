//! How verdicts and runs are judged, as truth tables: what an implementation answers, how far it says that its verdicts go, and what comes of
//! it.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, and says where")]

use std::sync::LazyLock;

use proofmark::adapter::{Answer, Declaration, Diagnostics, ErrorObject, Hello, Implementation, LIFECYCLE_RUN, Operation, Refusal};
use proofmark::case::{LoadOptions, Suite, SuiteFiles};
use proofmark::judge::{CaseResult, FindingSource, Judge, Outcome, run_in_process};
use proofmark::reference::Reference;
use proofmark::verdict::Level;
use serde_json::{Value, json};

/// The shipped suite with these cases alone, or its faults.
fn load(cases: &str) -> Result<Suite, String> {
    let embedded = SuiteFiles::embedded();
    let shared = ["suite.yaml", "wrong-hosts.yaml", "requirements/skill_activation_evidence.yaml", "requirements/skill_lifecycle.yaml"]
        .map(|name| format!("{}/{name}", SuiteFiles::ROOT));
    let files = shared.into_iter().map(|name| (name.clone(), embedded.get(&name).unwrap().to_vec()));
    let files: SuiteFiles = files.chain([(format!("{}/a/a.yaml", SuiteFiles::ROOT), cases.as_bytes().to_vec())]).collect();
    Suite::load(files, LoadOptions::default()).map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

/// What a host says to one operation after the other; the last answer is said again.
struct Canned {
    diagnostics: Diagnostics,
    answers: Vec<(Operation, Answer)>,
}

impl Implementation for Canned {
    fn initialize(&mut self, _: &Hello) -> Result<Declaration, ErrorObject> {
        let mut declaration = Declaration::new("canned", "1", "Rust").operations(Operation::ALL);
        declaration.diagnostics = self.diagnostics;
        Ok(declaration)
    }

    fn call(&mut self, operation: Operation, _: &Value) -> Answer {
        let found = self.answers.iter().find(|(it, _)| *it == operation);
        found.map_or(Answer::Unsupported, |(_, answer)| answer.clone())
    }
}

fn judged(suite: &Suite, id: &str, host: &mut dyn Implementation) -> CaseResult {
    let hello = Hello { protocol: vec![1], runner: Default::default(), suite: suite.info(), nonce: String::new() };
    let declaration = host.initialize(&hello).unwrap();
    run_in_process(&Judge::new(suite, &declaration), host, suite.case(id).unwrap()).0
}

const VERDICTS: &str = "
contract: skill_release_receipt
version: 1
clause: receipt#required
cases:
  - id: a.must
    title: Two musts are broken, and one may be
    level: must
    basis: text
    since: 0.2.0
    operation: lifecycle.validate_receipt
    given: { receipt: {} }
    expect: { verdict: { valid: false, violations: [{ rule: RR-101, path: /skill_id }, { rule: RR-106, path: /last_used_at }], also: [{ rule: RR-102, path: /status }], not_judged: [] } }
  - id: a.should
    title: A recommendation is not followed
    level: should
    basis: text
    since: 0.2.0
    operation: lifecycle.validate_receipt
    given: { receipt: {} }
    expect: { verdict: { valid: true, violations: [{ rule: RR-105, path: /status }] } }
  - id: a.may
    title: A text that lies between
    level: may
    basis: decision
    rationale: It names nothing plainly.
    since: 0.2.0
    operation: lifecycle.validate_receipt
    given: { receipt: {} }
    expect: { verdict: { valid: true, violations: [{ rule: RR-107, path: /resume_entry }] } }
";

fn violation(rule: &str, path: &str) -> Value {
    json!({"rule": rule, "level": "must", "path": path})
}

#[test]
fn a_verdict_is_judged_as_a_set_as_far_as_it_goes_and_as_binding_as_the_case() {
    use Diagnostics::{Paths, Rules, Valid};
    use Outcome::{Failed, Passed};
    static SUITE: LazyLock<Suite> = LazyLock::new(|| load(VERDICTS).unwrap());
    let both = || vec![violation("RR-106", "/last_used_at"), violation("RR-101", "/skill_id")];
    let with = |more: Value| [both(), vec![more]].concat();
    let said = |valid: bool, violations: Vec<Value>| json!({"valid": valid, "violations": violations, "not_judged": []});
    let no_rules = || vec![json!({"path": "/skill_id"}), json!({"path": "/last_used_at"})];
    for (line, id, diagnostics, answer, outcome) in [
        (line!(), "a.must", Rules, said(false, both()), Passed),
        (line!(), "a.must", Rules, said(true, both()), Failed),
        (line!(), "a.must", Rules, said(false, both()[..1].to_vec()), Failed),
        (line!(), "a.must", Rules, said(false, with(violation("RR-102", "/status"))), Passed),
        (line!(), "a.must", Rules, said(false, with(violation("RR-102", "/current_stage"))), Failed),
        (line!(), "a.must", Rules, said(false, with(both()[0].clone())), Passed),
        // What is milder than the case never matters to it, whatever the row itself says of a rule of ours.
        (line!(), "a.must", Rules, said(false, with(json!({"rule": "RR-105", "level": "must", "path": "/status"}))), Passed),
        (line!(), "a.must", Rules, said(false, with(json!({"rule": "X-1", "level": "should", "path": "/status"}))), Passed),
        (line!(), "a.must", Rules, said(false, with(json!({"rule": "X-1", "path": "/current_stage"}))), Failed),
        (line!(), "a.must", Rules, said(false, with(json!({"rule": "RR-101", "level": "may", "path": "/status"}))), Failed),
        (line!(), "a.must", Rules, said(false, no_rules()), Failed),
        (line!(), "a.must", Paths, said(false, no_rules()), Passed),
        (line!(), "a.must", Paths, said(false, no_rules()[..1].to_vec()), Failed),
        (line!(), "a.must", Paths, said(false, [no_rules(), vec![json!({"path": "/status"})]].concat()), Passed),
        (line!(), "a.must", Paths, said(false, [no_rules(), vec![json!({"path": "/open_loops"})]].concat()), Failed),
        (line!(), "a.must", Paths, said(false, [no_rules(), vec![json!({"path": "/open_loops", "level": "should"})]].concat()), Passed),
        (line!(), "a.must", Paths, said(false, vec![json!({"rule": "RR-101"})]), Failed),
        (line!(), "a.must", Valid, json!({"valid": false}), Passed),
        (line!(), "a.must", Valid, json!({"valid": true, "violations": both()}), Failed),
        (line!(), "a.must", Valid, json!({"valid": "no"}), Failed),
        (line!(), "a.must", Rules, json!({"valid": false}), Failed),
        (line!(), "a.must", Rules, json!({"valid": false, "violations": {}}), Failed),
        (line!(), "a.must", Rules, json!({"valid": false, "violations": both(), "not_judged": ["RR-112"]}), Failed),
        (line!(), "a.must", Paths, json!({"valid": false, "violations": both(), "not_judged": ["RR-112"]}), Passed),
        (line!(), "a.must", Rules, json!([]), Failed),
        (line!(), "a.should", Rules, said(true, vec![violation("RR-105", "/status")]), Passed),
        (line!(), "a.should", Rules, said(true, vec![]), Failed),
        (line!(), "a.should", Rules, said(true, vec![violation("RR-105", "/status"), violation("RR-101", "/skill_id")]), Failed),
        (line!(), "a.should", Rules, said(true, vec![violation("RR-105", "/status"), violation("RR-104", "/schema")]), Passed),
        // What a rule can't settle counts at the milder level that the row says.
        (line!(), "a.may", Rules, said(true, vec![json!({"rule": "RR-107", "level": "may", "path": "/resume_entry"})]), Passed),
        (
            line!(),
            "a.should",
            Rules,
            said(true, vec![violation("RR-105", "/status"), json!({"rule": "RR-107", "level": "may", "path": "/resume_entry"})]),
            Passed,
        ),
        (
            line!(),
            "a.should",
            Rules,
            said(true, vec![violation("RR-105", "/status"), json!({"rule": "RR-107", "path": "/resume_entry"})]),
            Failed,
        ),
    ] {
        let answers = vec![(Operation::LifecycleValidateReceipt, Answer::Result(answer))];
        let result = judged(&SUITE, id, &mut Canned { diagnostics, answers });
        assert_eq!(result.outcome, outcome, "line {line}: {:#?}", result.findings);
    }
    let refusal = Answer::Refusal(Refusal { category: "invalid_payload".into(), event: None });
    let answers = vec![(Operation::LifecycleValidateReceipt, refusal)];
    assert_eq!(judged(&SUITE, "a.must", &mut Canned { diagnostics: Rules, answers }).outcome, Failed);
}

#[test]
fn an_expectation_of_a_verdict_that_says_nothing_is_refused() {
    load(VERDICTS).unwrap();
    for (from, to, words) in [
        ("rule: RR-101, path: /skill_id", "rule: RR-105, path: /status", "RR-105 is a should rule, which a must case does not judge"),
        ("rule: RR-101, path: /skill_id", "rule: RR-999, path: /skill_id", "there is no rule RR-999"),
        ("rule: RR-102, path: /status", "rule: RR-998, path: /status", "there is no rule RR-998"),
        ("not_judged: []", "not_judged: [RR-997]", "there is no rule RR-997"),
        (
            "valid: true, violations: [{ rule: RR-105",
            "valid: true, violations: [{ rule: RR-101",
            "a document that breaks a must is not valid",
        ),
        (
            "operation: lifecycle.validate_receipt\n    given: { receipt: {} }\n    expect: { verdict: { valid: false",
            "operation: lifecycle.plan\n    given: { receipt: {} }\n    expect: { verdict: { valid: false",
            "lifecycle.plan does not answer with a verdict",
        ),
    ] {
        assert_eq!(VERDICTS.matches(from).count(), 1, "{from}");
        let error = load(&VERDICTS.replace(from, to)).map(drop).unwrap_err();
        assert!(error.contains(words) && error.contains("a.yaml:"), "{words:?} is not in {error}");
    }
}

const RUN: &str = "
contract: skill_lifecycle_trace
version: 1
clause: lifecycle#order
cases:
  - id: a.run
    title: A step and an end
    level: must
    basis: text
    since: 0.2.0
    operation: lifecycle.run
    given:
      registry: { _type: skill_registry, skills: [{ name: a }] }
      files: { skills/a/SKILL.md: text }
      capabilities: { context_gc: true }
      world: [{ type: turn.started, turn: 1 }, { type: step.started, skill_id: a, step: s, needs: [] }, { type: trace.ended }]
    expect: { verdict: { valid: true } }
";

fn result(value: Value) -> Answer {
    Answer::Result(value)
}

#[test]
fn what_is_no_answer_of_a_running_host_fails_or_errs_and_never_passes() {
    use Operation::{LifecycleClose as Close, LifecycleOpen as Open, LifecycleStep as Step};
    static SUITE: LazyLock<Suite> = LazyLock::new(|| load(RUN).unwrap());
    let open = || (Open, result(json!({"session": "s"})));
    let step = |events: Value| (Step, result(json!({"events": events})));
    let refused = || Answer::Refusal(Refusal { category: "invalid_scenario".into(), event: None });
    let error = || Answer::Error(ErrorObject { code: -32603, message: "no".into() });
    let protocol = FindingSource::Protocol;
    for (line, answers, outcome, source) in [
        (line!(), vec![(Open, refused())], Outcome::Failed, Some(protocol.clone())),
        (line!(), vec![(Open, result(json!({})))], Outcome::Failed, Some(protocol.clone())),
        (line!(), vec![(Open, result(json!({"session": 7})))], Outcome::Failed, Some(protocol.clone())),
        (line!(), vec![(Open, error())], Outcome::Errored, None),
        (line!(), vec![], Outcome::Unsupported, None),
        (line!(), vec![open()], Outcome::Errored, None),
        (line!(), vec![open(), (Step, refused())], Outcome::Failed, Some(protocol.clone())),
        (line!(), vec![open(), (Step, result(json!({"events": {}})))], Outcome::Failed, Some(protocol.clone())),
        (line!(), vec![open(), (Step, result(json!(null)))], Outcome::Failed, Some(protocol.clone())),
        (line!(), vec![open(), step(json!(vec![json!({"type": "card.read"}); 10_001]))], Outcome::Failed, Some(protocol.clone())),
        // Silence: the step is not answered by a body.
        (line!(), vec![open(), step(json!([])), (Close, result(json!({})))], Outcome::Failed, Some(FindingSource::Rule("LC-118".into()))),
        (line!(), vec![open(), step(json!([7])), (Close, result(json!({})))], Outcome::Failed, Some(FindingSource::Rule("LC-113".into()))),
        (
            line!(),
            vec![open(), step(json!([{"type": "trace.ended"}])), (Close, result(json!({})))],
            Outcome::Failed,
            Some(FindingSource::Rule("LC-113".into())),
        ),
        (line!(), vec![open(), step(json!([])), (Close, result(json!(null)))], Outcome::Failed, Some(protocol)),
        (line!(), vec![open(), step(json!([])), (Close, error())], Outcome::Errored, None),
    ] {
        let result = judged(&SUITE, "a.run", &mut Canned { diagnostics: Diagnostics::Rules, answers });
        assert_eq!(result.outcome, outcome, "line {line}: {:#?}", result.findings);
        if let Some(source) = source {
            let found = result.findings.iter().find(|finding| finding.source == source);
            let found = found.unwrap_or_else(|| panic!("line {line}: {:#?}", result.findings));
            assert_eq!(found.level, Level::Must);
            assert!(SUITE.requirement(&found.clause).is_some(), "{}", found.clause);
        }
    }
    assert_eq!(judged(&SUITE, "a.run", &mut Reference::default()).outcome, Outcome::Passed);
}

#[test]
fn a_run_is_given_one_world_and_expects_what_it_can_say() {
    for (from, to, words) in [
        ("      world: ", "      walk: { seed: 1, events: 9 }\n      world: ", "a run is given a world, or a walk through one"),
        ("world: [", "wrold: [", "a run is given a world, or a walk through one"),
        ("{ valid: true }", "{ valid: false }", "a run is expected to be valid"),
        ("{ valid: true }", "{ valid: true, violations: [{ rule: LC-101, path: /events/0 }] }", "a run is expected to be valid"),
    ] {
        assert_eq!(RUN.matches(from).count(), 1, "{from}");
        let error = load(&RUN.replace(from, to)).map(drop).unwrap_err();
        assert!(error.contains(words), "{words:?} is not in {error}");
    }
    assert_eq!(Operation::LifecycleStep.declared_name(), LIFECYCLE_RUN);
}
