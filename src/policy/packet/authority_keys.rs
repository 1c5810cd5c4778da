//! EP-113: no key claims authority, at any depth.

use serde_json::Value;

use super::Subject;
use crate::contract::packet::{AUTHORITY_KEYS, folded};
use crate::json::{Step, pointer_of};
use crate::policy::receipt::Finding;

pub(super) fn check(subject: &Subject<'_>) -> Option<Vec<Finding>> {
    let mut found = Vec::new();
    walk(subject.packet, &mut Vec::new(), &mut found);
    Some(found)
}

fn walk<'a>(value: &'a Value, path: &mut Vec<Step<'a>>, found: &mut Vec<Finding>) {
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                path.push(Step::Index(at));
                walk(item, path, found);
                path.pop();
            }
        }
        Value::Object(members) => {
            // A metric may be called what it likes.
            let are_metrics = matches!(path.as_slice(), [Step::Key("metrics")]);
            for (key, member) in members {
                path.push(Step::Key(key));
                if !are_metrics && AUTHORITY_KEYS.contains(&folded(key).as_str()) {
                    found.push(Finding::new(pointer_of("", path), "a packet claims no authority over gates, decisions or the slice"));
                } else {
                    walk(member, path, found);
                }
                path.pop();
            }
        }
        _ => {}
    }
}
