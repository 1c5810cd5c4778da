//! The run as one JSON document.

use serde_json::{Value, json};

use crate::run::{RunReport, Summary};

/// The report: `{proofmark, suite, implementation, rendering, command, elapsed_ms, exit, summary, repeated, seed, faults, cases}`.
#[must_use]
pub fn json(report: &RunReport, summary: &Summary, exit: crate::exit::Exit) -> Value {
    json!({
        "proofmark": env!("CARGO_PKG_VERSION"),
        "suite": report.suite,
        "implementation": report.implementation,
        "rendering": report.rendering,
        "command": report.command,
        "elapsed_ms": u64::try_from(report.elapsed.as_millis()).unwrap_or(u64::MAX),
        "exit": exit as u8,
        "summary": summary,
        "repeated": report.repeated, "seed": report.seed,
        "faults": report.faults,
        "cases": report.results,
    })
}
