//! The command line: one file a subcommand. Raw arguments become settings here that can't be wrong.

mod adapter_args;
mod baseline;
mod certify;
mod check;
mod client_args;
mod doctor;
mod documents;
mod drive;
mod emit;
mod evidence;
mod explain;
mod list;
mod profiles;
mod render;
mod report;
mod report_file;
mod run;
mod serve;
mod show;
mod url_args;
mod verify;

use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ColorChoice, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use proofmark::case::{LoadOptions, Suite, SuiteFault, SuiteFiles};
use proofmark::contract::rendering::RenderingProfile;
use proofmark::embedded;
use proofmark::judge::suite_contradictions;

use crate::baseline::Baseline;
use crate::exit::Exit;
use crate::journal::Journal;
use crate::printable::{printable, printable_json};
use crate::suite_directory;

const EXAMPLES: &str = "\
Examples:
  proofmark                                        the whole suite against the reference
  proofmark run -- python3 my_adapter.py           against my host
  proofmark run activation.budget -- node host.js  one part of it
  proofmark run --format json -- ./host | jq .summary
  proofmark show activation.budget.tail-is-cut-exactly
  proofmark evidence .claude/skills --budget 2000
  proofmark evidence DIR --format json | proofmark check -

Exit status: 0 conformant, 1 not conformant, 2 usage, 3 baseline stale, 4 adapter or protocol, 5 suite invalid";

/// Certifies that programs which host agent skills keep their published contracts.
#[derive(Debug, Parser)]
#[command(name = "proofmark", version, after_help = EXAMPLES, args_conflicts_with_subcommands = true, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: run::RunArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run cases, against the reference or against an adapter (also what happens without a subcommand)
    Run(Box<run::RunArgs>),
    /// Run a whole profile with freshly generated cases, and write a certificate where it is kept
    Certify(certify::CertifyArgs),
    /// Check a certificate: every digest, and the whole of it made again
    Verify(verify::VerifyArgs),
    /// Make reports from the journal of a run, and join the journals of shards
    Report(report::ReportArgs),
    /// Keep a list of known failures true
    Baseline(baseline::BaselineArgs),
    /// List what a host may be certified as
    Profiles(profiles::ProfilesArgs),
    /// List the cases
    List(list::ListArgs),
    /// Show a case: its text, its clause, its reason, and what a host receives
    Show(show::ShowArgs),
    /// Explain a rule or a clause, with examples that pass and that fail
    Explain(explain::ExplainArgs),
    /// Read real SKILL.md directories and say which cards fit into a budget
    Evidence(evidence::EvidenceArgs),
    /// Check documents: are these evidence payloads, receipts, traces, packets good?
    Check(check::CheckArgs),
    /// Render an evidence return packet at a depth, or project it, or write it in another form
    Render(render::RenderArgs),
    /// Examine an adapter itself, before anyone judges contracts: does it speak the protocol?
    Doctor(doctor::DoctorArgs),
    /// Write the requests that a run would send, without starting anything
    Emit(emit::EmitArgs),
    /// Answer the adapter protocol on stdin and stdout, as the reference implementation
    Serve(serve::ServeArgs),
}

/// How output is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Flags that every subcommand with a suite has.
#[derive(Debug, Clone, Args)]
struct SuiteArgs {
    /// Another suite than the built-in one: a folder that is or holds `spec-cases`
    #[arg(long, value_name = "DIR")]
    suite: Option<PathBuf>,
}

impl SuiteArgs {
    /// The words that say the same again.
    fn flags(&self) -> Vec<String> {
        self.suite.iter().flat_map(|suite| ["--suite".to_owned(), suite.display().to_string()]).collect()
    }
}

/// Flags that every subcommand has.
#[derive(Debug, Clone, Args)]
struct OutputArgs {
    /// How to write the result
    #[arg(long, value_enum, default_value = "text", value_name = "FORM")]
    format: Format,
    /// Never use colour (a pipe never gets any)
    #[arg(long)]
    no_color: bool,
}

impl OutputArgs {
    /// Standard output, which strips colour where none is wanted.
    fn stdout(&self) -> Box<dyn Write> {
        let choice = if self.no_color || std::env::var_os("NO_COLOR").is_some_and(|it| !it.is_empty()) {
            anstream::ColorChoice::Never
        } else {
            anstream::ColorChoice::Auto
        };
        Box::new(UntilGone { out: Some(anstream::AutoStream::new(io::stdout(), choice)) })
    }
}

/// A writer whose reader may go when it has seen enough, such as `head`. What is still written is dropped, and the verdict stands.
struct UntilGone<W> {
    out: Option<W>,
}

impl<W: Write> UntilGone<W> {
    fn unless_gone<T>(&mut self, gone: T, write: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<T> {
        let Some(out) = &mut self.out else { return Ok(gone) };
        match write(out) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.out = None;
                Ok(gone)
            }
            outcome => outcome,
        }
    }
}

impl<W: Write> Write for UntilGone<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_gone(bytes.len(), |out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_gone((), Write::flush)
    }
}

/// Writes a value as JSON over several lines, fit for a terminal.
fn write_json(out: &mut dyn Write, value: &impl serde::Serialize) -> io::Result<()> {
    let json = serde_json::to_string_pretty(value)?;
    writeln!(out, "{}", printable_json(&json))
}

/// Why a command can't do its work: the words, and how the program ends.
#[derive(Debug)]
struct Failure {
    exit: Exit,
    message: String,
}

impl Failure {
    fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into() }
    }

    fn adapter(message: impl Into<String>) -> Self {
        Self { exit: Exit::Adapter, message: message.into() }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::usage(error.to_string())
    }
}

