//! `proofmark report`: reports from journals.

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::report_file::ReportForm;
use super::{Failure, Format, OutputArgs, SuiteArgs, load_suite, read_baseline, read_journal};
use crate::exit::Exit;
use crate::journal::merge;
use crate::run::Summary;

const EXAMPLES: &str = "\
Examples:
  proofmark report run.jsonl                        what the run said, once more
  proofmark report run.jsonl --as junit > junit.xml
  proofmark report run.jsonl --baseline known-failures.yaml
  proofmark report merge 1.jsonl 2.jsonl 3.jsonl --out run.jsonl

A journal is what `proofmark run --journal FILE` writes. The exit status is that of the run.";

/// Arguments of `report`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub(super) struct ReportArgs {
    #[command(subcommand)]
    command: Option<ReportCommand>,
    /// The journal of a run
    #[arg(value_name = "JOURNAL", required = true)]
    journal: Option<PathBuf>,
    /// The form of the report
    #[arg(long = "as", alias = "format", value_enum, value_name = "FORM", default_value = "text")]
    form: ReportForm,
    /// Failures that are known, each with its reason
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Name every case, also those that passed
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    suite: SuiteArgs,
    /// Never use colour (a pipe never gets any)
    #[arg(long)]
    no_color: bool,
}

#[derive(Debug, Clone, Subcommand)]
enum ReportCommand {
    /// Join the shards of one run into its journal; refuses a missing shard and a double one
    Merge(MergeArgs),
}

#[derive(Debug, Clone, Args)]
struct MergeArgs {
    /// The journals of all shards
    #[arg(value_name = "JOURNAL", required = true)]
    journals: Vec<PathBuf>,
    /// The journal of the whole run
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

pub(super) fn main(args: &ReportArgs) -> Result<Exit, Failure> {
    match (&args.command, &args.journal) {
        (Some(ReportCommand::Merge(args)), _) => merge_shards(args),
        (None, Some(path)) => {
            let journal = read_journal(path)?;
            if let Err(why) = journal.complete() {
                writeln!(anstream::stderr(), "note: {}: {why}; what follows is of that part only", path.display())?;
            }
            let suite = load_suite(&args.suite, None)?;
            let mut report = journal.report();
            if let Some(path) = &args.baseline {
                report.reckoning = Some(read_baseline(path)?.reckon(&suite, &report.results));
            }
            let mut out = OutputArgs { format: Format::Text, no_color: args.no_color }.stdout();
            args.form.write(&mut out, &report, &suite, args.verbose)?;
            out.flush()?;
            let exit = Summary::of(&report).exit(report.settings.fail_on, report.settings.allow_partial);
            // A run that did not come to its end is no conformance, though every case may have a result: repeats may lack.
            Ok(if journal.complete().is_err() && exit == Exit::Conformant { Exit::NotConformant } else { exit })
        }
        (None, None) => Err(Failure::usage("which journal? `proofmark run --journal FILE` writes one")),
    }
}

fn merge_shards(args: &MergeArgs) -> Result<Exit, Failure> {
    let mut shards = Vec::new();
    for path in &args.journals {
        shards.push((path.display().to_string(), read_journal(path)?));
    }
    let whole = merge(&shards, &args.out).map_err(|error| Failure::usage(error.to_string()))?;
    writeln!(
        anstream::stdout(),
        "{} shards, {} cases: {}; `proofmark report {}` says what they came to",
        shards.len(),
        whole.cases.len(),
        args.out.display(),
        args.out.display()
    )?;
    Ok(Exit::Conformant)
}
