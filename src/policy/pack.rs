//! The rule pack: rules read from data, each with its check and with examples that pass and that fail.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use super::checks;
use super::exchange::{Companion, Exchange, NativeCheck, View};
use super::packet::{self, PacketCheck, Subject, Surface};
use super::private;
use super::receipt::{self, DocumentCheck};
use super::trace::{Breach, Monitor, RunFiles};
use super::views::{self, ViewCheck};
use crate::adapter::{Answer, Operation};
use crate::contract::packet::{self as packets, MediaType, Read as PacketRead};
use crate::contract::rendering::RenderingProfile;
use crate::schema::Schema;
use crate::verdict::{At, Basis, Level, Verdict, Violation};
use crate::{embedded, json, yaml};

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
    /// The operations whose answers it judges; none for a rule about documents.
    pub operations: Vec<Operation>,
    /// Whether a breach of it silences every other rule: what breaks it is not the kind of document that they speak of.
    pub alone: bool,
    /// A level below its own at which it also reports, what lies between kept and broken.
    pub milder: Option<Level>,
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
pub struct NativeFn(Native);

/// What a native check looks at.
#[derive(Clone, Copy)]
enum Native {
    /// An answer, with its request.
    Exchange(NativeCheck),
    /// A receipt.
    Document(DocumentCheck),
    /// A packet.
    Packet(PacketCheck),
    /// What was made of a packet.
    View(ViewCheck),
    /// A trace, by the monitor that runs once for all rules.
    Trace(Breach),
}

impl Native {
    fn named(name: &str) -> Option<Self> {
        let by_name = |known: &&str| *known == name;
        let exchange = checks::ALL.iter().find(|(known, _)| by_name(known)).map(|(_, run)| Self::Exchange(*run));
        let document = || receipt::ALL.iter().find(|(known, _)| by_name(known)).map(|(_, run)| Self::Document(*run));
        let packet = || packet::ALL.iter().find(|(known, _)| by_name(known)).map(|(_, run)| Self::Packet(*run));
        let view = || views::ALL.iter().find(|(known, _)| by_name(known)).map(|(_, run)| Self::View(*run));
        exchange.or_else(document).or_else(packet).or_else(view).or_else(|| Breach::from_word(name).map(Self::Trace))
    }
}

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
    #[serde(default)]
    operations: Vec<String>,
    #[serde(default)]
    alone: bool,
    milder: Option<Level>,
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

/// The packs that ship, by their files.
static SHIPPED: LazyLock<[RulePack; 4]> = LazyLock::new(|| {
    ["skill-activation-evidence-v1", "skill-release-receipt-v1", "skill-lifecycle-trace-v1", "evidence-return-packet-v0.1"].map(|name| {
        let text = embedded::text(&format!("schemas/rules/{name}.yaml"));
        RulePack::read(text).unwrap_or_else(|error| panic!("{name}, which a test holds: {error}"))
    })
});

