//! The whole suite against each host, once for all tests.

use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use proofmark::adapter::{Declaration, Hello, Implementation as _, RunnerInfo};
use proofmark::case::{Case, Suite};
use proofmark::contract::activation;
use proofmark::contract::rendering::RenderingProfile;
use proofmark::embedded;
use proofmark::judge::{Exchanged, Finding, FindingSource, Judge, Outcome, run_in_process};
use proofmark::policy::RulePack;
use proofmark::verdict::Level;
use serde_json::Value;

use super::fault::Fault;
use super::host::Host;

pub(crate) static SUITE: LazyLock<Suite> = LazyLock::new(|| {
    Suite::embedded().unwrap_or_else(|faults| panic!("{}", faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")))
});

/// The cases of contract 1: what these hosts are about.
pub(crate) static CASES: LazyLock<Vec<&'static Case>> =
    LazyLock::new(|| SUITE.cases().iter().filter(|case| case.contract == activation::NAME).collect());

/// Every host, the one without a fault first.
pub(crate) static RUNS: LazyLock<Vec<HostRun>> = LazyLock::new(|| {
    let hosts: Vec<Option<Fault>> = std::iter::once(None).chain(Fault::ALL.iter().copied().map(Some)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut runs = Vec::new();
        while let Some(fault) = hosts.get(next.fetch_add(1, Ordering::Relaxed)) {
            runs.push((*fault, run(*fault, embedded::page_1(), fault.is_none())));
        }
        runs
    };
    let mut runs = thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker that does not panic")).collect::<Vec<_>>()
    });
    runs.sort_by_key(|(fault, _)| hosts.iter().position(|host| host == fault));
    runs.into_iter().map(|(_, run)| run).collect()
});

/// What the suite says of a host.
pub(crate) struct HostRun {
    pub(crate) fault: Option<Fault>,
    pub(crate) passed: usize,
    /// Every case that found something, failed or not.
    pub(crate) noted: Vec<Noted>,
    /// Cases that were neither passed nor failed nor not applicable.
    pub(crate) unjudged: Vec<String>,
    /// What did not come back the same when it was asked again (AE-600).
    pub(crate) repeats: Vec<Found>,
}

/// A case that found something.
#[derive(Clone)]
pub(crate) struct Noted {
    pub(crate) case: &'static Case,
    /// The level at which it failed, if it did.
    pub(crate) failed: Option<Level>,
    pub(crate) findings: Vec<Found>,
}

/// What there is to know of a finding.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// The rule, or `None` for the case's own expectation.
    pub(crate) rule: Option<String>,
    pub(crate) level: Level,
    pub(crate) clause: String,
    pub(crate) text: String,
}

impl HostRun {
    pub(crate) fn name(&self) -> &'static str {
        self.fault.map_or("no-fault", Fault::name)
    }

    pub(crate) fn failures(&self) -> impl Iterator<Item = &Noted> {
        self.noted.iter().filter(|noted| noted.failed.is_some())
    }

    /// Every rule that was reported.
    pub(crate) fn rules(&self) -> BTreeSet<&str> {
        let found = self.noted.iter().flat_map(|noted| &noted.findings).chain(&self.repeats);
        found.filter_map(|found| found.rule.as_deref()).collect()
    }
}

impl Noted {
    /// What found something: `own` for the case's own expectation, and rules.
    pub(crate) fn sources(&self) -> String {
        let all: BTreeSet<&str> = self.findings.iter().map(|found| found.rule.as_deref().unwrap_or("own")).collect();
        all.into_iter().collect::<Vec<_>>().join(" ")
    }

    /// Whether what the case itself expects did not hold, and not only a rule beside it.
    pub(crate) fn is_own(&self) -> bool {
        self.findings.iter().any(|found| found.rule.is_none() && found.level >= self.case.level)
    }

    /// Whether the case would have passed without a rule.
    pub(crate) fn rests_on(&self, rule: &str) -> bool {
        let binding = |found: &&Found| found.level >= self.case.level;
        self.failed.is_some() && self.findings.iter().filter(binding).all(|found| found.rule.as_deref() == Some(rule))
    }
}

