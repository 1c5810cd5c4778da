//! The open sessions of running hosts.

use std::collections::BTreeMap;

use serde_json::Value;

use super::host::Host;
use crate::contract::lifecycle::Event;
use crate::contract::refusal::Category;
use crate::policy::Capabilities;
use crate::reference::Failure;

/// The most sessions that stand open at once; the oldest goes when another comes.
const MAX_SESSIONS: usize = 1_024;

/// Sessions by their number.
#[derive(Debug, Clone, Default)]
pub(in crate::reference) struct Sessions {
    opened: u64,
    open: BTreeMap<u64, Host>,
}

impl Sessions {
    pub(in crate::reference) fn open(&mut self, params: &Value) -> Result<String, Failure> {
        let malformed = |key: &str| Failure::Malformed(format!("{key}: it is missing or of a wrong type"));
        let capabilities = Capabilities::read(params.get("capabilities")).map_err(Failure::Malformed)?;
        let files = params.get("files").and_then(Value::as_object).ok_or_else(|| malformed("files"))?;
        let receipts = match params.get("receipts") {
            None | Some(Value::Null) => &[][..],
            Some(Value::Array(receipts)) => receipts,
            Some(_) => return Err(malformed("receipts")),
        };
        let host = Host::open(params.get("registry").unwrap_or(&Value::Null), files, capabilities, receipts)?;
        if self.open.len() == MAX_SESSIONS {
            self.open.pop_first();
        }
        self.opened += 1;
        self.open.insert(self.opened, host);
        Ok(format!("run-{}", self.opened))
    }

    pub(in crate::reference) fn step(&mut self, params: &Value) -> Result<Vec<Value>, Failure> {
        let number = number(params)?;
        let host = self.open.get_mut(&number).ok_or(Category::InvalidScenario)?;
        let value = params.get("event").unwrap_or(&Value::Null);
        let event = Event::read(value, true).map_err(|fault| Failure::Malformed(format!("event: {fault}")))?;
        if !event.is_of_the_world() {
            return Err(Failure::Malformed("event: it is a host's, not the world's".to_owned()));
        }
        Ok(host.step(&event, value)?)
    }

    pub(in crate::reference) fn close(&mut self, params: &Value) -> Result<(), Failure> {
        let number = number(params)?;
        self.open.remove(&number).map(drop).ok_or_else(|| Category::InvalidScenario.into())
    }
}

/// The number in a session's name; a name that was never given out is an unknown session.
fn number(params: &Value) -> Result<u64, Failure> {
    let session = params.get("session").and_then(Value::as_str);
    let session = session.ok_or_else(|| Failure::Malformed("session: a text is required".to_owned()))?;
    let digits = session.strip_prefix("run-").filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    let number = digits.and_then(|number| number.parse().ok());
    number.ok_or_else(|| Category::InvalidScenario.into())
}
