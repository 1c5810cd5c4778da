//! The client's side of a conversation, without IO and without a clock: what was asked, what came back, what does not belong.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::codec::{self, MalformedMessage};
use super::implementation::{Answer, ErrorObject};
use super::wire::error_code;
use crate::json::JsonError;

/// A request's id; never used twice in a session.
pub type RequestId = u64;

/// What an adapter did that the protocol does not allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProtocolFault {
    /// A line that is no message.
    Malformed(MalformedMessage),
    /// An answer to a request that was never sent.
    UnknownId,
    /// A second answer to one request, or one that came after its request was given up.
    AnsweredBefore(RequestId),
    /// A line longer than the limit, in bytes.
    LineTooLong(usize),
    /// What came back for a request is an answer to another one, or to none.
    OtherId(RequestId),
    /// What carries the messages brought none; why, in its words.
    Transport(String),
}

impl fmt::Display for ProtocolFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(fault) => fault.fmt(f),
            Self::UnknownId => f.write_str("an answer whose id is null or was never sent"),
            Self::AnsweredBefore(id) => write!(f, "a second or late answer to request {id}"),
            Self::LineTooLong(limit) => write!(f, "a line of more than {limit} bytes"),
            Self::OtherId(id) => write!(f, "what came back for request {id} has another id, or none"),
            Self::Transport(words) => f.write_str(words),
        }
    }
}

/// What a line turned out to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Received {
    /// The answer to an open request.
    Answer(RequestId, Answer),
    /// A fault; of one request where it names an open one.
    Fault(Option<RequestId>, ProtocolFault),
}

/// One conversation with one process.
#[derive(Debug)]
pub struct Session {
    next: RequestId,
    open: BTreeSet<RequestId>,
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

impl Session {
    /// A session in which nothing was sent yet.
    #[must_use]
    pub fn new() -> Self {
        Self { next: 1, open: BTreeSet::new() }
    }

    /// Appends a request, as one line, to `out`.
    ///
    /// # Errors
    /// Where the params can't be written as JSON.
    pub fn request<P: Serialize + ?Sized>(&mut self, method: &str, params: &P, out: &mut Vec<u8>) -> Result<RequestId, JsonError> {
        let id = self.next;
        codec::write_request(out, id, method, params)?;
        self.next += 1;
        self.open.insert(id);
        Ok(id)
    }

    /// Whether a request waits for its answer.
    #[must_use]
    pub fn is_open(&self, id: RequestId) -> bool {
        self.open.contains(&id)
    }

    /// Waits for a request no longer: an answer that comes later is a fault. Whether it was open.
    pub fn give_up(&mut self, id: RequestId) -> bool {
        self.open.remove(&id)
    }

    /// Requests without an answer.
    #[must_use]
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// Reads a line, without its line end.
    pub fn receive(&mut self, line: &[u8]) -> Received {
        let response = match codec::read_response(line) {
            Ok(response) => response,
            Err(fault) => return Received::Fault(None, ProtocolFault::Malformed(fault)),
        };
        let Some(id) = response.id else { return Received::Fault(None, ProtocolFault::UnknownId) };
        if !self.open.remove(&id) {
            let sent = (1..self.next).contains(&id);
            return Received::Fault(None, if sent { ProtocolFault::AnsweredBefore(id) } else { ProtocolFault::UnknownId });
        }
        match answer(response.outcome) {
            Ok(answer) => Received::Answer(id, answer),
            Err(fault) => Received::Fault(Some(id), fault),
        }
    }

