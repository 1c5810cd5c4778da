//! A run: the selected cases against one implementation, in this process or behind a child's pipes.

mod in_process;
mod over_protocol;
mod repeats;
mod summary;

use std::time::Duration;

use proofmark::adapter::{Hello, ImplementationInfo, PROTOCOL_VERSION, RunnerInfo, SuiteInfo};
use proofmark::case::Suite;
use proofmark::contract::rendering::RenderingProfile;
use proofmark::judge::CaseResult;

pub use in_process::run_reference;
pub use over_protocol::{OverProtocol, run_over_protocol};
pub use summary::{LevelCount, RuleCount, Summary, Verdict};

/// Told about every finished case, in the order in which they finish.
pub type Progress<'a> = dyn FnMut(&CaseResult) + 'a;

/// What a run said.
#[derive(Debug)]
pub struct RunReport {
    /// Which suite.
    pub suite: SuiteInfo,
    /// Cases in the suite.
    pub suite_cases: usize,
    /// Cases selected for this run; fewer are in `results` where nobody answered.
    pub selected: usize,
    /// Who answered; `None` where nobody did.
    pub implementation: Option<ImplementationInfo>,
    /// The rendering profile that was declared.
    pub rendering: Option<RenderingProfile>,
    /// The adapter's command, empty for the reference in this process.
    pub command: Vec<String>,
    /// One for each selected case, in the suite's order.
    pub results: Vec<CaseResult>,
    /// Faults of the adapter that no case stands for, each in words.
    pub faults: Vec<String>,
    /// Requests that were repeated at the end.
    pub repeated: usize,
    /// The seed of worlds that are others in every run.
    pub seed: u64,
    /// From the first request to the last answer.
    pub elapsed: Duration,
}

impl RunReport {
    /// A run of which nothing came back yet.
    fn new(suite: &Suite, selected: usize, command: Vec<String>) -> Self {
        Self {
            suite: suite.info(),
            suite_cases: suite.cases().len(),
            selected,
            implementation: None,
            rendering: None,
            command,
            results: Vec::new(),
            faults: Vec::new(),
            repeated: 0,
            seed: 0,
            elapsed: Duration::ZERO,
        }
    }
}

/// The params of `initialize`.
#[must_use]
pub fn hello(suite: &Suite, nonce: String) -> Hello {
    Hello {
        protocol: vec![PROTOCOL_VERSION],
        runner: RunnerInfo { name: "proofmark".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        suite: suite.info(),
        nonce,
    }
}

/// Sixteen random bytes in hex, from the randomness that the standard library seeds its maps with.
#[must_use]
pub fn nonce() -> String {
    use std::hash::{BuildHasher as _, RandomState};
    format!("{:016x}{:016x}", RandomState::new().hash_one(0_u8), RandomState::new().hash_one(1_u8))
}

/// A fresh seed, small enough to be typed again.
#[must_use]
pub fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(2_u8) % 1_000_000_000
}
