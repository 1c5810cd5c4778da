//! Tokens are characters divided by four, rounded up.

use serde_json::Value;

use crate::contract::activation::tokens;
use crate::json::as_count;
use crate::policy::exchange::{Judged, View};

pub(super) fn check(exchange: &View<'_>) -> Judged {
    let view = exchange.evidence()?;
    let payload = exchange.result()?;
    let mut findings = Vec::new();
    let mut compare = |path: String, says: &Value, chars: u64| {
        if as_count(says) != Some(tokens(chars)) {
            findings.push((path, format!("is {says}; {chars} characters are {} tokens", tokens(chars))));
        }
    };
    compare("/budget_tokens".into(), payload.get("budget_tokens")?, view.budget);
    compare("/used_tokens".into(), payload.get("used_tokens")?, view.used);
    for card in &view.cards {
        compare(card.at("token_estimate"), card.get("token_estimate"), card.length());
    }
    Some(findings)
}
