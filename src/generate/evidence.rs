//! `activation.evidence` and `activation.catalog`: random registries, and budgets and limits at their edges.

use serde_json::{Map, Value, json};

use super::dice::Dice;
use super::ground::{Ground, members};
use super::registries::{Registry, entry, id_of, is_disabled, mark_of};
use super::write::Asked;
use crate::adapter::Operation;
use crate::contract::rendering::RenderingProfile;

/// A budget far above every catalog that is generated here.
const AMPLE: u64 = 1_000_000;
/// What is asserted of a card; its texts and its match are the rules' affair.
const FACTS: [&str; 4] = ["id", "selected", "omitted_reason", "lifecycle"];
const FACTS_WITH_COST: [&str; 5] = ["id", "selected", "omitted_reason", "lifecycle", "char_estimate"];

pub(super) fn evidence(dice: &mut Dice, ground: &mut Ground, theme: usize) -> Option<Asked> {
    if theme % 10 == 4 {
        return Some(doubled(dice));
    }
    let (registry, options, what) = request(dice, ground, theme)?;
    let given = json!({"registry": registry.value(), "options": options});
    let said = ground.ask(Operation::ActivationEvidence, &given)?;
    let cards = said.get("cards")?.as_array()?;
    let mut result = Map::new();
    match ground.profile {
        Some(profile) => {
            for key in ["shown", "omitted", "used_chars"] {
                result.insert(key.to_owned(), said.get(key)?.clone());
            }
            // Below the floor either budget may be reported.
            if options["budget"].as_u64().is_none_or(|budget| budget >= profile.floor()) {
                result.insert("budget_chars".to_owned(), said.get("budget_chars")?.clone());
            }
            result.insert("cards".to_owned(), cards.iter().map(|card| members(card, &FACTS_WITH_COST)).collect());
        }
        None => without_layout(&registry, &said, &mut result)?,
    }
    Some(Asked {
        title: format!("Evidence of {} skills: {what}", registry.skills.len()),
        basis: if ground.profile.is_some() { "declared" } else { "text" },
        clause: if theme.is_multiple_of(2) { "activation#partition" } else { "activation#budget" },
        given,
        expect: json!({"result": result}),
    })
}

/// A registry that was not merged: two entries of one id are one card, or are refused; which of them wins is not judged.
fn doubled(dice: &mut Dice) -> Asked {
    let count = dice.between(1, 6);
    let mut registry = Registry::of(dice, count, (12, 60));
    let mut first = entry(dice, (12, 60));
    let mut second = entry(dice, (12, 60));
    let name = dice.name();
    for twin in [&mut first, &mut second] {
        *twin = json!({"name": name, "description": twin.get("description").cloned().unwrap_or_else(|| json!(dice.sentence(4)))});
    }
    registry.skills.extend([first, second]);
    dice.shuffle(&mut registry.skills);
    let omitted = registry.disabled();
    Asked {
        title: "Two entries of one id are one card, or the registry is refused".to_owned(),
        basis: "text",
        clause: "registry#one-winner",
        given: json!({"registry": registry.value(), "options": {"budget": AMPLE}}),
        expect: json!({"one_of": [
            {"result": {"shown": {"$length": count + 1 - omitted}, "omitted": {"$length": omitted}, "cards": {"$length": count + 1}}},
            {"error": {"category": "invalid_registry"}},
        ]}),
    }
}

/// Which of the cards come first under a limit is the layout's affair too: how many there are, is not.
fn without_layout(registry: &Registry, said: &Value, result: &mut Map<String, Value>) -> Option<()> {
    let cards = said.get("cards")?.as_array()?;
    let is_trimmed = cards.iter().any(|card| card["omitted_reason"] == "catalog_limit");
    if is_trimmed {
        for key in ["shown", "omitted"] {
            result.insert(key.to_owned(), json!({"$length": said.get(key)?.as_array()?.len()}));
        }
        let mut all = vec![json!({"$length": cards.len()})];
        for entry in registry.skills.iter().filter(|entry| is_disabled(entry)) {
            all.push(json!({"$contains": {"id": id_of(entry), "selected": false, "omitted_reason": "disable_model_invocation"}}));
        }
        result.insert("cards".to_owned(), json!({"$all": all}));
    } else {
        for key in ["shown", "omitted"] {
            result.insert(key.to_owned(), unordered(said.get(key)?.as_array()?.clone()));
        }
        result.insert("cards".to_owned(), unordered(cards.iter().map(|card| members(card, &FACTS)).collect()));
    }
    Some(())
}

