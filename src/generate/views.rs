//! `packet.render` and `packet.project`: what no depth hides, what is named as missing, and what is shown as it is.

use serde_json::{Map, Value, json};

use super::dice::{Dice, any_of};
use super::ground::Ground;
use super::packets::{good, remove};
use super::write::Asked;
use crate::adapter::Operation;
use crate::contract::packet::{DEPTHS, FIELDS, SOURCE_REFS, has_field, shown_at};

pub(super) fn render(dice: &mut Dice, ground: &mut Ground, theme: usize) -> Option<Asked> {
    let mut packet = good(dice);
    let depth = DEPTHS[theme % DEPTHS.len()];
    match theme % 8 {
        6 => return refused(dice, ground, &packet, Operation::PacketRender),
        7 => {
            let depth = any_of!(dice; dice.word(), depth.to_uppercase(), format!("{depth}s"), String::new());
            let given = json!({"packet": packet, "depth": depth});
            let said = ground.ask(Operation::PacketRender, &given)?;
            let error = said.get("error")?.clone();
            let title = "A depth that there is not is refused".to_owned();
            return Some(Asked { title, basis: "protocol", clause: "packet#protocol", given, expect: json!({"error": error}) });
        }
        _ => {}
    }
    if dice.chance(60) {
        packet["result"]["outcome"] = json!("failed");
    }
    if dice.chance(60) {
        packet["handoff"]["signal"] = json!("escalate");
    }
    let removed = take_some(dice, &mut packet, &["/result/outcome", "/handoff/signal"]);
    if dice.chance(30) {
        packet[format!("x_{}", dice.word())] = json!({"n": dice.below(100)});
    }
    if dice.chance(15) && packet.get("version").is_some() {
        packet["version"] = json!(format!("{}.0", dice.between(1, 9)));
    }
    let given = json!({"packet": packet, "depth": depth});
    ground.ask(Operation::PacketRender, &given)?.get("view")?;
    let mut shown = Map::new();
    for (section, key, word) in [("result", "outcome", "failed"), ("handoff", "signal", "escalate")] {
        if packet[section][key] == word {
            shown.insert(section.to_owned(), json!({key: word}));
        }
    }
    // Never made up: what the packet lacks is nowhere in the view.
    for pointer in removed.iter().filter(|pointer| pointer.matches('/').count() == 1) {
        shown.insert(pointer[1..].to_owned(), json!({"$absent": true}));
    }
    let absent: Vec<&str> = shown_at(depth)?.iter().copied().filter(|pointer| !has_field(&packet, pointer)).collect();
    let missing = match absent.as_slice() {
        [] if removed.is_empty() => json!([]),
        [] => json!({"$type": "array"}),
        absent => json!({"$all": absent.iter().map(|pointer| json!({"$contains": pointer})).collect::<Vec<_>>()}),
    };
    let mut view = json!({"depth": depth, "missing": missing});
    if !shown.is_empty() {
        view["packet"] = Value::Object(shown);
    }
    Some(Asked {
        title: format!("The {depth} view hides no failure and no escalation, and names what is missing"),
        basis: "text",
        clause: "render#no-hiding",
        given,
        expect: json!({"result": {"view": view}}),
    })
}

pub(super) fn project(dice: &mut Dice, ground: &mut Ground, theme: usize) -> Option<Asked> {
    let mut packet = good(dice);
    if theme % 8 == 7 {
        return refused(dice, ground, &packet, Operation::PacketProject);
    }
    if !theme.is_multiple_of(4) {
        take_some(dice, &mut packet, &[]);
    }
    if dice.chance(25) {
        packet["result"] = json!({"outcome": dice.word()});
    }
    let given = json!({"packet": packet});
    let said = ground.ask(Operation::PacketProject, &given)?;
    let projection = said.get("projection")?;
    Some(Asked {
        title: "A projection has every field of the packet as it is, and makes none up".to_owned(),
        basis: "text",
        clause: "project#no-inference",
        given,
        expect: json!({"result": {"projection": {
            "read_only": {"$exact": true},
            "packet": {"$exact": projection.get("packet")?},
            "missing": {"$exact": projection.get("missing")?},
        }}}),
    })
}

/// Takes some fields out, and not those named; which.
fn take_some(dice: &mut Dice, packet: &mut Value, but: &[&str]) -> Vec<String> {
    let mut removed = Vec::new();
    for pointer in FIELDS.into_iter().chain([SOURCE_REFS]).filter(|pointer| !but.contains(pointer)) {
        if dice.chance(12) {
            remove(packet, pointer);
            removed.push(pointer.to_owned());
        }
    }
    // Whether a section that has lost every field is still one that is there, nothing settles.
    if let Some(members) = packet.as_object_mut() {
        members.retain(|_, section| section.as_object().is_none_or(|fields| !fields.is_empty()));
    }
    removed
}

/// What is no mapping is no packet.
fn refused(dice: &mut Dice, ground: &mut Ground, packet: &Value, operation: Operation) -> Option<Asked> {
    let value = any_of!(dice; json!([packet]), packet["observation_id"].clone(), json!(dice.seed()));
    let mut given = json!({"packet": value});
    if operation == Operation::PacketRender {
        given["depth"] = json!(dice.pick(&DEPTHS));
    }
    let said = ground.ask(operation, &given)?;
    let title = "What is no mapping is no packet, and is refused".to_owned();
    Some(Asked { title, basis: "protocol", clause: "packet#protocol", given, expect: json!({"error": said.get("error")?}) })
}
