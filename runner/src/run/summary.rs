//! What a run comes to: counts with their denominators, and the exit status.

use std::collections::BTreeMap;

use proofmark::judge::{FindingSource, Outcome};
use proofmark::verdict::Level;
use serde::{Deserialize, Serialize};

use super::{RunReport, is_generated};
use crate::exit::Exit;

/// Cases of one level by outcome. A case that broke a rule above its own level counts where it failed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelCount {
    /// By outcome, in its spelling for reports.
    pub outcomes: BTreeMap<Outcome, usize>,
    /// How many of the failed ones the baseline knows.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub known_failures: usize,
}

impl LevelCount {
    /// Cases with this outcome.
    #[must_use]
    pub fn of(&self, outcome: Outcome) -> usize {
        self.outcomes.get(&outcome).copied().unwrap_or(0)
    }

    /// All of them.
    #[must_use]
    pub fn total(&self) -> usize {
        self.outcomes.values().sum()
    }
}

/// A rule that was broken somewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleCount {
    /// Its id.
    pub rule: String,
    /// Its level.
    pub level: Level,
    /// In how many cases.
    pub cases: usize,
    /// The first of them.
    pub first: String,
}

/// What a run comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Cases in the suite.
    pub in_suite: usize,
    /// Cases selected for this run.
    pub selected: usize,
    /// Cases that were judged: passed or failed.
    pub judged: usize,
    /// Selected cases of which nothing is said: the run did not come so far.
    #[serde(skip_serializing_if = "is_zero")]
    pub missing: usize,
    /// Whether the run did not come to its end, so that not every request was repeated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_unfinished: bool,
    /// By level, strongest first.
    pub levels: BTreeMap<Level, LevelCount>,
    /// Rules that were broken, by id.
    pub rules: Vec<RuleCount>,
    /// Faults of the adapter that no case stands for.
    pub faults: usize,
    /// Cases that ran and are shown, and that the profile's result does not rest on.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_counted: usize,
    /// Failures that the baseline knows.
    #[serde(skip_serializing_if = "is_zero")]
    pub known_failures: usize,
    /// Entries of the baseline that no longer say what is so.
    #[serde(skip_serializing_if = "is_zero")]
    pub stale: usize,
    /// What it comes to for the profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfileCount>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// What a run comes to for a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProfileResult {
    /// Every `must` of the set was judged, or does not apply, and passed.
    Success,
    /// Nothing failed, and a `must` was not judged.
    Partial,
    /// A `must` failed, the adapter was at fault, or nothing was judged.
    Failure,
}

impl ProfileResult {
    /// The word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Partial => "partial",
            Self::Failure => "failure",
        }
    }
}

/// The denominators of a profile: each is a part of the one before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileCount {
    /// Which profile.
    pub name: String,
    /// The version of the suite that its requirement set was frozen with.
    pub requirement_set: String,
    /// Cases in the set.
    pub in_set: usize,
    /// Of those that were selected, the ones whose operations were all declared.
    pub claimed: usize,
    /// Of these, the ones that were asked.
    pub run: usize,
    /// Of these, the ones that were judged.
    pub judged: usize,
    /// What it comes to, where the whole set was selected.
    pub result: Option<ProfileResult>,
}

impl Summary {
    /// Counts a run.
    #[must_use]
    pub fn of(report: &RunReport) -> Self {
        let mut levels: BTreeMap<Level, LevelCount> = BTreeMap::new();
        let mut rules: BTreeMap<&str, RuleCount> = BTreeMap::new();
        let (mut not_counted, mut known_failures) = (0, 0);
        for result in &report.results {
            if !report.counts(result) {
                not_counted += 1;
                continue;
            }
            let level = result.failed_level().unwrap_or(result.level);
            if report.known_failure(&result.id).is_some() {
                known_failures += 1;
                levels.entry(level).or_default().known_failures += 1;
            }
            *levels.entry(level).or_default().outcomes.entry(result.outcome).or_default() += 1;
            let mut here: Vec<(&str, Level)> = Vec::new();
            for finding in &result.findings {
                if let FindingSource::Rule(rule) = &finding.source {
                    here.push((rule, finding.level));
                }
            }
            here.sort_unstable();
            here.dedup();
            for (rule, level) in here {
                let count =
                    rules.entry(rule).or_insert_with(|| RuleCount { rule: rule.to_owned(), level, cases: 0, first: result.id.clone() });
                count.cases += 1;
            }
        }
        let counted = || report.results.iter().filter(|result| report.counts(result));
        let mut summary = Self {
            in_suite: report.settings.suite_cases,
            selected: report.settings.selected,
            judged: counted().filter(|result| result.outcome.is_judged()).count(),
            missing: report.settings.selected.saturating_sub(report.results.len()),
            is_unfinished: report.is_unfinished,
            levels,
            rules: rules.into_values().collect(),
            faults: report.faults.len(),
            not_counted,
            known_failures,
            stale: report.reckoning.as_ref().map_or(0, |reckoning| reckoning.stale.len()),
            profile: None,
        };
        if let Some(profile) = &report.settings.profile {
            let of_set = || counted().filter(|result| report.settings.generated.is_none() || !is_generated(&result.id));
            let is_whole = report.settings.is_whole_profile() && report.results.len() == report.settings.selected && !report.is_unfinished;
            summary.profile = Some(ProfileCount {
                name: profile.name.clone(),
                requirement_set: profile.requirement_set.clone(),
                in_set: profile.in_set,
                claimed: of_set().filter(|result| result.outcome != Outcome::Unsupported).count(),
                run: of_set().filter(|result| result.outcome.is_judged() || result.outcome.is_fault()).count(),
                judged: of_set().filter(|result| result.outcome.is_judged()).count(),
                result: is_whole.then(|| summary.profile_result(report.layout_has_room())),
            });
        }
        summary
    }

