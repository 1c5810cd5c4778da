//! Adapters whose answers are not what they should be. Where no framing is lost, the conversation goes on.

use std::thread;

use proofmark::adapter::{MalformedMessage, ProtocolFault};
use proofmark_runner::client::{Client, ClientOptions, Event};
use serde_json::json;

use crate::exhibit::{Exhibit, SOON, answered, ask, next, start};

pub(crate) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        name: "nothing_is_wrong",
        child: |talk| {
            talk.initialize();
            talk.behave();
        },
        check: |stage| {
            let mut client = stage.start();
            assert_eq!(client.declaration().implementation.name, "exhibit");
            assert_eq!(client.poll(), Event::Idle);
            credited(&mut client, 64);
            assert_eq!(client.poll(), Event::Idle);
            let farewell = client.shutdown();
            assert!(farewell.is_clean(), "{farewell:?}");
            assert_eq!(farewell.to_string(), "the adapter answered `shutdown` and exited with status 0");
        },
    },
    Exhibit {
        name: "answers_in_any_order",
        child: |talk| {
            talk.initialize();
            let mut ids: Vec<_> = (0..64).map(|_| talk.id()).collect();
            ids.sort_by_key(|id| id * 7919 % 101);
            ids.into_iter().for_each(|id| talk.answer(id));
            talk.behave();
        },
        check: |stage| {
            let mut client = stage.start();
            credited(&mut client, 64);
            assert!(client.shutdown().is_clean());
        },
    },
    Exhibit {
        name: "answers_in_turn_and_takes_its_time",
        child: |talk| {
            talk.initialize();
            for _ in 0..4 {
                let id = talk.id();
                thread::sleep(2 * SOON);
                talk.answer(id);
            }
            talk.behave();
        },
        check: |stage| {
            // All of them together take longer than one may, and none of them is late.
            let mut client = start(&ClientOptions { request_timeout: 5 * SOON, ..stage.options() });
            credited(&mut client, 4);
            assert!(client.shutdown().is_clean());
        },
    },
    Exhibit {
        name: "answers_byte_by_byte",
        child: |talk| {
            talk.initialize();
            let id = talk.id();
            let line = json!({"jsonrpc": "2.0", "id": id, "result": {"answer": id}}).to_string();
            format!("{line}\r\n").bytes().for_each(|byte| talk.write([byte]));
            talk.behave();
        },
        check: |stage| {
            let mut client = stage.start();
            credited(&mut client, 1);
            assert!(client.shutdown().is_clean());
        },
    },
    Exhibit {
        name: "answers_late",
        child: |talk| {
            talk.initialize();
            let late = talk.id();
            // The next request comes only when this one has timed out.
            let id = talk.id();
            talk.answer(late);
            talk.answer(id);
            talk.behave();
        },
        check: |stage| {
            let mut client = stage.start_impatient();
            let late = ask(&mut client, 1)[0];
            assert_eq!(client.poll(), Event::TimedOut(late));
            assert_eq!(client.open(), 0);
            let second = ask(&mut client, 1)[0];
            let mut event = next(&mut client);
            // On a slow machine the second one is late too.
            if event == Event::TimedOut(second) {
                event = next(&mut client);
            }
            assert_eq!(event, Event::Stray(ProtocolFault::AnsweredBefore(late)));
            client.kill();
        },
    },
    Exhibit {
        name: "never_answers_one",
        child: |talk| {
            talk.initialize();
            talk.id();
            talk.behave();
        },
        check: |stage| {
            // The others are answered all the time, and that must not hide the one.
            let mut client = stage.start_impatient();
            let never = ask(&mut client, 1)[0];
            loop {
                ask(&mut client, 1);
                match client.poll() {
                    Event::Answer(..) => assert_eq!(client.open(), 1),
                    event => break assert_eq!(event, Event::TimedOut(never)),
                }
            }
            client.kill();
        },
    },
    Exhibit {
        name: "answers_twice",
        child: |talk| {
            talk.initialize();
            let id = talk.id();
            talk.answer(id);
            talk.reply(id, &json!("changed my mind"));
            talk.behave();
        },
        check: |stage| {
            let mut client = stage.start();
            let id = ask(&mut client, 1)[0];
            assert_eq!(client.poll(), answered(id));
            let next = ask(&mut client, 1)[0];
            assert_eq!(client.poll(), Event::Stray(ProtocolFault::AnsweredBefore(id)));
            assert_eq!(client.offending_line(), format!(r#"{{"id":{id},"jsonrpc":"2.0","result":"changed my mind"}}"#));
            assert_eq!(client.poll(), answered(next));
        },
    },
    Exhibit {
        name: "answers_what_nobody_asked",
        child: |talk| {
            talk.initialize();
            let id = talk.id();
            talk.answer(id + 1000);
            talk.answer(id);
            talk.behave();
        },
        check: |stage| {
            stray_then_answered(stage.start(), |fault| *fault == ProtocolFault::UnknownId);
        },
    },
    Exhibit {
        name: "stops_in_the_middle_of_a_line",
        child: |talk| {
            talk.initialize();
            let id = talk.id();
            talk.write(format!(r#"{{"jsonrpc":"2.0","id":{id},"resu"#));
            talk.linger();
        },
        check: |stage| {
            let mut client = stage.start_impatient();
            let id = ask(&mut client, 1)[0];
            assert_eq!(client.poll(), Event::TimedOut(id));
            client.kill();
        },
    },
    Exhibit {
        name: "writes_no_utf8",
        child: |talk| {
            talk.initialize();
            let id = talk.id();
            talk.write(b"{\"jsonrpc\":\"2.0\",\"result\":\"caf\xe9\"}\n");
            talk.answer(id);
            talk.behave();
        },
        check: |stage| {
            let not_utf8 = ProtocolFault::Malformed(MalformedMessage::NotUtf8 { offset: 30 });
            stray_then_answered(stage.start(), |fault| *fault == not_utf8);
        },
    },
    Exhibit {
        name: "logs_on_stdout",
        child: |talk| {
            talk.initialize();
            let id = talk.id();
            talk.write("INFO request received\n");
            talk.answer(id);
            talk.behave();
        },
        check: |stage| stray_then_answered(stage.start(), is_not_json),
    },
    Exhibit {
        name: "logs_by_notification",
        child: |talk| {
            talk.initialize();
            let id = talk.id();
            talk.write("{\"jsonrpc\":\"2.0\",\"method\":\"log\",\"params\":{}}\n");
            talk.answer(id);
            talk.behave();
        },
        check: |stage| stray_then_answered(stage.start(), is_no_message),
    },
    Exhibit {
        name: "puts_two_answers_on_one_line",
        child: |talk| {
            talk.initialize();
            let id = talk.id();
            let line = json!({"jsonrpc": "2.0", "id": id, "result": {}}).to_string();
            talk.write(format!("{line}{line}\n"));
            talk.answer(id);
            talk.behave();
        },
        check: |stage| stray_then_answered(stage.start(), is_not_json),
    },
    Exhibit {
        name: "puts_its_answers_in_a_batch",
        child: |talk| {
            talk.initialize();
            let id = talk.id();
            talk.write(format!("{}\n", json!([{"jsonrpc": "2.0", "id": id, "result": {}}])));
            talk.answer(id);
            talk.behave();
        },
        check: |stage| stray_then_answered(stage.start(), is_no_message),
    },
    Exhibit {
        name: "writes_a_key_twice",
        child: |talk| {
            talk.initialize();
            let id = talk.id();
            talk.write(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"a\":1,\"a\":2}}}}\n"));
            talk.behave();
        },
        check: |stage| request_fault_then_answered(stage.start(), is_not_json),
    },
    Exhibit {
        name: "forgets_the_version_of_json_rpc",
        child: |talk| {
            talk.initialize();
            let id = talk.id();
            talk.write(format!("{}\n", json!({"id": id, "result": {}})));
            talk.behave();
        },
        check: |stage| request_fault_then_answered(stage.start(), is_no_message),
    },
    Exhibit {
        name: "gives_a_result_and_an_error",
        child: |talk| {
            talk.initialize();
            let id = talk.id();
            talk.write(format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "result": {}, "error": {"code": 1, "message": ""}})));
            talk.behave();
        },
        check: |stage| request_fault_then_answered(stage.start(), is_no_message),
    },
    Exhibit {
        name: "echoes_the_request",
        child: |talk| {
            talk.initialize();
            loop {
                let request = talk.request();
                talk.write(format!("{request}\n"));
            }
        },
        check: |stage| {
            let mut client = stage.start_impatient();
            let id = ask(&mut client, 1)[0];
            let events = [next(&mut client), next(&mut client)];
            assert!(events.contains(&Event::TimedOut(id)), "{events:?}");
            assert!(events.iter().any(|event| matches!(event, Event::Stray(fault) if is_no_message(fault))), "{events:?}");
            client.kill();
        },
    },
];

