//! The shipped schemas and the code say the same: shapes against rules, words against enums, figures against the page.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, and says where")]

use std::collections::BTreeSet;
use std::fmt::Debug;

use proofmark::adapter::{Answer, Implementation as _, LIFECYCLE_RUN, Operation};
use proofmark::case::SuiteFiles;
use proofmark::contract::activation;
use proofmark::contract::lifecycle::{self, Event, HOST_EVENTS, Profile, REQUIRED_RECEIPT_FIELDS, Ttl, WORLD_EVENTS};
use proofmark::contract::packet;
use proofmark::contract::refusal::Category;
use proofmark::contract::rendering::{BelowFloor, CardCost, Empty, Fit, Order, RenderingProfile, Suffix, Unit};
use proofmark::dice::Dice;
use proofmark::policy::{Exchange, RulePack};
use proofmark::reference::Reference;
use proofmark::schema::Schema;
use proofmark::verdict::{Basis, Level};
use proofmark::{embedded, json, yaml};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

const EVIDENCE: &str = "schemas/skill-activation-evidence.v1.schema.json";
const CASE_FILE: &str = "schemas/case-file.schema.json";
const RECEIPT: &str = "schemas/skill-release-receipt.v1.schema.json";
const PACKET: &str = "schemas/evidence-return-packet.v0.1.schema.json";
const TRACE: &str = "schemas/skill-lifecycle-trace.v1.schema.json";

/// The rules of the pack that judge the shape of a payload at `must`.
const SHAPE_RULES: [&str; 5] = ["AE-100", "AE-101", "AE-102", "AE-111", "AE-114"];

fn document(path: &str) -> Value {
    let bytes = embedded::file(path).unwrap_or_else(|| panic!("{path} is embedded"));
    json::parse(std::str::from_utf8(bytes).unwrap()).unwrap()
}

