//! From a journal to a certificate, or to the reason why there is none.

use std::collections::BTreeMap;

use proofmark::case::{Case, Profile, RequirementSet, Suite};
use proofmark::digest;
use proofmark::json::MAX_SAFE_INTEGER;
use proofmark::judge::{CaseResult, Judge, Outcome};
use proofmark::verdict::Level;

use super::GENERATED_PER_OPERATION;
use super::statement::{Configuration, DigestSet, PREDICATE_TYPE, Predicate, Proofmark, STATEMENT_TYPE, Statement, Subject};
use crate::journal::Journal;
use crate::run::{Generated, Plan, ProfileCount, ProfileResult, ProfileSettings, Summary, is_generated, with_generated};

/// What a certificate says about itself, behind how much was asked.
const SCOPE: [&str; 2] = [
    "What the protocol cannot see is beyond this: above all the prompt that was really sent to a model.",
    "The subject is named by what it declared about itself. Which program answered is vouched for by whoever signs this.",
];

/// What a certificate is issued against.
#[derive(Debug)]
pub struct Conditions<'a> {
    /// The published suite.
    pub suite: &'a Suite,
    /// The requirement set of that suite.
    pub set: &'a RequirementSet,
    /// The digest of the file of profiles.
    pub profiles_digest: String,
}

/// The seed that follows from a nonce.
#[must_use]
pub fn seed_of(nonce: &str) -> u64 {
    u64::from_str_radix(&digest::hex(nonce.as_bytes())[..16], 16).unwrap_or_default() & MAX_SAFE_INTEGER
}

