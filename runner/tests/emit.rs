//! `proofmark emit`: the lines that a run would send, which a host can be fed by hand, and which give nothing away.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, and clippy knows only the functions marked as tests")]

use std::collections::BTreeSet;
use std::fs;

use proofmark::adapter::Operation;
use proofmark::case::Suite;
use serde_json::{Value, json};

#[path = "support/binary.rs"]
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod binary;
#[path = "support/files.rs"]
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod files;

use binary::{Said, proofmark, run};
use files::scratch;

/// Parts of the suite with every kind of request: single ones, steps that build on answers, and worlds that are played.
const PARTS: [&str; 8] = [
    "activation.budget",
    "activation.load",
    "activation.read",
    "activation.journey",
    "plan.resume",
    "run.one-shot",
    "run.session",
    "render.guided",
];

fn emit(arguments: &[&str]) -> Said {
    run([&["emit"], arguments].concat())
}

/// The messages that were written.
fn messages(text: &str) -> Vec<Value> {
    assert!(text.ends_with('\n'), "the last line is ended");
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// What a host answered, with its ids in the order in which they came. It reads from a file: a pipe would be full of answers before all
/// is asked.
fn served(name: &str, text: &str) -> Vec<Value> {
    let file = scratch(name).join("requests.jsonl");
    fs::write(&file, text).unwrap();
    let output = proofmark(["serve"]).stdin(fs::File::open(&file).unwrap()).output().unwrap();
    messages(&Said::new(output).ends_with(0).out)
}

#[test]
fn the_lines_are_a_conversation_in_order() {
    let said = emit(&PARTS).ends_with(0);
    let messages = messages(&said.out);
    assert!(messages.len() > 100, "{}", messages.len());
    for (at, message) in messages.iter().enumerate() {
        let keys: Vec<&String> = message.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["id", "jsonrpc", "method", "params"]);
        assert_eq!((&message["jsonrpc"], &message["id"]), (&json!("2.0"), &json!(at + 1)));
        assert!(message["params"].is_object());
        let method = message["method"].as_str().unwrap();
        match at {
            0 => assert_eq!((method, &message["params"]["protocol"]), ("initialize", &json!([1]))),
            last if last + 1 == messages.len() => assert_eq!(method, "shutdown"),
            _ => assert!(Operation::from_name(method).is_some(), "{method}"),
        }
    }
}

#[test]
fn every_line_is_answered_by_a_host_that_reads_them() {
    let said = emit(&PARTS).ends_with(0);
    let asked = messages(&said.out);
    let answers = served("every-line", &said.out);
    assert_eq!(answers.len(), asked.len());
    for (asked, answer) in asked.iter().zip(&answers) {
        assert_eq!(answer["id"], asked["id"]);
        // The suite asks nothing that the reference could not try.
        assert!(answer.get("error").is_none(), "{asked} → {answer}");
    }
    let opened = answers.iter().filter(|answer| answer["result"]["session"].is_string()).count();
    let played = answers.iter().filter(|answer| answer["result"]["events"].as_array().is_some_and(|events| !events.is_empty())).count();
    assert!(opened > 3 && played > 10, "{opened} sessions, {played} answers with events");
}

#[test]
fn the_whole_suite_can_be_written_and_is_what_a_run_asks() {
    let file = scratch("whole").join("requests.jsonl");
    let said = emit(&["--contract", "skill_activation_evidence", "--out", file.to_str().unwrap()]).ends_with(0);
    assert_eq!(said.out, "");
    let suite = Suite::embedded().unwrap();
    let steps = |is_asked: fn(&str) -> bool| -> usize {
        let cases = suite.cases().iter().filter(|case| case.contract == "skill_activation_evidence");
        cases.filter(|case| is_asked(case.profile.as_deref().unwrap_or("page-1"))).map(|case| case.steps.len()).sum()
    };
    let (least, most) = (steps(|profile| profile == "page-1"), steps(|_| true));
    let written = messages(&fs::read_to_string(&file).unwrap()).len() - 2;
    // A case about another layout is asked where its answer does not depend on it, so that the count lies between the two.
    assert!((least..=most).contains(&written), "{written} requests, {least} to {most} steps");
}

#[test]
fn the_same_words_give_the_same_lines() {
    let walk = ["run.walk", "activation.order", "--seed", "7"];
    let first = emit(&walk).ends_with(0).out;
    assert_eq!(first, emit(&walk).ends_with(0).out);
    assert_ne!(first, emit(&["run.walk", "activation.order", "--seed", "8"]).ends_with(0).out);
}

