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
use crate::contract::lifecycle;
use crate::contract::rendering::RenderingProfile;
use crate::embedded;
use crate::policy::{Companion, Exchange, RulePack};

/// Judges the cases of one suite for one implementation, by what that declared.
#[derive(Debug)]
pub struct Judge<'s> {
    suite: &'s Suite,
    pack: &'s RulePack,
    trace_pack: &'s RulePack,
    diagnostics: Diagnostics,
    declared: Option<RenderingProfile>,
    operations: Vec<Operation>,
    laws: bool,
}

impl<'s> Judge<'s> {
    /// A judge for an implementation that declared this.
    #[must_use]
    pub fn new(suite: &'s Suite, declaration: &Declaration) -> Self {
        Self {
            suite,
            pack: RulePack::activation(),
            trace_pack: RulePack::trace(),
            diagnostics: declaration.diagnostics,
            declared: declaration.rendering,
            operations: Operation::ALL.into_iter().filter(|operation| declaration.supports(*operation)).collect(),
            laws: true,
        }
    }

    /// With another rule pack than the shipped one of its contract.
    #[must_use]
    pub fn with_pack(mut self, pack: &'s RulePack) -> Self {
        *if pack.contract == lifecycle::TRACE { &mut self.trace_pack } else { &mut self.pack } = pack;
        self
    }

    /// Whether to run the laws (AE-601 to 608), which ask more of the implementation than the cases do.
    #[must_use]
    pub fn with_laws(mut self, laws: bool) -> Self {
        self.laws = laws;
        self
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

    fn supports(&self, operation: Operation) -> bool {
        self.operations.contains(&operation)
    }
}

/// The profile that right and wrong are computed under, before what a case insists on.
fn expectation_profile(case: &Case, declared: Option<RenderingProfile>) -> RenderingProfile {
    let named = case.profile.as_deref().and_then(embedded::rendering_profile);
    named.or(declared).unwrap_or_else(embedded::page_1).assuming(case.assume)
}
