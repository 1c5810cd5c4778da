//! EP-123, EP-131 and EP-132: what is missing is named, what is there is not; nothing is left out.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Made;
use crate::contract::packet::{FIELDS, SOURCE_REFS, has_field, shown_at};
use crate::policy::exchange::View;
use crate::policy::receipt::Finding;

/// EP-123.
pub(super) fn view(exchange: &View<'_>) -> Option<Vec<Finding>> {
    let made = Made::of(exchange, "view")?;
    let wanted = shown_at(exchange.param("depth").as_str()?)?.iter().copied();
    Some(judge(&made, wanted.filter(|pointer| !has_field(made.packet, pointer)), "/view/missing", false))
}

/// EP-132.
pub(super) fn projection(exchange: &View<'_>) -> Option<Vec<Finding>> {
    let made = Made::of(exchange, "projection")?;
    let absent = FIELDS.into_iter().chain([SOURCE_REFS]).filter(|pointer| !has_field(made.packet, pointer));
    Some(judge(&made, absent, "/projection/missing", true))
}

/// EP-131.
pub(super) fn complete(exchange: &View<'_>) -> Option<Vec<Finding>> {
    let made = Made::of(exchange, "projection")?;
    let there = FIELDS.into_iter().chain([SOURCE_REFS]).filter(|pointer| has_field(made.packet, pointer));
    let lost = there.filter(|pointer| !has_field(made.held, pointer));
    Some(lost.map(|pointer| Finding::new(format!("/projection/packet{pointer}"), "the packet has it, the projection does not")).collect())
}

/// Compares what is named with what is absent; whether nothing else may be named, `exactly` says.
fn judge<'a>(made: &Made<'_>, absent: impl Iterator<Item = &'a str>, path: &str, exactly: bool) -> Vec<Finding> {
    let is_list = made.made.get("missing").and_then(Value::as_array).is_some_and(|items| items.iter().all(Value::is_string));
    if !is_list {
        return vec![Finding::new(path, "a sequence of pointers is required")];
    }
    let absent: BTreeSet<&str> = absent.collect();
    let named: BTreeSet<&str> = made.missing().into_iter().collect();
    let not_named = absent.difference(&named).map(|pointer| format!("{pointer} is missing, and is not named"));
    let wrong = named.difference(&absent).filter(|pointer| exactly || has_field(made.packet, pointer));
    let faults: Vec<String> = not_named.chain(wrong.map(|pointer| format!("{pointer} is named as missing"))).collect();
    if faults.is_empty() { Vec::new() } else { vec![Finding::new(path, faults.join("; "))] }
}
