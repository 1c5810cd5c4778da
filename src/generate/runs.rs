//! `lifecycle.run`: worlds that are played to a host, listed event by event, or walked by dice.

use serde_json::{Value, json};

use super::dice::Dice;
use super::ground::Ground;
use super::traces::carried_in;
use super::worlds::House;
use super::write::Asked;
use crate::contract::lifecycle::{body_file, text_hash};

pub(super) fn run(dice: &mut Dice, _: &mut Ground, theme: usize) -> Option<Asked> {
    let count = if dice.chance(25) { dice.between(5, 12) } else { dice.between(1, 4) };
    let house = House::of(dice, count);
    let context_gc = dice.chance(60);
    let mut given = json!({"registry": house.registry, "files": house.files, "capabilities": {"context_gc": context_gc}});
    if theme.is_multiple_of(3) {
        return Some(listed(dice, &house, given, context_gc));
    }
    let receipts = carried_in(dice, &house);
    if !receipts.is_empty() {
        given["receipts"] = json!(receipts);
    }
    let events = if dice.chance(30) { dice.between(200, 600) } else { dice.between(10, 120) };
    given["walk"] = json!({"seed": dice.seed(), "events": events, "skills": house.skills.len()});
    Some(Asked {
        title: format!("A fair walk of {events} events with {} skills breaks no binding rule", house.skills.len()),
        basis: "text",
        clause: "lifecycle#order",
        given,
        expect: json!({"verdict": {"valid": true}}),
    })
}

/// A skill is worked with, left, changed perhaps, and asked back; what a host leaves of that is looked for in the trace.
fn listed(dice: &mut Dice, house: &House, mut given: Value, context_gc: bool) -> Asked {
    let id = dice.pick(&house.skills);
    let body = body_file(&id);
    let needs = dice.some(&house.supports, 40);
    let influence = |dice: &mut Dice| {
        let kind = dice.pick(&["tool_call", "file_edit", "memory_write", "claim_boundary"]);
        json!({"type": "influence", "skill_id": id, "kind": kind, "ref": format!("{}:{}", dice.word(), dice.below(100))})
    };
    let over = json!({"type": "phase.ended", "skill_id": id, "continues": false});
    let mut world = vec![json!({"type": "turn.started", "turn": 1})];
    if dice.chance(40) {
        world.push(json!({"type": "need.stated", "need": dice.pick(&["none", "discovery"])}));
    }
    world.push(json!({"type": "need.stated", "need": "work", "skill_id": id}));
    world.push(json!({"type": "step.started", "skill_id": id, "step": dice.sentence(3), "needs": needs}));
    for _ in 0..dice.between(1, 4) {
        world.push(influence(dice));
    }
    world.extend([over.clone(), json!({"type": "turn.started", "turn": 2})]);
    let mut hash = text_hash(&house.files[&body]);
    let mut wanted = vec![
        json!({"$contains": {"type": "profile.selected", "skill_lifecycle_profile": "active_frame_required", "skill_id": id}}),
        json!({"$contains": {"type": "body.loaded", "skill_id": id, "file": body, "origin": "source", "hash": hash}}),
        json!({"$contains": {"type": "receipt.written", "receipt": {"skill_id": id}}}),
    ];
    if dice.chance(60) {
        if dice.chance(60) {
            let text = format!("# {}\n\n{}\n", dice.capital(), dice.text(60));
            hash = text_hash(&text);
            world.push(json!({"type": "source.changed", "file": body, "text": text}));
        }
        world.push(json!({"type": "need.stated", "need": "resume", "skill_id": id}));
        world.push(json!({"type": "step.started", "skill_id": id, "step": dice.sentence(3), "needs": []}));
        world.push(influence(dice));
        world.extend([over, json!({"type": "turn.started", "turn": 3})]);
        wanted
            .push(json!({"$contains": {"type": "profile.selected", "skill_lifecycle_profile": "reactivate_from_receipt", "skill_id": id}}));
        wanted.push(json!({"$contains": {"type": "body.loaded", "skill_id": id, "origin": "source", "hash": hash}}));
    }
    wanted.push(match context_gc {
        true => json!({"$contains": {"type": "body.released", "skill_id": id}}),
        false => json!({"$not": {"$contains": {"type": "body.released"}}}),
    });
    world.push(json!({"type": "trace.ended"}));
    given["world"] = json!(world);
    Asked {
        title: "A skill is loaded from its source, leaves its receipt, and comes back by rereading".to_owned(),
        basis: "text",
        clause: "lifecycle#order",
        given,
        expect: json!({"result": {"events": {"$all": wanted}}}),
    }
}
