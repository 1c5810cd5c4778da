//! RR-110: a receipt is compact. What replaces a body is small, and is not the body.

use serde_json::Value;

use super::{Finding, walk};
use crate::json::pointer_of;

/// The most bytes of a receipt as compact JSON, in UTF-8.
const MAX_BYTES: usize = 8 * 1024;
/// The most lines of one text.
const MAX_LINES: usize = 20;

pub(super) fn check(receipt: &Value) -> Vec<Finding> {
    let mut found = Vec::new();
    let bytes = receipt.to_string().len();
    if bytes > MAX_BYTES {
        found.push(Finding::new("", format!("it has {bytes} bytes as compact JSON; at most {MAX_BYTES} are compact")));
    }
    walk(receipt, &mut Vec::new(), &mut |path, value| {
        let Value::String(text) = value else { return };
        let lines = text.strip_suffix('\n').unwrap_or(text).split('\n').count();
        if lines > MAX_LINES {
            found.push(Finding::new(pointer_of("", path), format!("it has {lines} lines; a compact field has at most {MAX_LINES}")));
        }
        if has_front_matter(text) {
            found.push(Finding::new(pointer_of("", path), "it holds front matter, as a skill's body does"));
        }
    });
    found
}

fn has_front_matter(text: &str) -> bool {
    let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim_end);
    lines.next() == Some("---") && lines.any(|line| line == "---")
}
