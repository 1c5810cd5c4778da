//! Many requests: at once, again, and by the thousand.

use std::time::{Duration, Instant};

use proofmark::adapter::Answer;
use serde_json::Value;

use super::check::{Check, Complaint, Found, Section};
use super::exam::{Checking, Exam, Record, ended};
use super::patient::{described, shown};
use super::requests::{Request, same};

pub(super) const TWICE: Check = Check {
    id: "many.twice",
    title: "the same request gets the same answer twice",
    means: "Requests are independent of one another: an answer that depends on what came before is right by luck.",
    advice: "Keep nothing from one request to the next, but for the sessions of a running host.",
    section: Section::Doctor,
};
pub(super) const AT_ONCE: Check = Check {
    id: "many.at-once",
    title: "as many requests as it takes at once are all answered, each with its own answer",
    means: "A run keeps that many requests open; answers may come in any order, but each has to carry the id of its request.",
    advice: "Give every answer the id of its request, and share no state between requests; or declare a smaller max_in_flight.",
    section: Section::Conversation,
};
pub(super) const TINY: Check = Check {
    id: "many.tiny",
    title: "a thousand tiny requests are answered like the first",
    means: "The suite asks thousands of things; a host that wears out, or sleeps between two lines, shows it here.",
    advice: "Read lines as they come, flush each answer, and look for what grows or is counted from request to request.",
    section: Section::Doctor,
};

const TINY_REQUESTS: usize = 1_000;
/// A slow host is asked less, and its rate is just as well known.
const TINY_TIME: Duration = Duration::from_secs(5);

const NOTHING_ALONE: &str = "no operation that stands alone was answered";

/// Asked before all that compares answers: what does not repeat itself is compared with nothing.
pub(super) fn examine_twice(exam: &mut Exam<'_>, record: &mut Record<'_>) {
    record.check(&TWICE, || twice(exam));
}

pub(super) fn examine(exam: &mut Exam<'_>, record: &mut Record<'_>) {
    let mut window = exam.window();
    record.check(&AT_ONCE, || {
        let found = at_once(exam);
        if matches!(found, Ok(Found::Bad(_)) | Err(_)) {
            window = 1;
        }
        found
    });
    record.check(&TINY, || tiny(exam, window));
}

fn twice(exam: &mut Exam<'_>) -> Checking {
    let firsts: Vec<_> = exam.healthy.iter().filter_map(|(requests, answer)| Some((requests.first()?.clone(), answer.clone()))).collect();
    if firsts.is_empty() {
        return Ok(Found::Nothing(NOTHING_ALONE.to_owned()));
    }
    let mut bad = Vec::new();
    for (request, first) in firsts {
        let again = exam.ask(request.method(), &request.params, "the answer that it got before")?;
        if !same(exam.judge, &request, &first, &again) {
            let sent = format!("{}, for the second time", shown(request.method(), &request.params));
            bad.push(Complaint::new(sent, described(&again), format!("the answer of the first time: {}", described(&first))));
            exam.healthy.retain(|(requests, _)| requests.first().is_none_or(|it| it.operation != request.operation));
        }
    }
    Ok(Found::bad_where(bad, None))
}

/// Requests of all operations in turn, so that neighbours have different answers.
fn mixed<'a>(exam: &Exam<'a>) -> Vec<Request<'a>> {
    let longest = exam.healthy.iter().map(|(requests, _)| requests.len()).max().unwrap_or(0);
    (0..longest).flat_map(|at| exam.healthy.iter().filter_map(move |(requests, _)| requests.get(at).cloned())).collect()
}

fn at_once(exam: &mut Exam<'_>) -> Checking {
    let window = exam.window();
    if window == 1 {
        return Ok(Found::Nothing("it takes one request at a time (max_in_flight is 1)".to_owned()));
    }
    let mut requests = mixed(exam);
    requests.truncate(window);
    if requests.is_empty() {
        return Ok(Found::Nothing(NOTHING_ALONE.to_owned()));
    }
    let asked: Vec<(&str, &Value)> = requests.iter().map(|request| (request.method(), &*request.params)).collect();
    let sent = |at: usize, how: &str| {
        let (method, params) = asked.get(at).copied().unwrap_or(("", &Value::Null));
        format!("{}, {how}", shown(method, params))
    };
    let alone = exam.patient.ask_all(&asked, 1).map_err(|(at, trouble)| ended(trouble, sent(at, "alone"), "an answer"))?;
    let repeated: Vec<(&str, &Value)> = asked.iter().copied().cycle().take(window).collect();
    let among = format!("among {window} at once");
    let together = exam
        .patient
        .ask_all(&repeated, window)
        .map_err(|(at, trouble)| ended(trouble, sent(at % asked.len(), &among), "the answer that it gets alone"))?;
    let mut bad = Vec::new();
    for (at, answer) in together.iter().enumerate() {
        let own = at % requests.len();
        if same(exam.judge, &requests[own], &alone[own], answer) {
            continue;
        }
        let others = alone.iter().position(|other| other == answer);
        let whose = others.map_or_else(String::new, |other| format!(", which is the answer to {}", sent(other, "another of them")));
        bad.push(Complaint::new(
            sent(own, &among),
            format!("{}{whose}", described(answer)),
            format!("its answer alone: {}", described(&alone[own])),
        ));
    }
    // A host that mixes them up does so many times over, and three say as much.
    bad.truncate(3);
    Ok(Found::bad_where(bad, Some(format!("{window} at once"))))
}

fn tiny(exam: &mut Exam<'_>, window: usize) -> Checking {
    let Some((request, first)) = exam.smallest() else { return Ok(Found::Nothing(NOTHING_ALONE.to_owned())) };
    let chunk = vec![(request.method(), &*request.params); 100];
    let began = Instant::now();
    let mut count = 0;
    while count < TINY_REQUESTS && began.elapsed() < TINY_TIME {
        let answers: Vec<Answer> = exam.patient.ask_all(&chunk, window).map_err(|(at, trouble)| {
            let sent = format!("{}, for the {}th time", shown(request.method(), &request.params), count + at + 1);
            ended(trouble, sent, "the answer of the first time")
        })?;
        for (at, answer) in answers.iter().enumerate() {
            if !same(exam.judge, &request, &first, answer) {
                let sent = format!("{}, for the {}th time", shown(request.method(), &request.params), count + at + 1);
                let expected = format!("the answer of the first time: {}", described(&first));
                return Err(Found::Bad(vec![Complaint::new(sent, described(answer), expected)]));
            }
        }
        count += answers.len();
    }
    let rate = count as f64 / began.elapsed().as_secs_f64().max(1e-9);
    Ok(Found::Good(Some(format!("{count} of {}: {rate:.0} a second", request.method()))))
}
