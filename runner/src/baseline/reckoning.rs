//! A run held against its baseline: which failures are known, and which entries no longer say what is so.

use std::collections::BTreeMap;
use std::fmt;

use jiff::civil::Date;
use proofmark::adapter::LIFECYCLE_RUN;
use proofmark::case::Suite;
use proofmark::digest;
use proofmark::judge::{CaseResult, Finding, FindingSource, Outcome};
use serde::Serialize;

use super::entry::{Baseline, Entry};

/// The word for a case's own expectation, where a rule would be named.
const EXPECTATION: &str = "expectation";
/// What `proofmark baseline update` writes where somebody has to say why.
pub(super) const NO_REASON_YET: &str = "TODO";

/// What a baseline says of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reckoning {
    /// The baseline's file.
    pub file: String,
    /// Cases that fail as the baseline says, with its reason.
    pub known: BTreeMap<String, String>,
    /// Entries that no longer say what is so.
    pub stale: Vec<Stale>,
}

/// An entry that no longer says what is so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stale {
    /// Its line in the file.
    pub line: usize,
    /// The case that it names.
    pub case: String,
    /// What is wrong with it.
    pub kind: StaleKind,
    /// The fingerprint of the failure as it is now, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

/// In which way an entry is stale.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StaleKind {
    /// What it says fails has passed.
    UnexpectedPass,
    /// It fails in another way.
    OtherFailure,
    /// It has no fingerprint, so that any failure would do.
    NoFingerprint,
    /// Nobody has said yet why it fails.
    NoReason,
    /// Its day is over.
    Expired(String),
    /// The suite has no such case.
    NoSuchCase,
    /// The case was not judged.
    NotJudged(String),
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let case = &self.case;
        match &self.kind {
            StaleKind::UnexpectedPass => write!(f, "{case} passes now: take the entry out"),
            StaleKind::OtherFailure => {
                write!(f, "{case} fails in another way than the one listed")?;
                self.fingerprint.as_ref().map_or(Ok(()), |now| write!(f, " (fingerprint now {now})"))
            }
            StaleKind::NoFingerprint => {
                write!(f, "{case} has no fingerprint, so that any failure would do")?;
                self.fingerprint.as_ref().map_or(Ok(()), |now| write!(f, "; this one's is {now}"))
            }
            StaleKind::NoReason => write!(f, "{case} has no reason yet: say why it fails"),
            StaleKind::Expired(day) => write!(f, "{case} was excused until {day}"),
            StaleKind::NoSuchCase => write!(f, "there is no case {case} in the suite"),
            StaleKind::NotJudged(outcome) => write!(f, "{case} is {outcome}, which is no failure to be excused"),
        }
    }
}

/// What the failure of a case looks like: 16 hexadecimal digits, the first an f, over what found it, where, what was expected and what came.
/// In a run of a host the numbers of events and the values are others each time, and are left out. `None` where nothing failed.
#[must_use]
pub fn fingerprint(result: &CaseResult, check: Option<&str>) -> Option<String> {
    let is_run = result.operations.iter().any(|name| name == LIFECYCLE_RUN);
    let mut parts: Vec<String> = failing(result)
        .filter(|finding| check.is_none_or(|check| check == source(finding)))
        .map(|finding| {
            let is_number = |token: &str| !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit());
            let path: Vec<&str> = finding.path.split('/').map(|token| if is_number(token) { "*" } else { token }).collect();
            let step = finding.step.as_deref().unwrap_or_default();
            if is_run {
                format!("{}\n{step}\n{}", source(finding), path.join("/"))
            } else {
                format!("{}\n{step}\n{}\n{}\n{}", source(finding), finding.path, finding.expected, finding.got)
            }
        })
        .collect();
    parts.sort_unstable();
    parts.dedup();
    // The letter in front keeps YAML from reading a number.
    (!parts.is_empty()).then(|| format!("f{}", &digest::hex(parts.join("\n\n").as_bytes())[..15]))
}

/// The findings that make a case fail.
pub(super) fn failing(result: &CaseResult) -> impl Iterator<Item = &Finding> {
    let level = result.level;
    let has_failed = result.outcome == Outcome::Failed;
    result.findings.iter().filter(move |finding| has_failed && finding.level >= level)
}

/// The name by which an entry's `check` calls a finding.
pub(super) fn source(finding: &Finding) -> &str {
    match &finding.source {
        FindingSource::Rule(rule) => rule,
        FindingSource::Expectation | FindingSource::Protocol => EXPECTATION,
    }
}

impl Baseline {
    /// Holds a run against the baseline. Entries about cases that the run did not select are left alone.
    #[must_use]
    pub fn reckon(&self, suite: &Suite, results: &[CaseResult]) -> Reckoning {
        self.reckon_on(jiff::tz::TimeZone::UTC.to_datetime(jiff::Timestamp::now()).date(), suite, results)
    }

    /// [`Baseline::reckon`] on a given day.
    #[must_use]
    pub fn reckon_on(&self, today: Date, suite: &Suite, results: &[CaseResult]) -> Reckoning {
        let by_id: BTreeMap<&str, &CaseResult> = results.iter().map(|result| (result.id.as_str(), result)).collect();
        let mut reckoning = Reckoning { file: self.file.clone(), ..Reckoning::default() };
        let mut good: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
        for entry in &self.entries {
            match judge(entry, suite, by_id.get(entry.case.as_str()).copied(), today) {
                Ok(true) => good.entry(&entry.case).or_default().push(entry),
                Ok(false) => {}
                Err((kind, fingerprint)) => {
                    reckoning.stale.push(Stale { line: entry.line, case: entry.case.clone(), kind, fingerprint });
                }
            }
        }
        for (case, entries) in good {
            let Some(result) = by_id.get(case) else { continue };
            let is_covered =
                |finding: &Finding| entries.iter().any(|entry| entry.check.as_deref().is_none_or(|check| check == source(finding)));
            if failing(result).all(is_covered) {
                let reasons: Vec<&str> = entries.iter().map(|entry| entry.reason.trim()).collect();
                reckoning.known.insert(case.to_owned(), reasons.join(" "));
            }
        }
        reckoning
    }
}

/// Whether an entry excuses something in this run; an error where it is stale.
fn judge(entry: &Entry, suite: &Suite, result: Option<&CaseResult>, today: Date) -> Result<bool, (StaleKind, Option<String>)> {
    let Some(result) = result else {
        let is_known = suite.case(&entry.case).is_some();
        return if is_known { Ok(false) } else { Err((StaleKind::NoSuchCase, None)) };
    };
    let now = fingerprint(result, entry.check.as_deref());
    if entry.reason.trim_start().starts_with(NO_REASON_YET) {
        return Err((StaleKind::NoReason, now));
    }
    if let Some(day) = entry.expires.filter(|day| *day < today) {
        return Err((StaleKind::Expired(day.to_string()), now));
    }
    match (result.outcome, &now) {
        (Outcome::Failed, Some(_)) if entry.fingerprint.is_none() => Err((StaleKind::NoFingerprint, now)),
        (Outcome::Failed, Some(_)) if entry.fingerprint == now => Ok(true),
        (Outcome::Failed, Some(_)) => Err((StaleKind::OtherFailure, now)),
        (Outcome::Passed | Outcome::Failed, _) if entry.flaky => Ok(false),
        (Outcome::Passed | Outcome::Failed, _) => Err((StaleKind::UnexpectedPass, None)),
        (outcome, _) => Err((StaleKind::NotJudged(outcome.to_string()), None)),
    }
}
