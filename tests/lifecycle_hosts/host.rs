//! A host with one fault: the reference, asked through the trait, with its answers spoilt.

use std::collections::{BTreeMap, BTreeSet};

use proofmark::adapter::{Answer, Declaration, ErrorObject, Hello, Implementation, Operation};
use proofmark::contract::lifecycle::{body_file, text_hash};
use proofmark::policy::RulePack;
use proofmark::reference::Reference;
use serde_json::{Value, json};

use super::fault::Fault;

/// What the spoiler has to know of a session.
#[derive(Debug, Default)]
struct Session {
    context_gc: bool,
    files: BTreeMap<String, String>,
    skills: Vec<String>,
    current: Option<String>,
    loaded: BTreeSet<String>,
    in_loop: BTreeSet<String>,
    influenced: BTreeSet<String>,
    /// Selections that are still to be said.
    held_back: Vec<Value>,
    /// The first hash that was said of each file.
    hashes: BTreeMap<String, Value>,
}

/// The host.
pub(crate) struct Host {
    inner: Reference,
    fault: Fault,
    pack: Option<RulePack>,
    sessions: BTreeMap<String, Session>,
    latest: Option<String>,
}

impl Host {
    pub(crate) fn new(fault: Fault) -> Self {
        let pack = match &fault {
            Fault::Without(rule) => {
                let folder = if rule.starts_with("RR-") { "skill-release-receipt-v1" } else { "skill-lifecycle-trace-v1" };
                let bytes = proofmark::embedded::file(&format!("schemas/rules/{folder}.yaml")).expect("a shipped pack");
                let pack = RulePack::read(std::str::from_utf8(bytes).expect("UTF-8")).expect("a shipped pack");
                assert!(pack.rule(rule).is_some(), "there is no rule {rule}");
                Some(pack.without(rule))
            }
            _ => None,
        };
        Self { inner: Reference::default(), fault, pack, sessions: BTreeMap::new(), latest: None }
    }

    /// The answer of a validator that lacks a rule, where this is one.
    fn judged(&self, operation: Operation, params: &Value) -> Option<Answer> {
        let pack = self.pack.as_ref()?;
        let verdict = match operation {
            Operation::LifecycleValidateReceipt if pack.rules()[0].id.starts_with("RR-") => pack.judge_receipt(params.get("receipt")?),
            Operation::LifecycleValidateTrace if pack.rules()[0].id.starts_with("LC-") => pack.judge_trace(params).ok()?,
            _ => return None,
        };
        Some(Answer::Result(serde_json::to_value(verdict).expect("a verdict is JSON")))
    }

    fn open(&mut self, params: &Value) -> Answer {
        let mut params = params.clone();
        let context_gc = params["capabilities"]["context_gc"] == json!(true);
        if self.fault == Fault::ClaimsReleaseWithoutCollection {
            params["capabilities"]["context_gc"] = json!(true);
        }
        let answer = self.inner.call(Operation::LifecycleOpen, &params);
        if let Answer::Result(result) = &answer {
            let id = result["session"].as_str().unwrap_or_default().to_owned();
            let files = params["files"].as_object().into_iter().flatten();
            let files = files.filter_map(|(path, text)| Some((path.clone(), text.as_str()?.to_owned()))).collect();
            let skills = params["registry"]["skills"].as_array().into_iter().flatten();
            let id_of = |entry: &Value| match (entry["namespace"].as_str(), entry["name"].as_str()) {
                (Some(namespace), Some(name)) => Some(format!("{namespace}/{name}")),
                (None, name) => name.map(str::to_owned),
                _ => None,
            };
            let skills = skills.filter_map(id_of).collect();
            self.sessions.insert(id.clone(), Session { context_gc, files, skills, ..Session::default() });
            self.latest = Some(id);
        }
        answer
    }

    fn ask(&mut self, session: &str, event: &Value) -> Answer {
        self.inner.call(Operation::LifecycleStep, &json!({"session": session, "event": event}))
    }

