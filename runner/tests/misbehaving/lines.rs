//! Adapters whose lines are no answers. Where a line names the request that it answers, that request's case is errored and the
//! conversation goes on. Where it does not, everybody in flight is in doubt, runs again alone, and the one who gets such a line is errored.

use serde_json::json;

use crate::exhibit::{Exhibit, FEW, HONEST, IN_DOUBT, LOAD, Outcome, PLAN, PLAN_METHOD, RUN};
use crate::host::{Host, Request};

/// The line names its request.
const NAMED: Exhibit = Exhibit { exit: 4, more: |report| assert_eq!(report.lives, 1), ..HONEST };
/// The line names nobody: the child is started again after the batch, and after the case that is to blame.
const STRAY: Exhibit = Exhibit { exit: 4, more: |report| assert_eq!(report.lives, 3), ..HONEST };

const fn errored(words: &'static [&'static str]) -> Outcome {
    ("errored", words)
}

/// Answers the plan with a line that is made of its id and the right result.
fn plan(host: &mut Host, line: impl Fn(u64, String) -> String) {
    host.serve_but(PLAN_METHOD, |host, request| {
        let right = host.right_result(request);
        host.say(line(request.id(), right));
    });
}

pub(crate) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        name: "ends_its_lines_as_windows_does",
        child: |host| {
            let request = host.request();
            let right = host.right(&request);
            host.say(format!("{right}\r\n"));
            loop {
                let request = host.request();
                let right = host.right(&request);
                host.say(format!("{right}\r\n"));
                if request.method() == "shutdown" {
                    return;
                }
            }
        },
        ..HONEST
    },
    Exhibit {
        // What a library without integers makes of an id.
        name: "gives_the_id_with_a_fraction_of_nothing",
        child: |host| plan(host, |id, right| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id}.0,\"result\":{right}}}\n")),
        ..HONEST
    },
    Exhibit {
        name: "writes_the_member_that_does_not_apply_as_null",
        child: |host| plan(host, |id, right| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":null,\"result\":{right}}}\n")),
        ..HONEST
    },
    Exhibit {
        name: "answers_to_an_unknown_id",
        child: |host| {
            host.serve_but(PLAN_METHOD, |host, request| {
                let right = host.right(request);
                let mut unknown = right.clone();
                unknown["id"] = json!(request.id() + 1000);
                host.say(format!("{unknown}\n{right}\n"));
            });
        },
        but: &[(PLAN, errored(&["an answer whose id is null or was never sent"]))],
        faults: &[&[IN_DOUBT, "an answer whose id is null or was never sent"]],
        ..STRAY
    },
    Exhibit {
        // When the second answer comes the case has passed, and those in flight are in doubt: alone they pass too. It stays a fault.
        name: "answers_twice",
        child: |host| plan(host, |id, right| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{right}}}\n").repeat(2)),
        faults: &[&[IN_DOUBT, "a second or late answer to request"]],
        more: |report| assert_eq!(report.lives, 2),
        in_text: &["adapter at fault: cases that could not be judged: 0; other faults: 1"],
        ..STRAY
    },
    Exhibit {
        // The second answer comes when the next case is in flight, which is not to blame: the line names a request that was answered before.
        name: "answers_twice_and_takes_one_request_at_a_time",
        child: |host| {
            host.greet_as(|declaration| declaration["max_in_flight"] = json!(1));
            host.behave_but(PLAN_METHOD, |host, request| {
                let right = host.right(request);
                host.say(format!("{right}\n{right}\n"));
            });
        },
        exit: 4,
        faults: &[&[
            "a case in flight, which then ran again alone; the cause may lie with a case before",
            "a second or late answer to request",
        ]],
        more: |report| assert_eq!(report.lives, 2),
        ..HONEST
    },
    Exhibit {
        // Nothing is asked afterwards, and it is no pass all the same.
        name: "answers_the_last_request_twice",
        child: |host| plan(host, |id, right| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{right}}}\n").repeat(2)),
        cases: &[PLAN],
        exit: 4,
        faults: &[&["answered `shutdown`", "1 other lines came from it meanwhile"]],
        ..HONEST
    },
    Exhibit {
        name: "writes_no_utf8",
        child: |host| {
            host.serve_but(PLAN_METHOD, |host, request| {
                let right = host.right_result(request);
                let head = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"note\":\"caf", request.id());
                host.say([head.as_bytes(), b"\xe9\",\"result\":", right.as_bytes(), b"}\n"].concat());
            });
        },
        but: &[(PLAN, errored(&["the line is not UTF-8"]))],
        faults: &[&[IN_DOUBT, "the line is not UTF-8"]],
        ..STRAY
    },
    Exhibit {
        name: "writes_no_json",
        child: |host| plan(host, |id, right| format!("{{'jsonrpc':'2.0','id':{id},'result':{right}}}\n")),
        but: &[(PLAN, errored(&["the line is not JSON", "the line begins: {'jsonrpc'"]))],
        faults: &[&[IN_DOUBT, "the line is not JSON"]],
        ..STRAY
    },
    Exhibit {
        name: "puts_two_values_on_a_line",
        child: |host| plan(host, |id, right| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{right}}} {{}}\n")),
        but: &[(PLAN, errored(&["the line is not JSON", "trailing characters"]))],
        faults: &[&[IN_DOUBT, "trailing characters"]],
        ..STRAY
    },
    Exhibit {
        name: "writes_a_key_twice",
        child: |host| {
            plan(host, |id, right| {
                let twice = format!("{},{}", &right[..right.len() - 1], &right[1..]);
                format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{twice}}}\n")
            });
        },
        but: &[(PLAN, errored(&["the line is not JSON", "duplicate key"]))],
        ..NAMED
    },
    Exhibit {
        name: "writes_the_id_twice",
        child: |host| plan(host, |id, right| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"id\":{id},\"result\":{right}}}\n")),
        but: &[(PLAN, errored(&["the line is not JSON", "duplicate"]))],
        faults: &[&[IN_DOUBT, "duplicate"]],
        ..STRAY
    },
    Exhibit {
        name: "puts_its_answer_in_a_batch",
        child: |host| plan(host, |id, right| format!("[{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{right}}}]\n")),
        but: &[(PLAN, errored(&["no JSON-RPC 2.0 message", "it is of type array"]))],
        faults: &[&[IN_DOUBT, "it is of type array"]],
        ..STRAY
    },
    Exhibit {
        name: "logs_on_stdout",
        child: |host| {
            host.serve_all(|host, request| {
                let right = host.right(request);
                host.say(format!("INFO {}\n{right}\n", request.method()));
            });
        },
        exit: 4,
        outcome: errored(&["the line is not JSON", "the line begins: INFO "]),
        faults: &[&["10 ", IN_DOUBT, "the line is not JSON"]],
        more: |report| assert_eq!(report.lives, 11),
        ..HONEST
    },
    Exhibit {
        name: "logs_by_notification",
        child: |host| {
            let log = "{\"jsonrpc\":\"2.0\",\"method\":\"log\",\"params\":{}}\n";
            plan(host, |id, right| format!("{log}{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{right}}}\n"));
        },
        but: &[(PLAN, errored(&["it has a method"]))],
        faults: &[&[IN_DOUBT, "it has a method"]],
        ..STRAY
    },
    Exhibit {
        name: "echoes_the_request",
        child: |host| host.serve_all(|host, request| host.say(format!("{}\n", request.line()))),
        exit: 4,
        outcome: errored(&["it has a method", "only responses are expected"]),
        faults: &[&["10 ", IN_DOUBT, "it has a method"]],
        in_text: &["not one of the 10 cases was judged"],
        ..HONEST
    },
    Exhibit {
        // "One message a line": an empty one is a stray line like any other.
        name: "leaves_a_line_empty",
        child: |host| plan(host, |id, right| format!("\n{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{right}}}\n")),
        but: &[(PLAN, errored(&["the line is not JSON"]))],
        faults: &[&[IN_DOUBT, "the line is not JSON"]],
        ..STRAY
    },
    Exhibit {
        name: "prints_its_answer_over_several_lines",
        child: |host| plan(host, |id, right| format!("{{\n  \"jsonrpc\": \"2.0\",\n  \"id\": {id},\n  \"result\": {right}\n}}\n")),
        but: &[(PLAN, errored(&["the line is not JSON", "the line begins: {"]))],
        faults: &[&[IN_DOUBT, "the line is not JSON"]],
        ..STRAY
    },
    Exhibit {
        name: "gives_the_id_as_a_text",
        child: |host| plan(host, |id, right| format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{id}\",\"result\":{right}}}\n")),
        but: &[(PLAN, errored(&["never sent", "the line begins: {\"jsonrpc\":\"2.0\",\"id\":\""]))],
        faults: &[&[IN_DOUBT, "never sent"]],
        ..STRAY
    },
    Exhibit {
        name: "gives_null_as_the_id",
        child: |host| plan(host, |_, right| format!("{{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{right}}}\n")),
        but: &[(PLAN, errored(&["an answer whose id is null"]))],
        faults: &[&[IN_DOUBT, "an answer whose id is null"]],
        ..STRAY
    },
    Exhibit {
        name: "forgets_the_id",
        child: |host| plan(host, |_, right| format!("{{\"jsonrpc\":\"2.0\",\"result\":{right}}}\n")),
        but: &[(PLAN, errored(&["it has no id"]))],
        faults: &[&[IN_DOUBT, "it has no id"]],
        ..STRAY
    },
    Exhibit {
        name: "speaks_another_version_of_json_rpc",
        child: |host| plan(host, |id, right| format!("{{\"jsonrpc\":\"1.0\",\"id\":{id},\"result\":{right}}}\n")),
        but: &[(PLAN, errored(&["jsonrpc is not \"2.0\""]))],
        ..NAMED
    },
    Exhibit {
        name: "gives_a_result_and_an_error",
        child: |host| {
            let error = "{\"code\":-32603,\"message\":\"perhaps\"}";
            plan(host, |id, right| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{right},\"error\":{error}}}\n"));
        },
        but: &[(PLAN, errored(&["it has both a result and an error"]))],
        ..NAMED
    },
    Exhibit {
        name: "gives_neither_a_result_nor_an_error",
        child: |host| plan(host, |id, _| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id}}}\n")),
        but: &[(PLAN, errored(&["it has neither a result nor an error"]))],
        ..NAMED
    },
    Exhibit {
        name: "gives_an_error_without_a_code",
        child: |host| plan(host, |id, _| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"message\":\"no\"}}}}\n")),
        but: &[(PLAN, errored(&["its error object is malformed", "code"]))],
        ..NAMED
    },
    Exhibit {
        name: "nests_ten_thousand_levels",
        child: |host| {
            plan(host, |id, right| {
                let deep = "[".repeat(10_000) + &"]".repeat(10_000);
                format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{},\"note\":{deep}}}}}\n", &right[..right.len() - 1])
            });
        },
        but: &[(PLAN, errored(&["the line is not JSON", "recursion limit"]))],
        ..NAMED
    },
    Exhibit {
        name: "writes_a_number_that_is_none",
        child: |host| {
            plan(host, |id, right| {
                format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{},\"note\":1e999}}}}\n", &right[..right.len() - 1])
            });
        },
        but: &[(PLAN, errored(&["the line is not JSON", "number out of range"]))],
        ..NAMED
    },
    Exhibit {
        name: "writes_half_a_surrogate_pair",
        child: |host| {
            plan(host, |id, right| {
                format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{},\"note\":\"\\ud800\"}}}}\n", &right[..right.len() - 1])
            });
        },
        but: &[(PLAN, errored(&["the line is not JSON"]))],
        ..NAMED
    },
    Exhibit {
        name: "pads_its_line_with_nul",
        child: |host| plan(host, |id, right| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{right}}}\0\0\n")),
        but: &[(PLAN, errored(&["the line is not JSON"]))],
        faults: &[&[IN_DOUBT, "the line is not JSON"]],
        in_text: &["the line is not JSON"],
        ..STRAY
    },
    Exhibit {
        name: "begins_a_line_with_a_byte_order_mark",
        child: |host| plan(host, |id, right| format!("\u{feff}{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{right}}}\n")),
        but: &[(PLAN, errored(&["the line is not JSON: column 1"]))],
        faults: &[&[IN_DOUBT, "the line is not JSON: column 1"]],
        in_text: &[r"\u{feff}{"],
        ..STRAY
    },
    Exhibit {
        name: "commands_the_terminal_in_a_stray_line",
        child: |host| plan(host, |_, _| "\x1b]0;conformant\x07\x1b[2J\u{9b}31m\n".to_owned()),
        but: &[(PLAN, errored(&["the line is not JSON"]))],
        faults: &[&[IN_DOUBT, "the line is not JSON"]],
        in_text: &[r"\u{1b}]0;conformant\u{7}\u{1b}[2J\u{9b}31m"],
        ..STRAY
    },
    Exhibit {
        // The process lived: a line over the limit is a fault of the protocol, and no crash.
        name: "writes_a_line_of_20_mib",
        child: |host| host.serve_but(PLAN_METHOD, long),
        cases: FEW,
        but: &[(LOAD, ("passed", &[])), (PLAN, errored(&["a line of more than 16777216 bytes"])), (RUN, ("passed", &[]))],
        faults: &[&[IN_DOUBT, "a line of more than 16777216 bytes"]],
        ..STRAY
    },
    Exhibit {
        name: "writes_a_line_of_20_mib_that_is_allowed",
        child: |host| host.serve_but(PLAN_METHOD, long),
        cases: FEW,
        flags: &["--max-line-bytes", "33554432"],
        ..HONEST
    },
];

/// The right answer with 20 MiB of blanks in it.
fn long(host: &mut Host, request: &Request) {
    let right = host.right(request).to_string();
    host.say(format!("{{{}{}\n", " ".repeat(20 << 20), &right[1..]));
}
