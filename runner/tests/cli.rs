//! The command as a user meets it: the real binary, its words on both streams, and how it ends.
//!
//! Exit statuses: 0 conformant, 1 not conformant, 2 usage, 4 adapter or protocol, 5 suite invalid.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, and clippy knows only the functions marked as tests")]

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use proofmark::adapter::Operation;
use proofmark::case::{Case, Suite};
use proofmark::verdict::Level;
use serde_json::Value;

#[path = "support/binary.rs"]
mod binary;
#[path = "support/files.rs"]
mod files;
#[cfg(unix)]
#[path = "support/shell_host.rs"]
mod shell_host;
#[path = "support/snapshot.rs"]
mod snapshot;

static SUITE: LazyLock<Suite> = LazyLock::new(|| Suite::embedded().unwrap());

/// A `must` case of one request for evidence, about no layout in particular.
fn some_case() -> &'static Case {
    let plain = |case: &&Case| case.level == Level::Must && case.profile.is_none() && case.steps.len() == 1;
    SUITE.cases().iter().filter(plain).find(|case| case.steps[0].operation == Operation::ActivationEvidence).unwrap()
}

/// Ids of the built-in cases that fulfil a condition, in the suite's order.
fn ids_where(condition: impl Fn(&Case) -> bool) -> Vec<&'static str> {
    SUITE.cases().iter().filter(|case| condition(case)).map(|case| case.id.as_str()).collect()
}

/// The text members of this name in a list of objects.
fn column<'v>(rows: &'v Value, key: &str) -> Vec<&'v str> {
    rows.as_array().unwrap().iter().map(|row| row[key].as_str().unwrap()).collect()
}

#[track_caller]
fn assert_keys(value: &Value, keys: &str) {
    for key in keys.split(' ') {
        assert!(value.get(key).is_some(), "no {key:?} in {value}");
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The words of a line as a shell would take them.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (at, part) in line.split('\'').enumerate() {
        // Every other part stands between quotes.
        let pieces: Vec<&str> = if at % 2 == 1 { vec![part] } else { part.split(' ').collect() };
        for (at, piece) in pieces.into_iter().enumerate() {
            if at > 0 {
                words.push(String::new());
            }
            words.last_mut().unwrap().push_str(piece);
        }
    }
    words
}

/// Writes `directory/SKILL.md` below a root.
fn skill(root: &Path, directory: &str, front_matter: &str) {
    let directory = root.join(directory);
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("SKILL.md"), format!("---\n{front_matter}\n---\nbody\n")).unwrap();
}

mod running {
    use std::collections::BTreeSet;

    use proofmark::contract::rendering::Unit;

    use super::binary::{PROGRAM, proofmark, run};
    use super::*;

    #[test]
    fn without_arguments_the_whole_suite_runs_and_the_reference_is_conformant() {
        let said = run([""; 0]).ends_with(0);
        assert_eq!((said.last_line(), said.err.as_str()), ("conformant", ""));
        let count = SUITE.cases().len();
        assert!(said.out.contains(&format!("{count} in the suite, {count} selected")), "{}", said.out);
    }

    #[test]
    fn a_pattern_is_an_id_a_beginning_a_glob_or_a_file() {
        let id = some_case().id.as_str();
        let unit = ids_where(|case| case.id.starts_with("activation.unit."));
        let file = ids_where(|case| case.file.ends_with("/unit.yaml"));
        for (words, expected) in [
            (id, &vec![id]),
            ("activation.unit", &unit),
            ("activation.unit.*", &unit),
            ("unit.yaml", &file),
            ("spec-cases/skill_activation_evidence/unit.yaml", &file),
            ("--filter activation.unit", &unit),
            (
                "activation.limit activation.order",
                &ids_where(|case| ["activation.limit.", "activation.order."].iter().any(|part| case.id.starts_with(part))),
            ),
        ] {
            let said = run(["run", "--format", "json"].into_iter().chain(words.split(' '))).ends_with(0);
            assert_eq!(column(&said.json()["cases"], "id"), *expected, "{words}");
        }
    }

    #[test]
    fn a_part_of_the_suite_passes_and_is_not_called_conformant() {
        assert_eq!(run(["activation.unit"]).ends_with(0).last_line(), "passed: every selected case");
    }

    #[test]
    fn the_report_as_json_has_its_documented_keys() {
        let said = run(["run", "activation.unit", "--rendering", "harn-0.10", "--format", "json"]).ends_with(1);
        let report = said.json();
        assert_keys(&report, "proofmark suite implementation rendering command summary faults cases exit elapsed_ms repeated");
        assert_keys(&report["summary"], "in_suite selected judged levels rules faults");
        assert_eq!((&report["exit"], said.err.as_str()), (&Value::from(1), ""));
        let failed = report["cases"].as_array().unwrap().iter().find(|case| case["outcome"] == "failed").unwrap();
        assert_keys(failed, "id title level basis clause contract file line outcome findings differences");
        assert_keys(&failed["findings"][0], "level source clause path expected got line column");
    }

    #[test]
    fn what_selects_nothing_is_a_usage_error_that_says_what_was_meant() {
        let id = some_case().id.as_str();
        let near = &id[..id.len() - 1];
        for command in ["run", "list", "show"] {
            run([command, near]).refuses(2, &[near, &format!("did you mean {id}?")]);
            run([command, "zzz"]).refuses(2, &["zzz", "`proofmark list`"]);
        }
        run(["run", "activation.unit", "zzz"]).refuses(2, &["zzz"]);
        run(["explain", "activation#budgt"]).refuses(2, &["did you mean activation#budget?"]);
        run(["explain", "zzz"]).refuses(2, &["zzz", "`proofmark explain`"]);
    }

    #[test]
    fn a_wrong_command_line_is_a_usage_error_with_the_right_words() {
        for (line, words) in [
            ("run --contract nonsense", "skill_activation_evidence"),
            ("list --contract nonsense", "skill_activation_evidence"),
            ("check --contract nonsense x.json", "skill_activation_evidence"),
            ("run --bogus", "--bogus"),
            ("run --verbos", "--verbose"),
            ("list --formt json", "--format"),
            ("run --format xml", "json"),
            ("run --rendering nonsense", "page-1"),
            ("serve --rendering nonsense", "page-1"),
            ("run --rendering wide -- ./host", "--rendering"),
            ("run --fail-on sometimes", "should"),
            ("run --timeout 5h", "ms, s or m"),
            ("run --timeout soon", "500ms"),
            ("run --window 0", "1..=4096"),
            ("run [a", "glob"),
            ("show", "<ID>"),
            ("check", "<FILE>"),
            ("evidence", "DIR"),
        ] {
            run(line.split(' ')).refuses(2, &[words]);
        }
    }

    #[test]
    fn a_failure_below_the_wanted_level_does_not_change_the_exit_status() {
        let may = ids_where(|case| case.level == Level::May && case.assume.unit == Some(Unit::Characters));
        let line = ["run", may[0], "--rendering", "harn-0.10"];
        let said = run(line).ends_with(0);
        assert!(said.out.contains(&format!("FAILED {} (may)", may[0])), "{}", said.out);
        run(line.into_iter().chain(["--fail-on", "should"])).ends_with(0);
        run(line.into_iter().chain(["--fail-on", "may"])).ends_with(1);
    }

    #[test]
    fn a_program_that_is_not_there_is_named_with_what_to_do() {
        let said = run(["run", "--", "/no/such/command"]).ends_with(4);
        for words in ["`/no/such/command` was not found", "PATH", "spelling", "\nadapter at fault"] {
            assert!(said.out.contains(words), "{words:?} is not in: {}", said.out);
        }
        assert_eq!(said.err, "");
    }

