//! A host with one fault: the reference, asked through the trait, with its requests or answers spoilt.

use proofmark::adapter::{Answer, Declaration, ErrorObject, Hello, Implementation, Operation};
use proofmark::contract::packet::{self, MediaType};
use proofmark::policy::{RulePack, Surface};
use proofmark::reference::Reference;
use proofmark::yaml;
use serde_json::{Map, Value, json};

/// The names of all but those that lack a rule.
pub(crate) const NAMES: [&str; 25] = [
    "prefix-by-string",
    "zero-for-unknown",
    "unknown-version-accepted",
    "number-version-accepted",
    "nested-authority-ignored",
    "yaml-aliases-accepted",
    "last-duplicate-wins",
    "norway",
    "two-packets-first-wins",
    "markdown-by-regex",
    "echoes-secrets",
    "hides-failed-outcome",
    "hides-escalation",
    "guided-without-outcome",
    "invents-fields",
    "reformats-values",
    "unknown-depth-accepted",
    "forgets-missing",
    "names-present-as-missing",
    "deep-view-drops-shallow",
    "shows-pointer-in-guided",
    "project-drops-fields",
    "project-fills-missing",
    "project-not-read-only",
    "accepts-no-mapping",
];

/// The host.
pub(crate) struct Host {
    inner: Reference,
    fault: String,
    pack: RulePack,
}

fn shipped() -> RulePack {
    let bytes = proofmark::embedded::file("schemas/rules/evidence-return-packet-v0.1.yaml").expect("the shipped pack");
    RulePack::read(std::str::from_utf8(bytes).expect("UTF-8")).expect("the shipped pack")
}

impl Host {
    pub(crate) fn new(fault: &str) -> Self {
        let pack = match fault.strip_prefix("without-") {
            Some(rule) => {
                assert!(shipped().rule(rule).is_some(), "there is no rule {rule}");
                shipped().without(rule)
            }
            None => shipped(),
        };
        Self { inner: Reference::default(), fault: fault.to_owned(), pack }
    }

    fn validate(&self, params: &Value) -> Option<Answer> {
        let media_type = MediaType::from_name(params["media_type"].as_str()?)?;
        let mut document = params["document"].as_str()?.to_owned();
        let mut media_type = media_type;
        let mut surface = params.get("surface").and_then(|value| Surface::read(value).ok());
        if let Some(packet) = self.misread(&document, media_type) {
            document = packet.to_string();
            media_type = MediaType::Json;
        }
        if let ("prefix-by-string", Some(surface)) = (self.fault.as_str(), &mut surface)
            && let Ok(read) = packet::read(&document, media_type)
            && let Some(pointer) = read.packet.pointer("/recovery/pointer").and_then(Value::as_str)
            && surface.prefixes.iter().any(|prefix| pointer.starts_with(prefix.trim_end_matches('/')))
        {
            surface.refs.push(pointer.to_owned());
        }
        let (verdict, read) = self.pack.judge_packet_text(&document, media_type, surface.as_ref());
        let mut verdict = serde_json::to_value(verdict).expect("a verdict is JSON");
        let rows = verdict["violations"].as_array_mut()?;
        match self.fault.as_str() {
            "zero-for-unknown" => rows.retain(|row| !row["message"].as_str().unwrap_or_default().contains("unavailable, and has a value")),
            "nested-authority-ignored" => {
                rows.retain(|row| row["rule"] != "EP-113" || row["path"].as_str().unwrap_or_default().matches('/').count() == 1);
            }
            "echoes-secrets" => {
                for row in rows.iter_mut().filter(|row| row["rule"] == "EP-108" || row["rule"] == "EP-118") {
                    let value = read.as_ref().and_then(|read| read.packet.pointer(row["path"].as_str().unwrap_or_default()));
                    row["message"] = json!(format!("found {}", value.unwrap_or(&Value::Null)));
                }
            }
            _ => {}
        }
        let is_valid = rows.iter().all(|row| row["level"] != "must");
        verdict["valid"] = json!(is_valid);
        Some(Answer::Result(verdict))
    }

