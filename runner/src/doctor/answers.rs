//! One request after another: what it declared is answered, what it did not is refused, and what is odd costs no conversation.

use proofmark::adapter::{Answer, LIFECYCLE_RUN, Operation, error_code};
use serde_json::{Value, json};

use super::check::{Check, Complaint, Found, Section};
use super::exam::{Checking, Exam, Record, UNKNOWN_METHOD};
use super::patient::{described, shown};
use super::requests::{misshapen, requests, same};

pub(super) const ANSWERS: Check = Check {
    id: "answers",
    title: "a valid request is answered in the form of its operation",
    means: "The request is the first of the published suite's. Whether the answer is right is for `proofmark run` to say.",
    advice: "Let the adapter answer this method with a result of this form, or take the operation out of the declaration.",
    section: Section::Operations,
};
pub(super) const UNDECLARED: Check = Check {
    id: "methods.undeclared",
    title: "an operation that it does not declare is answered with -32601",
    means: "That error alone says unsupported; every other is a failure to try.",
    advice: "Answer methods that the host does not have with the error -32601, and declare those that it has.",
    section: Section::Answers,
};
pub(super) const UNKNOWN: Check = Check {
    id: "methods.unknown",
    title: "an unknown method is answered with -32601, and the conversation goes on",
    means: "A later protocol may ask for more, and must not bring an older host down.",
    advice: "Answer every method that is not known with the JSON-RPC error -32601.",
    section: Section::Answers,
};
pub(super) const UNKNOWN_KEYS: Check = Check {
    id: "params.unknown-keys",
    title: "keys that it does not know in params change nothing",
    means: "A debugger may add `_meta`, and a later protocol further keys.",
    advice: "Read the keys that the operation has, and leave the others alone.",
    section: Section::Doctor,
};
pub(super) const WRONG_TYPES: Check = Check {
    id: "params.wrong-types",
    title: "params of a wrong type get an error or a refusal, and the conversation goes on",
    means: "The suite holds documents that are no documents; one of them must not end the conversation or pass as a good one.",
    advice: "Check types before use, and answer with the error -32602, or the refusal of the contract; catch what is thrown.",
    section: Section::Answers,
};

/// Operations that stand alone, without a session.
fn stand_alone() -> impl Iterator<Item = Operation> {
    Operation::ALL.into_iter().filter(|operation| operation.declared_name() != LIFECYCLE_RUN)
}

pub(super) fn examine_declared(exam: &mut Exam<'_>, record: &mut Record<'_>) {
    for operation in stand_alone().filter(|operation| exam.declaration.supports(*operation)).collect::<Vec<_>>() {
        record.check_of(&ANSWERS, Some(operation.name()), || answered(exam, operation));
    }
}

pub(super) fn examine(exam: &mut Exam<'_>, record: &mut Record<'_>) {
    record.check(&UNDECLARED, || undeclared(exam));
    record.check(&UNKNOWN, || unknown(exam));
    record.check(&UNKNOWN_KEYS, || unknown_keys(exam));
    record.check(&WRONG_TYPES, || wrong_types(exam));
}

fn answered(exam: &mut Exam<'_>, operation: Operation) -> Checking {
    let requests = requests(exam.suite, exam.judge, operation);
    let Some(first) = requests.first().cloned() else {
        return Ok(Found::Nothing("the suite has no must case of it that can be asked here".to_owned()));
    };
    let expected = misshapen(operation, &Answer::Unsupported).unwrap_or_default();
    let answer = exam.ask(operation.name(), &first.params, &expected)?;
    if let Some(expected) = misshapen(operation, &answer) {
        let complaint = Complaint::new(shown(operation.name(), &first.params), described(&answer), expected);
        let advised = match &answer {
            Answer::Unsupported => complaint.advising("Take the operation out of the declaration, or answer it."),
            Answer::Error(_) => complaint.advising("A refusal by the contract is a result; an error says that the host could not try."),
            _ => complaint,
        };
        return Err(Found::Bad(vec![advised]));
    }
    exam.healthy.push((requests, answer));
    Ok(Found::Good(None))
}

/// What came for a method that the host does not have.
fn for_no_method(exam: &mut Exam<'_>, method: &str, params: &Value) -> Result<Result<(), Complaint>, Found> {
    let expected = "the JSON-RPC error -32601";
    let answer = exam.ask(method, params, expected)?;
    Ok(if answer == Answer::Unsupported { Ok(()) } else { Err(Complaint::new(shown(method, params), described(&answer), expected)) })
}

