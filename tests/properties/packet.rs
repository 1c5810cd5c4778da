//! Contract 3 for every input: what is written is read again, no depth hides what matters, nothing is made up.

use proofmark::contract::packet::{DEPTHS, MediaType, has_field, read, to_markdown, to_yaml};
use proofmark::policy::RulePack;
use proofmark::reference::{project, render};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde_json::{Map, Value, json};

use super::config;

/// Any text that a packet may hold, traps of YAML and Markdown among them.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "\\PC{0,40}",
        1 => "[\\t\\n\\r\\x20-\\x7e]{0,40}",
        2 => prop::sample::select(vec![
            "no", "yes", "~", "null", "0.1", "007", "1e3", "0x1F", "2026-06-27", "- a", "# b", "a: b", "```", "---", "...", "&x", "*x", "!t", "<<", "", " ", "'", "\"", "\\", "{", "[", "|", ">", "%", "@", "`", "é", "中文", "\u{85}", "\u{2028}", "\u{feff}",
        ]).prop_map(str::to_owned),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-1_000_000_i64..1_000_000).prop_map(Value::from),
        (-1e6..1e6_f64).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-zA-Z_. -]{1,8}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// A packet whose parts are right, wrong, or not there.
fn packet() -> impl Strategy<Value = Value> {
    let outcome = prop::sample::select(vec![json!("usable"), json!("partial"), json!("failed"), json!("unknown"), json!(7), Value::Null]);
    let signal =
        prop::sample::select(vec![json!("continue"), json!("escalate"), json!("stop"), json!("unavailable"), json!([]), Value::Null]);
    (outcome, signal, prop::collection::vec(prop::option::weighted(0.7, value()), 12)).prop_map(|(outcome, signal, parts)| {
        let mut packet = json!({"observation_id": "o-1", "result": {"outcome": outcome}, "handoff": {"signal": signal}});
        let places = [
            "version",
            "work_slice_id",
            "skill",
            "evidence_used",
            "risks",
            "recovery",
            "metrics",
            "source_refs",
            "extra",
            "result/compact_summary",
            "handoff/reason",
            "skill/modules_used",
        ];
        for (place, part) in places.into_iter().zip(parts) {
            let Some(part) = part else { continue };
            match place.split_once('/') {
                None => packet[place] = part,
                Some((section, key)) => {
                    if packet.get(section).is_none() {
                        packet[section] = json!({});
                    }
                    if packet[section].is_object() {
                        packet[section][key] = part;
                    }
                }
            }
        }
        packet
    })
}

fn pointers(value: &Value, here: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            members.iter().for_each(|(key, member)| pointers(member, &proofmark::json::pointer_push(here, key), found));
        }
        _ => found.push(here.to_owned()),
    }
}

proptest! {
    #![proptest_config(config(192))]

    #[test]
    fn a_packet_is_the_same_in_three_forms(packet in packet()) {
        let forms = [(packet.to_string(), MediaType::Json), (to_yaml(&packet), MediaType::Yaml), (to_markdown(&packet), MediaType::Markdown)];
        let verdict = RulePack::packet().judge_packet(&packet, None);
        for (document, media_type) in forms {
            let read = read(&document, media_type).unwrap_or_else(|error| panic!("{media_type:?}: {error}\n{document}"));
            prop_assert!(proofmark::json::equal(&read.packet, &packet), "{media_type:?}\n{document}\n{:#}", read.packet);
            let (again, _) = RulePack::packet().judge_packet_text(&document, media_type, None);
            prop_assert_eq!(&again, &verdict);
        }
    }

    #[test]
    fn no_depth_hides_what_matters_or_makes_anything_up(packet in packet()) {
        let views: Vec<Value> = DEPTHS.iter().map(|depth| render(&packet, &json!(depth)).unwrap().0).collect();
        for view in &views {
            for (pointer, word) in [("/result/outcome", "failed"), ("/handoff/signal", "escalate"), ("/handoff/signal", "stop")] {
                if packet.pointer(pointer) == Some(&json!(word)) {
                    prop_assert_eq!(view["packet"].pointer(pointer), Some(&json!(word)), "{}", view["depth"]);
                }
            }
            let mut held = Vec::new();
            pointers(&view["packet"], "", &mut held);
            for pointer in held.iter().filter(|pointer| !pointer.is_empty()) {
                prop_assert_eq!(view["packet"].pointer(pointer), packet.pointer(pointer), "{}", pointer);
            }
            for missing in view["missing"].as_array().unwrap() {
                prop_assert!(!has_field(&packet, missing.as_str().unwrap()));
            }
        }
        for pair in views.windows(2) {
            let mut shallow = Vec::new();
            pointers(&pair[0]["packet"], "", &mut shallow);
            for pointer in shallow {
                prop_assert_eq!(pair[0]["packet"].pointer(&pointer), pair[1]["packet"].pointer(&pointer), "{}", pointer);
            }
        }
    }

    #[test]
    fn a_projection_holds_nothing_that_the_packet_does_not(packet in packet()) {
        let projection = project(&packet).unwrap();
        prop_assert_eq!(&projection["read_only"], &json!(true));
        let mut held = Vec::new();
        pointers(&projection["packet"], "", &mut held);
        for pointer in held.iter().filter(|pointer| !pointer.is_empty() && !pointer.starts_with("/evidence_used")) {
            prop_assert_eq!(projection["packet"].pointer(pointer), packet.pointer(pointer), "{}", pointer);
        }
        for missing in projection["missing"].as_array().unwrap() {
            prop_assert!(!has_field(&packet, missing.as_str().unwrap()) && !has_field(&projection["packet"], missing.as_str().unwrap()));
        }
    }

    #[test]
    fn a_document_of_anything_gets_a_verdict(document in "[-#`~:\\[\\]{}a-z0-9_ .\"'\n>*+|]{0,200}", prefix in prop::sample::select(vec!["", "---\nobservation_id: o\n---\n", "```yaml\nobservation_id: o\n```\n", "- observation_id: o\n\n## Skill\n"])) {
        for media_type in [MediaType::Json, MediaType::Yaml, MediaType::Markdown] {
            let text = format!("{prefix}{document}");
            let (verdict, read) = RulePack::packet().judge_packet_text(&text, media_type, None);
            prop_assert_eq!(read.is_none(), verdict.violations.iter().any(|violation| violation.rule == "EP-100"));
            for at in verdict.violations.iter().filter_map(|violation| violation.at) {
                prop_assert!(at.line >= 1 && at.line <= text.lines().count() + 1, "{at:?}");
            }
        }
    }
}

