//! Running a case against an implementation in this process.

use super::Judge;
use super::case_run::Exchanged;
use super::outcome::CaseResult;
use crate::adapter::Implementation;
use crate::case::Case;

/// Runs one case against an implementation that was initialised already.
pub fn run_in_process<'s>(judge: &Judge<'s>, implementation: &mut dyn Implementation, case: &'s Case) -> (CaseResult, Vec<Exchanged>) {
    let mut run = match judge.begin(case) {
        Ok(run) => run,
        Err(settled) => return (*settled, Vec::new()),
    };
    let mut calls = run.start();
    while let Some(call) = calls.pop() {
        let answer = implementation.call(call.operation, &call.params);
        calls.extend(run.answered(call.key, answer));
    }
    run.finish()
}
