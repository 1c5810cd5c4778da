//! How an implementation is asked: operations, the trait, the wire messages, the client's session and the server.
//!
//! Nothing here knows what a case expects. An adapter is asked blind.

mod codec;
mod implementation;
mod operation;
mod server;
mod session;
mod wire;

pub use codec::{DEFAULT_MAX_LINE_BYTES, MalformedMessage};
pub use implementation::{Answer, ErrorObject, Implementation, Refusal};
pub use operation::{LIFECYCLE_RUN, Operation};
pub use server::{Reply, Server};
pub use session::{ProtocolFault, Received, RequestId, Session};
pub use wire::{Declaration, Diagnostics, Hello, ImplementationInfo, PROTOCOL_VERSION, RunnerInfo, SuiteInfo, error_code};