    fn step(&mut self, params: &Value) -> Answer {
        let named = params["session"].as_str().unwrap_or_default().to_owned();
        let session = match (&self.fault, &self.latest) {
            (Fault::SessionsMixed, Some(latest)) => latest.clone(),
            _ => named,
        };
        let event = &params["event"];
        let kind = event["type"].as_str().unwrap_or_default();
        let skill = event["skill_id"].as_str().map(str::to_owned);
        let (current, context_gc) = match self.sessions.get(&session) {
            Some(state) => (state.current.clone(), state.context_gc),
            None => (None, false),
        };
        let answer = match (&self.fault, kind) {
            // A skill that is told that its phase is over releases.
            (Fault::ReleasesContinuingPhase, "phase.ended") if event["continues"] == json!(true) && context_gc => {
                let over = json!({"type": "phase.ended", "skill_id": skill, "continues": false});
                self.ask(&session, &over)
            }
            (Fault::ReleasesCurrentUnderPressure, "pressure") if context_gc => match current {
                Some(current) => self.ask(&session, &json!({"type": "phase.ended", "skill_id": current, "continues": false})),
                None => self.ask(&session, event),
            },
            (Fault::ReleasesInLoop, "turn.started") if context_gc => self.release_loops(&session, event),
            _ => self.ask(&session, event),
        };
        let Answer::Result(mut result) = answer else { return answer };
        let Some(state) = self.sessions.get_mut(&session) else { return Answer::Result(result) };
        state.note(event);
        let events = result["events"].as_array_mut().map(std::mem::take).unwrap_or_default();
        let events = state.spoilt(&self.fault, kind, event, events);
        for event in &events {
            match (event["type"].as_str(), event["skill_id"].as_str()) {
                (Some("body.loaded"), Some(skill)) => drop(state.loaded.insert(skill.to_owned())),
                (Some("body.released"), Some(skill)) => drop(state.loaded.remove(skill)),
                _ => {}
            }
        }
        result["events"] = Value::Array(events);
        Answer::Result(result)
    }

    /// Ends each open loop for the host's eyes only, and begins it again.
    fn release_loops(&mut self, session: &str, event: &Value) -> Answer {
        let looping: Vec<String> = self.sessions.get(session).into_iter().flat_map(|state| state.in_loop.clone()).collect();
        let Answer::Result(mut result) = self.ask(session, event) else { return Answer::Unsupported };
        for skill in looping {
            let ended = self.ask(session, &json!({"type": "loop.ended", "skill_id": skill}));
            if let (Answer::Result(ended), Some(events)) = (ended, result["events"].as_array_mut()) {
                events.extend(ended["events"].as_array().into_iter().flatten().cloned());
            }
            self.ask(session, &json!({"type": "loop.started", "skill_id": skill}));
        }
        Answer::Result(result)
    }

    fn plan(&mut self, params: &Value) -> Answer {
        let mut params = params.clone();
        let situation = &mut params["situation"];
        let is_work = situation["need"] == "work";
        match self.fault {
            Fault::PlanReleasesInLoop => situation["in_loop"] = json!(false),
            Fault::PlanResumesWithoutReceipt => situation["receipt"] = json!(true),
            Fault::PlanIgnoresPressure => situation["pressure"] = json!("none"),
            Fault::PlanKeepsAfterShift => situation["shifted"] = json!(false),
            _ => {}
        }
        let answer = self.inner.call(Operation::LifecyclePlan, &params);
        match (&self.fault, answer) {
            (Fault::PlanListsForWork, Answer::Result(result))
                if is_work && result["skill_lifecycle_profile"] == "active_frame_required" =>
            {
                Answer::Result(json!({"skill_lifecycle_profile": "listing_only", "ttl": "not_applicable"}))
            }
            (Fault::PlanAcceptsBadWords, Answer::Refusal(_)) => {
                Answer::Result(json!({"skill_lifecycle_profile": "none", "ttl": "not_applicable"}))
            }
            (Fault::PlanWrongTtl, Answer::Result(mut result)) => {
                result["ttl"] = json!("release_after_review");
                Answer::Result(result)
            }
            (_, answer) => answer,
        }
    }
}

fn is(event: &Value, kind: &str) -> bool {
    event["type"] == kind
}

impl Session {
    fn note(&mut self, event: &Value) {
        let skill = event["skill_id"].as_str().map(str::to_owned);
        match (event["type"].as_str().unwrap_or_default(), skill) {
            ("step.started", skill) => self.current = skill,
            ("influence", Some(skill)) => drop(self.influenced.insert(skill)),
            ("loop.started", Some(skill)) => drop(self.in_loop.insert(skill)),
            ("loop.ended", Some(skill)) => drop(self.in_loop.remove(&skill)),
            ("source.changed", _) => {
                let text = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
                self.files.insert(text("file"), text("text"));
            }
            _ => {}
        }
    }

