//! Secrets and personal data, by patterns that are data.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Regex, RegexSet};
use serde::Deserialize;
use serde_json::Value;

use crate::{embedded, json, yaml};

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

/// A text without the secrets and personal data in it: each word that holds some is replaced by what it was.
///
/// ```
/// use proofmark::policy::masked;
///
/// assert_eq!(masked("ask \"jane.doe@example.org\" first"), "ask \"[an e-mail address]\" first");
/// assert_eq!(masked("nothing to see"), "nothing to see");
/// ```
#[must_use]
pub fn masked(text: &str) -> Cow<'_, str> {
    let all = found_in(text);
    if all.is_empty() {
        return Cow::Borrowed(text);
    }
    let is_edge = |c: char| c.is_whitespace() || "\"'`/,;()[]{}<>".contains(c);
    let mut out = String::with_capacity(text.len());
    for piece in text.split_inclusive(is_edge) {
        let word = piece.strip_suffix(is_edge).unwrap_or(piece);
        match found_in(word).first() {
            Some(kind) => {
                out.push_str(&format!("[{kind}]"));
                out.push_str(&piece[word.len()..]);
            }
            None => out.push_str(piece),
        }
    }
    // What takes several words to be found can't be cut out of them.
    if found_in(&out).is_empty() { Cow::Owned(out) } else { Cow::Owned(format!("[not shown: {}]", all.join(", "))) }
}

/// A value on one line for a message, as [`json::excerpt`] has it, unless it holds secrets or personal data.
pub(super) fn excerpt(value: &Value, max_chars: usize) -> String {
    match value.as_str().and_then(|text| found_in(text).first().copied()) {
        Some(kind) => format!("[{kind}]"),
        None => masked(&json::excerpt(value, max_chars)).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_found_in_what_is_shown() {
        for hit in DETECTORS.each.iter().flat_map(|detector| &detector.entry.hits) {
            for text in [hit.clone(), format!("duplicate key {hit:?}"), format!("/metrics/{hit}/value"), format!("a {hit}, and {hit}")] {
                let shown = masked(&text);
                assert!(found_in(&shown).is_empty(), "{text} became {shown}");
            }
            assert!(found_in(&excerpt(&Value::from(hit.as_str()), 12)).is_empty());
        }
    }

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
