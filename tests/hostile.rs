//! Suites and requests made to hurt: what can't be used is refused, soon, at its line and column, and in words that help.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, and says where")]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use proofmark::adapter::{Answer, Implementation as _, Operation, Server, error_code};
use proofmark::case::{LoadOptions, Suite, SuiteFault, SuiteFiles};
use proofmark::judge::suite_contradictions;
use proofmark::reference::Reference;
use serde_json::{Value, json};

const FILE: &str = "spec-cases/skill_activation_evidence/a.yaml";

/// A sound case file; each row of the tables below makes one edit.
const CASE: &str = "\
contract: skill_activation_evidence
version: 1
clause: activation#budget
cases:
  - id: a.one
    title: Two skills are shown
    level: must
    basis: text
    since: 0.1.0
    operation: activation.evidence
    given:
      registry:
        _type: skill_registry
        skills:
          - { name: a, description: d }
          - { name: b, description: d }
      options: { budget: { $fits: 2 } }
    expect:
      result: { shown: [a, b], omitted: [] }
    catches: [fit-continues-past-misfit]
";

/// A sound case of two steps.
const STEPS: &str = "\
contract: skill_activation_evidence
version: 1
clause: activation#budget
cases:
  - id: a.one
    title: What was said is said again
    level: must
    basis: text
    since: 0.1.0
    steps:
      - name: first
        operation: activation.evidence
        given: { registry: { _type: skill_registry, skills: [{ name: a }] } }
      - name: second
        operation: activation.read
        given: { payload: { $from: { step: first, path: \"\" } } }
        expect: { result: { shown: { $same_as: { step: first, path: /shown } } } }
";

fn files(edits: &[(&str, Option<Vec<u8>>)]) -> SuiteFiles {
    let mut files: BTreeMap<String, Vec<u8>> = [
        (FILE, CASE),
        ("spec-cases/suite.yaml", "version: 0.1.0\n"),
        ("spec-cases/wrong-hosts.yaml", "wrong_hosts:\n  fit-continues-past-misfit: shows later cards\n"),
        (
            "spec-cases/requirements/skill_activation_evidence.yaml",
            "contract: skill_activation_evidence\nversion: 1\nsource: page.md\nrequirements:\n  - { id: \"activation#budget\", level: must, section: s, text: t }\n",
        ),
    ]
    .map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()))
    .into();
    for (name, bytes) in edits {
        match bytes {
            Some(bytes) => drop(files.insert((*name).to_owned(), bytes.clone())),
            None => drop(files.remove(*name)),
        }
    }
    files.into_iter().collect()
}

/// Every fault of a suite, what the reference contradicts included.
fn faults(edits: &[(&str, Option<Vec<u8>>)]) -> Vec<SuiteFault> {
    match Suite::load(files(edits), LoadOptions::default()) {
        Err(faults) => faults,
        Ok(suite) => suite_contradictions(&suite),
    }
}

fn lines(faults: &[SuiteFault]) -> Vec<String> {
    faults.iter().map(|fault| fault.to_string().replace("spec-cases/skill_activation_evidence/", "")).collect()
}

/// How long a refusal may take on a slow machine that does other things beside it; one that hangs takes minutes.
const SOON: Duration = Duration::from_secs(20);

/// Asserts that a case file is refused soon, with nothing but faults at one place which say one thing. What depends on the rendering
/// profile is said once for each shipped one.
fn refused(bytes: impl Into<Vec<u8>>, place: &str, part: &str) {
    let started = Instant::now();
    let found = lines(&faults(&[(FILE, Some(bytes.into()))]));
    assert!(started.elapsed() < SOON, "{place} {part}: {:?}", started.elapsed());
    assert!(matches!(found.len(), 1 | 3), "{place} {part}: {found:#?}");
    for line in &found {
        assert!(line.starts_with(&format!("a.yaml:{place}: ")) && line.contains(part), "wanted {place} {part}, got {line}");
        assert!(line.len() < 600, "no fault is a wall of text: {line}");
    }
}

fn edited(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from:?} stands there once");
    text.replace(from, to)
}

