//! What a document is: by what the user said, else by what it holds.

use proofmark::contract::activation::{self, EVIDENCE_TYPE};
use proofmark::contract::lifecycle::{RECEIPT, RECEIPT_SCHEMA, TRACE};
use proofmark::contract::packet;
use serde_json::Value;

/// A kind of document that can be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Evidence,
    Receipt,
    Trace,
    Packet,
}

impl Kind {
    /// The kind that the user named.
    pub(super) fn named(contract: Option<&str>) -> Option<Self> {
        contract.and_then(|name| Self::ALL.into_iter().find(|kind| kind.contract() == name))
    }

    const ALL: [Self; 4] = [Self::Evidence, Self::Receipt, Self::Trace, Self::Packet];

    /// The contract's name.
    pub(super) fn contract(self) -> &'static str {
        match self {
            Self::Evidence => activation::NAME,
            Self::Receipt => RECEIPT,
            Self::Trace => TRACE,
            Self::Packet => packet::NAME,
        }
    }

    /// The kind of a document.
    ///
    /// # Errors
    /// Words about what is missing where nothing says what it is.
    pub(super) fn of(contract: Option<&str>, value: &Value) -> Result<Self, String> {
        let named = Self::named(contract);
        // A receipt or packet that is no mapping breaks a rule of its own; of the others nothing could be judged.
        if !matches!(named, Some(Self::Receipt | Self::Packet)) && !value.is_object() {
            return Err(format!("it is of type {}, not a mapping, or it is empty", proofmark::json::type_name(value)));
        }
        if let Some(kind) = named {
            return Ok(kind);
        }
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let has = |key: &str| value.get(key).is_some();
        let family = RECEIPT_SCHEMA.trim_end_matches(|c: char| c.is_ascii_digit());
        match (text("_type"), text("schema")) {
            (Some(EVIDENCE_TYPE), _) => Ok(Self::Evidence),
            (Some(kind), _) => Err(format!("_type is {kind:?}; documents of the type {EVIDENCE_TYPE} can be checked")),
            (None, Some(schema)) if schema.starts_with(family) => Ok(Self::Receipt),
            (None, _) if has("capabilities") && has("events") => Ok(Self::Trace),
            (None, _) if has("skill_id") && has("resume_entry") => Ok(Self::Receipt),
            (None, _) if has("observation_id") || has("work_slice_id") => Ok(Self::Packet),
            _ => {
                let names = Self::ALL.map(Self::contract).join(", ");
                Err(format!("no _type says what this is, nor does its form; name its contract with --contract ({names})"))
            }
        }
    }
}
