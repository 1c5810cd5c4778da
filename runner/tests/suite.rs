//! Every case is a test: against the reference in this process, and again over the protocol through the real binary.
//!
//! Under `cargo nextest` each test is a process of its own, so that `--exact` loads the one file that holds the case.

use std::collections::HashMap;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Arguments, Failed, Trial};
use proofmark::adapter::Implementation as _;
use proofmark::case::{Case, LoadOptions, Suite, SuiteFiles};
use proofmark::judge::{CaseResult, Judge, Outcome, run_in_process};
use proofmark::reference::Reference;
use proofmark_runner::client::{ClientOptions, Endpoint};
use proofmark_runner::run::{OverProtocol, Plan, RunSettings, hello, run_over_protocol};

const IN_PROCESS: &str = "reference";
const OVER_PROTOCOL: &str = "protocol";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let only = arguments.filter.as_deref().filter(|_| arguments.exact).map(|name| name.rsplit("::").next().unwrap_or(name).to_owned());
    let suite = match Suite::load(SuiteFiles::embedded(), LoadOptions { only: only.as_deref() }) {
        Ok(suite) => Arc::new(suite),
        Err(faults) => {
            eprintln!("the suite is invalid:");
            faults.iter().for_each(|fault| eprintln!("{fault}"));
            return ExitCode::FAILURE;
        }
    };
    let trials = trials(&suite);
    // libtest-mimic passes an empty or a doubled set without a word.
    let mut names: Vec<&str> = trials.iter().map(Trial::name).collect();
    names.sort_unstable();
    let doubled = names.windows(2).any(|pair| pair[0] == pair[1]);
    if doubled || (only.is_none() && trials.is_empty()) {
        eprintln!("the suite is empty, or two tests have one name");
        return ExitCode::FAILURE;
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trials(suite: &Arc<Suite>) -> Vec<Trial> {
    let protocol: Arc<OnceLock<HashMap<String, CaseResult>>> = Arc::default();
    let mut trials = Vec::new();
    for at in 0..suite.cases().len() {
        let id = suite.cases()[at].id.clone();
        let here = Arc::clone(suite);
        trials.push(Trial::test(format!("{IN_PROCESS}::{id}"), move || in_process(&here, &here.cases()[at])));
        let (here, results) = (Arc::clone(suite), Arc::clone(&protocol));
        trials.push(Trial::test(format!("{OVER_PROTOCOL}::{id}"), move || {
            // One run for all of them: the first that asks makes it.
            let results = results.get_or_init(|| over_protocol(&here));
            match results.get(&id) {
                Some(result) => verdict(&here.cases()[at], result),
                None => Err(Failed::from("the run over the protocol has no result for this case")),
            }
        }));
    }
    trials
}

fn in_process(suite: &Suite, case: &Case) -> Result<(), Failed> {
    let mut reference = Reference::new(profile(case));
    let declaration = reference.initialize(&hello(suite, "test".to_owned())).map_err(|error| error.message)?;
    let (result, _) = run_in_process(&Judge::new(suite, &declaration), &mut reference, case);
    verdict(case, &result)
}

/// The profile that the case is about, so that none is left out.
fn profile(case: &Case) -> proofmark::contract::rendering::RenderingProfile {
    let named = case.profile.as_deref().and_then(proofmark::embedded::rendering_profile);
    named.unwrap_or_else(proofmark::embedded::page_1)
}

fn over_protocol(suite: &Suite) -> HashMap<String, CaseResult> {
    let mut results = HashMap::new();
    for name in proofmark::embedded::rendering_profiles().keys() {
        let cases: Vec<&Case> = suite.cases().iter().filter(|case| case.profile.as_deref().unwrap_or("page-1") == name).collect();
        if cases.is_empty() {
            continue;
        }
        let options = OverProtocol {
            endpoint: Endpoint::Command(ClientOptions::new([env!("CARGO_BIN_EXE_proofmark"), "serve", "--rendering", name])),
            window: 64,
            jobs: 1,
            max_restarts: 0,
        };
        let report = run_over_protocol(suite, Plan::new(&cases), RunSettings::new(suite, cases.len()), &options, &mut ());
        for fault in &report.faults {
            eprintln!("adapter fault: {fault}");
        }
        let broken = !report.faults.is_empty();
        results.extend(report.results.into_iter().filter(|_| !broken).map(|result| (result.id.clone(), result)));
    }
    results
}

fn verdict(case: &Case, result: &CaseResult) -> Result<(), Failed> {
    if result.outcome == Outcome::Passed && result.findings.is_empty() {
        return Ok(());
    }
    let findings: Vec<String> = result
        .findings
        .iter()
        .map(|finding| {
            format!("  {:?} ({}) {}: expected {}, got {}", finding.source, finding.level, finding.path, finding.expected, finding.got)
        })
        .collect();
    let reason = result.reason.as_deref().unwrap_or("");
    Err(format!("{} at {}:{}\n{reason}\n{}", result.outcome, case.file, case.place.line, findings.join("\n")).into())
}
