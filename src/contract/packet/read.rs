//! Reading a packet: JSON, YAML and structured Markdown into one model, with the place of each value.

use std::collections::HashMap;
use std::fmt;

use serde_json::Value;

use super::markdown;
use crate::json;
use crate::yaml::{self, Place};

/// The form of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaType {
    /// `application/json`
    Json,
    /// `application/yaml`
    Yaml,
    /// `text/markdown`
    Markdown,
}

impl MediaType {
    /// The form of this media type.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "application/json" => Some(Self::Json),
            "application/yaml" => Some(Self::Yaml),
            "text/markdown" => Some(Self::Markdown),
            _ => None,
        }
    }
}

/// A packet that was read: its value, a mapping, and where each part of it stands.
#[derive(Debug, Clone)]
pub struct Read {
    /// The packet.
    pub packet: Value,
    pub(super) places: HashMap<String, Place>,
}

impl Read {
    /// Where the value at a pointer stands; of one that is not there, the nearest parent. JSON has no places.
    #[must_use]
    pub fn place(&self, pointer: &str) -> Option<Place> {
        let mut pointer = pointer;
        loop {
            if let Some(place) = self.places.get(pointer) {
                return Some(*place);
            }
            pointer = &pointer[..pointer.rfind('/')?];
        }
    }
}

/// Why a document is no packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// Where, if there is one place.
    pub place: Option<Place>,
    /// What is wrong, without the place.
    pub message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some(place) => write!(f, "line {}, column {}: {}", place.line, place.column, self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for ReadError {}

impl From<yaml::YamlError> for ReadError {
    fn from(error: yaml::YamlError) -> Self {
        Self { place: Some(error.place), message: error.message }
    }
}

impl ReadError {
    pub(super) fn at(line: usize, message: impl Into<String>) -> Self {
        Self { place: Some(Place { line, column: 1 }), message: message.into() }
    }
}

/// Reads a document as a packet.
///
/// # Errors
/// [`ReadError`] for what can't be read: broken syntax, a duplicate key, what YAML has beyond plain values, no packet or several in Markdown,
/// a root that is no mapping.
///
/// ```
/// use proofmark::contract::packet::{MediaType, read};
///
/// let markdown = "Some prose.\n\n```yaml\nobservation_id: o-1\nwork_slice_id: w-1\n```\n";
/// assert_eq!(read(markdown, MediaType::Markdown).unwrap().packet["observation_id"], "o-1");
/// ```
pub fn read(document: &str, media_type: MediaType) -> Result<Read, ReadError> {
    let read = match media_type {
        MediaType::Json => {
            let packet = json::parse(document).map_err(|error| {
                let place = (error.line > 0).then(|| Place { line: error.line, column: characters(document, error.line, error.column) });
                ReadError { place, message: error.message }
            })?;
            Read { packet, places: HashMap::new() }
        }
        MediaType::Yaml => {
            let (packet, places) = yaml::parse_plain(document)?.into_parts();
            Read { packet, places }
        }
        MediaType::Markdown => markdown::read(document)?,
    };
    if read.packet.is_object() {
        return Ok(read);
    }
    Err(ReadError { place: None, message: format!("it is of type {}, not a mapping", json::type_name(&read.packet)) })
}

/// A column in characters, from one in bytes; both from 1.
fn characters(text: &str, line: usize, column: usize) -> usize {
    let line = text.split('\n').nth(line.saturating_sub(1)).unwrap_or_default();
    line.char_indices().take_while(|(at, _)| *at + 1 < column).count() + 1
}
