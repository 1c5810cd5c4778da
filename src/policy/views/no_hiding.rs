//! EP-120: no depth hides a failed outcome or an escalation signal.

use super::Made;
use crate::policy::exchange::View;
use crate::policy::receipt::Finding;

pub(super) fn check(exchange: &View<'_>) -> Option<Vec<Finding>> {
    let made = Made::of(exchange, "view")?;
    let mut found = Vec::new();
    for (pointer, grave, notable) in [
        ("/result/outcome", "failed", &["partial", "unknown", "unavailable"][..]),
        ("/handoff/signal", "escalate", &["stop", "unavailable"][..]),
    ] {
        let Some(word) = made.packet.pointer(pointer).and_then(|value| value.as_str()) else { continue };
        let is_grave = word == grave;
        let is_shown = made.held.pointer(pointer).and_then(|value| value.as_str()) == Some(word);
        if (is_grave || notable.contains(&word)) && !is_shown {
            found.push(Finding { is_milder: !is_grave, ..Finding::new(format!("/view/packet{pointer}"), format!("{word:?} is hidden")) });
        }
    }
    Some(found)
}
