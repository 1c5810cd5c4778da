//! The walls of the house: which room may use which, and what the library never touches, held over the source text itself.
//!
//! A compiler does not object when the reference reads a case, or when a helper prints. Tests inside a room (`#[cfg(test)]`) may look
//! wherever they like and are left out.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, and says where")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

/// Each room (a folder or file of `src/`) with the other rooms that it may use.
///
/// The order is that of the house: a room uses only what stands above it.
const MAY_USE: &[(&str, &[&str])] = &[
    ("verdict", &[]),
    ("json", &[]),
    ("dice", &[]),
    ("digest", &["json"]),
    ("yaml", &["json"]),
    ("schema", &["json"]),
    ("contract", &["json", "yaml"]),
    // The shipped profiles, read once.
    ("embedded", &["contract", "yaml"]),
    // A declaration carries a rendering profile and is held against its schema; an adapter is asked blind.
    ("adapter", &["contract", "embedded", "json", "schema"]),
    // A rule looks at an operation and its answer, which are the adapter's nouns.
    ("policy", &["adapter", "contract", "embedded", "json", "schema", "verdict", "yaml"]),
    // It is reached through the adapter's trait; its validators are the rule packs.
    ("reference", &["adapter", "contract", "embedded", "json", "policy", "verdict"]),
    // It writes text in the case language, and so needs to know no case; what is right it asks the reference, through the trait.
    ("generate", &["adapter", "contract", "dice", "embedded", "json", "reference"]),
    // A case names operations, profiles and rules, and the loader knows which there are.
    ("case", &["adapter", "contract", "digest", "embedded", "json", "policy", "schema", "verdict", "yaml"]),
    ("judge", &["adapter", "case", "contract", "dice", "embedded", "json", "policy", "reference", "schema", "verdict", "yaml"]),
];

/// Doors that are never to be opened, whatever the table above comes to say.
const NEVER: &[(&str, &str)] = &[
    ("contract", "policy"),
    ("contract", "reference"),
    ("contract", "case"),
    ("policy", "reference"),
    ("policy", "case"),
    ("reference", "case"),
    ("reference", "judge"),
    ("adapter", "case"),
    ("adapter", "judge"),
    ("adapter", "policy"),
    ("adapter", "reference"),
    ("case", "reference"),
    ("case", "judge"),
    ("generate", "judge"),
    ("generate", "case"),
    ("generate", "policy"),
    ("judge", "generate"),
    ("reference", "generate"),
];

/// Crates that one module alone knows, in the library and in the runner.
const ONE_MODULE: &[(&str, &str)] = &[
    ("serde_yaml", "src/yaml.rs"),
    ("saphyr_parser", "src/yaml.rs"),
    ("jsonschema", "src/schema.rs"),
    ("pulldown_cmark", "src/contract/packet/markdown.rs"),
    ("ureq", "runner/src/client/http/"),
];

/// Crates for files, terminals and processes: the runner's.
const RUNNER_ONLY: &[&str] = &["glob", "libtest_mimic", "similar", "clap", "indicatif", "anstream", "rayon", "ureq", "process_wrap"];

/// What the library never touches: files, processes, networks, the environment, the clock, the terminal. `std::path` because its
/// methods ask the file system.
const OUTSIDE: &[&str] = &[
    "std::fs",
    "std::process",
    "std::net",
    "std::env",
    "std::os",
    "std::path",
    "std::io::stdin",
    "std::io::stdout",
    "std::io::stderr",
    "std::time::Instant",
    "std::time::SystemTime",
];
const OUTSIDE_MACROS: &[&str] = &["print", "println", "eprint", "eprintln", "dbg"];

