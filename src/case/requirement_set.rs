//! Requirement sets: which cases count for which profile, frozen with a version of the suite.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;

use super::profile::Profile;
use super::suite::Suite;
use crate::{digest, embedded, yaml};

/// The folder of the sets that ship.
const FOLDER: &str = "schemas/requirement-sets/";

/// The cases of every profile at one version of the suite, each with the digest of what it asked and wanted then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequirementSet {
    /// The version of the suite.
    pub suite: String,
    /// The profiles.
    pub profiles: BTreeMap<String, ProfileRequirements>,
    /// `sha256:` over the file that it was read from.
    pub digest: String,
}

/// What counts for one profile.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileRequirements {
    /// The operations that had to be supported.
    pub required: Vec<String>,
    /// Those that need not be.
    #[serde(default)]
    pub optional: Vec<String>,
    /// The digests of its cases ([`Suite::case_digest`]), by id.
    pub cases: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    suite: String,
    profiles: BTreeMap<String, ProfileRequirements>,
}

impl RequirementSet {
    /// The newest set that ships and is not newer than a version of the suite.
    ///
    /// # Errors
    /// Where there is none, in words.
    pub fn shipped(suite: &str) -> Result<Self, String> {
        let mut newest: Option<Self> = None;
        for (name, bytes) in embedded::FILES.iter().filter(|(name, _)| name.starts_with(FOLDER)) {
            let set = Self::read(bytes).map_err(|error| format!("{name}: {error}"))?;
            let is_newer = newest.as_ref().is_none_or(|newest| version(&set.suite) > version(&newest.suite));
            if version(&set.suite) <= version(suite) && is_newer {
                newest = Some(set);
            }
        }
        newest.ok_or_else(|| format!("no requirement set was frozen for suite {suite} or an earlier one"))
    }

    /// Reads a set.
    ///
    /// # Errors
    /// What is wrong with the file, in words.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "the requirement set is not UTF-8".to_owned())?;
        let document = yaml::parse(text).map_err(|error| format!("{}:{}: {}", error.place.line, error.place.column, error.message))?;
        let file: File = serde_json::from_value(document.value).map_err(|error| error.to_string())?;
        Ok(Self { suite: file.suite, profiles: file.profiles, digest: digest::of_bytes(bytes) })
    }

    /// The text of the set that a suite has now.
    ///
    /// # Errors
    /// Where a case holds what has no digest, in words.
    pub fn freeze(suite: &Suite) -> Result<String, String> {
        let mut text = format!(
            "# Which cases count for which profile, with the digest of what each asks and wants, frozen for suite {0}.\n# Written by \
             `proofmark profiles --freeze`. A released set is never edited: what changes goes into the set of a later version.\nsuite: \
             {0}\nprofiles:\n",
            suite.version
        );
        let list = |names: &[String]| format!("[{}]", names.join(", "));
        for (name, profile) in Profile::shipped() {
            // A string takes whatever is written to it.
            let _ = write!(text, "  {name}:\n    required: {}\n", list(&profile.required));
            if !profile.optional.is_empty() {
                let _ = writeln!(text, "    optional: {}", list(&profile.optional));
            }
            text.push_str("    cases:\n");
            let mut cases: Vec<_> = suite.cases().iter().filter(|case| profile.covers(case)).collect();
            cases.sort_unstable_by(|a, b| a.id.cmp(&b.id));
            for case in cases {
                let digest = suite.case_digest(case).map_err(|error| format!("case {}: {error}", case.id))?;
                let _ = writeln!(text, "      {}: {digest}", case.id);
            }
        }
        Ok(text)
    }

    /// In what a suite is no longer what this set holds fast: cases of a profile that are gone or ask or want something else.
    #[must_use]
    pub fn departures(&self, suite: &Suite, profile: &str) -> Vec<String> {
        let Some(requirements) = self.profiles.get(profile) else {
            return vec![format!("the requirement set of suite {} has no profile {profile}", self.suite)];
        };
        let mut departures = Vec::new();
        for (id, frozen) in &requirements.cases {
            match suite.case(id).map(|case| suite.case_digest(case)) {
                None => departures.push(format!("case {id} is gone")),
                Some(now) if now.as_ref() != Ok(frozen) => {
                    departures.push(format!("case {id} does not ask and want what it did when the set was frozen"));
                }
                Some(_) => {}
            }
        }
        departures
    }
}

fn version(text: &str) -> Vec<u64> {
    text.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}
