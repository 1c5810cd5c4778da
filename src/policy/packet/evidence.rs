//! EP-112: the packet names what it rests on.

use super::Subject;
use super::milder;
use crate::policy::receipt::Finding;

pub(super) fn check(subject: &Subject<'_>) -> Option<Vec<Finding>> {
    let is_empty = |pointer: &str| subject.at(pointer).as_array().is_some_and(Vec::is_empty);
    let mut found = Vec::new();
    if is_empty("/source_refs") {
        found.push(Finding::new("/source_refs", "no source is named"));
    }
    let has_nothing_to_show = matches!(subject.text("/result/outcome"), Some("failed" | "unknown" | "unavailable"));
    if is_empty("/evidence_used") && !has_nothing_to_show {
        found.push(milder("/evidence_used", "no evidence is named"));
    }
    Some(found)
}
