//! Helpers in what a case gives: short forms of what would be long, or of what depends on the host's profile.

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine as _;
use serde_json::{Map, Value};

use super::file::Case;
use super::suite::SuiteFiles;
use crate::contract::skill_file;
use crate::json::{self, pointer_push};
use crate::yaml;

/// The most values that the helpers of one case may produce.
pub const MAX_EXPANDED_NODES: usize = 4_000_000;
/// The most bytes of text that the helpers of one case may produce.
pub const MAX_EXPANDED_TEXT: usize = 64 * 1024 * 1024;

/// A helper that can't be expanded, with the pointer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpandError {
    /// JSON Pointer into what was given.
    pub path: String,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for ExpandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {:?}: {}", self.path, self.message)
    }
}

/// A budget that depends on the profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BudgetRequest {
    /// The smallest at which exactly so many cards are shown, plus something.
    Fits {
        /// How many.
        cards: u64,
        /// Added to it.
        plus: i64,
    },
    /// The profile's floor, plus something.
    Floor {
        /// Added to it.
        plus: i64,
    },
}

enum Helper<'a> {
    Repeat { count: usize, item: &'a Value },
    Base64(&'a str),
    Text { count: usize, item: &'a str },
    File(&'a str),
    SkillsDir { path: &'a str, source: Option<&'a str> },
    Budget(BudgetRequest),
    From { step: &'a str, path: &'a str },
    Edit { of: &'a Value, with: &'a Map<String, Value> },
    Numbered(&'a Value),
    Json(&'a Value),
    Yaml(&'a Value),
    Exact(&'a Value),
}

impl<'a> Helper<'a> {
    /// The helper that a mapping is; `None` where it is plain data.
    fn read(members: &'a Map<String, Value>) -> Result<Option<Self>, String> {
        let Some(name) = members.keys().find(|key| key.starts_with('$')) else { return Ok(None) };
        let argument = &members[name];
        let extra = members.keys().find(|key| *key != name && !(name == "$fits" && *key == "plus"));
        if let Some(extra) = extra {
            return Err(format!("{name} stands alone in its mapping; {extra:?} is beside it"));
        }
        let only = |allowed: &[&str]| match argument.as_object().and_then(|map| map.keys().find(|key| !allowed.contains(&key.as_str()))) {
            Some(key) => Err(format!("{name} takes no {key:?}")),
            None => Ok(()),
        };
        let count = || json::as_count(&argument["count"]).and_then(|count| usize::try_from(count).ok());
        let text = |key: &str| argument.get(key).and_then(Value::as_str);
        Ok(Some(match name.as_str() {
            "$repeat" => {
                only(&["count", "item"])?;
                let (Some(count), Some(item)) = (count(), argument.get("item")) else {
                    return Err("$repeat takes {count, item}".to_owned());
                };
                if contains_repeat(item) {
                    return Err("a $repeat inside a $repeat".to_owned());
                }
                Self::Repeat { count, item }
            }
            "$text" => match argument {
                Value::String(encoded) => Self::Base64(encoded),
                _ => {
                    only(&["count", "item"])?;
                    match (count(), text("item")) {
                        (Some(count), Some(item)) => Self::Text { count, item },
                        _ => return Err("$text takes a text in base64, or {count, item: TEXT}".to_owned()),
                    }
                }
            },
            "$file" => Self::File(argument.as_str().ok_or("$file takes a path")?),
            "$skills_dir" => {
                only(&["path", "source"])?;
                Self::SkillsDir { path: text("path").ok_or("$skills_dir takes {path, source}")?, source: text("source") }
            }
            "$fits" => {
                let plus = members.get("plus").map_or(Some(0), Value::as_i64).ok_or("plus takes a whole number")?;
                Self::Budget(BudgetRequest::Fits { cards: json::as_count(argument).ok_or("$fits takes a number of cards")?, plus })
            }
            "$floor" => Self::Budget(BudgetRequest::Floor { plus: argument.as_i64().ok_or("$floor takes a whole number")? }),
            "$from" => {
                only(&["step", "path"])?;
                match (text("step"), text("path")) {
                    (Some(step), Some(path)) => Self::From { step, path },
                    _ => return Err("$from takes {step, path}".to_owned()),
                }
            }
            "$edit" => {
                only(&["of", "with"])?;
                match (argument.get("of"), argument.get("with").and_then(Value::as_object)) {
                    (Some(of), Some(with)) if !with.is_empty() => Self::Edit { of, with },
                    _ => return Err("$edit takes {of: VALUE, with: {POINTER: VALUE, …}}".to_owned()),
                }
            }
            "$numbered" => match argument {
                Value::Array(_) | Value::Object(_) => Self::Numbered(argument),
                _ => return Err("$numbered takes a sequence of events".to_owned()),
            },
            "$json" => Self::Json(argument),
            "$yaml" => Self::Yaml(argument),
            "$exact" => Self::Exact(argument),
            unknown => return Err(format!("there is no helper {unknown}; write data with such keys below $exact")),
        }))
    }
}

/// What `$edit` takes a member or an element out by.
fn is_removal(value: &Value) -> bool {
    value.get("$remove") == Some(&Value::Bool(true))
}

fn contains_repeat(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.contains_key("$repeat") || members.values().any(contains_repeat),
        Value::Array(items) => items.iter().any(contains_repeat),
        _ => false,
    }
}

/// Checks the form of every helper, without expanding any.
pub(super) fn check(value: &Value, path: &str, faults: &mut Vec<ExpandError>) {
    match value {
        Value::Array(items) => items.iter().enumerate().for_each(|(at, item)| check(item, &pointer_push(path, at), faults)),
        Value::Object(members) => match Helper::read(members) {
            Err(message) => faults.push(ExpandError { path: path.to_owned(), message }),
            Ok(Some(Helper::Repeat { item, .. })) => check(item, &format!("{path}/$repeat/item"), faults),
            Ok(Some(Helper::Edit { of, with })) => {
                check(of, &format!("{path}/$edit/of"), faults);
                for (pointer, new) in with.iter().filter(|(_, new)| !is_removal(new)) {
                    check(new, &pointer_push(&format!("{path}/$edit/with"), pointer), faults);
                }
            }
            Ok(Some(Helper::Json(value))) => check(value, &format!("{path}/$json"), faults),
            Ok(Some(Helper::Yaml(value))) => check(value, &format!("{path}/$yaml"), faults),
            Ok(Some(Helper::Numbered(events))) => check(events, &format!("{path}/$numbered"), faults),
            Ok(Some(Helper::Budget(_))) if path != "/options/budget" => {
                faults.push(ExpandError { path: path.to_owned(), message: "a relative budget stands at options.budget only".to_owned() });
            }
            Ok(Some(_)) => {}
            Ok(None) => members.iter().for_each(|(key, member)| check(member, &pointer_push(path, key), faults)),
        },
        Value::Number(number) => {
            let safe = json::MAX_SAFE_INTEGER;
            if number.as_u64().is_some_and(|it| it > safe) || number.as_i64().is_some_and(|it| it.unsigned_abs() > safe) {
                let message = format!("{number} is beyond 2^53 - 1; such integers are never sent");
                faults.push(ExpandError { path: path.to_owned(), message });
            }
        }
        _ => {}
    }
}

/// The steps that `$from` names.
pub(super) fn steps_named<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| steps_named(item, found)),
        Value::Object(members) => match Helper::read(members) {
            Ok(Some(Helper::From { step, .. })) => found.push(step),
            Ok(Some(Helper::Exact(_))) => {}
            _ => members.values().for_each(|member| steps_named(member, found)),
        },
        _ => {}
    }
}

/// Whether a given holds a budget that depends on the profile.
pub(crate) fn has_relative_budget(given: &Value) -> bool {
    let budget = given.pointer("/options/budget").and_then(Value::as_object);
    budget.is_some_and(|members| matches!(Helper::read(members), Ok(Some(Helper::Budget(_)))))
}

/// Finds a relative budget: the request, then the registry and the other options, all expanded.
pub type BudgetFinder<'a> = dyn Fn(BudgetRequest, &Value, &Value) -> Result<u64, String> + 'a;
/// Looks up a part of an earlier step's answer.
pub type EarlierAnswer<'a> = dyn Fn(&str, &str) -> Option<Value> + 'a;

/// Expands what a case gives.
pub struct Expander<'a> {
    /// The suite's files.
    pub files: &'a SuiteFiles,
    /// The case file's path; other paths are relative to its folder.
    pub case_file: &'a str,
    /// Resolves relative budgets.
    pub budget: &'a BudgetFinder<'a>,
    /// Looks up earlier answers.
    pub earlier: &'a EarlierAnswer<'a>,
}

struct Allowance {
    nodes: usize,
    text: usize,
}

impl Allowance {
    fn node(&mut self) -> Result<(), String> {
        self.nodes = self.nodes.checked_sub(1).ok_or_else(|| format!("expands to more than {MAX_EXPANDED_NODES} values"))?;
        Ok(())
    }

    /// Charges a value that came whole from elsewhere.
    fn whole(&mut self, value: &Value) -> Result<(), String> {
        self.nodes = self.nodes.checked_sub(nodes(value)).ok_or_else(|| format!("expands to more than {MAX_EXPANDED_NODES} values"))?;
        self.text(texts(value))
    }

    fn text(&mut self, bytes: usize) -> Result<(), String> {
        self.text = self.text.checked_sub(bytes).ok_or_else(|| format!("expands to more than {MAX_EXPANDED_TEXT} bytes of text"))?;
        Ok(())
    }
}

impl Expander<'_> {
    /// Expands every helper.
    ///
    /// # Errors
    /// [`ExpandError`] where a file is missing, an answer is not there, no budget does it, or the result grows too large.
    pub fn expand(&self, given: &Value) -> Result<Value, ExpandError> {
        let mut allowance = Allowance { nodes: MAX_EXPANDED_NODES, text: MAX_EXPANDED_TEXT };
        let budget = match given.pointer("/options/budget").and_then(Value::as_object).map(Helper::read) {
            Some(Ok(Some(Helper::Budget(request)))) => request,
            _ => return self.value(given, "", &mut allowance),
        };
        let mut given = given.clone();
        if let Some(Value::Object(options)) = given.get_mut("options") {
            options.remove("budget");
        }
        let mut expanded = self.value(&given, "", &mut allowance)?;
        let found = (self.budget)(budget, &expanded["registry"], &expanded["options"])
            .map_err(|message| ExpandError { path: "/options/budget".to_owned(), message })?;
        expanded["options"]["budget"] = Value::from(found);
        Ok(expanded)
    }

    fn value(&self, value: &Value, path: &str, allowance: &mut Allowance) -> Result<Value, ExpandError> {
        let fault = |message: String| ExpandError { path: path.to_owned(), message };
        allowance.node().map_err(fault)?;
        match value {
            Value::Array(items) => {
                let mut expanded = Vec::with_capacity(items.len());
                for (at, item) in items.iter().enumerate() {
                    let here = pointer_push(path, at);
                    let repeated = match item.as_object().map(Helper::read) {
                        Some(Ok(Some(Helper::Repeat { count, item }))) => Some((count, item)),
                        _ => None,
                    };
                    match repeated {
                        Some((count, item)) => {
                            // Refused before the first of millions is made.
                            if count.saturating_mul(nodes(item)) > allowance.nodes {
                                return Err(fault(format!("expands to more than {MAX_EXPANDED_NODES} values")));
                            }
                            for index in 0..count {
                                let item = substitute(item, index);
                                expanded.push(self.value(&item, &here, allowance)?);
                            }
                        }
                        None => expanded.push(self.value(item, &here, allowance)?),
                    }
                }
                Ok(Value::Array(expanded))
            }
            Value::Object(members) => match Helper::read(members).map_err(fault)? {
                Some(helper) => {
                    let value = self.helper(&helper, path, allowance)?;
                    if matches!(helper, Helper::From { .. } | Helper::File(_) | Helper::SkillsDir { .. } | Helper::Exact(_)) {
                        allowance.whole(&value).map_err(fault)?;
                    }
                    Ok(value)
                }
                None => {
                    let mut expanded = Map::new();
                    for (key, member) in members {
                        expanded.insert(key.clone(), self.value(member, &pointer_push(path, key), allowance)?);
                    }
                    Ok(Value::Object(expanded))
                }
            },
            Value::String(text) => {
                allowance.text(text.len()).map_err(fault)?;
                Ok(value.clone())
            }
            scalar => Ok(scalar.clone()),
        }
    }

    fn helper(&self, helper: &Helper<'_>, path: &str, allowance: &mut Allowance) -> Result<Value, ExpandError> {
        let fault = |message: String| ExpandError { path: path.to_owned(), message };
        match helper {
            Helper::Repeat { .. } => Err(fault("$repeat stands as an element of a sequence".to_owned())),
            Helper::Base64(encoded) => {
                allowance.text(encoded.len()).map_err(fault)?;
                let bytes = base64::engine::general_purpose::STANDARD
                    .decode(encoded.trim())
                    .map_err(|error| fault(format!("$text is no base64: {error}")))?;
                String::from_utf8(bytes).map(Value::String).map_err(|_| fault("$text is not UTF-8 once decoded".to_owned()))
            }
            Helper::Text { count, item } => {
                allowance.text(count.saturating_mul(item.len())).map_err(fault)?;
                Ok(Value::String(item.repeat(*count)))
            }
            Helper::File(name) => {
                let (name, text) = self.file(name).map_err(fault)?;
                allowance.text(text.len()).map_err(fault)?;
                let extension = name.rsplit('.').next().unwrap_or_default();
                match extension {
                    "json" => json::parse(text).map_err(|error| fault(format!("{name}: {error}"))),
                    "yaml" | "yml" => yaml::parse(text).map(|it| it.value).map_err(|error| fault(format!("{name}: {error}"))),
                    _ => Ok(Value::String(text.to_owned())),
                }
            }
            Helper::SkillsDir { path: folder, source } => self.skills_dir(folder, *source, allowance).map_err(fault),
            Helper::Budget(_) => Err(fault("a relative budget stands at options.budget only".to_owned())),
            Helper::From { step, path: pointer } => {
                (self.earlier)(step, pointer).ok_or_else(|| fault(format!("the answer to the step {step} has nothing at {pointer:?}")))
            }
            Helper::Edit { of, with } => {
                let mut value = self.value(of, &format!("{path}/$edit/of"), allowance)?;
                for (pointer, new) in *with {
                    let here = pointer_push(&format!("{path}/$edit/with"), pointer);
                    let new = if is_removal(new) { new.clone() } else { self.value(new, &here, allowance)? };
                    json::edit(&mut value, pointer, &new).ok_or_else(|| fault(format!("$edit: there is no place {pointer:?}")))?;
                }
                Ok(value)
            }
            Helper::Json(value) => {
                let text = self.value(value, &format!("{path}/$json"), allowance)?.to_string();
                allowance.text(text.len()).map_err(fault)?;
                Ok(Value::String(text))
            }
            Helper::Yaml(value) => {
                let text = yaml::write(&self.value(value, &format!("{path}/$yaml"), allowance)?);
                allowance.text(text.len()).map_err(fault)?;
                Ok(Value::String(text))
            }
            Helper::Numbered(events) => {
                let mut events = self.value(events, &format!("{path}/$numbered"), allowance)?;
                let items = events.as_array_mut().ok_or_else(|| fault("$numbered takes a sequence of events".to_owned()))?;
                for (at, event) in items.iter_mut().enumerate() {
                    if let Value::Object(members) = event {
                        members.entry("seq").or_insert_with(|| Value::from(at + 1));
                    }
                }
                Ok(events)
            }
            Helper::Exact(value) => Ok((*value).clone()),
        }
    }

    fn resolve(&self, name: &str) -> Result<String, String> {
        resolve(self.case_file, name)
    }

    fn file(&self, name: &str) -> Result<(String, &str), String> {
        let name = self.resolve(name)?;
        let bytes = self.files.get(&name).ok_or_else(|| format!("the suite has no file {name}"))?;
        let text = std::str::from_utf8(bytes).map_err(|_| format!("{name} is not UTF-8"))?;
        Ok((name, text))
    }

    fn skills_dir(&self, folder: &str, source: Option<&str>, allowance: &mut Allowance) -> Result<Value, String> {
        let prefix = format!("{}/", self.resolve(folder)?);
        let mut skills = Vec::new();
        for (name, bytes) in self.files.below(&prefix) {
            let Some(directory) = name.strip_suffix("/SKILL.md") else { continue };
            let directory = directory.rsplit('/').next().unwrap_or(directory);
            allowance.text(bytes.len())?;
            // A file that can't be read is left out, as a host leaves it out.
            if let Ok(skill) = skill_file::read(bytes, directory, source) {
                skills.push(Value::Object(skill.entry));
            }
        }
        if skills.is_empty() {
            return Err(format!("no SKILL.md can be read below {prefix}"));
        }
        Ok(serde_json::json!({"_type": crate::contract::activation::REGISTRY_TYPE, "skills": skills}))
    }
}

fn texts(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(texts).sum(),
        Value::Object(members) => members.iter().map(|(key, value)| key.len() + texts(value)).sum(),
        _ => 0,
    }
}

