//! EP-121: what a depth shows, a deeper one shows too.

use super::{Made, differences};
use crate::policy::exchange::{Companion, Exchange, View};
use crate::policy::receipt::Finding;

pub(super) fn check(exchange: &View<'_>) -> Option<Vec<Finding>> {
    let Some(Companion::Variant { params, answer, .. }) = exchange.companion else { return None };
    let shallow = Made::of(exchange, "view")?;
    let deep = View::of(&Exchange { params: Some(params), answer, companion: None, ..exchange.exchange() });
    let deep = Made::of(&deep, "view")?;
    let found = differences(deep.held, shallow.held, "/view/packet", true);
    let depth = params.get("depth").and_then(|depth| depth.as_str()).unwrap_or_default();
    Some(found.into_iter().map(|finding| Finding { message: format!("it is not in the {depth} view"), ..finding }).collect())
}
