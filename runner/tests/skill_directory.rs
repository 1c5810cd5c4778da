//! Directories of skills, real ones and hostile ones.
//!
//! The real ones are not part of the repository: they lie beside it in `shared/real`, where they lie at all.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, and clippy knows only the functions marked as tests")]

use std::fs;
use std::path::{Path, PathBuf};

use proofmark_runner::skill_directory::{Limits, SkillDirectory, Unreadable, read, read_within};
use serde_json::{Value, json};

/// An empty directory of this test's own.
fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("skill_directory").join(name);
    if directory.exists() {
        fs::remove_dir_all(&directory).unwrap();
    }
    fs::create_dir_all(&directory).unwrap();
    directory
}

/// Writes `directory/SKILL.md` below a root.
fn skill(root: &Path, directory: &str, front_matter: &str) {
    let directory = root.join(directory);
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("SKILL.md"), format!("---\n{front_matter}\n---\nbody\n")).unwrap();
}

fn names(directory: &SkillDirectory) -> Vec<&str> {
    directory.skills.iter().map(|skill| skill.entry["name"].as_str().unwrap()).collect()
}

/// What could not be read, as `path: message` below the root.
fn faults(root: &Path, directory: &SkillDirectory) -> Vec<String> {
    let below = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
    directory.unreadable.iter().map(|Unreadable { path, message, .. }| format!("{}: {message}", below(path))).collect()
}

fn real(what: &str) -> Option<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/real").join(what);
    if !directory.is_dir() {
        println!("skipped: {} is not there; the real collections are no part of the repository", directory.display());
        return None;
    }
    Some(directory)
}

#[test]
fn real_collections_list_what_their_registries_list_and_name_the_rest() {
    let (Some(skills), Some(registries)) = (real("skills"), real("registries")) else { return };
    for (collection, listed, unreadable) in [
        ("trailofbits-skills", 80, &[][..]),
        ("wshobson-agents", 181, &[]),
        (
            "copilot-azure",
            48,
            &[
                ("plugins__azure-skills__skills__azure-app-onboard__deploy", 1),
                ("plugins__azure-skills__skills__azure-app-onboard__prepare", 1),
                ("plugins__azure-skills__skills__azure-app-onboard__scaffold", 1),
            ],
        ),
        (
            "ecc-ja",
            222,
            &[
                ("docs__ja-JP__skills__django-verification", 3),
                ("docs__ja-JP__skills__project-guidelines-example", 1),
                ("docs__ja-JP__skills__returns-reverse-logistics", 3),
                ("docs__ja-JP__skills__springboot-verification", 3),
                ("docs__ja-JP__skills__swiftui-patterns", 3),
                ("docs__ja-JP__skills__token-budget-advisor", 3),
                ("docs__ja-JP__skills__verification-loop", 1),
            ],
        ),
        (
            "ecc-zh",
            169,
            &[
                ("docs__zh-CN__skills__blueprint", 3),
                ("docs__zh-CN__skills__browser-qa", 1),
                ("docs__zh-CN__skills__carrier-relationship-management", 3),
                ("docs__zh-CN__skills__customs-trade-compliance", 3),
                ("docs__zh-CN__skills__energy-procurement", 3),
                ("docs__zh-CN__skills__inventory-demand-planning", 3),
                ("docs__zh-CN__skills__laravel-verification", 3),
                ("docs__zh-CN__skills__logistics-exception-management", 3),
                ("docs__zh-CN__skills__production-scheduling", 3),
                ("docs__zh-CN__skills__quality-nonconformance", 3),
                ("docs__zh-CN__skills__returns-reverse-logistics", 3),
                ("docs__zh-CN__skills__token-budget-advisor", 3),
            ],
        ),
    ] {
        let directory = read(&skills.join(collection), Some("project")).unwrap();
        let found: Vec<(&str, Option<usize>)> = directory
            .unreadable
            .iter()
            .map(|fault| (fault.path.parent().unwrap().file_name().unwrap().to_str().unwrap(), fault.line))
            .collect();
        let expected: Vec<(&str, Option<usize>)> = unreadable.iter().map(|(name, line)| (*name, Some(*line))).collect();
        assert_eq!(found, expected, "{collection}");
        assert_eq!(directory.skills.len(), listed, "{collection}");
        assert_eq!(directory.duplicates, [], "{collection}");
        assert!(directory.skills.iter().all(|skill| skill.warnings.is_empty()), "{collection}");

        let text = fs::read_to_string(registries.join(format!("{collection}.json"))).unwrap();
        let expected: Value = serde_json::from_str(&text).unwrap();
        let mut read = directory.registry();
        for entry in read["skills"].as_array_mut().unwrap() {
            entry.as_object_mut().unwrap().remove("body");
        }
        assert_eq!(read["_type"], expected["_type"]);
        assert_eq!(by_name(&read), by_name(&expected), "{collection}");
    }
}

