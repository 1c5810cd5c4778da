//! The laws: what must hold between two answers whose requests differ in one way.

use serde_json::{Map, Value};

use crate::adapter::{Answer, Operation};
use crate::json;
use crate::policy::exchange::{Companion, EvidenceView, Judged, View};

const PAYLOAD_KEYS: [&str; 8] =
    ["_type", "schema_version", "budget_chars", "used_chars", "budget_tokens", "used_tokens", "shown", "omitted"];
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

/// What the contract names of an answer: further keys are compared nowhere, and null says the same as nothing.
fn named(answer: &Answer, operation: Operation, with_lifecycle: bool) -> Option<Value> {
    let result = match answer {
        Answer::Result(result) => result,
        Answer::Refusal(refusal) => return Some(Value::from(refusal.category.as_str())),
        _ => return None,
    };
    let keys: &[&str] = match operation {
        Operation::ActivationEvidence => &PAYLOAD_KEYS,
        Operation::ActivationCatalog => &["text", "shown"],
        Operation::ActivationLoad => &["body"],
        Operation::ActivationRead => &["shown", "omitted", "cards"],
        Operation::RegistryMerge => &["registry", "shadowed"],
        // No law speaks of another contract.
        _ => return None,
    };
    let pick = |value: &Value, keys: &[&str]| -> Map<String, Value> {
        let members = keys.iter().filter_map(|key| Some(((*key).to_owned(), value.get(*key)?.clone())));
        members.filter(|(_, value)| !value.is_null()).collect()
    };
    let mut named = pick(result, keys);
    if operation == Operation::ActivationEvidence {
        let cards = result.get("cards").and_then(Value::as_array)?.iter().map(|card| {
            let mut card = pick(card, &CARD_KEYS);
            if !with_lifecycle {
                card.remove("lifecycle");
            }
            Value::Object(card)
        });
        named.insert("cards".to_owned(), cards.collect());
    }
    if operation == Operation::ActivationLoad {
        let event = pick(result.get("event")?, &["type", "skill_id", "lifecycle", "source", "token_estimate"]);
        named.insert("event".to_owned(), Value::Object(event));
    }
    Some(Value::Object(named))
}

fn variant<'a>(exchange: &View<'a>) -> Option<(&'a Value, &'a Answer)> {
    match exchange.companion? {
        Companion::Variant { params, answer, .. } => Some((params, answer)),
        Companion::Twin(_) => None,
    }
}

/// The first place where two values differ, in words.
fn difference(path: &str, a: &Value, b: &Value) -> Option<(String, String)> {
    match (a, b) {
        (Value::Object(x), Value::Object(y)) => x.keys().chain(y.keys().filter(|key| !x.contains_key(*key))).find_map(|key| {
            let (x, y) = (x.get(key).unwrap_or(&Value::Null), y.get(key).unwrap_or(&Value::Null));
            difference(&json::pointer_push(path, key), x, y)
        }),
        (Value::Array(x), Value::Array(y)) if x.len() == y.len() => {
            x.iter().zip(y).enumerate().find_map(|(at, (x, y))| difference(&json::pointer_push(path, at), x, y))
        }
        _ if json::equal(a, b) => None,
        _ => Some((path.to_owned(), format!("was {}, is now {}", json::excerpt(a, 160), json::excerpt(b, 160)))),
    }
}

fn same(exchange: &View<'_>, with_lifecycle: bool) -> Judged {
    let (_, other) = variant(exchange)?;
    let first = named(exchange.answer, exchange.operation, with_lifecycle)?;
    let second = named(other, exchange.operation, with_lifecycle)?;
    Some(difference("", &first, &second).into_iter().collect())
}

/// AE-601, AE-604: the variant says nothing new, so the evidence is the same.
pub(super) fn same_evidence(exchange: &View<'_>) -> Judged {
    same(exchange, true)
}

/// AE-600: the same request gets the same answer.
pub(super) fn same_answer(exchange: &View<'_>) -> Judged {
    same(exchange, true)
}

/// AE-603: runtime states change lifecycles and nothing else.
pub(super) fn lifecycles_only(exchange: &View<'_>) -> Judged {
    same(exchange, false)
}

/// AE-605, AE-606: an entry that the model can't be shown changes neither the text nor what is shown nor its length.
pub(super) fn unseen_entry(exchange: &View<'_>) -> Judged {
    let (_, other) = variant(exchange)?;
    let (Answer::Result(first), Answer::Result(second)) = (exchange.answer, other) else {
        return same(exchange, true);
    };
    let keys: &[&str] = if exchange.operation == Operation::ActivationCatalog { &["text", "shown"] } else { &["shown", "used_chars"] };
    let findings = keys.iter().filter_map(|key| {
        difference(&format!("/{key}"), first.get(*key).unwrap_or(&Value::Null), second.get(*key).unwrap_or(&Value::Null))
    });
    Some(findings.collect())
}

fn counts(exchange: &View<'_>) -> Option<(usize, usize)> {
    let (_, other) = variant(exchange)?;
    Some((EvidenceView::of(exchange.answer)?.shown.len(), EvidenceView::of(other)?.shown.len()))
}

/// AE-602: a larger budget never shows fewer cards.
pub(super) fn never_fewer_shown(exchange: &View<'_>) -> Judged {
    let (first, second) = counts(exchange)?;
    let budget = &variant(exchange)?.0["options"]["budget"];
    let finding = || ("/shown".into(), format!("{first} cards; with the larger budget of {budget} only {second}"));
    Some(if second < first { vec![finding()] } else { Vec::new() })
}

/// AE-608: doubling the texts never shows more cards.
pub(super) fn never_more_shown(exchange: &View<'_>) -> Judged {
    let (first, second) = counts(exchange)?;
    let finding = || ("/shown".into(), format!("{first} cards; with every text doubled {second}"));
    Some(if second > first { vec![finding()] } else { Vec::new() })
}

/// AE-607: another letter in a shown card's text changes the catalog's text.
pub(super) fn another_text(exchange: &View<'_>) -> Judged {
    let (_, other) = variant(exchange)?;
    let (Answer::Result(first), Answer::Result(second)) = (exchange.answer, other) else { return None };
    let (first, second) = (first.get("text")?.as_str()?, second.get("text")?.as_str()?);
    let finding = || ("/text".into(), "is the same, though a shown card's text has another letter".into());
    Some(if first == second { vec![finding()] } else { Vec::new() })
}
