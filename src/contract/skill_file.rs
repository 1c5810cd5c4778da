//! SKILL.md: one file as a registry entry.
//!
//! No host is judged by this. How a host reads its skill files is its own affair; the kit reads them so that people can point it at
//! the skills they have. So the reading is strict where two hosts would read two things, tolerant of what public collections hold,
//! and each refusal names a line of the file and says what to do about it.
//!
//! A file is front matter (YAML between a first line `---` and the next such line) and a body. A UTF-8 byte order mark before the
//! first line, CRLF line ends and blanks behind `---` are tolerated. `...` does not end front matter, nor does an indented `---`.

use std::fmt;

use serde_json::{Map, Value};

use crate::json::type_name;
use crate::yaml::{self, Document, Place, YamlError};

/// Keys whose value is a text, as an entry spells them.
const TEXTS: [&str; 5] = ["name", "namespace", "short", "description", "when_to_use"];
/// Keys whose value is a boolean, as an entry spells them.
const FLAGS: [&str; 2] = ["disable_model_invocation", "require_signature"];

/// One SKILL.md, read.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillFile {
    /// The registry entry: `name` (never empty), `body` (perhaps empty), `source` where a label was given, and of the front matter
    /// `namespace`, `short`, `description`, `when_to_use`, `disable_model_invocation` and `require_signature`, where it has them.
    /// Keys are spelt with underscores whatever the file does.
    pub entry: Map<String, Value>,
    /// What is odd in a file that could be read, in the order of the file.
    pub warnings: Vec<SkillFileError>,
}

/// What is wrong with a SKILL.md, or odd in it, and where.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SkillFileError {
    /// The line of the file, from 1.
    pub line: usize,
    /// The column, from 1, in characters; a byte order mark does not count.
    pub column: usize,
    /// What is wrong and what to do about it, without the position.
    pub message: String,
}

impl fmt::Display for SkillFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for SkillFileError {}

impl SkillFileError {
    fn new(place: Place, message: impl Into<String>) -> Self {
        Self { line: place.line, column: place.column, message: message.into() }
    }

    /// At a byte of a text; `first_line` is the line of the file that the text begins with.
    fn at(text: &str, offset: usize, first_line: usize, message: impl Into<String>) -> Self {
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = first_line + before.matches('\n').count();
        Self::new(Place { line, column: before[line_start..].chars().count() + 1 }, message)
    }
}

/// Reads the bytes of a SKILL.md as a registry entry.
///
/// `directory_name` is the last part of the path of the file's directory; it is the name of a skill whose front matter has none, or
/// a blank one. `source` is the layer label that the entry gets (none where it is empty): it is given, never read from the file, and
/// neither are `score`, `reason`, `trigger`, `provenance`, `body` and `prompt`. Any other key is passed over in silence.
///
/// Texts and flags are copied as given, untrimmed. Hyphens and underscores in keys mean the same; where a file has both spellings
/// the underscores win. A text that is of another type counts as absent. The body is what follows the closing line, to the byte: a
/// blank first line and CRLF stay, as in the shipping host that was measured (others trim both ends). Front matter that is empty
/// counts as a mapping without keys.
///
/// No limit is set on the size of the file beyond [`yaml::MAX_BYTES`] for its front matter.
///
/// # Errors
/// The first thing that keeps the file from being read: it is not UTF-8 or holds a NUL; there is no front matter or no end of it;
/// that is no YAML, or no mapping, or holds characters that YAML readers disagree about; there is no name at all.
///
/// ```
/// use proofmark::contract::skill_file::read;
///
/// let file = read(b"---\ndescription: Ships a build\nwhen-to-use: on release\n---\n# Deploy\n", "deploy", Some("project")).unwrap();
/// assert_eq!(file.entry["name"], "deploy");
/// assert_eq!(file.entry["when_to_use"], "on release");
/// assert_eq!(file.entry["source"], "project");
/// assert_eq!(file.entry["body"], "# Deploy\n");
///
/// let error = read(b"---\nname: deploy\ndescription: Ships: builds\n---\n", "deploy", None).unwrap_err();
/// assert_eq!((error.line, error.column), (3, 19));
/// assert!(error.message.contains("put the value of `description` in quotes"), "{error}");
/// ```
pub fn read(bytes: &[u8], directory_name: &str, source: Option<&str>) -> Result<SkillFile, SkillFileError> {
    let (block, body) = split(decode(bytes)?)?;
    refuse_odd_characters(block)?;
    let document = yaml::parse(block).map_err(|error| in_file(block, &error))?;
    let mut warnings = Vec::new();
    let none = Map::new();
    let members = match &document.value {
        Value::Object(members) => members,
        Value::Null => {
            warnings.push(SkillFileError::new(START, "the front matter is empty; give it a `name` and a `description`"));
            &none
        }
        other => {
            let message = format!("front matter that is no mapping ({}): write lines like `description: …`", type_name(other));
            return Err(SkillFileError::new(file_place(document.place("")), message));
        }
    };
    let mut entry = copy(members, &document, &mut warnings);

    if entry.get("name").and_then(Value::as_str).is_none_or(|name| name.trim().is_empty()) {
        if directory_name.trim().is_empty() {
            let place = if members.contains_key("name") { file_place(document.place("/name")) } else { START };
            return Err(SkillFileError::new(place, "no name, and no directory to take one from: add `name: …` to the front matter"));
        }
        entry.insert("name".into(), directory_name.into());
    }
    let says_something = |key| entry.get(key).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    if !members.is_empty() && !says_something("short") && !says_something("description") {
        warnings.push(SkillFileError::new(START, "no `description` (and no `short`): the card will show the skill's id alone"));
    }
    if let Some(label) = source.filter(|label| !label.is_empty()) {
        entry.insert("source".into(), label.into());
    }
    entry.insert("body".into(), body.into());
    warnings.sort();
    Ok(SkillFile { entry, warnings })
}

