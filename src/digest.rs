//! Digests, as everything here writes them.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::json::MAX_SAFE_INTEGER;

/// `sha256:` and 64 hexadecimal digits.
#[must_use]
pub fn of_bytes(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(bytes))
}

/// The SHA-256 of bytes in 64 hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    written(&Sha256::digest(bytes))
}

fn written(digest: &[u8]) -> String {
    use std::fmt::Write as _;
    digest.iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A digest of bytes that come piece by piece.
#[derive(Debug, Clone, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// Of nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes more bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// `sha256:` and 64 hexadecimal digits over what came so far.
    #[must_use]
    pub fn digest(&self) -> String {
        format!("sha256:{}", written(&self.0.clone().finalize()))
    }
}

/// The digest of a JSON value in its canonical form (RFC 8785), `sha256:` and 64 hexadecimal digits.
///
/// # Errors
/// Where a number is an integer that the canonical form would round, beyond 2^53 - 1.
pub fn of_value(value: &Value) -> Result<String, String> {
    if has_unsafe_integer(value) {
        return Err("an integer beyond 2^53 - 1 has no canonical form".to_owned());
    }
    serde_json_canonicalizer::to_vec(value).map(|bytes| of_bytes(&bytes)).map_err(|error| error.to_string())
}

fn has_unsafe_integer(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            let magnitude = number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs));
            magnitude.is_some_and(|magnitude| magnitude > MAX_SAFE_INTEGER)
        }
        Value::Array(items) => items.iter().any(has_unsafe_integer),
        Value::Object(members) => members.values().any(has_unsafe_integer),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_digest_is_of_what_is_said_and_not_of_how() {
        assert_eq!(of_value(&json!({"b": [true], "a": 1.0})).unwrap(), of_bytes(b"{\"a\":1,\"b\":[true]}"));
        assert!(of_value(&json!([9_007_199_254_740_993_u64])).is_err());
        let mut hasher = Hasher::new();
        hasher.update(b"{\"a\":1,");
        hasher.update(b"\"b\":[true]}");
        assert_eq!(hasher.digest(), of_bytes(b"{\"a\":1,\"b\":[true]}"));
        // The digest of nothing is widely known.
        assert_eq!(of_bytes(b""), "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
