//! Secrets and personal data, by patterns that are data.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};
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
    /// What it finds (its first group, else all) and still passes over.
    except: Option<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are for tests and for readers"))]
    hits: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are for tests and for readers"))]
    misses: Vec<String>,
}

struct Detector {
    entry: PatternEntry,
    regex: Regex,
    except: Option<Regex>,
}

/// All patterns, and all of them at once: most texts hold nothing, and are looked at in one pass.
struct Detectors {
    any: RegexSet,
    each: Vec<Detector>,
}

impl Detector {
    fn finds(&self, text: &str) -> bool {
        let Some(except) = &self.except else { return self.regex.is_match(text) };
        self.regex.captures_iter(text).any(|found| found.get(1).or_else(|| found.get(0)).is_some_and(|it| !except.is_match(it.as_str())))
    }
}

static DETECTORS: LazyLock<Detectors> = LazyLock::new(|| {
    let document = yaml::parse(embedded::text("schemas/private-data.yaml")).expect("shipped YAML, held by a test");
    let file: PrivateData = serde_json::from_value(document.value).expect("shipped patterns, held by a test");
    let any = RegexSet::new(file.patterns.iter().map(|entry| &entry.pattern)).expect("shipped patterns, held by a test");
    let regex = |pattern: &str| Regex::new(pattern).expect("a shipped pattern, held by a test");
    let compile = |entry: PatternEntry| Detector { regex: regex(&entry.pattern), except: entry.except.as_deref().map(regex), entry };
    Detectors { any, each: file.patterns.into_iter().map(compile).collect() }
});

/// The kinds of secret or personal data in a text, never the data itself.
///
/// ```
/// use proofmark::policy::private_data;
///
/// assert_eq!(private_data("ask jane.doe@example.org"), ["an e-mail address"]);
/// assert!(private_data("git@github.com:owner/repo.git at 3fa9c21").is_empty());
/// ```
#[must_use]
pub fn private_data(text: &str) -> Vec<&'static str> {
    found_in(text)
}

pub(super) fn found_in(text: &str) -> Vec<&'static str> {
    let Detectors { any, each } = &*DETECTORS;
    if !any.is_match(text) {
        return Vec::new();
    }
    each.iter().filter(|detector| detector.finds(text)).map(|detector| detector.entry.name.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_finds_its_hits_and_passes_over_its_misses() {
        let mut wrong = Vec::new();
        for detector in &DETECTORS.each {
            let entry = &detector.entry;
            assert!(!entry.hits.is_empty() && !entry.misses.is_empty(), "{} lacks examples", entry.name);
            wrong.extend(entry.hits.iter().filter(|hit| !detector.finds(hit)).map(|hit| format!("{} misses {hit:?}", entry.name)));
            let alarms = entry.misses.iter().flat_map(|miss| found_in(miss).into_iter().map(move |kind| format!("{kind} takes {miss:?}")));
            wrong.extend(alarms);
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