impl RulePack {
    /// The pack of skill activation evidence, version 1.
    #[must_use]
    pub fn activation() -> &'static Self {
        &SHIPPED[0]
    }

    /// The pack of skill release receipts, version 1.
    #[must_use]
    pub fn receipt() -> &'static Self {
        &SHIPPED[1]
    }

    /// The pack of skill lifecycle traces, version 1.
    #[must_use]
    pub fn trace() -> &'static Self {
        &SHIPPED[2]
    }

    /// The pack of evidence return packets, version 0.1.
    #[must_use]
    pub fn packet() -> &'static Self {
        &SHIPPED[3]
    }

    /// Every pack that ships.
    #[must_use]
    pub fn shipped() -> &'static [Self] {
        &*SHIPPED
    }

    /// The shipped rule of this id, with its pack.
    #[must_use]
    pub fn shipped_rule(id: &str) -> Option<(&'static Self, &'static Rule)> {
        SHIPPED.iter().find_map(|pack| Some((pack, pack.rule(id)?)))
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
                    let run = Native::named(&name).ok_or_else(|| fault(&format!("there is no native check {name:?}")))?;
                    if matches!(run, Native::Exchange(_) | Native::View(_)) == entry.operations.is_empty() {
                        return Err(fault("a check of answers names operations, and a check of documents none"));
                    }
                    Check::Native { name, run: NativeFn(run) }
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
                alone: entry.alone,
                milder: entry.milder,
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
                Some(findings) => violations.extend(findings),
            }
        }
        Verdict::new(violations, not_judged)
    }

    /// What the rules say of a receipt.
    #[must_use]
    pub fn judge_receipt(&self, receipt: &Value) -> Verdict {
        let of_documents = || self.rules.iter().filter(|rule| rule.operations.is_empty());
        let alone = of_documents().filter(|rule| rule.alone).map(|rule| rule.document_findings(receipt)).find(|found| !found.is_empty());
        let violations =
            alone.unwrap_or_else(|| of_documents().filter(|rule| !rule.alone).flat_map(|rule| rule.document_findings(receipt)).collect());
        Verdict::new(violations, Vec::new())
    }

    /// What the rules say of a packet, on a surface where one is given.
    #[must_use]
    pub fn judge_packet(&self, packet: &Value, surface: Option<&Surface>) -> Verdict {
        let subject = Subject { packet, surface };
        let of_documents = || self.rules.iter().filter(|rule| rule.operations.is_empty());
        let alone =
            of_documents().filter(|rule| rule.alone).filter_map(|rule| rule.packet_findings(&subject)).find(|found| !found.is_empty());
        if let Some(violations) = alone {
            return Verdict::new(violations, Vec::new());
        }
        let (mut violations, mut not_judged) = (Vec::new(), Vec::new());
        for rule in of_documents().filter(|rule| !rule.alone) {
            match rule.packet_findings(&subject) {
                Some(found) => violations.extend(found),
                None => not_judged.push(rule.id.clone()),
            }
        }
        Verdict::new(violations, not_judged)
    }

    /// What the rules say of a document that is to be a packet; with the packet, where it could be read.
    #[must_use]
    pub fn judge_packet_text(&self, document: &str, media_type: MediaType, surface: Option<&Surface>) -> (Verdict, Option<PacketRead>) {
        match packets::read(document, media_type) {
            Ok(read) => (self.judge_packet(&read.packet, surface), Some(read)),
            Err(error) => {
                let rule = self.rules.iter().find(|rule| matches!(&rule.check, Check::Native { name, .. } if name == "packet_readable"));
                let violation = rule.map(|rule| {
                    let at = error.place.map(|place| At { line: place.line, column: place.column });
                    Violation { at, ..rule.violation(String::new(), error.message, false) }
                });
                (Verdict::new(violation.into_iter().collect(), Vec::new()), None)
            }
        }
    }

    /// What the rules say of a trace, `{capabilities, receipts?, events}`.
    ///
    /// # Errors
    /// What makes it no trace at all, in words: no mapping, no capabilities, no list of events.
    pub fn judge_trace(&self, trace: &Value) -> Result<Verdict, String> {
        let events = match trace.get("events") {
            Some(Value::Array(events)) => events,
            Some(other) => return Err(format!("events: it is of type {}, not a list", json::type_name(other))),
            None => return Err("events: a list is required".to_owned()),
        };
        let mut monitor = Monitor::open(self, trace)?;
        for event in events {
            monitor.observe(event);
        }
        let mut violations = monitor.take_violations();
        let (rest, not_judged) = monitor.finish();
        violations.extend(rest);
        Ok(Verdict::new(violations, not_judged))
    }

    /// A trace of the examples; one with files is a run.
    fn judge_example_trace(&self, trace: &Value) -> Result<Vec<Violation>, String> {
        let Some(files) = trace.get("files") else { return Ok(self.judge_trace(trace)?.violations) };
        let mut monitor = Monitor::open(self, trace)?.in_run(RunFiles::of(files));
        trace["events"].as_array().into_iter().flatten().for_each(|event| monitor.observe(event));
        Ok(monitor.finish().0)
    }

    /// The rule that stands for a breach of a trace, where the pack has it.
    pub(super) fn rule_of(&self, breach: Breach) -> Option<&Rule> {
        self.rules.iter().find(|rule| matches!(&rule.check, Check::Native { run: NativeFn(Native::Trace(it)), .. } if *it == breach))
    }

    /// Judges an example of a rule: the findings of that rule alone.
    ///
    /// # Errors
    /// [`ExampleFault`] where the example is no exchange, or the rule can't judge it.
    pub fn judge_example(&self, rule: &Rule, example: &Example) -> Result<Vec<(String, String)>, ExampleFault> {
        let value = self.example_value(example)?;
        if rule.operations.is_empty() {
            let found = match &rule.check {
                Check::Native { run: NativeFn(Native::Trace(_)), .. } => self.judge_example_trace(&value).map_err(ExampleFault)?,
                _ if self.contract == packets::NAME => rule.packet_findings_of_example(&value)?,
                _ => rule.document_findings(&value),
            };
            let of_rule = found.into_iter().filter(|violation| violation.rule == rule.id);
            return Ok(of_rule.map(|violation| (violation.path, violation.message)).collect());
        }
        let owned = OwnedExchange::read(&value)?;
        let found = rule.findings(&View::of(&owned.borrow(&rule.id)));
        let found = found.ok_or_else(|| ExampleFault("the rule does not judge this exchange".to_owned()))?;
        Ok(found.into_iter().map(|violation| (violation.path, violation.message)).collect())
    }

    /// The exchange of an example, edited.
    ///
    /// # Errors
    /// [`ExampleFault`] where the base or a place is not there.
    pub fn example_value(&self, example: &Example) -> Result<Value, ExampleFault> {
        let base = self.bases.get(&example.base).ok_or_else(|| ExampleFault(format!("there is no base {:?}", example.base)))?;
        let mut value = base.clone();
        for (pointer, new) in &example.edit {
            json::edit(&mut value, pointer, new).ok_or_else(|| ExampleFault(format!("there is no place {pointer:?}")))?;
        }
        Ok(value)
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

    fn findings(&self, exchange: &View<'_>) -> Option<Vec<Violation>> {
        let plain = |found: Vec<(String, String)>| found.into_iter().map(|(path, message)| receipt::Finding::new(path, message)).collect();
        let found: Vec<receipt::Finding> = match &self.check {
            Check::Native { run: NativeFn(Native::Exchange(run)), .. } => plain(run(exchange)?),
            Check::Native { run: NativeFn(Native::View(run)), .. } => run(exchange)?,
            Check::Native { .. } => return None,
            Check::Schema(schema) => {
                let found = schema.violations(exchange.result()?).into_iter();
                found.map(|violation| receipt::Finding::new(violation.path, violation.message)).collect()
            }
        };
        Some(found.into_iter().map(|finding| self.violation(finding.path, finding.message, finding.is_milder)).collect())
    }

    /// What a rule about documents says of a receipt.
    fn document_findings(&self, document: &Value) -> Vec<Violation> {
        let found = match &self.check {
            Check::Native { run: NativeFn(Native::Document(run)), .. } => run(document),
            Check::Native { .. } => Vec::new(),
            Check::Schema(schema) => {
                let found = schema.violations(document).into_iter();
                found.map(|violation| receipt::Finding::new(violation.path, violation.message)).collect()
            }
        };
        found.into_iter().map(|finding| self.violation(finding.path, finding.message, finding.is_milder)).collect()
    }

    /// What a rule about packets says of one; `None` where it can't judge.
    fn packet_findings(&self, subject: &Subject<'_>) -> Option<Vec<Violation>> {
        let found = match &self.check {
            Check::Native { run: NativeFn(Native::Packet(run)), .. } => run(subject)?,
            Check::Native { .. } => Vec::new(),
            Check::Schema(schema) => {
                let found = schema.violations(subject.packet).into_iter();
                found.map(|violation| receipt::Finding::new(violation.path, violation.message)).collect()
            }
        };
        Some(found.into_iter().map(|finding| self.violation(finding.path, finding.message, finding.is_milder)).collect())
    }

    /// The same of an example, `{packet, surface?}`.
    fn packet_findings_of_example(&self, value: &Value) -> Result<Vec<Violation>, ExampleFault> {
        let packet = value.get("packet").ok_or_else(|| ExampleFault("it has no packet".to_owned()))?;
        let surface = value.get("surface").map(Surface::read).transpose().map_err(ExampleFault)?;
        let subject = Subject { packet, surface: surface.as_ref() };
        self.packet_findings(&subject).ok_or_else(|| ExampleFault("the rule does not judge this packet".to_owned()))
    }

    /// A breach of this rule, at its own level or at the milder one.
    pub(super) fn violation(&self, path: String, message: String, is_milder: bool) -> Violation {
        let level = if is_milder { self.milder.unwrap_or(self.level) } else { self.level };
        // What is said of a document is read in more places than the document.
        let message = match private::masked(&message) {
            Cow::Borrowed(_) => message,
            Cow::Owned(masked) => masked,
        };
        Violation { rule: self.id.clone(), level, path, message, at: None }
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
        for (pack, rule) in RulePack::shipped().iter().flat_map(|pack| pack.rules().iter().map(move |rule| (pack, rule))) {
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
        for rule in RulePack::shipped().iter().flat_map(RulePack::rules) {
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
        let used: Vec<&str> = RulePack::shipped()
            .iter()
            .flat_map(RulePack::rules)
            .filter_map(|rule| match &rule.check {
                Check::Native { name, .. } => Some(name.as_str()),
                Check::Schema(_) => None,
            })
            .collect();
        let names = checks::ALL.iter().map(|(name, _)| *name).chain(receipt::ALL.iter().map(|(name, _)| *name));
        let names = names.chain(views::ALL.iter().map(|(name, _)| *name));
        let names = names.chain(packet::ALL.iter().map(|(name, _)| *name));
        for name in names.chain(Breach::ALL.iter().map(|breach| breach.as_str())) {
            assert_eq!(used.iter().filter(|used| **used == name).count(), 1, "{name} stands for one rule");
        }
    }
}
