//! Readers of what comes from outside: they read or refuse, and never panic.

use proofmark::adapter::{Received, Server, Session};
use proofmark::case::{LoadOptions, Suite};
use proofmark::policy::RulePack;
use proofmark::reference::Reference;
use proofmark::schema::Schema;
use proofmark::{embedded, json, yaml};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::json;

use crate::generate::odd;
use crate::{config, suite_with};

/// Pieces that mean something to one of the readers.
const SYNTAX: [&str; 44] = [
    "{",
    "}",
    "[",
    "]",
    ":",
    ": ",
    ",",
    "\"",
    "'",
    "\\",
    "\n",
    "\n  ",
    "\t",
    "- ",
    "? ",
    "|",
    ">",
    "#",
    "&a ",
    "*a",
    "!t ",
    "!!str ",
    "%",
    "---\n",
    "...\n",
    "<<: ",
    "$",
    "${i}",
    "null",
    "true",
    "-",
    "0",
    "1e999",
    "9007199254740993",
    ".nan",
    "~",
    "\0",
    "\u{feff}",
    "\u{85}",
    "\\ud800",
    "🚀",
    "$any",
    "$fits",
    "/",
];

/// A text with a few random edits: something cut out, something put in.
fn mutated(seeds: Vec<String>) -> impl Strategy<Value = String> {
    let piece = prop_oneof![3 => select(SYNTAX.to_vec()).prop_map(str::to_owned), 1 => "\\PC{0,5}"];
    let edit = (any::<Index>(), 0..30_usize, piece, any::<Index>());
    (select(seeds), prop::collection::vec(edit, 0..6)).prop_map(|(seed, edits)| {
        let mut text: Vec<char> = seed.chars().collect();
        for (at, removed, piece, from) in edits {
            let start = at.index(text.len() + 1);
            let end = (start + removed).min(text.len());
            // Now and then a part of the text itself, in another place.
            let copied: Vec<char> = if removed % 3 == 0 && !text.is_empty() {
                let from = from.index(text.len());
                text[from..(from + removed * 2).min(text.len())].to_vec()
            } else {
                piece.chars().collect()
            };
            text.splice(start..end, copied);
        }
        text.into_iter().collect()
    })
}

