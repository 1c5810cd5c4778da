//! Contract 2 is worth what it catches: hosts that run a lifecycle with one fault, planners with one, validators that lack one rule. Each case
//! fails those that it names, each rule is missed when it is gone, and the reference passes.
//!
//! `cargo test --test lifecycle_hosts -- --nocapture` says which case catches which host, and by what.

#[path = "lifecycle_hosts/fault.rs"]
mod fault;
#[path = "lifecycle_hosts/host.rs"]
mod host;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use fault::Fault;
use host::Host;
use proofmark::adapter::{Hello, Implementation};
use proofmark::case::{Case, Suite};
use proofmark::contract::lifecycle::{RECEIPT, TRACE};
use proofmark::judge::{CaseResult, FindingSource, Judge, Outcome, run_in_process};
use proofmark::policy::RulePack;
use proofmark::reference::Reference;

static SUITE: LazyLock<Suite> = LazyLock::new(|| {
    Suite::embedded().unwrap_or_else(|faults| panic!("{}", faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")))
});

fn cases() -> impl Iterator<Item = &'static Case> {
    SUITE.cases().iter().filter(|case| [RECEIPT, TRACE].contains(&case.contract.as_str()))
}

fn judged(host: &mut dyn Implementation, case: &'static Case, pack: Option<&RulePack>) -> CaseResult {
    let hello = Hello { protocol: vec![1], runner: Default::default(), suite: SUITE.info(), nonce: "0".into() };
    let declaration = host.initialize(&hello).expect("a host of this protocol");
    let judge = Judge::new(&SUITE, &declaration);
    match pack {
        Some(pack) => run_in_process(&judge.with_pack(pack), host, case).0,
        None => run_in_process(&judge, host, case).0,
    }
}

fn sources(result: &CaseResult) -> String {
    let name = |source: &FindingSource| match source {
        FindingSource::Rule(rule) => rule.clone(),
        FindingSource::Expectation => "own".to_owned(),
        FindingSource::Protocol => "protocol".to_owned(),
    };
    let binding = result.findings.iter().filter(|finding| finding.level >= result.level);
    binding.map(|finding| name(&finding.source)).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_reference_passes_every_case_without_a_remark() {
    let mut host = Reference::default();
    let mut count = 0;
    let mut wrong = Vec::new();
    for case in cases() {
        let result = judged(&mut host, case, None);
        if result.outcome != Outcome::Passed || !result.findings.is_empty() {
            wrong.push(format!("{} {}: {:?}", case.id, result.outcome, result.findings));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 160, "{count} cases");
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
    let mut missed = Vec::new();
    let mut caught: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    for case in cases() {
        for name in &case.catches {
            let mut host = Host::new(Fault::named(name).expect("a built host, held by another test"));
            let result = judged(&mut host, case, None);
            if result.outcome == Outcome::Failed {
                let entry = caught.entry(name).or_insert_with(|| (0, format!("{} ({}) by {}", case.id, case.level, sources(&result))));
                entry.0 += 1;
            } else {
                missed.push(format!("{} does not fail {name}: {} {:?}", case.id, result.outcome, result.reason));
            }
        }
    }
    for (name, (count, first)) in &caught {
        println!("{name} | {count} | {first}");
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
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
        let reports = |result: &CaseResult| result.findings.iter().any(|finding| finding.source == FindingSource::Rule(rule.to_owned()));
        let runs = cases().filter(|case| case.steps.iter().any(|step| step.is_run));
        let mut pairs = runs.flat_map(|case| case.catches.iter().map(move |name| (case, name)));
        let witness = pairs.find(|(case, name)| reports(&judged(&mut Host::new(Fault::named(name).expect("a built host")), case, None)));
        let Some((case, name)) = witness else { panic!("no wrong host breaks {rule} in a run") };
        let result = judged(&mut Host::new(Fault::named(name).expect("a built host")), case, Some(&without));
        assert!(!reports(&result), "{rule} is reported without being there");
        println!("{rule} | {name} | {}", case.id);
    }
}
