//! The journal of a run: one line of JSON for everything that happens, written as it happens, from which every report is made.
//!
//! The first line has the settings, the second what was declared; then a line for each finished case, each fault, each repeated request; and
//! a last line that counts them and has the digest of all bytes before it. A run that is killed leaves a journal without that last line, and
//! at most one broken line at its end: whatever was finished before stands there.

mod line;
mod merge;
mod reader;
mod writer;

pub(crate) use merge::difference;
pub use merge::{MergeError, merge};
pub use reader::{Ended, Finished, Journal, JournalError};
pub use writer::JournalWriter;

/// The version of the form. A reader refuses a later one.
pub const FORMAT: u32 = 1;
