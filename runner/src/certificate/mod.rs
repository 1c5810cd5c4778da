//! Certificates: an in-toto Statement that follows, byte for byte, from the journal of a certifying run, the suite and the profile.
//!
//! Nothing in a certificate is to be believed: whoever holds the journal makes the certificate again and compares. What that can't show is
//! who ran it; for that, sign the file with whatever signs your releases.

mod issue;
mod statement;
mod verify;

pub use issue::{Conditions, issue, seed_of};
pub use statement::{Configuration, DigestSet, Predicate, Proofmark, Statement, Subject};
pub use verify::{Doubt, open, verify};

/// Cases that a certifying run generates for each operation.
pub const GENERATED_PER_OPERATION: usize = 40;
