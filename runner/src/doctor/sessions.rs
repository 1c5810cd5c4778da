//! A running host: worlds are played to their end, sessions stay apart, and one that nobody opened is known to be none.

use proofmark::adapter::{Answer, LIFECYCLE_RUN, Operation};
use proofmark::case::Case;
use proofmark::json;
use proofmark::judge::{Call, CaseRun, FindingSource};
use serde_json::{Value, json};

use super::answers::ANSWERS;
use super::check::{Check, Complaint, Found, Section};
use super::exam::{Checking, Exam, Record};
use super::patient::{described, shown};
use super::requests::{doings, runs};

pub(super) const APART: Check = Check {
    id: "sessions.apart",
    title: "two sessions that are played in turn go as each goes alone",
    means: "Sessions are independent, and several are open at once in a run.",
    advice: "Keep everything that a session knows under its name, and give each session a name of its own.",
    section: Section::Traces,
};
pub(super) const UNKNOWN: Check = Check {
    id: "sessions.unknown",
    title: "a session that nobody opened, or that was closed, gets a refusal or an error",
    means: "A host that plays on without a session tells of a world that nobody played.",
    advice: "Refuse a session that is not open with {\"error\": {\"category\": \"invalid_scenario\"}}.",
    section: Section::Traces,
};

const NOT_DECLARED: &str = "it does not declare lifecycle.run";

/// A world that is being played.
struct Playing<'j> {
    run: CaseRun<'j>,
    calls: Vec<Call>,
    /// What the host did, answer by answer.
    doings: Vec<Vec<Value>>,
    /// The name of the session, once it has one.
    session: Option<Value>,
}

impl<'j> Playing<'j> {
    fn of(exam: &Exam<'j>, case: &'j Case) -> Result<Self, Found> {
        let nothing = |reason: Option<String>| Found::Nothing(reason.unwrap_or_else(|| NOT_DECLARED.to_owned()));
        let mut run = exam.judge.begin(case).map_err(|result| nothing(result.reason))?;
        let calls = run.start();
        Ok(Self { run, calls, doings: Vec::new(), session: None })
    }

    fn is_over(&self) -> bool {
        self.calls.is_empty()
    }

    /// Makes the next call.
    fn go_on(&mut self, exam: &mut Exam<'_>) -> Result<(), Found> {
        let Some(call) = self.calls.pop() else { return Ok(()) };
        let method = call.operation.name();
        let expected = form(call.operation);
        let answer = exam.ask(method, &call.params, expected)?;
        let bad = |came: String| Err(Found::Bad(vec![Complaint::new(shown(method, &call.params), came, expected)]));
        match &answer {
            Answer::Result(result) if call.operation == Operation::LifecycleOpen => self.session = result.get("session").cloned(),
            Answer::Result(_) => {}
            other => return bad(described(other)),
        }
        if call.operation == Operation::LifecycleStep {
            self.doings.push(doings(&answer));
        }
        let came = described(&answer);
        self.calls.extend(self.run.answered(call.key, answer));
        if self.calls.is_empty() && call.operation != Operation::LifecycleClose {
            // The run broke off: the judge found the answer to be none of a running host.
            return bad(came);
        }
        Ok(())
    }

    /// Whether the answer to the last call had the form of its operation.
    fn end(self) -> Result<(Vec<Vec<Value>>, Option<Value>), Found> {
        let (result, _) = self.run.finish();
        match result.findings.into_iter().find(|finding| finding.source == FindingSource::Protocol) {
            Some(finding) => Err(Found::Bad(vec![Complaint::new("the last request of a session", finding.got, finding.expected)])),
            None => Ok((self.doings, self.session)),
        }
    }
}

fn form(operation: Operation) -> &'static str {
    match operation {
        Operation::LifecycleOpen => "{session}, with a text",
        Operation::LifecycleClose => "{}",
        _ => "{events}, with a list",
    }
}

/// Plays one world to its end.
fn alone<'j>(exam: &mut Exam<'j>, case: &'j Case) -> Result<(Vec<Vec<Value>>, Option<Value>), Found> {
    let mut playing = Playing::of(exam, case)?;
    while !playing.is_over() {
        playing.go_on(exam)?;
    }
    playing.end()
}

