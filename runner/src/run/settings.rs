//! How a run was made: everything that has to be the same for it to be the same run.

use proofmark::adapter::SuiteInfo;
use proofmark::case::{Profile, RequirementSet, Suite};
use proofmark::verdict::Level;
use serde::{Deserialize, Serialize};

use super::shard::Shard;

/// The settings of a run, as its journal begins with them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSettings {
    /// The version of proofmark.
    pub proofmark: String,
    /// Which suite.
    pub suite: SuiteInfo,
    /// Cases in the suite.
    pub suite_cases: usize,
    /// Patterns over the cases; all where there is none.
    pub patterns: Vec<String>,
    /// Only cases of this contract.
    pub contract: Option<String>,
    /// Only cases of this profile, and what counts for it.
    pub profile: Option<ProfileSettings>,
    /// Only the failed cases of the journal with this digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerun_of: Option<String>,
    /// Which part of the selected cases.
    pub shard: Option<Shard>,
    /// Cases selected for this run, of this shard only.
    pub selected: usize,
    /// The adapter's command, empty for an implementation in this process.
    pub command: Vec<String>,
    /// Where the host runs, where it was asked over HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Words of the command line that a rerun has to repeat, before `--`.
    pub flags: Vec<String>,
    /// Whether the laws were run.
    pub laws: bool,
    /// The seed of worlds that are others in every run.
    pub seed: u64,
    /// Whether the cases were asked in an order that the seed gives.
    pub shuffled: bool,
    /// Cases generated from the seed, for each operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generated: Option<Generated>,
    /// Files that a certificate is to name, each with its name and digest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<(String, String)>,
    /// Fresh for every run.
    pub nonce: String,
    /// The lowest level at which a failure counts.
    pub fail_on: Level,
    /// Whether a run passes in which `must` cases were not judged.
    pub allow_partial: bool,
}

/// The profile that a run is about, and the frozen set that says what counts for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileSettings {
    /// Its name.
    pub name: String,
    /// Operations that it does not require: a case that nobody could be asked for want of one of them does not count.
    pub optional: Vec<String>,
    /// The version of the suite that the requirement set was frozen with.
    pub requirement_set: String,
    /// The digest of that set.
    pub digest: String,
    /// Cases in the set.
    pub in_set: usize,
    /// Selected cases that were added since: they run, are shown, and do not count.
    pub added_since: Vec<String>,
}

impl ProfileSettings {
    /// A profile as this version of the suite has it, over the cases that it covers.
    ///
    /// # Errors
    /// Where there is no such profile, no set, or the suite is not what the set holds fast; in words.
    pub fn of(name: &str, suite: &Suite, set: &RequirementSet) -> Result<Self, String> {
        let profile = Profile::shipped().get(name).ok_or_else(|| format!("there is no profile {name:?}"))?;
        let departures = set.departures(suite, name);
        if let Some(first) = departures.first() {
            let more = if departures.len() > 1 { format!(" (and {} more)", departures.len() - 1) } else { String::new() };
            return Err(format!(
                "the suite is not what the requirement set of suite {} holds fast: {first}{more}; a change takes a new version of the suite, \
                 with a set of its own (proofmark profiles --freeze)",
                set.suite
            ));
        }
        let Some(requirements) = set.profiles.get(name) else { return Err(format!("the requirement set has no profile {name}")) };
        if (&requirements.required, &requirements.optional) != (&profile.required, &profile.optional) {
            return Err(format!("profile {name} has other operations than the requirement set of suite {} holds fast", set.suite));
        }
        let covered = suite.cases().iter().filter(|case| profile.covers(case) && !requirements.cases.contains_key(&case.id));
        Ok(Self {
            name: name.to_owned(),
            optional: profile.optional.clone(),
            requirement_set: set.suite.clone(),
            digest: set.digest.clone(),
            in_set: requirements.cases.len(),
            added_since: covered.map(|case| case.id.clone()).collect(),
        })
    }
}

/// Cases that a run made from its seed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generated {
    /// How many for each operation that was declared.
    pub per_operation: usize,
}

impl RunSettings {
    /// Whether every case was selected that the profile has, or the suite where there is no profile.
    #[must_use]
    pub fn is_whole_profile(&self) -> bool {
        self.patterns.is_empty() && self.contract.is_none() && self.rerun_of.is_none() && self.shard.is_none()
    }

    /// Settings for a part of a suite, everything else as it usually is.
    #[must_use]
    pub fn new(suite: &Suite, selected: usize) -> Self {
        Self {
            proofmark: env!("CARGO_PKG_VERSION").to_owned(),
            suite: suite.info(),
            suite_cases: suite.cases().len(),
            patterns: Vec::new(),
            contract: None,
            profile: None,
            rerun_of: None,
            shard: None,
            selected,
            command: Vec::new(),
            url: None,
            flags: Vec::new(),
            laws: true,
            seed: 0,
            shuffled: false,
            generated: None,
            subjects: Vec::new(),
            nonce: super::nonce(),
            fail_on: Level::Must,
            allow_partial: false,
        }
    }
}
