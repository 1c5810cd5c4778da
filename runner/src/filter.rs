//! Which cases a run is about.

use glob::Pattern;
use proofmark::case::{Case, Profile, Suite};

/// Patterns over case ids, a contract, and a profile.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    patterns: Vec<(String, Option<Pattern>)>,
    contract: Option<String>,
    profile: Option<&'static Profile>,
}

/// Why a filter can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterError(pub String);

impl std::fmt::Display for FilterError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Filter {
    /// A filter from what the user wrote: ids, beginnings of ids at a dot (`activation.budget`), globs (`*.unit.*`), or case files.
    ///
    /// # Errors
    /// For a glob that can't be read.
    pub fn new(patterns: &[String], contract: Option<String>) -> Result<Self, FilterError> {
        let read = |text: &String| {
            let pattern = text.contains(['*', '?', '[']).then(|| Pattern::new(text)).transpose();
            pattern.map(|pattern| (text.clone(), pattern)).map_err(|error| FilterError(format!("{text:?} is no glob: {error}")))
        };
        Ok(Self { patterns: patterns.iter().map(read).collect::<Result<_, _>>()?, contract, profile: None })
    }

    /// A filter from patterns, a contract and a profile.
    ///
    /// # Errors
    /// For a glob that can't be read, and where there is no such profile.
    pub fn of(patterns: &[String], contract: Option<String>, profile: Option<&str>) -> Result<Self, FilterError> {
        let filter = Self::new(patterns, contract)?;
        match profile {
            Some(profile) => filter.of_profile(profile),
            None => Ok(filter),
        }
    }

    /// The same, for the cases of a profile only.
    ///
    /// # Errors
    /// Where there is no such profile.
    pub fn of_profile(mut self, name: &str) -> Result<Self, FilterError> {
        let profiles = Profile::shipped();
        let known = || profiles.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        self.profile = Some(profiles.get(name).ok_or_else(|| FilterError(format!("there is no profile {name:?}; there are {}", known())))?);
        Ok(self)
    }

    /// Whether everything is selected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty() && self.contract.is_none() && self.profile.is_none()
    }

    /// The cases that this selects.
    ///
    /// # Errors
    /// Where a pattern or the contract selects nothing: a run of the wrong cases is worse than none.
    pub fn select<'s>(&self, suite: &'s Suite) -> Result<Vec<&'s Case>, FilterError> {
        if let Some(contract) = &self.contract
            && !suite.cases().iter().any(|case| case.contract == *contract)
        {
            let mut names: Vec<&str> = suite.cases().iter().map(|case| case.contract.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            return Err(FilterError(format!("no case is of the contract {contract:?}; there is {}", names.join(", "))));
        }
        let mut used = vec![false; self.patterns.len()];
        let mut selected = Vec::new();
        for case in suite.cases() {
            let mut hit = self.patterns.is_empty();
            for (at, (text, pattern)) in self.patterns.iter().enumerate() {
                if matches(text, pattern.as_ref(), case) {
                    used[at] = true;
                    hit = true;
                }
            }
            let fits = self.contract.as_ref().is_none_or(|contract| case.contract == *contract);
            if hit && fits && self.profile.is_none_or(|profile| profile.covers(case)) {
                selected.push(case);
            }
        }
        if let Some(at) = used.iter().position(|used| !used) {
            let text = &self.patterns[at].0;
            let hint = match nearest_id(text, suite) {
                Some(id) => format!("did you mean {id}?"),
                None if !text.contains('.') => {
                    "`proofmark list` shows every id, and an adapter's command goes behind `--`: proofmark run -- COMMAND".to_owned()
                }
                None => "`proofmark list` shows every id".to_owned(),
            };
            return Err(FilterError(format!("no case matches {text:?}; {hint}")));
        }
        if selected.is_empty() {
            return Err(FilterError("the patterns, the contract and the profile together select no case".to_owned()));
        }
        Ok(selected)
    }
}

fn matches(text: &str, pattern: Option<&Pattern>, case: &Case) -> bool {
    if let Some(pattern) = pattern {
        return pattern.matches(&case.id);
    }
    let below = case.id.strip_prefix(text).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    below || case.file == text || case.file.ends_with(&format!("/{text}"))
}

/// The id, or beginning of ids at a dot, that differs least from an unknown one, if any is near.
#[must_use]
pub fn nearest_id<'s>(unknown: &str, suite: &'s Suite) -> Option<&'s str> {
    let beginnings = |id: &'s str| id.match_indices('.').map(move |(at, _)| &id[..at]).chain([id]);
    nearest(unknown, suite.cases().iter().flat_map(|case| beginnings(&case.id)))
}

/// The known word that differs least from an unknown one, if any is near.
#[must_use]
pub fn nearest<'a>(unknown: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let unknown: String = unknown.chars().take(200).collect();
    known
        .map(|word| (similar::TextDiff::from_chars(unknown.as_str(), word).ratio(), word))
        .filter(|(ratio, _)| *ratio > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn select(patterns: &[&str]) -> Result<usize, String> {
        let suite = Suite::embedded().unwrap();
        let patterns: Vec<String> = patterns.iter().map(|it| (*it).to_owned()).collect();
        let filter = Filter::new(&patterns, None).map_err(|error| error.0)?;
        filter.select(&suite).map(|cases| cases.len()).map_err(|error| error.0)
    }

    #[test]
    fn ids_beginnings_globs_and_files_select() {
        assert_eq!(select(&["activation.budget.tail-is-cut-exactly"]), Ok(1));
        assert!(select(&["activation.budget"]).unwrap() > 1);
        assert_eq!(select(&["activation.budget"]), select(&["activation.budget.*"]));
        assert_eq!(select(&["budget.yaml"]), select(&["spec-cases/skill_activation_evidence/budget.yaml"]));
        assert!(select(&[]).unwrap() > 150);
    }

    #[test]
    fn what_selects_nothing_is_an_error_that_helps() {
        assert!(
            select(&["activation.budget.tail-is-cut-exactli"]).unwrap_err().contains("did you mean activation.budget.tail-is-cut-exactly?")
        );
        assert!(select(&["activation.budg"]).unwrap_err().contains("no case matches"));
        assert!(select(&["activation.budget", "nothing.at-all"]).unwrap_err().contains("nothing.at-all"));
        assert!(select(&["[a"]).unwrap_err().contains("no glob"));
    }
}
