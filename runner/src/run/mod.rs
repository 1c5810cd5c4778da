//! A run: the selected cases against one implementation, in this process or behind the protocol.

mod generated;
mod in_process;
mod observer;
mod over_protocol;
mod plan;
mod settings;
mod shard;
mod summary;
mod worker;

use std::time::Duration;

use proofmark::adapter::{Declaration, Hello, ImplementationInfo, PROTOCOL_VERSION, RunnerInfo};
use proofmark::case::Suite;
use proofmark::contract::activation::DEFAULT_BUDGET;
use proofmark::contract::rendering::RenderingProfile;
use proofmark::judge::CaseResult;

use crate::baseline::Reckoning;

pub use generated::{generated_files, with_generated};
pub use in_process::run_implementation;
pub use observer::Observer;
pub use over_protocol::{OverProtocol, run_over_protocol};
pub use plan::{Plan, Planned};
pub use settings::{Generated, ProfileSettings, RunSettings};
pub use shard::Shard;
pub use summary::{LevelCount, ProfileCount, ProfileResult, RuleCount, Summary, Verdict};

/// What a run said.
#[derive(Debug)]
pub struct RunReport {
    /// How it was made.
    pub settings: RunSettings,
    /// What the implementation declared; `None` where nobody answered.
    pub declaration: Option<Declaration>,
    /// One for each selected case, in the suite's order; fewer where nobody answered.
    pub results: Vec<CaseResult>,
    /// Faults of the adapter that no case stands for, each in words.
    pub faults: Vec<String>,
    /// Requests that were repeated at the end.
    pub repeated: usize,
    /// What a baseline of known failures says of it, where there is one.
    pub reckoning: Option<Reckoning>,
    /// Whether it comes from a journal that was not ended: the run was killed.
    pub is_unfinished: bool,
    /// The digest of the journal that was written of it.
    pub journal_digest: Option<String>,
    /// From the first request to the last answer.
    pub elapsed: Duration,
}

impl RunReport {
    /// A run of which nothing came back yet.
    #[must_use]
    pub fn new(settings: RunSettings) -> Self {
        Self {
            settings,
            declaration: None,
            results: Vec::new(),
            faults: Vec::new(),
            repeated: 0,
            reckoning: None,
            is_unfinished: false,
            journal_digest: None,
            elapsed: Duration::ZERO,
        }
    }

    /// Who answered; `None` where nobody did.
    #[must_use]
    pub fn implementation(&self) -> Option<&ImplementationInfo> {
        self.declaration.as_ref().map(|declaration| &declaration.implementation)
    }

    /// The rendering profile that was declared.
    #[must_use]
    pub fn rendering(&self) -> Option<RenderingProfile> {
        self.declaration.as_ref().and_then(|declaration| declaration.rendering)
    }

    /// Whether a case is one of those that a profile's result rests on. Without a profile every case is.
    #[must_use]
    pub fn counts(&self, result: &CaseResult) -> bool {
        let Some(profile) = &self.settings.profile else { return true };
        if profile.added_since.contains(&result.id) {
            return false;
        }
        let is_declared =
            |name: &String| self.declaration.as_ref().is_some_and(|declaration| declaration.operations.iter().any(|it| it == name));
        // For want of an optional operation nobody is blamed; for want of a required one the claim would shrink the profile.
        let unmet = result.operations.iter().filter(|name| !is_declared(name));
        let (optional, required): (Vec<&String>, Vec<&String>) = unmet.partition(|name| profile.optional.contains(name));
        optional.is_empty() || !required.is_empty()
    }

    /// Whether the declared layout leaves room for a catalog at the contract's default budget. Under one that does not, nearly nothing can be
    /// asked, and nothing wrong would be seen.
    #[must_use]
    pub fn layout_has_room(&self) -> bool {
        self.rendering().is_none_or(|rendering| rendering.floor() <= DEFAULT_BUDGET / 2)
    }

    /// The reason that a baseline gives for a case's failure, where it is a known one.
    #[must_use]
    pub fn known_failure(&self, id: &str) -> Option<&str> {
        self.reckoning.as_ref()?.known.get(id).map(String::as_str)
    }

    fn declare(&mut self, declaration: &Declaration) {
        self.declaration = Some(declaration.clone());
    }

    fn fault(&mut self, fault: String, observer: &mut dyn Observer) {
        observer.fault(&fault);
        self.faults.push(fault);
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

/// Whether a case was generated from the seed of its run, and stands in no suite.
#[must_use]
pub fn is_generated(id: &str) -> bool {
    id.starts_with("generated.")
}