/// The ways into the reference, who may take each, and why it is not the trait.
const WAYS_IN: &[(&str, &[&str], &str)] = &[
    ("Reference", &["src/generate/", "src/judge/", "runner/src/"], "the host behind the trait, which everything else is asked through"),
    ("smallest_budget", &["src/judge/replay.rs"], "`$fits` asks for a budget, and no operation of the protocol answers that"),
    ("evidence", &["runner/src/command/evidence"], "people's own skills are no request; the payload is borrowed and typed"),
    ("catalog", &["runner/src/command/evidence"], "the same, for the text"),
    ("render", &["runner/src/command/render"], "people's own packets are no request; the text is for them"),
    ("project", &["runner/src/command/render"], "the same, read-only"),
];

#[derive(Debug, Clone, PartialEq, Eq)]
struct Token {
    text: String,
    line: usize,
}

/// The words and signs of a source text, without comments, literals and lifetimes.
fn tokens(source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let at = |index: usize| chars.get(index).copied().unwrap_or('\0');
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut tokens, mut index, mut line) = (Vec::new(), 0, 1);
    while index < chars.len() {
        let start = index;
        match at(index) {
            '/' if at(index + 1) == '/' => {
                while index < chars.len() && at(index) != '\n' {
                    index += 1;
                }
            }
            '/' if at(index + 1) == '*' => {
                let mut depth = 0;
                loop {
                    match (at(index), at(index + 1)) {
                        ('/', '*') => (depth, index) = (depth + 1, index + 2),
                        ('*', '/') => (depth, index) = (depth - 1, index + 2),
                        _ => index += 1,
                    }
                    if depth == 0 || index >= chars.len() {
                        break;
                    }
                }
            }
            '"' => index = end_of_text(&chars, index),
            '\'' if at(index + 1) == '\\' => {
                index += 3;
                while index < chars.len() && at(index) != '\'' {
                    index += 1;
                }
                index += 1;
            }
            '\'' if at(index + 2) == '\'' => index += 3,
            '\'' => {
                index += 1;
                while is_word(at(index)) {
                    index += 1;
                }
            }
            c if is_word(c) => {
                while is_word(at(index)) {
                    index += 1;
                }
                let word: String = chars[start..index].iter().collect();
                let raw = matches!(word.as_str(), "r" | "br" | "b" | "c" | "cr");
                if raw && at(index) == '"' && !word.contains('r') {
                    index = end_of_text(&chars, index);
                } else if raw && word.contains('r') && matches!(at(index), '"' | '#') {
                    let hashes = chars[index..].iter().take_while(|c| **c == '#').count();
                    let close: String = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
                    let rest: String = chars[index + hashes + 1..].iter().collect();
                    let length = rest.find(&close).map_or(rest.chars().count(), |end| rest[..end].chars().count());
                    index += hashes + 1 + length + close.len();
                } else {
                    tokens.push(Token { text: word, line });
                }
            }
            ':' if at(index + 1) == ':' => {
                tokens.push(Token { text: "::".into(), line });
                index += 2;
            }
            c => {
                if !c.is_whitespace() {
                    tokens.push(Token { text: c.to_string(), line });
                }
                index += 1;
            }
        }
        line += chars[start..index.min(chars.len())].iter().filter(|c| **c == '\n').count();
    }
    without_tests(tokens)
}

fn end_of_text(chars: &[char], open: usize) -> usize {
    let mut index = open + 1;
    while index < chars.len() && chars[index] != '"' {
        index += if chars[index] == '\\' { 2 } else { 1 };
    }
    index + 1
}

/// Takes out every item behind `#[cfg(test)]`.
fn without_tests(tokens: Vec<Token>) -> Vec<Token> {
    let is = |index: usize, text: &str| tokens.get(index).is_some_and(|token: &Token| token.text == text);
    let starts = |index: usize, texts: &[&str]| texts.iter().enumerate().all(|(at, text)| is(index + at, text));
    let (mut kept, mut index) = (Vec::new(), 0);
    while index < tokens.len() {
        if !starts(index, &["#", "[", "cfg", "(", "test", ")", "]"]) {
            kept.push(tokens[index].clone());
            index += 1;
            continue;
        }
        index += 7;
        while index < tokens.len() && !is(index, "{") && !is(index, ";") {
            index += 1;
        }
        let mut depth = 0;
        while index < tokens.len() {
            depth += usize::from(is(index, "{"));
            depth -= usize::from(is(index, "}"));
            index += 1;
            if depth == 0 {
                break;
            }
        }
    }
    kept
}

