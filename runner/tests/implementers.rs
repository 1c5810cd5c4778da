//! The page for implementers: what it shows is so.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, and says where")]

#[path = "support/binary.rs"]
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod binary;
#[path = "support/files.rs"]
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod files;

use std::fs;
use std::process::Command;

use binary::{proofmark, run};
use files::{repository, scratch};
use proofmark::case::Profile;

fn page() -> String {
    fs::read_to_string(repository("docs/implementers.md")).unwrap()
}

/// The text between two marks of the page.
fn between<'p>(page: &'p str, from: &str, to: &str) -> &'p str {
    let rest = page.split_once(from).unwrap_or_else(|| panic!("the page has no {from:?}")).1;
    rest.split_once(to).unwrap().0
}

#[test]
fn the_table_of_profiles_is_the_one_that_ships() {
    let page = page();
    let rows: Vec<(&str, Vec<String>)> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" |"))
        .filter(|(name, _)| Profile::shipped().contains_key(*name))
        .map(|(name, rest)| (name, rest.split('`').skip(1).step_by(2).map(str::to_owned).collect()))
        .collect();
    assert_eq!(rows.len(), Profile::shipped().len());
    for (name, operations) in rows {
        assert_eq!(operations, Profile::shipped()[name].required, "{name}");
    }
}

#[test]
fn every_command_of_the_page_is_one() {
    let page = page();
    let help = run(["--help"]).ends_with(0).out;
    for line in page.split(['\n', '`']).filter_map(|part| part.trim().strip_prefix("proofmark ")) {
        let word = line.split_whitespace().next().unwrap();
        assert!(help.contains(&format!("  {word} ")), "there is no command {word}: {line}");
        let help = run([word, "--help"]).ends_with(0).out;
        for flag in line.split(" -- ").next().unwrap().split_whitespace().filter(|word| word.starts_with("--")) {
            assert!(help.contains(flag), "{word} has no {flag}: {line}");
        }
    }
}

/// The adapter of the page is sound, and the failure that the page shows is the one that it has.
#[test]
fn the_adapter_of_the_page_is_sound_and_fails_as_the_page_shows() {
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no python3 here");
        return;
    }
    let page = page();
    let folder = scratch("page");
    fs::write(folder.join("my_adapter.py"), between(&page, "```python\n", "```")).unwrap();
    let within = |words: &[&str]| {
        let output = proofmark(words).current_dir(&folder).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, text) = within(&["doctor", "--timeout", "60s", "--start-timeout", "60s", "--", "python3", "my_adapter.py"]);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(
        text.lines().last(),
        Some(between(&page, "```text\nsound", "\n```")).map(|rest| format!("sound{rest}")).as_deref(),
        "{text}"
    );

    let (code, text) = within(&["run", "project.missing.outcome", "--", "python3", "my_adapter.py"]);
    assert_eq!(code, Some(1), "{text}");
    let shown = between(&page, "```text\nFAILED", "```");
    let mut said = text.lines();
    for line in format!("FAILED{shown}").lines() {
        assert!(said.any(|said| said == line), "{line:?} is not in: {text}");
    }
}
