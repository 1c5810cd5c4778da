//! `proofmark check`.

mod kind;
mod stream;
mod write;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use proofmark::adapter::{Answer, Implementation as _, Operation};
use proofmark::contract::activation::NAME;
use proofmark::contract::lifecycle::{RECEIPT, TRACE};
use proofmark::contract::packet::{self, MediaType};
use proofmark::contract::refusal::Category;
use proofmark::contract::rendering::RenderingProfile;
use proofmark::embedded;
use proofmark::policy::{Exchange, RulePack, Surface};
use proofmark::reference::Reference;
use proofmark::verdict::Verdict;
use proofmark::yaml::Document;
use serde_json::{Value, json};

use super::documents::{DocumentForm, Read1, file_name, name_at, read_each};
use super::{Failure, OutputArgs};
use crate::exit::Exit;
use kind::Kind;
use stream::TraceStream;
use write::Writer;

const EXAMPLES: &str = "\
Examples:
  proofmark check evidence.json more/*.json
  proofmark check receipts/*.yaml
  proofmark check trace.jsonl                      one event a line, behind a line of {\"capabilities\": {\"context_gc\": true}}
  my-host --dump-evidence | proofmark check -
  my-host --events | proofmark check - --contract skill_lifecycle_trace --context-gc true
  proofmark check evidence.json --registry registry.json --rendering page-1
  proofmark check packets/*.md --surface surface.yaml

Each document is judged by the rules of its contract, recognised by what it holds: evidence by `_type`, a receipt by `schema` or its
fields, a trace by `capabilities` and `events`, a packet by its ids. JSON, YAML, JSON lines and (packets) Markdown are read, by the file's ending or its text. Rules that can't be
judged from what is there are named. A trace in JSON lines may be of any length.

Exit status: 0 every document is valid, 1 one is not, 2 one could not be read";

/// Arguments of `check`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CheckArgs {
    /// Files, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The documents' contract, where they do not say it themselves
    #[arg(long, value_name = "NAME", value_parser = [NAME, RECEIPT, TRACE, packet::NAME])]
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
    /// Whether the host of a trace can collect context, for events that come without a line of capabilities before them
    #[arg(long, value_name = "BOOL")]
    context_gc: Option<bool>,
    /// The authorised surface of packets, on which recovery pointers have to resolve: a file such as
    /// `{refs: [ci/run-7.log], prefixes: [out/, "artifact:"]}`; a prefix ends in / or :
    #[arg(long, value_name = "FILE")]
    surface: Option<PathBuf>,
    /// A trace that was cut, without trace.ended, is not valid
    #[arg(long)]
    complete: bool,
    /// How many violations of one document are written out; the others are counted
    #[arg(long, value_name = "N", default_value_t = 100)]
    max_violations: usize,
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
    let file = file_name(path);
    read_each(path, None, &mut |read: Read1| {
        found.push(read);
        Ok(())
    })
    .map_err(|error| Failure::usage(format!("{file}: {error}")))?;
    match (found.len(), found.pop()) {
        (1, Some(Read1 { document: Ok((value, _)), .. })) => Ok(value),
        (1, Some(Read1 { line, document: Err(message), .. })) => Err(Failure::usage(format!("{}: {message}", name_at(&file, line)))),
        (count, _) => Err(Failure::usage(format!("{file}: {count} documents; one is wanted"))),
    }
}

#[derive(Default)]
struct Tally {
    valid: usize,
    invalid: usize,
    unreadable: usize,
    /// Rules that could not be judged in some document, by the contract's name.
    not_judged: BTreeSet<(&'static str, String)>,
}

impl Tally {
    fn count(&mut self, kind: Kind, is_valid: bool, not_judged: &[String]) {
        *if is_valid { &mut self.valid } else { &mut self.invalid } += 1;
        self.not_judged.extend(not_judged.iter().map(|rule| (kind.contract(), rule.clone())));
    }
}

/// What the documents are held against, beside themselves.
struct Against {
    params: Option<Value>,
    profile: Option<RenderingProfile>,
    surface: Option<Surface>,
}

impl Against {
    fn read(args: &CheckArgs) -> Result<Self, Failure> {
        let profile = args.rendering.as_deref().map(rendering).transpose()?;
        let surface = match &args.surface {
            None => None,
            Some(path) => {
                let value = read_one(path)?;
                if let Some(other) = value.as_object().and_then(|it| it.keys().find(|key| !["refs", "prefixes"].contains(&key.as_str()))) {
                    // A misspelt list is no empty one: nothing would resolve, and nobody would know why.
                    return Err(Failure::usage(format!(
                        "--surface {}: {other:?} is unknown there; it has refs and prefixes",
                        path.display()
                    )));
                }
                Some(Surface::read(&value).map_err(|fault| Failure::usage(format!("--surface {}: {fault}", path.display())))?)
            }
        };
        let Some(path) = &args.registry else { return Ok(Self { params: None, profile, surface }) };
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
        Ok(Self { params: Some(params), profile, surface })
    }

    fn judge(&self, kind: Kind, value: Value) -> Result<Verdict, String> {
        match kind {
            Kind::Evidence => {
                let exchange = Exchange {
                    operation: Operation::ActivationEvidence,
                    params: self.params.as_ref(),
                    answer: &Answer::Result(value),
                    profile: self.profile.as_ref(),
                    companion: None,
                };
                Ok(RulePack::activation().judge(&exchange))
            }
            Kind::Receipt => Ok(RulePack::receipt().judge_receipt(&value)),
            Kind::Trace => RulePack::trace().judge_trace(&value),
            Kind::Packet => Ok(RulePack::packet().judge_packet(&value, self.surface.as_ref())),
        }
    }
}

pub(super) fn main(args: &CheckArgs) -> Result<Exit, Failure> {
    let against = Against::read(args)?;
    let mut writer = Writer::new(args);
    let mut tally = Tally::default();
    for path in &args.files {
        let file = file_name(path);
        let mut stream = TraceStream::new(args, &file);
        let read =
            read_each(path, args.form, &mut |read: Read1| check_one(args, &against, &file, read, &mut stream, &mut tally, &mut writer));
        stream.end(&mut tally, &mut writer)?;
        if let Err(error) = read {
            tally.unreadable += 1;
            writer.unreadable(&file, &error.to_string())?;
        }
    }
    writer.sum(&tally)?;
    Ok(match tally {
        Tally { unreadable: 1.., .. } => Exit::Usage,
        Tally { invalid: 1.., .. } => Exit::NotConformant,
        // Nothing that was checked is no proof of anything.
        Tally { valid: 0, .. } => Exit::Usage,
        _ => Exit::Conformant,
    })
}

fn check_one(
    args: &CheckArgs,
    against: &Against,
    file: &str,
    read: Read1,
    stream: &mut TraceStream,
    tally: &mut Tally,
    writer: &mut Writer<'_>,
) -> io::Result<()> {
    if stream.takes(&read) {
        return stream.take(read, tally, writer);
    }
    let name = read.name(file);
    if let Some(text) = read.text.as_ref().filter(|(form, _)| is_packet(args, *form, &read.document)) {
        return check_packet(against, &name, text, tally, writer);
    }
    let judged = read.document.and_then(|(value, document)| {
        let kind = Kind::of(args.contract.as_deref(), &value)?;
        against.judge(kind, value).map(|verdict| (kind, verdict, document))
    });
    match judged {
        Err(message) => {
            tally.unreadable += 1;
            writer.unreadable(&name, &message)
        }
        Ok((kind, verdict, document)) => {
            tally.count(kind, verdict.valid, &verdict.not_judged);
            writer.verdict(&name, &verdict, &|path| document.as_ref().map(|document| document.place(path)))
        }
    }
}

/// Whether a whole file is to be read as a packet is: strictly, and with its own words about what can't be read.
fn is_packet(args: &CheckArgs, form: DocumentForm, document: &Result<(Value, Option<Document>), String>) -> bool {
    let named = Kind::named(args.contract.as_deref());
    let is_like_one = || document.as_ref().is_ok_and(|(value, _)| Kind::of(None, value) == Ok(Kind::Packet));
    named == Some(Kind::Packet) || (named.is_none() && (form == DocumentForm::Markdown || is_like_one()))
}

fn check_packet(
    against: &Against,
    name: &str,
    text: &(DocumentForm, String),
    tally: &mut Tally,
    writer: &mut Writer<'_>,
) -> io::Result<()> {
    let media_type = match text.0 {
        DocumentForm::Markdown => MediaType::Markdown,
        DocumentForm::Yaml => MediaType::Yaml,
        DocumentForm::Json | DocumentForm::Jsonl => MediaType::Json,
    };
    let (verdict, read) = RulePack::packet().judge_packet_text(&text.1, media_type, against.surface.as_ref());
    tally.count(Kind::Packet, verdict.valid, &verdict.not_judged);
    writer.verdict(name, &verdict, &|path| read.as_ref().and_then(|read| read.place(path)))
}
