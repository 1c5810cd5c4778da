//! The laws (AE-601 to 608), over variants that are drawn at random and not the kit's own.

use proofmark::adapter::{Declaration, Hello, Implementation as _, Operation, RunnerInfo};
use proofmark::case::{LoadOptions, Suite};
use proofmark::contract::rendering::RenderingProfile;
use proofmark::json;
use proofmark::judge::{Judge, Outcome, run_in_process, suite_contradictions};
use proofmark::policy::{Companion, Exchange, RulePack};
use proofmark::reference::Reference;
use proofmark::verdict::Violation;
use proptest::prelude::*;
use proptest::sample::{Index, subsequence};
use serde_json::{Map, Value, json};

use crate::generate::*;
use crate::{ask, config, suite_with};

/// The findings of a law's rule between two requests. The rule must have had something to compare.
fn law(law: &str, operation: Operation, profile: &RenderingProfile, first: &Value, second: &Value) -> Vec<Violation> {
    let (one, other) = (ask(profile, operation, first), ask(profile, operation, second));
    let companion = Some(Companion::Variant { law, params: second, answer: &other });
    let exchange = Exchange { operation, params: Some(first), answer: &one, profile: Some(profile), companion };
    let verdict = RulePack::activation().judge(&exchange);
    assert_eq!(verdict.not_judged, Vec::<String>::new());
    assert!(RulePack::activation().rule(law).is_some_and(|rule| rule.operations.contains(&operation)));
    verdict.violations
}

fn with_skills(params: &Value, skills: Vec<Value>) -> Value {
    let mut params = params.clone();
    params["registry"]["skills"] = Value::Array(skills);
    params
}