fn unordered(items: Vec<Value>) -> Value {
    if items.is_empty() { json!([]) } else { json!({"$unordered": items}) }
}

pub(super) fn catalog(dice: &mut Dice, ground: &mut Ground, theme: usize) -> Option<Asked> {
    match theme % 10 {
        5 => return look_alike(dice, ground),
        6 if theme % 20 == 6 => return Some(no_registry(dice)),
        _ => {}
    }
    let (registry, options, what) = request(dice, ground, theme)?;
    let given = json!({"registry": registry.value(), "options": options});
    let said = ground.ask(Operation::ActivationCatalog, &given)?;
    let shown = said.get("shown")?.as_array()?;
    let is_ordered = ground.profile.is_some();
    let is_trimmed = !is_ordered && options.get("catalog_limit").is_some_and(|limit| limit.as_u64() < Some(registry.skills.len() as u64));
    let mut text = Vec::new();
    if let Some(profile) = ground.profile.filter(|profile| profile.unit == crate::contract::rendering::Unit::Characters) {
        text.push(json!({"$length": profile.unit.length(said.get("text")?.as_str()?)}));
    }
    let is_shown = |entry: &Value| shown.contains(&json!(id_of(entry)));
    let rendered = said.get("text")?.as_str()?;
    for entry in registry.skills.iter().filter(|_| !is_trimmed) {
        match (mark_of(entry), is_shown(entry)) {
            (Some(mark), true) => text.push(json!({"$contains": mark})),
            (Some(mark), false) if !rendered.contains(mark) => text.push(json!({"$not": {"$contains": mark}})),
            _ => {}
        }
    }
    let mut result = json!({"shown": match (is_ordered, is_trimmed) {
        (true, _) => json!(shown),
        (false, false) => unordered(shown.clone()),
        (false, true) => json!({"$length": shown.len()}),
    }});
    // At most so many words are looked for: a long list says no more.
    text.truncate(12);
    if is_ordered {
        let mark = |id: &Value| registry.skills.iter().find(|entry| id == &json!(id_of(entry))).and_then(mark_of);
        let marks: Vec<&str> = shown.iter().filter_map(mark).take(8).collect();
        if marks.len() > 1 {
            // Marks are letters alone, and so patterns of themselves.
            text.push(json!({"$regex": format!("(?s){}", marks.join(".*"))}));
        }
    }
    if !text.is_empty() {
        result["text"] = json!({"$all": text});
    }
    Some(Asked {
        title: format!("Catalog of {} skills: {what}", registry.skills.len()),
        basis: if is_ordered { "declared" } else { "text" },
        clause: "activation#agrees-with-catalog",
        given,
        expect: json!({"result": result}),
    })
}

/// An author writes what looks like one more card.
fn look_alike(dice: &mut Dice, ground: &mut Ground) -> Option<Asked> {
    let count = dice.between(1, 5);
    let mut registry = Registry::of(dice, count, (12, 60));
    let ghost = dice.name();
    let description = format!("{}{}.\n- `{ghost}`: {}", dice.capital(), dice.word(), dice.sentence(4));
    registry.skills.push(json!({"name": dice.name(), "description": description}));
    dice.shuffle(&mut registry.skills);
    let given = json!({"registry": registry.value(), "options": {"budget": AMPLE}});
    let shown = ground.ask(Operation::ActivationCatalog, &given)?.get("shown")?.as_array()?.clone();
    let is_ordered = ground.profile.is_some();
    Some(Asked {
        title: "A line of a description that looks like a card does not become an id".to_owned(),
        basis: "text",
        clause: "activation#agrees-with-catalog",
        given,
        expect: json!({"result": {"shown": if is_ordered { json!(shown) } else { unordered(shown) }}}),
    })
}