    /// The packet as a careless reader has it, where it is another than the right one.
    fn misread(&self, document: &str, media_type: MediaType) -> Option<Value> {
        let read = || packet::read(document, media_type).ok().map(|read| read.packet);
        match (self.fault.as_str(), media_type) {
            ("unknown-version-accepted", _) => {
                let mut packet = read()?;
                packet["version"].is_string().then(|| packet["version"] = json!("0.1"))?;
                Some(packet)
            }
            ("number-version-accepted", _) => {
                let mut packet = read()?;
                (packet["version"] == json!(0.1)).then(|| packet["version"] = json!("0.1"))?;
                Some(packet)
            }
            ("yaml-aliases-accepted", MediaType::Yaml) => yaml::parse(document).ok().map(|document| document.value),
            ("last-duplicate-wins", MediaType::Json) => serde_json::from_str(document).ok(),
            ("last-duplicate-wins", MediaType::Yaml) => without_earlier_doubles(document),
            ("norway", MediaType::Yaml) => {
                let mut packet = read()?;
                norway(&mut packet);
                Some(packet)
            }
            ("two-packets-first-wins", MediaType::Markdown) => first_packet(document, false),
            ("markdown-by-regex", MediaType::Markdown) => first_packet(document, true),
            _ => None,
        }
    }

    fn render(&mut self, params: &Value) -> Answer {
        let mut params = params.clone();
        let depth = params["depth"].clone();
        match self.fault.as_str() {
            "accepts-no-mapping" if !params["packet"].is_object() => params["packet"] = json!({}),
            "unknown-depth-accepted" if !["guided", "practitioner", "engineer"].iter().any(|known| depth == *known) => {
                params["depth"] = json!("engineer");
            }
            "shows-pointer-in-guided" if depth.is_string() => {
                let is_known = ["guided", "practitioner", "engineer"].iter().any(|known| depth == *known);
                if is_known {
                    params["depth"] = json!("engineer");
                }
            }
            _ => {}
        }
        let answer = self.inner.call(Operation::PacketRender, &params);
        let Answer::Result(mut result) = answer else { return answer };
        let view = &mut result["view"];
        match self.fault.as_str() {
            "hides-failed-outcome" if depth == "guided" && params["packet"]["result"]["outcome"] == "failed" => {
                take(view, "result", "outcome")
            }
            "hides-escalation" if depth == "engineer" => take(view, "handoff", "signal"),
            "guided-without-outcome" if depth == "guided" => take(view, "result", "outcome"),
            "invents-fields" => fill(view, &json!("unknown")),
            "reformats-values" => reformat(&mut view["packet"]),
            "forgets-missing" => view["missing"] = json!([]),
            "names-present-as-missing" => {
                let packet = view["packet"].clone();
                if let Some(missing) = view["missing"].as_array_mut() {
                    nulls(&packet, "", missing);
                }
            }
            "deep-view-drops-shallow" if depth == "engineer" => {
                for (section, key) in [("result", "compact_summary"), ("handoff", "reason")] {
                    take(view, section, key);
                }
                for key in ["evidence_used", "risks"] {
                    view["packet"].as_object_mut().map(|members| members.remove(key));
                }
            }
            "shows-pointer-in-guided" => view["depth"] = depth,
            _ => {}
        }
        Answer::Result(result)
    }

    fn project(&mut self, params: &Value) -> Answer {
        let mut params = params.clone();
        if self.fault == "accepts-no-mapping" && !params["packet"].is_object() {
            params["packet"] = json!({});
        }
        let answer = self.inner.call(Operation::PacketProject, &params);
        let Answer::Result(mut result) = answer else { return answer };
        let projection = &mut result["projection"];
        match self.fault.as_str() {
            "project-drops-fields" => drop(projection["packet"].as_object_mut().map(|members| members.remove("risks"))),
            "forgets-missing" => projection["missing"] = json!([]),
            "project-fills-missing" => fill(projection, &Value::Null),
            "project-not-read-only" => drop(projection.as_object_mut().map(|members| members.remove("read_only"))),
            _ => {}
        }
        Answer::Result(result)
    }
}

fn take(view: &mut Value, section: &str, key: &str) {
    if let Some(members) = view["packet"].get_mut(section).and_then(Value::as_object_mut) {
        members.remove(key);
    }
}

/// Puts a value where something is missing.
fn fill(made: &mut Value, value: &Value) {
    for pointer in made["missing"].as_array().cloned().unwrap_or_default() {
        let pointer = pointer.as_str().unwrap_or_default().to_owned();
        let packet = made["packet"].as_object_mut().expect("a mapping");
        match pointer[1..].split_once('/') {
            Some((section, key)) => {
                let section = packet.entry(section).or_insert_with(|| Value::Object(Map::new()));
                if section.is_object() {
                    section[key] = value.clone();
                }
            }
            None => drop(packet.insert(pointer[1..].to_owned(), value.clone())),
        }
    }
}

