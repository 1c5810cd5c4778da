//! The Statement, as it is written: in-toto Statement v1 with the test-result predicate v0.1, and what is ours beside it.

use std::collections::BTreeMap;

use proofmark::digest;
use proofmark::verdict::Level;
use serde::{Deserialize, Serialize};

use crate::run::{LevelCount, ProfileCount, ProfileResult};

/// The type of an in-toto Statement.
pub(super) const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// The type of the predicate.
pub(super) const PREDICATE_TYPE: &str = "https://in-toto.io/attestation/test-result/v0.1";

/// An in-toto Statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// Which form this is.
    #[serde(rename = "_type")]
    pub statement_type: String,
    /// What was tested: the implementation, by the digest of what it declared, and files that the user named.
    pub subject: Vec<Subject>,
    /// Which predicate follows.
    #[serde(rename = "predicateType")]
    pub predicate_type: String,
    /// What is said of it.
    pub predicate: Predicate,
}

/// Something with a digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// Its digest.
    pub digest: DigestSet,
}

/// Digests by algorithm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DigestSet {
    /// 64 hexadecimal digits.
    pub sha256: String,
}

impl DigestSet {
    /// From `sha256:` and digits.
    pub(super) fn of(digest: &str) -> Self {
        Self { sha256: digest.strip_prefix("sha256:").unwrap_or(digest).to_owned() }
    }
}

/// What it was tested with.
pub type Configuration = Subject;

/// The test-result predicate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Predicate {
    /// `PASSED`: there is no certificate for less.
    pub result: String,
    /// The suite, the profiles, the requirement set and the report, each with its digest.
    pub configuration: Vec<Configuration>,
    /// Cases of level `should` and `may` that failed.
    pub warned_tests: Vec<String>,
    /// None.
    pub failed_tests: Vec<String>,
    /// What the predicate has no place for.
    pub proofmark: Proofmark,
}

/// What a certifying run came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proofmark {
    /// The version of proofmark.
    pub version: String,
    /// When the run began (RFC 3339).
    pub started: String,
    /// The profile.
    pub profile: String,
    /// `success`.
    pub result: ProfileResult,
    /// Fresh for the run; everything random in it follows from this.
    pub nonce: String,
    /// The seed that follows from the nonce.
    pub seed: u64,
    /// Cases that were generated from the seed and asked among the others.
    pub generated: usize,
    /// In the set, claimed, run, judged.
    pub counts: ProfileCount,
    /// Outcomes by level, the generated cases included.
    pub levels: BTreeMap<Level, LevelCount>,
    /// Requests that were asked again at the end.
    pub repeated: usize,
    /// What this says, and what it does not.
    pub scope: Vec<String>,
    /// `sha256:` over the canonical form (RFC 8785) of the Statement without this.
    pub digest: String,
}

impl Statement {
    /// The digest that belongs into it.
    #[must_use]
    pub fn own_digest(&self) -> String {
        let mut bare = self.clone();
        bare.predicate.proofmark.digest.clear();
        serde_json::to_value(&bare).ok().and_then(|value| digest::of_value(&value).ok()).unwrap_or_default()
    }

    /// The text of the file.
    #[must_use]
    pub fn text(&self) -> String {
        // Texts and numbers only, so that there is nothing to fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}
