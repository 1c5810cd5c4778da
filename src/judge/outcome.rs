//! What is said of a case in the end. The kinds are never folded into each other.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::case::Case;
use crate::verdict::{Basis, Level};

/// The outcome of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Everything that it judges held.
    Passed,
    /// Something did not hold.
    Failed,
    /// The implementation could not try, or broke the protocol.
    Errored,
    /// No answer came in time.
    TimedOut,
    /// The implementation's process ended.
    Crashed,
    /// The implementation does not support the operation.
    Unsupported,
    /// Under the declared rendering profile the case says nothing.
    NotApplicable,
    /// Not run, for the reason given.
    Skipped,
}

impl Outcome {
    /// Every outcome, in report order.
    pub const ALL: [Self; 8] =
        [Self::Passed, Self::Failed, Self::Errored, Self::TimedOut, Self::Crashed, Self::Unsupported, Self::NotApplicable, Self::Skipped];

    /// The word, as reports spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Errored => "errored",
            Self::TimedOut => "timed out",
            Self::Crashed => "crashed",
            Self::Unsupported => "unsupported",
            Self::NotApplicable => "not applicable",
            Self::Skipped => "skipped",
        }
    }

    /// Whether the case was judged: the implementation answered, and the answer was held against something.
    #[must_use]
    pub fn is_judged(self) -> bool {
        matches!(self, Self::Passed | Self::Failed)
    }

    /// Whether the adapter, and not the contract, is to blame.
    #[must_use]
    pub fn is_fault(self) -> bool {
        matches!(self, Self::Errored | Self::TimedOut | Self::Crashed)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What found a fault.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingSource {
    /// The case's own expectation.
    Expectation,
    /// A rule of the pack, by its id.
    Rule(String),
    /// The conversation itself.
    Protocol,
}

/// One thing that did not hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// How binding it is.
    pub level: Level,
    /// What found it.
    pub source: FindingSource,
    /// The requirement that it is about.
    pub clause: String,
    /// The step's name, in a case of several.
    pub step: Option<String>,
    /// JSON Pointer into the answer.
    pub path: String,
    /// What was expected.
    pub expected: String,
    /// What came.
    pub got: String,
    /// Line of the expectation in the case's file.
    pub line: usize,
    /// Column there.
    pub column: usize,
    /// What else was asked to find this, where it was not the case's own request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Value>,
    /// What the case itself asked, where that is short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Value>,
    /// Of a run, the events around the one that the path names, with their numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Value>,
}

/// What a step's answer was and what it would have to be, for a diff.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepDifference {
    /// The step's name, in a case of several.
    pub step: Option<String>,
    /// The answer with every difference put right.
    pub expected: Value,
    /// The answer.
    pub got: Value,
}

/// A case with its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseResult {
    /// The case's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its level.
    pub level: Level,
    /// Its basis.
    pub basis: Basis,
    /// Its clause.
    pub clause: String,
    /// Its contract.
    pub contract: String,
    /// The operations that it asks for, as they are declared, each once.
    pub operations: Vec<String>,
    /// Its file, from the suite's root.
    pub file: String,
    /// Its line there.
    pub line: usize,
    /// What is said of it.
    pub outcome: Outcome,
    /// Why, for what was not judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Everything that did not hold, remarks below the case's level included.
    pub findings: Vec<Finding>,
    /// The answers that differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<StepDifference>,
    /// What the child said to people while the case ran, where that may help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
}

impl CaseResult {
    /// A result without findings.
    #[must_use]
    pub fn new(case: &Case, outcome: Outcome, reason: Option<String>) -> Self {
        Self {
            id: case.id.clone(),
            title: case.title.clone(),
            level: case.level,
            basis: case.basis,
            clause: case.clause.clone(),
            contract: case.contract.clone(),
            operations: case.operations(),
            file: case.file.clone(),
            line: case.place.line,
            outcome,
            reason,
            findings: Vec::new(),
            differences: Vec::new(),
            stderr: None,
        }
    }

    /// Adds findings, and fails the case where one is as binding as the case or more.
    pub fn add(&mut self, findings: Vec<Finding>) {
        self.findings.extend(findings);
        if self.outcome == Outcome::Passed && self.findings.iter().any(|finding| finding.level >= self.level) {
            self.outcome = Outcome::Failed;
        }
    }

    /// The level at which the case failed: a broken `must` rule fails a `may` case at `must`.
    #[must_use]
    pub fn failed_level(&self) -> Option<Level> {
        (self.outcome == Outcome::Failed).then(|| self.findings.iter().map(|finding| finding.level).max().unwrap_or(self.level))
    }
}
