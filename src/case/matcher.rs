//! Matchers: what an expectation says of a value, and every place where the value says otherwise.

use std::fmt;

use regex::Regex;
use serde_json::Value;

use crate::json::{self, pointer_push};

/// A pattern over values. See `docs/cases.md` for what each holds for.
#[derive(Debug, Clone)]
pub enum Matcher {
    /// At least these members.
    Mapping(Vec<(String, Matcher)>),
    /// Exactly these elements, in order.
    Sequence(Vec<Matcher>),
    /// Equal, numbers by value.
    Scalar(Value),
    /// Null, or not there.
    Null,
    /// Equal in full.
    Exact(Value),
    /// Not there.
    Absent,
    /// There.
    Any,
    /// Of this type.
    Type(TypeName),
    /// A text that the pattern finds.
    Regex(Regex),
    /// Any of these.
    In(Vec<Matcher>),
    /// All of these.
    All(Vec<Matcher>),
    /// There, and not this.
    Not(Box<Matcher>),
    /// These elements, in any order.
    Unordered(Vec<Matcher>),
    /// A sequence with such an element, or a text with this part.
    Contains(Box<Matcher>),
    /// Of this many elements or characters.
    Length(Box<Matcher>),
    /// A number within bounds, both included.
    Between {
        /// At least.
        gte: Option<serde_json::Number>,
        /// At most.
        lte: Option<serde_json::Number>,
    },
    /// A sequence that is not empty, each element so.
    Each(Box<Matcher>),
    /// What the reference says at the same place.
    Computed,
    /// Equal to a part of an earlier step's answer.
    SameAs {
        /// The step's name.
        step: String,
        /// JSON Pointer into its answer.
        path: String,
    },
}

/// The names that `$type` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeName {
    /// Null.
    Null,
    /// True or false.
    Boolean,
    /// A whole number, `2.0` included.
    Integer,
    /// Any number.
    Number,
    /// A text.
    String,
    /// A sequence.
    Array,
    /// A mapping.
    Object,
}

impl TypeName {
    fn read(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::Null,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "string" => Self::String,
            "array" => Self::Array,
            "object" => Self::Object,
            _ => return None,
        })
    }

    fn is_of(self, value: &Value) -> bool {
        match self {
            Self::Null => value.is_null(),
            Self::Boolean => value.is_boolean(),
            Self::Integer => json::type_name(value) == "integer",
            Self::Number => value.is_number(),
            Self::String => value.is_string(),
            Self::Array => value.is_array(),
            Self::Object => value.is_object(),
        }
    }
}

/// A matcher that can't be used, with the pointer to it inside the expectation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MatcherFault {
    pub(super) path: String,
    pub(super) message: String,
}

/// One place where a value is not what was expected.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// JSON Pointer into the answer.
    pub path: String,
    /// JSON Pointer into the expectation, from its root.
    pub expected_at: String,
    /// What was expected: a value where it is one, else words.
    pub expected: Expected,
    /// What came; `None` where nothing stands there.
    pub got: Option<Value>,
}

/// What was expected at one place.
#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    /// Exactly this.
    Value(Value),
    /// Nothing.
    Nothing,
    /// Something of which only words tell.
    Words(String),
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => f.write_str(&json::excerpt(value, 200)),
            Self::Nothing => f.write_str("nothing there"),
            Self::Words(words) => f.write_str(words),
        }
    }
}

/// What a match may look at beside the value.
pub trait MatchContext {
    /// What the reference says at a pointer of the answer; `None` where it says nothing there.
    fn computed(&self, path: &str) -> Option<Value>;
    /// A part of an earlier step's answer.
    fn earlier(&self, step: &str, path: &str) -> Option<Value>;
}

impl Matcher {
    /// Reads a matcher from an expectation.
    pub(super) fn read(value: &Value) -> Result<Self, MatcherFault> {
        Self::read_at(value, "")
    }

