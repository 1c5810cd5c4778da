//! Fair worlds, played to the reference: what a good trace is made of.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::dice::Dice;
use super::ground::Ground;
use crate::adapter::Operation;
use crate::contract::activation::REGISTRY_TYPE;
use crate::contract::lifecycle::{body_file, text_hash};

/// What a host is given: a registry, and the files that its skills and their steps need.
pub(super) struct House {
    pub(super) skills: Vec<String>,
    pub(super) registry: Value,
    pub(super) files: BTreeMap<String, String>,
    /// Files that are no body.
    pub(super) supports: Vec<String>,
}

impl House {
    /// So many skills with ids of any kind.
    pub(super) fn of(dice: &mut Dice, count: usize) -> Self {
        let mut house = Self { skills: Vec::new(), registry: Value::Null, files: BTreeMap::new(), supports: Vec::new() };
        let mut entries = Vec::new();
        while house.skills.len() < count {
            let name = dice.any_name();
            let mut entry = json!({"name": name, "description": dice.sentence(4)});
            let mut id = name;
            if dice.chance(20) {
                let namespace = dice.word();
                id = format!("{namespace}/{id}");
                entry["namespace"] = json!(namespace);
            }
            if house.skills.contains(&id) {
                continue;
            }
            let characters = dice.between(5, 200);
            house.files.insert(body_file(&id), format!("# {}\n\n{}\n", dice.capital(), dice.text(characters)));
            for _ in 0..dice.below(3) {
                let support = format!("skills/{id}/refs/{}.md", dice.word());
                house.files.insert(support.clone(), format!("# {}\n\n{}\n", dice.capital(), dice.sentence(6)));
                house.supports.push(support);
            }
            entries.push(entry);
            house.skills.push(id);
        }
        house.registry = json!({"_type": REGISTRY_TYPE, "skills": entries});
        house
    }
}

/// One skill as the world sees it.
#[derive(Default)]
struct Seen {
    active: bool,
    loaded: bool,
    phase_over: bool,
    in_loop: bool,
    /// Written in this trace.
    has_receipt: bool,
}

impl Seen {
    fn is_under_way(&self) -> bool {
        (self.active || self.loaded) && !self.phase_over
    }
}

/// A world that is being played.
pub(super) struct Play<'a> {
    ground: &'a mut Ground,
    house: &'a House,
    session: Value,
    seen: BTreeMap<String, Seen>,
    carried: BTreeSet<String>,
    turn: u64,
    changes: u64,
    pressed: bool,
    /// What happened so far, without numbers.
    pub(super) events: Vec<Value>,
}

impl<'a> Play<'a> {
    pub(super) fn open(ground: &'a mut Ground, house: &'a House, context_gc: bool, receipts: &[Value]) -> Option<Self> {
        let params = json!({
            "registry": house.registry, "files": house.files, "capabilities": {"context_gc": context_gc}, "receipts": receipts,
        });
        let session = ground.ask(Operation::LifecycleOpen, &params)?.get("session")?.clone();
        let seen = house.skills.iter().map(|id| (id.clone(), Seen::default())).collect();
        let carried = receipts.iter().filter_map(|receipt| receipt["skill_id"].as_str()).map(str::to_owned).collect();
        Some(Self { ground, house, session, seen, carried, turn: 0, changes: 0, pressed: false, events: Vec::new() })
    }

    /// One event of the world, and what the reference does about it.
    pub(super) fn say(&mut self, event: Value) -> Option<()> {
        let said = self.ground.ask(Operation::LifecycleStep, &json!({"session": self.session, "event": event}))?;
        self.note(&event);
        let mut event = event;
        // A trace has the hash of what a run has as a text.
        if let Some(text) = event.as_object_mut().and_then(|members| members.remove("text")) {
            event["hash"] = json!(text_hash(text.as_str()?));
        }
        self.events.push(event);
        for answer in said.get("events")?.as_array()? {
            self.note(answer);
            self.events.push(answer.clone());
        }
        Some(())
    }

