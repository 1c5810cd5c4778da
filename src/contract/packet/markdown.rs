//! Structured Markdown: a packet in front matter, in a fenced block, or under headings. The one module that knows `pulldown_cmark`.

use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use serde_json::{Map, Value};

use super::read::{Read, ReadError};
use super::{AUTHORITY_KEYS, MAPPINGS, SEQUENCES, TEXTS, folded};
use crate::json::{self, pointer_push};
use crate::yaml::{self, Place};

const NO_PACKET: &str = "no packet is there: neither front matter, nor a fenced block of yaml or json, nor headings with a list item \
                         observation_id or work_slice_id before them";
/// Lines of packets that are named where there are several.
const MAX_LINES_SHOWN: usize = 10;

/// A block at the top level of a document.
#[derive(Debug)]
struct Block {
    kind: Kind,
    /// Its first line, from 1.
    line: usize,
    /// The lines that it covers.
    text: Range<usize>,
}

#[derive(Debug)]
enum Kind {
    Heading {
        level: HeadingLevel,
        name: String,
    },
    /// With the lines on which its items begin.
    List {
        items: Vec<usize>,
    },
    Fence {
        info: String,
        body: String,
    },
    Rule,
    Paragraph,
    Other,
}

type Places = HashMap<String, Place>;

pub(super) fn read(document: &str) -> Result<Read, ReadError> {
    let text = document.strip_prefix('\u{feff}').unwrap_or(document).replace("\r\n", "\n");
    let lines: Vec<&str> = text.split('\n').collect();
    // A block that can't be read is prose. Where nothing else is there, it is said all the same.
    let mut unreadable = None;
    let mut candidates: Vec<(usize, Result<Read, ReadError>)> = Vec::new();
    let mut first = 0;
    if lines[0] == "---"
        && let Some(end) = lines.iter().skip(1).position(|line| *line == "---").map(|at| at + 1)
    {
        first = end + 1;
        match parsed(&lines[1..end].join("\n"), false) {
            Ok(parsed) => candidates.extend(embedded(parsed, 1).map(|read| (1, Ok(read)))),
            Err(error) => unreadable = Some((1, error)),
        }
    }
    let rest = lines[first..].join("\n");
    let blocks = blocks(&rest, first);
    for block in &blocks {
        if let Kind::Fence { info, body } = &block.kind {
            let form = match info.as_str() {
                "yaml" | "yml" => Some(false),
                "json" => Some(true),
                _ => None,
            };
            let Some(is_json) = form else { continue };
            match parsed(body, is_json) {
                Ok(parsed) => candidates.extend(embedded(parsed, block.line).map(|read| (block.line, Ok(read)))),
                Err(error) => drop(unreadable.get_or_insert((block.line, error))),
            }
        }
    }
    candidates.extend(headed(&lines, &blocks));
    match candidates.len() {
        1 => candidates.remove(0).1,
        0 => {
            let unreadable =
                unreadable.map_or_else(String::new, |(line, error)| format!("; the block at line {line} can't be read: {error}"));
            Err(ReadError { place: None, message: format!("{NO_PACKET}{unreadable}") })
        }
        _ => {
            let mut at: Vec<usize> = candidates.iter().map(|(line, _)| *line).collect();
            at.sort_unstable();
            let shown: Vec<String> = at.iter().take(MAX_LINES_SHOWN).map(ToString::to_string).collect();
            let more = if at.len() > MAX_LINES_SHOWN { format!(" and {} more", at.len() - MAX_LINES_SHOWN) } else { String::new() };
            Err(ReadError { place: None, message: format!("more than one packet is there, at the lines {}{more}", shown.join(", ")) })
        }
    }
}

fn parsed(text: &str, is_json: bool) -> Result<(Value, Places), String> {
    if is_json {
        return json::parse(text).map(|value| (value, Places::new())).map_err(|error| error.to_string());
    }
    yaml::parse_plain(text).map(yaml::Document::into_parts).map_err(|error| error.to_string())
}

/// A mapping with an id of a packet, out of a text that begins below a line.
fn embedded(parsed: (Value, Places), below: usize) -> Option<Read> {
    let (packet, places) = parsed;
    let is_packet = ["observation_id", "work_slice_id"].iter().any(|key| packet.get(*key).is_some());
    is_packet.then(|| Read { packet, places: moved(places, "", below, 0) })
}

