//! A fit that shares nothing with the reference: it renders every choice and measures the text.

use proofmark::adapter::Operation;
use proofmark::contract::rendering::{BelowFloor, CardCost, Empty, Fit, Order, RenderingProfile, Suffix, Unit};
use proofmark::json;
use proofmark::reference::smallest_budget;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::generate::*;
use crate::{ask, config};

/// The length of a catalog that is really put together, of blocks of these lengths.
fn rendered(profile: &RenderingProfile, blocks: &[u64], dropped: usize) -> usize {
    let run = |length: u64| "x".repeat(usize::try_from(length).unwrap());
    let blocks: Vec<String> = blocks.iter().map(|length| run(*length)).collect();
    let line = match profile.suffix {
        Some(suffix) if dropped > 0 => run(suffix.base) + if suffix.plus_digits { dropped.to_string() } else { String::new() }.as_str(),
        _ => String::new(),
    };
    (run(profile.header) + &blocks.join(&run(profile.separator)) + &run(profile.footer) + &line).len()
}

/// Which of the cards fit, and how long the text is, by rendering every choice.
fn fit_by_rendering(profile: &RenderingProfile, lengths: &[u64], budget: u64) -> (Vec<usize>, usize) {
    let total = lengths.len();
    let length = |taken: &[usize], dropped: usize| rendered(profile, &taken.iter().map(|at| lengths[*at]).collect::<Vec<_>>(), dropped);
    let bare = length(&[], 0);
    if total == 0 {
        return (Vec::new(), if profile.empty == Empty::Header { bare } else { 0 });
    }
    let floor = length(&[], 1) as u64;
    let budget = match profile.below_floor {
        BelowFloor::Raise => budget.max(floor),
        BelowFloor::Header if budget < floor => return (Vec::new(), bare),
        BelowFloor::Nothing if budget < floor => return (Vec::new(), 0),
        _ => budget,
    };
    let fits = |taken: &[usize], dropped: usize| length(taken, dropped) as u64 <= budget;
    if profile.fit == Fit::Prefix {
        let prefixes = (0..=total).rev().map(|count| (0..count).collect::<Vec<_>>());
        return match { prefixes }.find(|taken| fits(taken, total - taken.len())) {
            Some(taken) => (taken.clone(), length(&taken, total - taken.len())),
            None => (Vec::new(), bare),
        };
    }
    let mut taken = Vec::new();
    for at in 0..total {
        taken.push(at);
        if !fits(&taken, 0) {
            taken.pop();
        }
    }
    while !fits(&taken, total - taken.len()) {
        if taken.pop().is_none() {
            return (Vec::new(), bare);
        }
    }
    let used = length(&taken, total - taken.len());
    (taken, used)
}

/// The enabled cards of a tidy registry in card order, with their lengths.
fn candidates(registry: &Value, options: &Value, profile: &RenderingProfile) -> Vec<(String, u64)> {
    let length = |text: &str| match profile.unit {
        Unit::Characters => text.chars().count(),
        Unit::Utf16 => text.encode_utf16().count(),
        Unit::Bytes => text.len(),
    } as u64;
    let part = |cost: u64, text: &str| if text.is_empty() { 0 } else { cost + length(text) };
    let mut cards: Vec<(String, u64)> = skills(registry)
        .iter()
        .filter(|entry| !is_disabled(entry))
        .map(|entry| {
            let shown = if text_of(entry, "short").is_empty() { text_of(entry, "description") } else { text_of(entry, "short") };
            let texts = part(profile.card.description, shown) + part(profile.card.when_to_use, text_of(entry, "when_to_use"));
            (id_of(entry), profile.card.id + length(&id_of(entry)) + texts)
        })
        .collect();
    match profile.order {
        Order::Id => cards.sort_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes())),
        Order::IdUtf16 => cards.sort_by_key(|card| card.0.encode_utf16().collect::<Vec<_>>()),
        Order::Registry => {}
    }
    let limit = json::as_count(&options["catalog_limit"]).unwrap_or(u64::MAX);
    cards.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    cards
}

proptest! {
    #![proptest_config(config(512))]

    #[test]
    fn the_fit_is_the_one_that_rendering_every_choice_finds(registry in tidy_registry(), options in tidy_options(), profile in profile()) {
        let params = json!({"registry": registry, "options": options});
        let payload = ask(&profile, Operation::ActivationEvidence, &params).into_result().unwrap();
        let cards = candidates(&registry, &options, &profile);
        let lengths: Vec<u64> = cards.iter().map(|card| card.1).collect();
        let (taken, used) = fit_by_rendering(&profile, &lengths, json::as_count(&options["budget"]).unwrap_or(2000));
        let shown: Vec<&str> = taken.iter().map(|at| cards[*at].0.as_str()).collect();
        prop_assert_eq!(payload["shown"].clone(), json!(shown));
        prop_assert_eq!(payload["used_chars"].clone(), json!(used));
        for card in payload["cards"].as_array().unwrap() {
            if let Some((_, length)) = cards.iter().find(|(id, _)| card["id"] == json!(id)) {
                prop_assert_eq!(card["char_estimate"].clone(), json!(length));
            }
        }
    }
}

/// Registries and profiles so small that every budget can be tried.
fn small() -> impl Strategy<Value = (Value, RenderingProfile)> {
    let lengths = prop_oneof![prop::collection::vec(0..12_usize, 0..7), prop::collection::vec(0..3_usize, 9..13)];
    let suffix = prop::option::weighted(0.8, (0..12_u64, any::<bool>()));
    let layout = (1..20_u64, 0..3_u64, 0..3_u64, suffix, 0..3_u64, 0..3_u64);
    let words = (select(vec![Fit::Prefix, Fit::Skip]), below_floor(), select(vec![Empty::Header, Empty::Nothing]));
    (lengths, layout, words).prop_map(|(lengths, (header, separator, footer, suffix, id, description), (fit, below_floor, empty))| {
        let entry = |(at, length): (usize, &usize)| json!({"name": char::from(b'a' + u8::try_from(at).unwrap()), "description": "d".repeat(*length)});
        let skills: Vec<Value> = lengths.iter().enumerate().map(entry).collect();
        let suffix = suffix.map(|(base, plus_digits)| Suffix { base, plus_digits });
        let card = CardCost { id, description, when_to_use: 0 };
        let order = Order::Id;
        let profile = RenderingProfile { unit: Unit::Characters, header, separator, footer, suffix, card, order, fit, below_floor, empty };
        (json!({"_type": "skill_registry", "skills": skills}), profile)
    })
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn the_smallest_budget_is_the_first_that_a_scan_finds((registry, profile) in small(), limit in prop::option::of(1..12_u64)) {
        let limit = json!(limit);
        let shown = |budget: u64| {
            let params = json!({"registry": registry, "options": {"budget": budget, "catalog_limit": limit}});
            ask(&profile, Operation::ActivationEvidence, &params).into_result().unwrap()["shown"].as_array().unwrap().len()
        };
        let everything = rendered(&profile, &candidates(&registry, &Value::Null, &profile).iter().map(|card| card.1).collect::<Vec<_>>(), 10);
        let counts: Vec<usize> = (1..=everything as u64 + 20).map(shown).collect();
        for wanted in 0..=skills(&registry).len() + 1 {
            let first = counts.iter().position(|count| *count == wanted).map(|at| at as u64 + 1);
            let found = smallest_budget(&registry, &json!({"catalog_limit": limit}), &profile, wanted as u64);
            prop_assert_eq!(found, Ok(first), "{} cards of {:?}", wanted, counts);
        }
    }
}
