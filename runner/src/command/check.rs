//! `proofmark check`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use proofmark::adapter::{Answer, Implementation as _, Operation};
use proofmark::contract::activation::{Category, EVIDENCE_TYPE, NAME};
use proofmark::contract::rendering::RenderingProfile;
use proofmark::embedded;
use proofmark::policy::{Exchange, RulePack};
use proofmark::reference::Reference;
use proofmark::verdict::{Level, Verdict, Violation};
use proofmark::yaml::Document;
use serde_json::{Value, json};

use super::documents::{DocumentForm, Read1, read_each};
use super::{Failure, Format, OutputArgs};
use crate::exit::Exit;
use crate::printable::{printable, printable_json};

const EXAMPLES: &str = "\
Examples:
  proofmark check evidence.json more/*.json
  my-host --dump-evidence | proofmark check -
  proofmark check evidence.json --registry registry.json --rendering page-1

Each document is judged by the rules of its contract, recognised by `_type`. Rules that need the registry, the options or the
rendering profile are not judged without them, and named. JSON, YAML and JSON lines are read, by the file's ending or its text.

Exit status: 0 every document is valid, 1 one is not, 2 one could not be read";

/// Arguments of `check`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CheckArgs {
    /// Files, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The documents' contract, where they do not say it themselves
    #[arg(long, value_name = "NAME", value_parser = [NAME])]
    contract: Option<String>,
    /// The documents' form, where the file's ending does not say it
    #[arg(long, value_enum, value_name = "FORM")]
    form: Option<DocumentForm>,
    /// The registry that the evidence is about
    #[arg(long, value_name = "FILE")]
    registry: Option<PathBuf>,
    /// The options that the evidence was asked with
    #[arg(long, value_name = "FILE", requires = "registry")]
    options: Option<PathBuf>,
    /// The rendering profile that the producer keeps: a shipped one, or a file with one
    #[arg(long, value_name = "NAME|FILE")]
    rendering: Option<String>,
    /// Only say what is wrong
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// A rendering profile by its name, or from a file.
pub(super) fn rendering(text: &str) -> Result<RenderingProfile, Failure> {
    if let Some(profile) = embedded::rendering_profile(text) {
        return Ok(profile);
    }
    let names: Vec<&str> = embedded::rendering_profiles().keys().map(String::as_str).collect();
    if !Path::new(text).exists() {
        return Err(Failure::usage(format!("--rendering {text}: neither a shipped profile ({}) nor a file", names.join(", "))));
    }
    let value = read_one(Path::new(text))?;
    let profile: RenderingProfile =
        serde_json::from_value(value).map_err(|error| Failure::usage(format!("--rendering {text}: {error}")))?;
    match profile.fault() {
        Some(fault) => Err(Failure::usage(format!("--rendering {text}: {fault}"))),
        None => Ok(profile),
    }
}

/// The one document of a file.
pub(super) fn read_one(path: &Path) -> Result<Value, Failure> {
    let mut found = Vec::new();
    read_each(path, None, &mut |read: Read1| {
        found.push(read);
        Ok(())
    })
    .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    match (found.len(), found.pop()) {
        (1, Some(Read1 { document: Ok((value, _)), .. })) => Ok(value),
        (1, Some(Read1 { name, document: Err(message) })) => Err(Failure::usage(format!("{name}: {message}"))),
        (count, _) => Err(Failure::usage(format!("{}: {count} documents; one is wanted", path.display()))),
    }
}

#[derive(Default)]
struct Tally {
    valid: usize,
    invalid: usize,
    unreadable: usize,
}

pub(super) fn main(args: &CheckArgs) -> Result<Exit, Failure> {
    let profile = args.rendering.as_deref().map(rendering).transpose()?;
    let params = match &args.registry {
        None => None,
        Some(path) => {
            let options = args.options.as_deref().map(read_one).transpose()?.unwrap_or_else(|| json!({}));
            let registry = read_one(path)?;
            // A rule that needs them would say nothing of what is none, and the document would pass.
            let params = json!({"registry": registry, "options": options});
            if let Answer::Refusal(refusal) = Reference::default().call(Operation::ActivationEvidence, &params) {
                let (flag, file) = match &args.options {
                    Some(options) if refusal.category == Category::InvalidOptions.as_str() => ("--options", options),
                    _ => ("--registry", path),
                };
                return Err(Failure::usage(format!("{flag} {}: {}", file.display(), refusal.category)));
            }
            Some(params)
        }
    };
    let mut out = args.output.stdout();
    let mut tally = Tally::default();
    let mut not_judged: Vec<String> = Vec::new();
    for path in &args.files {
        let read = read_each(path, args.form, &mut |read: Read1| {
            let judged = read.document.and_then(|(value, document)| {
                contract(args, &value)?;
                let exchange = Exchange {
                    operation: Operation::ActivationEvidence,
                    params: params.as_ref(),
                    answer: &Answer::Result(value),
                    profile: profile.as_ref(),
                    companion: None,
                };
                Ok((RulePack::activation().judge(&exchange), document))
            });
            match judged {
                Err(message) => {
                    tally.unreadable += 1;
                    write_unreadable(args, &mut out, &read.name, &message)
                }
                Ok((verdict, document)) => {
                    if verdict.valid {
                        tally.valid += 1;
                    } else {
                        tally.invalid += 1;
                    }
                    not_judged.clone_from(&verdict.not_judged);
                    write_verdict(args, &mut out, &read.name, &verdict, document.as_ref())
                }
            }
        });
        if let Err(error) = read {
            tally.unreadable += 1;
            write_unreadable(args, &mut out, &path.display().to_string(), &error.to_string())?;
        }
    }
    if args.output.format == Format::Text {
        if !not_judged.is_empty() && !args.quiet {
            writeln!(out, "not judged from this alone: {} (--registry, --options and --rendering tell more)", not_judged.join(", "))?;
        }
        writeln!(out, "{} valid, {} not valid, {} not readable", tally.valid, tally.invalid, tally.unreadable)?;
    }
    out.flush()?;
    Ok(match tally {
        Tally { unreadable: 1.., .. } => Exit::Usage,
        Tally { invalid: 1.., .. } => Exit::NotConformant,
        // Nothing that was checked is no proof of anything.
        Tally { valid: 0, .. } => Exit::Usage,
        _ => Exit::Conformant,
    })
}

fn contract(args: &CheckArgs, value: &Value) -> Result<(), String> {
    if !value.is_object() {
        return Err(format!("it is of type {}, not a mapping, or it is empty", proofmark::json::type_name(value)));
    }
    let kind = value.get("_type").and_then(Value::as_str);
    if args.contract.is_some() || kind == Some(EVIDENCE_TYPE) {
        return Ok(());
    }
    Err(match kind {
        Some(kind) => format!("_type is {kind:?}; documents of the type {EVIDENCE_TYPE} can be checked"),
        None => format!("no _type says what this is; name its contract with --contract {NAME}"),
    })
}

fn write_unreadable(args: &CheckArgs, out: &mut dyn std::io::Write, name: &str, message: &str) -> std::io::Result<()> {
    match args.output.format {
        Format::Json => writeln!(out, "{}", printable_json(&json!({"document": name, "error": message}).to_string())),
        Format::Text => writeln!(out, "{}: can't be read: {}", printable(name, false), printable(message, false)),
    }
}

fn write_verdict(
    args: &CheckArgs,
    out: &mut dyn std::io::Write,
    name: &str,
    verdict: &Verdict,
    document: Option<&Document>,
) -> std::io::Result<()> {
    if args.output.format == Format::Json {
        return writeln!(out, "{}", printable_json(&json!({"document": name, "verdict": verdict}).to_string()));
    }
    let name = printable(name, false);
    if verdict.violations.is_empty() {
        return if args.quiet { Ok(()) } else { writeln!(out, "{name}: valid") };
    }
    let word = if verdict.valid { "valid, with remarks" } else { "not valid" };
    writeln!(out, "{name}: {word}")?;
    for Violation { rule, level, path, message } in &verdict.violations {
        let at = document
            .map(|document| document.place(path))
            .map_or_else(String::new, |at| format!(" (line {}, column {})", at.line, at.column));
        let style = if *level == Level::Must { anstyle::AnsiColor::Red.on_default().bold() } else { anstyle::Style::new() };
        let path = if path.is_empty() { "the document" } else { path.as_str() };
        writeln!(out, "  {style}{rule}{style:#} ({level}) {}{at} {}", printable(path, false), printable(message, false))?;
    }
    Ok(())
}
