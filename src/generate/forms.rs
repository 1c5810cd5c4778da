//! One packet in each of the forms that a packet comes in.

use serde_json::{Map, Value};

use super::dice::Dice;
use super::packets::TRAPS;
use super::write::flow;
use crate::contract::packet::to_yaml;

/// A document, and its media type.
pub(super) type Document = (String, &'static str);

const JSON: &str = "application/json";
const YAML: &str = "application/yaml";
const MARKDOWN: &str = "text/markdown";

/// How many forms there are.
pub(super) const FORMS: usize = 8;

/// A packet in a form; `None` where that form has no words for it.
pub(super) fn document(dice: &mut Dice, packet: &Value, form: usize) -> Option<Document> {
    Some(match form {
        0 => (shuffled(dice, packet, None), JSON),
        1 => (shuffled(dice, packet, Some(0)), JSON),
        2 => (to_yaml(packet), YAML),
        3 => (blocks(dice, packet)?, YAML),
        4 => (format!("---\n{}---\n\n# {}\n\n{}\n", to_yaml(packet), dice.sentence(3), dice.sentence(9)), MARKDOWN),
        5 => {
            let fence = dice.pick(&["yaml", "yml"]);
            (
                format!("# {}\n\n{}\n\n```{fence}\n{}```\n\n{}\n", dice.sentence(2), dice.sentence(8), to_yaml(packet), dice.sentence(5)),
                MARKDOWN,
            )
        }
        6 => (format!("{}\n\n```json\n{}\n```\n", dice.sentence(6), shuffled(dice, packet, Some(0))), MARKDOWN),
        _ => (headed(dice, packet)?, MARKDOWN),
    })
}

/// JSON with its keys in any order, on one line or indented.
fn shuffled(dice: &mut Dice, value: &Value, indent: Option<usize>) -> String {
    let (line, end) = match indent {
        Some(depth) => (format!("\n{}", "  ".repeat(depth + 1)), format!("\n{}", "  ".repeat(depth))),
        None => (String::new(), String::new()),
    };
    let inner = indent.map(|depth| depth + 1);
    match value {
        Value::Object(members) if !members.is_empty() => {
            let mut keys: Vec<&String> = members.keys().collect();
            dice.shuffle(&mut keys);
            let members: Vec<String> = keys
                .iter()
                .map(|key| format!("{line}{}: {}", flow(&Value::from(key.as_str())), shuffled(dice, &members[*key], inner)))
                .collect();
            format!("{{{}{end}}}", members.join(","))
        }
        Value::Array(items) if !items.is_empty() => {
            let items: Vec<String> = items.iter().map(|item| format!("{line}{}", shuffled(dice, item, inner))).collect();
            format!("[{}{end}]", items.join(","))
        }
        scalar => flow(scalar),
    }
}

/// YAML as a person writes it: sections as blocks, what is small in flow style, texts in quotes, and comments here and there.
fn blocks(dice: &mut Dice, packet: &Value) -> Option<String> {
    let mut text = String::new();
    for (key, value) in packet.as_object()? {
        if dice.chance(15) {
            text.push_str(&format!("# {}\n", dice.sentence(4)));
        }
        match value {
            Value::Object(members) if !members.is_empty() && dice.chance(75) => {
                text.push_str(&format!("{key}:\n"));
                for (key, member) in members {
                    text.push_str(&format!("  {key}: {}\n", scalar(dice, member)));
                }
            }
            Value::Array(items) if !items.is_empty() && dice.chance(75) => {
                text.push_str(&format!("{key}:\n"));
                for item in items {
                    text.push_str(&format!("  - {}\n", scalar(dice, item)));
                }
            }
            value => text.push_str(&format!("{key}: {}\n", flow(value))),
        }
    }
    Some(text)
}

/// A value on one line: words of ASCII may stand without quotes, where nothing takes them for something else.
fn scalar(dice: &mut Dice, value: &Value) -> String {
    let is_plain = |text: &str| {
        text.contains([' ', '-', '/'])
            && text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.ends_with(|c: char| c.is_ascii_alphanumeric())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '/' | '.' | '_'))
    };
    match value.as_str().filter(|text| is_plain(text) || TRAPS.contains(text)) {
        Some(text) if TRAPS.contains(&text) || dice.chance(60) => text.to_owned(),
        _ => flow(value),
    }
}

const PREAMBLE: [&str; 3] = ["version", "observation_id", "work_slice_id"];
const MAPPINGS: [(&str, &str); 5] =
    [("Skill", "skill"), ("Result", "result"), ("Handoff", "handoff"), ("Recovery", "recovery"), ("Metrics", "metrics")];
const LISTS: [(&str, &str); 3] = [("Evidence used", "evidence_used"), ("Risks", "risks"), ("Source refs", "source_refs")];

/// A packet below headings. Keys of no heading, and sections of another type than theirs, have no place there.
fn headed(dice: &mut Dice, packet: &Value) -> Option<String> {
    let members = packet.as_object()?;
    let headings = || MAPPINGS.iter().chain(&LISTS);
    if members.keys().any(|key| !PREAMBLE.contains(&key.as_str()) && headings().all(|(_, known)| known != key)) {
        return None;
    }
    let mut text = format!("# {}\n\n", dice.sentence(3));
    for key in PREAMBLE.iter().filter(|key| members.contains_key(**key)) {
        text.push_str(&format!("- {key}: {}\n", flow(&members[*key])));
    }
    let mut sections: Vec<&(&str, &str)> = headings().filter(|(_, key)| members.contains_key(*key)).collect();
    dice.shuffle(&mut sections);
    for (heading, key) in sections {
        text.push_str(&format!("\n## {heading}\n"));
        if dice.chance(25) {
            text.push_str(&format!("\n{}.\n\n", dice.sentence(6)));
        }
        match &members[*key] {
            Value::Object(fields) if is_mapping(key) && !fields.is_empty() => fields_below(&mut text, dice, fields),
            // An empty section counts as missing.
            Value::Array(items) if !is_mapping(key) && items.is_empty() => text.push_str("[]\n"),
            Value::Array(items) if !is_mapping(key) => {
                items.iter().for_each(|item| text.push_str(&format!("- {}\n", flow(item))));
            }
            _ => return None,
        }
    }
    Some(text)
}

fn is_mapping(key: &str) -> bool {
    MAPPINGS.iter().any(|(_, known)| *known == key)
}

fn fields_below(text: &mut String, dice: &mut Dice, fields: &Map<String, Value>) {
    for (key, value) in fields {
        match value.as_object().filter(|inner| !inner.is_empty() && dice.chance(50)) {
            Some(inner) => {
                text.push_str(&format!("- {key}:\n"));
                inner.iter().for_each(|(key, value)| text.push_str(&format!("    {key}: {}\n", flow(value))));
            }
            None => text.push_str(&format!("- {key}: {}\n", flow(value))),
        }
    }
}
