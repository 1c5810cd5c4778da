//! EP-117: no ref is the packet itself: a compact return is no replacement evidence.

use super::Subject;
use crate::contract::packet::folded;
use crate::policy::receipt::Finding;

pub(super) fn check(subject: &Subject<'_>) -> Option<Vec<Finding>> {
    let own = subject.text("/observation_id").map(str::trim).unwrap_or_default();
    let is_self = |text: &str| {
        let text = text.trim();
        (!own.is_empty() && text == own) || text == "#" || matches!(folded(text).as_str(), "self" | "this" | "thispacket")
    };
    let pointer = subject.text("/recovery/pointer").map(|text| ("/recovery/pointer".to_owned(), text));
    let refs = subject.refs().into_iter().chain(pointer).filter(|(_, text)| is_self(text));
    Some(refs.map(|(pointer, _)| Finding::new(pointer, "it leads back to the packet itself")).collect())
}
