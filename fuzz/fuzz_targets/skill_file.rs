//! A SKILL.md is an entry with a name, or is refused at a line of the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofmark::contract::activation::Entry;
use proofmark::contract::skill_file;
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    let lines = 1..=bytes.split(|byte| matches!(byte, b'\n' | b'\r')).count();
    match skill_file::read(bytes, "folder", Some("user")) {
        Ok(file) => {
            let body = file.entry["body"].as_str().expect("a body is a text");
            assert!(bytes.ends_with(body.as_bytes()));
            assert!(file.warnings.iter().all(|warning| lines.contains(&warning.line) && warning.column > 0));
            assert!(Entry::read(&Value::Object(file.entry)).is_some_and(|entry| entry.source == Some("user")));
        }
        Err(error) => assert!(lines.contains(&error.line) && error.column > 0 && !error.message.is_empty(), "{error}"),
    }
});
