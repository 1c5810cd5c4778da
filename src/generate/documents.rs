//! `packet.validate`: packets as documents in every form, and documents that hold none or two.

use serde_json::{Value, json};

use super::dice::Dice;
use super::forms::{FORMS, document};
use super::ground::Ground;
use super::packets::{KINDS, breach, good};
use super::write::{Asked, flow};
use super::{fault_of, is_faultless};
use crate::adapter::Operation;
use crate::contract::packet::{LOSSY_WITH_RECOVERY, to_yaml};

pub(super) fn validate(dice: &mut Dice, ground: &mut Ground, theme: usize) -> Option<Asked> {
    if theme % 8 == 7 {
        return unreadable(dice, ground);
    }
    let mut packet = good(dice);
    let mut breaches = Vec::new();
    let mut kind = None;
    if !is_faultless(theme) {
        let chosen = fault_of(theme) % KINDS;
        kind = Some(chosen);
        breaches.extend(breach(dice, &mut packet, chosen));
        if breaches.is_empty() {
            return None;
        }
    } else if dice.chance(30) {
        // A key that the contract does not know is tolerated, and claims nothing by its value.
        packet[format!("x_{}", dice.word())] = dice.pick(&[json!(null), json!("approved"), json!([{"n": 7}])]);
    }
    let form = dice.below(FORMS);
    let (document, media_type) = document(dice, &packet, form)?;
    let mut given = json!({"document": document, "media_type": media_type});
    let is_off = breaches.first().is_some_and(|(rule, _)| *rule == "EP-107");
    if is_off || dice.chance(40) {
        given["surface"] = surface(dice, &packet, is_off);
    }
    let (clause, title) = match breaches.first() {
        None => ("packet#forms", format!("A good packet in {media_type} is valid")),
        Some((rule, path)) => (clause(rule), format!("A packet in {media_type} with a fault that {rule} finds at {path} is not valid")),
    };
    let title = title.chars().take(150).collect();
    let basis = if kind.is_some_and(|kind| [6, 7].contains(&kind)) { "example" } else { "text" };
    let expect = ground.verdict(Operation::PacketValidate, &given, &breaches, &[])?;
    Some(Asked { title, basis, clause, given, expect })
}

/// A surface on which the pointer of a lossy packet is, or is not though something very like it is.
fn surface(dice: &mut Dice, packet: &Value, is_off: bool) -> Value {
    let pointer = packet.pointer("/recovery/pointer").and_then(Value::as_str).unwrap_or_default();
    let is_lossy = packet.pointer("/recovery/lossiness") == Some(&json!(LOSSY_WITH_RECOVERY));
    let mut refs: Vec<String> = (0..dice.below(3)).map(|_| dice.path("md")).collect();
    let mut prefixes: Vec<String> = (0..dice.below(3)).map(|_| format!("{}/{}/", dice.word(), dice.word())).collect();
    let folder = pointer.rsplit_once('/').map_or("out", |(folder, _)| folder).to_owned();
    if is_off {
        match dice.below(4) {
            // What begins alike is another place.
            0 => prefixes.push(format!("{folder}-{}/", dice.word())),
            1 => prefixes.push(format!("{}/", &pointer[..pointer.len().saturating_sub(5)])),
            2 => refs.push(format!("{pointer}.bak")),
            _ => {}
        }
    } else if is_lossy && !pointer.is_empty() {
        if dice.chance(50) {
            refs.push(pointer.to_owned());
        } else {
            prefixes.push(format!("{folder}/"));
        }
    }
    dice.shuffle(&mut refs);
    json!({"refs": refs, "prefixes": prefixes})
}

/// A document that can't be read as one packet.
fn unreadable(dice: &mut Dice, ground: &mut Ground) -> Option<Asked> {
    let (packet, other) = (good(dice), good(dice));
    let yaml = |packet: &Value| to_yaml(packet);
    let doubled = |packet: &Value| {
        let text = flow(packet);
        text.replacen('{', &format!("{{\"observation_id\": {}, ", flow(&packet["work_slice_id"])), 1)
    };
    let (document, media_type, what) = match dice.below(7) {
        0 => (doubled(&packet), "application/json", "A key that stands twice makes JSON unreadable"),
        1 => (
            format!("{}observation_id: again-{}\n", yaml(&packet), dice.word()),
            "application/yaml",
            "A key that stands twice makes YAML unreadable",
        ),
        2 => {
            let text = flow(&packet);
            (text[..text.len() - 1].to_owned(), "application/json", "JSON that is cut off can't be read")
        }
        3 => {
            let text = format!("first: &{} a\n{}", dice.word(), yaml(&packet));
            (text, "application/yaml", "An anchor makes YAML unreadable")
        }
        4 => {
            let text = format!("# {}\n\n```yaml\n{}```\n\n```yaml\n{}```\n", dice.sentence(3), yaml(&packet), yaml(&other));
            (text, "text/markdown", "Markdown with two packets has none that could be judged")
        }
        5 => {
            let text = format!("# {}\n\n{}.\n\n```text\n{}```\n", dice.sentence(3), dice.sentence(9), yaml(&packet));
            (text, "text/markdown", "Markdown without a packet in one of its forms has none")
        }
        _ => (flow(&json!([packet])), "application/json", "A list with a packet in it is no packet"),
    };
    let given = json!({"document": document, "media_type": media_type});
    let breaches = [("EP-100", String::new())];
    let expect = ground.verdict(Operation::PacketValidate, &given, &breaches, &[])?;
    Some(Asked { title: what.to_owned(), basis: "protocol", clause: "packet#forms", given, expect })
}

fn clause(rule: &str) -> &'static str {
    match rule {
        "EP-101" => "packet#version",
        "EP-102" => "packet#identifiers",
        "EP-103" => "packet#vocabulary",
        "EP-105" => "packet#no-lossy-without-recovery",
        "EP-106" => "packet#recovery",
        "EP-107" => "packet#resolves",
        "EP-108" => "packet#pointer-clean",
        "EP-109" => "packet#provenance",
        "EP-111" => "packet#distinct",
        "EP-112" => "packet#evidence",
        "EP-113" => "packet#no-authority",
        "EP-117" => "packet#not-evidence",
        _ => "packet#fields",
    }
}
