//! A merged entry's `source` is the label of the layer that won it, whatever the entry said itself.

use serde_json::Value;

use super::merge_winner::merged;
use crate::policy::exchange::{Judged, View};

pub(super) fn check(exchange: &View<'_>) -> Judged {
    let claims = exchange.claims()?;
    let mut findings = Vec::new();
    for (at, entry) in merged(exchange)? {
        let Some(winners) = claims.winners(&entry.id) else { continue };
        if !winners.iter().any(|(label, _)| entry.source == Some(label)) {
            let message = format!("is {}; the layer {} won {:?}", Value::from(entry.source), winners[0].0, entry.id);
            findings.push((format!("/registry/skills/{at}/source"), message));
        }
    }
    Some(findings)
}
