//! What a run comes to: counts with their denominators, and the exit status.

use std::collections::BTreeMap;

use proofmark::judge::{FindingSource, Outcome};
use proofmark::verdict::Level;
use serde::Serialize;

use super::RunReport;
use crate::exit::Exit;

/// Cases of one level by outcome. A case that broke a rule above its own level counts where it failed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LevelCount {
    /// By outcome, in its spelling for reports.
    pub outcomes: BTreeMap<Outcome, usize>,
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
    /// By level, strongest first.
    pub levels: BTreeMap<Level, LevelCount>,
    /// Rules that were broken, by id.
    pub rules: Vec<RuleCount>,
    /// Faults of the adapter that no case stands for.
    pub faults: usize,
}

impl Summary {
    /// Counts a run.
    #[must_use]
    pub fn of(report: &RunReport) -> Self {
        let mut levels: BTreeMap<Level, LevelCount> = BTreeMap::new();
        let mut rules: BTreeMap<&str, RuleCount> = BTreeMap::new();
        for result in &report.results {
            let level = result.failed_level().unwrap_or(result.level);
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
        Self {
            in_suite: report.suite_cases,
            selected: report.selected,
            judged: report.results.iter().filter(|result| result.outcome.is_judged()).count(),
            levels,
            rules: rules.into_values().collect(),
            faults: report.faults.len(),
        }
    }

    fn count(&self, level: Level, outcome: Outcome) -> usize {
        self.levels.get(&level).map_or(0, |count| count.of(outcome))
    }

    /// Cases that failed at a level or above.
    #[must_use]
    pub fn failed_from(&self, level: Level) -> usize {
        [Level::May, Level::Should, Level::Must].into_iter().filter(|it| *it >= level).map(|it| self.count(it, Outcome::Failed)).sum()
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
        } else if self.judged == 0 || (self.must_not_judged() > 0 && !allow_partial) {
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
        let lesser = match self.failed_from(Level::May) - failed {
            0 => String::new(),
            count => format!("; failed below {fail_on}: {count} (--fail-on counts them)"),
        };
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
        } else if self.must_not_judged() > 0 {
            good("passed in part", format!(": must cases that were not judged: {}{lesser}", self.must_not_judged()))
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
