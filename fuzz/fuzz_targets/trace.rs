//! Lines of a trace: each is an event or breaks LC-113, places lie inside, and what was found in lines is found in the whole.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofmark::json;
use proofmark::policy::{Capabilities, Monitor, RulePack};
use proofmark::verdict::Verdict;
use serde_json::{Value, json};

fuzz_target!(|text: &str| {
    let events: Vec<Value> = text.lines().filter_map(|line| json::parse(line).ok()).collect();
    let context_gc = text.len() % 2 == 0;
    let mut monitor = Monitor::new(RulePack::trace(), Capabilities { context_gc }, &[]);
    let mut found = Vec::new();
    for event in &events {
        monitor.observe(event);
        found.extend(monitor.take_violations());
    }
    let (rest, not_judged) = monitor.finish();
    found.extend(rest);
    for violation in &found {
        let at = violation.path.strip_prefix("/events/").and_then(|at| at.parse::<usize>().ok());
        assert!(at.is_some_and(|at| at < events.len()), "{}", violation.path);
    }
    let whole = RulePack::trace().judge_trace(&json!({"capabilities": {"context_gc": context_gc}, "events": events}));
    assert_eq!(whole, Ok(Verdict::new(found, not_judged)));
});
