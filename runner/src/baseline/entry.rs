//! The file: a list of entries, read strictly and with the line of each.

use std::fmt;

use jiff::civil::Date;
use proofmark::yaml;
use serde::Deserialize;
use serde_json::Value;

/// The key of the list.
pub(super) const LIST: &str = "known_failures";

/// The known failures of one implementation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Baseline {
    /// Its file, for messages.
    pub file: String,
    /// The entries, in the order of the file.
    pub entries: Vec<Entry>,
}

/// One known failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The id of the case.
    pub case: String,
    /// The rule, or `expectation`, that alone the entry is about; the whole case where there is none.
    pub check: Option<String>,
    /// What the failure looks like ([`super::fingerprint`]).
    pub fingerprint: Option<String>,
    /// Why it fails.
    pub reason: String,
    /// Where that is followed up.
    pub issue: Option<String>,
    /// The last day on which it is excused.
    pub expires: Option<Date>,
    /// Whether it fails only sometimes.
    pub flaky: bool,
    /// Its line in the file.
    pub line: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEntry {
    case: String,
    check: Option<String>,
    fingerprint: Option<String>,
    reason: String,
    issue: Option<String>,
    expires: Option<String>,
    #[serde(default)]
    flaky: bool,
}

/// Why a file is no baseline, with the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaselineFault {
    /// Where.
    pub line: usize,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl fmt::Display for BaselineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.message)
    }
}

impl std::error::Error for BaselineFault {}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    /// The first thing that is wrong with the text.
    pub fn read(text: &str) -> Result<Self, BaselineFault> {
        let document = yaml::parse(text).map_err(|error| BaselineFault { line: error.place.line, message: error.message })?;
        let fault = |pointer: &str, message: String| BaselineFault { line: document.place(pointer).line, message };
        let Value::Object(members) = &document.value else {
            return Err(fault("", format!("expected a mapping with the key {LIST}")));
        };
        if let Some(key) = members.keys().find(|key| *key != LIST) {
            return Err(fault(&format!("/{key}"), format!("there is no key {key:?}; a baseline has {LIST} only")));
        }
        let list = match members.get(LIST) {
            Some(Value::Array(list)) => list.as_slice(),
            // A list whose last entry was taken out.
            Some(Value::Null) => &[],
            _ => return Err(fault("", format!("expected {LIST}: and a list of entries"))),
        };
        let mut entries: Vec<Entry> = Vec::new();
        for (at, value) in list.iter().enumerate() {
            let pointer = format!("/{LIST}/{at}");
            let wrong = |message: String| fault(&pointer, message);
            let raw: RawEntry = serde_json::from_value(value.clone())
                .map_err(|error| wrong(format!("{error}; an entry is {{case, check?, fingerprint, reason, issue?, expires?, flaky?}}")))?;
            if raw.reason.trim().is_empty() {
                return Err(wrong(format!("{} has no reason; say why it fails", raw.case)));
            }
            if let Some(twin) = entries.iter().find(|entry| entry.case == raw.case && entry.check == raw.check) {
                return Err(wrong(format!("{} stands at line {} already", raw.case, twin.line)));
            }
            if let Some(other) = entries.iter().find(|it| it.case == raw.case && it.check.is_some() != raw.check.is_some()) {
                let message = format!("{} stands at line {} as well, and one of the two is about the whole case", raw.case, other.line);
                return Err(wrong(message));
            }
            let expires = raw.expires.map(|text| text.parse::<Date>().map_err(|_| text)).transpose();
            let expires = expires.map_err(|text| wrong(format!("expires: {text:?} is no date; write a day such as 2027-06-30")))?;
            let is_hex = |text: &String| text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
            if let Some(text) = raw.fingerprint.as_ref().filter(|text| !is_hex(text)) {
                return Err(wrong(format!(
                    "fingerprint: {text:?} is none; `proofmark baseline update` writes them, 16 hexadecimal digits"
                )));
            }
            entries.push(Entry {
                case: raw.case,
                check: raw.check,
                fingerprint: raw.fingerprint,
                reason: raw.reason,
                issue: raw.issue,
                expires,
                flaky: raw.flaky,
                line: document.place(&pointer).line,
            });
        }
        Ok(Self { file: String::new(), entries })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Baseline::read(text).unwrap_err().to_string()
    }

    #[test]
    fn an_entry_says_what_fails_and_why() {
        let text = "known_failures:\n  # bytes\n  - case: a.b\n    fingerprint: 0123456789abcdef\n    reason: It counts bytes.\n    expires: 2027-06-30\n";
        let entry = &Baseline::read(text).unwrap().entries[0];
        assert_eq!((entry.case.as_str(), entry.line, entry.flaky), ("a.b", 3, false));
        assert_eq!(entry.expires, Some(jiff::civil::date(2027, 6, 30)));
        assert_eq!(Baseline::read("known_failures: []\n").unwrap().entries, []);
        assert_eq!(Baseline::read("known_failures:\n").unwrap().entries, []);
    }

    #[test]
    fn what_is_no_baseline_is_refused_by_line() {
        assert!(refused("[]").contains("known_failures"));
        assert!(refused("known_failure: []\n").contains("no key"));
        assert!(refused("known_failures:\n- case: a.b\n").contains("reason"));
        assert!(refused("known_failures:\n- case: a.b\n  reason: ' '\n").contains("say why"));
        assert!(refused("known_failures:\n- case: a.b\n  reason: r\n  reasons: s\n").contains("reasons"));
        assert!(refused("known_failures:\n- case: a.b\n  reason: r\n  expires: soon\n").contains("no date"));
        assert!(refused("known_failures:\n- case: a.b\n  reason: r\n  fingerprint: xyz\n").contains("16 hexadecimal"));
        let twice = "known_failures:\n- case: a.b\n  reason: r\n- case: a.b\n  reason: s\n";
        assert!(refused(twice).starts_with("4: a.b stands at line 2"), "{}", refused(twice));
        let part = "known_failures:\n- case: a.b\n  reason: r\n- case: a.b\n  check: AE-110\n  reason: s\n";
        assert!(refused(part).contains("whole case"));
    }
}
