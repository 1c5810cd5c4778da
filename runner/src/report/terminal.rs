//! The run for people: every failure with its differences, a diff, the clause, the place and the command that reruns it; then the sum.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use proofmark::case::Suite;
use proofmark::judge::{CaseResult, Finding, FindingSource, Outcome, StepDifference};
use proofmark::policy::RulePack;
use proofmark::verdict::Level;
use similar::TextDiff;

use crate::printable::{printable, shortened};
use crate::run::{RunReport, RunSettings, Summary, is_generated};

/// What was asked is shown up to so many bytes.
const MAX_ASKED: usize = 1_000;
/// Findings of one case that are shown; what is left is counted.
const MAX_FINDINGS: usize = 20;
/// Cases in which one rule is shown in full; where nothing else is wrong with further ones, a line each is enough.
const MAX_CASES_A_RULE: usize = 3;
/// Lines of a diff that are shown.
const MAX_DIFF_LINES: usize = 60;
/// Lines of an adapter's stderr that are shown.
const MAX_STDERR_LINES: usize = 12;

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();
const DIM: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();

/// Renders a run for a terminal; colours are stripped by the writer where they don't belong.
#[derive(Debug)]
pub struct Terminal<'a> {
    /// The suite that ran.
    pub suite: &'a Suite,
    /// Whether to name every case, not only those with something to say.
    pub verbose: bool,
    /// Words of the command line that a rerun has to repeat, before `--`.
    pub flags: Vec<String>,
}

