//! The reference in this process, through the same trait as every other host.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use proofmark::adapter::Implementation as _;
use proofmark::case::{Case, Suite};
use proofmark::contract::rendering::RenderingProfile;
use proofmark::judge::{CaseResult, Exchanged, Judge, run_in_process};
use proofmark::reference::Reference;

use super::repeats::Repeats;
use super::{Progress, RunReport, hello, nonce};

/// A case's result, with the exchange that may be repeated.
type Finished = (CaseResult, Option<Exchanged>);

/// Runs cases against the reference, on several threads.
pub fn run_reference(
    suite: &Suite,
    cases: &[&Case],
    rendering: RenderingProfile,
    laws: bool,
    seed: u64,
    threads: usize,
    progress: &mut Progress<'_>,
) -> RunReport {
    let started = Instant::now();
    let mut reference = Reference::new(rendering);
    let mut report = RunReport { rendering: Some(rendering), seed, ..RunReport::new(suite, cases.len(), Vec::new()) };
    let declaration = match reference.initialize(&hello(suite, nonce())) {
        Ok(declaration) => declaration,
        Err(error) => {
            report.faults.push(error.message);
            return report;
        }
    };
    let judge = Judge::new(suite, &declaration).with_laws(laws).with_seed(seed);
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<Finished>>> = Mutex::new(cases.iter().map(|_| None).collect());
    std::thread::scope(|scope| {
        let (sender, receiver) = std::sync::mpsc::channel::<usize>();
        for _ in 0..threads.clamp(1, cases.len().max(1)) {
            let (judge, next, done, mut reference, sender) = (&judge, &next, &done, reference.clone(), sender.clone());
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(at) else { return };
                    let (result, exchanges) = run_in_process(judge, &mut reference, case);
                    let finished = (result, Repeats::keepable(exchanges));
                    if let Ok(mut done) = done.lock() {
                        done[at] = Some(finished);
                    }
                    let _ = sender.send(at);
                }
            });
        }
        drop(sender);
        for at in receiver {
            if let Ok(done) = done.lock()
                && let Some((result, _)) = &done[at]
            {
                progress(result);
            }
        }
    });
    let mut repeats = Repeats::new(cases);
    for (at, finished) in done.into_inner().unwrap_or_default().into_iter().enumerate() {
        let Some((result, exchange)) = finished else { continue };
        repeats.offer(cases[at], report.results.len(), exchange);
        report.results.push(result);
    }
    for (case, at, first) in repeats.kept {
        let second = reference.call(first.operation, &first.params);
        report.results[at].add(judge.repeated(case, &first, &second));
        report.repeated += 1;
    }
    report.implementation = Some(declaration.implementation);
    report.elapsed = started.elapsed();
    report
}
