//! Contract 2 is worth what it catches: hosts that run a lifecycle with one fault, planners with one, validators that lack one rule. Each case
//! fails those that it names, each rule is missed when it is gone, and the reference passes.
//!
//! `cargo test --test lifecycle_hosts -- --nocapture` says which case catches which host, and by what.

#[path = "lifecycle_hosts/fault.rs"]
mod fault;
#[path = "lifecycle_hosts/host.rs"]
mod host;
#[path = "support/hosts.rs"]
mod hosts;

use std::collections::BTreeSet;

use fault::Fault;
use host::Host;
use hosts::{SUITE, assert_cases_fail_their_hosts, assert_the_reference_passes, judged, reports};
use proofmark::case::Case;
use proofmark::contract::lifecycle::{RECEIPT, TRACE};
use proofmark::policy::RulePack;

fn cases() -> impl Iterator<Item = &'static Case> {
    SUITE.cases().iter().filter(|case| [RECEIPT, TRACE].contains(&case.contract.as_str()))
}

#[test]
fn the_reference_passes_every_case_without_a_remark() {
    assert_the_reference_passes(cases(), 160);
}

#[test]
fn every_wrong_host_is_built_and_named_by_a_case() {
    let named: BTreeSet<&str> = cases().flat_map(|case| &case.catches).map(String::as_str).collect();
    for name in &named {
        assert!(Fault::named(name).is_some(), "{name} is named, and not built");
    }
    for name in Fault::NAMES {
        assert!(named.contains(name), "{name} is built, and no case names it");
    }
    // What only a run can show has a host of its own below.
    let of_documents = [RulePack::receipt(), RulePack::trace()].into_iter().flat_map(RulePack::rules).filter(|rule| rule.id != "LC-129");
    for rule in of_documents {
        assert!(named.contains(format!("without-{}", rule.id).as_str()), "no case fails where {} is gone", rule.id);
    }
}

#[test]
fn every_case_fails_the_wrong_hosts_that_it_names() {
    assert_cases_fail_their_hosts(cases(), |name| Host::new(Fault::named(name).expect("a built host, held by another test")));
}

/// Rules that a host can break in a run; the others speak of what it reports about itself, or of the form of what comes.
const OF_RUNS: [&str; 20] = [
    "LC-102", "LC-103", "LC-104", "LC-105", "LC-106", "LC-107", "LC-108", "LC-110", "LC-113", "LC-114", "LC-115", "LC-116", "LC-117",
    "LC-118", "LC-121", "LC-122", "LC-123", "LC-124", "LC-125", "LC-129",
];

#[test]
fn a_rule_that_a_running_host_breaks_is_missed_when_it_is_gone() {
    let bytes = proofmark::embedded::file("schemas/rules/skill-lifecycle-trace-v1.yaml").expect("the shipped pack");
    let text = std::str::from_utf8(bytes).expect("UTF-8");
    for rule in OF_RUNS {
        let without = RulePack::read(text).expect("the shipped pack").without(rule);
        let built = |name: &str| Host::new(Fault::named(name).expect("a built host"));
        let runs = cases().filter(|case| case.steps.iter().any(|step| step.is_run));
        let mut pairs = runs.flat_map(|case| case.catches.iter().map(move |name| (case, name)));
        let witness = pairs.find(|(case, name)| reports(&judged(&mut built(name), case, None), rule));
        let Some((case, name)) = witness else { panic!("no wrong host breaks {rule} in a run") };
        let result = judged(&mut built(name), case, Some(&without));
        assert!(!reports(&result, rule), "{rule} is reported without being there");
        println!("{rule} | {name} | {}", case.id);
    }
}