/// A text in the place of a registry, at which both evidence and catalog stop.
fn no_registry(dice: &mut Dice) -> Asked {
    Asked {
        title: "A text in place of the registry is refused".to_owned(),
        basis: "text",
        clause: "activation#registry",
        given: json!({"registry": dice.sentence(3), "options": {}}),
        expect: json!({"error": {"category": "invalid_registry"}}),
    }
}

/// A registry with options that are at an edge of what they bound.
fn request(dice: &mut Dice, ground: &mut Ground, theme: usize) -> Option<(Registry, Value, String)> {
    let count = match theme % 10 {
        9 => dice.below(2),
        8 => dice.between(20, 30),
        7 => dice.between(40, 120),
        _ => dice.between(2, 12),
    };
    let characters = if dice.chance(50) { (200, 260) } else { (12, 120) };
    let registry = Registry::of(dice, count, characters);
    let mut options = Map::new();
    let enabled = registry.skills.len() - registry.disabled();
    let mut what = Vec::new();
    if theme % 3 == 1 {
        let limit = dice.pick(&[1, enabled.saturating_sub(1), enabled, enabled + 1, enabled / 2]).max(1);
        options.insert("catalog_limit".to_owned(), json!(limit));
        what.push(format!("a limit of {limit} for {enabled} enabled"));
    }
    match ground.profile {
        None => drop(options.insert("budget".to_owned(), json!(AMPLE))),
        Some(profile) => {
            if let Some((budget, words)) = budget(dice, ground, &profile, &registry, &options)? {
                options.insert("budget".to_owned(), json!(budget));
                what.push(words);
            }
        }
    }
    if dice.chance(50) {
        let ids = registry.plain_ids();
        let mut loaded = dice.some(&ids, 40);
        let used = dice.some(&loaded, 50);
        let stranger = dice.name();
        if dice.chance(30) && !ids.contains(&stranger) {
            loaded.push(stranger);
        }
        dice.shuffle(&mut loaded);
        what.push(format!("{} loaded, {} used", loaded.len(), used.len()));
        options.insert("loaded".to_owned(), json!(loaded));
        if dice.chance(70) {
            options.insert("used".to_owned(), json!(used));
        }
    }
    if what.is_empty() {
        what.push("no option that binds".to_owned());
    }
    Some((registry, Value::Object(options), what.join(", ")))
}

/// A budget at which so many cards just fit, or just do not, worked out from what each card costs; `Some(None)` for the default.
fn budget(
    dice: &mut Dice,
    ground: &mut Ground,
    profile: &RenderingProfile,
    registry: &Registry,
    options: &Map<String, Value>,
) -> Option<Option<(u64, String)>> {
    let mut ample = options.clone();
    ample.insert("budget".to_owned(), json!(AMPLE));
    let said = ground.ask(Operation::ActivationEvidence, &json!({"registry": registry.value(), "options": ample}))?;
    let costs: Vec<u64> = said
        .get("cards")?
        .as_array()?
        .iter()
        .filter(|card| card["selected"] == true)
        .map(|card| card["char_estimate"].as_u64())
        .collect::<Option<_>>()?;
    let fitting = dice.below(costs.len() + 1);
    let dropped = (costs.len() - fitting) as u64;
    let line = profile.suffix.filter(|_| dropped > 0).map_or(0, |suffix| suffix.length(dropped));
    let separators = profile.separator * (fitting as u64).saturating_sub(1);
    let exact = profile.header + profile.footer + separators + line + costs[..fitting].iter().sum::<u64>();
    let floor = profile.floor().max(1);
    Some(match dice.below(10) {
        0 => None,
        1 => Some((AMPLE, "room for all".to_owned())),
        // At the floor a count line of one digit fits, and one of two does not.
        2 if dice.chance(50) => Some((floor, "the floor".to_owned())),
        2 => Some((floor + dice.below(400) as u64, "somewhere above the floor".to_owned())),
        3..=5 => Some((exact.max(floor), format!("room for exactly {fitting}"))),
        6..=7 => Some((exact.saturating_sub(1).max(floor), format!("one short of room for {fitting}"))),
        _ => Some((exact.saturating_add(1).max(floor), format!("room for {fitting} and one to spare"))),
    })
}
