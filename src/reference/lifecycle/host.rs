//! A small host that keeps the lifecycle: loads late, leaves a receipt, releases, comes back by rereading.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::contract::activation::{Entry, registry_skills};
use crate::contract::lifecycle::{Event, Need, Profile, RECEIPT_SCHEMA, Receipt, ShiftTarget, body_file, text_hash};
use crate::contract::refusal::Category;
use crate::policy::{Capabilities, names_file};
use crate::reference::Failure;

/// The most items in a list of a receipt, and the most characters of each.
const MAX_ITEMS: usize = 8;
const MAX_ITEM: usize = 160;
/// What discovery reads of a card.
const CARD_FIELDS: [&str; 5] = ["name", "short_description", "meta_summary", "route_tags", "activation_condition"];

#[derive(Debug, Clone, Default)]
struct Skill {
    profile: Option<Profile>,
    loaded: bool,
    was_loaded: bool,
    released: bool,
    /// Work was done that no receipt tells of.
    owes_receipt: bool,
    has_written: bool,
    phase_over: bool,
    in_loop: bool,
    steps: Vec<String>,
    refs: Vec<String>,
    needs: Vec<String>,
    supports: BTreeSet<String>,
    resume_entry: Option<String>,
}

/// One session.
#[derive(Debug, Clone)]
pub(super) struct Host {
    context_gc: bool,
    files: BTreeMap<String, String>,
    skills: BTreeMap<String, Skill>,
    current: Option<String>,
    /// Events seen: the only clock of a host without one.
    ticks: u64,
    is_over: bool,
}

impl Host {
    pub(super) fn open(
        registry: &Value,
        files: &Map<String, Value>,
        capabilities: Capabilities,
        receipts: &[Value],
    ) -> Result<Self, Failure> {
        let entries = registry_skills(registry).ok_or(Category::InvalidScenario)?;
        let read = |(path, text): (&String, &Value)| Some((path.clone(), text.as_str()?.to_owned()));
        let files: BTreeMap<String, String> =
            files.iter().map(read).collect::<Option<_>>().ok_or_else(|| Failure::Malformed("files: a text is no text".to_owned()))?;
        let ids = entries.iter().filter_map(Entry::read).map(|entry| entry.id.into_owned());
        let mut skills: BTreeMap<String, Skill> = ids.map(|id| (id, Skill::default())).collect();
        if skills.keys().any(|id| !files.contains_key(&body_file(id))) {
            return Err(Category::InvalidScenario.into());
        }
        for receipt in receipts {
            let text = |key: &str| receipt.get(key).and_then(Value::as_str);
            if let Some(skill) = text("skill_id").and_then(|id| skills.get_mut(id)) {
                skill.resume_entry = Some(text("resume_entry").unwrap_or_default().to_owned());
            }
        }
        Ok(Self { context_gc: capabilities.context_gc, files, skills, current: None, ticks: 0, is_over: false })
    }

    /// What the host does about one event of the world. `words` is the event as it came, for its free texts.
    pub(super) fn step(&mut self, event: &Event<'_>, words: &Value) -> Result<Vec<Value>, Category> {
        if self.is_over {
            return Err(Category::InvalidScenario);
        }
        self.ticks += 1;
        self.is_over = *event == Event::TraceEnded;
        let mut done = Vec::new();
        let word = |key: &str| words.get(key).and_then(Value::as_str).unwrap_or_default();
        match *event {
            Event::TurnStarted | Event::TraceEnded => {}
            Event::NeedStated { need, skill_id } => self.need(need, skill_id, &mut done)?,
            Event::StepStarted { skill_id, ref needs } => {
                push_short(&mut self.skill(skill_id)?.steps, "step", word("step"));
                self.work(skill_id, needs, &mut done)?;
            }
            Event::Influence { skill_id, .. } => {
                let skill = self.skill(skill_id)?;
                push_short(&mut skill.refs, "ref", word("ref"));
                skill.owes_receipt |= skill.has_written;
            }
            Event::BoundaryReviewed { skill_id } => drop(self.skill(skill_id)?),
            Event::PhaseEnded { skill_id, continues } => {
                let skill = self.skill(skill_id)?;
                if !continues && (skill.owes_receipt || skill.loaded) {
                    skill.phase_over = true;
                    self.leave(skill_id);
                    self.finish(skill_id, &mut done)?;
                }
            }
            Event::LoopStarted { skill_id } => self.skill(skill_id)?.in_loop = true,
            Event::LoopEnded { skill_id } => {
                if std::mem::take(&mut self.skill(skill_id)?.in_loop) {
                    self.leave(skill_id);
                    self.finish(skill_id, &mut done)?;
                }
            }
            Event::TaskShifted { to, skill_id } => self.shift(to, skill_id, &mut done)?,
            Event::Pressure => {
                for id in self.ids_but(self.current.clone().as_deref()) {
                    self.finish(&id, &mut done)?;
                }
            }
            Event::SourceChanged { file, now } => {
                self.files.insert(file.to_owned(), now.to_owned());
                for skill in self.skills.values_mut() {
                    skill.supports.remove(file);
                }
            }
            Event::ReactivationRequested { skill_id } => self.reactivate(skill_id, &mut done)?,
            // The session lets only the world's events in.
            _ => return Err(Category::InvalidScenario),
        }
        Ok(done)
    }

