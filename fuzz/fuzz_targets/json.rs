//! JSON is read or refused, and what was read is written and read back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofmark::json;

fuzz_target!(|text: &str| {
    if let Ok(value) = json::parse(text) {
        let again = json::parse(&value.to_string()).expect("what was written is JSON");
        assert!(json::equal(&value, &again));
        assert!(json::excerpt(&value, 100).chars().count() <= 120);
    }
});
