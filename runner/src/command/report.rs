//! `proofmark report`: reports from journals.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use proofmark::case::{RequirementSet, Suite};

use super::report_file::ReportForm;
use super::{Failure, Format, OutputArgs, SuiteArgs, distinct, load_suite, read_baseline, read_journal};
use crate::exit::Exit;
use crate::filter::Filter;
use crate::journal::{Journal, merge};
use crate::run::{ProfileSettings, Summary};

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
    #[command(flatten)]
    suite: SuiteArgs,
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
            fits(&journal, &suite).map_err(|why| Failure::usage(format!("{}: {why}", path.display())))?;
            let mut report = journal.report();
            if let Some(path) = &args.baseline {
                report.reckoning = Some(read_baseline(path)?.reckon(&suite, &report.results));
            }
            let mut out = OutputArgs { format: Format::Text, no_color: args.no_color }.stdout();
            args.form.write(&mut out, &report, &suite, args.verbose)?;
            out.flush()?;
            Ok(Summary::of(&report).exit(report.settings.fail_on, report.settings.allow_partial))
        }
        (None, None) => Err(Failure::usage("which journal? `proofmark run --journal FILE` writes one")),
    }
}

/// Whether a journal is about the cases that its own settings select, and counts what the requirement set counts. Of another suite, of a
/// rerun and of generated cases nothing can be said here.
fn fits(journal: &Journal, suite: &Suite) -> Result<(), String> {
    let settings = &journal.settings;
    if settings.suite.digest != suite.info().digest || settings.rerun_of.is_some() || settings.generated.is_some() {
        return Ok(());
    }
    let name = settings.profile.as_ref().map(|profile| profile.name.as_str());
    let filter = Filter::of(&settings.patterns, settings.contract.clone(), name).map_err(|error| error.0)?;
    let selected = filter.select(suite).map_err(|error| error.0)?;
    if let Some(profile) = &settings.profile {
        let mut wanted = ProfileSettings::of(&profile.name, suite, &RequirementSet::shipped(&suite.version)?)?;
        wanted.added_since.retain(|id| selected.iter().any(|case| case.id == *id));
        if wanted != *profile {
            return Err(format!("what it says of profile {} is not what the requirement set says", profile.name));
        }
    }
    let wanted: BTreeSet<&str> =
        selected.iter().map(|case| case.id.as_str()).filter(|id| settings.shard.is_none_or(|shard| shard.has(id))).collect();
    if wanted.len() != settings.selected {
        return Err(format!("its settings select {} cases, and it says {}", wanted.len(), settings.selected));
    }
    match journal.cases.iter().find(|finished| !wanted.contains(finished.result.id.as_str())) {
        Some(finished) => Err(format!("case {} is none of those that its settings select", finished.result.id)),
        None => Ok(()),
    }
}

fn merge_shards(args: &MergeArgs) -> Result<Exit, Failure> {
    args.journals.iter().try_for_each(|journal| distinct([journal.as_path(), args.out.as_path()].into_iter()))?;
    let suite = load_suite(&args.suite, None)?;
    let mut shards = Vec::new();
    for path in &args.journals {
        let journal = read_journal(path)?;
        if journal.settings.suite.digest != suite.info().digest {
            let why = "it is about another suite than the one that is built in; --suite names the one that it is about";
            return Err(Failure::usage(format!("{}: {why}", path.display())));
        }
        fits(&journal, &suite).map_err(|why| Failure::usage(format!("{}: {why}", path.display())))?;
        shards.push((path.display().to_string(), journal));
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
