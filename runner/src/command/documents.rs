//! Documents from files and standard input: JSON, YAML and JSON lines, one after the other.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use proofmark::json;
use proofmark::yaml::{self, Document};
use serde_json::Value;

/// The largest document that is read, in bytes.
const MAX_DOCUMENT_BYTES: u64 = 256 * 1024 * 1024;

/// The form of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum DocumentForm {
    /// One JSON value.
    Json,
    /// One JSON value a line.
    Jsonl,
    /// One YAML document.
    Yaml,
}

/// A document, or why it can't be read.
pub(super) struct Read1 {
    /// Where it came from: the path, with the line for JSON lines.
    pub(super) name: String,
    /// The value, with places where the form has them.
    pub(super) document: Result<(Value, Option<Document>), String>,
}

/// Hands every document of a file, or of standard input for `-`, to `each`.
///
/// # Errors
/// Where the file can't be opened or read.
pub(super) fn read_each(path: &Path, form: Option<DocumentForm>, each: &mut dyn FnMut(Read1) -> io::Result<()>) -> io::Result<()> {
    let stdin = path == Path::new("-");
    let name = if stdin { "<stdin>".to_owned() } else { path.display().to_string() };
    let reader: Box<dyn Read> = if stdin {
        Box::new(io::stdin().lock())
    } else {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory; name the files"));
        }
        Box::new(file)
    };
    let mut reader = BufReader::with_capacity(1 << 16, reader);
    let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default().to_ascii_lowercase();
    let form = form.or(match extension.as_str() {
        "json" => Some(DocumentForm::Json),
        "jsonl" | "ndjson" => Some(DocumentForm::Jsonl),
        "yaml" | "yml" => Some(DocumentForm::Yaml),
        _ => None,
    });
    if form == Some(DocumentForm::Jsonl) {
        return lines(&name, &mut reader, each);
    }
    let mut bytes = Vec::new();
    (&mut reader).take(MAX_DOCUMENT_BYTES + 1).read_to_end(&mut bytes)?;
    let refuse = |message: String| Read1 { name: name.clone(), document: Err(message) };
    if bytes.len() as u64 > MAX_DOCUMENT_BYTES {
        return each(refuse(format!("more than {MAX_DOCUMENT_BYTES} bytes; write one document a line and name it .jsonl")));
    }
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
            return each(refuse(format!("line {line}: not UTF-8")));
        }
    };
    let as_json = || json::parse(text).map(|value| (value, None));
    let as_yaml = || yaml::parse(text).map(|document| (document.value.clone(), Some(document)));
    let document = match form {
        Some(DocumentForm::Json) => as_json().map_err(|error| error.to_string()),
        Some(DocumentForm::Yaml) => as_yaml().map_err(|error| error.to_string()),
        _ => match (as_json(), text.trim_start().as_bytes().first()) {
            (Ok(document), _) => Ok(document),
            // Several values: one a line, as a stream has them.
            (Err(error), Some(b'{')) if error.message.starts_with("trailing") => {
                return lines(&name, &mut text.as_bytes(), each);
            }
            (Err(error), Some(b'{' | b'[')) => Err(error.to_string()),
            _ => as_yaml().map_err(|error| error.to_string()),
        },
    };
    each(Read1 { name, document })
}

fn lines(name: &str, reader: &mut dyn BufRead, each: &mut dyn FnMut(Read1) -> io::Result<()>) -> io::Result<()> {
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        let read = reader.take(MAX_DOCUMENT_BYTES + 1).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        number += 1;
        let name = format!("{name}:{number}");
        if read as u64 > MAX_DOCUMENT_BYTES {
            return each(Read1 { name, document: Err(format!("a line of more than {MAX_DOCUMENT_BYTES} bytes")) });
        }
        let document = match std::str::from_utf8(&line).map(str::trim) {
            Ok("") => continue,
            Ok(text) => json::parse(text).map(|value| (value, None)).map_err(|error| format!("column {}: {}", error.column, error.message)),
            Err(_) => Err("not UTF-8".to_owned()),
        };
        each(Read1 { name, document })?;
    }
}
