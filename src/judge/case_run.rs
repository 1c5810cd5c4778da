//! One case on its way: which calls to make next, and what to say once they are answered. No IO, no clock; the caller asks.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::answer::{self, Context, answer_value, describe};
use super::laws::{self, Variant};
use super::outcome::{CaseResult, Finding, FindingSource, Outcome};
use super::run::{Next, Run, RunFault};
use super::{Judge, expectation_profile, replay};
use crate::adapter::{Answer, Diagnostics, Operation};
use crate::case::{Case, ExpandError, Expectation, Step};
use crate::contract::refusal::Category;
use crate::contract::rendering::RenderingProfile;
use crate::embedded;
use crate::policy::{Companion, Exchange};
use crate::verdict::Level;

/// A call to make.
#[derive(Debug, Clone)]
pub struct Call {
    /// By which the answer is handed back.
    pub key: usize,
    /// What to ask.
    pub operation: Operation,
    /// With what.
    pub params: Arc<Value>,
}

/// A case's own request with its answer.
#[derive(Debug, Clone)]
pub struct Exchanged {
    /// What was asked.
    pub operation: Operation,
    /// With what.
    pub params: Arc<Value>,
    /// What came.
    pub answer: Answer,
}

enum Awaited {
    Own,
    /// A call of the run that the case's step is.
    Run,
    Twin(Operation),
    Variant(&'static str),
}

/// A case that is running.
pub struct CaseRun<'j> {
    judge: &'j Judge<'j>,
    case: &'j Case,
    /// Under which right and wrong are computed.
    profile: RenderingProfile,
    /// Which the requests carry.
    carried: RenderingProfile,
    reference: Option<Vec<Value>>,
    exchanges: Vec<Exchanged>,
    run: Option<Run<'j>>,
    awaited: HashMap<usize, (Awaited, Arc<Value>)>,
    companions: Vec<(Awaited, Arc<Value>, Answer)>,
    next_key: usize,
    result: CaseResult,
    finished: bool,
}

impl<'j> CaseRun<'j> {
    pub(super) fn begin(judge: &'j Judge<'j>, case: &'j Case) -> Result<Self, Box<CaseResult>> {
        let settled = |outcome: Outcome, reason: String| Err(Box::new(CaseResult::new(case, outcome, Some(reason))));
        if let Some(step) = case.steps.iter().find(|step| !judge.supports(step.operation)) {
            let name = step.operation.declared_name();
            return settled(Outcome::Unsupported, format!("{name} is not among the declared operations{}", judge.unknown_operations));
        }
        let is_unjudged = |step: &Step| step.expect.as_ref().is_none_or(|expect| matches!(expect, Expectation::Verdict(_)) && !step.is_run);
        if judge.diagnostics == Diagnostics::Valid && case.level < Level::Must && case.steps.iter().all(is_unjudged) {
            let reason = "it is about more than valid or not, and the verdicts declared go no further";
            return settled(Outcome::NotApplicable, reason.to_owned());
        }
        let named = case.profile.as_deref().and_then(embedded::rendering_profile);
        match (named, judge.declared) {
            (Some(named), Some(declared)) if named != declared && case.depends_on_profile() => {
                let name = case.profile.as_deref().unwrap_or_default();
                return settled(Outcome::NotApplicable, format!("the case is about the rendering profile {name}; another is declared"));
            }
            (_, None) if case.needs_profile() || (named.is_some() && case.depends_on_profile()) => {
                return settled(Outcome::Skipped, "it needs a declared rendering profile, and none is declared".to_owned());
            }
            _ => {}
        }
        let profile = expectation_profile(case, judge.declared);
        let carried = judge.declared.or(named).unwrap_or_else(embedded::page_1);
        // Under the shipped profiles a suite without contradictions was compared already.
        let shipped = embedded::rendering_profiles().values().any(|shipped| shipped.assuming(case.assume) == profile);
        let uses_reference = case.steps.iter().filter_map(|step| step.expect.as_ref()).any(Expectation::uses_reference);
        let mut reference = None;
        if case.depends_on_profile() && (uses_reference || !shipped) {
            match replay::replay(judge.suite, case, &profile) {
                Err(error) => return settled(Outcome::NotApplicable, format!("under the declared rendering profile: {}", error.message)),
                Ok((_, findings)) if !findings.is_empty() => {
                    let reason = "under the declared rendering profile the right answer is another than the case's";
                    return settled(Outcome::NotApplicable, reason.to_owned());
                }
                Ok((answers, _)) => reference = Some(answers.iter().map(answer_value).collect()),
            }
        }
        Ok(Self {
            judge,
            case,
            profile,
            carried,
            reference,
            exchanges: Vec::new(),
            run: None,
            awaited: HashMap::new(),
            companions: Vec::new(),
            next_key: 0,
            result: CaseResult::new(case, Outcome::Passed, None),
            finished: false,
        })
    }