fn found(finding: &Finding) -> Found {
    let rule = match &finding.source {
        FindingSource::Rule(rule) => Some(rule.clone()),
        FindingSource::Expectation => None,
        FindingSource::Protocol => Some("protocol".to_owned()),
    };
    let text = format!("{}: {}; {}", finding.path, finding.expected, finding.got);
    Found { rule, level: finding.level, clause: finding.clause.clone(), text }
}

fn declared(host: &mut Host) -> Declaration {
    let hello = Hello {
        protocol: vec![1],
        runner: RunnerInfo { name: "wrong-hosts".into(), version: "0".into() },
        suite: SUITE.info(),
        nonce: "0".into(),
    };
    host.initialize(&hello).expect("a host of this protocol")
}

/// One case against a fresh host, and its first request once more.
pub(crate) fn judge_alone(fault: Option<Fault>, profile: RenderingProfile, pack: &RulePack, case: &'static Case) -> Noted {
    let mut host = Host::new(fault, profile);
    let declaration = declared(&mut host);
    let judge = Judge::new(&SUITE, &declaration).with_pack(pack);
    let (result, exchanges) = run_in_process(&judge, &mut host, case);
    let mut findings: Vec<Found> = result.findings.iter().map(found).collect();
    findings.extend(exchanges.first().into_iter().flat_map(|first| again(&judge, &mut host, case, first)));
    Noted { case, failed: result.failed_level(), findings }
}

fn again(judge: &Judge<'_>, host: &mut Host, case: &Case, first: &Exchanged) -> Vec<Found> {
    let answer = host.call(first.operation, &first.params);
    judge.repeated(case, first, &answer).iter().map(found).collect()
}

/// Every case against a host of this layout.
pub(crate) fn run(fault: Option<Fault>, profile: RenderingProfile, with_huge: bool) -> HostRun {
    /// One case in so many is asked again in the end.
    const REPEATED: usize = 8;
    let mut host = Host::new(fault, profile);
    let judge = Judge::new(&SUITE, &declared(&mut host));
    let mut run = HostRun { fault, passed: 0, noted: Vec::new(), unjudged: Vec::new(), repeats: Vec::new() };
    let mut to_repeat = Vec::new();
    for (at, case) in CASES.iter().copied().enumerate() {
        let named = fault.is_some_and(|fault| case.catches.iter().any(|name| name == fault.name()));
        if is_huge(case) && !(named || with_huge) {
            continue;
        }
        let (result, mut exchanges) = run_in_process(&judge, &mut host, case);
        match result.outcome {
            Outcome::Passed => run.passed += 1,
            Outcome::Failed | Outcome::NotApplicable => {}
            outcome => run.unjudged.push(format!("{}: {outcome} {:?}", case.id, result.reason)),
        }
        if !result.findings.is_empty() {
            run.noted.push(Noted { case, failed: result.failed_level(), findings: result.findings.iter().map(found).collect() });
        }
        if at % REPEATED == 0 && !is_huge(case) && !exchanges.is_empty() {
            to_repeat.push((case, exchanges.swap_remove(0)));
        }
    }
    for (case, first) in &to_repeat {
        run.repeats.extend(again(&judge, &mut host, case, first));
    }
    run
}

/// Whether a case is about a thousand entries or more: run for the hosts that it names alone, to keep the test short.
fn is_huge(case: &Case) -> bool {
    fn most(value: &Value) -> u64 {
        match value {
            Value::Object(members) => {
                let own = members.get("$repeat").and_then(|repeat| repeat["count"].as_u64()).unwrap_or(0);
                members.values().map(most).fold(own, u64::max)
            }
            Value::Array(items) => items.iter().map(most).max().unwrap_or(0),
            _ => 0,
        }
    }
    case.file.ends_with("/scale.yaml") && case.steps.iter().map(|step| most(&step.given)).max() >= Some(1_000)
}
