//! `lifecycle.validate_receipt`: good receipts that nobody has seen, and such with one fault or two.

use serde_json::{Value, json};

use super::dice::{Dice, any_of};
use super::ground::Ground;
use super::write::Asked;
use super::{fault_of, is_faultless};
use crate::adapter::Operation;
use crate::contract::lifecycle::{RECEIPT_SCHEMA, REQUIRED_RECEIPT_FIELDS, body_file};

const LISTS: [&str; 4] = ["completed_steps", "artifact_paths", "evidence_refs", "open_loops"];
const TEXTS: [&str; 4] = ["skill_id", "status", "current_stage", "ttl_policy"];
/// Phrases that the document itself, or its like in another language, calls vague.
const VAGUE: [&str; 8] = [
    "continue the previous skill",
    "Continue the previous skill.",
    "CONTINUE THE PREVIOUS SKILL",
    "continue where we left off",
    "same as before",
    "see above",
    "继续上一个技能。",
    "Continuer la compétence précédente.",
];

pub(super) fn receipt(dice: &mut Dice, ground: &mut Ground, theme: usize) -> Option<Asked> {
    let id = dice.any_name();
    let mut receipt = good(dice, &id);
    let mut breaches: Vec<(&str, String)> = Vec::new();
    if is_faultless(theme) {
        if dice.chance(50) {
            receipt[format!("x_{}", dice.word())] = dice.pick(&[json!(7), json!(null), json!(["a"]), json!({"skill_id": null})]);
        }
    } else {
        breaches.push(breach(dice, &mut receipt, fault_of(theme)));
        // Of another version nothing else is said, and of what is no mapping neither.
        if dice.chance(25) && !["RR-100", "RR-103"].contains(&breaches[0].0) {
            let theme = theme + dice.between(1, 5);
            let second = breach(dice, &mut receipt, theme);
            if ["RR-100", "RR-103"].contains(&second.0) || second.1.split('/').nth(1) == breaches[0].1.split('/').nth(1) {
                return None;
            }
            breaches.push(second);
        }
    }
    let given = json!({"receipt": receipt});
    let expect = ground.verdict(Operation::LifecycleValidateReceipt, &given, &breaches, &[])?;
    let clause = breaches.first().map_or("receipt#form", |(rule, _)| match *rule {
        "RR-101" => "receipt#required",
        "RR-103" => "receipt#schema",
        "RR-106" => "receipt#time",
        "RR-107" => "receipt#actionable",
        _ => "receipt#form",
    });
    let title = match breaches.as_slice() {
        [] => "A receipt that has everything in its form is valid".to_owned(),
        faults => format!("A receipt with {} is not valid", if faults.len() == 1 { "one fault" } else { "two faults" }),
    };
    Some(Asked { title, basis: "text", clause, given, expect })
}

/// A receipt that breaks no rule of any level.
pub(super) fn good(dice: &mut Dice, skill_id: &str) -> Value {
    let list = |dice: &mut Dice, make: &dyn Fn(&mut Dice) -> String| -> Vec<String> { (0..dice.below(4)).map(|_| make(dice)).collect() };
    let sentence = |dice: &mut Dice| {
        let words = dice.between(2, 5);
        dice.sentence(words)
    };
    let mut receipt = json!({
        "skill_id": skill_id,
        "status": "released",
        "completed_steps": list(dice, &sentence),
        "current_stage": sentence(dice),
        "artifact_paths": list(dice, &|dice| dice.path("md")),
        "evidence_refs": list(dice, &|dice| format!("{}:{} passed", dice.word(), dice.below(500))),
        "open_loops": list(dice, &sentence),
        "resume_entry": resume_entry(dice, skill_id),
        "last_used_at": time(dice),
        "ttl_policy": sentence(dice),
    });
    if dice.chance(80) {
        receipt["schema"] = json!(RECEIPT_SCHEMA);
    }
    match dice.below(4) {
        0 => receipt["skill_version_or_hash"] = Value::Null,
        1 => receipt["skill_version_or_hash"] = json!(format!("{}-{}", dice.word(), dice.below(100))),
        _ => {}
    }
    receipt
}

