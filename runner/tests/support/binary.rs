//! The real binary, as a user meets it: words in, words and an exit status out.

use std::ffi::OsStr;
use std::io::Write as _;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_proofmark");

/// What a run of the binary came to.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// The binary with these arguments, an empty standard input, and nothing of our own terminal's wishes.
pub(crate) fn proofmark(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).stdin(Stdio::null());
    for name in ["CLICOLOR", "CLICOLOR_FORCE", "NO_COLOR", "COLUMNS"] {
        command.env_remove(name);
    }
    command
}

/// Runs it into pipes, where no escape sequence has any business.
#[track_caller]
pub(crate) fn run(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Said {
    plain(proofmark(arguments).output().unwrap())
}

/// [`run`] with something on standard input.
#[track_caller]
pub(crate) fn run_with_input(input: &str, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Said {
    let mut child = piped(&mut proofmark(arguments));
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    plain(child.wait_with_output().unwrap())
}

/// Starts it with all three of its streams in our hands.
pub(crate) fn piped(command: &mut Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[track_caller]
fn plain(output: Output) -> Said {
    let said = Said::new(output);
    assert!(!said.out.contains('\u{1b}') && !said.err.contains('\u{1b}'), "an escape sequence in a pipe: {said:?}");
    said
}

impl Said {
    pub(crate) fn new(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Asserts the exit status.
    #[track_caller]
    pub(crate) fn ends_with(self, code: i32) -> Self {
        let head = |text: &str| text.chars().take(4000).collect::<String>();
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", head(&self.out), head(&self.err));
        self
    }

    /// Asserts that it did nothing but say on stderr why not, with these words among others.
    #[track_caller]
    pub(crate) fn refuses(self, code: i32, words: &[&str]) -> String {
        let Self { out, err, .. } = self.ends_with(code);
        assert_eq!(out, "", "what is refused leaves nothing on stdout");
        assert!(err.starts_with("error: "), "{err}");
        for words in words {
            assert!(err.contains(words), "{words:?} is not in: {err}");
        }
        err
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error} in: {}", self.out))
    }

    pub(crate) fn last_line(&self) -> &str {
        self.out.lines().last().unwrap_or_default()
    }
}

/// Waits for a child that should end by itself, and soon.
#[track_caller]
pub(crate) fn ending_of(child: &mut Child) -> ExitStatus {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if Instant::now() > end {
            child.kill().unwrap();
            panic!("it does not end");
        }
        thread::sleep(Duration::from_millis(5));
    }
}
