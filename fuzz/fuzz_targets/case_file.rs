//! A suite with any one case file loads, or has faults with a file, a line and a message; what loads is held against the reference.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofmark::case::{LoadOptions, Suite, SuiteFiles};
use proofmark::judge::suite_contradictions;

fuzz_target!(|text: &str| {
    let embedded = SuiteFiles::embedded();
    let shared = ["suite.yaml", "wrong-hosts.yaml", "requirements/skill_activation_evidence.yaml"];
    let files = shared.map(|name| format!("{}/{name}", SuiteFiles::ROOT)).map(|name| {
        let bytes = embedded.get(&name).expect("an embedded file").to_vec();
        (name, bytes)
    });
    let case_file = (format!("{}/skill_activation_evidence/a.yaml", SuiteFiles::ROOT), text.as_bytes().to_vec());
    let suite: SuiteFiles = files.into_iter().chain([case_file]).collect();
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
