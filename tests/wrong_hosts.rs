//! A conformance suite is worth what it catches. Each wrong host of `spec-cases/wrong-hosts.yaml` gets one thing wrong; the suite is
//! run against every one of them, and against the same host without a fault.
//!
//! `cargo test --test wrong_hosts -- --nocapture` says which case and which rule catches which host.

#[path = "wrong_hosts/mod.rs"]
mod wrong_hosts;

use std::collections::{BTreeMap, BTreeSet};

use proofmark::contract::rendering::{CardCost, RenderingProfile, Suffix};
use proofmark::embedded;
use proofmark::policy::RulePack;
use proofmark::verdict::Level;
use wrong_hosts::{CASES, Fault, HostRun, Noted, RUNS, SUITE, judge_alone, run};

fn assert_passes(run: &HostRun) {
    let failures: Vec<String> = run.noted.iter().map(|noted| format!("{}: {:?}", noted.case.id, noted.findings)).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(run.unjudged.is_empty() && run.repeats.is_empty(), "{:?} {:?}", run.unjudged, run.repeats);
}

#[test]
fn every_named_wrong_host_is_built_and_every_built_one_is_named() {
    let named: BTreeSet<&str> = CASES.iter().flat_map(|case| &case.catches).map(String::as_str).collect();
    let built: BTreeSet<&str> = Fault::ALL.iter().map(|fault| fault.name()).collect();
    assert_eq!(named.difference(&built).collect::<Vec<_>>(), Vec::<&&str>::new(), "named, not built");
    assert_eq!(built.difference(&named).collect::<Vec<_>>(), Vec::<&&str>::new(), "built, not named");
    assert_eq!(built.len(), Fault::ALL.len(), "two faults of one name");
}

#[test]
fn every_wrong_host_is_named_by_a_case() {
    let named: BTreeSet<&str> = SUITE.cases().iter().flat_map(|case| &case.catches).map(String::as_str).collect();
    let forgotten: Vec<&str> = SUITE.wrong_hosts.keys().map(String::as_str).filter(|name| !named.contains(name)).collect();
    assert!(forgotten.is_empty(), "no case names {forgotten:?}");
}

#[test]
fn the_host_without_a_fault_passes_the_whole_suite() {
    let run = &RUNS[0];
    assert_eq!(run.fault, None);
    assert_passes(run);
    let others = CASES.iter().filter(|case| case.profile.as_deref().is_some_and(|name| name != "page-1")).count();
    assert_eq!(run.passed + others, CASES.len());
}

#[test]
fn the_host_without_a_fault_passes_under_other_layouts() {
    let odd = RenderingProfile {
        header: 41,
        separator: 2,
        footer: 7,
        suffix: Some(Suffix { base: 30, plus_digits: false }),
        card: CardCost { id: 1, description: 0, when_to_use: 20 },
        ..embedded::page_1()
    };
    let wide = embedded::rendering_profile("wide").expect("a shipped profile");
    for (name, profile) in [("wide", wide), ("odd", odd)] {
        let run = run(None, profile, false);
        assert_passes(&run);
        assert!(run.passed * 100 > CASES.len() * 90, "{name}: {} of {}", run.passed, CASES.len());
    }
}

