//! `proofmark run`.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use proofmark::adapter::Declaration;
use proofmark::case::{Case, Profile, RequirementSet, Suite};
use proofmark::judge::Outcome;
use proofmark::verdict::Level;

use super::adapter_args::AdapterArgs;
use super::certify::nonce_text;
use super::drive::{JournalPlan, Target};
use super::report_file::{ReportFile, ReportForm, report_file};
use super::url_args::UrlArgs;
use super::{Failure, Format, OutputArgs, SuiteArgs, distinct, load_suite, read_baseline, read_journal, shipped_profile};
use crate::certificate::{GENERATED_PER_OPERATION, seed_of};
use crate::exit::Exit;
use crate::filter::Filter;
use crate::journal::difference;
use crate::run::{Generated, Plan, ProfileSettings, RunSettings, Shard, Summary, fresh_seed, with_generated};

const EXAMPLES: &str = "\
Examples:
  proofmark run                                           the reference, in this process
  proofmark run -- proofmark serve                        the reference, over the protocol
  proofmark run -- python3 my_adapter.py                  my host
  proofmark run activation.budget 'activation.*.chinese-*' -- node host.js
  proofmark run --profile lifecycle-host -- ./host        what a host of that kind has to do
  proofmark run --url http://127.0.0.1:8080/rpc           a host that runs already, over HTTP
  proofmark run --jobs 4 --timeout 500ms --env MODE=test -- ./host
  proofmark run --baseline known-failures.yaml -- ./host  failures that are known are excused, and must still fail
  proofmark run --report junit=junit.xml --report markdown=summary.md -- ./host
  proofmark run --journal run.jsonl -- ./host             each finished case is on disk at once
  proofmark run --resume run.jsonl -- ./host              go on where that run was killed
  proofmark run --rerun-failed run.jsonl -- ./host        only what failed there
  proofmark run --shard 1/3 --seed 7 --journal 1.jsonl -- ./host   one of three machines; `proofmark report merge` joins them

A pattern is a case id, the beginning of ids at a dot (activation.budget), a glob, or a case file.
Without a command after `--` or a --url the reference implementation is judged. `proofmark explain protocol` says how an adapter answers.";

/// Arguments of `run`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct RunArgs {
    /// Which cases: ids, beginnings of ids, globs, case files; all where none is given
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// The adapter's command, after `--`
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
    /// Another pattern, for scripts
    #[arg(long, value_name = "PATTERN")]
    filter: Vec<String>,
    /// Only cases of this contract
    #[arg(long, value_name = "NAME")]
    contract: Option<String>,
    /// Only what a profile asks for, such as lifecycle-host (`proofmark profiles` has them)
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The rendering profile that the reference declares (only without a command)
    #[arg(long, value_name = "NAME", default_value = "page-1", conflicts_with_all = ["command", "url"])]
    rendering: String,
    #[command(flatten)]
    url: UrlArgs,
    #[command(flatten)]
    adapter: AdapterArgs,
    /// Do not run the laws (AE-601 to AE-608), which ask more than the cases do
    #[arg(long)]
    no_laws: bool,
    /// The lowest level at which a failure makes the exit status 1
    #[arg(long, value_name = "LEVEL", default_value = "must", value_parser = ["must", "should", "may"])]
    fail_on: String,
    /// Exit with 0 also where must cases were not judged: an operation is unsupported, or no rendering profile is declared
    #[arg(long)]
    allow_partial: bool,
    /// The seed of random worlds, as an earlier run said it; without it they are others in every run
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Add the cases that a certifying run with this nonce generates, to run one of them again
    #[arg(long, value_name = "TEXT", value_parser = nonce_text, requires = "profile", conflicts_with = "seed")]
    nonce: Option<String>,
    /// Ask the cases in an order that the seed gives
    #[arg(long)]
    shuffle: bool,
    /// Failures that are known, each with its reason; a stale entry exits with 3
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write each finished case to a file at once, from which `proofmark report` makes every form
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Go on with the journal of a run that was killed; the other arguments are those of that run
    #[arg(long, value_name = "JOURNAL", conflicts_with = "journal")]
    resume: Option<PathBuf>,
    /// Only the cases that did not pass in an earlier run
    #[arg(long, value_name = "JOURNAL")]
    rerun_failed: Option<PathBuf>,
    /// One of several parts of the run, such as 1/3; all take the same --seed
    #[arg(long, value_name = "INDEX/COUNT", requires = "seed")]
    shard: Option<Shard>,
    /// Threads for the reference in this process
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Write the run to a file too: text=FILE, json=FILE, junit=FILE or markdown=FILE; may be given several times
    #[arg(long, value_name = "FORM=FILE", value_parser = report_file)]
    report: Vec<ReportFile>,
    /// Name every case, also those that passed
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    suite: SuiteArgs,
    #[command(flatten)]
    output: OutputArgs,
}

