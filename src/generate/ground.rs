//! What a case stands on: what was declared, and the reference, asked through the trait like every other host.

use serde_json::{Map, Value, json};

use crate::adapter::{Implementation as _, Operation};
use crate::contract::rendering::RenderingProfile;
use crate::embedded;
use crate::reference::Reference;

/// The ground of all cases of one run.
pub(super) struct Ground {
    /// The declared profile; without one nothing is asked that depends on a layout.
    pub(super) profile: Option<RenderingProfile>,
    reference: Reference,
}

impl Ground {
    pub(super) fn new(profile: Option<RenderingProfile>) -> Self {
        Self { profile, reference: Reference::new(profile.unwrap_or_else(embedded::page_1)) }
    }

    /// The value that stands in the reference's result, refusals included.
    pub(super) fn ask(&mut self, operation: Operation, params: &Value) -> Option<Value> {
        self.reference.call(operation, params).into_result()
    }

    /// The result of an evidence payload under a layout that no host is known to have.
    pub(super) fn ask_wide(&mut self, params: &Value) -> Option<Value> {
        Reference::new(embedded::rendering_profile("wide")?).call(Operation::ActivationEvidence, params).into_result()
    }

    /// What a verdict has to say: these breaches of a must and no other, but for consequences by the rules named. `None` where the
    /// reference says anything else, and so nothing that this kit could hold a host to.
    pub(super) fn verdict(
        &mut self,
        operation: Operation,
        params: &Value,
        breaches: &[(&str, String)],
        consequences: &[&str],
    ) -> Option<Value> {
        let said = self.ask(operation, params)?;
        let mut also = Vec::new();
        let mut found = 0;
        for row in said.get("violations")?.as_array()?.iter().filter(|row| row["level"] == "must") {
            let (rule, path) = (row["rule"].as_str()?, row["path"].as_str()?);
            if breaches.iter().any(|(wanted, at)| *wanted == rule && at == path) {
                found += 1;
            } else if consequences.contains(&rule) {
                also.push(json!({"rule": rule, "path": path}));
            } else {
                return None;
            }
        }
        let valid = breaches.is_empty();
        if found != breaches.len() || said["valid"] != json!(valid) {
            return None;
        }
        let rows: Vec<Value> = breaches.iter().map(|(rule, path)| json!({"rule": rule, "path": path})).collect();
        let mut verdict = Map::from_iter([("valid".to_owned(), json!(valid)), ("violations".to_owned(), json!(rows))]);
        if !also.is_empty() {
            verdict.insert("also".to_owned(), Value::Array(also));
        }
        Some(json!({"verdict": verdict}))
    }
}

/// The members of one mapping that a list names, where they are there.
pub(super) fn members(value: &Value, keys: &[&str]) -> Value {
    keys.iter().filter_map(|key| Some(((*key).to_owned(), value.get(*key)?.clone()))).collect::<Map<_, _>>().into()
}