/// A path that a file names: from the crate's root where it is one of the crate's, else as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Named {
    line: usize,
    path: Vec<String>,
}

impl Named {
    fn starts_with(&self, path: &str) -> bool {
        path.split("::").enumerate().all(|(at, part)| self.path.get(at).is_some_and(|own| own == part))
    }
}

/// Every path in a file, `use` trees written out, imported names and `super` resolved.
fn paths(file: &str, tokens: &[Token]) -> Vec<Named> {
    let mut module: Vec<String> =
        file.trim_end_matches(".rs").split('/').skip_while(|part| *part != "src").skip(1).map(str::to_owned).collect();
    if module.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
        module.pop();
    }
    let is = |index: usize, text: &str| tokens.get(index).is_some_and(|token| token.text == text);
    let (mut found, mut imported): (Vec<Named>, HashMap<String, Vec<String>>) = (Vec::new(), HashMap::new());
    // Inline modules, each with the depth of braces that it ends at.
    let (mut inline, mut depth): (Vec<(String, usize)>, usize) = (Vec::new(), 0);
    let mut index = 0;
    while index < tokens.len() {
        let token = &tokens[index];
        match token.text.as_str() {
            "{" => depth += 1,
            "}" => {
                depth = depth.saturating_sub(1);
                inline.retain(|(_, end)| *end < depth + 1);
            }
            "mod" if is(index + 2, "{") => inline.push((tokens[index + 1].text.clone(), depth + 1)),
            text if text.starts_with(|c: char| c.is_alphabetic() || c == '_') && !(index > 0 && is(index - 1, "::")) => {
                let mut here = module.clone();
                here.extend(inline.iter().map(|(name, _)| name.clone()));
                let is_use = index > 0 && is(index - 1, "use");
                let mut leaves = Vec::new();
                let end = read_tree(tokens, index, &[], &mut leaves);
                for (path, name, line) in leaves {
                    let path = absolute(&here, path);
                    if is_use {
                        imported.insert(name, path.clone());
                    }
                    found.push(Named { line, path });
                }
                index = end;
                continue;
            }
            _ => {}
        }
        index += 1;
    }
    for named in &mut found {
        // Past the crate's own roots a first segment may be a name that a `use` brought in.
        if named.path.first().is_some_and(|first| !matches!(first.as_str(), "crate" | "std"))
            && let Some(root) = imported.get(&named.path[0])
        {
            named.path.splice(0..1, root.iter().cloned());
        }
    }
    found
}

/// Reads a path or a `use` tree; leaves are a path, the name that it goes by, and its line. Returns where it ends.
fn read_tree(tokens: &[Token], start: usize, prefix: &[String], leaves: &mut Vec<(Vec<String>, String, usize)>) -> usize {
    let text = |index: usize| tokens.get(index).map_or("", |token| token.text.as_str());
    let mut path = prefix.to_vec();
    let mut index = start;
    loop {
        match text(index) {
            "{" => {
                index += 1;
                while index < tokens.len() && text(index) != "}" {
                    let end = read_tree(tokens, index, &path, leaves);
                    index = end.max(index + 1);
                    if text(index) == "," {
                        index += 1;
                    }
                }
                return index + 1;
            }
            "*" if index > start => {
                leaves.push((path, "*".into(), tokens[index].line));
                return index + 1;
            }
            "self" if !prefix.is_empty() && index == start => {}
            word => path.push(word.to_owned()),
        }
        let line = tokens[index].line;
        index += 1;
        let goes_on = text(index) == "::"
            && (text(index + 1).starts_with(|c: char| c.is_alphabetic() || c == '_') || matches!(text(index + 1), "{" | "*"));
        if goes_on {
            index += 1;
            continue;
        }
        let mut name = path.last().cloned().unwrap_or_default();
        if text(index) == "as" && !prefix.is_empty() || text(start.wrapping_sub(1)) == "use" && text(index) == "as" {
            name = text(index + 1).to_owned();
            index += 2;
        }
        leaves.push((path, name, line));
        return index;
    }
}

