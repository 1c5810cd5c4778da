//! What goes through unharmed: texts of every script, large numbers, long lines.

use proofmark::adapter::{Answer, Operation};
use proofmark::{embedded, json};
use serde_json::{Value, json};

use super::check::{Check, Complaint, Found, Section};
use super::exam::{Checking, Exam, Record, ask};
use super::patient::{Patient, described, shown};

pub(super) const UNICODE: Check = Check {
    id: "texts.unicode",
    title: "texts of every script come back as they were sent",
    means: "Skills are written in every script. A text that is changed on its way is measured, shown and cited wrongly.",
    advice: "Read stdin and write stdout as UTF-8, whatever the locale says; neither normalise texts nor cut them at line separators.",
    section: Section::Conversation,
};
pub(super) const NUMBERS: Check = Check {
    id: "texts.numbers",
    title: "whole numbers up to 2^53 - 1 come back as they were sent",
    means: "Numbers that go through a smaller type are other numbers afterwards.",
    advice: "Read numbers as 64-bit integers or doubles, and write whole ones without rounding.",
    section: Section::Doctor,
};
pub(super) const REQUESTS: Check = Check {
    id: "sizes.request",
    title: "a request of 1 MiB and one of 8 MiB are answered",
    means: "The suite holds registries of many thousand skills, each as one line.",
    advice: "Read whole lines, however long, and not a buffer of fixed size.",
    section: Section::Faults,
};
pub(super) const ANSWERS: Check = Check {
    id: "sizes.answer",
    title: "answers of 1 MiB and of 8 MiB come whole",
    means: "The answer to a large request is large, and up to 16 MiB are read.",
    advice: "Write until everything is written: one call may write a part; write the line end last, and flush.",
    section: Section::Faults,
};

/// Latin with composed and combining marks, CJK, right to left, emoji of one scalar and of many, scalars outside the BMP, line separators
/// that JSON does not escape, a byte order mark, and what JSON must escape.
pub(super) const TEXT: &str = "start é e\u{301} ß ﬁ 技能説明 한국어 עברית 🚀 👩\u{200d}👩\u{200d}👧 𝒳 \u{20000} a\u{2028}b\u{2029}c\u{85}d \u{feff}e \
                               \"quoted\" \\back\\slash /slash tab\tline\nreturn\r\u{1}\u{7f} end";

/// 2^53 - 1 and its neighbours on both sides of what smaller types hold.
const WHOLE: [u64; 4] = [9_007_199_254_740_991, 9_007_199_254_740_990, 4_294_967_297, 16_777_217];

const MIB: usize = 1024 * 1024;

/// A request in whose answer something that was sent comes back, and where.
pub(super) struct Echo {
    pub(super) operation: Operation,
    pub(super) params: Value,
    pub(super) pointer: &'static str,
}

/// An echo of a text, by the first operation that was answered and gives one back verbatim.
pub(super) fn text_echo(exam: &Exam<'_>, text: &str) -> Option<Echo> {
    let profile = exam.declaration.rendering.unwrap_or_else(embedded::page_1);
    let registry = |entry: Value| json!({"_type": "skill_registry", "skills": [entry]});
    [Operation::ActivationLoad, Operation::PacketProject, Operation::RegistryMerge, Operation::PacketRender]
        .into_iter()
        .find(|operation| exam.healthy(*operation).is_some())
        .map(|operation| match operation {
            Operation::ActivationLoad => Echo {
                operation,
                params: json!({"registry": registry(json!({"name": "echo", "description": "Says it again", "body": text})),
                    "id": "echo", "profile": profile}),
                pointer: "/body",
            },
            Operation::PacketProject => Echo {
                operation,
                params: json!({"packet": {"result": {"compact_summary": text}}}),
                pointer: "/projection/packet/result/compact_summary",
            },
            Operation::RegistryMerge => Echo {
                operation,
                params: json!({"layers": [{"label": "user", "skills": [{"name": "echo", "body": text}]}]}),
                pointer: "/registry/skills/0/body",
            },
            _ => Echo {
                operation,
                params: json!({"packet": {"result": {"compact_summary": text}}, "depth": "guided"}),
                pointer: "/view/packet/result/compact_summary",
            },
        })
}

