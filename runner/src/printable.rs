//! Text from adapters and documents, made safe for a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

use proofmark::yaml::is_unseen;

/// The text with every character escaped that could move the cursor, start an escape sequence, or turn the reading direction. Line
/// breaks and tabs stay where `lines` is true.
#[must_use]
pub fn printable(text: &str, lines: bool) -> Cow<'_, str> {
    let harmful = |c: char| is_unseen(c) && !(lines && matches!(c, '\n' | '\t'));
    if !text.contains(harmful) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if harmful(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Characters of a text that [`shortened`] keeps.
const MAX_CHARS: usize = 1_000;

/// [`printable`], and no longer than a reader would read.
#[must_use]
pub fn shortened(text: &str, lines: bool) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_CHARS) {
        None => printable(text, lines),
        Some((end, _)) => {
            let left_out = text[end..].chars().count();
            Cow::Owned(format!("{}… ({left_out} more characters)", printable(&text[..end], lines)))
        }
    }
}

/// JSON text in which what [`printable`] escapes is escaped as JSON has it: read back, it is the same.
#[must_use]
pub fn printable_json(json: &str) -> Cow<'_, str> {
    // Outside of strings JSON is ASCII, and its only control characters are line breaks, which stay.
    let harmful = |c: char| is_unseen(c) && c != '\n';
    if !json.contains(harmful) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        if harmful(c) {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
                let _ = write!(out, "\\u{unit:04x}");
            });
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal_that_is_no_text() {
        assert_eq!(printable("\u{1b}[31mred\u{7}", true), "\\u{1b}[31mred\\u{7}");
        assert_eq!(printable("a\u{202e}b\u{9b}2J", true), "a\\u{202e}b\\u{9b}2J");
        assert_eq!(printable("a\u{fffe}b\u{ffff}", true), "a\\u{fffe}b\\u{ffff}");
        assert_eq!(printable("a\r\nb\tc", true), "a\\r\nb\tc");
        assert_eq!(printable("a\nb", false), "a\\nb");
        assert!(matches!(printable("技能 🚀 é", false), Cow::Borrowed(_)));
    }
}
