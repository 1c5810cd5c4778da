//! Reading a journal: strictly, for what it says becomes a verdict.

use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;
use std::time::Duration;

use proofmark::adapter::Declaration;
use proofmark::digest::Hasher;
use proofmark::json;
use proofmark::judge::{CaseResult, Exchanged, Finding};
use serde::{Deserialize, Serialize};

use super::FORMAT;
use super::line::Line;
use crate::run::{RunReport, RunSettings};

/// The longest line that is read. Differences of cases with 100,000 skills take some tens of megabytes.
const MAX_LINE_BYTES: u64 = 512 * 1024 * 1024;

/// The last line of a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ended {
    /// Finished cases.
    pub cases: usize,
    /// Faults that no case stands for.
    pub faults: usize,
    /// Requests that were repeated.
    pub repeated: usize,
    /// How long the run took, or its last part where it was resumed.
    pub elapsed_ms: u64,
    /// `sha256:` over every byte before this line.
    pub digest: String,
}

/// A finished case of a journal.
#[derive(Debug, Clone)]
pub struct Finished {
    /// What was said of it, before its request was repeated.
    pub result: CaseResult,
    /// The exchange that is repeated at the end.
    pub exchange: Option<Exchanged>,
}

/// A journal that was read.
#[derive(Debug, Clone)]
pub struct Journal {
    /// How the run was made.
    pub settings: RunSettings,
    /// When it began (RFC 3339).
    pub started: String,
    /// What was declared.
    pub declaration: Option<Declaration>,
    /// The finished cases, in the order in which they finished.
    pub cases: Vec<Finished>,
    /// Faults that no case stands for.
    pub faults: Vec<String>,
    /// Requests that were repeated, with what that found.
    pub repeats: Vec<(String, Vec<Finding>)>,
    /// How it ended; `None` where it did not.
    pub ended: Option<Ended>,
    /// Bytes up to the end of the last whole line.
    pub whole_bytes: u64,
    /// `sha256:` over all of the file.
    pub digest: String,
}

/// Why a file is no journal, with its line, from 1; 0 where it is not about a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalError {
    /// Where.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 { write!(f, "line {}: {}", self.line, self.message) } else { f.write_str(&self.message) }
    }
}

impl std::error::Error for JournalError {}

impl Journal {
    /// Reads a journal.
    ///
    /// # Errors
    /// The first thing that is wrong with it. A broken last line is not: a run that was killed may leave one.
    pub fn read(path: &Path) -> Result<Self, JournalError> {
        let file = File::open(path).map_err(|error| JournalError { line: 0, message: error.to_string() })?;
        Self::read_from(BufReader::new(file))
    }