#[test]
fn the_cases_that_the_tables_edit_are_sound() {
    for text in [CASE, STEPS] {
        assert_eq!(lines(&faults(&[(FILE, Some(text.into()))])), Vec::<String>::new());
    }
}

#[test]
fn one_wrong_word_in_a_case_is_refused_at_its_place() {
    for (from, to, place, part) in [
        ("level: must", "level: must\n    level: may", "8:5", "duplicate key \"level\""),
        ("since: 0.1.0", "since: 0.1.0\n    flavour: sour", "10:5", "\"flavour\" (at /cases/0/flavour) is an unknown key"),
        ("version: 1\n", "version: 1\nsuite: x\n", "3:1", "\"suite\" (at /suite) is an unknown key"),
        ("version: 1\n", "version: 2\n", "2:1", "1 was expected"),
        ("contract: skill_activation_evidence", "contract: skill_lifecycle", "1:1", "is not one of \"skill_activation_evidence\""),
        ("id: a.one", "id: A One", "5:5", "does not match"),
        ("    title: Two skills are shown\n", "", "5:5", "\"title\" (at /cases/0/title) is missing"),
        ("level: must", "level: shall", "7:5", "\"shall\" is not one of \"must\", \"should\" or \"may\""),
        ("basis: text", "basis: hearsay", "8:5", "\"hearsay\" is not one of"),
        (
            "basis: text",
            "basis: measured\n    rationale: It was measured.",
            "7:5",
            "level must is above what basis measured carries (should)",
        ),
        ("basis: text", "basis: decision\n    rationale: We decided it.", "7:5", "level must is above what basis decision carries (may)"),
        ("level: must\n    basis: text", "level: may\n    basis: decision", "8:5", "basis decision needs a rationale"),
        ("since: 0.1.0", "since: soon", "9:5", "does not match"),
        ("since: 0.1.0", "since: 0.1.1", "5:5", "since is 0.1.1, but the suite's version is 0.1.0"),
        ("since: 0.1.0", "since: 0.10.0", "5:5", "since is 0.10.0, but the suite's version is 0.1.0"),
        ("activation.evidence", "activation.evidenc", "10:5", "\"activation.evidenc\" is not one of"),
        ("activation#budget", "activation#budgets", "5:5", "there is no clause \"activation#budgets\""),
        ("clause: activation#budget\n", "", "4:5", "neither the case nor the file names a clause"),
        ("[fit-continues-past-misfit]", "[fit-goes-on]", "5:5", "there is no wrong host \"fit-goes-on\""),
        (
            "since: 0.1.0",
            "since: 0.1.0\n    profile: page-2",
            "5:5",
            "there is no rendering profile \"page-2\"; there are harn-0.10, page-1, wide",
        ),
        ("since: 0.1.0", "since: 0.1.0\n    assume: { unit: inches }", "10:15", "\"inches\" is not one of"),
        ("since: 0.1.0", "since: 0.1.0\n    without: [AE-112]", "10:5", "only a may case switches rules off"),
        ("level: must", "level: may\n    without: [AE-999]", "5:5", "there is no rule AE-999"),
        ("level: must", "level: may\n    without: [budget]", "8:15", "does not match"),
        ("cases:\n", "cases: []\nshared:\n", "4:1", "has less than 1 item"),
    ] {
        refused(edited(CASE, from, to), place, part);
    }
}

