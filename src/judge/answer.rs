//! One answer against one expectation, and against the rules.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::outcome::{Finding, FindingSource, StepDifference};
use crate::adapter::{Answer, Diagnostics, Refusal};
use crate::case::{Case, Difference, Expectation, Expected, MatchContext, VerdictExpectation, ViolationExpectation};
use crate::json;
use crate::policy::{Exchange, RulePack};
use crate::verdict::{Level, Violation};

/// How much of a value a finding shows.
const EXCERPT: usize = 400;

/// The value that stands for an answer in diffs and look-ups.
pub(super) fn answer_value(answer: &Answer) -> Value {
    answer.clone().into_result().unwrap_or(Value::Null)
}

/// Everything that an answer does not keep of an expectation, with the answer put right for a diff.
pub(super) fn judge(
    case: &Case,
    step: usize,
    expectation: &Expectation,
    answer: &Answer,
    diagnostics: Diagnostics,
    context: &dyn MatchContext,
) -> (Vec<Finding>, Option<StepDifference>) {
    let mut findings = Vec::new();
    let at = At { case, step, diagnostics, prefix: String::new() };
    compare(&at, expectation, answer, context, &mut findings, &mut Value::Null);
    if findings.is_empty() {
        // Answers may be large; only one that differs is copied for a diff.
        return (findings, None);
    }
    let got = answer_value(answer);
    let mut patched = got.clone();
    compare(&at, expectation, answer, context, &mut Vec::new(), &mut patched);
    let name = case.steps[step].name.clone();
    let difference = (patched != got).then_some(StepDifference { step: name, expected: patched, got });
    (findings, difference)
}

struct At<'a> {
    case: &'a Case,
    step: usize,
    /// How far the implementation's verdicts go.
    diagnostics: Diagnostics,
    /// Pointer to the expectation inside `expect`.
    prefix: String,
}

impl At<'_> {
    fn finding(&self, level: Level, path: &str, expected_at: &str, expected: String, got: String) -> Finding {
        let place = self.case.expectation_place(self.step, &format!("{}{expected_at}", self.prefix));
        Finding {
            level,
            source: FindingSource::Expectation,
            clause: self.case.clause.clone(),
            step: self.case.steps[self.step].name.clone(),
            path: path.to_owned(),
            expected,
            got,
            line: place.line,
            column: place.column,
            request: None,
            asked: None,
            events: Vec::new(),
        }
    }
}