    fn read_at(value: &Value, path: &str) -> Result<Self, MatcherFault> {
        let members = match value {
            Value::Null => return Ok(Self::Null),
            Value::Array(items) => return Ok(Self::Sequence(read_all(items, path)?)),
            Value::Object(members) => members,
            scalar => return Ok(Self::Scalar(scalar.clone())),
        };
        let Some(first) = members.keys().find(|key| key.starts_with('$')) else {
            let members = members
                .iter()
                .map(|(key, value)| Ok((key.clone(), Self::read_at(value, &pointer_push(path, key))?)))
                .collect::<Result<_, _>>()?;
            return Ok(Self::Mapping(members));
        };
        let fault = |message: String| MatcherFault { path: pointer_push(path, first), message };
        let bounds = members.keys().all(|key| key == "$gte" || key == "$lte");
        if members.len() > 1 && !bounds {
            return Err(fault("a matcher stands alone in its mapping ($gte and $lte may stand together)".to_owned()));
        }
        let argument = &members[first];
        let here = pointer_push(path, first);
        let list = || match argument {
            Value::Array(items) if !items.is_empty() => read_all(items, &here),
            _ => Err(fault(format!("{first} takes a list that is not empty"))),
        };
        let truth = |matcher: Self| match argument {
            Value::Bool(true) => Ok(matcher),
            _ => Err(fault(format!("{first} takes true"))),
        };
        let inner = || Self::read_at(argument, &here).map(Box::new);
        let number = |key: &str| match members.get(key) {
            None => Ok(None),
            Some(Value::Number(number)) => Ok(Some(number.clone())),
            Some(_) => Err(fault(format!("{key} takes a number"))),
        };
        match first.as_str() {
            "$exact" => Ok(Self::Exact(argument.clone())),
            "$absent" => truth(Self::Absent),
            "$any" => truth(Self::Any),
            "$computed" => truth(Self::Computed),
            "$type" => argument
                .as_str()
                .and_then(TypeName::read)
                .map(Self::Type)
                .ok_or_else(|| fault("$type takes one of null, boolean, integer, number, string, array, object".to_owned())),
            "$regex" => {
                let pattern = argument.as_str().ok_or_else(|| fault("$regex takes a text".to_owned()))?;
                let regex = regex::RegexBuilder::new(pattern).size_limit(1 << 20).build();
                regex.map(Self::Regex).map_err(|error| fault(format!("the pattern can't be used: {error}")))
            }
            "$in" => list().map(Self::In),
            "$all" => list().map(Self::All),
            "$unordered" => match argument {
                Value::Array(items) => read_all(items, &here).map(Self::Unordered),
                _ => Err(fault("$unordered takes a list".to_owned())),
            },
            "$not" => inner().map(Self::Not),
            "$contains" => inner().map(Self::Contains),
            "$length" => inner().map(Self::Length),
            "$each" => inner().map(Self::Each),
            "$gte" | "$lte" => Ok(Self::Between { gte: number("$gte")?, lte: number("$lte")? }),
            "$same_as" => {
                let text = |key: &str| argument.get(key).and_then(Value::as_str).map(str::to_owned);
                match (text("step"), text("path"), argument.as_object().map(serde_json::Map::len)) {
                    (Some(step), Some(path), Some(2)) => Ok(Self::SameAs { step, path }),
                    _ => Err(fault("$same_as takes {step, path}".to_owned())),
                }
            }
            unknown => Err(fault(format!("there is no matcher {unknown}; write data with such keys below $exact"))),
        }
    }

    /// Whether this holds for every value that is there, as far as can be told: such an expectation judges nothing.
    #[must_use]
    pub fn holds_always(&self) -> bool {
        match self {
            Self::Any => true,
            Self::Mapping(members) => members.is_empty(),
            Self::In(items) => items.iter().any(Self::holds_always) || covers_every_type(items),
            Self::All(items) => items.iter().all(Self::holds_always),
            Self::Not(inner) => inner.holds_never(),
            Self::Regex(regex) => ["", "a", "\u{1}\n", "Zz 9-_/"].iter().all(|text| regex.is_match(text)),
            Self::Contains(inner) => matches!(&**inner, Self::Scalar(Value::String(text)) if text.is_empty()),
            Self::Between { gte: None, lte: None } => true,
            Self::Length(inner) => match &**inner {
                Self::Between { gte, lte: None } => gte.as_ref().and_then(serde_json::Number::as_f64).is_none_or(|bound| bound <= 0.0),
                other => other.holds_always(),
            },
            Self::Each(inner) => inner.holds_always(),
            _ => false,
        }
    }