#[test]
fn no_case_id_and_no_expectation_is_written() {
    let suite = Suite::embedded().unwrap();
    let said = emit(&PARTS).ends_with(0);
    for case in suite.cases() {
        assert!(!said.out.contains(&format!("\"{}\"", case.id)), "{}", case.id);
        assert!(!said.out.contains(&case.title), "{}", case.title);
    }
    // What a request may have, by the table of the protocol; `expect` and its kin are none of it.
    let tolerated: BTreeSet<&str> =
        "registry options profile id session_id require_signature model_invocation payload pinned layers precedence \
                                     receipt capabilities receipts events files session event situation document media_type surface packet \
                                     depth"
            .split_whitespace()
            .collect();
    let messages = messages(&said.out);
    for message in &messages[1..] {
        for key in message["params"].as_object().unwrap().keys() {
            assert!(tolerated.contains(key.as_str()), "{key} in {message}");
        }
    }
}

#[test]
fn with_ids_every_request_says_whose_it_is_and_is_answered_alike() {
    let (plain, with) = (emit(&PARTS).ends_with(0).out, emit(&[&PARTS[..], &["--with-ids"]].concat()).ends_with(0).out);
    let suite = Suite::embedded().unwrap();
    let mut named: Vec<Value> = messages(&with);
    let last = named.len() - 1;
    for message in &mut named[1..last] {
        let meta = message["params"].as_object_mut().unwrap().remove("_meta").unwrap();
        assert!(suite.case(meta["case"].as_str().unwrap()).is_some(), "{meta}");
        assert_eq!(meta.as_object().unwrap().len(), 1);
    }
    assert_eq!(named, messages(&plain), "without `_meta` the lines are the plain ones");
    assert_eq!(served("with", &with), served("plain", &plain), "a host that ignores `_meta` answers alike");
}

#[test]
fn companions_are_written_with_laws_only() {
    let id = "activation.budget.tail-is-cut-exactly";
    let methods = |arguments: &[&str]| -> Vec<String> {
        let said = emit(arguments).ends_with(0);
        let messages = messages(&said.out);
        messages[1..messages.len() - 1].iter().map(|message| message["method"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(methods(&[id]), ["activation.evidence"]);
    let laws = methods(&[id, "--laws"]);
    assert!(laws.len() > 5, "{laws:?}");
    assert_eq!(laws[0], "activation.evidence");
    assert_eq!(laws.iter().filter(|method| *method == "activation.catalog").count(), 1, "{laws:?}");
}

#[test]
fn a_declaration_says_what_is_asked_and_under_which_profile() {
    let folder = scratch("declaration");
    let hello = emit(&["activation.budget.tail-is-cut-exactly"]).ends_with(0).out;
    let mut answer = served("hello", &hello).swap_remove(0);
    answer["result"]["operations"] = json!(["activation.evidence"]);
    answer["result"]["rendering"]["header"] = json!(300);
    let budget = |said: &Said| messages(&said.out)[1]["params"]["options"]["budget"].as_u64().unwrap();
    for (name, value) in [("answer.json", &answer), ("result.json", &answer["result"])] {
        let file = folder.join(name);
        fs::write(&file, value.to_string()).unwrap();
        let file = file.to_str().unwrap();
        let said = emit(&["activation.budget.tail-is-cut-exactly", "--declaration", file]).ends_with(0);
        // The header of `page-1` is 216 long: what fits then fits into so much more.
        assert_eq!(budget(&said), budget(&Said { code: None, out: hello.clone(), err: String::new() }) + 300 - 216);
        assert_eq!(messages(&said.out)[1]["params"]["profile"]["header"], 300);
        let said = emit(&["activation.load", "--declaration", file]).ends_with(1);
        assert_eq!(messages(&said.out).len(), 2, "nothing but the frame of a conversation");
        assert!(said.err.contains("activation.load is not among the declared operations"), "{}", said.err);
    }
}

#[test]
fn what_can_not_be_written_is_refused_with_what_to_do() {
    let folder = scratch("refused");
    let file = folder.join("no-declaration.json");
    fs::write(&file, "{\"protocol\": 1}").unwrap();
    let file = file.to_str().unwrap();
    emit(&["--declaration", file]).refuses(2, &["no-declaration.json", "it is no declaration", "proofmark explain protocol"]);
    emit(&["--declaration", "/no/such/file"]).refuses(2, &["--declaration /no/such/file"]);
    emit(&["activation.budgt"]).refuses(2, &["no case matches", "did you mean"]);
    emit(&["--rendering", "nonsense", "activation.load"]).refuses(2, &["page-1"]);
    emit(&["--out", folder.to_str().unwrap(), "activation.load"]).refuses(2, &["the requests can't be written"]);
}
