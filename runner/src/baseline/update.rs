//! Bringing a baseline up to date with a run: lines are changed, put in and taken out, and everything else stays as somebody wrote it.

use std::fmt;

use proofmark::judge::{CaseResult, Outcome};
use proofmark::yaml;

use super::entry::{Baseline, BaselineFault, Entry, LIST};
use super::reckoning::{NO_REASON_YET, failing, fingerprint, source};

/// What was changed about an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A failure that was not listed.
    Added(String),
    /// The entry's fingerprint is another now.
    Changed(String),
    /// What it listed passes now, or is no case any more.
    Removed(String),
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added(case) => write!(f, "added    {case}"),
            Self::Changed(case) => write!(f, "changed  {case}"),
            Self::Removed(case) => write!(f, "removed  {case}"),
        }
    }
}

/// The text of a baseline that says what a whole run found, and what was changed. Comments and reasons stay, and so do entries about cases that
/// the run did not judge; new entries have a reason that somebody has to write. An empty text becomes a new baseline. `exists` says whether
/// the suite has a case.
///
/// # Errors
/// Where the text is no baseline, or an entry is not written as a block of lines of its own.
pub fn update(text: &str, results: &[CaseResult], exists: &dyn Fn(&str) -> bool) -> Result<(String, Vec<Change>), BaselineFault> {
    if text.trim().is_empty() {
        let start = format!("# Failures that are known, each with its reason. They still run, and they must still fail.\n{LIST}:\n");
        return update(&start, results, exists);
    }
    let baseline = Baseline::read(text)?;
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<Option<String>> = text.lines().map(|line| Some(line.to_owned())).collect();
    let mut changes = Vec::new();
    let indent = baseline.entries.first().map_or("  ", |entry| {
        let line = text.lines().nth(entry.line - 1).unwrap_or_default();
        &line[..line.len() - line.trim_start().len()]
    });
    for entry in &baseline.entries {
        let block = block(text, entry)?;
        let result = results.iter().find(|result| result.id == entry.case);
        let now = result.and_then(|result| fingerprint(result, entry.check.as_deref()));
        match (now, result.map(|result| result.outcome)) {
            (Some(now), _) if entry.fingerprint.as_ref() == Some(&now) => {}
            (Some(now), _) => {
                set_fingerprint(&mut lines, &block, indent, &now);
                changes.push(Change::Changed(entry.case.clone()));
            }
            (None, Some(Outcome::Passed | Outcome::Failed)) if entry.flaky => {}
            // What was not judged says nothing of the entry.
            (None, Some(outcome)) if !outcome.is_judged() => {}
            (None, None) if exists(&entry.case) => {}
            (None, _) => {
                for at in block.clone() {
                    let is_comment = lines[at].as_ref().is_some_and(|line| line.trim_start().starts_with('#'));
                    if !is_comment {
                        lines[at] = None;
                    }
                }
                changes.push(Change::Removed(entry.case.clone()));
            }
        }
    }
    let mut new = String::new();
    for line in lines.into_iter().flatten() {
        new.push_str(&line.replace('\n', line_end));
        new.push_str(line_end);
    }
    // Cases that a run generated for itself are no other run's.
    for result in results.iter().filter(|result| exists(&result.id)) {
        for entry in missing(&baseline, result) {
            new.push_str(&written(&entry, indent).replace('\n', line_end));
            changes.push(Change::Added(entry.case));
        }
    }
    // `known_failures: []` takes no entries behind it.
    if changes.iter().any(|change| matches!(change, Change::Added(_))) {
        let empty = format!("{LIST}: []");
        new = new
            .split_inclusive('\n')
            .map(|line| if line.starts_with(&empty) { line.replacen(&empty, &format!("{LIST}:"), 1) } else { line.to_owned() })
            .collect();
    }
    Baseline::read(&new).map_err(|fault| BaselineFault {
        line: fault.line,
        message: format!("the changed baseline could not be read again, so nothing was written: {}", fault.message),
    })?;
    Ok((new, changes))
}

/// The lines of an entry, from 0: to the next entry, to what stands further left, or to the comments and blanks before these.
fn block(text: &str, entry: &Entry) -> Result<std::ops::Range<usize>, BaselineFault> {
    let lines: Vec<&str> = text.lines().collect();
    let first = entry.line - 1;
    let indent = |line: &str| line.len() - line.trim_start().len();
    let head = lines.get(first).copied().unwrap_or_default();
    if !head.trim_start().starts_with("- ") {
        let message =
            format!("the entry of {} is not written as a block of lines that begins with `- case:`; write it so first", entry.case);
        return Err(BaselineFault { line: entry.line, message });
    }
    let mut end = first + 1;
    for (at, line) in lines.iter().enumerate().skip(first + 1) {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        if indent(line) <= indent(head) {
            break;
        }
        end = at + 1;
    }
    Ok(first..end)
}

fn set_fingerprint(lines: &mut [Option<String>], block: &std::ops::Range<usize>, indent: &str, now: &str) {
    let line = format!("{indent}  fingerprint: {now}");
    // At the place of a key: a text of several lines may have the same word further right.
    let is_it = |line: &Option<String>| {
        line.as_ref().is_some_and(|line| {
            line.strip_prefix(indent).and_then(|line| line.strip_prefix("  ")).is_some_and(|line| line.starts_with("fingerprint:"))
        })
    };
    match block.clone().find(|at| is_it(&lines[*at])) {
        Some(at) => {
            let comment = lines[at].as_ref().and_then(|old| old.split_once(" #")).map(|(_, comment)| format!(" #{comment}"));
            lines[at] = Some(line + &comment.unwrap_or_default());
        }
        None => {
            // Behind the first line, which names the case.
            let first = lines[block.start].take().unwrap_or_default();
            lines[block.start] = Some(format!("{first}\n{line}"));
        }
    }
}

/// The entries that a result lacks.
fn missing(baseline: &Baseline, result: &CaseResult) -> Vec<Entry> {
    let entry = |check: Option<String>| Entry {
        case: result.id.clone(),
        fingerprint: fingerprint(result, check.as_deref()),
        check,
        reason: format!("{NO_REASON_YET}: say why"),
        issue: None,
        expires: None,
        flaky: false,
        line: 0,
    };
    let listed: Vec<&Entry> = baseline.entries.iter().filter(|entry| entry.case == result.id).collect();
    if failing(result).next().is_none() {
        return Vec::new();
    }
    if listed.is_empty() {
        return vec![entry(None)];
    }
    let mut checks: Vec<&str> = failing(result)
        .map(source)
        .filter(|source| !listed.iter().any(|entry| entry.check.as_deref().is_none_or(|check| check == *source)))
        .collect();
    checks.sort_unstable();
    checks.dedup();
    checks.into_iter().map(|check| entry(Some(check.to_owned()))).collect()
}

fn written(entry: &Entry, indent: &str) -> String {
    let mut text = format!("{indent}- case: {}\n", yaml_text(&entry.case));
    let mut line = |key: &str, value: &str| text.push_str(&format!("{indent}  {key}: {}\n", yaml_text(value)));
    if let Some(check) = &entry.check {
        line("check", check);
    }
    if let Some(fingerprint) = &entry.fingerprint {
        line("fingerprint", fingerprint);
    }
    line("reason", &entry.reason);
    text
}

/// A text as YAML has it: plain where that reads back the same, else as JSON, which YAML reads too.
fn yaml_text(text: &str) -> String {
    let reads_back = yaml::parse(&format!("{text}\n")).is_ok_and(|document| document.value == text);
    if reads_back && !text.contains('\n') { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}
