//! `proofmark evidence`.

use std::io::Write;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use clap::Args;
use proofmark::adapter::{Answer, Implementation as _, Operation, Refusal};
use proofmark::contract::rendering::{BelowFloor, RenderingProfile};
use proofmark::reference::{self, Reference};
use serde_json::{Value, json};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::check::rendering;
use super::{Failure, Format, OutputArgs, write_json};
use crate::exit::Exit;
use crate::printable::{printable, printable_json};
use crate::skill_directory::{self, SkillDirectory};

const EXAMPLES: &str = "\
Examples:
  proofmark evidence .claude/skills --budget 2000
  proofmark evidence project=.claude/skills user=$HOME/.claude/skills
  proofmark evidence DIR --catalog
  proofmark evidence DIR --format json | proofmark check -

Several directories are merged as layers, in the order of the contract: bundled, cli, runtime, host, project, package, user.
Files that can't be read are named on stderr, and the rest is listed all the same: that is no failure.";

/// Arguments of `evidence`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct EvidenceArgs {
    /// Directories with SKILL.md files at any depth, each with its layer's label if there are several
    #[arg(required = true, value_name = "[LABEL=]DIR")]
    directories: Vec<String>,
    /// The catalog's budget, in the profile's unit
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..=9_007_199_254_740_991))]
    budget: u64,
    /// At most so many cards
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=9_007_199_254_740_991))]
    catalog_limit: Option<u64>,
    /// Ids whose body was loaded
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    loaded: Vec<String>,
    /// Ids whose body drove an action
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    used: Vec<String>,
    /// The rendering profile: a shipped one, or a file with one
    #[arg(long, value_name = "NAME|FILE", default_value = "page-1")]
    rendering: String,
    /// Print the catalog's text instead
    #[arg(long)]
    catalog: bool,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn main(args: &EvidenceArgs) -> Result<Exit, Failure> {
    let profile = rendering(&args.rendering)?;
    let registry = registry(args)?;
    let mut options = json!({"budget": args.budget, "loaded": args.loaded, "used": args.used});
    if let Some(limit) = args.catalog_limit {
        options["catalog_limit"] = json!(limit);
    }
    let refused = |category: proofmark::contract::refusal::Category| Failure::usage(format!("refused: {}", category.as_str()));
    let mut out = args.output.stdout();
    if args.catalog {
        let (text, shown) = reference::catalog(&registry, &options, &profile).map_err(refused)?;
        match args.output.format {
            Format::Json => writeln!(out, "{}", printable_json(&json!({"text": text, "shown": shown}).to_string()))?,
            Format::Text => writeln!(out, "{}", printable(&text, true))?,
        }
    } else {
        let evidence = reference::evidence(&registry, &options, &profile).map_err(refused)?;
        for id in args.loaded.iter().chain(&args.used).filter(|id| evidence.cards.iter().all(|card| card.id != id.as_str())) {
            writeln!(anstream::stderr(), "warning: no skill has the id {}", printable(id, false))?;
        }
        match args.output.format {
            Format::Json => {
                write_json(&mut out, &evidence)?;
            }
            Format::Text => {
                let value = serde_json::to_value(&evidence).map_err(|error| Failure::usage(error.to_string()))?;
                table(&mut out, &value, &profile)?;
                if args.budget < profile.floor() && profile.below_floor == BelowFloor::Raise {
                    writeln!(
                        out,
                        "the budget of {} is below the floor of this layout, and was raised to {}",
                        args.budget,
                        profile.floor()
                    )?;
                }
            }
        }
    }
    out.flush()?;
    Ok(Exit::Conformant)
}

/// Reads the directories, names on stderr what can't be read, and merges the layers where there are several.
fn registry(args: &EvidenceArgs) -> Result<Value, Failure> {
    let mut layers = Vec::new();
    for text in &args.directories {
        let (label, path) = match text.split_once('=') {
            Some((label, path)) if !label.is_empty() && !label.contains(['/', '.']) => (label, PathBuf::from(path)),
            _ => ("project", PathBuf::from(text)),
        };
        let directory =
            skill_directory::read(&path, Some(label)).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
        warn(&directory)?;
        if directory.skills.is_empty() {
            return Err(Failure::usage(format!("{}: no SKILL.md that can be read", path.display())));
        }
        layers.push((label, directory.registry()));
    }
    if let [(_, registry)] = layers.as_slice() {
        return Ok(registry.clone());
    }
    let layers: Vec<Value> = layers.iter().map(|(label, registry)| json!({"label": label, "skills": registry["skills"]})).collect();
    match Reference::default().call(Operation::RegistryMerge, &json!({"layers": layers})) {
        Answer::Result(merged) => Ok(merged["registry"].clone()),
        Answer::Refusal(Refusal { category, .. }) => Err(Failure::usage(format!(
            "the layers {} can't be merged ({category}); labels are bundled, cli, runtime, host, project, package, user",
            args.directories.join(", ")
        ))),
        _ => Err(Failure::usage("the layers can't be merged")),
    }
}