fn compare(
    at: &At<'_>,
    expectation: &Expectation,
    answer: &Answer,
    context: &dyn MatchContext,
    findings: &mut Vec<Finding>,
    patched: &mut Value,
) {
    let level = at.case.level;
    let differences = |differences: Vec<Difference>, inside: &str, shift: &str, patched: &mut Value| -> Vec<Finding> {
        let findings = differences.into_iter().map(|difference| {
            let path = format!("{shift}{}", difference.path);
            patch(patched, &path, &difference.expected);
            let got = difference.got.as_ref().map_or_else(|| "nothing there".to_owned(), |value| json::excerpt(value, EXCERPT));
            at.finding(level, &path, &format!("{inside}{}", difference.expected_at), difference.expected.to_string(), got)
        });
        findings.collect()
    };
    match (expectation, answer) {
        (Expectation::Result(matcher), Answer::Result(value)) => {
            findings.extend(differences(matcher.differences(Some(value), context), "/result", "", patched));
        }
        (Expectation::Result(matcher), Answer::Refusal(refusal)) => {
            let got = format!("a refusal, {}", refusal.category);
            findings.push(at.finding(level, "", "/result", "a result".to_owned(), got));
            if let [Difference { expected: Expected::Value(value), .. }] = matcher.differences(None, context).as_slice() {
                *patched = value.clone();
            }
        }
        (Expectation::Error { category, event }, Answer::Refusal(refusal)) => {
            // The category is judged at `may`, whatever the case's level.
            for difference in category.differences(Some(&Value::from(refusal.category.as_str())), context) {
                let (expected, got) = (difference.expected.to_string(), format!("{:?}", refusal.category));
                patch(patched, "/error/category", &difference.expected);
                findings.push(at.finding(Level::May, "/error/category", "/error/category", expected, got));
            }
            if let Some(event) = event {
                findings.extend(differences(event.differences(refusal.event.as_ref(), context), "/event", "/event", patched));
            }
        }
        (Expectation::Error { category, .. }, Answer::Result(value)) => {
            let expected = match category.differences(None, context).first() {
                Some(Difference { expected: Expected::Value(Value::String(category)), .. }) => category.clone(),
                Some(difference) => difference.expected.to_string(),
                None => "any".to_owned(),
            };
            let got = format!("a result, {}", json::excerpt(value, EXCERPT));
            findings.push(at.finding(level, "", "/error", format!("a refusal, {expected}"), got));
            *patched = json!({"error": {"category": expected}});
        }
        (Expectation::Verdict(expected), Answer::Result(value)) => {
            findings.extend(verdict(at, expected, value));
        }
        (Expectation::Verdict(_), Answer::Refusal(refusal)) => {
            findings.push(at.finding(level, "", "/verdict", "a verdict".to_owned(), format!("a refusal, {}", refusal.category)));
        }
        (Expectation::OneOf(items), _) => {
            let mut tried = Vec::new();
            for (index, item) in items.iter().enumerate() {
                let inner = At { prefix: format!("{}/one_of/{index}", at.prefix), ..*at };
                let (mut found, mut value) = (Vec::new(), patched.clone());
                compare(&inner, item, answer, context, &mut found, &mut value);
                // A category is judged at `may` beside a refusal that is right.
                if found.iter().all(|finding| finding.level < level) {
                    findings.extend(found);
                    return;
                }
                tried.push((found, value));
            }
            // The alternative that is nearest says most.
            if let Some((found, value)) = tried.into_iter().min_by_key(|(found, _)| found.len()) {
                findings.extend(found.into_iter().map(|finding| Finding {
                    expected: format!("{} (the nearest of {} alternatives)", finding.expected, items.len()),
                    ..finding
                }));
                *patched = value;
            }
        }
        (_, Answer::Unsupported | Answer::Error(_)) => {
            findings.push(at.finding(level, "", "", "an answer".to_owned(), "none".to_owned()));
        }
    }
}

/// Puts the expected value in place of what came.
fn patch(value: &mut Value, path: &str, expected: &Expected) {
    let new = match expected {
        Expected::Value(value) => Some(value.clone()),
        Expected::Words(words) => Some(Value::String(format!("<{words}>"))),
        Expected::Nothing => None,
    };
    let Some((parent, token)) = path.rsplit_once('/') else {
        *value = new.unwrap_or(Value::Null);
        return;
    };
    let token = token.replace("~1", "/").replace("~0", "~");
    match (value.pointer_mut(parent), new) {
        (Some(Value::Object(members)), Some(new)) => {
            members.insert(token, new);
        }
        (Some(Value::Object(members)), None) => {
            members.remove(&token);
        }
        (Some(Value::Array(items)), Some(new)) => {
            if let Some(item) = token.parse::<usize>().ok().and_then(|at| items.get_mut(at)) {
                *item = new;
            }
        }
        _ => {}
    }
}

/// A breach as a verdict names it, as far as its verdicts go: the rule is empty where they name paths only.
type Named = (String, String);

/// A verdict is judged as a set: what must be found is there, what may be found may be, nothing else is. Only what is as binding as the
/// case counts.
fn verdict(at: &At<'_>, expected: &VerdictExpectation, got: &Value) -> Vec<Finding> {
    let level = at.case.level;
    let mut findings = Vec::new();
    let says = got.get("valid").and_then(Value::as_bool);
    if says != Some(expected.valid) {
        let got = got.get("valid").map_or_else(|| "nothing there".to_owned(), |value| json::excerpt(value, EXCERPT));
        findings.push(at.finding(level, "/valid", "/verdict/valid", expected.valid.to_string(), got));
    }
    if at.diagnostics == Diagnostics::Valid {
        return findings;
    }
    let with_rules = at.diagnostics == Diagnostics::Rules;
    let Some(found) = named_violations(got, level, with_rules) else {
        let form = if with_rules { "a list of {rule, level, path}" } else { "a list of {level, path}" };
        findings.push(at.finding(level, "/violations", "/verdict", form.to_owned(), json::excerpt(got, EXCERPT)));
        return findings;
    };
    let named = |list: &[ViolationExpectation]| -> BTreeSet<Named> {
        let name = |it: &ViolationExpectation| (if with_rules { it.rule.clone() } else { String::new() }, it.path.clone());
        list.iter().map(name).collect()
    };
    let (wanted, also) = (named(&expected.violations), named(&expected.also));
    let words = |(rule, path): &Named| if rule.is_empty() { format!("one at {path:?}") } else { format!("{rule} at {path:?}") };
    for missing in wanted.difference(&found) {
        findings.push(at.finding(level, "/violations", "/verdict/violations", words(missing), "no such violation".to_owned()));
    }
    for extra in found.iter().filter(|violation| !wanted.contains(*violation) && !also.contains(*violation)) {
        findings.push(at.finding(level, "/violations", "/verdict/violations", "no such violation".to_owned(), words(extra)));
    }
    if let Some(expected) = expected.not_judged.as_ref().filter(|_| with_rules) {
        let expected: BTreeSet<&str> = expected.iter().map(String::as_str).collect();
        let rows = got.get("not_judged").and_then(Value::as_array);
        let got: BTreeSet<&str> = rows.into_iter().flatten().filter_map(Value::as_str).collect();
        if expected != got {
            findings.push(at.finding(level, "/not_judged", "/verdict/not_judged", format!("{expected:?}"), format!("{got:?}")));
        }
    }
    findings
}

