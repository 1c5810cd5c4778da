//! RR-111: artifact paths are relative and do not escape.

use serde_json::Value;

use super::Finding;
use crate::json::pointer_push;

pub(super) fn check(receipt: &Value) -> Vec<Finding> {
    let items = receipt.get("artifact_paths").and_then(Value::as_array);
    let found = items.into_iter().flatten().enumerate().filter_map(|(at, item)| {
        let fault = fault(item.as_str()?)?;
        Some(Finding::new(pointer_push("/artifact_paths", at), fault))
    });
    found.collect()
}

fn fault(path: &str) -> Option<&'static str> {
    let decoded = decode_dots(path.trim());
    let plain = decoded.replace('\\', "/");
    let bytes = plain.as_bytes();
    if plain.starts_with('/') || plain.starts_with('~') {
        return Some("it is absolute; a receipt names paths from the work's root");
    }
    if bytes.len() > 1 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' {
        return Some("it begins with a drive letter");
    }
    if plain.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme)) {
        return Some("it is a URL; evidence_refs hold those");
    }
    let mut depth = 0_i64;
    for part in plain.split('/') {
        depth += match part {
            "" | "." => 0,
            ".." => -1,
            _ => 1,
        };
        if depth < 0 {
            return Some("it leads out of the folder that it is relative to");
        }
    }
    None
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c))
}

/// Dots, slashes and back-slashes that are percent-encoded, as a reader downstream may decode them.
fn decode_dots(path: &str) -> String {
    let mut decoded = path.to_owned();
    for (code, plain) in [("%2e", "."), ("%2E", "."), ("%2f", "/"), ("%2F", "/"), ("%5c", "\\"), ("%5C", "\\")] {
        decoded = decoded.replace(code, plain);
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn a_path_stays_inside() {
        for good in [
            "docs/report.md",
            "test-output.json",
            "a/../b.md",
            "a/b/../../c",
            "./a",
            "a..b/c",
            "...",
            "a%20b",
            "日本/語.md",
            "x/https://y",
            "1a://b",
        ] {
            assert_eq!(fault(good), None, "{good}");
        }
        for bad in [
            "/etc/passwd",
            "~/x",
            "C:\\x",
            "c:x",
            "..",
            "../x",
            "a/../../x",
            "..\\x",
            "%2e%2e/x",
            "a/%2E%2e/%2e%2e/x",
            "%2fetc",
            "\\\\host\\x",
            "file:///x",
            "https://example.org/x",
        ] {
            assert!(fault(bad).is_some(), "{bad}");
        }
    }
}
