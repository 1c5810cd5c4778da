//! RR-107: `resume_entry` names what to reopen.

use serde_json::Value;

use super::Finding;
use super::language::{self, Actionability};
use crate::json;

pub(super) fn check(receipt: &Value) -> Vec<Finding> {
    let (message, is_milder) = match receipt.get("resume_entry") {
        None => return Vec::new(),
        Some(Value::String(text)) if text.trim().is_empty() => ("it is blank".to_owned(), false),
        Some(Value::String(text)) if language::is_placeholder(text) => ("it is a placeholder that a template left".to_owned(), false),
        Some(Value::String(text)) => match language::actionability(text) {
            Actionability::Names(_) => return Vec::new(),
            Actionability::Vague => {
                ("it names nothing to reopen: say which file, section, command, artifact or evidence window".to_owned(), false)
            }
            Actionability::Between => ("nothing in it was recognised as a thing to reopen".to_owned(), true),
        },
        Some(other) => (format!("it is of type {}, not a text", json::type_name(other)), false),
    };
    vec![Finding { path: "/resume_entry".to_owned(), message, is_milder }]
}
