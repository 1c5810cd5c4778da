//! What the words of a receipt say: placeholders, and whether a `resume_entry` names what to reopen. The patterns are data.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use regex::Regex;
use serde::Deserialize;

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

/// A pattern, compiled when it is first asked: most entries name a file, and never get to the others.
struct Pattern {
    entry: PatternEntry,
    source: String,
    compiled: OnceLock<Regex>,
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
        let source =
            file.lists.iter().fold(entry.pattern.clone(), |text, (name, words)| text.replace(&format!("⟨{name}⟩"), &words.join("|")));
        Pattern { entry, source, compiled: OnceLock::new() }
    };
    let [placeholders, names, vague] =
        [file.placeholders, file.names, file.vague].map(|entries| entries.into_iter().map(compile).collect());
    Language { placeholders, names, vague }
});

impl Pattern {
    fn regex(&self) -> &Regex {
        self.compiled.get_or_init(|| Regex::new(&self.source).expect("a shipped pattern, held by a test"))
    }

    /// What it finds, with its exceptions taken out: the first group, else the whole match.
    fn found<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        self.regex().captures_iter(text).filter_map(|captures| {
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
    LANGUAGE.placeholders.iter().any(|pattern| pattern.regex().is_match(text))
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
    let is_vague = folded.is_empty() || LANGUAGE.vague.iter().any(|pattern| pattern.regex().is_match(&folded));
    if is_vague { Actionability::Vague } else { Actionability::Between }
}

/// Whether a `resume_entry` names any file at all.
#[must_use]
pub fn names_some_file(entry: &str) -> bool {
    LANGUAGE.names.iter().filter(|pattern| pattern.entry.file).any(|pattern| pattern.found(entry).next().is_some())
}

/// Whether a `resume_entry` names this file: its whole path, or a tail of it at a folder's boundary, by itself in the text.
///
/// ```
/// use proofmark::policy::names_file;
///
/// assert!(names_file("Read SKILL.md first.", "skills/a/SKILL.md"));
/// assert!(!names_file("Read docs/notes.md first.", "other/notes.md"));
/// ```
#[must_use]
pub fn names_file(entry: &str, file: &str) -> bool {
    let (entry, file) = (entry.replace('\\', "/"), file.replace('\\', "/"));
    let file = file.trim_start_matches("./").trim_matches('/');
    let tails = file.match_indices('/').map(|(at, _)| &file[at + 1..]);
    let mut names = std::iter::once(file).chain(tails);
    names.any(|name| !name.is_empty() && entry.match_indices(name).any(|(at, _)| stands_alone(&entry, at, name, name.len() == file.len())))
}

/// Whether a part of a text is a name by itself there, and not a part of a longer one.
fn stands_alone(text: &str, at: usize, name: &str, is_whole: bool) -> bool {
    let (before, after) = (&text[..at], &text[at + name.len()..]);
    let mut following = after.chars();
    let ends = match (following.next(), following.next()) {
        (None, _) => true,
        (Some('/'), _) => false,
        // A full stop ends a sentence, or begins another extension.
        (Some('.'), next) => !next.is_some_and(|c| c.is_alphanumeric() && !is_unspaced(c)),
        (Some(c), _) => is_bound(c),
    };
    // A longer path may end in the whole one; a tail of it is another file in another folder.
    let from_here = before.strip_suffix("./").is_some_and(|head| head.chars().next_back().is_none_or(is_bound));
    let begins = before.chars().next_back().is_none_or(|c| if c == '/' { is_whole || from_here } else { is_bound(c) });
    if !begins || !ends {
        return false;
    }
    // One word may be any word of a sentence.
    let is_quoted = before.ends_with('`') && after.starts_with('`');
    name.contains('/') || name.trim_start_matches('.').contains('.') || name.starts_with(|c: char| c.is_uppercase()) || is_quoted
}

fn is_bound(c: char) -> bool {
    is_unspaced(c) || !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '~' | '@' | '%' | '+'))
}

/// Letters of scripts that put no blanks between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
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
                assert!(!pattern.entry.hits.is_empty() && !pattern.entry.misses.is_empty(), "{kind} {} lacks examples", pattern.source);
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
    fn a_file_is_named_by_its_path_or_a_tail_of_it_that_stands_alone() {
        let seed = "Read SKILL.md routing section, then docs/router-decision-contract.md if route fields are involved.";
        for (entry, file, is_named) in [
            (seed, "skills/embedded-harness/SKILL.md", true),
            (seed, "docs/router-decision-contract.md", true),
            (seed, "other/router-decision-contract.md", false),
            (seed, "docs/contract.md", false),
            ("Open repo/docs/x.md.", "docs/x.md", true),
            ("Open ./x.md, please", "docs/x.md", true),
            ("Open ../x.md, please", "docs/x.md", false),
            ("Open docs/x.md.bak", "docs/x.md", false),
            ("Open docs/x.mdx", "docs/x.md", false),
            ("Open my-docs/x.md", "docs/x.md", false),
            ("Open DOCS\\x.md", "DOCS/x.md", true),
            ("请打开docs/x.md，然后继续", "docs/x.md", true),
            ("请打开docs/x.md，然后继续", "other/x.md", false),
            ("先看设计/x.md", "docs/x.md", false),
            ("まず設計書.mdを読む", "docs/設計書.md", true),
            ("Reopen `skills/two words/SKILL.md`.", "skills/two words/SKILL.md", true),
            ("Open models/net.onnx.", "models/net.onnx", true),
            ("Run bin/deploy again", "bin/deploy", true),
            ("deploy it again", "bin/deploy", false),
            ("`deploy` again", "bin/deploy", true),
            ("See README and LICENSE", "docs/README", true),
            ("See the Makefile", "Makefile", true),
            ("", "Makefile", false),
            ("anything", "", false),
        ] {
            assert_eq!(names_file(entry, file), is_named, "{entry:?} {file:?}");
        }
        assert!(names_some_file(seed) && !names_some_file("See `gh_run:28273659275`, as before."));
    }
}
