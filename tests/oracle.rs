//! The reference against what a shipping implementation answered, and over real skill collections.
//!
//! The recordings and the collections belong to other projects and stand beside the checkout, in `../shared`. A clone without them
//! passes, and says that it compared nothing.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, and says where")]

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use proofmark::adapter::{Answer, Implementation as _, Operation};
use proofmark::contract::rendering::{RenderingProfile, Unit};
use proofmark::contract::skill_file;
use proofmark::policy::{Companion, Exchange, RulePack};
use proofmark::reference::Reference;
use proofmark::{embedded, json};
use serde_json::{Map, Value, json};

/// Below this, header and omission line alone are over the budget: 216 + 51 + 1.
const FLOOR: u64 = 268;

/// A folder beside the checkout. Where it is not there the test says so past the harness, which hides what a passing test prints.
fn shared(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared").join(name);
    if path.is_dir() {
        return Some(path);
    }
    let line = format!("skipped: {} is not there, and nothing was compared with it\n", path.display());
    let _ = std::io::stderr().write_all(line.as_bytes());
    None
}

/// One recorded request with the recorded answer.
struct Vector {
    at: String,
    params: Value,
    recorded: Result<Value, String>,
}

fn vectors() -> Option<Vec<Vector>> {
    let folder = shared("oracle")?;
    let mut vectors = Vec::new();
    for name in ["harn-0.10.185-evidence.jsonl", "harn-0.10.185-evidence-real-registries.jsonl"] {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        for (index, line) in text.lines().enumerate() {
            let mut vector = json::parse(line).unwrap();
            let recorded = match vector.get("error") {
                Some(category) => Err(category.as_str().unwrap().to_owned()),
                None => Ok(vector["output"].take()),
            };
            vectors.push(Vector { at: format!("{name}:{}", index + 1), params: vector["input"].take(), recorded });
        }
    }
    Some(vectors)
}

fn answer(profile: RenderingProfile, params: &Value) -> Result<Value, String> {
    match Reference::new(profile).call(Operation::ActivationEvidence, params) {
        Answer::Result(value) => Ok(value),
        Answer::Refusal(refusal) => Err(refusal.category),
        other => panic!("{other:?}"),
    }
}

fn skills(params: &Value) -> &[Value] {
    params["registry"]["skills"].as_array().map_or(&[], Vec::as_slice)
}

/// A field of an entry by its two spellings.
fn text<'a>(entry: &'a Value, key: &str) -> &'a str {
    let value = entry.get(key).or_else(|| entry.get(key.replace('_', "-")));
    value.and_then(Value::as_str).unwrap_or("")
}

fn id(entry: &Value) -> String {
    match text(entry, "namespace") {
        "" => text(entry, "name").to_owned(),
        namespace => format!("{namespace}/{}", text(entry, "name")),
    }
}

fn disable_flag(entry: &Value) -> &Value {
    let value = entry.get("disable_model_invocation").or_else(|| entry.get("disable-model-invocation"));
    value.unwrap_or(&Value::Null)
}

/// How often each difference was met that the recordings are allowed to have.
#[derive(Debug, Default, PartialEq, Eq)]
struct Allowed {
    /// Cards that leave `omitted_reason` out where the reference writes null.
    reasons_left_out: usize,
    /// Cards that leave `source` out where the reference writes null.
    sources_left_out: usize,
    /// Vectors with two entries of one id, of which the recording shows both.
    doubled_ids: usize,
    /// Vectors with a disable flag that is no boolean, which the recording takes as false.
    odd_flags: usize,
}

/// Puts nulls in where the recording leaves a card's key out.
fn write_nulls(payload: &mut Value, allowed: &mut Allowed) {
    for card in payload["cards"].as_array_mut().unwrap() {
        let card = card.as_object_mut().unwrap();
        for (key, count) in [("omitted_reason", &mut allowed.reasons_left_out), ("source", &mut allowed.sources_left_out)] {
            if !card.contains_key(key) {
                card.insert(key.to_owned(), Value::Null);
                *count += 1;
            }
        }
    }
}