const NO_ECHO: &str = "no operation was answered that gives a text back: activation.load, packet.project, registry.merge, packet.render";

pub(super) fn examine(exam: &mut Exam<'_>, record: &mut Record<'_>) {
    record.check(&UNICODE, || {
        let Some(echo) = text_echo(exam, TEXT) else { return Ok(Found::Nothing(NO_ECHO.to_owned())) };
        comes_back(&mut exam.patient, &echo, TEXT)?;
        exam.keeps_texts = true;
        Ok(Found::Good(Some(format!("through {}", echo.operation))))
    });
    record.check(&NUMBERS, || numbers(exam));
    let mut takes_large = false;
    record.check(&REQUESTS, || {
        let found = large_requests(exam)?;
        takes_large = matches!(found, Found::Good(_));
        Ok(found)
    });
    record.check(&ANSWERS, || {
        if !takes_large {
            return Ok(Found::Nothing("a large answer takes a large request".to_owned()));
        }
        large_answers(exam)
    });
}

/// Whether a text comes back, and where it does not.
pub(super) fn comes_back(patient: &mut Patient<'_>, echo: &Echo, text: &str) -> Result<(), Found> {
    let method = echo.operation.name();
    let expected = format!("the same text at {}", echo.pointer);
    let answer = ask(patient, method, &echo.params, &expected)?;
    let came = match &answer {
        Answer::Result(result) => result.pointer(echo.pointer),
        _ => None,
    };
    let bad = |came: String, expected: String| Err(Found::Bad(vec![Complaint::new(shown(method, &echo.params), came, expected)]));
    match came.and_then(Value::as_str) {
        Some(came) if came == text => Ok(()),
        Some(came) => {
            let (came, wanted) = difference(came, text);
            bad(format!("a text that differs: {came}"), format!("{expected}: {wanted}"))
        }
        None => bad(described(&answer), expected),
    }
}

/// Both texts from where they part, with code points: what differs may look alike.
fn difference(came: &str, sent: &str) -> (String, String) {
    let at = came.chars().zip(sent.chars()).take_while(|(came, sent)| came == sent).count();
    let from = |text: &str| {
        let points: Vec<String> = text.chars().skip(at).take(6).map(|c| format!("U+{:04X}", u32::from(c))).collect();
        if points.is_empty() { "its end".to_owned() } else { points.join(" ") }
    };
    let length = |text: &str| text.chars().count();
    (format!("{} at character {at}, {} in all", from(came), length(came)), format!("{} there, {} in all", from(sent), length(sent)))
}

/// An echo of a number, by the first operation that was answered and gives one back.
fn number_echo(exam: &Exam<'_>, number: u64) -> Option<Echo> {
    let profile = exam.declaration.rendering.unwrap_or_else(embedded::page_1);
    [Operation::PacketProject, Operation::ActivationEvidence, Operation::RegistryMerge]
        .into_iter()
        .find(|operation| exam.healthy(*operation).is_some())
        .map(|operation| match operation {
            Operation::PacketProject => {
                let metric = json!({"value": number, "unit": "bytes", "provenance": "reported"});
                let params = json!({"packet": {"metrics": {"raw_output_size": metric}}});
                Echo { operation, params, pointer: "/projection/packet/metrics/raw_output_size/value" }
            }
            Operation::ActivationEvidence => {
                let registry = json!({"_type": "skill_registry", "skills": []});
                let params = json!({"registry": registry, "options": {"budget": number}, "profile": profile});
                Echo { operation, params, pointer: "/budget_chars" }
            }
            _ => {
                let params = json!({"layers": [{"label": "user", "skills": [{"name": "a", "score": number}]}]});
                Echo { operation, params, pointer: "/registry/skills/0/score" }
            }
        })
}

