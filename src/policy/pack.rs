//! The rule pack: rules read from data, each with its check and with examples that pass and that fail.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use super::checks;
use super::exchange::{Companion, Exchange, NativeCheck, View};
use crate::adapter::{Answer, Operation};
use crate::contract::rendering::RenderingProfile;
use crate::schema::Schema;
use crate::verdict::{Basis, Level, Verdict, Violation};
use crate::{embedded, yaml};

/// The rules of one version of one contract.
#[derive(Debug)]
pub struct RulePack {
    /// The contract's name.
    pub contract: String,
    /// Its version, as the protocol names it.
    pub version: Value,
    rules: Vec<Rule>,
    bases: BTreeMap<String, Value>,
}

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// Such as `AE-103`.
    pub id: String,
    /// How binding it is.
    pub level: Level,
    /// What it rests on.
    pub basis: Basis,
    /// The requirement that it tests.
    pub clause: String,
    /// What holds, in one sentence.
    pub title: String,
    /// The operations whose answers it judges.
    pub operations: Vec<Operation>,
    /// How it judges.
    pub check: Check,
    /// Exchanges that keep it.
    pub pass: Vec<Example>,
    /// Exchanges that break it.
    pub fail: Vec<Example>,
}

/// How a rule judges.
pub enum Check {
    /// A JSON Schema fragment over the result.
    Schema(Box<Schema>),
    /// A check in code, by name.
    Native {
        /// The name that the pack uses.
        name: String,
        /// The code.
        run: NativeFn,
    },
}

/// The code of a native check; opaque to users of the pack.
#[derive(Clone, Copy)]
pub struct NativeFn(NativeCheck);

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Schema(_) => f.write_str("Schema"),
            Self::Native { name, .. } => write!(f, "Native({name})"),
        }
    }
}

/// An exchange to show a rule by: a named base with single edits.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// Which exchange.
    pub base: String,
    /// JSON Pointer into it → the new value; `{$remove: true}` takes a member out.
    #[serde(default)]
    pub edit: BTreeMap<String, Value>,
}

/// Why an example shows nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExampleFault(pub String);

