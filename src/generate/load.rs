//! `activation.load`: one body by its id, and who may have it.

use serde_json::{Map, Value, json};

use super::dice::Dice;
use super::ground::{Ground, members};
use super::registries::{Registry, id_of, is_disabled};
use super::write::Asked;
use crate::adapter::Operation;

/// What of an event is settled by the page or by the protocol; how many tokens the body has, a rule says.
const FACTS: [&str; 5] = ["type", "skill_id", "lifecycle", "source", "disable_model_invocation"];
const FACTS_WITH_SIGNATURE: [&str; 7] = ["type", "skill_id", "lifecycle", "source", "disable_model_invocation", "signed", "trusted"];
/// Keys by which a provenance could pass itself off as the event.
const FORGED: [&str; 6] = ["lifecycle", "source", "disable_model_invocation", "token_estimate", "type", "skill_id"];

pub(super) fn load(dice: &mut Dice, ground: &mut Ground, theme: usize) -> Option<Asked> {
    // Now and then as large as registries are in earnest: a host may be right about small ones only.
    let count = if dice.chance(25) { dice.between(12, 60) } else { dice.between(1, 8) };
    let mut registry = Registry::of(dice, count, (12, 80));
    let at = dice.below(registry.skills.len());
    for entry in &mut registry.skills {
        let length = if dice.chance(10) { dice.between(2_000, 20_000) } else { dice.between(1, 200) };
        entry["body"] = json!(body(dice, length));
    }
    let mut given = Map::new();
    let (title, basis, clause) = match theme % 7 {
        5 => return without_room(dice, ground),
        0 => (succeeds(dice, &mut registry, at, &mut given), "text", "activation#load-body"),
        1 => (signed(dice, &mut registry, at, &mut given), "protocol", "activation#load-provenance"),
        2 => (blocked_for_the_model(dice, &mut registry, at, &mut given), "text", "activation#load-blocked"),
        3 => (unsigned(dice, &mut registry, at, &mut given), "protocol", "activation#load-blocked"),
        4 => (forged(dice, &mut registry, at, &mut given), "text", "activation#load-event"),
        _ => return unknown(dice, ground, &registry),
    };
    given.insert("registry".to_owned(), registry.value());
    given.insert("id".to_owned(), json!(id_of(&registry.skills[at])));
    if dice.chance(40) {
        given.insert("session_id".to_owned(), json!(format!("session-{}", dice.word())));
    }
    let given = Value::Object(given);
    let said = ground.ask(Operation::ActivationLoad, &given)?;
    let is_claimed = registry.skills[at]
        .get("provenance")
        .is_none_or(|provenance| ["signed", "trusted"].iter().all(|key| provenance.get(*key).is_some_and(Value::is_boolean)));
    let facts = |event: &Value| if is_claimed { members(event, &FACTS_WITH_SIGNATURE) } else { members(event, &FACTS) };
    let expect = match said.get("error") {
        None => json!({"result": {"body": {"$exact": said.get("body")?}, "event": facts(said.get("event")?)}}),
        Some(error) => json!({"error": error, "event": members(said.get("event")?, &FACTS)}),
    };
    Some(Asked { title, basis, clause, given, expect })
}

/// A body that comes back to the letter.
fn body(dice: &mut Dice, characters: usize) -> String {
    let text = dice.text(characters);
    match dice.below(5) {
        0 => format!("# {}\n\n{text}\n\n- {{{{ {} }}}}\n- $1 and ${{{}}}\n- <{}>", dice.capital(), dice.word(), dice.word(), dice.word()),
        1 => format!("{text}\n\n    {}\n{}", dice.word(), dice.sentence(4)),
        2 => dice.pick(&["x", "技", "🚀", "e\u{301}", "abcde", "four"]).to_owned() + &"z".repeat(dice.below(6)),
        _ => text,
    }
}

/// Takes away what would block a load.
fn open(entry: &mut Value) {
    if let Some(members) = entry.as_object_mut() {
        members.retain(|key, _| {
            !["disable_model_invocation", "disable-model-invocation", "require_signature", "provenance"].contains(&key.as_str())
        });
    }
}

fn succeeds(dice: &mut Dice, registry: &mut Registry, at: usize, given: &mut Map<String, Value>) -> String {
    let by_model = dice.chance(50);
    if by_model {
        open(&mut registry.skills[at]);
        if dice.chance(40) {
            registry.skills[at][dice.pick(&["disable_model_invocation", "disable-model-invocation"])] = json!(false);
        }
        given.insert("model_invocation".to_owned(), json!(true));
    } else if dice.chance(50) {
        given.insert("model_invocation".to_owned(), json!(false));
    }
    match (by_model, is_disabled(&registry.skills[at])) {
        (true, _) => "The model loads a skill that is open to it".to_owned(),
        (false, true) => "The user loads a skill that the model may not invoke".to_owned(),
        (false, false) => "A body is loaded by its id".to_owned(),
    }
}

