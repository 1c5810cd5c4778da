//! `proofmark certify`.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use proofmark::case::{Case, Profile, RequirementSet};
use proofmark::{digest, embedded};

use super::adapter_args::AdapterArgs;
use super::drive::{JournalPlan, Target};
use super::report_file::{ReportFile, ReportForm, report_file};
use super::run::profile_settings;
use super::url_args::UrlArgs;
use super::{Failure, OutputArgs, SuiteArgs, distinct, load_suite, read_journal, shipped_profile};
use crate::certificate::{Conditions, GENERATED_PER_OPERATION, issue, seed_of};
use crate::exit::Exit;
use crate::run::{Generated, Plan, RunSettings, Summary, generated_files, nonce, with_generated};

const EXAMPLES: &str = "\
Examples:
  proofmark certify --profile evidence-producer -- ./my-adapter
  proofmark certify --profile lifecycle-host --out lifecycle.json --subject target/release/host -- ./my-adapter
  proofmark verify certificate.json

The whole profile is run in a random order, with freshly generated cases among the published ones. Only where every must of the
requirement set was judged and passed is a certificate written, with the journal of the run beside it (certificate.jsonl).
`proofmark profiles` lists the profiles.";

/// Arguments of `certify`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CertifyArgs {
    /// The adapter's command, after `--`; without one the reference is certified
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
    /// What it is to be certified as
    #[arg(long, value_name = "NAME")]
    profile: String,
    /// The certificate; nothing stands there where none was earned, and an earlier one moves aside
    #[arg(short, long, value_name = "FILE", default_value = "certificate.json")]
    out: PathBuf,
    /// The journal of the run [default: the certificate's name, with .jsonl]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// A file that the certificate is to name with its digest, such as the host's program; may be given several times
    #[arg(long, value_name = "FILE")]
    subject: Vec<PathBuf>,
    #[arg(long, hide = true)]
    baseline: Option<PathBuf>,
    /// The nonce that whoever asked for the certificate gave out, instead of a fresh one
    #[arg(long, value_name = "TEXT", value_parser = nonce_text)]
    nonce: Option<String>,
    /// Write the generated case files below a folder, to look at
    #[arg(long, value_name = "DIR")]
    keep_generated: Option<PathBuf>,
    /// The rendering profile that the reference declares (only without a command)
    #[arg(long, value_name = "NAME", default_value = "page-1", conflicts_with_all = ["command", "url"])]
    rendering: String,
    #[command(flatten)]
    url: UrlArgs,
    #[command(flatten)]
    adapter: AdapterArgs,
    /// Write the run to a file too: text=FILE, json=FILE, junit=FILE or markdown=FILE; may be given several times
    #[arg(long, value_name = "FORM=FILE", value_parser = report_file)]
    report: Vec<ReportFile>,
    #[command(flatten)]
    suite: SuiteArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Reads a nonce.
pub(super) fn nonce_text(text: &str) -> Result<String, String> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    if is_plain && (8..=128).contains(&text.len()) {
        Ok(text.to_owned())
    } else {
        Err("a nonce has 8 to 128 letters, digits, or -_.".to_owned())
    }
}

