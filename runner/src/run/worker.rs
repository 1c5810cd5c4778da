//! One child of a run: many cases in flight, and every fault put down to the case that causes it.
//!
//! When a fault comes while several cases are in flight, none of them is blamed: the child is started anew and each of them runs again
//! alone. What happens then is its own doing.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use proofmark::adapter::{Answer, Declaration, Hello, ProtocolFault, RequestId};
use proofmark::judge::{Call, CaseResult, CaseRun, Exchanged, Judge, Outcome};

use super::plan::{Plan, keepable};
use crate::client::{Cause, Connection, Endpoint, Event};

/// What a worker has to say.
pub(super) enum Said {
    /// A case is finished; with the exchange that is to be repeated.
    Settled(usize, Box<CaseResult>, Option<Exchanged>),
    /// The adapter did something that no case stands for.
    Fault(String),
}

/// What all workers of a run have in common.
pub(super) struct Shared<'r, 's> {
    pub(super) endpoint: &'r Endpoint,
    pub(super) hello: &'r Hello,
    pub(super) judge: &'r Judge<'s>,
    pub(super) plan: &'r Plan<'s>,
    pub(super) declaration: &'r Declaration,
    pub(super) window: usize,
    pub(super) jobs: usize,
    pub(super) max_restarts: usize,
    /// Cases that nobody has begun.
    pub(super) waiting: Mutex<VecDeque<usize>>,
    pub(super) restarts: AtomicUsize,
    /// The adapter can't be started any more.
    pub(super) is_given_up: AtomicBool,
    /// Whoever watches has seen enough.
    pub(super) stop: AtomicBool,
}

impl Shared<'_, '_> {
    /// Starts the adapter again, unless it was started too often. Says why not, once for all workers.
    pub(super) fn restart(&self, say: &mut dyn FnMut(Said)) -> Option<Box<dyn Connection>> {
        if self.is_given_up.load(Ordering::Relaxed) {
            return None;
        }
        let mut give_up = |fault: String| {
            if !self.is_given_up.swap(true, Ordering::Relaxed) {
                say(Said::Fault(fault));
            }
            None
        };
        if self.restarts.fetch_add(1, Ordering::Relaxed) >= self.max_restarts {
            return give_up(format!("given up after {} restarts (--max-restarts); what went wrong first is above", self.max_restarts));
        }
        match self.endpoint.connect(self.hello) {
            Ok(client) if client.declaration() == self.declaration => Some(client),
            Ok(client) => {
                client.kill();
                give_up("the adapter declared something else when it was started again".to_owned())
            }
            Err(fault) => give_up(format!("the adapter could not be started again: {fault}")),
        }
    }

    /// With several children none takes more than its part of what is left, so that all of them end together.
    fn window_now(&self) -> usize {
        if self.jobs == 1 {
            return self.window;
        }
        let left = self.waiting.lock().map_or(0, |waiting| waiting.len());
        self.window.min((left / (2 * self.jobs)).max(2))
    }

    fn next_waiting(&self) -> Option<usize> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        self.waiting.lock().ok()?.pop_front()
    }
}

/// One child and the cases that are under way with it.
pub(super) struct Worker<'r, 's, 'w> {
    shared: &'r Shared<'r, 's>,
    say: &'w mut dyn FnMut(Said),
    client: Option<Box<dyn Connection>>,
    /// Cases that were in flight when something went wrong: each runs again by itself.
    alone: VecDeque<usize>,
    running: HashMap<usize, CaseRun<'r>>,
    calls: VecDeque<(usize, Call)>,
    open: HashMap<RequestId, (usize, usize)>,
    /// Every request that was sent to this child for a case that is not over.
    asked: HashMap<RequestId, usize>,
    /// And every one for a case that is.
    over: HashSet<RequestId>,
}

