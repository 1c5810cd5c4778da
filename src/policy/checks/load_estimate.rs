//! The event's `token_estimate` is that of the body which was returned.

use serde_json::Value;

use crate::adapter::Operation;
use crate::contract::activation::tokens;
use crate::contract::rendering::Unit;
use crate::json::as_count;
use crate::policy::exchange::{Judged, View};

pub(super) fn check(exchange: &View<'_>) -> Judged {
    if exchange.operation != Operation::ActivationLoad {
        return None;
    }
    let result = exchange.result()?;
    let unit = exchange.profile.map_or(Unit::Characters, |profile| profile.unit);
    let expected = tokens(unit.length(result.get("body")?.as_str()?));
    let says = result.pointer("/event/token_estimate").unwrap_or(&Value::Null);
    let finding = || ("/event/token_estimate".into(), format!("is {says}; the body is {expected} tokens"));
    Some(if as_count(says) == Some(expected) { Vec::new() } else { vec![finding()] })
}
