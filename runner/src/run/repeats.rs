//! Some requests are asked again at the end of a run: an answer must not depend on what came between.

use proofmark::case::Case;
use proofmark::judge::Exchanged;

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
    pub(super) fn new(cases: usize) -> Self {
        Self { every: cases.div_ceil(WANTED).max(1), seen: 0, kept: Vec::new() }
    }

    /// Offers the exchanges of a finished case, with the case's place in the results.
    pub(super) fn offer(&mut self, case: &'s Case, at: usize, exchanges: Vec<Exchanged>) {
        let Some(first) = exchanges.into_iter().next() else { return };
        let entries = first.params.pointer("/registry/skills").and_then(|skills| skills.as_array()).map_or(0, Vec::len);
        self.seen += 1;
        if self.seen % self.every == 0 && entries <= MAX_ENTRIES {
            self.kept.push((case, at, first));
        }
    }
}