fn warn(directory: &SkillDirectory) -> std::io::Result<()> {
    let mut err = anstream::stderr();
    for file in &directory.unreadable {
        let path = file.path.display().to_string();
        let place = match (file.line, file.column) {
            (Some(line), Some(column)) => format!(":{line}:{column}"),
            (Some(line), None) => format!(":{line}"),
            _ => String::new(),
        };
        writeln!(err, "unreadable: {}{place}: {}", printable(&path, false), printable(&file.message, false))?;
    }
    for skill in &directory.skills {
        for warning in &skill.warnings {
            let path = skill.path.display().to_string();
            let (line, column) = (warning.line, warning.column);
            writeln!(err, "warning: {}:{line}:{column}: {}", printable(&path, false), printable(&warning.message, false))?;
        }
    }
    for (id, paths) in &directory.duplicates {
        let paths: Vec<String> = paths.iter().map(|path| printable(&path.display().to_string(), false).into_owned()).collect();
        writeln!(
            err,
            "warning: {} stands in {} files, of which the first counts: {}",
            printable(id, false),
            paths.len(),
            paths.join(", ")
        )?;
    }
    if !directory.unreadable.is_empty() {
        writeln!(err, "{} files could not be read, {} were", directory.unreadable.len(), directory.skills.len())?;
    }
    Ok(())
}

/// The evidence for people.
fn table(out: &mut dyn Write, evidence: &Value, profile: &RenderingProfile) -> std::io::Result<()> {
    let dim = Style::new().dimmed();
    let cards = evidence["cards"].as_array().map_or(&[][..], Vec::as_slice);
    let text = |card: &Value, key: &str| card[key].as_str().unwrap_or("").to_owned();
    let widest =
        |wanted: &dyn Fn(&Value) -> usize, least: usize, most: usize| cards.iter().map(wanted).max().unwrap_or(0).clamp(least, most);
    let id_width = widest(&|card| text(card, "id").width(), 2, 44);
    let state = |card: &Value| match card["omitted_reason"].as_str() {
        Some("disable_model_invocation") => "manual only".to_owned(),
        Some("catalog_limit") => "over the limit".to_owned(),
        Some(_) => "over budget".to_owned(),
        None => text(card, "lifecycle"),
    };
    let state_width = widest(&|card| state(card).width(), 5, 16);
    let screen: usize = std::env::var("COLUMNS").ok().and_then(|it| it.parse().ok()).filter(|it| (60..=400).contains(it)).unwrap_or(120);
    let left = screen.saturating_sub(id_width + state_width + 20).max(16);
    writeln!(out, "{dim}{:<state_width$}  {:<id_width$}  {:>6}  {:>6}  description{dim:#}", "state", "id", "chars", "tokens")?;
    for card in cards {
        let style = if card["selected"] == Value::Bool(true) { AnsiColor::Green.on_default() } else { dim };
        writeln!(
            out,
            "{style}{}{style:#}  {}  {:>6}  {:>6}  {}",
            padded(&state(card), state_width),
            padded(&text(card, "id"), id_width),
            card["char_estimate"].to_string(),
            card["token_estimate"].to_string(),
            cut(&text(card, "description"), left),
        )?;
    }
    let count = |key: &str| evidence[key].as_array().map_or(0, Vec::len);
    let unit = serde_json::to_value(profile.unit).unwrap_or_default();
    writeln!(
        out,
        "\n{} shown, {} omitted; {} of {} {} used ({} of {} tokens)",
        count("shown"),
        count("omitted"),
        evidence["used_chars"],
        evidence["budget_chars"],
        unit.as_str().unwrap_or_default(),
        evidence["used_tokens"],
        evidence["budget_tokens"],
    )
}

/// Text on one line of at most so many columns.
fn cut(text: &str, columns: usize) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = printable(&line, false);
    if line.width() <= columns {
        return line.into_owned();
    }
    let mut out = String::new();
    let mut width = 0;
    for c in line.chars() {
        let next = c.width().unwrap_or(0);
        if width + next > columns.saturating_sub(1) {
            break;
        }
        width += next;
        out.push(c);
    }
    out.push('…');
    out
}

fn padded(text: &str, columns: usize) -> String {
    let text = cut(text, columns);
    let fill = columns.saturating_sub(text.width());
    text + &" ".repeat(fill)
}