    fn note(&mut self, event: &Value) {
        let kind = event["type"].as_str().unwrap_or_default();
        let id = event["skill_id"].as_str().or_else(|| event["receipt"]["skill_id"].as_str()).unwrap_or_default();
        let Some(skill) = self.seen.get_mut(id) else { return };
        match kind {
            "step.started" => (skill.active, skill.phase_over) = (true, false),
            "reactivation.requested" => skill.phase_over = false,
            "need.stated" if event["need"] == "resume" => skill.phase_over = false,
            "influence" => skill.active |= skill.has_receipt,
            "phase.ended" if event["continues"] == false && (skill.active || skill.loaded) => skill.phase_over = true,
            "loop.started" => skill.in_loop = true,
            "loop.ended" => skill.in_loop = false,
            "body.loaded" => (skill.active, skill.loaded) = (true, true),
            "body.released" => skill.loaded = false,
            "receipt.written" => (skill.active, skill.has_receipt) = (false, true),
            _ => {}
        }
    }

    /// The next turn.
    pub(super) fn turn(&mut self) -> Option<()> {
        self.turn += 1;
        self.pressed = false;
        self.say(json!({"type": "turn.started", "turn": self.turn}))
    }

    /// So many events of any kind that are fair at the moment, and a turn behind a pressure.
    pub(super) fn walk(&mut self, dice: &mut Dice, events: usize) -> Option<()> {
        self.turn()?;
        for number in 0..events {
            let id = dice.pick(&self.house.skills);
            let event = self.fair(dice, &id, number);
            self.say(event)?;
        }
        if self.pressed { self.turn() } else { Some(()) }
    }

    fn fair(&mut self, dice: &mut Dice, id: &str, number: usize) -> Value {
        let skill = &self.seen[id];
        let is_open = skill.is_under_way();
        match dice.below(100) {
            0..=13 => {
                self.turn += 1;
                self.pressed = false;
                json!({"type": "turn.started", "turn": self.turn})
            }
            14..=17 => json!({"type": "need.stated", "need": dice.pick(&["none", "discovery"])}),
            18..=22 => json!({"type": "need.stated", "need": "work", "skill_id": id}),
            23..=26 if !is_open && (skill.has_receipt || self.carried.contains(id)) => match dice.below(2) {
                0 => json!({"type": "need.stated", "need": "resume", "skill_id": id}),
                _ => json!({"type": "reactivation.requested", "skill_id": id}),
            },
            27..=52 if skill.loaded && is_open => {
                let kind = dice.pick(&["tool_call", "file_edit", "memory_write", "claim_boundary", "route_decision"]);
                let mut event = json!({"type": "influence", "skill_id": id, "kind": kind});
                if dice.chance(50) {
                    event["ref"] = json!(format!("{}:{}", dice.word(), dice.below(1_000)));
                }
                if dice.chance(50) {
                    event["authority"] = json!(dice.pick(&["user", "policy", "skill"]));
                }
                event
            }
            53..=58 if is_open => json!({"type": "boundary.reviewed", "skill_id": id}),
            59..=68 if is_open => json!({"type": "phase.ended", "skill_id": id, "continues": dice.chance(30)}),
            69..=71 if is_open && !skill.in_loop => json!({"type": "loop.started", "skill_id": id}),
            72..=77 if skill.in_loop => json!({"type": "loop.ended", "skill_id": id}),
            78..=80 => json!({"type": "task.shifted", "to": "discussion"}),
            81..=83 => json!({"type": "task.shifted", "to": "skill", "skill_id": id}),
            84..=86 => {
                self.pressed = true;
                json!({"type": "pressure", "kind": dice.pick(&["token", "compaction", "drift"])})
            }
            87..=91 => {
                self.changes += 1;
                let file = if self.house.supports.is_empty() || dice.chance(60) { body_file(id) } else { dice.pick(&self.house.supports) };
                json!({"type": "source.changed", "file": file, "text": format!("# Change {} of {}\n", self.changes, dice.word())})
            }
            _ => {
                let needs = dice.some(&self.house.supports, 25);
                json!({"type": "step.started", "skill_id": id, "step": format!("{} {number}", dice.word()), "needs": needs})
            }
        }
    }

    /// Ends the session; the trace as far as it went.
    pub(super) fn close(self) -> Vec<Value> {
        let _ = self.ground.ask(Operation::LifecycleClose, &json!({"session": self.session}));
        self.events
    }
}
