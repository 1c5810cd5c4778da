//! What is asked: real requests, taken from the published suite.

use std::collections::HashSet;
use std::sync::Arc;

use proofmark::adapter::{Answer, Operation};
use proofmark::case::{Case, Expectation, Suite};
use proofmark::json;
use proofmark::judge::{Exchanged, Judge};
use proofmark::verdict::Level;
use serde_json::{Value, json};

/// Requests of one operation that are kept, beside the first.
const KEPT: usize = 16;
/// A longer request is about scale, and the checks of size ask those of their own.
const MAX_CHARS: usize = 20_000;

/// A request that the suite asks.
#[derive(Debug, Clone)]
pub(super) struct Request<'s> {
    pub(super) case: &'s Case,
    pub(super) operation: Operation,
    pub(super) params: Arc<Value>,
}

impl Request<'_> {
    pub(super) fn method(&self) -> &'static str {
        self.operation.name()
    }
}

/// The first requests of each operation that stands alone: those of must cases, the ones with a result or a verdict before refusals.
pub(super) fn requests<'s>(suite: &'s Suite, judge: &Judge<'s>, operation: Operation) -> Vec<Request<'s>> {
    let of_it =
        |case: &&Case| case.level == Level::Must && case.steps.first().is_some_and(|step| step.operation == operation && !step.is_run);
    let is_refused = |case: &&Case| !matches!(case.steps[0].expect, Some(Expectation::Result(_) | Expectation::Verdict(_)));
    let mut cases: Vec<&Case> = suite.cases().iter().filter(of_it).collect();
    cases.sort_by_key(is_refused);
    let mut seen = HashSet::new();
    let found = cases.into_iter().filter_map(|case| {
        let call = judge.begin(case).ok()?.start().into_iter().next()?;
        let text = call.params.to_string();
        let fresh = text.len() <= MAX_CHARS && seen.insert(text);
        fresh.then_some(Request { case, operation, params: call.params })
    });
    found.take(KEPT).collect()
}

/// Cases that play a listed world in which a skill is at work, with different givens: what two sessions are made of.
pub(super) fn runs(suite: &Suite) -> Vec<&Case> {
    let steps = |case: &&Case| {
        let world = case.steps[0].given.get("world").and_then(Value::as_array);
        world.is_some_and(|world| world.iter().any(|event| event["type"] == "step.started"))
    };
    let mut cases: Vec<&Case> = Vec::new();
    for case in suite.cases().iter().filter(|case| case.level == Level::Must && case.steps.len() == 1 && case.steps[0].is_run) {
        if steps(&case) && cases.iter().all(|other| other.steps[0].given["world"] != case.steps[0].given["world"]) {
            cases.push(case);
        }
        if cases.len() == 2 {
            break;
        }
    }
    cases
}

/// What keeps an answer from having the form of its operation, in words; the rest is for `run` to judge.
pub(super) fn misshapen(operation: Operation, answer: &Answer) -> Option<String> {
    let result = match answer {
        Answer::Result(result) => result,
        Answer::Refusal(_) => return None,
        Answer::Unsupported | Answer::Error(_) => return Some(form(operation).to_owned()),
    };
    let has = |key: &str, is: fn(&Value) -> bool| result.get(key).is_some_and(is);
    let good = match operation {
        Operation::ActivationEvidence => result["_type"].is_string() && has("cards", Value::is_array) && has("shown", Value::is_array),
        Operation::ActivationCatalog => has("text", Value::is_string) && has("shown", Value::is_array),
        Operation::ActivationLoad => has("body", |_| true) && has("event", Value::is_object),
        Operation::ActivationRead => has("shown", Value::is_array) && has("omitted", Value::is_array) && has("cards", Value::is_array),
        Operation::RegistryMerge => has("registry", Value::is_object) && has("shadowed", Value::is_array),
        Operation::LifecycleValidateReceipt | Operation::LifecycleValidateTrace | Operation::PacketValidate => {
            has("valid", Value::is_boolean)
        }
        Operation::LifecycleOpen => has("session", Value::is_string),
        Operation::LifecycleStep => has("events", Value::is_array),
        Operation::LifecycleClose => result.is_object(),
        Operation::LifecyclePlan => has("skill_lifecycle_profile", Value::is_string),
        Operation::PacketRender => has("view", Value::is_object),
        Operation::PacketProject => has("projection", Value::is_object),
    };
    (!good).then(|| form(operation).to_owned())
}