    /// The events of an answer as the fault has them.
    fn spoilt(&mut self, fault: &Fault, kind: &str, event: &Value, mut events: Vec<Value>) -> Vec<Value> {
        let reactivates = events.iter().any(|event| event["skill_lifecycle_profile"] == "reactivate_from_receipt");
        match fault {
            Fault::ReleaseBeforeReceipt => events.sort_by_key(|event| !is(event, "body.released")),
            Fault::NoReceipt => events.retain(|event| !is(event, "receipt.written")),
            Fault::NeverReleases => events.retain(|event| !is(event, "body.released")),
            Fault::NoReread if reactivates => events.retain(|event| !is(event, "body.loaded")),
            Fault::ReactivatesFromFragment if reactivates => {
                for event in events.iter_mut().filter(|event| is(event, "body.loaded")) {
                    event["origin"] = json!("fragment");
                }
            }
            Fault::StaleHash => {
                for event in events.iter_mut().filter(|event| is(event, "body.loaded")) {
                    let file = event["file"].as_str().unwrap_or_default().to_owned();
                    event["hash"] = self.hashes.entry(file).or_insert_with(|| event["hash"].clone()).clone();
                }
            }
            Fault::ReceiptAsFact if events.iter().any(|event| is(event, "receipt.written")) => {
                events.push(json!({"type": "evidence.cited", "ref": "receipt", "origin": "receipt"}));
            }
            Fault::BodyUnderListingOnly if event["need"] == "discovery" => {
                for skill in &self.skills {
                    let file = body_file(skill);
                    let hash = text_hash(self.files.get(&file).map_or("", String::as_str));
                    events.push(json!({"type": "body.loaded", "skill_id": skill, "file": file, "origin": "source", "hash": hash}));
                }
            }
            Fault::LoadsBeforeProfile => {
                // What it selects comes too late for the body that it is about.
                let selected = |event: &Value| is(event, "profile.selected") && event["skill_id"].is_string();
                self.held_back.extend(events.iter().filter(|event| selected(event)).cloned());
                events.retain(|event| !selected(event));
                if events.iter().any(|event| is(event, "body.loaded")) {
                    events.append(&mut self.held_back);
                }
            }
            Fault::WrongProfile if kind == "need.stated" => {
                let skill = event["skill_id"].as_str().map_or_else(|| self.skills.first().cloned(), |skill| Some(skill.to_owned()));
                events = vec![json!({"type": "profile.selected", "skill_lifecycle_profile": "active_frame_required", "skill_id": skill})];
            }
            Fault::LoadsSupportNotNeeded if kind == "step.started" => {
                let others = self.files.keys().filter(|file| !file.ends_with("/SKILL.md"));
                events.extend(
                    others.map(|file| json!({"type": "support.loaded", "skill_id": event["skill_id"], "file": file, "origin": "source"})),
                );
            }
            Fault::VagueReceipts => {
                for event in events.iter_mut().filter(|event| is(event, "receipt.written")) {
                    event["receipt"]["resume_entry"] = json!("continue the previous skill");
                }
            }
            Fault::NoReceiptWithoutInfluence => events.retain(|event| {
                let skill = event["receipt"]["skill_id"].as_str().unwrap_or_default();
                !is(event, "receipt.written") || self.influenced.contains(skill)
            }),
            Fault::IgnoresResumeEntry if reactivates => events.retain(|event| !is(event, "support.loaded")),
            Fault::KeepsAfterDiscussion if event["to"] == "discussion" => events.retain(|event| !is(event, "body.released")),
            Fault::KeepsAfterLoop if kind == "loop.ended" => events.retain(|event| !is(event, "body.released")),
            Fault::AnswersWithWorldEvents => events.push(json!({"type": "turn.started", "turn": 99})),
            _ => {}
        }
        events
    }
}

impl Implementation for Host {
    fn initialize(&mut self, hello: &Hello) -> Result<Declaration, ErrorObject> {
        self.inner.initialize(hello)
    }

    fn call(&mut self, operation: Operation, params: &Value) -> Answer {
        match operation {
            Operation::LifecycleOpen => self.open(params),
            Operation::LifecycleStep => self.step(params),
            Operation::LifecyclePlan => self.plan(params),
            operation => self.judged(operation, params).unwrap_or_else(|| self.inner.call(operation, params)),
        }
    }
}