/// Places of a part of a document: below a pointer, further down, and to the right.
fn moved(places: Places, below: &str, lines: usize, columns: usize) -> Places {
    let place = |place: Place| Place { line: place.line + lines, column: place.column + columns };
    places.into_iter().map(|(pointer, at)| (format!("{below}{pointer}"), place(at))).collect()
}

/// The blocks at the top level of a text whose first line follows so many others.
fn blocks(text: &str, lines_before: usize) -> Vec<Block> {
    let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let line_of = |at: usize| starts.partition_point(|start| *start <= at) + lines_before;
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut open: Option<(Kind, Range<usize>)> = None;
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    let kind = match tag {
                        // A line of signs under a paragraph makes prose of it.
                        Tag::Heading { level, .. } if text[range.clone()].trim_start().starts_with('#') => {
                            Kind::Heading { level, name: String::new() }
                        }
                        Tag::Heading { .. } | Tag::Paragraph => Kind::Paragraph,
                        Tag::List(_) => Kind::List { items: Vec::new() },
                        Tag::CodeBlock(CodeBlockKind::Fenced(info)) => Kind::Fence { info: info.trim().to_owned(), body: String::new() },
                        _ => Kind::Other,
                    };
                    open = Some((kind, range.clone()));
                } else if let (1, Tag::Item, Some((Kind::List { items }, _))) = (depth, &tag, &mut open) {
                    items.push(line_of(range.start));
                }
                depth += 1;
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                let is_block = !matches!(end, TagEnd::Item);
                if let Some((kind, range)) = open.take_if(|_| depth == 0 && is_block) {
                    let last = text[range.clone()].trim_end().len() + range.start;
                    let line = line_of(range.start);
                    found.push(Block { kind, line, text: line..line_of(last.saturating_sub(1).max(range.start)) + 1 });
                }
            }
            Event::Rule if depth == 0 => {
                let line = line_of(range.start);
                found.push(Block { kind: Kind::Rule, line, text: line..line + 1 });
            }
            Event::Text(part) | Event::Code(part) => match &mut open {
                Some((Kind::Heading { name, .. }, _)) => name.push_str(&part),
                Some((Kind::Fence { body, .. }, _)) => body.push_str(&part),
                _ => {}
            },
            _ => {}
        }
    }
    found
}

/// Whether an item before the first section with this key belongs to the packet.
fn is_top_key(key: &str) -> bool {
    let name = folded(key);
    AUTHORITY_KEYS.contains(&name.as_str()) || TEXTS.into_iter().chain(MAPPINGS).chain(SEQUENCES).any(|known| folded(known) == name)
}

fn known_key(heading: &str) -> Option<&'static str> {
    let name = folded(heading);
    MAPPINGS.into_iter().chain(SEQUENCES).find(|key| folded(key) == name)
}

/// The name of a heading of level 2.
fn section_name(block: &Block) -> Option<&str> {
    match &block.kind {
        Kind::Heading { level: HeadingLevel::H2, name } => Some(name),
        _ => None,
    }
}

/// The packet under headings, where there is one: its first line, and how it reads.
fn headed(lines: &[&str], blocks: &[Block]) -> Option<(usize, Result<Read, ReadError>)> {
    let first = blocks.iter().position(|block| section_name(block).and_then(known_key).is_some())?;
    let mut read = Headed { lines, packet: Map::new(), places: Places::new() };
    let mut has_id = false;
    for block in &blocks[..first] {
        if let Kind::List { items } = &block.kind {
            match read.preamble(block, items) {
                Ok(found) => has_id |= found,
                Err(error) => return Some((block.line, Err(error))),
            }
        }
    }
    if !has_id {
        return None;
    }
    let line = blocks[..first].first().map_or(blocks[first].line, |block| block.line);
    Some((line, read.sections(&blocks[first..]).map(|()| Read { packet: Value::Object(read.packet), places: read.places })))
}

struct Headed<'a> {
    lines: &'a [&'a str],
    packet: Map<String, Value>,
    places: Places,
}

