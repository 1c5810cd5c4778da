//! A run from the command line: progress for people, the journal for everything else.

use std::collections::HashMap;
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use proofmark::adapter::{Declaration, Implementation as _};
use proofmark::case::Suite;
use proofmark::contract::rendering::RenderingProfile;
use proofmark::judge::{CaseResult, Exchanged, Finding, Outcome};
use proofmark::reference::Reference;

use super::{Failure, somebody_watches};
use crate::journal::{Journal, JournalWriter};
use crate::run::{Observer, OverProtocol, Plan, RunReport, RunSettings, hello, run_implementation, run_over_protocol};

/// Who is asked.
pub(super) enum Target {
    /// The reference, in this process.
    Reference {
        /// The rendering profile that it declares.
        rendering: RenderingProfile,
        /// Threads.
        threads: usize,
    },
    /// An adapter.
    Adapter(OverProtocol),
}

/// Where the journal goes, and whether there is one to go on with.
#[derive(Debug)]
pub(super) struct JournalPlan {
    pub(super) path: PathBuf,
    pub(super) resumed: Option<Journal>,
}

impl JournalPlan {
    fn failed(&self, error: &std::io::Error) -> Failure {
        Failure::usage(format!("the journal cannot be written: {}: {error}", self.path.display()))
    }

    fn open(&self, settings: &RunSettings) -> Result<JournalWriter, Failure> {
        let writer = match &self.resumed {
            Some(journal) => JournalWriter::resume(&self.path, journal),
            None => JournalWriter::create(&self.path, settings, jiff::Timestamp::now().to_string()),
        };
        writer.map_err(|error| self.failed(&error))
    }
}

impl Target {
    /// What it declares about itself, from a conversation of its own.
    pub(super) fn declaration(&self, suite: &Suite, nonce: &str) -> Result<Declaration, Failure> {
        let hello = hello(suite, nonce.to_owned());
        match self {
            Self::Reference { rendering, .. } => {
                Reference::new(*rendering).initialize(&hello).map_err(|error| Failure::usage(error.message))
            }
            Self::Adapter(options) => {
                let connection = options.endpoint.connect(&hello).map_err(|fault| Failure::adapter(fault.to_string()))?;
                let declaration = connection.declaration().clone();
                // How it ends is judged at the end of the run itself.
                let _ = connection.shutdown();
                Ok(declaration)
            }
        }
    }

    /// Makes the run. With `expected`, only for an adapter that declares exactly that.
    pub(super) fn run(
        &self,
        suite: &Suite,
        mut plan: Plan<'_>,
        settings: RunSettings,
        journal: Option<&JournalPlan>,
        expected: Option<Declaration>,
    ) -> Result<RunReport, Failure> {
        let resumed = journal.and_then(|journal| journal.resumed.as_ref());
        let mut earlier_faults = Vec::new();
        let mut expected = expected;
        if let Some(resumed) = resumed {
            earlier_faults.clone_from(&resumed.faults);
            expected = expected.or_else(|| resumed.declaration.clone());
            take_up(&mut plan, resumed);
        }
        let bar = ProgressBar::with_draw_target(
            Some(plan.cases.len() as u64),
            if somebody_watches() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() },
        );
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} cases  {msg}") {
            bar.set_style(style);
        }
        bar.set_position(plan.cases.iter().filter(|planned| planned.done.is_some()).count() as u64);
        let writer = journal.map(|journal| journal.open(&settings)).transpose()?;
        let is_declared = resumed.is_some_and(|resumed| resumed.declaration.is_some());
        let mut watch = Watch { bar, writer, expected, is_declared, is_accepted: false, failed: 0 };
        let mut report = match self {
            Self::Reference { rendering, threads } => {
                run_implementation(suite, plan, settings, Reference::new(*rendering), *threads, &mut watch)
            }
            Self::Adapter(options) => run_over_protocol(suite, plan, settings, options, &mut watch),
        };
        watch.bar.finish_and_clear();
        // A run that could not be gone on with has come as far as it had before.
        if let Some(resumed) = resumed.filter(|_| report.results.is_empty()) {
            report.results = resumed.results();
            report.declaration = report.declaration.or_else(|| resumed.declaration.clone());
        }
        if let (Some(journal), Some(writer)) = (journal, watch.writer) {
            if report.results.len() == report.settings.selected {
                report.journal_digest = Some(writer.end(report.elapsed).map_err(|error| journal.failed(&error))?);
            } else {
                writer.leave().map_err(|error| journal.failed(&error))?;
            }
        }
        earlier_faults.append(&mut report.faults);
        report.faults = earlier_faults;
        Ok(report)
    }
}

/// Marks what an earlier part of the run has done.
fn take_up(plan: &mut Plan<'_>, journal: &Journal) {
    let mut results: HashMap<String, CaseResult> = journal.results().into_iter().map(|result| (result.id.clone(), result)).collect();
    let mut exchanges: HashMap<&str, Exchanged> = HashMap::new();
    for finished in &journal.cases {
        let is_repeated = journal.repeats.iter().any(|(case, _)| *case == finished.result.id);
        if let Some(exchange) = finished.exchange.clone().filter(|_| !is_repeated) {
            exchanges.insert(&finished.result.id, exchange);
        }
    }
    for planned in &mut plan.cases {
        planned.done = results.remove(&planned.case.id).map(|result| (result, exchanges.remove(planned.case.id.as_str())));
    }
    plan.repeated = journal.repeats.len();
}

struct Watch {
    bar: ProgressBar,
    writer: Option<JournalWriter>,
    /// What the adapter has to declare.
    expected: Option<Declaration>,
    /// Whether the journal has the declaration already.
    is_declared: bool,
    /// Whether the adapter of this part of the run is the right one.
    is_accepted: bool,
    failed: usize,
}

impl Observer for Watch {
    fn declared(&mut self, declaration: &Declaration) -> Result<(), String> {
        if self.expected.as_ref().is_some_and(|expected| expected != declaration) {
            return Err(
                "the adapter declares something else than it did at first; the cases that were chosen by that do not fit".to_owned()
            );
        }
        if let Some(writer) = self.writer.as_mut().filter(|_| !self.is_declared) {
            writer.declared(declaration);
        }
        self.is_accepted = true;
        Ok(())
    }

    fn settled(&mut self, result: &CaseResult, exchange: Option<&Exchanged>) {
        if let Some(writer) = &mut self.writer {
            writer.case(result, exchange);
        }
        if result.outcome == Outcome::Failed || result.outcome.is_fault() {
            self.failed += 1;
            self.bar.set_message(format!("{} failed", self.failed));
        }
        self.bar.inc(1);
    }

    fn repeated(&mut self, case: &str, findings: &[Finding]) {
        if let Some(writer) = &mut self.writer {
            writer.repeat(case, findings);
        }
    }

    fn fault(&mut self, fault: &str) {
        // An adapter that could not be started has done nothing to this run.
        if let Some(writer) = self.writer.as_mut().filter(|_| self.is_accepted) {
            writer.fault(fault);
        }
    }

    fn has_enough(&self) -> bool {
        // What can't be recorded is not worth the time of it.
        self.writer.as_ref().is_some_and(|writer| writer.error().is_some())
    }
}
