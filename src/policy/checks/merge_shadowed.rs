//! `shadowed` has a row for each layer that lost an id to another, and no row that is not so.

use std::collections::HashSet;

use serde_json::Value;

use crate::policy::exchange::{Judged, View};

pub(super) fn check(exchange: &View<'_>) -> Judged {
    let claims = exchange.claims()?;
    let Some(rows) = exchange.result()?.get("shadowed").and_then(Value::as_array) else {
        return Some(vec![("/shadowed".into(), "is no list".into())]);
    };
    let mut findings = Vec::new();
    let mut lost: HashSet<(&str, &str)> = HashSet::new();
    let mut won: HashSet<(&str, &str)> = HashSet::new();
    for (at, row) in rows.iter().enumerate() {
        let path = format!("/shadowed/{at}");
        let text = |key: &str| row.get(key).and_then(Value::as_str);
        let (Some(id), Some(winner), Some(loser)) = (text("id"), text("winner"), text("loser")) else {
            findings.push((path, "is no row {id, winner, loser} of texts".into()));
            continue;
        };
        let winners = claims.winners(id).unwrap_or_default();
        if !winners.iter().any(|(label, _)| *label == winner) {
            findings.push((path, format!("{winner:?} did not win {id:?}")));
        } else if !claims.labels(id).contains(&loser) {
            findings.push((path, format!("{loser:?} has no entry {id:?}")));
        }
        lost.insert((id, loser));
        won.insert((id, winner));
    }
    for id in claims.ids() {
        let winners = claims.winners(id)?;
        // Within a tier of the page's own order either label may have won; the rows say which.
        let winner = winners.iter().map(|(label, _)| *label).find(|label| won.contains(&(id, label))).unwrap_or(winners[0].0);
        for loser in claims.labels(id).into_iter().filter(|label| *label != winner && !lost.contains(&(id, label))) {
            findings.push(("/shadowed".into(), format!("no row says that {loser:?} lost {id:?} to {winner:?}")));
        }
    }
    Some(findings)
}
