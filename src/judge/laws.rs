//! The laws' other requests: what is asked beside a case's own request, so that two answers can be compared.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::adapter::{Answer, Operation};
use crate::contract::activation::{DEFAULT_BUDGET, Entry, Flag, registry_skills};
use crate::contract::packet::DEPTHS;
use crate::contract::rendering::{Fit, Order, RenderingProfile};
use crate::json::{MAX_SAFE_INTEGER, as_count};

/// Beyond this many entries a case is about scale, and asking it ten times over says nothing more.
const MAX_ENTRIES: usize = 1_000;

/// The longest text that doubling makes, in characters: what the SKILL.md format allows a description.
const MAX_DOUBLED: usize = 1_024;

/// A request that a law relates to a case's own.
pub(super) struct Variant {
    pub(super) law: &'static str,
    pub(super) params: Value,
}

/// Whether the other of evidence and catalog is worth asking: not where its answer would outgrow a line.
pub(super) fn twin(operation: Operation, params: &Value) -> Option<Operation> {
    let few = registry_skills(&params["registry"]).is_none_or(|skills| skills.len() <= 10 * MAX_ENTRIES);
    match operation {
        Operation::ActivationEvidence if few => Some(Operation::ActivationCatalog),
        Operation::ActivationCatalog if few => Some(Operation::ActivationEvidence),
        _ => None,
    }
}

/// The variants of a request that was answered.
pub(super) fn variants(operation: Operation, params: &Value, answer: &Answer, profile: Option<&RenderingProfile>) -> Vec<Variant> {
    let Answer::Result(result) = answer else { return Vec::new() };
    match operation {
        Operation::ActivationEvidence | Operation::ActivationCatalog => {
            Catalog::of(operation, params, result, profile).map(Catalog::variants).unwrap_or_default()
        }
        Operation::ActivationRead => {
            let mut params = params.clone();
            if let Some(Value::Object(payload)) = params.get_mut("payload") {
                payload.insert("x-proofmark".to_owned(), json!({"note": [1, null]}));
                if let Some(Value::Object(card)) = payload.get_mut("cards").and_then(|cards| cards.get_mut(0)) {
                    card.insert("x-proofmark".to_owned(), json!("ignored"));
                }
            }
            vec![Variant { law: "AE-502", params }]
        }
        Operation::PacketRender => {
            let at = DEPTHS.iter().position(|depth| params["depth"] == *depth);
            let deeper = at.map_or(&[][..], |at| &DEPTHS[at + 1..]).iter();
            let with = |depth: &&str| {
                let mut params = params.clone();
                params["depth"] = json!(depth);
                Variant { law: "EP-121", params }
            };
            deeper.map(with).collect()
        }
        _ => Vec::new(),
    }
}

struct Catalog<'a> {
    operation: Operation,
    params: &'a Value,
    result: &'a Value,
    profile: Option<&'a RenderingProfile>,
    skills: &'a [Value],
    entries: Vec<Entry<'a>>,
}

impl<'a> Catalog<'a> {
    /// `None` for registries outside the laws: not merged, with entries that take no part, with odd flags, or very large.
    fn of(operation: Operation, params: &'a Value, result: &'a Value, profile: Option<&'a RenderingProfile>) -> Option<Self> {
        let skills = registry_skills(params.get("registry")?)?;
        let entries: Vec<Entry<'_>> = skills.iter().filter_map(Entry::read).collect();
        let ids: HashSet<&str> = entries.iter().map(|entry| &*entry.id).collect();
        let odd = entries.iter().any(|entry| entry.disabled == Flag::Odd);
        let options = params.get("options").is_none_or(|options| options.is_object() || options.is_null());
        let usable = ids.len() == skills.len() && !odd && options && skills.len() <= MAX_ENTRIES;
        usable.then_some(Self { operation, params, result, profile, skills, entries })
    }

    fn with_skills(&self, skills: Vec<Value>) -> Value {
        let mut params = self.params.clone();
        params["registry"]["skills"] = Value::Array(skills);
        params
    }

    fn with_option(&self, key: &str, value: Value) -> Value {
        let mut params = self.params.clone();
        if !params["options"].is_object() {
            params["options"] = json!({});
        }
        params["options"][key] = value;
        params
    }

    fn variants(self) -> Vec<Variant> {
        let mut variants = Vec::new();
        let mut add = |law: &'static str, params: Option<Value>| variants.extend(params.map(|params| Variant { law, params }));
        let declared = self.profile.is_some_and(|profile| profile.order == Order::Id && profile.fit == Fit::Prefix);
        if self.operation == Operation::ActivationEvidence {
            if declared && self.skills.len() > 1 {
                add("AE-601", Some(self.with_skills(self.skills.iter().rev().cloned().collect())));
                let mut rotated = self.skills.to_vec();
                rotated.rotate_left(1);
                add("AE-601", Some(self.with_skills(rotated)));
            }
            if declared {
                let budget = as_count(&self.params["options"]["budget"]).unwrap_or(DEFAULT_BUDGET);
                for larger in [budget + 1, budget.saturating_mul(2)] {
                    add("AE-602", (larger <= MAX_SAFE_INTEGER).then(|| self.with_option("budget", json!(larger))));
                }
                add("AE-608", self.doubled());
            }
            add("AE-603", self.runtime_states());
            add("AE-604", self.unknown_keys());
        }
        if self.operation == Operation::ActivationCatalog {
            add("AE-607", self.other_letter());
        }
        for params in self.disabled_changes() {
            add("AE-605", Some(params));
        }
        if declared {
            add("AE-606", self.behind_the_limit());
        }
        variants
    }