impl Terminal<'_> {
    /// Writes the whole report.
    ///
    /// # Errors
    /// As the writer says.
    pub fn write(&self, out: &mut dyn Write, report: &RunReport, summary: &Summary, fail_on: Level) -> io::Result<()> {
        if self.verbose {
            for result in &report.results {
                let why = match report.known_failure(&result.id) {
                    Some(reason) => format!(" {DIM}(known: {}){DIM:#}", shortened(reason, false)),
                    None => why(result),
                };
                writeln!(out, "{} {:<6} {}{why}", mark(result.outcome), result.level.as_str(), result.id)?;
            }
            writeln!(out)?;
        }
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut alike = Vec::new();
        for result in report.results.iter().filter(|result| is_worth_showing(report, result)) {
            let kinds = kinds(result);
            if !self.verbose && kinds.iter().all(|kind| seen.get(kind).is_some_and(|count| *count >= MAX_CASES_A_RULE)) {
                alike.push((result, kinds));
                continue;
            }
            for kind in kinds {
                *seen.entry(kind).or_default() += 1;
            }
            self.case(out, report, result)?;
        }
        for (result, kinds) in &alike {
            let level = result.failed_level().unwrap_or(result.level);
            let kinds: Vec<_> = kinds.iter().map(|kind| shortened(kind, false)).collect();
            writeln!(
                out,
                "{BAD}{}{BAD:#} {} {DIM}({level}): {}, as above{DIM:#}",
                result.outcome.as_str().to_uppercase(),
                result.id,
                kinds.join(", ")
            )?;
        }
        if !alike.is_empty() {
            writeln!(out, "{DIM}cases that failed only in ways shown above: {}; --verbose shows each in full{DIM:#}\n", alike.len())?;
        }
        self.remarks(out, report)?;
        self.sum(out, report, summary, fail_on)
    }

    fn case(&self, out: &mut dyn Write, report: &RunReport, result: &CaseResult) -> io::Result<()> {
        let level = result.failed_level().unwrap_or(result.level);
        let mut level = if level == result.level { level.to_string() } else { format!("{}, and {level} by a rule", result.level) };
        if !report.counts(result) {
            level.push_str("; it does not count for the profile");
        }
        writeln!(out, "{BAD}{}{BAD:#} {BOLD}{}{BOLD:#} {DIM}({level}){DIM:#}", result.outcome.as_str().to_uppercase(), result.id)?;
        writeln!(out, "  {}", shortened(&result.title, false))?;
        writeln!(out, "  {DIM}at{DIM:#} {}:{}", result.file, result.line)?;
        self.clause(out, &result.clause)?;
        if let Some(reason) = &result.reason {
            writeln!(out, "  {}", indented(&shortened(reason, true), "  "))?;
        }
        let mut clauses: BTreeSet<&str> = BTreeSet::from([result.clause.as_str()]);
        let mut last = None;
        let mut shown = BTreeSet::new();
        for finding in result.findings.iter().take(MAX_FINDINGS) {
            finding_lines(out, result, finding, last == Some(&finding.source))?;
            event_lines(out, finding, &mut shown)?;
            last = Some(&finding.source);
            if !finding.clause.is_empty() && clauses.insert(&finding.clause) {
                self.clause(out, &finding.clause)?;
            }
        }
        if result.findings.len() > MAX_FINDINGS {
            writeln!(out, "  … and {} more (--format json has all)", result.findings.len() - MAX_FINDINGS)?;
        }
        for difference in &result.differences {
            if let Some(step) = &difference.step {
                writeln!(out, "  {DIM}step {step}:{DIM:#}")?;
            }
            diff(out, difference)?;
        }
        // A crash quotes its last words already.
        let is_quoted =
            result.reason.as_deref().is_some_and(|reason| reason.contains(" on stderr:\n") || reason.contains(" stderr ends with:\n"));
        if let Some(stderr) = result.stderr.as_ref().filter(|_| !is_quoted) {
            let text = printable(stderr, true);
            let lines: Vec<&str> = text.lines().collect();
            writeln!(out, "  {DIM}the adapter's stderr:{DIM:#}")?;
            for line in &lines[lines.len().saturating_sub(MAX_STDERR_LINES)..] {
                writeln!(out, "  {DIM}|{DIM:#} {}", shortened(line, false))?;
            }
        }
        writeln!(out, "  {DIM}rerun:{DIM:#} {}", rerun_command(&result.id, &self.flags, &report.settings))?;
        writeln!(out)
    }

    fn clause(&self, out: &mut dyn Write, clause: &str) -> io::Result<()> {
        match self.suite.requirement(clause) {
            Some(requirement) => writeln!(out, "  {DIM}{clause}:{DIM:#} {}", shortened(&requirement.text, false)),
            None => writeln!(out, "  {DIM}{clause}{DIM:#}"),
        }
    }

    /// Rules below a passed case's level: said once for each rule.
    fn remarks(&self, out: &mut dyn Write, report: &RunReport) -> io::Result<()> {
        let passed = || report.results.iter().filter(|result| result.outcome == Outcome::Passed && !result.findings.is_empty());
        let mut rules: BTreeSet<&str> = BTreeSet::new();
        for result in passed() {
            for finding in &result.findings {
                if let FindingSource::Rule(rule) = &finding.source {
                    rules.insert(rule);
                }
            }
        }
        for id in &rules {
            let broken = |finding: &&Finding| matches!(&finding.source, FindingSource::Rule(rule) if rule == id);
            let mut cases = passed().filter(|result| result.findings.iter().any(|finding| broken(&finding)));
            let Some(first) = cases.next() else { continue };
            let Some(finding) = first.findings.iter().find(broken) else { continue };
            let title = RulePack::shipped_rule(id).map_or("", |(_, rule)| rule.title.as_str());
            writeln!(out, "{BOLD}REMARK{BOLD:#} {id} {DIM}({}){DIM:#} {title}", finding.level)?;
            writeln!(
                out,
                "  cases that passed with it: {}; first {}: {} {}",
                1 + cases.count(),
                first.id,
                finding.path,
                shortened(&finding.got, false)
            )?;
            self.clause(out, &finding.clause)?;
        }
        let categories = passed().filter(|result| result.findings.iter().any(|it| it.source == FindingSource::Expectation)).count();
        if categories > 0 {
            writeln!(
                out,
                "{BOLD}REMARK{BOLD:#} something below the case's level differs; cases that passed with it: {categories} (--format json)"
            )?;
        }
        if !rules.is_empty() || categories > 0 {
            writeln!(out)?;
        }
        Ok(())
    }

    fn sum(&self, out: &mut dyn Write, report: &RunReport, summary: &Summary, fail_on: Level) -> io::Result<()> {
        let who = report.implementation().map_or_else(
            || "no implementation".to_owned(),
            |it| format!("{} {} ({})", shortened(&it.name, false), shortened(&it.version, false), shortened(&it.language, false)),
        );
        writeln!(
            out,
            "{BOLD}{who}{BOLD:#} {DIM}suite {} {}{DIM:#}",
            report.settings.suite.version,
            short_digest(&report.settings.suite.digest)
        )?;
        for fault in &report.faults {
            writeln!(out, "{BAD}adapter fault{BAD:#}: {}", indented(&shortened(fault, true), "  "))?;
        }
        let reasons: BTreeSet<&str> = report
            .results
            .iter()
            .filter(|result| matches!(result.outcome, Outcome::Unsupported | Outcome::Skipped))
            .filter_map(|result| result.reason.as_deref())
            .collect();
        for reason in reasons.iter().take(8) {
            let count = report.results.iter().filter(|result| result.reason.as_deref() == Some(reason)).count();
            writeln!(out, "  {DIM}{count} not judged:{DIM:#} {}", shortened(reason, false))?;
        }
        for (level, count) in summary.levels.iter().rev() {
            let parts: Vec<String> =
                Outcome::ALL.iter().filter(|it| count.of(**it) > 0).map(|it| format!("{} {it}", count.of(*it))).collect();
            writeln!(out, "  {:<7}{}", level.as_str(), parts.join(", "))?;
        }
        let broken: Vec<String> = summary.rules.iter().map(|rule| format!("{} in {}", rule.rule, rule.cases)).collect();
        if !broken.is_empty() {
            writeln!(out, "  {DIM}rules broken, in so many cases:{DIM:#} {}", broken.join(", "))?;
        }
        let seconds = report.elapsed.as_secs_f64();
        writeln!(
            out,
            "  {DIM}{} in the suite, {} selected, {} judged; requests repeated: {}; seed {}; {seconds:.2} s{DIM:#}",
            summary.in_suite, summary.selected, summary.judged, report.repeated, report.settings.seed
        )?;
        for stale in report.reckoning.iter().flat_map(|reckoning| &reckoning.stale) {
            let file = report.reckoning.as_ref().map_or("", |reckoning| reckoning.file.as_str());
            writeln!(out, "{BAD}stale{BAD:#} {}:{}: {}", shortened(file, false), stale.line, shortened(&stale.to_string(), false))?;
        }
        if summary.stale > 0 {
            writeln!(out, "  {DIM}`proofmark baseline update` brings a baseline up to date from the journal of a whole run{DIM:#}")?;
        }
        if let Some(profile) = &summary.profile {
            let added = match summary.not_counted {
                0 => String::new(),
                count => format!("; {count} do not count: added since, or of optional operations that are not declared"),
            };
            writeln!(
                out,
                "  {DIM}profile {}, requirement set {}:{DIM:#} {} in the set, {} claimed, {} run, {} judged{added}",
                profile.name, profile.requirement_set, profile.in_set, profile.claimed, profile.run, profile.judged
            )?;
        }
        let verdict = summary.verdict(fail_on);
        let style = if verdict.is_good { GOOD } else { BAD };
        writeln!(out, "{style}{}{style:#}{}", verdict.head, verdict.rest)
    }
}

