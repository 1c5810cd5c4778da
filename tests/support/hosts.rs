//! Wrong hosts in process: each case fails those that it names, and the reference passes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use proofmark::adapter::{Hello, Implementation};
use proofmark::case::{Case, Suite};
use proofmark::judge::{CaseResult, FindingSource, Judge, Outcome, run_in_process};
use proofmark::policy::RulePack;
use proofmark::reference::Reference;

pub(crate) static SUITE: LazyLock<Suite> = LazyLock::new(|| {
    Suite::embedded().unwrap_or_else(|faults| panic!("{}", faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")))
});

pub(crate) fn judged(host: &mut dyn Implementation, case: &'static Case, pack: Option<&RulePack>) -> CaseResult {
    let hello = Hello { protocol: vec![1], runner: Default::default(), suite: SUITE.info(), nonce: "0".into() };
    let declaration = host.initialize(&hello).expect("a host of this protocol");
    let judge = Judge::new(&SUITE, &declaration);
    match pack {
        Some(pack) => run_in_process(&judge.with_pack(pack), host, case).0,
        None => run_in_process(&judge, host, case).0,
    }
}

fn sources(result: &CaseResult) -> String {
    let name = |source: &FindingSource| match source {
        FindingSource::Rule(rule) => rule.clone(),
        FindingSource::Expectation => "own".to_owned(),
        FindingSource::Protocol => "protocol".to_owned(),
    };
    let binding = result.findings.iter().filter(|finding| finding.level >= result.level);
    binding.map(|finding| name(&finding.source)).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(" ")
}

pub(crate) fn reports(result: &CaseResult, rule: &str) -> bool {
    result.findings.iter().any(|finding| finding.source == FindingSource::Rule(rule.to_owned()))
}

pub(crate) fn assert_the_reference_passes(cases: impl Iterator<Item = &'static Case>, at_least: usize) {
    let mut host = Reference::default();
    let mut count = 0;
    let mut wrong = Vec::new();
    for case in cases {
        let result = judged(&mut host, case, None);
        if result.outcome != Outcome::Passed || !result.findings.is_empty() {
            wrong.push(format!("{} {}: {:?}", case.id, result.outcome, result.findings));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= at_least, "{count} cases");
}

/// Prints which case catches which host, and by what.
pub(crate) fn assert_cases_fail_their_hosts<H: Implementation>(cases: impl Iterator<Item = &'static Case>, build: impl Fn(&str) -> H) {
    let mut missed = Vec::new();
    let mut caught: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    for case in cases {
        for name in &case.catches {
            let result = judged(&mut build(name), case, None);
            if result.outcome == Outcome::Failed {
                let entry = caught.entry(name).or_insert_with(|| (0, format!("{} ({}) by {}", case.id, case.level, sources(&result))));
                entry.0 += 1;
            } else {
                missed.push(format!("{} does not fail {name}: {} {:?}", case.id, result.outcome, result.reason));
            }
        }
    }
    for (name, (count, first)) in &caught {
        println!("{name} | {count} | {first}");
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    assert!(!caught.is_empty(), "no case names a wrong host");
}
