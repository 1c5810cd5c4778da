//! EP-111: result and handoff are both there, and distinct.

use super::Subject;
use crate::policy::receipt::Finding;

pub(super) fn check(subject: &Subject<'_>) -> Option<Vec<Finding>> {
    let mut found = Vec::new();
    for (section, foreign) in [("/result", "signal"), ("/handoff", "outcome")] {
        let value = subject.at(section);
        if value.is_null() {
            found.push(Finding::new(section, "is missing"));
        } else if value.get(foreign).is_some() {
            found.push(Finding::new(format!("{section}/{foreign}"), format!("{foreign} belongs to the other of result and handoff")));
        }
    }
    Some(found)
}