/// A failure that nobody knew of.
fn is_worth_showing(report: &RunReport, result: &CaseResult) -> bool {
    (result.outcome == Outcome::Failed || result.outcome.is_fault()) && report.known_failure(&result.id).is_none()
}

fn mark(outcome: Outcome) -> String {
    match outcome {
        Outcome::Passed => format!("{GOOD}{:<14}{GOOD:#}", outcome.as_str()),
        Outcome::NotApplicable | Outcome::Skipped | Outcome::Unsupported => format!("{DIM}{:<14}{DIM:#}", outcome.as_str()),
        _ => format!("{BAD}{:<14}{BAD:#}", outcome.as_str()),
    }
}

fn why(result: &CaseResult) -> String {
    result.reason.as_ref().map_or_else(String::new, |reason| format!(" {DIM}({}){DIM:#}", shortened(reason, false)))
}

/// In which ways a case went wrong: the rules it broke, its own expectation by itself, or the adapter's fault in words.
fn kinds(result: &CaseResult) -> Vec<String> {
    let mut kinds: Vec<String> = result
        .findings
        .iter()
        .map(|finding| match &finding.source {
            FindingSource::Rule(rule) => rule.clone(),
            // What a case expects is its own: no other case shows it.
            FindingSource::Expectation => result.id.clone(),
            FindingSource::Protocol => format!("an answer that is not {}", finding.expected),
        })
        .collect();
    if result.outcome.is_fault() {
        // The first line: what follows quotes stderr, which differs from case to case.
        let reason = result.reason.as_deref().and_then(|reason| reason.lines().next()).unwrap_or_default();
        let reason = reason
            .split_once(" It said on stderr:")
            .or(reason.split_once(" Its stderr ends with:"))
            .map_or(reason, |(own, _)| own.trim_end_matches('.'));
        kinds.push(format!("{}: {reason}", result.outcome));
    }
    kinds.sort();
    kinds.dedup();
    kinds
}