    /// The case.
    #[must_use]
    pub fn case(&self) -> &'j Case {
        self.case
    }

    /// The first calls to make; none where the case is over.
    pub fn start(&mut self) -> Vec<Call> {
        self.next_step()
    }

    /// Whether nothing is left to ask.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    fn call(&mut self, awaited: Awaited, operation: Operation, params: Arc<Value>) -> Call {
        let key = self.next_key;
        self.next_key += 1;
        self.awaited.insert(key, (awaited, Arc::clone(&params)));
        Call { key, operation, params }
    }

    fn next_step(&mut self) -> Vec<Call> {
        let step = self.exchanges.len();
        if step == self.case.steps.len() {
            self.finished = true;
            return Vec::new();
        }
        let expanded = {
            let earlier = |name: &str, path: &str| earlier(self.case, &self.exchanges, name, path);
            replay::expand(self.judge.suite, self.case, step, &self.profile, &self.carried, &earlier)
        };
        let begun = match expanded {
            Ok(params) if self.case.steps[step].is_run => {
                let begun = Run::begin(self.judge.trace_pack, &params, self.judge.seed_of(self.case));
                begun.map_err(|message| ExpandError { path: String::new(), message }).map(|(run, open)| {
                    self.run = Some(run);
                    (Awaited::Run, open)
                })
            }
            expanded => expanded.map(|params| (Awaited::Own, params)),
        };
        match begun {
            Ok((awaited, params)) => vec![self.call(awaited, self.case.steps[step].operation, Arc::new(params))],
            Err(error) => {
                // The suite was checked, so that only an earlier answer can have led here.
                let place = self.case.expectation_place(step, "");
                self.result.add(vec![Finding {
                    level: self.case.level,
                    source: FindingSource::Expectation,
                    clause: self.case.clause.clone(),
                    step: self.case.steps[step].name.clone(),
                    path: error.path.clone(),
                    expected: "earlier answers from which this step can be asked".to_owned(),
                    got: error.message,
                    line: place.line,
                    column: place.column,
                    request: None,
                    asked: None,
                    events: Vec::new(),
                }]);
                self.finished = true;
                Vec::new()
            }
        }
    }

    /// Takes the answer to a call; returns the next calls. Calls of one case may be answered in any order.
    pub fn answered(&mut self, key: usize, answer: Answer) -> Vec<Call> {
        let Some((awaited, params)) = self.awaited.remove(&key) else { return Vec::new() };
        if self.finished {
            return Vec::new();
        }
        let is_own = matches!(awaited, Awaited::Own | Awaited::Run);
        let step = if is_own { self.exchanges.len() } else { self.exchanges.len().saturating_sub(1) };
        let operation = match awaited {
            Awaited::Twin(operation) => operation,
            _ => self.case.steps[step].operation,
        };
        match &answer {
            Answer::Unsupported => {
                self.finished = true;
                if is_own && self.exchanges.is_empty() && !self.run.as_ref().is_some_and(Run::is_open) {
                    self.result =
                        CaseResult::new(self.case, Outcome::Unsupported, Some(format!("{operation} is declared, yet unsupported")));
                } else {
                    self.stop(Outcome::Errored, format!("{operation} is supported for one request and not for the next"));
                }
                return Vec::new();
            }
            Answer::Error(_) => {
                let asked = if is_own { String::new() } else { " (a request beside the case's own)".to_owned() };
                self.stop(Outcome::Errored, format!("{operation}{asked}: {}{}", describe(&answer), hint(&answer)));
                return Vec::new();
            }
            Answer::Result(_) | Answer::Refusal(_) => {}
        }
        if matches!(awaited, Awaited::Run) {
            return self.run_answered(step, &answer);
        }
        if !is_own {
            self.companions.push((awaited, params, answer));
            return if self.awaited.is_empty() { self.settle_step() } else { Vec::new() };
        }
        self.judge_own(step, Some(&params), &answer);
        let calls = self.companion_calls(operation, &params, &answer);
        self.exchanges.push(Exchanged { operation, params, answer });
        if calls.is_empty() { self.settle_step() } else { calls }
    }

    /// Goes on with a run, or judges it once it is over.
    fn run_answered(&mut self, step: usize, answer: &Answer) -> Vec<Call> {
        let Some(run) = &mut self.run else { return Vec::new() };
        let fault = match run.answered(answer) {
            Next::Ask(operation, params) => return vec![self.call(Awaited::Run, operation, params)],
            Next::Over => None,
            Next::Broken(fault) => Some(fault),
        };
        let Some((events, violations)) = self.run.take().map(Run::finish) else { return Vec::new() };
        let mut findings = answer::violation_findings(self.judge.trace_pack, self.case, step, violations);
        for finding in &mut findings {
            finding.events = around(&events, &finding.path);
        }
        // What binds most is what a reader wants first.
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
        let is_broken = fault.is_some();
        findings.extend(fault.map(|fault| self.broken_run(step, fault, &events)));
        self.result.add(findings);
        let answer = Answer::Result(serde_json::json!({"events": events}));
        if !is_broken {
            self.judge_own(step, None, &answer);
        }
        self.exchanges.push(Exchanged { operation: Operation::LifecycleOpen, params: Arc::new(Value::Null), answer });
        self.next_step()
    }

    /// An answer that no running host may give.
    fn broken_run(&self, step: usize, fault: RunFault, events: &[Value]) -> Finding {
        let place = self.case.expectation_place(step, "");
        Finding {
            level: Level::Must,
            source: FindingSource::Protocol,
            clause: "lifecycle#protocol".to_owned(),
            step: self.case.steps[step].name.clone(),
            path: String::new(),
            expected: fault.expected.to_owned(),
            got: fault.got,
            line: place.line,
            column: place.column,
            request: None,
            asked: None,
            events: around(events, ""),
        }
    }

    fn judge_own(&mut self, step: usize, params: Option<&Value>, answer: &Answer) {
        let Some(expect) = &self.case.steps[step].expect else { return };
        if self.case.steps[step].is_run && matches!(expect, Expectation::Verdict(_)) {
            // That a run is valid is what the rules said of it already.
            return;
        }
        let earlier = |name: &str, path: &str| earlier(self.case, &self.exchanges, name, path);
        let reference = self.reference.as_ref().and_then(|answers| answers.get(step));
        let context = Context { reference, earlier: &earlier };
        let (mut findings, difference) = answer::judge(self.case, step, expect, answer, self.judge.diagnostics, &context);
        if let Some(first) = findings.first_mut().filter(|_| !self.case.steps[step].is_run) {
            first.asked = params.and_then(|params| small(self.case.steps[step].operation, params));
        }
        self.result.add(findings);
        self.result.differences.extend(difference);
    }

    fn companion_calls(&mut self, operation: Operation, params: &Arc<Value>, answer: &Answer) -> Vec<Call> {
        let mut calls = Vec::new();
        if let Some(twin) = laws::twin(operation, params).filter(|twin| self.judge.supports(*twin)) {
            calls.push(self.call(Awaited::Twin(twin), twin, Arc::clone(params)));
        }
        // What a `may` case probes is settled by nothing, so that no law has to hold around it.
        if self.judge.laws && self.case.level > Level::May {
            for Variant { law, params } in laws::variants(operation, params, answer, self.judge.declared.as_ref()) {
                calls.push(self.call(Awaited::Variant(law), operation, Arc::new(params)));
            }
        }
        calls
    }

    /// Judges a step by the rules, once everything beside it was answered.
    fn settle_step(&mut self) -> Vec<Call> {
        let step = self.exchanges.len() - 1;
        let companions = std::mem::take(&mut self.companions);
        let own = &self.exchanges[step];
        let twin = companions.iter().find_map(|(awaited, _, answer)| matches!(awaited, Awaited::Twin(_)).then_some(answer));
        let exchange = Exchange {
            operation: own.operation,
            params: Some(&own.params),
            answer: &own.answer,
            profile: self.judge.declared.as_ref(),
            companion: twin.map(Companion::Twin),
        };
        let rules = |exchange: &Exchange<'_>| answer::rule_findings(self.judge.pack_of(exchange.operation), self.case, step, exchange);
        let mut findings = rules(&exchange);
        for (awaited, params, answer) in &companions {
            let operation = match awaited {
                Awaited::Twin(operation) => *operation,
                _ => own.operation,
            };
            let mut beside = Vec::new();
            if let Awaited::Variant(law) = awaited {
                let companion = Some(Companion::Variant { law, params, answer });
                beside.extend(rules(&Exchange { companion, ..exchange }));
            }
            beside.extend(rules(&Exchange { operation, params: Some(params), answer, profile: exchange.profile, companion: None }));
            let seen = |finding: &Finding, findings: &[Finding]| findings.iter().any(|other| other.source == finding.source);
            for mut finding in beside {
                if !seen(&finding, &findings) {
                    finding.request = small(operation, params);
                    findings.push(finding);
                }
            }
        }
        self.result.add(findings);
        self.next_step()
    }

    /// Ends the case for a reason outside the contract.
    pub fn stop(&mut self, outcome: Outcome, reason: String) {
        self.finished = true;
        self.awaited.clear();
        self.result.outcome = outcome;
        self.result.reason = Some(reason);
    }

    /// The result, with the case's own requests and answers.
    #[must_use]
    pub fn finish(self) -> (CaseResult, Vec<Exchanged>) {
        (self.result, self.exchanges)
    }
}