impl Headed<'_> {
    /// The line of this number, from 1.
    fn line(&self, number: usize) -> &str {
        self.lines.get(number - 1).copied().unwrap_or_default()
    }

    fn insert(&mut self, key: &str, value: Value, line: usize) -> Result<(), ReadError> {
        if self.packet.contains_key(key) {
            return Err(ReadError::at(line, format!("{key} stands there twice")));
        }
        self.packet.insert(key.to_owned(), value);
        self.places.insert(pointer_push("", key), Place { line, column: 1 });
        Ok(())
    }

    /// Takes the items of a list before the first section; says whether one is an id.
    fn preamble(&mut self, block: &Block, items: &[usize]) -> Result<bool, ReadError> {
        let mut has_id = false;
        for (at, start) in items.iter().enumerate() {
            let end = items.get(at + 1).copied().unwrap_or(block.text.end);
            let (text, width, document) = match self.item(*start..end) {
                Ok((text, width)) => {
                    let document = yaml::parse_plain(&text);
                    (text, width, document)
                }
                Err(_) => continue,
            };
            let document = match document {
                Ok(document) => document,
                // Prose may look like anything; a key of a packet that can't be read is none.
                Err(error) => match text.split_once(':') {
                    Some((key, _)) if is_top_key(key.trim()) => {
                        return Err(ReadError::at(
                            error.place.line + start - 1,
                            format!("a list line that can't be read: {}", error.message),
                        ));
                    }
                    _ => continue,
                },
            };
            let (value, places) = document.into_parts();
            let Value::Object(members) = value else { continue };
            for (key, value) in members {
                if !is_top_key(&key) {
                    continue;
                }
                has_id |= key == "observation_id" || key == "work_slice_id";
                self.insert(&key, value, *start)?;
            }
            let ours = places.into_iter().filter(|(pointer, _)| self.packet.contains_key(pointer.split('/').nth(1).unwrap_or_default()));
            self.places.extend(moved(ours.collect(), "", start - 1, width));
        }
        Ok(has_id)
    }

    fn sections(&mut self, blocks: &[Block]) -> Result<(), ReadError> {
        let mut at = 0;
        while let Some(heading) = blocks.get(at) {
            let Some(name) = section_name(heading) else { break };
            let ends = |block: &Block| match &block.kind {
                Kind::Heading { level, .. } => *level <= HeadingLevel::H2,
                Kind::Rule => true,
                _ => false,
            };
            let length = blocks[at + 1..].iter().position(ends).unwrap_or(blocks.len() - at - 1);
            let body = &blocks[at + 1..at + 1 + length];
            match known_key(name) {
                Some(key) if SEQUENCES.contains(&key) => self.sequence(key, heading.line, body)?,
                Some(key) => self.mapping(key, heading.line, body)?,
                None => {
                    let only_lists = !body.is_empty() && body.iter().all(|block| matches!(block.kind, Kind::List { .. }));
                    // Another heading ends the packet, unless all below it is a mapping.
                    if !only_lists || self.mapping(&folded(name), heading.line, body).is_err() {
                        break;
                    }
                }
            }
            at += 1 + length;
        }
        Ok(())
    }

    /// The text of one item without its marker, which is as wide as the answer says; lines keep their order.
    fn item(&self, lines: Range<usize>) -> Result<(String, usize), ReadError> {
        let first = self.line(lines.start);
        let (indent, marker) = marker(first).ok_or_else(|| ReadError::at(lines.start, "a list line that can't be read"))?;
        let width = indent + marker;
        let mut text = format!("{}\n", first.get(width..).unwrap_or_default());
        for number in lines.skip(1) {
            let line = self.line(number);
            if !line.trim().is_empty() {
                let inner = line.get(..width).filter(|head| head.trim().is_empty()).and_then(|_| line.get(width..));
                let inner = inner.ok_or_else(|| ReadError::at(number, "a line of a list item that is not indented as its item is"))?;
                text.push_str(&dashed(inner));
            }
            text.push('\n');
        }
        Ok((text, width))
    }

    fn mapping(&mut self, key: &str, line: usize, body: &[Block]) -> Result<(), ReadError> {
        let mut members = Map::new();
        let mut places = Places::new();
        let pointer = pointer_push("", key);
        for block in body {
            let Kind::List { items } = &block.kind else { continue };
            for (at, start) in items.iter().enumerate() {
                let end = items.get(at + 1).copied().unwrap_or(block.text.end);
                let (text, width) = self.item(*start..end)?;
                let below = start - 1;
                let document = yaml::parse_plain(&text).map_err(|error| {
                    ReadError::at(error.place.line + below, format!("a list line that can't be read: {}", error.message))
                })?;
                let (value, found) = document.into_parts();
                let Value::Object(found_members) = value else {
                    return Err(ReadError::at(*start, "a list line that is no `key: value`"));
                };
                for (name, value) in found_members {
                    if members.insert(name.clone(), value).is_some() {
                        return Err(ReadError::at(*start, format!("{name} stands there twice")));
                    }
                }
                places.extend(moved(found, &pointer, below, width));
            }
        }
        if members.is_empty() {
            return self.unless_seen(key, line);
        }
        self.insert(key, Value::Object(members), line)?;
        places.remove(&pointer);
        self.places.extend(places);
        Ok(())
    }

    fn sequence(&mut self, key: &str, line: usize, body: &[Block]) -> Result<(), ReadError> {
        let mut all: Option<Vec<Value>> = None;
        let mut places = Places::new();
        for block in body {
            let text = match &block.kind {
                Kind::List { items } => {
                    let mut text = String::new();
                    let indent = marker(self.line(block.line)).map_or(0, |(indent, _)| indent);
                    for number in block.text.clone() {
                        let line = self.line(number);
                        let inner = line.get(indent..).filter(|_| line[..indent].trim().is_empty()).unwrap_or(line.trim_start());
                        let is_ours = items.binary_search(&number).is_ok() || inner.starts_with(' ') || inner.trim().is_empty();
                        if !is_ours {
                            return Err(ReadError::at(number, "a line of a list item that is not indented as its item is"));
                        }
                        text.push_str(&dashed(inner));
                        text.push('\n');
                    }
                    text
                }
                // `[]`, or another flow sequence, in a paragraph of its own.
                Kind::Paragraph if self.line(block.line).trim_start().starts_with('[') => {
                    block.text.clone().map(|number| self.line(number).to_owned() + "\n").collect()
                }
                _ => continue,
            };
            let below = block.line - 1;
            let is_list = matches!(block.kind, Kind::List { .. });
            let document = match yaml::parse_plain(&text) {
                Ok(document) => document,
                Err(error) if is_list => {
                    return Err(ReadError::at(error.place.line + below, format!("a list line that can't be read: {}", error.message)));
                }
                // A paragraph that begins with a bracket may be prose.
                Err(_) => continue,
            };
            let (value, found) = document.into_parts();
            let Value::Array(items) = value else { continue };
            let before = all.as_ref().map_or(0, Vec::len);
            for (pointer, place) in found {
                let Some((index, rest)) = split_index(&pointer) else { continue };
                let pointer = format!("{}{rest}", pointer_push(&pointer_push("", key), index + before));
                places.insert(pointer, Place { line: place.line + below, column: place.column });
            }
            all.get_or_insert_default().extend(items);
        }
        match all {
            None => self.unless_seen(key, line),
            Some(items) => {
                self.insert(key, Value::Array(items), line)?;
                self.places.extend(places);
                Ok(())
            }
        }
    }

    /// An empty section is missing; a second one of its name is a fault all the same.
    fn unless_seen(&self, key: &str, line: usize) -> Result<(), ReadError> {
        if self.packet.contains_key(key) { Err(ReadError::at(line, format!("{key} stands there twice"))) } else { Ok(()) }
    }
}

