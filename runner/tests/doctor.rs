//! `proofmark doctor`: sound adapters are sound, and each unsound one fails exactly the check that names its fault.
//!
//! The unsound ones are copies of the example hosts with a line or two changed. Where Python or Node.js is missing the test says so.

// Signals and locks: some of the faults can't be made elsewhere.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, and clippy knows only the functions marked as tests")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

#[path = "support/binary.rs"]
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod binary;
#[path = "doctor/faults.rs"]
mod faults;
#[path = "support/files.rs"]
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod files;

use binary::{PROGRAM, Said, run};
use faults::{Fault, GROUPS};
use files::{copy_tree, repository, scratch};

/// Whether an interpreter can run the example hosts; says so where it can't.
fn can_run(interpreter: &str) -> bool {
    let probe = match interpreter {
        "python3" => ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"],
        _ => ["-e", "process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)"],
    };
    let there = Command::new(interpreter).args(probe).output().is_ok_and(|probe| probe.status.success());
    if !there {
        eprintln!("skipped: `{interpreter}` is not here, or is too old");
    }
    there
}

/// Flags, in pairs, with time-outs that a busy machine keeps and a silence that costs little. What `more` has counts instead.
fn patient<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let ours = [("--timeout", "60s"), ("--start-timeout", "60s"), ("--silence", "200ms"), ("--format", "json")];
    let kept = ours.into_iter().filter(|(flag, _)| !more.contains(flag)).flat_map(|(flag, value)| [flag, value]);
    kept.chain(more.iter().copied()).collect()
}

fn examine(flags: &[&str], command: &[&str]) -> Said {
    run([&["doctor"], flags, &["--"], command].concat())
}

/// The ids of the checks with this outcome.
fn ids(diagnosis: &Value, outcome: &str) -> Vec<String> {
    let rows = diagnosis["checks"].as_array().unwrap().iter();
    rows.filter(|row| row["outcome"] == outcome).map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

fn assert_sound(command: &[&str]) {
    let diagnosis = examine(&patient(&[]), command).ends_with(0).json();
    assert_eq!(diagnosis["sound"], true);
    assert_eq!(ids(&diagnosis, "failed"), Vec::<String>::new());
    // They have no home page, and there is nothing that they do not declare.
    assert_eq!(ids(&diagnosis, "warned"), ["declaration.contact"]);
    assert_eq!(ids(&diagnosis, "not_run"), ["methods.undeclared"]);
    let passed = ids(&diagnosis, "passed");
    for wanted in ["start.version", "answers.activation.evidence", "answers.lifecycle.run", "many.at-once", "sizes.answer", "process.again"]
    {
        assert!(passed.iter().any(|id| id == wanted), "{wanted} is not in {passed:?}");
    }
    assert_eq!(passed.len(), 41);
}

#[test]
fn the_reference_is_sound() {
    assert_sound(&[PROGRAM, "serve"]);
}

#[test]
fn the_python_example_is_sound() {
    if can_run("python3") {
        assert_sound(&["python3", repository("examples/adapters/python/skill_host.py").to_str().unwrap()]);
    }
}

#[test]
fn the_javascript_example_is_sound() {
    if can_run("node") {
        assert_sound(&["node", repository("examples/adapters/javascript/skill-host.mjs").to_str().unwrap()]);
    }
}

/// A copy of an example host with the fault in it, and its command.
fn copy_with(fault: &Fault) -> Vec<String> {
    let (folder, main, interpreter) = fault.host.parts();
    let copy = scratch(fault.name);
    copy_tree(&repository(folder), &copy, &["__pycache__"]);
    for (file, line, instead) in fault.edits {
        let path = copy.join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().filter(|it| it == line).count(), 1, "{}: {line:?} in {file}", fault.name);
        let changed: Vec<&str> = text.lines().map(|it| if it == *line { *instead } else { it }).collect();
        fs::write(&path, changed.join("\n") + "\n").unwrap();
    }
    vec![interpreter.to_owned(), copy.join(main).to_str().unwrap().to_owned()]
}

