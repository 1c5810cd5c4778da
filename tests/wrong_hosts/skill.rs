//! Registries and their entries, as the host reads them.

use std::collections::HashSet;

use proofmark::contract::rendering::Order;
use serde_json::{Map, Value, json};

use super::fault::Fault;
use super::host::{Host, Refused, compose, refuse};

/// An entry.
pub(super) struct Skill<'a> {
    pub(super) id: String,
    /// Its place in the registry.
    pub(super) listed: usize,
    pub(super) name: &'a str,
    pub(super) namespace: &'a str,
    pub(super) text: &'a str,
    pub(super) when_to_use: &'a str,
    pub(super) source: Option<&'a str>,
    pub(super) disabled: bool,
    pub(super) require_signature: bool,
    pub(super) score: f64,
    pub(super) matched: Value,
    pub(super) body: &'a str,
    pub(super) provenance: Option<&'a Map<String, Value>>,
}

impl Host {
    /// The entries that take part, in the registry's order; more than one for an id where the registry has more.
    pub(super) fn skills<'a>(&self, registry: &'a Value) -> Result<Vec<Skill<'a>>, Refused> {
        let sound = registry["_type"] == "skill_registry";
        let entries = match registry["skills"].as_array().filter(|_| sound) {
            Some(entries) => entries.as_slice(),
            None if self.has(Fault::InvalidRegistryAccepted) => &[],
            None => return refuse("invalid_registry"),
        };
        if entries.is_empty() && self.has(Fault::EmptyRegistryRefused) {
            return refuse("invalid_registry");
        }
        let skills: Vec<Option<Skill<'_>>> = entries.iter().map(|entry| self.skill(entry)).collect();
        let unknown = |entry: &Value| entry.as_object().is_some_and(|entry| entry.keys().any(|key| key.starts_with("x-")));
        if self.has(Fault::UnknownEntryKeysRefused) && entries.iter().any(unknown) {
            return refuse("invalid_registry");
        }
        if self.has(Fault::BrokenEntryRefusesRegistry) && skills.iter().any(Option::is_none) {
            return refuse("invalid_registry");
        }
        Ok(skills.into_iter().flatten().enumerate().map(|(listed, skill)| Skill { listed, ..skill }).collect())
    }

    /// One skill for each id, in card order.
    pub(super) fn cards<'a>(&self, registry: &'a Value) -> Result<Vec<Skill<'a>>, Refused> {
        let mut skills = self.skills(registry)?;
        if !self.has(Fault::TwoCardsForOneId) {
            let mut seen = HashSet::new();
            skills.retain(|skill| seen.insert(self.key(&skill.id)));
        }
        skills.retain(|skill| !(self.has(Fault::DescriptionRequired) && skill.text.is_empty()));
        skills.retain(|skill| !(self.has(Fault::IdsAsObjectKeys) && skill.id == "__proto__"));
        if self.has(Fault::OrderByFoldedCase) {
            skills.sort_by_key(|skill| (skill.id.to_lowercase(), skill.id.clone()));
        } else if self.has(Fault::OrderByUtf16) {
            skills.sort_by(|a, b| a.id.encode_utf16().cmp(b.id.encode_utf16()));
        } else if self.has(Fault::OrderByName) {
            skills.sort_by_key(|skill| (skill.name, skill.namespace));
        } else if self.has(Fault::IdsAsObjectKeys) {
            // An object keeps keys that look like array indices first and by number, whatever was put in first.
            let index = |id: &str| id.parse::<u32>().ok().filter(|number| number.to_string() == id);
            skills.sort_by_key(|skill| (index(&skill.id).is_none(), index(&skill.id), skill.id.clone()));
        } else if !self.has(Fault::RegistryOrder) && self.profile.order == Order::Id {
            skills.sort_by(|a, b| a.id.cmp(&b.id));
        }
        Ok(skills)
    }

    /// What two ids are told apart by.
    pub(super) fn key(&self, id: &str) -> String {
        if self.has(Fault::IdsCaseFolded) { id.to_lowercase() } else { self.spelled(id) }
    }

    /// An id as this host spells it.
    pub(super) fn spelled(&self, id: &str) -> String {
        if self.has(Fault::IdsNormalised) { compose(id) } else { id.to_owned() }
    }

    /// An entry; `None` for what is no mapping or has no name.
    pub(super) fn skill<'a>(&self, entry: &'a Value) -> Option<Skill<'a>> {
        static NULL: Value = Value::Null;
        let members = entry.as_object()?;
        let hyphens = !self.has(Fault::HyphenKeysIgnored);
        let get = |key: &str| {
            let other = || members.get(&key.replace('_', "-")).filter(|_| hyphens && key.contains('_'));
            members.get(key).or_else(other).unwrap_or(&NULL)
        };
        let text = |key: &str| get(key).as_str().unwrap_or("");
        let card_text = |key: &str| if self.has(Fault::TrimsTexts) { text(key).trim() } else { text(key) };
        let first = |a: &'a str, b: &'a str| if a.is_empty() { b } else { a };
        let (name, namespace) = (text("name"), text("namespace"));
        if name.is_empty() {
            return None;
        }
        let id = match namespace {
            "" => name.to_owned(),
            _ if self.has(Fault::NamespaceDropped) => name.to_owned(),
            _ if self.has(Fault::IdsWithColons) => format!("{namespace}:{name}"),
            _ => format!("{namespace}/{name}"),
        };
        let description = if self.has(Fault::DescriptionBeforeShort) {
            first(card_text("description"), card_text("short"))
        } else {
            first(card_text("short"), card_text("description"))
        };
        let body =
            if self.has(Fault::LoadReturnsPromptFirst) { first(text("prompt"), text("body")) } else { first(text("body"), text("prompt")) };
        Some(Skill {
            id: self.spelled(&id),
            listed: 0,
            name,
            namespace,
            text: match description {
                _ if self.has(Fault::CutsLongDescriptions) => cut(description, 1024),
                _ if self.has(Fault::DropsLongDescriptions) && cut(description, 250) != description => "",
                _ => description,
            },
            when_to_use: card_text("when_to_use"),
            source: Some(text("source")).filter(|label| !label.is_empty()),
            disabled: match get("disable_model_invocation") {
                Value::Null => false,
                Value::Bool(set) => *set,
                _ => !self.has(Fault::FlagTextTakenAsFalse),
            },
            require_signature: match get("require_signature") {
                _ if self.has(Fault::HyphenatedDemandIgnored) => is_set(members.get("require_signature").unwrap_or(&NULL)),
                demand => is_set(demand),
            },
            score: get("score").as_f64().unwrap_or(0.0),
            matched: self.matched(get("score"), first(text("reason"), text("trigger"))),
            body: if self.has(Fault::LoadTrimsBody) { body.trim() } else { body },
            provenance: get("provenance").as_object(),
        })
    }

    fn matched(&self, score: &Value, reason: &str) -> Value {
        let score = Some(score).filter(|score| score.is_number());
        let score = score.filter(|score| !(self.has(Fault::ScoreZeroLost) && score.as_f64() == Some(0.0)));
        match score {
            _ if self.has(Fault::MatchedDropped) => Value::Null,
            None if reason.is_empty() && self.has(Fault::MatchedAlwaysThere) => json!({}),
            None if reason.is_empty() => Value::Null,
            _ => json!({"score": score.cloned().unwrap_or(json!(0)), "reason": reason}),
        }
    }
}

/// A request whose registry has texts in place of numbers, where texts belong.
pub(super) fn with_texts_for_numbers(params: &Value) -> Value {
    let mut params = params.clone();
    for entry in params.pointer_mut("/registry/skills").and_then(Value::as_array_mut).into_iter().flatten() {
        for key in ["name", "short", "description", "when_to_use", "source", "body"] {
            if let Some(value) = entry.get_mut(key).filter(|value| value.is_number()) {
                *value = json!(value.to_string());
            }
        }
    }
    params
}

/// How a flag reads that only an absent value, null and false leave unset.
pub(super) fn is_set(flag: &Value) -> bool {
    !matches!(flag, Value::Null | Value::Bool(false))
}

/// The first so many characters of a text.
pub(super) fn cut(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}