    #[test]
    fn an_adapter_that_exits_at_once_is_quoted() {
        let said = run(["run", "--", PROGRAM, "show", "zzz"]).ends_with(4);
        for words in ["before it answered `initialize`", "exited with status 2", "there is no case \"zzz\"", "\nadapter at fault"] {
            assert!(said.out.contains(words), "{words:?} is not in: {}", said.out);
        }
    }

    #[test]
    fn an_adapter_that_talks_to_people_on_stdout_is_told_where_to_talk() {
        let said = run(["run", "--", PROGRAM, "--version"]).ends_with(4);
        for words in ["The line begins: proofmark ", "stderr", "\nadapter at fault"] {
            assert!(said.out.contains(words), "{words:?} is not in: {}", said.out);
        }
    }

    #[test]
    fn an_adapter_that_does_not_start_still_leaves_a_report() {
        let report = run(["run", "--format", "json", "--", "/no/such/command"]).ends_with(4).json();
        assert_eq!((&report["exit"], &report["implementation"]), (&Value::from(4), &Value::Null));
        assert_eq!(report["faults"].as_array().unwrap().len(), 1);
        assert_eq!(report["summary"]["judged"], 0);
    }

    #[test]
    fn cases_count_as_selected_though_no_adapter_answers() {
        let report = run(["run", "activation.unit", "--format", "json", "--", "/no/such/command"]).ends_with(4).json();
        assert_eq!(report["summary"]["selected"], ids_where(|case| case.id.starts_with("activation.unit.")).len());
    }

