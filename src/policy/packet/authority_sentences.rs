//! EP-119: no sentence approves, blocks, closes or restarts the slice, or says that a gate passed. The patterns are data.

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use super::Subject;
use crate::policy::receipt::Finding;
use crate::{embedded, yaml};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LanguagesFile {
    parts: Vec<PartEntry>,
    languages: Vec<LanguageEntry>,
}

/// What stands in patterns as `⟨name⟩`, and may name earlier parts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PartEntry {
    name: String,
    pattern: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LanguageEntry {
    #[expect(dead_code, reason = "it groups the patterns for readers of the file")]
    language: String,
    claims: Vec<PatternEntry>,
    unless: Vec<PatternEntry>,
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

struct Pattern {
    entry: PatternEntry,
    regex: Regex,
}

struct Language {
    claims: Vec<Pattern>,
    unless: Vec<Pattern>,
}

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let document = yaml::parse(embedded::text("schemas/authority-language.yaml")).expect("shipped YAML, held by a test");
    let file: LanguagesFile = serde_json::from_value(document.value).expect("shipped patterns, held by a test");
    let mut parts: Vec<(String, String)> = Vec::new();
    for part in file.parts {
        let pattern = filled_in(&part.pattern, &parts);
        parts.push((format!("⟨{}⟩", part.name), pattern));
    }
    let compile = |entry: PatternEntry| {
        let regex = Regex::new(&filled_in(&entry.pattern, &parts)).expect("a shipped pattern, held by a test");
        Pattern { regex, entry }
    };
    let all = |entries: Vec<PatternEntry>| entries.into_iter().map(compile).collect();
    file.languages.into_iter().map(|language| Language { claims: all(language.claims), unless: all(language.unless) }).collect()
});

fn filled_in(pattern: &str, parts: &[(String, String)]) -> String {
    parts.iter().fold(pattern.to_owned(), |text, (name, part)| text.replace(name, part))
}

/// What a text claims over the slice or a gate; the name of the pattern.
///
/// ```
/// use proofmark::policy::authority_claim;
///
/// assert!(authority_claim("The docs are done. This slice is approved.").is_some());
/// assert!(authority_claim("A reviewer must approve this slice.").is_none());
/// ```
#[must_use]
pub fn authority_claim(text: &str) -> Option<&'static str> {
    let languages = &*LANGUAGES;
    sentences(text).find_map(|sentence| {
        languages.iter().find_map(|language| {
            let claim = language.claims.iter().find(|pattern| pattern.regex.is_match(sentence))?;
            let is_excused = language.unless.iter().any(|pattern| pattern.regex.is_match(sentence));
            (!is_excused).then_some(claim.entry.name.as_str())
        })
    })
}

/// The sentences of a text. A full stop ends one only before a blank or the end: ids and numbers hold some.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            if rest.is_empty() {
                return None;
            }
            let mut letters = rest.char_indices().peekable();
            let mut end = rest.len();
            while let Some((at, letter)) = letters.next() {
                let next = letters.peek().map(|(_, next)| *next);
                let ends = match letter {
                    '!' | '?' | '。' | '！' | '？' | ';' | '；' | '\n' | '\r' => true,
                    '.' => next.is_none_or(char::is_whitespace),
                    _ => false,
                };
                if ends {
                    end = at + letter.len_utf8();
                    break;
                }
            }
            let (sentence, after) = rest.split_at(end);
            rest = after;
            if !sentence.trim().is_empty() {
                return Some(sentence.trim());
            }
        }
    })
}

pub(super) fn check(subject: &Subject<'_>) -> Option<Vec<Finding>> {
    let found = subject.prose().into_iter().filter_map(|(pointer, text)| {
        let claim = authority_claim(text)?;
        Some(Finding::new(pointer, format!("a sentence claims authority ({claim}); a packet observes, others decide")))
    });
    Some(found.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_finds_its_hits_and_passes_over_its_misses() {
        let mut wrong = Vec::new();
        for pattern in LANGUAGES.iter().flat_map(|language| language.claims.iter().chain(&language.unless)) {
            let Pattern { entry, regex } = pattern;
            assert!(!regex.as_str().contains('⟨'), "{} names a part that is not there, or a later one", entry.name);
            assert!(!entry.hits.is_empty() && !entry.misses.is_empty(), "{} lacks examples", entry.name);
            wrong.extend(entry.hits.iter().filter(|hit| !regex.is_match(hit)).map(|hit| format!("{} misses {hit:?}", entry.name)));
            wrong.extend(entry.misses.iter().filter(|miss| regex.is_match(miss)).map(|miss| format!("{} takes {miss:?}", entry.name)));
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn sentences_end_where_a_reader_stops() {
        let text = "Version 0.1 is out. Done! 好了。下一句\nlast";
        assert_eq!(sentences(text).collect::<Vec<_>>(), ["Version 0.1 is out.", "Done!", "好了。", "下一句", "last"]);
    }
}