fn reformat(value: &mut Value) {
    match value {
        Value::String(text) => *text = text.trim().to_lowercase(),
        Value::Array(items) => items.iter_mut().for_each(reformat),
        Value::Object(members) => members.values_mut().for_each(reformat),
        _ => {}
    }
}

fn nulls(value: &Value, pointer: &str, found: &mut Vec<Value>) {
    for (key, member) in value.as_object().into_iter().flatten() {
        let here = format!("{pointer}/{key}");
        if member.is_null() {
            found.push(json!(here));
        } else {
            nulls(member, &here, found);
        }
    }
}

fn norway(value: &mut Value) {
    match value {
        Value::String(text) => match text.as_str() {
            "yes" | "on" | "Yes" | "On" | "YES" | "ON" | "y" => *value = json!(true),
            "no" | "off" | "No" | "Off" | "NO" | "OFF" | "n" => *value = json!(false),
            _ => {}
        },
        Value::Array(items) => items.iter_mut().for_each(norway),
        Value::Object(members) => members.values_mut().for_each(norway),
        _ => {}
    }
}

/// Of lines at one depth that begin with the same key, the last, with what is below it.
fn without_earlier_doubles(document: &str) -> Option<Value> {
    let mut lines: Vec<&str> = document.lines().collect();
    for _ in 0..8 {
        if let Ok(read) = packet::read(&lines.join("\n"), MediaType::Yaml) {
            return Some(read.packet);
        }
        let key = |line: &str| line.split_once(':').map(|(key, _)| key.to_owned());
        let double = (0..lines.len())
            .find(|at| key(lines[*at]).is_some_and(|it| lines[at + 1..].iter().any(|line| key(line).as_deref() == Some(&it))))?;
        let depth = lines[double].len() - lines[double].trim_start().len();
        let below = lines[double + 1..].iter().take_while(|line| line.len() - line.trim_start().len() > depth).count();
        lines.drain(double..=double + below);
    }
    None
}

/// The first text that looks like a packet: front matter or a fence, found by its signs alone.
fn first_packet(document: &str, anywhere: bool) -> Option<Value> {
    let text = document.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let plain: String =
        if anywhere { text.lines().map(|line| line.trim_start_matches(['>', ' ']).to_owned() + "\n").collect() } else { text.clone() };
    let parsed = |body: &str| {
        let read = |media_type| packet::read(body, media_type).ok().map(|read| read.packet);
        read(MediaType::Yaml).or_else(|| read(MediaType::Json)).filter(|packet| packet.get("observation_id").is_some())
    };
    if let Some(front) = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---")).and_then(|(body, _)| parsed(body)) {
        return Some(front);
    }
    // Indentation is lost where blanks were taken away, so that only the fences of the text itself are read with it.
    for source in [text.as_str(), plain.as_str()] {
        for sign in ["```", "~~~"] {
            let mut rest = source;
            while let Some((_, after)) = rest.split_once(sign) {
                let (info, after) = after.split_once('\n').unwrap_or((after, ""));
                let (body, after) = after.split_once(sign).unwrap_or((after, ""));
                let body: String = body
                    .lines()
                    .map(|line| if anywhere { line.trim_start_matches("> ").trim_start_matches("   ") } else { line }.to_owned() + "\n")
                    .collect();
                if (anywhere || ["yaml", "yml", "json"].contains(&info.trim()))
                    && let Some(packet) = parsed(&body)
                {
                    return Some(packet);
                }
                rest = after;
            }
        }
    }
    // Else what stands under headings, up to where a second packet begins.
    let mut end = text.len();
    while let Some(at) = text[..end].rfind("\n```").or_else(|| text[..end].rfind("\n# ")) {
        if let Ok(read) = packet::read(&text[..at], MediaType::Markdown) {
            return Some(read.packet);
        }
        end = at;
    }
    None
}

impl Implementation for Host {
    fn initialize(&mut self, hello: &Hello) -> Result<Declaration, ErrorObject> {
        self.inner.initialize(hello)
    }

    fn call(&mut self, operation: Operation, params: &Value) -> Answer {
        match operation {
            Operation::PacketValidate => self.validate(params).unwrap_or_else(|| self.inner.call(operation, params)),
            Operation::PacketRender => self.render(params),
            Operation::PacketProject => self.project(params),
            operation => self.inner.call(operation, params),
        }
    }
}
