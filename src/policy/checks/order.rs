//! Cards, shown and omitted stand in the declared order.

use std::collections::HashMap;

use crate::contract::activation::{Entry, registry_skills};
use crate::contract::rendering::Order;
use crate::policy::exchange::{Judged, View};

pub(super) fn check(exchange: &View<'_>) -> Judged {
    let view = exchange.evidence()?;
    let order = exchange.profile?.order;
    let mut places: HashMap<String, usize> = HashMap::new();
    if order == Order::Registry {
        for (at, entry) in registry_skills(exchange.param("registry"))?.iter().filter_map(Entry::read).enumerate() {
            // Which of two entries wins is not judged, and so neither is the place.
            if places.insert(entry.id.into_owned(), at).is_some() {
                return None;
            }
        }
    }
    let in_order = |a: &str, b: &str| match order {
        Order::Id => a <= b,
        Order::IdUtf16 => a.encode_utf16().le(b.encode_utf16()),
        Order::Registry => places.get(a) <= places.get(b),
    };
    let cards: Vec<&str> = view.cards.iter().map(|card| card.id).collect();
    let mut findings = Vec::new();
    for (list, ids) in [("cards", &cards), ("shown", &view.shown), ("omitted", &view.omitted)] {
        for (at, pair) in ids.windows(2).enumerate() {
            if !in_order(pair[0], pair[1]) {
                findings.push((format!("/{list}/{}", at + 1), format!("{:?} stands behind {:?}", pair[1], pair[0])));
            }
        }
    }
    Some(findings)
}
