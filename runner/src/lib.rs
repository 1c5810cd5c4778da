//! Everything behind the `proofmark` command: processes, runs, reports.
//!
//! The library `proofmark` judges and reads no files; here files are read, processes started and words printed.

pub mod baseline;
pub mod certificate;
pub mod client;
pub mod command;
pub mod doctor;
pub mod exit;
pub mod filter;
pub mod harness;
pub mod journal;
pub mod printable;
pub mod report;
pub mod run;
pub mod serving;
pub mod skill_directory;
pub mod suite_directory;
