//! Reading YAML strictly, with the place of every value.
//!
//! The one module that knows `serde_yaml`. Values come from it; places come from a second reader beside it (`saphyr-parser`), since
//! the first has no spans. Before either runs, the text is guarded: both would take seconds over input made to hurt.

use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde::de::DeserializeSeed as _;
use serde_json::Value;

use crate::json::{Strict, pointer_push};

/// The largest YAML text that is read, in bytes.
pub const MAX_BYTES: usize = 8 * 1024 * 1024;
/// The deepest nesting that is read.
pub const MAX_DEPTH: usize = 64;
/// The most values a text may hold once its aliases are expanded.
pub const MAX_NODES: usize = 2_000_000;
/// The most bytes that the pointers to all values of a text may take together: a long key stands in the pointer of everything below it.
const MAX_POINTER_BYTES: usize = 64 * 1024 * 1024;
/// The most bytes of keys and values that a text may hold once its aliases are expanded: each alias is a copy.
const MAX_EXPANDED_BYTES: usize = 64 * 1024 * 1024;
/// Open brackets beyond which a text is refused unread: refusing it later takes time that grows with their square.
const MAX_OPEN_BRACKETS: usize = 500;

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    /// From 1; 0 where unknown.
    pub line: usize,
    /// From 1, in characters; 0 where unknown.
    pub column: usize,
}

/// Why a text is no YAML that the kit reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlError {
    /// Where.
    pub place: Place,
    /// What is wrong, without the position.
    pub message: String,
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.place.line, self.place.column, self.message)
    }
}

impl std::error::Error for YamlError {}

/// A YAML document: its value, and where each part of it stands.
#[derive(Debug, Clone)]
pub struct Document {
    /// The value; mappings with text keys only.
    pub value: Value,
    places: HashMap<String, Place>,
}

impl Document {
    /// The place of every value that stands in the text itself, by its pointer.
    pub(crate) fn into_parts(self) -> (Value, HashMap<String, Place>) {
        (self.value, self.places)
    }

    /// Where the value at a JSON Pointer stands: for a member of a mapping the place of its key. A value that came through an alias,
    /// or that is not there, has the place of the nearest parent that is.
    #[must_use]
    pub fn place(&self, pointer: &str) -> Place {
        let mut pointer = pointer;
        loop {
            if let Some(place) = self.places.get(pointer) {
                return *place;
            }
            match pointer.rfind('/') {
                Some(end) => pointer = &pointer[..end],
                None => return Place { line: 1, column: 1 },
            }
        }
    }
}

/// Reads one YAML document (1.2 core schema) with the place of each value.
///
/// Refused: duplicate keys, keys that are no texts, merge keys, tags of other types, numbers that are not finite, more than one
/// document, and anything beyond [`MAX_BYTES`], [`MAX_DEPTH`] and [`MAX_NODES`].
///
/// # Errors
/// [`YamlError`] with line and column.
pub fn parse(text: &str) -> Result<Document, YamlError> {
    read(text, false)
}

/// Reads one YAML document as [`parse`] does, and refuses anchors, aliases and tags too: what stands there is what is meant.
///
/// # Errors
/// [`YamlError`] with line and column.
pub fn parse_plain(text: &str) -> Result<Document, YamlError> {
    read(text, true)
}

fn read(text: &str, plain: bool) -> Result<Document, YamlError> {
    guard(text)?;
    // Places first: this reader says where a duplicate key stands, the other one only in which mapping.
    let (places, numbers) = places(text, plain)?;
    let mut value = value(text)?;
    // In the core schema leading zeros change nothing, and there are no binary numbers; the reader of values has it otherwise.
    for (pointer, text) in numbers.into_iter().filter(|_| plain) {
        let Some(value) = value.pointer_mut(&pointer) else { continue };
        match (&value, text.parse::<i64>()) {
            (Value::String(_), Ok(whole)) => *value = Value::from(whole),
            (Value::Number(_), Err(_)) => *value = Value::from(text),
            _ => {}
        }
    }
    Ok(Document { value, places })
}

