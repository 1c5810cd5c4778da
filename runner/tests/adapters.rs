//! The example adapters keep the contract, and a copy of one with a single line changed is found out, by the clause that it breaks.
//!
//! People start their own adapter from these two. Each fault here is one that hosts are known for.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, and clippy knows only the functions marked as tests")]

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

use proofmark::case::Suite;
use proofmark::judge::{Finding, FindingSource, Outcome};
use proofmark::verdict::Level;
use proofmark_runner::client::{ClientOptions, Endpoint};
use proofmark_runner::exit::Exit;
use proofmark_runner::filter::Filter;
use proofmark_runner::run::{OverProtocol, Plan, RunReport, RunSettings, Summary, run_over_protocol};

#[path = "support/files.rs"]
mod files;
use files::{copy_tree, repository, scratch};

/// An example adapter.
struct Adapter {
    folder: &'static str,
    main: &'static str,
    interpreter: &'static str,
    /// Arguments with which the interpreter succeeds where it is new enough.
    probe: &'static [&'static str],
    wanted: &'static str,
}

const PYTHON: Adapter = Adapter {
    folder: "examples/adapters/python",
    main: "skill_host.py",
    interpreter: "python3",
    probe: &["-c", "import sys; sys.exit(sys.version_info < (3, 9))"],
    wanted: "Python 3.9",
};
const JAVASCRIPT: Adapter = Adapter {
    folder: "examples/adapters/javascript",
    main: "skill-host.mjs",
    interpreter: "node",
    probe: &["-e", "process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)"],
    wanted: "Node.js 18",
};

impl Adapter {
    /// Whether it can run here; says so where it can't.
    fn can_run(&self) -> bool {
        let there = Command::new(self.interpreter).args(self.probe).output().is_ok_and(|probe| probe.status.success());
        if !there {
            eprintln!("skipped: `{}` is not here, or is older than {}", self.interpreter, self.wanted);
        }
        there
    }

    /// Runs a part of the suite, or all of it, against the adapter as it lies in `folder`.
    fn run(&self, folder: &Path, patterns: &[&str]) -> RunReport {
        let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        let cases = Filter::new(&patterns, None).unwrap().select(&SUITE).unwrap();
        let mut client = ClientOptions::new([OsString::from(self.interpreter), folder.join(self.main).into_os_string()]);
        client.environment.push(("PYTHONDONTWRITEBYTECODE".into(), "1".into()));
        // A request may wait behind several of a hundred thousand skills, on a machine that is busy with other tests.
        client.request_timeout = Duration::from_secs(300);
        client.start_timeout = Duration::from_secs(60);
        client.grace = Duration::from_secs(60);
        let options = OverProtocol { endpoint: Endpoint::Command(client), window: 64, jobs: 1, max_restarts: 0 };
        run_over_protocol(&SUITE, Plan::new(&cases), RunSettings::new(&SUITE, cases.len()), &options, &mut ())
    }
}

static SUITE: LazyLock<Suite> = LazyLock::new(|| Suite::embedded().unwrap());

/// Every case was judged, but for those about a rendering profile that this adapter does not declare.
fn assert_everything_was_judged(report: &RunReport) {
    assert_eq!(report.faults, Vec::<String>::new());
    for result in &report.results {
        let (id, outcome, reason) = (&result.id, result.outcome, &result.reason);
        if outcome == Outcome::NotApplicable {
            let profile = &SUITE.case(id).unwrap().profile;
            assert!(profile.is_some(), "{id} is about no rendering profile, and is not applicable: {reason:?}");
        } else {
            assert!(outcome.is_judged(), "{id} {outcome}: {reason:?}");
        }
    }
}

fn assert_conformant(adapter: &Adapter) {
    if !adapter.can_run() {
        return;
    }
    let report = adapter.run(&repository(adapter.folder), &[]);
    assert_everything_was_judged(&report);
    let failed: Vec<_> = report.results.iter().filter(|result| result.failed_level() >= Some(Level::Should)).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    let summary = Summary::of(&report);
    assert_eq!((summary.selected, summary.exit(Level::Must, false)), (SUITE.cases().len(), Exit::Conformant));
    assert!(summary.levels[&Level::Must].of(Outcome::Passed) > 200, "{summary:?}");
}

#[test]
fn the_python_adapter_passes_the_whole_suite() {
    assert_conformant(&PYTHON);
}

#[test]
fn the_javascript_adapter_passes_the_whole_suite() {
    assert_conformant(&JAVASCRIPT);
}

