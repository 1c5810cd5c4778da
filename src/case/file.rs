//! One case file: from YAML to cases, with the place of each and of everything that they expect.

use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use serde_json::Value;

use super::expand;
use super::expectation::Expectation;
use super::suite::SuiteFault;
use crate::adapter::{LIFECYCLE_RUN, Operation};
use crate::contract::lifecycle::Event;
use crate::contract::rendering::Assumption;
use crate::embedded;
use crate::json::pointer_push;
use crate::schema::Schema;
use crate::verdict::{Basis, Level};
use crate::yaml::{self, Document, Place};

/// One case.
#[derive(Debug, Clone)]
pub struct Case {
    /// Unique in the suite.
    pub id: String,
    /// The behaviour in one sentence.
    pub title: String,
    /// How binding it is.
    pub level: Level,
    /// What it rests on.
    pub basis: Basis,
    /// The suite version that first had it.
    pub since: String,
    /// The requirement that it tests.
    pub clause: String,
    /// The contract's name.
    pub contract: String,
    /// The calls, at least one.
    pub steps: Vec<Step>,
    /// Wrong hosts that it must fail.
    pub catches: Vec<String>,
    /// Why, where the title is not enough.
    pub rationale: Option<String>,
    /// The rendering profile under which alone it runs.
    pub profile: Option<String>,
    /// Parts of the rendering profile that it insists on.
    pub assume: Assumption,
    /// Rules that are not judged in it.
    pub without: Vec<String>,
    /// Its file, from the suite's root.
    pub file: String,
    /// Where it stands there.
    pub place: Place,
    pointer: String,
    document: Arc<Document>,
}

/// One call of a case.
#[derive(Debug, Clone)]
pub struct Step {
    /// Its name, where the case has steps.
    pub name: Option<String>,
    /// What is asked; of a run the first of its calls.
    pub operation: Operation,
    /// Whether it is a whole run: a session in which a world is played, event by event.
    pub is_run: bool,
    /// With what, helpers not expanded.
    pub given: Value,
    /// What is expected of the answer.
    pub expect: Option<Expectation>,
    pointer: String,
}

impl Step {
    /// The operation as the case names it.
    #[must_use]
    pub fn operation_name(&self) -> &'static str {
        if self.is_run { LIFECYCLE_RUN } else { self.operation.name() }
    }
}

impl Case {
    /// Where a part of a step's expectation stands, by its pointer inside `expect`.
    #[must_use]
    pub fn expectation_place(&self, step: usize, pointer: &str) -> Place {
        let base = self.steps.get(step).map_or(&self.pointer, |step| &step.pointer);
        self.document.place(&format!("{base}/expect{pointer}"))
    }

    /// The operations that it asks for, as they are declared, each once.
    #[must_use]
    pub fn operations(&self) -> Vec<String> {
        let mut names: Vec<&str> = self.steps.iter().map(|step| step.operation.declared_name()).collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().map(str::to_owned).collect()
    }

    /// Whether what is right depends on a rendering profile.
    #[must_use]
    pub fn depends_on_profile(&self) -> bool {
        self.steps.iter().any(|step| step.operation.takes_profile() || step.expect.as_ref().is_some_and(Expectation::uses_reference))
    }

    /// Whether it needs a declared profile to be judged at all.
    #[must_use]
    pub fn needs_profile(&self) -> bool {
        self.steps
            .iter()
            .any(|step| expand::has_relative_budget(&step.given) || step.expect.as_ref().is_some_and(Expectation::uses_reference))
    }

    /// What it asks and what it wants, without what is there for people: the part that a frozen requirement set holds fast.
    pub(super) fn meaning(&self) -> Value {
        let entry = self.document.value.pointer(&self.pointer).cloned().unwrap_or_default();
        let mut meaning = serde_json::json!({"contract": self.contract, "clause": self.clause});
        for key in ["level", "basis", "operation", "given", "expect", "steps", "profile", "assume", "without"] {
            if let Some(value) = entry.get(key) {
                meaning[key] = value.clone();
            }
        }
        meaning
    }

