//! The beginning: it starts, answers in time, and refuses a protocol that it does not speak.

use std::time::Instant;

use proofmark::adapter::Hello;

use super::check::{Check, Complaint, Found, Section};
use super::declaration;
use super::exam::{Checking, Record};
use crate::client::{Client, ClientOptions, StartFault};

pub(super) const INITIALIZE: Check = Check {
    id: "start.initialize",
    title: "it starts and answers `initialize` in time",
    means: "Nothing can be asked of an adapter that does not get so far.",
    advice: "Run the command by hand with such a line on its stdin; flush stdout after every line.",
    section: Section::Conversation,
};
pub(super) const VERSION: Check = Check {
    id: "start.version",
    title: "it refuses a protocol version that it does not speak, with an error",
    means: "A later runner must learn that no version is common, and not get answers of another protocol.",
    advice: "Look whether `protocol` holds 1, and answer with a JSON-RPC error, such as -32001, where it does not.",
    section: Section::Conversation,
};

/// The version of no protocol.
const NO_VERSION: u64 = 999;

fn sent(hello: &Hello) -> String {
    format!("initialize with \"protocol\": {:?}", hello.protocol)
}

/// Starts it for the first time. A declaration that is none is a finding of its own.
pub(super) fn shake_hands(options: &ClientOptions, hello: &Hello, record: &mut Record<'_>) -> Option<Client> {
    let mut client = None;
    let mut reasons = None;
    record.check(&INITIALIZE, || {
        let began = Instant::now();
        match Client::start(options, hello) {
            Ok(started) => client = Some(started),
            Err(StartFault::BadDeclaration { reason, answer, .. }) => reasons = Some((reason, answer)),
            Err(fault) => {
                let complaint = Complaint::new(sent(hello), fault.to_string(), "a declaration, as one line on stdout");
                return Err(Found::Bad(vec![complaint]));
            }
        }
        Ok(Found::Good(Some(format!("after {:.2} s", began.elapsed().as_secs_f64()))))
    });
    match (&client, reasons) {
        (None, Some((reason, answer))) => record.check(&declaration::FORM, || {
            let fault = |reason: &str| Complaint::new(sent(hello), reason, "the form that the protocol gives this key");
            let mut complaints: Vec<Complaint> = reason.split("; ").map(fault).collect();
            complaints.push(Complaint::new(sent(hello), format!("in all: {answer}"), "a declaration without these faults"));
            Ok(Found::Bad(complaints))
        }),
        (Some(_), _) => record.check(&declaration::FORM, || Ok(Found::Good(None))),
        (None, None) => {}
    }
    client
}

/// Starts another with a hello from a later runner.
pub(super) fn version(options: &ClientOptions, hello: &Hello) -> Checking {
    let hello = Hello { protocol: vec![NO_VERSION], ..hello.clone() };
    let expected = "a JSON-RPC error: no version is common";
    let bad = |came: String| Err(Found::Bad(vec![Complaint::new(sent(&hello), came, expected)]));
    match Client::start(options, &hello) {
        Err(StartFault::Refused { error, .. }) => Ok(Found::Good(Some(format!("error {}", error.code)))),
        Ok(client) => {
            let protocol = client.declaration().protocol;
            client.kill();
            bad(format!("a declaration that says protocol {protocol}"))
        }
        Err(StartFault::BadDeclaration { answer, .. }) => bad(format!("a result: {answer}")),
        Err(fault) => bad(fault.to_string()),
    }
}
