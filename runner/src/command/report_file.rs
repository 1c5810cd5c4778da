//! `--report FORM=FILE`: the forms that a report is written in.

use std::io;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use proofmark::case::Suite;

use super::{Failure, write_json};
use crate::report::{self, Terminal};
use crate::run::{RunReport, Summary};

/// A form of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportForm {
    /// For people.
    Text,
    /// One JSON document.
    Json,
    /// JUnit XML, for CI systems.
    Junit,
    /// For the summary of a CI step.
    Markdown,
}

impl ReportForm {
    /// Writes a report in this form.
    pub(super) fn write(self, out: &mut dyn io::Write, report: &RunReport, suite: &Suite, verbose: bool) -> io::Result<()> {
        let summary = Summary::of(report);
        let settings = &report.settings;
        let exit = summary.exit(settings.fail_on, settings.allow_partial);
        match self {
            Self::Text => {
                let terminal = Terminal { suite, verbose, flags: settings.flags.clone() };
                terminal.write(out, report, &summary, settings.fail_on)
            }
            Self::Json => write_json(out, &report::json(report, &summary, exit)),
            Self::Junit => out.write_all(report::junit(report, &summary, settings.fail_on, exit, &settings.flags).as_bytes()),
            Self::Markdown => out.write_all(report::markdown(report, &summary, settings.fail_on, &settings.flags).as_bytes()),
        }
    }
}

/// A form of the report, and the file that it goes to.
#[derive(Debug, Clone)]
pub(super) struct ReportFile {
    form: ReportForm,
    path: PathBuf,
}

/// Reads FORM=FILE.
pub(super) fn report_file(text: &str) -> Result<ReportFile, String> {
    let forms = "text=FILE, json=FILE, junit=FILE or markdown=FILE";
    let (form, path) = text.split_once('=').ok_or_else(|| format!("expected {forms}"))?;
    let form = ReportForm::from_str(form, false).map_err(|_| format!("{form:?} is no form of a report; expected {forms}"))?;
    match path {
        "" => Err(format!("the file is missing; expected {forms}")),
        "-" => Err("reports go to files; for standard output there is --format json".to_owned()),
        path => Ok(ReportFile { form, path: path.into() }),
    }
}

impl ReportFile {
    /// Where it goes.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Empties the file: a place that takes no report is known before the run, and where the run is refused or killed no older report
    /// stands for it.
    pub(super) fn empty(&self) -> Result<(), Failure> {
        self.put(b"")
    }

    /// Writes the report to it.
    pub(super) fn write(&self, report: &RunReport, suite: &Suite) -> Result<(), Failure> {
        let mut bytes = Vec::new();
        self.form.write(&mut bytes, report, suite, false)?;
        if self.form == ReportForm::Text {
            bytes = anstream::adapter::strip_bytes(&bytes).into_vec();
        }
        self.put(&bytes)
    }

    fn put(&self, bytes: &[u8]) -> Result<(), Failure> {
        std::fs::write(&self.path, bytes)
            .map_err(|error| Failure::usage(format!("the report cannot be written: {}: {error}", self.path.display())))
    }
}