fn finding_lines(out: &mut dyn Write, result: &CaseResult, finding: &Finding, same_source: bool) -> io::Result<()> {
    let step = finding.step.as_ref().map_or_else(String::new, |step| format!("step {step}, "));
    let path = if finding.path.is_empty() { "the answer".to_owned() } else { shortened(&finding.path, false).into_owned() };
    match &finding.source {
        FindingSource::Rule(rule) => {
            if same_source {
                return writeln!(out, "    {step}{path} {}", shortened(&finding.got, false));
            }
            let beside = if finding.request.is_some() { " (in a request beside the case's own)" } else { "" };
            writeln!(out, "  {BAD}{rule}{BAD:#} {DIM}({}){DIM:#} {}{beside}", finding.level, finding.expected)?;
            writeln!(out, "    {step}{path} {}", shortened(&finding.got, false))
        }
        FindingSource::Expectation | FindingSource::Protocol => {
            let place = format!("{}:{}:{}", result.file, finding.line, finding.column);
            let level = if finding.level == result.level { String::new() } else { format!(" ({})", finding.level) };
            writeln!(out, "  {BAD}{step}{path}{BAD:#}{level} {DIM}{place}{DIM:#}")?;
            writeln!(out, "    expected {}", shortened(&finding.expected, false))?;
            writeln!(out, "    got      {}", shortened(&finding.got, false))?;
            match finding.asked.as_ref().map(|asked| asked["params"].to_string()) {
                Some(asked) if asked.len() <= MAX_ASKED => writeln!(out, "    asked    {DIM}{}{DIM:#}", shortened(&asked, false)),
                _ => Ok(()),
            }
        }
    }
}

/// The events of a run around the one that a finding names.
/// Events that were shown already are not shown again, but for the one that is named.
fn event_lines(out: &mut dyn Write, finding: &Finding, shown: &mut BTreeSet<u64>) -> io::Result<()> {
    for event in &finding.events {
        let mut members = event.as_object().cloned().unwrap_or_default();
        let (seq, kind) = (members.remove("seq"), members.remove("type"));
        let at = seq.as_ref().and_then(serde_json::Value::as_u64).unwrap_or_default();
        let is_named = finding.path == format!("/events/{}", at.saturating_sub(1));
        if !shown.insert(at) && !is_named {
            continue;
        }
        let mark = if is_named { ">" } else { " " };
        let kind = kind.as_ref().and_then(serde_json::Value::as_str).unwrap_or("?").to_owned();
        let rest = serde_json::Value::Object(members).to_string();
        writeln!(out, "    {mark} {DIM}{at:>4}{DIM:#} {} {DIM}{}{DIM:#}", shortened(&kind, false), shortened(&rest, false))?;
    }
    Ok(())
}

fn diff(out: &mut dyn Write, difference: &StepDifference) -> io::Result<()> {
    let pretty = |value: &serde_json::Value| {
        // A value of megabytes would take the diff hours and the reader nothing.
        let text = serde_json::to_string_pretty(value).unwrap_or_default();
        if text.len() > 200_000 { None } else { Some(text + "\n") }
    };
    let (Some(expected), Some(got)) = (pretty(&difference.expected), pretty(&difference.got)) else {
        return writeln!(out, "  {DIM}(the answer is too large for a diff){DIM:#}");
    };
    let text = TextDiff::from_lines(&expected, &got).unified_diff().context_radius(2).header("expected", "got").to_string();
    let lines: Vec<&str> = text.lines().collect();
    for line in lines.iter().take(MAX_DIFF_LINES) {
        let style = match line.as_bytes().first() {
            Some(b'-') => BAD,
            Some(b'+') => GOOD,
            _ => DIM,
        };
        let mut line = printable(line, false).into_owned();
        if line.chars().count() > 200 {
            line = line.chars().take(199).chain(['…']).collect();
        }
        writeln!(out, "    {style}{line}{style:#}")?;
    }
    if lines.len() > MAX_DIFF_LINES {
        writeln!(out, "    {DIM}… {} more lines{DIM:#}", lines.len() - MAX_DIFF_LINES)?;
    }
    Ok(())
}

fn indented(text: &str, by: &str) -> String {
    text.trim_end().lines().collect::<Vec<_>>().join(&format!("\n{by}"))
}

fn short_digest(digest: &str) -> &str {
    digest.get(..19).unwrap_or(digest)
}

/// The command that reruns one case of a run, quoted for a POSIX shell.
#[must_use]
pub fn rerun_command(id: &str, flags: &[String], settings: &RunSettings) -> String {
    let mut words = vec!["proofmark".to_owned(), "run".to_owned(), id.to_owned()];
    if let Some(profile) = settings.profile.as_ref().filter(|_| is_generated(id)) {
        words.extend(["--profile", &profile.name, "--nonce", &settings.nonce].map(quoted));
    }
    words.extend(flags.iter().map(|word| quoted(word)));
    if !settings.command.is_empty() {
        words.push("--".to_owned());
        words.extend(settings.command.iter().map(|word| quoted(word)));
    }
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rerun_can_be_pasted() {
        let suite = Suite::embedded().unwrap();
        let mut settings = RunSettings::new(&suite, 1);
        settings.command = ["python3", "my host.py", "it's"].map(str::to_owned).into();
        assert_eq!(
            rerun_command("a.b", &["--timeout".into(), "500ms".into()], &settings),
            r"proofmark run a.b --timeout 500ms -- python3 'my host.py' 'it'\''s'"
        );
    }
}