    fn holds_never(&self) -> bool {
        match self {
            Self::Absent => true,
            Self::In(items) => items.iter().all(Self::holds_never),
            Self::All(items) => items.iter().any(Self::holds_never),
            Self::Not(inner) => inner.holds_always(),
            _ => false,
        }
    }

    /// Every part that can't fail, by its pointer inside the expectation.
    pub(super) fn vacuous_parts(&self, path: &str, found: &mut Vec<String>) {
        // A key that has to be there says something, whatever its value.
        let inside_mapping = |matcher: &Self, path: &str, found: &mut Vec<String>| {
            if !matches!(matcher, Self::Any) {
                matcher.vacuous_parts(path, found);
            }
        };
        match self {
            Self::Mapping(members) if !members.is_empty() => {
                for (key, matcher) in members {
                    inside_mapping(matcher, &pointer_push(path, key), found);
                }
            }
            Self::Sequence(items) => {
                for (at, matcher) in items.iter().enumerate() {
                    inside_mapping(matcher, &pointer_push(path, at), found);
                }
            }
            other if other.holds_always() => found.push(path.to_owned()),
            _ => {}
        }
    }

    /// The steps that `$same_as` names.
    pub(super) fn steps_named<'a>(&'a self, found: &mut Vec<&'a str>) {
        match self {
            Self::SameAs { step, .. } => found.push(step),
            Self::Mapping(members) => members.iter().for_each(|(_, matcher)| matcher.steps_named(found)),
            Self::Sequence(items) | Self::In(items) | Self::All(items) | Self::Unordered(items) => {
                items.iter().for_each(|matcher| matcher.steps_named(found));
            }
            Self::Not(inner) | Self::Contains(inner) | Self::Length(inner) | Self::Each(inner) => inner.steps_named(found),
            _ => {}
        }
    }

    /// Whether any part is `$computed`.
    #[must_use]
    pub fn uses_reference(&self) -> bool {
        match self {
            Self::Computed => true,
            Self::Mapping(members) => members.iter().any(|(_, matcher)| matcher.uses_reference()),
            Self::Sequence(items) | Self::In(items) | Self::All(items) | Self::Unordered(items) => items.iter().any(Self::uses_reference),
            Self::Not(inner) | Self::Contains(inner) | Self::Length(inner) | Self::Each(inner) => inner.uses_reference(),
            _ => false,
        }
    }

    /// Every difference between this and a value; `None` stands for a value that is not there.
    #[must_use]
    pub fn differences(&self, got: Option<&Value>, context: &dyn MatchContext) -> Vec<Difference> {
        let mut out = Vec::new();
        self.compare(got, Places { path: String::new(), expected_at: String::new() }, context, &mut out);
        out
    }

    fn holds(&self, got: Option<&Value>, places: &Places, context: &dyn MatchContext) -> bool {
        let mut out = Vec::new();
        self.compare(got, places.clone(), context, &mut out);
        out.is_empty()
    }

    fn compare(&self, got: Option<&Value>, at: Places, context: &dyn MatchContext, out: &mut Vec<Difference>) {
        let mut differ = |expected: Expected| {
            out.push(Difference { path: at.path.clone(), expected_at: at.expected_at.clone(), expected, got: got.cloned() });
        };
        let words = |text: String| Expected::Words(text);
        match self {
            Self::Null => {
                if got.is_some_and(|value| !value.is_null()) {
                    differ(Expected::Value(Value::Null));
                }
            }
            Self::Absent => {
                if got.is_some() {
                    differ(Expected::Nothing);
                }
            }
            Self::Any => {
                if got.is_none() {
                    differ(words("anything there".to_owned()));
                }
            }
            Self::Scalar(expected) | Self::Exact(expected) => {
                if !got.is_some_and(|value| json::equal(value, expected)) {
                    differ(Expected::Value(expected.clone()));
                }
            }
            Self::Mapping(members) => match got {
                Some(Value::Object(got)) => {
                    for (key, matcher) in members {
                        matcher.compare(got.get(key), at.key(key), context, out);
                    }
                }
                _ => differ(self.as_expected()),
            },
            Self::Sequence(items) => match got {
                Some(Value::Array(got)) => {
                    if items.len() == got.len() {
                        for (index, (matcher, value)) in items.iter().zip(got).enumerate() {
                            matcher.compare(Some(value), at.key(index), context, out);
                        }
                    } else {
                        differ(self.as_expected());
                    }
                }
                _ => differ(self.as_expected()),
            },
            Self::Type(name) => {
                if !got.is_some_and(|value| name.is_of(value)) {
                    differ(words(format!("a value of type {}", format!("{name:?}").to_lowercase())));
                }
            }
            Self::Regex(regex) => {
                if !got.and_then(Value::as_str).is_some_and(|text| regex.is_match(text)) {
                    differ(words(format!("a text that /{regex}/ finds")));
                }
            }
            Self::In(items) => {
                if !items.iter().any(|matcher| matcher.holds(got, &at, context)) {
                    let texts: Vec<String> = items.iter().map(|matcher| matcher.as_expected().to_string()).collect();
                    differ(words(format!("one of {}", texts.join(" or "))));
                }
            }
            Self::All(items) => items.iter().enumerate().for_each(|(index, matcher)| {
                matcher.compare(got, at.inside("$all").expectation(index), context, out);
            }),
            Self::Not(inner) => {
                if got.is_none() || inner.holds(got, &at, context) {
                    differ(words(format!("anything but {}", inner.as_expected())));
                }
            }
            Self::Unordered(items) => match got {
                Some(Value::Array(values)) if values.len() == items.len() => {
                    if !pairs_up(items, values, &at, context) {
                        differ(self.as_expected());
                    }
                }
                _ => differ(self.as_expected()),
            },
            Self::Contains(inner) => {
                let holds = match (got, &**inner) {
                    (Some(Value::String(text)), Self::Scalar(Value::String(part))) => text.contains(part.as_str()),
                    (Some(Value::Array(items)), inner) => items.iter().any(|item| inner.holds(Some(item), &at, context)),
                    _ => false,
                };
                if !holds {
                    differ(words(format!("something that contains {}", inner.as_expected())));
                }
            }
            Self::Length(inner) => {
                let length = match got {
                    Some(Value::Array(items)) => Some(items.len()),
                    Some(Value::String(text)) => Some(text.chars().count()),
                    _ => None,
                };
                if !length.is_some_and(|length| inner.holds(Some(&Value::from(length)), &at, context)) {
                    differ(words(format!("a length of {}", inner.as_expected())));
                }
            }
            Self::Between { gte, lte } => {
                let within = got.and_then(Value::as_f64).is_some_and(|number| {
                    let bound = |bound: &Option<serde_json::Number>| bound.as_ref().and_then(serde_json::Number::as_f64);
                    bound(gte).is_none_or(|low| number >= low) && bound(lte).is_none_or(|high| number <= high)
                });
                if !within {
                    differ(self.as_expected());
                }
            }
            Self::Each(inner) => match got {
                Some(Value::Array(items)) if !items.is_empty() => {
                    for (index, item) in items.iter().enumerate() {
                        inner.compare(Some(item), Places { path: pointer_push(&at.path, index), ..at.inside("$each") }, context, out);
                    }
                }
                _ => differ(words("a sequence that is not empty".to_owned())),
            },
            Self::Computed => match context.computed(&at.path) {
                Some(expected) => literal(&expected).compare(got, at, context, out),
                None => differ(words("what the reference says, which is nothing".to_owned())),
            },
            Self::SameAs { step, path } => match context.earlier(step, path) {
                Some(expected) => literal(&expected).compare(got, at, context, out),
                None => differ(words(format!("what stands at {path:?} of the answer to the step {step}, where nothing stands"))),
            },
        }
    }

    /// This as a value where it is one, else in words.
    fn as_expected(&self) -> Expected {
        match self {
            Self::Scalar(value) | Self::Exact(value) => return Expected::Value(value.clone()),
            Self::Null => return Expected::Value(Value::Null),
            Self::Absent => return Expected::Nothing,
            Self::Sequence(items) => {
                let values = items.iter().map(|item| match item.as_expected() {
                    Expected::Value(value) => Some(value),
                    _ => None,
                });
                if let Some(values) = values.collect::<Option<Vec<_>>>() {
                    return Expected::Value(Value::Array(values));
                }
            }
            Self::Mapping(members) => {
                let members = members.iter().map(|(key, matcher)| match matcher.as_expected() {
                    Expected::Value(value) => Some((key.clone(), value)),
                    _ => None,
                });
                if let Some(members) = members.collect::<Option<serde_json::Map<_, _>>>() {
                    return Expected::Value(Value::Object(members));
                }
            }
            _ => {}
        }
        Expected::Words(match self {
            Self::Sequence(items) => format!("a sequence of {}", items.len()),
            Self::Mapping(members) => {
                let keys: Vec<&str> = members.iter().map(|(key, _)| key.as_str()).collect();
                format!("a mapping with {}", keys.join(", "))
            }
            Self::Unordered(items) => {
                let texts: Vec<String> = items.iter().map(|item| item.as_expected().to_string()).collect();
                format!("in any order: {}", texts.join(", "))
            }
            Self::Between { gte, lte } => {
                let part = |word: &str, bound: &Option<serde_json::Number>| bound.as_ref().map(|bound| format!("{word} {bound}"));
                let parts: Vec<String> = [part("at least", gte), part("at most", lte)].into_iter().flatten().collect();
                format!("a number of {}", parts.join(" and "))
            }
            Self::Contains(inner) => format!("something that contains {}", inner.as_expected()),
            Self::Length(inner) => format!("a length of {}", inner.as_expected()),
            Self::Each(inner) => format!("elements that are each {}", inner.as_expected()),
            Self::Not(inner) => format!("anything but {}", inner.as_expected()),
            Self::Regex(regex) => format!("a text that /{regex}/ finds"),
            Self::Type(name) => format!("a value of type {}", format!("{name:?}").to_lowercase()),
            Self::Any => "anything there".to_owned(),
            Self::Computed => "what the reference says".to_owned(),
            Self::SameAs { step, path } => format!("what the step {step} answered at {path:?}"),
            Self::In(_) | Self::All(_) => "one of several".to_owned(),
            Self::Scalar(_) | Self::Exact(_) | Self::Null | Self::Absent => String::new(),
        })
    }
}

