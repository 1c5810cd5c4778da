//! Loading a body, with the event that it leaves.

use serde_json::{Map, Value, json};

use super::catalog::BUDGET;
use super::fault::Fault;
use super::host::{Answered, Host, Refused, refuse};
use super::skill::{Skill, is_set};

/// Keys that a skill's provenance is kept from writing.
const OWN_KEYS: [&str; 10] =
    ["type", "skill_id", "lifecycle", "source", "disable_model_invocation", "token_estimate", "signed", "trusted", "session_id", "error"];
const LAYERS: [&str; 7] = ["bundled", "cli", "runtime", "host", "project", "package", "user"];

impl Host {
    pub(super) fn load(&mut self, params: &Value) -> Answered {
        let id = params["id"].as_str().unwrap_or("");
        let Some(skill) = self.find(&params["registry"], id)? else {
            if !self.has(Fault::NotFoundAsEmpty) {
                return refuse("skill_not_found");
            }
            let empty = json!({"name": id});
            let skill = self.skill(&empty);
            return Ok(json!({"body": "", "event": skill.map(|skill| self.event(&skill, params, None))}));
        };
        if self.has(Fault::ListedOnlyLoadable) && self.is_dropped(&params["registry"], &skill)? {
            return refuse("skill_not_found");
        }
        let Some((category, why)) = self.block_reason(&skill, params) else {
            if self.has(Fault::LoadsRemembered) {
                self.remembered_loads.insert(skill.id.clone());
            }
            return Ok(json!({"body": skill.body, "event": self.event(&skill, params, None)}));
        };
        let mut refusal = json!({"error": {"category": category}});
        if !self.has(Fault::BlockedWithoutEvent) {
            refusal["event"] = self.event(&skill, params, Some(why));
        }
        if self.has(Fault::BlockedReturnsBody) {
            refusal["body"] = json!(skill.body);
        }
        Err(Refused(refusal))
    }

    /// The exact id; only where nobody has it, a bare name among the namespaced.
    fn find<'a>(&self, registry: &'a Value, id: &str) -> Result<Option<Skill<'a>>, Refused> {
        let mut skills = self.skills(registry)?;
        let wanted = self.key(id);
        let by_id = |skill: &Skill<'_>| self.key(&skill.id) == wanted;
        let in_any_case = |skill: &Skill<'_>| skill.id.to_lowercase() == id.to_lowercase();
        let layer = |skill: &Skill<'_>| LAYERS.iter().position(|label| skill.source == Some(label)).unwrap_or(LAYERS.len());
        let namesakes = skills.iter().enumerate().filter(|(_, skill)| !skill.namespace.is_empty() && skill.name == id);
        let namesake = namesakes.min_by_key(|(at, skill)| (layer(skill), *at)).map(|(at, _)| at);
        let mut found = skills.iter().position(by_id);
        if self.has(Fault::LoadFoldsCase) {
            found = found.or_else(|| skills.iter().position(in_any_case));
        }
        let found = if self.has(Fault::LoadByBareNameFirst) { namesake.or(found) } else { found.or(namesake) };
        Ok(found.map(|at| skills.swap_remove(at)))
    }

    /// Whether a catalog of the default budget had no room for the skill's card.
    fn is_dropped(&mut self, registry: &Value, skill: &Skill<'_>) -> Result<bool, Refused> {
        let options = self.options(&Value::Null)?;
        let plan = self.plan(registry, &options, false)?;
        Ok(plan.seats.iter().any(|seat| seat.skill.id == skill.id && seat.reason == Some(BUDGET)))
    }

    fn block_reason(&self, skill: &Skill<'_>, params: &Value) -> Option<(&'static str, &'static str)> {
        let asked = &params["model_invocation"];
        let by_model = is_set(asked) || (asked.is_null() && self.has(Fault::ModelInvocationByDefault));
        let by_model = by_model && !self.has(Fault::DisabledLoadableByModel);
        if skill.disabled && (by_model || self.has(Fault::DisabledNeverLoadable)) {
            return Some(("model_invocation_disabled", "only a person may load this skill"));
        }
        let required = is_set(&params["require_signature"]) || skill.require_signature;
        let trusted = claims(skill, "trusted") || self.has(Fault::SignedIsEnough);
        let enough = (claims(skill, "signed") && trusted) || self.has(Fault::SignatureIgnored);
        (required && !enough).then_some(("unsigned_skill", "its signature is missing or not trusted"))
    }

    fn event(&self, skill: &Skill<'_>, params: &Value, blocked: Option<&str>) -> Value {
        let estimated = match blocked {
            Some(_) => String::new(),
            None if self.has(Fault::LoadEstimatesCard) => self.block(&skill.id, skill.text, skill.when_to_use),
            None => skill.body.to_owned(),
        };
        let own = json!({
            "type": "skill.loaded",
            "skill_id": skill.id,
            "lifecycle": if blocked.is_some() { "omitted" } else { "loaded" },
            "source": skill.source.filter(|_| !self.has(Fault::EventDropsSource)),
            "disable_model_invocation": skill.disabled,
            "token_estimate": self.tokens(self.length(&estimated)),
            "signed": claims(skill, "signed") && !self.has(Fault::EventDropsSignature),
            "trusted": claims(skill, "trusted") && !self.has(Fault::EventDropsSignature),
            "session_id": params["session_id"],
            "error": blocked,
        });
        let mut event: Map<String, Value> = own.as_object().cloned().unwrap_or_default();
        let provenance = skill.provenance.filter(|_| !self.has(Fault::EventDropsProvenance));
        for (key, value) in provenance.into_iter().flatten() {
            if !OWN_KEYS.contains(&key.as_str()) || self.has(Fault::EventForged) {
                event.insert(key.clone(), value.clone());
            }
        }
        Value::Object(event)
    }
}

fn claims(skill: &Skill<'_>, key: &str) -> bool {
    skill.provenance.and_then(|provenance| provenance.get(key)) == Some(&Value::Bool(true))
}