/// A path with `super` and `self` resolved from a module, so that it starts at `crate`.
fn absolute(module: &[String], path: Vec<String>) -> Vec<String> {
    let ups = path.iter().take_while(|part| *part == "super").count();
    if ups > 0 {
        let kept = module.len().saturating_sub(ups);
        return std::iter::once("crate".to_owned()).chain(module[..kept].iter().cloned()).chain(path[ups..].iter().cloned()).collect();
    }
    if path[0] == "proofmark" {
        return std::iter::once("crate".to_owned()).chain(path[1..].iter().cloned()).collect();
    }
    path
}

fn room(file: &str) -> &str {
    let inside = file.trim_start_matches("src/");
    inside.split('/').next().unwrap_or(inside).trim_end_matches(".rs")
}

/// Everything in one file that a wall forbids.
fn crossings(file: &str, source: &str) -> Vec<String> {
    let tokens = tokens(source);
    let named = paths(file, &tokens);
    let mut found = Vec::new();
    let mut cross = |line: usize, message: String| found.push(format!("{file}:{line}: {message}"));
    for (name, module) in ONE_MODULE.iter().filter(|(_, module)| !file.starts_with(module)) {
        for path in named.iter().filter(|path| path.path[0] == *name) {
            cross(path.line, format!("{name} is known to {module} alone"));
        }
    }
    let is_library = file.starts_with("src/");
    let inside = named.iter().filter(|path| path.path[0] == "crate" && path.path.len() > 1);
    for path in inside.clone().filter(|path| path.path[1] == "reference" && !file.starts_with("src/reference/")) {
        let name = path.path.get(2).map_or("", String::as_str);
        let way = WAYS_IN.iter().find(|(way, ..)| *way == name);
        if !name.is_empty() && !way.is_some_and(|(_, who, _)| who.iter().any(|who| file.starts_with(who))) {
            cross(path.line, format!("reference::{name} is no way into the reference from here"));
        }
    }
    if !is_library {
        return found;
    }
    let own = room(file);
    let allowed = MAY_USE.iter().find(|(name, _)| *name == own).map(|(_, allowed)| *allowed);
    match allowed {
        None if own != "lib" => cross(1, format!("{own} is in no row of the table of rooms")),
        _ => {
            for path in inside {
                let other = path.path[1].as_str();
                let is_room = MAY_USE.iter().any(|(name, _)| *name == other);
                if is_room && other != own && !allowed.unwrap_or(&[]).contains(&other) {
                    cross(path.line, format!("{own} may not use {other}"));
                }
            }
        }
    }
    for path in &named {
        if let Some(outside) = OUTSIDE.iter().find(|outside| path.starts_with(outside)) {
            cross(path.line, format!("the library does not use {outside}"));
        }
        if RUNNER_ONLY.contains(&path.path[0].as_str()) && path.path.len() > 1 {
            cross(path.line, format!("{} belongs to the runner", path.path[0]));
        }
    }
    for pair in tokens.windows(2).filter(|pair| pair[1].text == "!" && OUTSIDE_MACROS.contains(&pair[0].text.as_str())) {
        cross(pair[0].line, format!("the library prints nothing ({}!)", pair[0].text));
    }
    found
}

fn sources(folder: &str) -> BTreeMap<String, String> {
    fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, into);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                into.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    collect(&root.join(folder), &mut files);
    let name = |path: &Path| path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
    files.into_iter().map(|path| (name(&path), fs::read_to_string(&path).unwrap())).collect()
}

