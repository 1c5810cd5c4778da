//! One run of a host: a session is opened, the world played event by event, and the trace that comes of it watched.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::world::World;
use crate::adapter::{Answer, Operation};
use crate::contract::lifecycle::{event_type, is_world_event};
use crate::json;
use crate::policy::{Capabilities, Monitor, RulePack, RunFiles};
use crate::verdict::Violation;

/// The most events that a host may answer one of the world's with.
const MAX_ANSWERED: usize = 1_000;
/// The most events of a run.
const MAX_EVENTS: usize = 200_000;
/// The most bytes of a run's events that are kept to be shown and matched.
const MAX_KEPT_BYTES: usize = 16 * 1024 * 1024;
/// The most breaches of a run that are kept.
const MAX_VIOLATIONS: usize = 1_000;

/// What keeps an answer from being one of a running host.
pub(super) struct RunFault {
    pub(super) expected: &'static str,
    pub(super) got: String,
}

enum Stage {
    Opening,
    Playing { session: Value },
    Closing,
}

/// A run that is under way.
pub(super) struct Run<'p> {
    stage: Stage,
    world: World,
    monitor: Monitor<'p>,
    events: Vec<Value>,
    kept_bytes: usize,
    violations: Vec<Violation>,
    /// The world's event that was sent and not yet answered.
    sent: Option<Value>,
}

/// What comes after an answer.
pub(super) enum Next {
    Ask(Operation, Arc<Value>),
    /// The run is over, as it should be.
    Over,
    /// The run can't go on.
    Broken(RunFault),
}

impl<'p> Run<'p> {
    /// A run of what a case gives, and the params of its first call.
    pub(super) fn begin(pack: &'p RulePack, given: &Value, seed: u64) -> Result<(Self, Value), String> {
        let world = World::read(given, seed)?;
        let capabilities = Capabilities::read(given.get("capabilities"))?;
        let receipts = given.get("receipts").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let files = RunFiles::of(given.get("files").unwrap_or(&Value::Null));
        let monitor = Monitor::new(pack, capabilities, receipts).in_run(files);
        let open = given.as_object().into_iter().flatten().filter(|(key, _)| !["world", "walk"].contains(&key.as_str()));
        let open: Map<String, Value> = open.map(|(key, value)| (key.clone(), value.clone())).collect();
        Ok((
            Self { stage: Stage::Opening, world, monitor, events: Vec::new(), kept_bytes: 0, violations: Vec::new(), sent: None },
            Value::Object(open),
        ))
    }

    /// Whether its session was opened.
    pub(super) fn is_open(&self) -> bool {
        !matches!(self.stage, Stage::Opening)
    }

    /// Takes the answer to the last call. A refusal is no answer to a fair world.
    pub(super) fn answered(&mut self, answer: &Answer) -> Next {
        let expected = match self.stage {
            Stage::Opening => "{session}, with a text",
            Stage::Playing { .. } => "{events}, with a list",
            Stage::Closing => "{}",
        };
        let result = match answer {
            Answer::Result(result) => result,
            Answer::Refusal(refusal) => {
                return Next::Broken(RunFault { expected, got: format!("a refusal, {}", refusal.category) });
            }
            Answer::Unsupported | Answer::Error(_) => return Next::Broken(RunFault { expected, got: "none".to_owned() }),
        };
        let broken = || Next::Broken(RunFault { expected, got: json::excerpt(result, 400) });
        match &self.stage {
            Stage::Opening => match result.get("session") {
                Some(session @ Value::String(_)) => {
                    self.stage = Stage::Playing { session: session.clone() };
                    self.play()
                }
                _ => broken(),
            },
            Stage::Playing { .. } => match result.get("events").and_then(Value::as_array) {
                Some(events) if events.len() <= MAX_ANSWERED => {
                    self.take(events);
                    if self.events.len() > MAX_EVENTS || self.kept_bytes > MAX_KEPT_BYTES {
                        let got = format!("{} events, {} bytes", self.events.len(), self.kept_bytes);
                        return Next::Broken(RunFault { expected: "a run of at most 200000 events and 16 MiB", got });
                    }
                    self.play()
                }
                _ => broken(),
            },
            Stage::Closing if result.is_object() => Next::Over,
            Stage::Closing => broken(),
        }
    }

    /// Numbers the world's event and the host's, and watches them.
    fn take(&mut self, answered: &[Value]) {
        if let Some(sent) = self.sent.take() {
            self.watch(sent);
        }
        for event in answered {
            match event_type(event) {
                // A host that answers with an event of the world makes it up: the monitor is to see that it breaks the form, not to believe it.
                Some(kind) if is_world_event(kind) => self.watch(json!({"type": format!("{kind} (by the host)")})),
                _ => self.watch(event.clone()),
            }
        }
    }

    fn watch(&mut self, mut event: Value) {
        if let Value::Object(members) = &mut event {
            members.insert("seq".to_owned(), Value::from(self.events.len() + 1));
        }
        self.monitor.observe(&event);
        let room = MAX_VIOLATIONS.saturating_sub(self.violations.len());
        self.violations.extend(self.monitor.take_violations().into_iter().take(room));
        self.kept_bytes += event.to_string().len();
        self.events.push(event);
    }

    fn play(&mut self) -> Next {
        let Stage::Playing { session } = &self.stage else { return Next::Over };
        match self.world.next(&self.monitor) {
            Some(event) => {
                let params = json!({"session": session, "event": event});
                self.sent = Some(event);
                Next::Ask(Operation::LifecycleStep, Arc::new(params))
            }
            None => {
                let params = json!({"session": session});
                self.stage = Stage::Closing;
                Next::Ask(Operation::LifecycleClose, Arc::new(params))
            }
        }
    }

    /// Ends the watch: the trace as it was, and what it breaks.
    pub(super) fn finish(mut self) -> (Vec<Value>, Vec<Violation>) {
        if let Some(sent) = self.sent.take() {
            self.watch(sent);
        }
        let (rest, _) = self.monitor.finish();
        self.violations.extend(rest);
        (self.events, self.violations)
    }
}