fn earlier(case: &Case, exchanges: &[Exchanged], name: &str, path: &str) -> Option<Value> {
    let at = case.steps.iter().position(|step| step.name.as_deref() == Some(name))?;
    answer_value(&exchanges.get(at)?.answer).pointer(path).cloned()
}

/// The events of a run around the one that a path names, or its last ones.
fn around(events: &[Value], path: &str) -> Vec<Value> {
    const SHOWN: usize = 12;
    let named = path.strip_prefix("/events/").and_then(|at| at.parse::<usize>().ok());
    let end = named.map_or(events.len(), |at| (at + SHOWN / 2).min(events.len()));
    events[end.saturating_sub(SHOWN)..end].to_vec()
}

/// What an error was probably meant to be.
fn hint(answer: &Answer) -> String {
    let Answer::Error(error) = answer else { return String::new() };
    let category = Category::ALL.iter().find(|category| error.message.contains(category.as_str()));
    category.map_or_else(String::new, |category| {
        format!("; a refusal by the contract belongs into the result: {{\"error\": {{\"category\": \"{}\"}}}}", category.as_str())
    })
}

/// A request beside the case's own, where it is short enough to be read.
fn small(operation: Operation, params: &Value) -> Option<Value> {
    let text = params.to_string();
    (text.len() <= 8_000).then(|| serde_json::json!({"operation": operation.name(), "params": params}))
}
