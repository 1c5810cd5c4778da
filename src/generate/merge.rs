//! `registry.merge`: layers that take ids from each other, and who wins.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::dice::Dice;
use super::ground::Ground;
use super::registries::{entry, id_of};
use super::write::Asked;
use crate::adapter::Operation;
use crate::contract::activation::DEFAULT_PRECEDENCE;

/// What a winner brings along to the letter. What a match puts into an entry is no part of it.
const OWN: [&str; 7] = ["name", "namespace", "source", "description", "when_to_use", "body", "provenance"];

pub(super) fn merge(dice: &mut Dice, ground: &mut Ground, theme: usize) -> Option<Asked> {
    let (mut labels, precedence) = if theme.is_multiple_of(2) { (by_the_page(dice), None) } else { of_the_request(dice) };
    dice.shuffle(&mut labels);
    let ids: Vec<(Option<String>, String)> = (0..dice.between(1, 5)).map(|_| (dice.chance(25).then(|| dice.word()), dice.name())).collect();
    let mut layers = Vec::new();
    for label in &labels {
        let mut skills: Vec<Value> = dice.some(&ids, 60).into_iter().map(|(namespace, name)| claim(dice, namespace, &name)).collect();
        if dice.chance(40) {
            let name = dice.name();
            skills.push(claim(dice, None, &name));
        }
        dice.shuffle(&mut skills);
        layers.push(json!({"label": label, "skills": skills}));
    }
    let mut given = json!({"layers": layers});
    if let Some(precedence) = &precedence {
        given["precedence"] = json!(precedence);
    }
    let said = ground.ask(Operation::RegistryMerge, &given)?;
    let claims = claims(&layers);
    let winners: Vec<Value> =
        said.get("registry")?.get("skills")?.as_array()?.iter().map(|winner| with_nothing_of_losers(winner, &claims)).collect();
    let shadowed = said.get("shadowed")?.as_array()?.clone();
    let unordered = |items: Vec<Value>| if items.is_empty() { json!([]) } else { json!({"$unordered": items}) };
    Some(Asked {
        title: match precedence {
            None => format!("{} layers are merged by the contract's own order", labels.len()),
            Some(_) => format!("{} layers are merged by the order that the request gives", labels.len()),
        },
        basis: if precedence.is_some() { "protocol" } else { "text" },
        clause: "registry#precedence",
        given,
        expect: json!({"result": {"registry": {"skills": unordered(winners)}, "shadowed": unordered(shadowed)}}),
    })
}

/// One label of each tier: which of two in a tier is stronger, the page does not say.
fn by_the_page(dice: &mut Dice) -> Vec<String> {
    let mut labels: Vec<String> = DEFAULT_PRECEDENCE.iter().map(|tier| dice.pick(tier).to_owned()).collect();
    while labels.len() > 2 && dice.chance(30) {
        labels.remove(dice.below(labels.len()));
    }
    labels
}

/// The page's own labels, for a host may know no others, in tiers of any size, some of them not brought.
fn of_the_request(dice: &mut Dice) -> (Vec<String>, Option<Vec<Vec<String>>>) {
    let mut names: Vec<String> = DEFAULT_PRECEDENCE.iter().flat_map(|tier| tier.iter().map(|label| (*label).to_owned())).collect();
    dice.shuffle(&mut names);
    names.truncate(dice.between(3, 7));
    let mut tiers: Vec<Vec<String>> = Vec::new();
    for name in &names {
        match tiers.last_mut() {
            Some(tier) if dice.chance(40) => tier.push(name.clone()),
            _ => tiers.push(vec![name.clone()]),
        }
    }
    let count = dice.between(2, names.len());
    dice.shuffle(&mut names);
    names.truncate(count);
    (names, Some(tiers))
}

/// An entry of a layer, of a given id.
fn claim(dice: &mut Dice, namespace: Option<String>, name: &str) -> Value {
    let mut claim = entry(dice, (12, 60));
    if let Some(members) = claim.as_object_mut() {
        for key in ["namespace", "disable_model_invocation", "disable-model-invocation"] {
            members.remove(key);
        }
        // Said either way: what a host makes of a flag that is not there is its own affair.
        members.insert(dice.pick(&["disable_model_invocation", "disable-model-invocation"]).to_owned(), json!(dice.chance(30)));
        members.insert("name".to_owned(), json!(name));
        members.extend(namespace.map(|namespace| ("namespace".to_owned(), json!(namespace))));
        if dice.chance(30) {
            members.insert("provenance".to_owned(), json!({"signed": dice.chance(50), "trusted": dice.chance(50)}));
        }
        if dice.chance(20) {
            members.insert("path".to_owned(), json!(dice.path("md")));
        }
    }
    claim
}

fn claims(layers: &[Value]) -> BTreeMap<String, Vec<Value>> {
    let mut claims: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for skill in layers.iter().filter_map(|layer| layer["skills"].as_array()).flatten() {
        claims.entry(id_of(skill)).or_default().push(skill.clone());
    }
    claims
}

/// The winner's own words, and none that only a loser had. In which spelling its flags stand, nothing settles; a rule reads them.
fn with_nothing_of_losers(winner: &Value, claims: &BTreeMap<String, Vec<Value>>) -> Value {
    let mut wanted: Map<String, Value> = winner.as_object().cloned().unwrap_or_default();
    wanted.retain(|key, _| OWN.contains(&key.as_str()));
    let losers = || claims.get(&id_of(winner)).into_iter().flatten().filter_map(Value::as_object);
    for key in ["description", "when_to_use", "body"].into_iter().filter(|key| losers().any(|loser| loser.contains_key(*key))) {
        // Null in an expectation is null or nothing there.
        wanted.entry(key.to_owned()).or_insert(Value::Null);
    }
    Value::Object(wanted)
}
