//! The monitor.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use super::breach::Breach;
use super::skill::{Duty, Mark, Receipt, Skill};
use crate::contract::lifecycle::{
    Author, Authority, Because, Event, EvidenceOrigin, Influence, Need, Origin, Profile, ShiftTarget, body_file, text_hash,
};
use crate::json;
use crate::policy::RulePack;
use crate::policy::private;
use crate::policy::receipt::{names_file, names_some_file};
use crate::verdict::{Level, Violation};

/// The most skills and files that a monitor remembers; beyond, a trace is not judged further.
const MAX_REMEMBERED: usize = 1_000_000;
/// The most reactivations of one skill that wait for their files to be read.
const MAX_UNREAD: usize = 16;
/// As much of a `resume_entry` is remembered.
const MAX_ENTRY_CHARS: usize = 16_384;

/// What a host can do, as a trace says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether the host can take a body out of the context.
    pub context_gc: bool,
}

impl Capabilities {
    /// Reads `{context_gc}`; further keys are tolerated.
    ///
    /// # Errors
    /// What is missing, in words.
    pub fn read(value: Option<&Value>) -> Result<Self, String> {
        match value.and_then(|value| value.get("context_gc")) {
            Some(Value::Bool(context_gc)) => Ok(Self { context_gc: *context_gc }),
            Some(other) => Err(format!("capabilities.context_gc: it is of type {}, not true or false", json::type_name(other))),
            None => Err("capabilities: a mapping with context_gc (true or false) is required".to_owned()),
        }
    }
}

/// The files of a run, by their hashes: what a host must have read.
#[derive(Debug, Clone, Default)]
pub struct RunFiles {
    hashes: HashMap<String, String>,
}

impl RunFiles {
    /// The files of `lifecycle.open`, path → text.
    #[must_use]
    pub fn of(files: &Value) -> Self {
        let members = files.as_object().into_iter().flatten();
        Self { hashes: members.filter_map(|(path, text)| Some((path.clone(), text_hash(text.as_str()?)))).collect() }
    }
}

/// Watches one trace: events go in one by one, breaches come out. What it holds grows with the skills, not with the events.
///
/// ```
/// use proofmark::policy::{Capabilities, Monitor, RulePack};
/// use serde_json::json;
///
/// let mut monitor = Monitor::new(RulePack::trace(), Capabilities { context_gc: true }, &[]);
/// monitor.observe(&json!({"seq": 1, "type": "influence", "skill_id": "a", "kind": "tool_call"}));
/// let violations = monitor.take_violations();
/// assert_eq!((violations[0].rule.as_str(), violations[0].path.as_str()), ("LC-115", "/events/0"));
/// ```
#[derive(Debug)]
pub struct Monitor<'p> {
    pack: &'p RulePack,
    context_gc: bool,
    run: Option<RunFiles>,
    skills: Vec<Skill>,
    by_id: HashMap<String, usize>,
    /// The last selection for no skill, which is one for every skill.
    profile: Option<(Profile, Mark)>,
    current: Option<usize>,
    pressure: Option<Mark>,
    /// The last shift of the task.
    shifted: Option<Mark>,
    need: Option<OpenNeed>,
    /// A step that its body has not answered yet.
    step: Option<(usize, Mark)>,
    /// The last hash that `source.changed` gave of each file.
    changed: HashMap<String, String>,
    active: BTreeSet<usize>,
    loaded: BTreeSet<usize>,
    owing: BTreeSet<usize>,
    index: u64,
    last_seq: Option<i64>,
    ended: Option<Mark>,
    violations: Vec<Violation>,
    /// Where in `violations` a breach at a place stands, for what was not taken yet.
    reported: HashMap<(Breach, u64), usize>,
    not_judged: HashSet<Breach>,
    is_full: bool,
}

#[derive(Debug)]
struct OpenNeed {
    need: Need,
    skill: Option<usize>,
    /// Whether a receipt was there when the need was stated.
    receipt: bool,
    mark: Mark,
}

impl<'p> Monitor<'p> {
    /// A monitor of a trace that begins, with the receipts that were carried in.
    #[must_use]
    pub fn new(pack: &'p RulePack, capabilities: Capabilities, receipts: &[Value]) -> Self {
        let mut monitor = Self {
            pack,
            context_gc: capabilities.context_gc,
            run: None,
            skills: Vec::new(),
            by_id: HashMap::new(),
            profile: None,
            current: None,
            pressure: None,
            shifted: None,
            need: None,
            step: None,
            changed: HashMap::new(),
            active: BTreeSet::new(),
            loaded: BTreeSet::new(),
            owing: BTreeSet::new(),
            index: 0,
            last_seq: None,
            ended: None,
            violations: Vec::new(),
            reported: HashMap::new(),
            not_judged: HashSet::new(),
            is_full: false,
        };
        for receipt in receipts {
            if let Some(id) = skill_of(receipt) {
                let skill = monitor.skill(id);
                monitor.skills[skill].receipt = Some(Receipt { written: None, entry: entry_of(receipt) });
            }
        }
        monitor
    }

