//! The example adapters, which were written from the contract without a look at the reference, pass cases that nobody has seen: a generated
//! case that fails an honest host is a defect of the case.
//!
//! `PROOFMARK_SEEDS=200 cargo test -p runner --test generated` tries as many seeds.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, and clippy knows only the functions marked as tests")]

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use proofmark::adapter::Hello;
use proofmark::case::{Case, LoadOptions, Suite, SuiteFiles};
use proofmark::generate;
use proofmark::judge::Outcome;
use proofmark_runner::client::{Client, ClientOptions, Endpoint};
use proofmark_runner::run::{OverProtocol, Plan, RunSettings, hello, run_over_protocol};

/// An example adapter: how it is started, and how to ask whether it can be.
struct Adapter {
    main: &'static str,
    interpreter: &'static str,
    probe: &'static [&'static str],
}

const PYTHON: Adapter = Adapter {
    main: "examples/adapters/python/skill_host.py",
    interpreter: "python3",
    probe: &["-c", "import sys; sys.exit(sys.version_info < (3, 9))"],
};
const JAVASCRIPT: Adapter = Adapter {
    main: "examples/adapters/javascript/skill-host.mjs",
    interpreter: "node",
    probe: &["-e", "process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)"],
};

/// The embedded suite without its own cases, to be extended.
fn ground() -> Suite {
    Suite::load(SuiteFiles::embedded(), LoadOptions { only: Some("none.of-them") }).unwrap()
}

impl Adapter {
    fn client(&self) -> ClientOptions {
        let main = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(self.main).into_os_string();
        let mut client = ClientOptions::new([OsString::from(self.interpreter), main]);
        client.environment.push(("PYTHONDONTWRITEBYTECODE".into(), "1".into()));
        client.request_timeout = Duration::from_secs(300);
        client.start_timeout = Duration::from_secs(60);
        client.grace = Duration::from_secs(60);
        client
    }

    /// What the cases of so many seeds find, in words; none where the adapter passes them all without a remark.
    fn findings(&self, seeds: std::ops::Range<u64>, per_operation: usize) -> Vec<String> {
        let declaration = {
            let hello: Hello = hello(&ground(), "generated".to_owned());
            Client::start(&self.client(), &hello).unwrap().declaration().clone()
        };
        let mut found = Vec::new();
        for seed in seeds {
            let suite = ground().extended(generate::case_files(seed, &declaration, per_operation)).unwrap();
            let cases: Vec<&Case> = suite.cases().iter().collect();
            assert_eq!(cases.len(), per_operation * 12, "every operation is declared, and every number has its case");
            let endpoint = Endpoint::Command(self.client());
            let options = OverProtocol { endpoint, window: 64, jobs: 1, max_restarts: 0 };
            let settings = RunSettings { seed, ..RunSettings::new(&suite, cases.len()) };
            let report = run_over_protocol(&suite, Plan::new(&cases), settings, &options, &mut ());
            assert_eq!(report.faults, Vec::<String>::new());
            let wrong = report.results.iter().filter(|result| result.outcome != Outcome::Passed || !result.findings.is_empty());
            found.extend(wrong.map(|result| format!("seed {seed}: {result:#?}")));
        }
        found
    }

    fn passes_what_nobody_has_seen(&self) {
        if !Command::new(self.interpreter).args(self.probe).output().is_ok_and(|probe| probe.status.success()) {
            eprintln!("skipped: `{}` is not here, or is too old", self.interpreter);
            return;
        }
        let seeds = std::env::var("PROOFMARK_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(3);
        let found = self.findings(0..seeds, 40);
        assert!(found.is_empty(), "{} findings\n{}", found.len(), found.join("\n"));
    }
}

#[test]
fn the_python_host_passes_what_nobody_has_seen() {
    PYTHON.passes_what_nobody_has_seen();
}

#[test]
fn the_javascript_host_passes_what_nobody_has_seen() {
    JAVASCRIPT.passes_what_nobody_has_seen();
}
