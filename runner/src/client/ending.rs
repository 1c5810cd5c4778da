//! How a child came to its end, in data and in words.

use std::fmt;
use std::io::ErrorKind;
use std::process::ExitStatus;

use proofmark::adapter::{Answer, ProtocolFault};
use serde_json::Value;

/// Why a conversation could not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The process exited.
    Exited,
    /// It closed its stdout and lived on.
    ClosedStdout,
    /// It closed its stdin while there was more to read, and lived on.
    ClosedStdin,
    /// It wrote a line of more than this many bytes; where the next one begins nobody knows.
    LineTooLong {
        /// The limit.
        max_line_bytes: usize,
    },
    /// It had more memory in use than it may.
    TooMuchMemory {
        /// The limit.
        max_memory_bytes: u64,
    },
    /// The caller had it killed.
    Killed,
    /// A host behind a URL could not be reached any more, or broke a connection off.
    Disconnected {
        /// What the system said.
        kind: ErrorKind,
    },
}

/// The end of a child. Nothing of its process group is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Death {
    /// Why.
    pub cause: Cause,
    /// Its exit status, where the system gave one. Unless the cause is [`Cause::Exited`] it is of our making.
    pub status: Option<ExitStatus>,
    /// Bytes of a line that was begun on stdout and not ended.
    pub unfinished_bytes: usize,
    /// What it said to people.
    pub stderr: String,
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.cause {
            Cause::Exited => write!(f, "the adapter {}", exited(self.status))?,
            Cause::ClosedStdout => f.write_str("the adapter closed its stdout and lived on; it was killed")?,
            Cause::ClosedStdin => f.write_str("the adapter closed its stdin before `shutdown`; it was killed")?,
            Cause::LineTooLong { max_line_bytes } => {
                write!(f, "the adapter wrote a line of more than {max_line_bytes} bytes on stdout; it was killed")?;
            }
            Cause::TooMuchMemory { max_memory_bytes } => {
                write!(f, "the adapter had more than {max_memory_bytes} bytes of memory in use (--max-memory); it was killed")?;
            }
            Cause::Killed => f.write_str("the adapter was killed")?,
            // It has no stderr that we could see.
            Cause::Disconnected { kind } => {
                return write!(f, "the host broke the connection off before it had answered, or is there no more: {kind}");
            }
        }
        if self.unfinished_bytes > 0 {
            write!(f, ", after {} bytes of a line that it did not end", self.unfinished_bytes)?;
        }
        f.write_str(&quoted(&self.stderr))
    }
}

/// What it took to end a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stopping {
    /// It was gone before it was asked to.
    AlreadyGone,
    /// It left by itself once it had answered and its stdin was closed.
    Left,
    /// It had to be told by a signal.
    Terminated,
    /// It had to be killed.
    Killed,
    /// It ran before we came and goes on: it is not ours to end.
    NotOurs,
}

/// The end of a conversation by `shutdown`. Nothing of the child's process group is left.
#[derive(Debug, Clone, PartialEq)]
pub struct Farewell {
    /// What it answered to `shutdown`; `None` where it did not within the grace.
    pub reply: Option<Result<Answer, ProtocolFault>>,
    /// What it took.
    pub stopping: Stopping,
    /// Its exit status, where the system gave one.
    pub status: Option<ExitStatus>,
    /// Lines that came where nothing was to come but the answer.
    pub strays: usize,
    /// What it said to people.
    pub stderr: String,
}

impl Farewell {
    /// Whether it was all as the protocol has it. The exit status is no part of that.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        let ended = matches!(self.stopping, Stopping::Left | Stopping::NotOurs);
        self.reply == Some(Ok(Answer::Result(Value::Null))) && ended && self.strays == 0
    }
}