/// The answers of a running host, beside those of the operations that stand alone.
pub(super) fn examine_answers(exam: &mut Exam<'_>, record: &mut Record<'_>) {
    if !exam.declaration.supports(Operation::LifecycleOpen) {
        return;
    }
    record.check_of(&ANSWERS, Some(LIFECYCLE_RUN), || {
        let Some(case) = runs(exam.suite).first().copied() else { return Ok(Found::Nothing("the suite has no run".to_owned())) };
        let (doings, _) = alone(exam, case)?;
        exam.plays = true;
        Ok(Found::Good(Some(format!("a world of {} events", doings.len()))))
    });
}

pub(super) fn examine(exam: &mut Exam<'_>, record: &mut Record<'_>) {
    record.check(&APART, || {
        let found = apart(exam);
        if !matches!(found, Ok(Found::Good(_))) {
            // Sessions that were left open are no concern of the next check.
            exam.patient.end();
        }
        found
    });
    record.check(&UNKNOWN, || unknown(exam));
}

fn can_play(exam: &Exam<'_>) -> Result<(), Found> {
    match (exam.declaration.supports(Operation::LifecycleOpen), exam.plays) {
        (false, _) => Err(Found::Nothing(NOT_DECLARED.to_owned())),
        (true, false) => Err(Found::Nothing("no world could be played to its end".to_owned())),
        (true, true) => Ok(()),
    }
}

fn apart(exam: &mut Exam<'_>) -> Checking {
    can_play(exam)?;
    let [first, second] = runs(exam.suite)[..] else { return Ok(Found::Nothing("the suite has no two runs".to_owned())) };
    let wanted = [alone(exam, first)?.0, alone(exam, second)?.0];
    let mut playing = [Playing::of(exam, first)?, Playing::of(exam, second)?];
    while playing.iter().any(|it| !it.is_over()) {
        for one in &mut playing {
            one.go_on(exam)?;
        }
        if let [Some(one), Some(other)] = [&playing[0].session, &playing[1].session]
            && one == other
        {
            let came = format!("the session {} for both", json::excerpt(one, 80));
            return Err(Found::Bad(vec![Complaint::new("lifecycle.open twice, before either was closed", came, "a name for each")]));
        }
    }
    let mut bad = Vec::new();
    for (wanted, playing) in wanted.into_iter().zip(playing) {
        let (came, _) = playing.end()?;
        if let Some(at) = wanted.iter().zip(&came).position(|(wanted, came)| wanted != came) {
            let text = |events: &[Value]| json::excerpt(&json!(events), 300);
            let sent = format!("event {} of a world, beside another session", at + 1);
            let names = "[type, skill_id, file, origin, hash, profile] of its events";
            bad.push(Complaint::new(sent, text(&came[at]), format!("what it does alone, {names}: {}", text(&wanted[at]))));
        }
    }
    Ok(Found::bad_where(bad, None))
}

fn unknown(exam: &mut Exam<'_>) -> Checking {
    can_play(exam)?;
    let [first, ..] = runs(exam.suite)[..] else { return Ok(Found::Nothing("the suite has no run".to_owned())) };
    let (_, closed) = alone(exam, first)?;
    let event = json!({"type": "turn.started", "turn": 1});
    let never = json!("a session that nobody opened");
    let mut bad = Vec::new();
    let sessions = [(never, "a session that nobody opened"), (closed.unwrap_or_default(), "a session that was closed")];
    for (session, what) in sessions {
        for (operation, params) in [
            (Operation::LifecycleStep, json!({"session": session, "event": event})),
            (Operation::LifecycleClose, json!({"session": session})),
        ] {
            let expected = "a refusal, invalid_scenario";
            let answer = exam.ask(operation.name(), &params, expected)?;
            if matches!(answer, Answer::Result(_) | Answer::Unsupported) {
                bad.push(Complaint::new(format!("{}: {what}", shown(operation.name(), &params)), described(&answer), expected));
            }
        }
    }
    Ok(Found::bad_where(bad, None))
}
