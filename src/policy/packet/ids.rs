//! EP-102: ids are stable: no blank, no placeholder, no white space.

use super::{Subject, is_blank};
use crate::contract::packet::is_placeholder;
use crate::policy::receipt::Finding;

pub(super) fn check(subject: &Subject<'_>) -> Option<Vec<Finding>> {
    let found = ["/observation_id", "/work_slice_id", "/skill/id"].into_iter().filter_map(|pointer| {
        let text = subject.text(pointer)?;
        let fault = if is_blank(text) {
            "it is blank"
        } else if is_placeholder(text) {
            "it is a placeholder that a template left"
        } else if text.contains(char::is_whitespace) {
            "it holds white space; a stable id has none"
        } else {
            return None;
        };
        Some(Finding::new(pointer, fault))
    });
    Some(found.collect())
}
