//! The run as JUnit XML, for CI systems that show tests.

use std::borrow::Cow;
use std::collections::BTreeMap;

use proofmark::judge::{CaseResult, FindingSource, Outcome};
use proofmark::verdict::Level;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{deciding, rerun_command, step_and_path};
use crate::exit::Exit;
use crate::printable::{printable, shortened};
use crate::run::{RunReport, Summary};

/// Findings of one case that are written out; what is left is counted.
const MAX_FINDINGS: usize = 20;

/// One `testsuite` a contract and one `testcase` a case, with the id as its name and the file as its class name. A last suite, `proofmark`,
/// has one case, `verdict`, which fails where the exit status is not 0: no such file is green while the run was not.
///
/// A case that failed below `fail_on` is `skipped` and says so: the run does not count it either.
#[must_use]
pub fn junit(report: &RunReport, summary: &Summary, fail_on: Level, exit: Exit, flags: &[String]) -> String {
    let mut suites: BTreeMap<&str, TestSuite> = BTreeMap::new();
    for result in &report.results {
        let suite = suites.entry(&result.contract).or_insert_with(|| TestSuite::new(xml(&result.contract)));
        suite.add_test_case(case(report, result, fail_on, flags));
    }
    let mut junit = Report::new("proofmark");
    junit.set_time(report.elapsed);
    junit.add_test_suites(suites.into_values());
    junit.add_test_suite(run(report, summary, fail_on, exit));
    // Only a writer can fail, and a string does not.
    junit.to_string().unwrap_or_default()
}

fn case(report: &RunReport, result: &CaseResult, fail_on: Level, flags: &[String]) -> TestCase {
    let status = match result.outcome {
        Outcome::Passed => TestCaseStatus::success(),
        Outcome::Failed if report.known_failure(&result.id).is_some() => {
            let reason = report.known_failure(&result.id).unwrap_or_default();
            let mut status = TestCaseStatus::skipped();
            status.set_type("known failure").set_message(xml(&format!("known failure: {}", shortened(reason, false))));
            status.set_description(xml(&description(report, result, flags)));
            status
        }
        Outcome::Failed if !report.counts(result) => {
            let mut status = TestCaseStatus::skipped();
            status.set_type("not counted").set_message(xml(&format!("it does not count for the profile: {}", first_finding(result))));
            status
        }
        Outcome::Failed => {
            let level = result.failed_level().unwrap_or(result.level);
            let (kind, message) = if level >= fail_on {
                (Some(NonSuccessKind::Failure), first_finding(result))
            } else {
                (None, format!("failed at {level}, below --fail-on {fail_on}: {}", first_finding(result)))
            };
            let mut status = kind.map_or_else(TestCaseStatus::skipped, TestCaseStatus::non_success);
            status.set_type(level.as_str()).set_message(xml(&message)).set_description(xml(&description(report, result, flags)));
            status
        }
        outcome if outcome.is_fault() => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            let reason = result.reason.as_deref().unwrap_or_default();
            status.set_type(outcome.as_str()).set_message(xml(&shortened(reason.lines().next().unwrap_or_default(), false)));
            status.set_description(xml(&description(report, result, flags)));
            status
        }
        outcome => {
            let mut status = TestCaseStatus::skipped();
            let reason = result.reason.as_deref().map_or_else(String::new, |reason| format!(": {}", shortened(reason, false)));
            status.set_type(outcome.as_str()).set_message(xml(&format!("{outcome}{reason}")));
            status
        }
    };
    let is_remarked = result.outcome == Outcome::Passed && !result.findings.is_empty();
    let mut case = TestCase::new(xml(&result.id), status);
    case.set_classname(xml(&result.file));
    for (name, value) in [("title", result.title.as_str()), ("level", result.level.as_str()), ("clause", result.clause.as_str())] {
        case.add_property((name, xml(value).as_ref()));
    }
    case.extra.insert("file".into(), xml(&result.file).as_ref().into());
    case.extra.insert("line".into(), result.line.to_string().into());
    if is_remarked {
        case.set_system_out(xml(&format!("remarks:\n{}", findings(result))));
    }
    if let Some(stderr) = &result.stderr {
        case.set_system_err(xml(&printable(stderr, true)));
    }
    case
}

