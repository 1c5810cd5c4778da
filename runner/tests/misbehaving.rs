//! A gallery of misbehaving adapters, each named for its fault, and what a whole run concludes: the outcome of every case, the faults of
//! the run, the exit status, and that no process is left.
//!
//! The adapters are this program itself, started again with `--misbehave NAME` by the real `proofmark`. Each answers as the reference does,
//! but for its one fault, and where it can the faulty line carries the right answer: a run that looked away would pass. No exhibit depends
//! on how fast the machine is: short timeouts are only given where a timeout is what must happen, and then few cases are run.

// Signals, process groups and shells: the faults shown here can't be made elsewhere.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "misbehaving/answers.rs"]
mod answers;
#[path = "support/binary.rs"]
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod binary;
#[path = "misbehaving/ends.rs"]
mod ends;
#[path = "misbehaving/exhibit.rs"]
mod exhibit;
#[path = "support/files.rs"]
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod files;
#[path = "misbehaving/host.rs"]
mod host;
#[path = "support/leftovers.rs"]
mod leftovers;
#[path = "misbehaving/lines.rs"]
mod lines;
#[path = "misbehaving/lives.rs"]
mod lives;
#[path = "misbehaving/starts.rs"]
mod starts;

use std::env;
use std::process::ExitCode;
use std::thread::available_parallelism;

use libtest_mimic::{Arguments, Trial};

use exhibit::{Exhibit, MISBEHAVE};
use host::Host;

fn gallery() -> impl Iterator<Item = &'static Exhibit> {
    [starts::EXHIBITS, lines::EXHIBITS, answers::EXHIBITS, ends::EXHIBITS, lives::EXHIBITS].into_iter().flatten()
}

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    if let [flag, name] = &words[..]
        && flag == MISBEHAVE
    {
        let exhibit = gallery().find(|exhibit| exhibit.name == name).expect("the exhibit that started this process");
        (exhibit.child)(&mut Host::new());
        return ExitCode::SUCCESS;
    }
    let trials: Vec<Trial> = gallery().map(|exhibit| Trial::test(exhibit.name, || exhibit.run())).collect();
    let mut arguments = Arguments::from_args();
    // Many an exhibit waits most of its time.
    arguments.test_threads.get_or_insert(available_parallelism().map_or(1, usize::from).max(4));
    libtest_mimic::run(&arguments, trials).exit_code()
}
