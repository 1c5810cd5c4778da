//! A host that knows the published suite by heart: a table from request to answer, and something plausible for everything else.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead as _, Write as _};
use std::sync::{Arc, Mutex};

use proofmark::adapter::{Answer, Declaration, ErrorObject, Hello, Implementation, Operation, Server};
use proofmark::case::{Profile, Suite};
use proofmark::judge::{Judge, run_in_process};
use proofmark::reference::Reference;
use serde_json::{Value, json};

use crate::HOST;
use crate::binary::run;
use crate::files::scratch;

const PROFILE: &str = "evidence-producer";

type Table = HashMap<String, Value>;

fn key(operation: Operation, params: &Value) -> String {
    format!("{operation} {params}")
}

/// A host that listens to the reference.
struct Listener {
    reference: Reference,
    heard: Arc<Mutex<Table>>,
}

impl Implementation for Listener {
    fn initialize(&mut self, hello: &Hello) -> Result<Declaration, ErrorObject> {
        self.reference.initialize(hello)
    }

    fn call(&mut self, operation: Operation, params: &Value) -> Answer {
        let answer = self.reference.call(operation, params);
        if let Some(result) = answer.clone().into_result() {
            self.heard.lock().unwrap().insert(key(operation, params), result);
        }
        answer
    }
}

/// The host that repeats what was heard.
struct Memoriser {
    table: Table,
}

impl Implementation for Memoriser {
    fn initialize(&mut self, hello: &Hello) -> Result<Declaration, ErrorObject> {
        Reference::new(proofmark::embedded::page_1()).initialize(hello)
    }

    fn call(&mut self, operation: Operation, params: &Value) -> Answer {
        match self.table.get(&key(operation, params)) {
            Some(result) => Answer::from_result(result.clone()),
            None => Answer::Result(plausible(params)),
        }
    }
}

/// An empty catalog and no cards, of the right form.
fn plausible(params: &Value) -> Value {
    let budget = params.pointer("/options/budget").cloned().unwrap_or(json!(2000));
    json!({
        "_type": "skill_activation_evidence", "schema_version": 1, "budget_chars": budget, "used_chars": 0, "budget_tokens": 0,
        "used_tokens": 0, "shown": [], "omitted": [], "cards": [], "text": "",
    })
}

/// Answers the protocol out of a table.
pub(crate) fn serve(table: &str) {
    let table: Table = serde_json::from_str(&fs::read_to_string(table).unwrap()).unwrap();
    let mut server = Server::new(Memoriser { table });
    let mut stdout = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let reply = server.handle(line.unwrap().as_bytes());
        writeln!(stdout, "{}", reply.line).unwrap();
        stdout.flush().unwrap();
        if reply.finished {
            return;
        }
    }
}

pub(crate) fn a_host_that_knows_the_suite_by_heart_is_not_certified() {
    let folder = scratch("memoriser");
    let suite = Suite::embedded().unwrap();
    let heard = Arc::default();
    let mut listener = Listener { reference: Reference::new(proofmark::embedded::page_1()), heard: Arc::clone(&heard) };
    let declaration = listener.initialize(&proofmark_runner::run::hello(&suite, "n".to_owned())).unwrap();
    let judge = Judge::new(&suite, &declaration);
    for case in suite.cases().iter().filter(|case| Profile::shipped()[PROFILE].covers(case)) {
        run_in_process(&judge, &mut listener, case);
    }
    let table = folder.join("table.json");
    fs::write(&table, serde_json::to_string(&*heard.lock().unwrap()).unwrap()).unwrap();
    let program = std::env::current_exe().unwrap();
    let host = ["--", program.to_str().unwrap(), HOST, table.to_str().unwrap()];

    // The published suite is no help against it.
    let published = run(["run", "--profile", PROFILE].into_iter().chain(host)).ends_with(0);
    assert!(published.last_line().starts_with("conformant as evidence-producer"), "{}", published.out);

    let certificate = folder.join("certificate.json");
    let certified = run(["certify", "--profile", PROFILE, "--out", certificate.to_str().unwrap()].into_iter().chain(host)).ends_with(1);
    assert!(certified.last_line().starts_with("no certificate: the result is failure"), "{}", certified.out);
    let failed: Vec<&str> = certified.out.lines().filter_map(|line| line.strip_prefix("FAILED ")).collect();
    assert!(!failed.is_empty() && failed.iter().all(|case| case.starts_with("generated.")), "{failed:?}");
    assert!(!certificate.exists());
    // Its failure can be asked again alone, with the words that the report gives.
    let rerun = certified.out.lines().find_map(|line| line.trim().strip_prefix("rerun: proofmark ")).unwrap();
    let words: Vec<String> = rerun.split_whitespace().map(|word| word.trim_matches('\'').to_owned()).collect();
    assert!(words[1].starts_with("generated.") && words.contains(&"--nonce".to_owned()), "{rerun}");
    let again = run(&words).ends_with(1);
    assert!(again.out.starts_with(&format!("FAILED {}", words[1])), "{}", again.out);
    let journal = folder.join("certificate.jsonl");
    let rerun = ["run", "--rerun-failed", journal.to_str().unwrap(), "--format", "json"].into_iter().chain(host);
    assert_eq!(run(rerun).ends_with(1).json()["summary"]["selected"], failed.len());
}
