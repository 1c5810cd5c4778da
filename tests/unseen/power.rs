//! Which wrong hosts the generated cases of some seeds catch, and that they fail none whose only fault is about what nothing settles.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex};

use proofmark::adapter::{Declaration, Implementation, Operation};
use proofmark::case::Suite;
use proofmark::contract::rendering::RenderingProfile;
use proofmark::embedded;
use proofmark::generate::case_files;
use proofmark::policy::RulePack;
use proofmark::verdict::Level;

use crate::ground::{ACTIVATION, declaring_only, ground, judged};
use crate::{lifecycle_hosts, packet_hosts, wrong_hosts};

/// How many seeds a wrong host is tried with before it counts as not caught.
const SEEDS: u64 = 12;
/// How many a host has to pass that breaks no must.
const SEEDS_OF_MILD: u64 = 2;

type Key = (u64, Option<RenderingProfile>, Vec<Operation>);
static SUITES: LazyLock<Mutex<HashMap<Key, Arc<Suite>>>> = LazyLock::new(Mutex::default);

/// The cases of a seed, made once for all hosts that declare the same.
fn suite(seed: u64, declaration: &Declaration, operations: &[Operation]) -> Arc<Suite> {
    let mut suites = SUITES.lock().expect("no test panics while it holds the suites");
    let key = (seed, declaration.rendering, operations.to_vec());
    let made = || Arc::new(ground().extended(case_files(seed, declaration, 40)).expect("sound files"));
    Arc::clone(suites.entry(key).or_insert_with(made))
}

/// Where a host is caught first: the seed, the case and what was found; `None` where it passes all seeds.
fn caught(host: &mut dyn Implementation, operations: &[Operation], is_must: bool) -> Option<String> {
    let declaration = declaring_only(host, operations);
    for seed in 0..if is_must { SEEDS } else { SEEDS_OF_MILD } {
        let suite = suite(seed, &declaration, operations);
        if let Some((id, result)) = judged(&suite, host, &declaration).find(|(_, result)| result.is_failed()) {
            return Some(format!("seed {seed} | {id} | {}", result.first()));
        }
    }
    None
}

/// Prints the table, and holds it against what has to be caught and what must not be.
fn assert_power(rows: &BTreeMap<String, (Option<String>, bool)>, excused: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (name, (caught, is_must)) in rows {
        let excuse = excused.iter().find(|(excused, _)| excused == name);
        let words = match (caught, excuse) {
            (Some(caught), _) => caught.clone(),
            (None, Some((_, why))) => format!("not caught: {why}"),
            (None, None) if *is_must => "NOT CAUGHT".to_owned(),
            (None, None) => "passes, as it should: what it does otherwise is settled by nothing".to_owned(),
        };
        println!("{name} | {words}");
        match (caught, is_must, excuse) {
            (None, true, None) => wrong.push(format!("{name} is not caught")),
            (Some(caught), false, _) => wrong.push(format!("{name} breaks no must, and fails: {caught}")),
            _ => {}
        }
    }
    let of_must = rows.values().filter(|(_, is_must)| *is_must);
    println!(
        "{} of {} hosts that break a must are caught",
        of_must.clone().filter(|(caught, _)| caught.is_some()).count(),
        of_must.count()
    );
    for (name, _) in excused {
        assert!(rows.contains_key(*name), "{name} is excused, and there is no such host");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Faults of contract 1 that no generated case shows.
const EXCUSED_OF_ACTIVATION: [(&str, &str); 0] = [];

/// What they get wrong is measured or recommended, though a rule of theirs binds where a host declares otherwise.
const MILD_OF_ACTIVATION: [&str; 4] = ["load-folds-case", "loaded-by-bare-name", "score-zero-lost", "derives-from-text"];

#[test]
fn generated_cases_catch_the_wrong_hosts_of_contract_1() {
    let mut rows = BTreeMap::new();
    for fault in wrong_hosts::Fault::ALL {
        let mut host = wrong_hosts::Host::new(Some(*fault), embedded::page_1());
        // What is declared counts as settled: only the cases about the unit fail such a host.
        let is_settled = !fault.name().ends_with("-declared") && !MILD_OF_ACTIVATION.contains(&fault.name());
        let is_must = fault.level() == Level::Must && is_settled;
        rows.insert(fault.name().to_owned(), (caught(&mut host, &ACTIVATION, is_must), is_must));
    }
    assert_power(&rows, &EXCUSED_OF_ACTIVATION);
}

/// The rules of packs, each with whether it binds.
fn rules<'a>(packs: &[&'a RulePack]) -> Vec<(&'a str, bool)> {
    packs.iter().flat_map(|pack| pack.rules()).map(|rule| (rule.id.as_str(), rule.level == Level::Must)).collect()
}

/// Faults of contract 2 that no generated case shows.
const EXCUSED_OF_LIFECYCLE: [(&str, &str); 1] =
    [("sessions-mixed", "it shows where sessions are open side by side, as a runner plays them, and not one after the other as here")];

/// Faults of running hosts and planners against what is only recommended, or decided.
const MILD_OF_LIFECYCLE: [&str; 5] =
    ["ignores-resume-entry", "plan-wrong-ttl", "releases-continuing-phase", "releases-current-under-pressure", "releases-in-loop"];

#[test]
fn generated_cases_catch_the_wrong_hosts_of_contract_2() {
    const OPERATIONS: [Operation; 4] =
        [Operation::LifecycleValidateReceipt, Operation::LifecycleValidateTrace, Operation::LifecycleOpen, Operation::LifecyclePlan];
    let mut names: Vec<(String, bool)> =
        lifecycle_hosts::Fault::NAMES.iter().map(|name| ((*name).to_owned(), !MILD_OF_LIFECYCLE.contains(name))).collect();
    names.extend(rules(&[RulePack::receipt(), RulePack::trace()]).into_iter().map(|(rule, is_must)| (format!("without-{rule}"), is_must)));
    let mut rows = BTreeMap::new();
    for (name, is_must) in names {
        let mut host = lifecycle_hosts::Host::new(lifecycle_hosts::Fault::named(&name).expect("a built host"));
        rows.insert(name, (caught(&mut host, &OPERATIONS, is_must), is_must));
    }
    assert_power(&rows, &EXCUSED_OF_LIFECYCLE);
}

/// Faults of contract 3 that no generated case shows.
const EXCUSED_OF_PACKETS: [(&str, &str); 0] = [];
/// What a verdict's message repeats, and what a deeper view keeps, is recommended only.
const MILD_OF_PACKETS: [&str; 2] = ["deep-view-drops-shallow", "echoes-secrets"];

#[test]
fn generated_cases_catch_the_wrong_hosts_of_contract_3() {
    const OPERATIONS: [Operation; 3] = [Operation::PacketValidate, Operation::PacketRender, Operation::PacketProject];
    let mut names: Vec<(String, bool)> =
        packet_hosts::NAMES.iter().map(|name| ((*name).to_owned(), !MILD_OF_PACKETS.contains(name))).collect();
    let of_packets = RulePack::packet().rules().iter().filter(|rule| rule.operations.is_empty());
    names.extend(of_packets.map(|rule| (format!("without-{}", rule.id), rule.level == Level::Must)));
    let mut rows = BTreeMap::new();
    for (name, is_must) in names {
        let mut host = packet_hosts::Host::new(&name);
        rows.insert(name, (caught(&mut host, &OPERATIONS, is_must), is_must));
    }
    assert_power(&rows, &EXCUSED_OF_PACKETS);
}
