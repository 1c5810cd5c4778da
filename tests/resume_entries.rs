//! How well RR-107 tells resume entries apart that name something from those that do not, on two lists with the labels of careful readers:
//! one that was written before the patterns and looked at while they were, one held out.
//!
//! `cargo test --test resume_entries -- --nocapture` prints the confusion matrices and what is misjudged.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, and says where")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proofmark::policy::{Actionability, actionability};
use proofmark::yaml;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    entries: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    language: String,
    says: Label,
    text: String,
    #[serde(default, rename = "why")]
    _why: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Label {
    Good,
    Vague,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Judged {
    Names,
    Between,
    Vague,
}

fn read(name: &str) -> Vec<Entry> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/resume_entries").join(name);
    let document = yaml::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    let list: List = serde_json::from_value(document.value).unwrap();
    list.entries
}

fn judged(text: &str) -> Judged {
    match actionability(text) {
        Actionability::Names(_) => Judged::Names,
        Actionability::Between => Judged::Between,
        Actionability::Vague => Judged::Vague,
    }
}

/// How many of each label got each judgement, by language; printed with what is misjudged.
fn matrix(name: &str) -> BTreeMap<(Label, Judged), usize> {
    let entries = read(name);
    let texts: BTreeSet<&str> = entries.iter().map(|entry| entry.text.as_str()).collect();
    assert_eq!(texts.len(), entries.len(), "{name} repeats a text");
    let mut all: BTreeMap<(Label, Judged), usize> = BTreeMap::new();
    let mut by_language: BTreeMap<&str, BTreeMap<(Label, Judged), usize>> = BTreeMap::new();
    for entry in &entries {
        let key = (entry.says, judged(&entry.text));
        *all.entry(key).or_default() += 1;
        *by_language.entry(&entry.language).or_default().entry(key).or_default() += 1;
        if !matches!(key, (Label::Good, Judged::Names) | (Label::Vague, Judged::Vague)) {
            println!("{name} {} {:?} judged {:?}: {:?}", entry.language, entry.says, key.1, entry.text);
        }
    }
    println!("{name:<20} good: names between vague    vague: names between vague");
    for (language, table) in by_language.iter().chain([(&"all", &all)]) {
        let row = |label: Label| [Judged::Names, Judged::Between, Judged::Vague].map(|it| table.get(&(label, it)).copied().unwrap_or(0));
        let ([a, b, c], [d, e, f]) = (row(Label::Good), row(Label::Vague));
        println!("{language:<20}       {a:>5} {b:>7} {c:>5}           {d:>5} {e:>7} {f:>5}");
    }
    for (label, least) in [(Label::Good, 60), (Label::Vague, 60)] {
        let count: usize = all.iter().filter(|((it, _), _)| *it == label).map(|(_, count)| count).sum();
        assert!(count >= least, "{name} has {count} {label:?}");
    }
    all
}

/// No more than so many are judged so.
fn at_most(table: &BTreeMap<(Label, Judged), usize>, label: Label, judged: Judged, most: usize) {
    let count = table.get(&(label, judged)).copied().unwrap_or(0);
    assert!(count <= most, "{count} {label:?} entries are judged {judged:?}; it was {most} at most");
}

#[test]
fn the_list_that_was_written_before_is_told_apart() {
    let table = matrix("written-before.yaml");
    assert!(table.values().sum::<usize>() >= 200);
    at_most(&table, Label::Good, Judged::Vague, 0);
    at_most(&table, Label::Good, Judged::Between, 0);
    at_most(&table, Label::Vague, Judged::Names, 0);
    at_most(&table, Label::Vague, Judged::Between, 34);
}

#[test]
fn the_list_that_was_held_out_is_told_apart_about_as_well() {
    let table = matrix("held-out.yaml");
    // A good entry is never refused; the other figures are what was measured, and may only get better.
    at_most(&table, Label::Good, Judged::Vague, 0);
    at_most(&table, Label::Good, Judged::Between, 13);
    at_most(&table, Label::Vague, Judged::Names, 3);
    at_most(&table, Label::Vague, Judged::Between, 42);
}
