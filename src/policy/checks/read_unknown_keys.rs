//! A reader tolerates keys that it does not know.

use crate::adapter::{Answer, Operation};
use crate::json;
use crate::policy::exchange::{Companion, Judged, View};

pub(super) fn check(exchange: &View<'_>) -> Judged {
    if exchange.operation != Operation::ActivationRead {
        return None;
    }
    let Some(Companion::Variant { answer, .. }) = exchange.companion else { return None };
    let finding = match (exchange.answer, answer) {
        (Answer::Result(plain), Answer::Result(extended)) => {
            let same = ["shown", "omitted", "cards"].iter().all(|key| {
                json::equal(plain.get(*key).unwrap_or(&serde_json::Value::Null), extended.get(*key).unwrap_or(&serde_json::Value::Null))
            });
            (!same).then(|| "unknown keys in the payload change what is read".to_owned())
        }
        (Answer::Result(_), Answer::Refusal(refusal)) => Some(format!("unknown keys in the payload are refused ({})", refusal.category)),
        (Answer::Refusal(_), _) => return None,
        _ => return None,
    };
    Some(finding.map(|message| (String::new(), message)).into_iter().collect())
}