/// Every one of `count` requests is answered, in whichever order.
fn credited(client: &mut Client, count: usize) {
    let mut open = ask(client, count);
    while !open.is_empty() {
        match client.poll() {
            Event::Answer(id, answer) => {
                assert_eq!(Event::Answer(id, answer), answered(id));
                let place = open.iter().position(|other| *other == id).expect("each is answered once");
                open.remove(place);
            }
            event => panic!("{event:?}"),
        }
    }
}

fn stray_then_answered(mut client: Client, expected: impl Fn(&ProtocolFault) -> bool) {
    let id = ask(&mut client, 1)[0];
    match client.poll() {
        Event::Stray(fault) => assert!(expected(&fault), "{fault:?}"),
        event => panic!("{event:?}"),
    }
    assert_eq!(client.poll(), answered(id));
    assert!(client.shutdown().is_clean());
}

fn request_fault_then_answered(mut client: Client, expected: impl Fn(&ProtocolFault) -> bool) {
    let ids = ask(&mut client, 2);
    match client.poll() {
        Event::RequestFault(id, fault) => assert!(id == ids[0] && expected(&fault), "{id} {fault:?}"),
        event => panic!("{event:?}"),
    }
    assert_eq!(client.poll(), answered(ids[1]));
    assert!(client.shutdown().is_clean());
}

fn is_not_json(fault: &ProtocolFault) -> bool {
    matches!(fault, ProtocolFault::Malformed(MalformedMessage::NotJson(_)))
}

fn is_no_message(fault: &ProtocolFault) -> bool {
    matches!(fault, ProtocolFault::Malformed(MalformedMessage::NotAMessage(_)))
}
