//! Under a prefix fit no card is shown behind one that was dropped for budget.

use crate::contract::rendering::Fit;
use crate::policy::exchange::{Judged, View};

pub(super) fn check(exchange: &View<'_>) -> Judged {
    let view = exchange.evidence()?;
    if exchange.profile?.fit != Fit::Prefix || exchange.without_catalog() {
        return None;
    }
    let mut findings = Vec::new();
    if let Some(first) = view.cards.iter().position(|card| card.reason() == Some("budget")) {
        for card in view.cards[first..].iter().filter(|card| card.selected()) {
            let message = format!("is shown, though {:?} before it was dropped for budget", view.cards[first].id);
            findings.push((card.at("selected"), message));
        }
    }
    Some(findings)
}
