//! The lifecycle follows from the options and the selection.

use crate::policy::exchange::{Judged, View};

pub(super) fn check(exchange: &View<'_>) -> Judged {
    if !exchange.options_are_valid() {
        return None;
    }
    let view = exchange.evidence()?;
    let known = exchange.params.is_some();
    let (loaded, used) = (exchange.option_ids("loaded"), exchange.option_ids("used"));
    let mut findings = Vec::new();
    for card in &view.cards {
        let lifecycle = card.text("lifecycle");
        let (in_loaded, in_used) = (loaded.contains(card.id), used.contains(card.id));
        // What a skill is that was used and never loaded, nothing settles.
        if (in_used && !in_loaded) || (!known && matches!(lifecycle, "loaded" | "used")) {
            continue;
        }
        let expected = match (in_used, in_loaded, card.selected(), card.reason()) {
            (true, ..) => "used",
            (_, true, ..) => "loaded",
            (_, _, true, _) => "shown",
            (_, _, false, Some(_)) => "omitted",
            (_, _, false, None) => "eligible",
        };
        if lifecycle != expected {
            findings.push((card.at("lifecycle"), format!("is {}; {expected} follows", card.get("lifecycle"))));
        }
    }
    Some(findings)
}