fn nodes(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(nodes).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(nodes).sum::<usize>(),
        _ => 1,
    }
}

/// Puts an index in place of `${i}` and `${i:WIDTH}` in every text and key.
fn substitute(value: &Value, index: usize) -> Value {
    match value {
        Value::String(text) => Value::String(substitute_text(text, index)),
        Value::Array(items) => items.iter().map(|item| substitute(item, index)).collect(),
        Value::Object(members) => {
            members.iter().map(|(key, member)| (substitute_text(key, index), substitute(member, index))).collect::<Map<_, _>>().into()
        }
        scalar => scalar.clone(),
    }
}

fn substitute_text(text: &str, index: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("${i") {
        out.push_str(&rest[..start]);
        let after = &rest[start + 3..];
        let end = after.find('}').filter(|end| *end <= 4);
        let width = end.and_then(|end| match &after[..end] {
            "" => Some(0),
            spec => spec.strip_prefix(':')?.parse::<usize>().ok(),
        });
        match (end, width) {
            (Some(end), Some(width)) => {
                out.push_str(&format!("{index:0width$}"));
                rest = &after[end + 1..];
            }
            _ => {
                out.push_str("${i");
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// A path as a case writes it, from the suite's root.
fn resolve(case_file: &str, name: &str) -> Result<String, String> {
    let folder = case_file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop().ok_or_else(|| format!("{name:?} leads out of the suite"))?;
            }
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

/// The suite's files that a case takes in by `$file` and `$skills_dir`, in order and each once.
pub(super) fn files_named<'f>(case: &Case, files: &'f SuiteFiles) -> BTreeMap<String, &'f [u8]> {
    fn walk(value: &Value, found: &mut Vec<(String, bool)>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| walk(item, found)),
            Value::Object(members) => {
                let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
                found.extend(text(members.get("$file")).map(|path| (path, false)));
                found.extend(text(members.get("$skills_dir").and_then(|it| it.get("path"))).map(|path| (path, true)));
                members.values().for_each(|value| walk(value, found));
            }
            _ => {}
        }
    }
    let mut named = Vec::new();
    case.steps.iter().for_each(|step| walk(&step.given, &mut named));
    let mut taken = BTreeMap::new();
    for (path, is_folder) in named {
        // What leads out of the suite is a fault of the case, which its expansion reports.
        let Ok(path) = resolve(&case.file, &path) else { continue };
        if is_folder {
            let names: Vec<String> = files.below(&format!("{path}/")).map(|(name, _)| name.to_owned()).collect();
            taken.extend(names.into_iter().filter_map(|name| files.get(&name).map(|bytes| (name, bytes))));
        } else if let Some(bytes) = files.get(&path) {
            taken.insert(path, bytes);
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn expand(given: &Value) -> Result<Value, String> {
        let files = SuiteFiles::from_iter([
            ("suite/cases/a.yaml".to_owned(), b"x".to_vec()),
            ("suite/fixtures/f.json".to_owned(), b"{\"a\": 1}".to_vec()),
            ("suite/fixtures/s/one/SKILL.md".to_owned(), b"---\ndescription: d\n---\nbody\n".to_vec()),
        ]);
        let expander = Expander {
            files: &files,
            case_file: "suite/cases/a.yaml",
            budget: &|request, _, _| match request {
                BudgetRequest::Fits { cards, plus } => Ok(cards * 100 + u64::try_from(plus).unwrap_or(0)),
                BudgetRequest::Floor { .. } => Err("below 1".to_owned()),
            },
            earlier: &|step, path| (step == "one" && path == "/a").then(|| json!("earlier")),
        };
        expander.expand(given).map_err(|error| error.to_string())
    }

    #[test]
    fn every_helper_expands() {
        for (given, expected) in [
            (json!({"$text": "w6k="}), json!("é")),
            (json!({"$text": {"count": 3, "item": "ab"}}), json!("ababab")),
            (json!([0, {"$repeat": {"count": 2, "item": {"n${i}": "s-${i:3}"}}}]), json!([0, {"n0": "s-000"}, {"n1": "s-001"}])),
            (json!([{"$repeat": {"count": 0, "item": 1}}]), json!([])),
            (json!({"$file": "../fixtures/f.json"}), json!({"a": 1})),
            (json!([{"$from": {"step": "one", "path": "/a"}}]), json!(["earlier"])),
            (json!({"options": {"budget": {"$fits": 2, "plus": 5}, "x": 1}}), json!({"options": {"budget": 205, "x": 1}})),
            (json!({"$exact": {"$fits": 1}}), json!({"$fits": 1})),
            (
                json!({"$edit": {"of": {"a": 1, "b": [2]}, "with": {"/a": {"$remove": true}, "/b/1": {"$text": {"count": 2, "item": "x"}}}}}),
                json!({"b": [2, "xx"]}),
            ),
            (json!({"$edit": {"of": {"$edit": {"of": {"a": 1}, "with": {"/b": 2}}}, "with": {"/b": null}}}), json!({"a": 1, "b": null})),
            (json!({"$edit": {"of": 1, "with": {"": []}}}), json!([])),
            (
                json!({"$numbered": [{"type": "a"}, {"type": "b", "seq": 7}, 3]}),
                json!([{"type": "a", "seq": 1}, {"type": "b", "seq": 7}, 3]),
            ),
            (
                json!({"$numbered": {"$edit": {"of": [{"t": 1}], "with": {"/1": {"t": 2}}}}}),
                json!([{"t": 1, "seq": 1}, {"t": 2, "seq": 2}]),
            ),
            (json!("${i} is only replaced inside $repeat"), json!("${i} is only replaced inside $repeat")),
        ] {
            assert_eq!(expand(&given), Ok(expected), "{given}");
        }
    }

    #[test]
    fn a_helper_that_can_not_expand_says_why() {
        for (given, part) in [
            (json!({"a": {"$repeat": {"count": 2, "item": 1}}}), "element of a sequence"),
            (json!([{"$repeat": {"count": 10_000_000, "item": {"name": "s"}}}]), "more than 4000000 values"),
            (json!({"$text": {"count": 1_000_000_000_000_u64, "item": "ab"}}), "bytes of text"),
            (json!({"$text": {"count": -1, "item": "ab"}}), "$text takes"),
            (json!({"$text": "///"}), "no base64"),
            (json!({"$text": "/w=="}), "not UTF-8"),
            (json!({"$file": "../../../etc/passwd"}), "leads out"),
            (json!({"$file": "nothing.json"}), "no file"),
            (json!({"$from": {"step": "one", "path": "/b"}}), "nothing at"),
            (json!({"$nope": 1}), "no helper"),
            (json!({"$edit": {"of": {"a": 1}, "with": {"/b/c": 1}}}), "no place \"/b/c\""),
            (json!({"$edit": {"of": {"a": 1}, "with": {"/b": {"$remove": true}}}}), "no place"),
            (json!({"$edit": {"of": {"a": 1}, "with": {}}}), "$edit takes"),
            (json!({"$edit": {"of": {"a": 1}, "with": {"/a": 1}, "at": 2}}), "takes no"),
            (json!({"$numbered": 7}), "takes a sequence"),
            (json!({"$numbered": {"a": 1}}), "takes a sequence"),
            (json!({"$text": "", "x": 1}), "stands alone"),
            (json!({"options": {"budget": {"$floor": -9999}}}), "below 1"),
            (json!({"options": {"limit": {"$floor": 1}}}), "options.budget only"),
            (json!([{"$repeat": {"count": 2, "item": [{"$repeat": {"count": 2, "item": 1}}]}}]), "inside a $repeat"),
        ] {
            let error = expand(&given).unwrap_err();
            assert!(error.contains(part), "{given}: {error}");
        }
    }
}
