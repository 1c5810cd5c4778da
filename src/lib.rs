//! Policy and conformance tests, as data, for programs that host agent skills.
//!
//! A host shows a model short cards of its skills, loads a skill's body when it is needed, releases it, and says afterwards what happened.
//! proofmark holds it to the published contracts of that: which cards were shown, which were left out and why, and what each cost; that a
//! body is loaded late, leaves a receipt before it goes, and comes back by rereading its source; and that what a skill returns is compact,
//! source-backed, and claims no authority.
//!
//! The library judges; it reads no file, starts no process, looks at no clock and prints nothing. The `proofmark` command, in the package
//! `runner`, does.
//!
//! # Certify a host in its own `cargo test`
//! Implement [`adapter::Implementation`] for the host and run the embedded suite against it:
//!
//! ```
//! use proofmark::adapter::{Hello, Implementation, RunnerInfo};
//! use proofmark::case::Suite;
//! use proofmark::judge::{Judge, Outcome, run_in_process};
//! use proofmark::reference::Reference;
//!
//! let suite = Suite::embedded().expect("a released suite is sound");
//! let mut host = Reference::default(); // your host here
//! let runner = RunnerInfo { name: "my tests".into(), version: "1".into() };
//! let hello = Hello { protocol: vec![1], runner, suite: suite.info(), nonce: "any".into() };
//! let declaration = host.initialize(&hello).expect("protocol 1");
//! let judge = Judge::new(&suite, &declaration);
//! # let mut cases = 0;
//! for case in suite.cases().iter().filter(|case| case.id.starts_with("activation.load.")) {
//!     let (result, _) = run_in_process(&judge, &mut host, case);
//!     assert_eq!(result.outcome, Outcome::Passed, "{}: {:#?}", case.id, result.findings);
//! #   cases += 1;
//! }
//! # assert!(cases > 10);
//! ```
//!
//! # Judge a document
//! ```
//! use proofmark::adapter::{Answer, Operation};
//! use proofmark::policy::{Exchange, RulePack};
//!
//! let payload = serde_json::json!({"_type": "skill_activation_evidence", "schema_version": "1"});
//! let answer = Answer::Result(payload);
//! let exchange =
//!     Exchange { operation: Operation::ActivationEvidence, params: None, answer: &answer, profile: None, companion: None };
//! let verdict = RulePack::activation().judge(&exchange);
//! assert!(!verdict.valid);
//! assert!(verdict.violations.iter().any(|violation| violation.rule == "AE-102" && violation.path == "/schema_version"));
//! ```
//!
//! Receipts and traces are judged by packs of their own; a trace may also be watched event by event ([`policy::Monitor`]):
//!
//! ```
//! use proofmark::policy::RulePack;
//!
//! let verdict = RulePack::receipt().judge_receipt(&serde_json::json!({"skill_id": "a", "resume_entry": "continue the previous skill"}));
//! assert!(verdict.violations.iter().any(|violation| violation.rule == "RR-107" && violation.path == "/resume_entry"));
//! ```
//!
//! # The rooms
//! [`contract`]: what the documents are · [`policy`]: rules over them · [`mod@reference`]: what a correct host says · [`case`]: what we ask ·
//! [`adapter`]: how we ask it · [`judge`]: expectation and rules against answers · [`schema`], [`json`], [`yaml`], [`verdict`]: what these
//! stand on · [`embedded`]: the suite and schemas of this version ·
//! [`dice`], [`digest`]: small tools.

pub mod adapter;
pub mod case;
pub mod contract;
pub mod dice;
pub mod digest;
pub mod embedded;
pub mod generate;
pub mod json;
pub mod judge;
pub mod policy;
pub mod reference;
pub mod schema;
pub mod verdict;
pub mod yaml;
