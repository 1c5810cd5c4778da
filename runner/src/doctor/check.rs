//! What a check is, and what came of it.

use std::time::Duration;

/// A part of the protocol's document, by its heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// What stands before the first heading: the conversation as a whole.
    Conversation,
    /// What a declaration has.
    Declares,
    /// Methods, params and results.
    Operations,
    /// Sessions, which are described with traces.
    Traces,
    /// Results, unsupported, errors.
    Answers,
    /// Faults and the child's environment.
    Faults,
    /// What the examination asks beyond that.
    Doctor,
}

impl Section {
    /// The heading in `docs/protocol.md`.
    #[must_use]
    pub fn heading(self) -> &'static str {
        match self {
            Self::Conversation => "The adapter protocol, version 1",
            Self::Declares => "What `initialize` declares",
            Self::Operations => "Operations",
            Self::Traces => "Receipts and traces",
            Self::Answers => "Three kinds of answer",
            Self::Faults => "Faults",
            Self::Doctor => "A sound adapter",
        }
    }
}

/// One thing that a sound adapter does.
#[derive(Debug, PartialEq, Eq)]
pub struct Check {
    /// Its name, `group.what`.
    pub id: &'static str,
    /// What a sound adapter does, in the present tense.
    pub title: &'static str,
    /// Why it matters.
    pub means: &'static str,
    /// What to do where it fails.
    pub advice: &'static str,
    /// Where the protocol says so.
    pub section: Section,
}

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The adapter does it.
    Passed,
    /// Nothing is broken, but something can't be judged, or may surprise.
    Warned,
    /// The adapter does not do it.
    Failed,
    /// There was nothing to ask, or no one to ask it.
    NotRun,
}

impl Outcome {
    /// Its spelling in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Warned => "warned",
            Self::Failed => "failed",
            Self::NotRun => "not_run",
        }
    }
}

/// One thing that was asked and went otherwise than it should. Texts of the adapter stand in it as they came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// What was sent or done, shortened.
    pub sent: String,
    /// What came.
    pub came: String,
    /// What was expected.
    pub expected: String,
    /// What to do, where the check's own advice is not it.
    pub advice: Option<&'static str>,
}

impl Complaint {
    pub(super) fn new(sent: impl Into<String>, came: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { sent: sent.into(), came: came.into(), expected: expected.into(), advice: None }
    }

    pub(super) fn advising(mut self, advice: &'static str) -> Self {
        self.advice = Some(advice);
        self
    }
}

/// Why the rest is not asked where there never was a conversation.
pub const NO_CONVERSATION: &str = "there is no conversation in which to ask";
/// Why the rest is not asked where the adapter does not come back.
pub const GONE: &str = "it could not be started again";

/// How a check went, before it is a row of the diagnosis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing wrong; perhaps with a number worth saying.
    Good(Option<String>),
    /// Not wrong, and worth a word.
    Odd(Vec<Complaint>),
    /// Wrong.
    Bad(Vec<Complaint>),
    /// Not asked, and why.
    Nothing(String),
}

impl Found {
    /// Wrong where there is a complaint.
    pub(super) fn bad_where(complaints: Vec<Complaint>, note: Option<String>) -> Self {
        if complaints.is_empty() { Self::Good(note) } else { Self::Bad(complaints) }
    }

    /// Odd where there is a complaint.
    pub(super) fn odd_where(complaints: Vec<Complaint>) -> Self {
        if complaints.is_empty() { Self::Good(None) } else { Self::Odd(complaints) }
    }
}

/// A check with what came of it.
#[derive(Debug, Clone)]
pub struct Checked {
    /// The check.
    pub check: &'static Check,
    /// The operation that it is about, where it is made once for each.
    pub subject: Option<&'static str>,
    /// What came of it.
    pub outcome: Outcome,
    /// A number worth saying, or why it was not run.
    pub note: Option<String>,
    /// What went otherwise than it should.
    pub complaints: Vec<Complaint>,
    /// How long it took.
    pub elapsed: Duration,
}

impl Checked {
    /// The check's id, with its subject.
    #[must_use]
    pub fn id(&self) -> String {
        self.subject.map_or_else(|| self.check.id.to_owned(), |subject| format!("{}.{subject}", self.check.id))
    }

    pub(super) fn new(check: &'static Check, subject: Option<&'static str>, found: Found, elapsed: Duration) -> Self {
        let (outcome, note, complaints) = match found {
            Found::Good(note) => (Outcome::Passed, note, Vec::new()),
            Found::Odd(complaints) => (Outcome::Warned, None, complaints),
            Found::Bad(complaints) => (Outcome::Failed, None, complaints),
            Found::Nothing(reason) => (Outcome::NotRun, Some(reason), Vec::new()),
        };
        Self { check, subject, outcome, note, complaints, elapsed }
    }
}
