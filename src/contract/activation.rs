//! Contract 1, skill activation evidence, schema version 1: names, vocabularies, the payload's types, and how an entry is read.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

/// The contract's name.
pub const NAME: &str = "skill_activation_evidence";
/// The schema version that this kit knows.
pub const SCHEMA_VERSION: u64 = 1;
/// `_type` of a registry.
pub const REGISTRY_TYPE: &str = "skill_registry";
/// `_type` of the evidence payload.
pub const EVIDENCE_TYPE: &str = "skill_activation_evidence";
/// `type` of the event that a load leaves.
pub const LOAD_EVENT_TYPE: &str = "skill.loaded";
/// The catalog budget where none is given, in characters.
pub const DEFAULT_BUDGET: u64 = 2000;
/// Keys of a `skill.loaded` event that provenance can't overwrite.
pub const EVENT_KEYS: [&str; 10] =
    ["type", "skill_id", "lifecycle", "source", "disable_model_invocation", "token_estimate", "signed", "trusted", "error", "session_id"];
/// The page's layers: tiers from strongest to weakest.
pub const DEFAULT_PRECEDENCE: [&[&str]; 5] = [&["bundled", "cli"], &["runtime"], &["host", "project"], &["package"], &["user"]];

/// Where a skill stands in the disclosure lifecycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lifecycle {
    /// Model-invocable; no card was rendered and nothing dropped it.
    Eligible,
    /// Its card was rendered.
    Shown,
    /// Its card was dropped.
    Omitted,
    /// Its body was pulled.
    Loaded,
    /// Its body drove an action.
    Used,
}

/// Why a card was not rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OmittedReason {
    /// The rendered catalog would have outgrown the budget.
    Budget,
    /// The cap on cards was reached.
    CatalogLimit,
    /// The model may not invoke it.
    DisableModelInvocation,
}

/// The four reasons and five states in the page's spelling, for rules and messages.
pub const LIFECYCLES: [&str; 5] = ["eligible", "shown", "omitted", "loaded", "used"];

/// The activation evidence payload.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evidence<'a> {
    /// Always [`EVIDENCE_TYPE`].
    #[serde(rename = "_type")]
    pub kind: &'static str,
    /// Always [`SCHEMA_VERSION`].
    pub schema_version: u64,
    /// The budget that was asked for, in the profile's unit; from the floor up it is the one that was kept.
    pub budget_chars: u64,
    /// The length of the rendered catalog, in the profile's unit.
    pub used_chars: u64,
    /// `budget_chars` in tokens.
    pub budget_tokens: u64,
    /// `used_chars` in tokens.
    pub used_tokens: u64,
    /// Ids whose card was rendered, in card order.
    pub shown: Vec<Cow<'a, str>>,
    /// Ids whose card was not rendered, in card order.
    pub omitted: Vec<Cow<'a, str>>,
    /// One card for each id, in card order.
    pub cards: Vec<Card<'a>>,
}

/// What happened to one skill.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Card<'a> {
    /// `namespace/name`, or the name alone.
    pub id: Cow<'a, str>,
    /// The entry's name.
    pub name: &'a str,
    /// The label of the layer that won, if known.
    pub source: Option<&'a str>,
    /// The text that the card shows.
    pub description: &'a str,
    /// When to use the skill.
    pub when_to_use: &'a str,
    /// Whether the model may not invoke it.
    pub disable_model_invocation: bool,
    /// Whether the card was rendered.
    pub selected: bool,
    /// Why not, where it was not.
    pub omitted_reason: Option<OmittedReason>,
    /// What the card costs, in the profile's unit.
    pub char_estimate: u64,
    /// `char_estimate` in tokens.
    pub token_estimate: u64,
    /// Where the skill stands.
    pub lifecycle: Lifecycle,
    /// Match evidence, where the host merged any.
    pub matched: Option<Matched<'a>>,
}

/// Why a skill matched the turn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Matched<'a> {
    /// The entry's score as it stands there, 0 where it has none.
    pub score: Cow<'a, Value>,
    /// The entry's reason, empty where it has none.
    pub reason: &'a str,
}

/// Characters to tokens: four each, rounded up.
#[must_use]
pub fn tokens(chars: u64) -> u64 {
    chars.div_ceil(4)
}

/// A flag as an entry spells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flag {
    /// Absent or null.
    Absent,
    /// A boolean.
    Set(bool),
    /// Of another type: taken as true, or refused; never compared.
    Odd,
}

impl Flag {
    /// How a value reads as a flag.
    #[must_use]
    pub fn read(value: &Value) -> Self {
        match value {
            Value::Null => Self::Absent,
            Value::Bool(set) => Self::Set(*set),
            _ => Self::Odd,
        }
    }

    /// Whether the flag counts as set.
    #[must_use]
    pub fn is_on(self) -> bool {
        matches!(self, Self::Set(true) | Self::Odd)
    }
}

