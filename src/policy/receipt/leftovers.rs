//! RR-109: no list repeats an item, and no value is what a template left.

use std::collections::HashSet;

use serde_json::Value;

use super::{Finding, language, walk};
use crate::json::{pointer_of, pointer_push};

pub(super) fn check(receipt: &Value) -> Vec<Finding> {
    let mut found = Vec::new();
    walk(receipt, &mut Vec::new(), &mut |path, value| match value {
        Value::String(text) if language::is_placeholder(text) => {
            found.push(Finding::new(pointer_of("", path), "it is a placeholder that a template left"));
        }
        Value::Array(items) => {
            let mut seen = HashSet::new();
            let texts = items.iter().enumerate().filter_map(|(at, item)| Some((at, item.as_str()?)));
            let repeated = texts.filter(|(_, text)| !seen.insert(*text));
            found.extend(repeated.map(|(at, _)| Finding::new(pointer_push(&pointer_of("", path), at), "it stands in this list already")));
        }
        _ => {}
    });
    found
}
