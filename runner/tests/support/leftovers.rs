//! Processes that should be gone.

use std::time::{Duration, Instant};
use std::{fs, thread};

/// The variable that marks every process that an exhibit starts, however it is started.
pub(crate) const MARK: &str = "PROOFMARK_EXHIBIT";

/// Living processes with this mark (`NAME=VALUE`) in their environment. Where there is no /proc nothing is found.
pub(crate) fn left(mark: &str) -> Vec<String> {
    let find = || {
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let marked = processes.filter(|process| {
            // The dead have no environment any more.
            let environment = fs::read(process.path().join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
        });
        marked.map(|process| process.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    // A process that was sent SIGKILL needs a moment of processor time to die.
    let end = Instant::now() + Duration::from_secs(5);
    loop {
        let found = find();
        if found.is_empty() || Instant::now() > end {
            return found;
        }
        thread::sleep(Duration::from_millis(10));
    }
}
