//! `proofmark doctor`.

use std::ffi::OsString;
use std::io::{self, Write};
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use clap::Args;
use serde_json::{Value, json};

use super::client_args::ClientArgs;
use super::{Failure, Format, OutputArgs, SuiteArgs, duration, load_suite, write_json};
use crate::doctor::{Check, Checked, Complaint, Diagnosis, GONE, NO_CONVERSATION, Outcome, examine};
use crate::exit::Exit;
use crate::printable::{printable, shortened};

const EXAMPLES: &str = "\
Examples:
  proofmark doctor -- python3 my_adapter.py
  proofmark doctor --timeout 2s --env MODE=test -- ./my-host
  proofmark doctor --format json -- node host.js | jq '.checks[] | select(.outcome == \"failed\")'

It asks what every run asks of an adapter: does it start, answer in form and in time, keep requests and sessions apart, leave texts and
numbers unharmed, and end when it should. Whether its answers are right, `proofmark run` says. Allow ten seconds or more.

Exit status: 0 sound, warnings allowed; 2 usage; 4 not sound";

/// Arguments of `doctor`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct DoctorArgs {
    /// The adapter's command, after `--`
    #[arg(last = true, value_name = "COMMAND", required = true)]
    command: Vec<OsString>,
    /// How long it is left alone, to see whether it bears silence
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "3s")]
    silence: Duration,
    #[command(flatten)]
    client: ClientArgs,
    #[command(flatten)]
    suite: SuiteArgs,
    #[command(flatten)]
    output: OutputArgs,
}

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();
const ODD: Style = AnsiColor::Yellow.on_default();
const DIM: Style = Style::new().dimmed();

/// Columns that a check's id takes.
const ID_WIDTH: usize = 35;

pub(super) fn main(args: &DoctorArgs) -> Result<Exit, Failure> {
    let suite = load_suite(&args.suite, None)?;
    let options = args.client.options(&args.command);
    let mut out = args.output.stdout();
    let mut written = Ok(());
    let mut progress = |row: &Checked| {
        // A row at a time: an adapter that hangs is seen to hang, and where.
        if args.output.format == Format::Text && written.is_ok() {
            written = write_row(&mut out, row).and_then(|()| out.flush());
        }
    };
    let diagnosis = examine(&suite, &options, args.silence, &mut progress);
    written?;
    let exit = if diagnosis.is_sound() { Exit::Conformant } else { Exit::Adapter };
    match args.output.format {
        Format::Json => write_json(&mut out, &in_json(&diagnosis, exit))?,
        Format::Text => write_end(&mut out, &diagnosis)?,
    }
    out.flush()?;
    Ok(exit)
}

fn write_row(out: &mut dyn Write, row: &Checked) -> io::Result<()> {
    let note = row.note.as_ref().map(|note| printable(note, false));
    let (style, mark) = match row.outcome {
        Outcome::Passed => (GOOD, '✓'),
        Outcome::Warned => (ODD, '!'),
        Outcome::Failed => (BAD, '✗'),
        // The last line counts them.
        Outcome::NotRun if note.as_deref().is_some_and(|note| note == NO_CONVERSATION || note == GONE) => return Ok(()),
        Outcome::NotRun => (DIM, '·'),
    };
    let (id, title) = (row.id(), row.check.title);
    match (row.outcome, note) {
        (Outcome::NotRun, Some(why)) => writeln!(out, "{DIM}{mark} {id:<ID_WIDTH$} {title}: not asked, {why}{DIM:#}")?,
        (_, Some(note)) => writeln!(out, "{style}{mark}{style:#} {id:<ID_WIDTH$} {title} {DIM}({note}){DIM:#}")?,
        (_, None) => writeln!(out, "{style}{mark}{style:#} {id:<ID_WIDTH$} {title}")?,
    }
    for complaint in &row.complaints {
        write_complaint(out, complaint)?;
    }
    if let Some(first) = row.complaints.first() {
        let advice = first.advice.unwrap_or(row.check.advice);
        writeln!(out, "    why       {}", row.check.means)?;
        writeln!(out, "    do        {advice}")?;
        writeln!(out, "    see       {}\n", place(row.check))?;
    }
    Ok(())
}

fn write_complaint(out: &mut dyn Write, complaint: &Complaint) -> io::Result<()> {
    for (label, text) in [("sent", &complaint.sent), ("came", &complaint.came), ("expected", &complaint.expected)] {
        for (at, line) in shortened(text, true).lines().enumerate() {
            let label = if at == 0 { label } else { "" };
            writeln!(out, "    {label:<9} {line}")?;
        }
    }
    Ok(())
}

/// Where the protocol says so.
fn place(check: &Check) -> String {
    format!("docs/protocol.md, \"{}\" (`proofmark explain protocol`)", check.section.heading())
}

fn write_end(out: &mut dyn Write, diagnosis: &Diagnosis) -> io::Result<()> {
    let count = |outcome| diagnosis.count(outcome);
    let (passed, warned, failed, not_run) =
        (count(Outcome::Passed), count(Outcome::Warned), count(Outcome::Failed), count(Outcome::NotRun));
    let who = diagnosis.implementation.as_ref().map_or_else(String::new, |it| {
        let (name, version) = (shortened(&it.name, false), shortened(&it.version, false));
        format!("{name} {version}, ")
    });
    let said = match diagnosis.stderr_lines {
        0 => String::new(),
        lines => format!("; lines on stderr, which is free: {lines}"),
    };
    writeln!(out, "\n{DIM}{who}{:.1} s{said}{DIM:#}", diagnosis.elapsed.as_secs_f64())?;
    let counts = format!("{passed} passed, {warned} warned, {failed} failed, {not_run} not asked");
    if diagnosis.is_sound() {
        return writeln!(out, "{GOOD}sound{GOOD:#}: {counts}");
    }
    let failed = diagnosis.checks.iter().filter(|row| row.outcome == Outcome::Failed);
    let names: Vec<String> = failed.map(Checked::id).collect();
    writeln!(out, "{BAD}not sound{BAD:#}: {counts}; failed: {}", names.join(", "))
}

fn in_json(diagnosis: &Diagnosis, exit: Exit) -> Value {
    let complaint = |row: &Checked, it: &Complaint| json!({"sent": it.sent, "came": it.came, "expected": it.expected, "do": it.advice.unwrap_or(row.check.advice)});
    let checks: Vec<Value> = diagnosis
        .checks
        .iter()
        .map(|row| {
            json!({
                "id": row.id(), "title": row.check.title, "means": row.check.means, "outcome": row.outcome.as_str(), "note": row.note,
                "complaints": row.complaints.iter().map(|it| complaint(row, it)).collect::<Vec<_>>(),
                "section": row.check.section.heading(), "seconds": row.elapsed.as_secs_f64(),
            })
        })
        .collect();
    let count = |outcome| diagnosis.count(outcome);
    json!({
        "command": diagnosis.command, "implementation": diagnosis.implementation, "sound": diagnosis.is_sound(), "exit": exit as u8,
        "counts": {"passed": count(Outcome::Passed), "warned": count(Outcome::Warned), "failed": count(Outcome::Failed),
            "not_run": count(Outcome::NotRun)},
        "stderr_lines": diagnosis.stderr_lines, "seconds": diagnosis.elapsed.as_secs_f64(), "checks": checks,
    })
}