const START: Place = Place { line: 1, column: 1 };

/// A place in the front matter as one in the file: the opening line stands before it.
fn file_place(place: Place) -> Place {
    Place { line: place.line.max(1) + 1, column: place.column.max(1) }
}

fn decode(bytes: &[u8]) -> Result<&str, SkillFileError> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(SkillFileError::new(START, "the file is UTF-16: save it as UTF-8"));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let (valid, rest) = bytes.split_at(error.valid_up_to());
        let message = format!("not UTF-8 (byte 0x{:02x}): save the file as UTF-8", rest.first().copied().unwrap_or_default());
        SkillFileError::at(std::str::from_utf8(valid).unwrap_or_default(), valid.len(), 1, message)
    })?;
    match text.find('\0') {
        Some(offset) => Err(SkillFileError::at(text, offset, 1, "a NUL character, which no text has: remove it")),
        None => Ok(text),
    }
}

/// The front matter, with the end of its last line, and the body.
fn split(text: &str) -> Result<(&str, &str), SkillFileError> {
    let opening = text.split_inclusive('\n').next().unwrap_or_default();
    if !is_fence(opening) {
        return Err(no_front_matter(text));
    }
    let mut end = opening.len();
    for line in text[end..].split_inclusive('\n') {
        if is_fence(line) {
            return Ok((&text[opening.len()..end], &text[end + line.len()..]));
        }
        end += line.len();
    }
    let lookalike = text.lines().enumerate().skip(1).find(|(_, line)| matches!(line.trim(), "---" | "..."));
    Err(match lookalike {
        Some((index, _)) => SkillFileError::new(
            Place { line: index + 1, column: 1 },
            "front matter without an end: it ends with a line `---`, not indented and not `...`",
        ),
        None => SkillFileError::new(START, "front matter without an end: add a line `---` behind its last key"),
    })
}

fn is_fence(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| rest.chars().all(|c| matches!(c, ' ' | '\t' | '\r' | '\n')))
}

fn no_front_matter(text: &str) -> SkillFileError {
    let message = if text.trim().is_empty() {
        "the file is empty: begin it with front matter (a line `---`, `name: …`, `description: …`, a line `---`)"
    } else if text.starts_with("---\r") {
        "the lines end with a carriage return alone: save the file with LF or CRLF line ends"
    } else if text.lines().find(|line| !line.trim().is_empty()).is_some_and(is_fence) {
        "front matter that does not begin in the first line: remove the blank lines before it"
    } else {
        "no front matter: begin the file with a line `---`, `name: …`, `description: …` and another line `---`"
    };
    SkillFileError::new(START, message)
}

