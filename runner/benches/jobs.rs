//! What a second child is worth (`--jobs 2`), for a host that computes.
//!
//! `cargo bench -p runner --bench jobs`. The child is this program itself: the reference, which spends some milliseconds of processor time
//! over each request before it answers. On two cores that are otherwise idle two children can do at most twice the work of one; the goal
//! is 1.6 times. With `--test` it makes one small round.

use std::env;
use std::hint::black_box;
use std::io::{self, BufRead, Write};
use std::time::Instant;

use proofmark::adapter::Server;
use proofmark::case::{Case, Suite};
use proofmark::reference::Reference;
use proofmark_runner::client::{ClientOptions, Endpoint};
use proofmark_runner::run::{OverProtocol, Plan, RunSettings, run_over_protocol};

const COMPUTES: &str = "--computes";
/// Rounds of a hash, some milliseconds on a machine of 2024.
const ROUNDS: u64 = 2_800_000;

fn main() {
    if env::args().any(|argument| argument == COMPUTES) {
        return computes().expect("the pipes last as long as the child");
    }
    let quick = env::args().any(|argument| argument == "--test");
    let (rounds, count) = if quick { (1, 20) } else { (7, 300) };
    let suite = Suite::embedded().expect("a shipped suite, held by a test");
    let cases: Vec<&Case> = suite.cases().iter().filter(|case| case.id.starts_with("receipt.")).take(count).collect();
    let mut ratios: Vec<f64> = (0..rounds)
        .map(|_| {
            let [one, two] = [1, 2].map(|jobs| rate(&suite, &cases, jobs));
            println!("one child {one:.0}, two children {two:.0} cases a second: {:.2} times", two / one);
            two / one
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    println!("median of {rounds} pairs: {:.2} times", ratios[ratios.len() / 2]);
}

/// Cases a second, the children's start and end included.
fn rate(suite: &Suite, cases: &[&Case], jobs: usize) -> f64 {
    let program = env::current_exe().expect("this program has a path");
    let endpoint = Endpoint::Command(ClientOptions::new([program.into_os_string(), COMPUTES.into()]));
    let options = OverProtocol { endpoint, window: 64, jobs, max_restarts: 0 };
    let start = Instant::now();
    let report = run_over_protocol(suite, Plan::new(cases), RunSettings::new(suite, cases.len()), &options, &mut ());
    let seconds = start.elapsed().as_secs_f64();
    assert!(report.faults.is_empty() && report.results.len() == cases.len(), "{:?}", report.faults);
    cases.len() as f64 / seconds
}

fn computes() -> io::Result<()> {
    let mut server = Server::new(Reference::new(proofmark::embedded::page_1()));
    let mut stdout = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let mut hash = 1_u64;
        for round in 0..ROUNDS {
            hash = black_box(hash.wrapping_mul(0x0100_0000_01b3) ^ round);
        }
        let reply = server.handle(line?.as_bytes());
        writeln!(stdout, "{}", reply.line)?;
        stdout.flush()?;
        if reply.finished {
            break;
        }
    }
    Ok(())
}