fn by_name(registry: &Value) -> Vec<Value> {
    let mut skills = registry["skills"].as_array().unwrap().clone();
    skills.sort_by(|a, b| a["name"].as_str().cmp(&b["name"].as_str()));
    skills
}

#[test]
fn the_layers_of_harns_own_test_are_read() {
    let Some(layers) = real("harn-skill-activation") else { return };
    for (layer, expected) in [("project", &["deploy", "manual", "scoped"][..]), ("user", &["deploy", "review"]), ("package", &["lint"])] {
        let directory = read(&layers.join(layer), Some(layer)).unwrap();
        assert_eq!(names(&directory), expected);
        assert_eq!(directory.unreadable, []);
        for entry in directory.registry()["skills"].as_array().unwrap() {
            assert_eq!(entry["source"], layer);
            assert_eq!(entry.get("disable_model_invocation"), (entry["name"] == "manual").then_some(&json!(true)));
            assert_eq!(entry.get("when_to_use").is_none(), entry["name"] == "manual");
        }
    }
    let ids: Vec<String> = read(&layers, None).unwrap().duplicates.into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["deploy"]);
}

#[test]
fn skills_are_found_at_any_depth_in_the_order_of_their_paths() {
    let root = scratch("order");
    for directory in ["a/z", "a-b", "a", ".claude/skills/hidden", "B", "Ä", ""] {
        skill(&root, directory, "description: d");
    }
    fs::write(root.join("a/skill.md"), "not this one").unwrap();
    let directory = read(&root, None).unwrap();
    assert_eq!(names(&directory), ["hidden", "B", "order", "a-b", "a", "z", "Ä"]);
    assert_eq!(directory.unreadable, []);
    assert_eq!(directory.skills[3].path, root.join("a-b/SKILL.md"));
    let again = read(&root, None).unwrap();
    assert_eq!(directory, again);
}

#[test]
fn the_registry_is_what_the_operations_take() {
    let root = scratch("registry");
    skill(&root, "b", "description: d\nsource: bundled");
    skill(&root, "a", "name: n\nnamespace: s");
    let directory = read(&root, Some("user")).unwrap();
    let expected = json!({"_type": "skill_registry", "skills": [
        {"name": "n", "namespace": "s", "body": "body\n", "source": "user"},
        {"name": "b", "description": "d", "body": "body\n", "source": "user"},
    ]});
    assert_eq!(directory.registry(), expected);
    assert_eq!(directory.skills[0].warnings.len(), 1, "no description");
    assert_eq!(SkillDirectory::default().registry(), json!({"_type": "skill_registry", "skills": []}));
}

#[test]
fn a_root_without_a_name_of_its_own_still_names_its_skill() {
    let root = scratch("unnamed");
    skill(&root, "deploy", "description: d");
    fs::create_dir(root.join("deploy/inner")).unwrap();
    assert_eq!(names(&read(&root.join("deploy/inner/.."), None).unwrap()), ["deploy"]);
}

