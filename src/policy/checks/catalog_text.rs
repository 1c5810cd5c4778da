//! The catalog's text has every card that the evidence says was rendered: its id, and how its texts begin.

use serde_json::Value;

use crate::adapter::{Answer, Operation};
use crate::policy::exchange::{Companion, EvidenceView, Judged, View};

/// So many characters of a text have to be in the catalog to the letter; that it is there whole is a decision.
const BEGINNING: usize = 20;

pub(super) fn check(exchange: &View<'_>) -> Judged {
    // Escaped, numbered or shortened cards can't be declared; who declares a layout renders the texts as they are.
    exchange.profile?;
    let Some(Companion::Twin(twin)) = exchange.companion else { return None };
    let (evidence, catalog) = match exchange.operation {
        Operation::ActivationEvidence => (exchange.answer, twin),
        Operation::ActivationCatalog => (twin, exchange.answer),
        _ => return None,
    };
    let Answer::Result(catalog) = catalog else { return None };
    let text = catalog.get("text").and_then(Value::as_str)?;
    let mut findings = Vec::new();
    for card in EvidenceView::of(evidence)?.cards.iter().filter(|card| card.selected()) {
        for (key, part) in [("id", card.id), ("description", card.text("description")), ("when_to_use", card.text("when_to_use"))] {
            let end = if key == "id" { part.len() } else { part.char_indices().nth(BEGINNING).map_or(part.len(), |(at, _)| at) };
            if !text.contains(&part[..end]) {
                findings.push(("/text".into(), format!("has nothing of the {key} of {:?}, whose card is said to be rendered", card.id)));
            }
        }
    }
    Some(findings)
}
