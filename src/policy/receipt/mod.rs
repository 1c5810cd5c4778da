//! The native checks of receipts: one file a check, named as the rule pack names it.

mod artifact_paths;
mod compact;
mod date_time;
mod language;
mod leftovers;
mod private_data;
mod resume_entry;

use serde_json::Value;

use crate::json::Step;

pub use language::{Actionability, actionability, names_file, names_some_file};

/// What a check found at one place of a document.
pub(super) struct Finding {
    pub(super) path: String,
    pub(super) message: String,
    /// Whether it is reported at the rule's milder level.
    pub(super) is_milder: bool,
}

impl Finding {
    pub(super) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), is_milder: false }
    }
}

/// A native check of a document.
pub(super) type DocumentCheck = fn(&Value) -> Vec<Finding>;

/// Every native check by the name that a rule pack uses.
pub(super) const ALL: &[(&str, DocumentCheck)] = &[
    ("artifact_paths", artifact_paths::check),
    ("compact", compact::check),
    ("date_time", date_time::check),
    ("leftovers", leftovers::check),
    ("private_data", private_data::check),
    ("resume_entry", resume_entry::check),
];

/// Hands every value of a document to `each`, with the path to it. The reader bounds the depth.
fn walk<'a>(value: &'a Value, path: &mut Vec<Step<'a>>, each: &mut dyn FnMut(&[Step<'a>], &'a Value)) {
    each(path, value);
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                path.push(Step::Index(at));
                walk(item, path, each);
                path.pop();
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                path.push(Step::Key(key));
                walk(member, path, each);
                path.pop();
            }
        }
        _ => {}
    }
}