fn assert_found_out(faults: &[Fault]) {
    let mut wrong = Vec::new();
    for fault in faults.iter().filter(|fault| can_run(fault.host.parts().2)) {
        let command = copy_with(fault);
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let said = examine(&patient(fault.flags), &command).ends_with(4);
        let diagnosis = said.json();
        assert_eq!((&diagnosis["sound"], &diagnosis["exit"]), (&json!(false), &json!(4)), "{}", fault.name);
        let failed = ids(&diagnosis, "failed");
        let rows = diagnosis["checks"].as_array().unwrap();
        let came: String = rows
            .iter()
            .filter(|row| row["outcome"] == "failed")
            .flat_map(|row| row["complaints"].as_array().unwrap())
            .map(|it| format!("{} | {} | {}\n", it["sent"], it["came"], it["expected"]))
            .collect();
        if failed != [fault.check] || !came.contains(fault.words) {
            wrong.push(format!("{}: {failed:?}, not {:?} with {:?}:\n{came}", fault.name, fault.check, fault.words));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_bad_start_is_found_out() {
    assert_found_out(GROUPS[0]);
}

#[test]
fn a_wrong_declaration_is_found_out() {
    assert_found_out(GROUPS[1]);
}

#[test]
fn wrong_answers_to_one_request_are_found_out() {
    assert_found_out(GROUPS[2]);
}

#[test]
fn wrong_answers_to_many_requests_are_found_out() {
    assert_found_out(GROUPS[3]);
}

#[test]
fn texts_numbers_and_lines_that_are_harmed_are_found_out() {
    assert_found_out(GROUPS[4]);
}

#[test]
fn sessions_that_mix_are_found_out() {
    assert_found_out(GROUPS[5]);
}

#[test]
fn a_process_that_is_hard_to_run_is_found_out() {
    assert_found_out(GROUPS[6]);
}

#[test]
fn what_else_is_written_to_stdout_is_found_out() {
    assert_found_out(GROUPS[7]);
}

#[test]
fn no_two_faults_have_one_name_and_most_checks_have_a_fault() {
    let all: Vec<&Fault> = GROUPS.iter().flat_map(|group| group.iter()).collect();
    let names: BTreeMap<&str, &str> = all.iter().map(|fault| (fault.name, fault.check)).collect();
    assert_eq!(names.len(), all.len());
    // Three only warn, and each operation is asked alike.
    let warn_only = ["declaration.max-in-flight", "declaration.rendering", "declaration.contact", "process.elsewhere"];
    for check in proofmark_runner::doctor::CHECKS.iter().filter(|check| !warn_only.contains(&check.id)) {
        assert!(names.values().any(|named| named.starts_with(check.id)), "no host fails {}", check.id);
    }
}

/// A host that is odd and yet sound: what is odd is said, and the exit status is 0.
#[test]
fn what_is_only_odd_is_a_warning() {
    if !can_run("python3") {
        return;
    }
    let odd = [
        (
            "huge-window",
            "skill_host.py",
            "            \"max_in_flight\": 64,",
            "            \"max_in_flight\": 1000000,",
            "declaration.max-in-flight",
        ),
        ("no-profile", "skill_host.py", "            \"rendering\": activation.PROFILE,", "", "declaration.rendering"),
        (
            "relative-file",
            "skill_host.py",
            "PROTOCOL = 1",
            "PROTOCOL = 1\nos.stat('examples') if os.path.basename(os.getcwd()) != 'odd' else None",
            "process.elsewhere",
        ),
        (
            "more-than-declared",
            "skill_host.py",
            "            \"operations\": [*OPERATIONS, SESSION_OPERATION],",
            "            \"operations\": [*OPERATIONS],",
            "methods.undeclared",
        ),
        (
            "internal-error",
            "skill_host.py",
            "            raise RpcError(INVALID_PARAMS, str(error)) from None",
            "            raise RpcError(INTERNAL_ERROR, str(error)) from None",
            "params.wrong-types",
        ),
    ];
    for (name, file, line, instead, check) in odd {
        let fault = Fault { name, host: faults::Host::Python, edits: &[(file, line, instead)], flags: &[], check, words: "" };
        let command = copy_with(&fault);
        let place = scratch("odd");
        let mut asked = binary::proofmark([&["doctor"], &patient(&[])[..], &["--", &command[0], &command[1]]].concat());
        let diagnosis = Said::new(asked.current_dir(&place).output().unwrap()).ends_with(0).json();
        let warned = ids(&diagnosis, "warned");
        assert!(warned.iter().any(|id| id == check), "{name}: {warned:?}");
        assert_eq!(ids(&diagnosis, "failed"), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn a_failure_says_what_was_sent_what_came_what_was_expected_and_what_to_do() {
    if !can_run("python3") {
        return;
    }
    let fault = GROUPS[2].iter().find(|fault| fault.check == "methods.unknown").unwrap();
    let command = copy_with(&Fault { name: "in-words", ..*fault });
    let said = run(["doctor", "--silence", "200ms", "--timeout", "60s", "--", &command[0], &command[1]]).ends_with(4);
    let lines: Vec<&str> = said.out.lines().skip_while(|line| !line.starts_with('✗')).take(8).collect();
    assert_eq!(
        lines,
        [
            "✗ methods.unknown                     an unknown method is answered with -32601, and the conversation goes on",
            "    sent      {\"jsonrpc\":\"2.0\",\"method\":\"proofmark.no_such_method\",\"params\":{}}",
            "    came      the error -32603: this host has no such method",
            "    expected  the JSON-RPC error -32601",
            "    why       A later protocol may ask for more, and must not bring an older host down.",
            "    do        Answer every method that is not known with the JSON-RPC error -32601.",
            "    see       docs/protocol.md, \"Three kinds of answer\" (`proofmark explain protocol`)",
            "",
        ]
    );
    assert!(said.last_line().starts_with("not sound: ") && said.last_line().ends_with("; failed: methods.unknown"), "{}", said.last_line());
}

#[test]
fn what_an_adapter_writes_commands_no_terminal() {
    let folder = scratch("hostile");
    let script = folder.join("host.sh");
    fs::write(&script, "printf '\\033[2J\\033]0;owned\\007 hello\\n'; printf '\\033[31mred\\n' >&2; cat >/dev/null\n").unwrap();
    let said = examine(&["--start-timeout", "60s"], &["sh", script.to_str().unwrap()]).ends_with(4);
    // `run` has looked for escape sequences already; that it was quoted is seen here.
    assert!(said.out.contains("hello") && said.out.contains("\\u{1b}"), "{}", said.out);
    assert!(said.last_line().ends_with("; failed: start.initialize"), "{}", said.last_line());
}

#[test]
fn what_can_not_be_started_is_not_sound_and_what_is_not_named_is_usage() {
    let said = examine(&[], &["./no-such-adapter"]).ends_with(4);
    assert!(said.out.contains("was not found"), "{}", said.out);
    assert!(said.out.lines().filter(|line| line.starts_with('✓')).count() == 0, "{}", said.out);
    for arguments in
        [&["doctor"][..], &["doctor", "--"], &["doctor", "--nonsense", "--", "sh"], &["doctor", "--timeout", "soon", "--", "sh"]]
    {
        assert_eq!(run(arguments).code, Some(2), "{arguments:?}");
    }
    assert!(!Path::new("./no-such-adapter").exists());
}
