//! `proofmark verify`.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use proofmark::case::{Case, Profile, RequirementSet};
use proofmark::digest;
use proofmark::judge::{CaseResult, Outcome};
use proofmark::verdict::Level;

use super::adapter_args::AdapterArgs;
use super::certify::profiles_digest;
use super::drive::Target;
use super::url_args::UrlArgs;
use super::{Failure, Format, OutputArgs, SuiteArgs, load_suite, write_json};
use crate::baseline::fingerprint;
use crate::certificate::{Conditions, Doubt, GENERATED_PER_OPERATION, Statement, open, verify};
use crate::exit::Exit;
use crate::journal::Journal;
use crate::printable::shortened;
use crate::run::{Plan, ProfileResult, Summary, with_generated};

const EXAMPLES: &str = "\
Examples:
  proofmark verify certificate.json                       its journal is certificate.jsonl
  proofmark verify certificate.json --journal run.jsonl
  proofmark verify certificate.json --suite . --schemas schemas     a checkout, instead of what is built in
  proofmark verify certificate.json --subject target/release/host   the file is one that the certificate names
  proofmark verify certificate.json --replay -- ./my-adapter        ask everything again, in the same order

Every digest is checked, and the certificate is made again from the journal and compared. Nothing is fetched.
Exit status: 0 where it holds, 1 where it does not.";

/// The largest certificate that is read.
const MAX_CERTIFICATE_BYTES: u64 = 16 * 1024 * 1024;

/// Arguments of `verify`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct VerifyArgs {
    /// The certificate
    #[arg(value_name = "CERTIFICATE")]
    certificate: PathBuf,
    /// The adapter's command for --replay, after `--`
    #[arg(last = true, value_name = "COMMAND", requires = "replay")]
    command: Vec<OsString>,
    /// The journal of its run [default: the certificate's name, with .jsonl]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// A folder with profiles.yaml and requirement-sets, instead of what is built in
    #[arg(long, value_name = "DIR")]
    schemas: Option<PathBuf>,
    /// A file that has to be one of the certificate's subjects
    #[arg(long, value_name = "FILE")]
    subject: Vec<PathBuf>,
    /// The nonce that was given out for it
    #[arg(long, value_name = "TEXT")]
    nonce: Option<String>,
    /// Run everything again with the certificate's seed, and compare the outcomes
    #[arg(long)]
    replay: bool,
    #[command(flatten)]
    url: UrlArgs,
    #[command(flatten)]
    adapter: AdapterArgs,
    #[command(flatten)]
    suite: SuiteArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn main(args: &VerifyArgs) -> Result<Exit, Failure> {
    let target = if args.replay { Some(target(args)?) } else { None };
    let read = |path: &PathBuf| std::fs::read(path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())));
    let length =
        std::fs::metadata(&args.certificate).map_err(|error| Failure::usage(format!("{}: {error}", args.certificate.display())))?;
    if !length.is_file() || length.len() > MAX_CERTIFICATE_BYTES {
        return Err(Failure::usage(format!("{}: a certificate is a file of at most 16 MiB", args.certificate.display())));
    }
    let Ok(text) = String::from_utf8(read(&args.certificate)?) else {
        return doubted(args, &[Doubt::NotACertificate("it is not UTF-8".to_owned()).to_string()]);
    };
    let journal = args.journal.clone().unwrap_or_else(|| args.certificate.with_extension("jsonl"));
    if !journal.exists() {
        return Err(Failure::usage(format!(
            "{}: there is no such file; the journal of the run belongs to the certificate, and --journal names it where it is elsewhere",
            journal.display()
        )));
    }
    let opened = open(&text, &journal);
    let (statement, journal) = match opened {
        Ok(opened) => opened,
        Err(doubt) => return doubted(args, &[doubt.to_string()]),
    };
    let suite = load_suite(&args.suite, None)?;
    let (profiles_digest, set) = match &args.schemas {
        Some(folder) => {
            let path = folder.join("requirement-sets").join(format!("{}.yaml", suite.version));
            let set = RequirementSet::read(&read(&path)?).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
            (digest::of_bytes(&read(&folder.join("profiles.yaml"))?), set)
        }
        None => (profiles_digest(), RequirementSet::shipped(&suite.version).map_err(Failure::usage)?),
    };
    let conditions = Conditions { suite: &suite, set: &set, profiles_digest };
    let mut doubts = Vec::new();
    match verify(&statement, &journal, &conditions) {
        Err(doubt) => doubts.push(doubt.to_string()),
        Ok(()) => {
            if args.nonce.as_ref().is_some_and(|nonce| *nonce != statement.predicate.proofmark.nonce) {
                doubts.push(format!("its nonce is {}, and another was given out", statement.predicate.proofmark.nonce));
            }
            for path in &args.subject {
                let digest = digest::of_bytes(&read(path)?);
                if !statement.subject.iter().any(|subject| digest == format!("sha256:{}", subject.digest.sha256)) {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    let is_named = statement.subject.iter().skip(1).any(|subject| subject.name == name);
                    let why = if is_named {
                        "is named in the certificate with another digest: it was changed"
                    } else {
                        "is none of the certificate's subjects"
                    };
                    doubts.push(format!("{} {why}", path.display()));
                }
            }
            if let Some(target) = target.filter(|_| doubts.is_empty()) {
                doubts = replay(&target, &conditions, &journal)?;
            }
            if doubts.is_empty() {
                holds(args, &statement)?;
                return Ok(Exit::Conformant);
            }
        }
    }
    doubted(args, &doubts)
}