fn asked_budget(params: &Value) -> u64 {
    match &params["options"]["budget"] {
        Value::Null => 2000,
        budget => json::as_count(budget).unwrap(),
    }
}

#[test]
fn the_reference_gives_every_recorded_answer() {
    let Some(vectors) = vectors() else { return };
    let profile = embedded::rendering_profile("harn-0.10").unwrap();
    let mut allowed = Allowed::default();
    let (mut payloads, mut refusals) = (0, 0);
    for Vector { at, params, recorded } in &vectors {
        let mut ids: Vec<String> = skills(params).iter().filter(|entry| !text(entry, "name").is_empty()).map(id).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        let odd = skills(params).iter().any(|entry| !disable_flag(entry).is_boolean() && !disable_flag(entry).is_null());
        if ids.len() < count || odd {
            allowed.doubled_ids += usize::from(ids.len() < count);
            allowed.odd_flags += usize::from(odd);
            continue;
        }
        match (recorded.clone(), answer(profile, params)) {
            (Ok(mut recorded), Ok(says)) => {
                write_nulls(&mut recorded, &mut allowed);
                assert!(json::equal(&recorded, &says), "{at}\nrecorded {recorded:#}\nreference {says:#}");
                payloads += 1;
            }
            (Err(recorded), Err(says)) => {
                assert_eq!(recorded, says, "{at}");
                refusals += 1;
            }
            (recorded, says) => panic!("{at}\nrecorded {recorded:?}\nreference {says:?}"),
        }
    }
    assert_eq!((vectors.len(), payloads, refusals), (425, 403, 22));
    let expected = Allowed { reasons_left_out: 2449, sources_left_out: 2756, doubled_ids: 0, odd_flags: 0 };
    assert_eq!(allowed, expected);
}

/// What decides a card's fate, read from the request anew.
struct Candidate {
    id: String,
    length: u64,
    disabled: bool,
}

/// The fit by trying every prefix from the longest down. Nothing is shared with the reference but the numbers of the layout.
fn fit(params: &Value, length: fn(&str) -> u64) -> Map<String, Value> {
    let entries = skills(params).iter().filter(|entry| !text(entry, "name").is_empty());
    let mut candidates: Vec<Candidate> = entries
        .map(|entry| {
            let part = |cost: u64, text: &str| if text.is_empty() { 0 } else { cost + length(text) };
            let shown = if text(entry, "short").is_empty() { text(entry, "description") } else { text(entry, "short") };
            let length = 4 + length(&id(entry)) + part(2, shown) + part(9, text(entry, "when_to_use"));
            Candidate { id: id(entry), length, disabled: disable_flag(entry) == &Value::Bool(true) }
        })
        .collect();
    candidates.sort_by(|a, b| a.id.as_bytes().cmp(b.id.as_bytes()));
    let limit = json::as_count(&params["options"]["catalog_limit"]).unwrap_or(u64::MAX);
    let enabled = candidates.iter().filter(|it| !it.disabled).count();
    let part = enabled.min(usize::try_from(limit).unwrap_or(usize::MAX));
    let lengths: Vec<u64> = candidates.iter().filter(|it| !it.disabled).take(part).map(|it| it.length).collect();
    let budget = asked_budget(params).max(FLOOR);
    let line = |dropped: usize| if dropped == 0 { 0 } else { 51 + dropped.to_string().len() as u64 };
    let cards = |count: usize| 216 + lengths[..count].iter().sum::<u64>() + count.saturating_sub(1) as u64;
    let fits = |count: usize| cards(count) + line(part - count) <= budget;
    let count = (0..=part).rev().find(|count| fits(*count));
    // Not even the omission line fits: it is left out.
    let used = count.map_or(216, |count| cards(count) + line(part - count));
    let (mut shown, mut omitted, mut cards) = (Vec::new(), Vec::new(), Vec::new());
    let mut place = 0;
    for Candidate { id, length, disabled } in candidates {
        let reason = if disabled {
            json!("disable_model_invocation")
        } else {
            place += 1;
            match place {
                place if place > part => json!("catalog_limit"),
                place if place > count.unwrap_or(0) => json!("budget"),
                _ => Value::Null,
            }
        };
        let lists = |key: &str| params["options"][key].as_array().is_some_and(|ids| ids.iter().any(|listed| *listed == json!(id)));
        let lifecycle = match (lists("used"), lists("loaded"), reason.is_null()) {
            (true, ..) => "used",
            (_, true, _) => "loaded",
            (_, _, true) => "shown",
            _ => "omitted",
        };
        if reason.is_null() { &mut shown } else { &mut omitted }.push(json!(id));
        cards.push(json!({
            "id": id, "selected": reason.is_null(), "omitted_reason": reason, "char_estimate": length,
            "token_estimate": length.div_ceil(4), "lifecycle": lifecycle,
        }));
    }
    let figures = json!({"used_chars": used, "used_tokens": used.div_ceil(4), "shown": shown, "omitted": omitted, "cards": cards});
    figures.as_object().unwrap().clone()
}