/// Parses the command line, does what it says, and says how to end.
#[must_use]
pub fn main() -> Exit {
    let no_color = std::env::args_os().any(|word| word == "--no-color");
    let command = Cli::command().color(if no_color { ColorChoice::Never } else { ColorChoice::Auto });
    let cli = match command.try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Conformant };
        }
    };
    let outcome = match cli.command.unwrap_or(Command::Run(Box::new(cli.run))) {
        Command::Run(args) => run::main(&args),
        Command::Certify(args) => certify::main(&args),
        Command::Verify(args) => verify::main(&args),
        Command::Report(args) => report::main(&args),
        Command::Baseline(args) => baseline::main(&args),
        Command::Profiles(args) => profiles::main(&args),
        Command::List(args) => list::main(&args),
        Command::Show(args) => show::main(&args),
        Command::Explain(args) => explain::main(&args),
        Command::Evidence(args) => evidence::main(&args),
        Command::Check(args) => check::main(&args),
        Command::Render(args) => render::main(&args),
        Command::Doctor(args) => doctor::main(&args),
        Command::Emit(args) => emit::main(&args),
        Command::Serve(args) => serve::main(&args),
    };
    outcome.unwrap_or_else(|failure| {
        let _ = writeln!(anstream::stderr(), "error: {}", printable(&failure.message, true));
        failure.exit
    })
}

/// Loads the suite, and refuses one with a fault: nothing of it runs.
fn load_suite(args: &SuiteArgs, only: Option<&str>) -> Result<Suite, Failure> {
    let Some(folder) = &args.suite else {
        return Suite::load(SuiteFiles::embedded(), LoadOptions { only }).map_err(|faults| invalid(&faults));
    };
    let files = suite_directory::read(folder).map_err(|error| Failure::usage(format!("--suite {}: {error}", folder.display())))?;
    let suite = Suite::load(files, LoadOptions::default()).map_err(|faults| invalid(&faults))?;
    let contradictions = suite_contradictions(&suite);
    if contradictions.is_empty() { Ok(suite) } else { Err(invalid(&contradictions)) }
}

fn invalid(faults: &[SuiteFault]) -> Failure {
    const SHOWN: usize = 20;
    let mut lines: Vec<String> = faults.iter().take(SHOWN).map(ToString::to_string).collect();
    if faults.len() > SHOWN {
        lines.push(format!("… and {} more", faults.len() - SHOWN));
    }
    let message = format!("the suite is invalid, and nothing of it runs:\n{}", lines.join("\n"));
    Failure { exit: Exit::SuiteInvalid, message }
}

/// One of the rendering profiles that ship, by the name given to `--rendering`.
fn shipped_profile(name: &str) -> Result<RenderingProfile, Failure> {
    embedded::rendering_profile(name).ok_or_else(|| {
        let names: Vec<&str> = embedded::rendering_profiles().keys().map(String::as_str).collect();
        Failure::usage(format!("--rendering {name}: there is no such profile; there are {}", names.join(", ")))
    })
}

/// Refuses files that are to hold two things.
fn distinct<'p>(paths: impl Iterator<Item = &'p Path>) -> Result<(), Failure> {
    let mut seen: Vec<PathBuf> = Vec::new();
    for path in paths {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let real = path.canonicalize().or_else(|_| folder.canonicalize().map(|folder| folder.join(path.file_name().unwrap_or_default())));
        let real = real.unwrap_or_else(|_| path.to_owned());
        if seen.contains(&real) {
            return Err(Failure::usage(format!("{}: two things can't be in one file", path.display())));
        }
        seen.push(real);
    }
    Ok(())
}

/// Reads a journal, or says why it is none.
fn read_journal(path: &Path) -> Result<Journal, Failure> {
    Journal::read(path).map_err(|error| {
        let hint = if error.line == 1 { " (a journal is what `proofmark run --journal FILE` writes)" } else { "" };
        Failure::usage(format!("{}: {error}{hint}", path.display()))
    })
}

/// Reads a baseline, or says why it is none.
fn read_baseline(path: &Path) -> Result<Baseline, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    let baseline = Baseline::read(&text).map_err(|fault| Failure::usage(format!("{}:{fault}", path.display())))?;
    Ok(Baseline { file: path.display().to_string(), ..baseline })
}

/// A size as people write it: `4096`, `512KiB`, `16MiB`, `2GiB`.
fn size(text: &str) -> Result<u64, String> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor: u64 = match unit {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return Err(format!("{unit:?} is no unit of size; write KiB, MiB or GiB, or bytes alone")),
    };
    let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    bytes.ok_or_else(|| format!("{text:?} is no size; write 4096, 512KiB, 16MiB or 2GiB"))
}

/// A duration as people write it: `500ms`, `10s`, `2m`.
fn duration(text: &str) -> Result<Duration, String> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 = number.parse().map_err(|_| format!("{text:?} is no duration; write 500ms, 10s or 2m"))?;
    let factor = match unit {
        "ms" => 0.001,
        "s" | "" => 1.0,
        "m" => 60.0,
        _ => return Err(format!("{unit:?} is no unit of time; write ms, s or m")),
    };
    let seconds = number * factor;
    if !(0.001..=86_400.0).contains(&seconds) {
        return Err(format!("{text:?} is out of bounds; from 1ms to 24 hours"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// Whether a person watches: progress is for them only.
fn somebody_watches() -> bool {
    io::stderr().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn durations_have_units() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        for text in ["", "ms", "0s", "5h", "-1s", "1e9s", "999999s"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
