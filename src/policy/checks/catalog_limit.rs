//! With a limit of n exactly the first n of the cards that the model may invoke are not trimmed; without one none is.

use crate::contract::activation::Flag;
use crate::json::as_count;
use crate::policy::exchange::{Judged, View};

pub(super) fn check(exchange: &View<'_>) -> Judged {
    if !exchange.options_are_valid() {
        return None;
    }
    let view = exchange.evidence()?;
    let entries = exchange.entries()?;
    let limit = if exchange.without_catalog() { None } else { as_count(exchange.option("catalog_limit")) };
    let mut findings = Vec::new();
    let mut place = 0;
    for card in &view.cards {
        let Some(candidates) = entries.get(card.id) else { continue };
        // Which of two entries wins, and how an odd flag reads, is not judged; nor is then who comes after.
        if limit.is_some() && (candidates.len() > 1 || candidates[0].disabled == Flag::Odd) {
            return None;
        }
        let trimmed = card.reason() == Some("catalog_limit");
        if candidates.iter().all(|entry| entry.disabled.is_on()) {
            if trimmed {
                findings.push((card.at("omitted_reason"), "is catalog_limit, though the model may not invoke this skill at all".into()));
            }
            continue;
        }
        place += 1;
        match limit {
            None if trimmed => {
                findings.push((card.at("omitted_reason"), "is catalog_limit, though no limit was asked for".into()));
            }
            Some(limit) if trimmed != (place > limit) => {
                let message = if trimmed {
                    format!("is catalog_limit, though the card is number {place} of a limit of {limit}")
                } else {
                    format!("is not catalog_limit, though the card is number {place} and the limit is {limit}")
                };
                findings.push((card.at("omitted_reason"), message));
            }
            _ => {}
        }
    }
    Some(findings)
}
