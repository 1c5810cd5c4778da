//! Reports: every form is rendered from one [`crate::run::RunReport`], one file a form.

mod json;
mod junit;
mod markdown;
mod terminal;

pub use json::json;
pub use junit::junit;
pub use markdown::markdown;
pub use terminal::{Terminal, rerun_command};

use proofmark::judge::{CaseResult, Finding};

/// The first finding that made a case fail.
fn deciding(result: &CaseResult) -> Option<&Finding> {
    let level = result.failed_level().unwrap_or(result.level);
    result.findings.iter().find(|finding| finding.level >= level)
}

/// The path of a finding, in words where it is the whole answer.
fn path(finding: &Finding) -> &str {
    if finding.path.is_empty() { "the answer" } else { &finding.path }
}

/// The path of a finding, behind the step where the case has several.
fn step_and_path(finding: &Finding) -> String {
    let step = finding.step.as_ref().map_or_else(String::new, |step| format!("step {step}, "));
    format!("{step}{}", path(finding))
}
