//! A client for one adapter that runs as a child process.
//!
//! [`Client::start`] starts the command and shakes hands; [`Client::send`] puts a request into a buffer and [`Client::poll`] says
//! what happened next. What is asked and what an answer means is the library's business (`proofmark::adapter`); here are pipes,
//! clocks, and the end of processes.
//!
//! What holds, whatever the child does:
//!
//! - `send` never waits for the child, and `poll` waits no longer than the nearest deadline.
//! - A child that writes while we write, or that reads slowly, or never, blocks nobody.
//! - Memory is bounded: one line of `max_line_bytes`, `max_stderr_bytes` of stderr, and the requests that the caller has open.
//! - When a client has ended, in whichever way, its process group was killed and its child was reaped. Dropping it is enough. (Where
//!   there are no process groups, only the child is killed.)

mod connection;
mod conversation;
mod ending;
mod fault;
#[cfg(feature = "http")]
mod http;
mod lines;
mod link;
mod options;
mod outgoing;
mod pipes;
mod process;
mod said;

pub use connection::{Connection, Endpoint};
pub use conversation::Client;
pub use ending::{Cause, Death, Farewell, Stopping};
pub use fault::{SendFault, StartFault};
#[cfg(feature = "http")]
pub use http::{HttpConnection, HttpHost, HttpOptions, HttpStartFault, UrlFault};
pub use link::Event;
pub use options::ClientOptions;
