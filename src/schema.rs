//! JSON Schema, draft 2020-12: the one module that knows `jsonschema`.
//!
//! Offline, with the linear pattern engine, and strict about the schemas themselves: an unknown keyword or format is an error, since
//! both would otherwise pass silently and judge nothing.

use std::fmt;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;

use crate::json::pointer_push;

/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    validator: Validator,
}

/// Why a schema can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError {
    /// JSON Pointer into the schema, where known.
    pub path: String,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "schema at {:?}: {}", self.path, self.message)
    }
}

impl std::error::Error for SchemaError {}

/// One place of a document that a schema does not allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaViolation {
    /// JSON Pointer into the document; for a missing member where it would stand.
    pub path: String,
    /// The schema keyword.
    pub keyword: String,
    /// What is wrong, in words; long values are cut.
    pub message: String,
}

const KEYWORDS: &[&str] = &[
    "$schema",
    "$id",
    "$ref",
    "$defs",
    "$comment",
    "title",
    "description",
    "default",
    "examples",
    "type",
    "enum",
    "const",
    "multipleOf",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "format",
    "items",
    "prefixItems",
    "contains",
    "maxItems",
    "minItems",
    "uniqueItems",
    "maxContains",
    "minContains",
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "required",
    "dependentRequired",
    "dependentSchemas",
    "maxProperties",
    "minProperties",
    "unevaluatedItems",
    "unevaluatedProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
];
/// Keywords whose members are named by the schema's author.
const NAMED: &[&str] = &["properties", "patternProperties", "$defs", "dependentSchemas"];
/// Keywords whose value is data.
const DATA: &[&str] = &["enum", "const", "default", "examples", "required", "dependentRequired", "type"];

impl Schema {
    /// Compiles a schema.
    ///
    /// # Errors
    /// [`SchemaError`] for what is no schema, and for an unknown keyword, format, or a reference that leads outside.
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {
        keywords_are_known("", schema)?;
        let validator = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .offline()
            .should_validate_formats(true)
            .should_ignore_unknown_formats(false)
            .with_pattern_options(PatternOptions::regex())
            .build(schema)
            .map_err(|error| SchemaError { path: error.instance_path().to_string(), message: error.masked().to_string() })?;
        Ok(Self { validator })
    }

    /// Whether a document is valid.
    #[must_use]
    pub fn accepts(&self, document: &Value) -> bool {
        self.validator.is_valid(document)
    }

    /// Every place that the schema does not allow, in the schema's order.
    #[must_use]
    pub fn violations(&self, document: &Value) -> Vec<SchemaViolation> {
        let mut violations = Vec::new();
        // Saying yes is several times faster than listing what is wrong.
        if self.validator.is_valid(document) {
            return violations;
        }
        for error in self.validator.iter_errors(document) {
            let path = error.instance_path().to_string();
            let keyword = error.kind().keyword().to_owned();
            match error.kind() {
                ValidationErrorKind::Required { property } => {
                    let name = property.as_str().unwrap_or_default();
                    violations.push(SchemaViolation { path: pointer_push(&path, name), keyword, message: "is missing".into() });
                }
                ValidationErrorKind::AdditionalProperties { unexpected } => {
                    violations.extend(unexpected.iter().map(|name| SchemaViolation {
                        path: pointer_push(&path, name),
                        keyword: keyword.clone(),
                        message: "is an unknown key".into(),
                    }));
                }
                _ => {
                    let mut message = error.to_string();
                    if message.len() > 240 {
                        message = error.masked().to_string();
                    }
                    violations.push(SchemaViolation { path, keyword, message });
                }
            }
        }
        violations
    }
}

fn keywords_are_known(path: &str, schema: &Value) -> Result<(), SchemaError> {
    let Value::Object(members) = schema else { return Ok(()) };
    for (keyword, value) in members {
        let here = pointer_push(path, keyword);
        if !KEYWORDS.contains(&keyword.as_str()) {
            return Err(SchemaError { path: here, message: format!("{keyword:?} is no keyword of draft 2020-12") });
        }
        if DATA.contains(&keyword.as_str()) {
            continue;
        }
        match value {
            Value::Object(named) if NAMED.contains(&keyword.as_str()) => {
                for (name, schema) in named {
                    keywords_are_known(&pointer_push(&here, name), schema)?;
                }
            }
            Value::Array(schemas) => {
                for (at, schema) in schemas.iter().enumerate() {
                    keywords_are_known(&pointer_push(&here, at), schema)?;
                }
            }
            value => keywords_are_known(&here, value)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_misspelt_keyword_or_format_is_an_error() {
        for (schema, path) in [
            (json!({"properties": {"a": {"typ": "string"}}}), "/properties/a/typ"),
            (json!({"allOf": [{"minLenght": 1}]}), "/allOf/0/minLenght"),
        ] {
            assert_eq!(Schema::compile(&schema).unwrap_err().path, path);
        }
        assert!(Schema::compile(&json!({"format": "rfc-something"})).is_err());
        assert!(Schema::compile(&json!({"$ref": "https://example.org/x"})).is_err());
        assert!(Schema::compile(&json!({"type": "strin"})).is_err());
    }

    #[test]
    fn names_of_members_are_no_keywords() {
        assert!(Schema::compile(&json!({"properties": {"typ": {"type": "string"}}, "enum": [{"typ": 1}]})).is_ok());
    }

    #[test]
    fn a_missing_member_has_the_path_where_it_would_stand() {
        let schema = Schema::compile(&json!({"required": ["a/b"], "additionalProperties": false, "properties": {"a/b": true}})).unwrap();
        let violations = schema.violations(&json!({"c": 1}));
        let paths: Vec<&str> = violations.iter().map(|violation| violation.path.as_str()).collect();
        assert!(paths.contains(&"/a~1b") && paths.contains(&"/c"), "{paths:?}");
    }

    #[test]
    fn a_long_value_is_not_echoed() {
        let schema = Schema::compile(&json!({"maxLength": 3})).unwrap();
        assert!(schema.violations(&json!("x".repeat(10_000)))[0].message.len() < 300);
    }
}