/// Refuses characters in front matter that YAML forbids, or that one YAML version takes for a line break and the next for a letter:
/// the same file would give two texts.
fn refuse_odd_characters(block: &str) -> Result<(), SkillFileError> {
    let mut characters = block.char_indices().peekable();
    while let Some((offset, character)) = characters.next() {
        let message = match character {
            '\r' if characters.peek().is_some_and(|(_, next)| *next == '\n') => continue,
            '\r' => "a carriage return without a line feed: end the line with LF or CRLF".to_owned(),
            '\u{85}' | '\u{2028}' | '\u{2029}' => {
                format!("U+{:04X}, a line break to some YAML readers and a letter to others: replace it with a space", u32::from(character))
            }
            '\n' | '\t' | ' '..='~' | '\u{a0}'..='\u{fffd}' | '\u{10000}'.. => continue,
            _ => format!("U+{:04X}, a control character that YAML does not allow: remove it", u32::from(character)),
        };
        return Err(SkillFileError::at(block, offset, 2, message));
    }
    Ok(())
}

/// An error of the YAML reader with its line in the file and advice.
fn in_file(block: &str, error: &YamlError) -> SkillFileError {
    let mut place = error.place;
    if error.message.starts_with("simple key") {
        // The reader notices at the line behind that a line had no colon.
        let lines = block.lines().take(place.line.saturating_sub(1)).enumerate();
        if let Some((index, _)) = lines.filter(|(_, line)| !line.trim().is_empty()).last() {
            place = Place { line: index + 1, column: 1 };
        }
    }
    let mut message = without_places(&error.message);
    if let Some(advice) = advice(block, place, &error.message) {
        message = format!("{message}: {advice}");
    }
    SkillFileError::new(file_place(place), message)
}

/// The reader's words without the second place that some have: it would be one in the front matter, not in the file.
fn without_places(message: &str) -> String {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let mut parts = message.split(" at line ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part[digits(part)..].strip_prefix(" column ") {
            Some(rest) if digits(part) > 0 => text.push_str(&rest[digits(rest)..]),
            _ => text.extend([" at line ", part]),
        }
    }
    text
}

/// What the author can do about an error of the YAML reader.
fn advice(block: &str, place: Place, message: &str) -> Option<String> {
    if message.starts_with("simple key") {
        return Some("write `key: value`, or indent the line if it goes on with the text above".into());
    }
    if message.starts_with("duplicate key") {
        return Some("keep one of them".into());
    }
    if message.contains(" tab") || message.starts_with("tab") {
        return Some("use spaces, not tabs".into());
    }
    let Some((key, value)) = enclosing_key(block, place) else {
        return message.contains("mapping values").then(|| "write each line above as `key: value`".into());
    };
    match value.chars().next() {
        Some('"' | '\'') if message.contains("escape") => {
            Some(format!("in the value of `{key}` write `\\\\` for a backslash, or use single quotes"))
        }
        Some('"' | '\'') => Some(format!(
            "end the value of `{key}` with the quote that it begins with, and write such a quote within it as `\\\"` (between single \
             quotes: `''`)"
        )),
        Some('|' | '>') => Some(format!("write the text of `{key}` below `{key}: |`, indented by two spaces")),
        _ if message.contains("mapping values") => {
            Some(format!("put the value of `{key}` in quotes, or begin a new line where a new key begins"))
        }
        Some(first @ ('@' | '`' | '%' | '*' | '&' | '!' | '{' | '[' | ']' | '}' | ',' | '?' | '-')) => {
            Some(format!("put the value of `{key}` in quotes if it is a text (`{first}` has a meaning of its own there)"))
        }
        _ => None,
    }
}

/// The key whose value holds a place, and what follows it on its line.
fn enclosing_key(block: &str, place: Place) -> Option<(&str, &str)> {
    let lines: Vec<&str> = block.lines().take(place.line).collect();
    let (here, above) = lines.split_last()?;
    // On the line itself only a key that ends before the fault: the colon at fault is not the key's.
    let before: usize = here.chars().take(place.column.saturating_sub(1)).map(char::len_utf8).sum();
    if key_of(&here[..before]).is_some() {
        return key_of(here);
    }
    let indent = |line: &str| line.len() - line.trim_start().len();
    above.iter().rev().filter(|line| indent(line) < indent(here)).find_map(|line| key_of(line))
}