    fn skill(&mut self, id: &str) -> Result<&mut Skill, Category> {
        self.skills.get_mut(id).ok_or(Category::InvalidScenario)
    }

    fn ids_but(&self, but: Option<&str>) -> Vec<String> {
        self.skills.keys().filter(|id| Some(id.as_str()) != but).cloned().collect()
    }

    fn leave(&mut self, id: &str) {
        if self.current.as_deref() == Some(id) {
            self.current = None;
        }
    }

    fn select(&mut self, profile: Profile, id: Option<&str>, done: &mut Vec<Value>) -> Result<(), Category> {
        match id {
            Some(id) => self.skill(id)?.profile = Some(profile),
            None => self.skills.values_mut().for_each(|skill| skill.profile = Some(profile)),
        }
        done.push(json!({"type": "profile.selected", "skill_lifecycle_profile": profile.as_str(), "skill_id": id}));
        Ok(())
    }

    fn need(&mut self, need: Need, id: Option<&str>, done: &mut Vec<Value>) -> Result<(), Category> {
        match (need, id) {
            (Need::None, _) => self.select(Profile::None, None, done),
            (Need::Discovery, _) => {
                self.select(Profile::ListingOnly, None, done)?;
                done.extend(self.skills.keys().map(|id| json!({"type": "card.read", "skill_id": id, "fields": CARD_FIELDS})));
                Ok(())
            }
            (Need::Resume, Some(id)) if self.skill(id)?.resume_entry.is_some() => self.reactivate(id, done),
            (Need::Work | Need::Resume, id) => self.select(Profile::ActiveFrameRequired, id, done),
        }
    }

    fn frame(&mut self, id: &str, done: &mut Vec<Value>) -> Result<(), Category> {
        match self.skill(id)?.profile {
            Some(Profile::ActiveFrameRequired | Profile::ReactivateFromReceipt) => Ok(()),
            _ => self.select(Profile::ActiveFrameRequired, Some(id), done),
        }
    }

    fn work(&mut self, id: &str, needs: &[&str], done: &mut Vec<Value>) -> Result<(), Category> {
        let skill = self.skill(id)?;
        let (loaded, released) = (skill.loaded, skill.released);
        skill.needs = needs.iter().map(|need| (*need).to_owned()).collect();
        self.current = Some(id.to_owned());
        if released {
            self.reactivate(id, done)?;
        } else if !loaded {
            self.frame(id, done)?;
            self.load(id, done)?;
        }
        self.frame(id, done)?;
        for need in needs {
            self.support(id, need, done)?;
        }
        let skill = self.skill(id)?;
        skill.owes_receipt = true;
        skill.phase_over = false;
        Ok(())
    }

    fn load(&mut self, id: &str, done: &mut Vec<Value>) -> Result<(), Category> {
        let file = body_file(id);
        let hash = text_hash(self.files.get(&file).ok_or(Category::InvalidScenario)?);
        let skill = self.skill(id)?;
        (skill.loaded, skill.was_loaded, skill.released, skill.owes_receipt) = (true, true, false, true);
        done.push(json!({"type": "body.loaded", "skill_id": id, "file": file, "origin": "source", "hash": hash}));
        Ok(())
    }

    fn support(&mut self, id: &str, file: &str, done: &mut Vec<Value>) -> Result<(), Category> {
        if self.files.contains_key(file) && self.skill(id)?.supports.insert(file.to_owned()) {
            done.push(json!({"type": "support.loaded", "skill_id": id, "file": file, "origin": "source"}));
        }
        Ok(())
    }

