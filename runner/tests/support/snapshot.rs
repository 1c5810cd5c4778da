//! Exact output, kept in `tests/snapshots`.

use std::env;
use std::fs;

use crate::files::repository;

const UPDATE: &str = "PROOFMARK_UPDATE_SNAPSHOTS";

/// Asserts that a text is the one in the file. A failure says how to accept the new one.
#[track_caller]
pub(crate) fn assert_snapshot(name: &str, text: &str) {
    let path = repository("runner/tests/snapshots").join(name);
    if env::var_os(UPDATE).is_some() {
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        text == expected,
        "tests/snapshots/{name} says:\n{expected}\nand this came:\n{text}\nWhere the new text is right: {UPDATE}=1 cargo test -p runner --test cli"
    );
}
