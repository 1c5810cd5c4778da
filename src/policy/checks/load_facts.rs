//! The event's skill, source and disable flag are those of the entry that was asked for.

use serde_json::Value;

use crate::adapter::{Answer, Operation};
use crate::contract::activation::Flag;
use crate::policy::exchange::{Judged, View};

pub(super) fn check(exchange: &View<'_>) -> Judged {
    if exchange.operation != Operation::ActivationLoad {
        return None;
    }
    let event = match exchange.answer {
        Answer::Result(result) => result.get("event")?,
        Answer::Refusal(refusal) => refusal.event.as_ref()?,
        _ => return None,
    };
    let asked = exchange.param("id").as_str()?;
    let entries = exchange.entries()?;
    // A bare name may stand for a namespaced entry; the event then says which.
    let skill_id = event.get("skill_id").and_then(Value::as_str).unwrap_or("");
    let mut findings = Vec::new();
    let expected = if entries.contains_key(asked) { asked } else { skill_id };
    if skill_id != expected {
        findings.push(("/event/skill_id".into(), format!("is {skill_id:?}; the entry with the id {asked:?} was asked for")));
    }
    let Some(candidates) = entries.get(expected) else {
        findings.push(("/event/skill_id".into(), format!("is {skill_id:?}, which the registry lacks")));
        return Some(findings);
    };
    if asked != expected && candidates.iter().all(|entry| entry.name != asked) {
        findings.push(("/event/skill_id".into(), format!("is {skill_id:?}, whose name is not {asked:?}")));
    }
    let source = event.get("source").and_then(Value::as_str).filter(|label| !label.is_empty());
    if !candidates.iter().any(|entry| entry.source == source) {
        let message = format!("is {}; the entry's is {}", Value::from(source), Value::from(candidates[0].source));
        findings.push(("/event/source".into(), message));
    }
    let flag = event.get("disable_model_invocation").and_then(Value::as_bool);
    let agrees = |entry: &crate::contract::activation::Entry<'_>| entry.disabled == Flag::Odd || flag == Some(entry.disabled.is_on());
    if !candidates.iter().any(agrees) {
        let message = format!("is {}; the entry's is {}", Value::from(flag), candidates[0].disabled.is_on());
        findings.push(("/event/disable_model_invocation".into(), message));
    }
    Some(findings)
}
