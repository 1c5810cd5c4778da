//! EP-118: what the pointer must not embed, refs and texts should not hold. What was found is never said again.

use super::Subject;
use crate::policy::private;
use crate::policy::receipt::Finding;

pub(super) fn check(subject: &Subject<'_>) -> Option<Vec<Finding>> {
    let texts = subject.refs().into_iter().chain(subject.prose());
    let found = texts.flat_map(|(pointer, text)| {
        private::found_in(text).into_iter().map(move |what| Finding::new(pointer.clone(), format!("it holds {what}")))
    });
    Some(found.collect())
}