#[test]
fn an_expectation_that_is_no_test_is_refused_at_its_place() {
    let expect = "result: { shown: [a, b], omitted: [] }";
    for (from, to, place, part) in [
        ("    expect:\n      result: { shown: [a, b], omitted: [] }\n", "", "5:5", "\"expect\" (at /cases/0/expect) is missing"),
        (expect, "result: { $any: true }", "19:7", "the expectation at \"/result\" can't fail"),
        (expect, "result: {}", "19:7", "the expectation at \"/result\" can't fail"),
        (expect, "result: { $in: [1, { $any: true }] }", "19:7", "the expectation at \"/result\" can't fail"),
        (expect, "result: { $not: { $absent: true } }", "19:7", "the expectation at \"/result\" can't fail"),
        (expect, "one_of: [{ result: [] }, { result: {} }]", "19:34", "the expectation at \"/one_of/1/result\" can't fail"),
        ("omitted: []", "omitted: { $in: [[], { $any: true }] }", "19:32", "the expectation at \"/result/omitted\" can't fail"),
        ("omitted: []", "omitted: { $regex: \".*\" }", "19:32", "can't fail"),
        ("omitted: []", "omitted: { $length: { $gte: 0 } }", "19:32", "can't fail"),
        ("omitted: []", "omitted: { $each: {} }", "19:32", "can't fail"),
        (
            "omitted: []",
            "omitted: { $in: [{ $type: \"null\" }, { $type: boolean }, { $type: number }, { $type: string }, { $type: array }, { $type: object }] }",
            "19:32",
            "can't fail",
        ),
        (expect, "one_of: [{ result: { shown: [a, b] } }]", "19:7", "has less than 2 items"),
        ("shown: [a, b]", "shown: [b]", "19:17", "the reference says [\"a\",\"b\"] at \"/shown\", the case [\"b\"]"),
        (expect, "error: { category: invalid_options }", "19:7", "the reference says a result"),
    ] {
        refused(edited(CASE, from, to), place, part);
    }
    refused(edited(CASE, &format!("expect:\n      {expect}"), "expect: {}"), "18:5", "has less than 1 property");
    // Both elements differ, each at its own place.
    let found = lines(&faults(&[(FILE, Some(edited(CASE, "shown: [a, b]", "shown: [b, a]").into()))]));
    assert_eq!(found.len(), 6, "{found:#?}");
    for line in ["a.yaml:19:25: case a.one, under wide: the reference says \"a\" at \"/shown/0\"", "a.yaml:19:28: case a.one, under wide: "]
    {
        assert!(found.iter().any(|found| found.starts_with(line)), "{found:#?}");
    }
}

#[test]
fn a_matcher_that_is_none_is_refused_at_its_place() {
    for (matcher, part) in [
        ("{ $nothing: 1 }", "there is no matcher $nothing; write data with such keys below $exact"),
        ("{ $length: 0, and: 1 }", "a matcher stands alone in its mapping"),
        ("{ $regex: \"(\" }", "the pattern can't be used"),
        ("{ $regex: \"(?=a)\" }", "the pattern can't be used"),
        ("{ $regex: \"(\\\\w{1,900}){1,900}\" }", "the pattern can't be used"),
        ("{ $type: text }", "$type takes one of"),
        ("{ $in: [] }", "$in takes a list that is not empty"),
        ("{ $gte: many }", "$gte takes a number"),
        ("{ $absent: false }", "$absent takes true"),
        ("{ $same_as: { step: x } }", "$same_as takes {step, path}"),
    ] {
        let found = lines(&faults(&[(FILE, Some(edited(CASE, "omitted: []", &format!("omitted: {matcher}")).into()))]));
        assert!(found.iter().any(|line| line.starts_with("a.yaml:19:43: case a.one: ") && line.contains(part)), "{matcher}: {found:#?}");
    }
}

