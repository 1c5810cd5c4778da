//! EP-107: the pointer of what was lost resolves on the authorised surface.

use serde_json::Value;

use super::{Subject, is_blank, milder, pointer};
use crate::contract::packet::{LOSSY_WITH_RECOVERY, is_placeholder};
use crate::policy::receipt::Finding;

pub(super) fn check(subject: &Subject<'_>) -> Option<Vec<Finding>> {
    let is_demanded = subject.text("/recovery/lossiness") == Some(LOSSY_WITH_RECOVERY);
    // Where the pointer breaks a rule of its own, that is said, and this is not judged.
    let text = match subject.at("/recovery/pointer") {
        Value::String(text) if !is_blank(text) && !is_placeholder(text) && pointer::musts(text).is_empty() => text,
        _ => return Some(Vec::new()),
    };
    let Some(surface) = subject.surface else { return if is_demanded { None } else { Some(Vec::new()) } };
    if surface.resolves(text) {
        return Some(Vec::new());
    }
    let message = "it does not resolve on the authorised surface";
    Some(vec![if is_demanded { Finding::new("/recovery/pointer", message) } else { milder("/recovery/pointer", message) }])
}
