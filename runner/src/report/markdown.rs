//! The run as Markdown, for the summary of a CI step or a comment.

use std::fmt::Write as _;

use proofmark::judge::{CaseResult, FindingSource, Outcome};
use proofmark::verdict::Level;

use super::{deciding, path, rerun_command};
use crate::printable::shortened;
use crate::run::{RunReport, Summary};

/// Rows of cases and of reasons that are written; what is left is counted. CI systems cut a summary at a mebibyte.
const MAX_ROWS: usize = 100;
/// Characters of what somebody else said, in a row.
const MAX_CELL: usize = 200;

/// The verdict, a table of outcomes by level, the cases that failed with the command that reruns each, and what was not judged and why.
#[must_use]
pub fn markdown(report: &RunReport, summary: &Summary, fail_on: Level, flags: &[String]) -> String {
    let mut out = String::new();
    // A string takes whatever is written to it.
    let _ = write(&mut out, report, summary, fail_on, flags);
    out.truncate(out.trim_end().len());
    out + "\n"
}

fn write(out: &mut String, report: &RunReport, summary: &Summary, fail_on: Level, flags: &[String]) -> std::fmt::Result {
    let verdict = summary.verdict(fail_on);
    writeln!(out, "## proofmark: {}\n", verdict.head)?;
    let who = report.implementation().map(|it| code(&format!("{} {} ({})", it.name, it.version, it.language)));
    writeln!(out, "{}: **{}**{}\n", who.as_deref().unwrap_or("No implementation"), verdict.head, verdict.rest)?;

    let used: Vec<Outcome> =
        Outcome::ALL.into_iter().filter(|outcome| summary.levels.values().any(|count| count.of(*outcome) > 0)).collect();
    if !used.is_empty() {
        let names: Vec<String> = used.iter().map(ToString::to_string).collect();
        writeln!(out, "| level | {} | cases |\n|---|{}---:|", names.join(" | "), "---:|".repeat(used.len()))?;
        for (level, count) in summary.levels.iter().rev() {
            let cells: Vec<String> = used.iter().map(|outcome| count.of(*outcome).to_string()).collect();
            writeln!(out, "| {level} | {} | {} |", cells.join(" | "), count.total())?;
        }
        writeln!(out)?;
    }
    writeln!(
        out,
        "{} in the suite, {} selected, {} judged; suite {} {}; seed {}; {:.2} s\n",
        summary.in_suite,
        summary.selected,
        summary.judged,
        code(&report.settings.suite.version),
        code(&report.settings.suite.digest),
        report.settings.seed,
        report.elapsed.as_secs_f64()
    )?;

    if let Some(profile) = &summary.profile {
        writeln!(
            out,
            "Profile {}, requirement set {}: {} in the set, {} claimed, {} run, {} judged\n",
            code(&profile.name),
            code(&profile.requirement_set),
            profile.in_set,
            profile.claimed,
            profile.run,
            profile.judged
        )?;
    }
    if !report.faults.is_empty() {
        writeln!(out, "### Faults of the adapter\n")?;
        for fault in report.faults.iter().take(MAX_ROWS) {
            writeln!(out, "- {}", code(fault))?;
        }
        left_out(out, report.faults.len())?;
    }
    let failed: Vec<&CaseResult> =
        report.results.iter().filter(|result| result.outcome == Outcome::Failed || result.outcome.is_fault()).collect();
    let (known, failed): (Vec<&CaseResult>, Vec<&CaseResult>) =
        failed.into_iter().partition(|result| report.known_failure(&result.id).is_some());
    if !failed.is_empty() {
        writeln!(out, "### Failed\n\n| case | level | what | rerun |\n|---|---|---|---|")?;
        for result in failed.iter().take(MAX_ROWS) {
            let level = result.failed_level().unwrap_or(result.level);
            let rerun = rerun_command(&result.id, flags, &report.settings);
            writeln!(out, "| {} | {level} | {} | {} |", cell(&result.id), what(result), cell(&rerun))?;
        }
        left_out(out, failed.len())?;
    }
    if !known.is_empty() {
        writeln!(out, "### Known failures\n\n| case | why |\n|---|---|")?;
        for result in known.iter().take(MAX_ROWS) {
            writeln!(out, "| {} | {} |", cell(&result.id), cell(report.known_failure(&result.id).unwrap_or_default()))?;
        }
        left_out(out, known.len())?;
    }
    if let Some(reckoning) = report.reckoning.as_ref().filter(|reckoning| !reckoning.stale.is_empty()) {
        writeln!(out, "### Stale entries of the baseline\n")?;
        for stale in reckoning.stale.iter().take(MAX_ROWS) {
            writeln!(out, "- {}", code(&format!("{}:{}: {stale}", reckoning.file, stale.line)))?;
        }
        left_out(out, reckoning.stale.len())?;
    }
    let mut reasons: Vec<(String, usize)> = Vec::new();
    for result in &report.results {
        let Some(reason) = result.reason.as_ref().filter(|_| !result.outcome.is_fault()) else { continue };
        let reason = format!("{}: {reason}", result.outcome);
        match reasons.iter_mut().find(|(it, _)| *it == reason) {
            Some((_, count)) => *count += 1,
            None => reasons.push((reason, 1)),
        }
    }
    if !reasons.is_empty() {
        writeln!(out, "### Not judged\n\n| cases | why |\n|---:|---|")?;
        for (reason, count) in reasons.iter().take(MAX_ROWS) {
            writeln!(out, "| {count} | {} |", cell(reason))?;
        }
        left_out(out, reasons.len())?;
    }
    if !summary.rules.is_empty() {
        writeln!(out, "### Rules broken\n\n| rule | level | cases | first |\n|---|---|---:|---|")?;
        for rule in &summary.rules {
            writeln!(out, "| {} | {} | {} | {} |", cell(&rule.rule), rule.level, rule.cases, cell(&rule.first))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn left_out(out: &mut String, count: usize) -> std::fmt::Result {
    if count > MAX_ROWS {
        writeln!(out, "\nand {} more; the JSON report has all", count - MAX_ROWS)?;
    }
    writeln!(out)
}

/// The first thing that made a case fail.
fn what(result: &CaseResult) -> String {
    if result.outcome.is_fault() {
        let reason = result.reason.as_deref().and_then(|reason| reason.lines().next()).unwrap_or_default();
        return format!("{}: {}", result.outcome, cell(reason));
    }
    deciding(result).map_or_else(String::new, |finding| {
        let path = cell(path(finding));
        match &finding.source {
            FindingSource::Rule(rule) => format!("{}: {path} {}", cell(rule), cell(&finding.got)),
            _ => format!("{path}: expected {}, got {}", cell(&finding.expected), cell(&finding.got)),
        }
    })
}

/// A code span in a table's cell, where a bar ends the cell even in code.
fn cell(text: &str) -> String {
    let text = match text.char_indices().nth(MAX_CELL) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    code(&text).replace('|', "\\|")
}

/// A code span, in which nothing is markup: its fence is longer than any run of backticks inside.
fn code(text: &str) -> String {
    let text = shortened(text, false);
    if text.trim().is_empty() {
        return "(empty)".to_owned();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_said_stays_code() {
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`<b>`"), "`` `<b>` ``");
        assert_eq!(cell("a|b\n| c"), "`a\\|b\\n\\| c`");
        assert_eq!(code(" "), "(empty)");
        assert_eq!(cell(&"x".repeat(300)).chars().count(), MAX_CELL + 3);
    }
}