#[test]
fn a_given_that_can_not_be_sent_is_refused() {
    let skill = "{ name: a, description: d }";
    for (from, to, place, part) in [
        ("$fits: 2", "$fits: 3", "5:5", "no budget shows exactly 3 cards under this profile"),
        ("$fits: 2", "$fits: 2, plus: -9000", "5:5", ", below 1"),
        ("$fits: 2", "$fits: 2, plus: 0.5", "17:18", "plus takes a whole number"),
        ("$fits: 2", "$fits: -1", "17:18", "$fits takes a number of cards"),
        ("$fits: 2", "$fits: 2, and: 1", "17:18", "$fits stands alone in its mapping; \"and\" is beside it"),
        ("{ budget: { $fits: 2 } }", "{ catalog_limit: { $fits: 2 } }", "17:18", "a relative budget stands at options.budget only"),
        (
            "{ budget: { $fits: 2 } }",
            "{ budget: 9007199254740992 }",
            "17:18",
            "9007199254740992 is beyond 2^53 - 1; such integers are never sent",
        ),
        ("{ budget: { $fits: 2 } }", "{ budget: 99999999999999999999 }", "17:26", "99999999999999999999"),
        ("{ budget: { $fits: 2 } }", "{ budget: -9007199254740992 }", "17:18", "such integers are never sent"),
        ("{ budget: { $fits: 2 } }", "{ budget: .inf }", "17:26", "no number that is not finite"),
        (skill, "{ $repeat: { count: 10000000, item: { name: \"s${i}\" } } }", "5:5", "expands to more than 4000000 values"),
        (skill, "{ $repeat: { count: 9007199254740991, item: [] } }", "5:5", "expands to more than 4000000 values"),
        (skill, "{ $repeat: { count: 9007199254740992, item: [] } }", "15:13", "$repeat takes {count, item}"),
        (skill, "{ $repeat: { count: 9, item: [{ $repeat: { count: 9, item: 1 } }] } }", "15:13", "a $repeat inside a $repeat"),
        (skill, "{ $repeet: { count: 2, item: 1 } }", "15:13", "there is no helper $repeet"),
        (skill, "{ name: a, description: { $text: { count: 100000000, item: x } } }", "5:5", "expands to more than 67108864 bytes of text"),
        (skill, "{ name: a, description: { $text: { count: 9007199254740991, item: xyz } } }", "5:5", "bytes of text"),
        (skill, "{ name: a, description: { $text: \"/w==\" } }", "5:5", "$text is not UTF-8 once decoded"),
        (skill, "{ name: a, description: { $file: ../../../etc/passwd } }", "5:5", "leads out of the suite"),
        (skill, "{ name: a, description: { $file: /etc/passwd } }", "5:5", "the suite has no file etc/passwd"),
    ] {
        refused(edited(CASE, from, to), place, part);
    }
    for (from, to, place, part) in [
        ("$from: { step: first", "$from: { step: second", "16:9", "$from names the step \"second\", which is not an earlier one"),
        ("$from: { step: first", "$from: { step: third", "16:9", "$from names the step \"third\", which is not an earlier one"),
        ("$same_as: { step: first", "$same_as: { step: second", "17:9", "$same_as names the step \"second\", which is not an earlier one"),
        ("name: second", "name: first", "14:9", "an earlier step has this name"),
        ("path: \"\"", "path: /nothing", "5:5", "the answer to the step first has nothing at \"/nothing\""),
        ("        expect: { result: { shown: { $same_as: { step: first, path: /shown } } } }\n", "", "5:5", "no step expects anything"),
    ] {
        refused(edited(STEPS, from, to), place, part);
    }
}