/// What is to be said of a fault.
#[derive(Debug)]
enum Named {
    /// This rule is broken, which stands for this clause.
    Rule(&'static str, &'static str),
    /// A case about this clause does not get what it expects.
    Expectation(&'static str),
}

impl Named {
    fn is(&self, finding: &Finding) -> bool {
        match (self, &finding.source) {
            (Self::Rule(rule, clause), FindingSource::Rule(found)) => found == rule && finding.clause == *clause,
            (Self::Expectation(clause), FindingSource::Expectation) => finding.clause == *clause,
            _ => false,
        }
    }
}

/// A copy of an adapter in which one line of one file is another.
struct Fault {
    name: &'static str,
    adapter: &'static Adapter,
    file: &'static str,
    line: &'static str,
    instead: &'static str,
}

impl Fault {
    /// Asserts that a `must` case fails for each of these reasons.
    #[track_caller]
    fn is_found_out_by(&self, named: &[Named]) {
        self.is_found_out_in(
            &["activation.unit", "activation.budget", "activation.disabled", "activation.lifecycle", "activation.order"],
            named,
        );
    }

    /// The same of a part of the suite.
    #[track_caller]
    fn is_found_out_in(&self, parts: &[&str], named: &[Named]) {
        if !self.adapter.can_run() {
            return;
        }
        let folder = scratch(self.name);
        copy_tree(&repository(self.adapter.folder), &folder, &["__pycache__"]);
        let path = folder.join(self.file);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().filter(|line| *line == self.line).count(), 1, "{:?} in {}", self.line, self.file);
        let changed: Vec<&str> = text.lines().map(|line| if line == self.line { self.instead } else { line }).collect();
        fs::write(&path, changed.join("\n") + "\n").unwrap();

        let report = self.adapter.run(&folder, parts);
        // A wrong host is one that answers: its fault is no crash, and hides no other case.
        assert_everything_was_judged(&report);
        assert_eq!(Summary::of(&report).exit(Level::Must, false), Exit::NotConformant);
        for named in named {
            let found = report.results.iter().any(|result| {
                let failed = result.level == Level::Must && result.outcome == Outcome::Failed;
                failed && result.findings.iter().any(|finding| finding.level == Level::Must && named.is(finding))
            });
            assert!(found, "no must case fails by {named:?}; these do:\n{}", failures(&report));
        }
    }
}

fn failures(report: &RunReport) -> String {
    let failed = report.results.iter().filter(|result| result.outcome == Outcome::Failed);
    let lines =
        failed.flat_map(|result| result.findings.iter().map(|it| format!("{}: {:?} {} {}", result.id, it.source, it.clause, it.path)));
    lines.collect::<Vec<_>>().join("\n")
}

/// The host measures itself with another unit than it declares: neither a card nor the catalog is as long as it says, and cards that fit
/// are left out. (AE-116 stays silent: it adds up the host's own estimates, so that one wrong length is not blamed twice.)
const WRONG_UNIT: &[Named] = &[
    Named::Rule("AE-110", "activation#card-estimate"),
    Named::Rule("AE-201", "activation#agrees-with-catalog"),
    Named::Expectation("activation#budget"),
];
/// It shows cards behind one that it dropped, so that what is shown is no prefix, let alone the longest.
const SKIPPING: &[Named] = &[
    Named::Rule("AE-112", "activation#reason-budget"),
    Named::Rule("AE-118", "activation#budget"),
    Named::Expectation("activation#reason-budget"),
];
/// It offers the model what the model may not invoke.
const OFFERS_DISABLED: &[Named] = &[
    Named::Rule("AE-107", "activation#reason-disabled"),
    Named::Rule("AE-605", "activation#reason-disabled"),
    Named::Expectation("activation#reason-disabled"),
];
/// It forgets that a body drove an action.
const FORGETS_USED: &[Named] = &[
    Named::Rule("AE-105", "activation#lifecycle"),
    Named::Expectation("activation#used"),
    Named::Expectation("activation#lifecycle-override"),
];
/// Its cards stand in another order than it declares.
const OTHER_ORDER: &[Named] = &[Named::Rule("AE-109", "activation#merged-registry"), Named::Expectation("activation#merged-registry")];

#[test]
fn bytes_for_characters_are_found_out_in_python() {
    Fault {
        name: "python-bytes",
        adapter: &PYTHON,
        file: "activation.py",
        line: "    return len(text)",
        instead: "    return len(text.encode(\"utf-8\"))",
    }
    .is_found_out_by(WRONG_UNIT);
}