/// A text that names a file to reopen, and plainly so.
fn resume_entry(dice: &mut Dice, skill_id: &str) -> String {
    let path = dice.path("md");
    match dice.below(4) {
        0 => format!("Read {path} first, then go on with {}.", dice.word()),
        1 => format!("Reopen `{path}` at section {}", dice.capital()),
        2 if skill_id.is_ascii() => format!("Read {}, then {path}", body_file(skill_id)),
        _ => format!("Open {path} at line {}.", dice.between(2, 300)),
    }
}

/// A date and time with an offset, real on every calendar.
fn time(dice: &mut Dice) -> String {
    let fraction = match dice.below(5) {
        0 => format!(".{}", dice.below(1_000)),
        _ => String::new(),
    };
    let offset = match dice.below(3) {
        0 => "Z".to_owned(),
        _ => format!("{}{:02}:{:02}", dice.pick(&["+", "-"]), dice.below(13), dice.pick(&[0, 30, 45])),
    };
    let (year, month, day) = (dice.between(1990, 2090), dice.between(1, 12), dice.between(1, 28));
    let (hour, minute, second) = (dice.below(24), dice.below(60), dice.below(60));
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}{offset}")
}

/// Puts one fault into a receipt, and says which rule it breaks where.
pub(super) fn breach(dice: &mut Dice, receipt: &mut Value, theme: usize) -> (&'static str, String) {
    let at = |field: &str| format!("/{field}");
    match theme % 8 {
        0 | 1 => {
            let field = dice.pick(&REQUIRED_RECEIPT_FIELDS);
            if let Some(members) = receipt.as_object_mut() {
                members.remove(field);
            }
            ("RR-101", at(field))
        }
        2 => {
            let field = dice.pick(&TEXTS);
            receipt[field] =
                any_of!(dice; json!(null), json!(""), json!("  "), json!(dice.below(100)), json!([dice.word()]), json!({"a": 1}));
            ("RR-102", at(field))
        }
        3 => {
            let field = dice.pick(&LISTS);
            receipt[field] =
                any_of!(dice; json!(null), json!(dice.sentence(2)), json!(dice.below(100)), json!({"a": dice.word()}), json!(false));
            ("RR-102", at(field))
        }
        4 => {
            let field = dice.pick(&LISTS);
            let mut items: Vec<Value> = (0..dice.between(1, 4)).map(|_| json!(dice.sentence(2))).collect();
            let place = dice.below(items.len());
            items[place] = any_of!(dice; json!(dice.below(100)), json!(null), json!(""), json!([dice.word()]));
            receipt[field] = json!(items);
            ("RR-102", format!("/{field}/{place}"))
        }
        5 => {
            receipt["last_used_at"] = bad_time(dice);
            ("RR-106", at("last_used_at"))
        }
        6 => {
            let vague = dice.pick(&VAGUE);
            receipt["resume_entry"] = any_of!(dice; json!(vague), json!(vague), json!(vague), json!(""), json!("  "), json!(dice.below(100)), json!(["docs/a.md"]));
            ("RR-107", at("resume_entry"))
        }
        _ if dice.chance(30) => {
            *receipt = any_of!(dice; json!([receipt.clone()]), json!(dice.sentence(3)), json!(dice.below(1_000)));
            ("RR-100", String::new())
        }
        _ => {
            let version = dice.between(2, 90);
            receipt["schema"] = any_of!(dice; json!(format!("cbh.skill_release_receipt.v{version}")),
                json!(format!("{}.skill_release_receipt.v1", dice.word())),
                json!("cbh.skill_release_receipt"),
                json!(version));
            ("RR-103", at("schema"))
        }
    }
}

fn bad_time(dice: &mut Dice) -> Value {
    let good = time(dice);
    let (day, rest) = good.split_at(10);
    let (year, clock) = (&good[..4], &good[11..19]);
    json!(match dice.below(10) {
        0 => format!("{year}-02-30{rest}"),
        1 => format!("{year}-{:02}-11{rest}", dice.between(13, 40)),
        2 => format!("{day}T{}:10:00Z", dice.between(24, 40)),
        3 => format!("{day}T{clock}"),
        4 => format!("{day} {clock} +08:00"),
        5 => day.to_owned(),
        6 => format!("{day}T{}:60:00Z", dice.between(10, 20)),
        7 => format!("{year}-04-31{rest}"),
        8 => dice.sentence(2),
        _ => return any_of!(dice; Value::Null, json!(dice.between(1_000_000, 2_000_000)), json!("YYYY-MM-DDTHH:MM:SSZ"), json!("")),
    })
}