    /// [`Journal::read`] from anything.
    ///
    /// # Errors
    /// As there.
    pub fn read_from(mut input: impl BufRead) -> Result<Self, JournalError> {
        let mut journal: Option<Self> = None;
        let (mut seen, mut repeated) = (HashSet::new(), HashSet::new());
        let (mut all, mut before) = (Hasher::new(), Hasher::new());
        let (mut number, mut whole_bytes) = (0, 0_u64);
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let fault = |message: String| JournalError { line: number + 1, message };
            let read = input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes).map_err(|error| fault(error.to_string()))?;
            if read == 0 {
                break;
            }
            all.update(&bytes);
            let is_whole = bytes.ends_with(b"\n");
            if !is_whole && read as u64 >= MAX_LINE_BYTES {
                return Err(fault("the line is too long".to_owned()));
            }
            if let Some(Self { ended: Some(_), .. }) = &journal {
                return Err(fault("something stands behind the end".to_owned()));
            }
            if !is_whole {
                // The line that was being written when the run was killed.
                break;
            }
            number += 1;
            let fault = |message: String| JournalError { line: number, message };
            let text = std::str::from_utf8(&bytes).map_err(|_| fault("it is not UTF-8".to_owned()))?;
            let value = json::parse(text.trim_end()).map_err(|error| fault(error.to_string()))?;
            let line: Line = serde_json::from_value(value).map_err(|error| fault(format!("it is no line of a journal: {error}")))?;
            if line.members() != 1 {
                return Err(fault("it is no line of a journal: it says not one thing".to_owned()));
            }
            match &mut journal {
                None => journal = Some(begin(line).map_err(fault)?),
                Some(journal) => {
                    if let Some(Ended { digest, .. }) = &line.end
                        && *digest != before.digest()
                    {
                        return Err(fault(
                            "the journal was changed after it was written: its digest is not the one it ends with".to_owned(),
                        ));
                    }
                    journal.take(line, &mut seen, &mut repeated).map_err(fault)?;
                }
            }
            before.update(&bytes);
            whole_bytes += bytes.len() as u64;
        }
        let mut journal = journal.ok_or_else(|| JournalError { line: 0, message: "it has not one whole line".to_owned() })?;
        journal.whole_bytes = whole_bytes;
        journal.digest = all.digest();
        Ok(journal)
    }

    fn take(&mut self, line: Line, seen: &mut HashSet<String>, repeated: &mut HashSet<String>) -> Result<(), String> {
        match line {
            Line { declaration: Some(declaration), .. } if self.declaration.is_none() => self.declaration = Some(declaration),
            Line { declaration: Some(_), .. } => return Err("a second declaration".to_owned()),
            Line { case: Some(result), exchange, .. } => {
                if !seen.insert(result.id.clone()) {
                    return Err(format!("case {} stands here a second time", result.id));
                }
                let exchange = exchange.map(|exchange| exchange.read().ok_or("the exchange names no operation")).transpose()?;
                self.cases.push(Finished { result, exchange });
            }
            Line { fault: Some(fault), .. } => self.faults.push(fault),
            Line { repeat: Some(repeat), .. } => {
                if !seen.contains(&repeat.case) || !repeated.insert(repeat.case.clone()) {
                    return Err(format!("the request of {} was repeated before it was asked, or twice", repeat.case));
                }
                self.repeats.push((repeat.case, repeat.findings));
            }
            Line { end: Some(end), .. } => {
                if (end.cases, end.faults) != (self.cases.len(), self.faults.len()) || end.repeated < self.repeats.len() {
                    return Err("its counts are not those of the lines before".to_owned());
                }
                self.ended = Some(end);
            }
            Line { .. } => return Err("it is no line of a journal".to_owned()),
        }
        Ok(())
    }

    /// The results, those of repeated requests among them, in the suite's order.
    #[must_use]
    pub fn results(&self) -> Vec<CaseResult> {
        let mut results: Vec<CaseResult> = self.cases.iter().map(|finished| finished.result.clone()).collect();
        for (case, findings) in &self.repeats {
            if let Some(result) = results.iter_mut().find(|result| result.id == *case) {
                result.add(findings.clone());
            }
        }
        results.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        results
    }

    /// The run's report.
    #[must_use]
    pub fn report(&self) -> RunReport {
        RunReport {
            settings: self.settings.clone(),
            declaration: self.declaration.clone(),
            results: self.results(),
            faults: self.faults.clone(),
            repeated: self.ended.as_ref().map_or(self.repeats.len(), |ended| ended.repeated),
            reckoning: None,
            is_unfinished: self.ended.is_none(),
            journal_digest: Some(self.digest.clone()),
            elapsed: Duration::from_millis(self.ended.as_ref().map_or(0, |ended| ended.elapsed_ms)),
        }
    }

    /// Whether it is the journal of a run that came to its end and has a result for every selected case.
    ///
    /// # Errors
    /// Why not, in words.
    pub fn complete(&self) -> Result<(), String> {
        if self.ended.is_none() {
            return Err(format!("the run did not come to its end: {} of {} cases", self.cases.len(), self.settings.selected));
        }
        if self.cases.len() != self.settings.selected {
            return Err(format!("it has {} of {} cases", self.cases.len(), self.settings.selected));
        }
        Ok(())
    }
}

fn begin(line: Line) -> Result<Journal, String> {
    match line {
        Line { journal: Some(FORMAT), started: Some(started), settings: Some(settings), .. } => Ok(Journal {
            settings,
            started,
            declaration: None,
            cases: Vec::new(),
            faults: Vec::new(),
            repeats: Vec::new(),
            ended: None,
            whole_bytes: 0,
            digest: String::new(),
        }),
        Line { journal: Some(format), .. } if format > FORMAT => {
            Err(format!("the journal has form {format}, and this proofmark reads {FORMAT}; take a newer one"))
        }
        _ => Err("a journal begins with {journal, started, settings}".to_owned()),
    }
}