/// Writes a value as one YAML document in block style, in characters that a reader sees: the others are escaped in double quotes. Read
/// again, it is the same value.
#[must_use]
pub fn write(value: &Value) -> String {
    let plain = |value: &Value| serde_yaml::to_string(value).unwrap_or_else(|_| value.to_string());
    if !has_unseen(value) {
        return plain(value);
    }
    // The writer can't be told which characters to escape. It gets a word for each text that has some, and the word is put right behind it.
    let whole = value.to_string();
    let mut sign = "unseen".to_owned();
    while whole.contains(&sign) {
        sign.push('x');
    }
    let mut texts = Vec::new();
    let marked = marked(value, &sign, &mut texts);
    let written = plain(&marked);
    let mut pieces = written.split(&sign);
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let digits = piece.bytes().take_while(u8::is_ascii_digit).count();
        let text = piece[..digits].parse::<usize>().ok().and_then(|at| texts.get(at)).copied().unwrap_or_default();
        let quoted = double_quoted(text);
        out.push_str(&quoted);
        out.push_str(piece.get(digits + quoted.len()..).unwrap_or_default());
    }
    out
}

fn has_unseen(value: &Value) -> bool {
    let unseen = |text: &str| text.contains(|c| c != '\n' && is_unseen(c));
    match value {
        Value::String(text) => unseen(text),
        Value::Array(items) => items.iter().any(has_unseen),
        Value::Object(members) => members.iter().any(|(key, member)| unseen(key) || has_unseen(member)),
        _ => false,
    }
}

/// The value with a word for each text that has unseen characters.
fn marked<'v>(value: &'v Value, sign: &str, texts: &mut Vec<&'v str>) -> Value {
    let mut word = |text: &'v str| {
        if text.contains(|c| c != '\n' && is_unseen(c)) {
            texts.push(text);
            // As long as what will stand there: a long key is written in another way than a short one.
            format!("{sign}{}{}", texts.len() - 1, "_".repeat(double_quoted(text).len()))
        } else {
            text.to_owned()
        }
    };
    match value {
        Value::String(text) => Value::String(word(text)),
        Value::Array(items) => items.iter().map(|item| marked(item, sign, texts)).collect(),
        Value::Object(members) => {
            let keys: Vec<String> = members.keys().map(|key| word(key)).collect();
            keys.into_iter().zip(members.values()).map(|(key, member)| (key, marked(member, sign, texts))).collect()
        }
        other => other.clone(),
    }
}

