//! EP-110: of what is restricted, evidence is no more than metadata or a capsule.

use serde_json::Value;

use super::Subject;
use crate::policy::receipt::Finding;

pub(super) fn check(subject: &Subject<'_>) -> Option<Vec<Finding>> {
    if subject.text("/recovery/sensitivity") != Some("restricted") {
        return Some(Vec::new());
    }
    let items = subject.items("/evidence_used").iter().enumerate();
    let found = items.filter_map(|(at, item)| {
        let scope = item.get("scope").and_then(Value::as_str).filter(|scope| matches!(*scope, "excerpt" | "full"))?;
        Some(Finding::new(format!("/evidence_used/{at}/scope"), format!("{scope} content of what is restricted")))
    });
    Some(found.collect())
}
