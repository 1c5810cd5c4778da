//! Why a client could not start, or a request could not be sent.

use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::time::Duration;

use proofmark::adapter::{ErrorObject, ProtocolFault, error_code};
use proofmark::json::JsonError;

use super::ending::{Death, plain, quoted};
#[cfg(feature = "http")]
use super::http::HttpStartFault;

/// Why there is no conversation. Whatever was started is dead.
#[derive(Debug)]
pub enum StartFault {
    /// The command is empty.
    NoCommand,
    /// The directory to run in is none.
    NoDirectory {
        /// As it was given.
        directory: PathBuf,
    },
    /// The system did not start the program.
    NotStarted {
        /// As it was given.
        program: OsString,
        /// Whether the system says "not found" of a file that is there.
        exists: bool,
        /// What the system said.
        error: io::Error,
    },
    /// It ended, or wrote a line without end, before it answered `initialize`.
    Died(Death),
    /// It did not answer `initialize` in time.
    Silent {
        /// How long it had.
        start_timeout: Duration,
        /// Its end, of our making.
        death: Death,
    },
    /// It answered `initialize` with an error.
    Refused {
        /// The error.
        error: ErrorObject,
        /// What it said to people.
        stderr: String,
    },
    /// It wrote something else than an answer to `initialize`, or a broken one.
    Garbled {
        /// What is wrong with the line.
        fault: ProtocolFault,
        /// The beginning of the line.
        line: String,
        /// What it said to people.
        stderr: String,
    },
    /// Its answer to `initialize` is no declaration.
    BadDeclaration {
        /// What does not fit.
        reason: String,
        /// The beginning of the answer.
        answer: String,
        /// What it said to people.
        stderr: String,
    },
    /// A host behind a URL did not begin a conversation.
    #[cfg(feature = "http")]
    Http {
        /// The URL.
        url: String,
        /// Why.
        fault: HttpStartFault,
    },
}

impl Error for StartFault {}

impl fmt::Display for StartFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCommand => f.write_str(
                "there is no adapter to start: expected a command behind `--`. Name it, as in `proofmark run -- python3 my_adapter.py`.",
            ),
            Self::NoDirectory { directory } => {
                write!(
                    f,
                    "the adapter can't run in `{}`: expected a directory that exists. Create it, or name another.",
                    directory.display()
                )
            }
            Self::NotStarted { program, exists, error } => {
                let program = program.to_string_lossy();
                match error.kind() {
                    ErrorKind::NotFound if *exists => write!(
                        f,
                        "the adapter's command `{program}` is there, but what it needs to run was not found: expected the interpreter that its \
                         first line names. Install that, or name one before it, as in `-- python3 {program}`.",
                    ),
                    ErrorKind::NotFound => write!(
                        f,
                        "the adapter's command `{program}` was not found: expected a program on PATH, or the path of one, as the first word \
                         behind `--`. Check its spelling; a program in the directory it runs in is named with `./`.",
                    ),
                    ErrorKind::PermissionDenied => write!(
                        f,
                        "the adapter's command `{program}` may not be run: expected an executable file. Make it one (`chmod +x`), or name its \
                         interpreter before it, as in `-- python3 {program}`.",
                    ),
                    _ => write!(
                        f,
                        "the adapter's command `{program}` could not be started: {error}. Expected a program for this system; a script needs a \
                         first line that names its interpreter (`#!/usr/bin/env python3`), or the interpreter before it behind `--`.",
                    ),
                }
            }
            Self::Died(death) => {
                write!(
                    f,
                    "before it answered `initialize`, {death}\nExpected one line on stdout: the answer to the request on its stdin. {TRY}"
                )
            }
            Self::Silent { start_timeout, death } => write!(
                f,
                "the adapter did not answer `initialize` within {start_timeout:?} and was killed{unfinished}{said}\nExpected one line on stdout: \
                 the answer to the request on its stdin. Check that it ends the line and flushes stdout after it, and does not wait for the \
                 end of stdin; if it is slow to start, allow it more time. {TRY}",
                unfinished = match death.unfinished_bytes {
                    0 => String::new(),
                    count => format!(", after {count} bytes of a line that it did not end"),
                },
                said = quoted(&death.stderr),
            ),
            Self::Refused { error, stderr } => {
                let (code, message) = (error.code, plain(&error.message, 300));
                writeln!(f, "the adapter answered `initialize` with error {code}: {message}{}", quoted(stderr))?;
                match error.code {
                    error_code::NO_COMMON_VERSION => f.write_str(
                        "Expected a version of the protocol that both speak; this runner speaks 1. Update the older of the two.",
                    ),
                    error_code::METHOD_NOT_FOUND => f.write_str(
                        "Expected a declaration: `initialize` is the first request of every conversation. Let the adapter answer it.",
                    ),
                    _ => write!(f, "Expected a declaration. {TRY}"),
                }
            }
            Self::Garbled { fault, line, stderr } => write!(
                f,
                "the adapter wrote something else than an answer to `initialize` on stdout: {fault}{}\nThe line begins: {line}\nExpected one line \
                 of JSON-RPC 2.0 with the request's id. Print what is for people on stderr; stdout is for answers only.",
                quoted(stderr),
            ),
            Self::BadDeclaration { reason, answer, stderr } => write!(
                f,
                "the adapter's answer to `initialize` is no declaration: {}{}\nThe answer begins: {answer}\nThe least that is one: {LEAST}\n\
                 `proofmark explain protocol` says what each key means.",
                plain(reason, 300),
                quoted(stderr),
            ),
            #[cfg(feature = "http")]
            Self::Http { url, fault } => write!(f, "the host at {url}: {fault}"),
        }
    }
}

pub(super) const LEAST: &str = r#"{"protocol":1,"implementation":{"name":"my-host","version":"1.0","language":"Go"},"operations":["activation.read"],"contracts":{"skill_activation_evidence":[1]},"diagnostics":"valid","max_in_flight":1}"#;

const TRY: &str = "Run the command by hand, with such a request on its stdin.";

/// Why a request was not sent. It has no id, and no answer will come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendFault {
    /// The conversation is over; `poll` says why.
    Lost,
    /// As many requests are open as the adapter takes at once.
    Full {
        /// What it declared.
        max_in_flight: u64,
    },
    /// The params can't be written as JSON.
    Params(JsonError),
}

impl Error for SendFault {}

impl fmt::Display for SendFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost => f.write_str("the adapter is gone: expected one that runs. Start another."),
            Self::Full { max_in_flight } => write!(
                f,
                "the adapter takes {max_in_flight} requests at once and so many are open: expected one to be answered first. Poll for answers."
            ),
            Self::Params(error) => write!(f, "the params can't be written as JSON: {error}. Correct what builds them."),
        }
    }
}
