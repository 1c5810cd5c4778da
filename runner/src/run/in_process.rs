//! An implementation in this process, through the trait; the reference, like every other host.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use proofmark::adapter::Implementation;
use proofmark::case::Suite;
use proofmark::judge::{CaseResult, Exchanged, Judge, run_in_process};

use super::plan::{Plan, keepable};
use super::{Observer, RunReport, RunSettings, hello};

/// Runs cases against an implementation, on several threads; each has a clone of it.
pub fn run_implementation<I: Implementation + Clone + Send>(
    suite: &Suite,
    plan: Plan<'_>,
    settings: RunSettings,
    mut implementation: I,
    threads: usize,
    observer: &mut dyn Observer,
) -> RunReport {
    let started = Instant::now();
    let mut report = RunReport::new(settings);
    let declaration = match implementation.initialize(&hello(suite, report.settings.nonce.clone())) {
        Ok(declaration) => declaration,
        Err(error) => {
            report.fault(format!("`initialize` was refused: {}", error.message), observer);
            return report;
        }
    };
    report.declare(&declaration);
    if let Err(refusal) = observer.declared(&declaration) {
        report.fault(refusal, observer);
        return report;
    }
    let judge = Judge::new(suite, &declaration).with_laws(report.settings.laws).with_seed(report.settings.seed);
    let order = plan.order();
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let mut results: Vec<Option<CaseResult>> = plan.cases.iter().map(|_| None).collect();
    let mut kept: Vec<(usize, Exchanged)> = Vec::new();
    let hosts: Vec<I> = (0..threads.clamp(1, order.len().max(1))).map(|_| implementation.clone()).collect();
    std::thread::scope(|scope| {
        let (sender, receiver) = std::sync::mpsc::channel::<(usize, CaseResult, Option<Exchanged>)>();
        for mut host in hosts {
            let (judge, next, stop, plan, order, sender) = (&judge, &next, &stop, &plan, &order, sender.clone());
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let Some(at) = order.get(next.fetch_add(1, Ordering::Relaxed)).copied() else { return };
                    let (result, exchanges) = run_in_process(judge, &mut host, plan.cases[at].case);
                    let _ = sender.send((at, result, keepable(&plan.cases[at], exchanges)));
                }
            });
        }
        drop(sender);
        for (at, result, exchange) in receiver {
            observer.settled(&result, exchange.as_ref());
            results[at] = Some(result);
            kept.extend(exchange.map(|exchange| (at, exchange)));
            stop.store(observer.has_enough(), Ordering::Relaxed);
        }
    });
    report.repeated = plan.repeated;
    let mut cases = Vec::new();
    for (at, planned) in plan.cases.into_iter().enumerate() {
        cases.push(planned.case);
        if let Some((result, exchange)) = planned.done {
            results[at] = Some(result);
            kept.extend(exchange.map(|exchange| (at, exchange)));
        }
    }
    kept.sort_by_key(|(at, _)| *at);
    for (at, first) in kept {
        let second = implementation.call(first.operation, &first.params);
        let findings = judge.repeated(cases[at], &first, &second);
        observer.repeated(&cases[at].id, &findings);
        if let Some(result) = &mut results[at] {
            result.add(findings);
        }
        report.repeated += 1;
    }
    report.results = results.into_iter().flatten().collect();
    report.elapsed = started.elapsed();
    report
}
