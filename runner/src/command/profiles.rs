//! `proofmark profiles`: what a host may be certified as.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use proofmark::case::{Profile, RequirementSet};
use serde_json::json;

use super::{Failure, Format, OutputArgs, SuiteArgs, load_suite, write_json};
use crate::exit::Exit;

const EXAMPLES: &str = "\
Examples:
  proofmark profiles
  proofmark run --profile lifecycle-host -- ./host
  proofmark certify --profile lifecycle-host -- ./host
  proofmark profiles --freeze schemas/requirement-sets     for who releases a suite";

/// Arguments of `profiles`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ProfilesArgs {
    /// Write the requirement set of the suite's version into a folder; one that is there is never changed
    #[arg(long, value_name = "DIR")]
    freeze: Option<PathBuf>,
    #[command(flatten)]
    suite: SuiteArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn main(args: &ProfilesArgs) -> Result<Exit, Failure> {
    let suite = load_suite(&args.suite, None)?;
    if let Some(folder) = &args.freeze {
        let text = RequirementSet::freeze(&suite).map_err(|message| Failure { exit: Exit::SuiteInvalid, message })?;
        let path = folder.join(format!("{}.yaml", suite.version));
        let failed = |error: std::io::Error| Failure::usage(format!("{}: {error}", path.display()));
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(&path).map_err(failed)?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
        writeln!(args.output.stdout(), "{}", path.display())?;
        return Ok(Exit::Conformant);
    }
    let set = RequirementSet::shipped(&suite.version);
    let mut out = args.output.stdout();
    let mut listed = Vec::new();
    for (name, profile) in Profile::shipped() {
        let cases = suite.cases().iter().filter(|case| profile.covers(case)).count();
        let in_set = set.as_ref().ok().and_then(|set| set.profiles.get(name)).map(|profile| profile.cases.len());
        match args.output.format {
            Format::Json => listed.push(json!({
                "name": name, "title": profile.title, "required": profile.required, "optional": profile.optional,
                "cases": cases, "in_set": in_set,
            })),
            Format::Text => {
                writeln!(out, "{name}: {}", profile.title)?;
                writeln!(out, "  required  {}", profile.required.join(", "))?;
                if !profile.optional.is_empty() {
                    writeln!(out, "  optional  {}", profile.optional.join(", "))?;
                }
                let counted = in_set.map_or_else(|| "no set was frozen".to_owned(), |count| format!("{count} in the requirement set"));
                writeln!(out, "  cases     {cases}, {counted}")?;
            }
        }
    }
    match (args.output.format, &set) {
        (Format::Json, _) => {
            let version = set.as_ref().ok().map(|set| &set.suite);
            write_json(&mut out, &json!({"suite": suite.version, "requirement_set": version, "profiles": listed}))?;
        }
        (Format::Text, Ok(set)) => writeln!(out, "suite {}, requirement set {} {}", suite.version, set.suite, set.digest)?,
        (Format::Text, Err(none)) => writeln!(out, "{none}")?,
    }
    out.flush()?;
    Ok(Exit::Conformant)
}
