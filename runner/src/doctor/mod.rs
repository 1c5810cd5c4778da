//! Is the adapter itself sound, before anyone judges contracts? A suite about adapters.
//!
//! [`examine`] starts the adapter, asks it what every run asks, and says of each [`Check`] what came of it. Whether an answer is *right* is
//! no question here: only that there is one, in time, in form, the same again, and unharmed. A check that fails names what was sent, what
//! came, what was expected and what to do. What depends on something that failed is not run, so that one fault is blamed once.

mod answers;
mod check;
mod declaration;
mod exam;
mod many;
mod patient;
mod process;
mod requests;
mod sessions;
mod start;
mod texts;

use std::time::{Duration, Instant};

use proofmark::adapter::{ImplementationInfo, Operation};
use proofmark::case::Suite;
use proofmark::judge::Judge;

pub use check::{Check, Checked, Complaint, GONE, NO_CONVERSATION, Outcome, Section};

use crate::client::ClientOptions;
use crate::run::{hello, nonce};
use check::Found;
use exam::{Exam, Record};
use patient::Patient;

/// Every check, in the order in which they are made; `answers` is made once for each declared operation.
pub const CHECKS: [&Check; 32] = [
    &start::INITIALIZE,
    &declaration::FORM,
    &declaration::OPERATIONS,
    &declaration::CONTRACTS,
    &declaration::MAX_IN_FLIGHT,
    &declaration::RENDERING,
    &declaration::CONTACT,
    &start::VERSION,
    &answers::ANSWERS,
    &many::TWICE,
    &answers::UNDECLARED,
    &answers::UNKNOWN,
    &answers::UNKNOWN_KEYS,
    &answers::WRONG_TYPES,
    &many::AT_ONCE,
    &many::TINY,
    &texts::UNICODE,
    &texts::NUMBERS,
    &texts::REQUESTS,
    &texts::ANSWERS,
    &sessions::APART,
    &sessions::UNKNOWN,
    &process::SILENCE,
    &process::BESIDE,
    &process::LOCALE,
    &process::ELSEWHERE,
    &process::STDIN,
    &process::SHUTDOWN,
    &process::EXIT,
    &process::AGAIN,
    &process::ONCE,
    &process::ONLY_ANSWERS,
];

/// What an examination came to.
#[derive(Debug)]
pub struct Diagnosis {
    /// The adapter's command.
    pub command: Vec<String>,
    /// Who answered; `None` where there was no declaration.
    pub implementation: Option<ImplementationInfo>,
    /// What came of each check, in order.
    pub checks: Vec<Checked>,
    /// Lines that the adapter said on stderr, which is free.
    pub stderr_lines: usize,
    /// How long it took.
    pub elapsed: Duration,
}

impl Diagnosis {
    /// Checks of an outcome.
    #[must_use]
    pub fn count(&self, outcome: Outcome) -> usize {
        self.checks.iter().filter(|row| row.outcome == outcome).count()
    }

    /// Whether nothing failed, and something was asked at all.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.count(Outcome::Failed) == 0 && self.count(Outcome::Passed) > 0
    }
}

/// Examines an adapter, which is left alone for a time of `silence` once. `progress` is told of every check as it is made.
pub fn examine(suite: &Suite, options: &ClientOptions, silence: Duration, progress: &mut dyn FnMut(&Checked)) -> Diagnosis {
    let began = Instant::now();
    let hello = hello(suite, nonce());
    let mut record = Record { rows: Vec::new(), is_over: false, progress };
    let (mut implementation, mut stderr_lines) = (None, 0);
    match start::shake_hands(options, &hello, &mut record) {
        None => not_run(&mut record),
        Some(client) => {
            let declaration = client.declaration().clone();
            let judge = Judge::new(suite, &declaration).with_laws(false);
            let every = declaration.clone().operations(Operation::ALL);
            let judge_of_all = Judge::new(suite, &every).with_laws(false);
            declaration::examine(&declaration, suite, &mut record);
            implementation = Some(declaration.implementation.clone());
            let patient = Patient::new(options, &hello, client);
            let (healthy, plays, keeps_texts) = (Vec::new(), false, false);
            let mut exam =
                Exam { patient, suite, judge: &judge, judge_of_all: &judge_of_all, silence, declaration, healthy, plays, keeps_texts };
            record.check(&start::VERSION, || {
                exam.patient.end();
                start::version(options, &hello)
            });
            answers::examine_declared(&mut exam, &mut record);
            sessions::examine_answers(&mut exam, &mut record);
            many::examine_twice(&mut exam, &mut record);
            answers::examine(&mut exam, &mut record);
            many::examine(&mut exam, &mut record);
            texts::examine(&mut exam, &mut record);
            sessions::examine(&mut exam, &mut record);
            process::examine(&mut exam, &mut record);
            stderr_lines = exam.patient.said_lines;
        }
    }
    let command = options.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    Diagnosis { command, implementation, checks: record.rows, stderr_lines, elapsed: began.elapsed() }
}

fn not_run(record: &mut Record<'_>) {
    let made: Vec<&str> = record.rows.iter().map(|row| row.check.id).collect();
    for check in CHECKS.into_iter().filter(|check| !made.contains(&check.id)) {
        record.check(check, || Ok(Found::Nothing(NO_CONVERSATION.to_owned())));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_check_has_a_name_of_its_own_and_a_section_that_there_is() {
        let ids: BTreeSet<&str> = CHECKS.iter().map(|check| check.id).collect();
        assert_eq!(ids.len(), CHECKS.len());
        let document = String::from_utf8_lossy(proofmark::embedded::file("docs/protocol.md").unwrap_or_default());
        for check in CHECKS {
            let heading = check.section.heading();
            let is_there = document.lines().any(|line| line.trim_start_matches('#').trim() == heading && line.starts_with('#'));
            assert!(is_there, "{}: docs/protocol.md has no heading {heading:?}", check.id);
            for text in [check.title, check.means, check.advice] {
                assert!(!text.is_empty() && !text.contains(" - ") || text.contains("2^53 - 1"), "{}: {text}", check.id);
            }
        }
    }
}