    /// Comes back from the receipt: rereads the body, and a file that the receipt names where that is another.
    fn reactivate(&mut self, id: &str, done: &mut Vec<Value>) -> Result<(), Category> {
        let skill = self.skill(id)?;
        skill.phase_over = false;
        let entry = skill.resume_entry.clone();
        self.current = Some(id.to_owned());
        let profile = if entry.is_some() { Profile::ReactivateFromReceipt } else { Profile::ActiveFrameRequired };
        self.select(profile, Some(id), done)?;
        self.load(id, done)?;
        let entry = entry.unwrap_or_default();
        let is_named = |file: &str| names_file(&entry, file);
        if !is_named(&body_file(id))
            && let Some(file) = self.files.keys().find(|file| is_named(file)).cloned()
        {
            self.skill(id)?.supports.remove(&file);
            self.support(id, &file, done)?;
        }
        Ok(())
    }

    fn shift(&mut self, to: ShiftTarget, target: Option<&str>, done: &mut Vec<Value>) -> Result<(), Category> {
        match (to, target) {
            (ShiftTarget::Skill, Some(target)) => {
                self.skill(target)?;
                let left = self.current.replace(target.to_owned()).filter(|left| left != target);
                left.map_or(Ok(()), |left| self.finish(&left, done))
            }
            (ShiftTarget::Skill, None) => self.current.take().map_or(Ok(()), |left| self.finish(&left, done)),
            (ShiftTarget::Discussion, _) => {
                self.current = None;
                self.ids_but(None).iter().try_for_each(|id| self.finish(id, done))
            }
        }
    }

    /// Leaves a receipt of what was done, and releases the body where that can be; nothing inside a loop.
    fn finish(&mut self, id: &str, done: &mut Vec<Value>) -> Result<(), Category> {
        let (context_gc, ticks) = (self.context_gc, self.ticks);
        let skill = self.skill(id)?;
        if skill.in_loop {
            return Ok(());
        }
        if skill.owes_receipt && skill.was_loaded {
            let receipt = skill.receipt(id, ticks);
            skill.resume_entry = Some(receipt.resume_entry.clone());
            (skill.owes_receipt, skill.has_written) = (false, true);
            done.push(json!({"type": "receipt.written", "receipt": receipt}));
        }
        if context_gc && skill.loaded {
            (skill.loaded, skill.released) = (false, true);
            skill.supports.clear();
            done.push(json!({"type": "body.released", "skill_id": id}));
            self.leave(id);
        }
        Ok(())
    }
}

impl Skill {
    fn receipt(&mut self, id: &str, ticks: u64) -> Receipt {
        let mut entry = format!("Reopen `{}`", body_file(id));
        for need in self.needs.iter().filter(|need| need.chars().count() <= MAX_ITEM && !need.contains(['`', '\n'])).take(MAX_ITEMS) {
            entry.push_str(&format!(", then `{need}`"));
        }
        entry.push('.');
        let steps = std::mem::take(&mut self.steps);
        Receipt {
            schema: RECEIPT_SCHEMA.to_owned(),
            skill_id: id.to_owned(),
            skill_version_or_hash: None,
            status: "released".to_owned(),
            current_stage: steps.last().map_or_else(|| "loaded, no step begun".to_owned(), |step| format!("after {step}")),
            completed_steps: steps,
            artifact_paths: Vec::new(),
            evidence_refs: std::mem::take(&mut self.refs),
            open_loops: Vec::new(),
            resume_entry: entry,
            last_used_at: time_of(ticks),
            ttl_policy: "release once the phase is over".to_owned(),
        }
    }
}

/// Notes a text of the world's for a receipt: once, on one line, cut, and only the last few.
fn push_short(list: &mut Vec<String>, kind: &str, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = format!("{kind} {line}").chars().take(MAX_ITEM).collect();
    if !list.contains(&short) {
        list.push(short);
        if list.len() > MAX_ITEMS {
            list.remove(0);
        }
    }
}

/// The library looks at no clock: each event is a second of the first day of 1970.
fn time_of(ticks: u64) -> String {
    let second = ticks % 86_400;
    format!("1970-01-01T{:02}:{:02}:{:02}Z", second / 3_600, second / 60 % 60, second % 60)
}
