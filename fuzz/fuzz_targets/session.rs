//! Whatever an adapter writes is an answer or a fault, and no request is answered twice.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofmark::adapter::{Received, Session};

fuzz_target!(|bytes: &[u8]| {
    let mut session = Session::new();
    for _ in 0..4 {
        session.request("activation.read", &(), &mut Vec::new()).expect("a request is written");
    }
    let mut open = session.open();
    for line in bytes.split(|byte| *byte == b'\n') {
        let received = session.receive(line);
        let settles = matches!(received, Received::Answer(..) | Received::Fault(Some(_), _));
        assert_eq!(session.open(), open - usize::from(settles));
        open = session.open();
    }
});