fn double_quoted(text: &str) -> String {
    let mut out = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if is_unseen(c) => out.push_str(&format!("\\U{:08X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out + "\""
}

/// Whether a character would not be seen, or would change how others are: controls, bidirectional controls, separators without width, what
/// looks like nothing, the byte order mark and its mirror images.
#[must_use]
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{fffe}'..='\u{ffff}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

fn value(text: &str) -> Result<Value, YamlError> {
    let nodes = Cell::new(MAX_NODES);
    // The reader's iterator over documents never ends after a syntax error, so it is asked twice and no more.
    let mut documents = serde_yaml::Deserializer::from_str(text);
    let Some(first) = documents.next() else {
        return Err(YamlError { place: Place { line: 1, column: 1 }, message: "the document is empty".into() });
    };
    let value = Strict::bounded(&nodes, MAX_DEPTH).deserialize(first).map_err(convert)?;
    if documents.next().is_some() {
        return Err(YamlError { place: Place { line: 1, column: 1 }, message: MANY.into() });
    }
    Ok(value)
}

const MANY: &str = "a second document; write one to a file";

fn convert(error: serde_yaml::Error) -> YamlError {
    let place = error.location().map_or(Place { line: 1, column: 1 }, |at| Place { line: at.line(), column: at.column() });
    let message = without_places(&error.to_string());
    YamlError { place, message }
}

/// The reader puts places into its words, the last of them the one that is said anyway.
fn without_places(text: &str) -> String {
    let mut message = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(" at line ") {
        message.push_str(&rest[..start]);
        let place = &rest[start + " at line ".len()..];
        rest = place.trim_start_matches(|c: char| c.is_ascii_digit());
        if let Some(column) = rest.strip_prefix(" column ") {
            rest = column.trim_start_matches(|c: char| c.is_ascii_digit());
        }
    }
    message + rest
}

fn guard(text: &str) -> Result<(), YamlError> {
    let refuse = |line: usize, message: String| Err(YamlError { place: Place { line, column: 1 }, message });
    if text.len() > MAX_BYTES {
        return refuse(1, format!("{} bytes; at most {MAX_BYTES} are read", text.len()));
    }
    let mut open = 0_usize;
    let mut line = 1;
    // Block indicators at the head of a line, each of which opens a collection: `- - - x`.
    let mut indicators = 0_usize;
    let mut at_head = true;
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => open += 1,
            b']' | b'}' => open = open.saturating_sub(1),
            b'\n' => {
                line += 1;
                indicators = 0;
                at_head = true;
                continue;
            }
            _ => {}
        }
        match byte {
            b' ' if at_head => indicators += 1,
            b'-' | b'?' | b':' => {}
            _ => at_head = false,
        }
        if open > MAX_OPEN_BRACKETS || (indicators > MAX_OPEN_BRACKETS && at_head && byte != b' ') {
            return refuse(line, format!("nested too deeply (more than {MAX_OPEN_BRACKETS} collections open)"));
        }
    }
    Ok(())
}

/// How many bytes a text has once its aliases are expanded.
#[derive(Default)]
struct Expansion {
    bytes: usize,
    /// By anchor, what an alias of it adds.
    anchored: HashMap<usize, usize>,
    /// The anchors of open collections, and how many bytes came before each.
    open: Vec<(usize, usize)>,
}

impl Expansion {
    /// Counts an event; false where it is too much.
    fn takes(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Scalar(text, _, anchor, _) => {
                self.bytes = self.bytes.saturating_add(text.len());
                self.anchored.insert(*anchor, text.len());
            }
            Event::Alias(anchor) => {
                self.bytes = self.bytes.saturating_add(self.anchored.get(anchor).copied().unwrap_or(0));
            }
            Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) => self.open.push((*anchor, self.bytes)),
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some((anchor, before)) = self.open.pop() {
                    self.anchored.insert(anchor, self.bytes - before);
                }
            }
            _ => {}
        }
        self.bytes <= MAX_EXPANDED_BYTES
    }
}

enum Frame {
    Sequence { next: usize },
    Mapping { key: Option<(String, Place)> },
}

