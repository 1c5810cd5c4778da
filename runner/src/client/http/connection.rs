//! A conversation over HTTP: a declaration, a session, and POSTs that are under way.

use std::sync::Arc;
use std::time::Duration;

use proofmark::adapter::{Answer, Declaration, ErrorObject, Hello, Operation, ProtocolFault, RequestId, Session, error_code};
use proofmark::json::{self, JsonError};
use serde::Serialize;
use serde_json::{Value, json};

use super::HttpHost;
use super::fault::HttpStartFault;
use super::pool::Pool;
use super::post::{Posted, Poster};
use crate::client::ending::plain;
use crate::client::{Cause, Connection, Death, Event, Farewell, SendFault, StartFault, Stopping};

/// Characters of a faulty answer that are kept for a message.
const OFFENDING_CHARS: usize = 200;
/// Characters of a bad declaration that are quoted.
const QUOTED_CHARS: usize = 300;

/// A conversation with a host behind a URL, from `initialize` on. Dropping it closes its connections.
#[derive(Debug)]
pub struct HttpConnection {
    line: Line,
    declaration: Declaration,
    request_timeout: Duration,
}

/// A conversation whose declaration may be still to come.
#[derive(Debug)]
struct Line {
    session: Session,
    pool: Pool,
    offending: String,
    death: Option<Death>,
    /// Why it is over, in the words of whoever noticed.
    reason: String,
}

impl HttpConnection {
    /// Sends `initialize` and reads what the host declares.
    ///
    /// # Errors
    /// A [`StartFault::Http`].
    pub fn start(host: &HttpHost, hello: &Hello) -> Result<Self, StartFault> {
        let options = &host.options;
        let pool = Pool::new(Poster::new(host.url.0.clone(), options.max_line_bytes, Arc::clone(&host.keeps_open)), Arc::clone(&host.gate));
        let mut line = Line { session: Session::new(), pool, offending: String::new(), death: None, reason: String::new() };
        let declaration =
            line.initialize(hello, options.start_timeout).map_err(|fault| StartFault::Http { url: options.url.clone(), fault })?;
        host.gate.allow(declaration.max_in_flight);
        Ok(Self { line, declaration, request_timeout: options.request_timeout })
    }
}

impl Connection for HttpConnection {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn send(&mut self, operation: Operation, params: &Value) -> Result<RequestId, SendFault> {
        let max_in_flight = self.declaration.max_in_flight;
        if self.line.death.is_some() {
            return Err(SendFault::Lost);
        }
        if self.line.session.open() as u64 >= max_in_flight {
            return Err(SendFault::Full { max_in_flight });
        }
        self.line.send(operation.name(), params, self.request_timeout).map_err(SendFault::Params)
    }

    fn poll(&mut self) -> Event {
        self.line.poll()
    }

    /// A host behind a URL has no stderr that we could see.
    fn stderr(&self) -> String {
        String::new()
    }

    fn offending_line(&self) -> &str {
        &self.line.offending
    }

    fn shutdown(self: Box<Self>) -> Farewell {
        let Self { mut line, request_timeout, .. } = *self;
        let mut reply = None;
        if line.death.is_none()
            && let Ok(shutdown) = line.send("shutdown", &json!({}), request_timeout)
        {
            reply = loop {
                match line.poll() {
                    Event::Answer(id, answer) if id == shutdown => break Some(Ok(answer)),
                    Event::RequestFault(id, fault) if id == shutdown => break Some(Err(fault)),
                    Event::TimedOut(id) if id == shutdown => break None,
                    Event::Lost(_) | Event::Idle => break None,
                    // Nobody waits for the answers to what is still open.
                    Event::Answer(..) | Event::RequestFault(..) | Event::TimedOut(_) | Event::Stray(_) => {}
                }
            };
        }
        Farewell { reply, stopping: Stopping::NotOurs, status: None, strays: 0, stderr: String::new() }
    }

    fn kill(self: Box<Self>) -> Death {
        self.line.death.clone().unwrap_or_else(|| death(Cause::Killed))
    }
}

impl Line {
    fn initialize(&mut self, hello: &Hello, start_timeout: Duration) -> Result<Declaration, HttpStartFault> {
        let event = match self.send("initialize", hello, start_timeout) {
            Ok(_) => self.poll(),
            // A hello is texts and numbers, so that this can't be; if it ever is, nothing was asked and nothing answers.
            Err(_) => Event::Idle,
        };
        let garbled = |fault, beginning: &str| HttpStartFault::Garbled { fault, beginning: beginning.to_owned() };
        match event {
            Event::Answer(_, Answer::Result(value)) => Declaration::read(&value)
                .map_err(|reason| HttpStartFault::BadDeclaration { reason, answer: json::excerpt(&value, QUOTED_CHARS) }),
            Event::Answer(_, Answer::Error(error)) => Err(HttpStartFault::Refused { error }),
            Event::Answer(_, Answer::Unsupported) => Err(HttpStartFault::Refused {
                error: ErrorObject { code: error_code::METHOD_NOT_FOUND, message: "method not found".to_owned() },
            }),
            Event::Answer(_, refusal @ Answer::Refusal(_)) => Err(HttpStartFault::BadDeclaration {
                reason: "it is a refusal; where no version is common, the answer is a JSON-RPC error".to_owned(),
                answer: json::excerpt(&refusal.into_result().unwrap_or_default(), QUOTED_CHARS),
            }),
            Event::RequestFault(_, fault) | Event::Stray(fault) => Err(garbled(fault, &self.offending)),
            Event::Lost(_) => Err(HttpStartFault::Unreachable { reason: self.reason.clone() }),
            Event::TimedOut(_) | Event::Idle => Err(HttpStartFault::Silent { start_timeout }),
        }
    }

    fn send<P: Serialize + ?Sized>(&mut self, method: &str, params: &P, timeout: Duration) -> Result<RequestId, JsonError> {
        let mut body = Vec::new();
        let id = self.session.request(method, params, &mut body)?;
        // Where a line ends is no business of a body.
        body.truncate(body.trim_ascii_end().len());
        self.pool.post(id, body, timeout, self.session.open());
        Ok(id)
    }

    fn poll(&mut self) -> Event {
        if let Some(death) = &self.death {
            return Event::Lost(death.clone());
        }
        if self.session.open() == 0 {
            return Event::Idle;
        }
        // The pool is at work on every open request, and says what became of each.
        let Some((id, posted)) = self.pool.next() else { return Event::Idle };
        match posted {
            Posted::Answered(body) => match self.session.receive_for(id, &body) {
                Ok(answer) => Event::Answer(id, answer),
                Err(fault) => self.fault(id, fault, &body),
            },
            Posted::Unfit(fault, beginning) => {
                self.session.give_up(id);
                self.fault(id, fault, &beginning)
            }
            Posted::TimedOut => {
                self.session.give_up(id);
                Event::TimedOut(id)
            }
            Posted::Cut(cut) => {
                self.reason = cut.words;
                Event::Lost(self.death.insert(death(Cause::Disconnected { kind: cut.kind })).clone())
            }
        }
    }

    fn fault(&mut self, id: RequestId, fault: ProtocolFault, body: &[u8]) -> Event {
        let beginning = &body[..body.len().min(4 * OFFENDING_CHARS)];
        self.offending = plain(&String::from_utf8_lossy(beginning), OFFENDING_CHARS);
        Event::RequestFault(id, fault)
    }
}

fn death(cause: Cause) -> Death {
    Death { cause, status: None, unfinished_bytes: 0, stderr: String::new() }
}
