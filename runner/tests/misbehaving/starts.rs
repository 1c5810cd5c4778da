//! Adapters that do not get beyond `initialize`, and such as declare what is not so.

use std::collections::VecDeque;
use std::process;
use std::time::Duration;

use proofmark::adapter::error_code;
use serde_json::json;

use crate::exhibit::{ALL, EVIDENCE, Exhibit, HONEST, IN_DOUBT, PLAN, RUN, SESSIONS};
use crate::host::Host;

/// Nobody answers: there is one fault, and no case has an outcome.
const NOT_STARTED: Exhibit = Exhibit { exit: 4, starts: false, ..HONEST };

pub(crate) const EXHIBITS: &[Exhibit] = &[
    Exhibit { name: "nothing_is_wrong", child: Host::serve, cases: ALL, more: |report| assert_eq!(report.lives, 1), ..HONEST },
    Exhibit {
        name: "silent_at_start",
        child: |host| {
            host.request();
            host.linger();
        },
        flags: &["--start-timeout", "500ms"],
        faults: &[&["did not answer `initialize` within 500ms and was killed", "allow it more time"]],
        ..NOT_STARTED
    },
    Exhibit {
        name: "exits_at_start",
        child: |_| {
            eprintln!("no module named 'skills'");
            process::exit(7);
        },
        faults: &[&["before it answered `initialize`, the adapter exited with status 7", "no module named 'skills'"]],
        in_text: &["not one of the 10 cases was judged"],
        ..NOT_STARTED
    },
    Exhibit {
        name: "declares_another_version",
        child: |host| host.serve_as(|declaration| declaration["protocol"] = json!(2)),
        faults: &[&["is no declaration", "/protocol 1 was expected"]],
        ..NOT_STARTED
    },
    Exhibit {
        name: "shares_no_version",
        child: |host| {
            let request = host.request();
            host.reply_error(&request, error_code::NO_COMMON_VERSION, "this host speaks 2");
            host.behave();
        },
        faults: &[&["answered `initialize` with error -32001: this host speaks 2", "Update the older of the two"]],
        ..NOT_STARTED
    },
    Exhibit {
        name: "refuses_initialize",
        child: |host| {
            let request = host.request();
            host.reply_error(&request, error_code::INTERNAL_ERROR, "not today");
            host.behave();
        },
        faults: &[&["answered `initialize` with error -32603: not today", "Expected a declaration"]],
        ..NOT_STARTED
    },
    Exhibit {
        name: "declares_that_it_takes_no_request",
        child: |host| host.serve_as(|declaration| declaration["max_in_flight"] = json!(0)),
        faults: &[&["is no declaration", "/max_in_flight"]],
        ..NOT_STARTED
    },
    Exhibit {
        // 64.0 is the whole number that it is to JSON Schema.
        name: "counts_with_a_fraction_of_nothing",
        child: |host| host.serve_as(|declaration| declaration["max_in_flight"] = json!(64.0)),
        ..HONEST
    },
    Exhibit {
        name: "greets_people_on_stdout",
        child: |host| {
            host.say("Adapter 1.0 \x1b[1mready\x1b[0m\n");
            host.serve();
        },
        faults: &[&["something else than an answer to `initialize`", "Adapter 1.0", "stdout is for answers only"]],
        in_text: &[r"\u{1b}[1mready"],
        ..NOT_STARTED
    },
    Exhibit {
        name: "begins_with_a_byte_order_mark",
        child: |host| {
            host.say("\u{feff}");
            host.serve();
        },
        faults: &[&["the line is not JSON: column 1"]],
        // It can't be seen in the line, unless it is escaped.
        in_text: &[r#"The line begins: \u{feff}{"#],
        ..NOT_STARTED
    },
    Exhibit {
        // Whoever is in flight when the second answer comes, it is a fault, in every life of this adapter.
        name: "answers_initialize_twice",
        child: |host| {
            let request = host.request();
            let right = host.right(&request);
            host.say(format!("{right}\n{right}\n"));
            host.behave();
        },
        exit: 4,
        outcome: ("errored", &["a second or late answer to request 1"]),
        faults: &[&["10 ", IN_DOUBT, "a second or late answer to request 1"]],
        ..HONEST
    },
    Exhibit {
        name: "claims_an_operation_that_does_not_exist",
        child: |host| host.serve_as(|declaration| rename(declaration, "lifecycle.plan", "lifecycle.plans")),
        exit: 1,
        but: &[(PLAN, ("unsupported", &["lifecycle.plan is not among the declared operations", "\"lifecycle.plans\" are declared"]))],
        ..HONEST
    },
    Exhibit {
        name: "claims_the_part_of_an_operation",
        child: |host| host.serve_as(|declaration| rename(declaration, "lifecycle.run", "lifecycle.open")),
        exit: 1,
        but: &[
            (RUN, ("unsupported", &["a running host declares lifecycle.run"])),
            (SESSIONS, ("unsupported", &["a running host declares lifecycle.run"])),
        ],
        ..HONEST
    },
    Exhibit {
        name: "claims_nothing_and_answers_all_the_same",
        child: |host| host.serve_as(|declaration| declaration["operations"] = json!([])),
        exit: 1,
        outcome: ("unsupported", &["is not among the declared operations"]),
        in_text: &["nothing was judged, and that is no conformance"],
        ..HONEST
    },
    Exhibit {
        name: "declares_no_rendering_profile",
        child: |host| host.serve_as(without_rendering),
        exit: 1,
        but: &[(EVIDENCE, ("skipped", &["it needs a declared rendering profile"]))],
        ..HONEST
    },
    Exhibit {
        name: "declares_no_rendering_profile_and_may",
        child: |host| host.serve_as(without_rendering),
        flags: &["--allow-partial"],
        but: &[(EVIDENCE, ("skipped", &["it needs a declared rendering profile"]))],
        in_text: &["passed in part: must cases that were not judged: 1"],
        ..HONEST
    },
    Exhibit { name: "takes_one_request_at_a_time", child: |host| takes(host, 1), cases: ALL, ..HONEST },
    Exhibit { name: "takes_three_requests_at_a_time", child: |host| takes(host, 3), cases: ALL, ..HONEST },
];

fn without_rendering(declaration: &mut serde_json::Value) {
    declaration.as_object_mut().unwrap().remove("rendering");
}

fn rename(declaration: &mut serde_json::Value, from: &str, to: &str) {
    let operations = declaration["operations"].as_array_mut().unwrap();
    *operations.iter_mut().find(|name| *name == from).unwrap() = json!(to);
}

/// Gives the runner every chance to send more than was declared, and would crash if it did.
fn takes(host: &mut Host, max_in_flight: usize) {
    host.greet_as(|declaration| declaration["max_in_flight"] = json!(max_in_flight));
    let mut open = VecDeque::new();
    loop {
        while let Some(request) = host.request_within(Duration::from_millis(20)) {
            open.push_back(request);
        }
        assert!(open.len() <= max_in_flight, "{} requests at once", open.len());
        // One at a time, so that the next may come while others are open.
        let Some(request) = open.pop_front() else { continue };
        host.answer(&request);
        if request.method() == "shutdown" {
            return;
        }
    }
}
