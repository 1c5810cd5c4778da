//! `proofmark run`.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use proofmark::verdict::Level;

use super::{Failure, Format, OutputArgs, SuiteArgs, duration, load_suite, shipped_profile, somebody_watches, write_json};
use crate::client::ClientOptions;
use crate::exit::Exit;
use crate::filter::Filter;
use crate::report::{self, Terminal};
use crate::run::{OverProtocol, Summary, fresh_seed, run_over_protocol, run_reference};

const EXAMPLES: &str = "\
Examples:
  proofmark run                                           the reference, in this process
  proofmark run -- proofmark serve                        the reference, over the protocol
  proofmark run -- python3 my_adapter.py                  my host
  proofmark run activation.budget 'activation.*.chinese-*' -- node host.js
  proofmark run --profile lifecycle-host -- ./host        what a host of that kind has to do
  proofmark run --timeout 500ms --env MODE=test -- ./host
  proofmark run --report junit=junit.xml --report markdown=summary.md -- ./host

A pattern is a case id, the beginning of ids at a dot (activation.budget), a glob, or a case file.
Without a command after `--` the reference implementation is judged. `proofmark explain protocol` says how an adapter answers.";

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
    /// Only what a profile asks for, such as lifecycle-host (`schemas/profiles.yaml` has them)
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The rendering profile that the reference declares (only without a command)
    #[arg(long, value_name = "NAME", default_value = "page-1", conflicts_with = "command")]
    rendering: String,
    /// How long one request may take
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    timeout: Duration,
    /// How long the adapter may take to start
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    start_timeout: Duration,
    /// Requests in flight at most, whatever the adapter declares
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=4096))]
    window: u16,
    /// The longest answer that is read, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = proofmark::adapter::DEFAULT_MAX_LINE_BYTES, value_parser = line_bytes)]
    max_line_bytes: usize,
    /// A variable for the adapter's environment: NAME=VALUE, or NAME to hand ours down
    #[arg(long, value_name = "NAME[=VALUE]")]
    env: Vec<String>,
    /// The directory that the adapter runs in
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// How often a crashed adapter is started again
    #[arg(long, value_name = "N", default_value_t = 20)]
    max_restarts: usize,
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
    /// Threads for the reference in this process
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Write the run to a file too: json=FILE, junit=FILE or markdown=FILE; may be given several times
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

/// A form of the report, and the file that it goes to.
#[derive(Debug, Clone)]
struct ReportFile {
    form: ReportForm,
    path: PathBuf,
}

#[derive(Debug, Clone, Copy)]
enum ReportForm {
    Json,
    Junit,
    Markdown,
}

fn report_file(text: &str) -> Result<ReportFile, String> {
    let forms = "json=FILE, junit=FILE or markdown=FILE";
    let (form, path) = text.split_once('=').ok_or_else(|| format!("expected {forms}"))?;
    let form = match form {
        "json" => ReportForm::Json,
        "junit" => ReportForm::Junit,
        "markdown" => ReportForm::Markdown,
        other => return Err(format!("{other:?} is no form of a report; expected {forms}")),
    };
    match path {
        "" => Err(format!("the file is missing; expected {forms}")),
        "-" => Err("reports go to files; for standard output there is --format json".to_owned()),
        path => Ok(ReportFile { form, path: path.into() }),
    }
}

impl ReportFile {
    fn write(&self, text: &[u8]) -> Result<(), Failure> {
        std::fs::write(&self.path, text)
            .map_err(|error| Failure::usage(format!("the report cannot be written: {}: {error}", self.path.display())))
    }
}

fn line_bytes(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(bytes @ 256..=1_073_741_824) => Ok(bytes),
        _ => Err(format!("{text:?} is out of bounds; from 256 bytes to a gibibyte")),
    }
}

