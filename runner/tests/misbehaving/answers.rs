//! Adapters whose lines are good and whose answers are not, or are good although much around them is odd.

use std::process;
use std::time::Duration;

use serde_json::{Value, json};

use crate::exhibit::{
    ALL, EVIDENCE, Exhibit, FEW, HONEST, LOAD, LOSSLESS, LOSSY, MERGE, NO_OFFSET, Outcome, PLAN, PLAN_METHOD, PROJECT, SESSIONS, UTC,
};
use crate::host::{Host, Request};

/// A case is at fault, and nobody else is concerned.
const ONE: Exhibit = Exhibit { exit: 4, more: |report| assert_eq!(report.lives, 1), ..HONEST };
/// A `must` is broken.
const BROKEN: Exhibit = Exhibit { exit: 1, ..ONE };

const fn failed(words: &'static [&'static str]) -> Outcome {
    ("failed", words)
}

pub(crate) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        name: "answers_in_any_order",
        child: |host| {
            host.greet();
            let mut open: Vec<Request> = Vec::new();
            for turn in 1_usize.. {
                while let Some(request) = host.request_within(Duration::from_millis(10)) {
                    open.push(request);
                }
                if open.is_empty() {
                    continue;
                }
                let request = open.swap_remove(turn * 7919 % open.len());
                host.answer(&request);
                if request.method() == "shutdown" {
                    return;
                }
            }
        },
        cases: ALL,
        ..HONEST
    },
    Exhibit {
        name: "answers_everything_with_an_empty_mapping",
        child: |host| host.serve_all(|host, request| host.reply(request, &json!({}))),
        outcome: failed(&[]),
        in_text: &["not conformant: 12 failed at must or above"],
        cases: ALL,
        ..BROKEN
    },
    Exhibit {
        name: "refuses_everything",
        child: |host| host.serve_all(|host, request| host.reply(request, &json!({"error": {"category": "invalid_registry"}}))),
        cases: ALL,
        outcome: failed(&["a refusal"]),
        but: &[(SESSIONS, failed(&["the answer to the step first has nothing at \\\"/session\\\""]))],
        ..BROKEN
    },
    Exhibit {
        name: "finds_everything_valid",
        child: |host| judge(host, &json!({"valid": true, "violations": [], "not_judged": []})),
        but: &[(LOSSY, failed(&["/valid", "EP-106"])), (NO_OFFSET, failed(&["/valid", "RR-106"]))],
        cases: ALL,
        ..BROKEN
    },
    Exhibit {
        name: "finds_nothing_valid",
        child: |host| {
            host.greet_as(|declaration| declaration["diagnostics"] = json!("valid"));
            judge_on(host, &json!({"valid": false, "violations": [], "not_judged": []}));
        },
        but: &[(LOSSLESS, failed(&["/valid"])), (UTC, failed(&["/valid"]))],
        cases: ALL,
        ..BROKEN
    },
    Exhibit {
        name: "answers_with_the_previous_answer",
        child: |host| {
            let mut previous = json!({});
            host.serve_all(|host, request| {
                let right = host.right(request)["result"].clone();
                host.reply(request, &std::mem::replace(&mut previous, right));
            });
        },
        outcome: failed(&[]),
        cases: ALL,
        ..BROKEN
    },
    Exhibit {
        name: "gives_two_requests_each_others_answers",
        child: |host| {
            host.greet();
            let mut held: Option<Request> = None;
            loop {
                let request = host.request();
                let wanted = ["packet.project", PLAN_METHOD].contains(&request.method());
                match held.take().filter(|_| wanted) {
                    Some(other) => {
                        let (right, others) = (host.right(&request), host.right(&other));
                        host.reply(&request, &others["result"]);
                        host.reply(&other, &right["result"]);
                    }
                    None if wanted => held = Some(request),
                    None => {
                        host.answer(&request);
                        if request.method() == "shutdown" {
                            return;
                        }
                    }
                }
            }
        },
        cases: &[PROJECT, PLAN],
        outcome: failed(&[]),
        ..BROKEN
    },
    Exhibit {
        // Which session is the latest when a run of another case is under way depends on chance, so that no other run is beside it.
        name: "answers_one_session_for_another",
        child: |host| {
            let mut latest = Value::Null;
            host.greet();
            loop {
                let mut request = host.request();
                if request.method() == "lifecycle.step" {
                    request = request.with("session", latest.clone());
                }
                let right = host.right(&request);
                if request.method() == "lifecycle.open" {
                    latest = right["result"]["session"].clone();
                }
                host.say(format!("{right}\n"));
                if request.method() == "shutdown" {
                    return;
                }
            }
        },
        cases: &[PLAN, SESSIONS],
        but: &[(SESSIONS, failed(&["body.loaded"]))],
        ..BROKEN
    },
    Exhibit {
        // A figure that no rule about figures can read must not silence them.
        name: "counts_beyond_what_a_double_holds",
        child: |host| {
            host.serve_but("activation.evidence", |host, request| {
                let mut right = host.right(request);
                right["result"]["used_chars"] = json!(9_007_199_254_740_993_u64);
                host.say(format!("{right}\n"));
            });
        },
        but: &[(EVIDENCE, failed(&["9007199254740993"]))],
        ..BROKEN
    },
    Exhibit {
        name: "gives_an_error_for_one",
        child: |host| host.serve_but(PLAN_METHOD, |host, request| host.reply_error(request, -32603, "the planner is on holiday")),
        but: &[(PLAN, ("errored", &["lifecycle.plan: error -32603: the planner is on holiday"]))],
        ..ONE
    },
    Exhibit {
        name: "gives_an_error_where_a_refusal_belongs",
        child: |host| host.serve_but(PLAN_METHOD, |host, request| host.reply_error(request, -32000, "invalid_situation: no such need")),
        but: &[(PLAN, ("errored", &["a refusal by the contract belongs into the result", "{\"category\": \"invalid_situation\"}"]))],
        ..ONE
    },
    Exhibit {
        // Whatever it allows to be left out, an error is none of it.
        name: "gives_an_error_for_one_and_may_pass_in_part",
        child: |host| host.serve_but(PLAN_METHOD, |host, request| host.reply_error(request, -32603, "the planner is on holiday")),
        flags: &["--allow-partial"],
        but: &[(PLAN, ("errored", &["the planner is on holiday"]))],
        ..ONE
    },
    Exhibit {
        name: "gives_a_megabyte_of_commands_in_an_error",
        child: |host| {
            let hostile = "\x1b]0;conformant\x07\x1b[2J\r\nconformant ".repeat(32_000);
            host.serve_but(PLAN_METHOD, |host, request| host.reply_error(request, -32603, &hostile));
        },
        but: &[(PLAN, ("errored", &["error -32603: \u{1b}]0;conformant"]))],
        in_text: &[r"error -32603: \u{1b}]0;conformant\u{7}\u{1b}[2J\r", "more characters)", "adapter at fault"],
        ..ONE
    },
    Exhibit {
        name: "claims_an_operation_that_it_can_not_do",
        child: |host| host.serve_but(PLAN_METHOD, |host, request| host.reply_error(request, -32601, "not yet")),
        exit: 1,
        but: &[(PLAN, ("unsupported", &["lifecycle.plan is declared, yet unsupported"]))],
        ..ONE
    },
    Exhibit {
        name: "claims_an_operation_that_it_can_not_do_and_may",
        child: |host| host.serve_but(PLAN_METHOD, |host, request| host.reply_error(request, -32601, "not yet")),
        flags: &["--allow-partial"],
        exit: 0,
        but: &[(PLAN, ("unsupported", &["lifecycle.plan is declared, yet unsupported"]))],
        in_text: &["passed in part: must cases that were not judged: 1"],
        ..ONE
    },
    Exhibit {
        name: "claims_everything_and_can_do_nothing",
        child: |host| host.serve_all(|host, request| host.reply_error(request, -32601, "not yet")),
        flags: &["--allow-partial"],
        exit: 1,
        outcome: ("unsupported", &["is declared, yet unsupported"]),
        in_text: &["nothing was judged, and that is no conformance"],
        ..ONE
    },
    Exhibit {
        name: "supports_the_first_request_and_not_the_second",
        child: |host| {
            let mut seen = 0;
            host.serve_but("registry.merge", |host, request| {
                seen += 1;
                if seen == 2 { host.reply_error(request, -32601, "no such method") } else { host.answer(request) }
            });
        },
        but: &[(MERGE, ("errored", &["registry.merge is supported for one request and not for the next"]))],
        ..ONE
    },
    Exhibit {
        name: "answers_otherwise_when_it_is_asked_again",
        child: |host| {
            second_load(host, |host, request| {
                let mut right = host.right(request);
                right["result"]["body"] = json!("Read it twice.");
                host.say(format!("{right}\n"));
            });
        },
        but: &[(LOAD, failed(&["AE-600"]))],
        ..BROKEN
    },
    Exhibit {
        name: "gives_an_error_when_it_is_asked_again",
        child: |host| second_load(host, |host, request| host.reply_error(request, -32603, "tired")),
        faults: &[&[LOAD, "asked again at the end", "error -32603"]],
        ..ONE
    },
    Exhibit {
        name: "exits_when_it_is_asked_again",
        child: |host| second_load(host, |_, _| process::exit(3)),
        faults: &[&[LOAD, "asked again at the end", "exited with status 3"]],
        ..ONE
    },
    Exhibit {
        name: "is_silent_when_it_is_asked_again",
        child: |host| second_load(host, |host, _| host.linger()),
        cases: FEW,
        flags: &["--timeout", "1s"],
        faults: &[&[LOAD, "asked again at the end", "no answer in time"]],
        ..ONE
    },
    Exhibit {
        name: "floods_stderr",
        child: |host| {
            host.serve_but(PLAN_METHOD, |host, request| {
                eprint!("{}", "blah blah blah blah blah\n".repeat(400_000));
                host.answer(request);
            });
        },
        more: |report| {
            assert!(!report.json.to_string().contains("blah"), "what it said to people is no part of a report in which all is well")
        },
        ..HONEST
    },
    Exhibit {
        name: "takes_its_time_and_no_more_than_it_has",
        child: |host| {
            host.serve_but(PLAN_METHOD, |host, request| {
                std::thread::sleep(Duration::from_millis(1500));
                host.answer(request);
            });
        },
        ..HONEST
    },
    Exhibit {
        name: "takes_a_gigabyte",
        child: |host| {
            host.serve_but(PLAN_METHOD, |host, request| {
                // Touched in every page, so that it is really there.
                let mut memory = vec![0_u8; 1 << 30];
                memory.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
                let sum: usize = memory.iter().step_by(4096).map(|byte| usize::from(*byte)).sum();
                assert_eq!(sum, 1 << 18);
                host.answer(request);
            });
        },
        // So many pages are slow to come by on a machine that is short of them.
        flags: &["--timeout", "300s"],
        ..HONEST
    },
];

/// Answers every document with this verdict.
fn judge(host: &mut Host, verdict: &Value) {
    host.greet();
    judge_on(host, verdict);
}

fn judge_on(host: &mut Host, verdict: &Value) {
    loop {
        let request = host.request();
        if ["packet.validate", "lifecycle.validate_receipt"].contains(&request.method()) {
            host.reply(&request, verdict);
            continue;
        }
        host.answer(&request);
        if request.method() == "shutdown" {
            return;
        }
    }
}

/// All is well until a load is asked for again, which only happens at the end.
fn second_load(host: &mut Host, mut fault: impl FnMut(&mut Host, &Request)) {
    let mut seen = 0;
    host.serve_but("activation.load", |host, request| {
        seen += 1;
        if seen == 1 { host.answer(request) } else { fault(host, request) }
    });
}
