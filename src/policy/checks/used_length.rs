//! `used_chars` is the length of the text that the declared layout renders around the shown cards.

use crate::contract::rendering::{BelowFloor, Empty};
use crate::policy::exchange::{Judged, View};

pub(super) fn check(exchange: &View<'_>) -> Judged {
    if !exchange.options_are_valid() {
        return None;
    }
    let view = exchange.evidence()?;
    let profile = exchange.profile?;
    if exchange.without_catalog() {
        return None;
    }
    let asked = exchange.asked_budget(view);
    let bare = profile.header + profile.footer;
    let shown: Vec<u64> = view.cards.iter().filter(|card| card.selected()).map(|card| card.length()).collect();
    let dropped = view.dropped();
    let below = asked < profile.floor();
    let effective = if profile.below_floor == BelowFloor::Raise { asked.max(profile.floor()) } else { asked };
    let expected = if shown.is_empty() && dropped == 0 {
        if profile.empty == Empty::Header { bare } else { 0 }
    } else if below && profile.below_floor == BelowFloor::Header {
        bare
    } else if below && profile.below_floor == BelowFloor::Nothing {
        0
    } else {
        let separators = profile.separator * (shown.len() as u64).saturating_sub(1);
        let cards = shown.iter().fold(bare + separators, |sum, length| sum.saturating_add(*length));
        let suffix = profile.suffix.filter(|_| dropped > 0).map_or(0, |suffix| suffix.length(dropped));
        // With no card left, a line that does not fit is left out as well.
        if shown.is_empty() && cards + suffix > effective { cards } else { cards.saturating_add(suffix) }
    };
    let finding = || ("/used_chars".into(), format!("is {}; the shown cards under the declared profile take {expected}", view.used));
    Some(if view.used == expected { Vec::new() } else { vec![finding()] })
}
