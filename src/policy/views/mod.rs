//! The native checks of what is made of a packet: views of a depth, and projections.

mod holds;
mod missing;
mod no_hiding;
mod subset;
mod verbatim;

use serde_json::{Map, Value};

use super::exchange::View;
use super::private;
use super::receipt::Finding;
use crate::json::{self, Step, pointer_of};

/// A native check of a view or a projection: `None` where it can't judge from what is there.
pub(super) type ViewCheck = fn(&View<'_>) -> Option<Vec<Finding>>;

/// Every native check by the name that a rule pack uses.
pub(super) const ALL: &[(&str, ViewCheck)] = &[
    ("law_view_subset", subset::check),
    ("project_complete", missing::complete),
    ("project_missing", missing::projection),
    ("project_verbatim", verbatim::projection),
    ("view_holds", holds::check),
    ("view_holds_not", holds::check_not),
    ("view_missing", missing::view),
    ("view_no_hiding", no_hiding::check),
    ("view_verbatim", verbatim::view),
];

/// The packet of the request, where it is a mapping, and a member of the answer with its packet.
struct Made<'a> {
    packet: &'a Value,
    made: &'a Map<String, Value>,
    /// What the answer holds of the packet; null where that is no mapping.
    held: &'a Value,
}

static NULL: Value = Value::Null;

impl<'a> Made<'a> {
    fn of(exchange: &View<'a>, member: &str) -> Option<Self> {
        let packet = exchange.param("packet");
        if !packet.is_object() {
            return None;
        }
        static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
        let made = exchange.result()?.get(member).and_then(Value::as_object).unwrap_or(&EMPTY);
        let held = made.get("packet").filter(|held| held.is_object()).unwrap_or(&NULL);
        Some(Self { packet, made, held })
    }

    /// The pointers under `missing`; those that are no texts are left out.
    fn missing(&self) -> Vec<&'a str> {
        self.made.get("missing").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    }
}

/// Every place where what is held is not what the packet has there. A view holds a sequence whole or not at all; a projection may leave
/// out of its items what the contract does not know.
fn differences(packet: &Value, held: &Value, base: &str, whole: bool) -> Vec<Finding> {
    let mut found = Vec::new();
    compare(Some(packet), held, base, whole, &mut Vec::new(), &mut found);
    found
}

fn compare<'a>(packet: Option<&Value>, held: &'a Value, base: &str, whole: bool, path: &mut Vec<Step<'a>>, found: &mut Vec<Finding>) {
    match (held, packet) {
        (_, None) => found.push(Finding::new(pointer_of(base, path), "the packet has nothing there")),
        (Value::Object(held), Some(Value::Object(members))) => {
            for (key, value) in held {
                path.push(Step::Key(key));
                compare(members.get(key), value, base, whole, path, found);
                path.pop();
            }
        }
        (Value::Array(held), Some(Value::Array(items))) if !whole && held.len() == items.len() => {
            for (at, (value, item)) in held.iter().zip(items).enumerate() {
                path.push(Step::Index(at));
                compare(Some(item), value, base, whole, path, found);
                path.pop();
            }
        }
        (held, Some(packet)) if json::equal(held, packet) => {}
        (_, Some(packet)) => {
            found.push(Finding::new(pointer_of(base, path), format!("the packet has {} there", private::excerpt(packet, 160))))
        }
    }
}
