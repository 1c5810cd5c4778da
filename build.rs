//! Embeds the suite and the schemas, so that an installed `proofmark` works without a checkout.
//!
//! A generated list rather than a macro: Cargo then sees a file that was added.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let mut files = Vec::new();
    for folder in ["docs", "schemas", "spec-cases"] {
        println!("cargo::rerun-if-changed={folder}");
        collect(&root.join(folder), &mut files)?;
    }
    let name = |file: &PathBuf| {
        let inside = file.strip_prefix(&root).unwrap_or(file);
        inside.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
    };
    // By name, as look-ups compare: paths sort by component, which is another order.
    files.sort_by_key(name);
    let mut code = String::from("/// Every embedded file: its path from the project's root, with slashes, and its bytes.\n");
    code.push_str("pub static FILES: &[(&str, &[u8])] = &[\n");
    for file in files {
        writeln!(code, "    ({:?}, include_bytes!({:?})),", name(&file), file.display().to_string()).map_err(io::Error::other)?;
    }
    code.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    fs::write(out.join("embedded.rs"), code)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
