//! `proofmark show`.

use std::io::Write;

use clap::Args;
use proofmark::case::{Case, Step, Suite};
use serde_json::json;

use super::{Failure, Format, OutputArgs, SuiteArgs, load_suite, write_json};
use crate::exit::Exit;
use crate::filter::nearest_id;
use crate::printable::{printable, shortened};
use crate::report::rerun_command;
use crate::run::RunSettings;

/// Arguments of `show`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  proofmark show activation.budget.tail-is-cut-exactly")]
pub(super) struct ShowArgs {
    /// The case
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    suite: SuiteArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn main(args: &ShowArgs) -> Result<Exit, Failure> {
    let suite = load_suite(&args.suite, None)?;
    let Some(case) = suite.case(&args.id) else {
        let below = suite.cases().iter().filter(|case| case.id.starts_with(&format!("{}.", args.id))).count();
        if below > 0 {
            let message = format!("{:?} is the beginning of {below} ids; `proofmark list {}` shows them", args.id, args.id);
            return Err(Failure::usage(message));
        }
        let near = nearest_id(&args.id, &suite);
        let hint = near.map_or_else(|| "`proofmark list` shows every id".to_owned(), |id| format!("did you mean {id}?"));
        return Err(Failure::usage(format!("there is no case {:?}; {hint}", args.id)));
    };
    let text = case_text(&suite, case);
    let requirement = suite.requirement(&case.clause);
    let mut out = args.output.stdout();
    match args.output.format {
        Format::Json => {
            let steps: Vec<_> =
                case.steps.iter().map(|step| json!({"name": step.name, "operation": step.operation_name(), "given": step.given})).collect();
            let value = json!({
                "id": case.id, "title": case.title, "level": case.level, "basis": case.basis, "since": case.since,
                "clause": {"id": case.clause, "text": requirement.map(|it| &it.text), "section": requirement.map(|it| &it.section)},
                "rationale": case.rationale, "catches": case.catches, "profile": case.profile, "without": case.without,
                "steps": steps, "file": case.file, "line": case.place.line, "yaml": text,
            });
            write_json(&mut out, &value)?;
        }
        Format::Text => {
            writeln!(out, "{}\n  {}", case.id, printable(&case.title, false))?;
            writeln!(out, "  {}, basis {}, since {}", case.level, case.basis.as_str(), case.since)?;
            if let Some(requirement) = requirement {
                writeln!(out, "  {} ({}): {}", case.clause, printable(&requirement.section, false), printable(&requirement.text, false))?;
            }
            if let Some(rationale) = &case.rationale {
                writeln!(out, "  why: {}", printable(rationale, true))?;
            }
            for name in &case.catches {
                let fault = suite.wrong_hosts.get(name).map_or("", String::as_str);
                writeln!(out, "  catches {name}: {}", printable(fault, false))?;
            }
            writeln!(out, "  at {}:{}\n\n{}", case.file, case.place.line, printable(&text, true))?;
            if has_alias(&text) {
                writeln!(out, "\nwhat its aliases stand for:")?;
                for step in &case.steps {
                    given_lines(&mut out, step)?;
                }
            }
            writeln!(out, "\nrun it: {}", rerun_command(&case.id, &args.suite.flags(), &RunSettings::new(&suite, 1)))?;
        }
    }
    out.flush()?;
    Ok(Exit::Conformant)
}

/// Whether a case's text leans on what stands elsewhere in its file.
fn has_alias(text: &str) -> bool {
    let begins_one = |(at, _): (usize, &str)| {
        let before = text[..at].chars().next_back().is_none_or(|c| c.is_whitespace() || "[{,".contains(c));
        before && text[at + 1..].starts_with(|c: char| c.is_alphanumeric())
    };
    text.match_indices('*').any(begins_one)
}

/// What a step gives, key by key; a sequence with an item a line.
fn given_lines(out: &mut dyn Write, step: &Step) -> std::io::Result<()> {
    const MAX_ITEMS: usize = 40;
    let name = step.name.as_ref().map_or_else(String::new, |name| format!(" ({name})"));
    writeln!(out, "  {}{name}", step.operation_name())?;
    for (key, value) in step.given.as_object().into_iter().flatten() {
        // A sequence may stand below a helper that numbers it.
        let items = value.as_array().or_else(|| value.get("$numbered")?.as_array());
        match items {
            Some(items) if !items.is_empty() => {
                writeln!(out, "    {}:", printable(key, false))?;
                for item in items.iter().take(MAX_ITEMS) {
                    writeln!(out, "      {}", shortened(&item.to_string(), false))?;
                }
                if items.len() > MAX_ITEMS {
                    writeln!(out, "      … and {} more (--format json)", items.len() - MAX_ITEMS)?;
                }
            }
            _ => writeln!(out, "    {}: {}", printable(key, false), shortened(&value.to_string(), false))?,
        }
    }
    Ok(())
}

/// The case as its author wrote it.
fn case_text(suite: &Suite, case: &Case) -> String {
    let bytes = suite.files().get(&case.file).unwrap_or_default();
    let text = String::from_utf8_lossy(bytes);
    let from = case.place.line.saturating_sub(1);
    let count = case.next_line().map_or(usize::MAX, |next| next.saturating_sub(1).saturating_sub(from));
    let lines: Vec<&str> = text.lines().skip(from).take(count).collect();
    // Comments above the next case belong to that one.
    let kept = lines.iter().rposition(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#')).map_or(0, |at| at + 1);
    lines[..kept].join("\n")
}