impl RunArgs {
    fn target(&self) -> Result<Target, Failure> {
        if self.command.is_empty() && std::env::args_os().any(|word| word == "--") {
            return Err(Failure::usage("there is no command behind `--`; without the dashes the reference is judged"));
        }
        if let Some(options) = self.url.over_protocol(&self.adapter)? {
            return Ok(Target::Adapter(options));
        }
        let rendering = shipped_profile(&self.rendering)?;
        Ok(if self.command.is_empty() {
            let threads = self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
            Target::Reference { rendering, threads }
        } else {
            Target::Adapter(self.adapter.over_protocol(&self.command))
        })
    }

    /// The words that a rerun of one case has to repeat.
    fn rerun_flags(&self) -> Vec<String> {
        let mut words = self.suite.flags();
        if self.no_laws {
            words.push("--no-laws".to_owned());
        }
        words.extend(self.url.flags());
        words.extend(self.adapter.flags());
        if self.rendering != "page-1" {
            words.extend(["--rendering".to_owned(), self.rendering.clone()]);
        }
        words
    }

    /// The settings of the run, and the cases that it is about.
    /// The suite, with generated cases where a nonce is given, and the declaration that these were made for.
    fn suite(&self, target: &Target) -> Result<(Suite, Option<(Suite, Declaration)>), Failure> {
        let suite = load_suite(&self.suite, None)?;
        let (Some(nonce), Some(profile)) = (&self.nonce, self.profile.as_ref().and_then(|name| Profile::shipped().get(name))) else {
            return Ok((suite, None));
        };
        let declaration = target.declaration(&suite, nonce)?;
        let extended = with_generated(&suite, profile, &declaration, seed_of(nonce), GENERATED_PER_OPERATION)
            .map_err(|fault| Failure { exit: Exit::SuiteInvalid, message: fault.to_string() })?;
        Ok((suite, Some((extended, declaration))))
    }

    fn settings<'s>(&self, published: &Suite, suite: &'s Suite, resumed: Option<&RunSettings>) -> Result<(RunSettings, Plan<'s>), Failure> {
        let patterns: Vec<String> = self.patterns.iter().chain(&self.filter).cloned().collect();
        let filter = Filter::of(&patterns, self.contract.clone(), self.profile.as_deref()).map_err(|error| Failure::usage(error.0))?;
        let mut cases = filter.select(suite).map_err(|error| Failure::usage(error.0))?;
        let rerun_of = self.rerun_failed.as_deref().map(|path| only_failed(path, &mut cases)).transpose()?;
        let mut plan = Plan::new(&cases);
        // Of the whole selection, so that every shard says the same.
        let profile = self.profile.as_ref().map(|name| profile_settings(name, published, &plan)).transpose()?;
        if let Some(shard) = self.shard {
            plan.cases.retain(|planned| shard.has(&planned.case.id));
        }
        let mut settings = RunSettings::new(published, plan.cases.len());
        settings.profile = profile;
        settings.patterns = patterns;
        settings.contract.clone_from(&self.contract);
        settings.rerun_of = rerun_of;
        settings.shard = self.shard;
        settings.command = self.command.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        settings.url.clone_from(&self.url.url);
        settings.flags = self.rerun_flags();
        settings.laws = !self.no_laws;
        settings.seed = self.seed.or(resumed.map(|settings| settings.seed)).unwrap_or_else(fresh_seed);
        if let Some(nonce) = &self.nonce {
            settings.seed = seed_of(nonce);
            settings.generated = Some(Generated { per_operation: GENERATED_PER_OPERATION });
            settings.nonce.clone_from(nonce);
        }
        settings.shuffled = self.shuffle;
        settings.fail_on = match self.fail_on.as_str() {
            "may" => Level::May,
            "should" => Level::Should,
            _ => Level::Must,
        };
        settings.allow_partial = self.allow_partial;
        if self.shuffle {
            plan.shuffle = Some(settings.seed);
        }
        if let Some(resumed) = resumed {
            settings.nonce.clone_from(&resumed.nonce);
            let other = difference(resumed, &settings)
                .or((resumed.shard != settings.shard).then_some("the shard"))
                .or((resumed.selected != settings.selected).then_some("the number of cases"));
            if let Some(other) = other {
                return Err(Failure::usage(format!(
                    "--resume: the run to go on with was made otherwise: {other} differs; give the arguments that it had"
                )));
            }
        }
        Ok((settings, plan))
    }

    fn journal(&self) -> Result<Option<JournalPlan>, Failure> {
        Ok(match (&self.journal, &self.resume) {
            (_, Some(path)) => Some(JournalPlan { path: path.clone(), resumed: Some(read_journal(path)?) }),
            (Some(path), None) => Some(JournalPlan { path: path.clone(), resumed: None }),
            (None, None) => None,
        })
    }
}

