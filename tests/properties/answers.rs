//! Whatever is asked, the reference's answers keep every rule and agree with each other.

use proofmark::adapter::{Answer, Operation};
use proofmark::embedded;
use proofmark::policy::Companion;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::generate::*;
use crate::{ask, config, judged};

proptest! {
    #![proptest_config(config(512))]

    #[test]
    fn evidence_and_catalog_agree_and_keep_every_rule(registry in hostile_registry(), options in hostile_options(), profile in profile()) {
        let params = json!({"registry": registry, "options": options});
        let evidence = ask(&profile, Operation::ActivationEvidence, &params);
        let catalog = ask(&profile, Operation::ActivationCatalog, &params);
        match (&evidence, &catalog) {
            (Answer::Result(payload), Answer::Result(catalog)) => {
                prop_assert_eq!(&payload["shown"], &catalog["shown"]);
                prop_assert_eq!(json!(profile.unit.length(catalog["text"].as_str().unwrap())), payload["used_chars"].clone());
            }
            (Answer::Refusal(one), Answer::Refusal(other)) => prop_assert_eq!(one, other),
            answers => prop_assert!(false, "{answers:?}"),
        }
        for (operation, answer, twin) in
            [(Operation::ActivationEvidence, &evidence, &catalog), (Operation::ActivationCatalog, &catalog, &evidence)]
        {
            prop_assert_eq!(judged(operation, &params, answer, &profile, Some(Companion::Twin(twin))), Vec::new());
        }
        let mut carrying = params.clone();
        carrying["profile"] = serde_json::to_value(profile).unwrap();
        prop_assert_eq!(ask(&embedded::page_1(), Operation::ActivationEvidence, &carrying), evidence, "carried or declared is the same");
    }

    #[test]
    fn a_load_keeps_every_rule(
        registry in hostile_registry(),
        at in any::<Index>(),
        other in name(),
        flags in (or_odd(any::<bool>().prop_map(Value::from)), or_odd(any::<bool>().prop_map(Value::from))),
        session in odd(),
        profile in profile(),
    ) {
        let mut ids: Vec<String> = skills(&registry).iter().flat_map(|entry| [id_of(entry), text_of(entry, "name").to_owned()]).collect();
        ids.push(other);
        let id = at.get(&ids);
        let params =
            json!({"registry": registry, "id": id, "require_signature": flags.0, "model_invocation": flags.1, "session_id": session});
        let answer = ask(&profile, Operation::ActivationLoad, &params);
        prop_assert!(matches!(answer, Answer::Result(_) | Answer::Refusal(_)));
        prop_assert_eq!(judged(Operation::ActivationLoad, &params, &answer, &profile, None), Vec::new());
    }

    #[test]
    fn a_merge_keeps_every_rule_and_is_a_merged_registry(
        layers in prop::collection::vec(prop::collection::vec(hostile_entry(), 0..5), 0..7),
        labels in Just(vec!["bundled", "cli", "runtime", "host", "project", "package", "user"]).prop_shuffle(),
        tiers in prop::option::of(1..4_usize),
    ) {
        let layers: Vec<Value> = layers.iter().zip(&labels).map(|(skills, label)| json!({"label": label, "skills": skills})).collect();
        let mut params = json!({"layers": layers});
        if let Some(size) = tiers {
            params["precedence"] = json!(labels.chunks(size).collect::<Vec<_>>());
        }
        let profile = embedded::page_1();
        let answer = ask(&profile, Operation::RegistryMerge, &params);
        prop_assert_eq!(judged(Operation::RegistryMerge, &params, &answer, &profile, None), Vec::new());
        let merged = answer.into_result().unwrap()["registry"].take();
        // Merging what is merged already changes nothing but the label.
        let again = ask(&profile, Operation::RegistryMerge, &json!({"layers": [{"label": "user", "skills": merged["skills"]}]})).into_result().unwrap();
        prop_assert_eq!(again["shadowed"].clone(), json!([]));
        let ids = |registry: &Value| skills(registry).iter().map(id_of).collect::<Vec<_>>();
        prop_assert_eq!(ids(&again["registry"]), ids(&merged));
        prop_assert!(ids(&merged).windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn a_reader_keeps_every_rule_and_reads_back_what_was_written(
        registry in hostile_registry(),
        edits in prop::collection::vec((any::<Index>(), odd()), 0..3),
        pinned in prop_oneof![Just(Value::Null), odd()],
    ) {
        let page_1 = embedded::page_1();
        let Answer::Result(written) = ask(&page_1, Operation::ActivationEvidence, &json!({"registry": registry})) else { return Ok(()) };
        let read = ask(&page_1, Operation::ActivationRead, &json!({"payload": written})).into_result().unwrap();
        prop_assert_eq!([&read["shown"], &read["omitted"]], [&written["shown"], &written["omitted"]]);
        for (row, card) in read["cards"].as_array().unwrap().iter().zip(written["cards"].as_array().unwrap()) {
            prop_assert!(row.as_object().unwrap().iter().all(|(key, value)| card[key] == *value));
        }
        let mut payload = written;
        for (at, value) in edits {
            let keys: Vec<String> = payload.as_object().unwrap().keys().cloned().collect();
            payload[at.get(&keys)] = value;
        }
        let params = json!({"payload": payload, "pinned": pinned});
        let answer = ask(&page_1, Operation::ActivationRead, &params);
        prop_assert_eq!(judged(Operation::ActivationRead, &params, &answer, &page_1, None), Vec::new());
    }
}
