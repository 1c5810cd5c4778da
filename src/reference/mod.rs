//! The reference implementation of the contracts: what a correct host says.
//!
//! It is judged through [`Implementation`] like every other host, in-process and again behind its own binary, and knows nothing of cases.

mod evidence;
mod fit;
mod layout;
mod lifecycle;
mod load;
mod merge;
mod options;
mod packet;
mod read;

use serde_json::{Value, json};

pub use evidence::{catalog, evidence};
pub use fit::smallest_budget;
pub use packet::{project, render};

use crate::adapter::{Answer, Declaration, ErrorObject, Hello, Implementation, Operation, Refusal, error_code};
use crate::contract::activation::{Flag, SCHEMA_VERSION};
use crate::contract::packet::MediaType;
use crate::contract::refusal::Category;
use crate::contract::rendering::RenderingProfile;
use crate::embedded;
use crate::json::as_count;
use crate::policy::{RulePack, Surface};
use crate::verdict::Verdict;
use lifecycle::Sessions;
use load::{Blocked, LoadRequest};

/// The reference host.
#[derive(Debug, Clone)]
pub struct Reference {
    declared: RenderingProfile,
    sessions: Sessions,
}

impl Reference {
    /// A reference host that declares this profile. It renders by the profile that a request carries, else by this one.
    #[must_use]
    pub fn new(declared: RenderingProfile) -> Self {
        Self { declared, sessions: Sessions::default() }
    }
}

impl Default for Reference {
    /// Declares `page-1`.
    fn default() -> Self {
        Self::new(embedded::page_1())
    }
}

impl Implementation for Reference {
    fn initialize(&mut self, _: &Hello) -> Result<Declaration, ErrorObject> {
        let mut declaration =
            Declaration::new("proofmark-reference", env!("CARGO_PKG_VERSION"), "Rust").operations(Operation::ALL).rendering(self.declared);
        declaration.max_in_flight = 64;
        Ok(declaration)
    }

    fn call(&mut self, operation: Operation, params: &Value) -> Answer {
        match self.answer(operation, params) {
            Ok(value) => Answer::Result(value),
            Err(Failure::Refused(blocked)) => {
                Answer::Refusal(Refusal { category: blocked.category.as_str().to_owned(), event: blocked.event })
            }
            Err(Failure::Malformed(message)) => Answer::Error(ErrorObject { code: error_code::INVALID_PARAMS, message }),
        }
    }
}

enum Failure {
    Refused(Blocked),
    Malformed(String),
}

impl From<Blocked> for Failure {
    fn from(blocked: Blocked) -> Self {
        Self::Refused(blocked)
    }
}

impl From<Category> for Failure {
    fn from(category: Category) -> Self {
        Self::Refused(category.into())
    }
}

impl Reference {
    fn answer(&mut self, operation: Operation, params: &Value) -> Result<Value, Failure> {
        static NULL: Value = Value::Null;
        let get = |key: &str| params.get(key).unwrap_or(&NULL);
        let profile = || match get("profile") {
            Value::Null => Ok(self.declared),
            value => {
                let profile: RenderingProfile =
                    serde_json::from_value(value.clone()).map_err(|error| Failure::Malformed(format!("profile: {error}")))?;
                match profile.fault() {
                    Some(fault) => Err(Failure::Malformed(format!("profile: {fault}"))),
                    None => Ok(profile),
                }
            }
        };
        match operation {
            Operation::ActivationEvidence => {
                let evidence = evidence(get("registry"), get("options"), &profile()?)?;
                serde_json::to_value(evidence).map_err(|error| Failure::Malformed(error.to_string()))
            }
            Operation::ActivationCatalog => {
                let (text, shown) = catalog(get("registry"), get("options"), &profile()?)?;
                Ok(json!({"text": text, "shown": shown}))
            }
            Operation::ActivationLoad => {
                let id = get("id").as_str().ok_or_else(|| Failure::Malformed("id: a text is required".to_owned()))?;
                let request = LoadRequest {
                    id,
                    session_id: params.get("session_id"),
                    require_signature: Flag::read(get("require_signature")),
                    model_invocation: Flag::read(get("model_invocation")).is_on(),
                };
                let (body, event) = load::load(get("registry"), &request, &profile()?)?;
                Ok(json!({"body": body, "event": event}))
            }
            Operation::ActivationRead => {
                let pinned = match get("pinned") {
                    Value::Null => SCHEMA_VERSION,
                    value => as_count(value).ok_or_else(|| Failure::Malformed("pinned: a version number is required".to_owned()))?,
                };
                Ok(read::read(get("payload"), pinned)?)
            }
            Operation::RegistryMerge => {
                let (registry, shadowed) = merge::merge(get("layers"), params.get("precedence"))?;
                Ok(json!({"registry": registry, "shadowed": shadowed}))
            }
            Operation::LifecycleValidateReceipt => {
                let receipt = params.get("receipt").ok_or_else(|| Failure::Malformed("receipt: a value is required".to_owned()))?;
                verdict(&RulePack::receipt().judge_receipt(receipt))
            }
            Operation::LifecycleValidateTrace => verdict(&RulePack::trace().judge_trace(params).map_err(Failure::Malformed)?),
            Operation::LifecycleOpen => Ok(json!({"session": self.sessions.open(params)?})),
            Operation::LifecycleStep => Ok(json!({"events": self.sessions.step(params)?})),
            Operation::LifecycleClose => self.sessions.close(params).map(|()| json!({})),
            Operation::PacketValidate => {
                let text = |key: &str| get(key).as_str().ok_or_else(|| Failure::Malformed(format!("{key}: a text is required")));
                let media_type =
                    MediaType::from_name(text("media_type")?).ok_or_else(|| Failure::Malformed("media_type: it is unknown".to_owned()))?;
                let surface = match get("surface") {
                    Value::Null => None,
                    value => Some(Surface::read(value).map_err(Failure::Malformed)?),
                };
                verdict(&RulePack::packet().judge_packet_text(text("document")?, media_type, surface.as_ref()).0)
            }
            Operation::PacketRender => {
                let (view, text) = render(get("packet"), get("depth"))?;
                Ok(json!({"view": view, "text": text}))
            }
            Operation::PacketProject => Ok(json!({"projection": project(get("packet"))?})),
            Operation::LifecyclePlan => {
                let situation = params.get("situation").filter(|situation| situation.is_object());
                let situation = situation.ok_or_else(|| Failure::Malformed("situation: a mapping is required".to_owned()))?;
                let (profile, ttl) = lifecycle::plan(situation)?;
                Ok(json!({"skill_lifecycle_profile": profile.as_str(), "ttl": ttl.as_str()}))
            }
        }
    }
}

fn verdict(verdict: &Verdict) -> Result<Value, Failure> {
    serde_json::to_value(verdict).map_err(|error| Failure::Malformed(error.to_string()))
}
