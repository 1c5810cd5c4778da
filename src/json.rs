//! Reading JSON strictly, and comparing JSON values as the contracts do.
//!
//! `serde_json` keeps the last of two equal keys without a word. A kit that compares documents can't: what it judged would not be
//! what another reader sees. So everything that comes in passes through [`parse`].

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The largest integer that every JSON reader holds exactly: 2^53 − 1.
pub const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// Why a text is no JSON value that the kit reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    /// Line of the fault, from 1; 0 where unknown.
    pub line: usize,
    /// Column of the fault, from 1, in bytes; 0 where unknown.
    pub column: usize,
    /// What is wrong, without the position.
    pub message: String,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for JsonError {}

impl From<serde_json::Error> for JsonError {
    fn from(error: serde_json::Error) -> Self {
        let text = error.to_string();
        let message = match text.rfind(" at line ") {
            Some(end) => text[..end].to_owned(),
            None => text,
        };
        Self { line: error.line(), column: error.column(), message }
    }
}

/// Reads one JSON value: no duplicate keys, nothing behind the value, nesting of at most 128.
///
/// # Errors
/// [`JsonError`] with line and column when the text is no such value.
///
/// ```
/// let error = proofmark::json::parse(r#"{"id": 1, "id": 2}"#).unwrap_err();
/// assert_eq!(error.message, "duplicate key \"id\"");
/// ```
pub fn parse(text: &str) -> Result<Value, JsonError> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Strict::unbounded().deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// How a strict reader treats what JSON and YAML differ in.
#[derive(Clone, Copy)]
pub(crate) struct Strict<'a> {
    /// Nodes that may still come; aliases multiply them.
    nodes_left: Option<&'a Cell<usize>>,
    depth_left: usize,
    merge_keys: bool,
}

impl<'a> Strict<'a> {
    pub(crate) fn unbounded() -> Self {
        Self { nodes_left: None, depth_left: usize::MAX, merge_keys: true }
    }

    pub(crate) fn bounded(nodes_left: &'a Cell<usize>, depth: usize) -> Self {
        Self { nodes_left: Some(nodes_left), depth_left: depth, merge_keys: false }
    }

    fn deeper<E: serde::de::Error>(self) -> Result<Self, E> {
        let depth_left = self.depth_left.checked_sub(1).ok_or_else(|| E::custom("nested too deeply"))?;
        Ok(Self { depth_left, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if let Some(left) = self.nodes_left {
            let rest = left.get().checked_sub(1).ok_or_else(|| D::Error::custom("too many values once aliases are expanded"))?;
            left.set(rest);
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("JSON has no number that is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element_seed(inner)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut mapping: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut members = Map::new();
        while let Some(key) = mapping.next_key::<String>()? {
            if !self.merge_keys && key == "<<" {
                return Err(A::Error::custom("merge keys (<<) are not supported; write the keys out"));
            }
            if members.contains_key(&key) {
                return Err(A::Error::custom(format_args!("duplicate key {key:?}")));
            }
            let value = mapping.next_value_seed(inner)?;
            members.insert(key, value);
        }
        Ok(Value::Object(members))
    }
}

/// Whether two values are equal, numbers by their value: `1` equals `1.0`.
#[must_use]
pub fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => numbers_equal(a, b),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| equal(value, other)))
        }
        _ => a == b,
    }
}

/// Whether two numbers have the same value, whatever their spelling.
#[must_use]
pub fn numbers_equal(a: &Number, b: &Number) -> bool {
    match (integer(a), integer(b)) {
        (Some(a), Some(b)) => a == b,
        (None, None) => a.as_f64() == b.as_f64(),
        _ => false,
    }
}

fn integer(number: &Number) -> Option<i128> {
    if let Some(value) = number.as_i64() {
        return Some(value.into());
    }
    if let Some(value) = number.as_u64() {
        return Some(value.into());
    }
    let value = number.as_f64()?;
    // Past 2^63 a double is always whole; comparing those as doubles is exact.
    (value.fract() == 0.0 && value.abs() < 9.2e18).then_some(value as i128)
}

