//! A child behind the protocol: many cases in flight, and every fault put down to the case that causes it.
//!
//! When a fault comes while several cases are in flight, none of them is blamed: the child is started anew and each of them runs again
//! alone. What happens then is its own doing.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use proofmark::adapter::{Answer, Declaration, Hello, ProtocolFault, RequestId};
use proofmark::case::{Case, Suite};
use proofmark::judge::{Call, CaseResult, CaseRun, Exchanged, Judge, Outcome};

use super::repeats::Repeats;
use super::{Progress, RunReport, hello, nonce};
use crate::client::{Client, ClientOptions, Event, StartFault};

/// How a run over the protocol is made.
#[derive(Debug, Clone)]
pub struct OverProtocol {
    /// How the child is started.
    pub client: ClientOptions,
    /// Requests in flight at most, whatever the child declares.
    pub window: usize,
    /// Whether to run the laws.
    pub laws: bool,
    /// The seed of worlds that are others in every run.
    pub seed: u64,
    /// How often the child is started again before the run gives up.
    pub max_restarts: usize,
}

/// Runs cases against a child.
pub fn run_over_protocol(suite: &Suite, cases: &[&Case], options: &OverProtocol, progress: &mut Progress<'_>) -> RunReport {
    let started = Instant::now();
    let command = options.client.command.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let mut report = RunReport { seed: options.seed, ..RunReport::new(suite, cases.len(), command) };
    let hello = hello(suite, nonce());
    let client = match Client::start(&options.client, &hello) {
        Ok(client) => client,
        Err(fault) => {
            report.faults.push(fault.to_string());
            return report;
        }
    };
    let declaration = client.declaration().clone();
    report.implementation = Some(declaration.implementation.clone());
    report.rendering = declaration.rendering;
    let judge = Judge::new(suite, &declaration).with_laws(options.laws).with_seed(options.seed);
    let declared = usize::try_from(declaration.max_in_flight).unwrap_or(usize::MAX);
    let mut run = Run {
        options,
        hello,
        declaration: &declaration,
        client: Some(client),
        restarts: 0,
        cases,
        window: declared.min(options.window).max(1),
        waiting: (0..cases.len()).collect(),
        alone: VecDeque::new(),
        running: HashMap::new(),
        calls: VecDeque::new(),
        open: HashMap::new(),
        results: cases.iter().map(|_| None).collect(),
        repeats: Repeats::new(cases),
        faults: Vec::new(),
        progress,
    };
    run.all_cases(&judge);
    report.repeated = run.repeat(&judge);
    run.say_goodbye();
    report.faults = run.faults;
    report.results = run.results.into_iter().flatten().collect();
    report.elapsed = started.elapsed();
    report
}

struct Run<'r, 's, 'p> {
    options: &'r OverProtocol,
    hello: Hello,
    declaration: &'r Declaration,
    client: Option<Client>,
    restarts: usize,
    cases: &'r [&'s Case],
    window: usize,
    /// Cases that were not started yet.
    waiting: VecDeque<usize>,
    /// Cases that were in flight when something went wrong: each runs again by itself.
    alone: VecDeque<usize>,
    running: HashMap<usize, CaseRun<'r>>,
    calls: VecDeque<(usize, Call)>,
    open: HashMap<RequestId, (usize, usize)>,
    results: Vec<Option<CaseResult>>,
    repeats: Repeats<'s>,
    faults: Vec<String>,
    progress: &'p mut Progress<'p>,
}

impl<'r, 's: 'r> Run<'r, 's, '_> {
    fn all_cases(&mut self, judge: &'r Judge<'s>) {
        loop {
            self.fill(judge);
            if self.running.is_empty() && self.waiting.is_empty() && self.alone.is_empty() {
                return;
            }
            // Answers to requests of cases that ended early are still to come.
            if self.running.is_empty() && self.open.is_empty() {
                continue;
            }
            let Some(client) = &mut self.client else { continue };
            let event = client.poll();
            self.take(event);
        }
    }

