//! A load succeeds with a body and an event that says loaded, or is blocked with an event that says omitted and why.

use serde_json::Value;

use crate::adapter::{Answer, Operation};
use crate::contract::activation::{Entry, LOAD_EVENT_TYPE};
use crate::contract::refusal::Category;
use crate::json::as_count;
use crate::policy::exchange::{Findings, Judged, View};

/// A shorter body may stand in an event by chance.
const LONG_ENOUGH: usize = 16;

pub(super) fn check(exchange: &View<'_>) -> Judged {
    if exchange.operation != Operation::ActivationLoad {
        return None;
    }
    let mut findings = Vec::new();
    match exchange.answer {
        Answer::Result(result) => {
            if !result.get("body").is_some_and(Value::is_string) {
                findings.push(("/body".into(), "is no text, though the load was not refused".into()));
            }
            event(result.get("event"), "loaded", &mut findings);
        }
        Answer::Refusal(refusal) => {
            let blocked = [Category::ModelInvocationDisabled, Category::UnsignedSkill].iter().any(|it| it.as_str() == refusal.category);
            if blocked {
                event(refusal.event.as_ref(), "omitted", &mut findings);
                let error = refusal.event.as_ref().and_then(|event| event.get("error")).and_then(Value::as_str);
                // Whatever the key: what was blocked does not leave.
                let bodies = exchange.entries().and_then(|entries| entries.get(exchange.param("id").as_str()?));
                let leaked =
                    |body: &str| body.chars().count() >= LONG_ENOUGH && refusal.event.as_ref().is_some_and(|event| has_text(event, body));
                // Provenance is copied, whatever stands there.
                let copied = |entry: &Entry<'_>| entry.provenance.is_some_and(|it| it.values().any(|value| has_text(value, entry.body)));
                if bodies.is_some_and(|entries| entries.iter().any(|entry| leaked(entry.body) && !copied(entry))) {
                    findings.push(("/event".into(), "holds the body that was blocked".into()));
                }
                if error.is_none_or(str::is_empty) {
                    findings.push(("/event/error".into(), "does not say why the load was blocked".into()));
                }
            } else if refusal.event.as_ref().is_some_and(|event| !event.is_null()) {
                findings.push(("/event".into(), format!("there is an event, though {} blocks no load", refusal.category)));
            }
        }
        _ => return None,
    }
    Some(findings)
}

fn has_text(value: &Value, part: &str) -> bool {
    match value {
        Value::String(text) => text.contains(part),
        Value::Array(items) => items.iter().any(|item| has_text(item, part)),
        Value::Object(members) => members.values().any(|member| has_text(member, part)),
        _ => false,
    }
}

fn event(event: Option<&Value>, lifecycle: &str, findings: &mut Findings) {
    let Some(Value::Object(event)) = event else {
        findings.push(("/event".into(), "is no mapping".into()));
        return;
    };
    let get = |key: &str| event.get(key).unwrap_or(&Value::Null);
    for (key, expected) in [("type", LOAD_EVENT_TYPE), ("lifecycle", lifecycle)] {
        if get(key) != expected {
            findings.push((format!("/event/{key}"), format!("is {}; it is {expected:?}", get(key))));
        }
    }
    if !get("skill_id").is_string() {
        findings.push(("/event/skill_id".into(), "is no text".into()));
    }
    for key in ["disable_model_invocation", "signed", "trusted"] {
        if !get(key).is_boolean() {
            findings.push((format!("/event/{key}"), "is no boolean".into()));
        }
    }
    // What a blocked load would have cost is not judged.
    if lifecycle == "loaded" && as_count(get("token_estimate")).is_none() {
        findings.push(("/event/token_estimate".into(), "is no count".into()));
    }
    let error = get("error");
    if lifecycle == "loaded" && !(error.is_null() || error == "") {
        findings.push(("/event/error".into(), "is there, though the load succeeded".into()));
    }
}