#[test]
fn every_case_fails_the_wrong_hosts_that_it_names() {
    let runs: BTreeMap<&str, &HostRun> = RUNS.iter().map(|run| (run.name(), run)).collect();
    let mut missed = Vec::new();
    for case in CASES.iter().copied() {
        let other = case.profile.as_deref().filter(|name| *name != "page-1").and_then(embedded::rendering_profile);
        for name in &case.catches {
            let run = runs[name.as_str()];
            let noted = match other {
                Some(profile) => Some(judge_alone(run.fault, profile, RulePack::activation(), case)),
                None => run.noted.iter().find(|noted| noted.case.id == case.id).cloned(),
            };
            match noted.filter(|noted| noted.failed.is_some()) {
                Some(noted) => println!("{} | {name} | {}", case.id, noted.sources()),
                None => missed.push(format!("{} does not fail {name}", case.id)),
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn every_wrong_host_is_judged_and_fails_at_the_level_of_its_fault() {
    let mut missed = Vec::new();
    for run in &RUNS[1..] {
        let Some(fault) = run.fault else { continue };
        assert!(run.unjudged.is_empty(), "{}: {:?}", run.name(), run.unjudged);
        for found in run.noted.iter().flat_map(|noted| &noted.findings) {
            assert!(SUITE.requirement(&found.clause).is_some(), "{}: {found:?} names no clause", run.name());
        }
        let at_level: Vec<&Noted> = run.failures().filter(|noted| noted.failed == Some(fault.level())).collect();
        // A case of that very level says more than a rule beside a milder case, and its own expectation more than a rule.
        match at_level.iter().max_by_key(|noted| (noted.case.level == fault.level(), noted.is_own())) {
            None => missed.push(format!("{} is wrong at {}, and no case fails it there", fault.name(), fault.level())),
            Some(noted) => println!(
                "{} | {} | {} of {} failed cases | {} ({}): {} | all rules: {}",
                fault.name(),
                fault.level(),
                at_level.len(),
                run.failures().count(),
                noted.case.id,
                noted.case.level,
                noted.sources(),
                run.rules().into_iter().collect::<Vec<_>>().join(" "),
            ),
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn no_wrong_host_fails_above_the_level_of_its_fault() {
    let mut harsh = Vec::new();
    for run in &RUNS[1..] {
        let level = run.fault.map_or(Level::May, Fault::level);
        let above: Vec<&Noted> = run.failures().filter(|noted| noted.failed > Some(level)).collect();
        if let Some(first) = above.first() {
            let found = first.findings.iter().find(|found| found.level > level);
            let found = found.map_or("", |found| found.text.as_str());
            let (name, id, sources) = (run.name(), &first.case.id, first.sources());
            harsh.push(format!("{name} is wrong at {level}, but fails {} cases above it, such as {id} ({sources}): {found}", above.len()));
        }
    }
    assert!(harsh.is_empty(), "{}", harsh.join("\n"));
}

#[test]
fn a_declared_deviation_fails_the_cases_about_it_and_no_other() {
    for (fault, keys) in [
        (Fault::BytesDeclared, "unit"),
        (Fault::Utf16Declared, "unit"),
        (Fault::SkipFitDeclared, "fit"),
        (Fault::RegistryOrderDeclared, "order"),
        (Fault::HeaderBelowFloorDeclared, "below_floor"),
        (Fault::EmptyCatalogDeclared, "empty"),
    ] {
        let run = RUNS.iter().find(|run| run.fault == Some(fault)).expect("every fault has a run");
        for noted in run.failures() {
            let assume = noted.case.assume;
            let about = match keys {
                "unit" => assume.unit.is_some(),
                "fit" => assume.fit.is_some(),
                "order" => assume.order.is_some(),
                "below_floor" => assume.below_floor.is_some(),
                _ => assume.empty.is_some(),
            };
            assert!(about && noted.is_own(), "{} fails {}: {:?}", run.name(), noted.case.id, noted.findings);
        }
    }
}

#[test]
fn every_rule_is_broken_by_a_wrong_host_and_missed_when_it_is_gone() {
    let text = embedded::file("schemas/rules/skill-activation-evidence-v1.yaml").and_then(|bytes| std::str::from_utf8(bytes).ok());
    let text = text.expect("the shipped pack");
    let mut idle = Vec::new();
    for rule in RulePack::activation().rules() {
        let without = RulePack::read(text).expect("the shipped pack").without(&rule.id);
        let is_reported = |fault, pack: &RulePack, case| {
            let noted = judge_alone(fault, embedded::page_1(), pack, case);
            noted.findings.iter().any(|found| found.rule.as_deref() == Some(&*rule.id))
        };
        // Best a case that fails by this rule alone; a host that needs its past to be wrong does not show by one case.
        let mut witnesses: Vec<(&HostRun, &Noted)> =
            RUNS[1..].iter().flat_map(|run| run.noted.iter().map(move |noted| (run, noted))).collect();
        witnesses.retain(|(_, noted)| rule.id == "AE-600" || noted.findings.iter().any(|found| found.rule.as_deref() == Some(&*rule.id)));
        witnesses.sort_by_key(|(_, noted)| !noted.rests_on(&rule.id));
        let witness = witnesses.iter().find(|(run, noted)| is_reported(run.fault, RulePack::activation(), noted.case));
        match witness {
            None => idle.push(rule.id.as_str()),
            Some((run, noted)) => {
                assert!(!is_reported(run.fault, &without, noted.case), "{} is reported without being there", rule.id);
                let alone = if noted.rests_on(&rule.id) { ", which passes without it" } else { "" };
                println!("{} | {} | {}{alone}", rule.id, run.name(), noted.case.id);
            }
        }
    }
    assert!(idle.is_empty(), "no wrong host breaks {idle:?}");
}