#[test]
fn a_text_that_is_no_yaml_or_made_to_hurt_is_refused_at_its_place() {
    for (skill, place, part) in [
        ("{ name: a, name: b }", "15:24", "duplicate key \"name\""),
        ("{ name: a, \"n\\u0061me\": b }", "15:24", "duplicate key \"name\""),
        ("{ name: a, <<: { name: b } }", "15:13", "merge keys (<<) are not supported; write the keys out"),
        ("{ name: a, ? [b] : c }", "15:26", "a key that is no text"),
        ("{ name: a, description: !secret x }", "15:37", "invalid type: enum"),
        ("{ name: a, description: \"\\ud800\" }", "15:37", "invalid Unicode character escape code"),
        ("{ name: a, description: \"\\ud83d\\ude00\" }", "15:37", "invalid Unicode character escape code"),
        ("{ name: a, description: \"x\0y\" }", "15:37", "unexpected end of stream"),
        ("{ name: a, score: .nan }", "15:31", "no number that is not finite"),
        ("*nothing", "15:13", "unknown anchor"),
        ("{ name: a", "17:7", "invalid indentation"),
    ] {
        refused(edited(CASE, "{ name: a, description: d }", skill), place, part);
    }
    let deep = |open: &str, close: &str, count: usize| format!("{CASE}shared: {}1{}\n", open.repeat(count), close.repeat(count));
    let bomb: String = (1..20).fold("  - &a0 [x, x, x, x, x, x, x, x]\n".to_owned(), |text, at| {
        text + &format!("  - &a{at} [{}]\n", vec![format!("*a{}", at - 1); 8].join(", "))
    });
    for (bytes, place, part) in [
        (deep("[", "]", 100).into_bytes(), "21:72", "nested too deeply"),
        (deep("{a: ", "}", 100).into_bytes(), "21:261", "nested too deeply"),
        (deep("{a: ", "}", 40_000).into_bytes(), "21:1", "nested too deeply (more than 500 collections open)"),
        (deep("[", "", 400_000).into_bytes(), "21:1", "nested too deeply (more than 500 collections open)"),
        (format!("{CASE}shared:\n  {}x\n", "- ".repeat(100_000)).into_bytes(), "22:1", "nested too deeply"),
        (format!("{CASE}shared:\n  {}x\n", "? ".repeat(100_000)).into_bytes(), "22:1", "nested too deeply"),
        (format!("{CASE}shared:\n{bomb}").into_bytes(), "30:20", "aliases that stand for more than"),
        (format!("{CASE}shared: &a [*a, *a]\n").into_bytes(), "21:9", "nested too deeply"),
        (format!("{CASE}# {}\n", "x".repeat(9 << 20)).into_bytes(), "1:1", "bytes; at most 8388608 are read"),
        ([CASE.as_bytes(), b"# caf\xe9\n"].concat(), "21:1", "the file is not UTF-8"),
        (b"\xff\xfec\0o\0n\0".to_vec(), "1:1", "the file is not UTF-8"),
        (b"\0".to_vec(), "1:1", "unprintable character"),
        (Vec::new(), "1:1", "the file null is not of type \"object\""),
        (b"- 1\n".to_vec(), "1:1", "the file [1] is not of type \"object\""),
        (format!("{CASE}---\n{CASE}").into_bytes(), "21:1", "a second document; write one to a file"),
        (edited(CASE, "version: 1\n", "version: 1\n\tshared: 1\n").into_bytes(), "2:10", "found a tab"),
    ] {
        refused(bytes, place, part);
    }
}

