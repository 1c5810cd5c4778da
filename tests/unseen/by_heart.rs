//! A host that has the published suite in its memory, and nothing else.

use std::collections::HashMap;

use proofmark::adapter::{Answer, Declaration, ErrorObject, Hello, Implementation, Operation};
use proofmark::case::Suite;
use proofmark::contract::activation;
use proofmark::generate::case_files;
use proofmark::judge::{Judge, Outcome, run_in_process};
use proofmark::reference::Reference;
use serde_json::{Value, json};

use crate::ground::{ACTIVATION, declaring, ground, judged};

/// Answers by heart where it can, and with something plausible where it can't.
#[derive(Default)]
struct ByHeart {
    learnt: HashMap<(Operation, String), Answer>,
    teacher: Option<Reference>,
    guesses: usize,
}

impl Implementation for ByHeart {
    fn initialize(&mut self, _: &Hello) -> Result<Declaration, ErrorObject> {
        Ok(Declaration::new("by-heart", "1", "any").operations(ACTIVATION).rendering(proofmark::embedded::page_1()))
    }

    fn call(&mut self, operation: Operation, params: &Value) -> Answer {
        let key = (operation, params.to_string());
        if let Some(answer) = self.learnt.get(&key) {
            return answer.clone();
        }
        match &mut self.teacher {
            Some(teacher) => {
                let answer = teacher.call(operation, params);
                self.learnt.insert(key, answer.clone());
                answer
            }
            None => {
                self.guesses += 1;
                Answer::from_result(guess(operation, params))
            }
        }
    }
}

/// What somebody would answer who knows the form: everything that is there, in the order in which it came.
fn guess(operation: Operation, params: &Value) -> Value {
    let skills = params["registry"]["skills"].as_array().cloned().unwrap_or_default();
    let names: Vec<Value> = skills.iter().map(|skill| skill["name"].clone()).collect();
    match operation {
        Operation::ActivationEvidence => {
            let cards: Vec<Value> = skills
                .iter()
                .map(|skill| {
                    json!({
                        "id": skill["name"], "name": skill["name"], "source": skill["source"], "description": skill["description"].as_str().unwrap_or(""),
                        "when_to_use": skill["when_to_use"].as_str().unwrap_or(""), "disable_model_invocation": false, "selected": true,
                        "omitted_reason": null, "char_estimate": 60, "token_estimate": 15, "lifecycle": "shown", "matched": null,
                    })
                })
                .collect();
            json!({
                "_type": "skill_activation_evidence", "schema_version": 1, "budget_chars": 2000, "used_chars": 800, "budget_tokens": 500,
                "used_tokens": 200, "shown": names, "omitted": [], "cards": cards,
            })
        }
        Operation::ActivationCatalog => json!({"text": skills.iter().map(Value::to_string).collect::<String>(), "shown": names}),
        Operation::ActivationLoad => json!({
            "body": skills.first().map_or(json!(""), |skill| skill["body"].clone()),
            "event": {"type": "skill.loaded", "skill_id": params["id"], "lifecycle": "loaded", "source": null,
                      "disable_model_invocation": false, "token_estimate": 10, "signed": false, "trusted": false, "session_id": null},
        }),
        Operation::ActivationRead => {
            json!({"shown": ["deploy"], "omitted": [], "cards": params["payload"]["cards"]})
        }
        _ => json!({"registry": {"_type": "skill_registry", "skills": params["layers"][0]["skills"]}, "shadowed": []}),
    }
}

#[test]
fn a_host_that_knows_the_published_suite_by_heart_passes_it_and_fails_what_is_generated() {
    let suite = Suite::embedded().expect("a released suite is sound");
    let mut host = ByHeart { teacher: Some(Reference::default()), ..ByHeart::default() };
    let declaration = declaring(&mut host);
    let judge = Judge::new(&suite, &declaration);
    // The cases of a hundred thousand skills would be learnt as well, and take a minute.
    let published: Vec<_> =
        suite.cases().iter().filter(|case| case.contract == activation::NAME && !case.file.ends_with("/scale.yaml")).collect();
    for case in &published {
        run_in_process(&judge, &mut host, case);
    }
    host.teacher = None;
    let mut passed = 0;
    for case in &published {
        let (result, _) = run_in_process(&judge, &mut host, case);
        assert!(matches!(result.outcome, Outcome::Passed | Outcome::NotApplicable), "{}: {:?}", case.id, result.findings);
        passed += usize::from(result.outcome == Outcome::Passed);
    }
    assert_eq!(host.guesses, 0, "it knows every answer by heart");
    assert!(passed > 500, "{passed} of {}", published.len());
    println!("by heart: {passed} of {} published cases of contract 1, {} answers learnt", published.len(), host.learnt.len());

    for seed in 0..5 {
        let generated = ground().extended(case_files(seed, &declaration, 40)).expect("sound files");
        let mut failed: HashMap<&str, usize> = HashMap::new();
        for (id, result) in judged(&generated, &mut host, &declaration) {
            *failed.entry(id.rsplit_once('.').expect("a numbered id").0).or_default() += usize::from(result.is_failed());
        }
        println!("by heart, seed {seed}: {failed:?} of 40 each fail");
        for (operation, failed) in failed {
            assert!(failed >= 20, "seed {seed}: only {failed} of 40 cases of {operation} fail a host that guesses");
        }
    }
}