/// The form of an operation's result, as the protocol's table has it.
fn form(operation: Operation) -> &'static str {
    match operation {
        Operation::ActivationEvidence => "the evidence payload, {_type, …, shown: [id], cards: […]}, or a refusal",
        Operation::ActivationCatalog => "{text, shown: [id]}, or a refusal",
        Operation::ActivationLoad => "{body, event}, or a refusal",
        Operation::ActivationRead => "{shown, omitted, cards}, or a refusal",
        Operation::RegistryMerge => "{registry, shadowed}, or a refusal",
        Operation::LifecycleValidateReceipt | Operation::LifecycleValidateTrace | Operation::PacketValidate => {
            "a verdict, {valid, violations, not_judged}"
        }
        Operation::LifecycleOpen => "{session}, a text",
        Operation::LifecycleStep => "{events: [event]}",
        Operation::LifecycleClose => "{}",
        Operation::LifecyclePlan => "{skill_lifecycle_profile, ttl}, or a refusal",
        Operation::PacketRender => "{view: {depth, packet, missing}, text?}, or a refusal",
        Operation::PacketProject => "{projection: {read_only, packet, missing}}, or a refusal",
    }
}

/// Whether two answers to one request say the same, as far as the contract names what they say: a time or a text for people may differ.
pub(super) fn same(judge: &Judge<'_>, request: &Request<'_>, first: &Answer, second: &Answer) -> bool {
    match (first, second) {
        (Answer::Error(first), Answer::Error(second)) => first.code == second.code,
        (Answer::Unsupported, Answer::Unsupported) => true,
        (Answer::Refusal(first), Answer::Refusal(second)) => first.category == second.category,
        (Answer::Result(one), Answer::Result(other)) => match request.operation {
            Operation::LifecyclePlan => json::equal(&one["skill_lifecycle_profile"], &other["skill_lifecycle_profile"]),
            Operation::PacketRender => json::equal(&one["view"], &other["view"]),
            Operation::PacketProject => json::equal(&one["projection"], &other["projection"]),
            operation if operation.answers_a_verdict() => verdict(one) == verdict(other),
            _ => {
                let exchange = Exchanged { operation: request.operation, params: Arc::clone(&request.params), answer: first.clone() };
                judge.repeated(request.case, &exchange, second).is_empty()
            }
        },
        _ => false,
    }
}

/// A verdict without its words and its order.
fn verdict(value: &Value) -> (Value, Vec<String>) {
    let rows = value["violations"].as_array().map_or(&[][..], Vec::as_slice);
    let mut rows: Vec<String> = rows.iter().map(|row| json!([row["rule"], row["level"], row["path"]]).to_string()).collect();
    rows.sort_unstable();
    (value["valid"].clone(), rows)
}

/// What the contract names of the events that a running host answered with: receipts carry times.
pub(super) fn doings(answer: &Answer) -> Vec<Value> {
    let Answer::Result(result) = answer else { return vec![Value::Null] };
    let events = result["events"].as_array().map_or(&[][..], Vec::as_slice);
    let named = |event: &Value| {
        json!([event["type"], event["skill_id"], event["file"], event["origin"], event["hash"], event["skill_lifecycle_profile"]])
    };
    events.iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use proofmark::adapter::{Hello, Implementation as _, RunnerInfo};
    use proofmark::reference::Reference;

    use super::*;

    #[test]
    fn every_operation_has_real_requests_whose_answers_have_its_form() {
        let suite = Suite::embedded().unwrap();
        let mut reference = Reference::default();
        let hello = Hello { protocol: vec![1], runner: RunnerInfo::default(), suite: suite.info(), nonce: String::new() };
        let declaration = reference.initialize(&hello).unwrap();
        let judge = Judge::new(&suite, &declaration);
        for operation in Operation::ALL {
            let requests = requests(&suite, &judge, operation);
            let first = requests.first().unwrap_or_else(|| panic!("{operation}"));
            let answer = reference.call(operation, &first.params);
            assert_eq!(misshapen(operation, &answer), None, "{operation}");
            if operation != Operation::LifecycleStep && operation != Operation::LifecycleClose {
                assert!(matches!(answer, Answer::Result(_)), "{operation}: {answer:?}");
            }
            assert!(misshapen(operation, &Answer::Unsupported).is_some());
            assert_eq!(misshapen(operation, &Answer::Result(json!(7))), Some(form(operation).to_owned()));
        }
        let [first, second] = runs(&suite)[..] else { panic!("two runs") };
        assert_ne!(first.id, second.id);
    }
}
