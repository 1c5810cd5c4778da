//! YAML is read or refused, and every refusal and every value has a place in the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofmark::yaml;

fuzz_target!(|text: &str| {
    let breaks = text.matches(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).count();
    let lines = 1..=breaks + 2;
    match yaml::parse(text) {
        Ok(document) => {
            for pointer in ["", "/cases", "/cases/0", "/cases/0/id", "/a/b/c"] {
                assert!(lines.contains(&document.place(pointer).line));
            }
        }
        Err(error) => assert!(lines.contains(&error.place.line) && error.place.column > 0 && !error.message.is_empty(), "{error}"),
    }
});
