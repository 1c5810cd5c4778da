//! What the reference answers to a case: to compute expectations, and to refuse a suite that contradicts it.

use std::sync::Arc;

use serde_json::Value;

use super::answer::{self, Context, answer_value};
use super::expectation_profile;
use super::outcome::Finding;
use super::run::{Next, Run};
use crate::adapter::{Answer, Diagnostics, Implementation as _, Operation};
use crate::case::{BudgetRequest, Case, ExpandError, Expander, Expectation, Suite, SuiteFault};
use crate::contract::rendering::RenderingProfile;
use crate::embedded;
use crate::policy::RulePack;
use crate::reference::{self, Reference};

/// Expands what a step gives under a profile, and adds the profile that the request carries.
pub(super) fn expand(
    suite: &Suite,
    case: &Case,
    step: usize,
    profile: &RenderingProfile,
    carried: &RenderingProfile,
    earlier: &dyn Fn(&str, &str) -> Option<Value>,
) -> Result<Value, ExpandError> {
    let budget = |request: BudgetRequest, registry: &Value, options: &Value| find_budget(request, registry, options, profile);
    let expander = Expander { files: suite.files(), case_file: &case.file, budget: &budget, earlier };
    let step = &case.steps[step];
    let mut given = expander.expand(&step.given)?;
    if step.operation.takes_profile() && given.get("profile").is_none() {
        given["profile"] = serde_json::to_value(carried).unwrap_or(Value::Null);
    }
    Ok(given)
}

fn find_budget(request: BudgetRequest, registry: &Value, options: &Value, profile: &RenderingProfile) -> Result<u64, String> {
    let (found, plus) = match request {
        BudgetRequest::Floor { plus } => (profile.floor(), plus),
        BudgetRequest::Fits { cards, plus } => {
            let found = reference::smallest_budget(registry, options, profile, cards)
                .map_err(|category| format!("the reference refuses this registry or these options ({})", category.as_str()))?;
            (found.ok_or_else(|| format!("no budget shows exactly {cards} cards under this profile"))?, plus)
        }
    };
    let budget = i128::from(found) + i128::from(plus);
    u64::try_from(budget).ok().filter(|budget| *budget > 0).ok_or_else(|| format!("the budget would be {budget}, below 1"))
}

/// The reference's answers to every step of a case under a profile, and what they do not keep of the case.
pub(super) fn replay(suite: &Suite, case: &Case, profile: &RenderingProfile) -> Result<(Vec<Answer>, Vec<Finding>), ExpandError> {
    let mut reference = Reference::new(*profile);
    let mut answers: Vec<Answer> = Vec::new();
    let mut findings = Vec::new();
    for step in 0..case.steps.len() {
        let (answer, found) = {
            let earlier = |name: &str, path: &str| {
                let at = case.steps.iter().position(|step| step.name.as_deref() == Some(name))?;
                answer_value(answers.get(at)?).pointer(path).cloned()
            };
            let params = expand(suite, case, step, profile, profile, &earlier)?;
            let (answer, mut found) = if case.steps[step].is_run {
                play(case, step, &mut reference, &params)?
            } else {
                (reference.call(case.steps[step].operation, &params), Vec::new())
            };
            let value = answer_value(&answer);
            let context = Context { reference: Some(&value), earlier: &earlier };
            // That a run is valid is what the rules said of it already.
            let is_judged = |expect: &&Expectation| !(case.steps[step].is_run && matches!(expect, Expectation::Verdict(_)));
            if let Some(expect) = case.steps[step].expect.as_ref().filter(is_judged) {
                found.extend(answer::judge(case, step, expect, &answer, Diagnostics::Rules, &context).0);
            }
            (answer, found)
        };
        findings.extend(found);
        answers.push(answer);
    }
    Ok((answers, findings))
}

/// Plays a run against the reference: the trace, and what it breaks at the case's level or above.
fn play(case: &Case, step: usize, reference: &mut Reference, params: &Value) -> Result<(Answer, Vec<Finding>), ExpandError> {
    let fault = |message: String| ExpandError { path: String::new(), message };
    let (mut run, open) = Run::begin(RulePack::trace(), params, 0).map_err(fault)?;
    let (mut operation, mut params) = (Operation::LifecycleOpen, Arc::new(open));
    loop {
        match run.answered(&reference.call(operation, &params)) {
            Next::Ask(next, with) => (operation, params) = (next, with),
            Next::Over => break,
            Next::Broken(broken) => return Err(fault(format!("the reference answers {}, not {}", broken.got, broken.expected))),
        }
    }
    let (events, violations) = run.finish();
    let mut found = answer::violation_findings(RulePack::trace(), case, step, violations);
    found.retain(|finding| finding.level >= case.level);
    Ok((Answer::Result(serde_json::json!({"events": events})), found))
}

/// Every expectation of a suite that the reference contradicts under a shipped rendering profile, and every budget that can't be found.
/// A suite with one is malformed.
#[must_use]
pub fn suite_contradictions(suite: &Suite) -> Vec<SuiteFault> {
    let mut faults = Vec::new();
    for case in suite.cases() {
        let profiles = embedded::rendering_profiles().iter().filter(|(name, _)| case.profile.as_ref().is_none_or(|it| it == *name));
        for (name, profile) in profiles {
            let mut fault = |line: usize, column: usize, message: String| {
                faults.push(SuiteFault {
                    file: case.file.clone(),
                    place: crate::yaml::Place { line, column },
                    message: format!("case {}, under {name}: {message}", case.id),
                });
            };
            match replay(suite, case, &expectation_profile(case, Some(*profile))) {
                Err(error) => fault(case.place.line, case.place.column, format!("given {error}")),
                Ok((_, findings)) => findings.into_iter().for_each(|finding| {
                    let message = format!("the reference says {} at {:?}, the case {}", finding.got, finding.path, finding.expected);
                    fault(finding.line, finding.column, message);
                }),
            }
            if !case.depends_on_profile() {
                break;
            }
        }
    }
    faults
}