/// What an event has beside its value.
fn ornament(event: &Event<'_>) -> Option<&'static str> {
    let (anchor, tag) = match event {
        Event::Alias(_) => return Some("an alias"),
        Event::Scalar(_, _, anchor, tag) => (*anchor, tag.is_some()),
        Event::SequenceStart(anchor, tag) | Event::MappingStart(anchor, tag) => (*anchor, tag.is_some()),
        _ => return None,
    };
    if anchor > 0 { Some("an anchor") } else { tag.then_some("a tag") }
}

/// By pointer, the plain texts that the reader of values takes for what they are not: whole numbers with leading zeros, and binary ones.
type Misread = Vec<(String, String)>;

/// The place of each value, and what the reader of values misreads.
fn places(text: &str, plain: bool) -> Result<(HashMap<String, Place>, Misread), YamlError> {
    let mut places = HashMap::new();
    let mut numbers = Vec::new();
    let mut pointer_bytes = 0;
    let mut expansion = Expansion::default();
    let mut stack: Vec<Frame> = Vec::new();
    let mut pointer = String::new();
    let mut lengths: Vec<usize> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| YamlError {
            place: Place { line: error.marker().line(), column: error.marker().col() + 1 },
            message: error.info().to_owned(),
        })?;
        let here = Place { line: span.start.line(), column: span.start.col() + 1 };
        if let Some(what) = ornament(&event).filter(|_| plain) {
            return Err(YamlError { place: here, message: format!("{what}, which a plain document does not have") });
        }
        if !expansion.takes(&event) {
            return Err(YamlError { place: here, message: format!("aliases that stand for more than {MAX_EXPANDED_BYTES} bytes") });
        }
        match event {
            Event::Scalar(..) | Event::Alias(_) | Event::SequenceStart(..) | Event::MappingStart(..) => {
                if let (Some(Frame::Mapping { key: key @ None }), Event::Scalar(text, ..)) = (stack.last_mut(), &event) {
                    *key = Some((text.clone().into_owned(), here));
                    continue;
                }
                lengths.push(pointer.len());
                let place = match stack.last_mut() {
                    Some(Frame::Sequence { next }) => {
                        pointer = pointer_push(&pointer, *next);
                        *next += 1;
                        here
                    }
                    Some(Frame::Mapping { key }) => {
                        let Some((name, at)) = key.take() else {
                            return Err(YamlError { place: here, message: "a key that is no text".into() });
                        };
                        pointer = pointer_push(&pointer, name);
                        at
                    }
                    None => here,
                };
                pointer_bytes += pointer.len();
                if pointer_bytes > MAX_POINTER_BYTES {
                    return Err(YamlError { place, message: "long keys above many values".into() });
                }
                if places.insert(pointer.clone(), place).is_some() {
                    let key = pointer.rsplit('/').next().unwrap_or_default();
                    return Err(YamlError { place, message: format!("duplicate key {key:?}") });
                }
                if let Event::Scalar(text, ScalarStyle::Plain, ..) = &event
                    && (has_leading_zeros(text) || is_binary(text))
                {
                    numbers.push((pointer.clone(), text.clone().into_owned()));
                }
                match event {
                    Event::SequenceStart(..) => stack.push(Frame::Sequence { next: 0 }),
                    Event::MappingStart(..) => stack.push(Frame::Mapping { key: None }),
                    _ => pointer.truncate(lengths.pop().unwrap_or(0)),
                }
            }
            Event::SequenceEnd | Event::MappingEnd => {
                stack.pop();
                pointer.truncate(lengths.pop().unwrap_or(0));
            }
            Event::DocumentStart(_) if !places.is_empty() => return Err(YamlError { place: here, message: MANY.into() }),
            _ => {}
        }
    }
    Ok((places, numbers))
}

fn is_binary(text: &str) -> bool {
    text.strip_prefix(['-', '+']).unwrap_or(text).starts_with("0b")
}

