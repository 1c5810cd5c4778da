//! `activation.load`: one body by its id, with the event that Harn left in the transcript of a session.

use std::sync::Arc;

use harn_vm::agent_sessions;
use harn_vm::json_to_vm_value;
use harn_vm::llm::vm_value_to_json;
use harn_vm::skills::runtime::load_skill_from_registry_with_options;
use harn_vm::skills::{LayeredDiscovery, LoadSkillOptions, SkillFetcher};
use harn_vm::value::VmValue;
use proofmark::contract::refusal::Category;
use serde_json::{Value, json};

use crate::host::Failure;

/// The session of a request that names none. Harn records the event of a load in a session or nowhere.
const OWN_SESSION: &str = "proofmark";

pub(crate) fn load(params: &Value) -> Result<Value, Failure> {
    let requested = params["id"].as_str().ok_or_else(|| Failure::Failed("id: expected a text".to_owned()))?;
    let session_id = params["session_id"].as_str();
    let options = LoadSkillOptions {
        session_id: Some(session_id.unwrap_or(OWN_SESSION).to_owned()),
        require_signature: flag(&params["require_signature"])?,
        model_invocation: flag(&params["model_invocation"])?,
    };
    let session = agent_sessions::open_or_create(options.session_id.clone()).map_err(|error| Failure::Failed(format!("{error:?}")))?;
    let registry = json_to_vm_value(&params["registry"]);
    let loaded = load_skill_from_registry_with_options(&registry, Some(&no_files()), requested, options, "load_skill");
    let event = event(&session, session_id);
    // Requests are independent: nothing of this session may be found by the next.
    agent_sessions::close(&session);
    match loaded {
        Ok(skill) => Ok(json!({"body": skill.rendered_body, "event": event})),
        Err(message) => Err(refusal(message, event)),
    }
}

/// Harn's options are booleans; what is none can't be put to it, and its own builtin refuses a `require_signature` that is none.
fn flag(value: &Value) -> Result<bool, Failure> {
    match value {
        Value::Null => Ok(false),
        Value::Bool(flag) => Ok(*flag),
        _ => Err(Category::InvalidOptions.into()),
    }
}

/// An entry without a body is for Harn one whose file was not read yet, and it goes and looks for that file. Here the entry is all
/// there is: Harn's discovery has no source to look in.
fn no_files() -> SkillFetcher {
    Arc::new(|id| LayeredDiscovery::new().fetch(id))
}

/// The `skill.loaded` event of a session's transcript: what Harn calls metadata, and beside it the kind and the session.
fn event(session: &str, session_id: Option<&str>) -> Option<Value> {
    let transcript = vm_value_to_json(&agent_sessions::transcript(session).unwrap_or(VmValue::Nil));
    let recorded = transcript["events"].as_array()?.iter().find(|event| event["kind"] == "skill.loaded")?;
    let mut event = recorded["metadata"].clone();
    event["type"] = recorded["kind"].clone();
    event["session_id"] = json!(session_id);
    Some(event)
}

fn refusal(message: String, event: Option<Value>) -> Failure {
    let says = |beginning: &str| message.starts_with(beginning);
    if says("skill_not_found") || (says("skill '") && message.ends_with("' not found")) {
        Failure::Refused(Category::SkillNotFound, event)
    } else if says("skill_model_invocation_disabled") {
        Failure::Refused(Category::ModelInvocationDisabled, event)
    } else if says("UnsignedSkillError") {
        Failure::Refused(Category::UnsignedSkill, event)
    } else if message.contains("skill registry is") {
        Failure::Refused(Category::InvalidRegistry, event)
    } else {
        Failure::Failed(message)
    }
}
