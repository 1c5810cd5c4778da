//! EP-104: the table of fields. What is missing has the path where it would stand; some fields are recommended only.

use serde_json::{Map, Value};

use super::vocabulary::EVIDENCE_WORDS;
use super::{Subject, is_blank, milder};
use crate::contract::packet::LOSSY_WITH_RECOVERY;
use crate::json::{self, pointer_push};
use crate::policy::receipt::Finding;

/// What a field has to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A text; whether it is a good one, another rule says.
    Word,
    /// A text that is not blank.
    Text,
    /// A sequence of texts that are not blank.
    Texts,
}

const SECTIONS: [(&str, &[(&str, Form)]); 4] = [
    ("skill", &[("id", Form::Word), ("mode", Form::Word), ("execution_profile", Form::Text), ("modules_used", Form::Texts)]),
    ("result", &[("observation_class", Form::Word), ("outcome", Form::Word), ("compact_summary", Form::Text)]),
    ("handoff", &[("signal", Form::Word), ("reason", Form::Text)]),
    ("recovery", &[("lossiness", Form::Word), ("sensitivity", Form::Word)]),
];

pub(super) fn check(subject: &Subject<'_>) -> Option<Vec<Finding>> {
    let members = subject.packet.as_object()?;
    let mut found = Vec::new();
    for key in ["observation_id", "work_slice_id"] {
        field(members, "", key, Form::Word, &mut found);
    }
    for (key, fields) in SECTIONS {
        let pointer = pointer_push("", key);
        match members.get(key) {
            None | Some(Value::Null) if matches!(key, "result" | "handoff") => {} // EP-111 says that they are missing.
            None | Some(Value::Null) => {
                found.extend(fields.iter().map(|(name, _)| Finding::new(pointer_push(&pointer, name), "is missing")));
                if key == "recovery" {
                    found.push(milder("/recovery/pointer", "is missing"));
                }
            }
            Some(Value::Object(section)) => {
                fields.iter().for_each(|(name, form)| field(section, &pointer, name, *form, &mut found));
                if key == "recovery" {
                    recovery_pointer(section, &mut found);
                }
            }
            Some(other) => found.push(wrong(&pointer, other, "mapping")),
        }
    }
    evidence(members, &mut found);
    for key in ["risks", "source_refs"] {
        field(members, "", key, Form::Texts, &mut found);
    }
    match members.get("metrics") {
        None | Some(Value::Null) => found.push(milder("/metrics", "is missing")),
        Some(Value::Object(_)) => {}
        Some(other) => found.push(wrong("/metrics", other, "mapping")),
    }
    Some(found)
}

fn wrong(pointer: &str, value: &Value, wanted: &str) -> Finding {
    Finding::new(pointer, format!("it is of type {}, not a {wanted}", json::type_name(value)))
}

fn field(members: &Map<String, Value>, parent: &str, key: &str, form: Form, found: &mut Vec<Finding>) {
    let pointer = pointer_push(parent, key);
    match (members.get(key), form) {
        (None | Some(Value::Null), _) => found.push(Finding::new(pointer, "is missing")),
        (Some(Value::String(_)), Form::Word) => {}
        (Some(Value::String(text)), Form::Text) if is_blank(text) => found.push(Finding::new(pointer, "it is blank")),
        (Some(Value::String(_)), Form::Text) => {}
        (Some(Value::Array(items)), Form::Texts) => texts(items, &pointer, found),
        (Some(other), Form::Texts) => found.push(wrong(&pointer, other, "sequence")),
        (Some(other), _) => found.push(wrong(&pointer, other, "text")),
    }
}

fn texts(items: &[Value], pointer: &str, found: &mut Vec<Finding>) {
    for (at, item) in items.iter().enumerate() {
        match item {
            Value::String(text) if !is_blank(text) => {}
            Value::String(_) => found.push(Finding::new(pointer_push(pointer, at), "it is blank")),
            other => found.push(wrong(&pointer_push(pointer, at), other, "text")),
        }
    }
}

fn evidence(members: &Map<String, Value>, found: &mut Vec<Finding>) {
    let items = match members.get("evidence_used") {
        None | Some(Value::Null) => return found.push(Finding::new("/evidence_used", "is missing")),
        Some(Value::Array(items)) => items,
        Some(other) => return found.push(wrong("/evidence_used", other, "sequence")),
    };
    for (at, item) in items.iter().enumerate() {
        let pointer = pointer_push("/evidence_used", at);
        let Value::Object(item) = item else {
            found.push(wrong(&pointer, item, "mapping"));
            continue;
        };
        field(item, &pointer, "ref", Form::Text, found);
        EVIDENCE_WORDS.iter().for_each(|(key, _)| field(item, &pointer, key, Form::Word, found));
    }
}

/// Its absence under `lossy_with_recovery` is EP-106.
fn recovery_pointer(section: &Map<String, Value>, found: &mut Vec<Finding>) {
    let is_demanded = section.get("lossiness").and_then(Value::as_str) == Some(LOSSY_WITH_RECOVERY);
    match section.get("pointer") {
        None if !is_demanded => found.push(milder("/recovery/pointer", "is missing")),
        None | Some(Value::Null) => {}
        Some(Value::String(text)) if is_blank(text) && !is_demanded => found.push(Finding::new("/recovery/pointer", "it is blank")),
        Some(Value::String(_)) => {}
        Some(other) => found.push(wrong("/recovery/pointer", other, "text or null")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::packet::vocabulary::WORDS;

    #[test]
    fn every_word_of_a_vocabulary_is_a_field_of_the_table() {
        for (pointer, _) in WORDS {
            let (section, key) = pointer[1..].split_once('/').expect("a field of a section");
            let fields = SECTIONS.iter().find(|(name, _)| *name == section).expect("a section").1;
            assert!(fields.iter().any(|(name, form)| *name == key && *form == Form::Word), "{pointer}");
        }
    }
}
