//! Generated cases: sound under every profile, others for every seed, and of use. A host that honestly keeps what is settled passes them all,
//! and one with a classic fault, or with the published suite in its memory, does not.
//!
//! `cargo test --test generated -- --nocapture` says which wrong hosts they catch, and by which case.

/// The hosts of contract 1, without the published suite's run of them.
mod wrong_hosts {
    mod catalog;
    mod evidence;
    mod fault;
    mod host;
    mod load;
    mod merge;
    mod options;
    mod read;
    mod skill;

    pub(crate) use fault::Fault;
    pub(crate) use host::Host;
}

/// The hosts of contract 2.
mod lifecycle_hosts {
    mod fault;
    mod host;

    pub(crate) use fault::Fault;
    pub(crate) use host::Host;
}

/// The hosts of contract 3.
mod packet_hosts {
    mod host;

    pub(crate) use host::{Host, NAMES};
}

#[path = "unseen/by_heart.rs"]
mod by_heart;
#[path = "unseen/ground.rs"]
mod ground;
#[path = "unseen/power.rs"]
mod power;

use std::collections::{BTreeMap, BTreeSet};

use ground::{ACTIVATION, Unlaid, declaring, declaring_only, ground, judged, layouts, profile_of};
use proofmark::adapter::{Declaration, Implementation, Operation};
use proofmark::case::Suite;
use proofmark::contract::rendering::Unit;
use proofmark::embedded;
use proofmark::generate::{FOLDER, case_files};
use proofmark::reference::Reference;

/// Seeds that are tried of each kind of declaration; `PROOFMARK_SEEDS` says another number.
fn seeds() -> u64 {
    std::env::var("PROOFMARK_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(200)
}

/// So many cases for each of some operations, judged: those that did not pass without a remark, in words.
fn remarks(seed: u64, host: &mut dyn Implementation, operations: &[Operation], per_operation: usize) -> Vec<String> {
    let declaration = declaring_only(host, operations);
    let suite = ground().extended(case_files(seed, &declaration, per_operation)).expect("sound files");
    let wanted = declaration.operations.len() * per_operation;
    assert_eq!(suite.cases().len(), wanted, "seed {seed}: every number of every operation has its case");
    judged(&suite, host, &declaration)
        .filter_map(|(case, result)| result.remark().map(|said| format!("seed {seed} {case}: {said}")))
        .collect()
}

#[test]
fn the_reference_passes_what_is_generated_under_every_shipped_profile() {
    for (name, profile) in embedded::rendering_profiles() {
        // What does not depend on a layout is asked once.
        let operations = if name == "page-1" { &Operation::ALL[..] } else { &ACTIVATION };
        for seed in 0..seeds() {
            let remarks = remarks(seed, &mut Reference::new(*profile), operations, 4);
            assert!(remarks.is_empty(), "{name}\n{}", remarks.join("\n"));
        }
    }
}

#[test]
fn the_reference_passes_what_is_generated_under_any_declared_profile() {
    for seed in 10_000..10_000 + seeds() {
        let profile = profile_of(seed);
        let remarks = remarks(seed, &mut Reference::new(profile), &ACTIVATION, 6);
        assert!(remarks.is_empty(), "{profile:?}\n{}", remarks.join("\n"));
    }
}

#[test]
fn the_reference_passes_what_is_generated_without_a_profile() {
    for seed in 20_000..20_000 + seeds() {
        let remarks = remarks(seed, &mut Unlaid(Reference::default()), &ACTIVATION, 4);
        assert!(remarks.is_empty(), "{}", remarks.join("\n"));
    }
}

#[test]
fn a_host_of_another_make_passes_under_any_layout_declared_or_not() {
    for (at, profile) in layouts().into_iter().enumerate() {
        for seed in 0..seeds() / 25 {
            let seed = 30_000 + 1_000 * at as u64 + seed;
            let mut found = remarks(seed, &mut wrong_hosts::Host::new(None, profile), &ACTIVATION, 10);
            // Who declares nothing counts characters, as the contract says.
            if profile.unit == Unit::Characters {
                found.extend(remarks(seed, &mut Unlaid(wrong_hosts::Host::new(None, profile)), &ACTIVATION, 10));
            }
            assert!(found.is_empty(), "{profile:?}\n{}", found.join("\n"));
        }
    }
}

/// A declaration of every operation.
fn everything() -> Declaration {
    declaring(&mut Reference::default())
}

#[test]
fn a_seed_gives_the_same_bytes_whatever_else_is_declared() {
    let all: BTreeMap<String, Vec<u8>> = case_files(77, &everything(), 12).into_iter().collect();
    assert_eq!(all, case_files(77, &everything(), 12).into_iter().collect());
    for operation in Operation::ALL {
        let declaration = Declaration::new("host", "1", "any").operations([operation]).rendering(embedded::page_1());
        let alone = case_files(77, &declaration, 12);
        assert_eq!(alone.len(), 1, "{operation}");
        assert_eq!(all[&alone[0].0], alone[0].1, "{operation}");
    }
    // Fewer cases are the first of more.
    for (path, bytes) in case_files(77, &everything(), 5) {
        assert!(all[&path].starts_with(&bytes), "{path}");
    }
}

#[test]
fn what_is_not_declared_is_not_asked() {
    for chosen in 0..1_u64 << Operation::ALL.len() {
        // Every 97th set of operations, so that each is in some and out of others.
        if chosen % 97 != 0 {
            continue;
        }
        let operations = Operation::ALL.into_iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1).map(|(_, operation)| operation);
        let declaration = Declaration::new("host", "1", "any").operations(operations);
        let suite = ground().extended(case_files(chosen, &declaration, 2)).expect("sound files");
        let asked: BTreeSet<&str> = suite.cases().iter().flat_map(|case| &case.steps).map(|step| step.operation.declared_name()).collect();
        assert_eq!(asked, declaration.operations.iter().map(String::as_str).collect());
    }
    assert_eq!(case_files(1, &Declaration::new("host", "1", "any"), 40), Vec::new());
}

