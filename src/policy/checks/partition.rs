//! Every skill has one card, and `shown` and `omitted` part the cards between them.

use std::collections::{HashMap, HashSet};

use crate::policy::exchange::{Judged, View};

pub(super) fn check(exchange: &View<'_>) -> Judged {
    let view = exchange.evidence()?;
    let mut findings = Vec::new();
    let mut cards: HashSet<&str> = HashSet::new();
    for card in &view.cards {
        if !cards.insert(card.id) {
            findings.push((card.at("id"), format!("{:?} has a card already", card.id)));
        }
    }
    if let Some(entries) = exchange.entries() {
        for card in view.cards.iter().filter(|card| !entries.contains_key(card.id)) {
            findings.push((card.at("id"), format!("the registry has no {:?}", card.id)));
        }
        let mut missing: Vec<&str> = entries.keys().map(|id| &**id).filter(|id| !cards.contains(id)).collect();
        missing.sort_unstable();
        findings.extend(missing.into_iter().map(|id| ("/cards".into(), format!("no card for {id:?}"))));
    }
    let mut listed: HashMap<&str, &str> = HashMap::new();
    for (list, ids) in [("shown", &view.shown), ("omitted", &view.omitted)] {
        for (at, id) in ids.iter().enumerate() {
            let path = format!("/{list}/{at}");
            if let Some(before) = listed.insert(id, list) {
                findings.push((path, format!("{id:?} stands in {before} already")));
            } else if !cards.contains(id) {
                findings.push((path, format!("{id:?} has no card")));
            }
        }
    }
    for card in view.cards.iter().filter(|card| !listed.contains_key(card.id)) {
        findings.push((card.path.clone(), format!("{:?} is neither in shown nor in omitted", card.id)));
    }
    Some(findings)
}
