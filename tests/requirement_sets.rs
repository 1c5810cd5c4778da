//! Requirement sets: what counts for a profile is frozen with a version of the suite, and the suite of that version is held to it.

use proofmark::case::{Profile, RequirementSet, Suite, SuiteFiles};
use proofmark::embedded;

#[test]
fn the_suite_is_what_its_own_set_holds_fast() {
    let suite = Suite::embedded().unwrap();
    let set = RequirementSet::shipped(&suite.version).unwrap();
    assert_eq!(set.suite, suite.version, "a version of the suite comes with its set: proofmark profiles --freeze schemas/requirement-sets");
    for (name, profile) in Profile::shipped() {
        assert_eq!(set.departures(&suite, name), Vec::<String>::new(), "{name}");
        let frozen = &set.profiles[name];
        assert_eq!((&frozen.required, &frozen.optional), (&profile.required, &profile.optional), "{name}");
        let covered = suite.cases().iter().filter(|case| profile.covers(case)).count();
        assert_eq!(frozen.cases.len(), covered, "{name}: a case was added without a new version of the suite");
    }
    assert_eq!(
        embedded::file(&format!("schemas/requirement-sets/{}.yaml", suite.version)).unwrap(),
        RequirementSet::freeze(&suite).unwrap().as_bytes()
    );
}

/// The suite with one text of one file replaced.
fn changed(file: &str, from: &str, to: &str) -> Suite {
    let mut count = 0;
    let files: SuiteFiles = embedded::FILES
        .iter()
        .filter(|(name, _)| name.starts_with("spec-cases/"))
        .map(|(name, bytes)| {
            let mut text = String::from_utf8_lossy(bytes).into_owned();
            if *name == file {
                count += text.matches(from).count();
                text = text.replacen(from, to, 1);
            }
            ((*name).to_owned(), text.into_bytes())
        })
        .collect();
    assert!(count > 0, "{from:?} is not in {file}");
    Suite::load(files, proofmark::case::LoadOptions::default()).unwrap_or_else(|faults| panic!("{faults:?}"))
}

#[test]
fn a_case_that_asks_or_wants_something_else_is_a_departure_and_a_title_is_none() {
    const FILE: &str = "spec-cases/evidence_return_packet/project-missing.yaml";
    let set = RequirementSet::shipped("0.3.0").unwrap();
    let departures = |from: &str, to: &str| set.departures(&changed(FILE, from, to), "observatory");
    let title = "An empty packet stays empty, and every field is named";
    assert_eq!(departures(title, "Another title"), Vec::<String>::new());
    assert_eq!(departures("cases:\n", "cases:\n  # a remark\n"), Vec::<String>::new());
    for (from, to) in [
        ("packet: { $exact: {} }", "packet: { $any: true }"),
        ("            - /work_slice_id\n", ""),
        ("    given: { packet: {} }", "    given: { packet: { x: 1 } }"),
    ] {
        let departures = departures(from, to);
        assert_eq!(departures.len(), 1, "{departures:?}");
        assert!(departures[0].starts_with("case project.missing.nothing-there does not ask and want"), "{departures:?}");
    }
    assert_eq!(
        departures("id: project.missing.nothing-there", "id: project.missing.nothing"),
        ["case project.missing.nothing-there is gone"]
    );
}

#[test]
fn a_file_that_a_case_takes_in_is_part_of_it() {
    let suite = Suite::embedded().unwrap();
    let case = suite.case("activation.skill-files.folder-of-two-skills").unwrap();
    let file = suite.files().below("spec-cases/fixtures/skills/").find(|(name, _)| name.ends_with("SKILL.md")).unwrap();
    let text = String::from_utf8(file.1.to_vec()).unwrap();
    let first = text.lines().last().unwrap();
    let digests: Vec<String> = suite
        .files()
        .below("spec-cases/fixtures/skills/")
        .filter(|(name, _)| name.ends_with("SKILL.md"))
        .map(|(name, bytes)| {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            let last = text.lines().last().unwrap();
            changed(name, last, &format!("{last} ")).case_digest(case).unwrap()
        })
        .collect();
    let before = suite.case_digest(case).unwrap();
    assert!(digests.iter().any(|digest| *digest != before), "{first}");
}

#[test]
fn every_suite_finds_the_newest_set_that_is_not_newer() {
    assert!(RequirementSet::shipped("0.2.9").unwrap_err().contains("0.2.9"));
    assert_eq!(RequirementSet::shipped("0.3.0").unwrap().suite, "0.3.0");
    assert!(RequirementSet::shipped("0.3.1").is_ok());
    for (text, word) in
        [("suite: 1", "invalid type"), ("[", "1:"), ("suite: a\nprofiles: {a: 1}", "invalid type"), ("a: 1", "unknown field")]
    {
        assert!(RequirementSet::read(text.as_bytes()).unwrap_err().contains(word), "{text}");
    }
}