#[test]
fn no_wall_is_crossed() {
    let (library, runner) = (sources("src"), sources("runner/src"));
    assert!(library.len() > 50 && !runner.is_empty(), "the sources were found");
    let found: Vec<String> = library.iter().chain(&runner).flat_map(|(file, source)| crossings(file, source)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_table_of_rooms_is_the_house() {
    let files = sources("src");
    let there: BTreeSet<&str> = files.keys().map(|file| room(file)).filter(|room| *room != "lib").collect();
    let listed: BTreeSet<&str> = MAY_USE.iter().map(|(room, _)| *room).collect();
    assert_eq!(there, listed);
}

#[test]
fn rooms_form_no_circle_and_no_forbidden_door_is_in_the_table() {
    for (at, (room, uses)) in MAY_USE.iter().enumerate() {
        for other in *uses {
            let above = MAY_USE[..at].iter().any(|(name, _)| name == other);
            assert!(above, "{room} uses {other}, which does not stand above it");
        }
    }
    for (room, other) in NEVER {
        let uses = MAY_USE.iter().find(|(name, _)| name == room).unwrap().1;
        assert!(!uses.contains(other), "{room} never sees {other}");
    }
}

#[test]
fn the_reference_has_no_private_entrance() {
    let (mut public, mut traits) = (BTreeSet::new(), BTreeSet::new());
    for source in sources("src/reference").values() {
        let tokens = tokens(source);
        for window in tokens.windows(4) {
            let texts: Vec<&str> = window.iter().map(|token| token.text.as_str()).collect();
            match texts.as_slice() {
                ["pub", "fn" | "struct" | "enum" | "trait" | "const" | "static" | "type" | "mod", name, _] => {
                    public.extend([(*name).to_owned()]);
                }
                ["impl", name, "for", "Reference"] => traits.extend([(*name).to_owned()]),
                _ => {}
            }
        }
    }
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(traits, names(&["Default", "Implementation"]));
    let ways = WAYS_IN.iter().map(|(name, ..)| *name).chain(["new"]).collect::<Vec<_>>();
    assert_eq!(public, names(&ways));
}

#[test]
fn the_library_depends_on_nothing_of_the_runner() {
    let manifest = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    let (_, dependencies) = manifest.split_once("\n[dependencies]\n").unwrap();
    let dependencies = dependencies.split("\n[").next().unwrap();
    let names: Vec<String> =
        dependencies.lines().filter_map(|line| line.split(['.', ' ', '=']).next()).map(|name| name.replace('-', "_")).collect();
    assert!(names.iter().any(|name| name == "serde_json"), "{names:?}");
    for name in RUNNER_ONLY {
        assert!(!names.iter().any(|other| other == name), "{name} belongs to the runner");
    }
}

#[test]
fn a_crossing_is_found_however_it_is_written() {
    let table: &[(&str, &str, &[&str])] = &[
        ("src/contract/a.rs", "use crate::json;\nuse crate::judge::Judge;\n", &["src/contract/a.rs:2: contract may not use judge"]),
        (
            "src/contract/a.rs",
            "use crate::{\n    json,\n    policy::{RulePack, Rule},\n};",
            &["src/contract/a.rs:3: contract may not use policy"; 2],
        ),
        ("src/adapter/wire.rs", "fn f(case: &crate::case::Case) {}", &["src/adapter/wire.rs:1: adapter may not use case"]),
        ("src/adapter/wire.rs", "use super::super::judge::*;", &["src/adapter/wire.rs:1: adapter may not use judge"]),
        ("src/adapter/mod.rs", "use super::case;", &["src/adapter/mod.rs:1: adapter may not use case"]),
        (
            "src/adapter/wire.rs",
            "mod inner { use super::super::super::case::Case; use super::super::codec; }",
            &["src/adapter/wire.rs:1: adapter may not use case"],
        ),
        (
            "src/policy/checks/order.rs",
            "use super::super::super::reference;",
            &["src/policy/checks/order.rs:1: policy may not use reference"],
        ),
        (
            "src/reference/fit.rs",
            "use crate::case as questions;\nfn f() { questions::f() }",
            &["src/reference/fit.rs:1: reference may not use case", "src/reference/fit.rs:2: reference may not use case"],
        ),
        ("src/reference/fit.rs", "use crate as kit;\nfn f() { kit::case::f() }", &["src/reference/fit.rs:2: reference may not use case"]),
        ("src/case/file.rs", "use serde_yaml::Value;", &["src/case/file.rs:1: serde_yaml is known to src/yaml.rs alone"]),
        ("runner/src/gate.rs", "fn f() { jsonschema::options(); }", &["runner/src/gate.rs:1: jsonschema is known to src/schema.rs alone"]),
        ("src/case/file.rs", "use glob::Pattern;", &["src/case/file.rs:1: glob belongs to the runner"]),
        ("src/json.rs", "use std::{env, fmt};", &["src/json.rs:1: the library does not use std::env"]),
        ("src/json.rs", "fn f() {\n    std::fs::read(\"x\");\n}", &["src/json.rs:2: the library does not use std::fs"]),
        (
            "src/json.rs",
            "use std::time;\nfn f() { time::Instant::now(); }",
            &["src/json.rs:2: the library does not use std::time::Instant"],
        ),
        ("src/json.rs", "fn f() { println!(\"x\"); }", &["src/json.rs:1: the library prints nothing (println!)"]),
        ("src/attic/a.rs", "", &["src/attic/a.rs:1: attic is in no row of the table of rooms"]),
        (
            "src/judge/laws.rs",
            "use crate::reference::Reference;\nuse crate::reference::plan;",
            &["src/judge/laws.rs:2: reference::plan is no way into the reference from here"],
        ),
        (
            "src/judge/laws.rs",
            "use crate::reference;\nfn f() { reference::smallest_budget(); }",
            &["src/judge/laws.rs:2: reference::smallest_budget is no way into the reference from here"],
        ),
        (
            "runner/src/command/check.rs",
            "use proofmark::reference::{self, Reference};\nfn f() { reference::catalog(); }",
            &["runner/src/command/check.rs:2: reference::catalog is no way into the reference from here"],
        ),
    ];
    for (file, source, expected) in table {
        assert_eq!(crossings(file, source), *expected, "{file}: {source}");
    }
}

#[test]
fn what_is_no_crossing_is_let_by() {
    for (file, source) in [
        ("src/contract/a.rs", "//! Not crate::judge.\n/* crate::case /* nested */ std::fs */ use crate::json;"),
        (
            "src/contract/a.rs",
            "const A: &str = \"use crate::judge; \\\" std::fs\"; const B: &str = r#\"crate::case \" std::env\"#; const C: char = '\"'; fn f<'a>(x: &'a str) { let _ = '\\''; }",
        ),
        (
            "src/contract/a.rs",
            "#[cfg(test)]\nmod tests { use crate::judge::Judge; fn f() { println!(\"{}\", 1); std::fs::read(\"\"); } }\nuse crate::json;",
        ),
        ("src/contract/a.rs", "#[cfg(test)]\nuse crate::judge::Judge;\nuse crate::json;"),
        ("src/policy/checks/order.rs", "use super::super::exchange::Exchange; use crate::policy::exchange::Judged; use self::inner::case;"),
        ("src/adapter/wire.rs", "mod inner { use super::super::codec; } use super::codec;"),
        ("src/json.rs", "let env = env!(\"X\"); let case = judge.reference; struct S { case: u8 } fn print() {}"),
        ("src/judge/replay.rs", "use crate::reference::{self, Reference}; fn f() { reference::smallest_budget(); Reference::new(); }"),
        ("src/yaml.rs", "use saphyr_parser::Parser; fn f() { serde_yaml::Deserializer::from_str(\"\"); }"),
        ("runner/src/main.rs", "use std::fs; use glob::Pattern; fn f() { println!(); }"),
    ] {
        assert_eq!(crossings(file, source), Vec::<String>::new(), "{file}: {source}");
    }
}
