//! Lines to messages and back: JSON-RPC 2.0, one message a line.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::implementation::ErrorObject;
use crate::json::{self, JsonError};

/// The longest line that is read unless told otherwise.
pub const DEFAULT_MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// Why a line is no message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MalformedMessage {
    /// Not UTF-8; the offset of the first bad byte.
    NotUtf8 {
        /// From 0.
        offset: usize,
    },
    /// Not one JSON value, or one with a duplicate key.
    NotJson(JsonError),
    /// JSON, but no message of the protocol.
    NotAMessage(String),
}

impl fmt::Display for MalformedMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 { offset } => write!(f, "the line is not UTF-8 (byte {offset})"),
            Self::NotJson(error) => write!(f, "the line is not JSON: column {}: {}", error.column, error.message),
            Self::NotAMessage(message) => write!(f, "the line is no JSON-RPC 2.0 message: {message}"),
        }
    }
}

/// Appends a request and its line end.
pub(super) fn write_request<P: Serialize + ?Sized>(out: &mut Vec<u8>, id: u64, method: &str, params: &P) -> Result<(), JsonError> {
    // The same few bytes for every request; a serialiser would escape each of the names anew.
    out.extend(br#"{"jsonrpc":"2.0","id":"#);
    serde_json::to_writer(&mut *out, &id)?;
    out.extend(br#","method":"#);
    serde_json::to_writer(&mut *out, method)?;
    out.extend(br#","params":"#);
    serde_json::to_writer(&mut *out, params)?;
    out.extend(b"}\n");
    Ok(())
}

/// `null` is a value here, not an absence.
fn present<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
struct RawMessage<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

fn read_message(line: &[u8]) -> Result<RawMessage<'_>, MalformedMessage> {
    let text = std::str::from_utf8(line).map_err(|error| MalformedMessage::NotUtf8 { offset: error.valid_up_to() })?;
    let not_json = |error: serde_json::Error| MalformedMessage::NotJson(error.into());
    // A derived reader takes a JSON array for a struct, member by member.
    if text.trim_start().starts_with('[') {
        return match json::parse(text) {
            Err(error) => Err(MalformedMessage::NotJson(error)),
            Ok(_) => Err(MalformedMessage::NotAMessage("it is of type array".to_owned())),
        };
    }
    match serde_json::from_str::<RawMessage<'_>>(text) {
        Ok(message) => Ok(message),
        Err(error) if error.is_data() => match json::parse(text) {
            Err(error) => Err(MalformedMessage::NotJson(error)),
            Ok(value) => Err(MalformedMessage::NotAMessage(format!("it is of type {}", json::type_name(&value)))),
        },
        Err(error) => Err(not_json(error)),
    }
}

fn value(raw: &RawValue) -> Result<Value, MalformedMessage> {
    json::parse(raw.get()).map_err(MalformedMessage::NotJson)
}

/// A response, with the id as it came.
pub(super) struct IncomingResponse {
    /// `None` where the id is null, or is no id that this kit gives out.
    pub(super) id: Option<u64>,
    pub(super) outcome: Result<Result<Value, ErrorObject>, MalformedMessage>,
}

/// Reads a response. A fault inside the result or error of a response whose id is good stays with that id.
pub(super) fn read_response(line: &[u8]) -> Result<IncomingResponse, MalformedMessage> {
    let message = read_message(line)?;
    let not_a_message = |text: &str| MalformedMessage::NotAMessage(text.to_owned());
    if message.method.is_some() {
        return Err(not_a_message("it has a method, so that it is a request or a notification; only responses are expected"));
    }
    let Some(id) = message.id else { return Err(not_a_message("it has no id")) };
    let id = own_id(id);
    if message.jsonrpc.is_none_or(|version| version.get() != r#""2.0""#) {
        return Ok(IncomingResponse { id, outcome: Err(not_a_message("jsonrpc is not \"2.0\"")) });
    }
    // Some libraries write the member that does not apply as null.
    let is_null = |raw: &RawValue| raw.get() == "null";
    let outcome = match (message.result, message.error) {
        (Some(result), None) => value(result).map(Ok),
        (Some(result), Some(error)) if is_null(error) => value(result).map(Ok),
        (None, Some(error)) => error_object(error).map(Err),
        (Some(result), Some(error)) if is_null(result) => error_object(error).map(Err),
        (Some(_), Some(_)) => Err(not_a_message("it has both a result and an error")),
        (None, None) => Err(not_a_message("it has neither a result nor an error")),
    };
    Ok(IncomingResponse { id, outcome })
}

/// The id as this kit writes it, or a number that is equal: `7.0` is what some libraries make of `7`.
fn own_id(raw: &RawValue) -> Option<u64> {
    let text = raw.get();
    text.parse().ok().or_else(|| json::as_count(&serde_json::from_str::<Value>(text).ok()?))
}

fn error_object(raw: &RawValue) -> Result<ErrorObject, MalformedMessage> {
    serde_json::from_value(value(raw)?).map_err(|error| MalformedMessage::NotAMessage(format!("its error object is malformed: {error}")))
}

/// A request, for the server's side.
pub(super) struct IncomingRequest {
    pub(super) id: Value,
    pub(super) method: String,
    pub(super) params: Option<Value>,
}

/// Reads a request. The error says whether the text was JSON at all, and carries the id where one could be read.
pub(super) fn read_request(line: &[u8]) -> Result<IncomingRequest, (MalformedMessage, Value)> {
    let message = read_message(line).map_err(|fault| (fault, Value::Null))?;
    let refuse = |text: &str, id: Value| Err((MalformedMessage::NotAMessage(text.to_owned()), id));
    let id = match message.id {
        None => return refuse("it has no id; there are no notifications", Value::Null),
        Some(raw) => value(raw).map_err(|fault| (fault, Value::Null))?,
    };
    if !(id.is_string() || id.is_number()) {
        return refuse("its id is neither a string nor a number", Value::Null);
    }
    if message.jsonrpc.is_none_or(|version| version.get() != r#""2.0""#) {
        return refuse("jsonrpc is not \"2.0\"", id);
    }
    let method = match message.method.map(value).transpose().map_err(|fault| (fault, id.clone()))? {
        Some(Value::String(method)) => method,
        _ => return refuse("its method is no string", id),
    };
    let params = message.params.map(value).transpose().map_err(|fault| (fault, id.clone()))?;
    Ok(IncomingRequest { id, method, params })
}
