//! What it declares: known names that fit together, and what can't be judged without more.

use std::collections::BTreeSet;

use proofmark::adapter::{Declaration, LIFECYCLE_RUN, Operation};
use proofmark::case::Suite;
use proofmark::json;
use proofmark::verdict::Level;
use serde_json::{Value, json};

use super::check::{Check, Complaint, Found, Section};
use super::exam::Record;

pub(super) const FORM: Check = Check {
    id: "declaration.form",
    title: "its answer to `initialize` is a declaration",
    means: "Everything that is asked follows from the declaration; a host is held to it.",
    advice: "Correct each key that is named; `proofmark explain protocol` has a declaration to start from.",
    section: Section::Declares,
};
pub(super) const OPERATIONS: Check = Check {
    id: "declaration.operations",
    title: "it declares operations that there are, each once",
    means: "An operation whose name is misspelt is never asked, and its cases count as unsupported.",
    advice: "Take the names from the table of operations.",
    section: Section::Operations,
};
pub(super) const CONTRACTS: Check = Check {
    id: "declaration.contracts",
    title: "the contracts that it declares fit its operations",
    means: "A report says which contract a host keeps, and in which version.",
    advice: "Name the contract of every declared operation, with a version that this kit knows, and no other.",
    section: Section::Declares,
};
pub(super) const MAX_IN_FLIGHT: Check = Check {
    id: "declaration.max-in-flight",
    title: "it takes a sane number of requests at once",
    means: "So many requests may be open; a host that answers them one by one has to hold all of them.",
    advice: "Declare what the host can hold; a run sends no more than 64 at once unless it is told to.",
    section: Section::Declares,
};
pub(super) const RENDERING: Check = Check {
    id: "declaration.rendering",
    title: "it declares a rendering profile where its operations depend on one",
    means: "Without the profile nothing that depends on the layout of the catalog is judged, and a run passes in part at best.",
    advice: "Declare what the catalog costs around the texts.",
    section: Section::Declares,
};
pub(super) const CONTACT: Check = Check {
    id: "declaration.contact",
    title: "it says where it lives and where to report bugs",
    means: "Who reads a report wants to reach the people behind the host.",
    advice: "Add `url` and `issues` to `implementation`, where the host has such pages.",
    section: Section::Declares,
};

/// More requests at once than any host holds on purpose.
const MANY: u64 = 10_000;

const ASKED: &str = "initialize";

pub(super) fn examine(declaration: &Declaration, suite: &Suite, record: &mut Record<'_>) {
    record.check(&OPERATIONS, || Ok(operations(declaration)));
    record.check(&CONTRACTS, || Ok(contracts(declaration)));
    record.check(&MAX_IN_FLIGHT, || {
        let count = declaration.max_in_flight;
        let complaint = || Complaint::new(ASKED, format!("max_in_flight: {count}"), format!("a number from 1 to {MANY}"));
        Ok(Found::odd_where((count > MANY).then(complaint).into_iter().collect()))
    });
    record.check(&RENDERING, || Ok(rendering(declaration, suite)));
    record.check(&CONTACT, || {
        let implementation = &declaration.implementation;
        let missing: Vec<&str> = [("url", &implementation.url), ("issues", &implementation.issues)]
            .into_iter()
            .filter_map(|(key, value)| value.as_ref().is_none_or(|value| value.trim().is_empty()).then_some(key))
            .collect();
        let came =
            || Complaint::new(ASKED, format!("an implementation without {}", missing.join(" and ")), "both, where there are such pages");
        Ok(Found::odd_where((!missing.is_empty()).then(came).into_iter().collect()))
    });
}

fn operations(declaration: &Declaration) -> Found {
    let known = Operation::declared_names();
    let (mut bad, mut odd, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
    if declaration.operations.is_empty() {
        bad.push(Complaint::new(ASKED, "operations: []", "at least one operation: nothing else is ever asked"));
    }
    for name in &declaration.operations {
        let came = format!("operations with {}", json::excerpt(&json!(name), 80));
        if !seen.insert(name) {
            odd.push(Complaint::new(ASKED, format!("{came} twice"), "each name once"));
        } else if !known.contains(&name.as_str()) {
            let expected = match Operation::from_name(name) {
                Some(_) => format!("{LIFECYCLE_RUN}, which stands for lifecycle.open, lifecycle.step and lifecycle.close together"),
                None => match crate::filter::nearest(name, known.iter().copied()) {
                    Some(near) => format!("an operation of the protocol; did you mean {near}?"),
                    None => format!("operations of the protocol: {}", known.join(", ")),
                },
            };
            bad.push(Complaint::new(ASKED, came, expected));
        }
    }
    if bad.is_empty() && odd.is_empty() {
        return Found::Good(Some(format!("{} of {}", seen.len(), known.len())));
    }
    if bad.is_empty() { Found::Odd(odd) } else { Found::Bad(bad) }
}

fn contracts(declaration: &Declaration) -> Found {
    let (mut bad, mut odd) = (Vec::new(), Vec::new());
    let mut needed: Vec<(&str, Value)> = Vec::new();
    for operation in Operation::ALL.into_iter().filter(|operation| declaration.supports(*operation)) {
        if needed.iter().all(|(name, _)| *name != operation.contract()) {
            needed.push((operation.contract(), operation.contract_version()));
        }
    }
    for (name, version) in &needed {
        match declaration.contracts.get(*name) {
            None => bad.push(Complaint::new(
                ASKED,
                format!("operations of the contract {name}, which `contracts` lacks"),
                format!("contracts with \"{name}\": [{version}]"),
            )),
            Some(versions) if !versions.iter().any(|it| json::equal(it, version)) => bad.push(Complaint::new(
                ASKED,
                format!("\"{name}\": {}", json::excerpt(&json!(versions), 120)),
                format!("a version that this kit knows among them: {version}"),
            )),
            Some(_) => {}
        }
    }
    for name in declaration.contracts.keys().filter(|name| needed.iter().all(|(needed, _)| needed != name)) {
        let of_it = Operation::ALL.into_iter().filter(|operation| operation.contract() == name);
        let mut names: Vec<&str> = of_it.map(Operation::declared_name).collect();
        names.dedup();
        let came = format!("the contract {} without an operation of it", json::excerpt(&json!(name), 80));
        let expected = if names.is_empty() {
            "skill_activation_evidence, skill_lifecycle or evidence_return_packet".to_owned()
        } else {
            format!("one of its operations too: {}", names.join(", "))
        };
        odd.push(Complaint::new(ASKED, came, expected));
    }
    if bad.is_empty() { Found::odd_where(odd) } else { Found::Bad(bad) }
}

fn rendering(declaration: &Declaration, suite: &Suite) -> Found {
    if declaration.rendering.is_some() {
        return Found::Good(None);
    }
    let takes = |operation: &Operation| operation.takes_profile() && declaration.supports(*operation);
    let names: Vec<&str> = Operation::ALL.into_iter().filter(takes).map(Operation::name).collect();
    if names.is_empty() {
        return Found::Nothing("no declared operation depends on a layout".to_owned());
    }
    let lost = suite.cases().iter().filter(|case| {
        let asked = case.steps.iter().all(|step| declaration.supports(step.operation));
        case.level == Level::Must && asked && case.needs_profile()
    });
    let came = format!("{} without a rendering profile: {} must cases can't be judged", names.join(", "), lost.count());
    Found::Odd(vec![Complaint::new(ASKED, came, "the key `rendering`, as the section on the rendering profile has it")])
}
