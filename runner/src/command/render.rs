//! `proofmark render`.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use proofmark::contract::packet::{self, DEPTHS, MediaType};
use proofmark::policy::masked;
use proofmark::reference;
use serde_json::Value;

use super::documents::{DocumentForm, Read1, file_name, read_each};
use super::{Failure, Format, OutputArgs, write_json};
use crate::exit::Exit;
use crate::printable::{printable, printable_json};

const EXAMPLES: &str = "\
Examples:
  proofmark render packet.yaml                     what matters for the next decision
  proofmark render packet.md --depth engineer
  proofmark render packet.yaml --depth engineer --format json
  proofmark render packet.yaml --project           the read-only projection
  proofmark render packet.md --to yaml             the whole packet, in another form

A view hides no failed outcome and no escalation, and makes nothing up: what the packet lacks of a depth is named. A packet that is not
valid is rendered all the same; `proofmark check` says what is wrong with it.

Exit status: 0 it was rendered, 2 it can't be read";

/// Arguments of `render`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct RenderArgs {
    /// A packet, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// How deep to look
    #[arg(long, value_name = "DEPTH", default_value = "guided", value_parser = DEPTHS)]
    depth: String,
    /// Project it instead: every known field that is there, and the names of those that are not
    #[arg(long, conflicts_with = "depth")]
    project: bool,
    /// Write the whole packet in another form instead
    #[arg(long, value_name = "FORM", value_parser = ["json", "yaml", "markdown"], conflicts_with_all = ["depth", "project"])]
    to: Option<String>,
    /// The packet's form, where the file's ending does not say it
    #[arg(long, value_enum, value_name = "FORM")]
    form: Option<DocumentForm>,
    #[command(flatten)]
    output: OutputArgs,
}

fn packet(args: &RenderArgs) -> Result<Value, Failure> {
    let name = file_name(&args.file);
    let mut texts = Vec::new();
    let read = read_each(&args.file, args.form, &mut |read: Read1| {
        texts.push(read.text);
        Ok(())
    });
    read.map_err(|error| Failure::usage(format!("{name}: {}", masked(&error.to_string()))))?;
    let (1, Some(Some((form, text)))) = (texts.len(), texts.pop()) else {
        return Err(Failure::usage(format!("{name}: one packet is wanted")));
    };
    let media_type = match form {
        DocumentForm::Markdown => MediaType::Markdown,
        DocumentForm::Yaml => MediaType::Yaml,
        DocumentForm::Json | DocumentForm::Jsonl => MediaType::Json,
    };
    packet::read(&text, media_type)
        .map(|read| read.packet)
        .map_err(|error| Failure::usage(format!("{name}: {}", masked(&error.to_string()))))
}

pub(super) fn main(args: &RenderArgs) -> Result<Exit, Failure> {
    let packet = packet(args)?;
    let refused = |category: proofmark::contract::refusal::Category| Failure::usage(format!("refused: {}", category.as_str()));
    let mut out = args.output.stdout();
    match args.to.as_deref() {
        Some("json") => write_json(&mut out, &packet)?,
        Some("yaml") => write!(out, "{}", printable(&packet::to_yaml(&packet), true))?,
        Some(_) => write!(out, "{}", printable(&packet::to_markdown(&packet), true))?,
        None if args.project => {
            let projection = reference::project(&packet).map_err(refused)?;
            writeln!(out, "{}", printable_json(&serde_json::to_string_pretty(&projection).map_err(std::io::Error::from)?))?;
        }
        None => {
            let (view, text) = reference::render(&packet, &Value::from(args.depth.as_str())).map_err(refused)?;
            match args.output.format {
                Format::Json => write_json(&mut out, &view)?,
                Format::Text => write!(out, "{}", printable(&text, true))?,
            }
        }
    }
    out.flush()?;
    Ok(Exit::Conformant)
}
