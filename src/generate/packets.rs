//! Packets that nobody has seen: whole and good, and with one fault.

use serde_json::{Value, json};

use super::dice::{Dice, any_of};
use crate::contract::packet::{
    AUTHORITY_KEYS, EVIDENCE_SCOPES, EVIDENCE_TYPES, LOSSY_WITH_RECOVERY, LOSSY_WITHOUT_RECOVERY, MODES, OBSERVATION_CLASSES, OUTCOMES,
    SENSITIVITIES, SIGNALS, VERSION,
};

/// Words that are texts in YAML, and were not always.
pub(super) const TRAPS: [&str; 6] = ["no", "yes", "on", "off", "No", "OFF"];

/// A packet that breaks no rule of any level.
pub(super) fn good(dice: &mut Dice) -> Value {
    let sensitivity = dice.pick(&SENSITIVITIES);
    // Of what is restricted no text is evidence.
    let scopes: &[&str] = if sensitivity == "restricted" { &["metadata", "capsule"] } else { &EVIDENCE_SCOPES };
    let sentence = |dice: &mut Dice| {
        let words = dice.between(4, 12);
        dice.sentence(words)
    };
    let evidence: Vec<Value> = (0..dice.between(1, 4))
        .map(|_| json!({"type": dice.pick(&EVIDENCE_TYPES), "ref": dice.path("md"), "scope": dice.pick(scopes)}))
        .collect();
    let (lossiness, pointer) = match dice.below(4) {
        0 => ("lossless", Value::Null),
        1 => ("lossless", json!(dice.path("log"))),
        2 => ("unavailable", Value::Null),
        _ => (LOSSY_WITH_RECOVERY, json!(dice.path("log"))),
    };
    let mut risks: Vec<String> = (0..dice.below(4)).map(|_| sentence(dice)).collect();
    if dice.chance(15) {
        // Words that some readers of YAML take for true and false.
        risks.push(dice.pick(&TRAPS).to_owned());
    }
    let summary = if dice.chance(40) { dice.text(90) } else { sentence(dice) };
    let mut metrics = json!({});
    for _ in 0..dice.below(4) {
        metrics[format!("{}_size", dice.word())] = match dice.below(3) {
            0 => json!({"value": null, "provenance": "unavailable"}),
            1 => json!({"value": dice.below(100_000), "provenance": "reported", "unit": "bytes"}),
            _ => json!({"value": dice.below(900), "provenance": "estimated"}),
        };
    }
    json!({
        "version": VERSION,
        "observation_id": format!("obs-{}-{}", dice.word(), dice.word()),
        "work_slice_id": format!("ws-{}-{}", dice.word(), dice.word()),
        "skill": {
            "id": dice.name(),
            "mode": dice.pick(&MODES),
            "execution_profile": if dice.chance(25) { "unavailable".to_owned() } else { dice.name() },
            "modules_used": (0..dice.below(4)).map(|_| dice.name()).collect::<Vec<_>>(),
        },
        "result": {"observation_class": dice.pick(&OBSERVATION_CLASSES), "outcome": dice.pick(&OUTCOMES), "compact_summary": summary},
        "evidence_used": evidence,
        "risks": risks,
        "handoff": {"signal": dice.pick(&SIGNALS), "reason": sentence(dice)},
        "recovery": {"lossiness": lossiness, "pointer": pointer, "sensitivity": sensitivity},
        "metrics": metrics,
        "source_refs": (0..dice.between(1, 3)).map(|_| format!("run:{}-{}", dice.word(), dice.word())).collect::<Vec<_>>(),
    })
}

/// Takes a member out.
pub(super) fn remove(packet: &mut Value, pointer: &str) {
    if let Some((parent, key)) = pointer.rsplit_once('/')
        && let Some(members) = packet.pointer_mut(parent).and_then(Value::as_object_mut)
    {
        members.remove(key);
    }
}