#[test]
fn two_seeds_share_no_request_but_situations_and_empty_registries() {
    for declaration in [everything(), declaring(&mut Unlaid(Reference::default()))] {
        let mut asked: BTreeMap<String, u64> = BTreeMap::new();
        let (mut shared, mut count) = (BTreeMap::<&str, usize>::new(), 0);
        for seed in 0..25 {
            let suite = ground().extended(case_files(seed, &declaration, 20)).expect("sound files");
            for case in suite.cases() {
                count += 1;
                let step = &case.steps[0];
                let request = format!("{} {}", step.operation_name(), step.given);
                let is_trivial = step.operation == Operation::LifecyclePlan
                    || step.given.pointer("/registry/skills/0").is_none() && step.given.get("registry").is_some();
                match asked.insert(request.clone(), seed) {
                    Some(other) if other != seed && !is_trivial => panic!("seeds {other} and {seed} share {request}"),
                    Some(_) => *shared.entry(step.operation_name()).or_default() += 1,
                    None => {}
                }
            }
        }
        println!("of {count} requests of 25 seeds were there before: {shared:?}");
        assert_eq!(count, 25 * 20 * declaration.operations.len());
    }
}

#[test]
fn a_file_says_where_it_stands_and_reads_like_any_other() {
    for (path, bytes) in case_files(5, &everything(), 3) {
        assert!(path.starts_with(FOLDER) && path.ends_with(".yaml"), "{path}");
        let text = String::from_utf8(bytes).expect("UTF-8");
        assert!(text.starts_with("contract: "), "{text}");
        assert_eq!(text.matches("\n  - id: generated.").count(), 3, "{path}");
    }
}

#[test]
fn an_extended_suite_is_the_published_one_in_all_that_it_says_of_itself() {
    let published = Suite::embedded().expect("a released suite is sound");
    let (info, count) = (published.info(), published.cases().len());
    let files = case_files(9, &everything(), 4);
    let extended = published.extended(files.clone()).expect("sound files");
    assert_eq!(extended.info(), info);
    assert_eq!(extended.cases().len(), count + 48);
    let case = extended.case("generated.packet-validate.2").expect("a generated case");
    assert_eq!(case.file, format!("{FOLDER}/packet-validate.yaml"));
    assert!(case.place.line > 4 && case.expectation_place(0, "/verdict").line > case.place.line);
    // The same files again are the same ids again, and the published cases are not read a second time.
    let faults = extended.extended(files).expect_err("ids that are there already");
    assert_eq!(faults.len(), 48);
    assert!(faults[0].message.contains("the id stands at spec-cases/generated/"), "{}", faults[0]);
}

#[test]
fn a_file_that_is_added_is_checked_like_the_suites_own() {
    let file = |text: &str| [(format!("{FOLDER}/x.yaml"), text.as_bytes().to_vec())];
    let case = |clause: &str, since: &str| {
        format!(
            "contract: skill_activation_evidence\nversion: 1\ncases:\n  - id: generated.x.1\n    title: Anything at all\n    level: must\n    \
             basis: text\n    since: {since}\n    clause: {clause}\n    operation: activation.read\n    given: {{ payload: 1 }}\n    \
             expect: {{ error: {{ category: invalid_payload }} }}\n"
        )
    };
    for (text, part) in [
        (case("\"activation#nothing\"", "0.1.0"), "there is no clause"),
        (case("\"activation#payload\"", "99.0.0"), "since is 99.0.0"),
        ("contract: nothing\n".to_owned(), "is not one of"),
        ("- [".to_owned(), ""),
    ] {
        let faults = ground().extended(file(&text)).expect_err("a fault");
        assert!(faults.iter().any(|fault| fault.message.contains(part) && fault.file.ends_with("generated/x.yaml")), "{faults:?}");
    }
    assert!(ground().extended(file(&case("\"activation#payload\"", "0.1.0"))).is_ok());
}