    #[test]
    fn an_empty_command_does_not_stand_for_the_reference() {
        // What `proofmark run -- $ADAPTER` comes to where nothing set the variable.
        run(["run", "activation.unit", "--"]).refuses(2, &["--"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_line_that_is_no_answer_is_quoted() {
        use super::shell_host::{declaration, result, shell_host};

        let command = shell_host(&files::scratch("chatter"), &result(&declaration()), "", &[("stray", "loading skills...\n")]);
        let said = run(["run", &some_case().id, "--"].into_iter().map(str::to_owned).chain(command)).ends_with(4);
        assert!(said.out.contains("loading skills..."), "{}", said.out);
    }

    #[cfg(unix)]
    #[test]
    fn a_host_that_answers_one_after_the_other_is_not_late() {
        use super::shell_host::{declaration, result, shell_host};

        // It takes as many requests as anybody likes, and a fifth of a second over each: the last one waits for all before it.
        let mut declared = declaration();
        declared["max_in_flight"] = 64.into();
        let refusal = result(&serde_json::json!({"error": {"category": "invalid_registry"}}));
        let command = shell_host(&files::scratch("one-after-the-other"), &result(&declared), &refusal, &[("pause", "0.2")]);
        let mut run = proofmark(["run", "activation.unit", "--no-laws", "--timeout", "2s", "--format", "json", "--"]);
        let report = binary::Said::new(run.args(command).output().unwrap()).ends_with(1).json();
        assert_eq!(report["faults"], serde_json::json!([]));
    }

    #[test]
    fn through_its_own_binary_the_reference_is_conformant() {
        let said = run(["run", "--timeout", "5m", "--", PROGRAM, "serve"]).ends_with(0);
        assert_eq!(said.last_line(), "conformant");
    }

    /// Everything but the cases of many thousand skills: they take the most time and say nothing of a layout.
    fn all_but_scale() -> BTreeSet<String> {
        let parts = SUITE.cases().iter().map(|case| case.id.splitn(3, '.').take(2).collect::<Vec<_>>().join("."));
        parts.filter(|part| part != "activation.scale").collect()
    }

    #[test]
    fn under_another_layout_the_reference_passes_as_well() {
        let mut command = proofmark(["run"]);
        let said = command.args(all_but_scale()).args(["--", PROGRAM, "serve", "--rendering", "wide"]).output().unwrap();
        let said = binary::Said::new(said).ends_with(0);
        assert_eq!(said.last_line(), "passed: every selected case");
    }

    #[test]
    fn a_host_that_counts_bytes_fails_the_cases_about_the_unit_and_no_other() {
        let about_the_unit = ids_where(|case| case.assume.unit.is_some_and(|unit| unit != Unit::Bytes));
        let must = about_the_unit.iter().filter(|id| SUITE.case(id).unwrap().level == Level::Must).count();
        assert!(must > 10, "{about_the_unit:?}");
        for host in [&["--rendering", "harn-0.10"][..], &["--", PROGRAM, "serve", "--rendering", "harn-0.10"]] {
            let mut command = proofmark(["run", "--format", "json"]);
            let said = command.args(all_but_scale()).args(host).output().unwrap();
            let report = binary::Said::new(said).ends_with(1).json();
            let failed: Vec<&Value> = report["cases"].as_array().unwrap().iter().filter(|case| case["outcome"] == "failed").collect();
            let ids: Vec<&str> = failed.iter().map(|case| case["id"].as_str().unwrap()).collect();
            assert_eq!(ids, about_the_unit);
            assert_eq!(report["summary"]["levels"]["must"]["outcomes"]["failed"], must);
        }
    }

    #[test]
    fn the_rerun_line_reruns_the_one_case_that_failed() {
        let said = run(["run", "activation.unit", "--rendering", "harn-0.10"]).ends_with(1);
        let line = said.out.lines().find_map(|line| line.trim().strip_prefix("rerun: proofmark ")).unwrap();
        let again = run(words(line)).ends_with(1);
        assert!(again.out.contains(" 1 selected, 1 judged"), "{line}: {}", again.out);
    }

    #[test]
    fn the_rerun_line_repeats_what_the_outcome_depends_on() {
        // The answer is longer than this, the declaration is not.
        let limited = ["run", &some_case().id, "--max-line-bytes", "800", "--", PROGRAM, "serve"];
        let said = run(limited).ends_with(4);
        let line = said.out.lines().find_map(|line| line.trim().strip_prefix("rerun: proofmark ")).unwrap();
        run(words(line)).ends_with(4);
    }

    #[test]
    fn colour_is_for_terminals_and_for_those_who_force_it() {
        let coloured = |arguments: &[&str], no_color: &str| {
            let mut command = proofmark(["run", &some_case().id]);
            let output = command.args(arguments).env("CLICOLOR_FORCE", "1").env("NO_COLOR", no_color).output().unwrap();
            binary::Said::new(output).ends_with(0).out.contains('\u{1b}')
        };
        assert!(coloured(&[], ""));
        assert!(!coloured(&["--no-color"], ""));
        assert!(!coloured(&[], "1"));
    }
}

mod help {
    use super::binary::{PROGRAM, run};
    use super::*;
    use proofmark::policy::RulePack;
    use proofmark_runner::filter::Filter;

    /// The subcommands that the help lists.
    fn commands() -> Vec<String> {
        let help = run(["--help"]).ends_with(0).out;
        let list = help.split("\nCommands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
        let first = |line: &str| line.strip_prefix("  ").and_then(|line| line.split(' ').next()).unwrap_or_default().to_owned();
        list.lines().map(first).filter(|name| !name.is_empty()).collect()
    }

    #[test]
    fn every_command_has_help_with_examples() {
        let commands = commands();
        for wanted in ["run", "list", "show", "explain", "evidence", "check", "serve"] {
            assert!(commands.iter().any(|command| command == wanted), "{wanted} is not in {commands:?}");
        }
        for command in commands.iter().filter(|command| *command != "help") {
            let said = run([command, "--help"]).ends_with(0);
            let examples = said.out.split("Examples:\n").nth(1).unwrap_or_else(|| panic!("{command} has no examples"));
            assert!(examples.contains(&format!("proofmark {command}")), "{command}: {examples}");
            assert_eq!(said.err, "");
        }
        let help = run(["--help"]).ends_with(0).out;
        for status in ["0 conformant", "1 not conformant", "2 usage", "4 adapter", "5 suite invalid"] {
            assert!(help.contains(status), "{status:?} is not in: {help}");
        }
    }

    #[test]
    fn the_flag_for_a_url_is_shown_in_every_build_and_says_what_is_missing() {
        let help = run(["run", "--help"]).ends_with(0).out;
        assert!(help.contains("--url <URL>") && help.contains("--any-host"), "{help}");
        let words = ["run", "--url", "http://user@127.0.0.1:9/"];
        if cfg!(feature = "http") {
            run(words).refuses(2, &["a user name or a password"]);
        } else {
            run(words).refuses(2, &["--url: this proofmark was built without HTTP", "--features http"]);
        }
    }

    #[test]
    fn examples_name_only_what_exists() {
        let commands = commands();
        let mut wrong = Vec::new();
        for command in std::iter::once("--help").chain(commands.iter().map(String::as_str).filter(|command| *command != "help")) {
            let help = run([command, "--help"]).ends_with(0).out;
            let examples = help.split("Examples:\n").nth(1).unwrap_or_default().split("\n\n").next().unwrap_or_default();
            for line in examples.lines().filter_map(|line| line.trim().strip_prefix("proofmark ")) {
                let words = words(line.split("  ").next().unwrap());
                if words[0].starts_with(char::is_alphabetic) && !commands.contains(&words[0]) {
                    wrong.push(format!("{command}: no command {}", words[0]));
                }
                for word in words.iter().take_while(|word| *word != "--" && *word != "|") {
                    let exists = match word.as_str() {
                        case if case.starts_with("activation.") || case.starts_with("registry.merge") => {
                            Filter::new(std::slice::from_ref(word), None).is_ok_and(|filter| filter.select(&SUITE).is_ok())
                        }
                        clause if clause.contains('#') => SUITE.requirement(clause).is_some(),
                        rule if rule.starts_with("AE-") => RulePack::activation().rule(rule).is_some(),
                        _ => true,
                    };
                    if !exists {
                        wrong.push(format!("{command}: nothing is called {word}"));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn messages_send_nobody_to_a_command_that_is_not_there() {
        let commands = commands();
        for host in [&["/no/such/command"][..], &[PROGRAM, "show", "zzz"], &[PROGRAM, "--version"]] {
            let said = run(["run", "--"].iter().chain(host)).ends_with(4);
            for rest in said.out.split("`proofmark ").skip(1) {
                let name = rest.split([' ', '`']).next().unwrap();
                assert!(commands.iter().any(|command| command == name), "{name} is not in {commands:?}: {}", said.out);
            }
        }
    }

    #[test]
    fn the_version_is_that_of_the_package() {
        assert_eq!(run(["--version"]).ends_with(0).out, format!("proofmark {}\n", env!("CARGO_PKG_VERSION")));
    }
}

mod suites {
    use std::path::PathBuf;

    use super::binary::{Said, proofmark, run};
    use super::files::{copy_tree, repository, scratch};
    use super::*;

    const ID: &str = "activation.small.one-card";
    const CASE: &str = "\
contract: skill_activation_evidence
version: 1
clause: activation#budget
cases:
  - id: activation.small.one-card
    title: One card is shown
    level: must
    basis: text
    since: 0.1.0
    operation: activation.evidence
    given:
      registry: { _type: skill_registry, skills: [{ name: alpha, description: First }] }
      options: { budget: 100000 }
    expect: { result: { shown: [alpha], omitted: [] } }
";

    /// A suite of one case, written with one edit.
    fn small_suite(name: &str, from: &str, to: &str) -> PathBuf {
        let directory = scratch(name);
        copy_tree(
            &repository("spec-cases"),
            &directory,
            &["skill_activation_evidence", "skill_release_receipt", "skill_lifecycle_trace", "evidence_return_packet", "fixtures"],
        );
        fs::create_dir(directory.join("skill_activation_evidence")).unwrap();
        assert_eq!(CASE.matches(from).count(), 1, "{from}");
        fs::write(directory.join("skill_activation_evidence/small.yaml"), CASE.replace(from, to)).unwrap();
        directory
    }

    #[test]
    fn a_copy_of_the_suite_is_as_good_as_the_built_in_one() {
        let directory = scratch("copy");
        // Without the cases of many thousand skills, which make every load of a suite slow.
        copy_tree(&repository("spec-cases"), &directory.join("spec-cases"), &["scale.yaml"]);
        for folder in [&directory, &directory.join("spec-cases")] {
            let report = run(["run", "activation.unit", "--format", "json", "--suite", text(folder)]).ends_with(0).json();
            assert_eq!(column(&report["cases"], "id"), ids_where(|case| case.id.starts_with("activation.unit.")));
            assert_eq!(report["summary"]["in_suite"], ids_where(|case| !case.file.ends_with("/scale.yaml")).len());
        }
    }

    #[test]
    fn a_suite_of_ones_own_runs() {
        let directory = small_suite("own", "First", "First");
        let said = run(["--suite", text(&directory)]).ends_with(0);
        assert!(said.out.contains("1 in the suite, 1 selected, 1 judged"), "{}", said.out);
        assert_eq!(said.last_line(), "conformant");
    }

    #[test]
    fn a_broken_suite_is_named_by_file_line_and_column_and_nothing_of_it_runs() {
        for (name, from, to, place, words) in [
            ("duplicate-key", "    level: must\n", "    level: must\n    title: Twice\n", "8:5", "duplicate key \"title\""),
            ("unknown-key", "    level: must\n", "    level: must\n    levle: must\n", "8:5", "levle"),
            ("above-its-basis", "basis: text\n", "basis: measured\n    rationale: Seen in one host\n", "7:5", "measured"),
            ("contradiction", "shown: [alpha], omitted: []", "shown: [], omitted: [alpha]", "14:25", "/shown"),
            ("unfinished", "shown: [alpha], omitted: []", "shown: [alpha, omitted: []", "14:", ""),
        ] {
            let directory = small_suite(name, from, to);
            let place = format!("skill_activation_evidence/small.yaml:{place}");
            for line in ["run", "run -- /no/such/command", "list", "show activation.small.one-card", "explain AE-118"] {
                let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
                let arguments = [command, "--suite", text(&directory)].into_iter().chain(rest.split_terminator(' '));
                run(arguments).refuses(5, &["the suite is invalid", &place, words]);
            }
        }
    }

    #[test]
    fn a_suite_that_is_not_there_is_a_usage_error() {
        let directory = scratch("nowhere").join("none");
        for command in ["run", "list", "explain"] {
            run([command, "--suite", text(&directory)]).refuses(2, &[text(&directory), "no directory"]);
        }
    }

    #[test]
    fn a_case_shown_from_a_suite_of_ones_own_says_how_to_run_it() {
        let directory = small_suite("shown", "First", "First");
        let said = run(["show", ID, "--suite", text(&directory)]).ends_with(0);
        let line = said.last_line().strip_prefix("run it: proofmark ").unwrap();
        let again = run(words(line)).ends_with(0);
        assert!(again.out.contains("1 in the suite, 1 selected, 1 judged"), "{}", again.out);
    }

    #[test]
    fn a_suite_cannot_command_the_terminal() {
        let directory = small_suite("hostile", "One card is shown", "\"One \\e[2J card\"");
        for line in ["list", "show activation.small.one-card"] {
            let mut command = proofmark(line.split(' ').chain(["--suite", text(&directory)]));
            let said = Said::new(command.env("CLICOLOR_FORCE", "1").output().unwrap()).ends_with(0);
            assert!(!said.out.contains("\u{1b}[2J"), "{line}: {:?}", said.out);
        }
    }
}

mod telling {
    use super::binary::run;
    use super::*;
    use proofmark::policy::RulePack;

    #[test]
    fn list_has_a_line_for_each_case() {
        let said = run(["list"]).ends_with(0);
        let ids: Vec<&str> = said.out.lines().map(|line| line.split_whitespace().nth(1).unwrap()).collect();
        assert_eq!(ids, ids_where(|_| true));
        assert!(said.out.contains(&some_case().title));
        let part = run(["list", "activation.unit"]).ends_with(0);
        assert_eq!(part.out.lines().count(), ids_where(|case| case.id.starts_with("activation.unit.")).len());
    }

    #[test]
    fn list_as_json_has_a_row_for_each_case() {
        let rows = run(["list", "--format", "json"]).ends_with(0).json();
        assert_eq!(column(&rows, "id"), ids_where(|_| true));
        assert_keys(&rows[0], "id title level basis clause contract operations since catches file line");
    }

    #[test]
    fn show_has_the_case_its_clause_and_its_place() {
        let case = some_case();
        let requirement = SUITE.requirement(&case.clause).unwrap();
        let said = run(["show", &case.id]).ends_with(0);
        let place = format!("{}:{}", case.file, case.place.line);
        for words in [&case.id, &case.title, &case.clause, &requirement.text, &place, &format!("- id: {}", case.id)] {
            assert!(said.out.contains(words.as_str()), "{words:?} is not in: {}", said.out);
        }
        assert_eq!(said.last_line(), format!("run it: proofmark run {}", case.id));

        let shown = run(["show", &case.id, "--format", "json"]).ends_with(0).json();
        assert_keys(&shown, "id title level basis since clause rationale catches profile without steps file line yaml");
        assert_keys(&shown["clause"], "id text section");
        assert_keys(&shown["steps"][0], "name operation given");
        assert_eq!(shown["id"], case.id);
    }

    #[test]
    fn every_rule_is_listed() {
        let rules: Vec<&str> = RulePack::shipped().iter().flat_map(RulePack::rules).map(|rule| rule.id.as_str()).collect();
        assert!(RulePack::shipped().iter().all(|pack| pack.rules().is_sorted_by_key(|rule| &rule.id)) && rules.len() >= 80, "{rules:?}");
        let said = run(["explain"]).ends_with(0);
        assert_eq!(said.out.lines().map(|line| line.split(' ').next().unwrap()).collect::<Vec<_>>(), rules);
        let rows = run(["explain", "--format", "json"]).ends_with(0).json();
        assert_eq!(column(&rows, "id"), rules);
    }

    #[test]
    fn a_rule_is_explained_with_examples_that_keep_it_and_that_break_it() {
        let said = run(["explain", "AE-118"]).ends_with(0);
        for words in
            ["AE-118 (must, basis declared)", "longest prefix", "activation#budget", "\nkeeps it:\n", "\nbreaks it, one edit away:\n"]
        {
            assert!(said.out.contains(words), "{words:?} is not in: {}", said.out);
        }
        assert_eq!(run(["explain", "ae-118"]).ends_with(0).out, said.out);
        let rule = run(["explain", "AE-118", "--format", "json"]).ends_with(0).json();
        assert_keys(&rule, "id level basis clause title operations law alone milder pass fail");
        assert!(!rule["pass"].as_array().unwrap().is_empty() && !rule["fail"].as_array().unwrap().is_empty());
    }

    #[test]
    fn a_clause_is_explained_with_its_rules_and_its_cases() {
        let said = run(["explain", "activation#budget"]).ends_with(0);
        assert!(said.out.contains("AE-118") && said.out.contains("The builtin"), "{}", said.out);
        let cases = ids_where(|case| case.clause == "activation#budget");
        let listed: Vec<&str> = said.out.lines().skip_while(|line| !line.starts_with("cases: ")).skip(1).map(str::trim).collect();
        assert_eq!(listed, cases);
        let clause = run(["explain", "activation#budget", "--format", "json"]).ends_with(0).json();
        assert_keys(&clause, "id level section text untestable rules cases");
    }
}

mod evidence {
    use std::path::PathBuf;

    use super::binary::{run, run_with_input};
    use super::files::scratch;
    use super::snapshot::assert_snapshot;
    use super::*;

    /// Two layers that both have `deploy`, one of them with a file that can't be read; and an empty directory.
    pub(super) fn fixture(name: &str) -> PathBuf {
        let root = scratch(name);
        skill(&root, "project/broken", "name: broken\ndescription: a: b");
        skill(&root, "project/deploy", "name: deploy\ndescription: Ship the current build");
        skill(&root, "project/manual", "name: manual\ndescription: Only by hand\ndisable-model-invocation: true");
        skill(&root, "project/review", "name: review\ndescription: Read a change and say what is wrong with it");
        skill(&root, "project/weekly", "name: 週報\ndescription: 每週五寫一份週報\nwhen-to-use: On Fridays");
        skill(&root, "user/deploy", "name: deploy\ndescription: The way I ship");
        skill(&root, "user/notes", "name: notes\ndescription: Take notes");
        fs::create_dir(root.join("empty")).unwrap();
        root
    }

    #[test]
    fn what_can_be_read_is_listed_and_the_rest_is_named_on_stderr() {
        let project = fixture("table").join("project");
        // Under page-1 the header takes 216, `deploy` 34, `review` 55 and the weekly report 35, with a line break between cards. All
        // together are one too long for 341, and then `review` yields to the line that counts what was dropped.
        let said = run(["evidence", text(&project), "--budget", "341", "--loaded", "review"]).ends_with(0);
        assert_snapshot("cli-evidence-table.txt", &said.out);
        let broken = project.join("broken/SKILL.md");
        assert!(said.err.starts_with(&format!("unreadable: {}:3:15: ", broken.display())), "{}", said.err);
    }

    #[test]
    fn the_catalog_is_what_the_model_would_see() {
        let project = fixture("catalog").join("project");
        let said = run(["evidence", text(&project), "--budget", "341", "--catalog"]).ends_with(0);
        assert_snapshot("cli-evidence-catalog.txt", &said.out);
        let catalog = run(["evidence", text(&project), "--budget", "341", "--catalog", "--format", "json"]).ends_with(0).json();
        assert_eq!(catalog["shown"], serde_json::json!(["deploy"]));
        // The line break at the end is the terminal's, not the catalog's.
        assert_eq!(format!("{}\n", catalog["text"].as_str().unwrap()), said.out);
    }

    #[test]
    fn two_layers_are_merged_and_each_card_names_its_own() {
        let root = fixture("layers");
        let (project, user) = (root.join("project"), root.join("user"));
        let cards = |arguments: &[&str]| -> Vec<[String; 3]> {
            let payload = run(["evidence", "--format", "json"].iter().chain(arguments)).ends_with(0).json();
            let cards = payload["cards"].as_array().unwrap().iter();
            cards.map(|card| ["id", "source", "description"].map(|key| card[key].as_str().unwrap().to_owned())).collect()
        };
        let (as_project, as_user) = (format!("project={}", project.display()), format!("user={}", user.display()));
        let merged = cards(&[&as_user, &as_project]);
        assert_eq!(merged[0], ["deploy", "project", "Ship the current build"]);
        assert_eq!(merged[2], ["notes", "user", "Take notes"]);
        assert_eq!(merged.iter().map(|card| card[0].as_str()).collect::<Vec<_>>(), ["deploy", "manual", "notes", "review", "週報"]);

        let as_bundled = format!("bundled={}", user.display());
        assert_eq!(cards(&[&as_project, &as_bundled])[0], ["deploy", "bundled", "The way I ship"]);
        assert_eq!(cards(&[text(&user)])[0], ["deploy", "project", "The way I ship"], "without a label");
    }

    #[test]
    fn what_is_no_directory_of_skills_is_a_usage_error() {
        let root = fixture("none");
        run(["evidence", text(&root.join("empty"))]).refuses(2, &["empty", "no SKILL.md"]);
        run(["evidence", text(&root.join("missing"))]).refuses(2, &["missing"]);
        run(["evidence", text(&root.join("user/notes/SKILL.md"))]).refuses(2, &["SKILL.md"]);
        let (known, unknown) = (format!("user={}", root.join("user").display()), format!("mine={}", root.join("user").display()));
        run(["evidence", &known, &unknown]).refuses(2, &["unknown_layer", "bundled, cli, runtime, host, project, package, user"]);
        let said = run(["evidence", text(&root.join("project/broken"))]).ends_with(2);
        assert!(said.err.contains("broken/SKILL.md:3:15: ") && said.err.contains("\nerror: "), "{}", said.err);
    }

    #[test]
    fn a_budget_or_a_limit_out_of_bounds_is_a_usage_error() {
        let user = fixture("bounds").join("user");
        for flag in ["--budget", "--catalog-limit"] {
            for value in ["0", "9007199254740992", "18446744073709551616", "1.5", "many"] {
                run(["evidence", text(&user), flag, value]).refuses(2, &[flag, value]);
            }
            run(["evidence", text(&user), flag, "9007199254740991"]).ends_with(0);
        }
    }

    #[test]
    fn its_own_payload_passes_its_own_check() {
        let project = fixture("round").join("project");
        for (budget, rendering) in [("1", "page-1"), ("341", "page-1"), ("9007199254740991", "harn-0.10"), ("2000", "wide")] {
            let payload = run(["evidence", text(&project), "--budget", budget, "--rendering", rendering, "--format", "json"]).ends_with(0);
            let said = run_with_input(&payload.out, ["check", "-", "--rendering", rendering]).ends_with(0);
            assert_eq!(said.out.lines().next(), Some("<stdin>: valid"));
        }
    }

    #[test]
    fn no_character_is_lost_on_the_way_to_json() {
        let root = scratch("delete");
        skill(&root, "odd", r#"description: "a \x7f b""#);
        let payload = run(["evidence", text(&root), "--format", "json"]).ends_with(0);
        assert_eq!(payload.json()["cards"][0]["description"], "a \u{7f} b");
        run_with_input(&payload.out, ["check", "-", "--rendering", "page-1"]).ends_with(0);
    }
}

mod checking {
    use std::path::PathBuf;

    use serde_json::json;

    use super::binary::{Said, run, run_with_input};
    use super::files::scratch;
    use super::*;

    /// A good payload, in a directory of this test's own.
    fn payload(name: &str) -> (PathBuf, Value) {
        let root = evidence::fixture(name);
        let payload = run(["evidence", text(&root.join("project")), "--format", "json"]).ends_with(0).json();
        (root, payload)
    }

    fn edited(payload: &Value, pointer: &str, value: Value) -> Value {
        let mut payload = payload.clone();
        *payload.pointer_mut(pointer).unwrap() = value;
        payload
    }

    fn written(directory: &Path, name: &str, text: &str) -> String {
        let path = directory.join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    #[test]
    fn one_edit_is_found_with_its_rule_and_its_place() {
        let (directory, payload) = payload("edits");
        for (pointer, value, rule) in [
            ("/_type", json!("skill_registry"), "AE-101"),
            ("/schema_version", json!("1"), "AE-102"),
            ("/used_tokens", json!(1), "AE-106"),
            ("/cards/0/token_estimate", json!(99), "AE-106"),
            ("/cards/1/lifecycle", json!("hidden"), "AE-111"),
            ("/cards/2/matched", json!({"score": "high"}), "AE-114"),
        ] {
            let document = edited(&payload, pointer, value);
            let file = written(&directory, "edited.json", &serde_json::to_string(&document).unwrap());
            let contract = ["--contract", "skill_activation_evidence"];
            let said = run(["check", &file].into_iter().chain(contract)).ends_with(1);
            assert!(said.out.starts_with(&format!("{file}: not valid\n")), "{}", said.out);
            assert!(said.out.lines().any(|line| line.starts_with(&format!("  {rule} (must) {pointer}"))), "{rule} {pointer}: {}", said.out);
            assert_eq!((said.last_line(), said.err.as_str()), ("0 valid, 1 not valid, 0 not readable", ""));

            let row = run(["check", &file, "--format", "json"].into_iter().chain(contract)).ends_with(1).json();
            assert_keys(&row, "document verdict");
            assert_keys(&row["verdict"], "valid violations not_judged");
            assert_eq!((&row["document"], &row["verdict"]["valid"]), (&json!(file), &json!(false)));
            let mut violations = row["verdict"]["violations"].as_array().unwrap().iter();
            let violation = violations.find(|it| it["rule"] == rule && it["path"].as_str().unwrap().starts_with(pointer)).unwrap();
            assert_keys(violation, "rule level path message");
        }
    }

    #[test]
    fn in_yaml_a_violation_has_a_line_and_a_column() {
        let (directory, payload) = payload("yaml");
        // JSON laid out over lines is YAML as well.
        let document = serde_json::to_string_pretty(&edited(&payload, "/cards/1/token_estimate", json!(99))).unwrap();
        let line = 1 + document.lines().position(|line| line.contains("\"token_estimate\": 99")).unwrap();
        let column = 1 + document.lines().nth(line - 1).unwrap().find('"').unwrap();
        let said = run(["check", &written(&directory, "edited.yaml", &document)]).ends_with(1);
        let place = format!("AE-106 (must) /cards/1/token_estimate (line {line}, column {column}) ");
        assert!(said.out.contains(&place), "{place:?} is not in: {}", said.out);
    }

    #[test]
    fn in_json_lines_every_line_is_judged_by_its_number() {
        let (directory, payload) = payload("lines");
        let bad = edited(&payload, "/used_tokens", json!(1));
        let file = written(&directory, "many.jsonl", &format!("{payload}\n\n{bad}\n{payload}\n"));
        let expected = |name: &str| format!("{name}:1: valid\n{name}:3: not valid\n  AE-106 (must) /used_tokens ");
        let said = run(["check", &file]).ends_with(1);
        assert!(said.out.starts_with(&expected(&file)), "{}", said.out);
        assert!(said.out.contains(&format!("\n{file}:4: valid\n")), "{}", said.out);
        assert_eq!(said.last_line(), "2 valid, 1 not valid, 0 not readable");
        // A stream without a name is recognised by its text.
        let stream = fs::read_to_string(&file).unwrap();
        let said = run_with_input(&stream, ["check", "-"]).ends_with(1);
        assert!(said.out.starts_with(&expected("<stdin>")), "{}", said.out);

        let rows = run(["check", &file, "--format", "json"]).ends_with(1);
        let rows: Vec<Value> = rows.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(rows.iter().map(|row| &row["verdict"]["valid"]).collect::<Vec<_>>(), [true, false, true]);
    }

    #[test]
    fn what_cannot_be_read_is_named_with_its_place() {
        let directory = scratch("unreadable");
        for (name, text, words) in [
            ("broken.json", "{\"_type\": \"skill_activation_evidence\",\n \"shown\": [}", "line 2, column 12: "),
            ("twice.json", "{\"a\": 1, \"a\": 2}", "line 1, column 12: duplicate key \"a\""),
            ("broken.yaml", "_type: skill_activation_evidence\nshown: [\n", "line 3, "),
            ("broken.jsonl", "{}\n{\"a\":\n", ":2: can't be read: column 5: "),
            ("empty.json", "", "can't be read"),
            ("registry.json", "{\"_type\": \"skill_registry\", \"skills\": []}", "skill_registry"),
            (
                "untyped.json",
                "{\"shown\": []}",
                "--contract (skill_activation_evidence, skill_release_receipt, skill_lifecycle_trace, evidence_return_packet)",
            ),
            ("list.json", "[1, 2]", "of type array, not a mapping"),
        ] {
            let file = written(&directory, name, text);
            let said = run(["check", &file]).ends_with(2);
            assert!(said.out.starts_with(&file) && said.out.contains(words), "{words:?} is not in: {}", said.out);
            let row = run(["check", &file, "--format", "json"]).ends_with(2);
            assert_keys(&serde_json::from_str(row.out.lines().last().unwrap()).unwrap(), "document error");
        }
        for (path, words) in [(directory.clone(), "it is a directory; name the files"), (directory.join("none.json"), "can't be read")] {
            let said = run(["check", text(&path)]).ends_with(2);
            assert!(said.out.starts_with(text(&path)) && said.out.contains(words), "{}", said.out);
        }
    }

    #[test]
    fn standard_input_is_checked_and_nothing_is_no_proof() {
        let (_, payload) = payload("stdin");
        let said = run_with_input(&payload.to_string(), ["check", "-"]).ends_with(0);
        assert!(said.out.starts_with("<stdin>: valid\n"), "{}", said.out);
        run_with_input(&edited(&payload, "/used_tokens", json!(1)).to_string(), ["check", "-"]).ends_with(1);
        run_with_input("{\"a\": ", ["check", "-"]).ends_with(2);
        run_with_input("", ["check", "-"]).ends_with(2);
        run_with_input("", ["check", "-", "--form", "jsonl"]).ends_with(2);
    }

    #[test]
    fn of_several_documents_the_worst_decides() {
        let (directory, payload) = payload("several");
        let good = written(&directory, "good.json", &payload.to_string());
        let bad = written(&directory, "bad.json", &edited(&payload, "/used_tokens", json!(1)).to_string());
        let none = directory.join("none.json");
        assert_eq!(run(["check", &good, &good]).ends_with(0).last_line(), "2 valid, 0 not valid, 0 not readable");
        assert_eq!(run(["check", &good, &bad]).ends_with(1).last_line(), "1 valid, 1 not valid, 0 not readable");
        assert_eq!(run(["check", text(&none), &bad, &good]).ends_with(2).last_line(), "1 valid, 1 not valid, 1 not readable");
        let quiet = run(["check", "--quiet", &good, &bad]).ends_with(1);
        assert!(!quiet.out.contains("good.json") && quiet.out.contains("bad.json"), "{}", quiet.out);
    }

    /// The rules that were not judged, by the last but one line.
    fn not_judged(said: &Said) -> Vec<&str> {
        let line = said.out.lines().find_map(|line| line.strip_prefix("not judged from this alone: ")).unwrap_or_default();
        line.split(" (").next().unwrap().split_terminator(", ").collect()
    }

    #[test]
    fn the_more_is_given_the_more_is_judged() {
        let directory = scratch("more");
        let registry = json!({"_type": "skill_registry", "skills": [{"name": "a", "description": "one"}, {"name": "b"}]});
        let registry = written(&directory, "registry.json", &registry.to_string());
        let options = written(&directory, "options.json", r#"{"catalog_limit": 1}"#);
        // By hand under page-1: 216 for the header, 4 + 1 + 2 + 3 for the one card.
        let card = |id: &str, text: &str, selected: bool, chars: u64| {
            json!({
                "id": id, "name": id, "source": null, "description": text, "when_to_use": "", "disable_model_invocation": false,
                "selected": selected, "omitted_reason": (!selected).then_some("catalog_limit"), "char_estimate": chars,
                "token_estimate": chars.div_ceil(4), "lifecycle": if selected { "shown" } else { "omitted" }, "matched": null,
            })
        };
        let payload = json!({
            "_type": "skill_activation_evidence", "schema_version": 1, "budget_chars": 2000, "used_chars": 226, "budget_tokens": 500,
            "used_tokens": 57, "shown": ["a"], "omitted": ["b"], "cards": [card("a", "one", true, 10), card("b", "", false, 5)],
        });
        let file = written(&directory, "evidence.json", &payload.to_string());
        let alone = run(["check", &file]).ends_with(0);
        assert!(not_judged(&alone).contains(&"AE-110") && not_judged(&alone).contains(&"AE-120"), "{}", alone.out);
        let with_all = ["--rendering", "page-1", "--registry", &registry, "--options", &options];
        let judged = run(["check", &file].iter().chain(&with_all)).ends_with(0);
        // Only the catalog itself is still wanting.
        assert_eq!(not_judged(&judged), ["AE-201", "AE-202"]);

        let longer = written(&directory, "longer.json", &edited(&payload, "/cards/0/char_estimate", json!(9)).to_string());
        run(["check", &longer]).ends_with(0);
        let said = run(["check", &longer].iter().chain(&with_all)).ends_with(1);
        assert!(said.out.contains("  AE-110 (must) /cards/0/char_estimate "), "{}", said.out);
        let said = run(["check", &file, "--rendering", "page-1", "--registry", &registry]).ends_with(1);
        assert!(said.out.contains("  AE-120 (must) /cards/1"), "without the option nothing is over a limit: {}", said.out);
    }

    #[test]
    fn a_registry_or_options_that_are_none_are_refused() {
        let (directory, payload) = payload("no-registry");
        let file = written(&directory, "evidence.json", &payload.to_string());
        let registry = written(&directory, "registry.json", r#"{"_type": "skill_registry", "skills": []}"#);
        let options = written(&directory, "options.json", r#"{"budget": "large"}"#);
        run(["check", &file, "--registry", &file]).refuses(2, &["--registry", &file]);
        run(["check", &file, "--registry", &registry, "--options", &options]).refuses(2, &["--options", &options]);
        run(["check", &file, "--registry", text(&directory.join("none.json"))]).refuses(2, &["none.json"]);
    }
}

mod serving {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};

    use super::binary::{ending_of, piped, proofmark};
    use super::*;

    const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":[1],"runner":{"name":"test","version":"1"},"suite":{"version":"1","digest":"d"},"nonce":"n"}}"#;
    const SHUTDOWN: &str = r#"{"jsonrpc":"2.0","id":2,"method":"shutdown","params":{}}"#;

    #[test]
    fn a_handshake_is_answered_at_once_and_shutdown_ends_it() {
        let mut child = piped(&mut proofmark(["serve", "--rendering", "wide"]));
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut ask = |request: &str| -> Value {
            stdin.write_all(format!("{request}\n").as_bytes()).unwrap();
            let mut line = String::new();
            stdout.read_line(&mut line).unwrap();
            serde_json::from_str(&line).unwrap()
        };
        let declared = ask(HELLO);
        assert_eq!((&declared["id"], &declared["jsonrpc"]), (&Value::from(1), &Value::from("2.0")));
        assert_keys(&declared["result"], "protocol implementation operations contracts rendering diagnostics max_in_flight");
        assert_eq!(declared["result"]["rendering"]["header"], 900);
        let bye = ask(SHUTDOWN);
        assert_eq!((&bye["id"], bye.get("result")), (&Value::from(2), Some(&Value::Null)));
        // Its standard input is still open.
        assert_eq!(ending_of(&mut child).code(), Some(0));
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).unwrap();
        child.stderr.take().unwrap().read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
        drop(stdin);
    }

    #[test]
    fn the_end_of_its_input_ends_it_with_everything_answered() {
        let mut child = piped(&mut proofmark(["serve"]));
        let mut stdin = child.stdin.take().unwrap();
        // The last line is not ended.
        stdin.write_all(format!("{HELLO}\nno request\n{}", HELLO.replace("\"id\":1", "\"id\":3")).as_bytes()).unwrap();
        drop(stdin);
        assert_eq!(ending_of(&mut child).code(), Some(0));
        let mut answers = String::new();
        child.stdout.take().unwrap().read_to_string(&mut answers).unwrap();
        let answers: Vec<Value> = answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(answers.iter().map(|answer| &answer["id"]).collect::<Vec<_>>(), [&Value::from(1), &Value::Null, &Value::from(3)]);
        assert!(answers[1].get("error").is_some() && answers[2].get("error").is_some(), "{answers:?}");
    }
}

mod pipes {
    use std::io::Read as _;

    use super::binary::{ending_of, piped, proofmark, run};
    use super::*;

    /// How it ends when nobody reads what it writes, and what it says on stderr.
    fn unread(arguments: &[&str]) -> (Option<i32>, String) {
        let mut child = piped(&mut proofmark(arguments));
        drop(child.stdout.take());
        let code = ending_of(&mut child).code();
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        (code, err)
    }

    #[test]
    fn a_reader_that_has_gone_is_no_error() {
        let id = some_case().id.as_str();
        for arguments in [
            &["list"][..],
            &["list", "--format", "json"],
            &["explain"],
            &["explain", "AE-118"],
            &["show", id],
            &["run", "activation.unit"],
            &["run", "activation.unit", "--format", "json"],
            &["--help"],
        ] {
            assert_eq!(unread(arguments), (Some(0), String::new()), "{arguments:?}");
        }
    }

    #[test]
    fn a_reader_that_has_gone_does_not_make_a_wrong_host_conformant() {
        assert_eq!(unread(&["run", "activation.unit", "--rendering", "harn-0.10"]), (Some(1), String::new()));
        assert_eq!(unread(&["run", "activation.unit", "--format", "json", "--", "/no/such/command"]), (Some(4), String::new()));
        let broken = files::scratch("unread").join("broken.json");
        fs::write(&broken, r#"{"_type": "skill_activation_evidence"}"#).unwrap();
        assert_eq!(unread(&["check", text(&broken)]), (Some(1), String::new()));
    }

    #[test]
    fn an_error_that_speaks_of_a_broken_pipe_is_still_an_error() {
        run(["show", "Broken pipe"]).refuses(2, &["Broken pipe"]);
        run(["run", "--suite", "Broken pipe"]).refuses(2, &["Broken pipe"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn output_that_cannot_be_written_is_an_error() {
        for arguments in [&["run", "activation.unit"][..], &["list"], &["list", "--format", "json"]] {
            let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            let output = proofmark(arguments).stdout(full).output().unwrap();
            binary::Said::new(output).refuses(2, &["No space left"]);
        }
    }
}

#[cfg(unix)]
mod hostile {
    use serde_json::json;

    use super::binary::{Said, proofmark};
    use super::files::scratch;
    use super::shell_host::{declaration, error, result, shell_host};
    use super::*;

    /// Clears the screen, sets the title, colours by an 8-bit control, turns the reading direction, deletes, and forges a last line.
    const HOSTILE: &str = "x\u{1b}[2J\u{1b}]0;title\u{7}\u{9b}31m\u{202e}\u{2066}\u{7f}\r\nconformant\n";

    struct Host {
        name: &'static str,
        declaration: String,
        answer: String,
        more: Vec<(&'static str, String)>,
    }

    /// Adapters that say a text wherever one can be said.
    fn hosts(text: &str) -> Vec<Host> {
        let sound = || result(&declaration());
        let refusal = || result(&json!({"error": {"category": "invalid_registry"}}));
        let mut named = declaration();
        named["implementation"] = json!({"name": text, "version": text, "language": text});
        let mut unreadable = declaration();
        unreadable["operations"] = json!(text);
        // Of the right types throughout, so that every rule has its say.
        let card = json!({
            "id": text, "name": text, "source": text, "description": text, "when_to_use": text, "disable_model_invocation": false,
            "selected": true, "omitted_reason": text, "char_estimate": 1, "token_estimate": 1, "lifecycle": text,
            "matched": {"score": 1, "reason": text},
        });
        let evidence = json!({
            "_type": text, "schema_version": 1, "budget_chars": 1, "used_chars": 1, "budget_tokens": 1, "used_tokens": 1,
            "shown": [text], "omitted": [text], "cards": [card], text: text,
        });
        let host = |name, declaration, answer, more: &[(&'static str, String)]| Host { name, declaration, answer, more: more.to_vec() };
        vec![
            host("its-name", result(&named), refusal(), &[]),
            host("its-declaration", result(&unreadable), refusal(), &[]),
            host("its-refusal-to-start", error(text), refusal(), &[]),
            host("its-evidence", sound(), result(&evidence), &[]),
            host("its-category", sound(), result(&json!({"error": {"category": text}})), &[]),
            host("its-error", sound(), error(text), &[]),
            host("its-stdout", sound(), refusal(), &[("stray", format!("{text}\n"))]),
            host("its-stderr", sound(), error("no"), &[("stderr", text.repeat(3))]),
        ]
    }

    /// Runs one case against an adapter, as on a terminal: nothing is stripped on the way.
    fn run_against(host: &Host, directory: &str, arguments: &[&str]) -> Said {
        let more: Vec<(&str, &str)> = host.more.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let directory = scratch(&format!("{directory}/{}", host.name));
        let command = shell_host(&directory, &host.declaration, &host.answer, &more);
        let patience = ["--timeout", "60s", "--start-timeout", "60s"];
        let mut run = proofmark(["run", &some_case().id].iter().chain(&patience).chain(arguments));
        let output = run.arg("--").args(command).env("CLICOLOR_FORCE", "1").output().unwrap();
        Said::new(output)
    }

    /// What of a text could command a terminal or deceive its reader, our own colours aside.
    fn commands(text: &str) -> Vec<char> {
        let mut found = Vec::new();
        let mut parts = text.split('\u{1b}');
        let mut rest = vec![parts.next().unwrap_or_default()];
        for part in parts {
            let colour = part.strip_prefix('[').map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';'));
            match colour.and_then(|part| part.strip_prefix('m')) {
                Some(part) => rest.push(part),
                None => found.push('\u{1b}'),
            }
        }
        let direction = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
        let harmful = |c: &char| (c.is_control() && *c != '\n' && *c != '\t') || direction(*c);
        found.extend(rest.iter().flat_map(|part| part.chars()).filter(harmful));
        found
    }

    #[test]
    fn what_an_adapter_says_does_not_command_the_terminal() {
        for host in hosts(HOSTILE) {
            let said = run_against(&host, "text", &[]);
            assert!(matches!(said.code, Some(1 | 4)), "{}: {said:?}", host.name);
            assert!(said.out.contains('\u{1b}'), "the colours are ours");
            assert_eq!((commands(&said.out), commands(&said.err)), (vec![], vec![]), "{}: {said:?}", host.name);
            let escaped = [r"\u{1b}[2J", r"\u001b[2J"].iter().any(|escaped| said.out.contains(escaped));
            assert!(escaped || host.name == "its-stdout", "{}: it is shown as what it is: {said:?}", host.name);
            assert!(!said.out.lines().any(|line| line == "conformant"), "{}: {said:?}", host.name);
        }
    }

    #[test]
    fn what_an_adapter_says_stays_within_json_strings() {
        for host in hosts(HOSTILE) {
            let said = run_against(&host, "strings", &["--format", "json"]);
            assert_eq!(said.json()["exit"], said.code.unwrap(), "{}", host.name);
            assert!(!said.out.contains('\u{1b}') && said.err.is_empty(), "{}: {said:?}", host.name);
        }
    }

    #[test]
    fn json_does_not_command_the_terminal_either() {
        // It is read on one too, and an escape in a JSON string loses nothing.
        for host in hosts(HOSTILE) {
            let said = run_against(&host, "json", &["--format", "json"]);
            assert_eq!(commands(&said.out), vec![], "{}: {}", host.name, said.out);
        }
    }

    #[test]
    fn a_megabyte_of_an_adapter_does_not_flood_the_terminal() {
        let mut floods = Vec::new();
        for host in hosts(&"y".repeat(1_000_000)) {
            let said = run_against(&host, "flood", &["--no-laws"]);
            if said.out.len() > 100_000 {
                floods.push((host.name, said.out.len()));
            }
        }
        assert!(floods.is_empty(), "bytes on stdout: {floods:?}");
    }

    #[test]
    fn a_skill_file_does_not_command_the_terminal() {
        let root = scratch("skill-file");
        let quoted = r#""x\e[2J\e]0;title\a\x9b31m\u202e\x7f\r\nconformant""#;
        skill(&root, "odd", &format!("name: {quoted}\ndescription: {quoted}\nwhen-to-use: {quoted}"));
        skill(&root, "twin", &format!("name: {quoted}"));
        skill(&root, "broken\u{1b}[2J", &format!("description: {quoted}: b"));
        for arguments in [&[][..], &["--catalog"]] {
            let mut command = proofmark(["evidence", text(&root)].iter().chain(arguments));
            let said = Said::new(command.env("CLICOLOR_FORCE", "1").output().unwrap()).ends_with(0);
            assert_eq!((commands(&said.out), commands(&said.err)), (vec![], vec![]), "{said:?}");
            assert!(said.out.contains(r"\u{1b}[2J") && said.err.contains(r"broken\u{1b}[2J"), "{said:?}");
        }
    }

    #[test]
    fn a_document_does_not_command_the_terminal() {
        let directory = scratch("document");
        let evidence =
            json!({"_type": "skill_activation_evidence", "shown": [HOSTILE], HOSTILE: HOSTILE, "cards": [{"lifecycle": HOSTILE}]});
        let documents = [evidence, json!({"_type": HOSTILE}), json!(HOSTILE)];
        for (at, document) in documents.iter().enumerate() {
            let file = directory.join(format!("{at}\u{1b}[2J.json"));
            fs::write(&file, document.to_string()).unwrap();
            let said = Said::new(proofmark(["check", text(&file)]).env("CLICOLOR_FORCE", "1").output().unwrap());
            assert!(matches!(said.code, Some(1 | 2)), "{said:?}");
            assert_eq!((commands(&said.out), commands(&said.err)), (vec![], vec![]), "{said:?}");
        }
    }
}

/// Collections of skills that people publish. They are no part of the repository: they lie beside it, where they lie at all.
mod real_skills {
    use std::path::PathBuf;

    use super::binary::{Said, run, run_with_input};
    use super::*;

    fn collection(name: &str) -> Option<PathBuf> {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/real/skills").join(name);
        if !directory.is_dir() {
            eprintln!("skipped: {} is not there; real collections are no part of the repository", directory.display());
            return None;
        }
        Some(directory)
    }

    fn skill_files(directory: &Path) -> usize {
        fs::read_dir(directory).unwrap().filter(|entry| entry.as_ref().unwrap().path().join("SKILL.md").is_file()).count()
    }

    /// Lines of the table that are cards: neither its head, nor the empty line and the sum at its end.
    fn cards(said: &Said) -> usize {
        said.out.lines().count() - 3
    }

    #[test]
    fn a_collection_with_unreadable_files_lists_the_rest_and_names_them() {
        for name in ["copilot-azure", "ecc-ja", "ecc-zh"] {
            let Some(directory) = collection(name) else { return };
            let said = run(["evidence", text(&directory)]).ends_with(0);
            let unreadable: Vec<&str> = said.err.lines().filter_map(|line| line.strip_prefix("unreadable: ")).collect();
            assert!(!unreadable.is_empty(), "{name}");
            assert_eq!(cards(&said) + unreadable.len(), skill_files(&directory), "{name}: {}", said.err);
            for line in unreadable {
                let place: Vec<&str> = line.splitn(4, ':').collect();
                assert!(Path::new(place[0]).is_file() && place[1].parse::<usize>().is_ok() && place[2].parse::<usize>().is_ok(), "{line}");
            }
        }
    }

    #[test]
    fn a_whole_collection_is_listed_and_its_payload_is_valid() {
        let Some(directory) = collection("wshobson-agents") else { return };
        let table = run(["evidence", text(&directory), "--budget", "2000"]).ends_with(0);
        assert_eq!(cards(&table), skill_files(&directory));
        let payload = run(["evidence", text(&directory), "--budget", "2000", "--format", "json"]).ends_with(0);
        assert_eq!(payload.json()["cards"].as_array().unwrap().len(), cards(&table));
        for card in payload.json()["cards"].as_array().unwrap() {
            let id = card["id"].as_str().unwrap();
            assert!(table.out.lines().any(|line| line.contains(&format!("  {id} "))), "{id}");
        }
        run_with_input(&payload.out, ["check", "-"]).ends_with(0);
    }
}

#[test]
fn reports_go_to_files_and_no_older_one_survives() {
    let directory = files::scratch("reports");
    let [junit, markdown, json] = ["junit.xml", "summary.md", "run.json"].map(|name| directory.join(name));
    fs::write(&junit, "<testsuites/> of yesterday").unwrap();
    let forms = [("junit", &junit), ("markdown", &markdown), ("json", &json)].map(|(form, path)| format!("{form}={}", text(path)));
    let reports = forms.iter().flat_map(|form| ["--report", form]);

    let said = binary::run(["run", &some_case().id].into_iter().chain(reports.clone())).ends_with(0);
    assert!(said.last_line().starts_with("passed"), "{}", said.last_line());
    let xml = fs::read_to_string(&junit).unwrap();
    assert!(
        xml.starts_with("<?xml") && xml.contains(&format!("<testcase name=\"{}\"", some_case().id)) && !xml.contains("<failure"),
        "{xml}"
    );
    assert!(fs::read_to_string(&markdown).unwrap().starts_with("## proofmark: passed\n"));
    let value: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    assert_eq!((value["exit"].as_u64(), column(&value["cases"], "id")), (Some(0), vec![some_case().id.as_str()]));

    // A command line that selects nothing leaves no report that is still green.
    binary::run(["run", "no.such.case"].into_iter().chain(reports)).refuses(2, &["no.such.case"]);
    assert_eq!(fs::read_to_string(&junit).unwrap(), "");
}

#[test]
fn a_report_that_cannot_be_written_is_known_before_the_run() {
    let nowhere = files::scratch("no_report").join("missing").join("junit.xml");
    binary::run(["run", "--report", &format!("junit={}", text(&nowhere))]).refuses(2, &["cannot be written", "junit.xml"]);
    for (wrong, words) in [("tap=x", "\"tap\""), ("junit=", "is missing"), ("junit", "FORM"), ("markdown=-", "--format json")] {
        binary::run(["run", "--report", wrong]).refuses(2, &[words]);
    }
}
