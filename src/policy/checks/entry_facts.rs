//! A card's name, source and matched are its entry's.

use serde_json::Value;

use crate::contract::activation::{Entry, Matched};
use crate::json;
use crate::policy::exchange::{CardView, Judged, View};

pub(super) fn check(exchange: &View<'_>) -> Judged {
    let view = exchange.evidence()?;
    let entries = exchange.entries()?;
    let mut findings = Vec::new();
    for card in &view.cards {
        let Some(candidates) = entries.get(card.id) else { continue };
        let mut compare = |key: &str, holds: &dyn Fn(&Entry<'_>) -> bool, expected: &dyn Fn(&Entry<'_>) -> String| {
            if !candidates.iter().any(holds) {
                findings.push((card.at(key), format!("is {}; the entry has {}", card.get(key), expected(&candidates[0]))));
            }
        };
        compare("name", &|entry| card.text("name") == entry.name, &|entry| Value::from(entry.name).to_string());
        compare("source", &|entry| source(card) == entry.source, &|entry| Value::from(entry.source).to_string());
        compare("matched", &|entry| same_match(card.get("matched"), entry.matched()), &|entry| match entry.matched() {
            None => "none".to_owned(),
            Some(matched) => format!("score {} and reason {:?}", matched.score, matched.reason),
        });
    }
    Some(findings)
}

/// An empty label breaks another rule (AE-115); here it says the same as none.
fn source<'a>(card: &CardView<'a>) -> Option<&'a str> {
    card.get("source").as_str().filter(|label| !label.is_empty())
}

fn same_match(value: &Value, expected: Option<Matched<'_>>) -> bool {
    let Some(expected) = expected else { return value.is_null() };
    let score = value.get("score").is_some_and(|score| json::equal(score, &expected.score));
    score && value.get("reason").and_then(Value::as_str) == Some(expected.reason)
}