    /// A monitor for what stands around a trace's events: `{capabilities, receipts?}`.
    ///
    /// # Errors
    /// What is missing or of a wrong form, in words.
    pub fn open(pack: &'p RulePack, trace: &Value) -> Result<Self, String> {
        let capabilities = Capabilities::read(trace.get("capabilities"))?;
        let receipts: &[Value] = match trace.get("receipts") {
            None | Some(Value::Null) => &[],
            Some(Value::Array(receipts)) => receipts,
            Some(other) => return Err(format!("receipts: it is of type {}, not a list", json::type_name(other))),
        };
        Ok(Self::new(pack, capabilities, receipts))
    }

    /// The same for a run, in which the kit knows what a host must have read.
    #[must_use]
    pub fn in_run(mut self, files: RunFiles) -> Self {
        self.run = Some(files);
        self
    }

    /// Takes the next event.
    pub fn observe(&mut self, event: &Value) {
        let mark = Mark { index: self.index, seq: event.get("seq").and_then(json::as_integer) };
        self.index += 1;
        if self.is_full {
            return;
        }
        let ill_formed = |monitor: &mut Self, message: String| monitor.report(Breach::IllFormed, mark, message);
        if let Some(end) = self.ended {
            return ill_formed(self, format!("it follows the end of the trace (seq {})", end.said()));
        }
        let read = match Event::read(event, self.run.is_some()) {
            Ok(read) => read,
            Err(fault) => return ill_formed(self, fault),
        };
        match (event.get("seq").and_then(json::as_integer), self.last_seq) {
            (None, _) => return ill_formed(self, "seq is missing, or no whole number".to_owned()),
            (Some(seq), Some(last)) if seq <= last => return ill_formed(self, format!("seq {seq} does not follow {last}")),
            _ => {}
        }
        if let Event::BodyReleased { skill_id } = read {
            let loaded = self.by_id.get(skill_id).is_some_and(|skill| self.skills[*skill].loaded);
            if !loaded {
                return ill_formed(self, "it releases a body that is not loaded".to_owned());
            }
        }
        self.last_seq = mark.seq;
        if read.is_of_the_world() {
            self.settle_answers(mark);
        }
        if matches!(read, Event::TurnStarted | Event::TraceEnded) {
            self.settle_turn(mark);
        }
        if let Some(skill) = called_for(&read) {
            let skill = self.skill(skill);
            self.skills[skill].is_called_for = true;
        }
        self.apply(read, mark);
        self.is_full = self.skills.len().max(self.changed.len()) > MAX_REMEMBERED;
    }

    /// The breaches that were found since they were last taken.
    pub fn take_violations(&mut self) -> Vec<Violation> {
        self.reported.clear();
        std::mem::take(&mut self.violations)
    }

