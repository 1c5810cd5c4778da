//! Documents from files and standard input: JSON, YAML and JSON lines, one after the other.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use proofmark::json;
use proofmark::yaml::{self, Document};
use serde_json::Value;

/// The largest document that is read, in bytes.
const MAX_DOCUMENT_BYTES: u64 = 256 * 1024 * 1024;
/// How far ahead is looked to see whether a text without a form is JSON lines.
const BUFFER: usize = 1 << 18;

/// The form of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum DocumentForm {
    /// One JSON value.
    Json,
    /// One JSON value a line.
    Jsonl,
    /// One YAML document.
    Yaml,
    /// Structured Markdown, with a packet in it.
    Markdown,
}

/// A document, or why it can't be read.
pub(super) struct Read1 {
    /// Its line, in JSON lines; from 1.
    pub(super) line: Option<u64>,
    /// Its text and form, where it is a whole file.
    pub(super) text: Option<(DocumentForm, String)>,
    /// The value, with places where the form has them.
    pub(super) document: Result<(Value, Option<Document>), String>,
}

impl Read1 {
    fn whole(document: Result<(Value, Option<Document>), String>) -> Self {
        Self { line: None, text: None, document }
    }

    /// Where it came from, for people: the file, with the line where it has one.
    pub(super) fn name(&self, file: &str) -> String {
        name_at(file, self.line)
    }
}

/// A file's name, with a line where there is one.
pub(super) fn name_at(file: &str, line: Option<u64>) -> String {
    line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
}

/// The name that a path has in reports.
pub(super) fn file_name(path: &Path) -> String {
    if path == Path::new("-") { "<stdin>".to_owned() } else { path.display().to_string() }
}

/// Hands every document of a file, or of standard input for `-`, to `each`.
///
/// # Errors
/// Where the file can't be opened or read.
pub(super) fn read_each(path: &Path, form: Option<DocumentForm>, each: &mut dyn FnMut(Read1) -> io::Result<()>) -> io::Result<()> {
    let reader: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory; name the files"));
        }
        Box::new(file)
    };
    let mut reader = BufReader::with_capacity(BUFFER, reader);
    let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default().to_ascii_lowercase();
    let form = form.or(match extension.as_str() {
        "json" => Some(DocumentForm::Json),
        "jsonl" | "ndjson" => Some(DocumentForm::Jsonl),
        "yaml" | "yml" => Some(DocumentForm::Yaml),
        "md" | "markdown" => Some(DocumentForm::Markdown),
        _ => None,
    });
    if form == Some(DocumentForm::Jsonl) || (form.is_none() && begins_like_lines(reader.fill_buf()?)) {
        return lines(&mut reader, each);
    }
    let mut bytes = Vec::new();
    (&mut reader).take(MAX_DOCUMENT_BYTES + 1).read_to_end(&mut bytes)?;
    let refuse = |message: String| Read1::whole(Err(message));
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
    let mut read_as = form;
    let document = match form {
        Some(DocumentForm::Json) => as_json().map_err(|error| error.to_string()),
        Some(DocumentForm::Yaml) => as_yaml().map_err(|error| error.to_string()),
        Some(DocumentForm::Markdown) => Err("Markdown holds packets only".to_owned()),
        _ => match (as_json(), text.trim_start().as_bytes().first()) {
            (Ok(document), _) => {
                read_as = Some(DocumentForm::Json);
                Ok(document)
            }
            // Several values: one a line, as a stream has them.
            (Err(error), Some(b'{')) if error.message.starts_with("trailing") => {
                return lines(&mut text.as_bytes(), each);
            }
            (Err(error), Some(b'{' | b'[')) => Err(error.to_string()),
            _ => as_yaml().map_err(|error| format!("{error} (read as YAML; --form markdown, json or yaml says what it is)")),
        },
    };
    let text = (read_as.unwrap_or(DocumentForm::Yaml), text.to_owned());
    each(Read1 { text: Some(text), ..Read1::whole(document) })
}

/// Whether the first line is an object by itself and another begins behind it.
fn begins_like_lines(start: &[u8]) -> bool {
    let Some(end) = memchr::memchr(b'\n', start) else { return false };
    let is_object = std::str::from_utf8(&start[..end]).ok().and_then(|line| json::parse(line).ok()).is_some_and(|value| value.is_object());
    is_object && start[end..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{')
}

fn lines(reader: &mut dyn BufRead, each: &mut dyn FnMut(Read1) -> io::Result<()>) -> io::Result<()> {
    let mut bytes = Vec::new();
    let mut number = 0;
    loop {
        bytes.clear();
        let read = reader.take(MAX_DOCUMENT_BYTES + 1).read_until(b'\n', &mut bytes)?;
        if read == 0 {
            return Ok(());
        }
        number += 1;
        if number == 1 && bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        let line = Some(number);
        if read as u64 > MAX_DOCUMENT_BYTES {
            return each(Read1 { line, text: None, document: Err(format!("a line of more than {MAX_DOCUMENT_BYTES} bytes")) });
        }
        let document = match std::str::from_utf8(&bytes).map(str::trim) {
            Ok("") => continue,
            Ok(text) => json::parse(text).map(|value| (value, None)).map_err(|error| format!("column {}: {}", error.column, error.message)),
            Err(_) => Err("not UTF-8".to_owned()),
        };
        each(Read1 { line, text: None, document })?;
    }
}
