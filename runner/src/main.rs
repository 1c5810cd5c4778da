//! The `proofmark` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    proofmark_runner::command::main().into()
}
