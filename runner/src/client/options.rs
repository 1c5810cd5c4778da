//! What a caller decides before a child is started.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use proofmark::adapter::DEFAULT_MAX_LINE_BYTES;

/// How a child is started, and how long and how much is borne from it.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    /// The program and its arguments; no shell is involved.
    pub command: Vec<OsString>,
    /// Where it runs. A program given as a relative path (`./adapter`) is looked up from there.
    pub directory: Option<PathBuf>,
    /// Variables set for it, beside those handed down.
    pub environment: Vec<(OsString, OsString)>,
    /// Names of our own variables that are handed down beside the few that always are.
    pub pass_environment: Vec<OsString>,
    /// How long one request may take: from its `send`, or from when those sent before it were answered, whichever is later.
    pub request_timeout: Duration,
    /// How long `initialize` may take, from the start of the process.
    pub start_timeout: Duration,
    /// How long a child may take over each step of its end.
    pub grace: Duration,
    /// The longest line that is read, without its line end.
    pub max_line_bytes: usize,
    /// Memory that the child may have in use, where it is limited. Only Linux tells.
    pub max_memory_bytes: Option<u64>,
    /// How much of stderr is kept: half from its head, half from its tail.
    pub max_stderr_bytes: usize,
}

impl ClientOptions {
    /// The defaults for a command.
    #[must_use]
    pub fn new(command: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self {
            command: command.into_iter().map(Into::into).collect(),
            directory: None,
            environment: Vec::new(),
            pass_environment: Vec::new(),
            request_timeout: Duration::from_secs(10),
            start_timeout: Duration::from_secs(10),
            grace: Duration::from_secs(2),
            max_line_bytes: DEFAULT_MAX_LINE_BYTES,
            max_memory_bytes: None,
            max_stderr_bytes: 64 * 1024,
        }
    }

    /// The whole environment of the child, made from ours.
    pub(super) fn child_environment(&self, ours: impl Iterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
        let mut environment: Vec<_> = ours
            .filter(|(name, _)| always_handed_down(name) || self.pass_environment.iter().any(|passed| same_name(passed, name)))
            .collect();
        environment.extend(self.environment.iter().cloned());
        environment
    }
}

/// What a program needs to be found, to find its home and to write text; nothing that tells it about the run, and no secrets.
const HANDED_DOWN: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "TMP",
    "TEMP",
    // Without these most programs do not even start on Windows.
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "PROGRAMFILES",
];

fn always_handed_down(name: &OsStr) -> bool {
    HANDED_DOWN.iter().any(|known| same_name(OsStr::new(known), name)) || name.to_string_lossy().starts_with("LC_")
}

fn same_name(a: &OsStr, b: &OsStr) -> bool {
    if cfg!(windows) { a.eq_ignore_ascii_case(b) } else { a == b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_stay_here_and_what_the_user_names_goes_along() {
        let mut options = ClientOptions::new(["adapter"]);
        options.pass_environment = vec!["NODE_PATH".into()];
        options.environment = vec![("MODE".into(), "test".into()), ("LANG".into(), "C".into())];
        let ours = ["PATH", "LC_ALL", "GITHUB_TOKEN", "NODE_PATH", "LANG", "path_to_secrets"];
        let child = options.child_environment(ours.iter().map(|name| (OsString::from(name), OsString::from("ours"))));
        let expected = [("PATH", "ours"), ("LC_ALL", "ours"), ("NODE_PATH", "ours"), ("LANG", "ours"), ("MODE", "test"), ("LANG", "C")];
        assert_eq!(child, expected.map(|(name, value)| (name.into(), value.into())));
    }
}
