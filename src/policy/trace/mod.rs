//! Traces: one pass over the events, a few facts for each skill, and every breach with the event that broke the rule and the one that set
//! it up.

mod breach;
mod monitor;
mod skill;

pub(super) use breach::Breach;
pub use monitor::{Capabilities, Monitor, RunFiles};