const BOTH: [Operation; 2] = [Operation::ActivationEvidence, Operation::ActivationCatalog];

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn a_permutation_changes_nothing(
        (registry, order) in tidy_registry().prop_flat_map(|registry| {
            let order: Vec<usize> = (0..skills(&registry).len()).collect();
            (Just(registry), Just(order).prop_shuffle())
        }),
        options in tidy_options(),
        profile in lawful_profile(),
    ) {
        let first = json!({"registry": registry, "options": options});
        let second = with_skills(&first, order.iter().map(|at| skills(&registry)[*at].clone()).collect());
        prop_assert_eq!(law("AE-601", Operation::ActivationEvidence, &profile, &first, &second), Vec::new());
        prop_assert_eq!(ask(&profile, Operation::ActivationCatalog, &first), ask(&profile, Operation::ActivationCatalog, &second));
    }

    #[test]
    fn a_larger_budget_shows_no_fewer(registry in tidy_registry(), options in tidy_options(), more in 1..2_000_u64, profile in lawful_profile()) {
        let first = json!({"registry": registry, "options": options});
        let budget = json::as_count(&options["budget"]).unwrap_or(2000);
        let mut second = first.clone();
        second["options"]["budget"] = json!((budget + more).min(json::MAX_SAFE_INTEGER));
        prop_assert_eq!(law("AE-602", Operation::ActivationEvidence, &profile, &first, &second), Vec::new());
    }

    #[test]
    fn runtime_states_change_lifecycles_only(
        (registry, loaded, used) in tidy_registry().prop_flat_map(|registry| {
            let ids: Vec<String> = skills(&registry).iter().map(id_of).chain(["ghost".to_owned()]).collect();
            (Just(registry), subsequence(ids.clone(), 0..=ids.len()), subsequence(ids.clone(), 0..=ids.len()))
        }),
        options in tidy_options(),
        profile in profile(),
    ) {
        let first = json!({"registry": registry, "options": options});
        let mut second = first.clone();
        second["options"]["loaded"] = json!(loaded);
        second["options"]["used"] = json!(used);
        prop_assert_eq!(law("AE-603", Operation::ActivationEvidence, &profile, &first, &second), Vec::new());
        prop_assert_eq!(ask(&profile, Operation::ActivationCatalog, &first), ask(&profile, Operation::ActivationCatalog, &second));
        let payload = ask(&profile, Operation::ActivationEvidence, &second).into_result().unwrap();
        for card in payload["cards"].as_array().unwrap() {
            let listed = |ids: &[String]| ids.iter().any(|id| card["id"] == json!(id));
            if listed(&used) || listed(&loaded) {
                prop_assert_eq!(card["lifecycle"].clone(), json!(if listed(&used) { "used" } else { "loaded" }));
            }
        }
    }

    #[test]
    fn unknown_keys_change_nothing(
        registry in tidy_registry(),
        options in tidy_options(),
        keys in prop::collection::vec((any::<Index>(), "x-[a-z]{1,5}", odd()), 1..4),
        profile in profile(),
    ) {
        let first = json!({"registry": registry, "options": options});
        let mut second = first.clone();
        for (at, key, value) in keys {
            second["options"][&key] = value.clone();
            if !skills(&registry).is_empty() {
                second["registry"]["skills"][at.index(skills(&registry).len())][&key] = value;
            }
        }
        prop_assert_eq!(law("AE-604", Operation::ActivationEvidence, &profile, &first, &second), Vec::new());
    }

    #[test]
    fn a_disabled_entry_leaves_no_trace_in_the_catalog(
        registry in tidy_registry(),
        options in tidy_options(),
        entry in tidy_entry(),
        at in any::<Index>(),
        profile in profile(),
    ) {
        let first = json!({"registry": registry, "options": options});
        let mut entry = entry;
        entry.as_object_mut().unwrap().remove("disable-model-invocation");
        entry["disable_model_invocation"] = json!(true);
        let known = |skills: &[Value], id: &str| skills.iter().any(|skill| id_of(skill) == id);
        let mut variants = Vec::new();
        if !known(skills(&registry), &id_of(&entry)) {
            let mut more = skills(&registry).to_vec();
            more.insert(at.index(more.len() + 1), entry.clone());
            variants.push(more);
        }
        if let Some(disabled) = skills(&registry).iter().position(is_disabled) {
            let mut fewer = skills(&registry).to_vec();
            let mut renamed = fewer.clone();
            fewer.remove(disabled);
            variants.push(fewer);
            renamed[disabled]["name"] = entry["name"].clone();
            if !known(skills(&registry), &id_of(&renamed[disabled])) {
                variants.push(renamed);
            }
        }
        for variant in variants {
            for operation in BOTH {
                prop_assert_eq!(law("AE-605", operation, &profile, &first, &with_skills(&first, variant.clone())), Vec::new());
            }
        }
    }

    #[test]
    fn an_entry_behind_a_full_limit_leaves_no_trace_in_the_catalog(
        registry in tidy_registry(),
        limit in 1..6_usize,
        budget in 1..2_000_u64,
        entry in tidy_entry(),
        at in any::<Index>(),
        profile in lawful_profile(),
    ) {
        let mut enabled: Vec<String> = skills(&registry).iter().filter(|skill| !is_disabled(skill)).map(id_of).collect();
        enabled.sort();
        let Some(last) = enabled.get(limit - 1) else { return Ok(()) };
        let mut entry = entry;
        entry.as_object_mut().unwrap().remove("namespace");
        entry["name"] = json!(format!("{last}{}", text_of(&entry, "name")));
        if skills(&registry).iter().any(|skill| id_of(skill) == id_of(&entry)) {
            return Ok(());
        }
        let first = json!({"registry": registry, "options": {"budget": budget, "catalog_limit": limit}});
        let mut more = skills(&registry).to_vec();
        more.insert(at.index(more.len() + 1), entry);
        for operation in BOTH {
            prop_assert_eq!(law("AE-606", operation, &profile, &first, &with_skills(&first, more.clone())), Vec::new());
        }
    }

    #[test]
    fn another_letter_in_a_shown_text_changes_the_catalog(registry in tidy_registry(), at in any::<Index>(), profile in lawful_profile()) {
        let first = json!({"registry": registry, "options": {"budget": 1_000_000}});
        let lettered: Vec<usize> = (0..skills(&registry).len())
            .filter(|at| !is_disabled(&skills(&registry)[*at]) && text_of(&skills(&registry)[*at], "description").starts_with(|c: char| c.is_ascii_lowercase()))
            .filter(|at| text_of(&skills(&registry)[*at], "short").is_empty())
            .collect();
        if lettered.is_empty() {
            return Ok(());
        }
        let at = *at.get(&lettered);
        let mut other = skills(&registry).to_vec();
        let text = text_of(&other[at], "description");
        let letter = if text.starts_with('q') { "z" } else { "q" };
        other[at]["description"] = json!(format!("{letter}{}", &text[1..]));
        prop_assert_eq!(law("AE-607", Operation::ActivationCatalog, &profile, &first, &with_skills(&first, other)), Vec::new());
    }

    #[test]
    fn doubled_texts_show_no_more(registry in tidy_registry(), options in tidy_options(), profile in lawful_profile()) {
        let first = json!({"registry": registry, "options": options});
        let doubled = skills(&registry).iter().map(|skill| {
            let double = |(key, value): (&String, &Value)| match (key.as_str(), value) {
                ("short" | "description" | "when_to_use" | "when-to-use", Value::String(text)) => (key.clone(), json!(text.repeat(2))),
                _ => (key.clone(), value.clone()),
            };
            Value::Object(skill.as_object().unwrap().iter().map(double).collect())
        });
        let second = with_skills(&first, doubled.collect());
        prop_assert_eq!(law("AE-608", Operation::ActivationEvidence, &profile, &first, &second), Vec::new());
    }
}

