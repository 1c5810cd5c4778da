//! Adapters that do not get beyond `initialize`.

use std::process;

use proofmark::adapter::{MalformedMessage, ProtocolFault, error_code};
use proofmark_runner::client::{Cause, ClientOptions, StartFault};
use serde_json::json;

use crate::exhibit::{Exhibit, SOON, declaration, start_fault};

pub(crate) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        name: "silent_at_start",
        child: |talk| {
            talk.id();
            eprintln!("loading…");
            talk.linger();
        },
        check: |stage| {
            let fault = start_fault(&ClientOptions { start_timeout: SOON, ..stage.options() });
            assert!(matches!(fault, StartFault::Silent { start_timeout: SOON, .. }), "{fault:?}");
            assert!(fault.to_string().starts_with("the adapter did not answer `initialize` within 300ms and was killed"), "{fault}");
        },
    },
    Exhibit {
        name: "declares_itself_without_a_line_end",
        child: |talk| {
            let id = talk.id();
            talk.write(json!({"jsonrpc": "2.0", "id": id, "result": declaration()}).to_string());
            talk.linger();
        },
        check: |stage| {
            // Long enough for the half line to be there, so that the message can say so.
            let fault = start_fault(&ClientOptions { start_timeout: 10 * SOON, ..stage.options() });
            let StartFault::Silent { death, .. } = &fault else { panic!("{fault:?}") };
            assert!(death.unfinished_bytes > 100, "{fault:?}");
            assert!(fault.to_string().contains("bytes of a line that it did not end"), "{fault}");
        },
    },
    Exhibit {
        name: "exits_at_start",
        child: |_| {
            eprintln!("ModuleNotFoundError: no module named 'skills'");
            process::exit(7);
        },
        check: |stage| {
            let fault = stage.start_fault();
            let StartFault::Died(death) = &fault else { panic!("{fault:?}") };
            assert_eq!((death.cause, death.status.and_then(|status| status.code())), (Cause::Exited, Some(7)));
            let expected = "before it answered `initialize`, the adapter exited with status 7. It said on stderr:\n    \
                            ModuleNotFoundError: no module named 'skills'\nExpected one line on stdout";
            assert!(fault.to_string().starts_with(expected), "{fault}");
        },
    },
    Exhibit {
        name: "declares_another_version",
        child: |talk| {
            let id = talk.id();
            let mut declaration = declaration();
            declaration["protocol"] = json!(2);
            talk.reply(id, &declaration);
            talk.behave();
        },
        check: |stage| bad_declaration(&stage.start_fault(), "/protocol 1 was expected"),
    },
    Exhibit {
        name: "shares_no_version",
        child: |talk| {
            let id = talk.id();
            talk.reply_error(id, error_code::NO_COMMON_VERSION);
            talk.behave();
        },
        check: |stage| refused(&stage.start_fault(), error_code::NO_COMMON_VERSION, "this runner speaks 1. Update the older of the two."),
    },
    Exhibit {
        name: "answers_initialize_with_an_error",
        child: |talk| {
            let id = talk.id();
            talk.reply_error(id, error_code::INTERNAL_ERROR);
            talk.behave();
        },
        check: |stage| refused(&stage.start_fault(), error_code::INTERNAL_ERROR, "Expected a declaration."),
    },
    Exhibit {
        name: "does_not_know_initialize",
        child: |talk| {
            let id = talk.id();
            talk.reply_error(id, error_code::METHOD_NOT_FOUND);
            talk.behave();
        },
        check: |stage| refused(&stage.start_fault(), error_code::METHOD_NOT_FOUND, "the first request of every conversation"),
    },
    Exhibit {
        name: "refuses_initialize_in_a_result",
        child: |talk| {
            let id = talk.id();
            talk.reply(id, &json!({"error": {"category": "unsupported_version"}}));
            talk.behave();
        },
        check: |stage| bad_declaration(&stage.start_fault(), "it is a refusal"),
    },
    Exhibit {
        name: "declares_itself_in_an_array",
        child: |talk| {
            let id = talk.id();
            talk.reply(id, &json!([1, {}, [], {}, null, "rules", 1]));
            talk.behave();
        },
        check: |stage| bad_declaration(&stage.start_fault(), "is not of type \"object\""),
    },
    Exhibit {
        name: "declares_a_profile_out_of_bounds",
        child: |talk| {
            let id = talk.id();
            let mut declaration = declaration();
            declaration["rendering"] = json!({
                "unit": "characters", "header": 1_000_000, "separator": 1, "footer": 0, "suffix": null,
                "card": {"id": 1, "description": 1, "when_to_use": 1},
                "order": "id", "fit": "prefix", "below_floor": "raise", "empty": "header",
            });
            talk.reply(id, &declaration);
            talk.behave();
        },
        check: |stage| bad_declaration(&stage.start_fault(), "/rendering/header 1000000 is greater than the maximum of 4096"),
    },
    Exhibit {
        name: "greets_people_on_stdout",
        child: |talk| {
            talk.write("Adapter v1.0.0 \x1b[1mready\x1b[0m\n");
            talk.initialize();
            talk.behave();
        },
        check: |stage| {
            let fault = stage.start_fault();
            let StartFault::Garbled { fault: ProtocolFault::Malformed(MalformedMessage::NotJson(_)), line, .. } = &fault else {
                panic!("{fault:?}")
            };
            assert_eq!(line, "Adapter v1.0.0 \\u{1b}[1mready\\u{1b}[0m");
            assert!(fault.to_string().ends_with("Print what is for people on stderr; stdout is for answers only."), "{fault}");
        },
    },
];

fn refused(fault: &StartFault, code: i64, part: &str) {
    assert!(matches!(fault, StartFault::Refused { error, .. } if error.code == code), "{fault:?}");
    assert!(fault.to_string().contains(part), "{fault}");
}

fn bad_declaration(fault: &StartFault, part: &str) {
    assert!(matches!(fault, StartFault::BadDeclaration { reason, .. } if reason.contains(part)), "{fault:?}");
    assert!(fault.to_string().contains(part), "{fault}");
}