/// Keeps the cases that did not pass in an earlier run; the digest of its journal.
fn only_failed(path: &Path, cases: &mut Vec<&Case>) -> Result<String, Failure> {
    let journal = read_journal(path)?;
    let results = journal.results();
    let not_passed = |outcome: Outcome| !matches!(outcome, Outcome::Passed | Outcome::NotApplicable | Outcome::Unsupported);
    let failed: HashSet<&str> = results.iter().filter(|result| not_passed(result.outcome)).map(|result| result.id.as_str()).collect();
    cases.retain(|case| failed.contains(case.id.as_str()));
    if cases.is_empty() {
        return Err(Failure::usage(format!("--rerun-failed {}: nothing that was selected failed there", path.display())));
    }
    Ok(journal.digest)
}

/// The profile that a run is about. What was added since its set was frozen counts only where it is in this plan.
pub(super) fn profile_settings(name: &str, suite: &Suite, plan: &Plan<'_>) -> Result<ProfileSettings, Failure> {
    let set = RequirementSet::shipped(&suite.version).map_err(Failure::usage)?;
    let mut profile = ProfileSettings::of(name, suite, &set).map_err(|message| Failure { exit: Exit::SuiteInvalid, message })?;
    profile.added_since.retain(|id| plan.cases.iter().any(|planned| planned.case.id == *id));
    Ok(profile)
}

/// With the generated cases of the run whose failures are run again, where it had some.
fn with_generated_of_rerun(args: &RunArgs) -> Result<RunArgs, Failure> {
    let mut args = args.clone();
    if let (Some(path), None) = (&args.rerun_failed, &args.nonce) {
        let settings = read_journal(path)?.settings;
        if let (Some(_), Some(profile)) = (&settings.generated, &settings.profile) {
            args.nonce = Some(settings.nonce);
            args.profile.get_or_insert_with(|| profile.name.clone());
        }
    }
    Ok(args)
}

pub(super) fn main(args: &RunArgs) -> Result<Exit, Failure> {
    let args = &with_generated_of_rerun(args)?;
    let others = [&args.journal, &args.resume, &args.rerun_failed, &args.baseline].into_iter().flatten().map(PathBuf::as_path);
    distinct(others.chain(args.report.iter().map(ReportFile::path)))?;
    args.report.iter().try_for_each(ReportFile::empty)?;
    let target = args.target()?;
    let baseline = args.baseline.as_deref().map(read_baseline).transpose()?;
    let journal = args.journal()?;
    let (published, extended) = args.suite(&target)?;
    let (suite, declaration) = match extended {
        Some((suite, declaration)) => (suite, Some(declaration)),
        None => (published.clone(), None),
    };
    let resumed = journal.as_ref().and_then(|journal| journal.resumed.as_ref());
    let (settings, plan) = args.settings(&published, &suite, resumed.map(|resumed| &resumed.settings))?;
    let mut report = match resumed.filter(|resumed| resumed.ended.is_some()) {
        // There is nothing to go on with.
        Some(ended) => ended.report(),
        None => target.run(&suite, plan, settings, journal.as_ref(), declaration)?,
    };
    report.reckoning = baseline.map(|baseline| baseline.reckon(&suite, &report.results));

    let mut out = args.output.stdout();
    let form = match args.output.format {
        Format::Json => ReportForm::Json,
        Format::Text => ReportForm::Text,
    };
    form.write(&mut out, &report, &suite, args.verbose)?;
    out.flush()?;
    args.report.iter().try_for_each(|file| file.write(&report, &suite))?;
    Ok(Summary::of(&report).exit(report.settings.fail_on, report.settings.allow_partial))
}
