//! What the handshake says, as data.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::operation::Operation;
use crate::contract::rendering::RenderingProfile;
use crate::json;
use crate::schema::Schema;

/// The version of the protocol that this kit speaks.
pub const PROTOCOL_VERSION: u64 = 1;

/// JSON-RPC error codes of the protocol.
pub mod error_code {
    /// The line is no JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// The JSON is no request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// The operation is not supported.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The params are not what the operation takes.
    pub const INVALID_PARAMS: i64 = -32602;
    /// The implementation failed.
    pub const INTERNAL_ERROR: i64 = -32603;
    /// A request before `initialize`, or after `shutdown`.
    pub const NOT_INITIALIZED: i64 = -32002;
    /// No protocol version is common.
    pub const NO_COMMON_VERSION: i64 = -32001;
}

/// Params of `initialize`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Protocol versions that the runner speaks.
    pub protocol: Vec<u64>,
    /// Who runs. A person who tries a host by hand may leave this and what follows out.
    #[serde(default)]
    pub runner: RunnerInfo,
    /// What is run.
    #[serde(default)]
    pub suite: SuiteInfo,
    /// Fresh for every run.
    #[serde(default)]
    pub nonce: String,
}

/// Who runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunnerInfo {
    /// The program's name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// What is run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteInfo {
    /// The suite's version.
    pub version: String,
    /// `sha256:` over its files.
    pub digest: String,
}

/// How far an implementation's verdicts go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Diagnostics {
    /// Valid or not.
    Valid,
    /// The paths of violations too.
    Paths,
    /// Our rule ids too.
    Rules,
}

/// Who answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImplementationInfo {
    /// The implementation's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The language it is written in.
    pub language: String,
    /// Its home page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Where to report its bugs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issues: Option<String>,
}

/// Result of `initialize`: what an implementation declares, and is held to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Declaration {
    /// The protocol version in force.
    pub protocol: u64,
    /// Who answers.
    pub implementation: ImplementationInfo,
    /// Names of the operations it supports. Their order says nothing, and what is read is in order.
    pub operations: Vec<String>,
    /// Versions of each contract that it keeps; numbers or texts.
    pub contracts: BTreeMap<String, Vec<Value>>,
    /// Its catalog layout, where that can be declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendering: Option<RenderingProfile>,
    /// How far its verdicts go.
    pub diagnostics: Diagnostics,
    /// Requests that it takes at once, at least 1.
    pub max_in_flight: u64,
}

static DECLARATION: LazyLock<Schema> = LazyLock::new(|| {
    let schema = json::parse(crate::embedded::text("schemas/declaration.schema.json")).expect("shipped JSON, held by a test");
    Schema::compile(&schema).expect("the shipped schema, held by a test")
});

impl Declaration {
    /// A declaration with no operation yet.
    #[must_use]
    pub fn new(name: &str, version: &str, language: &str) -> Self {
        Self {
            protocol: PROTOCOL_VERSION,
            implementation: ImplementationInfo {
                name: name.to_owned(),
                version: version.to_owned(),
                language: language.to_owned(),
                url: None,
                issues: None,
            },
            operations: Vec::new(),
            contracts: BTreeMap::new(),
            rendering: None,
            diagnostics: Diagnostics::Rules,
            max_in_flight: 1,
        }
    }

    /// Adds operations, with the contracts that they belong to. The three of a running host are declared under one name.
    #[must_use]
    pub fn operations(mut self, operations: impl IntoIterator<Item = Operation>) -> Self {
        for operation in operations {
            self.contracts.entry(operation.contract().to_owned()).or_insert_with(|| vec![operation.contract_version()]);
            if !self.supports(operation) {
                self.operations.push(operation.declared_name().to_owned());
            }
        }
        self
    }

    /// Declares a rendering profile.
    #[must_use]
    pub fn rendering(mut self, profile: RenderingProfile) -> Self {
        self.rendering = Some(profile);
        self
    }

    /// Reads the result of `initialize`.
    ///
    /// # Errors
    /// What does not fit, in words: a missing key, a wrong type, a profile out of bounds, no common version.
    pub fn read(value: &Value) -> Result<Self, String> {
        let violations = DECLARATION.violations(value);
        if !violations.is_empty() {
            let place = |path: &str| if path.is_empty() { "it".to_owned() } else { path.to_owned() };
            let faults: Vec<String> = violations.iter().map(|it| format!("{} {}", place(&it.path), it.message)).collect();
            return Err(faults.join("; "));
        }
        let mut declaration: Self = serde_json::from_value(json::with_whole_numbers(value)).map_err(|error| error.to_string())?;
        // Sets in many a language, with another order in every process.
        declaration.operations.sort_unstable();
        declaration.operations.dedup();
        for versions in declaration.contracts.values_mut() {
            versions.sort_by_key(Value::to_string);
            versions.dedup();
        }
        Ok(declaration)
    }

    /// Whether an operation is among those declared.
    #[must_use]
    pub fn supports(&self, operation: Operation) -> bool {
        self.operations.iter().any(|name| name == operation.declared_name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_of_a_declaration_has_the_bounds_of_a_profile() {
        let schema: Value = json::parse(crate::embedded::text("schemas/declaration.schema.json")).unwrap();
        let bound = |pointer: &str| schema.pointer(pointer).and_then(Value::as_u64);
        assert_eq!(bound("/$defs/length/maximum"), Some(RenderingProfile::MAX_FRAME));
        assert_eq!(bound("/$defs/part/maximum"), Some(RenderingProfile::MAX_CARD_PART));
        let base = "/$defs/rendering/properties/suffix/then/properties/base/maximum";
        assert_eq!(bound(base), Some(RenderingProfile::MAX_SUFFIX_BASE));
        assert_eq!(bound("/properties/protocol/const"), Some(PROTOCOL_VERSION));
    }
}
