//! Views and projections of packets: verbatim parts, and the names of what is missing.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::contract::packet::{EVIDENCE_FIELDS, FIELDS, SOURCE_REFS, has_field, shown_at};
use crate::contract::refusal::Category;
use crate::json;

/// What a guided view shows, each depth adds to.
const ADDED: [(&str, &[&str]); 3] = [
    ("guided", &["/observation_id", "/work_slice_id", "/result/outcome", "/result/compact_summary", "/handoff/signal", "/handoff/reason"]),
    ("practitioner", &["/evidence_used", "/risks", "/source_refs", "/recovery/sensitivity"]),
    (
        "engineer",
        &[
            "/version",
            "/skill/id",
            "/skill/mode",
            "/skill/execution_profile",
            "/skill/modules_used",
            "/result/observation_class",
            "/recovery/lossiness",
            "/recovery/pointer",
            "/metrics",
        ],
    ),
];

/// The view of a packet at a depth, `{depth, packet, missing}`, and the same for people, as Markdown.
///
/// # Errors
/// `invalid_packet` where it is no mapping, `unknown_depth` where there is no such depth.
pub fn render(packet: &Value, depth: &Value) -> Result<(Value, String), Category> {
    if !packet.is_object() {
        return Err(Category::InvalidPacket);
    }
    let depth = depth.as_str().ok_or(Category::UnknownDepth)?;
    let wanted = shown_at(depth).ok_or(Category::UnknownDepth)?;
    let last = ADDED.iter().position(|(name, _)| *name == depth).ok_or(Category::UnknownDepth)?;
    let mut view = Map::new();
    for pointer in ADDED[..=last].iter().flat_map(|(_, pointers)| *pointers) {
        copy(packet, pointer, &mut view);
    }
    let missing: Vec<&str> = wanted.iter().copied().filter(|pointer| !has_field(packet, pointer)).collect();
    // A section that is no mapping has no fields, and may say all the same that something failed: it is shown as it is.
    for section in ["result", "handoff"] {
        if let Some(value) = packet.get(section).filter(|value| !value.is_object() && !value.is_null()) {
            view.insert(section.to_owned(), value.clone());
        }
    }
    let view = json!({"depth": depth, "packet": view, "missing": missing});
    let text = markdown(&view);
    Ok((view, text))
}

/// The read-only projection of a packet, `{read_only, packet, missing}`: each known field that is there, and nothing else.
///
/// # Errors
/// `invalid_packet` where it is no mapping.
pub fn project(packet: &Value) -> Result<Value, Category> {
    if !packet.is_object() {
        return Err(Category::InvalidPacket);
    }
    let mut projected = Map::new();
    let mut missing = Vec::new();
    for pointer in FIELDS.into_iter().chain([SOURCE_REFS]) {
        if has_field(packet, pointer) {
            copy(packet, pointer, &mut projected);
        } else {
            missing.push(pointer);
        }
    }
    missing.sort_unstable();
    // Of an item of evidence the contract knows three fields.
    for item in projected.get_mut("evidence_used").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Value::Object(members) = item {
            members.retain(|key, _| EVIDENCE_FIELDS.contains(&key.as_str()));
        }
    }
    Ok(json!({"read_only": true, "packet": projected, "missing": missing}))
}

/// Copies a field, where it is there, with the mappings around it.
fn copy(packet: &Value, pointer: &str, into: &mut Map<String, Value>) {
    if !has_field(packet, pointer) {
        return;
    }
    let Some(value) = packet.pointer(pointer) else { return };
    match pointer[1..].split_once('/') {
        Some((section, key)) => {
            let section = into.entry(section).or_insert_with(|| json!({}));
            section[key] = value.clone();
        }
        None => drop(into.insert(pointer[1..].to_owned(), value.clone())),
    }
}

/// A view for people. What weighs most comes first: the outcome and the signal.
fn markdown(view: &Value) -> String {
    let mut text = format!("# Evidence return ({})\n", view["depth"].as_str().unwrap_or_default());
    let packet = &view["packet"];
    for (name, pointer) in [
        ("Outcome", "/result/outcome"),
        ("Signal", "/handoff/signal"),
        ("Reason", "/handoff/reason"),
        ("Summary", "/result/compact_summary"),
    ] {
        if let Some(value) = packet.pointer(pointer) {
            let _ = write!(text, "\n- **{name}**: {}", line(value));
        }
    }
    for section in ["result", "handoff"] {
        if let Some(value) = packet.get(section).filter(|value| !value.is_object()) {
            let _ = write!(text, "\n- **{section}** is of type {}, not a mapping: {}", json::type_name(value), line(value));
        }
    }
    text.push('\n');
    for (key, value) in packet.as_object().into_iter().flatten().filter(|(key, _)| !["result", "handoff"].contains(&key.as_str())) {
        match value {
            Value::Array(items) => {
                let _ = writeln!(text, "\n## {key}");
                for item in items {
                    let _ = writeln!(text, "- {}", line(item));
                }
            }
            Value::Object(members) => {
                let _ = writeln!(text, "\n## {key}");
                for (name, member) in members {
                    let _ = writeln!(text, "- {}: {}", line(&Value::from(name.as_str())), line(member));
                }
            }
            scalar => {
                let _ = writeln!(text, "\n{key}: {}", line(scalar));
            }
        }
    }
    let missing: Vec<&str> = view["missing"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !missing.is_empty() {
        let _ = write!(text, "\nMissing: {}\n", missing.join(", "));
    }
    text
}

/// A value on one line, which no text of a packet can leave or mark up.
fn line(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    };
    // All of ASCII's signs that can begin or end markup anywhere, and at the head of a line what begins a list, a rule or a fence.
    let mut out = String::with_capacity(text.len() + 8);
    for (at, c) in text.char_indices() {
        let head = &text[..at];
        let is_mark = "\\*_`[]<>#|!~&$^".contains(c)
            || (matches!(c, '-' | '+' | '=' | ':') && head.is_empty())
            || (matches!(c, '.' | ')') && !head.is_empty() && head.bytes().all(|byte| byte.is_ascii_digit()));
        if is_mark {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_that_is_no_mapping_is_shown_as_it_is() {
        for (packet, sign) in [
            (json!({"result": "failed", "handoff": {"signal": "stop"}}), "failed"),
            (json!({"result": {"outcome": "failed"}, "handoff": [{"signal": "escalate"}]}), "escalate"),
            (json!({"result": {"outcome": "failed"}, "handoff": 7}), "of type integer"),
        ] {
            for depth in ["guided", "practitioner", "engineer"] {
                let (view, text) = render(&packet, &json!(depth)).expect("a packet at a depth");
                for section in ["result", "handoff"].into_iter().filter(|section| !packet[*section].is_object()) {
                    assert_eq!(view["packet"][section], packet[section], "{depth}");
                }
                assert!(text.contains(sign), "{sign} is not in:\n{text}");
            }
        }
        let (view, text) = render(&json!({"result": null}), &json!("guided")).expect("a packet at a depth");
        assert_eq!((view["packet"].get("result"), text.contains("mapping")), (None, false), "a section of null has nothing");
    }
}
