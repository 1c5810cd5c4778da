//! Adapters that end when they should not, or do not when they should, or are in the way of everything else.

#![expect(clippy::zombie_processes, reason = "to leave a process behind is the fault that is shown")]

use std::process::{self, Command};
use std::{env, thread};

use proofmark::adapter::{Answer, DEFAULT_MAX_LINE_BYTES, Operation};
use proofmark_runner::client::{Cause, ClientOptions, Event, SendFault, Stopping};
use serde_json::{Value, json};

use crate::exhibit::{Exhibit, SOON, answered, ask, lost, start};

pub(crate) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        name: "exits_amid_a_batch",
        child: |talk| {
            talk.initialize();
            let ids: Vec<_> = (0..5).map(|_| talk.id()).collect();
            talk.answer(ids[1]);
            talk.answer(ids[0]);
            eprintln!("out of ideas");
            process::exit(3);
        },
        check: |stage| {
            let mut client = stage.start();
            let ids = ask(&mut client, 5);
            assert_eq!(client.poll(), answered(ids[1]));
            assert_eq!(client.poll(), answered(ids[0]));
            let death = lost(&mut client);
            assert_eq!((death.cause, death.status.and_then(|status| status.code())), (Cause::Exited, Some(3)));
            assert_eq!(death.to_string(), "the adapter exited with status 3. It said on stderr:\n    out of ideas");
            assert_eq!(lost(&mut client), death, "what is lost stays lost");
            assert_eq!(client.request("activation.read", &json!({})), Err(SendFault::Lost));
            assert_eq!(client.shutdown().stopping, Stopping::AlreadyGone);
        },
    },
    Exhibit {
        name: "exits_after_each_answer",
        child: |talk| {
            talk.initialize();
            let id = talk.id();
            talk.answer(id);
        },
        check: |stage| {
            for _ in 0..3 {
                let mut client = stage.start();
                let id = ask(&mut client, 1)[0];
                assert_eq!(client.poll(), answered(id));
                ask(&mut client, 1);
                assert_eq!(lost(&mut client).cause, Cause::Exited);
            }
        },
    },
    Exhibit {
        name: "crashes",
        child: |talk| {
            talk.initialize();
            talk.id();
            process::abort();
        },
        check: |stage| {
            let mut client = stage.start();
            ask(&mut client, 1);
            let death = lost(&mut client);
            assert_eq!(death.cause, Cause::Exited);
            assert!(death.to_string().starts_with("the adapter was ended by signal 6 (SIGABRT"), "{death}");
        },
    },
    Exhibit {
        name: "exits_in_the_middle_of_a_line",
        child: |talk| {
            talk.initialize();
            talk.id();
            talk.write(r#"{"jsonrpc":"#);
        },
        check: |stage| {
            let mut client = stage.start();
            ask(&mut client, 1);
            let death = lost(&mut client);
            assert_eq!((death.cause, death.unfinished_bytes), (Cause::Exited, 11));
            assert!(
                death.to_string().starts_with("the adapter exited with status 0, after 11 bytes of a line that it did not end"),
                "{death}"
            );
        },
    },
    Exhibit {
        name: "writes_a_line_of_20_mib",
        child: |talk| {
            talk.initialize();
            talk.id();
            talk.write(vec![b'x'; 20 << 20]);
            talk.linger();
        },
        check: |stage| {
            let mut client = stage.start();
            ask(&mut client, 1);
            assert_eq!(lost(&mut client).cause, Cause::LineTooLong { max_line_bytes: DEFAULT_MAX_LINE_BYTES });
        },
    },
    Exhibit {
        name: "writes_5_mib_while_it_is_written_to",
        child: |talk| {
            talk.initialize();
            talk.write(vec![b' '; 5 << 20]);
            talk.behave();
        },
        check: |stage| {
            let mut client = stage.start();
            let params = json!({ "payload": "x".repeat(5 << 20) });
            let id = client.send(Operation::ActivationRead, &params).unwrap();
            assert_eq!(client.poll(), answered(id));
            assert!(client.shutdown().is_clean());
        },
    },
    Exhibit {
        name: "floods_stderr",
        child: |talk| {
            talk.initialize();
            let id = talk.id();
            eprint!("first words\n{}last words\n", "blah blah blah blah blah\n".repeat(400_000));
            talk.answer(id);
            talk.behave();
        },
        check: |stage| {
            let mut client = stage.start();
            let id = ask(&mut client, 1)[0];
            assert_eq!(client.poll(), answered(id));
            let stderr = client.shutdown().stderr;
            assert!(stderr.len() < 70_000 && stderr.starts_with("first words") && stderr.ends_with("last words\n"), "{}", stderr.len());
            assert!(stderr.contains("[… 9934487 bytes left out …]"), "{stderr}");
        },
    },
    Exhibit {
        name: "closes_stdout_and_lives_on",
        child: |talk| {
            talk.initialize();
            talk.id();
            talk.become_shell("exec >&-; exec sleep 600");
        },
        check: |stage| {
            let mut client = stage.start_graceless();
            ask(&mut client, 1);
            let death = lost(&mut client);
            assert_eq!(death.cause, Cause::ClosedStdout);
            assert!(death.to_string().starts_with("the adapter closed its stdout and lived on; it was killed"), "{death}");
        },
    },
    Exhibit {
        name: "closes_stdin_and_lives_on",
        child: |talk| {
            talk.initialize();
            talk.become_shell("exec <&-; echo closed >&2; exec sleep 600");
        },
        check: |stage| {
            let mut client = stage.start_graceless();
            while !client.stderr().contains("closed") {
                client.poll();
            }
            ask(&mut client, 1);
            assert_eq!(lost(&mut client).cause, Cause::ClosedStdin);
        },
    },
    Exhibit {
        name: "never_reads_its_stdin",
        child: |talk| {
            talk.initialize();
            talk.linger();
        },
        check: |stage| {
            let mut client = stage.start_impatient();
            let params = json!({ "payload": "x".repeat(5 << 20) });
            let id = client.send(Operation::ActivationRead, &params).unwrap();
            assert_eq!(client.poll(), Event::TimedOut(id));
            assert_eq!(client.kill().cause, Cause::Killed);
        },
    },
    Exhibit {
        name: "never_reads_and_is_asked_to_shut_down",
        child: |talk| {
            talk.initialize();
            talk.linger();
        },
        check: |stage| {
            let mut client = stage.start_graceless();
            client.send(Operation::ActivationRead, &json!({ "payload": "x".repeat(5 << 20) })).unwrap();
            let farewell = client.shutdown();
            assert_eq!((&farewell.reply, farewell.stopping), (&None, Stopping::Terminated), "{farewell}");
        },
    },
    Exhibit {
        name: "ignores_shutdown",
        child: |talk| {
            talk.initialize();
            talk.linger();
        },
        check: |stage| {
            let farewell = stage.start_graceless().shutdown();
            assert_eq!((&farewell.reply, farewell.stopping), (&None, Stopping::Terminated), "{farewell}");
        },
    },
    Exhibit {
        name: "ignores_shutdown_and_sigterm",
        child: |talk| {
            talk.initialize();
            talk.become_shell("trap '' TERM; echo deaf >&2; while :; do sleep 1; done");
        },
        check: |stage| {
            let mut client = stage.start_graceless();
            while !client.stderr().contains("deaf") {
                client.poll();
            }
            let farewell = client.shutdown();
            assert_eq!((&farewell.reply, farewell.stopping), (&None, Stopping::Killed), "{farewell}");
            let expected = "the adapter did not answer `shutdown`; it did not exit when its stdin was closed, and was killed";
            assert_eq!(farewell.to_string(), expected);
        },
    },
    Exhibit {
        name: "exits_instead_of_answering_shutdown",
        child: |talk| {
            talk.initialize();
            talk.id();
        },
        check: |stage| {
            let farewell = stage.start().shutdown();
            assert_eq!((&farewell.reply, farewell.stopping), (&None, Stopping::Left), "{farewell}");
            assert!(!farewell.is_clean());
        },
    },
    Exhibit {
        name: "answers_shutdown_with_an_object_and_talks_on",
        child: |talk| {
            talk.initialize();
            let id = talk.id();
            talk.reply(id, &json!({}));
            talk.write("bye\nbye\n");
        },
        check: |stage| {
            let farewell = stage.start().shutdown();
            assert_eq!(farewell.reply, Some(Ok(Answer::Result(json!({})))));
            assert_eq!((farewell.stopping, farewell.strays), (Stopping::Left, 2), "{farewell}");
        },
    },
    Exhibit {
        name: "answers_the_last_request_after_shutdown",
        child: |talk| {
            talk.initialize();
            let ids = [talk.id(), talk.id()];
            talk.reply(ids[1], &Value::Null);
            talk.answer(ids[0]);
        },
        check: |stage| {
            let mut client = stage.start();
            ask(&mut client, 1);
            let farewell = client.shutdown();
            assert_eq!((farewell.reply, farewell.stopping), (Some(Ok(Answer::Result(Value::Null))), Stopping::Left));
        },
    },
    Exhibit {
        name: "leaves_a_grandchild_with_its_pipes",
        child: |talk| {
            talk.initialize();
            let id = talk.id();
            Command::new("sleep").arg("600").spawn().unwrap();
            talk.answer(id);
            process::exit(5);
        },
        check: |stage| {
            let mut client = stage.start();
            let ids = ask(&mut client, 2);
            assert_eq!(client.poll(), answered(ids[0]));
            let death = lost(&mut client);
            assert_eq!((death.cause, death.status.and_then(|status| status.code())), (Cause::Exited, Some(5)));
        },
    },
    Exhibit {
        name: "leaves_a_grandchild_after_shutdown",
        child: |talk| {
            talk.initialize();
            Command::new("sleep").arg("600").spawn().unwrap();
            talk.behave();
        },
        check: |stage| {
            let farewell = stage.start().shutdown();
            assert!(farewell.is_clean(), "{farewell}");
        },
    },
    Exhibit {
        name: "leaves_a_daemon_with_its_pipes",
        child: |talk| {
            if env::var_os(DAEMON).is_some() {
                // Out of the group: nobody can find it, and nobody may wait for it.
                rustix::process::setsid().unwrap();
                talk.write("{\"jsonrpc\":\"2.0\"}\n");
                return thread::sleep(10 * SOON);
            }
            talk.initialize();
            let id = talk.id();
            let this: Vec<_> = env::args_os().collect();
            Command::new(&this[0]).args(&this[1..]).env_clear().env(DAEMON, "").spawn().unwrap();
            // The rest of this process is not in its way.
            talk.answer(id);
        },
        check: |stage| {
            let mut client = stage.start();
            let ids = ask(&mut client, 2);
            let mut events = vec![client.poll()];
            while !matches!(events.last(), Some(Event::Lost(_))) {
                events.push(client.poll());
            }
            events.retain(|event| !matches!(event, Event::Stray(_)));
            let [first, Event::Lost(death)] = &events[..] else { panic!("{events:?}") };
            assert_eq!((first, death.cause), (&answered(ids[0]), Cause::Exited));
        },
    },
    Exhibit {
        name: "is_dropped_in_the_middle",
        child: |talk| {
            talk.initialize();
            talk.linger();
        },
        check: |stage| {
            let mut client = start(&ClientOptions { request_timeout: SOON, ..stage.options() });
            ask(&mut client, 1);
            drop(client);
        },
    },
    Exhibit {
        name: "takes_no_more_than_it_said",
        child: |talk| {
            talk.initialize();
            talk.behave();
        },
        check: |stage| {
            let mut client = stage.start();
            ask(&mut client, 64);
            let full = client.send(Operation::ActivationRead, &json!({}));
            assert_eq!(full, Err(SendFault::Full { max_in_flight: 64 }));
            assert!(matches!(client.poll(), Event::Answer(..)));
            assert!(client.send(Operation::ActivationRead, &json!({})).is_ok());
            assert!(client.shutdown().is_clean());
        },
    },
];

const DAEMON: &str = "PROOFMARK_DAEMON";
