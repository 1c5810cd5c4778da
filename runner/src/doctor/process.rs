//! The process: it bears silence, company, another place, and ends when it should; and what it wrote meanwhile.

use std::path::Path;

use super::check::{Check, Complaint, Found, Section};
use super::exam::{Checking, Exam, Record, is_well};
use super::patient::Stray;
use super::texts::{TEXT, comes_back, text_echo};
use crate::client::{ClientOptions, Farewell, Stopping};
use proofmark::adapter::Answer;
use serde_json::Value;

pub(super) const SILENCE: Check = Check {
    id: "process.silence",
    title: "a few seconds of silence do not end it",
    means: "A runner that judges a large answer is silent for a while.",
    advice: "Wait for the next line without a time-out; the end of stdin is the sign to go.",
    section: Section::Doctor,
};
pub(super) const BESIDE: Check = Check {
    id: "process.beside",
    title: "two of it run side by side",
    means: "Runs of several people, or several children of one run, must not meet in a port, a lock or a file.",
    advice: "Use no fixed port, and files of its own for each process.",
    section: Section::Doctor,
};
pub(super) const LOCALE: Check = Check {
    id: "process.locale",
    title: "it answers alike in the plain locale C",
    means: "The environment of a run is a short list, and in CI it mostly has no locale.",
    advice: "Set the encoding of stdin and stdout to UTF-8 in the program, and read no setting from the locale.",
    section: Section::Faults,
};
pub(super) const ELSEWHERE: Check = Check {
    id: "process.elsewhere",
    title: "it runs from another directory",
    means: "Who reruns a case may stand somewhere else.",
    advice: "Find files from where the program lies, or give `--directory` in every run.",
    section: Section::Doctor,
};
pub(super) const STDIN: Check = Check {
    id: "process.stdin",
    title: "it ends when its stdin closes, without `shutdown`",
    means: "A runner that was killed says no goodbye, and must leave no process behind.",
    advice: "Let the program end when reading stdin comes to its end.",
    section: Section::Doctor,
};
pub(super) const SHUTDOWN: Check = Check {
    id: "process.shutdown",
    title: "`shutdown` is answered with null",
    means: "The answer says that everything before it was dealt with.",
    advice: "Answer `shutdown` with \"result\": null before the program ends, and flush.",
    section: Section::Conversation,
};
pub(super) const EXIT: Check = Check {
    id: "process.exit",
    title: "after `shutdown` it ends once its stdin is closed",
    means: "A child that stays is terminated, with its process group, and costs every run that time.",
    advice: "Let the program end after `shutdown`; stop threads and timers that hold it.",
    section: Section::Conversation,
};
pub(super) const AGAIN: Check = Check {
    id: "process.again",
    title: "it starts again after it was killed",
    means: "After a time-out or a crash the child is started anew, and the run goes on.",
    advice: "Let a start not depend on how the last process ended: no lock file that stays, no port that is still held.",
    section: Section::Faults,
};
pub(super) const ONCE: Check = Check {
    id: "stdout.once",
    title: "every request got one answer",
    means: "A second answer to a request is a protocol fault.",
    advice: "Look for a retry, or a callback that is called twice.",
    section: Section::Faults,
};
pub(super) const ONLY_ANSWERS: Check = Check {
    id: "stdout.only-answers",
    title: "stdout had nothing but answers",
    means: "A line that is no answer to an open request is a protocol fault, and the case in flight pays for it.",
    advice: "Print what is for people on stderr; look for stray prints, and for loggers that write to stdout.",
    section: Section::Faults,
};

pub(super) fn examine(exam: &mut Exam<'_>, record: &mut Record<'_>) {
    record.check(&SILENCE, || silence(exam));
    record.check(&BESIDE, || beside(exam));
    record.check(&LOCALE, || locale(exam));
    record.check(&ELSEWHERE, || elsewhere(exam));
    record.check(&STDIN, || stdin(exam));
    let mut farewell = None;
    record.check(&SHUTDOWN, || {
        farewell = Some(shutdown(exam)?);
        let Some(said) = &farewell else { return Ok(Found::Good(None)) };
        let is_null = matches!(&said.reply, Some(Ok(Answer::Result(Value::Null))));
        let complaint = || Complaint::new("shutdown, with {}", said.to_string(), "the result null");
        Ok(Found::bad_where((!is_null).then(complaint).into_iter().collect(), None))
    });
    record.check(&EXIT, || match &farewell {
        None => Ok(Found::Nothing("it was gone before".to_owned())),
        Some(farewell) => Ok(left(farewell, "shutdown, and the end of its stdin")),
    });
    // What follows asks nothing of it any more, but why it does not come back.
    record.is_over = false;
    record.check(&AGAIN, || again(exam));
    let strays = std::mem::take(&mut exam.patient.strays);
    let unheard = farewell.map_or(0, |farewell| farewell.strays);
    record.check(&ONCE, || Ok(Found::bad_where(lines(&strays, Stray::is_second_answer, "one answer to each request"), None)));
    record.check(&ONLY_ANSWERS, || {
        let mut bad = lines(&strays, |stray| !stray.is_second_answer(), "answers to open requests, and nothing else");
        if unheard > 0 {
            let came = format!("{unheard} lines that are not its answer");
            bad.push(Complaint::new("shutdown", came, "its answer, and nothing else"));
        }
        Ok(Found::bad_where(bad, None))
    });
}

fn silence(exam: &mut Exam<'_>) -> Checking {
    let silence = exam.silence;
    let after = format!("nothing for {silence:?}");
    exam.patient.be_silent(silence).map_err(|trouble| super::exam::ended(trouble, after.clone(), "a process that waits"))?;
    exam.is_well(&after)?;
    Ok(Found::Good(None))
}

