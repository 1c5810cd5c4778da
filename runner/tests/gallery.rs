//! A gallery of misbehaving adapters, each named for its fault, and what the client makes of it.
//!
//! The adapters are this program itself, started again with `--misbehave NAME`. After every exhibit no process of its group may be
//! left. No exhibit depends on how fast the machine is: short timeouts are only given where a timeout is what must happen.

// Signals, process groups and shells: the faults shown here can't be made elsewhere.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "gallery/answers.rs"]
mod answers;
#[path = "gallery/endings.rs"]
mod endings;
#[path = "gallery/exhibit.rs"]
mod exhibit;
#[path = "support/leftovers.rs"]
mod leftovers;
#[path = "gallery/starts.rs"]
mod starts;

use std::env;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

use exhibit::{Exhibit, MISBEHAVE, Talk};

fn gallery() -> impl Iterator<Item = &'static Exhibit> {
    [starts::EXHIBITS, answers::EXHIBITS, endings::EXHIBITS].into_iter().flatten()
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [flag, name] = &arguments[..]
        && flag == MISBEHAVE
    {
        let exhibit = gallery().find(|exhibit| exhibit.name == name).expect("the exhibit that started this process");
        (exhibit.child)(&mut Talk::new());
        return ExitCode::SUCCESS;
    }
    let trials: Vec<Trial> = gallery().map(|exhibit| Trial::test(exhibit.name, || exhibit.run())).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
