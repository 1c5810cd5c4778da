//! The three pipes of a child: written, read and waited for at once.
//!
//! On Unix one `poll` waits for all three, in the caller's thread: nothing to wake, and nothing left behind in a read that never
//! ends because some process that we may not kill holds the other end. Elsewhere threads do the same through channels.

#[cfg(unix)]
mod polled;
#[cfg(any(not(unix), test))]
mod threaded;

#[cfg(unix)]
pub(super) use polled::Pipes;
#[cfg(not(unix))]
pub(super) use threaded::Pipes;
