//! The suite and the schemas of this version, compiled in.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::contract::rendering::RenderingProfile;

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The bytes of an embedded file, by its path from the project's root.
#[must_use]
pub fn file(path: &str) -> Option<&'static [u8]> {
    FILES.binary_search_by(|(name, _)| (*name).cmp(path)).ok().map(|at| FILES[at].1)
}

/// The text of an embedded file that is known to be there.
pub(crate) fn text(path: &str) -> &'static str {
    file(path).and_then(|bytes| std::str::from_utf8(bytes).ok()).expect("an embedded text, held by a test")
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RenderingProfiles {
    profiles: BTreeMap<String, RenderingProfile>,
}

static RENDERING_PROFILES: LazyLock<BTreeMap<String, RenderingProfile>> = LazyLock::new(|| {
    let document = crate::yaml::parse(text("schemas/rendering-profiles.yaml")).expect("shipped YAML, held by a test");
    let profiles: RenderingProfiles = serde_json::from_value(document.value).expect("shipped profiles, held by a test");
    profiles.profiles
});

static SUITE_VERSION: LazyLock<String> = LazyLock::new(|| {
    let document = crate::yaml::parse(text("spec-cases/suite.yaml")).expect("shipped YAML, held by a test");
    document.value["version"].as_str().expect("a shipped version, held by a test").to_owned()
});

/// The version of the suite that is compiled in.
#[must_use]
pub fn suite_version() -> &'static str {
    &SUITE_VERSION
}

/// The rendering profiles that ship, by name.
#[must_use]
pub fn rendering_profiles() -> &'static BTreeMap<String, RenderingProfile> {
    &RENDERING_PROFILES
}

/// One of the rendering profiles that ship.
#[must_use]
pub fn rendering_profile(name: &str) -> Option<RenderingProfile> {
    RENDERING_PROFILES.get(name).copied()
}

/// The layout that the source document shows, counted in characters.
#[must_use]
pub fn page_1() -> RenderingProfile {
    rendering_profile("page-1").expect("a shipped profile, held by a test")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_so_that_look_ups_find() {
        assert!(FILES.is_sorted_by(|a, b| a.0 < b.0));
        assert!(FILES.iter().all(|(name, bytes)| file(name) == Some(bytes)));
    }

    #[test]
    fn the_suite_has_a_version_of_three_numbers() {
        assert!(suite_version().split('.').all(|part| part.parse::<u32>().is_ok()) && suite_version().matches('.').count() == 2);
    }

    #[test]
    fn every_shipped_profile_is_sound_and_names_are_three() {
        assert_eq!(rendering_profiles().keys().collect::<Vec<_>>(), ["harn-0.10", "page-1", "wide"]);
        assert!(rendering_profiles().values().all(|profile| profile.fault().is_none()));
        assert_eq!(page_1().floor(), 268);
    }
}
