//! A receipt of any JSON gets a verdict whose places are there, or would be, and that repeats no secret.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofmark::policy::{RulePack, actionability, names_file, names_some_file};
use proofmark::{json, yaml};
use serde_json::Value;

fuzz_target!(|text: &str| {
    let _ = actionability(text);
    let _ = names_some_file(text);
    let half = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
    let _ = names_file(&text[..half], &text[half..]);
    let Some(receipt) = json::parse(text).ok().or_else(|| yaml::parse(text).ok().map(|document| document.value)) else { return };
    let verdict = RulePack::receipt().judge_receipt(&receipt);
    for violation in &verdict.violations {
        let is_there = receipt.pointer(&violation.path).is_some();
        let parent = violation.path.rsplit_once('/').and_then(|(parent, _)| receipt.pointer(parent));
        assert!(is_there || parent.is_some_and(Value::is_object), "{violation:?}");
    }
});