    /// The line of the next case of the file, or `None` for the last one: where this one's text ends.
    #[must_use]
    pub fn next_line(&self) -> Option<usize> {
        let (list, at) = self.pointer.rsplit_once('/')?;
        let next = format!("{list}/{}", at.parse::<usize>().ok()? + 1);
        self.document.value.pointer(&next)?;
        Some(self.document.place(&next).line)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileEntry {
    contract: String,
    #[serde(rename = "version")]
    _version: Value,
    clause: Option<String>,
    #[serde(rename = "shared", default)]
    _shared: Value,
    cases: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseEntry {
    id: String,
    title: String,
    level: Level,
    basis: Basis,
    since: String,
    clause: Option<String>,
    operation: Option<String>,
    given: Option<Value>,
    expect: Option<Value>,
    #[serde(default)]
    steps: Vec<StepEntry>,
    #[serde(default)]
    catches: Vec<String>,
    rationale: Option<String>,
    profile: Option<String>,
    #[serde(default)]
    assume: Assumption,
    #[serde(default)]
    without: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepEntry {
    name: Option<String>,
    operation: String,
    given: Value,
    expect: Option<Value>,
}

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let schema = crate::json::parse(embedded::text("schemas/case-file.schema.json")).expect("shipped JSON, held by a test");
    Schema::compile(&schema).expect("the shipped schema, held by a test")
});

/// Reads a case file; faults are added to `faults`, and the cases without one are returned.
pub(super) fn read(file: &str, bytes: &[u8], faults: &mut Vec<SuiteFault>) -> Vec<Case> {
    let mut fault = |place: Place, message: String| faults.push(SuiteFault { file: file.to_owned(), place, message });
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
            fault(Place { line, column: 1 }, "the file is not UTF-8".to_owned());
            return Vec::new();
        }
    };
    let document = match yaml::parse(text) {
        Ok(document) => Arc::new(document),
        Err(error) => {
            fault(error.place, error.message);
            return Vec::new();
        }
    };
    let violations = SCHEMA.violations(&document.value);
    for violation in &violations {
        fault(document.place(&violation.path), format!("{} {}", named(&violation.path), violation.message));
    }
    if !violations.is_empty() {
        return Vec::new();
    }
    let entry: FileEntry = match serde_json::from_value(document.value.clone()) {
        Ok(entry) => entry,
        Err(error) => {
            fault(Place { line: 1, column: 1 }, error.to_string());
            return Vec::new();
        }
    };
    let mut cases = Vec::new();
    for (at, value) in entry.cases.into_iter().enumerate() {
        let pointer = format!("/cases/{at}");
        match serde_json::from_value::<CaseEntry>(value) {
            Err(error) => fault(document.place(&pointer), error.to_string()),
            Ok(case) => {
                let context =
                    CaseContext { file, document: &document, contract: &entry.contract, clause: entry.clause.as_deref(), pointer };
                match case.into_case(&context) {
                    Ok(case) => cases.push(case),
                    Err(found) => found.into_iter().for_each(|(place, message)| fault(place, message)),
                }
            }
        }
    }
    cases
}

fn named(path: &str) -> String {
    match path.rsplit('/').next() {
        Some(name) if !name.is_empty() => format!("{name:?} (at {path})"),
        _ => "the file".to_owned(),
    }
}

/// What is wrong with the world of a run, by its place in what is given. Events with helpers are looked at once they are expanded.
fn world_faults(given: &Value) -> Vec<(String, String)> {
    let Some(events) = given.get("world").and_then(Value::as_array) else { return Vec::new() };
    let mut faults = Vec::new();
    let mut fault = |at: usize, message: String| faults.push((format!("/world/{at}"), format!("event {}: {message}", at + 1)));
    let has_helper = |event: &Value| event.to_string().contains("\"$");
    for (at, event) in events.iter().enumerate().filter(|(_, event)| !has_helper(event)) {
        match Event::read(event, true) {
            Err(message) => fault(at, message),
            Ok(read) if !read.is_of_the_world() => fault(at, "it is a host's event; a world has the world's only".to_owned()),
            Ok(Event::TraceEnded) if at + 1 < events.len() => fault(at, "something follows trace.ended".to_owned()),
            Ok(_) if event.get("seq").is_some() => fault(at, "it has a seq; the kit numbers the events of a run".to_owned()),
            Ok(_) => {}
        }
    }
    if events.last().is_none_or(|event| !has_helper(event) && event.get("type") != Some(&Value::from("trace.ended"))) {
        fault(events.len().saturating_sub(1), "a world ends with trace.ended".to_owned());
    }
    faults
}

struct CaseContext<'a> {
    file: &'a str,
    document: &'a Arc<Document>,
    contract: &'a str,
    clause: Option<&'a str>,
    pointer: String,
}

