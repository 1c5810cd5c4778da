//! How the program ends, as a documented public type. Never a count.

/// Exit status of every subcommand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    /// Conformant; or the command did what it was asked.
    Conformant = 0,
    /// Not conformant: a `must` failed or was not judged, a document is not valid, or nothing was judged.
    NotConformant = 1,
    /// The command line is wrong: an unknown flag, a file that can't be read, a pattern that selects nothing.
    Usage = 2,
    /// A baseline of known failures is stale.
    BaselineStale = 3,
    /// The adapter could not be started, broke the protocol, crashed or did not answer in time.
    Adapter = 4,
    /// The suite is malformed; nothing ran.
    SuiteInvalid = 5,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
