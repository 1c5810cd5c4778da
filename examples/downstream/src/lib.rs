//! An observatory: it shows packets as they are, and says which fields they lack.
use proofmark::adapter::{Answer, Declaration, ErrorObject, Hello, Implementation, Operation};
use serde_json::{Value, json};

#[rustfmt::skip]
const KNOWN: [&str; 19] = [
    "/evidence_used", "/handoff/reason", "/handoff/signal", "/metrics", "/observation_id", "/recovery/lossiness", "/recovery/pointer",
    "/recovery/sensitivity", "/result/compact_summary", "/result/observation_class", "/result/outcome", "/risks",
    "/skill/execution_profile", "/skill/id", "/skill/mode", "/skill/modules_used", "/source_refs", "/version", "/work_slice_id",
];

#[derive(Clone)]
pub struct Observatory;

impl Implementation for Observatory {
    fn initialize(&mut self, _: &Hello) -> Result<Declaration, ErrorObject> {
        Ok(Declaration::new("downstream", env!("CARGO_PKG_VERSION"), "Rust").operations([Operation::PacketProject]))
    }

    fn call(&mut self, operation: Operation, params: &Value) -> Answer {
        let packet = &params["packet"];
        if operation != Operation::PacketProject {
            return Answer::Unsupported;
        }
        if !packet.is_object() {
            return Answer::from_result(json!({"error": {"category": "invalid_packet"}}));
        }
        let missing: Vec<&str> = KNOWN.into_iter().filter(|path| packet.pointer(path).is_none()).collect();
        Answer::Result(json!({"projection": {"read_only": true, "packet": packet, "missing": missing}}))
    }
}