fn bytes_of(text: String) -> impl Strategy<Value = Vec<u8>> {
    prop::option::weighted(0.3, (any::<Index>(), any::<u8>())).prop_map(move |flip| {
        let mut bytes = text.clone().into_bytes();
        if let (Some((at, byte)), false) = (flip, bytes.is_empty()) {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes
    })
}

fn shipped(ending: &str) -> Vec<(String, String)> {
    let files = embedded::FILES.iter().filter(|(name, _)| name.ends_with(ending));
    files.filter_map(|(name, bytes)| Some(((*name).to_owned(), String::from_utf8(bytes.to_vec()).ok()?))).collect()
}

/// The line behind the last one, by everything that some YAML version calls a line break.
fn last_line(text: &str) -> usize {
    text.matches(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).count() + 2
}

fn small_documents() -> Vec<String> {
    vec![
        "a: &x [1, {b: *x}]\n".to_owned(),
        "cases:\n  - id: a.b\n    given: {x: [1, 2.5, null]}\n    text: |\n      one\n      two\n".to_owned(),
        "{\"a\": [1, -2.5e3, true, null, \"\\u00e9\\n\"], \"b\": {\"c\": {}}}".to_owned(),
        "- - 'it''s'\n  - \"x\\ty\"\n- ? k\n  : v\n".to_owned(),
    ]
}

proptest! {
    #![proptest_config(config(1024))]

    #[test]
    fn yaml_and_json_readers_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), text in mutated(small_documents())) {
        for text in [String::from_utf8_lossy(&bytes).into_owned(), text] {
            if let Err(error) = yaml::parse(&text) {
                prop_assert!((1..=last_line(&text)).contains(&error.place.line) && error.place.column > 0, "{error} of {text:?}");
            }
            if let Ok(value) = json::parse(&text) {
                prop_assert!(json::equal(&value, &json::parse(&value.to_string()).unwrap()));
            }
        }
    }

    #[test]
    fn a_session_never_panics_and_credits_no_answer_twice(
        line in mutated(vec![
            r#"{"jsonrpc":"2.0","id":1,"result":{"a":[1,2]}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"m","data":{}}}"#.to_owned(),
            r#"{"id":3,"jsonrpc":"2.0","result":{"error":{"category":"c"},"event":null}}"#.to_owned(),
        ])
        .prop_flat_map(bytes_of),
    ) {
        let mut session = Session::new();
        for _ in 0..3 {
            session.request("activation.read", &json!({}), &mut Vec::new()).unwrap();
        }
        let first = session.receive(&line);
        prop_assert_eq!(session.open(), if matches!(first, Received::Answer(..) | Received::Fault(Some(_), _)) { 2 } else { 3 });
        let second = session.receive(&line);
        prop_assert!(matches!(second, Received::Fault(None, _)), "{first:?} and then {second:?}");
    }

    #[test]
    fn a_server_answers_every_line_with_one_response(
        lines in prop::collection::vec(
            mutated(vec![
                r#"{"jsonrpc":"2.0","id":"h","method":"initialize","params":{"protocol":[1],"runner":{"name":"r","version":"1"},"suite":{"version":"1","digest":"d"},"nonce":"n"}}"#.to_owned(),
                r#"{"jsonrpc":"2.0","id":1,"method":"activation.evidence","params":{"registry":{"_type":"skill_registry","skills":[{"name":"a"}]},"options":{"budget":300}}}"#.to_owned(),
                r#"{"jsonrpc":"2.0","id":2,"method":"activation.load","params":{"registry":{"_type":"skill_registry","skills":[{"name":"a"}]},"id":"a"}}"#.to_owned(),
                r#"{"jsonrpc":"2.0","id":3,"method":"registry.merge","params":{"layers":[{"label":"user","skills":[{"name":"a"}]}]}}"#.to_owned(),
                r#"{"jsonrpc":"2.0","id":4,"method":"shutdown","params":{}}"#.to_owned(),
            ])
            .prop_flat_map(bytes_of),
            1..6,
        ),
    ) {
        let mut server = Server::new(Reference::default());
        for line in lines {
            let reply = server.handle(&line);
            prop_assert!(!reply.line.contains('\n'));
            let reply = json::parse(&reply.line).unwrap();
            prop_assert_eq!(reply["jsonrpc"].clone(), json!("2.0"));
            prop_assert!(reply.get("result").is_some() != reply.get("error").is_some());
        }
    }
}

proptest! {
    #![proptest_config(config(128))]

    #[test]
    fn a_mutated_schema_compiles_or_is_refused(
        text in mutated(shipped(".schema.json").into_iter().map(|(_, text)| text).collect()),
        document in odd(),
    ) {
        if let Ok(schema) = json::parse(&text)
            && let Ok(schema) = Schema::compile(&schema)
        {
            prop_assert_eq!(schema.accepts(&document), schema.violations(&document).is_empty());
        }
    }

    #[test]
    fn any_value_is_a_schema_or_is_refused(keyword in select(vec!["type", "$ref", "pattern", "items", "allOf", "if", "const", "minimum", "format", "$defs"]), value in odd()) {
        let _ = Schema::compile(&json!({keyword: value}));
        let _ = Schema::compile(&value);
    }

    #[test]
    fn a_mutated_rule_pack_is_read_or_refused(
        text in mutated(shipped(".yaml").into_iter().filter(|(name, _)| name.contains("/rules/")).map(|(_, text)| text).collect()),
    ) {
        let _ = RulePack::read(&text);
    }
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn a_mutated_case_file_loads_or_has_faults_at_places_of_its_own(
        text in mutated(shipped(".yaml").into_iter().filter(|(name, _)| name.starts_with("spec-cases/skill_activation_evidence/")).map(|(_, text)| text).collect()),
    ) {
        // Fixtures are left out, so that cases which name one have a fault.
        match Suite::load(suite_with(&text), LoadOptions::default()) {
            Ok(suite) => prop_assert!(!suite.cases().is_empty()),
            Err(faults) => {
                prop_assert!(!faults.is_empty());
                let lines = last_line(&text);
                for fault in faults {
                    prop_assert!(fault.file.ends_with("/a.yaml"), "{fault}");
                    prop_assert!((1..=lines).contains(&fault.place.line) && fault.place.column > 0 && !fault.message.is_empty(), "{fault}");
                }
            }
        }
    }
}