#[derive(Clone)]
struct Places {
    path: String,
    expected_at: String,
}

impl Places {
    fn key(&self, key: impl fmt::Display + Copy) -> Self {
        Self { path: pointer_push(&self.path, key), expected_at: pointer_push(&self.expected_at, key) }
    }

    fn inside(&self, matcher: &str) -> Self {
        Self { path: self.path.clone(), expected_at: pointer_push(&self.expected_at, matcher) }
    }

    fn expectation(mut self, index: usize) -> Self {
        self.expected_at = pointer_push(&self.expected_at, index);
        self
    }
}

fn read_all(items: &[Value], path: &str) -> Result<Vec<Matcher>, MatcherFault> {
    items.iter().enumerate().map(|(at, item)| Matcher::read_at(item, &pointer_push(path, at))).collect()
}

/// A value as an expectation of itself, further keys allowed.
fn literal(value: &Value) -> Matcher {
    match value {
        Value::Null => Matcher::Null,
        Value::Array(items) => Matcher::Sequence(items.iter().map(literal).collect()),
        Value::Object(members) => Matcher::Mapping(members.iter().map(|(key, value)| (key.clone(), literal(value))).collect()),
        scalar => Matcher::Scalar(scalar.clone()),
    }
}

fn covers_every_type(items: &[Matcher]) -> bool {
    let has = |name: TypeName| items.iter().any(|item| matches!(item, Matcher::Type(found) if *found == name));
    [TypeName::Null, TypeName::Boolean, TypeName::Number, TypeName::String, TypeName::Array, TypeName::Object].into_iter().all(has)
}