/// A value with every text written as a helper that YAML can hold.
fn portable(value: &Value) -> Value {
    use base64::Engine as _;
    match value {
        Value::String(text) if text.chars().all(|c| matches!(c, ' '..='~')) => value.clone(),
        Value::String(text) => json!({"$text": base64::engine::general_purpose::STANDARD.encode(text)}),
        Value::Array(items) => items.iter().map(portable).collect(),
        Value::Object(members) => Value::Object(members.iter().map(|(key, value)| (key.clone(), portable(value))).collect::<Map<_, _>>()),
        scalar => scalar.clone(),
    }
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn the_reference_passes_a_random_case_with_all_its_laws(registry in tidy_registry(), options in tidy_options(), profile in profile()) {
        let mut cases = Vec::new();
        for (name, operation, expected) in [
            ("evidence", Operation::ActivationEvidence, json!({"shown": {"$computed": true}, "used_chars": {"$computed": true}})),
            ("catalog", Operation::ActivationCatalog, json!({"text": {"$computed": true}})),
        ] {
            cases.push(json!({
                "id": format!("random.{name}"), "title": "The reference says what it says", "level": "must", "basis": "text", "since": "0.1.0",
                "clause": "activation#budget", "operation": operation.name(), "expect": {"result": expected},
                "given": {"registry": portable(&registry), "options": portable(&options)},
            }));
        }
        let file = json!({"contract": "skill_activation_evidence", "version": 1, "cases": cases});
        let suite = Suite::load(suite_with(&file.to_string()), LoadOptions::default()).map_err(|faults| TestCaseError::fail(format!("{faults:?}")))?;
        prop_assert_eq!(suite_contradictions(&suite), Vec::new());
        let mut reference = Reference::new(profile);
        let runner = RunnerInfo { name: "test".into(), version: "0".into() };
        let declaration: Declaration = reference.initialize(&Hello { protocol: vec![1], runner, suite: suite.info(), nonce: "n".into() }).unwrap();
        let judge = Judge::new(&suite, &declaration);
        for case in suite.cases() {
            let (result, _) = run_in_process(&judge, &mut reference, case);
            prop_assert_eq!(result.outcome, Outcome::Passed, "{:#?}", result);
            prop_assert!(result.findings.is_empty(), "{result:#?}");
        }
    }
}