fn signed(dice: &mut Dice, registry: &mut Registry, at: usize, given: &mut Map<String, Value>) -> String {
    open(&mut registry.skills[at]);
    registry.skills[at]["provenance"] = json!({"signed": true, "trusted": true, "status": "verified"});
    if dice.chance(50) {
        given.insert("require_signature".to_owned(), json!(true));
    } else {
        registry.skills[at]["require_signature"] = json!(true);
    }
    "A signed and trusted skill is loaded where that is required".to_owned()
}

fn blocked_for_the_model(dice: &mut Dice, registry: &mut Registry, at: usize, given: &mut Map<String, Value>) -> String {
    open(&mut registry.skills[at]);
    registry.skills[at][dice.pick(&["disable_model_invocation", "disable-model-invocation"])] = json!(true);
    given.insert("model_invocation".to_owned(), json!(true));
    "The model's load of a skill that it may not invoke is blocked".to_owned()
}

/// A signature is required, or is not, and what the provenance claims does not reach, or need not.
fn unsigned(dice: &mut Dice, registry: &mut Registry, at: usize, given: &mut Map<String, Value>) -> String {
    open(&mut registry.skills[at]);
    let claims = dice.pick(&[
        json!({"signed": true, "trusted": false}),
        json!({"signed": false, "trusted": true}),
        json!({"signed": false, "trusted": false}),
        Value::Null,
    ]);
    if !claims.is_null() {
        registry.skills[at]["provenance"] = claims;
    }
    match dice.below(4) {
        0 => drop(given.insert("require_signature".to_owned(), json!(true))),
        1 => registry.skills[at]["require_signature"] = json!(true),
        2 => {
            // Neither of the two lifts what the other asks for.
            given.insert("require_signature".to_owned(), json!(false));
            registry.skills[at]["require_signature"] = json!(true);
        }
        _ => return "A skill without a trusted signature is loaded where nobody requires one".to_owned(),
    }
    "A load that requires a signature is blocked where there is no trusted one".to_owned()
}

fn forged(dice: &mut Dice, registry: &mut Registry, at: usize, given: &mut Map<String, Value>) -> String {
    let is_blocked = dice.chance(50);
    open(&mut registry.skills[at]);
    if is_blocked {
        registry.skills[at]["disable_model_invocation"] = json!(true);
        given.insert("model_invocation".to_owned(), json!(true));
    }
    let mut provenance = json!({"signed": false, "trusted": false});
    for key in dice.some(&FORGED, 60) {
        provenance[key] = match key {
            "lifecycle" => json!(if is_blocked { "loaded" } else { "omitted" }),
            "disable_model_invocation" => json!(!is_blocked),
            "token_estimate" => json!(dice.between(900, 9_000)),
            _ => json!(dice.word()),
        };
    }
    registry.skills[at]["provenance"] = provenance;
    "What a provenance says of itself does not replace the facts of the event".to_owned()
}

/// A skill whose card no catalog of the default budget has room for is loaded like any other.
fn without_room(dice: &mut Dice, ground: &mut Ground) -> Option<Asked> {
    let count = dice.between(12, 18);
    let mut registry = Registry::of(dice, count, (250, 300));
    let length = dice.between(10, 60);
    let text = body(dice, length);
    let last = registry.skills.iter_mut().max_by_key(|entry| id_of(entry))?;
    open(last);
    last["body"] = json!(text);
    let id = id_of(last);
    let given = json!({"registry": registry.value(), "id": id});
    let said = ground.ask(Operation::ActivationLoad, &given)?;
    Some(Asked {
        title: "A skill whose card has no room in the catalog is loaded by its id".to_owned(),
        basis: "text",
        clause: "activation#load-body",
        given,
        expect: json!({"result": {"body": {"$exact": said.get("body")?}, "event": members(said.get("event")?, &FACTS)}}),
    })
}

/// An id that is no entry's, and no bare name of a namespaced entry either.
fn unknown(dice: &mut Dice, ground: &mut Ground, registry: &Registry) -> Option<Asked> {
    let known = id_of(&dice.pick(&registry.skills));
    let id = match dice.below(4) {
        0 => format!("{}/{known}", dice.word()),
        1 => known.chars().take(known.chars().count() / 2).collect(),
        2 => format!("{known}-{}", dice.word()),
        _ => dice.name(),
    };
    let is_known = registry.skills.iter().any(|entry| id_of(entry) == id || entry["name"] == json!(id));
    if is_known || id.is_empty() {
        return None;
    }
    let given = json!({"registry": registry.value(), "id": id});
    let said = ground.ask(Operation::ActivationLoad, &given)?;
    Some(Asked {
        title: "An id that the registry lacks is refused".to_owned(),
        basis: "protocol",
        clause: "activation#load-body",
        given,
        expect: json!({"error": said.get("error")?}),
    })
}
