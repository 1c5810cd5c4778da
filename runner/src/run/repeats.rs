//! Some requests are asked again at the end of a run: an answer must not depend on what came between.

use proofmark::adapter::Operation;
use proofmark::case::Case;
use proofmark::judge::Exchanged;
use proofmark::policy::RulePack;

/// How many requests are repeated.
const WANTED: usize = 16;
/// A larger request is not kept for it.
const MAX_ENTRIES: usize = 200;

/// Requests kept for the end, spread evenly over the run.
pub(super) struct Repeats<'s> {
    every: usize,
    seen: usize,
    pub(super) kept: Vec<(&'s Case, usize, Exchanged)>,
}

impl<'s> Repeats<'s> {
    pub(super) fn new(cases: &[&Case]) -> Self {
        let repeatable = cases.iter().filter(|case| case.steps.first().is_some_and(|step| is_repeatable(step.operation))).count();
        Self { every: repeatable.div_ceil(WANTED).max(1), seen: 0, kept: Vec::new() }
    }

    /// Of a case's exchanges the one that may be kept, so that the others can be dropped at once.
    pub(super) fn keepable(exchanges: Vec<Exchanged>) -> Option<Exchanged> {
        // The law speaks of contract 1, whose requests are independent of one another; a run's are not.
        let first = exchanges.into_iter().next().filter(|first| is_repeatable(first.operation));
        first.filter(|first| {
            let skills = first.params.pointer("/registry/skills").or_else(|| first.params.pointer("/payload/cards"));
            skills.and_then(|skills| skills.as_array()).map_or(0, Vec::len) <= MAX_ENTRIES
        })
    }

    /// Offers the exchange of a finished case, with the case's place in the results.
    pub(super) fn offer(&mut self, case: &'s Case, at: usize, exchange: Option<Exchanged>) {
        let Some(first) = exchange else { return };
        self.seen += 1;
        if self.seen.is_multiple_of(self.every) {
            self.kept.push((case, at, first));
        }
    }
}

/// Whether the law of repeated requests speaks of an operation. The steps of a run depend on one another.
fn is_repeatable(operation: Operation) -> bool {
    RulePack::activation().rule("AE-600").is_some_and(|law| law.operations.contains(&operation))
}