fn doubted(args: &VerifyArgs, doubts: &[String]) -> Result<Exit, Failure> {
    let mut out = args.output.stdout();
    match args.output.format {
        Format::Json => write_json(&mut out, &serde_json::json!({"holds": false, "doubts": doubts}))?,
        Format::Text => {
            for doubt in doubts {
                writeln!(out, "{}: {}", args.certificate.display(), shortened(doubt, true))?;
            }
        }
    }
    out.flush()?;
    Ok(Exit::NotConformant)
}

fn holds(args: &VerifyArgs, statement: &Statement) -> Result<(), Failure> {
    let mut out = args.output.stdout();
    let said = &statement.predicate.proofmark;
    match args.output.format {
        Format::Json => {
            write_json(&mut out, &serde_json::json!({"holds": true, "doubts": [], "replayed": args.replay, "certificate": statement}))?;
        }
        Format::Text => {
            let name = statement.subject.first().map_or("", |subject| subject.name.as_str());
            writeln!(out, "{}: holds", args.certificate.display())?;
            writeln!(out, "  {} as {}, {}", shortened(name, false), shortened(&said.profile, false), shortened(&said.started, false))?;
            let counts = &said.counts;
            writeln!(
                out,
                "  {} cases in requirement set {}: {} claimed, {} run, {} judged; {} generated cases",
                counts.in_set, counts.requirement_set, counts.claimed, counts.run, counts.judged, said.generated
            )?;
            writeln!(out, "  nonce {}", shortened(&said.nonce, false))?;
            let beside = said.levels.get(&Level::Must).map_or(0, |count| count.of(Outcome::NotApplicable));
            if beside > 0 {
                writeln!(out, "  {beside} must cases say nothing under the layout that it declared")?;
            }
            if args.replay {
                writeln!(out, "  replayed with seed {}: every outcome is the same", said.seed)?;
            }
            for sentence in &said.scope {
                writeln!(out, "  {}", shortened(sentence, false))?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

/// Who is asked again.
fn target(args: &VerifyArgs) -> Result<Target, Failure> {
    match args.url.over_protocol(&args.adapter)? {
        Some(options) => Ok(Target::Adapter(options)),
        None if args.command.is_empty() => Err(Failure::usage("--replay asks an adapter again: give its command behind `--`, or --url")),
        None => Ok(Target::Adapter(args.adapter.over_protocol(&args.command))),
    }
}

/// Makes the run again; what came out otherwise.
fn replay(target: &Target, conditions: &Conditions<'_>, journal: &Journal) -> Result<Vec<String>, Failure> {
    let settings = journal.settings.clone();
    let (Some(declaration), Some(profile)) =
        (&journal.declaration, settings.profile.as_ref().and_then(|profile| Profile::shipped().get(&profile.name)))
    else {
        return Ok(vec!["the run can't be made again: its profile is unknown".to_owned()]);
    };
    let extended = with_generated(conditions.suite, profile, declaration, settings.seed, GENERATED_PER_OPERATION)
        .map_err(|fault| Failure { exit: Exit::SuiteInvalid, message: fault.to_string() })?;
    let mut cases: Vec<&Case> = extended.cases().iter().filter(|case| profile.covers(case)).collect();
    cases.sort_by(|a, b| (&a.file, a.place.line).cmp(&(&b.file, b.place.line)));
    let plan = Plan { shuffle: Some(settings.seed), ..Plan::new(&cases) };
    let report = target.run(&extended, plan, settings, None, Some(declaration.clone()))?;
    let mut doubts: Vec<String> = report.faults.iter().map(|fault| format!("replay: {fault}")).collect();
    let then = journal.results();
    let said = |result: &CaseResult| match (result.failed_level(), fingerprint(result, None)) {
        (Some(level), Some(fingerprint)) => format!("failed at {level} ({fingerprint})"),
        _ => result.outcome.to_string(),
    };
    for (before, now) in then.iter().zip(&report.results).filter(|(before, now)| said(before) != said(now)) {
        doubts.push(format!("replay: {} was {} and is {}", before.id, said(before), said(now)));
    }
    let summary = Summary::of(&report);
    if doubts.is_empty() && summary.profile.as_ref().and_then(|profile| profile.result) != Some(ProfileResult::Success) {
        doubts.push(format!("replay: {}{}", summary.verdict(Level::Must).head, summary.verdict(Level::Must).rest));
    }
    if let (false, Some(declared)) = (doubts.is_empty(), Some(&journal.settings.flags).filter(|flags| !flags.is_empty())) {
        doubts.push(format!("replay: the run itself was made with {}", declared.join(" ")));
    }
    if then.len() != report.results.len() {
        doubts.push(format!("replay: {} of {} cases came to a result", report.results.len(), then.len()));
    }
    Ok(doubts)
}
