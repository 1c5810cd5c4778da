//! `proofmark check` on receipts and traces: files as people have them, streams of any length, and real documents.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, and clippy knows only the functions marked as tests")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use proofmark::policy::RulePack;
use serde_json::{Value, json};

#[path = "support/binary.rs"]
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod binary;
#[path = "support/files.rs"]
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod files;

use binary::{run, run_with_input};
use files::{repository, scratch};

/// The example of the source document, as the rule pack has it.
fn receipt() -> Value {
    let pack = RulePack::receipt();
    pack.example_value(&pack.rules()[0].pass[0]).unwrap()
}

/// A trace that breaks nothing, as the rule pack has it.
fn trace() -> Value {
    let pack = RulePack::trace();
    let rule = pack.rules().iter().find(|rule| rule.id == "LC-106").unwrap();
    pack.example_value(&rule.pass[0]).unwrap()
}

fn written(directory: &Path, name: &str, text: &str) -> String {
    let path = directory.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A trace as lines: what stands around the events, then an event a line.
fn lines(trace: &Value) -> String {
    let mut header = trace.clone();
    let events = header.as_object_mut().unwrap().remove("events").unwrap();
    let mut text = format!("{header}\n");
    for event in events.as_array().unwrap() {
        writeln!(text, "{event}").unwrap();
    }
    text
}

/// A document that stands beside the checkout; a clone without it skips what is about it.
fn shared(name: &str) -> Option<PathBuf> {
    let path = repository("..").join("shared").join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is not here", path.display());
    None
}

#[test]
fn receipts_are_judged_in_json_yaml_and_lines() {
    let directory = scratch("check-receipts");
    let good = receipt();
    let mut bad = receipt();
    bad["resume_entry"] = json!("Continue the previous skill.");
    let json = written(&directory, "good.json", &good.to_string());
    assert_eq!(run(["check", &json]).ends_with(0).out, format!("{json}: valid\n1 valid, 0 not valid, 0 not readable\n"));
    let yaml = written(&directory, "bad.yaml", &serde_json::to_string_pretty(&bad).unwrap());
    let line = 1 + serde_json::to_string_pretty(&bad).unwrap().lines().position(|line| line.contains("resume_entry")).unwrap();
    let said = run(["check", &yaml]).ends_with(1);
    assert!(
        said.out.contains(&format!("  RR-107 (must) /resume_entry (line {line}, column 3) it names nothing to reopen")),
        "{}",
        said.out
    );
    let many = written(&directory, "many.jsonl", &format!("{good}\n{bad}\n{good}\n"));
    let said = run(["check", &many]).ends_with(1);
    assert_eq!(said.last_line(), "2 valid, 1 not valid, 0 not readable");
    assert!(said.out.contains(&format!("{many}:2: not valid\n  RR-107 (must) /resume_entry ")), "{}", said.out);
    let said = run_with_input(&format!("{good}\n{bad}\n"), ["check", "-", "--format", "json"]).ends_with(1);
    let rows: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((rows.len(), &rows[0]["verdict"]["valid"], &rows[1]["verdict"]["valid"]), (2, &json!(true), &json!(false)));
    assert_eq!(rows[1]["verdict"]["violations"][0]["rule"], "RR-107");
}

#[test]
fn a_receipt_is_recognised_by_its_schema_or_its_fields_or_by_what_the_user_says() {
    let directory = scratch("check-kinds");
    let mut plain = receipt();
    plain.as_object_mut().unwrap().remove("schema");
    run(["check", &written(&directory, "plain.json", &plain.to_string())]).ends_with(0);
    let mut later = receipt();
    later["schema"] = json!("cbh.skill_release_receipt.v2");
    let said = run(["check", &written(&directory, "later.json", &later.to_string())]).ends_with(1);
    assert!(said.out.contains("RR-103 (must) /schema"), "{}", said.out);
    let unknown = written(&directory, "unknown.json", "{\"status\": \"released\"}");
    let said = run(["check", &unknown]).ends_with(2);
    assert!(
        said.out.contains("--contract (skill_activation_evidence, skill_release_receipt, skill_lifecycle_trace, evidence_return_packet)"),
        "{}",
        said.out
    );
    let said = run(["check", &unknown, "--contract", "skill_release_receipt"]).ends_with(1);
    assert!(said.out.contains("RR-101 (must) /skill_id is missing"), "{}", said.out);
    let list = written(&directory, "list.json", "[]");
    let said = run(["check", &list, "--contract", "skill_release_receipt"]).ends_with(1);
    assert!(said.out.contains("RR-100 (must) the document"), "{}", said.out);
    run(["check", &list, "--contract", "skill_lifecycle_trace"]).ends_with(2);
}

#[test]
fn a_trace_is_judged_the_same_whole_and_in_lines() {
    let directory = scratch("check-traces");
    let mut bad = trace();
    bad["events"].as_array_mut().unwrap().retain(|event| event["type"] != "receipt.written");
    for (name, trace, code) in [("good", trace(), 0), ("bad", bad, 1)] {
        let whole = written(&directory, &format!("{name}.json"), &trace.to_string());
        let streamed = written(&directory, &format!("{name}.jsonl"), &lines(&trace));
        let row = |file: &str| run(["check", file, "--format", "json"]).ends_with(code).json();
        let (whole_row, streamed_row) = (row(&whole), row(&streamed));
        assert_eq!(whole_row["verdict"]["valid"], streamed_row["verdict"]["valid"]);
        let sorted = |row: &Value| {
            let mut violations = row["verdict"]["violations"].as_array().unwrap().clone();
            violations.sort_by_key(ToString::to_string);
            violations
        };
        assert_eq!(sorted(&whole_row), sorted(&streamed_row));
        assert_eq!(streamed_row["events"], trace["events"].as_array().unwrap().len());
        run(["check", &written(&directory, &format!("{name}.yaml"), &serde_json::to_string_pretty(&trace).unwrap())]).ends_with(code);
    }
    let said = run(["check", directory.join("bad.jsonl").to_str().unwrap()]).ends_with(1);
    let file = directory.join("bad.jsonl").display().to_string();
    assert!(said.out.starts_with(&format!("{file}:\n  LC-106 (must) /events/9 (line 11) seq 11: ")), "{}", said.out);
    assert!(said.out.contains(&format!("\n{file}: not valid (12 events): LC-106 1 time, LC-116 1 time\n")), "{}", said.out);
}

#[test]
fn several_traces_may_follow_each_other_and_one_may_be_cut() {
    let good = lines(&trace());
    let cut: String = good.lines().take(6).map(|line| format!("{line}\n")).collect();
    let said = run_with_input(&format!("{good}{cut}{good}"), ["check", "-"]).ends_with(0);
    assert!(
        said.out
            .starts_with("<stdin>: valid (13 events)\n<stdin>:15: valid (5 events, cut before its end)\n<stdin>:21: valid (13 events)\n"),
        "{}",
        said.out
    );
    assert_eq!(said.last_line(), "3 valid, 0 not valid, 0 not readable");
    // A trace that was cut with a need open says what it left open.
    let open: String = good.lines().take(3).map(|line| format!("{line}\n")).collect();
    let said = run_with_input(&open, ["check", "-"]).ends_with(0);
    assert!(said.out.contains("not judged from this alone: LC-117 (the trace was cut"), "{}", said.out);
}

#[test]
fn events_without_capabilities_want_a_word() {
    let events: String = lines(&trace()).lines().skip(1).map(|line| format!("{line}\n")).collect();
    let said = run_with_input(&events, ["check", "-"]).ends_with(2);
    assert!(said.out.contains("<stdin>:1: can't be read: events without a line of {\"capabilities\""), "{}", said.out);
    assert!(said.out.contains("--context-gc"), "{}", said.out);
    run_with_input(&events, ["check", "-", "--context-gc", "true"]).ends_with(0);
    let said = run_with_input(&events, ["check", "-", "--context-gc", "false"]).ends_with(1);
    assert!(said.out.contains("LC-105 (must) /events/10 (line 11) "), "{}", said.out);
}

#[test]
fn a_line_that_can_not_be_read_ends_the_judgement_of_its_trace_only() {
    let good = lines(&trace());
    let broken: String =
        good.lines().enumerate().map(|(at, line)| if at == 4 { "{\"seq\": \n".to_owned() } else { format!("{line}\n") }).collect();
    let said = run_with_input(&format!("{broken}{good}"), ["check", "-"]).ends_with(2);
    assert!(said.out.contains("<stdin>: not judged to its end\n<stdin>:5: can't be read: column "), "{}", said.out);
    assert!(said.out.contains("<stdin>:15: valid (13 events)"), "{}", said.out);
    assert_eq!(said.last_line(), "1 valid, 0 not valid, 1 not readable");
}

#[test]
fn what_a_long_bad_trace_says_is_cut_and_counted() {
    let mut text = "{\"capabilities\": {\"context_gc\": true}}\n".to_owned();
    for seq in 1..=50_000 {
        writeln!(text, "{{\"seq\": {seq}, \"type\": \"influence\", \"skill_id\": \"a\", \"kind\": \"tool_call\"}}").unwrap();
    }
    let said = run_with_input(&text, ["check", "-"]).ends_with(1);
    assert!(said.out.lines().count() < 110 && said.out.contains("  … and 49900 more (--max-violations)\n"), "{}", said.last_line());
    assert!(said.out.contains("not valid (50000 events, cut before its end): LC-115 50000 times"), "{}", said.last_line());
    let row = run_with_input(&text, ["check", "-", "--format", "json", "--max-violations", "3"]).ends_with(1).json();
    assert_eq!((row["verdict"]["violations"].as_array().unwrap().len(), &row["counts"]["LC-115"]), (3, &json!(50_000)));
}

#[test]
fn words_of_a_trace_can_not_command_the_terminal() {
    let text = "{\"capabilities\": {\"context_gc\": true}}\n{\"seq\": 1, \"type\": \"influence\", \"skill_id\": \"a\\u001b[2J\\u202e\", \"kind\": \"tool_call\"}\n";
    for format in ["text", "json"] {
        let said = run_with_input(text, ["check", "-", "--format", format]).ends_with(1);
        assert!(!said.out.contains(['\u{1b}', '\u{202e}']), "{:?}", said.out);
    }
}

#[test]
fn the_template_is_refused_for_its_placeholders_and_for_nothing_else() {
    let Some(template) = shared("real/documents/receipt-template.json") else { return };
    let row = run(["check", template.to_str().unwrap(), "--format", "json"]).ends_with(1).json();
    let violations = row["verdict"]["violations"].as_array().unwrap();
    let found: Vec<_> = violations.iter().map(|it| (it["rule"].as_str().unwrap(), it["path"].as_str().unwrap())).collect();
    assert_eq!(found, [("RR-106", "/last_used_at"), ("RR-109", "/last_used_at")]);
}

#[test]
fn the_example_of_the_source_document_is_accepted_without_a_remark() {
    let Some(source) = shared("seeds/skill-lifecycle-contract.md") else { return };
    let text = fs::read_to_string(source).unwrap();
    let (start, end) = (text.find("\n{").unwrap() + 1, text.find("\n}").unwrap() + 2);
    assert_eq!(serde_json::from_str::<Value>(&text[start..end]).unwrap(), receipt(), "the rule pack has it to the letter");
    let row = run_with_input(&text[start..end], ["check", "-", "--format", "json"]).ends_with(0).json();
    assert_eq!(row["verdict"], json!({"valid": true, "violations": [], "not_judged": []}));
}
