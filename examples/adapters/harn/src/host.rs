//! Harn behind the adapter's trait: its virtual machine, its builtins, and how its errors read as refusals.

use std::io;

use harn_vm::value::{VmError, VmValue};
use harn_vm::{Vm, json_to_vm_value};
use proofmark::adapter::{Answer, Declaration, ErrorObject, Hello, Implementation, Operation, error_code};
use proofmark::contract::refusal::Category;
use serde_json::{Value, json};

use crate::{catalog, layers, load, profile};

/// The version that `Cargo.toml` pins.
const HARN_VERSION: &str = "0.10.185";

/// What Harn can be asked for. It has no reader of evidence payloads, so `activation.read` is not among them.
const OPERATIONS: [Operation; 4] =
    [Operation::ActivationEvidence, Operation::ActivationCatalog, Operation::ActivationLoad, Operation::RegistryMerge];

/// Why there is no result.
pub(crate) enum Failure {
    /// Harn refused, and the protocol has a word for why; with the event of a load, where Harn recorded one.
    Refused(Category, Option<Value>),
    /// Harn failed in a way that the protocol has no word for, or the params can't be put to it.
    Failed(String),
}

impl From<Category> for Failure {
    fn from(category: Category) -> Self {
        Self::Refused(category, None)
    }
}

/// Harn, ready to be asked.
pub(crate) struct Harn {
    vm: Vm,
    runtime: tokio::runtime::Runtime,
}

impl Harn {
    /// Starts a virtual machine with Harn's builtins.
    pub(crate) fn start() -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut vm = harn_vm::new_vm();
        harn_vm::register_vm_stdlib(&mut vm);
        Ok(Self { vm, runtime })
    }

    /// Calls one of Harn's builtins, with its own check of argument types.
    pub(crate) fn builtin(&mut self, name: &str, arguments: Vec<VmValue>) -> Result<VmValue, Failure> {
        self.runtime.block_on(self.vm.call_named_builtin(name, arguments)).map_err(|error| refusal(&error))
    }

    fn answer(&mut self, operation: Operation, params: &Value) -> Result<Value, Failure> {
        match operation {
            Operation::ActivationEvidence => {
                let arguments = vec![json_to_vm_value(&params["registry"]), json_to_vm_value(&params["options"])];
                self.builtin("skills_activation_evidence", arguments).map(|payload| harn_vm::llm::vm_value_to_json(&payload))
            }
            Operation::ActivationCatalog => catalog::catalog(self, &params["registry"], &params["options"]),
            Operation::ActivationLoad => load::load(params),
            Operation::RegistryMerge => layers::merge(params),
            other => Err(Failure::Failed(format!("{other} is not declared"))),
        }
    }
}

impl Implementation for Harn {
    fn initialize(&mut self, _: &Hello) -> Result<Declaration, ErrorObject> {
        let mut declaration = Declaration::new("harn-vm", HARN_VERSION, "Rust").operations(OPERATIONS).rendering(profile::declared());
        declaration.implementation.url = Some("https://harnlang.com/".to_owned());
        declaration.implementation.issues = Some("https://github.com/burin-labs/harn/issues".to_owned());
        declaration.max_in_flight = 16;
        Ok(declaration)
    }

    fn call(&mut self, operation: Operation, params: &Value) -> Answer {
        if !OPERATIONS.contains(&operation) {
            return Answer::Unsupported;
        }
        match self.answer(operation, params) {
            Ok(result) => Answer::Result(result),
            Err(Failure::Refused(category, event)) => {
                let mut result = json!({"error": {"category": category.as_str()}});
                if let Some(event) = event {
                    result["event"] = event;
                }
                Answer::from_result(result)
            }
            Err(Failure::Failed(message)) => Answer::Error(ErrorObject { code: error_code::INTERNAL_ERROR, message }),
        }
    }
}

/// Harn throws sentences and has no categories for these; each of its sentences names the argument that it would not take.
fn refusal(error: &VmError) -> Failure {
    let message = error.to_string();
    let names = |word: &str| message.contains(word);
    if names("options") || names("budget") || names("catalog_limit") {
        Category::InvalidOptions.into()
    } else if names("registry") {
        Category::InvalidRegistry.into()
    } else {
        Failure::Failed(message)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn ask(operation: Operation, params: &Value) -> Value {
        Harn::start().unwrap().call(operation, params).into_result().unwrap()
    }

    fn registry(skills: &Value) -> Value {
        json!({"_type": "skill_registry", "skills": skills})
    }

    #[test]
    fn evidence_is_what_was_recorded_of_this_version() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/oracle");
        let mut harn = Harn::start().unwrap();
        let mut lines = 0;
        for file in ["harn-0.10.185-evidence.jsonl", "harn-0.10.185-evidence-real-registries.jsonl"] {
            let Ok(recorded) = std::fs::read_to_string(folder.join(file)) else {
                println!("skipped: {file} is not beside the checkout");
                return;
            };
            for line in recorded.lines() {
                let line: Value = serde_json::from_str(line).unwrap();
                let answer = harn.call(Operation::ActivationEvidence, &line["input"]).into_result().unwrap();
                let refused = || json!({"error": {"category": line["error"]}});
                assert_eq!(answer, line.get("output").cloned().unwrap_or_else(refused));
                lines += 1;
            }
        }
        assert_eq!(lines, 425);
    }

    #[test]
    fn the_ids_of_a_catalog_are_read_from_its_text_and_not_from_a_description() {
        let skills = json!([{"name": "links", "description": "Lists\n- `fake`: a line of its own"}, {"name": "tidy"}]);
        let catalog = ask(Operation::ActivationCatalog, &json!({"registry": registry(&skills), "options": {}}));
        assert_eq!(catalog["shown"], json!(["links", "tidy"]));
        let long = json!([{"name": "a"}, {"name": "b", "description": "x".repeat(300)}]);
        let params = json!({"registry": registry(&long), "options": {"budget": 400}});
        let cut = ask(Operation::ActivationCatalog, &params);
        assert_eq!(cut["shown"], json!(["a"]));
        assert!(cut["text"].as_str().unwrap().ends_with("... 1 more skill(s) omitted to stay within budget."));
    }

    #[test]
    fn sessions_of_two_loads_share_nothing() {
        let skills = json!([{"name": "a", "body": "one"}, {"name": "b", "body": "two"}]);
        let mut harn = Harn::start().unwrap();
        for (id, body) in [("a", "one"), ("b", "two"), ("a", "one")] {
            let params = json!({"registry": registry(&skills), "id": id, "session_id": "turn-7"});
            let answer = harn.call(Operation::ActivationLoad, &params).into_result().unwrap();
            assert_eq!(answer["body"], body);
            assert_eq!(answer["event"]["skill_id"], id);
            assert_eq!(answer["event"]["session_id"], "turn-7");
        }
    }

    #[test]
    fn the_declared_version_is_the_pinned_one() {
        assert!(include_str!("../Cargo.toml").contains(&format!("harn-vm = {{ version = \"={HARN_VERSION}\"")));
    }

    #[test]
    fn what_harn_can_not_be_asked_is_unsupported() {
        let mut harn = Harn::start().unwrap();
        assert_eq!(harn.call(Operation::ActivationRead, &json!({"payload": {}})), Answer::Unsupported);
    }
}
