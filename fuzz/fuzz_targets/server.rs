//! Whatever the reference is sent, it answers every line with one response.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofmark::adapter::Server;
use proofmark::json;
use proofmark::reference::Reference;

const HELLO: &[u8] = br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocol":[1],"runner":{"name":"r","version":"1"},"suite":{"version":"1","digest":"d"},"nonce":"n"}}"#;

fuzz_target!(|bytes: &[u8]| {
    let mut server = Server::new(Reference::default());
    server.handle(HELLO);
    for line in bytes.split(|byte| *byte == b'\n') {
        let reply = server.handle(line);
        assert!(!reply.line.contains('\n'));
        let reply = json::parse(&reply.line).expect("a reply is JSON");
        assert!(reply.get("result").is_some() != reply.get("error").is_some());
    }
});
