//! The server's side: an [`Implementation`] behind lines of JSON-RPC.

use serde_json::{Value, json};

use super::codec::{self, IncomingRequest, MalformedMessage};
use super::implementation::{Answer, ErrorObject, Implementation};
use super::operation::Operation;
use super::wire::{PROTOCOL_VERSION, error_code};

/// What to do after a line was handled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The response, one line without its line end.
    pub line: String,
    /// Whether the conversation is over.
    pub finished: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Ready,
    Finished,
}

/// Serves one conversation.
#[derive(Debug)]
pub struct Server<I> {
    implementation: I,
    state: State,
}

impl<I: Implementation> Server<I> {
    /// A server that was not asked anything yet.
    pub fn new(implementation: I) -> Self {
        Self { implementation, state: State::New }
    }

    /// Answers one line, without its line end. Every line gets exactly one response.
    pub fn handle(&mut self, line: &[u8]) -> Reply {
        let (id, outcome) = match codec::read_request(line) {
            Ok(request) => {
                let id = request.id.clone();
                (id, self.dispatch(request))
            }
            Err((fault, id)) => {
                let code = match fault {
                    MalformedMessage::NotAMessage(_) => error_code::INVALID_REQUEST,
                    _ => error_code::PARSE_ERROR,
                };
                (id, Err(ErrorObject { code, message: fault.to_string() }))
            }
        };
        let message = match outcome {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
        };
        Reply { line: message.to_string(), finished: self.state == State::Finished }
    }

    fn dispatch(&mut self, request: IncomingRequest) -> Result<Value, ErrorObject> {
        let fail = |code: i64, message: &str| Err(ErrorObject { code, message: message.to_owned() });
        let params = match request.params {
            Some(Value::Object(members)) => Value::Object(members),
            None => json!({}),
            Some(_) => return fail(error_code::INVALID_PARAMS, "params are always an object"),
        };
        match (self.state, request.method.as_str()) {
            (State::New, "initialize") => {
                let hello: super::Hello = serde_json::from_value(params)
                    .map_err(|error| ErrorObject { code: error_code::INVALID_PARAMS, message: error.to_string() })?;
                if !hello.protocol.contains(&PROTOCOL_VERSION) {
                    return fail(error_code::NO_COMMON_VERSION, "this implementation speaks protocol 1");
                }
                let declaration = self.implementation.initialize(&hello)?;
                self.state = State::Ready;
                serde_json::to_value(declaration)
                    .map_err(|error| ErrorObject { code: error_code::INTERNAL_ERROR, message: error.to_string() })
            }
            (State::New, _) => fail(error_code::NOT_INITIALIZED, "nothing comes before initialize"),
            (State::Finished, _) => fail(error_code::NOT_INITIALIZED, "nothing comes after shutdown"),
            (State::Ready, "initialize") => fail(error_code::INVALID_REQUEST, "initialize comes once"),
            (State::Ready, "shutdown") => {
                self.state = State::Finished;
                Ok(Value::Null)
            }
            (State::Ready, method) => {
                let Some(operation) = Operation::from_name(method) else {
                    return fail(error_code::METHOD_NOT_FOUND, "no such operation");
                };
                match self.implementation.call(operation, &params) {
                    Answer::Unsupported => fail(error_code::METHOD_NOT_FOUND, "not supported"),
                    Answer::Error(error) => Err(error),
                    answer => Ok(answer.into_result().unwrap_or(Value::Null)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::Reference;

    const HELLO: &str = r#"{"jsonrpc":"2.0","id":"h","method":"initialize","params":{"protocol":[1],"runner":{"name":"r","version":"1"},"suite":{"version":"1","digest":"d"},"nonce":"n"}}"#;

    fn code(server: &mut Server<Reference>, line: &str) -> i64 {
        let reply: Value = serde_json::from_str(&server.handle(line.as_bytes()).line).unwrap();
        reply["error"]["code"].as_i64().unwrap_or(0)
    }

    #[test]
    fn a_conversation_has_an_order() {
        let mut server = Server::new(Reference::default());
        let read = r#"{"jsonrpc":"2.0","id":1,"method":"activation.read","params":{"payload":1}}"#;
        let shutdown = r#"{"jsonrpc":"2.0","id":1,"method":"shutdown","params":{}}"#;
        assert_eq!(code(&mut server, read), error_code::NOT_INITIALIZED);
        assert_eq!(code(&mut server, HELLO), 0);
        assert_eq!(code(&mut server, HELLO), error_code::INVALID_REQUEST);
        assert_eq!(code(&mut server, read), 0);
        assert!(server.handle(shutdown.as_bytes()).finished);
        assert_eq!(code(&mut server, read), error_code::NOT_INITIALIZED);
    }

    #[test]
    fn no_common_version_is_an_error() {
        let mut server = Server::new(Reference::default());
        assert_eq!(code(&mut server, &HELLO.replace("[1]", "[2]")), error_code::NO_COMMON_VERSION);
    }

    #[test]
    fn every_bad_line_gets_its_error() {
        let mut server = Server::new(Reference::default());
        assert_eq!(code(&mut server, HELLO), 0);
        for (line, expected) in [
            ("", error_code::PARSE_ERROR),
            ("{", error_code::PARSE_ERROR),
            ("[]", error_code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","method":"activation.read","params":{}}"#, error_code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":[],"method":"activation.read"}"#, error_code::INVALID_REQUEST),
            (r#"{"jsonrpc":"1.0","id":1,"method":"activation.read"}"#, error_code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, error_code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1,"method":"nothing.such","params":{}}"#, error_code::METHOD_NOT_FOUND),
            (r#"{"jsonrpc":"2.0","id":1,"method":"activation.read","params":[]}"#, error_code::INVALID_PARAMS),
            (r#"{"jsonrpc":"2.0","id":1,"method":"activation.read","params":{"a":1,"a":1}}"#, error_code::PARSE_ERROR),
            (r#"{"jsonrpc":"2.0","id":1,"method":"activation.load","params":{}}"#, error_code::INVALID_PARAMS),
        ] {
            assert_eq!(code(&mut server, line), expected, "{line}");
        }
    }
}
