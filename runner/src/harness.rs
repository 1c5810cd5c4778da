//! A host that certifies itself in its own `cargo test`: every case of a profile is a test, and so are cases that are generated anew each time.
//!
//! ```toml
//! # Cargo.toml
//! [dev-dependencies]
//! runner = "0.1"
//!
//! [[test]]
//! name = "conformance"
//! harness = false
//! ```
//! ```no_run
//! // tests/conformance.rs
//! # use proofmark::reference::Reference as MyHost;
//! fn main() -> std::process::ExitCode {
//!     # let host = MyHost::new(proofmark::embedded::page_1());
//!     proofmark_runner::harness::Harness::of("evidence-producer").test(host)
//! }
//! ```
//! `cargo test`, `cargo test -- NAME` and `cargo nextest run` work as with other tests. What is tested is the host in this process: for a
//! certificate, run `proofmark certify` against its adapter.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use libtest_mimic::{Arguments, Failed, Trial};
use proofmark::adapter::{Declaration, Implementation};
use proofmark::case::{Case, LoadOptions, Profile, Suite, SuiteFiles};
use proofmark::judge::{CaseResult, FindingSource, Judge, Outcome, run_in_process};
use proofmark::verdict::Level;

use crate::certificate::GENERATED_PER_OPERATION;
use crate::printable::shortened;
use crate::run::{fresh_seed, hello, with_generated};

/// The variable that repeats the generated cases of an earlier run.
pub const SEED_VARIABLE: &str = "PROOFMARK_SEED";
/// Findings of one case that are written out.
const MAX_FINDINGS: usize = 12;

/// What a host in this process is tested as.
#[derive(Debug, Clone)]
pub struct Harness {
    profile: String,
    fail_on: Level,
}

impl Harness {
    /// Tests of a profile; `proofmark profiles` lists them.
    #[must_use]
    pub fn of(profile: &str) -> Self {
        Self { profile: profile.to_owned(), fail_on: Level::Must }
    }

    /// The lowest level at which a failure is one; `must` where nothing else is said.
    #[must_use]
    pub fn fail_on(mut self, level: Level) -> Self {
        self.fail_on = level;
        self
    }

    /// Reads the command line as Rust's tests do, runs the tests, and says how to end.
    #[must_use]
    pub fn test<I: Implementation + Clone + Send + 'static>(self, host: I) -> ExitCode {
        let arguments = Arguments::from_args();
        let only = arguments.filter.as_deref().filter(|_| arguments.exact && arguments.skip.is_empty());
        match self.trials(host, only) {
            Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
            Err(why) => {
                eprintln!("{why}");
                ExitCode::FAILURE
            }
        }
    }

    /// The tests: `must::ID`, `should::ID` and `may::ID` for the published cases, and `generated::OPERATION` for each operation.
    ///
    /// # Errors
    /// Where there is no such profile, the host refuses `initialize`, or nothing would be judged; in words.
    pub fn trials<I: Implementation + Clone + Send + 'static>(self, mut host: I, only: Option<&str>) -> Result<Vec<Trial>, String> {
        let profile = Profile::shipped().get(&self.profile).ok_or_else(|| {
            let names: Vec<&str> = Profile::shipped().keys().map(String::as_str).collect();
            format!("there is no profile {:?}; there are {}", self.profile, names.join(", "))
        })?;
        // One process for each test is what nextest does; none of them needs more than its own case.
        let only = only.and_then(|name| name.split_once("::")).filter(|(kind, _)| *kind != "generated").map(|(_, id)| id);
        let suite = Suite::load(SuiteFiles::embedded(), LoadOptions { only }).map_err(|faults| faults[0].to_string())?;
        let declaration = host
            .initialize(&hello(&suite, crate::run::nonce()))
            .map_err(|error| format!("the host refuses `initialize`: {}", error.message))?;
        let suite = Arc::new(suite);
        let cases: Vec<&Case> = suite.cases().iter().filter(|case| profile.covers(case)).collect();
        let judge = Judge::new(&suite, &declaration);
        if !cases.iter().any(|case| judge.begin(case).is_ok()) {
            return Err(format!("the host declares nothing of profile {} that could be judged", self.profile));
        }
        let host = Arc::new(Mutex::new(host));
        let shared = Arc::new(Shared { suite: Arc::clone(&suite), declaration, fail_on: self.fail_on });
        let mut trials: Vec<Trial> = cases
            .iter()
            .map(|case| {
                let (host, shared, id) = (Arc::clone(&host), Arc::clone(&shared), case.id.clone());
                // For want of an optional operation nobody is blamed.
                let is_optional =
                    case.operations().iter().any(|name| profile.optional.contains(name) && !shared.declaration.operations.contains(name));
                let name = format!("{}::{id}", case.level);
                Trial::test(name, move || {
                    let case = shared.suite.case(&id).ok_or("the case is gone")?;
                    shared.judge(&shared.suite, case, &mut clone_of(&host), fresh_seed())
                })
                .with_ignored_flag(is_optional)
            })
            .collect();
        for operation in &profile.required {
            let (host, shared, operation) = (Arc::clone(&host), Arc::clone(&shared), operation.clone());
            trials
                .push(Trial::test(format!("generated::{operation}"), move || shared.generated(profile, &operation, &mut clone_of(&host))));
        }
        Ok(trials)
    }
}