impl RunArgs {
    /// The words that a rerun of one case has to repeat.
    fn rerun_flags(&self) -> Vec<String> {
        let mut words = self.suite.flags();
        if self.no_laws {
            words.push("--no-laws".to_owned());
        }
        let mut flag = |name: &str, value: String| words.extend([name.to_owned(), value]);
        if self.start_timeout != Duration::from_secs(10) {
            flag("--start-timeout", format!("{}ms", self.start_timeout.as_millis()));
        }
        if self.window != 64 {
            flag("--window", self.window.to_string());
        }
        if self.max_line_bytes != proofmark::adapter::DEFAULT_MAX_LINE_BYTES {
            flag("--max-line-bytes", self.max_line_bytes.to_string());
        }
        if self.timeout != Duration::from_secs(10) {
            flag("--timeout", format!("{}ms", self.timeout.as_millis()));
        }
        for env in &self.env {
            flag("--env", env.clone());
        }
        if let Some(directory) = &self.directory {
            flag("--directory", directory.display().to_string());
        }
        if self.rendering != "page-1" {
            flag("--rendering", self.rendering.clone());
        }
        words
    }

    fn client(&self) -> ClientOptions {
        let mut client = ClientOptions::new(self.command.clone());
        client.directory.clone_from(&self.directory);
        for text in &self.env {
            match text.split_once('=') {
                Some((name, value)) => client.environment.push((name.into(), value.into())),
                None => client.pass_environment.push(text.into()),
            }
        }
        client.request_timeout = self.timeout;
        client.start_timeout = self.start_timeout;
        client.max_line_bytes = self.max_line_bytes;
        client
    }
}

pub(super) fn main(args: &RunArgs) -> Result<Exit, Failure> {
    // A place that takes no report is known before the run, and where the run is refused or killed no older report stands for it.
    args.report.iter().try_for_each(|file| file.write(b""))?;
    let rendering = shipped_profile(&args.rendering)?;
    if args.command.is_empty() && std::env::args_os().any(|word| word == "--") {
        return Err(Failure::usage("there is no command behind `--`; without the dashes the reference is judged"));
    }
    let fail_on = match args.fail_on.as_str() {
        "may" => Level::May,
        "should" => Level::Should,
        _ => Level::Must,
    };
    let patterns: Vec<String> = args.patterns.iter().chain(&args.filter).cloned().collect();
    let filter = Filter::of(&patterns, args.contract.clone(), args.profile.as_deref()).map_err(|error| Failure::usage(error.0))?;
    let seed = args.seed.unwrap_or_else(fresh_seed);
    let suite = load_suite(&args.suite, None)?;
    let cases = filter.select(&suite).map_err(|error| Failure::usage(error.0))?;

    let bar = ProgressBar::with_draw_target(
        Some(cases.len() as u64),
        if somebody_watches() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() },
    );
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} cases  {msg}") {
        bar.set_style(style);
    }
    let mut failed = 0_usize;
    let mut progress = |result: &proofmark::judge::CaseResult| {
        if result.outcome == proofmark::judge::Outcome::Failed || result.outcome.is_fault() {
            failed += 1;
            bar.set_message(format!("{failed} failed"));
        }
        bar.inc(1);
    };
    let report = if args.command.is_empty() {
        let threads = args.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        run_reference(&suite, &cases, rendering, !args.no_laws, seed, threads, &mut progress)
    } else {
        let options =
            OverProtocol { client: args.client(), window: args.window.into(), laws: !args.no_laws, seed, max_restarts: args.max_restarts };
        run_over_protocol(&suite, &cases, &options, &mut progress)
    };
    bar.finish_and_clear();

    let summary = Summary::of(&report);
    let exit = summary.exit(fail_on, args.allow_partial);
    let mut out = args.output.stdout();
    match args.output.format {
        Format::Json => {
            write_json(&mut out, &report::json(&report, &summary, exit))?;
        }
        Format::Text => {
            let terminal = Terminal { suite: &suite, verbose: args.verbose, flags: args.rerun_flags() };
            terminal.write(&mut out, &report, &summary, fail_on)?;
        }
    }
    out.flush()?;
    for file in &args.report {
        let text = match file.form {
            ReportForm::Json => {
                let mut bytes = Vec::new();
                write_json(&mut bytes, &report::json(&report, &summary, exit))?;
                bytes
            }
            ReportForm::Junit => report::junit(&report, &summary, fail_on, exit, &args.rerun_flags()).into_bytes(),
            ReportForm::Markdown => report::markdown(&report, &summary, fail_on, &args.rerun_flags()).into_bytes(),
        };
        file.write(&text)?;
    }
    Ok(exit)
}
