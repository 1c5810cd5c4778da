//! Files and directories of a test's own.

use std::fs;
use std::path::{Path, PathBuf};

/// An empty directory of this test's own.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME")).join(name);
    if directory.exists() {
        fs::remove_dir_all(&directory).unwrap();
    }
    fs::create_dir_all(&directory).unwrap();
    directory
}

/// Copies what lies below a directory, but for entries of these names.
pub(crate) fn copy_tree(from: &Path, to: &Path, left_out: &[&str]) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if left_out.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        if source.is_dir() {
            copy_tree(&source, &target, left_out);
        } else {
            fs::copy(&source, &target).unwrap();
        }
    }
}

/// A path in this repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(path)
}
