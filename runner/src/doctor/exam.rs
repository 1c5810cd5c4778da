//! What the checks share: the adapter, what it declared, what it is asked, and which of that it answered well.

use std::time::{Duration, Instant};

use proofmark::adapter::{Answer, Declaration, Operation};
use proofmark::case::Suite;
use proofmark::judge::Judge;
use serde_json::Value;

use super::check::{Check, Checked, Found, GONE};
use super::patient::{Patient, Trouble, shown};
use super::requests::Request;

/// Requests in flight at most, as in a run.
const WINDOW: u64 = 64;

/// A check that stops early says what it has found.
pub(super) type Checking = Result<Found, Found>;

/// One examination.
pub(super) struct Exam<'a> {
    pub(super) patient: Patient<'a>,
    pub(super) suite: &'a Suite,
    pub(super) judge: &'a Judge<'a>,
    /// A judge for a host that declares every operation, to know what is asked of those that this one left out.
    pub(super) judge_of_all: &'a Judge<'a>,
    /// How long it is left alone.
    pub(super) silence: Duration,
    pub(super) declaration: Declaration,
    /// Of each operation that stands alone and was answered well: its requests, and the answer to the first.
    pub(super) healthy: Vec<(Vec<Request<'a>>, Answer)>,
    /// Whether a world was played to its end.
    pub(super) plays: bool,
    /// Whether texts come back as they were sent.
    pub(super) keeps_texts: bool,
}

impl<'a> Exam<'a> {
    /// Requests that may be open at once.
    pub(super) fn window(&self) -> usize {
        usize::try_from(self.declaration.max_in_flight.min(WINDOW)).unwrap_or(1)
    }

    /// The first request of an operation that was answered well, with its answer.
    pub(super) fn healthy(&self, operation: Operation) -> Option<(&Request<'a>, &Answer)> {
        let kept = self.healthy.iter().find(|(requests, _)| requests.first().is_some_and(|first| first.operation == operation));
        kept.and_then(|(requests, answer)| Some((requests.first()?, answer)))
    }

    /// The request that is smallest among the first of each operation: the sign of life that checks ask for.
    pub(super) fn smallest(&self) -> Option<(Request<'a>, Answer)> {
        let firsts = self.healthy.iter().filter_map(|(requests, answer)| Some((requests.first()?, answer)));
        let smallest = firsts.min_by_key(|(request, _)| request.params.to_string().len());
        smallest.map(|(request, answer)| (request.clone(), answer.clone()))
    }

    /// Asks one thing; what is no answer ends the check.
    pub(super) fn ask(&mut self, method: &str, params: &Value, expected: &str) -> Result<Answer, Found> {
        ask(&mut self.patient, method, params, expected)
    }

    /// Asks for a sign of life.
    pub(super) fn is_well(&mut self, after: &str) -> Result<(), Found> {
        let smallest = self.smallest();
        is_well(&mut self.patient, smallest.as_ref().map(|(request, _)| request), after)
    }
}

/// Asks one thing; what is no answer ends the check.
pub(super) fn ask(patient: &mut Patient<'_>, method: &str, params: &Value, expected: &str) -> Result<Answer, Found> {
    patient.ask(method, params).map_err(|trouble| ended(trouble, shown(method, params), expected))
}

/// Asks for a sign of life: any answer to a request that it answered before.
pub(super) fn is_well(patient: &mut Patient<'_>, request: Option<&Request<'_>>, after: &str) -> Result<(), Found> {
    let (method, params) =
        request.map_or((UNKNOWN_METHOD, Value::Object(serde_json::Map::new())), |it| (it.method(), (*it.params).clone()));
    let sent = format!("{after}, then {}", shown(method, &params));
    patient.ask(method, &params).map(drop).map_err(|trouble| ended(trouble, sent, "an answer, as before"))
}

/// A method that no protocol has.
pub(super) const UNKNOWN_METHOD: &str = "proofmark.no_such_method";

/// What a check has found when there is no answer.
pub(super) fn ended(trouble: Trouble, sent: String, expected: &str) -> Found {
    match trouble.complaint(sent, expected) {
        Some(complaint) => Found::Bad(vec![complaint]),
        None => Found::Nothing(GONE.to_owned()),
    }
}

/// The rows of the diagnosis, told to somebody as they come.
pub(super) struct Record<'p> {
    pub(super) rows: Vec<Checked>,
    /// Whether the adapter does not come back, so that there is no one to ask.
    pub(super) is_over: bool,
    pub(super) progress: &'p mut dyn FnMut(&Checked),
}

impl Record<'_> {
    /// Makes a check and writes down what came of it.
    pub(super) fn check(&mut self, check: &'static Check, make: impl FnOnce() -> Checking) {
        self.check_of(check, None, make);
    }

    /// The same, of one operation.
    pub(super) fn check_of(&mut self, check: &'static Check, subject: Option<&'static str>, make: impl FnOnce() -> Checking) {
        let started = Instant::now();
        let found = if self.is_over { Found::Nothing(GONE.to_owned()) } else { make().unwrap_or_else(|found| found) };
        self.is_over |= found == Found::Nothing(GONE.to_owned());
        let row = Checked::new(check, subject, found, started.elapsed());
        (self.progress)(&row);
        self.rows.push(row);
    }
}
