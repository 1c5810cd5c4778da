//! A card shows its entry's texts: the short one where there is one, and when to use it.

use crate::policy::exchange::{Judged, View};

pub(super) fn check(exchange: &View<'_>) -> Judged {
    let view = exchange.evidence()?;
    let entries = exchange.entries()?;
    let mut findings = Vec::new();
    for card in &view.cards {
        let Some(candidates) = entries.get(card.id) else { continue };
        if !candidates.iter().any(|entry| entry.card_text() == card.text("description")) {
            findings.push((card.at("description"), "is not the entry's short text, or its description where that is empty".into()));
        }
        if !candidates.iter().any(|entry| entry.when_to_use == card.text("when_to_use")) {
            findings.push((card.at("when_to_use"), "is not the entry's".into()));
        }
    }
    Some(findings)
}
