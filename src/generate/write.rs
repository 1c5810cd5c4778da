//! Case files as text, in the words of the case language: a block for what people read, flow for what is large.

use std::fmt::Write as _;

use serde_json::Value;

/// A case without its number.
pub(super) struct Asked {
    /// The behaviour in one sentence.
    pub(super) title: String,
    /// `text`, `declared` or `protocol`: nothing that is generated rests on less.
    pub(super) basis: &'static str,
    /// A requirement of the suite.
    pub(super) clause: &'static str,
    pub(super) given: Value,
    pub(super) expect: Value,
}

/// The operation's name as an id has it.
pub(super) fn id_part(operation: &str) -> String {
    operation.replace(['.', '_'], "-")
}

/// The text of one file: the cases of one operation.
pub(super) fn file(contract: &str, version: &Value, since: &str, operation: &str, cases: &[Asked]) -> Vec<u8> {
    let mut text = format!("contract: {contract}\nversion: {}\ncases:\n", flow(version));
    for (at, case) in cases.iter().enumerate() {
        let _ = write!(
            text,
            "  - id: generated.{}.{}\n    title: {}\n    level: must\n    basis: {}\n    since: {since}\n    clause: {}\n    operation: {operation}\n",
            id_part(operation),
            at + 1,
            flow(&Value::from(case.title.as_str())),
            case.basis,
            flow(&Value::from(case.clause)),
        );
        block(&mut text, "given", &case.given, 4, 2);
        block(&mut text, "expect", &case.expect, 4, 2);
    }
    text.into_bytes()
}

/// A member as a block, so many levels deep.
fn block(text: &mut String, key: &str, value: &Value, indent: usize, levels: usize) {
    // Short words may be taken for something else than a text.
    let is_plain = key.len() > 1 && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let key = if is_plain { key.to_owned() } else { flow(&Value::from(key)) };
    let _ = write!(text, "{:indent$}{key}:", "");
    match value.as_object().filter(|members| levels > 0 && !members.is_empty()) {
        Some(members) => {
            text.push('\n');
            for (key, member) in members {
                block(text, key, member, indent + 2, levels - 1);
            }
        }
        None => {
            text.push(' ');
            text.push_str(&flow(value));
            text.push('\n');
        }
    }
}

/// JSON with a blank behind each colon and comma, which every reader of YAML takes; what YAML would take for a line break, or would not
/// take at all, is escaped.
pub(super) fn flow(value: &Value) -> String {
    match value {
        Value::String(text) => {
            let mut out = String::with_capacity(text.len() + 2);
            out.push('"');
            for c in text.chars() {
                match c {
                    '"' => out.push_str("\\\""),
                    '\\' => out.push_str("\\\\"),
                    '\n' => out.push_str("\\n"),
                    '\t' => out.push_str("\\t"),
                    '\r' => out.push_str("\\r"),
                    c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                        let _ = write!(out, "\\u{:04x}", u32::from(c));
                    }
                    c => out.push(c),
                }
            }
            out.push('"');
            out
        }
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(key, member)| format!("{}: {}", flow(&Value::from(key.as_str())), flow(member))).collect();
            format!("{{{}}}", members.join(", "))
        }
        scalar => scalar.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_written_is_read_again_as_yaml_and_as_json() {
        let value = json!({
            "a": ["x\n\ty", "\"\\", "\u{85}\u{2028}\u{feff}\u{7f}", "no", "~", "- a", "a: b #c", "é e\u{301} 技 🚀"],
            "": {"k: v": null, "1": 1.5, "-": -3, "true": true}, "e": {}, "l": [], "n": 9_007_199_254_740_991_u64
        });
        assert_eq!(crate::yaml::parse(&flow(&value)).expect("YAML").value, value);
        assert_eq!(crate::json::parse(&flow(&value)).expect("JSON"), value);
        let mut text = String::new();
        block(&mut text, "given", &value, 2, 2);
        assert_eq!(crate::yaml::parse(&text).expect("YAML").value["given"], value);
    }
}
