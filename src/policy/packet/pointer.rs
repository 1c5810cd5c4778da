//! EP-106 and EP-108: the recovery pointer is there where something was lost, and holds nothing but a pointer.

use super::{Subject, is_blank, milder};
use crate::contract::packet::{LOSSY_WITH_RECOVERY, is_placeholder};
use crate::policy::private;
use crate::policy::receipt::Finding;

const POINTER: &str = "/recovery/pointer";
/// The most characters of a pointer.
const MAX_CHARS: usize = 2_048;

/// EP-106.
pub(super) fn there(subject: &Subject<'_>) -> Option<Vec<Finding>> {
    let pointer = subject.at(POINTER);
    let is_demanded = subject.text("/recovery/lossiness") == Some(LOSSY_WITH_RECOVERY);
    let fault = match pointer.as_str() {
        Some(text) if is_placeholder(text) => "it is a placeholder that a template left",
        Some(text) if is_demanded && is_blank(text) => "it is blank, though what was lost is to be recovered by it",
        None if is_demanded && pointer.is_null() => "is missing, though what was lost is to be recovered by it",
        _ => return Some(Vec::new()),
    };
    Some(vec![Finding::new(POINTER, fault)])
}

/// EP-108. What it embeds is never repeated.
pub(super) fn clean(subject: &Subject<'_>) -> Option<Vec<Finding>> {
    let Some(text) = subject.text(POINTER).filter(|text| !is_placeholder(text)) else { return Some(Vec::new()) };
    Some(musts(text).into_iter().chain(shoulds(text)).collect())
}

/// What no pointer embeds.
pub(super) fn musts(text: &str) -> Vec<Finding> {
    let mut found: Vec<Finding> =
        private::found_in(text).into_iter().map(|what| Finding::new(POINTER, format!("it embeds {what}"))).collect();
    let start = text.trim_start().to_ascii_lowercase();
    if let Some(scheme) = ["data:", "javascript:"].into_iter().find(|scheme| start.starts_with(scheme)) {
        found.push(Finding::new(POINTER, format!("it embeds its content ({scheme})")));
    }
    if text.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']) {
        found.push(Finding::new(POINTER, "it holds a line break"));
    }
    found
}

fn shoulds(text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    if text.trim().contains(char::is_whitespace) {
        found.push(milder(POINTER, "it holds a blank"));
    }
    if text.chars().nth(MAX_CHARS).is_some() {
        found.push(milder(POINTER, format!("it has more than {MAX_CHARS} characters")));
    }
    found
}