    /// Reads what came back for one request, where it is known for which. It answers that request or none, whatever id it has, and
    /// no other answer is waited for.
    ///
    /// # Errors
    /// A [`ProtocolFault`] of this request.
    pub fn receive_for(&mut self, id: RequestId, text: &[u8]) -> Result<Answer, ProtocolFault> {
        if !self.open.remove(&id) {
            return Err(ProtocolFault::AnsweredBefore(id));
        }
        let response = codec::read_response(text).map_err(ProtocolFault::Malformed)?;
        if response.id != Some(id) {
            return Err(ProtocolFault::OtherId(id));
        }
        answer(response.outcome)
    }
}

fn answer(outcome: Result<Result<Value, ErrorObject>, MalformedMessage>) -> Result<Answer, ProtocolFault> {
    match outcome {
        Ok(Ok(value)) => Ok(Answer::from_result(value)),
        Ok(Err(error)) if error.code == error_code::METHOD_NOT_FOUND => Ok(Answer::Unsupported),
        Ok(Err(error)) => Ok(Answer::Error(error)),
        Err(fault) => Err(ProtocolFault::Malformed(fault)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sent(count: usize) -> Session {
        let mut session = Session::new();
        for _ in 0..count {
            session.request("activation.read", &json!({}), &mut Vec::new()).unwrap();
        }
        session
    }

    fn fault(session: &mut Session, line: &str) -> String {
        match session.receive(line.as_bytes()) {
            Received::Fault(_, fault) => fault.to_string(),
            answer => panic!("{answer:?}"),
        }
    }

    #[test]
    fn a_request_is_one_line() {
        let mut out = Vec::new();
        let id = Session::new().request("activation.read", &json!({"payload": "a\nb"}), &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"activation.read\",\"params\":{{\"payload\":\"a\\nb\"}}}}\n")
        );
    }

    #[test]
    fn the_kinds_of_answer_are_kept_apart() {
        let mut session = sent(5);
        let mut answer = |line: &str| match session.receive(line.as_bytes()) {
            Received::Answer(_, answer) => answer,
            fault => panic!("{fault:?}"),
        };
        assert_eq!(answer(r#"{"jsonrpc":"2.0","id":2,"result":null}"#), Answer::Result(json!(null)));
        assert!(matches!(answer(r#"{"jsonrpc":"2.0","id":1,"result":{"error":{"category":"x"}}}"#), Answer::Refusal(_)));
        assert_eq!(answer(r#"{"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"m"}}"#), Answer::Unsupported);
        assert!(matches!(answer(r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"m","data":1}}"#), Answer::Error(_)));
        // An id that went through a library without integers.
        assert_eq!(answer(r#"{"jsonrpc":"2.0","id":5.0,"result":1}"#), Answer::Result(json!(1)));
    }

    #[test]
    fn a_late_or_second_answer_is_never_credited() {
        let mut session = sent(1);
        let line = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        assert!(matches!(session.receive(line.as_bytes()), Received::Answer(1, _)));
        assert_eq!(session.receive(line.as_bytes()), Received::Fault(None, ProtocolFault::AnsweredBefore(1)));
    }

    #[test]
    fn a_request_that_is_given_up_is_not_answered_any_more() {
        let mut session = sent(2);
        assert!(session.is_open(1) && session.give_up(1) && !session.is_open(1) && !session.give_up(1));
        assert_eq!(session.open(), 1);
        let line = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        assert_eq!(session.receive(line.as_bytes()), Received::Fault(None, ProtocolFault::AnsweredBefore(1)));
    }

    #[test]
    fn what_is_no_answer_of_ours_is_a_fault_that_says_so() {
        for (line, part) in [
            ("", "not JSON"),
            ("hello", "not JSON"),
            ("{} {}", "not JSON"),
            ("[]", "no JSON-RPC 2.0 message: it is of type array"),
            ("7", "it is of type integer"),
            (r#"{"jsonrpc":"2.0","id":1,"id":1,"result":{}}"#, "duplicate"),
            (r#"{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}"#, "duplicate key"),
            (r#"{"jsonrpc":"2.0","id":9,"result":{}}"#, "never sent"),
            (r#"{"jsonrpc":"2.0","id":"1","result":{}}"#, "never sent"),
            (r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":""}}"#, "never sent"),
            (r#"{"jsonrpc":"2.0","result":{}}"#, "no id"),
            (r#"{"jsonrpc":"2.0","id":1}"#, "neither a result nor an error"),
            (r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}"#, "both"),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}"#, "malformed"),
            (r#"{"id":1,"result":{}}"#, "jsonrpc"),
            (r#"{"jsonrpc":"2.0","method":"log","params":{}}"#, "method"),
            (r#"{"jsonrpc":"2.0","id":1,"result":"\ud800"}"#, "not JSON"),
        ] {
            let said = fault(&mut sent(1), line);
            assert!(said.contains(part), "{line}: {said}");
        }
        assert!(matches!(
            sent(1).receive(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\"}"),
            Received::Fault(None, ProtocolFault::Malformed(MalformedMessage::NotUtf8 { .. }))
        ));
    }

    #[test]
    fn what_comes_back_for_one_request_never_answers_another() {
        let mut session = sent(3);
        let line = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":7}}"#);
        for (id, came) in [(1, "2"), (2, "null")] {
            assert_eq!(session.receive_for(id, line(came).as_bytes()), Err(ProtocolFault::OtherId(id)), "{came}");
            assert!(!session.is_open(id) && session.is_open(3));
        }
        assert_eq!(session.receive_for(3, b" {\n\"jsonrpc\": \"2.0\", \"id\": 3, \"result\": 7}\n"), Ok(Answer::Result(json!(7))));
        assert_eq!(session.receive_for(3, line("3").as_bytes()), Err(ProtocolFault::AnsweredBefore(3)));
        let two = format!("{} {}", line("1"), line("1"));
        for text in ["", "no", &two, r#"{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}"#, r#"{"jsonrpc":"2.0","id":1}"#] {
            assert!(matches!(sent(1).receive_for(1, text.as_bytes()), Err(ProtocolFault::Malformed(_))), "{text}");
        }
    }

    #[test]
    fn echoing_the_request_is_no_answer() {
        let mut out = Vec::new();
        let mut session = Session::new();
        session.request("activation.read", &json!({}), &mut out).unwrap();
        assert!(matches!(session.receive(out.trim_ascii()), Received::Fault(None, _)));
    }
}