/// The certificate that follows from a journal.
///
/// # Errors
/// Why none does, in words.
pub fn issue(journal: &Journal, conditions: &Conditions<'_>) -> Result<Statement, String> {
    journal.complete()?;
    let settings = &journal.settings;
    let Some(profile) = &settings.profile else { return Err("the run was about no profile".to_owned()) };
    if !settings.is_whole_profile() {
        return Err("the run was about a part of the profile".to_owned());
    }
    let is_certifying = settings.shuffled && settings.laws && settings.fail_on == Level::Must && !settings.allow_partial;
    if !is_certifying || settings.generated != Some(Generated { per_operation: GENERATED_PER_OPERATION }) {
        return Err("the run was none of `proofmark certify`".to_owned());
    }
    if settings.seed != seed_of(&settings.nonce) {
        return Err("the seed does not follow from the nonce".to_owned());
    }
    // What counts is what the set says, and not what the journal says of it.
    if *profile != ProfileSettings::of(&profile.name, conditions.suite, conditions.set)? {
        return Err(format!("what the report says of profile {} is not what the requirement set says", profile.name));
    }
    let Some(declaration) = &journal.declaration else { return Err("nobody answered".to_owned()) };
    let Some(known) = Profile::shipped().get(&profile.name) else { return Err(format!("there is no profile {:?}", profile.name)) };
    let extended = with_generated(conditions.suite, known, declaration, settings.seed, GENERATED_PER_OPERATION)
        .map_err(|fault| format!("the generated cases do not form a suite: {fault}"))?;
    let wanted: BTreeMap<&str, &Case> =
        extended.cases().iter().filter(|case| known.covers(case)).map(|case| (case.id.as_str(), case)).collect();
    let results = journal.results();
    let judge = Judge::new(&extended, declaration).with_laws(true).with_seed(settings.seed);
    for result in &results {
        match wanted.get(result.id.as_str()) {
            // Whether a case is asked at all follows from the declaration.
            Some(case) if is_of(result, case) && is_possible(&judge, case, result.outcome) => {}
            Some(_) => return Err(format!("the report says of case {} what the suite does not", result.id)),
            None => return Err(format!("case {} is not one of the profile", result.id)),
        }
    }
    if results.len() != wanted.len() {
        return Err(format!("the report has {} of {} cases", results.len(), wanted.len()));
    }
    let report = journal.report();
    let summary = Summary::of(&report);
    let verdict = summary.verdict(Level::Must);
    let counts = summary.profile.clone().ok_or("the run was about no profile")?;
    if !report.layout_has_room() {
        return Err("the declared layout has no room for a catalog at the default budget of 2000".to_owned());
    }
    let planned = Plan::new(&wanted.values().copied().collect::<Vec<_>>());
    if report.repeated > planned.cases.iter().filter(|planned| planned.repeat).count() {
        return Err("the report has more repeated requests than a run repeats".to_owned());
    }
    if counts.result != Some(ProfileResult::Success) {
        let result = counts.result.map_or("no result", ProfileResult::as_str);
        return Err(format!("the result is {result}: {}{}", verdict.head, verdict.rest));
    }
    let implementation = &declaration.implementation;
    let declared = serde_json::to_value(declaration).map_err(|error| error.to_string())?;
    let subject = |name: &str, digest: &str| Subject { name: name.to_owned(), digest: DigestSet::of(digest) };
    let mut subjects = vec![subject(&format!("{}@{}", implementation.name, implementation.version), &digest::of_value(&declared)?)];
    subjects.extend(settings.subjects.iter().map(|(name, digest)| subject(name, digest)));
    let configuration: Vec<Configuration> = vec![
        subject(&format!("suite {}", settings.suite.version), &settings.suite.digest),
        subject("profiles", &conditions.profiles_digest),
        subject(&format!("requirement set {}", profile.requirement_set), &profile.digest),
        subject("report", &journal.digest),
    ];
    let scope = std::iter::once(scope_of(&counts)).chain(SCOPE.map(str::to_owned)).collect();
    let warned = results.iter().filter(|result| result.outcome == Outcome::Failed && report.counts(result));
    let mut statement = Statement {
        statement_type: STATEMENT_TYPE.to_owned(),
        subject: subjects,
        predicate_type: PREDICATE_TYPE.to_owned(),
        predicate: Predicate {
            result: "PASSED".to_owned(),
            configuration,
            warned_tests: warned.map(|result| result.id.clone()).collect(),
            failed_tests: Vec::new(),
            proofmark: Proofmark {
                version: settings.proofmark.clone(),
                started: journal.started.clone(),
                profile: profile.name.clone(),
                result: ProfileResult::Success,
                nonce: settings.nonce.clone(),
                seed: settings.seed,
                generated: results.iter().filter(|result| is_generated(&result.id)).count(),
                counts,
                levels: summary.levels,
                repeated: report.repeated,
                scope,
                digest: String::new(),
            },
        },
    };
    statement.predicate.proofmark.digest = statement.own_digest();
    Ok(statement)
}

/// Whether a case may come to this outcome under the declaration.
fn is_possible<'s>(judge: &Judge<'s>, case: &'s Case, outcome: Outcome) -> bool {
    match judge.begin(case) {
        Err(settled) => settled.outcome == outcome,
        Ok(_) => outcome.is_judged() || outcome.is_fault() || outcome == Outcome::Unsupported,
    }
}

/// How much was asked, in a sentence.
fn scope_of(counts: &ProfileCount) -> String {
    let ProfileCount { in_set, claimed, .. } = counts;
    let cases = match in_set.saturating_sub(*claimed) {
        0 => format!("all {in_set} cases of the profile's requirement set"),
        rest => format!(
            "the {claimed} of {in_set} cases of the profile's requirement set that rest on operations it declared (the other {rest} rest on \
             optional ones)"
        ),
    };
    format!(
        "The implementation gave the required answers to {cases}, as far as they apply to the layout that it declared, and to cases that were \
         generated for this run alone, when it was asked through the adapter protocol."
    )
}

/// Whether a result is about this case, as the suite has it.
fn is_of(result: &CaseResult, case: &Case) -> bool {
    let bare = CaseResult::new(case, result.outcome, None);
    (&result.title, result.level, result.basis, &result.clause, &result.contract, &result.operations, &result.file, result.line)
        == (&bare.title, bare.level, bare.basis, &bare.clause, &bare.contract, &bare.operations, &bare.file, bare.line)
}