/// The value as a whole number from 0 to [`MAX_SAFE_INTEGER`]; `2000.0` counts as 2000.
#[must_use]
pub fn as_count(value: &Value) -> Option<u64> {
    let Value::Number(number) = value else { return None };
    let value = u64::try_from(integer(number)?).ok()?;
    (value <= MAX_SAFE_INTEGER).then_some(value)
}

/// The value as a whole number that every JSON reader holds exactly, from −[`MAX_SAFE_INTEGER`] to it; `-1.0` counts as −1.
#[must_use]
pub fn as_integer(value: &Value) -> Option<i64> {
    let Value::Number(number) = value else { return None };
    let value = i64::try_from(integer(number)?).ok()?;
    (value.unsigned_abs() <= MAX_SAFE_INTEGER).then_some(value)
}

/// The value with every number that is whole as an integer: `64.0` is 64 to JSON Schema, and to readers of integers it is not.
#[must_use]
pub fn with_whole_numbers(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => as_integer(value).map_or_else(|| value.clone(), Value::from),
        Value::Array(items) => items.iter().map(with_whole_numbers).collect(),
        Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), with_whole_numbers(value))).collect(),
        _ => value.clone(),
    }
}

/// The name of a value's JSON type: null, boolean, integer, number, string, array or object.
#[must_use]
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if integer(number).is_some() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// One step of a JSON Pointer (RFC 6901), escaped: `a/b` becomes `/a~1b`.
#[must_use]
pub fn pointer_push(pointer: &str, token: impl fmt::Display) -> String {
    let token = token.to_string();
    if token.contains(['~', '/']) {
        format!("{pointer}/{}", token.replace('~', "~0").replace('/', "~1"))
    } else {
        format!("{pointer}/{token}")
    }
}

/// Puts a value in the place of the one at a JSON Pointer; `{$remove: true}` takes it out. A member or the element behind the last may be
/// new, anything else has to be there.
pub(crate) fn edit(value: &mut Value, pointer: &str, new: &Value) -> Option<()> {
    let remove = new.get("$remove") == Some(&Value::Bool(true));
    let Some((parent, token)) = pointer.rsplit_once('/') else {
        if !pointer.is_empty() || remove {
            return None;
        }
        *value = new.clone();
        return Some(());
    };
    let token = token.replace("~1", "/").replace("~0", "~");
    match value.pointer_mut(parent)? {
        Value::Object(members) if remove => members.remove(&token).map(drop),
        Value::Object(members) => {
            members.insert(token, new.clone());
            Some(())
        }
        Value::Array(items) => {
            let at: usize = token.parse().ok()?;
            if remove {
                (at < items.len()).then(|| drop(items.remove(at)))
            } else if at == items.len() {
                items.push(new.clone());
                Some(())
            } else {
                *items.get_mut(at)? = new.clone();
                Some(())
            }
        }
        _ => None,
    }
}

/// A step of a path inside a value.
#[derive(Clone, Copy)]
pub(crate) enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

