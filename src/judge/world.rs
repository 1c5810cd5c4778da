//! The world that a host is played: listed events, or a seeded walk whose next event depends on what the host did.

use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::contract::activation::{Entry, registry_skills};
use crate::contract::lifecycle::body_file;
use crate::dice::Dice;
use crate::json::as_count;
use crate::policy::Monitor;

/// The most events of a walk.
const MAX_WALK: u64 = 100_000;

/// Where the next event comes from.
pub(super) enum World {
    Listed(VecDeque<Value>),
    Walk(Walk),
}

impl World {
    /// Reads `world` or `walk` of a run.
    pub(super) fn read(given: &Value, fresh: u64) -> Result<Self, String> {
        if let Some(events) = given.get("world") {
            let events = events.as_array().ok_or("world takes a sequence of events")?;
            return Ok(Self::Listed(events.iter().cloned().collect()));
        }
        Walk::read(given, fresh).map(Self::Walk)
    }

    /// The next event, and none after the last.
    pub(super) fn next(&mut self, monitor: &Monitor<'_>) -> Option<Value> {
        match self {
            Self::Listed(events) => events.pop_front(),
            Self::Walk(walk) => walk.next(monitor),
        }
    }
}

/// A fair world by dice: influences (but route decisions) only of a skill that is loaded and whose phase is not over, boundaries and
/// loop ends only of what was started, needs of return only where there is a receipt, and no end in the turn of a pressure.
pub(super) struct Walk {
    dice: Dice,
    left: u64,
    skills: Vec<String>,
    /// Files that are no body.
    supports: Vec<String>,
    turn: u64,
    changes: u64,
    pressed: bool,
    ended: bool,
}

impl Walk {
    /// A walk; one that names no seed is another in every run.
    fn read(given: &Value, fresh: u64) -> Result<Self, String> {
        const FORM: &str = "walk takes {seed?, events, skills?}: whole numbers, at least one skill and event";
        let walk = given.get("walk").and_then(Value::as_object).ok_or(FORM)?;
        if walk.keys().any(|key| !["seed", "events", "skills"].contains(&key.as_str())) {
            return Err(FORM.to_owned());
        }
        let count = |key: &str| walk.get(key).map(|value| as_count(value).ok_or(FORM)).transpose();
        let seed = count("seed")?.unwrap_or(fresh);
        let events = count("events")?.ok_or(FORM)?;
        let entries = registry_skills(given.get("registry").unwrap_or(&Value::Null)).ok_or("a walk needs a registry")?;
        let mut skills: Vec<String> = entries.iter().filter_map(Entry::read).map(|entry| entry.id.into_owned()).collect();
        if let Some(wanted) = count("skills")? {
            let wanted = usize::try_from(wanted).ok().filter(|wanted| *wanted <= skills.len());
            skills.truncate(wanted.ok_or("a walk has no more skills than the registry")?);
        }
        if skills.is_empty() || events == 0 || events > MAX_WALK {
            return Err(FORM.to_owned());
        }
        let files = given.get("files").and_then(Value::as_object).into_iter().flatten().map(|(path, _)| path.clone());
        let supports = files.filter(|path| !skills.iter().any(|skill| body_file(skill) == *path) && !path.ends_with("/SKILL.md")).collect();
        Ok(Self { dice: Dice::new(seed), left: events, skills, supports, turn: 0, changes: 0, pressed: false, ended: false })
    }

    fn next(&mut self, monitor: &Monitor<'_>) -> Option<Value> {
        if self.ended {
            return None;
        }
        if self.left == 0 {
            if self.pressed {
                return Some(self.turn());
            }
            self.ended = true;
            return Some(json!({"type": "trace.ended"}));
        }
        self.left -= 1;
        if self.turn == 0 {
            return Some(self.turn());
        }
        let skill = self.skills[self.dice.below(self.skills.len())].clone();
        // What does not fit the moment becomes a step, which always does.
        let event = match self.dice.below(100) {
            0..=13 => Some(self.turn()),
            14..=17 => Some(json!({"type": "need.stated", "need": self.dice.pick(&["none", "discovery"])})),
            18..=21 => Some(json!({"type": "need.stated", "need": "work", "skill_id": skill})),
            22..=25 if monitor.has_receipt(&skill) && !monitor.is_phase_open(&skill) => {
                let need = json!({"type": "need.stated", "need": "resume", "skill_id": skill});
                Some(if self.dice.below(2) == 0 { need } else { json!({"type": "reactivation.requested", "skill_id": skill}) })
            }
            26..=48 if monitor.is_loaded(&skill) && monitor.is_phase_open(&skill) => Some(self.influence(&skill)),
            49..=50 => Some(json!({"type": "influence", "skill_id": skill, "kind": "route_decision", "authority": "policy"})),
            51..=56 if monitor.is_phase_open(&skill) => Some(json!({"type": "boundary.reviewed", "skill_id": skill})),
            57..=66 if monitor.is_phase_open(&skill) => {
                Some(json!({"type": "phase.ended", "skill_id": skill, "continues": self.dice.below(3) == 0}))
            }
            67..=69 if monitor.is_phase_open(&skill) && !monitor.is_in_loop(&skill) => {
                Some(json!({"type": "loop.started", "skill_id": skill}))
            }
            70..=75 if monitor.is_in_loop(&skill) => Some(json!({"type": "loop.ended", "skill_id": skill})),
            76..=78 => Some(json!({"type": "task.shifted", "to": "discussion"})),
            79..=81 => Some(json!({"type": "task.shifted", "to": "skill", "skill_id": skill})),
            82..=85 => {
                self.pressed = true;
                Some(json!({"type": "pressure", "kind": self.dice.pick(&["token", "compaction", "drift"])}))
            }
            86..=90 => Some(self.change(&skill)),
            _ => None,
        };
        Some(event.unwrap_or_else(|| self.step(&skill)))
    }

    fn turn(&mut self) -> Value {
        self.turn += 1;
        self.pressed = false;
        json!({"type": "turn.started", "turn": self.turn})
    }

    fn influence(&mut self, skill: &str) -> Value {
        let kind = self.dice.pick(&["tool_call", "file_edit", "memory_write", "claim_boundary", "route_decision"]);
        match self.dice.below(4) {
            0 => json!({"type": "influence", "skill_id": skill, "kind": kind}),
            1 => json!({"type": "influence", "skill_id": skill, "kind": kind, "ref": format!("call:{}", self.left)}),
            _ => json!({"type": "influence", "skill_id": skill, "kind": kind, "authority": self.dice.pick(&["user", "policy", "skill"])}),
        }
    }

    fn step(&mut self, skill: &str) -> Value {
        let mut needs: Vec<String> = Vec::new();
        for _ in 0..self.dice.below(3).min(self.supports.len()) {
            let need = self.dice.pick(&self.supports).clone();
            if !needs.contains(&need) {
                needs.push(need);
            }
        }
        json!({"type": "step.started", "skill_id": skill, "step": format!("step {}", self.left), "needs": needs})
    }

    fn change(&mut self, skill: &str) -> Value {
        self.changes += 1;
        let file =
            if self.supports.is_empty() || self.dice.below(3) > 0 { body_file(skill) } else { self.dice.pick(&self.supports).clone() };
        json!({"type": "source.changed", "file": file, "text": format!("# Version {} of {file}\n", self.changes)})
    }
}