/// Each vocabulary's field.
const WORDS: [&str; 6] =
    ["/skill/mode", "/result/observation_class", "/result/outcome", "/handoff/signal", "/recovery/lossiness", "/recovery/sensitivity"];
/// Texts that have to say something.
const TEXTS: [&str; 3] = ["/skill/execution_profile", "/result/compact_summary", "/handoff/reason"];
const IDS: [&str; 3] = ["/observation_id", "/work_slice_id", "/skill/id"];
/// Mappings in which a key may claim an authority that no packet has.
const SECTIONS: [&str; 6] = ["", "/skill", "/result", "/handoff", "/recovery", "/evidence_used/0"];

/// How many kinds of faults there are.
pub(super) const KINDS: usize = 18;

/// Puts one fault into a packet, and says which rule it breaks where.
pub(super) fn breach(dice: &mut Dice, packet: &mut Value, kind: usize) -> Option<(&'static str, String)> {
    let mut set = |pointer: &str, value: Value| {
        let (parent, key) = pointer.rsplit_once('/')?;
        packet.pointer_mut(parent)?.as_object_mut()?.insert(key.to_owned(), value);
        Some(())
    };
    match kind {
        0 => {
            let other = format!("{}.{}", dice.between(1, 9), dice.below(9));
            let value =
                dice.pick(&[json!(other), json!("0.2"), json!("0.10"), json!("0.1.0"), json!(0.1), json!(1), json!(["0.1"]), Value::Null]);
            set("/version", value)?;
            Some(("EP-101", "/version".to_owned()))
        }
        1 => {
            let id = dice.pick(&IDS);
            let value = any_of!(dice; json!(""), json!(format!("<{}-id>", dice.word())), json!("   "));
            set(id, value)?;
            Some(("EP-102", id.to_owned()))
        }
        2 | 3 => {
            let field = dice.pick(&WORDS);
            let word = any_of!(dice; dice.word(), format!("{}_{}", dice.word(), dice.word()));
            set(field, json!(word))?;
            Some(("EP-103", field.to_owned()))
        }
        4 => {
            let field = dice.pick(&["type", "scope"]);
            let at = dice.below(packet["evidence_used"].as_array()?.len());
            packet["evidence_used"][at][field] = json!(dice.word());
            Some(("EP-103", format!("/evidence_used/{at}/{field}")))
        }
        5 => {
            let mut fields: Vec<&str> = [&WORDS[..], &TEXTS, &IDS].concat();
            fields.extend(["/skill/modules_used", "/evidence_used", "/risks", "/source_refs"]);
            let field = dice.pick(&fields);
            if dice.chance(70) {
                remove(packet, field);
            } else {
                set(field, Value::Null)?;
            }
            Some(("EP-104", field.to_owned()))
        }
        6 => {
            let field = dice.pick(&[&WORDS[..], &TEXTS, &IDS].concat());
            let value = any_of!(dice; json!(dice.below(100)), json!([dice.word()]), json!({"a": dice.word()}), json!(true));
            set(field, value)?;
            Some(("EP-104", field.to_owned()))
        }
        7 => {
            let field = dice.pick(&["/skill/modules_used", "/evidence_used", "/risks", "/source_refs"]);
            let value = any_of!(dice; json!(dice.word()), json!(dice.below(100)), json!({"a": dice.word()}));
            set(field, value)?;
            Some(("EP-104", field.to_owned()))
        }
        8 => {
            let field = dice.pick(&["type", "ref", "scope"]);
            let at = dice.below(packet["evidence_used"].as_array()?.len());
            let pointer = format!("/evidence_used/{at}/{field}");
            remove(packet, &pointer);
            Some(("EP-104", pointer))
        }
        9 => {
            set("/recovery/lossiness", json!(LOSSY_WITHOUT_RECOVERY))?;
            Some(("EP-105", "/recovery/lossiness".to_owned()))
        }
        10 => {
            set("/recovery/lossiness", json!(LOSSY_WITH_RECOVERY))?;
            let value = any_of!(dice; Value::Null, json!(""), json!("  "), json!(format!("<{}-pointer>", dice.word())));
            set("/recovery/pointer", value)?;
            Some(("EP-106", "/recovery/pointer".to_owned()))
        }
        11 => {
            let (a, b) = (dice.word(), dice.word());
            let unclean = [
                format!("out/{a}.{b}@{}.example.org/thread.md", dice.word()),
                format!("data:text/plain,{a}"),
                format!("javascript:{a}('{b}')"),
                format!("https://{a}:{b}@ci.example.com/runs/{}", dice.below(90)),
                format!("out/{a}.md\n{b}"),
                "tel:+1-202-555-0143".to_owned(),
            ];
            // A mail address as a folder is what the published cases have.
            let at = dice.below(unclean.len());
            set("/recovery/pointer", json!(unclean[at]))?;
            Some(("EP-108", "/recovery/pointer".to_owned()))
        }
        12 => {
            let name = format!("{}_size", dice.word());
            let value = any_of!(dice; json!({"value": dice.below(1_000), "provenance": "unavailable"}),
                json!({"value": 0, "provenance": "unavailable"}),
                json!({"value": dice.below(1_000)}),
                json!({"value": dice.below(1_000), "provenance": dice.word()}),
                json!({"value": null, "provenance": 7}),
                json!(dice.below(1_000)));
            packet["metrics"][name.as_str()] = value;
            Some(("EP-109", format!("/metrics/{name}")))
        }
        13 => match dice.below(3) {
            0 => {
                let section = dice.pick(&["/result", "/handoff"]);
                if dice.chance(50) {
                    remove(packet, section);
                } else {
                    set(section, Value::Null)?;
                }
                Some(("EP-111", section.to_owned()))
            }
            1 => {
                set("/result/signal", json!(dice.pick(&SIGNALS)))?;
                Some(("EP-111", "/result/signal".to_owned()))
            }
            _ => {
                set("/handoff/outcome", json!(dice.pick(&OUTCOMES)))?;
                Some(("EP-111", "/handoff/outcome".to_owned()))
            }
        },
        14 => {
            set("/source_refs", json!([]))?;
            Some(("EP-112", "/source_refs".to_owned()))
        }
        15 => {
            // Spelt as a page would spell it: the list is folded.
            let folded = dice.pick(&AUTHORITY_KEYS);
            let key = match dice.below(3) {
                0 => folded.to_uppercase(),
                1 => folded[..1].to_uppercase() + &folded[1..],
                _ => folded.to_owned(),
            };
            let section = dice.pick(&SECTIONS);
            let pointer = if dice.chance(30) {
                let name = format!("x_{}", dice.word());
                packet[name.as_str()] = json!({"notes": [{key.as_str(): dice.word()}]});
                format!("/{name}/notes/0/{key}")
            } else {
                let pointer = format!("{section}/{key}");
                packet.pointer_mut(section)?.as_object_mut()?.insert(key, json!(dice.word()));
                pointer
            };
            Some(("EP-113", pointer))
        }
        16 => {
            let own = packet["observation_id"].clone();
            if dice.chance(50) {
                let at = dice.below(packet["evidence_used"].as_array()?.len());
                packet["evidence_used"][at]["ref"] = own;
                Some(("EP-117", format!("/evidence_used/{at}/ref")))
            } else {
                let at = dice.below(packet["source_refs"].as_array()?.len());
                packet["source_refs"][at] = own;
                Some(("EP-117", format!("/source_refs/{at}")))
            }
        }
        _ => {
            set("/recovery/lossiness", json!(LOSSY_WITH_RECOVERY))?;
            let pointer = dice.path("log");
            set("/recovery/pointer", json!(pointer))?;
            Some(("EP-107", "/recovery/pointer".to_owned()))
        }
    }
}