/// A payload with the figures of a fit in place of its own.
fn with_figures(payload: &Value, figures: Map<String, Value>) -> Value {
    let mut payload = payload.clone();
    for (key, value) in figures {
        if key == "cards" {
            let own = payload["cards"].as_array_mut().unwrap();
            assert_eq!(own.len(), value.as_array().unwrap().len());
            for (own, new) in own.iter_mut().zip(value.as_array().unwrap()) {
                own.as_object_mut().unwrap().extend(new.as_object().unwrap().clone());
            }
        } else {
            payload[key] = value;
        }
    }
    payload
}

#[test]
fn counting_characters_changes_the_answers_as_a_fit_of_their_own_says() {
    let Some(vectors) = vectors() else { return };
    let [bytes, characters] = ["harn-0.10", "page-1"].map(|name| embedded::rendering_profile(name).unwrap());
    assert_eq!(RenderingProfile { unit: Unit::Characters, ..bytes }, characters, "only the unit differs");
    let (mut ascii, mut equal, mut other_figures, mut other_cards) = (0, 0, 0, 0);
    for Vector { at, params, .. } in &vectors {
        let (in_bytes, in_characters) = (answer(bytes, params), answer(characters, params));
        if params.to_string().is_ascii() {
            assert_eq!(in_bytes, in_characters, "{at}");
            ascii += 1;
            continue;
        }
        let (in_bytes, in_characters) = match (in_bytes, in_characters) {
            (Ok(in_bytes), Ok(in_characters)) => (in_bytes, in_characters),
            (in_bytes, in_characters) => {
                assert_eq!(in_bytes, in_characters, "{at}");
                equal += 1;
                continue;
            }
        };
        let byte_figures = fit(params, |text| text.len() as u64);
        assert!(json::equal(&with_figures(&in_bytes, byte_figures), &in_bytes), "{at}: the test's own fit is wrong");
        let expected = with_figures(&in_bytes, fit(params, |text| text.chars().count() as u64));
        assert!(json::equal(&expected, &in_characters), "{at}\nexpected {expected:#}\nreference {in_characters:#}");
        if in_bytes["shown"] != in_characters["shown"] {
            other_cards += 1;
        } else if in_bytes != in_characters {
            other_figures += 1;
        } else {
            equal += 1;
        }
    }
    assert_eq!((ascii, equal, other_figures, other_cards), (207, 12, 184, 22), "ASCII alone, equal, other figures, other cards");
}

