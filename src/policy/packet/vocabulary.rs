//! EP-103: every vocabulary word is in its vocabulary.

use serde_json::Value;

use super::Subject;
use crate::contract::packet::{
    EVIDENCE_SCOPES, EVIDENCE_TYPES, LOSSINESS, LOSSY_WITHOUT_RECOVERY, MODES, OBSERVATION_CLASSES, OUTCOMES, SENSITIVITIES, SIGNALS,
};
use crate::policy::private;
use crate::policy::receipt::Finding;

/// The words of a packet's fixed places.
pub(super) const WORDS: [(&str, &[&str]); 6] = [
    ("/skill/mode", &MODES),
    ("/result/observation_class", &OBSERVATION_CLASSES),
    ("/result/outcome", &OUTCOMES),
    ("/handoff/signal", &SIGNALS),
    ("/recovery/lossiness", &LOSSINESS),
    ("/recovery/sensitivity", &SENSITIVITIES),
];
/// The words of an item of evidence.
pub(super) const EVIDENCE_WORDS: [(&str, &[&str]); 2] = [("type", &EVIDENCE_TYPES), ("scope", &EVIDENCE_SCOPES)];

pub(super) fn check(subject: &Subject<'_>) -> Option<Vec<Finding>> {
    let mut found = Vec::new();
    let mut look = |pointer: String, value: Option<&Value>, words: &[&str]| {
        // What is no text breaks the table of fields; what loses without recovery has a rule of its own.
        let Some(word) = value.and_then(Value::as_str).filter(|word| *word != LOSSY_WITHOUT_RECOVERY || pointer != "/recovery/lossiness")
        else {
            return;
        };
        if !words.contains(&word) {
            let word = private::excerpt(&Value::from(word), 80);
            found.push(Finding::new(pointer, format!("{word} is no word of it; there are {}", words.join(", "))));
        }
    };
    for (pointer, words) in WORDS {
        look(pointer.to_owned(), subject.packet.pointer(pointer), words);
    }
    for (at, item) in subject.items("/evidence_used").iter().enumerate() {
        for (key, words) in EVIDENCE_WORDS {
            look(format!("/evidence_used/{at}/{key}"), item.get(key), words);
        }
    }
    Some(found)
}
