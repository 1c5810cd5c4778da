//! A trace of events through the monitor, beside what bounds it: reading the same lines as JSON, strictly and not.
//!
//! `cargo bench --bench trace`. What the monitor holds does not grow with the events: its memory columns are the same at both sizes.

#![allow(missing_docs, reason = "a benchmark's functions are named for what they measure")]

use divan::counter::BytesCount;
use divan::{AllocProfiler, Bencher, black_box};
use proofmark::json;
use proofmark::policy::{Capabilities, Monitor, RulePack};
use serde_json::{Value, json};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

const SIZES: [usize; 2] = [10_000, 100_000];
const SKILLS: usize = 200;

fn main() {
    divan::main();
}

/// Skills in turn, each loaded, used, reviewed, left with a receipt and released.
fn lines(count: usize) -> Vec<String> {
    let mut lines = Vec::with_capacity(count);
    let mut push = |mut event: Value| {
        event["seq"] = json!(lines.len() + 1);
        lines.push(event.to_string());
        lines.len() < count
    };
    for round in 0.. {
        let skill = format!("skill-{}", round % SKILLS);
        let receipt = json!({
            "schema": "cbh.skill_release_receipt.v1", "skill_id": skill, "status": "released", "completed_steps": ["drafted"],
            "current_stage": "done", "artifact_paths": [], "evidence_refs": [], "open_loops": [],
            "resume_entry": format!("Reopen skills/{skill}/SKILL.md."), "last_used_at": "2026-06-27T09:30:00Z",
            "ttl_policy": "release after review",
        });
        let profile = if round < SKILLS { "active_frame_required" } else { "reactivate_from_receipt" };
        let mut events = vec![
            json!({"type": "turn.started", "turn": round}),
            json!({"type": "step.started", "skill_id": skill, "step": "draft", "needs": ["docs/a.md"]}),
            json!({"type": "profile.selected", "skill_lifecycle_profile": profile, "skill_id": skill}),
            json!({"type": "body.loaded", "skill_id": skill, "file": format!("skills/{skill}/SKILL.md"), "origin": "source"}),
            json!({"type": "support.loaded", "skill_id": skill, "file": "docs/a.md", "origin": "source"}),
        ];
        events.extend((0..24).map(|_| json!({"type": "influence", "skill_id": skill, "kind": "file_edit", "authority": "user"})));
        events.extend([
            json!({"type": "boundary.reviewed", "skill_id": skill}),
            json!({"type": "phase.ended", "skill_id": skill, "continues": false}),
            json!({"type": "receipt.written", "receipt": receipt}),
            json!({"type": "body.released", "skill_id": skill}),
        ]);
        if !events.into_iter().all(&mut push) {
            break;
        }
    }
    lines
}

fn bytes(lines: &[String]) -> BytesCount {
    BytesCount::new(lines.iter().map(|line| line.len() + 1).sum::<usize>())
}

/// Lines in, breaches out.
#[divan::bench(args = SIZES, sample_count = 10)]
fn read_and_watch(bencher: Bencher, count: usize) {
    let lines = lines(count);
    bencher.counter(bytes(&lines)).counter(count).bench(|| {
        let mut monitor = Monitor::new(RulePack::trace(), Capabilities { context_gc: true }, &[]);
        for line in &lines {
            if let Ok(event) = json::parse(black_box(line)) {
                monitor.observe(&event);
            }
        }
        assert!(monitor.take_violations().is_empty());
        monitor.events()
    });
}

/// The watching alone.
#[divan::bench(args = SIZES, sample_count = 10)]
fn watch(bencher: Bencher, count: usize) {
    let lines = lines(count);
    let events: Vec<Value> = lines.iter().filter_map(|line| json::parse(line).ok()).collect();
    bencher.counter(bytes(&lines)).counter(count).bench(|| {
        let mut monitor = Monitor::new(RulePack::trace(), Capabilities { context_gc: true }, &[]);
        events.iter().for_each(|event| monitor.observe(black_box(event)));
        monitor.take_violations().len()
    });
}

/// The least that a strict reader does: no key twice.
#[divan::bench(args = SIZES, sample_count = 10)]
fn peer_read_strictly(bencher: Bencher, count: usize) {
    let lines = lines(count);
    bencher
        .counter(bytes(&lines))
        .counter(count)
        .bench(|| lines.iter().filter(|line| json::parse(black_box(line)).is_ok_and(|value| value.is_object())).count());
}

/// Plain JSON parsing, which keeps the last of two equal keys without a word.
#[divan::bench(args = SIZES, sample_count = 10)]
fn peer_read_plainly(bencher: Bencher, count: usize) {
    let lines = lines(count);
    bencher
        .counter(bytes(&lines))
        .counter(count)
        .bench(|| lines.iter().filter(|line| serde_json::from_str::<Value>(black_box(line)).is_ok_and(|value| value.is_object())).count());
}

/// A receipt by all its rules.
#[divan::bench]
fn judge_a_receipt(bencher: Bencher) {
    let pack = RulePack::receipt();
    let receipt = pack.example_value(&pack.rules()[0].pass[0]).unwrap_or_default();
    bencher.bench(|| pack.judge_receipt(black_box(&receipt)).valid);
}
