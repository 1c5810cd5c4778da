//! What a case expects of one answer.

use serde_json::Value;

use super::matcher::{Matcher, MatcherFault};
use crate::adapter::Operation;
use crate::json::pointer_push;
use crate::policy::RulePack;
use crate::verdict::Level;

/// What is expected of an answer.
#[derive(Debug, Clone)]
pub enum Expectation {
    /// A result that matches.
    Result(Matcher),
    /// A refusal.
    Error {
        /// Its category, judged at `may`.
        category: Matcher,
        /// The event of a blocked load.
        event: Option<Matcher>,
    },
    /// A verdict.
    Verdict(VerdictExpectation),
    /// Any of these, each acceptable.
    OneOf(Vec<Expectation>),
}

/// What is expected of a verdict; violations are judged as a set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerdictExpectation {
    /// Whether the document is valid.
    pub valid: bool,
    /// Violations that must be found.
    pub violations: Vec<ViolationExpectation>,
    /// Violations that may be found as consequences.
    pub also: Vec<ViolationExpectation>,
    /// Rules that can't be judged, where the case says which.
    pub not_judged: Option<Vec<String>>,
}

/// A violation as a verdict names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ViolationExpectation {
    /// The rule's id.
    pub rule: String,
    /// JSON Pointer into the document.
    pub path: String,
}

impl Expectation {
    pub(super) fn read(value: &Value) -> Result<Self, MatcherFault> {
        let fault = |path: &str, message: &str| MatcherFault { path: path.to_owned(), message: message.to_owned() };
        let members = value.as_object().ok_or_else(|| fault("", "an expectation is a mapping with result, error, verdict or one_of"))?;
        let inside = |path: &str, error: MatcherFault| MatcherFault { path: format!("{path}{}", error.path), message: error.message };
        let mut keys: Vec<&str> = members.keys().map(String::as_str).collect();
        keys.sort_unstable();
        match keys.as_slice() {
            ["result"] => Ok(Self::Result(Matcher::read(&members["result"]).map_err(|error| inside("/result", error))?)),
            ["error"] | ["error", "event"] => {
                let error = members["error"].as_object().filter(|error| error.keys().eq(["category"]));
                let error = error.ok_or_else(|| fault("/error", "error takes {category: …}"))?;
                let category = Matcher::read(&error["category"]).map_err(|error| inside("/error/category", error))?;
                let event = members.get("event").map(Matcher::read).transpose().map_err(|error| inside("/event", error))?;
                Ok(Self::Error { category, event })
            }
            ["verdict"] => VerdictExpectation::read(&members["verdict"]).map(Self::Verdict).map_err(|error| inside("/verdict", error)),
            ["one_of"] => {
                let items = members["one_of"].as_array().filter(|items| items.len() > 1);
                let items = items.ok_or_else(|| fault("/one_of", "one_of takes a list of at least two expectations"))?;
                let read = |(at, item)| Self::read(item).map_err(|error| inside(&pointer_push("/one_of", at), error));
                Ok(Self::OneOf(items.iter().enumerate().map(read).collect::<Result<_, _>>()?))
            }
            _ => Err(fault("", "an expectation has exactly one of result, error (with event, if need be), verdict, one_of")),
        }
    }

    /// Parts that can't fail, by their pointer inside the expectation.
    pub(super) fn vacuous_parts(&self) -> Vec<String> {
        let mut found = Vec::new();
        match self {
            Self::Result(matcher) if matcher.holds_always() => found.push("/result".to_owned()),
            Self::Result(matcher) => matcher.vacuous_parts("/result", &mut found),
            // That there is an event at all says something.
            Self::Error { event: Some(event), .. } if !matches!(event, Matcher::Any) => event.vacuous_parts("/event", &mut found),
            Self::Error { .. } | Self::Verdict(_) => {}
            Self::OneOf(items) => {
                for (at, item) in items.iter().enumerate() {
                    found.extend(item.vacuous_parts().into_iter().map(|path| format!("/one_of/{at}{path}")));
                }
            }
        }
        found
    }

