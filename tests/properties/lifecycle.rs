//! Contract 2 for every input: walks through fair worlds, traces made of anything, lines one by one.

use std::fmt::Write as _;

use proofmark::adapter::{Hello, Implementation as _};
use proofmark::case::{LoadOptions, Suite};
use proofmark::contract::lifecycle::{HOST_EVENTS, WORLD_EVENTS};
use proofmark::judge::{Judge, Outcome, run_in_process};
use proofmark::policy::{Monitor, RulePack};
use proofmark::reference::Reference;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{config, suite_with};

/// A case of a walk; worlds with support files, carried-in receipts, and ids that hold more than letters.
fn walk(seed: u64, events: u64, skills: usize, context_gc: bool) -> String {
    let ids = ["alpha", "beta-2", "技能", "gamma delta"];
    let registry: Vec<String> = ids[..skills].iter().map(|id| format!("{{ name: {id} }}")).collect();
    let files: Vec<String> = ids[..skills].iter().map(|id| format!("\"skills/{id}/SKILL.md\": \"# {id}\"")).collect();
    let receipt = "{ schema: cbh.skill_release_receipt.v1, skill_id: alpha, status: released, completed_steps: [], current_stage: s, \
                   artifact_paths: [], evidence_refs: [], open_loops: [], resume_entry: Read docs/first.md., \
                   last_used_at: \"2026-06-27T09:30:00Z\", ttl_policy: t }";
    let receipts = if seed.is_multiple_of(3) { format!("receipts: [{receipt}]") } else { "receipts: null".to_owned() };
    format!(
        "  - id: run.walk-{context_gc}.seed-{seed}
    title: A fair world of random events
    level: may
    basis: text
    since: 0.2.0
    operation: lifecycle.run
    given:
      registry: {{ _type: skill_registry, skills: [{}] }}
      files: {{ {}, docs/first.md: one, docs/second.md: two }}
      capabilities: {{ context_gc: {context_gc} }}
      {receipts}
      walk: {{ seed: {seed}, events: {events} }}
    expect: {{ verdict: {{ valid: true }} }}
",
        registry.join(", "),
        files.join(", ")
    )
}

#[test]
fn the_reference_breaks_nothing_in_any_fair_world() {
    let mut text = "contract: skill_lifecycle_trace\nversion: 1\nclause: lifecycle#order\ncases:\n".to_owned();
    for seed in 0..600 {
        for context_gc in [true, false] {
            let _ = text.write_str(&walk(seed, 20 + seed % 180, 1 + (seed % 4) as usize, context_gc));
        }
    }
    let suite = Suite::load(suite_with(&text), LoadOptions::default()).unwrap_or_else(|faults| panic!("{:#?}", &faults[..1]));
    let mut reference = Reference::default();
    let hello = Hello { protocol: vec![1], runner: Default::default(), suite: suite.info(), nonce: String::new() };
    let declaration = reference.initialize(&hello).unwrap();
    let judge = Judge::new(&suite, &declaration);
    let mut seen = std::collections::BTreeSet::new();
    for case in suite.cases() {
        let (result, exchanges) = run_in_process(&judge, &mut reference, case);
        // A may case fails by any finding of any level.
        assert_eq!(result.outcome, Outcome::Passed, "{}: {:#?}", case.id, result.findings);
        let trace = exchanges[0].answer.clone().into_result().unwrap();
        seen.extend(trace["events"].as_array().unwrap().iter().filter_map(|event| event["type"].as_str()).map(str::to_owned));
    }
    assert_eq!(suite.cases().len(), 1_200);
    for kind in WORLD_EVENTS {
        assert!(seen.contains(kind), "no walk had a {kind}");
    }
}

