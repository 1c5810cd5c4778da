//! An adapter behind the protocol: one child or several, each with many cases in flight.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use proofmark::adapter::Answer;
use proofmark::case::Suite;
use proofmark::judge::{CaseResult, Exchanged, Judge};

use super::plan::Plan;
use super::worker::{Said, Shared, Worker};
use super::{Observer, RunReport, RunSettings, hello};
use crate::client::{Connection, Endpoint, Event};

/// How a run over the protocol is made.
#[derive(Debug, Clone)]
pub struct OverProtocol {
    /// Where the adapter is.
    pub endpoint: Endpoint,
    /// Requests in flight at most with one child, whatever it declares.
    pub window: usize,
    /// How many children are asked at the same time.
    pub jobs: usize,
    /// How often children are started again before the run gives up.
    pub max_restarts: usize,
}

/// Runs cases against an adapter.
pub fn run_over_protocol(
    suite: &Suite,
    plan: Plan<'_>,
    settings: RunSettings,
    options: &OverProtocol,
    observer: &mut dyn Observer,
) -> RunReport {
    let started = Instant::now();
    let mut report = RunReport::new(settings);
    let hello = hello(suite, report.settings.nonce.clone());
    let client = match options.endpoint.connect(&hello) {
        Ok(client) => client,
        Err(fault) => {
            report.fault(fault.to_string(), observer);
            return report;
        }
    };
    let declaration = client.declaration().clone();
    report.declare(&declaration);
    if let Err(refusal) = observer.declared(&declaration) {
        client.kill();
        report.fault(refusal, observer);
        return report;
    }
    let judge = Judge::new(suite, &declaration).with_laws(report.settings.laws).with_seed(report.settings.seed);
    let declared = usize::try_from(declaration.max_in_flight).unwrap_or(usize::MAX);
    let waiting: VecDeque<usize> = plan.order().into();
    let jobs = options.jobs.clamp(1, waiting.len().max(1));
    let shared = Shared {
        endpoint: &options.endpoint,
        hello: &hello,
        judge: &judge,
        plan: &plan,
        declaration: &declaration,
        window: declared.min(options.window).max(1),
        jobs,
        max_restarts: options.max_restarts,
        waiting: Mutex::new(waiting),
        restarts: AtomicUsize::new(0),
        is_given_up: AtomicBool::new(false),
        stop: AtomicBool::new(false),
    };
    let mut course = Course { shared: &shared, report, observer, results: plan.cases.iter().map(|_| None).collect(), kept: Vec::new() };
    let mut clients = if jobs == 1 {
        let mut say = |said| course.hear(said);
        Worker::new(&shared, Some(client), &mut say).all_cases().into_iter().collect()
    } else {
        several(&shared, client, jobs, &mut course)
    };
    let first = if clients.is_empty() { None } else { Some(clients.remove(0)) };
    let first = course.repeat(first);
    for client in first.into_iter().chain(clients) {
        let farewell = client.shutdown();
        if !farewell.is_clean() {
            course.hear(Said::Fault(farewell.to_string()));
        }
    }
    let Course { mut report, results, .. } = course;
    report.results = results.into_iter().flatten().collect();
    report.elapsed = started.elapsed();
    report
}

/// Each child with a thread of its own; what they say is heard here, in one.
fn several<'r, 's: 'r>(
    shared: &'r Shared<'r, 's>,
    first: Box<dyn Connection>,
    jobs: usize,
    course: &mut Course<'_, 's, '_>,
) -> Vec<Box<dyn Connection>> {
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let mut first = Some(first);
        let workers: Vec<_> = (0..jobs)
            .map(|_| {
                let (client, sender) = (first.take(), sender.clone());
                scope.spawn(move || {
                    let mut say = |said| {
                        // Nobody hears any more only where this whole run is unwinding.
                        let _ = sender.send(said);
                    };
                    // Not a restart: this child has not been there before.
                    let client = client.or_else(|| match shared.endpoint.connect(shared.hello) {
                        Ok(client) if client.declaration() == shared.declaration => Some(client),
                        Ok(client) => {
                            client.kill();
                            say(Said::Fault("another child declared something else (--jobs)".to_owned()));
                            None
                        }
                        Err(fault) => {
                            say(Said::Fault(format!("another child could not be started (--jobs): {fault}")));
                            None
                        }
                    })?;
                    Worker::new(shared, Some(client), &mut say).all_cases()
                })
            })
            .collect();
        drop(sender);
        for said in receiver {
            course.hear(said);
        }
        let joined = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        joined.flatten().collect()
    })
}