    /// How many events were seen.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.index
    }

    /// Whether the trace came to its end.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// Whether the trace names more skills or files than are remembered: what came since was not judged.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Whether a skill's body is in the context, as far as the host said.
    #[must_use]
    pub fn is_loaded(&self, skill_id: &str) -> bool {
        self.by_id.get(skill_id).is_some_and(|skill| self.skills[*skill].loaded && self.skills[*skill].awaiting.is_none())
    }

    /// Whether a skill's phase is under way: it was begun and is not over.
    #[must_use]
    pub fn is_phase_open(&self, skill_id: &str) -> bool {
        let skill = self.by_id.get(skill_id).map(|skill| &self.skills[*skill]);
        skill.is_some_and(|skill| skill.is_under_way() && skill.phase_over.is_none())
    }

    /// Whether there is a receipt of a skill, written or carried in.
    #[must_use]
    pub fn has_receipt(&self, skill_id: &str) -> bool {
        self.by_id.get(skill_id).is_some_and(|skill| self.skills[*skill].receipt.is_some())
    }

    /// Whether a skill's loop is open.
    #[must_use]
    pub fn is_in_loop(&self, skill_id: &str) -> bool {
        self.by_id.get(skill_id).is_some_and(|skill| self.skills[*skill].in_loop)
    }

    /// Ends the watch: the breaches not yet taken, and the rules that could not be judged. What is still due in a trace that was cut is
    /// not broken, and not judged.
    #[must_use]
    pub fn finish(mut self) -> (Vec<Violation>, Vec<String>) {
        if self.ended.is_none() {
            let mut open = HashSet::new();
            if self.need.is_some() {
                open.insert(Breach::NeedNotAnswered);
            }
            if self.step.is_some() {
                open.insert(Breach::StepWithoutBody);
            }
            for skill in &self.skills {
                open.extend(skill.duties().iter().map(|(duty, _)| breach_of(*duty)));
                if self.is_release_due(skill) {
                    open.insert(Breach::NotReleased);
                }
                if !skill.unread.is_empty() {
                    open.insert(Breach::ResumeEntryNotRead);
                }
            }
            self.not_judged.extend(open);
        }
        let rules = self.not_judged.iter().filter_map(|breach| self.pack.rule_of(*breach)).map(|rule| rule.id.clone()).collect();
        (self.violations, rules)
    }

    fn skill(&mut self, id: &str) -> usize {
        if let Some(skill) = self.by_id.get(id) {
            return *skill;
        }
        let skill = self.skills.len();
        self.skills.push(Skill::named(id));
        self.by_id.insert(id.to_owned(), skill);
        skill
    }

    /// One rule breaks once at one place, as bindingly as it can; the words are made only where they are kept.
    fn report_with(&mut self, breach: Breach, mark: Mark, is_milder: bool, message: impl FnOnce() -> String) {
        let Some(rule) = self.pack.rule_of(breach) else { return };
        let known = self.reported.get(&(breach, mark.index)).copied();
        let level = if is_milder { rule.milder.unwrap_or(rule.level) } else { rule.level };
        if known.is_some_and(|at| self.violations[at].level >= level) {
            return;
        }
        let number = mark.seq.map_or_else(|| "an event without a number".to_owned(), |seq| format!("seq {seq}"));
        let violation = rule.violation(format!("/events/{}", mark.index), format!("{number}: {}", message()), is_milder);
        match known {
            Some(at) => self.violations[at] = violation,
            None => {
                self.reported.insert((breach, mark.index), self.violations.len());
                self.violations.push(violation);
            }
        }
    }

    fn report_as(&mut self, breach: Breach, mark: Mark, message: String, is_milder: bool) {
        self.report_with(breach, mark, is_milder, || message);
    }

    fn report(&mut self, breach: Breach, mark: Mark, message: impl Into<String>) {
        self.report_as(breach, mark, message.into(), false);
    }

    /// What a world event finds unanswered: the need and the step before it.
    fn settle_answers(&mut self, now: Mark) {
        if let Some(OpenNeed { need, receipt, mark, .. }) = self.need.take() {
            let wanted = profile_for(need, receipt).as_str();
            let message = format!("no selection of {wanted} for this need came before seq {}", now.said());
            // That a return without a receipt is ordinary work is this kit's reading.
            self.report_as(Breach::NeedNotAnswered, mark, message, need == Need::Resume && !receipt);
        }
        if let Some((skill, mark)) = self.step.take() {
            let message = format!("the body of {:?} did not come before seq {}", self.skills[skill].id, now.said());
            self.report(Breach::StepWithoutBody, mark, message);
        }
    }

    /// What a turn's end finds owed.
    fn settle_turn(&mut self, now: Mark) {
        for skill in std::mem::take(&mut self.owing) {
            for (duty, mark) in self.skills[skill].take_duties() {
                let what = if Duty::RECEIPTS.contains(&duty) { "a receipt of" } else { "the release of" };
                let is_milder = matches!(duty, Duty::ReceiptPerhaps | Duty::DiscussionPerhaps);
                let id = std::mem::take(&mut self.skills[skill].id);
                self.report_with(breach_of(duty), mark, is_milder, || {
                    format!("{what} {id:?} was due before seq {}, and did not come", now.said())
                });
                self.skills[skill].id = id;
            }
        }
    }

    fn owe(&mut self, skill: usize, duty: Duty, mark: Mark) {
        self.skills[skill].owe(duty, mark);
        self.owing.insert(skill);
    }

    fn settle(&mut self, skill: usize, duties: &[Duty]) {
        self.skills[skill].settle(duties);
        if self.skills[skill].duties().is_empty() {
            self.owing.remove(&skill);
        }
    }

    fn activate(&mut self, skill: usize) {
        self.skills[skill].active = true;
        self.active.insert(skill);
    }

    fn make_current(&mut self, skill: usize) {
        self.current = Some(skill);
        self.settle(skill, &[Duty::ReceiptUnderPressure]);
    }

    fn leave(&mut self, skill: usize) {
        if self.current == Some(skill) {
            self.current = None;
        }
    }

    /// The profile in force for a skill: its own, or the later one for all.
    fn profile_of(&self, skill: usize) -> Option<(Profile, Mark)> {
        match (self.skills[skill].profile, self.profile) {
            (Some(own), Some(all)) => Some(if own.1.index > all.1.index { own } else { all }),
            (own, all) => own.or(all),
        }
    }

    fn apply(&mut self, event: Event<'_>, mark: Mark) {
        match event {
            Event::TurnStarted => self.pressure = None,
            Event::NeedStated { need, skill_id } => {
                let skill = skill_id.map(|id| self.skill(id));
                let receipt = skill.is_some_and(|skill| self.skills[skill].receipt.is_some());
                self.need = Some(OpenNeed { need, skill, receipt, mark });
            }
            Event::StepStarted { skill_id, needs } => self.step_started(skill_id, &needs, mark),
            Event::Influence { skill_id, kind, authority } => self.influence(skill_id, kind, authority, mark),
            Event::BoundaryReviewed { skill_id } => {
                let skill = self.skill(skill_id);
                if self.skills[skill].is_under_way() && !std::mem::replace(&mut self.skills[skill].reviewed, true) {
                    self.one_shot_is_over(skill, mark);
                }
            }
            Event::PhaseEnded { skill_id, continues } => self.phase_ended(skill_id, continues, mark),
            Event::LoopStarted { skill_id } => {
                let skill = self.skill(skill_id);
                self.skills[skill].in_loop = true;
            }
            Event::LoopEnded { skill_id } => self.loop_ended(skill_id, mark),
            Event::TaskShifted { to, skill_id } => self.task_shifted(to, skill_id, mark),
            Event::Pressure => self.pressure(mark),
            Event::SourceChanged { file, now } => {
                let hash = if self.run.is_some() { text_hash(now) } else { now.to_owned() };
                if let Some(run) = &mut self.run {
                    run.hashes.insert(file.to_owned(), hash.clone());
                }
                self.changed.insert(file.to_owned(), hash);
            }
            Event::ReactivationRequested { skill_id } => {
                let skill = self.skill(skill_id);
                self.reactivate(skill, mark);
            }
            Event::TraceEnded => self.trace_ended(mark),
            Event::ProfileSelected { profile, skill_id } => self.profile_selected(profile, skill_id, mark),
            Event::CardRead { skill_id, body } => {
                let skill = self.skill(skill_id);
                match self.profile_of(skill) {
                    None if body => {
                        self.report(Breach::BodyWithoutProfile, mark, "a body is read through a card, and no profile was selected")
                    }
                    Some((Profile::ListingOnly, selected)) if body => {
                        self.report(
                            Breach::MoreThanListing,
                            mark,
                            format!("the body is no card field (listing_only since seq {})", selected.said()),
                        );
                    }
                    Some((Profile::None, selected)) if body => {
                        self.report(
                            Breach::BodyUnderNone,
                            mark,
                            format!("a body is read through a card (none since seq {})", selected.said()),
                        );
                    }
                    _ => {}
                }
            }
            Event::BodyLoaded { skill_id, file, origin, hash } => self.body_loaded(skill_id, file, origin, hash, mark),
            Event::SupportLoaded { skill_id, file, origin } => self.support_loaded(skill_id, file, origin, mark),
            Event::ReceiptWritten { receipt } => self.receipt_written(receipt, mark),
            Event::BodyReleased { skill_id } => self.body_released(skill_id, mark),
            Event::EvidenceCited { origin: EvidenceOrigin::Receipt, .. } => {
                self.report(Breach::ReceiptAsEvidence, mark, "a receipt is cited as a fact; it is for navigation and recovery");
            }
            Event::EvidenceCited { origin: EvidenceOrigin::Memory, source_monitoring: false } => {
                self.report(Breach::MemoryUnmonitored, mark, "memory is cited without its source-monitoring fields");
            }
            Event::EvidenceCited { .. } => {}
            Event::MemoryRead { skill_id, owner } if skill_id != owner => {
                self.report(Breach::PooledMemory, mark, format!("{skill_id:?} reads the memory of {owner:?}"));
            }
            Event::MemoryRead { .. } => {}
            Event::SkillRewritten { by: Author::Skill } => self.report(Breach::SelfRewriting, mark, "a skill rewrites a skill"),
            Event::SkillRewritten { by: Author::User } => {}
            Event::AuditDeleted { because: Because::Other } => {}
            Event::AuditDeleted { because } => {
                self.report(Breach::AuditDeleted, mark, format!("audit evidence is deleted because of a {}", because.as_str()));
            }
        }
    }

    fn step_started(&mut self, skill_id: &str, needs: &[&str], mark: Mark) {
        let skill = self.skill(skill_id);
        if self.skills[skill].released {
            self.reactivate(skill, mark);
        }
        self.make_current(skill);
        self.activate(skill);
        let state = &mut self.skills[skill];
        state.begin_phase_if_over();
        state.needs = Some(needs.iter().map(|file| (*file).to_owned()).collect());
        if !state.loaded {
            self.step = Some((skill, mark));
        }
    }

    fn influence(&mut self, skill_id: &str, kind: Influence, authority: Option<Authority>, mark: Mark) {
        if let Some(authority @ (Authority::Profile | Authority::Receipt)) = authority {
            let message = format!("a {} has no authority over a {}", authority.as_str(), kind.as_str());
            self.report(Breach::AuthorityOfProfile, mark, message);
        }
        let skill = self.skill(skill_id);
        let state = &self.skills[skill];
        if kind != Influence::RouteDecision {
            match (state.loaded, state.awaiting) {
                (false, _) => {
                    let message = format!("a {} under {skill_id:?}, whose body is not loaded", kind.as_str());
                    self.report(Breach::InfluenceWithoutBody, mark, message);
                }
                (true, Some(since)) => {
                    let message =
                        format!("a {} between the reactivation of {skill_id:?} (seq {}) and the reread", kind.as_str(), since.said());
                    self.report(Breach::InfluenceWithoutBody, mark, message);
                }
                (true, None) => {}
            }
        }
        let state = &mut self.skills[skill];
        state.influenced = Some(mark);
        if state.receipt.as_ref().is_some_and(|receipt| receipt.written.is_some()) {
            self.activate(skill);
        }
    }

    fn phase_ended(&mut self, skill_id: &str, continues: bool, mark: Mark) {
        let skill = self.skill(skill_id);
        let state = &mut self.skills[skill];
        if !state.is_under_way() {
            return;
        }
        if continues {
            state.continued = true;
            state.kept_since = Some(mark);
            return;
        }
        let was_over = state.phase_over.replace(mark).is_some();
        state.kept_since = None;
        let owes = state.active && !state.in_loop;
        self.leave(skill);
        if owes {
            self.owe(skill, Duty::Receipt, mark);
        }
        if !was_over {
            self.one_shot_is_over(skill, mark);
        }
    }

    /// Reviewed, over, and in one phase: it is released.
    fn one_shot_is_over(&mut self, skill: usize, mark: Mark) {
        let state = &self.skills[skill];
        let is_over = state.phase_over.is_some() && state.reviewed && !state.continued;
        if self.context_gc && is_over && state.loaded && !state.in_loop {
            self.owe(skill, Duty::OneShot, mark);
        }
    }

    fn loop_ended(&mut self, skill_id: &str, mark: Mark) {
        let skill = self.skill(skill_id);
        let state = &mut self.skills[skill];
        if !std::mem::take(&mut state.in_loop) {
            return;
        }
        state.kept_since = None;
        let (active, loaded) = (state.active, state.loaded);
        self.leave(skill);
        if active {
            self.owe(skill, Duty::Receipt, mark);
        }
        if loaded && self.context_gc {
            self.owe(skill, Duty::Loop, mark);
        }
        self.one_shot_is_over(skill, mark);
    }

    fn task_shifted(&mut self, to: ShiftTarget, skill_id: Option<&str>, mark: Mark) {
        let target = match to {
            ShiftTarget::Discussion => None,
            ShiftTarget::Skill => skill_id.map(|id| self.skill(id)),
        };
        if target.is_some() && target == self.current {
            return;
        }
        self.shifted = Some(mark);
        let left = self.current.take();
        if let Some(left) = left {
            self.shifted_away(left, to, mark, true);
        }
        if to == ShiftTarget::Discussion {
            let others: Vec<usize> = self.active.union(&self.loaded).copied().filter(|skill| Some(*skill) != left).collect();
            for other in others {
                self.shifted_away(other, to, mark, false);
            }
        }
        if let Some(target) = target {
            self.make_current(target);
        }
    }

    fn shifted_away(&mut self, skill: usize, to: ShiftTarget, mark: Mark, was_current: bool) {
        let state = &self.skills[skill];
        let (active, loaded, in_loop) = (state.active, state.loaded, state.in_loop);
        if in_loop {
            return;
        }
        if active {
            self.owe(skill, if was_current { Duty::Receipt } else { Duty::ReceiptPerhaps }, mark);
        }
        if loaded && self.context_gc && to == ShiftTarget::Discussion {
            self.owe(skill, if was_current { Duty::Discussion } else { Duty::DiscussionPerhaps }, mark);
        }
    }

    fn pressure(&mut self, mark: Mark) {
        self.pressure = Some(mark);
        let others: Vec<usize> = self.active.union(&self.loaded).copied().filter(|skill| Some(*skill) != self.current).collect();
        for other in others {
            let state = &mut self.skills[other];
            state.kept_since = None;
            if state.active && !state.in_loop {
                self.owe(other, Duty::ReceiptUnderPressure, mark);
            }
        }
    }

    /// A reactivation; several before the reread are one.
    fn reactivate(&mut self, skill: usize, mark: Mark) {
        self.make_current(skill);
        let state = &mut self.skills[skill];
        state.begin_phase_if_over();
        if state.awaiting.is_some() {
            return;
        }
        state.awaiting = Some(mark);
        state.resumed_from = state.receipt.as_ref().map(|receipt| Arc::clone(&receipt.entry));
        match state.resumed_from.as_ref().filter(|entry| names_some_file(entry)) {
            Some(entry) => state.unread.push((mark, Arc::clone(entry))),
            None => {
                self.not_judged.insert(Breach::ResumeEntryNotRead);
                return;
            }
        }
        // It is due at the end; of what a trace piles up, the oldest is said before.
        if state.unread.len() > MAX_UNREAD {
            let (oldest, _) = state.unread.remove(0);
            self.resume_entry_not_read(skill, oldest);
        }
    }

    fn resume_entry_not_read(&mut self, skill: usize, mark: Mark) {
        let message = format!("{:?} came back, and no file was read that its receipt's resume_entry names", self.skills[skill].id);
        self.report(Breach::ResumeEntryNotRead, mark, message);
    }

    fn profile_selected(&mut self, profile: Profile, skill_id: Option<&str>, mark: Mark) {
        let skill = skill_id.map(|id| self.skill(id));
        let answers = self.need.as_ref().is_some_and(|open| {
            let for_whom = match open.need {
                Need::None | Need::Discovery => skill.is_none() || skill == open.skill,
                Need::Work | Need::Resume => skill == open.skill,
            };
            profile == profile_for(open.need, open.receipt) && for_whom
        });
        if answers {
            self.need = None;
        }
        let Some(skill) = skill else {
            self.profile = Some((profile, mark));
            return;
        };
        self.skills[skill].profile = Some((profile, mark));
        if profile == Profile::ReactivateFromReceipt {
            if self.skills[skill].receipt.is_none() {
                let message = format!("there is no receipt of {:?} to come back from", self.skills[skill].id);
                self.report(Breach::ReactivationFromElsewhere, mark, message);
            }
            self.reactivate(skill, mark);
        }
    }

    fn body_loaded(&mut self, skill_id: &str, file: &str, origin: Origin, hash: Option<&str>, mark: Mark) {
        let skill = self.skill(skill_id);
        let selected = self.profile_of(skill);
        let since = |mark: Mark| format!("since seq {}", mark.said());
        match selected {
            Some((Profile::None, at)) => self.report(Breach::BodyUnderNone, mark, format!("a body is loaded under none ({})", since(at))),
            Some((Profile::ListingOnly, at)) => {
                self.report(Breach::MoreThanListing, mark, format!("a body is loaded under listing_only ({})", since(at)));
            }
            _ => {}
        }
        match selected {
            Some((Profile::ActiveFrameRequired | Profile::ReactivateFromReceipt, _)) => {}
            None => self.report(Breach::BodyWithoutProfile, mark, format!("no profile was selected for {skill_id:?}")),
            Some((profile, at)) => {
                let message = format!("the profile of {skill_id:?} is {} ({})", profile.as_str(), since(at));
                self.report(Breach::BodyWithoutProfile, mark, message);
            }
        }
        let awaiting = self.skills[skill].awaiting;
        if origin != Origin::Source {
            let message = format!("the body of {skill_id:?} comes from a {}, not from its source", origin.as_str());
            if let Some(at) = awaiting {
                self.report(Breach::ReactivationFromElsewhere, mark, format!("{message} (reactivated at seq {})", at.said()));
            }
            self.report(Breach::NotFromSource, mark, message);
        }
        if let (Some(at), Some(hash), Some(now)) = (awaiting, hash, self.changed.get(file))
            && hash != now
        {
            let message = format!("the body of {skill_id:?} is not the text that its source has now (reactivated at seq {})", at.said());
            self.report(Breach::ReactivationFromElsewhere, mark, message);
        }
        if let Some(run) = &self.run {
            let wanted = body_file(skill_id);
            let fault = match (run.hashes.get(&wanted), hash) {
                _ if file != wanted => Some(format!("the body of {skill_id:?} is {wanted:?}, not {file:?}")),
                (_, None) => Some("hash is missing; in a run it is sha256: of the text that was read".to_owned()),
                (Some(now), Some(hash)) if now.eq_ignore_ascii_case(hash) => None,
                (Some(now), Some(hash)) => {
                    let hash = private::excerpt(&Value::from(hash), 100);
                    Some(format!("the hash of {wanted:?} as it is now is {now}, not {hash}"))
                }
                (None, _) => Some(format!("there is no file {wanted:?}")),
            };
            if let Some(fault) = fault {
                self.report(Breach::NotFromSource, mark, fault);
            }
        }
        if self.run.is_some() && !self.skills[skill].is_called_for {
            self.report(Breach::BodyNotCalledFor, mark, format!("nothing asked for {skill_id:?} since it was last released"));
        }
        if self.step.is_some_and(|(waiting, _)| waiting == skill) {
            self.step = None;
        }
        self.activate(skill);
        self.loaded.insert(skill);
        let state = &mut self.skills[skill];
        state.loaded = true;
        state.was_loaded = true;
        state.released = false;
        state.awaiting = None;
        self.file_read(skill, file);
    }

    fn file_read(&mut self, skill: usize, file: &str) {
        self.skills[skill].unread.retain(|(_, entry)| !names_file(entry, file));
    }

    fn support_loaded(&mut self, skill_id: &str, file: &str, origin: Origin, mark: Mark) {
        let skill = self.skill(skill_id);
        if let Some((Profile::ListingOnly, at)) = self.profile_of(skill) {
            self.report(Breach::MoreThanListing, mark, format!("a support file is loaded under listing_only (since seq {})", at.said()));
        }
        if origin != Origin::Source {
            let message = format!("the support file comes from a {}, not from its source", origin.as_str());
            self.report(Breach::NotFromSource, mark, message);
        }
        if self.run.is_some() && file.starts_with("skills/") && file.ends_with("/SKILL.md") {
            self.report(Breach::NotFromSource, mark, "a body is no support file");
        }
        let state = &self.skills[skill];
        let is_resumed = state.resumed_from.as_ref().is_some_and(|entry| names_file(entry, file));
        match &state.needs {
            _ if is_resumed => {}
            None => {
                self.not_judged.insert(Breach::NotFromSource);
            }
            Some(needs) if needs.iter().any(|need| need == file) => {}
            Some(_) => {
                let message = format!("the last step of {skill_id:?} does not need {}", private::excerpt(&Value::from(file), 120));
                self.report(Breach::NotFromSource, mark, message);
            }
        }
        self.file_read(skill, file);
    }

    fn receipt_written(&mut self, receipt: &Value, mark: Mark) {
        let verdict = RulePack::receipt().judge_receipt(receipt);
        let broken = |level: Level| {
            let rows = verdict.violations.iter().filter(|violation| violation.level == level);
            rows.map(|violation| format!("{} at {:?}", violation.rule, violation.path)).collect::<Vec<_>>().join(", ")
        };
        let id = skill_of(receipt);
        let was_loaded = id.is_some_and(|id| self.by_id.get(id).is_some_and(|skill| self.skills[*skill].was_loaded));
        if !verdict.valid {
            self.report(Breach::BadReceipt, mark, format!("the receipt is not valid: {}", broken(Level::Must)));
        } else if !was_loaded {
            self.report(Breach::BadReceipt, mark, "the receipt is of a skill that was not loaded");
        }
        let remarks = broken(Level::Should);
        if !remarks.is_empty() {
            self.report(Breach::ReceiptWithRemarks, mark, format!("the receipt could be better: {remarks}"));
        }
        let Some(id) = id else { return };
        let skill = self.skill(id);
        self.settle(skill, &Duty::RECEIPTS);
        self.active.remove(&skill);
        let state = &mut self.skills[skill];
        state.active = false;
        state.influenced = None;
        state.receipt = Some(Receipt { written: Some(mark), entry: entry_of(receipt) });
    }

    fn body_released(&mut self, skill_id: &str, mark: Mark) {
        let skill = self.skill(skill_id);
        let state = &self.skills[skill];
        let (active, influenced, in_loop, kept_since) = (state.active, state.influenced, state.in_loop, state.kept_since);
        if let Some(at) = influenced {
            let message = format!("{skill_id:?} influenced something (seq {}) that no receipt follows", at.said());
            self.report(Breach::ReleaseBeforeReceipt, mark, message);
        }
        if self.context_gc {
            self.judge_release(skill, mark, in_loop, kept_since);
            if active && influenced.is_none() {
                self.report(Breach::ReleaseWithoutReceipt, mark, format!("{skill_id:?} leaves no receipt"));
            }
        } else {
            self.report(Breach::NotReleased, mark, "a release is claimed by a host that can't collect context");
        }
        self.settle(skill, &Duty::RELEASES);
        self.loaded.remove(&skill);
        self.leave(skill);
        let state = &mut self.skills[skill];
        state.loaded = false;
        state.is_called_for = false;
        state.released = true;
        state.kept_since = None;
    }

    /// The recommendations on when to release.
    fn judge_release(&mut self, skill: usize, mark: Mark, in_loop: bool, kept_since: Option<Mark>) {
        if in_loop {
            self.report(Breach::LoopNotKept, mark, "it is released inside its loop");
        }
        let is_current = self.current == Some(skill);
        let shifted = |since: Mark| self.shifted.is_some_and(|shifted| shifted.index > since.index);
        if let Some(at) = kept_since.filter(|since| !shifted(*since) && (self.pressure.is_none() || is_current)) {
            self.report(Breach::ContinuingReleased, mark, format!("its phase goes on (seq {}) and has not closed", at.said()));
        }
        if let (Some(at), true) = (self.pressure, is_current) {
            let other = self.loaded.iter().find(|other| **other != skill && !self.skills[**other].in_loop);
            if let Some(other) = other {
                let message = format!("the current skill goes under pressure (seq {}) while {:?} stays", at.said(), self.skills[*other].id);
                self.report(Breach::CurrentReleasedFirst, mark, message);
            }
        }
    }

    /// Whether a skill's release is due by the end: its phase is over and its receipt written.
    fn is_release_due(&self, skill: &Skill) -> bool {
        self.context_gc && skill.loaded && skill.phase_over.is_some() && !skill.active && !skill.in_loop
    }

    fn trace_ended(&mut self, mark: Mark) {
        self.ended = Some(mark);
        for skill in 0..self.skills.len() {
            let unread = std::mem::take(&mut self.skills[skill].unread);
            let state = &self.skills[skill];
            if self.is_release_due(state) {
                let over = [state.phase_over, state.receipt.as_ref().and_then(|receipt| receipt.written)];
                if let Some(later) = over.into_iter().flatten().max_by_key(|mark| mark.index) {
                    let message = format!("{:?} was never released, until the end (seq {})", state.id, mark.said());
                    self.report(Breach::NotReleased, later, message);
                }
            }
            for (reactivated, _) in unread {
                self.resume_entry_not_read(skill, reactivated);
            }
        }
    }
}