    /// Parts of a verdict that say nothing of a case of this level, with what is wrong with each.
    pub(super) fn unjudged_parts(&self, level: Level, operation: Operation, is_run: bool) -> Vec<(String, String)> {
        let expected = match self {
            Self::Verdict(expected) => expected,
            Self::OneOf(items) => {
                let inner = |(at, item): (usize, &Self)| {
                    let parts = item.unjudged_parts(level, operation, is_run).into_iter();
                    parts.map(move |(path, message)| (format!("/one_of/{at}{path}"), message)).collect::<Vec<_>>()
                };
                return items.iter().enumerate().flat_map(inner).collect();
            }
            _ => return Vec::new(),
        };
        let mut found = Vec::new();
        let mut fault = |path: &str, message: String| found.push((format!("/verdict{path}"), message));
        if is_run {
            let only_valid = VerdictExpectation { valid: true, ..VerdictExpectation::default() };
            if *expected != only_valid {
                fault("", "a run is expected to be valid, and the rules say the rest".to_owned());
            }
            return found;
        }
        if !operation.answers_a_verdict() {
            fault("", format!("{operation} does not answer with a verdict"));
        }
        for (key, list, must_be_judged) in [("violations", &expected.violations, true), ("also", &expected.also, false)] {
            for (at, violation) in list.iter().enumerate() {
                let path = format!("/{key}/{at}/rule");
                match RulePack::shipped_rule(&violation.rule) {
                    None => fault(&path, format!("there is no rule {}", violation.rule)),
                    Some((_, rule)) if must_be_judged && rule.level < level => {
                        fault(&path, format!("{} is a {} rule, which a {level} case does not judge", rule.id, rule.level));
                    }
                    Some(_) => {}
                }
            }
        }
        for (at, rule) in expected.not_judged.iter().flatten().enumerate() {
            if RulePack::shipped_rule(rule).is_none() {
                fault(&format!("/not_judged/{at}"), format!("there is no rule {rule}"));
            }
        }
        let broken = |violation: &&ViolationExpectation| {
            RulePack::shipped_rule(&violation.rule).is_some_and(|(_, rule)| rule.level == Level::Must && rule.milder.is_none())
        };
        if expected.valid && expected.violations.iter().any(|violation| broken(&violation)) {
            fault("/valid", "a document that breaks a must is not valid".to_owned());
        }
        found
    }

    pub(super) fn matchers(&self) -> Vec<&Matcher> {
        match self {
            Self::Result(matcher) => vec![matcher],
            Self::Error { category, event } => std::iter::once(category).chain(event).collect(),
            Self::Verdict(_) => Vec::new(),
            Self::OneOf(items) => items.iter().flat_map(Self::matchers).collect(),
        }
    }

    /// Whether any part is `$computed`.
    #[must_use]
    pub fn uses_reference(&self) -> bool {
        self.matchers().iter().any(|matcher| matcher.uses_reference())
    }
}

impl VerdictExpectation {
    fn read(value: &Value) -> Result<Self, MatcherFault> {
        let fault = |path: &str, message: &str| MatcherFault { path: path.to_owned(), message: message.to_owned() };
        let members = value.as_object().ok_or_else(|| fault("", "verdict takes {valid, violations, also, not_judged}"))?;
        if let Some(key) = members.keys().find(|key| !["valid", "violations", "also", "not_judged"].contains(&key.as_str())) {
            return Err(fault(&pointer_push("", key), "verdict takes valid, violations, also, not_judged"));
        }
        let list = |key: &str| -> Result<Vec<ViolationExpectation>, MatcherFault> {
            let here = pointer_push("", key);
            let items = match members.get(key) {
                None => return Ok(Vec::new()),
                Some(value) => value.as_array().ok_or_else(|| fault(&here, "takes a list of {rule, path}"))?,
            };
            let read = |item: &Value| {
                let text = |key: &str| item.get(key).and_then(Value::as_str).map(str::to_owned);
                Some(ViolationExpectation { rule: text("rule")?, path: text("path")? })
            };
            items.iter().map(|item| read(item).ok_or_else(|| fault(&here, "takes a list of {rule, path}"))).collect()
        };
        let not_judged = members.get("not_judged").map(|value| {
            let items = value.as_array().into_iter().flatten().map(|item| item.as_str().map(str::to_owned));
            items.collect::<Option<Vec<_>>>().ok_or_else(|| fault("/not_judged", "takes a list of rules"))
        });
        Ok(Self {
            valid: members.get("valid").and_then(Value::as_bool).ok_or_else(|| fault("/valid", "valid takes true or false"))?,
            violations: list("violations")?,
            also: list("also")?,
            not_judged: not_judged.transpose()?,
        })
    }
}
