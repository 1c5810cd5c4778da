//! `char_estimate` is the length of the card as the declared layout renders its own texts.

use crate::policy::exchange::{Judged, View};

pub(super) fn check(exchange: &View<'_>) -> Judged {
    let view = exchange.evidence()?;
    let profile = exchange.profile?;
    let findings = view.cards.iter().filter_map(|card| {
        let length = profile.card_length(card.id, card.text("description"), card.text("when_to_use"));
        (card.length() != length).then(|| {
            let message = format!("is {}; the card's texts take {length} under the declared profile", card.get("char_estimate"));
            (card.at("char_estimate"), message)
        })
    });
    Some(findings.collect())
}
