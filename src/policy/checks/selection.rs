//! A card is selected exactly when it is in `shown`; one that is not has a reason, one that is has none.

use std::collections::HashSet;

use serde_json::Value;

use crate::policy::exchange::{Judged, View};

pub(super) fn check(exchange: &View<'_>) -> Judged {
    let view = exchange.evidence()?;
    let shown: HashSet<&str> = view.shown.iter().copied().collect();
    let mut findings = Vec::new();
    for card in &view.cards {
        let reason = card.get("omitted_reason");
        if card.selected() != shown.contains(card.id) {
            let message = if card.selected() { "is true, yet the id is not in shown" } else { "is not true, yet the id is in shown" };
            findings.push((card.at("selected"), message.into()));
        }
        match reason {
            Value::Null if !card.selected() && !exchange.without_catalog() && card.text("lifecycle") != "eligible" => {
                findings.push((card.at("omitted_reason"), "is null, yet the card was not rendered".into()));
            }
            Value::Null if !card.selected() && exchange.params.is_some() && !exchange.without_catalog() => {
                findings.push((card.at("omitted_reason"), "is null, yet a catalog was rendered without this card".into()));
            }
            Value::Null => {}
            _ if card.selected() => {
                findings.push((card.at("omitted_reason"), format!("is {reason}, yet the card was rendered")));
            }
            _ => {}
        }
    }
    Some(findings)
}