fn undeclared(exam: &mut Exam<'_>) -> Checking {
    let left_out: Vec<Operation> = Operation::ALL.into_iter().filter(|operation| !exam.declaration.supports(*operation)).collect();
    if left_out.is_empty() {
        return Ok(Found::Nothing("it declares every operation".to_owned()));
    }
    let (mut bad, mut odd) = (Vec::new(), Vec::new());
    for operation in &left_out {
        let asked = requests(exam.suite, exam.judge_of_all, *operation).first().map_or_else(|| json!({}), |first| (*first.params).clone());
        let answer = exam.ask(operation.name(), &asked, "the JSON-RPC error -32601")?;
        match answer {
            Answer::Unsupported => {}
            // Nothing is wrong with a host that can do more than it declares.
            Answer::Result(_) | Answer::Refusal(_) => odd.push(
                Complaint::new(
                    shown(operation.name(), &asked),
                    described(&answer),
                    "the JSON-RPC error -32601, or the operation in the declaration",
                )
                .advising("Declare the operation: as it is, it is never asked."),
            ),
            Answer::Error(_) => bad.push(Complaint::new(shown(operation.name(), &asked), described(&answer), "the JSON-RPC error -32601")),
        }
    }
    Ok(match (bad.is_empty(), odd.is_empty()) {
        (false, _) => Found::Bad(bad),
        (true, false) => Found::Odd(odd),
        (true, true) => Found::Good(Some(format!("{} of them", left_out.len()))),
    })
}

fn unknown(exam: &mut Exam<'_>) -> Checking {
    // The second is what a look-up in an object finds without having been put there.
    for method in [UNKNOWN_METHOD, "constructor", ""] {
        if let Err(complaint) = for_no_method(exam, method, &json!({}))? {
            return Err(Found::Bad(vec![complaint]));
        }
        exam.is_well("an unknown method")?;
    }
    Ok(Found::Good(None))
}

fn unknown_keys(exam: &mut Exam<'_>) -> Checking {
    let firsts: Vec<_> = exam.healthy.iter().filter_map(|(requests, answer)| Some((requests.first()?.clone(), answer.clone()))).collect();
    if firsts.is_empty() {
        return Ok(Found::Nothing("no operation that stands alone was answered".to_owned()));
    }
    let mut bad = Vec::new();
    for (request, plain) in firsts {
        let mut params = (*request.params).clone();
        params["_meta"] = json!({"case": "a name for people"});
        params["x-proofmark"] = json!([1, {"nested": null}]);
        let answer = exam.ask(request.method(), &params, "the same answer as without these keys")?;
        if !same(exam.judge, &request, &plain, &answer) {
            let expected = format!("the same answer as without the keys _meta and x-proofmark: {}", described(&plain));
            bad.push(Complaint::new(shown(request.method(), &params), described(&answer), expected));
        }
    }
    Ok(Found::bad_where(bad, None))
}

/// The key that is the operation's subject.
fn subject(operation: Operation) -> &'static str {
    match operation {
        Operation::ActivationEvidence | Operation::ActivationCatalog | Operation::ActivationLoad | Operation::LifecycleOpen => "registry",
        Operation::ActivationRead => "payload",
        Operation::RegistryMerge => "layers",
        Operation::LifecycleValidateReceipt => "receipt",
        Operation::LifecycleValidateTrace => "events",
        Operation::LifecycleStep | Operation::LifecycleClose => "session",
        Operation::LifecyclePlan => "situation",
        Operation::PacketValidate => "document",
        Operation::PacketRender | Operation::PacketProject => "packet",
    }
}

fn wrong_types(exam: &mut Exam<'_>) -> Checking {
    let mut asked: Vec<(Operation, Value)> = Vec::new();
    for (requests, _) in &exam.healthy {
        let Some(first) = requests.first() else { continue };
        let mut params = (*first.params).clone();
        params[subject(first.operation)] = json!(17);
        asked.push((first.operation, params));
    }
    if exam.plays {
        asked.extend([Operation::LifecycleOpen, Operation::LifecycleStep].map(|operation| (operation, json!({subject(operation): 17}))));
    }
    if asked.is_empty() {
        return Ok(Found::Nothing("no operation was answered".to_owned()));
    }
    let (mut bad, mut odd) = (Vec::new(), Vec::new());
    for (operation, params) in asked {
        for params in [params, json!({})] {
            let expected = "the error -32602, or a refusal";
            let answer = exam.ask(operation.name(), &params, expected)?;
            let complaint = || Complaint::new(shown(operation.name(), &params), described(&answer), expected);
            match &answer {
                Answer::Refusal(_) => {}
                Answer::Error(error) if error.code == error_code::INVALID_PARAMS => {}
                Answer::Error(_) => odd.push(complaint()),
                // What is no document is a document that breaks its contract.
                Answer::Result(verdict) if operation.answers_a_verdict() && verdict["valid"] == json!(false) => {}
                Answer::Result(_) | Answer::Unsupported => bad.push(complaint()),
            }
            exam.is_well("params of a wrong type")?;
        }
    }
    Ok(if bad.is_empty() { Found::odd_where(odd) } else { Found::Bad(bad) })
}