#[test]
fn only_a_root_that_cannot_be_read_is_an_error() {
    let root = scratch("root");
    fs::write(root.join("SKILL.md"), "").unwrap();
    assert!(read(&root.join("none"), None).is_err());
    assert!(read(&root.join("SKILL.md"), None).is_err());
    assert_eq!(read(&root, None).unwrap().unreadable.len(), 1);
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_listed() {
    let root = scratch("faults");
    skill(&root, "good", "description: d");
    skill(&root, "colon", "name: colon\ndescription: a: b");
    skill(&root, "SKILL.md", "description: d");
    for (directory, bytes) in [("empty", &b""[..]), ("latin", b"---\nname: caf\xe9\n---\n"), ("none", b"# Title\n")] {
        fs::create_dir(root.join(directory)).unwrap();
        fs::write(root.join(directory).join("SKILL.md"), bytes).unwrap();
    }
    let directory = read(&root, None).unwrap();
    assert_eq!(names(&directory), ["SKILL.md", "good"]);
    let places: Vec<_> = directory.unreadable.iter().map(|fault| (fault.line, fault.column)).collect();
    assert_eq!(places, [(None, None), (Some(3), Some(15)), (Some(1), Some(1)), (Some(2), Some(10)), (Some(1), Some(1))]);
    let faults = faults(&root, &directory);
    assert_eq!(faults[0], "SKILL.md: a directory; SKILL.md must be a file");
    assert!(faults[1].starts_with("colon/SKILL.md: mapping values are not allowed"), "{faults:?}");
}

#[test]
fn a_file_over_the_limit_is_not_read() {
    let root = scratch("large");
    let limit = Limits::default().file_bytes;
    for (name, size) in [("fits", limit), ("over", limit + 1), ("vast", 1 << 40)] {
        skill(&root, name, "description: d");
        let path = root.join(name).join("SKILL.md");
        if name == "fits" {
            let mut text = fs::read(&path).unwrap();
            text.resize(usize::try_from(size).unwrap(), b'x');
            fs::write(&path, text).unwrap();
        } else {
            // Sparse: a terabyte takes no room, but reading it would take hours.
            fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(size).unwrap();
        }
    }
    let directory = read(&root, None).unwrap();
    assert_eq!(names(&directory), ["fits"]);
    let expected = "larger than 1048576 bytes, and not read; keep long texts in files beside it";
    assert_eq!(faults(&root, &directory), [format!("over/SKILL.md: {expected}"), format!("vast/SKILL.md: {expected}")]);
}

#[test]
fn limits_on_the_whole_are_reported_and_what_was_found_is_kept() {
    let root = scratch("limits");
    for number in 0..10 {
        skill(&root, &format!("s{number}"), "description: d");
    }
    let within = |limits| read_within(&root, None, limits).unwrap();
    let all = within(Limits { entries: 20, ..Limits::default() });
    assert_eq!((all.skills.len(), all.unreadable.len()), (10, 0));

    let few = within(Limits { entries: 19, ..Limits::default() });
    assert!(few.skills.len() < 10);
    assert_eq!(few.unreadable[0].path, root);
    assert!(few.unreadable[0].message.starts_with("more than 19 files and directories"), "{:?}", few.unreadable);

    let size = fs::metadata(root.join("s0/SKILL.md")).unwrap().len();
    let some = within(Limits { total_bytes: 3 * size, ..Limits::default() });
    assert_eq!(names(&some), ["s0", "s1", "s2"]);
    assert!(some.unreadable[0].message.contains("the last 7 files were not read"), "{:?}", some.unreadable);
}

#[test]
fn files_that_claim_one_id_are_all_listed_and_reported() {
    let root = scratch("duplicates");
    skill(&root, "1", "name: a");
    skill(&root, "2", "name: a\nnamespace: n");
    skill(&root, "3/a", "description: d");
    skill(&root, "4", "name: n/a");
    skill(&root, "5", "name: b");
    let directory = read(&root, None).unwrap();
    assert_eq!(directory.skills.len(), 5);
    let path = |name: &str| root.join(name).join("SKILL.md");
    assert_eq!(directory.duplicates, [("a".to_owned(), vec![path("1"), path("3/a")]), ("n/a".to_owned(), vec![path("2"), path("4")])]);
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    use std::process::Command;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::*;

    /// Reads a directory, or fails where that takes longer than anything here should.
    fn read_soon(root: &Path) -> SkillDirectory {
        let (sender, receiver) = mpsc::channel();
        let owned = root.to_owned();
        thread::spawn(move || sender.send(read(&owned, None).unwrap()));
        receiver.recv_timeout(Duration::from_secs(60)).expect("the search hangs")
    }

    #[test]
    fn links_to_directories_are_followed_and_each_directory_is_entered_once() {
        let base = scratch("links");
        let (root, outside) = (base.join("root"), base.join("outside"));
        skill(&root, "real", "description: d");
        skill(&outside, "tool", "description: d");
        skill(&outside, "tool/part", "description: d");
        // The link sorts before the real directory and must not take its place.
        symlink("real", root.join("alias")).unwrap();
        // The inner directory comes first, by a link of its own, and is not entered again by way of the outer one.
        symlink("../outside/tool/part", root.join("inner")).unwrap();
        symlink("../outside/tool", root.join("linked")).unwrap();
        symlink("../outside/tool", root.join("linked-again")).unwrap();
        symlink("../../outside/tool/part", root.join("real/part")).unwrap();
        let directory = read_soon(&root);
        assert_eq!(names(&directory), ["inner", "linked", "real"]);
        assert_eq!(directory.unreadable, []);
    }

    #[test]
    fn loops_of_links_end() {
        let base = scratch("loops");
        let root = base.join("root");
        skill(&root, "a/b", "description: d");
        skill(&base, "beside", "description: d");
        symlink(".", root.join("self")).unwrap();
        symlink("../..", root.join("a/b/back")).unwrap();
        symlink("..", root.join("up")).unwrap();
        symlink("spin", root.join("spin")).unwrap();
        symlink("pong", root.join("ping")).unwrap();
        symlink("ping", root.join("pong")).unwrap();
        let directory = read_soon(&root);
        assert_eq!(names(&directory), ["b"], "what lies beside the root is not below it");
        let faults = faults(&root, &directory);
        let starts = [
            "ping: a link that can't be followed",
            "pong: a link that can't be followed",
            "spin: a link that can't be followed",
            "up: a link upwards, to ",
        ];
        assert_eq!(faults.len(), starts.len(), "{faults:?}");
        assert!(faults.iter().zip(starts).all(|(fault, start)| fault.starts_with(start)), "{faults:?}");
    }

    #[test]
    fn a_way_round_by_links_does_not_lead_above_the_root() {
        let base = scratch("round");
        let root = base.join("a/root");
        skill(&base, "a/beside", "description: d");
        skill(&base, "outside/tool", "description: d");
        fs::create_dir(&root).unwrap();
        symlink("../../outside", root.join("out")).unwrap();
        symlink("../a", base.join("outside/up")).unwrap();
        let directory = read_soon(&root);
        assert_eq!(names(&directory), ["tool"]);
        let faults = faults(&root, &directory);
        assert!(faults.len() == 1 && faults[0].starts_with("out/up: a link upwards, to "), "{faults:?}");
    }

    #[test]
    fn a_link_named_as_a_skill_file_is_reported_once() {
        let root = scratch("named_link");
        for (directory, target) in [("loop", "SKILL.md"), ("up", "../..")] {
            fs::create_dir(root.join(directory)).unwrap();
            symlink(target, root.join(directory).join("SKILL.md")).unwrap();
        }
        let faults = faults(&root, &read_soon(&root));
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].starts_with("loop/SKILL.md: can't be read: "), "{faults:?}");
        assert_eq!(faults[1], "up/SKILL.md: a directory; SKILL.md must be a file");
    }

    #[test]
    fn a_lattice_of_links_takes_no_time() {
        let root = scratch("lattice");
        // Thirty directories, each with links to all: more paths than could ever be walked.
        for from in 0..30 {
            skill(&root, &format!("d{from:02}"), "description: d");
            for to in 0..30 {
                symlink(format!("../d{to:02}"), root.join(format!("d{from:02}/l{to:02}"))).unwrap();
            }
        }
        let directory = read_soon(&root);
        assert_eq!((directory.skills.len(), directory.unreadable.len()), (30, 0));
    }

    #[test]
    fn links_to_nothing_are_reported_where_a_skill_may_be_missed() {
        let root = scratch("dangling");
        fs::create_dir_all(root.join("moved")).unwrap();
        symlink("elsewhere", root.join("moved/SKILL.md")).unwrap();
        symlink("/nowhere/deploy", root.join("deploy")).unwrap();
        symlink("me@host.1234", root.join("moved/.#SKILL.md")).unwrap();
        let directory = read_soon(&root);
        assert_eq!(
            faults(&root, &directory),
            ["deploy: a link to /nowhere/deploy, which is not there", "moved/SKILL.md: a link to elsewhere, which is not there"]
        );
    }

    #[test]
    fn a_linked_file_is_read_and_named_after_the_directory_of_the_link() {
        let root = scratch("linked_file");
        skill(&root, "target", "description: d");
        fs::create_dir(root.join("link")).unwrap();
        symlink("../target/SKILL.md", root.join("link/SKILL.md")).unwrap();
        assert_eq!(names(&read_soon(&root)), ["link", "target"]);
    }

    #[test]
    fn a_root_that_is_a_link_is_read() {
        let base = scratch("linked_root");
        skill(&base, "root/a", "description: d");
        symlink("root", base.join("link")).unwrap();
        let directory = read_soon(&base.join("link"));
        assert_eq!(directory.skills[0].path, base.join("link/a/SKILL.md"));
    }

    #[test]
    fn a_pipe_is_never_opened() {
        let root = scratch("pipe");
        skill(&root, "good", "description: d");
        fs::create_dir(root.join("pipe")).unwrap();
        let made = Command::new("mkfifo").arg(root.join("pipe/SKILL.md")).status();
        if !made.is_ok_and(|status| status.success()) {
            println!("skipped: this system has no mkfifo");
            return;
        }
        let directory = read_soon(&root);
        assert_eq!(names(&directory), ["good"]);
        assert_eq!(faults(&root, &directory), ["pipe/SKILL.md: a pipe, socket or device, and not opened"]);
    }

    #[test]
    fn names_need_not_be_utf8() {
        let root = scratch("bytes");
        for (directory, front_matter) in [(&b"named-\xff"[..], "name: a"), (b"unnamed-\xff", "description: d")] {
            let directory = root.join(OsStr::from_bytes(directory));
            if fs::create_dir(&directory).is_err() {
                println!("skipped: this file system wants UTF-8");
                return;
            }
            fs::write(directory.join("SKILL.md"), format!("---\n{front_matter}\n---\n")).unwrap();
        }
        let directory = read_soon(&root);
        assert_eq!(names(&directory), ["a"]);
        assert_eq!(directory.skills[0].path.parent().unwrap().file_name().unwrap().as_bytes(), b"named-\xff");
        assert_eq!(directory.unreadable.len(), 1);
        assert!(directory.unreadable[0].message.starts_with("no name, and no directory to take one from"), "{directory:?}");
    }

    #[test]
    fn a_tree_deeper_than_any_path_may_be_is_read_as_far_as_it_goes() {
        let root = scratch("deep");
        let branch = |levels: usize| vec!["d".repeat(200); levels].join("/");
        skill(&root, "shallow", "description: d");
        skill(&root, &format!("x/{}", branch(10)), "name: deep");
        skill(&root, &format!("y/{}", branch(15)), "name: deeper");
        let narrow = vec!["n"; 1500].join("/");
        skill(&root, &narrow, "name: narrow");
        // Hung below the other, the second branch is out of the reach of a path.
        fs::rename(root.join("y"), root.join("x").join(branch(10)).join("y")).unwrap();
        let directory = read_soon(&root);
        assert_eq!(names(&directory), ["narrow", "shallow", "deep"]);
        assert_eq!(directory.unreadable.len(), 1, "{:?}", faults(&root, &directory));
        assert!(directory.unreadable[0].message.starts_with("can't be looked into: "), "{:?}", directory.unreadable[0].message);
    }
}
