//! `used_chars` keeps within the budget, and `budget_chars` is the budget asked for or the effective one.

use crate::contract::rendering::BelowFloor;
use crate::policy::exchange::{Judged, View};

pub(super) fn check(exchange: &View<'_>) -> Judged {
    if !exchange.options_are_valid() {
        return None;
    }
    let view = exchange.evidence()?;
    let profile = exchange.profile?;
    let floor = profile.floor();
    let asked = exchange.asked_budget(view);
    let mut findings = Vec::new();
    let effective = if profile.below_floor == BelowFloor::Raise { asked.max(floor) } else { asked };
    if view.budget != asked && view.budget != effective {
        let either = if asked == effective { String::new() } else { format!(" or {effective}, the floor") };
        findings.push(("/budget_chars".into(), format!("is {}; {asked} was asked for{either}", view.budget)));
    }
    // Below the floor no budget can be kept unless it is raised.
    let bound = if asked >= floor { asked } else { effective.max(floor) };
    if (asked >= floor || profile.below_floor == BelowFloor::Raise) && view.used > bound {
        findings.push(("/used_chars".into(), format!("is {}, over the budget of {bound}", view.used)));
    }
    Some(findings)
}