fn numbers(exam: &mut Exam<'_>) -> Checking {
    let mut bad = Vec::new();
    let mut through = None;
    for number in WHOLE {
        let Some(Echo { operation, params, pointer }) = number_echo(exam, number) else {
            let reason = "no operation was answered that gives a number back: packet.project, activation.evidence, registry.merge";
            return Ok(Found::Nothing(reason.to_owned()));
        };
        through = Some(operation);
        let expected = format!("{number} at {pointer}");
        let answer = exam.ask(operation.name(), &params, &expected)?;
        let came = match &answer {
            Answer::Result(result) => result.pointer(pointer),
            _ => None,
        };
        if !came.is_some_and(|came| json::equal(came, &json!(number))) {
            let came = came.map_or_else(|| described(&answer), |came| format!("{} there", json::excerpt(came, 80)));
            bad.push(Complaint::new(shown(operation.name(), &params), came, expected));
        }
    }
    Ok(Found::bad_where(bad, through.map(|operation| format!("through {operation}"))))
}

/// A text of words, so that nothing makes it short.
fn long(bytes: usize) -> String {
    let mut text: String = (0..bytes / 8).map(|at| format!("{:06x} \n", at % 0xff_ffff)).collect();
    text.push_str("end");
    text
}

/// A large request whose answer is small, for the operation that the smallest request is of.
fn large_requests(exam: &mut Exam<'_>) -> Checking {
    let Some((request, plain)) = exam.smallest() else {
        return Ok(Found::Nothing("no operation that stands alone was answered".to_owned()));
    };
    for bytes in [MIB, 8 * MIB] {
        // Where a body of that size is no part of the answer, it stands in the middle of what the host has to read; else it comes first.
        let (operation, params) = match exam.healthy(Operation::ActivationLoad) {
            Some(_) => {
                let skills = json!([{"name": "large", "body": long(bytes)}, {"name": "small", "body": "Small."}]);
                let profile = exam.declaration.rendering.unwrap_or_else(embedded::page_1);
                (
                    Operation::ActivationLoad,
                    json!({"registry": {"_type": "skill_registry", "skills": skills}, "id": "small", "profile": profile}),
                )
            }
            None => {
                let mut params = (*request.params).clone();
                params["_meta"] = json!({"padding": long(bytes)});
                (request.operation, params)
            }
        };
        let sent = format!("{operation} with {} MiB of params", bytes / MIB);
        let answer =
            exam.patient.ask(operation.name(), &params).map_err(|trouble| super::exam::ended(trouble, sent.clone(), "an answer"))?;
        let is_good = match operation {
            Operation::ActivationLoad => matches!(&answer, Answer::Result(result) if result["body"] == json!("Small.")),
            _ => super::requests::same(exam.judge, &request, &plain, &answer),
        };
        if !is_good {
            let expected = if operation == Operation::ActivationLoad { "the body \"Small.\"".to_owned() } else { described(&plain) };
            return Err(Found::Bad(vec![Complaint::new(sent, described(&answer), expected)]));
        }
    }
    Ok(Found::Good(None))
}

fn large_answers(exam: &mut Exam<'_>) -> Checking {
    for bytes in [MIB, 8 * MIB] {
        let text = long(bytes);
        // A rendered view shows the text twice, and would outgrow a line.
        let Some(echo) = text_echo(exam, &text).filter(|echo| echo.operation != Operation::PacketRender) else {
            return Ok(Found::Nothing(NO_ECHO.to_owned()));
        };
        comes_back(&mut exam.patient, &echo, &text)?;
    }
    Ok(Found::Good(None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_look_alike_are_told_apart() {
        let (came, wanted) = difference("a é", "a e\u{301}");
        assert_eq!(came, "U+00E9 at character 2, 3 in all");
        assert_eq!(wanted, "U+0065 U+0301 there, 4 in all");
        assert_eq!(difference("ab", "a").1, "its end there, 1 in all");
    }

    #[test]
    fn a_long_text_is_as_long_as_it_says() {
        assert!((MIB..MIB + 16).contains(&long(MIB).len()));
    }
}