    /// Starts cases and sends calls, as far as the window allows.
    fn fill(&mut self, judge: &'r Judge<'s>) {
        loop {
            // A case that runs alone has the child to itself, one request at a time.
            let alone = !self.alone.is_empty();
            let window = if alone { 1 } else { self.window };
            if self.open.len() >= window {
                return;
            }
            if let Some((case, call)) = self.calls.pop_front() {
                self.send(case, &call);
                continue;
            }
            if alone && !self.running.is_empty() {
                return;
            }
            let next = self.alone.front().copied().or_else(|| self.waiting.pop_front());
            let Some(case) = next else { return };
            if !self.have_client() {
                // It never came to this case: nothing is known about it, and the run is no success all the same.
                let reason = "the adapter had been given up".to_owned();
                self.settle(case, CaseResult::new(self.cases[case], Outcome::Skipped, Some(reason)), Vec::new());
                continue;
            }
            match judge.begin(self.cases[case]) {
                Err(settled) => self.settle(case, *settled, Vec::new()),
                Ok(mut run) => {
                    let calls = run.start();
                    self.calls.extend(calls.into_iter().map(|call| (case, call)));
                    self.running.insert(case, run);
                    self.finish_if_done(case);
                }
            }
        }
    }

    fn send(&mut self, case: usize, call: &Call) {
        let Some(client) = &mut self.client else {
            self.blame(case, Outcome::Crashed, "the adapter was not running".to_owned());
            return;
        };
        match client.send(call.operation, &call.params) {
            Ok(id) => {
                self.open.insert(id, (case, call.key));
            }
            Err(fault) => {
                let reason = fault.to_string();
                let event = self.lost(Outcome::Crashed, &reason);
                if event.is_empty() {
                    self.blame(case, Outcome::Crashed, reason);
                }
            }
        }
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Answer(id, answer) => self.answered(id, answer),
            Event::RequestFault(id, fault) => {
                if let Some((case, _)) = self.open.remove(&id) {
                    let reason = self.with_line(&fault);
                    self.blame(case, Outcome::Errored, reason);
                }
            }
            // It stands for nobody's request, so that everybody in flight is in doubt.
            Event::Stray(fault) => {
                let reason = self.with_line(&fault);
                self.lost(Outcome::Errored, &reason);
            }
            Event::TimedOut(_) => {
                let limit = self.options.client.request_timeout;
                self.lost(Outcome::TimedOut, &format!("no answer within {limit:?}"));
            }
            Event::Lost(death) => {
                self.lost(Outcome::Crashed, &death.to_string());
            }
            Event::Idle => {}
        }
    }

    fn answered(&mut self, id: RequestId, answer: Answer) {
        let Some((case, key)) = self.open.remove(&id) else { return };
        let Some(run) = self.running.get_mut(&case) else { return };
        let calls = run.answered(key, answer);
        self.calls.extend(calls.into_iter().map(|call| (case, call)));
        self.finish_if_done(case);
    }

    fn finish_if_done(&mut self, case: usize) {
        if !self.running.get(&case).is_some_and(CaseRun::is_finished) {
            return;
        }
        self.calls.retain(|(of, _)| *of != case);
        if let Some(run) = self.running.remove(&case) {
            let (mut result, exchanges) = run.finish();
            if result.outcome.is_fault() {
                result.stderr = self.stderr();
            }
            self.settle(case, result, exchanges);
        }
    }

    fn blame(&mut self, case: usize, outcome: Outcome, reason: String) {
        if let Some(run) = self.running.get_mut(&case) {
            run.stop(outcome, reason);
            self.finish_if_done(case);
        }
    }

    fn settle(&mut self, case: usize, result: CaseResult, exchanges: Vec<Exchanged>) {
        if self.alone.front() == Some(&case) {
            self.alone.pop_front();
        }
        (self.progress)(&result);
        self.repeats.offer(self.cases[case], case, Repeats::keepable(exchanges));
        self.results[case] = Some(result);
    }

    /// The conversation can't go on: the child is ended. A case that was alone in flight is to blame; of several each runs again alone.
    /// Returns the cases concerned.
    fn lost(&mut self, outcome: Outcome, reason: &str) -> Vec<usize> {
        // Its last words come while it dies.
        let stderr = self.client.take().map(|client| client.kill().stderr).filter(|text| !text.trim().is_empty());
        let mut concerned: Vec<usize> = self.running.keys().copied().collect();
        concerned.sort_unstable();
        self.open.clear();
        self.calls.clear();
        match concerned.as_slice() {
            [] => self.faults.push(format!("with no request open: {reason}")),
            [case] => {
                if let Some(mut run) = self.running.remove(case) {
                    run.stop(outcome, reason.to_owned());
                    let (mut result, _) = run.finish();
                    result.stderr = stderr;
                    self.settle(*case, result, Vec::new());
                }
            }
            several => {
                self.faults.push(format!("with {} cases in flight, each of which then ran again alone: {reason}", several.len()));
                self.running.clear();
                self.alone.extend(several);
            }
        }
        concerned
    }

    /// A fault of the protocol with the beginning of the line that it is about.
    fn with_line(&self, fault: &ProtocolFault) -> String {
        let line = self.client.as_ref().map_or("", Client::offending_line);
        format!("protocol fault: {fault}\nthe line begins: {line}")
    }

    fn stderr(&self) -> Option<String> {
        self.client.as_ref().map(Client::stderr).filter(|text| !text.trim().is_empty())
    }

    /// A running child, started again where need be.
    fn have_client(&mut self) -> bool {
        if self.client.is_some() {
            return true;
        }
        if self.restarts > self.options.max_restarts {
            return false;
        }
        self.restarts += 1;
        if self.restarts > self.options.max_restarts {
            self.faults
                .push(format!("given up after {} restarts (--max-restarts); what went wrong first is above", self.options.max_restarts));
            return false;
        }
        match Client::start(&self.options.client, &self.hello) {
            Ok(client) if client.declaration() == self.declaration => {
                self.client = Some(client);
                true
            }
            Ok(client) => {
                client.kill();
                self.give_up("the adapter declared something else when it was started again".to_owned())
            }
            Err(fault) => self.give_up(restart_failed(&fault)),
        }
    }

    fn give_up(&mut self, fault: String) -> bool {
        self.faults.push(fault);
        self.restarts = self.options.max_restarts + 1;
        false
    }

    /// Asks some requests again; the first answers and the second ones must be the same.
    fn repeat(&mut self, judge: &'r Judge<'s>) -> usize {
        let kept = std::mem::take(&mut self.repeats.kept);
        let mut repeated = 0;
        for (case, at, first) in kept {
            let Some(client) = &mut self.client else { break };
            let Ok(id) = client.send(first.operation, &first.params) else { break };
            let answer = loop {
                match client.poll() {
                    Event::Answer(answered, answer) if answered == id => break Ok(answer),
                    Event::Answer(..) | Event::Idle => {}
                    Event::RequestFault(_, fault) | Event::Stray(fault) => break Err(fault.to_string()),
                    Event::TimedOut(_) => break Err("no answer in time".to_owned()),
                    Event::Lost(death) => break Err(death.to_string()),
                }
            };
            match answer {
                Ok(second) => {
                    repeated += 1;
                    let findings = match &second {
                        Answer::Error(error) => {
                            self.faults.push(format!("{}: asked again at the end, it answered error {}", case.id, error.code));
                            Vec::new()
                        }
                        Answer::Unsupported => {
                            self.faults.push(format!("{}: asked again at the end, it is unsupported", case.id));
                            Vec::new()
                        }
                        _ => judge.repeated(case, &first, &second),
                    };
                    if let Some(result) = &mut self.results[at] {
                        result.add(findings);
                    }
                }
                Err(fault) => {
                    self.faults.push(format!("{}: asked again at the end: {fault}", case.id));
                    if let Some(client) = self.client.take() {
                        client.kill();
                    }
                }
            }
        }
        repeated
    }

    fn say_goodbye(&mut self) {
        if let Some(client) = self.client.take() {
            let farewell = client.shutdown();
            if !farewell.is_clean() {
                self.faults.push(farewell.to_string());
            }
        }
    }
}

fn restart_failed(fault: &StartFault) -> String {
    format!("the adapter could not be started again: {fault}")
}
