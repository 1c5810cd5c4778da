//! Who takes part and what fits (page 10, section 4): the one decision that catalog and evidence share.

use std::collections::HashSet;

use serde_json::Value;

use super::options::Options;
use crate::contract::activation::{Entry, OmittedReason, registry_skills};
use crate::contract::refusal::Category;
use crate::contract::rendering::{BelowFloor, Empty, Fit, Order, RenderingProfile};

/// A skill of the registry with what was decided about it.
pub(super) struct Seat<'a> {
    pub(super) entry: Entry<'a>,
    pub(super) length: u64,
    pub(super) omitted: Option<OmittedReason>,
    pub(super) selected: bool,
}

/// The decision for one registry, budget and profile.
pub(super) struct Plan<'a> {
    /// Every skill, in card order.
    pub(super) seats: Vec<Seat<'a>>,
    /// Length of the rendered catalog.
    pub(super) used: u64,
    /// Cards dropped for budget.
    pub(super) dropped: u64,
    pub(super) frame: Frame,
}

/// What is rendered around the cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    /// No text at all.
    Nothing,
    /// Header and footer, no omission line.
    Plain,
    /// Header, footer and the omission line.
    WithSuffix,
}

/// The registry's entries, one for each id (the first one given), in card order.
pub(super) fn entries<'a>(registry: &'a Value, order: Order) -> Result<Vec<Entry<'a>>, Category> {
    let skills = registry_skills(registry).ok_or(Category::InvalidRegistry)?;
    let mut entries: Vec<Entry<'a>> = skills.iter().filter_map(Entry::read).collect();
    match order {
        // Of two entries of one id the first one given stays first.
        Order::Id => {
            entries = sorted_by_id(entries);
            entries.dedup_by(|later, earlier| later.id == earlier.id);
        }
        Order::IdUtf16 => {
            entries.sort_by(|a, b| a.id.encode_utf16().cmp(b.id.encode_utf16()));
            entries.dedup_by(|later, earlier| later.id == earlier.id);
        }
        Order::Registry => {
            let mut seen = HashSet::new();
            entries.retain(|entry| seen.insert(entry.id.clone()));
        }
    }
    Ok(entries)
}

/// Entries by their ids' raw bytes, equal ids in the order given.
///
/// Entries are large and lie apart: comparing the first sixteen bytes of the ids side by side, and moving each entry once, keeps a million
/// of them out of the memory's way.
fn sorted_by_id(entries: Vec<Entry<'_>>) -> Vec<Entry<'_>> {
    let head = |id: &str| {
        let mut bytes = [0; 16];
        let length = id.len().min(16);
        bytes[..length].copy_from_slice(&id.as_bytes()[..length]);
        u128::from_be_bytes(bytes)
    };
    let mut keys: Vec<(u128, usize)> = entries.iter().enumerate().map(|(at, entry)| (head(&entry.id), at)).collect();
    keys.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| entries[a.1].id.cmp(&entries[b.1].id)).then(a.1.cmp(&b.1)));
    let mut entries: Vec<Option<Entry<'_>>> = entries.into_iter().map(Some).collect();
    keys.into_iter().filter_map(|(_, at)| entries[at].take()).collect()
}

/// Decides what is shown.
pub(super) fn plan<'a>(registry: &'a Value, options: &Options<'_>, profile: &RenderingProfile) -> Result<Plan<'a>, Category> {
    let mut left = options.catalog_limit.unwrap_or(u64::MAX);
    let mut seats: Vec<Seat<'a>> = entries(registry, profile.order)?
        .into_iter()
        .map(|entry| {
            let length = profile.card_length(&entry.id, entry.card_text(), entry.when_to_use);
            let omitted = if entry.disabled.is_on() {
                Some(OmittedReason::DisableModelInvocation)
            } else if !options.catalog_rendered {
                None
            } else if left == 0 {
                Some(OmittedReason::CatalogLimit)
            } else {
                left -= 1;
                None
            };
            Seat { entry, length, omitted, selected: false }
        })
        .collect();

    let floor = profile.floor();
    let effective = match profile.below_floor {
        BelowFloor::Raise => options.budget.max(floor),
        BelowFloor::Header | BelowFloor::Nothing => options.budget,
    };
    let mut plan = Plan { seats: Vec::new(), used: 0, dropped: 0, frame: Frame::Nothing };
    if options.catalog_rendered {
        let candidates: Vec<usize> = (0..seats.len()).filter(|at| seats[*at].omitted.is_none()).collect();
        let lengths: Vec<u64> = candidates.iter().map(|at| seats[*at].length).collect();
        let fitted = fit(&lengths, effective, profile);
        for (at, taken) in candidates.iter().zip(&fitted.taken) {
            seats[*at].selected = *taken;
            if !taken {
                seats[*at].omitted = Some(OmittedReason::Budget);
            }
        }
        plan.used = fitted.used;
        plan.dropped = fitted.dropped;
        plan.frame = fitted.frame;
    }
    plan.seats = seats;
    Ok(plan)
}

