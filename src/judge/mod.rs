//! Expectation and rules against answers: one outcome for each case, with every difference.

mod answer;
mod case_run;
mod in_process;
mod laws;
mod outcome;
mod replay;
mod run;
mod world;

pub use case_run::{Call, CaseRun, Exchanged};
pub use in_process::run_in_process;
pub use outcome::{CaseResult, Finding, FindingSource, Outcome, StepDifference};
pub use replay::suite_contradictions;

use crate::adapter::{Answer, Declaration, Diagnostics, Operation};
use crate::case::{Case, Suite};
use crate::contract::rendering::RenderingProfile;
use crate::contract::{lifecycle, packet};
use crate::embedded;
use crate::json;
use crate::policy::{Companion, Exchange, RulePack};

/// Judges the cases of one suite for one implementation, by what that declared.
#[derive(Debug)]
pub struct Judge<'s> {
    suite: &'s Suite,
    pack: &'s RulePack,
    trace_pack: &'s RulePack,
    packet_pack: &'s RulePack,
    diagnostics: Diagnostics,
    declared: Option<RenderingProfile>,
    operations: Vec<Operation>,
    /// Words about what was declared and is no operation; empty where nothing was.
    unknown_operations: String,
    laws: bool,
    seed: u64,
}

impl<'s> Judge<'s> {
    /// A judge for an implementation that declared this.
    #[must_use]
    pub fn new(suite: &'s Suite, declaration: &Declaration) -> Self {
        Self {
            suite,
            pack: RulePack::activation(),
            trace_pack: RulePack::trace(),
            packet_pack: RulePack::packet(),
            diagnostics: declaration.diagnostics,
            declared: declaration.rendering,
            operations: Operation::ALL.into_iter().filter(|operation| declaration.supports(*operation)).collect(),
            unknown_operations: unknown_operations(declaration),
            laws: true,
            seed: 0,
        }
    }

    /// With another rule pack than the shipped one of its contract.
    #[must_use]
    pub fn with_pack(mut self, pack: &'s RulePack) -> Self {
        let slot = match pack.contract.as_str() {
            lifecycle::TRACE => &mut self.trace_pack,
            packet::NAME => &mut self.packet_pack,
            _ => &mut self.pack,
        };
        *slot = pack;
        self
    }

    /// Whether to run the laws (AE-601 to 608), which ask more of the implementation than the cases do.
    #[must_use]
    pub fn with_laws(mut self, laws: bool) -> Self {
        self.laws = laws;
        self
    }

    /// With a seed for worlds that are to be others in every run; the same seed gives the same worlds.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The seed of a case's world: each case has its own.
    fn seed_of(&self, case: &Case) -> u64 {
        let id = case.id.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        (self.seed ^ id) & json::MAX_SAFE_INTEGER
    }

    /// Starts a case: `Err` with its result where nothing has to be asked.
    ///
    /// # Errors
    /// The result of a case that is not applicable, skipped or unsupported.
    pub fn begin(&self, case: &'s Case) -> Result<CaseRun<'_>, Box<CaseResult>> {
        CaseRun::begin(self, case)
    }

    /// Compares the answer to a repeated request with the first one (AE-600).
    #[must_use]
    pub fn repeated(&self, case: &Case, first: &Exchanged, second: &Answer) -> Vec<Finding> {
        let companion = Companion::Variant { law: "AE-600", params: &first.params, answer: second };
        let exchange = Exchange {
            operation: first.operation,
            params: Some(&first.params),
            answer: &first.answer,
            profile: self.declared.as_ref(),
            companion: Some(companion),
        };
        answer::rule_findings(self.pack, case, 0, &exchange)
    }

    /// The pack whose rules judge the answers to an operation.
    fn pack_of(&self, operation: Operation) -> &'s RulePack {
        if operation.contract() == packet::NAME { self.packet_pack } else { self.pack }
    }

    fn supports(&self, operation: Operation) -> bool {
        self.operations.contains(&operation)
    }
}

/// A host that misspells an operation would see its cases skipped, and no word why.
fn unknown_operations(declaration: &Declaration) -> String {
    let known = Operation::declared_names();
    let unknown = declaration.operations.iter().filter(|name| !known.contains(&name.as_str()));
    let unknown: Vec<String> = unknown.take(8).map(|name| format!("{:?}", name.chars().take(60).collect::<String>())).collect();
    let is_part = |name: &&String| Operation::from_name(name).is_some_and(|operation| operation.declared_name() != **name);
    let hint = if declaration.operations.iter().any(|name| is_part(&name)) { " (a running host declares lifecycle.run)" } else { "" };
    if unknown.is_empty() { String::new() } else { format!("; {} are declared and are no operations{hint}", unknown.join(", ")) }
}

/// The profile that right and wrong are computed under, before what a case insists on.
fn expectation_profile(case: &Case, declared: Option<RenderingProfile>) -> RenderingProfile {
    let named = case.profile.as_deref().and_then(embedded::rendering_profile);
    named.or(declared).unwrap_or_else(embedded::page_1).assuming(case.assume)
}
