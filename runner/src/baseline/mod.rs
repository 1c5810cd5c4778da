//! Baselines: the failures of an implementation that are known, each with its reason. They still run, and they must still fail.

mod entry;
mod reckoning;
mod update;

pub use entry::{Baseline, BaselineFault, Entry};
pub use reckoning::{Reckoning, Stale, StaleKind, fingerprint};
pub use update::{Change, update};