/// A host of a test's own: it may be left in any state.
fn clone_of<I: Clone>(host: &Mutex<I>) -> I {
    host.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

struct Shared {
    suite: Arc<Suite>,
    declaration: Declaration,
    fail_on: Level,
}

impl Shared {
    fn judge(&self, suite: &Suite, case: &Case, host: &mut impl Implementation, seed: u64) -> Result<(), Failed> {
        let judge = Judge::new(suite, &self.declaration).with_seed(seed);
        let case = suite.case(&case.id).ok_or("the case is gone")?;
        let (result, _) = run_in_process(&judge, host, case);
        let fails = match result.outcome {
            Outcome::Passed | Outcome::NotApplicable => false,
            Outcome::Failed => result.failed_level() >= Some(self.fail_on),
            Outcome::Unsupported | Outcome::Skipped => result.level >= self.fail_on,
            Outcome::Errored | Outcome::TimedOut | Outcome::Crashed => true,
        };
        if fails { Err(in_words(&result, seed).into()) } else { Ok(()) }
    }

    /// Every generated case of an operation in one test: their names are not the same from seed to seed.
    fn generated(&self, profile: &Profile, operation: &str, host: &mut impl Implementation) -> Result<(), Failed> {
        if !self.declaration.operations.iter().any(|name| name == operation) {
            return Err(format!("{operation} is required and not declared").into());
        }
        let seed = match std::env::var(SEED_VARIABLE) {
            Ok(text) => text.parse().map_err(|_| format!("{SEED_VARIABLE}: {text:?} is no number"))?,
            Err(_) => fresh_seed(),
        };
        let extended = with_generated(&self.suite, profile, &self.declaration, seed, GENERATED_PER_OPERATION)
            .map_err(|fault| format!("a generated case is wrong (please report this): {fault}"))?;
        let is_asked = |case: &&Case| case.operations().iter().any(|name| name == operation);
        let cases: Vec<&Case> = extended.cases()[self.suite.cases().len()..].iter().filter(is_asked).collect();
        if cases.is_empty() {
            return Err(format!("no case was generated for {operation}").into());
        }
        for case in cases {
            self.judge(&extended, case, host, seed).map_err(|failed| {
                let message = failed.message().unwrap_or_default();
                Failed::from(format!("{message}\nagain with: {SEED_VARIABLE}={seed} cargo test 'generated::{operation}'"))
            })?;
        }
        Ok(())
    }
}

fn in_words(result: &CaseResult, seed: u64) -> String {
    let mut lines = vec![
        format!("{} {} ({})", result.outcome, result.id, result.level),
        format!("  {}", result.title),
        format!("  at {}:{}, clause {}, seed {seed}", result.file, result.line, result.clause),
    ];
    lines.extend(result.reason.as_ref().map(|reason| format!("  {}", shortened(reason, true))));
    for finding in result.findings.iter().take(MAX_FINDINGS) {
        let source = match &finding.source {
            FindingSource::Rule(rule) => rule.as_str(),
            FindingSource::Expectation | FindingSource::Protocol => "expected",
        };
        let path = if finding.path.is_empty() { "the answer" } else { &finding.path };
        lines.push(format!("  {source} ({}) {}", finding.level, shortened(path, false)));
        lines.push(format!("    expected {}", shortened(&finding.expected, false)));
        lines.push(format!("    got      {}", shortened(&finding.got, false)));
    }
    lines.join("\n")
}