pub(super) fn main(args: &CertifyArgs) -> Result<Exit, Failure> {
    args.report.iter().try_for_each(ReportFile::empty)?;
    let journal = args.journal.clone().unwrap_or_else(|| args.out.with_extension("jsonl"));
    distinct(
        [args.out.as_path(), &journal]
            .into_iter()
            .chain(args.report.iter().map(ReportFile::path))
            .chain(args.subject.iter().map(PathBuf::as_path)),
    )?;
    let subjects = args.subject.iter().map(|path| subject(path)).collect::<Result<Vec<_>, _>>()?;
    let profile = Profile::shipped().get(&args.profile).ok_or_else(|| {
        let names: Vec<&str> = Profile::shipped().keys().map(String::as_str).collect();
        Failure::usage(format!("--profile {}: there is no such profile; there are {}", args.profile, names.join(", ")))
    })?;
    if args.baseline.is_some() {
        return Err(Failure::usage("a certificate takes no list of known failures: `proofmark run --baseline` does"));
    }
    // An older certificate must not stand for a run that earned none, and must not be lost either.
    let mut set_aside = Vec::new();
    for path in [&args.out, &journal] {
        if path.symlink_metadata().is_ok_and(|data| !data.is_file()) {
            return Err(Failure::usage(format!("{}: it is no regular file; a certificate and its journal need one", path.display())));
        }
        let old = old(path);
        match std::fs::rename(path, &old) {
            Ok(()) => set_aside.push(old.display().to_string()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(Failure::usage(format!("{}: {error}", path.display()))),
        }
    }
    if args.command.is_empty() && std::env::args_os().any(|word| word == "--") {
        return Err(Failure::usage("there is no command behind `--`; without the dashes the reference is certified"));
    }
    let target = if let Some(options) = args.url.over_protocol(&args.adapter)? {
        Target::Adapter(options)
    } else if args.command.is_empty() {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Target::Reference { rendering: shipped_profile(&args.rendering)?, threads }
    } else {
        Target::Adapter(args.adapter.over_protocol(&args.command))
    };
    let suite = load_suite(&args.suite, None)?;
    let nonce = args.nonce.clone().unwrap_or_else(nonce);
    let seed = seed_of(&nonce);
    let declaration = target.declaration(&suite, &nonce)?;
    let extended = with_generated(&suite, profile, &declaration, seed, GENERATED_PER_OPERATION).map_err(|fault| Failure {
        exit: Exit::SuiteInvalid,
        message: format!("a generated case is wrong (please report this): {fault}"),
    })?;
    if let Some(folder) = &args.keep_generated {
        for (name, bytes) in generated_files(profile, &declaration, seed, GENERATED_PER_OPERATION) {
            let path = folder.join(name);
            let written = std::fs::create_dir_all(path.parent().unwrap_or(folder)).and_then(|()| std::fs::write(&path, bytes));
            written.map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
        }
    }
    let mut cases: Vec<&Case> = extended.cases().iter().filter(|case| profile.covers(case)).collect();
    cases.sort_by(|a, b| (&a.file, a.place.line).cmp(&(&b.file, b.place.line)));
    let plan = Plan { shuffle: Some(seed), ..Plan::new(&cases) };
    let settings = RunSettings {
        profile: Some(profile_settings(&args.profile, &suite, &plan)?),
        command: args.command.iter().map(|part| part.to_string_lossy().into_owned()).collect(),
        url: args.url.url.clone(),
        flags: [args.suite.flags(), args.url.flags(), args.adapter.flags()].concat(),
        seed,
        subjects,
        shuffled: true,
        generated: Some(Generated { per_operation: GENERATED_PER_OPERATION }),
        nonce,
        ..RunSettings::new(&suite, plan.cases.len())
    };
    let place = JournalPlan { path: journal.clone(), resumed: None };
    let report = target.run(&extended, plan, settings, Some(&place), Some(declaration))?;

    let mut out = args.output.stdout();
    ReportForm::Text.write(&mut out, &report, &extended, false)?;
    args.report.iter().try_for_each(|file| file.write(&report, &extended))?;
    // What is certified is what stands on the disk.
    let set = RequirementSet::shipped(&suite.version).map_err(Failure::usage)?;
    let conditions = Conditions { suite: &suite, set: &set, profiles_digest: profiles_digest() };
    let written = read_journal(&journal)?;
    let issued = if Some(&written.digest) == report.journal_digest.as_ref() {
        issue(&written, &conditions)
    } else {
        Err("the journal is not the one that this run wrote: something else wrote there".to_owned())
    };
    let exit = match issued {
        Ok(statement) => {
            std::fs::write(&args.out, statement.text()).map_err(|error| Failure::usage(format!("{}: {error}", args.out.display())))?;
            writeln!(out, "certificate: {}, with the journal {}", args.out.display(), journal.display())?;
            writeln!(out, "check it with: proofmark verify {}", args.out.display())?;
            Exit::Conformant
        }
        Err(why) => {
            writeln!(out, "no certificate: {why}")?;
            if !set_aside.is_empty() {
                writeln!(out, "what stood there before is in {}", set_aside.join(" and "))?;
            }
            let exit = Summary::of(&report).exit(report.settings.fail_on, report.settings.allow_partial);
            if exit == Exit::Conformant { Exit::NotConformant } else { exit }
        }
    };
    out.flush()?;
    Ok(exit)
}

/// Where an earlier file goes: `certificate.json` to `certificate.old.json`.
fn old(path: &Path) -> PathBuf {
    let extension = path.extension().map_or_else(String::new, |extension| format!(".{}", extension.to_string_lossy()));
    path.with_extension(format!("old{extension}"))
}

/// A file's name and digest.
fn subject(path: &Path) -> Result<(String, String), Failure> {
    let bytes = std::fs::read(path).map_err(|error| Failure::usage(format!("--subject {}: {error}", path.display())))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok((name, digest::of_bytes(&bytes)))
}

/// The digest of the profiles of this version.
pub(super) fn profiles_digest() -> String {
    digest::of_bytes(embedded::file("schemas/profiles.yaml").unwrap_or_default())
}
