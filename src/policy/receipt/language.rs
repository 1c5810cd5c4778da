//! What the words of a receipt say: placeholders, and whether a `resume_entry` names what to reopen. The patterns are data.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use crate::contract::lifecycle::is_same_file;
use crate::{embedded, yaml};

/// What a `resume_entry` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actionability {
    /// It names something to reopen; the kind, as the pattern is called.
    Names(&'static str),
    /// Neither: nothing was recognised, and it is no phrase that plainly says nothing.
    Between,
    /// A phrase that names nothing.
    Vague,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LanguageFile {
    lists: BTreeMap<String, Vec<String>>,
    placeholders: Vec<PatternEntry>,
    names: Vec<PatternEntry>,
    vague: Vec<PatternEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PatternEntry {
    #[serde(default)]
    name: String,
    #[serde(default)]
    #[expect(dead_code, reason = "it groups the phrases for readers of the file")]
    language: String,
    #[serde(default)]
    file: bool,
    pattern: String,
    #[serde(default)]
    except: Vec<String>,
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
    placeholders: Vec<Pattern>,
    names: Vec<Pattern>,
    vague: Vec<Pattern>,
}

static LANGUAGE: LazyLock<Language> = LazyLock::new(|| {
    let document = yaml::parse(embedded::text("schemas/receipt-language.yaml")).expect("shipped YAML, held by a test");
    let file: LanguageFile = serde_json::from_value(document.value).expect("shipped patterns, held by a test");
    let compile = |entry: PatternEntry| {
        let pattern =
            file.lists.iter().fold(entry.pattern.clone(), |text, (name, words)| text.replace(&format!("⟨{name}⟩"), &words.join("|")));
        Pattern { regex: Regex::new(&pattern).expect("a shipped pattern, held by a test"), entry }
    };
    let [placeholders, names, vague] =
        [file.placeholders, file.names, file.vague].map(|entries| entries.into_iter().map(compile).collect());
    Language { placeholders, names, vague }
});

impl Pattern {
    /// What it finds, with its exceptions taken out: the first group, else the whole match.
    fn found<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        self.regex.captures_iter(text).filter_map(|captures| {
            let found = captures.get(1).or_else(|| captures.get(0))?.as_str();
            let folded = found.trim().to_lowercase();
            (!self.entry.except.contains(&folded)).then_some(found)
        })
    }
}

/// Case, outer punctuation and runs of white space say nothing.
fn folded(text: &str) -> String {
    let lower = text.to_lowercase();
    let inner = lower.trim_matches(|c: char| !c.is_alphanumeric());
    inner.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a value is, as a whole, what a template left.
pub(super) fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    LANGUAGE.placeholders.iter().any(|pattern| pattern.regex.is_match(text))
}

/// Whether a `resume_entry` names what to reopen. Naming something passes, whatever vague words stand around it.
///
/// ```
/// use proofmark::policy::{Actionability, actionability};
///
/// assert!(matches!(actionability("Read SKILL.md, then go on."), Actionability::Names(_)));
/// assert_eq!(actionability("Continue the previous skill."), Actionability::Vague);
/// ```
#[must_use]
pub fn actionability(text: &str) -> Actionability {
    if let Some(pattern) = LANGUAGE.names.iter().find(|pattern| pattern.found(text).next().is_some()) {
        return Actionability::Names(&pattern.entry.name);
    }
    let folded = folded(text);
    let is_vague = folded.is_empty() || LANGUAGE.vague.iter().any(|pattern| pattern.regex.is_match(&folded));
    if is_vague { Actionability::Vague } else { Actionability::Between }
}

/// The files that a `resume_entry` names, as it spells them. What stands in back-quotes or double quotes around one is a name too: a path
/// may hold blanks.
#[must_use]
pub fn named_files(text: &str) -> Vec<&str> {
    let found = |text| LANGUAGE.names.iter().filter(|pattern| pattern.entry.file).flat_map(move |pattern| pattern.found(text));
    let quoted = ['`', '"'].into_iter().flat_map(|quote| text.split(quote).skip(1).step_by(2)).map(str::trim);
    found(text).chain(quoted.filter(|span| found(span).next().is_some())).collect()
}

/// Whether a name out of running text means this file. Text without blanks between words may hold more than the name.
pub(in crate::policy) fn is_file_named(name: &str, file: &str) -> bool {
    let base = file.rsplit(['/', '\\']).next().unwrap_or(file);
    is_same_file(name, file) || (!name.is_ascii() && !base.is_empty() && name.ends_with(base))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_finds_its_hits_and_passes_over_its_misses() {
        let file = &*LANGUAGE;
        let mut wrong = Vec::new();
        for (kind, patterns) in [("placeholder", &file.placeholders), ("names", &file.names), ("vague", &file.vague)] {
            for pattern in patterns {
                assert!(!pattern.entry.hits.is_empty() && !pattern.entry.misses.is_empty(), "{kind} {} lacks examples", pattern.regex);
                let text = |text: &str| if kind == "vague" { folded(text) } else { text.trim().to_owned() };
                let finds = |example: &String| pattern.found(&text(example)).next().is_some();
                wrong.extend(
                    pattern.entry.hits.iter().filter(|hit| !finds(hit)).map(|hit| format!("{kind} {} misses {hit:?}", pattern.entry.name)),
                );
                wrong.extend(
                    pattern
                        .entry
                        .misses
                        .iter()
                        .filter(|miss| finds(miss))
                        .map(|miss| format!("{kind} {} takes {miss:?}", pattern.entry.name)),
                );
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn a_vague_phrase_is_one_however_it_is_dressed() {
        for text in ["continue the previous skill", "  Continue   the previous\nskill!! ", "“CONTINUE THE PREVIOUS SKILL.”", "…", "?!"]
        {
            assert_eq!(actionability(text), Actionability::Vague, "{text}");
        }
    }

    #[test]
    fn the_seed_names_files() {
        let seed = "Read SKILL.md routing section, then docs/router-decision-contract.md if route fields are involved.";
        assert!(matches!(actionability(seed), Actionability::Names(_)));
        let named = named_files(seed);
        assert!(named.contains(&"SKILL.md") && named.contains(&"docs/router-decision-contract.md"), "{named:?}");
        assert!(named_files("Reopen `skills/two words/SKILL.md`.").contains(&"skills/two words/SKILL.md"));
        assert_eq!(named_files("See `gh_run:28273659275`, and \"as before\"."), Vec::<&str>::new());
    }
}