#[test]
fn bytes_for_characters_are_found_out_in_javascript() {
    Fault {
        name: "javascript-bytes",
        adapter: &JAVASCRIPT,
        file: "activation.mjs",
        line: "  return text.length - pairs;",
        instead: "  return Buffer.byteLength(text);",
    }
    .is_found_out_by(WRONG_UNIT);
}

#[test]
fn utf16_units_for_characters_are_found_out_in_javascript() {
    Fault {
        name: "javascript-utf16",
        adapter: &JAVASCRIPT,
        file: "activation.mjs",
        line: "  return text.length - pairs;",
        instead: "  return text.length;",
    }
    .is_found_out_by(WRONG_UNIT);
}

#[test]
fn a_fit_that_goes_on_past_a_misfit_is_found_out_in_python() {
    Fault { name: "python-skip", adapter: &PYTHON, file: "activation.py", line: "            break", instead: "            continue" }
        .is_found_out_by(SKIPPING);
}

#[test]
fn a_fit_that_goes_on_past_a_misfit_is_found_out_in_javascript() {
    Fault {
        name: "javascript-skip",
        adapter: &JAVASCRIPT,
        file: "activation.mjs",
        line: "    if (used + cost > budget) break;",
        instead: "    if (used + cost > budget) continue;",
    }
    .is_found_out_by(SKIPPING);
}

#[test]
fn disabled_skills_in_the_catalog_are_found_out_in_python() {
    Fault {
        name: "python-disabled",
        adapter: &PYTHON,
        file: "activation.py",
        line: "    offered = [card for card in cards if not card.skill.disabled]",
        instead: "    offered = list(cards)",
    }
    .is_found_out_by(OFFERS_DISABLED);
}

#[test]
fn disabled_skills_in_the_catalog_are_found_out_in_javascript() {
    Fault {
        name: "javascript-disabled",
        adapter: &JAVASCRIPT,
        file: "activation.mjs",
        line: "  const offered = cards.filter((card) => !card.skill.disabled);",
        instead: "  const offered = cards;",
    }
    .is_found_out_by(OFFERS_DISABLED);
}

#[test]
fn used_reported_as_loaded_is_found_out_in_python() {
    Fault {
        name: "python-used",
        adapter: &PYTHON,
        file: "activation.py",
        line: "        return \"used\"",
        instead: "        return \"loaded\"",
    }
    .is_found_out_by(FORGETS_USED);
}

#[test]
fn used_ignored_is_found_out_in_javascript() {
    Fault {
        name: "javascript-used",
        adapter: &JAVASCRIPT,
        file: "activation.mjs",
        line: "  if (settings.used.has(id)) return \"used\";",
        instead: "",
    }
    .is_found_out_by(FORGETS_USED);
}

#[test]
fn ids_sorted_without_regard_to_case_are_found_out_in_python() {
    Fault {
        name: "python-order",
        adapter: &PYTHON,
        file: "registry.py",
        line: "    return skill_id.encode(\"utf-8\")",
        instead: "    return skill_id.casefold()",
    }
    .is_found_out_by(OTHER_ORDER);
}

#[test]
fn ids_sorted_by_locale_are_found_out_in_javascript() {
    Fault {
        name: "javascript-order",
        adapter: &JAVASCRIPT,
        file: "registry.mjs",
        line: "  return [...skills].sort((a, b) => compareUtf8(a.id, b.id));",
        instead: "  return [...skills].sort((a, b) => a.id.localeCompare(b.id));",
    }
    .is_found_out_by(OTHER_ORDER);
}

/// Where a running host is asked.
const RUNS: &[&str] = &["run.one-shot", "run.reactivation", "run.discovery", "run.needs", "run.walk"];

/// The body goes before its receipt comes.
const RELEASES_FIRST: &[Named] = &[Named::Rule("LC-106", "lifecycle#receipt-first")];
/// What comes back is what compaction left of it.
const FRAGMENTS: &[Named] = &[Named::Rule("LC-103", "lifecycle#no-fragments"), Named::Rule("LC-107", "lifecycle#reactivate")];
/// A receipt is cited where a fact is wanted.
const RECEIPTS_AS_FACTS: &[Named] = &[Named::Rule("LC-110", "lifecycle#not-a-fact")];
/// A body is loaded to find out what there is.
const BODIES_IN_LISTINGS: &[Named] = &[
    Named::Rule("LC-102", "lifecycle#listing-only"),
    Named::Rule("LC-114", "lifecycle#active-frame"),
    Named::Expectation("lifecycle#listing-only"),
];
/// Nothing is ever released, though it could be.
const KEEPS_ALL: &[Named] = &[Named::Rule("LC-105", "lifecycle#context-collection")];