fn beside(exam: &mut Exam<'_>) -> Checking {
    exam.is_well("a sign of life from the first")?;
    let options = exam.patient.options;
    let smallest = exam.smallest();
    let request = smallest.as_ref().map(|(request, _)| request);
    let mut other = exam.patient.another(options).map_err(|fault| {
        Found::Bad(vec![Complaint::new("a second start, while the first runs", fault.to_string(), "a declaration, as from the first")])
    })?;
    is_well(&mut other, request, "a second start, while the first runs")?;
    exam.is_well("a second start beside it")?;
    is_well(&mut other, request, "a request to the first")?;
    other.end();
    exam.patient.strays.append(&mut other.strays);
    exam.patient.said_lines += other.said_lines;
    Ok(Found::Good(None))
}

fn locale(exam: &mut Exam<'_>) -> Checking {
    let mut options = exam.patient.options.clone();
    // What the user gives stands; it is given in every run.
    let given = |name: &str| {
        let set = options.environment.iter().any(|(given, _)| given == name);
        set || options.pass_environment.iter().any(|given| given == name)
    };
    let plain: Vec<_> = ["LANG", "LC_ALL"].into_iter().filter(|name| !given(name)).map(|name| (name.into(), "C".into())).collect();
    options.environment.extend(plain);
    exam.patient.end();
    let how = "LANG=C LC_ALL=C in its environment";
    let mut other = exam
        .patient
        .another(&options)
        .map_err(|fault| Found::Bad(vec![Complaint::new(how, fault.to_string(), "a declaration, as in any other locale")]))?;
    let echo = if exam.keeps_texts { text_echo(exam, TEXT) } else { None };
    match echo {
        Some(echo) => comes_back(&mut other, &echo, TEXT)?,
        None => is_well(&mut other, exam.smallest().as_ref().map(|(request, _)| request), how)?,
    }
    other.end();
    exam.patient.strays.append(&mut other.strays);
    Ok(Found::Good(None))
}

/// What only fails here may well run where it is meant to: it is said, and held against nobody.
fn elsewhere(exam: &mut Exam<'_>) -> Checking {
    if exam.patient.options.directory.is_some() {
        return Ok(Found::Nothing("--directory says where it runs".to_owned()));
    }
    exam.patient.end();
    let place = std::env::temp_dir();
    let command = exam.patient.options.command.iter().enumerate().map(|(at, word)| {
        let path = Path::new(word);
        let is_file = path.is_relative() && path.exists() && (at > 0 || path.components().count() > 1);
        if is_file { std::path::absolute(path).map_or_else(|_| word.clone(), Into::into) } else { word.clone() }
    });
    let options = ClientOptions { command: command.collect(), directory: Some(place), ..exam.patient.options.clone() };
    let how = "a start in a directory for temporary files, with absolute paths in its command";
    let odd = |complaints: Vec<Complaint>| Found::Odd(complaints);
    let mut other = exam
        .patient
        .another(&options)
        .map_err(|fault| odd(vec![Complaint::new(how, fault.to_string(), "a declaration, as where it was started first")]))?;
    let request = exam.smallest();
    is_well(&mut other, request.as_ref().map(|(request, _)| request), how).map_err(|found| match found {
        Found::Bad(complaints) => odd(complaints),
        other => other,
    })?;
    other.end();
    Ok(Found::Good(None))
}

fn stdin(exam: &mut Exam<'_>) -> Checking {
    exam.is_well("a start")?;
    let Some(farewell) = exam.patient.hang_up() else { return Ok(Found::Nothing("it was gone before".to_owned())) };
    Ok(left(&farewell, "the end of its stdin, without `shutdown`"))
}

/// Whether it went by itself.
fn left(farewell: &Farewell, sent: &str) -> Found {
    let came = match farewell.stopping {
        Stopping::Left | Stopping::AlreadyGone | Stopping::NotOurs => return Found::Good(None),
        Stopping::Terminated => "a process that stayed, and ended only on a signal (SIGTERM)",
        Stopping::Killed => "a process that stayed, and had to be killed",
    };
    Found::Bad(vec![Complaint::new(sent, came, "a process that ends by itself, within 2 s")])
}

fn shutdown(exam: &mut Exam<'_>) -> Result<Farewell, Found> {
    exam.is_well("a start")?;
    exam.patient.shutdown().ok_or_else(|| Found::Nothing("it was gone before".to_owned()))
}

fn again(exam: &mut Exam<'_>) -> Checking {
    let started = exam.is_well("a start").and_then(|()| {
        exam.patient.kill();
        exam.is_well("a start after it was killed")
    });
    if let Some(fault) = &exam.patient.start_fault {
        return Err(Found::Bad(vec![Complaint::new("a start after its last process ended", fault.clone(), "a declaration, as at first")]));
    }
    started?;
    exam.patient.kill();
    Ok(Found::Good(None))
}

/// Lines out of place of one kind: the first of them, and how many there are.
fn lines(strays: &[Stray], is_one: impl Fn(&Stray) -> bool, expected: &str) -> Vec<Complaint> {
    let of_it: Vec<&Stray> = strays.iter().filter(|stray| is_one(stray)).collect();
    let Some(first) = of_it.first() else { return Vec::new() };
    let more = if of_it.len() > 1 { format!(" ({} lines like it)", of_it.len()) } else { String::new() };
    let came = format!("{}; it begins: {}{more}", first.fault, first.line);
    vec![Complaint::new(format!("{}, among others", first.asked), came, expected)]
}