/// What no case stands for: who was judged, by what, and what it came to.
fn run(report: &RunReport, summary: &Summary, fail_on: Level, exit: Exit) -> TestSuite {
    let verdict = summary.verdict(fail_on);
    let sentence = format!("{}{}", verdict.head, verdict.rest);
    let status = if exit == Exit::Conformant {
        TestCaseStatus::success()
    } else {
        let kind = if exit == Exit::Adapter { NonSuccessKind::Error } else { NonSuccessKind::Failure };
        let mut status = TestCaseStatus::non_success(kind);
        let mut faults: Vec<_> = report.faults.iter().map(|fault| shortened(fault, true)).collect();
        let stale: Vec<String> = report.reckoning.iter().flat_map(|it| &it.stale).map(ToString::to_string).collect();
        faults.extend(stale.iter().map(|stale| shortened(stale, false)));
        status.set_type(format!("exit {}", exit as u8)).set_message(xml(&sentence)).set_description(xml(&faults.join("\n")));
        status
    };
    let mut case = TestCase::new("verdict", status);
    case.set_classname("proofmark").set_system_out(xml(&sentence));
    let mut suite = TestSuite::new("proofmark");
    let who = report.implementation().map(|it| format!("{} {} ({})", it.name, it.version, it.language));
    for (name, value) in [
        ("implementation", shortened(who.as_deref().unwrap_or("none"), false).into_owned()),
        ("suite.version", report.settings.suite.version.clone()),
        ("suite.digest", report.settings.suite.digest.clone()),
        ("selected", format!("{} of {}", summary.selected, summary.in_suite)),
        ("judged", summary.judged.to_string()),
        ("seed", report.settings.seed.to_string()),
    ] {
        suite.add_property((name, xml(&value).as_ref()));
    }
    suite.add_test_case(case);
    suite
}

fn source(source: &FindingSource) -> String {
    match source {
        FindingSource::Rule(rule) => rule.clone(),
        FindingSource::Expectation => "expected".to_owned(),
        FindingSource::Protocol => "protocol".to_owned(),
    }
}

/// The first finding that made the case fail, in one line.
fn first_finding(result: &CaseResult) -> String {
    deciding(result).map_or_else(String::new, |finding| {
        let place = step_and_path(finding);
        let text = match &finding.source {
            FindingSource::Rule(rule) => format!("{rule}: {place} {}", finding.got),
            _ => format!("{place}: expected {}, got {}", finding.expected, finding.got),
        };
        shortened(&text, false).into_owned()
    })
}

fn findings(result: &CaseResult) -> String {
    let mut lines = Vec::new();
    for finding in result.findings.iter().take(MAX_FINDINGS) {
        lines.push(format!("{} ({}) {}", source(&finding.source), finding.level, shortened(&step_and_path(finding), false)));
        lines.push(format!("  expected {}", shortened(&finding.expected, false)));
        lines.push(format!("  got      {}", shortened(&finding.got, false)));
    }
    if result.findings.len() > MAX_FINDINGS {
        lines.push(format!("and {} more", result.findings.len() - MAX_FINDINGS));
    }
    lines.join("\n")
}

fn description(report: &RunReport, result: &CaseResult, flags: &[String]) -> String {
    let mut lines = vec![result.title.clone(), format!("at {}:{}", result.file, result.line), format!("clause {}", result.clause)];
    lines.extend(result.reason.as_ref().map(|reason| shortened(reason, true).into_owned()));
    lines.push(findings(result));
    lines.push(format!("rerun: {}", rerun_command(&result.id, flags, &report.settings)));
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

/// Text in which what XML 1.0 has no way to write is escaped, so that a reader still sees it.
fn xml(text: &str) -> Cow<'_, str> {
    printable(text, true)
}
