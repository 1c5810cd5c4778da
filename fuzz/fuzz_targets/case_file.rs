//! A suite with any one case file loads, or has faults with a file, a line and a message; what loads is held against the reference.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofmark::case::{LoadOptions, Suite, SuiteFiles};
use proofmark::judge::suite_contradictions;

/// As little as a suite needs: reading the shipped requirements each time would be most of the work.
const BESIDE: [(&str, &str); 3] = [
    ("spec-cases/suite.yaml", "version: 0.1.0\n"),
    ("spec-cases/wrong-hosts.yaml", "wrong_hosts: { fit-continues-past-misfit: w }\n"),
    (
        "spec-cases/requirements/a.yaml",
        "contract: c\nversion: 1\nsource: s\nrequirements: [{ id: \"activation#budget\", level: must, section: s, text: t }]\n",
    ),
];

fuzz_target!(|text: &str| {
    let files = BESIDE.into_iter().chain([("spec-cases/skill_activation_evidence/a.yaml", text)]);
    let suite: SuiteFiles = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).collect();
    match Suite::load(suite, LoadOptions::default()) {
        Ok(suite) => drop(suite_contradictions(&suite)),
        Err(faults) => {
            assert!(!faults.is_empty());
            for fault in faults {
                assert!(fault.place.line > 0 && fault.place.column > 0 && !fault.message.is_empty(), "{fault}");
            }
        }
    }
});
