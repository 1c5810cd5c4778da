//! Secrets and personal data, by patterns that are data.

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use crate::{embedded, yaml};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PrivateData {
    patterns: Vec<PatternEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PatternEntry {
    name: String,
    pattern: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are for tests and for readers"))]
    hits: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are for tests and for readers"))]
    misses: Vec<String>,
}

struct Detector {
    entry: PatternEntry,
    regex: Regex,
}

static DETECTORS: LazyLock<Vec<Detector>> = LazyLock::new(|| {
    let document = yaml::parse(embedded::text("schemas/private-data.yaml")).expect("shipped YAML, held by a test");
    let file: PrivateData = serde_json::from_value(document.value).expect("shipped patterns, held by a test");
    let compile = |entry: PatternEntry| Detector { regex: Regex::new(&entry.pattern).expect("a shipped pattern, held by a test"), entry };
    file.patterns.into_iter().map(compile).collect()
});

/// The kinds of secret or personal data in a text, never the data itself.
pub(super) fn found_in(text: &str) -> Vec<&'static str> {
    DETECTORS.iter().filter(|detector| detector.regex.is_match(text)).map(|detector| detector.entry.name.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_finds_its_hits_and_passes_over_its_misses() {
        let mut wrong = Vec::new();
        for Detector { entry, regex } in &*DETECTORS {
            assert!(!entry.hits.is_empty() && !entry.misses.is_empty(), "{} lacks examples", entry.name);
            wrong.extend(entry.hits.iter().filter(|hit| !regex.is_match(hit)).map(|hit| format!("{} misses {hit:?}", entry.name)));
            let alarms = entry.misses.iter().flat_map(|miss| found_in(miss).into_iter().map(move |kind| format!("{kind} takes {miss:?}")));
            wrong.extend(alarms);
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
