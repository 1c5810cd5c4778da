//! Merging layers into one registry.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::fault::Fault;
use super::host::{Answered, Host, Refused, refuse};

const LAYERS: [&str; 7] = ["bundled", "cli", "runtime", "host", "project", "package", "user"];

/// An entry that wants an id. The smallest rank wins.
struct Claim<'a> {
    rank: (bool, usize, bool, &'a str),
    label: &'a str,
    members: &'a Map<String, Value>,
}

impl Host {
    pub(super) fn merge(&self, params: &Value) -> Answered {
        let order = order(&params["precedence"])?;
        let Some(layers) = params["layers"].as_array() else { return refuse("invalid_registry") };
        let mut claims: BTreeMap<String, Vec<Claim<'_>>> = BTreeMap::new();
        for (listed, layer) in layers.iter().enumerate() {
            let (Some(label), Some(skills)) = (layer["label"].as_str(), layer["skills"].as_array()) else {
                return refuse("invalid_registry");
            };
            let place = match order.iter().position(|known| *known == label) {
                Some(place) => place,
                None if self.has(Fault::UnknownLayerAccepted) => order.len() + listed,
                None => return refuse("unknown_layer"),
            };
            let place = match () {
                () if self.has(Fault::LastLayerWins) => layers.len() - listed,
                () if self.has(Fault::FirstListedLayerWins) => listed,
                () => place,
            };
            for entry in skills {
                let (Some(skill), Some(members)) = (self.skill(entry), entry.as_object()) else { continue };
                let id = if self.has(Fault::NamespacesCollide) { skill.name.to_owned() } else { self.key(&skill.id) };
                let path = entry["path"].as_str().unwrap_or("");
                let yields = skill.disabled && self.has(Fault::DisabledWinnerYields);
                claims.entry(id).or_default().push(Claim { rank: (yields, place, path.is_empty(), path), label, members });
            }
        }
        let (mut skills, mut shadowed) = (Vec::new(), Vec::new());
        for (id, mut claims) in claims {
            // A stable sort: what came first stays first among equals.
            claims.sort_by(|a, b| a.rank.cmp(&b.rank));
            let (winner, losers) = claims.split_first().expect("an id has a claim");
            skills.push(self.winner(winner, losers));
            let rows = losers.iter().filter(|loser| loser.label != winner.label);
            let at_most = if self.has(Fault::ShadowedIncomplete) { 1 } else { usize::MAX };
            shadowed.extend(rows.take(at_most).map(|loser| json!({"id": id, "winner": winner.label, "loser": loser.label})));
        }
        Ok(json!({"registry": {"_type": "skill_registry", "skills": skills}, "shadowed": shadowed}))
    }

    fn winner(&self, winner: &Claim<'_>, losers: &[Claim<'_>]) -> Value {
        let mut members = winner.members.clone();
        if self.has(Fault::MergeFillsGaps) {
            for (key, value) in losers.iter().flat_map(|loser| loser.members) {
                members.entry(key).or_insert_with(|| value.clone());
            }
        }
        if self.has(Fault::MergeLosesHyphenatedKeys) {
            members.retain(|key, _| !key.contains('-') || key.starts_with("x-"));
        }
        if self.has(Fault::MergeDropsProvenance) {
            members.remove("provenance");
        }
        if !(self.has(Fault::SourceFromEntry) && members.contains_key("source")) {
            members.insert("source".to_owned(), json!(winner.label));
        }
        Value::Object(members)
    }
}

/// Labels from the strongest to the weakest.
fn order(precedence: &Value) -> Result<Vec<&str>, Refused> {
    if precedence.is_null() {
        return Ok(LAYERS.to_vec());
    }
    let Some(tiers) = precedence.as_array() else { return refuse("invalid_options") };
    let mut order = Vec::new();
    for tier in tiers {
        match tier.as_array().and_then(|tier| tier.iter().map(Value::as_str).collect::<Option<Vec<_>>>()) {
            Some(labels) => order.extend(labels),
            None => return refuse("invalid_options"),
        }
    }
    Ok(order)
}
