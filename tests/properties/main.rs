//! What holds for every input: the reference against itself, against a fit of its own and against the rules; and readers that never
//! panic.
//!
//! Seeds are fixed, so that a run is the same everywhere; `PROPTEST_RNG_SEED=7` tries others, `PROPTEST_CASES=10000` more.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, and says where")]

mod answers;
mod fit;
mod generate;
mod laws;
mod lifecycle;
mod packet;
mod readers;

use proofmark::adapter::{Answer, Implementation as _, Operation};
use proofmark::case::SuiteFiles;
use proofmark::contract::rendering::RenderingProfile;
use proofmark::policy::{Companion, Exchange, RulePack};
use proofmark::reference::Reference;
use proofmark::verdict::Violation;
use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;
use serde_json::Value;

/// Of every 256 cases that proptest would try, so many.
fn config(share: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: (default.cases * share / 256).max(1),
        rng_seed: if default.rng_seed == RngSeed::Random { RngSeed::Fixed(1) } else { default.rng_seed },
        failure_persistence: None,
        ..default
    }
}

fn ask(profile: &RenderingProfile, operation: Operation, params: &Value) -> Answer {
    Reference::new(*profile).call(operation, params)
}

fn judged(
    operation: Operation,
    params: &Value,
    answer: &Answer,
    profile: &RenderingProfile,
    companion: Option<Companion<'_>>,
) -> Vec<Violation> {
    RulePack::activation().judge(&Exchange { operation, params: Some(params), answer, profile: Some(profile), companion }).violations
}

/// The shipped suite with these cases alone.
fn suite_with(cases: &str) -> SuiteFiles {
    let embedded = SuiteFiles::embedded();
    let shared = [
        "suite.yaml",
        "wrong-hosts.yaml",
        "requirements/skill_activation_evidence.yaml",
        "requirements/skill_lifecycle.yaml",
        "requirements/evidence_return_packet.yaml",
    ]
    .map(|name| format!("{}/{name}", SuiteFiles::ROOT));
    let files = shared.into_iter().map(|name| (name.clone(), embedded.get(&name).unwrap().to_vec()));
    files.chain([(format!("{}/skill_activation_evidence/a.yaml", SuiteFiles::ROOT), cases.as_bytes().to_vec())]).collect()
}
