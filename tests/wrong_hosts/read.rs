//! Reading a payload that some host wrote.

use proofmark::json::{as_count, type_name};
use serde_json::{Value, json};

use super::fault::Fault;
use super::host::{Answered, Host, refuse};

const PAYLOAD_KEYS: [&str; 9] =
    ["_type", "schema_version", "budget_chars", "used_chars", "budget_tokens", "used_tokens", "shown", "omitted", "cards"];
const CARD_KEYS: [&str; 12] = [
    "id",
    "name",
    "source",
    "description",
    "when_to_use",
    "disable_model_invocation",
    "selected",
    "omitted_reason",
    "char_estimate",
    "token_estimate",
    "lifecycle",
    "matched",
];

impl Host {
    pub(super) fn read(&self, params: &Value) -> Answered {
        let payload = &params["payload"];
        if payload["_type"] != "skill_activation_evidence" {
            return refuse("invalid_payload");
        }
        let version = &payload["schema_version"];
        let pinned = as_count(&params["pinned"]).unwrap_or(1);
        let count = as_count(version);
        let later = self.has(Fault::FutureVersionGuessed) && count.is_some_and(|count| count > pinned);
        if !(count == Some(pinned) && pinned == 1 || later || self.has(Fault::VersionIgnored)) {
            let whole = count.is_some() || type_name(version) == "integer";
            return refuse(if whole { "unsupported_version" } else { "invalid_payload" });
        }
        let (Some(shown), Some(omitted), Some(cards)) =
            (payload["shown"].as_array(), payload["omitted"].as_array(), payload["cards"].as_array())
        else {
            return refuse("invalid_payload");
        };
        if cards.iter().any(|card| !card["id"].is_string()) {
            return refuse("invalid_payload");
        }
        let unknown =
            |value: &Value, known: &[&str]| value.as_object().into_iter().flatten().any(|(key, _)| !known.contains(&key.as_str()));
        if self.has(Fault::UnknownKeysRefused) && (unknown(payload, &PAYLOAD_KEYS) || cards.iter().any(|card| unknown(card, &CARD_KEYS))) {
            return refuse("invalid_payload");
        }
        let in_order = |values: &[Value], key: &str| {
            let mut values = values.to_vec();
            if self.has(Fault::ReadSorts) {
                values.sort_by_key(|value| value.pointer(key).and_then(Value::as_str).map(str::to_owned));
            }
            values
        };
        let cards = in_order(cards, "/id");
        let rows: Vec<Value> = cards
            .iter()
            .map(|card| {
                let text = |key: &str| card[key].as_str().unwrap_or("");
                let estimate = self.tokens(self.length(&self.block(text("id"), text("description"), text("when_to_use"))));
                json!({
                    "id": card["id"],
                    "lifecycle": card["lifecycle"],
                    "selected": card["selected"],
                    "omitted_reason": card["omitted_reason"],
                    "source": card["source"],
                    "token_estimate": if self.has(Fault::ReadRecomputes) { json!(estimate) } else { card["token_estimate"].clone() },
                })
            })
            .collect();
        if self.has(Fault::DerivesFromText) {
            let ids = |selected: bool| -> Vec<&Value> {
                cards.iter().filter(|card| (card["selected"] == true) == selected).map(|card| &card["id"]).collect()
            };
            return Ok(json!({"shown": ids(true), "omitted": ids(false), "cards": rows}));
        }
        Ok(json!({"shown": in_order(shown, ""), "omitted": in_order(omitted, ""), "cards": rows}))
    }
}
