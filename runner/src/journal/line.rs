//! One line of a journal, as data.

use std::sync::Arc;

use proofmark::adapter::{Answer, Declaration, Operation};
use proofmark::judge::{CaseResult, Exchanged, Finding};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Ended;
use crate::run::RunSettings;

/// A line: exactly one of these is there, with what belongs to it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    /// The version of the form; with `settings` and `started`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) journal: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) started: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) settings: Option<RunSettings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) declaration: Option<Declaration>,
    /// A finished case; with `exchange` where its request is to be repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) case: Option<CaseResult>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) exchange: Option<Exchange>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) fault: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) repeat: Option<Repeat>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) end: Option<Ended>,
}

impl Line {
    /// How many things it says; what belongs to another is not counted.
    pub(super) fn members(&self) -> usize {
        let says = [
            self.journal.is_some(),
            self.declaration.is_some(),
            self.case.is_some(),
            self.fault.is_some(),
            self.repeat.is_some(),
            self.end.is_some(),
        ];
        let is_misplaced = (self.exchange.is_some() && self.case.is_none()) || (self.settings.is_some() && self.journal.is_none());
        says.into_iter().filter(|says| *says).count() + usize::from(is_misplaced)
    }
}

/// A request that was asked again.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Repeat {
    pub(super) case: String,
    pub(super) findings: Vec<Finding>,
}

/// A request and its answer, as they stand on the wire.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exchange {
    operation: String,
    params: Value,
    result: Value,
}

impl Exchange {
    /// `None` for an answer that is no result: nothing of it is repeated.
    pub(super) fn write(exchange: &Exchanged) -> Option<Self> {
        let result = exchange.answer.clone().into_result()?;
        Some(Self { operation: exchange.operation.name().to_owned(), params: (*exchange.params).clone(), result })
    }

    pub(super) fn read(self) -> Option<Exchanged> {
        let operation = Operation::from_name(&self.operation)?;
        Some(Exchanged { operation, params: Arc::new(self.params), answer: Answer::from_result(self.result) })
    }
}
