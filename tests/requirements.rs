//! Coverage: every statement of the source document that binds is tested by a case or a rule, or says why nothing can test it.

use std::collections::BTreeMap;

use proofmark::case::{Requirement, Suite};
use proofmark::policy::RulePack;
use proofmark::verdict::Level;

/// What tests one requirement.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tested {
    cases: Vec<String>,
    rules: Vec<String>,
}

/// Who names a requirement: an id and the clause.
type Named<'a> = (&'a str, &'a str);

/// Requirements joined with the cases and rules that name them, and everything that is wrong with the join.
fn join(requirements: &[Requirement], cases: &[Named<'_>], rules: &[Named<'_>]) -> (BTreeMap<String, Tested>, Vec<String>) {
    let mut table: BTreeMap<String, Tested> = BTreeMap::new();
    let mut faults = Vec::new();
    for requirement in requirements {
        if table.insert(requirement.id.clone(), Tested::default()).is_some() {
            faults.push(format!("{} stands there twice", requirement.id));
        }
    }
    for (kind, named) in [("case", cases), ("rule", rules)] {
        for (id, clause) in named {
            match table.get_mut(*clause) {
                None => faults.push(format!("{kind} {id} names {clause}, which no requirement is")),
                Some(tested) => if kind == "case" { &mut tested.cases } else { &mut tested.rules }.push((*id).to_owned()),
            }
        }
    }
    for requirement in requirements {
        let tested = &table[&requirement.id];
        let is_tested = !tested.cases.is_empty() || !tested.rules.is_empty();
        match &requirement.untestable {
            None if !is_tested && requirement.level == Level::Must => {
                faults.push(format!("{} is a must that nothing tests", requirement.id))
            }
            Some(_) if is_tested => faults.push(format!("{} is said to be untestable, and is tested", requirement.id)),
            Some(reason) if reason.trim().is_empty() => faults.push(format!("{} does not say why it is untestable", requirement.id)),
            _ => {}
        }
    }
    (table, faults)
}

#[test]
fn every_must_is_tested_or_says_why_it_can_not_be() {
    let suite = Suite::embedded().unwrap_or_else(|faults| panic!("{faults:#?}"));
    let cases: Vec<Named<'_>> = suite.cases().iter().map(|case| (case.id.as_str(), case.clause.as_str())).collect();
    let rules: Vec<Named<'_>> =
        RulePack::shipped().iter().flat_map(RulePack::rules).map(|rule| (rule.id.as_str(), rule.clause.as_str())).collect();
    let (table, faults) = join(&suite.requirements, &cases, &rules);
    println!("{:<36} {:<7} {:>5}  rules", "requirement", "level", "cases");
    for requirement in &suite.requirements {
        let tested = &table[&requirement.id];
        let rules = match &requirement.untestable {
            Some(reason) => format!("untestable: {reason}"),
            None => tested.rules.join(" "),
        };
        println!("{:<36} {:<7} {:>5}  {rules}", requirement.id, requirement.level, tested.cases.len());
    }
    println!("{} requirements, {} cases, {} rules", suite.requirements.len(), cases.len(), rules.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn what_binds_has_a_case_of_its_own_beside_any_rule() {
    // A rule speaks of whatever comes back; only a case brings about the situation that the statement is about.
    let suite = Suite::embedded().unwrap_or_else(|faults| panic!("{faults:#?}"));
    for requirement in suite.requirements.iter().filter(|it| it.level == Level::Must && it.untestable.is_none()) {
        assert!(suite.cases().iter().any(|case| case.clause == requirement.id), "{} has no case", requirement.id);
    }
}

#[test]
fn a_gap_in_the_coverage_is_found() {
    let requirement = |id: &str, level: Level, untestable: Option<&str>| Requirement {
        id: id.to_owned(),
        level,
        section: "s".to_owned(),
        text: "t".to_owned(),
        untestable: untestable.map(str::to_owned),
    };
    let requirements = [
        requirement("a#by-case", Level::Must, None),
        requirement("a#by-rule", Level::Must, None),
        requirement("a#gap", Level::Must, None),
        requirement("a#may-stay-open", Level::Should, None),
        requirement("a#nobody-can", Level::Must, Some("It can't be seen.")),
        requirement("a#somebody-can", Level::Must, Some("It can't be seen.")),
        requirement("a#no-reason", Level::May, Some(" ")),
        requirement("a#by-case", Level::Must, None),
    ];
    let (table, faults) = join(
        &requirements,
        &[("one", "a#by-case"), ("two", "a#unknown"), ("three", "a#somebody-can")],
        &[("AE-1", "a#by-rule"), ("AE-2", "b#none")],
    );
    assert_eq!(table["a#by-case"], Tested { cases: vec!["one".to_owned()], rules: Vec::new() });
    assert_eq!(
        faults,
        [
            "a#by-case stands there twice",
            "case two names a#unknown, which no requirement is",
            "rule AE-2 names b#none, which no requirement is",
            "a#gap is a must that nothing tests",
            "a#somebody-can is said to be untestable, and is tested",
            "a#no-reason does not say why it is untestable",
        ]
    );
}