#[test]
fn what_is_wrong_between_files_is_refused_in_the_file_that_has_it() {
    const SECOND: &str = "spec-cases/skill_activation_evidence/b.yaml";
    const SUITE: &str = "spec-cases/suite.yaml";
    const HOSTS: &str = "spec-cases/wrong-hosts.yaml";
    const REQUIREMENTS: &str = "spec-cases/requirements/skill_activation_evidence.yaml";
    let some = |text: &str| Some(text.as_bytes().to_vec());
    for (file, bytes, expected) in [
        (SECOND, some(CASE), "b.yaml:5:5: case a.one: the id stands at a.yaml:5 already"),
        (
            FILE,
            some(&format!("{CASE}{}", &CASE[CASE.find("  - id").unwrap()..])),
            "a.yaml:21:5: case a.one: the id stands at a.yaml:5 already",
        ),
        (FILE, None, "spec-cases:1:1: the suite has no case"),
        (SUITE, None, "spec-cases/suite.yaml:1:1: the suite lacks this file"),
        (SUITE, some("version: 0.1.0\nname: x\n"), "spec-cases/suite.yaml:1:1: unknown field `name`, expected `version`"),
        (SUITE, some("version: 0.1.0\nversion: 0.1.0\n"), "spec-cases/suite.yaml:2:1: duplicate key \"version\""),
        (HOSTS, None, "spec-cases/wrong-hosts.yaml:1:1: the suite lacks this file"),
        (HOSTS, some("wrong_hosts: { a: \"x\", a: \"y\" }\n"), "spec-cases/wrong-hosts.yaml:1:24: duplicate key \"a\""),
        (HOSTS, Some(b"wrong_hosts: { a: \xff }\n".to_vec()), "spec-cases/wrong-hosts.yaml:1:1: the file is not UTF-8"),
        (REQUIREMENTS, None, "a.yaml:5:5: case a.one: there is no clause \"activation#budget\" in spec-cases/requirements/"),
        (
            REQUIREMENTS,
            some("contract: c\nversion: 1\nsource: s\nrequirements: [{ id: a, level: must }]\n"),
            "spec-cases/requirements/skill_activation_evidence.yaml:1:1: missing field `section`",
        ),
    ] {
        let found = lines(&faults(&[(file, bytes)]));
        assert!(found.iter().any(|line| line == expected), "wanted {expected}, got {found:#?}");
    }
}

#[test]
fn every_fault_of_a_suite_is_reported_at_once_in_order() {
    let case = edited(CASE, "basis: text", "basis: measured\n    rationale: It was measured.");
    let case = edited(&case, "shown: [a, b]", "shown: { $any: 1 }");
    let case = edited(&case, "$fits: 2", "$fits: two");
    let other = CASE.replace("a.one", "a.two").replace("activation#budget", "activation#none").replace("fit-continues-past-misfit", "x");
    let found = lines(&faults(&[(FILE, Some(case.into())), ("spec-cases/skill_activation_evidence/b.yaml", Some(other.into()))]));
    let places: Vec<&str> = found.iter().map(|line| line.split(": ").next().unwrap()).collect();
    assert_eq!(places.last_chunk::<5>(), Some(&["a.yaml:7:5", "a.yaml:18:18", "a.yaml:20:26", "b.yaml:5:5", "b.yaml:5:5"]), "{found:#?}");
}

#[test]
fn a_huge_id_is_an_id() {
    // Built by a helper: a megabyte in the file would be read as well.
    let case = edited(CASE, "{ name: a, description: d }", "{ name: { $text: { count: 1000000, item: a } }, description: d }");
    let case = edited(&case, "shown: [a, b]", "shown: [{ $length: 1000000 }, b]");
    let started = Instant::now();
    assert_eq!(lines(&faults(&[(FILE, Some(case.into()))])), Vec::<String>::new());
    let id = "b".repeat(1_000_000);
    let case = edited(CASE, "{ name: b, description: d }", &format!("{{ name: {id}, description: d }}"));
    let case = edited(&case, "shown: [a, b]", "shown: [a, { $length: 1000000 }]");
    assert_eq!(lines(&faults(&[(FILE, Some(case.into()))])), Vec::<String>::new());
    assert!(started.elapsed() < SOON);
}

/// A server of the reference after its handshake.
fn server() -> Server<Reference> {
    let hello = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": { "protocol": [1], "runner": { "name": "r", "version": "1" }, "suite": { "version": "1", "digest": "d" }, "nonce": "n" },
    });
    let mut server = Server::new(Reference::default());
    assert!(!server.handle(hello.to_string().as_bytes()).line.contains("error"));
    server
}

/// What a server says of an evidence request in whose registry, options or skill name a text of JSON stands.
fn said(server: &mut Server<Reference>, name: &str, options: &str) -> Value {
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"activation.evidence","params":{{"registry":{{"_type":"skill_registry","skills":[{{"name":{name}}}]}},"options":{options}}}}}"#
    );
    let started = Instant::now();
    let reply = server.handle(line.as_bytes());
    assert!(started.elapsed() < SOON && !reply.finished);
    assert!(!reply.line.contains('\n'), "a reply is one line");
    serde_json::from_str(&reply.line).unwrap()
}

