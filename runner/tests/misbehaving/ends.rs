//! Adapters that end when they should not, or do not when they should, or are not heard of any more.

#![expect(clippy::zombie_processes, reason = "to leave a process behind is the fault that is shown")]

use std::process::{self, Command};

use serde_json::json;

use crate::exhibit::{Exhibit, FEW, HONEST, IN_DOUBT, LOAD, Outcome, PLAN, PLAN_METHOD, PROJECT};
use crate::host::{Host, Request};

/// It ends or is ended amid a batch, and again when its case runs alone; a third one answers the rest.
const LOST: Exhibit = Exhibit { exit: 4, more: |report| assert_eq!(report.lives, 3), ..HONEST };
/// The same, where it takes a timeout to see it.
const SILENT: Exhibit = Exhibit { cases: FEW, flags: &["--timeout", "1s"], ..LOST };
/// Everything was answered, and the end is not as it should be.
const BAD_END: Exhibit = Exhibit { exit: 4, cases: FEW, more: |report| assert_eq!(report.lives, 1), ..HONEST };

const fn crashed(words: &'static [&'static str]) -> Outcome {
    ("crashed", words)
}

pub(crate) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        name: "sleeps_beyond_its_time",
        child: |host| {
            host.serve_but(PLAN_METHOD, |host, request| {
                std::thread::sleep(std::time::Duration::from_secs(600));
                host.answer(request);
            });
        },
        but: &[(PLAN, ("timed_out", &["no answer within 1s"]))],
        faults: &[&[IN_DOUBT, "no answer within 1s"]],
        ..SILENT
    },
    Exhibit {
        // The answer comes while the runner is busy with the end of its process, or not at all: it is not credited.
        name: "answers_late",
        child: |host| {
            host.serve_but(PLAN_METHOD, |host, request| {
                std::thread::sleep(std::time::Duration::from_millis(1200));
                host.answer(request);
                host.linger();
            });
        },
        cases: &[PLAN],
        flags: &["--timeout", "300ms"],
        but: &[(PLAN, ("timed_out", &["no answer within 300ms"]))],
        more: |report| assert_eq!(report.lives, 1),
        ..SILENT
    },
    Exhibit {
        name: "stops_in_the_middle_of_a_line",
        child: |host| {
            host.serve_but(PLAN_METHOD, |host, request| {
                let right = host.right(request).to_string();
                host.say(&right[..right.len() / 2]);
                host.linger();
            });
        },
        but: &[(PLAN, ("timed_out", &["no answer within 1s"]))],
        faults: &[&[IN_DOUBT, "no answer within 1s"]],
        ..SILENT
    },
    Exhibit {
        // All of the answer is there, but for the end of its line: without a word of that, who forgot to end it would look elsewhere.
        name: "forgets_the_end_of_a_line",
        child: |host| {
            host.serve_but(PLAN_METHOD, |host, request| {
                let right = host.right(request).to_string();
                host.say(right);
                host.linger();
            });
        },
        but: &[(PLAN, ("timed_out", &["no answer within 1s", " bytes of a line that it did not end"]))],
        faults: &[&[IN_DOUBT, "no answer within 1s", " bytes of a line that it did not end"]],
        ..SILENT
    },
    Exhibit {
        name: "never_reads",
        child: |host| {
            host.greet();
            host.linger();
        },
        flags: &["--timeout", "300ms"],
        outcome: ("timed_out", &["no answer within 300ms"]),
        faults: &[&["3 ", IN_DOUBT, "no answer within 300ms"]],
        more: |report| assert_eq!(report.lives, 4),
        in_text: &["not one of the 3 cases was judged"],
        ..SILENT
    },
    Exhibit {
        name: "exits_in_the_middle_of_a_line",
        child: |host| {
            host.serve_but(PLAN_METHOD, |host, _| {
                host.say("{\"jsonrpc\":");
                process::exit(0);
            });
        },
        but: &[(PLAN, crashed(&["the adapter exited with status 0, after 11 bytes of a line that it did not end"]))],
        faults: &[&[IN_DOUBT, "after 11 bytes of a line that it did not end"]],
        ..LOST
    },
    Exhibit {
        // A line without its end is no line, though all of the answer is there.
        name: "exits_before_the_end_of_a_line",
        child: |host| {
            host.serve_but(PLAN_METHOD, |host, request| {
                let right = host.right(request).to_string();
                host.say(right);
                process::exit(0);
            });
        },
        but: &[(PLAN, crashed(&["exited with status 0, after ", " bytes of a line that it did not end"]))],
        faults: &[&[IN_DOUBT, "bytes of a line that it did not end"]],
        ..LOST
    },
    Exhibit {
        name: "exits_on_one_case",
        child: |host| {
            host.serve_but(PLAN_METHOD, |_, _| {
                eprintln!("KeyError: 'need'");
                process::exit(3);
            });
        },
        but: &[(PLAN, crashed(&["the adapter exited with status 3", "KeyError: 'need'"]))],
        faults: &[&[IN_DOUBT, "the adapter exited with status 3"]],
        more: |report| {
            assert_eq!(report.lives, 3);
            assert_eq!(report.stderr_of(PLAN), "KeyError: 'need'\n");
        },
        in_text: &["rerun: proofmark run plan.resume.with-receipt --start-timeout"],
        ..LOST
    },
    Exhibit {
        name: "exits_on_two_cases",
        child: |host| {
            host.greet();
            loop {
                let request = host.request();
                if ["packet.project", PLAN_METHOD].contains(&request.method()) {
                    process::exit(3);
                }
                host.answer(&request);
                if request.method() == "shutdown" {
                    return;
                }
            }
        },
        but: &[(PROJECT, crashed(&["exited with status 3"])), (PLAN, crashed(&["exited with status 3"]))],
        faults: &[&["10 ", IN_DOUBT, "exited with status 3"]],
        more: |report| assert_eq!(report.lives, 4),
        ..LOST
    },
    Exhibit {
        name: "touches_memory_that_is_not_its_own",
        child: |host| host.serve_but(PLAN_METHOD, |host, _| host.become_shell("ulimit -c 0; kill -SEGV $$")),
        but: &[(PLAN, crashed(&["the adapter was ended by signal 11 (SIGSEGV"]))],
        faults: &[&[IN_DOUBT, "signal 11 (SIGSEGV"]],
        ..LOST
    },
    Exhibit {
        name: "closes_stdout_and_lives_on",
        child: |host| host.serve_but(PLAN_METHOD, |host, _| host.become_shell("exec >&-; exec sleep 600")),
        cases: FEW,
        but: &[(PLAN, crashed(&["the adapter closed its stdout and lived on; it was killed"]))],
        faults: &[&[IN_DOUBT, "closed its stdout and lived on"]],
        ..LOST
    },
    Exhibit {
        // It is closed before the answer to `initialize`, so that not one request can be written.
        name: "closes_stdin_and_lives_on",
        child: |host| {
            let request = host.request();
            let right = host.right(&request).to_string();
            host.become_shell(&format!("exec <&-; echo '{right}'; exec sleep 600"));
        },
        cases: &[LOAD, PLAN],
        outcome: crashed(&["the adapter closed its stdin before `shutdown`; it was killed"]),
        faults: &[&["2 ", IN_DOUBT, "closed its stdin before `shutdown`"]],
        ..LOST
    },
    Exhibit {
        name: "forks_a_child_that_keeps_the_pipes",
        child: |host| {
            host.serve_but(PLAN_METHOD, |_, _| {
                Command::new("sleep").arg("600").spawn().unwrap();
                process::exit(5);
            });
        },
        but: &[(PLAN, crashed(&["the adapter exited with status 5"]))],
        faults: &[&[IN_DOUBT, "the adapter exited with status 5"]],
        ..LOST
    },
    Exhibit {
        name: "leaves_a_child_when_all_is_well",
        child: |host| {
            Command::new("sleep").arg("600").spawn().unwrap();
            host.serve();
        },
        ..HONEST
    },
    Exhibit {
        name: "exits_with_a_status_when_all_is_well",
        child: |host| {
            host.serve();
            process::exit(5);
        },
        ..HONEST
    },
    Exhibit {
        name: "ignores_shutdown",
        child: |host| host.serve_but("shutdown", |host, _| host.linger()),
        faults: &[&["did not answer `shutdown`", "ended on a signal (SIGTERM)"]],
        in_text: &["adapter at fault: cases that could not be judged: 0; other faults: 1"],
        ..BAD_END
    },
    Exhibit {
        name: "ignores_shutdown_and_sigterm",
        child: |host| host.serve_but("shutdown", |host, _| host.become_shell("trap '' TERM; while :; do sleep 1; done")),
        faults: &[&["did not answer `shutdown`", "and was killed"]],
        ..BAD_END
    },
    Exhibit {
        name: "answers_shutdown_and_stays",
        child: |host| {
            host.serve();
            host.linger();
        },
        faults: &[&["the adapter answered `shutdown`; it did not exit when its stdin was closed"]],
        ..BAD_END
    },
    Exhibit {
        name: "exits_instead_of_answering_shutdown",
        child: |host| host.serve_but("shutdown", |_, _| process::exit(0)),
        faults: &[&["did not answer `shutdown` and exited with status 0"]],
        ..BAD_END
    },
    Exhibit {
        name: "exits_before_shutdown",
        child: |host| {
            host.serve_but(PLAN_METHOD, |host, request| {
                host.answer(request);
                process::exit(0);
            });
        },
        cases: &[PLAN],
        // It depends on chance whether it was gone before it was asked.
        faults: &[&["`shutdown`", "exited with status 0"]],
        ..BAD_END
    },
    Exhibit {
        name: "talks_on_after_shutdown_and_ends_no_line",
        child: |host| {
            host.serve_but("shutdown", |host, request| {
                host.answer(request);
                host.say("bye");
                process::exit(0);
            });
        },
        faults: &[&["the adapter answered `shutdown` and exited with status 0", "1 other lines came from it meanwhile"]],
        ..BAD_END
    },
    Exhibit {
        name: "talks_on_after_shutdown_for_20_mib",
        child: |host| {
            host.serve_but("shutdown", |host, request| {
                host.answer(request);
                host.say("bye ".repeat(5 << 20));
                process::exit(0);
            });
        },
        faults: &[&["the adapter answered `shutdown` and exited with status 0", " other lines came from it meanwhile"]],
        ..BAD_END
    },
    Exhibit {
        name: "answers_shutdown_with_an_object_and_talks_on",
        child: |host| host.serve_but("shutdown", shut_down_with_words),
        faults: &[&["something else than the result null", "2 other lines came from it meanwhile"]],
        ..BAD_END
    },
];

fn shut_down_with_words(host: &mut Host, request: &Request) {
    host.reply(request, &json!({}));
    host.say("bye\nbye\n");
    process::exit(0);
}
