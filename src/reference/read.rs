//! `activation.read` (page 10, section 6): the consumer's side. Nothing is recomputed and nothing is guessed.

use serde_json::{Map, Value, json};

use crate::contract::activation::{EVIDENCE_TYPE, SCHEMA_VERSION};
use crate::contract::refusal::Category;
use crate::json::as_count;

const ROW: [&str; 6] = ["id", "lifecycle", "selected", "omitted_reason", "source", "token_estimate"];

/// What a reader says of a payload.
pub(super) fn read(payload: &Value, pinned: u64) -> Result<Value, Category> {
    let members = payload.as_object().ok_or(Category::InvalidPayload)?;
    if members.get("_type").and_then(Value::as_str) != Some(EVIDENCE_TYPE) {
        return Err(Category::InvalidPayload);
    }
    let version = members.get("schema_version").ok_or(Category::InvalidPayload)?;
    match as_count(version) {
        Some(version) if version == pinned && version == SCHEMA_VERSION => {}
        // A whole number beyond what is counted, or a negative one, is a version that nobody knows.
        Some(_) => return Err(Category::UnsupportedVersion),
        None if crate::json::type_name(version) == "integer" => return Err(Category::UnsupportedVersion),
        None => return Err(Category::InvalidPayload),
    }
    let list = |key: &str| members.get(key).and_then(Value::as_array).ok_or(Category::InvalidPayload);
    let (shown, omitted) = (list("shown")?, list("omitted")?);
    let cards = list("cards")?
        .iter()
        .map(|card| {
            let card = card.as_object().ok_or(Category::InvalidPayload)?;
            card.get("id").and_then(Value::as_str).ok_or(Category::InvalidPayload)?;
            let row: Map<String, Value> =
                ROW.iter().map(|key| ((*key).to_owned(), card.get(*key).cloned().unwrap_or(Value::Null))).collect();
            Ok(Value::Object(row))
        })
        .collect::<Result<Vec<_>, Category>>()?;
    Ok(json!({"shown": shown, "omitted": omitted, "cards": cards}))
}
