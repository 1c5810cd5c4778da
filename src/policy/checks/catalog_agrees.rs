//! For one registry and options, catalog and evidence agree: on what is shown, on how long the text is, and on refusing.

use serde_json::Value;

use crate::adapter::{Answer, Operation};
use crate::contract::rendering::Unit;
use crate::json::as_count;
use crate::policy::exchange::{Companion, Judged, View};

pub(super) fn check(exchange: &View<'_>) -> Judged {
    let mut findings = Vec::new();
    if exchange.operation == Operation::ActivationCatalog
        && let Some(result) = exchange.result()
    {
        if !result.get("text").is_some_and(Value::is_string) {
            findings.push(("/text".into(), "is no text".into()));
        }
        if !result.get("shown").and_then(Value::as_array).is_some_and(|shown| shown.iter().all(Value::is_string)) {
            findings.push(("/shown".into(), "is no list of texts".into()));
        }
    }
    if !findings.is_empty() {
        return Some(findings);
    }
    let Some(Companion::Twin(twin)) = exchange.companion else { return None };
    let (evidence, catalog) = match exchange.operation {
        Operation::ActivationEvidence => (exchange.answer, twin),
        Operation::ActivationCatalog => (twin, exchange.answer),
        _ => return None,
    };
    match (evidence, catalog) {
        (Answer::Result(evidence), Answer::Result(catalog)) => {
            let (claimed, rendered) = (evidence.get("shown")?, catalog.get("shown")?);
            if claimed != rendered {
                findings.push(("/shown".into(), format!("evidence says {claimed}, the catalog shows {rendered}")));
            }
            let text = catalog.get("text")?.as_str()?;
            let unit = exchange.profile.map_or(Unit::Characters, |profile| profile.unit);
            let used = as_count(evidence.get("used_chars")?)?;
            let length = unit.length(text);
            if used != length {
                findings.push(("/used_chars".into(), format!("evidence says {used}, the catalog's text is {length} long")));
            }
        }
        (Answer::Refusal(_), Answer::Refusal(_)) => {}
        (Answer::Result(_), Answer::Refusal(refusal)) => {
            findings.push((String::new(), format!("the catalog refuses ({}) what the evidence accepts", refusal.category)));
        }
        (Answer::Refusal(refusal), Answer::Result(_)) => {
            findings.push((String::new(), format!("the evidence refuses ({}) what the catalog accepts", refusal.category)));
        }
        _ => return None,
    }
    Some(findings)
}