const PYTHON_RECEIPT: &str = "            self.say(\"receipt.written\", receipt=skill.receipt)";
const PYTHON_BODY: &str = "        self.say(\"body.loaded\", skill_id=skill.id, file=skill.body, origin=\"source\", hash=skill.version)";
const JAVASCRIPT_RECEIPT: &str = "    this.say(\"receipt.written\", { receipt: skill.receipt });";
const JAVASCRIPT_BODY: &str =
    "    this.say(\"body.loaded\", { skill_id: skill.id, file: skill.file, origin: \"source\", hash: skill.body });";

fn lifecycle_fault(name: &'static str, adapter: &'static Adapter, line: &'static str, instead: &'static str) -> Fault {
    let file = if adapter.interpreter == "python3" { "lifecycle.py" } else { "lifecycle.mjs" };
    Fault { name, adapter, file, line, instead }
}

#[test]
fn a_release_before_the_receipt_is_found_out() {
    let python = "            self.say(\"body.released\", skill_id=skill.id) or self.say(\"receipt.written\", receipt=skill.receipt)";
    lifecycle_fault("python-release-first", &PYTHON, PYTHON_RECEIPT, python).is_found_out_in(RUNS, RELEASES_FIRST);
    let javascript = "    this.say(\"body.released\", { skill_id: skill.id }); this.say(\"receipt.written\", { receipt: skill.receipt });";
    lifecycle_fault("javascript-release-first", &JAVASCRIPT, JAVASCRIPT_RECEIPT, javascript).is_found_out_in(RUNS, RELEASES_FIRST);
}

#[test]
fn a_return_from_a_fragment_is_found_out() {
    let python = "        self.say(\"body.loaded\", skill_id=skill.id, file=skill.body, origin=\"fragment\" if skill.receipt else \"source\", hash=skill.version)";
    lifecycle_fault("python-fragment", &PYTHON, PYTHON_BODY, python).is_found_out_in(RUNS, FRAGMENTS);
    let javascript = "    this.say(\"body.loaded\", { skill_id: skill.id, file: skill.file, origin: skill.receipt ? \"fragment\" : \"source\", hash: skill.body });";
    lifecycle_fault("javascript-fragment", &JAVASCRIPT, JAVASCRIPT_BODY, javascript).is_found_out_in(RUNS, FRAGMENTS);
}

#[test]
fn a_receipt_as_a_fact_is_found_out() {
    let python = "            self.say(\"receipt.written\", receipt=skill.receipt) or self.say(\"evidence.cited\", ref=skill.id, origin=\"receipt\")";
    lifecycle_fault("python-fact", &PYTHON, PYTHON_RECEIPT, python).is_found_out_in(RUNS, RECEIPTS_AS_FACTS);
    let javascript = "    this.say(\"receipt.written\", { receipt: skill.receipt }); this.say(\"evidence.cited\", { ref: skill.id, origin: \"receipt\" });";
    lifecycle_fault("javascript-fact", &JAVASCRIPT, JAVASCRIPT_RECEIPT, javascript).is_found_out_in(RUNS, RECEIPTS_AS_FACTS);
}

#[test]
fn a_body_under_listing_only_is_found_out() {
    let python =
        "                    self.say(\"card.read\", skill_id=card.id, fields=fields_of(card)) or self.read_body(self.skills[card.id])";
    let line = "                    self.say(\"card.read\", skill_id=card.id, fields=fields_of(card))";
    lifecycle_fault("python-listing", &PYTHON, line, python).is_found_out_in(RUNS, BODIES_IN_LISTINGS);
    let line = "      runtime.say(\"card.read\", { skill_id: id, fields: [\"name\", \"short_description\"] });";
    let javascript = "      runtime.readBody(runtime.skills.get(id));";
    lifecycle_fault("javascript-listing", &JAVASCRIPT, line, javascript).is_found_out_in(RUNS, BODIES_IN_LISTINGS);
}

#[test]
fn a_body_that_is_never_released_is_found_out() {
    let line = "            self.say(\"body.released\", skill_id=skill.id)";
    lifecycle_fault("python-keeps", &PYTHON, line, "            pass").is_found_out_in(RUNS, KEEPS_ALL);
    let line = "      this.say(\"body.released\", { skill_id: skill.id });";
    lifecycle_fault("javascript-keeps", &JAVASCRIPT, line, "").is_found_out_in(RUNS, KEEPS_ALL);
}

