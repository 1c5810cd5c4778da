//! Profiles: what a host may be certified as, by the operations that it has to support.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::file::Case;
use crate::adapter::Operation;
use crate::{embedded, yaml};

/// A profile.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// What such a host does, in one sentence.
    pub title: String,
    /// The operations that it has to support, as they are declared.
    pub operations: Vec<String>,
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

    /// Whether a case asks nothing that such a host need not support.
    #[must_use]
    pub fn covers(&self, case: &Case) -> bool {
        let covers = |operation: Operation| self.operations.iter().any(|name| name == operation.declared_name());
        case.steps.iter().all(|step| covers(step.operation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_name_operations_that_there_are_and_leave_none_out() {
        let mut named: Vec<&str> = PROFILES.values().flat_map(|profile| &profile.operations).map(String::as_str).collect();
        named.sort_unstable();
        let mut all = Operation::declared_names();
        all.sort_unstable();
        assert_eq!(named, all);
    }
}
