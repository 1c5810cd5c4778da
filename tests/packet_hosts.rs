//! Contract 3 is worth what it catches: validators, renderers and projectors with one fault, validators that lack one rule. Each case
//! fails those that it names, each rule is missed when it is gone, and the reference passes.
//!
//! `cargo test --test packet_hosts -- --nocapture` says which case catches which host, and by what.

#[path = "packet_hosts/host.rs"]
mod host;
#[path = "support/hosts.rs"]
mod hosts;

use std::collections::BTreeSet;

use host::{Host, NAMES};
use hosts::{SUITE, assert_cases_fail_their_hosts, assert_the_reference_passes, judged, reports};
use proofmark::case::Case;
use proofmark::contract::packet::NAME;
use proofmark::policy::RulePack;

fn cases() -> impl Iterator<Item = &'static Case> {
    SUITE.cases().iter().filter(|case| case.contract == NAME)
}

#[test]
fn the_reference_passes_every_case_without_a_remark() {
    assert_the_reference_passes(cases(), 180);
}

#[test]
fn every_wrong_host_is_built_and_named_by_a_case() {
    let named: BTreeSet<&str> = cases().flat_map(|case| &case.catches).map(String::as_str).collect();
    for name in &named {
        assert!(NAMES.contains(name) || name.starts_with("without-"), "{name} is named, and not built");
    }
    for name in &NAMES {
        assert!(named.contains(name), "{name} is built, and no case names it");
    }
    for rule in RulePack::packet().rules().iter().filter(|rule| rule.operations.is_empty()) {
        assert!(named.contains(format!("without-{}", rule.id).as_str()), "no case fails where {} is gone", rule.id);
    }
}

#[test]
fn every_case_fails_the_wrong_hosts_that_it_names() {
    assert_cases_fail_their_hosts(cases(), Host::new);
}

#[test]
fn a_rule_about_views_or_projections_is_missed_when_it_is_gone() {
    let bytes = proofmark::embedded::file("schemas/rules/evidence-return-packet-v0.1.yaml").expect("the shipped pack");
    let text = std::str::from_utf8(bytes).expect("UTF-8");
    for rule in RulePack::packet().rules().iter().filter(|rule| !rule.operations.is_empty()) {
        let without = RulePack::read(text).expect("the shipped pack").without(&rule.id);
        let mut pairs = cases().flat_map(|case| NAMES.into_iter().map(move |name| (case, name)));
        let witness = pairs
            .find(|(case, name)| case.catches.iter().any(|it| it == name) && reports(&judged(&mut Host::new(name), case, None), &rule.id));
        let Some((case, name)) = witness else { panic!("no wrong host breaks {}", rule.id) };
        assert!(!reports(&judged(&mut Host::new(name), case, Some(&without)), &rule.id), "{} is reported without being there", rule.id);
        println!("{} | {name} | {}", rule.id, case.id);
    }
}