/// The skill that an event of the world asks for.
fn called_for<'a>(event: &Event<'a>) -> Option<&'a str> {
    match event {
        Event::NeedStated { need: Need::Work | Need::Resume, skill_id } | Event::TaskShifted { skill_id, .. } => *skill_id,
        Event::StepStarted { skill_id, .. }
        | Event::Influence { skill_id, .. }
        | Event::LoopStarted { skill_id }
        | Event::ReactivationRequested { skill_id } => Some(skill_id),
        _ => None,
    }
}

/// The profile that answers a need: the rows of the plan that begin with one.
fn profile_for(need: Need, receipt: bool) -> Profile {
    match need {
        Need::None => Profile::None,
        Need::Discovery => Profile::ListingOnly,
        Need::Resume if receipt => Profile::ReactivateFromReceipt,
        Need::Work | Need::Resume => Profile::ActiveFrameRequired,
    }
}

fn breach_of(duty: Duty) -> Breach {
    match duty {
        Duty::Receipt | Duty::ReceiptPerhaps => Breach::ReceiptDue,
        Duty::ReceiptUnderPressure => Breach::ReceiptDueUnderPressure,
        Duty::OneShot => Breach::OneShotKept,
        Duty::Discussion | Duty::DiscussionPerhaps => Breach::KeptInDiscussion,
        Duty::Loop => Breach::LoopNotKept,
    }
}

fn skill_of(receipt: &Value) -> Option<&str> {
    receipt.get("skill_id")?.as_str().filter(|id| !id.trim().is_empty())
}

/// A `resume_entry`, no longer than any that is of use.
fn entry_of(receipt: &Value) -> Arc<str> {
    let entry = receipt.get("resume_entry").and_then(Value::as_str).unwrap_or_default();
    let end = entry.char_indices().nth(MAX_ENTRY_CHARS).map_or(entry.len(), |(at, _)| at);
    Arc::from(&entry[..end])
}
