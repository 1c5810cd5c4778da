//! What a run is to do: which cases, in which order, what of it was done before, and which requests are asked again at its end.

use proofmark::adapter::Operation;
use proofmark::case::Case;
use proofmark::dice::Dice;
use proofmark::judge::{CaseResult, Exchanged};
use proofmark::policy::RulePack;

/// How many requests are asked again at the end of a run.
const REPEATS: usize = 20;

/// A case of a run.
#[derive(Debug)]
pub struct Planned<'s> {
    /// The case.
    pub case: &'s Case,
    /// Whether its request is one of those that are asked again at the end (AE-600).
    pub repeat: bool,
    /// What an earlier part of the same run said of it, with the exchange that is still to be repeated.
    pub done: Option<(CaseResult, Option<Exchanged>)>,
}

/// The cases of a run.
#[derive(Debug)]
pub struct Plan<'s> {
    /// The cases, in the order of the report.
    pub cases: Vec<Planned<'s>>,
    /// The seed of the order in which they are asked; as they stand where there is none.
    pub shuffle: Option<u64>,
    /// Requests that an earlier part of the same run has repeated already.
    pub repeated: usize,
}

impl<'s> Plan<'s> {
    /// All of these cases, in this order. Which requests are repeated depends on nothing but the cases.
    #[must_use]
    pub fn new(cases: &[&'s Case]) -> Self {
        let is_first_repeatable = |case: &&Case| case.steps.first().is_some_and(|step| is_repeatable(step.operation));
        let repeatable: Vec<usize> = (0..cases.len()).filter(|at| is_first_repeatable(&cases[*at])).collect();
        let mut repeats = vec![false; cases.len()];
        for nth in 0..REPEATS.min(repeatable.len()) {
            repeats[repeatable[nth * repeatable.len() / REPEATS.min(repeatable.len())]] = true;
        }
        let cases = cases.iter().zip(repeats).map(|(case, repeat)| Planned { case, repeat, done: None }).collect();
        Self { cases, shuffle: None, repeated: 0 }
    }

    /// The cases that are still to be run, in the order in which they are asked.
    pub(super) fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.cases.len()).filter(|at| self.cases[*at].done.is_none()).collect();
        if let Some(seed) = self.shuffle {
            Dice::new(seed).shuffle(&mut order);
        }
        order
    }
}

/// Whether the law of repeated requests speaks of an operation. The steps of a run depend on one another.
fn is_repeatable(operation: Operation) -> bool {
    RulePack::activation().rule("AE-600").is_some_and(|law| law.operations.contains(&operation))
}

/// Skills or cards of a request at most that is kept to be repeated.
const MAX_ENTRIES: usize = 200;

/// Of a case's exchanges the one that may be kept, so that the others can be dropped at once.
pub(super) fn keepable(planned: &Planned<'_>, exchanges: Vec<Exchanged>) -> Option<Exchanged> {
    let first = exchanges.into_iter().next().filter(|first| planned.repeat && is_repeatable(first.operation));
    first.filter(|first| {
        let skills = first.params.pointer("/registry/skills").or_else(|| first.params.pointer("/payload/cards"));
        skills.and_then(|skills| skills.as_array()).map_or(0, Vec::len) <= MAX_ENTRIES
    })
}