/// Whether each matcher can be given an element of its own (augmenting paths).
fn pairs_up(matchers: &[Matcher], values: &[Value], at: &Places, context: &dyn MatchContext) -> bool {
    let fits: Vec<Vec<usize>> = matchers
        .iter()
        .map(|matcher| (0..values.len()).filter(|index| matcher.holds(Some(&values[*index]), at, context)).collect())
        .collect();
    let mut taken: Vec<Option<usize>> = vec![None; values.len()];
    fn place(matcher: usize, fits: &[Vec<usize>], taken: &mut [Option<usize>], tried: &mut [bool]) -> bool {
        for value in &fits[matcher] {
            if std::mem::replace(&mut tried[*value], true) {
                continue;
            }
            if taken[*value].is_none_or(|other| place(other, fits, taken, tried)) {
                taken[*value] = Some(matcher);
                return true;
            }
        }
        false
    }
    (0..matchers.len()).all(|matcher| place(matcher, &fits, &mut taken, &mut vec![false; values.len()]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct Nothing;

    impl MatchContext for Nothing {
        fn computed(&self, path: &str) -> Option<Value> {
            (path == "/n").then(|| json!(7))
        }
        fn earlier(&self, step: &str, path: &str) -> Option<Value> {
            (step == "first" && path == "/id").then(|| json!("a"))
        }
    }

    fn paths(expected: &Value, got: &Value) -> Vec<String> {
        let matcher = Matcher::read(expected).unwrap();
        matcher.differences(Some(got), &Nothing).into_iter().map(|difference| difference.path).collect()
    }

    #[test]
    fn matchers_hold_and_fail_as_the_page_says() {
        // expectation, values it holds for, values it does not hold for; each below the key `v`, where null stands for itself.
        let table = [
            (json!(1), vec![json!(1), json!(1.0)], vec![json!(2), json!("1"), json!(true), json!(null)]),
            (json!(null), vec![json!(null)], vec![json!(0), json!(""), json!(false)]),
            (json!("a"), vec![json!("a")], vec![json!("A"), json!(["a"])]),
            (json!([1, 2]), vec![json!([1, 2])], vec![json!([2, 1]), json!([1]), json!([1, 2, 3]), json!(null)]),
            (json!([]), vec![json!([])], vec![json!([1]), json!({})]),
            (json!({"a": 1}), vec![json!({"a": 1, "b": 2})], vec![json!({"b": 1}), json!([])]),
            (json!({"a": null}), vec![json!({}), json!({"a": null})], vec![json!({"a": 1})]),
            (json!({"$exact": {"a": 1}}), vec![json!({"a": 1})], vec![json!({"a": 1, "b": 2})]),
            (json!({"$exact": null}), vec![json!(null)], vec![json!(1)]),
            (json!({"$any": true}), vec![json!(null), json!(1)], vec![]),
            (json!({"$type": "integer"}), vec![json!(1), json!(1.0)], vec![json!(1.5), json!("1")]),
            (json!({"$type": "number"}), vec![json!(1), json!(1.5)], vec![json!("1"), json!(null)]),
            (json!({"$type": "boolean"}), vec![json!(false)], vec![json!(0)]),
            (json!({"$regex": "b.$"}), vec![json!("abc")], vec![json!("bcd"), json!(5)]),
            (json!({"$in": [1, "x"]}), vec![json!(1), json!("x")], vec![json!(2)]),
            (json!({"$all": [{"$gte": 2}, {"$not": 3}]}), vec![json!(2), json!(4)], vec![json!(1), json!(3)]),
            (json!({"$not": 1}), vec![json!(2), json!(null)], vec![json!(1), json!(1.0)]),
            (
                json!({"$unordered": [1, {"$type": "integer"}]}),
                vec![json!([2, 1]), json!([1, 2])],
                vec![json!([2, 3]), json!([1]), json!([1, 1, 1])],
            ),
            (json!({"$unordered": []}), vec![json!([])], vec![json!([1])]),
            (json!({"$contains": 2}), vec![json!([1, 2])], vec![json!([1]), json!("2"), json!(2)]),
            (json!({"$contains": "b"}), vec![json!("abc"), json!(["b"])], vec![json!("ac"), json!(["abc"])]),
            (json!({"$length": 2}), vec![json!([1, 2]), json!("技能")], vec![json!([1]), json!("a"), json!(2)]),
            (json!({"$length": {"$gte": 1}}), vec![json!("a")], vec![json!("")]),
            (json!({"$gte": 1, "$lte": 2}), vec![json!(1), json!(2), json!(1.5)], vec![json!(0), json!(2.1), json!("1")]),
            (json!({"$each": {"$type": "string"}}), vec![json!(["a"])], vec![json!([]), json!(["a", 1]), json!("a")]),
            (json!({"$same_as": {"step": "first", "path": "/id"}}), vec![json!("a")], vec![json!("b")]),
            (json!({"$same_as": {"step": "none", "path": "/id"}}), vec![], vec![json!("a"), json!(null)]),
        ];
        for (expected, good, bad) in table {
            let expected = json!({"v": expected});
            for value in good {
                assert_eq!(paths(&expected, &json!({"v": value})), Vec::<String>::new(), "{expected} for {value}");
            }
            for value in bad {
                assert!(!paths(&expected, &json!({"v": value})).is_empty(), "{expected} for {value}");
            }
        }
    }

    #[test]
    fn what_is_not_there_is_told_from_null() {
        for (expected, holds) in [
            (json!({"v": null}), true),
            (json!({"v": {"$absent": true}}), true),
            (json!({"v": {"$exact": null}}), false),
            (json!({"v": {"$any": true}}), false),
            (json!({"v": {"$not": 1}}), false),
            (json!({"v": {"$in": [null, 1]}}), true),
        ] {
            assert_eq!(paths(&expected, &json!({})).is_empty(), holds, "{expected}");
        }
        assert!(!paths(&json!({"v": {"$absent": true}}), &json!({"v": null})).is_empty());
    }

    #[test]
    fn every_difference_is_reported_with_both_places() {
        let expected = json!({"a": [{"x": 1}, {"x": 2}], "b": {"$each": {"y": 1}}});
        let got = json!({"a": [{"x": 9}, {"x": 8}], "b": [{"y": 1}, {"y": 2}]});
        let differences = Matcher::read(&expected).unwrap().differences(Some(&got), &Nothing);
        let places: Vec<(&str, &str)> = differences.iter().map(|it| (it.path.as_str(), it.expected_at.as_str())).collect();
        assert_eq!(places, [("/a/0/x", "/a/0/x"), ("/a/1/x", "/a/1/x"), ("/b/1/y", "/b/$each/y")]);
    }

    #[test]
    fn computed_is_what_the_reference_says_there() {
        assert!(paths(&json!({"n": {"$computed": true}}), &json!({"n": 7})).is_empty());
        assert!(!paths(&json!({"n": {"$computed": true}}), &json!({"n": 8})).is_empty());
        assert!(!paths(&json!({"m": {"$computed": true}}), &json!({"m": 7})).is_empty());
    }

    #[test]
    fn a_malformed_matcher_is_refused_with_its_place() {
        for (value, path) in [
            (json!({"a": {"$nope": 1}}), "/a/$nope"),
            (json!({"a": {"$any": 1}}), "/a/$any"),
            (json!({"a": {"$in": []}}), "/a/$in"),
            (json!({"a": {"$in": 1}}), "/a/$in"),
            (json!({"a": {"$regex": "("}}), "/a/$regex"),
            (json!({"a": {"$type": "int"}}), "/a/$type"),
            (json!({"a": {"$gte": "1"}}), "/a/$gte"),
            (json!({"a": {"$any": true, "b": 1}}), "/a/$any"),
            (json!({"a": {"$same_as": {"step": "x"}}}), "/a/$same_as"),
            (json!({"a": [{"$not": {"$any": 2}}]}), "/a/0/$not/$any"),
        ] {
            assert_eq!(Matcher::read(&value).unwrap_err().path, path, "{value}");
        }
    }

    #[test]
    fn what_can_not_fail_is_known() {
        let vacuous = |value: Value| Matcher::read(&value).unwrap().holds_always();
        for value in [
            json!({"$any": true}),
            json!({}),
            json!({"$in": [1, {"$any": true}]}),
            json!({"$regex": ".*"}),
            json!({"$regex": ""}),
            json!({"$regex": "x*"}),
            json!({"$regex": "^|b"}),
            json!({"$contains": ""}),
            json!({"$length": {"$gte": 0}}),
            json!({"$not": {"$absent": true}}),
            json!({"$in": [{"$type": "null"}, {"$type": "boolean"}, {"$type": "number"}, {"$type": "string"}, {"$type": "array"}, {"$type": "object"}]}),
        ] {
            assert!(vacuous(value.clone()), "{value}");
        }
        for value in [json!(1), json!({"a": {"$any": true}}), json!({"$regex": "a"}), json!({"$in": [1, 2]}), json!({"$not": 1}), json!([])]
        {
            assert!(!vacuous(value.clone()), "{value}");
        }
    }
}
