//! A skill that the model may not invoke is never selected, its card says so, and that is its reason.

use serde_json::Value;

use crate::contract::activation::Flag;
use crate::policy::exchange::{Judged, View};

const REASON: &str = "disable_model_invocation";

pub(super) fn check(exchange: &View<'_>) -> Judged {
    let view = exchange.evidence()?;
    let entries = exchange.entries();
    let mut findings = Vec::new();
    for card in &view.cards {
        let says = card.get(REASON) == &Value::Bool(true);
        let disabled = match entries.and_then(|entries| entries.get(card.id)) {
            None => says,
            Some(candidates) => {
                let mut flags = candidates.iter().map(|entry| entry.disabled);
                let first = flags.next()?;
                // Entries of one id that differ, and odd flags, are not compared.
                if first == Flag::Odd || flags.any(|flag| flag.is_on() != first.is_on() || flag == Flag::Odd) {
                    continue;
                }
                first.is_on()
            }
        };
        if says != disabled {
            findings.push((card.at(REASON), format!("is {says}; the entry's is {disabled}")));
        }
        if disabled && card.selected() {
            findings.push((card.at("selected"), "is true, though the model may not invoke this skill".into()));
        }
        if disabled != (card.reason() == Some(REASON)) {
            let message = if disabled { "is not disable_model_invocation" } else { "is disable_model_invocation, yet it is enabled" };
            findings.push((card.at("omitted_reason"), message.into()));
        }
    }
    Some(findings)
}
