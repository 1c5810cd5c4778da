//! `activation.read`: payloads that another host wrote, in another order and with keys of its own.

use serde_json::{Value, json};

use super::dice::Dice;
use super::ground::Ground;
use super::registries::Registry;
use super::write::Asked;
use crate::adapter::Operation;

pub(super) fn read(dice: &mut Dice, ground: &mut Ground, theme: usize) -> Option<Asked> {
    let count = dice.between(1, 12);
    let registry = Registry::of(dice, count, (12, 120));
    let mut options = json!({"budget": dice.between(1_000, 3_000), "catalog_limit": dice.between(1, count + 1)});
    let loaded = dice.some(&registry.plain_ids(), 30);
    options["loaded"] = json!(loaded);
    let mut payload = ground.ask_wide(&json!({"registry": registry.value(), "options": options}))?;
    // The lists go along with the cards: what holds where they disagree, nothing settles.
    dice.shuffle(payload.get_mut("cards")?.as_array_mut()?);
    for (key, is_selected) in [("shown", true), ("omitted", false)] {
        let cards = payload["cards"].as_array()?.iter().filter(|card| card["selected"] == is_selected);
        payload[key] = cards.map(|card| card["id"].clone()).collect();
    }
    if dice.chance(50) {
        payload[format!("x-{}", dice.word())] = json!({"n": dice.below(100)});
        for card in payload["cards"].as_array_mut()? {
            if dice.chance(30) {
                card[format!("x-{}", dice.word())] = json!([dice.word()]);
            }
        }
    }
    if theme % 4 == 3 {
        payload["schema_version"] = json!(dice.pick(&[0, 2, 3, 4, 7, 10, 100, 1_000]));
        let mut given = json!({"payload": payload});
        if dice.chance(50) {
            given["pinned"] = json!(1);
        }
        let said = ground.ask(Operation::ActivationRead, &given)?;
        return Some(Asked {
            title: "A payload of a version that the reader does not know is refused".to_owned(),
            basis: "text",
            clause: "activation#schema-version",
            given,
            expect: json!({"error": said.get("error")?}),
        });
    }
    let mut given = json!({"payload": payload});
    if dice.chance(50) {
        given["pinned"] = json!(1);
    }
    let said = ground.ask(Operation::ActivationRead, &given)?;
    // What the rows say beside the id is recommended only.
    let ids: Vec<Value> = said.get("cards")?.as_array()?.iter().map(|card| json!({"id": card["id"]})).collect();
    Some(Asked {
        title: format!("A reader hands on a payload of {count} cards in the payload's own order"),
        basis: "protocol",
        clause: "activation#protocol",
        given,
        expect: json!({"result": {"shown": said.get("shown")?, "omitted": said.get("omitted")?, "cards": ids}}),
    })
}