fn key_of(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim_start_matches([' ', '-']).split_once(':')?;
    let is_key = (1..=80).contains(&key.len()) && !key.starts_with(['"', '\'', '#', '{', '[']);
    (is_key && (value.is_empty() || value.starts_with(' '))).then(|| (key, value.trim()))
}

/// The fields of an entry that front matter may set.
fn copy(members: &Map<String, Value>, document: &Document, warnings: &mut Vec<SkillFileError>) -> Map<String, Value> {
    let place = |key: &str| file_place(document.place(&format!("/{key}")));
    let mut entry = Map::new();
    for field in TEXTS.into_iter().chain(FLAGS) {
        let mut spellings: Vec<_> = members.iter().filter(|(key, _)| key.replace('-', "_") == field).collect();
        // Underscores sort behind hyphens: the last one wins.
        spellings.sort_by_key(|(key, _)| key.as_str());
        let Some((winner, value)) = spellings.pop() else { continue };
        for (loser, _) in spellings {
            warnings.push(SkillFileError::new(place(loser), format!("`{loser}` is passed over for `{winner}`; keep one of them")));
        }
        let is_text = TEXTS.contains(&field);
        match value {
            Value::String(_) if is_text => {}
            Value::Null if is_text => continue,
            _ if is_text => {
                let message = format!("`{winner}` is no text ({}) and counts as absent; put its value in quotes", type_name(value));
                warnings.push(SkillFileError::new(place(winner), message));
                continue;
            }
            Value::Bool(_) | Value::Null => {}
            _ => {
                let kind = type_name(value);
                let message = format!("`{winner}` is neither true nor false ({kind}); hosts take it as true or refuse it");
                warnings.push(SkillFileError::new(place(winner), message));
            }
        }
        entry.insert(field.to_owned(), value.clone());
    }
    entry
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Reads a file from the directory `folder` without a label, and leaves the empty body out.
    fn entry(text: &str) -> Value {
        let mut file = read(text.as_bytes(), "folder", None).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        if file.entry["body"] == "" {
            file.entry.remove("body");
        }
        Value::Object(file.entry)
    }

    fn error(bytes: impl AsRef<[u8]>) -> String {
        read(bytes.as_ref(), "folder", None).unwrap_err().to_string()
    }

    fn warnings(text: &str) -> Vec<String> {
        read(text.as_bytes(), "folder", None).unwrap().warnings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_form_of_front_matter_is_read() {
        for (text, expected) in [
            ("---\nname: a\ndescription: d\n---\n", json!({"name": "a", "description": "d"})),
            ("\u{feff}---\nname: a\n---\n", json!({"name": "a"})),
            ("---\r\nname: a\r\ndescription: d\r\n---\r\n", json!({"name": "a", "description": "d"})),
            ("\u{feff}--- \t\r\nname: a\r\n---  \r\n", json!({"name": "a"})),
            ("---\nname: a\n---", json!({"name": "a"})),
            ("---\nname: a\n...\n---\n", json!({"name": "a"})),
            ("---\n# why\n\nname: a # so\n---\n", json!({"name": "a"})),
            ("---\n{name: a, short: s}\n---\n", json!({"name": "a", "short": "s"})),
            ("---\nname: a\ndescription: >-\n  one\n  two\n\n  three\n---\n", json!({"name": "a", "description": "one two\nthree"})),
            ("---\ndescription: |\n  one\n  two\nname: a\n---\n", json!({"name": "a", "description": "one\ntwo\n"})),
            ("---\r\ndescription: |\r\n  one\r\n  two\r\nname: a\r\n---\r\n", json!({"name": "a", "description": "one\ntwo\n"})),
            ("---\ndescription: |\n  one\n  ---\n  two\nname: a\n---\n", json!({"name": "a", "description": "one\n---\ntwo\n"})),
            ("---\ndescription: one\n  two\nname: a\n---\n", json!({"name": "a", "description": "one two"})),
            ("---\nname: \"a: b\"\ndescription: 'it''s'\n---\n", json!({"name": "a: b", "description": "it's"})),
            (
                "---\nname: 部署\ndescription: 将目标转化为计划。触发条件：当用户请求时。\n---\n",
                json!({
                    "name": "部署", "description": "将目标转化为计划。触发条件：当用户请求时。"
                }),
            ),
            ("---\nname: a\ndescription: \"  spaces stay  \"\n---\n", json!({"name": "a", "description": "  spaces stay  "})),
        ] {
            assert_eq!(entry(text), expected, "{text:?}");
        }
    }

    #[test]
    fn the_name_falls_back_to_the_directory() {
        for text in [
            "---\ndescription: d\n---\n",
            "---\nname:\n---\n",
            "---\nname: ''\n---\n",
            "---\nname: ' '\n---\n",
            "---\nname: 7\n---\n",
            "---\nname: [a]\n---\n",
            "---\n---\n",
            "---\n# nothing yet\n---\n",
        ] {
            assert_eq!(entry(text)["name"], "folder", "{text:?}");
        }
        assert_eq!(entry("---\nname: ' a'\n---\n")["name"], " a");
        for (text, line) in [("---\ndescription: d\n---\n", 1), ("---\ndescription: d\nname: 7\n---\n", 3)] {
            let error = read(text.as_bytes(), "", None).unwrap_err();
            assert_eq!(error.line, line, "{error}");
            assert!(error.message.contains("add `name: …`"), "{error}");
        }
    }

    #[test]
    fn only_what_a_file_may_say_of_itself_is_copied() {
        let text = "---\nname: a\nnamespace: n\nshort: s\ndescription: d\nwhen-to-use: w\ndisable-model-invocation: true\n\
                    require_signature: false\nsource: bundled\nscore: 9\nreason: r\ntrigger: t\nprovenance: {signed: true}\n\
                    body: forged\nprompt: forged\nallowed-tools: [Bash]\nid: n/b\n---\nreal\n";
        let file = read(text.as_bytes(), "folder", Some("project")).unwrap();
        let expected = json!({
            "name": "a", "namespace": "n", "short": "s", "description": "d", "when_to_use": "w", "disable_model_invocation": true,
            "require_signature": false, "source": "project", "body": "real\n",
        });
        assert_eq!(Value::Object(file.entry), expected);
        assert_eq!(file.warnings, []);
    }

    #[test]
    fn an_empty_label_is_no_label() {
        let file = read(b"---\nname: a\nsource: user\n---\n", "folder", Some("")).unwrap();
        assert_eq!(file.entry.get("source"), None);
    }

    #[test]
    fn flags_are_copied_as_given() {
        for (written, value) in
            [("true", json!(true)), ("\"true\"", json!("true")), ("yes", json!("yes")), ("1", json!(1)), ("", json!(null))]
        {
            let entry = entry(&format!("---\nname: a\ndescription: d\ndisable-model-invocation: {written}\n---\n"));
            assert_eq!(entry["disable_model_invocation"], value, "{written:?}");
        }
    }

    #[test]
    fn the_body_is_the_rest_to_the_byte() {
        for (text, body) in [
            ("---\nname: a\n---\n\n# Title\n\n---\n\nmore", "\n# Title\n\n---\n\nmore"),
            ("---\r\nname: a\r\n---\r\nx\r\ny\r\n", "x\r\ny\r\n"),
            ("\u{feff}---\nname: a\n---\n\u{feff}\u{2028}\u{7}x \t", "\u{feff}\u{2028}\u{7}x \t"),
            ("---\nname: a\n---\n", ""),
            ("---\nname: a\n---", ""),
        ] {
            assert_eq!(read(text.as_bytes(), "folder", None).unwrap().entry["body"], body, "{text:?}");
        }
    }

    #[test]
    fn what_is_odd_is_a_warning_with_its_line() {
        for (text, expected) in [
            ("---\nname: a\nshort: s\n---\n", vec![]),
            ("---\nname: a\ndescription: d\nwhen-to-use:\n---\n", vec![]),
            ("---\nname: a\ndescription: d\ndisable-model-invocation:\n---\n", vec![]),
            ("---\n---\n", vec!["line 1, column 1: the front matter is empty; give it a `name` and a `description`"]),
            ("---\nname: a\n---\n", vec!["line 1, column 1: no `description` (and no `short`): the card will show the skill's id alone"]),
            (
                "---\nwhen-to-use: [a]\ndescription: d\nname: 7\n---\n",
                vec![
                    "line 2, column 1: `when-to-use` is no text (array) and counts as absent; put its value in quotes",
                    "line 4, column 1: `name` is no text (integer) and counts as absent; put its value in quotes",
                ],
            ),
            (
                "\u{feff}---\r\nname: a\r\nwhen_to_use: w\r\ndescription: d\r\nwhen-to-use: v\r\n---\r\n",
                vec!["line 5, column 1: `when-to-use` is passed over for `when_to_use`; keep one of them"],
            ),
            (
                "---\nname: a\nshort: s\ndisable-model-invocation: yes\n---\n",
                vec!["line 4, column 1: `disable-model-invocation` is neither true nor false (string); hosts take it as true or refuse it"],
            ),
        ] {
            assert_eq!(warnings(text), expected, "{text:?}");
        }
    }

    #[test]
    fn underscores_win_over_hyphens_whatever_the_order() {
        for text in [
            "---\nwhen_to_use: w\nwhen-to-use: v\nwhen_to-use: u\nwhen-to_use: t\n---\n",
            "---\nwhen-to_use: t\nwhen_to-use: u\nwhen-to-use: v\nwhen_to_use: w\n---\n",
        ] {
            assert_eq!(entry(text)["when_to_use"], "w");
            assert_eq!(warnings(text).len(), 4, "three spellings and the missing description");
        }
        assert_eq!(entry("---\nwhen_to_use: null\nwhen-to-use: v\n---\n").get("when_to_use"), None);
    }

    #[test]
    fn a_name_other_than_the_directory_is_nothing_odd() {
        assert_eq!(warnings("---\nname: postgresql-table-design\nshort: s\n---\n"), Vec::<String>::new());
    }

    #[test]
    fn what_cannot_be_read_says_where_and_what_to_do() {
        for (text, expected) in [
            ("", "line 1, column 1: the file is empty: begin it with front matter"),
            ("\u{feff}\n \n", "line 1, column 1: the file is empty"),
            ("# Deploy\n\ntext\n", "line 1, column 1: no front matter: begin the file with a line `---`"),
            ("----\nname: a\n----\n", "line 1, column 1: no front matter"),
            (" ---\nname: a\n---\n", "line 1, column 1: no front matter"),
            ("--- # a\nname: a\n---\n", "line 1, column 1: no front matter"),
            ("\n\n---\nname: a\n---\n", "line 1, column 1: front matter that does not begin in the first line: remove the blank"),
            ("---\rname: a\r---\r", "line 1, column 1: the lines end with a carriage return alone"),
            ("---\nname: a\n", "line 1, column 1: front matter without an end: add a line `---`"),
            ("---", "line 1, column 1: front matter without an end"),
            ("---\nname: a\n...\nbody\n", "line 3, column 1: front matter without an end: it ends with a line `---`, not indented"),
            ("---\nname: a\n ---\nbody\n", "line 3, column 1: front matter without an end: it ends with a line `---`, not indented"),
            ("---\n- name: a\n---\n", "line 2, column 1: front matter that is no mapping (array): write lines like"),
            ("---\n# c\nname:a\n---\n", "line 3, column 1: front matter that is no mapping (string)"),
            ("---\nname: a\nname: b\n---\n", "line 3, column 1: duplicate key \"name\": keep one of them"),
            ("---\nat line b: 1\nx at line 7: 2\nx at line 7: 3\n---\n", "line 4, column 1: duplicate key \"x at line 7\": keep one"),
            ("---\nname: a\n\t\n\t\n---\n", "line 3, column 1: found a tab character that violates indentation, while"),
            ("---\nname: a\r\ndescription: b\rc\n---\n", "line 3, column 15: a carriage return without a line feed"),
            ("---\nname: a\ndescription: b\u{2028}c\n---\n", "line 3, column 15: U+2028, a line break to some"),
            ("---\nname: a\u{85}\n---\n", "line 2, column 8: U+0085, a line break to some"),
            ("---\nname: a\u{7f}\n---\n", "line 2, column 8: U+007F, a control character"),
            ("---\nname: a\u{ffff}\n---\n", "line 2, column 8: U+FFFF, a control character"),
            ("---\nname: a\ndescription: ä\u{1b}[0m\n---\n", "line 3, column 15: U+001B, a control character"),
            ("---\nname: a\n---\ntext\nwith \0\n", "line 5, column 6: a NUL character"),
            ("---\nname: a\n...\nb: c\n---\n", "line 4, column 1: a second document"),
            ("---\nx: &x {a: 1}\ny:\n  <<: *x\n---\n", "line 4, column 3: y: merge keys"),
        ] {
            assert!(error(text).starts_with(expected), "{text:?}: {}", error(text));
        }
        for (bytes, expected) in [
            (&b"\xff\xfe-\0-\0-\0"[..], "line 1, column 1: the file is UTF-16: save it as UTF-8"),
            (b"\xef\xbb\xbf---\r\nname: caf\xe9\r\n---\r\n", "line 2, column 10: not UTF-8 (byte 0xe9): save the file as UTF-8"),
            (b"---\nname: a\n---\n\n\xc3\xa4\xf0\x9f", "line 5, column 2: not UTF-8 (byte 0xf0)"),
        ] {
            assert!(error(bytes).starts_with(expected), "{expected}: {}", error(bytes));
        }
    }

    #[test]
    fn yaml_errors_name_the_line_and_the_remedy() {
        for (block, line, advice) in [
            ("name: a\ndescription: Ships: builds", 3, "put the value of `description` in quotes, or begin a new line"),
            ("name: a\ndescription: 计划。origin: community", 3, "put the value of `description` in quotes, or begin a new line"),
            ("name: a\ndescription:\n  Pairs with the\n  tech skill: grill first", 5, "put the value of `description` in quotes"),
            ("name: a\nmetadata:\n  author: b: c", 4, "put the value of `author` in quotes"),
            ("name: a\ndescription: -5 apples: 3", 3, "put the value of `description` in quotes, or begin"),
            ("name: a\ndescription:\n  one:b\n  two\n  skill: grill", 6, "put the value of `description` in quotes"),
            ("name: a\nmy key: b: c", 3, "put the value of `my key` in quotes"),
            ("name a\ndescription: b", 3, "write each line above as `key: value`"),
            ("name: a\ndescription: @Observable", 3, "put the value of `description` in quotes if it is a text (`@`"),
            ("name: a\ndescription: `a` b", 3, "put the value of `description` in quotes if it is a text (```"),
            ("name: a\ndescription: *bold* text", 3, "put the value of `description` in quotes if it is a text (`*`"),
            ("name: a\ndescription: [draft] text", 3, "put the value of `description` in quotes if it is a text (`[`"),
            ("name: a\ndescription: !important", 3, "put the value of `description` in quotes if it is a text (`!`"),
            ("name: a\ndescription: - text", 3, "put the value of `description` in quotes if it is a text (`-`"),
            ("name: a\ndescription: 'it's'", 3, "end the value of `description` with the quote that it begins with"),
            ("name: a\ndescription: \"Use \"this\"\"", 3, "end the value of `description` with the quote"),
            ("name: a\ndescription: \"open\nx: y", 3, "end the value of `description` with the quote"),
            ("name: a\ndescription: \"C:\\dir\"", 3, "in the value of `description` write `\\\\` for a backslash"),
            ("name: a\ndescription: | text", 3, "write the text of `description` below `description: |`"),
            ("name: a\ndescription: one\ntwo\nshort: s", 4, "indent the line if it goes on"),
            ("name: a\ndescription: one\ntwo\n\n# c\n\n# d\nshort: s", 4, "indent the line if it goes on"),
            ("name: a\ndescription: b\nthat goes on", 4, "indent the line if it goes on"),
            ("name: a\nmetadata:\n\tb: c", 4, "use spaces, not tabs"),
        ] {
            for (text, form) in [
                (format!("---\n{block}\n---\nbody\n"), "LF"),
                (format!("\u{feff}---\n{block}\n---\nbody\n").replace('\n', "\r\n"), "BOM and CRLF"),
            ] {
                let error = read(text.as_bytes(), "folder", None).unwrap_err();
                assert_eq!(error.line, line, "{form} {block:?}: {error}");
                assert!(error.message.contains(advice), "{form} {block:?}: {error}");
            }
        }
    }

    #[test]
    fn hostile_front_matter_is_refused_soon() {
        let nested = "{a: ".repeat(50_000);
        let bomb: String = (1..40).fold("a0: &a0 [x, x, x, x, x, x, x, x]\n".to_owned(), |text, at| {
            text + &format!("a{at}: &a{at} [*a{last}, *a{last}, *a{last}, *a{last}, *a{last}, *a{last}]\n", last = at - 1)
        });
        for block in [nested, bomb, "x".repeat(yaml::MAX_BYTES + 1), "- ".repeat(100_000), "\"".to_owned() + &"a\n".repeat(100_000)] {
            let started = std::time::Instant::now();
            assert!(read(format!("---\n{block}\n---\n").as_bytes(), "folder", None).is_err(), "{}", &block[..8]);
            assert!(started.elapsed().as_secs() < 20, "a hang, not a refusal: {}", &block[..8]);
        }
    }

    const SEEDS: [&str; 5] = [
        "---\nname: zeroize-audit\ndescription: \"Detects missing zeroization: in C/C++.\"\nallowed-tools: Read Grep\n---\n# Body\n",
        "---\nname: fuzz\ntype: technique\ndescription: >\n  Coverage-guided fuzzing\n  of C code.\ndisable-model-invocation: true\n---\n\n- a\n",
        "---\nname: blueprint\ndescription: 将单行目标转化为计划。触发条件：当用户请求时。origin: community\n---\n",
        "---\nname: deploy\nshort: 's'\nwhen-to-use: w\nmetadata:\n  author: [a, {b: c}]\n  x: &x |\n    y\n---\nbody\n---\n",
        "---\nname: 'a'\nnamespace: n\nrequire_signature: \"no\"\n# c\ndescription:\n  one\n  two\n---",
    ];

    fn mutated() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            prop::sample::select(vec![
                "---\n",
                "\n---\n",
                "...",
                ": ",
                "\n",
                "\t",
                "\"",
                "'",
                "|",
                ">-",
                "@",
                "&a ",
                "*a",
                "!t ",
                "[",
                "]",
                "{",
                "}",
                "#",
                "- ",
                "? ",
                "\n  ",
                "\u{feff}",
                "\u{2028}",
                "\u{85}",
                "\\",
                "%",
                "<<: ",
                "ä",
                "\u{1f600}",
                "name: ",
                "\0",
                "\u{7f}",
            ])
            .prop_map(str::to_owned),
            "\\PC{0,6}",
        ];
        let edits = prop::collection::vec((any::<prop::sample::Index>(), 0..12_usize, piece), 0..6);
        (prop::sample::select(SEEDS.to_vec()), edits).prop_map(|(seed, edits)| {
            let mut text: Vec<char> = seed.chars().collect();
            for (at, removed, piece) in edits {
                let start = at.index(text.len() + 1);
                let end = (start + removed).min(text.len());
                text.splice(start..end, piece.chars());
            }
            text.into_iter().collect()
        })
    }

    fn check(bytes: &[u8]) {
        let lines = bytes.split(|byte| *byte == b'\n').count();
        match read(bytes, "folder", Some("user")) {
            Ok(file) => {
                assert!(!file.entry["name"].as_str().unwrap().is_empty());
                assert_eq!(file.entry["source"], "user");
                assert!(bytes.ends_with(file.entry["body"].as_str().unwrap().as_bytes()));
                assert!(file.warnings.iter().all(|warning| (1..=lines).contains(&warning.line) && warning.column > 0));
            }
            Err(error) => assert!((1..=lines).contains(&error.line) && error.column > 0, "{error} of {lines} lines"),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            check(&bytes);
            check(&[b"---\n", &bytes[..], b"\n---\n"].concat());
        }

        #[test]
        fn mutated_files_never_panic(text in mutated(), flip in any::<Option<(prop::sample::Index, u8)>>()) {
            let mut bytes = text.into_bytes();
            if let (Some((at, byte)), false) = (flip, bytes.is_empty()) {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            check(&bytes);
        }

        #[test]
        fn line_ends_and_a_byte_order_mark_change_nothing_but_the_body(text in mutated()) {
            let text = text.trim_start_matches('\u{feff}');
            let other = format!("\u{feff}{}", text.replace('\n', "\r\n"));
            match (read(text.as_bytes(), "folder", None), read(other.as_bytes(), "folder", None)) {
                (Ok(mut plain), Ok(mut other)) => {
                    plain.entry.remove("body");
                    other.entry.remove("body");
                    prop_assert_eq!(plain, other);
                }
                (plain, other) => prop_assert_eq!(plain, other),
            }
        }
    }
}