impl<'r, 's: 'r, 'w> Worker<'r, 's, 'w> {
    pub(super) fn new(shared: &'r Shared<'r, 's>, client: Option<Box<dyn Connection>>, say: &'w mut dyn FnMut(Said)) -> Self {
        Self {
            shared,
            say,
            client,
            alone: VecDeque::new(),
            running: HashMap::new(),
            calls: VecDeque::new(),
            open: HashMap::new(),
            asked: HashMap::new(),
            over: HashSet::new(),
        }
    }

    /// Runs cases until none is waiting; returns the child, where it lives.
    pub(super) fn all_cases(mut self) -> Option<Box<dyn Connection>> {
        loop {
            self.fill();
            // Answers to requests of cases that ended early are still to come.
            if self.running.is_empty() && self.alone.is_empty() && self.open.is_empty() {
                return self.client;
            }
            let Some(client) = &mut self.client else { continue };
            let event = client.poll();
            self.take(event);
        }
    }

    /// Starts cases and sends calls, as far as the window allows.
    fn fill(&mut self) {
        loop {
            // A case that runs alone has the child to itself, one request at a time.
            let alone = !self.alone.is_empty();
            let window = if alone { 1 } else { self.shared.window_now() };
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
            let next = self.alone.front().copied().or_else(|| self.shared.next_waiting());
            let Some(at) = next else { return };
            let case = self.shared.plan.cases[at].case;
            if self.client.is_none() {
                self.client = self.shared.restart(self.say);
            }
            if self.client.is_none() {
                // It never came to this case: nothing is known about it, and the run is no success all the same.
                let reason = "the adapter had been given up".to_owned();
                self.settle(at, CaseResult::new(case, Outcome::Skipped, Some(reason)), Vec::new());
                continue;
            }
            match self.shared.judge.begin(case) {
                Err(settled) => self.settle(at, *settled, Vec::new()),
                Ok(mut run) => {
                    let calls = run.start();
                    self.calls.extend(calls.into_iter().map(|call| (at, call)));
                    self.running.insert(at, run);
                    self.finish_if_done(at);
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
                self.asked.insert(id, case);
            }
            Err(fault) => {
                let reason = fault.to_string();
                if self.lost(Outcome::Crashed, &reason) == 0 {
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
                // A second answer to a request of a case that is over says nothing of those that are not.
                let is_old = matches!(&fault, ProtocolFault::AnsweredBefore(id) if self.over.contains(id));
                let reason = self.with_line(&fault);
                self.lost_by(Outcome::Errored, &reason, is_old);
            }
            Event::TimedOut(_) => {
                let limit = self.shared.endpoint.request_timeout();
                self.lost(Outcome::TimedOut, &format!("no answer within {limit:?} (--timeout)"));
            }
            Event::Lost(death) => {
                // A line over the limit is a fault of the protocol, though it ends the conversation as a crash does.
                let is_line = matches!(death.cause, Cause::LineTooLong { .. });
                self.lost(if is_line { Outcome::Errored } else { Outcome::Crashed }, &death.to_string());
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
        self.over.extend(self.asked.extract_if(|_, of| *of == case).map(|(id, _)| id));
        if let Some(run) = self.running.remove(&case) {
            let (mut result, exchanges) = run.finish();
            if result.outcome.is_fault() {
                result.stderr = self.client.as_ref().map(|client| client.stderr()).filter(|text| !text.trim().is_empty());
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
        let exchange = keepable(&self.shared.plan.cases[case], exchanges);
        (self.say)(Said::Settled(case, Box::new(result), exchange));
    }

    /// The conversation can't go on: the child is ended. A case that was alone in flight is to blame; of several each runs again alone.
    /// Returns how many cases are concerned.
    fn lost(&mut self, outcome: Outcome, reason: &str) -> usize {
        self.lost_by(outcome, reason, false)
    }

    /// [`Worker::lost`], where the cause may lie with a case that is over.
    fn lost_by(&mut self, outcome: Outcome, reason: &str, is_old: bool) -> usize {
        // Its last words come while it dies.
        let death = self.client.take().map(|client| client.kill());
        let mut reason = reason.to_owned();
        if let Some(death) = death.as_ref().filter(|death| outcome == Outcome::TimedOut && death.unfinished_bytes > 0) {
            reason.push_str(&format!(", after {} bytes of a line that it did not end", death.unfinished_bytes));
        }
        let stderr = death.map(|death| death.stderr).filter(|text| !text.trim().is_empty());
        let mut concerned: Vec<usize> = self.running.keys().copied().collect();
        concerned.sort_unstable();
        // A case that ended early may have left requests that are still to be answered, and one of these may be the cause.
        let is_old = is_old || self.open.values().any(|(case, _)| !self.running.contains_key(case));
        self.open.clear();
        self.asked.clear();
        self.over.clear();
        self.calls.clear();
        match concerned.as_slice() {
            [] => (self.say)(Said::Fault(format!("with no case in flight: {reason}"))),
            [case] if !is_old => {
                if let Some(mut run) = self.running.remove(case) {
                    run.stop(outcome, reason);
                    let (mut result, _) = run.finish();
                    result.stderr = stderr;
                    self.settle(*case, result, Vec::new());
                }
            }
            several => {
                let fault = match several.len() {
                    1 => format!("with a case in flight, which then ran again alone; the cause may lie with a case before: {reason}"),
                    count => format!("with {count} cases in flight, each of which then ran again alone: {reason}"),
                };
                (self.say)(Said::Fault(fault));
                self.running.clear();
                self.alone.extend(several);
            }
        }
        concerned.len()
    }

    /// A fault of the protocol with the beginning of the line that it is about.
    fn with_line(&self, fault: &ProtocolFault) -> String {
        let line = self.client.as_ref().map_or("", |client| client.offending_line());
        let hint = match fault {
            ProtocolFault::Malformed(_) => "\nstdout is for answers alone, one a line; what is for people goes to stderr",
            _ => "",
        };
        format!("protocol fault: {fault}\nthe line begins: {line}{hint}")
    }
}
