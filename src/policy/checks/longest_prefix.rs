//! What is shown is the longest prefix of the cards that take part which their own estimates allow.

use crate::contract::rendering::{BelowFloor, Fit};
use crate::policy::exchange::{Judged, View};

pub(super) fn check(exchange: &View<'_>) -> Judged {
    if !exchange.options_are_valid() {
        return None;
    }
    let view = exchange.evidence()?;
    let profile = exchange.profile?;
    let asked = exchange.asked_budget(view);
    let raised = profile.below_floor == BelowFloor::Raise;
    if profile.fit != Fit::Prefix || exchange.without_catalog() || (asked < profile.floor() && !raised) {
        return None;
    }
    let effective = asked.max(profile.floor());
    let cards: Vec<_> = view.cards.iter().filter(|card| card.takes_part()).collect();
    let total = cards.len() as u64;
    // The text with the first k cards, and the omission line for the others.
    let mut text = profile.header + profile.footer;
    let mut longest = 0;
    for (at, card) in cards.iter().enumerate() {
        let count = at as u64 + 1;
        text = text.saturating_add(card.length()).saturating_add(if at == 0 { 0 } else { profile.separator });
        let left = total - count;
        let suffix = profile.suffix.filter(|_| left > 0).map_or(0, |suffix| suffix.length(left));
        if text.saturating_add(suffix) <= effective {
            longest = count;
        }
    }
    let shown = cards.iter().filter(|card| card.selected()).count() as u64;
    let findings = if shown == longest {
        Vec::new()
    } else {
        vec![("/shown".into(), format!("{shown} cards; under a budget of {effective} exactly the first {longest} of {total} fit"))]
    };
    Some(findings)
}
