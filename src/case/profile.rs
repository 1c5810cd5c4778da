//! Profiles: what a host may be certified as, by the operations that it has to support.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::file::Case;
use crate::{embedded, yaml};

/// A profile.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// What such a host does, in one sentence.
    pub title: String,
    /// The operations that it has to support, as they are declared.
    pub required: Vec<String>,
    /// Operations that it need not support. Cases that use them beside required ones are asked where they are declared.
    #[serde(default)]
    pub optional: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfilesFile {
    profiles: BTreeMap<String, Profile>,
}

static PROFILES: LazyLock<BTreeMap<String, Profile>> = LazyLock::new(|| {
    let document = yaml::parse(embedded::text("schemas/profiles.yaml")).expect("shipped YAML, held by a test");
    let file: ProfilesFile = serde_json::from_value(document.value).expect("shipped profiles, held by a test");
    file.profiles
});

impl Profile {
    /// The profiles that ship, by name.
    #[must_use]
    pub fn shipped() -> &'static BTreeMap<String, Self> {
        &PROFILES
    }

    /// Whether a case is about such a host: it asks for a required operation, and for none that is neither required nor optional.
    #[must_use]
    pub fn covers(&self, case: &Case) -> bool {
        let mut is_about_it = false;
        for step in &case.steps {
            let name = step.operation.declared_name();
            if self.required.iter().any(|required| required == name) {
                is_about_it = true;
            } else if !self.optional.iter().any(|optional| optional == name) {
                return false;
            }
        }
        is_about_it
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::Operation;
    use crate::case::Suite;

    #[test]
    fn profiles_name_operations_that_there_are_and_leave_none_out() {
        let mut required: Vec<&str> = PROFILES.values().flat_map(|profile| &profile.required).map(String::as_str).collect();
        required.sort_unstable();
        let mut all = Operation::declared_names();
        all.sort_unstable();
        assert_eq!(required, all);
        for (name, profile) in Profile::shipped() {
            for optional in &profile.optional {
                assert!(all.contains(&optional.as_str()) && !profile.required.contains(optional), "{name}: {optional}");
            }
        }
    }

    #[test]
    fn no_case_is_beside_every_profile() {
        let suite = Suite::embedded().unwrap();
        for case in suite.cases() {
            assert!(Profile::shipped().values().any(|profile| profile.covers(case)), "{} is in no profile", case.id);
        }
    }
}