/// Where packets are judged and rendered.
const PACKETS: &[&str] =
    &["packet.surface", "packet.metrics", "packet.version", "packet.authority", "packet.fields", "render.guided", "render.regardless"];

fn packet_fault(name: &'static str, adapter: &'static Adapter, file: &'static str, line: &'static str, instead: &'static str) -> Fault {
    Fault { name, adapter, file, line, instead }
}

#[test]
fn a_pointer_prefix_by_string_is_found_out() {
    let named = &[Named::Expectation("packet#resolves")];
    let line = "            location.startswith(prefix) if prefix else location and not SCHEME.match(location)";
    let python = "            location.startswith(prefix.rstrip(\"/\")) if prefix else location and not SCHEME.match(location)";
    packet_fault("python-prefix", &PYTHON, "packets.py", line, python).is_found_out_in(PACKETS, named);
    let line = "    return there.isInside && isSameRoot && here.text.startsWith(there.text) && here.text.length > there.text.length;";
    let javascript = "    return there.isInside && isSameRoot && here.text.startsWith(there.text.replace(/[/]$/, \"\"));";
    packet_fault("javascript-prefix", &JAVASCRIPT, "packet-pointers.mjs", line, javascript).is_found_out_in(PACKETS, named);
}

#[test]
fn a_metric_of_zero_for_unknown_is_found_out() {
    let named = &[Named::Expectation("packet#no-invention")];
    let line = "    if value is not None and (provenance == \"unavailable\" or not is_number(value)):";
    let python = "    if value not in (None, 0) and (provenance == \"unavailable\" or not is_number(value)):";
    packet_fault("python-zero", &PYTHON, "packets.py", line, python).is_found_out_in(PACKETS, named);
    let line = "      if (value !== null) say(\"must\", \"the value of what is unavailable is null\");";
    let javascript = "      if (value) say(\"must\", \"the value of what is unavailable is null\");";
    packet_fault("javascript-zero", &JAVASCRIPT, "packets.mjs", line, javascript).is_found_out_in(PACKETS, named);
}

#[test]
fn a_guided_view_without_the_outcome_is_found_out() {
    let named = &[Named::Rule("EP-120", "render#no-hiding")];
    let line = "    \"guided\": [\"/result/compact_summary\", \"/result/outcome\", \"/handoff/signal\", \"/handoff/reason\"],";
    let python = "    \"guided\": [\"/result/compact_summary\", \"/handoff/signal\", \"/handoff/reason\"],";
    packet_fault("python-guided", &PYTHON, "packet_views.py", line, python).is_found_out_in(PACKETS, named);
    let line = "const GUIDED = [\"/result/compact_summary\", \"/result/outcome\", \"/handoff/signal\", \"/handoff/reason\"];";
    let javascript = "const GUIDED = [\"/result/compact_summary\", \"/handoff/signal\", \"/handoff/reason\"];";
    packet_fault("javascript-guided", &JAVASCRIPT, "packet-views.mjs", line, javascript).is_found_out_in(PACKETS, named);
}

#[test]
fn an_unknown_version_that_is_accepted_is_found_out() {
    let named = &[Named::Expectation("packet#version")];
    let line = "        if self.packet.get(\"version\") != VERSION:";
    let python = "        if not isinstance(self.packet.get(\"version\"), str):";
    packet_fault("python-version", &PYTHON, "packets.py", line, python).is_found_out_in(PACKETS, named);
    let line = "  if (packet.version !== PACKET_VERSION) {";
    let javascript = "  if (typeof packet.version !== \"string\") {";
    packet_fault("javascript-version", &JAVASCRIPT, "packets.mjs", line, javascript).is_found_out_in(PACKETS, named);
}

#[test]
fn nested_authority_that_is_ignored_is_found_out() {
    let named = &[Named::Expectation("packet#no-authority")];
    let line = "                if names_are_free or fold(key) not in AUTHORITY:";
    let python = "                if place is not None or fold(key) not in AUTHORITY:";
    packet_fault("python-authority", &PYTHON, "packets.py", line, python).is_found_out_in(PACKETS, named);
    let line = "        if (path !== \"/metrics\" && AUTHORITY_KEYS.has(folded(key))) {";
    let javascript = "        if (path === \"\" && AUTHORITY_KEYS.has(folded(key))) {";
    packet_fault("javascript-authority", &JAVASCRIPT, "packets.mjs", line, javascript).is_found_out_in(PACKETS, named);
}