impl CaseEntry {
    fn into_case(self, context: &CaseContext<'_>) -> Result<Case, Vec<(Place, String)>> {
        let document = context.document;
        let pointer = &context.pointer;
        let mut faults = Vec::new();
        let mut fault = |pointer: &str, message: String| faults.push((document.place(pointer), format!("case {}: {message}", self.id)));
        if self.level > self.basis.highest_level() {
            let message =
                format!("level {} is above what basis {} carries ({})", self.level, self.basis.as_str(), self.basis.highest_level());
            fault(&format!("{pointer}/level"), message);
        }
        if matches!(self.basis, Basis::Decision | Basis::Measured) && self.rationale.is_none() {
            fault(&format!("{pointer}/basis"), format!("basis {} needs a rationale", self.basis.as_str()));
        }
        if !self.without.is_empty() && self.level != Level::May {
            fault(&format!("{pointer}/without"), "only a may case switches rules off".to_owned());
        }
        let entries = match (self.operation, self.given, self.expect) {
            (Some(operation), Some(given), expect) => {
                vec![(pointer.clone(), StepEntry { name: None, operation, given, expect })]
            }
            _ => self.steps.into_iter().enumerate().map(|(at, step)| (format!("{pointer}/steps/{at}"), step)).collect(),
        };
        let mut steps: Vec<Step> = Vec::new();
        for (pointer, entry) in entries {
            let is_run = entry.operation == LIFECYCLE_RUN;
            let operation = if is_run { Some(Operation::LifecycleOpen) } else { Operation::from_name(&entry.operation) };
            let Some(operation) = operation else {
                fault(&format!("{pointer}/operation"), format!("there is no operation {:?}", entry.operation));
                continue;
            };
            if is_run && entry.given.get("world").is_some() == entry.given.get("walk").is_some() {
                fault(&format!("{pointer}/given"), "a run is given a world, or a walk through one".to_owned());
            }
            for (path, message) in world_faults(&entry.given).into_iter().filter(|_| is_run) {
                fault(&format!("{pointer}/given{path}"), message);
            }
            let mut expand_faults = Vec::new();
            expand::check(&entry.given, "", &mut expand_faults);
            for found in expand_faults {
                fault(&format!("{pointer}/given{}", found.path), found.message);
            }
            let known = |name: &str| steps.iter().any(|step| step.name.as_deref() == Some(name));
            let mut named = Vec::new();
            expand::steps_named(&entry.given, &mut named);
            for name in named.into_iter().filter(|name| !known(name)) {
                fault(&format!("{pointer}/given"), format!("$from names the step {name:?}, which is not an earlier one"));
            }
            let expect = match entry.expect.as_ref().map(Expectation::read).transpose() {
                Ok(expect) => expect,
                Err(found) => {
                    fault(&format!("{pointer}/expect{}", found.path), found.message);
                    continue;
                }
            };
            for path in expect.iter().flat_map(Expectation::vacuous_parts) {
                fault(&format!("{pointer}/expect{path}"), format!("the expectation at {path:?} can't fail"));
            }
            for (path, message) in expect.iter().flat_map(|expect| expect.unjudged_parts(self.level, operation, is_run)) {
                fault(&format!("{pointer}/expect{path}"), message);
            }
            let mut named = Vec::new();
            expect.iter().flat_map(Expectation::matchers).for_each(|matcher| matcher.steps_named(&mut named));
            for name in named.into_iter().filter(|name| !known(name)) {
                fault(&format!("{pointer}/expect"), format!("$same_as names the step {name:?}, which is not an earlier one"));
            }
            if entry.name.as_deref().is_some_and(known) {
                fault(&pointer_push(&pointer, "name"), "an earlier step has this name".to_owned());
            }
            steps.push(Step { name: entry.name, operation, is_run, given: entry.given, expect, pointer });
        }
        if steps.iter().all(|step| step.expect.is_none()) {
            fault(pointer, "no step expects anything".to_owned());
        }
        let clause = self.clause.as_deref().or(context.clause);
        if clause.is_none() {
            fault(pointer, "neither the case nor the file names a clause".to_owned());
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(Case {
            title: self.title,
            level: self.level,
            basis: self.basis,
            since: self.since,
            clause: clause.unwrap_or_default().to_owned(),
            contract: context.contract.to_owned(),
            steps,
            catches: self.catches,
            rationale: self.rationale,
            profile: self.profile,
            assume: self.assume,
            without: self.without,
            file: context.file.to_owned(),
            place: document.place(&format!("{pointer}/id")),
            pointer: pointer.clone(),
            document: Arc::clone(document),
            id: self.id,
        })
    }
}
