//! `registry.merge` (page 10, section 6): layers in, one winner for each id out.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};

use crate::contract::activation::{DEFAULT_PRECEDENCE, Entry, REGISTRY_TYPE};
use crate::contract::refusal::Category;

/// An entry that wants an id.
struct Claim<'a> {
    /// Ascending from the strongest: label, path (those without one last), position.
    strength: (usize, bool, &'a str, usize),
    label: &'a str,
    members: &'a Map<String, Value>,
}

/// The merged registry, and a row for each entry that lost to one of another label.
pub(super) fn merge(layers: &Value, precedence: Option<&Value>) -> Result<(Value, Value), Category> {
    let ranks = ranks(precedence)?;
    let mut claims: BTreeMap<Cow<'_, str>, Vec<Claim<'_>>> = BTreeMap::new();
    let mut position = 0;
    for layer in layers.as_array().ok_or(Category::InvalidRegistry)? {
        let label = layer.get("label").and_then(Value::as_str).ok_or(Category::InvalidRegistry)?;
        let skills = layer.get("skills").and_then(Value::as_array).ok_or(Category::InvalidRegistry)?;
        let rank = *ranks.get(label).ok_or(Category::UnknownLayer)?;
        for skill in skills {
            position += 1;
            let (Some(entry), Some(members)) = (Entry::read(skill), skill.as_object()) else { continue };
            let path = members.get("path").and_then(Value::as_str).unwrap_or("");
            let strength = (rank, path.is_empty(), path, position);
            claims.entry(entry.id).or_insert_with(|| Vec::with_capacity(1)).push(Claim { strength, label, members });
        }
    }
    let (mut skills, mut shadowed) = (Vec::new(), Vec::new());
    for (id, mut claims) in claims {
        claims.sort_by_key(|claim| claim.strength);
        let winner = claims[0].label;
        let mut members = claims[0].members.clone();
        members.insert("source".to_owned(), json!(winner));
        skills.push(Value::Object(members));
        for loser in claims.iter().map(|claim| claim.label).filter(|label| *label != winner) {
            shadowed.push(json!({"id": id, "winner": winner, "loser": loser}));
        }
    }
    Ok((json!({"_type": REGISTRY_TYPE, "skills": skills}), Value::Array(shadowed)))
}

fn ranks(precedence: Option<&Value>) -> Result<HashMap<&str, usize>, Category> {
    let Some(precedence) = precedence.filter(|value| !value.is_null()) else {
        return Ok(DEFAULT_PRECEDENCE.iter().flat_map(|tier| tier.iter()).enumerate().map(|(rank, label)| (*label, rank)).collect());
    };
    let mut ranks = HashMap::new();
    for tier in precedence.as_array().ok_or(Category::InvalidOptions)? {
        for label in tier.as_array().ok_or(Category::InvalidOptions)? {
            let label = label.as_str().ok_or(Category::InvalidOptions)?;
            let rank = ranks.len();
            // A label named twice keeps its stronger place.
            ranks.entry(label).or_insert(rank);
        }
    }
    Ok(ranks)
}