/// What a reader of Markdown, with every extension on, makes of a view: the texts; `Err` with the first thing that is more than the
/// headings, lists and strong words of the view itself.
fn seen(view: &str) -> Result<String, String> {
    let mut seen = String::new();
    for event in Parser::new_ext(view, Options::all().difference(Options::ENABLE_SMART_PUNCTUATION)) {
        match event {
            Event::Start(Tag::Heading { .. } | Tag::Paragraph | Tag::List(None) | Tag::Item | Tag::Strong) => {}
            Event::End(TagEnd::Strong) => {}
            Event::End(_) => seen.push('\n'),
            Event::Text(text) => seen.push_str(&text),
            other => return Err(format!("{other:?}")),
        }
    }
    Ok(seen)
}

#[track_caller]
fn assert_is_no_markup(text: &str) {
    let packet = json!({
        "observation_id": text, "result": {"outcome": "failed", "compact_summary": text}, "handoff": {"signal": "stop", "reason": text},
        "risks": [text, "after"], "source_refs": [text], "evidence_used": [], "metrics": {"m": text},
    });
    let plain = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, view) = render(&packet, &json!("engineer")).unwrap();
    let seen = seen(&view).unwrap_or_else(|what| panic!("{text:?} became {what} in\n{view}"));
    for wanted in [format!("Reason: {plain}\n"), format!("Summary: {plain}\n"), format!("risks\n{plain}\nafter\n"), format!("m: {plain}\n")]
    {
        // The end of a line loses its blanks.
        assert!(seen.contains(wanted.trim()), "{text:?}: {wanted:?} is not in {seen:?}");
    }
}

#[test]
fn a_text_is_no_markup_wherever_it_stands() {
    for text in [
        "~~~ gone",
        "~~gone~~",
        "```",
        "---",
        "- - -",
        "***",
        "1. one",
        "12) two",
        "+ a",
        "- a",
        "[ ] todo",
        "[x] done",
        "# head",
        "> quote",
        "===",
        "| a | b |",
        "<b>",
        "<!-- hidden",
        "&lt;",
        "&amp; a",
        "http://a.example <b>",
        "[a](b)",
        "![a](b)",
        "[^1]: note",
        "[^1]",
        "$x$",
        "$$x$$",
        "^a^",
        "{#id}",
        ": def",
        "a\\",
        "\\",
        "*a* _b_ `c`",
        "[[wiki]]",
        "+++",
        "-",
        "+",
        "1.",
        "0)",
        "    code",
        "[a]: /url",
        "a  \nb",
        "\u{a0}1. x",
        "::: tip",
    ] {
        assert_is_no_markup(text);
    }
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn no_text_is_markup(text in "[-+*_=~`#>|\\[\\]()<>!&$^:;.{}\\\\ 0-9a-z]{1,24}") {
        prop_assume!(!text.trim().is_empty());
        assert_is_no_markup(&text);
    }
}
