//! The client itself: a declaration, and the link that it came through.

use std::time::Duration;

use proofmark::adapter::{Answer, Declaration, ErrorObject, Hello, Operation, RequestId, error_code};
use proofmark::json;
use serde_json::Value;

use super::ending::{Cause, Death, Farewell};
use super::fault::{SendFault, StartFault};
use super::link::{Event, Link};
use super::options::ClientOptions;

/// Characters of a bad declaration that are quoted.
const QUOTED_CHARS: usize = 300;

/// A conversation with one adapter in a child process, from `initialize` to its end.
///
/// Dropping it kills the child with its process group.
#[derive(Debug)]
pub struct Client {
    link: Link,
    declaration: Declaration,
    request_timeout: Duration,
}

impl Client {
    /// Starts the child, sends `initialize` and reads what it declares.
    ///
    /// # Errors
    /// A [`StartFault`]; whatever was started is dead by then.
    pub fn start(options: &ClientOptions, hello: &Hello) -> Result<Self, StartFault> {
        let mut link = Link::start(options)?;
        let declaration = handshake(&mut link, options, hello)?;
        Ok(Self { link, declaration, request_timeout: options.request_timeout })
    }

    /// What the adapter declared.
    #[must_use]
    pub fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    /// Encodes a request; the next [`Client::poll`] writes it. Never waits for the child.
    ///
    /// # Errors
    /// A [`SendFault`] where it can't be sent; it has no id then.
    pub fn send(&mut self, operation: Operation, params: &Value) -> Result<RequestId, SendFault> {
        self.request(operation.name(), params)
    }

    /// [`Client::send`] for any method, known to the protocol or not.
    ///
    /// # Errors
    /// As for [`Client::send`].
    pub fn request(&mut self, method: &str, params: &Value) -> Result<RequestId, SendFault> {
        let max_in_flight = self.declaration.max_in_flight;
        if self.link.is_lost() {
            return Err(SendFault::Lost);
        }
        if self.link.open() as u64 >= max_in_flight {
            return Err(SendFault::Full { max_in_flight });
        }
        self.link.send(method, params, self.request_timeout).map_err(SendFault::Params)
    }

    /// Writes what was sent, and waits until something happens; at once where something has. With no request open it does not
    /// wait, and says [`Event::Idle`]. After [`Event::Lost`] it says the same again.
    pub fn poll(&mut self) -> Event {
        self.link.poll()
    }

    /// Requests without an answer.
    #[must_use]
    pub fn open(&self) -> usize {
        self.link.open()
    }

    /// What the child has said on stderr: all of it, or head and tail, with invalid UTF-8 replaced.
    #[must_use]
    pub fn stderr(&self) -> String {
        self.link.said()
    }

    /// The beginning of the line of the latest [`Event::RequestFault`] or [`Event::Stray`], fit for a terminal.
    #[must_use]
    pub fn offending_line(&self) -> &str {
        self.link.offending_line()
    }

    /// The child's process id. On Unix it is the id of its process group too.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.link.process_id()
    }

    /// Asks the adapter to shut down, waits for its answer, closes its stdin and waits for its exit; then sends SIGTERM to its
    /// group, and then SIGKILL. Each step may take the grace. Answers to requests that are still open are dropped.
    #[must_use]
    pub fn shutdown(self) -> Farewell {
        self.link.shutdown()
    }

    /// Closes the child's stdin without `shutdown`, as happens where a runner is killed, and waits for its exit as
    /// [`Client::shutdown`] does. There is no reply.
    #[must_use]
    pub fn hang_up(self) -> Farewell {
        self.link.hang_up()
    }

    /// Kills the child and its group.
    pub fn kill(mut self) -> Death {
        self.link.lose(Cause::Killed)
    }
}

/// Sends `initialize` and reads the declaration. Where there is none, the child is killed first: the last thing that it says may be
/// the explanation.
fn handshake(link: &mut Link, options: &ClientOptions, hello: &Hello) -> Result<Declaration, StartFault> {
    let start_timeout = options.start_timeout;
    let event = match link.send("initialize", hello, start_timeout) {
        Ok(_) => link.poll(),
        // A hello is texts and numbers, so that this can't be; if it ever is, nothing was asked and nothing answers.
        Err(_) => Event::Idle,
    };
    let declaration = match &event {
        Event::Answer(_, Answer::Result(value)) => Declaration::read(value),
        _ => Err("it is a refusal; where no version is common, the answer is a JSON-RPC error".to_owned()),
    };
    let reason = match declaration {
        Ok(declaration) => return Ok(declaration),
        Err(reason) => reason,
    };
    let line = link.offending_line().to_owned();
    let death = link.lose(Cause::Killed);
    let stderr = death.stderr.clone();
    Err(match event {
        Event::Answer(_, Answer::Error(error)) => StartFault::Refused { error, stderr },
        Event::Answer(_, Answer::Unsupported) => StartFault::Refused {
            error: ErrorObject { code: error_code::METHOD_NOT_FOUND, message: "method not found".to_owned() },
            stderr,
        },
        Event::Answer(_, answer) => {
            let answer = json::excerpt(&answer.into_result().unwrap_or_default(), QUOTED_CHARS);
            StartFault::BadDeclaration { reason, answer, stderr }
        }
        Event::RequestFault(_, fault) | Event::Stray(fault) => StartFault::Garbled { fault, line, stderr },
        Event::Lost(death) => StartFault::Died(death),
        Event::TimedOut(_) | Event::Idle => StartFault::Silent { start_timeout, death },
    })
}
