//! `lifecycle.plan`: situations that one row of the table settles. They are few, so that two seeds share some of them.

use serde_json::{Value, json};

use super::dice::Dice;
use super::ground::Ground;
use super::write::Asked;
use crate::adapter::Operation;
use crate::contract::lifecycle::{Need, Next, Phase, Pressure};

pub(super) fn plan(dice: &mut Dice, ground: &mut Ground, theme: usize) -> Option<Asked> {
    let need = dice.pick(Need::ALL);
    let (phase, pressure, next) = (dice.pick(Phase::ALL), dice.pick(Pressure::ALL), dice.pick(Next::ALL));
    let [current, shifted, receipt, in_loop] = [50, 40, 50, 30].map(|percent| dice.chance(percent));
    let mut situation = json!({
        "need": need.as_str(), "phase": phase.as_str(), "current": current, "shifted": shifted, "pressure": pressure.as_str(),
        "receipt": receipt, "in_loop": in_loop, "next": next.as_str(),
    });
    if theme % 5 == 4 {
        let key = dice.pick(&["need", "phase", "current", "shifted", "pressure", "receipt", "in_loop", "next"]);
        situation[key] = json!(dice.word());
        let given = json!({"situation": situation});
        let said = ground.ask(Operation::LifecyclePlan, &given)?;
        return Some(Asked {
            title: format!("A word that is none of those for {key} is refused"),
            basis: "protocol",
            clause: "lifecycle#protocol",
            given,
            expect: json!({"error": said.get("error")?}),
        });
    }
    let begun = phase != Phase::None && !in_loop;
    let releases =
        [begun && shifted, begun && phase == Phase::Ended && next == Next::Done, begun && pressure != Pressure::None && !current];
    let releases = releases.into_iter().filter(|fits| *fits).count();
    let is_settled = match need {
        // Without a receipt it is settled only that nothing comes back by one.
        Need::Resume => releases == 0,
        Need::None => releases <= 1,
        Need::Discovery | Need::Work => releases == 0,
    };
    if !is_settled {
        return None;
    }
    let given = json!({"situation": situation});
    let said = ground.ask(Operation::LifecyclePlan, &given)?;
    let profile = said.get("skill_lifecycle_profile")?;
    let wanted: Value = if need == Need::Resume && !receipt { json!({"$not": "reactivate_from_receipt"}) } else { profile.clone() };
    Some(Asked {
        title: format!("A need of {} in a situation that one row settles", need.as_str()),
        basis: "text",
        clause: "lifecycle#plan",
        given,
        expect: json!({"result": {"skill_lifecycle_profile": wanted}}),
    })
}
