//! EP-124 and EP-125: a view holds what its depth is for, and not what is for a deeper one.

use super::Made;
use crate::contract::packet::{has_field, not_shown_at, shown_at};
use crate::policy::exchange::View;
use crate::policy::receipt::Finding;

/// EP-124.
pub(super) fn check(exchange: &View<'_>) -> Option<Vec<Finding>> {
    let made = Made::of(exchange, "view")?;
    let wanted = shown_at(exchange.param("depth").as_str()?)?.iter();
    let lost = wanted.filter(|pointer| has_field(made.packet, pointer) && !has_field(made.held, pointer));
    Some(lost.map(|pointer| Finding::new(format!("/view/packet{pointer}"), "this depth is for it, and the packet has it")).collect())
}

/// EP-125.
pub(super) fn check_not(exchange: &View<'_>) -> Option<Vec<Finding>> {
    let made = Made::of(exchange, "view")?;
    let depth = exchange.param("depth").as_str()?;
    let shown = not_shown_at(depth).iter().filter(|pointer| has_field(made.held, pointer));
    Some(shown.map(|pointer| Finding::new(format!("/view/packet{pointer}"), format!("a {depth} view is not for it"))).collect())
}
