//! `proofmark list`.

use std::io::Write as _;

use clap::Args;
use serde_json::json;

use super::{Failure, Format, OutputArgs, SuiteArgs, load_suite, write_json};
use crate::exit::Exit;
use crate::filter::Filter;
use crate::printable::printable;

/// Arguments of `list`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  proofmark list\n  proofmark list activation.load --format json")]
pub(super) struct ListArgs {
    /// Which cases, as for `run`
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// Only cases of this contract
    #[arg(long, value_name = "NAME")]
    contract: Option<String>,
    /// Only what a profile asks for
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    #[command(flatten)]
    suite: SuiteArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn main(args: &ListArgs) -> Result<Exit, Failure> {
    let suite = load_suite(&args.suite, None)?;
    let filter = Filter::of(&args.patterns, args.contract.clone(), args.profile.as_deref()).map_err(|error| Failure::usage(error.0))?;
    let cases = filter.select(&suite).map_err(|error| Failure::usage(error.0))?;
    let mut out = args.output.stdout();
    match args.output.format {
        Format::Json => {
            let rows: Vec<_> = cases
                .iter()
                .map(|case| {
                    let operations: Vec<&str> = case.steps.iter().map(|step| step.operation_name()).collect();
                    json!({
                        "id": case.id, "title": case.title, "level": case.level, "basis": case.basis, "clause": case.clause,
                        "contract": case.contract, "operations": operations, "since": case.since, "catches": case.catches,
                        "file": case.file, "line": case.place.line,
                    })
                })
                .collect();
            write_json(&mut out, &rows)?;
        }
        Format::Text => {
            let width = cases.iter().map(|case| case.id.len()).max().unwrap_or(0).min(70);
            for case in cases {
                writeln!(out, "{:<6}  {:<width$}  {}", case.level.as_str(), case.id, printable(&case.title, false))?;
            }
        }
    }
    out.flush()?;
    Ok(Exit::Conformant)
}
