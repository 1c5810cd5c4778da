//! `activation.load` (page 10, section 6): one body by its id, with the event that a load leaves.

use serde_json::{Map, Value, json};

use super::fit;
use crate::contract::activation::{DEFAULT_PRECEDENCE, EVENT_KEYS, Entry, Flag, LOAD_EVENT_TYPE, Lifecycle, registry_skills, tokens};
use crate::contract::refusal::Category;
use crate::contract::rendering::{Order, RenderingProfile};

/// A refusal, with the event of a blocked load where there is one.
pub(super) struct Blocked {
    pub(super) category: Category,
    pub(super) event: Option<Value>,
}

impl From<Category> for Blocked {
    fn from(category: Category) -> Self {
        Self { category, event: None }
    }
}

/// Who asks for which skill.
pub(super) struct LoadRequest<'a> {
    pub(super) id: &'a str,
    pub(super) session_id: Option<&'a Value>,
    pub(super) require_signature: Flag,
    pub(super) model_invocation: bool,
}

/// The body and the event.
pub(super) fn load(registry: &Value, request: &LoadRequest<'_>, profile: &RenderingProfile) -> Result<(String, Value), Blocked> {
    let entry = find(registry, request.id)?.ok_or(Category::SkillNotFound)?;
    let provenance = entry.provenance;
    let claims = |key: &str| provenance.and_then(|members| members.get(key)).and_then(Value::as_bool).unwrap_or(false);
    let (signed, trusted) = (claims("signed"), claims("trusted"));
    let blocked = if request.model_invocation && entry.disabled.is_on() {
        Some((Category::ModelInvocationDisabled, "the model may not invoke this skill"))
    } else if (request.require_signature.is_on() || entry.require_signature.is_on()) && !(signed && trusted) {
        Some((Category::UnsignedSkill, "a trusted signature is required"))
    } else {
        None
    };
    let mut event: Map<String, Value> = provenance
        .into_iter()
        .flatten()
        .filter(|(key, _)| !EVENT_KEYS.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let lifecycle = if blocked.is_some() { Lifecycle::Omitted } else { Lifecycle::Loaded };
    let estimate = if blocked.is_some() { 0 } else { tokens(profile.unit.length(entry.body)) };
    for (key, value) in [
        ("type", json!(LOAD_EVENT_TYPE)),
        ("skill_id", json!(entry.id)),
        ("lifecycle", json!(lifecycle)),
        ("source", json!(entry.source)),
        ("disable_model_invocation", json!(entry.disabled.is_on())),
        ("token_estimate", json!(estimate)),
        ("signed", json!(signed)),
        ("trusted", json!(trusted)),
        ("session_id", request.session_id.cloned().unwrap_or(Value::Null)),
    ] {
        event.insert(key.to_owned(), value);
    }
    match blocked {
        None => Ok((entry.body.to_owned(), Value::Object(event))),
        Some((category, message)) => {
            event.insert("error".to_owned(), json!(message));
            Err(Blocked { category, event: Some(Value::Object(event)) })
        }
    }
}

/// The exact id first; only then a bare name among namespaced entries, by the page's layers, then by position.
fn find<'a>(registry: &'a Value, id: &str) -> Result<Option<Entry<'a>>, Category> {
    let skills = registry_skills(registry).ok_or(Category::InvalidRegistry)?;
    let exact = skills.iter().filter_map(Entry::read).find(|entry| entry.id == id);
    if exact.is_some() {
        return Ok(exact);
    }
    let rank = |entry: &Entry<'_>| {
        let labels = DEFAULT_PRECEDENCE.iter().flat_map(|tier| tier.iter());
        labels.into_iter().position(|label| entry.source == Some(label)).unwrap_or(usize::MAX)
    };
    Ok(fit::entries(registry, Order::Registry)?
        .into_iter()
        .filter(|entry| !entry.namespace.is_empty() && entry.name == id)
        // `min_by_key` keeps the first of equals.
        .min_by_key(rank))
}
