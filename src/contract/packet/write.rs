//! Writing a packet, so that what reads it finds the same.

use serde_json::Value;

use crate::yaml;

/// A packet as a YAML document.
#[must_use]
pub fn to_yaml(packet: &Value) -> String {
    yaml::write(packet)
}

/// A packet as structured Markdown: a title, and one fenced block.
#[must_use]
pub fn to_markdown(packet: &Value) -> String {
    let body = to_yaml(packet);
    // A fence is longer than any run of its sign inside.
    let longest = body.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("# Evidence return\n\n{fence}yaml\n{body}{fence}\n")
}
