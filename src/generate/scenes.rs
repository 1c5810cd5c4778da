//! Scenes of one skill: an ordinary phase, and what can go wrong in it. Each fault stands by itself, in a trace that is good around it.

use serde_json::{Value, json};

use super::dice::Dice;
use super::receipts;
use crate::contract::lifecycle::body_file;

/// A rule and the event that breaks it.
pub(super) type Breach = (&'static str, usize);

/// A trace that is being written.
pub(super) struct Scene {
    pub(super) id: String,
    pub(super) context_gc: bool,
    pub(super) events: Vec<Value>,
    pub(super) breaches: Vec<Breach>,
    turn: u64,
}

impl Scene {
    pub(super) fn new(id: String, context_gc: bool, events: Vec<Value>, turn: u64) -> Self {
        Self { id, context_gc, events, breaches: Vec::new(), turn }
    }

    /// Adds an event; its place.
    pub(super) fn say(&mut self, event: Value) -> usize {
        self.events.push(event);
        self.events.len() - 1
    }

    fn broken(&mut self, rule: &'static str, event: Value) {
        let at = self.say(event);
        self.breaches.push((rule, at));
    }

    pub(super) fn turn(&mut self) {
        self.turn += 1;
        let turn = self.turn;
        self.say(json!({"type": "turn.started", "turn": turn}));
    }

    fn select(&mut self, profile: &str) -> usize {
        self.say(json!({"type": "profile.selected", "skill_lifecycle_profile": profile, "skill_id": self.id}))
    }

    fn need(&mut self, need: &str) -> usize {
        self.say(json!({"type": "need.stated", "need": need, "skill_id": self.id}))
    }

    fn step(&mut self, dice: &mut Dice, needs: &[String]) -> usize {
        self.say(json!({"type": "step.started", "skill_id": self.id, "step": dice.sentence(2), "needs": needs}))
    }

    fn body(&self, origin: &str) -> Value {
        json!({"type": "body.loaded", "skill_id": self.id, "file": body_file(&self.id), "origin": origin})
    }

    fn support(&self, file: &str) -> Value {
        json!({"type": "support.loaded", "skill_id": self.id, "file": file, "origin": "source"})
    }

    fn influence(&self, dice: &mut Dice) -> Value {
        let kind = dice.pick(&["tool_call", "file_edit", "memory_write", "claim_boundary"]);
        json!({"type": "influence", "skill_id": self.id, "kind": kind, "ref": format!("{}:{}", dice.word(), dice.below(100))})
    }

    fn over(&mut self) -> usize {
        self.say(json!({"type": "phase.ended", "skill_id": self.id, "continues": false}))
    }

    fn receipt(&self, dice: &mut Dice) -> Value {
        json!({"type": "receipt.written", "receipt": receipts::good(dice, &self.id)})
    }

    fn release(&self) -> Value {
        json!({"type": "body.released", "skill_id": self.id})
    }

    /// A need for work, answered by the frame and the body, and something done with it.
    fn at_work(&mut self, dice: &mut Dice) {
        self.need("work");
        self.select("active_frame_required");
        let needs: Vec<String> = (0..dice.below(3)).map(|_| dice.path("md")).collect();
        self.step(dice, &needs);
        self.say(self.body("source"));
        for need in dice.some(&needs, 70) {
            self.say(self.support(&need));
        }
        for _ in 0..dice.between(1, 3) {
            let event = self.influence(dice);
            self.say(event);
        }
    }

    /// The end of a phase, as it should be.
    fn leave(&mut self, dice: &mut Dice) {
        self.over();
        let receipt = self.receipt(dice);
        self.say(receipt);
        if self.context_gc {
            self.say(self.release());
        }
    }
}

/// How many kinds of scenes there are.
pub(super) const KINDS: usize = 24;

/// Plays a scene of a kind with its fault. Whether it can be played in such a trace: some need a host that collects context, some want
/// no other skill about.
pub(super) fn play(dice: &mut Dice, scene: &mut Scene, kind: usize, is_alone: bool) -> bool {
    scene.turn();
    match kind {
        0 => {
            scene.say(json!({"type": "need.stated", "need": "none"}));
            scene.say(json!({"type": "profile.selected", "skill_lifecycle_profile": "none", "skill_id": null}));
            scene.broken("LC-101", scene.body("source"));
        }
        1 => {
            scene.say(json!({"type": "need.stated", "need": "discovery"}));
            scene.say(json!({"type": "profile.selected", "skill_lifecycle_profile": "listing_only", "skill_id": null}));
            match dice.below(3) {
                0 => scene.broken("LC-102", scene.body("source")),
                1 => scene.broken("LC-102", json!({"type": "card.read", "skill_id": scene.id, "fields": ["name", "body"]})),
                _ => {
                    let file = dice.path("md");
                    scene.broken("LC-102", scene.support(&file));
                }
            }
        }
        2 => {
            scene.need("work");
            scene.select("active_frame_required");
            scene.step(dice, &[]);
            let origin = dice.pick(&["fragment", "receipt"]);
            scene.broken("LC-103", scene.body(origin));
        }
        3 => {
            let (needed, other) = (dice.path("md"), dice.path("txt"));
            scene.need("work");
            scene.select("active_frame_required");
            scene.step(dice, &[needed]);
            scene.say(scene.body("source"));
            scene.broken("LC-103", scene.support(&other));
        }
        4 => {
            scene.at_work(dice);
            scene.over();
            let mut receipt = receipts::good(dice, &scene.id);
            // Without its id a receipt would be nobody's.
            let theme = dice.pick(&[3, 4, 5, 6]);
            receipts::breach(dice, &mut receipt, theme);
            scene.broken("LC-104", json!({"type": "receipt.written", "receipt": receipt}));
            if scene.context_gc {
                scene.say(scene.release());
            }
        }
        5 => {
            let stranger = format!("{}-stranger", dice.word());
            let receipt = receipts::good(dice, &stranger);
            scene.broken("LC-104", json!({"type": "receipt.written", "receipt": receipt}));
        }
        6 if scene.context_gc => {
            scene.at_work(dice);
            scene.over();
            let receipt = scene.receipt(dice);
            scene.broken("LC-105", receipt);
        }
        7 if !scene.context_gc => {
            scene.at_work(dice);
            scene.over();
            let receipt = scene.receipt(dice);
            scene.say(receipt);
            scene.broken("LC-105", scene.release());
        }
        8 if scene.context_gc => {
            scene.at_work(dice);
            scene.over();
            scene.broken("LC-106", scene.release());
            let receipt = scene.receipt(dice);
            scene.say(receipt);
        }
        9 if scene.context_gc => {
            // The receipt is there, and something was done after it.
            scene.at_work(dice);
            let receipt = scene.receipt(dice);
            scene.say(receipt);
            let event = scene.influence(dice);
            scene.say(event);
            scene.broken("LC-106", scene.release());
        }
        10 => {
            let profile = "reactivate_from_receipt";
            scene.broken("LC-107", json!({"type": "profile.selected", "skill_lifecycle_profile": profile, "skill_id": scene.id}));
            scene.say(scene.body("source"));
        }
        11 if scene.context_gc => {
            scene.at_work(dice);
            scene.leave(dice);
            scene.turn();
            scene.need("resume");
            scene.select("reactivate_from_receipt");
            let origin = dice.pick(&["fragment", "receipt"]);
            scene.broken("LC-107", scene.body(origin));
        }
        12 if scene.context_gc => {
            scene.at_work(dice);
            scene.leave(dice);
            let (old, new) = (format!("sha256:{}", dice.word()), format!("sha256:{}", dice.word()));
            scene.say(json!({"type": "source.changed", "file": body_file(&scene.id), "hash": new}));
            scene.turn();
            scene.need("resume");
            scene.select("reactivate_from_receipt");
            let mut body = scene.body("source");
            body["hash"] = json!(old);
            scene.broken("LC-107", body);
        }
        13 => {
            scene.at_work(dice);
            let mut event = scene.influence(dice);
            event["authority"] = json!(dice.pick(&["profile", "receipt"]));
            scene.broken("LC-109", event);
            scene.leave(dice);
        }
        14 => {
            scene.at_work(dice);
            scene.broken("LC-110", json!({"type": "evidence.cited", "ref": dice.path("md"), "origin": "receipt"}));
            scene.leave(dice);
        }
        15 => {
            let because = dice.pick(&["release", "reactivation"]);
            scene.broken("LC-111", json!({"type": "audit.deleted", "ref": dice.path("log"), "because": because}));
        }
        16 => {
            let owner = format!("{}-{}", scene.id, dice.word());
            scene.broken("LC-112", json!({"type": "memory.read", "skill_id": scene.id, "owner": owner}));
        }
        17 => scene.broken("LC-127", json!({"type": "skill.rewritten", "skill_id": scene.id, "file": body_file(&scene.id), "by": "skill"})),
        18 => {
            // What is not well formed has no effect.
            let event = ill_formed(dice, &scene.id);
            scene.broken("LC-113", event);
        }
        19 => {
            // No need was stated, and no profile selected.
            scene.step(dice, &[]);
            scene.broken("LC-114", scene.body("source"));
        }
        20 => {
            if scene.context_gc && dice.chance(50) {
                scene.at_work(dice);
                scene.leave(dice);
            }
            let event = scene.influence(dice);
            scene.broken("LC-115", event);
        }
        21 => {
            scene.at_work(dice);
            match dice.below(3) {
                0 => {
                    let at = scene.over();
                    scene.breaches.push(("LC-116", at));
                }
                1 if is_alone => scene.broken("LC-116", json!({"type": "task.shifted", "to": "discussion"})),
                _ => {
                    scene.say(json!({"type": "loop.started", "skill_id": scene.id}));
                    let event = scene.influence(dice);
                    scene.say(event);
                    scene.broken("LC-116", json!({"type": "loop.ended", "skill_id": scene.id}));
                }
            }
            scene.turn();
        }
        22 => {
            let at = match dice.below(3) {
                0 => scene.need("work"),
                1 => {
                    let at = scene.need("work");
                    scene.say(json!({"type": "profile.selected", "skill_lifecycle_profile": "listing_only", "skill_id": scene.id}));
                    at
                }
                _ => scene.say(json!({"type": "need.stated", "need": "discovery"})),
            };
            scene.breaches.push(("LC-117", at));
            scene.turn();
        }
        23 => {
            let at = scene.step(dice, &[]);
            scene.breaches.push(("LC-118", at));
            scene.turn();
        }
        _ => return false,
    }
    true
}

/// A scene of the same kind that keeps every rule.
pub(super) fn keep(dice: &mut Dice, scene: &mut Scene, kind: usize) {
    scene.turn();
    match kind % 6 {
        0 => {
            scene.say(json!({"type": "need.stated", "need": "none"}));
            scene.say(json!({"type": "profile.selected", "skill_lifecycle_profile": "none", "skill_id": null}));
            scene.say(json!({"type": "card.read", "skill_id": scene.id, "fields": ["name"]}));
        }
        1 => {
            scene.say(json!({"type": "need.stated", "need": "discovery"}));
            scene.say(json!({"type": "profile.selected", "skill_lifecycle_profile": "listing_only", "skill_id": null}));
            let fields = ["name", "short_description", "meta_summary", "route_tags", "activation_condition"];
            scene.say(json!({"type": "card.read", "skill_id": scene.id, "fields": fields}));
        }
        2 => {
            scene.say(json!({"type": "influence", "skill_id": scene.id, "kind": "route_decision", "authority": "policy"}));
            scene.at_work(dice);
            scene.leave(dice);
        }
        3 => {
            scene.at_work(dice);
            scene.say(
                json!({"type": "evidence.cited", "ref": dice.path("md"), "origin": dice.pick(&["file", "test", "tool", "evidence_ref"])}),
            );
            scene.say(json!({"type": "memory.read", "skill_id": scene.id, "owner": scene.id}));
            scene.say(json!({"type": "audit.deleted", "ref": dice.path("log"), "because": "other"}));
            scene.say(json!({"type": "skill.rewritten", "skill_id": scene.id, "file": body_file(&scene.id), "by": "user"}));
            scene.leave(dice);
        }
        4 => {
            scene.at_work(dice);
            scene.leave(dice);
            scene.turn();
            let hash = format!("sha256:{}", dice.word());
            scene.say(json!({"type": "source.changed", "file": body_file(&scene.id), "hash": hash}));
            scene.need("resume");
            scene.select("reactivate_from_receipt");
            let mut body = scene.body("source");
            body["hash"] = json!(hash);
            scene.say(body);
            scene.step(dice, &[]);
            let event = scene.influence(dice);
            scene.say(event);
            scene.leave(dice);
        }
        _ => {
            scene.at_work(dice);
            scene.say(json!({"type": "loop.started", "skill_id": scene.id}));
            for _ in 0..dice.between(1, 3) {
                scene.step(dice, &[]);
                let event = scene.influence(dice);
                scene.say(event);
            }
            scene.say(json!({"type": "loop.ended", "skill_id": scene.id}));
            let receipt = scene.receipt(dice);
            scene.say(receipt);
            if scene.context_gc {
                scene.say(scene.release());
            }
        }
    }
    scene.turn();
}

/// An event that is not well formed, and would mean nothing to a duty if it were.
fn ill_formed(dice: &mut Dice, id: &str) -> Value {
    match dice.below(9) {
        0 => json!({"type": "profile.selected", "skill_lifecycle_profile": format!("{}_required", dice.word()), "skill_id": id}),
        1 => json!({"type": "profile.selected", "skill_lifecycle_profile": "active_frame_required", "skill_id": null}),
        2 => json!({"type": "body.released", "skill_id": format!("{}-never-loaded", dice.word())}),
        3 => json!({"type": "body.loaded", "skill_id": id, "file": body_file(id), "origin": dice.word()}),
        4 => json!({"type": "memory.read", "skill_id": id}),
        5 => json!({"type": "evidence.cited", "ref": dice.path("md"), "origin": dice.word()}),
        6 => json!({"type": format!("{}.{}", dice.word(), dice.word()), "skill_id": id}),
        7 => json!({"type": "card.read", "skill_id": id, "fields": ["name", dice.word()]}),
        _ => json!({"type": "audit.deleted", "ref": dice.path("log"), "because": dice.word()}),
    }
}
