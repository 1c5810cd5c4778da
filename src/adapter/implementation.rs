//! The one door to an implementation, in-process or behind a wire.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::operation::Operation;
use super::wire::{Declaration, Hello};

/// A host under test. The reference implementation in this crate is reached through it like every other.
///
/// ```
/// use proofmark::adapter::{Answer, Declaration, ErrorObject, Hello, Implementation, Operation};
/// use serde_json::{Value, json};
///
/// /// A host that refuses everything.
/// struct Mute;
///
/// impl Implementation for Mute {
///     fn initialize(&mut self, _: &Hello) -> Result<Declaration, ErrorObject> {
///         Ok(Declaration::new("mute", "1.0.0", "Rust").operations([Operation::ActivationRead]))
///     }
///     fn call(&mut self, _: Operation, _: &Value) -> Answer {
///         Answer::from_result(json!({"error": {"category": "invalid_payload"}}))
///     }
/// }
/// assert!(matches!(Mute.call(Operation::ActivationRead, &Value::Null), Answer::Refusal(_)));
/// ```
pub trait Implementation {
    /// The first request: who asks, and what this implementation declares about itself.
    ///
    /// # Errors
    /// An error object where no protocol version is common.
    fn initialize(&mut self, hello: &Hello) -> Result<Declaration, ErrorObject>;

    /// One request of an operation. Requests are independent of one another.
    fn call(&mut self, operation: Operation, params: &Value) -> Answer;
}

/// What came back for one request; the kinds are never folded into each other.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A result.
    Result(Value),
    /// A refusal by the contract.
    Refusal(Refusal),
    /// The implementation does not know the operation.
    Unsupported,
    /// The implementation could not try.
    Error(ErrorObject),
}

/// A refusal: `{error: {category}, event?}` inside the result, with a `body` of null or none.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// One word of the protocol's closed list.
    pub category: String,
    /// The event of a blocked load.
    pub event: Option<Value>,
}

/// A JSON-RPC error object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorObject {
    /// See [`super::error_code`].
    pub code: i64,
    /// For people.
    pub message: String,
}

impl Answer {
    /// Sorts a result value: a refusal where it is `{error: {category}, event?}` and nothing else but an empty body, else a result.
    #[must_use]
    pub fn from_result(value: Value) -> Self {
        let refusal = value.as_object().and_then(|members| {
            let category = members.get("error")?.as_object()?.get("category")?.as_str()?;
            let plain = members.iter().all(|(key, value)| key == "error" || key == "event" || (key == "body" && value.is_null()));
            plain.then(|| Refusal { category: category.to_owned(), event: members.get("event").cloned() })
        });
        match refusal {
            Some(refusal) => Self::Refusal(refusal),
            None => Self::Result(value),
        }
    }

    /// The value that stands in `result` on the wire, or `None` for what is no result.
    #[must_use]
    pub fn into_result(self) -> Option<Value> {
        match self {
            Self::Result(value) => Some(value),
            Self::Refusal(Refusal { category, event }) => {
                let mut value = json!({"error": {"category": category}});
                if let Some(event) = event {
                    value["event"] = event;
                }
                Some(value)
            }
            Self::Unsupported | Self::Error(_) => None,
        }
    }
}
