//! Adapters that are not in every life what they were in the one before.

use std::process;

use crate::exhibit::{EVIDENCE, Exhibit, HONEST, IN_DOUBT, LOAD, MERGE, NO_OFFSET, Outcome, PASSED, PLAN, PLAN_METHOD, PROJECT, UTC};
use crate::host::Host;

/// What comes of a batch that is lost once: nobody is to blame, and it is no pass.
const LOST_ONCE: Exhibit = Exhibit { exit: 4, more: |report| assert_eq!(report.lives, 2), ..HONEST };

const CRASHED: Outcome = ("crashed", &["the adapter exited with status 3"]);
const GIVEN_UP: Outcome = ("skipped", &["the adapter had been given up"]);

pub(crate) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        name: "exits_amid_a_batch_once",
        child: |host| {
            host.greet();
            if host.life == 1 {
                for _ in 0..2 {
                    let request = host.request();
                    host.answer(&request);
                }
                process::exit(3);
            }
            host.behave();
        },
        faults: &[&[IN_DOUBT, "exited with status 3"]],
        in_text: &["adapter at fault: cases that could not be judged: 0; other faults: 1"],
        ..LOST_ONCE
    },
    Exhibit {
        // It is alone in its second life, and passes: that it crashed stays a fault of the run.
        name: "exits_on_one_case_once",
        child: |host| {
            let life = host.life;
            host.serve_but(PLAN_METHOD, |host, request| if life == 1 { process::exit(3) } else { host.answer(request) });
        },
        faults: &[&[IN_DOUBT, "exited with status 3"]],
        ..LOST_ONCE
    },
    Exhibit {
        // In each life one request is answered. A case of one request passes when it is the first of a life; the case behind it finds the
        // adapter gone with its own request in flight, as does every case of more requests.
        name: "exits_after_each_answer",
        child: exit_after_an_answer,
        outcome: CRASHED,
        but: &[(PROJECT, PASSED), (LOAD, PASSED), (PLAN, PASSED), (UTC, PASSED)],
        faults: &[&["9 ", IN_DOUBT, "exited with status 3"]],
        more: |report| assert_eq!(report.lives, 7),
        ..LOST_ONCE
    },
    Exhibit {
        name: "exits_after_each_answer_and_is_given_up",
        child: exit_after_an_answer,
        flags: &["--max-restarts", "2"],
        outcome: GIVEN_UP,
        but: &[(PROJECT, PASSED), (EVIDENCE, CRASHED), (LOAD, PASSED), (MERGE, CRASHED)],
        faults: &[&["9 ", IN_DOUBT, "exited with status 3"], &["given up after 2 restarts (--max-restarts)"]],
        more: |report| assert_eq!(report.lives, 3),
        in_text: &["6 not judged: the adapter had been given up"],
        ..LOST_ONCE
    },
    Exhibit {
        name: "exits_on_one_case_and_may_not_be_started_again",
        child: |host| host.serve_but(PLAN_METHOD, |_, _| process::exit(3)),
        cases: &[PROJECT, LOAD, PLAN, UTC],
        flags: &["--max-restarts", "0"],
        but: &[(PLAN, GIVEN_UP), (UTC, GIVEN_UP)],
        faults: &[&["2 ", IN_DOUBT, "exited with status 3"], &["given up after 0 restarts (--max-restarts)"]],
        more: |report| assert_eq!(report.lives, 1),
        ..LOST_ONCE
    },
    Exhibit {
        name: "exits_on_every_request",
        child: |host| host.serve_all(|_, _| process::exit(3)),
        flags: &["--max-restarts", "10"],
        outcome: CRASHED,
        faults: &[&["10 ", IN_DOUBT, "exited with status 3"]],
        more: |report| assert_eq!(report.lives, 11),
        in_text: &["not one of the 10 cases was judged"],
        ..LOST_ONCE
    },
    Exhibit {
        name: "exits_on_every_request_once_too_often",
        child: |host| host.serve_all(|_, _| process::exit(3)),
        flags: &["--max-restarts", "9"],
        outcome: CRASHED,
        but: &[(NO_OFFSET, GIVEN_UP)],
        faults: &[&["10 ", IN_DOUBT, "exited with status 3"], &["given up after 9 restarts (--max-restarts)"]],
        more: |report| assert_eq!(report.lives, 10),
        ..LOST_ONCE
    },
    Exhibit {
        name: "declares_something_else_when_it_is_started_again",
        child: |host| {
            let life = host.life;
            host.greet_as(|declaration| declaration["implementation"]["version"] = format!("1.{life}").into());
            host.behave_but(PLAN_METHOD, |_, _| process::exit(3));
        },
        outcome: GIVEN_UP,
        but: &[(PROJECT, PASSED), (LOAD, PASSED)],
        faults: &[&[IN_DOUBT, "exited with status 3"], &["the adapter declared something else when it was started again"]],
        ..LOST_ONCE
    },
    Exhibit {
        // Their order says nothing, and many a language has sets whose order is another in every process.
        name: "declares_its_operations_in_another_order_when_it_is_started_again",
        child: |host| {
            let life = host.life;
            host.greet_as(|declaration| {
                let operations = declaration["operations"].as_array_mut().unwrap();
                let turns = usize::try_from(life).unwrap() % operations.len();
                operations.rotate_left(turns);
            });
            host.behave_but(PLAN_METHOD, |host, request| if life == 1 { process::exit(3) } else { host.answer(request) });
        },
        faults: &[&[IN_DOUBT, "exited with status 3"]],
        ..LOST_ONCE
    },
    Exhibit {
        name: "is_silent_when_it_is_started_again",
        child: |host| {
            if host.life > 1 {
                host.linger();
            }
            host.serve_but(PLAN_METHOD, |_, _| process::exit(3));
        },
        flags: &["--start-timeout", "3s"],
        outcome: GIVEN_UP,
        but: &[(PROJECT, PASSED), (LOAD, PASSED)],
        faults: &[&[IN_DOUBT, "exited with status 3"], &["could not be started again", "did not answer `initialize` within 3s"]],
        ..LOST_ONCE
    },
    Exhibit {
        name: "can_not_be_started_again",
        child: |host| {
            if host.life > 1 {
                eprintln!("the port is taken");
                process::exit(7);
            }
            host.serve_but(PLAN_METHOD, |_, _| process::exit(3));
        },
        outcome: GIVEN_UP,
        but: &[(PROJECT, PASSED), (LOAD, PASSED)],
        faults: &[
            &[IN_DOUBT, "exited with status 3"],
            &["the adapter could not be started again", "exited with status 7", "the port is taken"],
        ],
        ..LOST_ONCE
    },
    Exhibit {
        // The request that ends the adapter is of a case that is over; the one that is still running passes alone.
        name: "exits_on_a_request_of_a_case_that_is_over",
        child: |host| {
            host.greet();
            let mut seen = 0;
            loop {
                let request = host.request();
                match request.method() {
                    // The first request beside the case's own: with an error its case is over, and more of its requests are on their way.
                    "activation.catalog" => host.reply_error(&request, -32603, "no catalog today"),
                    "activation.evidence" if seen == 1 => process::exit(3),
                    method => {
                        seen += usize::from(method == "activation.evidence");
                        host.answer(&request);
                        if method == "shutdown" {
                            return;
                        }
                    }
                }
            }
        },
        cases: &[EVIDENCE, MERGE],
        but: &[(EVIDENCE, ("errored", &["activation.catalog (a request beside the case's own): error -32603"]))],
        faults: &[&["exited with status 3"]],
        ..LOST_ONCE
    },
    Exhibit {
        // In every life it may be asked for five things, and tells nobody.
        name: "exits_at_every_sixth_request",
        child: |host| {
            host.greet();
            for _ in 0..5 {
                let request = host.request();
                host.answer(&request);
                if request.method() == "shutdown" {
                    return;
                }
            }
            host.request();
            process::exit(3);
        },
        cases: &[PROJECT, LOAD, PLAN, UTC, NO_OFFSET],
        faults: &[&[LOAD, "asked again at the end", "exited with status 3"]],
        more: |report| assert_eq!(report.lives, 1),
        ..LOST_ONCE
    },
];

/// Of every life one answer, and no word more.
fn exit_after_an_answer(host: &mut Host) {
    host.greet();
    let request = host.request();
    host.answer(&request);
    process::exit(3);
}
