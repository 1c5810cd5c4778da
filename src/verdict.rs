//! Levels, bases, violations and verdicts: what a judgement is made of.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How binding a statement is (RFC 2119). Ordered: `May < Should < Must`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// An option; a host that does otherwise is not wrong.
    May,
    /// Expected unless there is a good reason.
    Should,
    /// What conformance means.
    Must,
}

impl Level {
    /// The lower-case word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::May => "may",
            Self::Should => "should",
            Self::Must => "must",
        }
    }
}

impl Level {
    /// The level of this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::May, Self::Should, Self::Must].into_iter().find(|level| level.as_str() == word)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What a statement rests on; it bounds the level (see [`Basis::highest_level`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// The source document's own words.
    Text,
    /// An example that the source document shows.
    Example,
    /// What the host itself declared when it was asked.
    Declared,
    /// The shape of this kit's own operations.
    Protocol,
    /// What a shipping implementation was seen to do.
    Measured,
    /// A choice that nothing settles.
    Decision,
}

impl Basis {
    /// The lower-case word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Example => "example",
            Self::Declared => "declared",
            Self::Protocol => "protocol",
            Self::Measured => "measured",
            Self::Decision => "decision",
        }
    }

    /// The highest level that this basis carries.
    #[must_use]
    pub fn highest_level(self) -> Level {
        match self {
            Self::Text | Self::Example | Self::Declared | Self::Protocol => Level::Must,
            Self::Measured => Level::Should,
            Self::Decision => Level::May,
        }
    }
}

/// One breach of one rule at one place of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The rule's id, such as `AE-103`.
    pub rule: String,
    /// The rule's level.
    pub level: Level,
    /// JSON Pointer to the place.
    pub path: String,
    /// What is wrong, in words.
    pub message: String,
    /// Where it stands in the text, for what can't be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
}

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct At {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

/// What the rules say of one document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// False exactly when a `must` is broken.
    pub valid: bool,
    /// Every breach, ordered by path, then rule.
    pub violations: Vec<Violation>,
    /// Rules that could not be judged from what was given.
    pub not_judged: Vec<String>,
}

impl Verdict {
    /// A verdict over these breaches, in canonical order.
    #[must_use]
    pub fn new(mut violations: Vec<Violation>, mut not_judged: Vec<String>) -> Self {
        // A set: one rule at one place, as binding as it was found there.
        violations.sort_by(|a, b| (&a.path, &a.rule, b.level, &a.message).cmp(&(&b.path, &b.rule, a.level, &b.message)));
        violations.dedup_by(|a, b| a.path == b.path && a.rule == b.rule);
        not_judged.sort();
        not_judged.dedup();
        let valid = violations.iter().all(|violation| violation.level != Level::Must);
        Self { valid, violations, not_judged }
    }
}