    fn doubled(&self) -> Option<Value> {
        // What a host makes of an overlong text is its own affair.
        let long = |text: &str| text.chars().nth(MAX_DOUBLED / 2).is_some();
        if self.entries.iter().any(|entry| [entry.short, entry.description, entry.when_to_use].into_iter().any(long)) {
            return None;
        }
        let skills = self.skills.iter().map(|skill| {
            let mut skill = skill.clone();
            for (key, value) in skill.as_object_mut().into_iter().flatten() {
                if let ("short" | "description" | "when_to_use" | "when-to-use", Value::String(text)) = (key.as_str(), value) {
                    *text = text.repeat(2);
                }
            }
            skill
        });
        (!self.skills.is_empty()).then(|| self.with_skills(skills.collect()))
    }

    fn runtime_states(&self) -> Option<Value> {
        let ids: Vec<&str> = self.entries.iter().map(|entry| &*entry.id).collect();
        let first = ids.first()?;
        let mut params = self.with_option("loaded", json!(ids));
        params["options"]["used"] = json!([first]);
        Some(params)
    }

    /// In an entry only: unknown keys in the options are a decision, and a `may` case of their own.
    fn unknown_keys(&self) -> Option<Value> {
        let mut params = self.params.clone();
        params["registry"]["skills"].get_mut(0)?.as_object_mut()?.insert("x-proofmark".to_owned(), json!({"note": [1, null]}));
        Some(params)
    }

    fn disabled_changes(&self) -> Vec<Value> {
        let mut changes = Vec::new();
        let free = |name: &str| self.entries.iter().all(|entry| entry.id != name);
        // It sorts before most, so that a host which lets it take a place is seen.
        let name = "0-proofmark-manual";
        let text = ["Only for people."; 20].join(" ");
        let manual = json!({"name": name, "description": text, "disable_model_invocation": true});
        let namespaced = format!("0-proofmark/{name}");
        if free(&namespaced) {
            let mut manual = manual.clone();
            manual["namespace"] = json!("0-proofmark");
            changes.push(self.with_skills([vec![manual], self.skills.to_vec()].concat()));
        }
        if free(name) {
            changes.push(self.with_skills([vec![manual], self.skills.to_vec()].concat()));
        }
        if let Some(at) = self.entries.iter().position(|entry| entry.disabled.is_on()) {
            let mut without = self.skills.to_vec();
            without.remove(at);
            changes.push(self.with_skills(without));
            let mut renamed = self.skills.to_vec();
            if free("0-proofmark-renamed") && self.entries[at].namespace.is_empty() {
                renamed[at]["name"] = json!("0-proofmark-renamed");
                changes.push(self.with_skills(renamed));
            }
        }
        changes
    }

    /// Another entry behind all that take part under a limit that is full.
    fn behind_the_limit(&self) -> Option<Value> {
        let limit = as_count(&self.params["options"]["catalog_limit"])?;
        let mut enabled: Vec<usize> = (0..self.entries.len()).filter(|at| !self.entries[*at].disabled.is_on()).collect();
        enabled.sort_by(|a, b| self.entries[*a].id.cmp(&self.entries[*b].id));
        let last = *enabled.get(usize::try_from(limit).ok()?.checked_sub(1)?)?;
        let entry = &self.entries[last];
        let name = format!("{}~", entry.name);
        let mut behind = json!({"name": name, "description": "Sorts behind."});
        if !entry.namespace.is_empty() {
            behind["namespace"] = json!(entry.namespace);
        }
        let id = Entry::read(&behind)?.id.into_owned();
        let free = self.entries.iter().all(|entry| entry.id != id);
        free.then(|| self.with_skills([self.skills.to_vec(), vec![behind]].concat()))
    }

    /// Another letter early in a shown card's text.
    fn other_letter(&self) -> Option<Value> {
        let shown = self.result.get("shown")?.as_array()?.first()?.as_str()?;
        let at = self.entries.iter().position(|entry| entry.id == shown)?;
        // Which of two texts a card shows is measured; no must leans on it.
        if !self.entries[at].short.is_empty() && !self.entries[at].description.is_empty() {
            return None;
        }
        let text = self.entries[at].card_text();
        let key = if self.entries[at].short.is_empty() { "description" } else { "short" };
        let (index, letter) = text.char_indices().take(20).find(|(_, letter)| letter.is_ascii_lowercase())?;
        let other = if letter == 'q' { "z" } else { "q" };
        let mut skills = self.skills.to_vec();
        skills[at][key] = json!(format!("{}{other}{}", &text[..index], &text[index + 1..]));
        Some(self.with_skills(skills))
    }
}
