//! EP-109: each metric says where its value comes from, and has none where there is none.

use serde_json::Value;

use super::{Subject, milder};
use crate::contract::packet::PROVENANCES;
use crate::json::pointer_push;
use crate::policy::receipt::Finding;

pub(super) fn check(subject: &Subject<'_>) -> Option<Vec<Finding>> {
    let members = subject.at("/metrics").as_object().into_iter().flatten();
    let found = members.filter_map(|(name, metric)| {
        let (message, is_milder) = fault(metric)?;
        let pointer = pointer_push("/metrics", name);
        Some(if is_milder { milder(pointer, message) } else { Finding::new(pointer, message) })
    });
    Some(found.collect())
}

/// What is wrong with a metric, and whether it is so only by recommendation.
fn fault(metric: &Value) -> Option<(&'static str, bool)> {
    let Some(members) = metric.as_object() else { return Some(("it is no mapping of value and provenance", false)) };
    let provenance = members.get("provenance").and_then(Value::as_str).filter(|word| PROVENANCES.contains(word));
    let Some(provenance) = provenance else { return Some(("its provenance is not one of reported, estimated, unavailable", false)) };
    let value = members.get("value").unwrap_or(&Value::Null);
    match (value, provenance) {
        (Value::Null, "unavailable") => None,
        (_, "unavailable") => Some(("it is unavailable, and has a value all the same", false)),
        (Value::Null, _) => Some(("it has no value; what is not known is unavailable", true)),
        (Value::Number(number), _) => {
            let is_measure = number.as_f64().is_some_and(|value| value.is_finite() && value >= 0.0);
            (!is_measure).then_some(("its value is negative", true))
        }
        _ => Some(("its value is neither a number nor null", false)),
    }
}
