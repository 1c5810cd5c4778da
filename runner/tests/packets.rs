//! `proofmark check` and `proofmark render` on packets: three forms, places, surfaces, and real documents.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, and clippy knows only the functions marked as tests")]

use std::fs;
use std::path::{Path, PathBuf};

use proofmark::contract::packet::{to_markdown, to_yaml};
use proofmark::policy::RulePack;
use serde_json::{Value, json};

#[path = "support/binary.rs"]
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod binary;
#[path = "support/files.rs"]
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod files;

use binary::{run, run_with_input};
use files::{repository, scratch};

/// A packet that breaks nothing, as the rule pack has it.
fn packet() -> Value {
    let pack = RulePack::packet();
    pack.example_value(&pack.rules()[0].pass[0]).unwrap()["packet"].take()
}

fn written(directory: &Path, name: &str, text: &str) -> String {
    let path = directory.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A document that stands beside the checkout; a clone without it skips what is about it.
fn shared(name: &str) -> Option<String> {
    let path: PathBuf = repository("..").join("shared/real/documents").join(name);
    if path.exists() {
        return Some(path.to_str().unwrap().to_owned());
    }
    eprintln!("skipped: {} is not here", path.display());
    None
}

fn headed(packet: &Value) -> String {
    let mut text = "# Return\n\n".to_owned();
    for key in ["version", "observation_id", "work_slice_id"] {
        text += &format!("- {key}: {}\n", packet[key]);
    }
    for (key, value) in packet.as_object().unwrap() {
        match value {
            Value::Object(members) => {
                text += &format!("\n## {}\n\n", key.replace('_', " "));
                members.iter().for_each(|(name, member)| text += &format!("- {name}: {member}\n"));
            }
            Value::Array(items) => {
                text += &format!("\n## {}\n\n", key.replace('_', " "));
                items.iter().for_each(|item| text += &format!("- {item}\n"));
            }
            _ => {}
        }
    }
    text
}

#[test]
fn one_fault_is_found_in_every_form_at_its_place() {
    let directory = scratch("packet-forms");
    let mut bad = packet();
    bad["result"]["outcome"] = json!("success");
    for (name, good, bad, place) in [
        ("json", packet().to_string(), bad.to_string(), ""),
        ("yaml", to_yaml(&packet()), to_yaml(&bad), " (line "),
        ("md", to_markdown(&packet()), to_markdown(&bad), " (line "),
        ("markdown", headed(&packet()), headed(&bad), " (line "),
    ] {
        let file = written(&directory, &format!("good.{name}"), &good);
        let said = run(["check", &file]).ends_with(0);
        assert!(said.out.starts_with(&format!("{file}: valid\n")), "{}", said.out);
        assert!(said.out.contains("not judged from this alone: EP-107 (--surface"), "{}", said.out);
        let file = written(&directory, &format!("bad.{name}"), &bad);
        let said = run(["check", &file]).ends_with(1);
        let line = said
            .out
            .lines()
            .find(|line| line.contains("EP-103 (must) /result/outcome"))
            .unwrap_or_else(|| panic!("{}", said.out))
            .to_owned();
        assert!(line.contains(place), "{line}");
        // The place is the line on which the word stands.
        if let Some(number) = line.split("(line ").nth(1).and_then(|rest| rest.split(',').next()) {
            let number: usize = number.parse().unwrap();
            assert!(bad.lines().nth(number - 1).unwrap().contains("success"), "{name}: {line}");
        }
    }
}

#[test]
fn what_can_not_be_read_as_a_packet_breaks_a_rule_at_its_line() {
    let directory = scratch("packet-unreadable");
    let none = written(&directory, "none.md", "# Only prose\n\nobservation_id: o-1\n");
    let said = run(["check", &none]).ends_with(1);
    assert!(said.out.contains("EP-100 (must) the document no packet is there"), "{}", said.out);
    let two = written(&directory, "two.md", &format!("{}{}", to_markdown(&packet()), to_markdown(&packet())));
    let said = run(["check", &two]).ends_with(1);
    assert!(said.out.contains("more than one packet is there, at the lines 3, "), "{}", said.out);
    let alias = written(&directory, "alias.yaml", "observation_id: &a o-1\nwork_slice_id: *a\n");
    let said = run(["check", &alias]).ends_with(1);
    assert!(said.out.contains("EP-100 (must) the document (line 1, column 17) an anchor"), "{}", said.out);
    let row = run(["check", &alias, "--format", "json"]).ends_with(1).json();
    assert_eq!(row["verdict"]["violations"][0]["at"], json!({"line": 1, "column": 17}));
    let said = run_with_input("[1]", ["check", "-", "--contract", "evidence_return_packet"]).ends_with(1);
    assert!(said.out.contains("EP-100"), "{}", said.out);
}

#[test]
fn a_surface_says_what_a_pointer_may_lead_to() {
    let directory = scratch("packet-surface");
    let file = written(&directory, "packet.yaml", &to_yaml(&packet()));
    let surface = |text: &str| written(&directory, "surface.yaml", text);
    run(["check", &file, "--surface", &surface("{refs: [], prefixes: [records/]}")]).ends_with(0);
    let said = run(["check", &file, "--surface", &surface("{refs: [records/other.md], prefixes: [record/]}")]).ends_with(1);
    assert!(said.out.contains("EP-107 (must) /recovery/pointer"), "{}", said.out);
    run(["check", &file, "--surface", &surface("{refs: records}")]).refuses(2, &["--surface", "surface.refs"]);
}

#[test]
fn real_documents_are_judged_as_they_should_be() {
    if let Some(example) = shared("packet-feature-planning.yaml") {
        let row = run(["check", &example, "--format", "json"]).ends_with(0).json();
        assert_eq!(row["verdict"], json!({"valid": true, "violations": [], "not_judged": ["EP-107"]}));
    }
    let Some(template) = shared("packet-template.yaml") else { return };
    let row = run(["check", &template, "--format", "json"]).ends_with(1).json();
    let text = fs::read_to_string(&template).unwrap();
    let packet = proofmark::yaml::parse(&text).unwrap().value;
    for violation in row["verdict"]["violations"].as_array().unwrap() {
        let value = packet.pointer(violation["path"].as_str().unwrap()).unwrap();
        assert!(value.as_str().unwrap().starts_with('<'), "{violation} is about no placeholder");
        assert!(["EP-102", "EP-103", "EP-106"].contains(&violation["rule"].as_str().unwrap()), "{violation}");
    }
}

#[test]
fn a_packet_is_rendered_at_three_depths_and_hides_nothing() {
    let directory = scratch("packet-render");
    let mut failed = packet();
    failed["result"]["outcome"] = json!("failed");
    failed["handoff"]["signal"] = json!("escalate");
    failed["handoff"]["reason"] = json!("Nobody\u{1b}[2J could be *asked*.\n# Not a heading");
    let file = written(&directory, "packet.json", &failed.to_string());
    for depth in ["guided", "practitioner", "engineer"] {
        let said = run(["render", &file, "--depth", depth]).ends_with(0);
        assert!(said.out.contains("- **Outcome**: failed\n- **Signal**: escalate\n"), "{}", said.out);
        assert!(!said.out.contains('\u{1b}') && !said.out.contains("\n# Not"), "{}", said.out);
        let view = run(["render", &file, "--depth", depth, "--format", "json"]).ends_with(0).json();
        assert_eq!((&view["depth"], &view["packet"]["result"]["outcome"], &view["missing"]), (&json!(depth), &json!("failed"), &json!([])));
        assert_eq!(view["packet"].get("metrics").is_some(), depth == "engineer");
    }
    let projection = run(["render", &file, "--project"]).ends_with(0).json();
    assert_eq!((&projection["read_only"], &projection["missing"]), (&json!(true), &json!([])));
    run(["render", &file, "--depth", "deepest"]).refuses(2, &["deepest", "guided"]);
    run(["render", &written(&directory, "list.json", "[1]")]).refuses(2, &["list.json", "not a mapping"]);
}

#[test]
fn a_packet_goes_from_form_to_form_and_comes_back_the_same() {
    let directory = scratch("packet-trip");
    let mut file = written(&directory, "start.json", &packet().to_string());
    for (form, ending) in [("yaml", "yaml"), ("markdown", "md"), ("json", "json"), ("markdown", "md"), ("yaml", "yaml"), ("json", "json")] {
        let said = run(["render", &file, "--to", form]).ends_with(0);
        file = written(&directory, &format!("next.{ending}"), &said.out);
        run(["check", &file]).ends_with(0);
    }
    assert_eq!(serde_json::from_str::<Value>(&fs::read_to_string(&file).unwrap()).unwrap(), packet());
}

#[test]
fn what_no_reader_sees_goes_from_form_to_form_too() {
    let directory = scratch("packet-unseen");
    let mut unseen = packet();
    unseen["risks"] = json!([
        "family \u{1f468}\u{200d}\u{1f469}",
        "\u{645}\u{6cc}\u{200c}",
        "a\u{2028}b\u{85}c\rd\u{feff}",
        "soft\u{ad}hyphen \"x\" \\u{200b}"
    ]);
    unseen["a\u{200b}b"] = json!(1);
    unseen["a\\u{200b}b"] = json!(2);
    let start = written(&directory, "start.json", &unseen.to_string());
    let json = run(["check", &start]).ends_with(0).out.replace("start.json", "");
    for (form, ending) in [("yaml", "yaml"), ("markdown", "md"), ("json", "json")] {
        let said = run(["render", &start, "--to", form]).ends_with(0);
        assert_eq!(said.out.chars().find(|c| *c != '\n' && proofmark::yaml::is_unseen(*c)), None, "{}", said.out);
        let file = written(&directory, &format!("next.{ending}"), &said.out);
        let back = run(["render", &file, "--to", "json"]).ends_with(0).json();
        assert_eq!(back, unseen, "{form}");
        assert_eq!(run(["check", &file]).ends_with(0).out.replace(&format!("next.{ending}"), ""), json, "{form}");
    }
}

#[test]
fn what_is_private_is_said_nowhere() {
    let directory = scratch("packet-private");
    let secret = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
    let mail = "jane.doe@example.org";
    let mut files = Vec::new();
    for private in [secret, mail] {
        for pointer in [
            "/version",
            "/observation_id",
            "/skill/id",
            "/skill/mode",
            "/result/observation_class",
            "/result/outcome",
            "/result/compact_summary",
            "/handoff/signal",
            "/recovery/lossiness",
            "/recovery/pointer",
            "/recovery/sensitivity",
            "/evidence_used/0/type",
            "/evidence_used/0/scope",
            "/evidence_used/0/ref",
            "/risks/0",
            "/source_refs/0",
            "/metrics/raw_output_size",
            "/skill",
            "/risks",
        ] {
            let mut packet = packet();
            let place = packet.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}"));
            *place = json!(private);
            files.push(written(&directory, &format!("{}.json", files.len()), &packet.to_string()));
        }
        for section in ["metrics", "result", "handoff"] {
            let mut packet = packet();
            packet[section][private] = json!({"approved": true, "signal": 1});
            files.push(written(&directory, &format!("{}.json", files.len()), &packet.to_string()));
        }
        for (ending, text) in [
            ("yaml", format!("observation_id: a\n{private}: 1\n{private}: 2\n")),
            ("json", format!("{{\"observation_id\": 1, \"{private}\": 1, \"{private}\": 2}}")),
            ("yaml", format!("observation_id: a\nx: {{<<: {private}}}\n")),
            ("yaml", format!("observation_id: a\n{private}: .nan\n")),
            ("md", format!("# P\n\n- observation_id: a\n- work_slice_id: b\n\n## result\n\n- {private}: 1\n- {private}: 2\n")),
        ] {
            files.push(written(&directory, &format!("{}.{ending}", files.len()), &text));
        }
    }
    let mut arguments = vec!["check", "--contract", "evidence_return_packet", "--max-violations", "1000"];
    arguments.extend(files.iter().map(String::as_str));
    let wordy = run(arguments.clone());
    arguments.extend(["--format", "json"]);
    for said in [wordy, run(arguments)] {
        for private in [&secret[..20], "jane.doe"] {
            let line = said.out.lines().chain(said.err.lines()).find(|line| line.contains(private));
            assert_eq!(line, None);
        }
        assert!(said.out.contains("a token of a forge") && said.out.contains("an e-mail address"), "{}", said.out);
    }
    for file in &files {
        let said = run(["render", file]);
        assert!(said.code == Some(0) || !(said.err.contains(secret) || said.err.contains(mail)), "{}", said.err);
    }
}

#[test]
fn a_mistake_beside_the_packet_is_named() {
    let directory = scratch("packet-mistakes");
    let good = written(&directory, "good.json", &packet().to_string());
    let surface = written(&directory, "surface.yaml", "prefix: [out/]\n");
    run(["check", &good, "--surface", &surface]).refuses(2, &["surface.yaml", "\"prefix\"", "refs and prefixes"]);
    let broken = written(&directory, "broken.md", "# P\n\n```yaml\nobservation_id: a\nobservation_id: b\n```\n");
    let said = run(["check", &broken]).ends_with(1).out;
    assert!(said.contains("the block at line 3 can't be read: line 2, column 1: duplicate key"), "{said}");
    let said = run_with_input(&to_markdown(&packet()), ["check", "-"]);
    assert!(said.out.contains("--form markdown"), "{}", said.out);
    run_with_input(&to_markdown(&packet()), ["check", "-", "--form", "markdown"]).ends_with(0);
}