impl fmt::Display for Farewell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reply {
            _ if self.stopping == Stopping::AlreadyGone => f.write_str("`shutdown` found the adapter gone")?,
            Some(Ok(Answer::Result(Value::Null))) => f.write_str("the adapter answered `shutdown`")?,
            Some(Ok(_)) => f.write_str("the adapter answered `shutdown` with something else than the result null")?,
            Some(Err(fault)) => write!(f, "the adapter's answer to `shutdown` is broken: {fault}")?,
            None => f.write_str("the adapter did not answer `shutdown`")?,
        }
        match self.stopping {
            Stopping::AlreadyGone => write!(f, "; it {}", exited(self.status))?,
            Stopping::Left => write!(f, " and {}", exited(self.status))?,
            Stopping::Terminated => f.write_str("; it did not exit when its stdin was closed, and ended on a signal (SIGTERM)")?,
            Stopping::Killed => f.write_str("; it did not exit when its stdin was closed, and was killed")?,
            Stopping::NotOurs => {}
        }
        if self.strays > 0 {
            write!(f, "; {} other lines came from it meanwhile", self.strays)?;
        }
        Ok(())
    }
}

/// "exited with status 1", "was ended by signal 9".
fn exited(status: Option<ExitStatus>) -> String {
    #[cfg(unix)]
    if let Some(signal) = status.and_then(|status| std::os::unix::process::ExitStatusExt::signal(&status)) {
        return format!("was ended by signal {signal}{}", signal_name(signal));
    }
    match status.and_then(|status| status.code()) {
        Some(code) => format!("exited with status {code}"),
        None => "exited".to_owned(),
    }
}

#[cfg(unix)]
fn signal_name(signal: i32) -> &'static str {
    use rustix::process::Signal;
    let known = [
        (Signal::ABORT, " (SIGABRT: it gave itself up, as a panic or an assertion does)"),
        (Signal::SEGV, " (SIGSEGV: it touched memory that is not its own)"),
        (Signal::BUS, " (SIGBUS: it touched memory that is not its own)"),
        (Signal::ILL, " (SIGILL: an instruction that this processor does not have)"),
        (Signal::KILL, " (SIGKILL: somebody killed it, perhaps the system for want of memory)"),
        (Signal::TERM, " (SIGTERM: somebody asked it to end)"),
        (Signal::PIPE, " (SIGPIPE: it wrote where nobody reads)"),
    ];
    known.iter().find(|(known, _)| known.as_raw() == signal).map_or("", |(_, name)| name)
}

/// Lines of stderr that are quoted in a message.
const QUOTED_LINES: usize = 12;
/// Characters of each.
const QUOTED_CHARS: usize = 300;

/// The tail of what a child said, for a message: indented, and without what could command a terminal.
pub(super) fn quoted(stderr: &str) -> String {
    let lines: Vec<&str> = stderr.trim_end().lines().collect();
    if lines.is_empty() {
        return ". It said nothing on stderr.".to_owned();
    }
    let skipped = lines.len().saturating_sub(QUOTED_LINES);
    let mut text = String::from(if skipped > 0 { ". Its stderr ends with:" } else { ". It said on stderr:" });
    for line in &lines[skipped..] {
        text.push_str("\n    ");
        text.push_str(&plain(line, QUOTED_CHARS));
    }
    text
}

/// At most `max_chars` of a text, control characters escaped.
pub(super) fn plain(text: &str, max_chars: usize) -> String {
    let mut plain = String::new();
    let mut chars = text.chars();
    for character in chars.by_ref().take(max_chars) {
        if character.is_control() && character != '\t' { plain.extend(character.escape_default()) } else { plain.push(character) }
    }
    if chars.next().is_some() {
        plain.push('…');
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotation_is_the_tail_and_commands_no_terminal() {
        let text: String = (0..100).map(|line| format!("line {line}\x1b[2J\n")).collect();
        let quoted = quoted(&text);
        assert!(quoted.starts_with(". Its stderr ends with:\n    line 88\\u{1b}[2J\n"), "{quoted}");
        assert_eq!(quoted.lines().count(), 1 + QUOTED_LINES);
        assert_eq!(plain("äöü", 2), "äö…");
    }
}
