//! `lifecycle.validate_trace`: what the reference did in random fair worlds, and scenes behind it that keep the rules or break one.

use serde_json::{Value, json};

use super::dice::Dice;
use super::ground::Ground;
use super::receipts;
use super::scenes::{KINDS, Scene, keep, play};
use super::worlds::{House, Play};
use super::write::Asked;
use super::{fault_of, is_faultless};
use crate::adapter::Operation;
use crate::contract::lifecycle::body_file;

/// Rules that a breach of another brings along, as the contract lists them.
fn consequences(rule: &str) -> &'static [&'static str] {
    match rule {
        "LC-101" | "LC-102" => &["LC-114"],
        "LC-107" => &["LC-103", "LC-115"],
        "LC-118" => &["LC-116"],
        _ => &[],
    }
}

pub(super) fn trace(dice: &mut Dice, ground: &mut Ground, theme: usize) -> Option<Asked> {
    let context_gc = dice.chance(60);
    let is_good = is_faultless(theme);
    let mut carried = Vec::new();
    let mut events = Vec::new();
    // A world before the scene, with skills of its own.
    let is_alone = dice.chance(if is_good { 15 } else { 40 });
    if !is_alone {
        let count = dice.between(1, 3);
        let house = House::of(dice, count);
        carried = carried_in(dice, &house);
        let length = dice.between(3, if is_good { 60 } else { 20 });
        let mut world = Play::open(ground, &house, context_gc, &carried)?;
        world.walk(dice, length)?;
        events = world.close();
    }
    let turn = events.iter().filter(|event| event["type"] == "turn.started").count() as u64;
    let id = format!("{}-{}", dice.any_name(), dice.word());
    let mut scene = Scene::new(id, context_gc, events, turn);
    if is_good {
        keep(dice, &mut scene, theme / 3);
    } else if !play(dice, &mut scene, fault_of(theme) % KINDS, is_alone) {
        return None;
    }
    let is_whole = dice.chance(85) || !is_good;
    if is_whole {
        scene.say(json!({"type": "trace.ended"}));
    }
    let mut breaches: Vec<(&str, String)> = scene.breaches.iter().map(|(rule, at)| (*rule, format!("/events/{at}"))).collect();
    let mut events = scene.events;
    number(dice, &mut events);
    if !is_good && is_whole && dice.chance(10) {
        // Nothing follows the end.
        let last = events.last()?["seq"].as_u64()?;
        breaches.push(("LC-113", format!("/events/{}", events.len())));
        events.push(json!({"seq": last + 1, "type": "turn.started", "turn": 999}));
    }
    let mut given = json!({"capabilities": {"context_gc": context_gc}, "events": events});
    if !carried.is_empty() {
        given["receipts"] = json!(carried);
    }
    let allowed: Vec<&str> = breaches.iter().flat_map(|(rule, _)| consequences(rule)).copied().collect();
    let expect = ground.verdict(Operation::LifecycleValidateTrace, &given, &breaches, &allowed)?;
    let clause = breaches.first().map_or("lifecycle#order", |(rule, _)| clause(rule));
    let title = match breaches.first() {
        None => format!("A trace of {} events that keeps the order is valid", given["events"].as_array()?.len()),
        Some((rule, path)) => format!("A trace with a fault that {rule} finds at {path} is not valid"),
    };
    Some(Asked { title, basis: "text", clause, given, expect })
}

/// Numbers that rise, with gaps now and then.
fn number(dice: &mut Dice, events: &mut [Value]) {
    let mut seq = dice.below(2);
    let gaps = dice.chance(40);
    for event in events {
        event["seq"] = json!(seq);
        seq += if gaps { dice.between(1, 4) } else { 1 };
    }
}

/// Receipts from before of some of a house's skills, each naming its own source file.
pub(super) fn carried_in(dice: &mut Dice, house: &House) -> Vec<Value> {
    let skills = dice.some(&house.skills, 25);
    skills
        .into_iter()
        .map(|id| {
            let mut receipt = receipts::good(dice, &id);
            receipt["resume_entry"] = json!(format!("Reopen `{}` first.", body_file(&id)));
            receipt
        })
        .collect()
}

fn clause(rule: &str) -> &'static str {
    match rule {
        "LC-101" => "lifecycle#none",
        "LC-102" => "lifecycle#listing-only",
        "LC-103" => "lifecycle#no-fragments",
        "LC-105" => "lifecycle#context-collection",
        "LC-106" => "lifecycle#receipt-first",
        "LC-107" => "lifecycle#reactivate",
        "LC-109" => "lifecycle#no-authority",
        "LC-110" => "lifecycle#not-a-fact",
        "LC-111" => "lifecycle#audit-kept",
        "LC-112" => "lifecycle#no-pooling",
        "LC-113" => "lifecycle#protocol",
        "LC-116" => "lifecycle#release-receipt",
        "LC-117" => "lifecycle#profile",
        "LC-118" => "lifecycle#active-frame",
        "LC-127" => "lifecycle#no-self-rewriting",
        _ => "lifecycle#order",
    }
}