/// An event of any type with fields of any fitting, or not.
fn event() -> impl Strategy<Value = Value> {
    let kinds: Vec<&str> = WORLD_EVENTS.into_iter().chain(HOST_EVENTS).collect();
    let words = || {
        prop::sample::select(vec![
            json!("a"),
            json!("b"),
            json!("c"),
            json!("none"),
            json!("listing_only"),
            json!("active_frame_required"),
            json!("reactivate_from_receipt"),
            json!("release_receipt_required"),
            json!("source"),
            json!("fragment"),
            json!("receipt"),
            json!("skill"),
            json!("discussion"),
            json!("work"),
            json!("resume"),
            json!("discovery"),
            json!("tool_call"),
            json!("token"),
            json!("release"),
            json!("memory"),
            json!("profile"),
            json!(true),
            json!(false),
            json!(["docs/a.md"]),
            json!(["body"]),
            json!([]),
            json!({}),
            json!(null),
            json!(7),
            json!(""),
            json!("skills/a/SKILL.md"),
            json!({"skill_id": "a", "resume_entry": "Read skills/a/SKILL.md"}),
        ])
    };
    let fields = [
        "skill_id",
        "step",
        "needs",
        "kind",
        "continues",
        "to",
        "file",
        "hash",
        "origin",
        "skill_lifecycle_profile",
        "fields",
        "receipt",
        "ref",
        "owner",
        "by",
        "because",
        "turn",
        "need",
        "authority",
        "source_monitoring",
    ];
    // Mostly a value that fits the field, so that much is well formed.
    let fitting = |field: &str| match field {
        "skill_id" | "owner" => prop::sample::select(vec![json!("a"), json!("b")]).boxed(),
        "needs" => Just(json!(["docs/a.md"])).boxed(),
        "continues" => any::<bool>().prop_map(Value::from).boxed(),
        "kind" => prop::sample::select(vec![json!("tool_call"), json!("token"), json!("route_decision")]).boxed(),
        "to" => prop::sample::select(vec![json!("discussion"), json!("skill")]).boxed(),
        "origin" => prop::sample::select(vec![json!("source"), json!("fragment"), json!("memory")]).boxed(),
        "skill_lifecycle_profile" => prop::sample::select(vec![json!("active_frame_required"), json!("reactivate_from_receipt")]).boxed(),
        "need" => prop::sample::select(vec![json!("work"), json!("resume"), json!("none")]).boxed(),
        "by" => Just(json!("user")).boxed(),
        "because" => Just(json!("other")).boxed(),
        "authority" => Just(json!("user")).boxed(),
        "fields" => Just(json!(["name"])).boxed(),
        _ => Just(json!("skills/a/SKILL.md")).boxed(),
    };
    let members: Vec<_> = fields
        .into_iter()
        .map(|field| (Just(field), prop_oneof![12 => fitting(field).prop_map(Some), 1 => words().prop_map(Some), 1 => Just(None)]))
        .collect();
    (prop::sample::select(kinds), members).prop_map(|(kind, members)| {
        let mut event = json!({"type": kind});
        for (field, value) in members {
            if let Some(value) = value {
                event[field] = value;
            }
        }
        event
    })
}

proptest! {
    #![proptest_config(config(128))]

    #[test]
    fn a_trace_of_anything_is_judged_the_same_in_lines_and_whole(events in prop::collection::vec(event(), 0..60), gc in any::<bool>(), ends in any::<bool>()) {
        let mut events: Vec<Value> = events;
        if ends {
            events.push(json!({"type": "trace.ended"}));
        }
        for (at, event) in events.iter_mut().enumerate() {
            event["seq"] = json!(at + 1);
        }
        let trace = json!({"capabilities": {"context_gc": gc}, "events": events});
        let whole = RulePack::trace().judge_trace(&trace).unwrap();
        let mut monitor = Monitor::open(RulePack::trace(), &trace).unwrap();
        let mut found = Vec::new();
        for event in trace["events"].as_array().unwrap() {
            monitor.observe(event);
            found.extend(monitor.take_violations());
        }
        let (rest, not_judged) = monitor.finish();
        found.extend(rest);
        let lines = proofmark::verdict::Verdict::new(found, not_judged);
        prop_assert_eq!(&lines, &whole);
        for violation in &whole.violations {
            let at: usize = violation.path.strip_prefix("/events/").unwrap().parse().unwrap();
            prop_assert!(at < events.len(), "{}", violation.path);
        }
        if ends {
            // What was still due came due; only what the trace says too little about is left.
            prop_assert!(whole.not_judged.iter().all(|rule| ["LC-103", "LC-108"].contains(&rule.as_str())), "{:?}", whole.not_judged);
        }
    }

    #[test]
    fn what_was_found_stays_found_whatever_follows(events in prop::collection::vec(event(), 1..40), cut in 0_usize..40) {
        let numbered: Vec<Value> = events.into_iter().enumerate().map(|(at, mut event)| { event["seq"] = json!(at + 1); event }).collect();
        let judge = |events: &[Value]| RulePack::trace().judge_trace(&json!({"capabilities": {"context_gc": true}, "events": events})).unwrap();
        let all = judge(&numbered);
        for violation in judge(&numbered[..cut.min(numbered.len())]).violations {
            prop_assert!(all.violations.contains(&violation), "{violation:?}");
        }
    }

    #[test]
    fn a_receipt_of_anything_gets_a_verdict_that_repeats_no_secret(
        field in prop::sample::select(vec!["skill_id", "status", "current_stage", "resume_entry", "last_used_at", "ttl_policy", "notes"]),
        text in "\\PC{0,80}",
    ) {
        let pack = RulePack::receipt();
        let mut receipt = pack.example_value(&pack.rules()[0].pass[0]).unwrap();
        let secret = "hunter2-hunter2";
        receipt[field] = json!(format!("{text} password: {secret}"));
        let verdict = pack.judge_receipt(&receipt);
        let path = format!("/{field}");
        prop_assert!(verdict.violations.iter().any(|violation| violation.rule == "RR-112" && violation.path == path));
        prop_assert!(verdict.violations.iter().all(|violation| !violation.message.contains(secret)));
    }
}
