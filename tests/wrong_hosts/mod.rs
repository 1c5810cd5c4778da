//! A host of its own, written from the contract without a look at the reference, and its faults: one switch for each wrong host of
//! `spec-cases/wrong-hosts.yaml`.

mod catalog;
mod evidence;
mod fault;
mod gallery;
mod host;
mod load;
mod merge;
mod options;
mod read;
mod skill;

pub(crate) use fault::Fault;
pub(crate) use gallery::{CASES, HostRun, Noted, RUNS, SUITE, judge_alone, run};
