//! A reader refuses a schema version that is not the pinned one.

use serde_json::Value;

use crate::adapter::{Answer, Operation};
use crate::contract::activation::{EVIDENCE_TYPE, SCHEMA_VERSION};
use crate::json;
use crate::policy::exchange::{Judged, View};

pub(super) fn check(exchange: &View<'_>) -> Judged {
    if exchange.operation != Operation::ActivationRead {
        return None;
    }
    let payload = exchange.param("payload");
    let version = payload.get("schema_version")?;
    if payload.get("_type").and_then(Value::as_str) != Some(EVIDENCE_TYPE) || json::type_name(version) != "integer" {
        return None;
    }
    let pinned = match exchange.param("pinned") {
        Value::Null => SCHEMA_VERSION,
        value => json::as_count(value)?,
    };
    let readable = json::as_count(version) == Some(pinned) && pinned == SCHEMA_VERSION;
    let mut findings = Vec::new();
    match exchange.answer {
        Answer::Result(_) if !readable => {
            findings.push((String::new(), format!("a payload of version {version} is read, though {pinned} is pinned")));
        }
        Answer::Refusal(refusal) if readable && refusal.category == "unsupported_version" => {
            findings.push((String::new(), format!("version {version} is refused, though it is the pinned one")));
        }
        _ => {}
    }
    Some(findings)
}