/// What fits of cards of these lengths.
pub(super) struct Fitted {
    pub(super) taken: Vec<bool>,
    pub(super) used: u64,
    pub(super) dropped: u64,
    pub(super) frame: Frame,
}

/// Fits cards of these lengths, in order, into an effective budget.
pub(super) fn fit(lengths: &[u64], effective: u64, profile: &RenderingProfile) -> Fitted {
    let bare = profile.header + profile.footer;
    let nothing_taken = |used: u64, frame: Frame| Fitted { taken: vec![false; lengths.len()], used, dropped: lengths.len() as u64, frame };
    if lengths.is_empty() {
        return match profile.empty {
            Empty::Header => nothing_taken(bare, Frame::Plain),
            Empty::Nothing => nothing_taken(0, Frame::Nothing),
        };
    }
    if effective < profile.floor() {
        return match profile.below_floor {
            BelowFloor::Raise | BelowFloor::Header => nothing_taken(bare, Frame::Plain),
            BelowFloor::Nothing => nothing_taken(0, Frame::Nothing),
        };
    }
    let mut taken = vec![false; lengths.len()];
    let mut used = bare;
    let mut count = 0_u64;
    for (at, length) in lengths.iter().enumerate() {
        let separator = if count == 0 { 0 } else { profile.separator };
        let grown = used.saturating_add(separator).saturating_add(*length);
        if grown <= effective {
            taken[at] = true;
            used = grown;
            count += 1;
        } else if profile.fit == Fit::Prefix {
            break;
        }
    }
    let mut dropped = lengths.len() as u64 - count;
    if dropped == 0 {
        return Fitted { taken, used, dropped, frame: Frame::Plain };
    }
    let Some(suffix) = profile.suffix else { return Fitted { taken, used, dropped, frame: Frame::Plain } };
    // The omission line has to fit too: cards yield to it from the back.
    let mut last = lengths.len();
    while used + suffix.length(dropped) > effective && count > 0 {
        last = taken[..last].iter().rposition(|taken| *taken).unwrap_or(0);
        taken[last] = false;
        count -= 1;
        dropped += 1;
        used -= lengths[last] + if count == 0 { 0 } else { profile.separator };
    }
    if used + suffix.length(dropped) > effective {
        return Fitted { taken, used, dropped, frame: Frame::Plain };
    }
    used += suffix.length(dropped);
    Fitted { taken, used, dropped, frame: Frame::WithSuffix }
}

/// The smallest budget at which exactly `wanted` of the cards that take part are shown; `None` where no budget does that.
///
/// # Errors
/// What the reference refuses the registry or the options for.
pub fn smallest_budget(registry: &Value, options: &Value, profile: &RenderingProfile, wanted: u64) -> Result<Option<u64>, Category> {
    let options = Options::read(options)?;
    let plan = plan(registry, &options, profile)?;
    let lengths: Vec<u64> =
        plan.seats.iter().filter(|seat| seat.selected || seat.omitted == Some(OmittedReason::Budget)).map(|seat| seat.length).collect();
    let shown = |budget: u64| {
        let effective = if profile.below_floor == BelowFloor::Raise { budget.max(profile.floor()) } else { budget };
        lengths.len() as u64 - fit(&lengths, effective, profile).dropped
    };
    if shown(1) == wanted {
        return Ok(Some(1));
    }
    // Only the floor and the exact length of a selection are places where what is shown changes.
    let floor = profile.floor();
    if profile.fit == Fit::Prefix {
        let Ok(count) = usize::try_from(wanted) else { return Ok(None) };
        if count > lengths.len() {
            return Ok(None);
        }
        let separators = profile.separator * wanted.saturating_sub(1);
        let left = lengths.len() as u64 - wanted;
        let suffix = profile.suffix.filter(|_| left > 0).map_or(0, |suffix| suffix.length(left));
        let cards = lengths[..count].iter().fold(0_u64, |sum, length| sum.saturating_add(*length));
        let needed = (profile.header + profile.footer + separators + suffix).saturating_add(cards);
        return Ok(Some(needed.max(floor).max(1)).filter(|budget| shown(*budget) == wanted));
    }
    // Skipping shows fewer cards at some larger budgets, so that nothing but trying finds the first.
    let most = lengths.iter().fold(floor, |sum, length| sum.saturating_add(*length).saturating_add(profile.separator));
    if most.saturating_mul(lengths.len() as u64) > 50_000_000 {
        return Ok(None);
    }
    Ok((floor.max(1)..=most).find(|budget| shown(*budget) == wanted))
}
