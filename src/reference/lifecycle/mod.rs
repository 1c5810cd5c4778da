//! What a correct host says of contract 2: verdicts by the rule packs, plans by the table, runs by a small host.

mod host;
mod plan;
mod sessions;

pub(super) use plan::plan;
pub(super) use sessions::Sessions;