/// Evidence and catalog of one request, agreeing with each other and with every rule.
fn sound(registry: &Value, options: &Value) -> Value {
    let profile = embedded::page_1();
    let mut reference = Reference::new(profile);
    let params = json!({"registry": registry, "options": options});
    let evidence = reference.call(Operation::ActivationEvidence, &params);
    let catalog = reference.call(Operation::ActivationCatalog, &params);
    for (operation, answer, twin) in
        [(Operation::ActivationEvidence, &evidence, &catalog), (Operation::ActivationCatalog, &catalog, &evidence)]
    {
        let companion = Some(Companion::Twin(twin));
        let verdict =
            RulePack::activation().judge(&Exchange { operation, params: Some(&params), answer, profile: Some(&profile), companion });
        assert_eq!((verdict.violations, verdict.not_judged), (Vec::new(), Vec::new()), "{options}");
    }
    evidence.into_result().unwrap()
}

#[test]
fn real_registries_get_sound_evidence_in_characters() {
    let Some(folder) = shared("real/registries") else { return };
    let mut names: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    assert_eq!(names.len(), 5);
    for path in names {
        let registry = json::parse(&fs::read_to_string(&path).unwrap()).unwrap();
        let total = registry["skills"].as_array().unwrap().len();
        let mut last = 0;
        for budget in [268, 500, 2000, 8000, 100_000] {
            let options = json!({"budget": budget});
            let evidence = sound(&registry, &options);
            let params = json!({"registry": registry, "options": options});
            let figures = fit(&params, |text| text.chars().count() as u64);
            assert!(json::equal(&with_figures(&evidence, figures), &evidence), "{} under {budget}", path.display());
            let shown = evidence["shown"].as_array().unwrap().len();
            assert!(shown >= last);
            last = shown;
        }
        let disabled = registry["skills"].as_array().unwrap().iter().filter(|entry| disable_flag(entry) == &Value::Bool(true)).count();
        assert_eq!(last, total - disabled, "{}: everything fits into 100,000", path.display());
        let limited = sound(&registry, &json!({"budget": 100_000, "catalog_limit": 12}));
        assert_eq!(limited["shown"].as_array().unwrap().len(), 12);
    }
}

#[test]
fn layered_skill_directories_merge_and_project_as_their_owner_expects() {
    let Some(folder) = shared("real/harn-skill-activation") else { return };
    let layers: Vec<Value> = ["project", "user", "package"]
        .map(|label| {
            let mut skills = Vec::new();
            for entry in fs::read_dir(folder.join(label)).unwrap() {
                let directory = entry.unwrap();
                let bytes = fs::read(directory.path().join("SKILL.md")).unwrap();
                let file = skill_file::read(&bytes, &directory.file_name().to_string_lossy(), Some(label)).unwrap();
                assert_eq!(file.warnings, []);
                skills.push(Value::Object(file.entry));
            }
            json!({"label": label, "skills": skills})
        })
        .to_vec();
    let params = json!({"layers": layers});
    let merged = Reference::default().call(Operation::RegistryMerge, &params);
    let exchange = Exchange { operation: Operation::RegistryMerge, params: Some(&params), answer: &merged, profile: None, companion: None };
    assert_eq!(RulePack::activation().judge(&exchange).violations, []);
    let merged = merged.into_result().unwrap();
    assert_eq!(merged["shadowed"], json!([{"id": "deploy", "winner": "project", "loser": "user"}]));

    let evidence = sound(&merged["registry"], &json!({}));
    assert_eq!(evidence["shown"], json!(["deploy", "lint", "review", "scoped"]));
    assert_eq!(evidence["omitted"], json!(["manual"]));
    let cards: Vec<Value> = evidence["cards"]
        .as_array()
        .unwrap()
        .iter()
        .map(|card| json!([card["id"], card["source"], card["lifecycle"], card["omitted_reason"]]))
        .collect();
    assert_eq!(
        json!(cards),
        json!([
            ["deploy", "project", "shown", null],
            ["lint", "package", "shown", null],
            ["manual", "project", "omitted", "disable_model_invocation"],
            ["review", "user", "shown", null],
            ["scoped", "project", "shown", null],
        ])
    );
    assert_eq!(evidence["cards"][0]["description"], "Deploy the service when the user asks for a release");
}