/// The violations of a verdict that are at least so binding; `None` where they are no such list. How binding one is, the rule says; one of
/// a rule that this kit does not have says it itself, and is a must where it does not.
fn named_violations(verdict: &Value, level: Level, with_rules: bool) -> Option<BTreeSet<Named>> {
    let mut named = BTreeSet::new();
    for row in verdict.get("violations")?.as_array()? {
        let path = row.get("path")?.as_str()?;
        let rule = row.get("rule").and_then(Value::as_str);
        if with_rules && rule.is_none() {
            return None;
        }
        let said = row.get("level").and_then(Value::as_str).and_then(Level::from_word);
        let known = rule.and_then(RulePack::shipped_rule).map(|(_, rule)| rule);
        let row_level = match known {
            Some(rule) => rule.milder.filter(|milder| said == Some(*milder)).unwrap_or(rule.level),
            None => said.unwrap_or(Level::Must),
        };
        if row_level >= level {
            named.insert((rule.filter(|_| with_rules).unwrap_or_default().to_owned(), path.to_owned()));
        }
    }
    Some(named)
}

/// What the rules say of an exchange, as findings of a case.
pub(super) fn rule_findings(pack: &RulePack, case: &Case, step: usize, exchange: &Exchange<'_>) -> Vec<Finding> {
    violation_findings(pack, case, step, pack.judge(exchange).violations)
}

/// Violations as findings of a case.
pub(super) fn violation_findings(pack: &RulePack, case: &Case, step: usize, violations: Vec<Violation>) -> Vec<Finding> {
    let findings = violations.into_iter().filter(|violation| !case.without.contains(&violation.rule)).map(|violation| {
        let rule = pack.rule(&violation.rule);
        Finding {
            level: violation.level,
            clause: rule.map_or_else(String::new, |rule| rule.clause.clone()),
            expected: rule.map_or_else(String::new, |rule| rule.title.clone()),
            source: FindingSource::Rule(violation.rule),
            step: case.steps[step].name.clone(),
            path: violation.path,
            got: violation.message,
            line: case.place.line,
            column: case.place.column,
            request: None,
            asked: None,
            events: Vec::new(),
        }
    });
    findings.collect()
}

/// Looks up the answers of earlier steps and what the reference says of this one.
pub(super) struct Context<'a> {
    pub(super) reference: Option<&'a Value>,
    pub(super) earlier: &'a dyn Fn(&str, &str) -> Option<Value>,
}

impl MatchContext for Context<'_> {
    fn computed(&self, path: &str) -> Option<Value> {
        self.reference?.pointer(path).cloned()
    }

    fn earlier(&self, step: &str, path: &str) -> Option<Value> {
        (self.earlier)(step, path)
    }
}

/// A refusal in one word, for people.
pub(super) fn describe(answer: &Answer) -> String {
    match answer {
        Answer::Result(value) => json::excerpt(value, EXCERPT),
        Answer::Refusal(Refusal { category, .. }) => format!("a refusal, {category}"),
        Answer::Unsupported => "unsupported".to_owned(),
        Answer::Error(error) => format!("error {}: {}", error.code, error.message),
    }
}
