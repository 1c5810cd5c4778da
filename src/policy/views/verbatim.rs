//! EP-122 and EP-130: each value is the packet's at that place, and there is none where the packet has none.

use serde_json::Value;

use super::{Made, differences};
use crate::policy::exchange::View;
use crate::policy::receipt::Finding;

/// EP-122.
pub(super) fn view(exchange: &View<'_>) -> Option<Vec<Finding>> {
    let made = Made::of(exchange, "view")?;
    let mut found = held(&made, "/view/packet", true);
    let depth = exchange.param("depth");
    if made.made.get("depth") != Some(depth) {
        found.push(Finding::new("/view/depth", format!("the depth that was asked for is {depth}")));
    }
    Some(found)
}

/// EP-130.
pub(super) fn projection(exchange: &View<'_>) -> Option<Vec<Finding>> {
    let made = Made::of(exchange, "projection")?;
    let mut found = held(&made, "/projection/packet", false);
    if made.made.get("read_only") != Some(&Value::Bool(true)) {
        found.push(Finding::new("/projection/read_only", "a projection is read-only, and says so"));
    }
    Some(found)
}

fn held(made: &Made<'_>, path: &str, whole: bool) -> Vec<Finding> {
    if made.held.is_object() { differences(made.packet, made.held, path, whole) } else { vec![Finding::new(path, "a mapping is required")] }
}
