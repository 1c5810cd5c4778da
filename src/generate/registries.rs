//! Registries such as a `must` case has: what nothing settles is in none of them. No `short` text, no hyphenated `when-to-use`, no score
//! without a reason, no text with a blank at its end, no entry without a text, and no id twice.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::dice::Dice;
use crate::contract::activation::REGISTRY_TYPE;

/// The layers of the page.
const LAYERS: [&str; 7] = ["bundled", "cli", "runtime", "host", "project", "package", "user"];
/// Ids that are words of a payload, or members that objects have in some languages, are ids like any other.
const ODD_NAMES: [&str; 8] = ["constructor", "toString", "hasOwnProperty", "__proto__", "shown", "omitted", "budget", "null"];

/// A registry and what has to be known of it.
pub(super) struct Registry {
    pub(super) skills: Vec<Value>,
}

/// An entry's id.
pub(super) fn id_of(entry: &Value) -> String {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or("");
    if text("namespace").is_empty() { text("name").to_owned() } else { format!("{}/{}", text("namespace"), text("name")) }
}

/// Whether an entry says that the model may not invoke it, in either spelling.
pub(super) fn is_disabled(entry: &Value) -> bool {
    ["disable_model_invocation", "disable-model-invocation"].iter().any(|key| entry.get(*key) == Some(&Value::Bool(true)))
}

/// The first word of an entry's description: one of its own, by which a rendered card is known.
pub(super) fn mark_of(entry: &Value) -> Option<&str> {
    entry.get("description")?.as_str()?.split(' ').next()
}

/// A flag for an entry, in either spelling.
fn flag(dice: &mut Dice, value: bool) -> (String, Value) {
    (dice.pick(&["disable_model_invocation", "disable-model-invocation"]).to_owned(), json!(value))
}

/// An entry with texts of about so many characters.
pub(super) fn entry(dice: &mut Dice, characters: (usize, usize)) -> Value {
    let mut members = Map::new();
    let name = if dice.chance(3) { dice.pick(&ODD_NAMES).to_owned() } else { dice.any_name() };
    members.insert("name".to_owned(), json!(name));
    if dice.chance(15) {
        members.insert("namespace".to_owned(), json!(dice.word()));
    }
    let length = dice.between(characters.0, characters.1);
    // Long enough that no other text holds it by chance, short enough to stand among what no card leaves out.
    let text = |dice: &mut Dice, length: usize| format!("{}{} {}", dice.capital(), dice.word(), dice.text(length));
    match dice.below(10) {
        0 => drop(members.insert("when_to_use".to_owned(), json!(text(dice, length)))),
        1..=4 => {
            members.insert("description".to_owned(), json!(text(dice, length * 2 / 3)));
            members.insert("when_to_use".to_owned(), json!(text(dice, length / 3)));
        }
        _ => drop(members.insert("description".to_owned(), json!(text(dice, length)))),
    }
    match dice.below(10) {
        0 => drop(members.insert("source".to_owned(), json!(dice.word()))),
        1..=6 => drop(members.insert("source".to_owned(), json!(dice.pick(&LAYERS)))),
        _ => {}
    }
    if dice.chance(30) {
        let value = dice.chance(65);
        members.extend([flag(dice, value)]);
    }
    if dice.chance(20) {
        let whole = dice.between(1, 400);
        // Halves and quarters are exact, and written alike everywhere.
        let score = match dice.below(3) {
            0 => json!(whole),
            1 => json!(-(whole as i64)),
            _ => json!(whole as f64 + dice.pick(&[0.25, 0.5, 0.75])),
        };
        members.insert("score".to_owned(), score);
        members.insert("reason".to_owned(), json!(dice.text(20)));
    }
    if dice.chance(25) {
        members.insert("body".to_owned(), json!(dice.text(120)));
    }
    if dice.chance(10) {
        members.insert(format!("x-{}", dice.word()), json!([dice.word(), {"n": dice.below(9)}, null]));
    }
    Value::Object(members)
}

impl Registry {
    /// So many entries, each id once.
    pub(super) fn of(dice: &mut Dice, count: usize, characters: (usize, usize)) -> Self {
        let mut ids = BTreeSet::new();
        let mut skills: Vec<Value> = Vec::new();
        while skills.len() < count {
            let entry = if dice.chance(8) && !skills.is_empty() { namesake(dice, &skills, characters) } else { entry(dice, characters) };
            if ids.insert(id_of(&entry)) {
                skills.push(entry);
            }
        }
        dice.shuffle(&mut skills);
        Self { skills }
    }

    pub(super) fn value(&self) -> Value {
        json!({"_type": REGISTRY_TYPE, "skills": self.skills})
    }

    /// Ids that `loaded` and `used` may name: whether a bare name and a namespaced one mean each other is settled by nothing.
    pub(super) fn plain_ids(&self) -> Vec<String> {
        let namespaced: BTreeSet<&str> =
            self.skills.iter().filter(|entry| entry.get("namespace").is_some()).filter_map(|entry| entry["name"].as_str()).collect();
        let bare = self.skills.iter().filter(|entry| entry.get("namespace").is_none());
        bare.map(id_of).filter(|id| !namespaced.contains(id.as_str())).collect()
    }

    pub(super) fn disabled(&self) -> usize {
        self.skills.iter().filter(|entry| is_disabled(entry)).count()
    }
}

/// An entry whose id is nearly another's: in another case, with a mark that stands by itself, longer by a sign, or in a namespace.
fn namesake(dice: &mut Dice, skills: &[Value], characters: (usize, usize)) -> Value {
    let other = dice.pick(skills);
    let name = other["name"].as_str().unwrap_or("a").to_owned();
    let mut made = entry(dice, characters);
    made["name"] = json!(match dice.below(4) {
        0 => name.to_uppercase(),
        1 => name.replace('é', "e\u{301}").replace('ö', "o\u{308}"),
        2 => format!("{name}-{}", dice.word()),
        _ => name,
    });
    made
}
