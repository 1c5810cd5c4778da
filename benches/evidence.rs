//! Evidence for ten to a million skills, beside what bounds it: sorting the ids alone, and writing the payload as JSON.
//!
//! `cargo bench --bench evidence`. Growth is to be n log n at worst; the memory columns are of what the building itself holds, the
//! registry being there before.

#![allow(missing_docs, reason = "a benchmark's functions are named for what they measure")]

use divan::{AllocProfiler, Bencher, black_box};
use proofmark::embedded::page_1;
use proofmark::reference::{catalog, evidence};
use serde_json::{Value, json};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

const SIZES: [usize; 6] = [10, 100, 1_000, 10_000, 100_000, 1_000_000];

fn main() {
    divan::main();
}

/// Real-looking entries in an order that is no order: a multiplicative walk visits every number once.
fn registry(count: usize) -> Value {
    let skills: Vec<Value> = (0..count)
        .map(|at| {
            let number = at.wrapping_mul(2_654_435_761) % count.max(1);
            json!({
                "name": format!("skill-{number}-{at}"),
                "description": "Walks a change before it is merged and says what a reviewer would ask about it.",
                "when_to_use": "when a change is ready",
                "source": "project",
            })
        })
        .collect();
    json!({"_type": "skill_registry", "skills": skills})
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn build_evidence(bencher: Bencher, count: usize) {
    let registry = registry(count);
    let options = json!({"budget": 8000, "catalog_limit": count.max(1)});
    bencher.counter(count).bench(|| black_box(evidence(&registry, &options, &page_1())).map(|it| it.cards.len()));
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn render_catalog(bencher: Bencher, count: usize) {
    let registry = registry(count);
    let options = json!({"budget": 8000});
    bencher.counter(count).bench(|| black_box(catalog(&registry, &options, &page_1())).map(|it| it.1.len()));
}

/// The least that any implementation has to do.
#[divan::bench(args = SIZES, sample_count = 10)]
fn peer_sort_the_ids(bencher: Bencher, count: usize) {
    let registry = registry(count);
    bencher.counter(count).bench(|| {
        let mut ids: Vec<&str> =
            registry["skills"].as_array().map_or(&[][..], Vec::as_slice).iter().filter_map(|it| it["name"].as_str()).collect();
        ids.sort_unstable();
        black_box(ids).len()
    });
}

/// What any implementation does next.
#[divan::bench(args = SIZES, sample_count = 10)]
fn peer_write_the_payload(bencher: Bencher, count: usize) {
    let registry = registry(count);
    let options = json!({"budget": 8000});
    let evidence = evidence(&registry, &options, &page_1()).map_err(|category| category.as_str());
    bencher.counter(count).bench(|| black_box(serde_json::to_vec(&evidence)).map(|it| it.len()));
}

/// Loading the suite: reading, checking against the schema, and what holds of it as a whole.
#[divan::bench(sample_count = 20)]
fn start_the_suite() -> usize {
    proofmark::case::Suite::embedded().map_or(0, |suite| suite.cases().len())
}

/// Its limit: parsing the same YAML and nothing else.
#[divan::bench(sample_count = 20)]
fn peer_parse_its_yaml() -> usize {
    let files = proofmark::case::SuiteFiles::embedded();
    let texts = files.case_files().filter_map(|(_, bytes)| std::str::from_utf8(bytes).ok());
    texts.map(|text| usize::from(proofmark::yaml::parse(text).is_ok())).sum()
}