impl fmt::Display for ExampleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a rule pack can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackError(pub String);

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PackError {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PackFile {
    contract: String,
    version: Value,
    bases: BTreeMap<String, Value>,
    rules: Vec<RuleEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleEntry {
    id: String,
    level: Level,
    basis: Basis,
    clause: String,
    title: String,
    operations: Vec<String>,
    check: CheckEntry,
    pass: Vec<Example>,
    fail: Vec<Example>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckEntry {
    schema: Option<Value>,
    native: Option<String>,
}

static ACTIVATION: LazyLock<RulePack> = LazyLock::new(|| {
    RulePack::read(embedded::text("schemas/rules/skill-activation-evidence-v1.yaml")).expect("the shipped pack, held by a test")
});

impl RulePack {
    /// The pack of skill activation evidence, version 1.
    #[must_use]
    pub fn activation() -> &'static Self {
        &ACTIVATION
    }

    /// Reads a pack.
    ///
    /// # Errors
    /// [`PackError`] for what is no pack: a level above its basis, an unknown check or operation, a double id, a broken schema.
    pub fn read(text: &str) -> Result<Self, PackError> {
        let document = yaml::parse(text).map_err(|error| PackError(error.to_string()))?;
        let file: PackFile = serde_json::from_value(document.value).map_err(|error| PackError(error.to_string()))?;
        let mut rules: Vec<Rule> = Vec::new();
        for entry in file.rules {
            let fault = |what: &str| PackError(format!("{}: {what}", entry.id));
            if entry.level > entry.basis.highest_level() {
                return Err(fault("its level is above its basis"));
            }
            if rules.iter().any(|rule| rule.id == entry.id) {
                return Err(fault("stands there twice"));
            }
            let check = match (entry.check.schema, entry.check.native) {
                (Some(schema), None) => Check::Schema(Box::new(Schema::compile(&schema).map_err(|error| fault(&error.to_string()))?)),
                (None, Some(name)) => {
                    let found = checks::ALL.iter().find(|(known, _)| *known == name);
                    let (_, run) = found.ok_or_else(|| fault(&format!("there is no native check {name:?}")))?;
                    Check::Native { name, run: NativeFn(*run) }
                }
                _ => return Err(fault("has one check: a schema or the name of a native one")),
            };
            let operations = entry.operations.iter().map(|name| Operation::from_name(name).ok_or_else(|| fault("unknown operation")));
            rules.push(Rule {
                operations: operations.collect::<Result<_, _>>()?,
                id: entry.id,
                level: entry.level,
                basis: entry.basis,
                clause: entry.clause,
                title: entry.title,
                check,
                pass: entry.pass,
                fail: entry.fail,
            });
        }
        Ok(Self { contract: file.contract, version: file.version, rules, bases: file.bases })
    }

    /// The rules, in the pack's order.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The rule of this id.
    #[must_use]
    pub fn rule(&self, id: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.id == id)
    }

    /// The pack without one rule: what a suite would miss if it were gone.
    #[must_use]
    pub fn without(mut self, id: &str) -> Self {
        self.rules.retain(|rule| rule.id != id);
        self
    }

    /// What the rules say of an exchange. Laws speak only of the variant that is theirs, and then nobody else does.
    #[must_use]
    pub fn judge(&self, exchange: &Exchange<'_>) -> Verdict {
        let (mut violations, mut not_judged) = (Vec::new(), Vec::new());
        let view = View::of(exchange);
        for rule in self.rules.iter().filter(|rule| rule.is_about(exchange)) {
            match rule.findings(&view) {
                None => not_judged.push(rule.id.clone()),
                Some(findings) => violations.extend(findings.into_iter().map(|(path, message)| Violation {
                    rule: rule.id.clone(),
                    level: rule.level,
                    path,
                    message,
                })),
            }
        }
        Verdict::new(violations, not_judged)
    }

    /// Judges an example of a rule: the findings of that rule alone.
    ///
    /// # Errors
    /// [`ExampleFault`] where the example is no exchange, or the rule can't judge it.
    pub fn judge_example(&self, rule: &Rule, example: &Example) -> Result<Vec<(String, String)>, ExampleFault> {
        let value = self.example_value(example)?;
        let owned = OwnedExchange::read(&value)?;
        rule.findings(&View::of(&owned.borrow(&rule.id))).ok_or_else(|| ExampleFault("the rule does not judge this exchange".to_owned()))
    }

    /// The exchange of an example, edited.
    ///
    /// # Errors
    /// [`ExampleFault`] where the base or a place is not there.
    pub fn example_value(&self, example: &Example) -> Result<Value, ExampleFault> {
        let base = self.bases.get(&example.base).ok_or_else(|| ExampleFault(format!("there is no base {:?}", example.base)))?;
        let mut value = base.clone();
        for (pointer, new) in &example.edit {
            edit(&mut value, pointer, new).ok_or_else(|| ExampleFault(format!("there is no place {pointer:?}")))?;
        }
        Ok(value)
    }
}

fn edit(value: &mut Value, pointer: &str, new: &Value) -> Option<()> {
    let (parent, token) = pointer.rsplit_once('/')?;
    let token = token.replace("~1", "/").replace("~0", "~");
    let remove = new.get("$remove") == Some(&Value::Bool(true));
    match value.pointer_mut(parent)? {
        Value::Object(members) if remove => members.remove(&token).map(drop),
        Value::Object(members) => {
            members.insert(token, new.clone());
            Some(())
        }
        Value::Array(items) => {
            let at: usize = token.parse().ok()?;
            if remove && at < items.len() {
                items.remove(at);
            } else if at == items.len() {
                items.push(new.clone());
            } else {
                *items.get_mut(at)? = new.clone();
            }
            Some(())
        }
        _ => None,
    }
}

impl Rule {
    /// Whether the rule speaks of this kind of exchange.
    fn is_about(&self, exchange: &Exchange<'_>) -> bool {
        if !self.operations.contains(&exchange.operation) {
            return false;
        }
        match exchange.companion {
            Some(Companion::Variant { law, .. }) => law == self.id,
            _ => !self.is_law(),
        }
    }

    /// Whether the rule compares two answers whose requests differ.
    #[must_use]
    pub fn is_law(&self) -> bool {
        matches!(&self.check, Check::Native { name, .. } if name.starts_with("law_") || name == "read_unknown_keys")
    }

    fn findings(&self, exchange: &View<'_>) -> Option<Vec<(String, String)>> {
        match &self.check {
            Check::Native { run, .. } => (run.0)(exchange),
            Check::Schema(schema) => {
                let result = exchange.result()?;
                Some(schema.violations(result).into_iter().map(|violation| (violation.path, violation.message)).collect())
            }
        }
    }
}

/// An exchange written as data: `{operation, params?, result | refusal, profile?, twin?, variant?}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExampleExchange {
    operation: String,
    params: Option<Value>,
    result: Value,
    profile: Option<RenderingProfile>,
    twin: Option<Value>,
    variant: Option<ExampleVariant>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExampleVariant {
    #[serde(default)]
    params: Value,
    result: Value,
}

struct OwnedExchange {
    operation: Operation,
    params: Option<Value>,
    answer: Answer,
    profile: Option<RenderingProfile>,
    twin: Option<Answer>,
    variant: Option<(Value, Answer)>,
}

impl OwnedExchange {
    fn read(value: &Value) -> Result<Self, ExampleFault> {
        let data: ExampleExchange = serde_json::from_value(value.clone()).map_err(|error| ExampleFault(error.to_string()))?;
        Ok(Self {
            operation: Operation::from_name(&data.operation).ok_or_else(|| ExampleFault("unknown operation".to_owned()))?,
            params: data.params,
            answer: Answer::from_result(data.result),
            profile: data.profile,
            twin: data.twin.map(Answer::from_result),
            variant: data.variant.map(|variant| (variant.params, Answer::from_result(variant.result))),
        })
    }

    fn borrow<'a>(&'a self, law: &'a str) -> Exchange<'a> {
        let variant = self.variant.as_ref().map(|(params, answer)| Companion::Variant { law, params, answer });
        Exchange {
            operation: self.operation,
            params: self.params.as_ref(),
            answer: &self.answer,
            profile: self.profile.as_ref(),
            companion: self.twin.as_ref().map(Companion::Twin).or(variant),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_holds_for_its_good_examples_and_finds_every_bad_one() {
        let pack = RulePack::activation();
        for rule in pack.rules() {
            assert!(!rule.pass.is_empty() && !rule.fail.is_empty(), "{} lacks examples", rule.id);
            for example in &rule.pass {
                assert_eq!(pack.judge_example(rule, example), Ok(Vec::new()), "{} refuses {example:?}", rule.id);
            }
            for example in &rule.fail {
                let findings = pack.judge_example(rule, example);
                assert!(findings.as_ref().is_ok_and(|findings| !findings.is_empty()), "{} misses {example:?}: {findings:?}", rule.id);
            }
        }
    }

    #[test]
    fn a_bad_example_is_one_edit_away_from_a_good_one() {
        for rule in RulePack::activation().rules() {
            for example in &rule.fail {
                let bases: Vec<&str> = rule.pass.iter().map(|pass| pass.base.as_str()).collect();
                assert!(bases.contains(&example.base.as_str()) && !example.edit.is_empty(), "{}: {example:?}", rule.id);
            }
        }
    }

    #[test]
    fn a_pack_with_a_fault_is_refused() {
        let rule = "{id: X-1, level: must, basis: text, clause: c, title: t, operations: [activation.read], check: {native: tokens}, pass: [], fail: []}";
        let pack = |rules: &str| RulePack::read(&format!("{{contract: c, version: 1, bases: {{}}, rules: [{rules}]}}")).map(drop);
        assert_eq!(pack(rule), Ok(()));
        for (rules, part) in [
            (format!("{rule}, {rule}"), "twice"),
            (rule.replace("text", "decision"), "above its basis"),
            (rule.replace("native: tokens", "native: nothing"), "no native check"),
            (rule.replace("native: tokens", "schema: {typ: string}"), "no keyword"),
            (rule.replace("native: tokens", ""), "one check"),
            (rule.replace("activation.read", "activation.none"), "unknown operation"),
            (rule.replace("title: t", "titel: t"), "unknown field"),
        ] {
            let error = pack(&rules).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn every_native_check_is_used() {
        let used: Vec<&str> = RulePack::activation()
            .rules()
            .iter()
            .filter_map(|rule| match &rule.check {
                Check::Native { name, .. } => Some(name.as_str()),
                Check::Schema(_) => None,
            })
            .collect();
        for (name, _) in checks::ALL {
            assert!(used.contains(name), "{name} is in no pack");
        }
    }
}