fn has_leading_zeros(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn every_value_has_the_place_of_its_key() {
        let document = parse("cases:\n  - id: a.b\n    given: {x: [1, 2]}\n  - id: c\n").unwrap();
        assert_eq!(document.place("/cases/0/id"), Place { line: 2, column: 5 });
        assert_eq!(document.place("/cases/0/given/x/1"), Place { line: 3, column: 20 });
        assert_eq!(document.place("/cases/1"), Place { line: 4, column: 5 });
        assert_eq!(document.place("/cases/1/none/at/all"), Place { line: 4, column: 5 });
    }

    #[test]
    fn aliases_have_the_place_where_they_are_used() {
        let document = parse("shared: &s {deep: 1}\nuse: *s\n").unwrap();
        assert_eq!(document.value["use"], json!({"deep": 1}));
        assert_eq!(document.place("/use/deep"), Place { line: 2, column: 1 });
    }

    #[test]
    fn the_core_schema_has_no_norway() {
        assert_eq!(parse("[no, yes, on, 012, 1_000, 2026-01-01]").unwrap().value[0], json!("no"));
    }

    #[test]
    fn duplicates_merge_keys_and_infinities_are_refused_with_their_line() {
        assert!(message("a: 1\nb: 2\na: 3\n").contains("line 3"), "{}", message("a: 1\nb: 2\na: 3\n"));
        assert!(message("x: &x {a: 1}\ny:\n  <<: *x\n").contains("merge keys"));
        assert!(message("a: .inf").contains("not finite"));
        assert!(message("a: .nan").contains("not finite"));
        assert!(message("a: 1\n---\nb: 2\n").starts_with("line 2, column 1: a second document"));
    }

    #[test]
    fn a_plain_document_has_the_numbers_of_the_core_schema() {
        let value = parse_plain("[007, -007, 0b11, -0b11, '0b11', 0x1F, 0o17, 0b, 1e3, '007']").unwrap().value;
        assert_eq!(value, json!([7, -7, "0b11", "-0b11", "0b11", 31, 15, "0b", 1e3, "007"]));
    }

    #[test]
    fn an_alias_counts_as_often_as_it_stands() {
        let of = |bytes: usize, uses: usize| format!("a: &a [{}]\nb: [{}]\n", "x".repeat(bytes), vec!["*a"; uses].join(", "));
        assert!(parse(&of(1 << 20, 62)).is_ok());
        assert!(message(&of(1 << 20, 64)).contains("aliases that stand for more"), "{}", message(&of(1 << 20, 64)));
        let nested = format!("a: &a {}\nb: &b [*a, *a, *a, *a]\nc: &c [*b, *b, *b, *b]\nd: [*c, *c, *c, *c]\n", "x".repeat(1 << 20));
        assert!(message(&nested).contains("aliases that stand for more"));
    }

    #[test]
    fn what_is_written_is_seen_and_read_again() {
        let unseen = (0..=char::MAX as u32).filter_map(char::from_u32).filter(|c| is_unseen(*c));
        for text in [unseen.collect::<String>(), "a\u{200d}\nb".into(), "\u{ad}\"\\ unseen0".into(), "plain: # text\n".into(), "\t".into()]
        {
            let value = json!({"unseen": text, text.clone(): [text, {"k": 1}], "unseenx1": 0});
            let written = write(&value);
            assert_eq!(written.chars().find(|c| *c != '\n' && is_unseen(*c)), None, "{written}");
            assert_eq!(parse_plain(&written).unwrap().value, value, "{written}");
        }
    }

    #[test]
    fn hostile_texts_are_refused_at_once() {
        let bomb: String = (1..40).fold("a0: &a0 [x, x, x, x, x, x, x, x]\n".to_owned(), |text, at| {
            let last = at - 1;
            text + &format!("a{at}: &a{at} [*a{last}, *a{last}, *a{last}, *a{last}, *a{last}, *a{last}]\n")
        });
        for text in [
            "{a: ".repeat(40_000),
            "[".repeat(200_000),
            "- ".repeat(100_000),
            "? ".repeat(100_000),
            bomb,
            "a: \u{0}".to_owned(),
            "&a [*a]".to_owned(),
            "x".repeat(MAX_BYTES + 1),
        ] {
            let started = std::time::Instant::now();
            assert!(parse(&text).is_err(), "{}", &text[..text.len().min(40)]);
            assert!(started.elapsed().as_secs() < 20, "a hang, not a refusal");
        }
    }

    #[test]
    fn words_hold_no_second_place() {
        assert_eq!(without_places("found a tab at line 2 column 1, while scanning at line 3 column 4"), "found a tab, while scanning");
        assert_eq!(without_places("duplicate key \"a\""), "duplicate key \"a\"");
        let error = parse("a:\n\t- b").unwrap_err();
        assert!(!error.message.contains("line"), "{error}");
    }

    #[test]
    fn a_long_key_above_many_values_is_refused_before_its_pointers_fill_the_memory() {
        let text = format!("? {}\n: [{}]\n", "k".repeat(100_000), "1,".repeat(100_000));
        assert!(parse(&text).unwrap_err().message.contains("long keys"));
    }

    #[test]
    fn a_rule_of_dashes_in_a_text_is_no_nesting() {
        assert!(parse(&format!("a: |\n  {}\n", "-".repeat(4000))).is_ok());
    }
}