fn schema(path: &str) -> Schema {
    Schema::compile(&document(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn every_shipped_schema_compiles_and_says_what_it_is() {
    let schemas: Vec<&str> = embedded::FILES.iter().map(|(name, _)| *name).filter(|name| name.ends_with(".schema.json")).collect();
    assert!(schemas.contains(&EVIDENCE) && schemas.contains(&CASE_FILE), "{schemas:?}");
    for path in schemas {
        let document = document(path);
        schema(path);
        assert_eq!(document["$schema"], "https://json-schema.org/draft/2020-12/schema", "{path}");
        for key in ["title", "description"] {
            assert!(document[key].as_str().is_some_and(|text| text.len() > 10), "{path} has a {key}");
        }
    }
}

#[test]
fn every_property_of_the_evidence_schema_is_explained() {
    let document = document(EVIDENCE);
    let card = &document["$defs"]["card"]["properties"];
    let matched = &card["matched"]["anyOf"][1]["properties"];
    for properties in [&document["properties"], card, matched] {
        for (name, property) in properties.as_object().unwrap() {
            let explained = |key: &str| property[key].as_str().is_some_and(|text| !text.is_empty());
            assert!(explained("title") && explained("description"), "{name}");
        }
    }
}

#[test]
fn the_evidence_schema_names_the_keys_that_the_reference_writes() {
    let registry = json!({"_type": "skill_registry", "skills": [{"name": "a", "score": 1}]});
    let answer = Reference::default().call(Operation::ActivationEvidence, &json!({"registry": registry}));
    let payload = answer.into_result().unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    let document = document(EVIDENCE);
    let card = &document["$defs"]["card"];
    assert_eq!(keys(&payload), keys(&document["properties"]));
    assert_eq!(keys(&payload["cards"][0]), keys(&card["properties"]));
    assert_eq!(keys(&payload["cards"][0]["matched"]), keys(&card["properties"]["matched"]["anyOf"][1]["properties"]));
    let required =
        |value: &Value| value["required"].as_array().unwrap().iter().map(|key| key.as_str().unwrap().to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(required(&document), keys(&payload));
    let mut written = keys(&payload["cards"][0]);
    for key in ["source", "omitted_reason", "matched"] {
        assert!(written.remove(key));
    }
    assert_eq!(required(card), written, "three nulls may be left out");
    assert_eq!(document["properties"]["_type"]["const"], activation::EVIDENCE_TYPE);
    assert_eq!(document["properties"]["schema_version"]["const"], activation::SCHEMA_VERSION);
    assert_eq!(card["properties"]["lifecycle"]["enum"], json!(activation::LIFECYCLES));
}

/// The shape rules that a payload breaks.
fn broken_rules(payload: &Value) -> Vec<String> {
    let answer = Answer::Result(payload.clone());
    let exchange = Exchange { operation: Operation::ActivationEvidence, params: None, answer: &answer, profile: None, companion: None };
    let verdict = RulePack::activation().judge(&exchange);
    let rules = verdict.violations.into_iter().map(|violation| violation.rule);
    rules.filter(|rule| SHAPE_RULES.contains(&rule.as_str())).collect()
}

/// Whether the schema accepts a payload, which it must exactly where no shape rule objects.
fn agreed(schema: &Schema, payload: &Value) -> bool {
    let rules = broken_rules(payload);
    let accepts = schema.accepts(payload);
    assert_eq!(accepts, rules.is_empty(), "{rules:?} {:?}\n{payload:#}", schema.violations(payload));
    accepts
}

#[test]
fn the_evidence_schema_agrees_with_the_shape_rules_on_every_example() {
    let schema = schema(EVIDENCE);
    let pack = RulePack::activation();
    let (mut good, mut bad) = (0, 0);
    for rule in pack.rules() {
        for example in rule.pass.iter().chain(&rule.fail) {
            let result = pack.example_value(example).unwrap()["result"].take();
            *if agreed(&schema, &result) { &mut good } else { &mut bad } += 1;
        }
    }
    assert!(good > 50 && bad > 50, "{good} good, {bad} bad");
    for rule in pack.rules().iter().filter(|rule| SHAPE_RULES.contains(&rule.id.as_str())) {
        assert_eq!(rule.level, Level::Must);
        for example in &rule.fail {
            assert!(!schema.accepts(&pack.example_value(example).unwrap()["result"]), "{}: {example:?}", rule.id);
        }
    }
}

/// One random edit at one random place: another value, a member or an element taken out, one put in.
fn mutate(value: &mut Value, dice: &mut Dice) {
    let mut places = Vec::new();
    places_of(value, "", &mut places);
    let place = dice.pick(&places).clone();
    let words =
        ["eligible", "shown", "loaded", "budget", "catalog_limit", "skill_activation_evidence", "source", "matched", "score", "x-else"];
    let values = [
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(-1),
        json!(2),
        json!(1.0),
        json!(1.5),
        json!(-0.0),
        json!(1e300),
        json!(9_007_199_254_740_993_u64),
        json!(""),
        json!("1"),
        json!("\u{0}"),
        json!([]),
        json!([null]),
        json!(["a"]),
        json!({}),
        json!({"score": 1, "reason": ""}),
        json!({"score": null, "reason": ""}),
        json!({"reason": "r"}),
    ];
    let new = if dice.below(3) == 0 { json!(dice.pick(&words)) } else { dice.pick(&values).clone() };
    match (value.pointer_mut(&place).unwrap(), dice.below(3)) {
        (Value::Object(members), 0) if !members.is_empty() => {
            let keys: Vec<String> = members.keys().cloned().collect();
            members.remove(dice.pick(&keys));
        }
        (Value::Object(members), 1) => drop(members.insert((*dice.pick(&words)).to_owned(), new)),
        (Value::Array(items), 0) if !items.is_empty() => drop(items.remove(dice.below(items.len()))),
        (Value::Array(items), 1) => items.push(new),
        (value, _) => *value = new,
    }
}

fn places_of(value: &Value, here: &str, places: &mut Vec<String>) {
    places.push(here.to_owned());
    match value {
        Value::Object(members) => members.iter().for_each(|(key, value)| places_of(value, &json::pointer_push(here, key), places)),
        Value::Array(items) => items.iter().enumerate().for_each(|(at, value)| places_of(value, &json::pointer_push(here, at), places)),
        _ => {}
    }
}

#[test]
fn the_evidence_schema_agrees_with_the_shape_rules_on_mutated_payloads() {
    let schema = schema(EVIDENCE);
    let registry = json!({"_type": "skill_registry", "skills": [
        {"name": "技能", "namespace": "acme", "description": "🚀", "score": 0.5, "source": "project"},
        {"name": "b", "short": "s", "when_to_use": "w", "trigger": "t"},
        {"name": "c", "disable_model_invocation": true},
    ]});
    let mut good: Vec<Value> =
        [json!({}), json!({"budget": 1}), json!({"catalog_limit": 1, "used": ["b"]}), json!({"catalog_rendered": false})]
            .iter()
            .map(|options| Reference::default().call(Operation::ActivationEvidence, &json!({"registry": registry, "options": options})))
            .map(|answer| answer.into_result().unwrap())
            .collect();
    let pack = RulePack::activation();
    good.extend(pack.rule("AE-103").unwrap().pass.iter().map(|example| pack.example_value(example).unwrap()["result"].take()));
    let mut dice = Dice::new(1);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..2_000 {
        let mut payload = dice.pick(&good).clone();
        for _ in 0..=dice.below(3) {
            mutate(&mut payload, &mut dice);
        }
        *if agreed(&schema, &payload) { &mut accepted } else { &mut refused } += 1;
    }
    assert!(accepted > 200 && refused > 200, "{accepted} accepted, {refused} refused: the mutations try both sides");
}

#[test]
fn the_case_file_schema_accepts_every_shipped_case_file() {
    let schema = schema(CASE_FILE);
    let files = SuiteFiles::embedded();
    let mut count = 0;
    for (name, bytes) in files.case_files() {
        let document = yaml::parse(std::str::from_utf8(bytes).unwrap()).unwrap();
        assert_eq!(schema.violations(&document.value), [], "{name}");
        count += 1;
    }
    assert!(count >= 17, "{count} case files");
}

/// Asserts that the words of a schema's `enum` are exactly the values of a type, in its order.
fn words_are<T: DeserializeOwned + Debug + PartialEq>(words: &Value, values: &[T]) {
    let read: Vec<T> = words.as_array().unwrap().iter().map(|word| serde_json::from_value(word.clone()).unwrap()).collect();
    assert_eq!(read, values, "{words}");
}

#[test]
fn the_words_of_the_case_file_schema_are_those_of_the_code() {
    let document = document(CASE_FILE);
    let named: BTreeSet<&str> = Operation::ALL.map(Operation::name).into_iter().chain([LIFECYCLE_RUN]).collect();
    let words = document["$defs"]["operation"]["enum"].as_array().unwrap();
    assert_eq!(words.iter().map(|word| word.as_str().unwrap()).collect::<BTreeSet<_>>(), named);
    let case = &document["$defs"]["case"]["properties"];
    let (levels, bases) = (
        [Level::Must, Level::Should, Level::May],
        [Basis::Text, Basis::Example, Basis::Declared, Basis::Protocol, Basis::Measured, Basis::Decision],
    );
    words_are(&case["level"]["enum"], &levels);
    words_are(&case["basis"]["enum"], &bases);
    assert_eq!(case["level"]["enum"], json!(levels.map(Level::as_str)));
    assert_eq!(case["basis"]["enum"], json!(bases.map(Basis::as_str)));
    let assume = &case["assume"]["properties"];
    words_are(&assume["unit"]["enum"], &[Unit::Characters, Unit::Utf16, Unit::Bytes]);
    words_are(&assume["order"]["enum"], &[Order::Id, Order::IdUtf16, Order::Registry]);
    words_are(&assume["fit"]["enum"], &[Fit::Prefix, Fit::Skip]);
    words_are(&assume["below_floor"]["enum"], &[BelowFloor::Raise, BelowFloor::Header, BelowFloor::Nothing]);
    words_are(&assume["empty"]["enum"], &[Empty::Header, Empty::Nothing]);
    // A variant that these lists lack does not compile here.
    let _ = |level: Level, basis: Basis, unit: Unit, order: Order| match (level, basis, unit, order) {
        (
            Level::Must | Level::Should | Level::May,
            Basis::Text | Basis::Example | Basis::Declared | Basis::Protocol | Basis::Measured | Basis::Decision,
            Unit::Characters | Unit::Utf16 | Unit::Bytes,
            Order::Id | Order::IdUtf16 | Order::Registry,
        ) => {}
    };
    let _ = |fit: Fit, below_floor: BelowFloor, empty: Empty| match (fit, below_floor, empty) {
        (Fit::Prefix | Fit::Skip, BelowFloor::Raise | BelowFloor::Header | BelowFloor::Nothing, Empty::Header | Empty::Nothing) => {}
    };
    assert_eq!(document["properties"]["contract"]["enum"], json!([activation::NAME, lifecycle::RECEIPT, lifecycle::TRACE, packet::NAME]));
}

#[test]
fn the_keys_of_the_case_file_schema_are_those_that_the_loader_reads() {
    let document = document(CASE_FILE);
    let keys = |value: &Value| {
        let keys: BTreeSet<&str> = value["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        Vec::from_iter(keys).join(" ")
    };
    assert_eq!(keys(&document), "cases clause contract shared version");
    assert_eq!(
        keys(&document["$defs"]["case"]),
        "assume basis catches clause expect given id level operation profile rationale since steps title without"
    );
    assert_eq!(keys(&document["$defs"]["step"]), "expect given name operation");
    assert_eq!(keys(&document["$defs"]["expect"]), "error event one_of result verdict");
    assert_eq!(keys(&document["$defs"]["case"]["properties"]["assume"]), "below_floor empty fit order unit");
}

/// A receipt that breaks nothing: the example of the source document, out of the rule pack.
fn good_receipt() -> Value {
    let pack = RulePack::receipt();
    pack.example_value(&pack.rules()[0].pass[0]).unwrap()
}

#[test]
fn the_receipt_schema_agrees_with_the_shape_rules() {
    let schema = schema(RECEIPT);
    let document = document(RECEIPT);
    assert_eq!(document["required"], json!(REQUIRED_RECEIPT_FIELDS));
    assert_eq!(document["properties"]["schema"]["enum"][0], lifecycle::RECEIPT_SCHEMA);
    let mut dice = Dice::new(7);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..20_000 {
        let mut receipt = good_receipt();
        for _ in 0..=dice.below(3) {
            mutate(&mut receipt, &mut dice);
        }
        let verdict = RulePack::receipt().judge_receipt(&receipt);
        let breaks = |rules: &[&str]| verdict.violations.iter().any(|it| rules.contains(&it.rule.as_str()));
        let shape = breaks(&["RR-100", "RR-101", "RR-102", "RR-103"]);
        // The two fields with a rule of their own break that one, where the schema only wants texts.
        let own = breaks(&["RR-106", "RR-107"]);
        let accepts = schema.accepts(&receipt);
        assert!(if accepts { !shape } else { shape || own }, "{accepts} {verdict:?}\n{receipt:#}");
        *if accepts { &mut good } else { &mut bad } += 1;
    }
    assert!(good > 1_000 && bad > 1_000, "{good} good, {bad} bad");
}

#[test]
fn the_trace_schema_agrees_with_the_reader_of_events() {
    let document = document(TRACE);
    let types: Vec<&str> = WORLD_EVENTS.into_iter().chain(HOST_EVENTS).collect();
    assert_eq!(document["$defs"]["event"]["properties"]["type"]["enum"], json!(types));
    let schema = Schema::compile(&json!({"$ref": "#/$defs/event", "$defs": document["$defs"]})).unwrap();
    // Every event of the examples, good and bad.
    let pack = RulePack::trace();
    let examples = pack.rules().iter().flat_map(|rule| rule.pass.iter().chain(&rule.fail));
    let events: Vec<Value> = examples.flat_map(|it| pack.example_value(it).unwrap()["events"].as_array().unwrap().clone()).collect();
    let kinds: BTreeSet<&str> = events.iter().filter_map(lifecycle::event_type).collect();
    // Every type stands in an example but for one, which is added.
    let mut events = events.clone();
    events.push(json!({"seq": 1, "type": "reactivation.requested", "skill_id": "a"}));
    assert_eq!(kinds.len() + 1, types.len(), "{kinds:?}");
    let agree = |event: &Value| {
        let read = Event::read(event, false).is_ok() && event.get("seq").and_then(json::as_integer).is_some();
        assert_eq!(schema.accepts(event), read, "{:?} {:?}\n{event:#}", Event::read(event, false), schema.violations(event));
        read
    };
    let (mut good, mut bad) = (0, 0);
    let mut dice = Dice::new(11);
    for round in 0..40 {
        for event in &events {
            let mut event = event.clone();
            for _ in 0..round % 3 {
                mutate(&mut event, &mut dice);
            }
            *if agree(&event) { &mut good } else { &mut bad } += 1;
        }
    }
    assert!(good > 3_000 && bad > 1_000, "{good} good, {bad} bad");
}

/// What a schema of a packet can say: the rules on form, at must.
fn breaks_form(packet: &Value) -> bool {
    const RULES: [&str; 8] = ["EP-100", "EP-101", "EP-102", "EP-103", "EP-104", "EP-105", "EP-106", "EP-111"];
    let verdict = RulePack::packet().judge_packet(packet, None);
    verdict.violations.iter().any(|violation| {
        let is_form = RULES.contains(&violation.rule.as_str()) || matches!(violation.rule.as_str(), "EP-109" | "EP-112");
        is_form && violation.level == Level::Must
    })
}

#[test]
fn the_packet_schema_agrees_with_the_rules_on_form() {
    let schema = schema(PACKET);
    let pack = RulePack::packet();
    let good = pack.example_value(&pack.rules()[0].pass[0]).unwrap()["packet"].take();
    let (mut accepted, mut refused) = (0, 0);
    let mut dice = Dice::new(5);
    for round in 0..20_000 {
        let mut packet = good.clone();
        for _ in 0..round % 4 {
            mutate(&mut packet, &mut dice);
        }
        let accepts = schema.accepts(&packet);
        assert_eq!(accepts, !breaks_form(&packet), "{:?}\n{:?}\n{packet:#}", schema.violations(&packet), pack.judge_packet(&packet, None));
        *if accepts { &mut accepted } else { &mut refused } += 1;
    }
    assert!(accepted > 2_000 && refused > 2_000, "{accepted} {refused}");
    let words = |pointer: &str| document(PACKET).pointer(pointer).cloned().unwrap_or_default();
    let section = |section: &str, key: &str| words(&format!("/properties/{section}/properties/{key}/enum"));
    assert_eq!(section("skill", "mode"), json!(packet::MODES));
    assert_eq!(section("result", "observation_class"), json!(packet::OBSERVATION_CLASSES));
    assert_eq!(section("result", "outcome"), json!(packet::OUTCOMES));
    assert_eq!(section("handoff", "signal"), json!(packet::SIGNALS));
    assert_eq!(section("recovery", "lossiness"), json!(packet::LOSSINESS));
    assert_eq!(section("recovery", "sensitivity"), json!(packet::SENSITIVITIES));
    assert_eq!(words("/properties/evidence_used/items/properties/type/enum"), json!(packet::EVIDENCE_TYPES));
    assert_eq!(words("/properties/evidence_used/items/properties/scope/enum"), json!(packet::EVIDENCE_SCOPES));
    assert_eq!(words("/properties/metrics/additionalProperties/properties/provenance/enum"), json!(packet::PROVENANCES));
}

#[test]
fn the_page_of_the_protocol_names_every_operation_category_and_event() {
    let page = std::str::from_utf8(embedded::file("docs/protocol.md").unwrap()).unwrap();
    let names = Operation::ALL.map(Operation::name).into_iter().chain(Operation::declared_names());
    let events = WORLD_EVENTS.into_iter().chain(HOST_EVENTS);
    for name in names.chain(Category::ALL.iter().map(|category| category.as_str())).chain(events) {
        assert!(page.contains(&format!("`{name}`")), "docs/protocol.md does not name {name}");
    }
    let words = Profile::ALL.iter().map(|it| it.as_str()).chain(Ttl::ALL.iter().map(|it| it.as_str()));
    for word in words {
        assert!(page.contains(word), "docs/protocol.md lacks the word {word}");
    }
}

#[test]
fn every_example_of_a_trace_fits_its_schema_but_for_the_events() {
    let schema = schema(TRACE);
    let pack = RulePack::trace();
    for rule in pack.rules() {
        for example in &rule.pass {
            assert_eq!(schema.violations(&pack.example_value(example).unwrap()), [], "{}", rule.id);
        }
    }
}

#[test]
fn the_shipped_rendering_profiles_have_the_figures_of_the_page() {
    let page_1 = RenderingProfile {
        unit: Unit::Characters,
        header: 216,
        separator: 1,
        footer: 0,
        suffix: Some(Suffix { base: 51, plus_digits: true }),
        card: CardCost { id: 4, description: 2, when_to_use: 9 },
        order: Order::Id,
        fit: Fit::Prefix,
        below_floor: BelowFloor::Raise,
        empty: Empty::Header,
    };
    let harn = RenderingProfile { unit: Unit::Bytes, ..page_1 };
    let wide = RenderingProfile { header: 900, suffix: None, card: CardCost { id: 10, description: 10, when_to_use: 10 }, ..page_1 };
    for (name, profile) in [("page-1", page_1), ("harn-0.10", harn), ("wide", wide)] {
        assert_eq!(embedded::rendering_profile(name), Some(profile), "{name}");
    }
    assert_eq!(embedded::rendering_profiles().len(), 3);
    assert_eq!((page_1.floor(), wide.floor()), (268, 900));
}
