//! Joining the shards of one run.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use super::{Journal, JournalWriter};
use crate::run::{RunSettings, Shard};

/// Why journals are not the shards of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeError(pub String);

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for MergeError {}

/// Writes the journal of the whole run that some shards are, each with its name for messages.
///
/// # Errors
/// Where a shard is missing, doubled, unfinished or of another run, and where the file can't be written.
pub fn merge(shards: &[(String, Journal)], out: &Path) -> Result<Journal, MergeError> {
    let refuse = |message: String| Err(MergeError(message));
    let Some((first_name, first)) = shards.first() else { return refuse("there is nothing to merge".to_owned()) };
    let Some(Shard { of, .. }) = first.settings.shard else {
        return refuse(format!("{first_name}: it is no shard (run --shard INDEX/COUNT)"));
    };
    let mut by_index: Vec<Option<&(String, Journal)>> = vec![None; of as usize];
    for named in shards {
        let (name, journal) = named;
        journal.complete().map_err(|why| MergeError(format!("{name}: {why}")))?;
        let Some(shard) = journal.settings.shard else { return refuse(format!("{name}: it is no shard (run --shard INDEX/COUNT)")) };
        if shard.of != of {
            return refuse(format!("{name}: it is one of {} shards, and {first_name} is one of {of}", shard.of));
        }
        if let Some(difference) = difference(&first.settings, &journal.settings) {
            return refuse(format!("{name}: it is a shard of another run than {first_name}: {difference} differs"));
        }
        if journal.declaration != first.declaration {
            return refuse(format!("{name}: the adapter declared something else than in {first_name}"));
        }
        if let Some(stranger) = journal.cases.iter().find(|finished| !shard.has(&finished.result.id)) {
            return refuse(format!("{name}: case {} does not belong to shard {shard}", stranger.result.id));
        }
        let place = &mut by_index[shard.index as usize - 1];
        if let Some((other, _)) = place {
            return refuse(format!("shard {shard} is there twice: {other} and {name}"));
        }
        *place = Some(named);
    }
    let missing: Vec<String> =
        (1..=of).filter(|index| by_index[*index as usize - 1].is_none()).map(|index| format!("{index}/{of}")).collect();
    if !missing.is_empty() {
        return refuse(format!("missing: shard {}", missing.join(", ")));
    }
    let parts: Vec<&Journal> = by_index.into_iter().flatten().map(|(_, journal)| journal).collect();
    let selected = parts.iter().map(|part| part.settings.selected).sum();
    let settings = RunSettings { shard: None, selected, ..first.settings.clone() };
    let started = parts.iter().map(|part| part.started.clone()).min().unwrap_or_default();
    let failed = |error: std::io::Error| MergeError(format!("{}: {error}", out.display()));
    let mut writer = JournalWriter::create(out, &settings, started).map_err(failed)?;
    if let Some(declaration) = &first.declaration {
        writer.declared(declaration);
    }
    for part in &parts {
        part.results().iter().for_each(|result| writer.case(result, None));
        part.faults.iter().for_each(|fault| writer.fault(fault));
        writer.count_repeated(part.ended.as_ref().map_or(0, |ended| ended.repeated));
    }
    let elapsed = parts.iter().filter_map(|part| part.ended.as_ref()).map(|ended| ended.elapsed_ms).max().unwrap_or_default();
    writer.end(Duration::from_millis(elapsed)).map_err(failed)?;
    Journal::read(out).map_err(|error| MergeError(format!("{}: {error}", out.display())))
}

/// The first setting that differs between what should be two parts of one run.
pub(crate) fn difference(a: &RunSettings, b: &RunSettings) -> Option<&'static str> {
    let checks = [
        ("the version of proofmark", a.proofmark == b.proofmark),
        ("the suite", a.suite == b.suite && a.suite_cases == b.suite_cases),
        ("the selection of cases", a.patterns == b.patterns && a.contract == b.contract && a.rerun_of == b.rerun_of),
        ("the profile", a.profile == b.profile),
        ("the adapter's command", a.command == b.command),
        ("the host's URL (--url)", a.url == b.url),
        ("the seed (--seed)", a.seed == b.seed),
        ("the order (--shuffle)", a.shuffled == b.shuffled),
        ("whether the laws are run (--no-laws)", a.laws == b.laws),
        ("the generated cases", a.generated == b.generated),
        ("another option", a.flags == b.flags && a.fail_on == b.fail_on && a.allow_partial == b.allow_partial),
    ];
    checks.into_iter().find(|(_, same)| !same).map(|(name, _)| name)
}