/// A registry entry, read as page 10 says: keys with hyphens or underscores, fields of another type taken as absent.
#[derive(Debug, Clone)]
pub struct Entry<'a> {
    /// The entry's id.
    pub id: Cow<'a, str>,
    /// Its name, never empty.
    pub name: &'a str,
    /// Its namespace, empty where it has none.
    pub namespace: &'a str,
    /// Its short text, empty where it has none.
    pub short: &'a str,
    /// Its description, empty where it has none.
    pub description: &'a str,
    /// When to use it, empty where it does not say.
    pub when_to_use: &'a str,
    /// Its layer label; an empty one counts as none.
    pub source: Option<&'a str>,
    /// Whether the model may not invoke it.
    pub disabled: Flag,
    /// Whether a signature is required to load it.
    pub require_signature: Flag,
    /// Its numeric score.
    pub score: Option<&'a Value>,
    /// Why it matched, empty where it does not say.
    pub reason: &'a str,
    /// What loading it returns.
    pub body: &'a str,
    /// Where it came from and whether it is signed.
    pub provenance: Option<&'a serde_json::Map<String, Value>>,
}

impl<'a> Entry<'a> {
    /// Reads an entry; `None` for what is no mapping or has no name, which takes no part.
    #[must_use]
    pub fn read(value: &'a Value) -> Option<Self> {
        let members = value.as_object()?;
        let (mut name, mut namespace, mut short, mut description, mut when_to_use) = ("", "", "", "", "");
        let (mut source, mut reason, mut trigger, mut body, mut prompt) = (None, "", "", "", "");
        let (mut disabled, mut require_signature) = (Flag::Absent, Flag::Absent);
        let (mut score, mut provenance) = (None, None);
        for (key, value) in members {
            let key: Cow<'_, str> = if key.contains('-') {
                let underscored = key.replace('-', "_");
                // The underscored twin wins, in whatever order the two come.
                if members.contains_key(&underscored) {
                    continue;
                }
                underscored.into()
            } else {
                key.as_str().into()
            };
            let text = value.as_str().unwrap_or("");
            match &*key {
                "name" => name = text,
                "namespace" => namespace = text,
                "short" => short = text,
                "description" => description = text,
                "when_to_use" => when_to_use = text,
                "source" => source = Some(text).filter(|text| !text.is_empty()),
                "reason" => reason = text,
                "trigger" => trigger = text,
                "body" => body = text,
                "prompt" => prompt = text,
                "disable_model_invocation" => disabled = Flag::read(value),
                "require_signature" => require_signature = Flag::read(value),
                "score" => score = Some(value).filter(|value| value.is_number()),
                "provenance" => provenance = value.as_object(),
                _ => {}
            }
        }
        if name.is_empty() {
            return None;
        }
        let id = if namespace.is_empty() { Cow::Borrowed(name) } else { Cow::Owned(format!("{namespace}/{name}")) };
        Some(Self {
            id,
            name,
            namespace,
            short,
            description,
            when_to_use,
            source,
            disabled,
            require_signature,
            score,
            reason: if reason.is_empty() { trigger } else { reason },
            body: if body.is_empty() { prompt } else { body },
            provenance,
        })
    }

    /// The text that the card shows: the short one where there is one.
    #[must_use]
    pub fn card_text(&self) -> &'a str {
        if self.short.is_empty() { self.description } else { self.short }
    }

    /// The match evidence that the entry carries.
    #[must_use]
    pub fn matched(&self) -> Option<Matched<'a>> {
        (self.score.is_some() || !self.reason.is_empty())
            .then(|| Matched { score: self.score.map_or_else(|| Cow::Owned(Value::from(0)), Cow::Borrowed), reason: self.reason })
    }
}

/// The entries of a registry value, or `None` where it is no registry: no mapping, another `_type`, `skills` no list.
#[must_use]
pub fn registry_skills(registry: &Value) -> Option<&Vec<Value>> {
    let members = registry.as_object()?;
    if members.get("_type")?.as_str() != Some(REGISTRY_TYPE) {
        return None;
    }
    members.get("skills")?.as_array()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn underscores_win_over_hyphens() {
        let value = json!({"name": "a", "when-to-use": "hyphen", "when_to_use": "underscore", "disable-model-invocation": true});
        let entry = Entry::read(&value).unwrap();
        assert_eq!(entry.when_to_use, "underscore");
        assert_eq!(entry.disabled, Flag::Set(true));
    }

    #[test]
    fn the_id_has_the_namespace_where_there_is_one() {
        for (value, id) in [
            (json!({"name": "a", "namespace": "n/m"}), "n/m/a"),
            (json!({"name": "a", "namespace": ""}), "a"),
            (json!({"name": "a", "namespace": 7}), "a"),
        ] {
            assert_eq!(Entry::read(&value).unwrap().id, id);
        }
    }

    #[test]
    fn what_has_no_name_takes_no_part() {
        for value in [json!({}), json!({"name": ""}), json!({"name": 1}), json!(null), json!(["name"])] {
            assert!(Entry::read(&value).is_none(), "{value}");
        }
    }

    #[test]
    fn tokens_are_rounded_up() {
        assert_eq!([0, 1, 4, 5, 68].map(tokens), [0, 1, 1, 2, 17]);
    }
}