    fn profile_result(&self, layout_has_room: bool) -> ProfileResult {
        // A failure that a baseline knows is a failure all the same.
        let failed = self.count(Level::Must, Outcome::Failed);
        if failed > 0 || self.adapter_faults() > 0 || self.faults > 0 || self.judged == 0 {
            ProfileResult::Failure
        } else if self.must_not_judged() > 0 || !layout_has_room {
            ProfileResult::Partial
        } else {
            ProfileResult::Success
        }
    }

    fn count(&self, level: Level, outcome: Outcome) -> usize {
        self.levels.get(&level).map_or(0, |count| count.of(outcome))
    }

    /// Cases that failed at a level or above, but for failures that the baseline knows.
    #[must_use]
    pub fn failed_from(&self, level: Level) -> usize {
        let counts = self.levels.iter().filter(|(it, _)| **it >= level);
        counts.map(|(_, count)| count.of(Outcome::Failed) - count.known_failures).sum()
    }

    /// Cases in which the adapter was to blame.
    #[must_use]
    pub fn adapter_faults(&self) -> usize {
        self.levels.values().map(|count| count.outcomes.iter().filter(|(it, _)| it.is_fault()).map(|(_, n)| n).sum::<usize>()).sum()
    }

    /// `must` cases that were not judged, for which the adapter is not to blame.
    #[must_use]
    pub fn must_not_judged(&self) -> usize {
        [Outcome::Unsupported, Outcome::Skipped].into_iter().map(|outcome| self.count(Level::Must, outcome)).sum()
    }

    /// The exit status, where failures from `fail_on` up count. A pass in part is no conformance unless it is allowed.
    #[must_use]
    pub fn exit(&self, fail_on: Level, allow_partial: bool) -> Exit {
        if self.failed_from(fail_on) > 0 {
            Exit::NotConformant
        } else if self.adapter_faults() > 0 || self.faults > 0 {
            Exit::Adapter
        } else if self.judged == 0 || self.missing > 0 || self.is_unfinished {
            Exit::NotConformant
        } else if self.stale > 0 {
            Exit::BaselineStale
        } else if self.must_not_judged() > 0 && !allow_partial {
            Exit::NotConformant
        } else {
            Exit::Conformant
        }
    }

    /// The run in one sentence, where failures from `fail_on` up count.
    #[must_use]
    pub fn verdict(&self, fail_on: Level) -> Verdict {
        let failed = self.failed_from(fail_on);
        let faults = self.adapter_faults();
        let mut lesser = match self.failed_from(Level::May) - failed {
            0 => String::new(),
            count => format!("; failed below {fail_on}: {count} (--fail-on counts them)"),
        };
        if self.known_failures > 0 {
            lesser.push_str(&format!("; known failures: {}", self.known_failures));
        }
        let bad = |head, rest| Verdict { is_good: false, head, rest };
        let good = |head, rest| Verdict { is_good: true, head, rest };
        if failed > 0 {
            bad("not conformant", format!(": {failed} failed at {fail_on} or above"))
        } else if (faults > 0 || self.faults > 0) && self.judged == 0 {
            bad("adapter at fault", format!(": not one of the {} cases was judged", self.selected))
        } else if faults > 0 || self.faults > 0 {
            bad("adapter at fault", format!(": cases that could not be judged: {faults}; other faults: {}", self.faults))
        } else if self.judged == 0 {
            bad("nothing was judged", ", and that is no conformance".to_owned())
        } else if self.missing > 0 {
            bad("incomplete", format!(": {} of {} cases have no result", self.missing, self.selected))
        } else if self.is_unfinished {
            bad("incomplete", ": the run did not come to its end".to_owned())
        } else if self.stale > 0 {
            bad("baseline stale", format!(": {} entries no longer say what is so", self.stale))
        } else if self.must_not_judged() > 0 {
            good("passed in part", format!(": must cases that were not judged: {}{lesser}", self.must_not_judged()))
        } else if self.known_failures > 0 {
            good("passed but for known failures", lesser)
        } else if let Some(ProfileCount { name, result: Some(ProfileResult::Success), .. }) = &self.profile {
            good("conformant", format!(" as {name}{lesser}"))
        } else if self.selected < self.in_suite {
            let at = if lesser.is_empty() { "" } else { " at that level" };
            good("passed", format!(": every selected case{at}{lesser}"))
        } else {
            good("conformant", lesser)
        }
    }
}

/// A run in one sentence: what it came to, and the rest, which begins with its own punctuation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Whether nothing that was judged failed. A pass in part is good in that sense, and exits with 1 unless it is allowed.
    pub is_good: bool,
    /// What it came to.
    pub head: &'static str,
    /// How so.
    pub rest: String,
}