/// What a run has come to so far.
struct Course<'r, 's, 'o> {
    shared: &'r Shared<'r, 's>,
    report: RunReport,
    observer: &'o mut dyn Observer,
    results: Vec<Option<CaseResult>>,
    /// Exchanges that are to be repeated, each with the place of its case.
    kept: Vec<(usize, Exchanged)>,
}

impl Course<'_, '_, '_> {
    fn hear(&mut self, said: Said) {
        match said {
            Said::Settled(at, result, exchange) => {
                self.observer.settled(&result, exchange.as_ref());
                self.results[at] = Some(*result);
                self.kept.extend(exchange.map(|exchange| (at, exchange)));
            }
            Said::Fault(fault) => self.report.fault(fault, self.observer),
        }
        if self.observer.has_enough() {
            self.shared.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Asks some requests again, what an earlier part of the run left included; the first answers and the second ones must be the same.
    fn repeat(&mut self, mut client: Option<Box<dyn Connection>>) -> Option<Box<dyn Connection>> {
        self.report.repeated = self.shared.plan.repeated;
        for (at, planned) in self.shared.plan.cases.iter().enumerate() {
            if let Some((result, exchange)) = &planned.done {
                self.results[at] = Some(result.clone());
                self.kept.extend(exchange.clone().map(|exchange| (at, exchange)));
            }
        }
        if self.shared.stop.load(Ordering::Relaxed) {
            return client;
        }
        let mut kept = std::mem::take(&mut self.kept);
        kept.sort_by_key(|(at, _)| *at);
        for (at, first) in kept {
            // An adapter that is gone by now is at fault already.
            let Some(asked) = &mut client else { break };
            let id = &self.shared.plan.cases[at].case.id;
            match again(&mut **asked, &first) {
                Ok(second) => {
                    self.report.repeated += 1;
                    let mut findings = Vec::new();
                    match &second {
                        Answer::Error(error) => {
                            self.hear(Said::Fault(format!("{id}: asked again at the end, it answered error {}", error.code)));
                        }
                        Answer::Unsupported => self.hear(Said::Fault(format!("{id}: asked again at the end, it is unsupported"))),
                        _ => findings = self.shared.judge.repeated(self.shared.plan.cases[at].case, &first, &second),
                    }
                    self.observer.repeated(id, &findings);
                    if let Some(result) = &mut self.results[at] {
                        result.add(findings);
                    }
                }
                Err(fault) => {
                    self.hear(Said::Fault(format!("{id}: asked again at the end: {fault}")));
                    if let Some(client) = client.take() {
                        client.kill();
                    }
                }
            }
        }
        client
    }
}

/// The answer to a request that was answered before.
fn again(client: &mut dyn Connection, first: &Exchanged) -> Result<Answer, String> {
    let id = client.send(first.operation, &first.params).map_err(|fault| fault.to_string())?;
    loop {
        match client.poll() {
            Event::Answer(answered, answer) if answered == id => return Ok(answer),
            Event::Answer(..) | Event::Idle => {}
            Event::RequestFault(_, fault) | Event::Stray(fault) => return Err(fault.to_string()),
            Event::TimedOut(_) => return Err("no answer in time".to_owned()),
            Event::Lost(death) => return Err(death.to_string()),
        }
    }
}