#[test]
fn hostile_requests_are_answered_or_refused_and_the_next_one_is_served() {
    let mut server = server();
    let refusal = |category: &str| json!({"error": {"category": category}});
    for budget in ["9007199254740992", "18446744073709551616", "1e300", "-1", "0", "0.5", "\"2000\"", "[2000]", "true"] {
        assert_eq!(said(&mut server, r#""a""#, &format!(r#"{{"budget":{budget}}}"#))["result"], refusal("invalid_options"), "{budget}");
    }
    for budget in ["9007199254740991", "9007199254740991.0", "2e3", "null"] {
        assert_eq!(said(&mut server, r#""a""#, &format!(r#"{{"budget":{budget}}}"#))["result"]["shown"], json!(["a"]), "{budget}");
    }
    for name in ["a\0b", "\u{7f}", "\u{2028}", "🚀", "e\u{301}", "\u{feff}", "\u{10ffff}", "${i}", "$fits", &"n".repeat(1_000_000)] {
        assert_eq!(said(&mut server, &json!(name).to_string(), r#"{"budget":9000000}"#)["result"]["shown"], json!([name]));
    }
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    for (name, options) in [
        (r#""\ud800""#, "{}"),
        (r#""\ud800\ud800""#, "{}"),
        (r#""a""#, r#"{"budget":1e999}"#),
        (r#""a""#, r#"{"budget":1,"budget":2}"#),
        (r#""a""#, r#"{"budget":.5}"#),
        (r#""a""#, r#"{"budget":NaN}"#),
        ("\"a\0\"", "{}"),
        (r#""a""#, &nested(200)),
        (r#""a""#, &nested(2_000_000)),
        (r#""a""#, &"[".repeat(2_000_000)),
        (r#""a""#, &r#"{"a":"#.repeat(500_000)),
    ] {
        let reply = said(&mut server, name, options);
        assert_eq!(reply["error"]["code"], error_code::PARSE_ERROR, "{:.60} {:.60}: {reply}", name, options);
        assert!(reply["error"]["message"].as_str().unwrap().len() < 300);
    }
    assert_eq!(said(&mut server, r#""a""#, &nested(100))["result"], refusal("invalid_options"));
    for line in
        [&b"\xff"[..], b"", b"\0", b"{", b"[]", b"[1,2]", b"null", b"\"x\"", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xc3\x28\"}"]
    {
        assert!(server.handle(line).line.contains("\"error\""), "{line:?}");
    }
    assert_eq!(said(&mut server, r#""a""#, "{}")["result"]["shown"], json!(["a"]));
}

#[test]
fn a_profile_that_would_not_fit_into_memory_is_refused() {
    let mut reference = Reference::default();
    let page_1 = serde_json::to_value(proofmark::embedded::page_1()).unwrap();
    for (pointer, value) in [
        ("/header", json!(9_007_199_254_740_991_u64)),
        ("/separator", json!(65_537)),
        ("/footer", json!(-1)),
        ("/suffix/base", json!(151)),
        ("/card/id", json!(65)),
        ("/unit", json!("inches")),
        ("/order", json!(null)),
    ] {
        let mut profile = page_1.clone();
        *profile.pointer_mut(pointer).unwrap() = value;
        let params = json!({"registry": {"_type": "skill_registry", "skills": []}, "profile": profile});
        for operation in [Operation::ActivationEvidence, Operation::ActivationCatalog] {
            let answer = reference.call(operation, &params);
            assert!(matches!(&answer, Answer::Error(error) if error.code == error_code::INVALID_PARAMS), "{pointer}: {answer:?}");
        }
    }
}
