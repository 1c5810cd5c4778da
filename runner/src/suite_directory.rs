//! A suite from a directory instead of the one compiled in.

use std::fs;
use std::io;
use std::path::Path;

use proofmark::case::SuiteFiles;
use walkdir::WalkDir;

/// The largest file that is read.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;
/// The most files that are read.
const MAX_FILES: usize = 20_000;

/// Reads the files below a directory. `root` is a folder that holds `spec-cases`, or is one.
///
/// # Errors
/// Where it can't be read, or holds more than a suite would.
pub fn read(root: &Path) -> io::Result<SuiteFiles> {
    let inside = root.join(SuiteFiles::ROOT);
    let folder = if inside.is_dir() { inside } else { root.to_path_buf() };
    if !folder.is_dir() {
        return Err(io::Error::new(io::ErrorKind::NotFound, format!("{} is no directory", folder.display())));
    }
    if !folder.join("suite.yaml").is_file() {
        let message = format!("{} neither holds a folder {} nor is one: there is no suite.yaml", root.display(), SuiteFiles::ROOT);
        return Err(io::Error::new(io::ErrorKind::NotFound, message));
    }
    let mut files = Vec::new();
    for entry in WalkDir::new(&folder).sort_by_file_name().max_depth(32) {
        let entry = entry.map_err(io::Error::from)?;
        if !entry.file_type().is_file() {
            continue;
        }
        if files.len() == MAX_FILES {
            return Err(io::Error::other(format!("{} holds more than {MAX_FILES} files", folder.display())));
        }
        let path = entry.path();
        let size = entry.metadata().map_err(io::Error::from)?.len();
        if size > MAX_FILE_BYTES {
            return Err(io::Error::other(format!("{} has {size} bytes; at most {MAX_FILE_BYTES} are read", path.display())));
        }
        let name: Option<Vec<&str>> = path.strip_prefix(&folder).unwrap_or(path).iter().map(|part| part.to_str()).collect();
        let Some(name) = name else {
            return Err(io::Error::other(format!("{} is no UTF-8 name", path.display())));
        };
        files.push((format!("{}/{}", SuiteFiles::ROOT, name.join("/")), fs::read(path)?));
    }
    Ok(files.into_iter().collect())
}