fn split_index(pointer: &str) -> Option<(usize, &str)> {
    let inner = pointer.strip_prefix('/')?;
    let (index, rest) = inner.split_at(inner.find('/').unwrap_or(inner.len()));
    Some((index.parse().ok()?, rest))
}

/// How far a list line is indented, and how wide its marker is with the blanks behind it.
fn marker(line: &str) -> Option<(usize, usize)> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let inner = &line[indent..];
    let sign = match inner.as_bytes().first()? {
        b'-' | b'*' | b'+' => 1,
        b'0'..=b'9' => {
            let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
            matches!(inner.as_bytes().get(digits), Some(b'.' | b')')).then_some(digits + 1)?
        }
        _ => return None,
    };
    let behind = &inner[sign..];
    let blanks = behind.len() - behind.trim_start_matches(' ').len();
    (blanks > 0 || behind.is_empty()).then_some((indent, sign + blanks))
}

/// A line whose list marker, where it has one, is a dash of the same width.
fn dashed(line: &str) -> String {
    match marker(line) {
        Some((indent, width)) => {
            let rest = &line[indent + width..];
            let dash = format!("-{}", " ".repeat(width - 1));
            format!("{}{}{rest}", &line[..indent], if rest.is_empty() { "-" } else { dash.as_str() })
        }
        None => line.to_owned(),
    }
}