/// The JSON Pointer of a path. It is made where something is said of a place: made for every place, a long key above many would take for
/// ever.
pub(crate) fn pointer_of(base: &str, path: &[Step<'_>]) -> String {
    path.iter().fold(base.to_owned(), |pointer, step| match step {
        Step::Key(key) => pointer_push(&pointer, key),
        Step::Index(index) => pointer_push(&pointer, index),
    })
}

/// A value on one line, cut in the middle when it is longer than `max_chars`, with control characters escaped.
#[must_use]
pub fn excerpt(value: &Value, max_chars: usize) -> String {
    let text = value.to_string();
    if text.len() <= max_chars {
        return text;
    }
    let total = text.chars().count();
    if total <= max_chars {
        return text;
    }
    let keep = max_chars.saturating_sub(24).max(8);
    let head: String = text.chars().take(keep * 2 / 3).collect();
    let tail: String = text.chars().skip(total - keep / 3).collect();
    format!("{head}…({} more)…{tail}", total - keep)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn duplicate_keys_are_refused_at_any_depth() {
        for text in [r#"{"a":1,"a":1}"#, r#"[{"x":{"a":1,"b":2,"a":3}}]"#, r#"{"a":1,"\u0061":2}"#] {
            assert_eq!(parse(text).unwrap_err().message, "duplicate key \"a\"", "{text}");
        }
    }

    #[test]
    fn what_follows_the_value_is_refused() {
        assert!(parse("{} {}").is_err());
        assert_eq!(parse(" {} \n").unwrap(), json!({}));
    }

    #[test]
    fn lone_surrogates_infinite_numbers_and_depth_are_errors_not_panics() {
        for text in [r#""\ud800""#, "1e999", &"[".repeat(200_000), "\u{0}", ""] {
            assert!(parse(text).is_err());
        }
    }

    #[test]
    fn a_key_of_two_angle_brackets_is_an_ordinary_key_in_json() {
        assert_eq!(parse(r#"{"<<":1}"#).unwrap(), json!({"<<": 1}));
    }

    #[test]
    fn numbers_are_equal_by_value() {
        assert!(equal(&json!([1, {"a": 2.0}]), &json!([1.0, {"a": 2}])));
        assert!(!equal(&json!(1), &json!(true)));
        assert!(!equal(&json!(1), &json!(1.5)));
        assert!(equal(&json!(0.0), &json!(-0.0)));
        assert!(!equal(&json!(9_007_199_254_740_993_u64), &json!(9_007_199_254_740_992_u64)));
        assert!(equal(&json!(1e300), &json!(1e300)));
    }

    #[test]
    fn counts_are_whole_and_safe() {
        assert_eq!(as_count(&json!(2000.0)), Some(2000));
        assert_eq!(as_count(&json!(MAX_SAFE_INTEGER)), Some(MAX_SAFE_INTEGER));
        for value in [json!(MAX_SAFE_INTEGER + 1), json!(-1), json!(2000.5), json!("2000"), json!(true), json!(1e300)] {
            assert_eq!(as_count(&value), None, "{value}");
        }
    }

    #[test]
    fn an_edit_replaces_adds_and_removes_and_nothing_else() {
        let edited = |pointer: &str, new: Value| {
            let mut value = json!({"a": [1, 2], "b/c": {"d": 3}});
            edit(&mut value, pointer, &new).map(|()| value)
        };
        let remove = || json!({"$remove": true});
        assert_eq!(edited("", json!(1)), Some(json!(1)));
        assert_eq!(edited("/a/1", json!(5)), Some(json!({"a": [1, 5], "b/c": {"d": 3}})));
        assert_eq!(edited("/a/2", json!(5)), Some(json!({"a": [1, 2, 5], "b/c": {"d": 3}})));
        assert_eq!(edited("/a/0", remove()), Some(json!({"a": [2], "b/c": {"d": 3}})));
        assert_eq!(edited("/b~1c/e", json!(4)), Some(json!({"a": [1, 2], "b/c": {"d": 3, "e": 4}})));
        assert_eq!(edited("/b~1c", remove()), Some(json!({"a": [1, 2]})));
        for (pointer, new) in [
            ("/a/3", json!(5)),
            ("/a/2", remove()),
            ("/x/y", json!(1)),
            ("/a/0/b", json!(1)),
            ("/c", remove()),
            ("", remove()),
            ("a", json!(1)),
        ] {
            assert_eq!(edited(pointer, new), None, "{pointer}");
        }
    }

    #[test]
    fn excerpts_keep_both_ends_and_stay_short() {
        let text = excerpt(&Value::String("x".repeat(10_000)), 100);
        assert!(text.chars().count() <= 110 && text.starts_with("\"xxx") && text.ends_with("xxx\""));
    }
}
