//! RR-112: no secret and no personal data in any field. What was found is never said again.

use serde_json::Value;

use super::{Finding, walk};
use crate::json::pointer_of;
use crate::policy::private;

pub(super) fn check(receipt: &Value) -> Vec<Finding> {
    let mut found = Vec::new();
    walk(receipt, &mut Vec::new(), &mut |path, value| {
        let Value::String(text) = value else { return };
        found.extend(private::found_in(text).into_iter().map(|what| Finding::new(pointer_of("", path), format!("it holds {what}"))));
    });
    found
}
