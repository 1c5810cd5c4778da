//! Why no conversation with a host behind a URL began.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use proofmark::adapter::{ErrorObject, ProtocolFault, error_code};

use super::super::ending::plain;
use super::super::fault::LEAST;

/// What went wrong with `initialize`.
#[derive(Debug)]
pub enum HttpStartFault {
    /// There was no connection, or it ended before there was an answer.
    Unreachable {
        /// In words.
        reason: String,
    },
    /// No answer came in time.
    Silent {
        /// How long it had.
        start_timeout: Duration,
    },
    /// What came is no answer to `initialize`, or a broken one.
    Garbled {
        /// What is wrong with it.
        fault: ProtocolFault,
        /// Its beginning.
        beginning: String,
    },
    /// The answer is an error.
    Refused {
        /// The error.
        error: ErrorObject,
    },
    /// The answer is no declaration.
    BadDeclaration {
        /// What does not fit.
        reason: String,
        /// Its beginning.
        answer: String,
    },
}

impl Error for HttpStartFault {}

impl fmt::Display for HttpStartFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable { reason } => write!(
                f,
                "it can't be asked: {}. Expected a host that runs and listens there before the run begins, and over https a certificate that a \
                 public authority vouches for. Start it, and check the port and the scheme.",
                plain(reason, 300)
            ),
            Self::Silent { start_timeout } => write!(
                f,
                "it did not answer `initialize` within {start_timeout:?}. Expected the answer as the body of the response to its POST. If it is slow to \
                 begin, allow it more time (--start-timeout)."
            ),
            Self::Garbled { fault, beginning } => write!(
                f,
                "what came for `initialize` is no answer: {fault}\nIt begins: {beginning}\nExpected status 200, content-type application/json, and one \
                 message of JSON-RPC 2.0 with the request's id as the body. Check the path of the URL."
            ),
            Self::Refused { error: ErrorObject { code, message } } => {
                write!(f, "it answered `initialize` with error {code}: {}\nExpected ", plain(message, 300))?;
                match *code {
                    error_code::NO_COMMON_VERSION => {
                        f.write_str("a version of the protocol that both speak; this runner speaks 1. Update the older of the two.")
                    }
                    _ => f.write_str(
                        "a declaration, whenever `initialize` comes: each conversation begins with it, and a host that runs has many of them.",
                    ),
                }
            }
            Self::BadDeclaration { reason, answer } => write!(
                f,
                "its answer to `initialize` is no declaration: {}\nThe answer begins: {answer}\nThe least that is one: {LEAST}\n\
                 `proofmark explain protocol` says what each key means.",
                plain(reason, 300)
            ),
        }
    }
}
