//! The run as one JSON document.

use serde_json::{Value, json};

use crate::run::{RunReport, Summary};

/// The report: `{proofmark, suite, implementation, rendering, command, elapsed_ms, exit, summary, repeated, seed, faults, cases}`; with
/// `--url` also `url`; with a baseline also `known_failures`, reasons by case, and `stale`, the entries that no longer say what is so.
#[must_use]
pub fn json(report: &RunReport, summary: &Summary, exit: crate::exit::Exit) -> Value {
    let mut document = json!({
        "proofmark": env!("CARGO_PKG_VERSION"),
        "suite": report.settings.suite,
        "implementation": report.implementation(),
        "rendering": report.rendering(),
        "command": report.settings.command,
        "elapsed_ms": u64::try_from(report.elapsed.as_millis()).unwrap_or(u64::MAX),
        "exit": exit as u8,
        "summary": summary,
        "repeated": report.repeated, "seed": report.settings.seed,
        "faults": report.faults,
        "cases": report.results,
    });
    if let Some(url) = &report.settings.url {
        document["url"] = json!(url);
    }
    if let Some(reckoning) = &report.reckoning {
        document["known_failures"] = json!(reckoning.known);
        document["stale"] = json!(reckoning.stale);
    }
    document
}
