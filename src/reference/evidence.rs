//! `activation.evidence` and `activation.catalog`: two projections of one plan.

use serde_json::Value;

use super::fit::{Frame, Plan, plan};
use super::layout;
use super::options::Options;
use crate::contract::activation::{Card, EVIDENCE_TYPE, Evidence, Lifecycle, SCHEMA_VERSION, tokens};
use crate::contract::refusal::Category;
use crate::contract::rendering::RenderingProfile;

/// The evidence for a registry.
///
/// # Errors
/// [`Category::InvalidRegistry`] or [`Category::InvalidOptions`].
pub fn evidence<'a>(registry: &'a Value, options: &Value, profile: &RenderingProfile) -> Result<Evidence<'a>, Category> {
    let options = Options::read(options)?;
    let Plan { seats, used, .. } = plan(registry, &options, profile)?;
    let (mut shown, mut omitted) = (Vec::new(), Vec::new());
    let mut cards = Vec::with_capacity(seats.len());
    for seat in seats {
        let entry = seat.entry;
        let lifecycle = if options.used.contains(&*entry.id) {
            Lifecycle::Used
        } else if options.loaded.contains(&*entry.id) {
            Lifecycle::Loaded
        } else if seat.selected {
            Lifecycle::Shown
        } else if seat.omitted.is_some() {
            Lifecycle::Omitted
        } else {
            Lifecycle::Eligible
        };
        if seat.selected { &mut shown } else { &mut omitted }.push(entry.id.clone());
        cards.push(Card {
            name: entry.name,
            source: entry.source,
            description: entry.card_text(),
            when_to_use: entry.when_to_use,
            disable_model_invocation: entry.disabled.is_on(),
            selected: seat.selected,
            omitted_reason: seat.omitted,
            char_estimate: seat.length,
            token_estimate: tokens(seat.length),
            lifecycle,
            matched: entry.matched(),
            id: entry.id,
        });
    }
    Ok(Evidence {
        kind: EVIDENCE_TYPE,
        schema_version: SCHEMA_VERSION,
        // Below the floor the budget that was asked for and the raised one both stand; a shipping implementation says the former.
        budget_chars: options.budget,
        used_chars: used,
        budget_tokens: tokens(options.budget),
        used_tokens: tokens(used),
        shown,
        omitted,
        cards,
    })
}

/// The catalog's text and the ids of the cards in it.
///
/// # Errors
/// As [`evidence`].
pub fn catalog(registry: &Value, options: &Value, profile: &RenderingProfile) -> Result<(String, Vec<String>), Category> {
    let options = Options::read(options)?;
    let plan = plan(registry, &options, profile)?;
    let mut shown = Vec::new();
    let mut text = String::new();
    if plan.frame != Frame::Nothing {
        text.push_str(&layout::header(profile));
        let separator = layout::separator(profile);
        for seat in plan.seats.iter().filter(|seat| seat.selected) {
            if !shown.is_empty() {
                text.push_str(&separator);
            }
            text.push_str(&layout::card(profile, &seat.entry.id, seat.entry.card_text(), seat.entry.when_to_use));
            shown.push(seat.entry.id.clone().into_owned());
        }
        text.push_str(&layout::footer(profile));
        if plan.frame == Frame::WithSuffix {
            text.push_str(&layout::suffix(profile, plan.dropped));
        }
    }
    Ok((text, shown))
}
