//! `proofmark baseline`: keeping a list of known failures true.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::{Failure, SuiteArgs, load_suite, read_journal};
use crate::baseline::{Baseline, Change, update};
use crate::exit::Exit;
use crate::journal::Journal;

const EXAMPLES: &str = "\
Examples:
  proofmark run --journal run.jsonl --baseline known-failures.yaml -- ./host
  proofmark baseline update known-failures.yaml run.jsonl     fingerprints, new failures in, what passes now out
  proofmark baseline update known-failures.yaml run.jsonl --dry-run

A baseline is a YAML file:
  known_failures:
    - case: activation.unit.chinese   # the id; with `check: AE-110` only that rule of it
      fingerprint: f0123456789abcde   # what the failure looks like; `update` writes it
      reason: It counts bytes for characters.
      issue: https://example.org/42   # optional, as are the next two
      expires: 2027-06-30
      flaky: true                     # passes sometimes; where it fails, in this way

Listed cases run and must fail in the way listed: a pass exits with 3; another failure, or a day that is over, excuses nothing (1).
A fault of the adapter (an error, a crash, no answer) is never excused.";

/// Arguments of `baseline`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct BaselineArgs {
    #[command(subcommand)]
    command: BaselineCommand,
}

#[derive(Debug, Clone, Subcommand)]
enum BaselineCommand {
    /// Change a baseline to what a whole run found; comments and reasons stay
    #[command(after_help = EXAMPLES)]
    Update(UpdateArgs),
}

#[derive(Debug, Clone, Args)]
struct UpdateArgs {
    /// The baseline; a new one is begun where there is none
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The journal of a whole run
    #[arg(value_name = "JOURNAL")]
    journal: PathBuf,
    /// Say what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    suite: SuiteArgs,
}

pub(super) fn main(args: &BaselineArgs) -> Result<Exit, Failure> {
    let BaselineCommand::Update(args) = &args.command;
    let journal = read_journal(&args.journal)?;
    whole(&journal).map_err(|why| Failure::usage(format!("{}: {why}", args.journal.display())))?;
    let text = match std::fs::read_to_string(&args.file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Failure::usage(format!("{}: {error}", args.file.display()))),
    };
    let named = |fault| Failure::usage(format!("{}:{fault}", args.file.display()));
    let suite = load_suite(&args.suite, None)?;
    let (new, changes) = update(&text, &journal.results(), &|id| suite.case(id).is_some()).map_err(named)?;
    let mut out = anstream::stdout();
    for change in &changes {
        writeln!(out, "{change}")?;
    }
    if !args.dry_run && new != text {
        replace(&args.file, &new).map_err(|error| Failure::usage(format!("{}: {error}", args.file.display())))?;
    }
    let open = Baseline::read(&new).map_err(named)?.entries.iter().filter(|entry| entry.reason.starts_with("TODO")).count();
    let added = changes.iter().filter(|change| matches!(change, Change::Added(_))).count();
    let verb = if args.dry_run { "would be changed" } else { "changed" };
    write!(out, "{} entries {verb}, {added} of them new", changes.len())?;
    if open > 0 {
        write!(out, "; {open} have no reason yet, and stay stale until somebody writes it")?;
    }
    writeln!(out)?;
    Ok(Exit::Conformant)
}

/// Whether a run can say of every case whether it fails.
fn whole(journal: &Journal) -> Result<(), String> {
    journal.complete()?;
    if !journal.settings.is_whole_profile() {
        return Err("the run was about a part of the cases; a baseline is brought up to date from a whole run".to_owned());
    }
    if !journal.settings.laws {
        return Err("the run left the laws out (--no-laws); what breaks them alone would seem to pass".to_owned());
    }
    let results = journal.results();
    let faults = results.iter().filter(|result| result.outcome.is_fault()).count() + journal.faults.len();
    if faults > 0 {
        return Err(format!("the adapter was at fault {faults} times, so that not every case was judged; see `proofmark report`"));
    }
    Ok(())
}

/// Writes beside the file and puts that in its place, so that there is always a whole one.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    // Through a link, and with the rights that the file had.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.new"));
    let written = std::fs::write(&beside, text).and_then(|()| match std::fs::metadata(&path) {
        Ok(data) => std::fs::set_permissions(&beside, data.permissions()),
        Err(_) => Ok(()),
    });
    written.and_then(|()| std::fs::rename(&beside, &path)).inspect_err(|_| drop(std::fs::remove_file(&beside)))
}
