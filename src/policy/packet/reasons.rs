//! EP-115: what is unknown or unavailable says why.

use super::Subject;
use crate::policy::receipt::Finding;

/// What says nothing beside the word itself.
const FILLERS: [&str; 12] = ["outcome", "result", "signal", "handoff", "is", "the", "was", "status", "a", "an", "it", "n"];

pub(super) fn check(subject: &Subject<'_>) -> Option<Vec<Finding>> {
    let mut found = Vec::new();
    for (word, text) in [("/result/outcome", "/result/compact_summary"), ("/handoff/signal", "/handoff/reason")] {
        let Some(word @ ("unknown" | "unavailable")) = subject.text(word) else { continue };
        let Some(reason) = subject.text(text).filter(|reason| !reason.trim().is_empty()) else { continue };
        let folded = reason.to_lowercase();
        let mut words = folded.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
        if words.all(|part| part == word || FILLERS.contains(&part)) {
            found.push(Finding::new(text, format!("it only repeats that it is {word}, and does not say why")));
        }
    }
    Some(found)
}
