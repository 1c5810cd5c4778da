//! A child process and its group.

use std::env;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::fault::StartFault;
use super::options::ClientOptions;
use super::pipes::Pipes;

/// How long a killed process may take to be gone. Longer means that the system holds it (a dead network disk), and nobody can help.
const DEATH: Duration = Duration::from_secs(5);
/// How long the rest of its group may take; a container without a reaper keeps the dead for ever.
const GROUP_DEATH: Duration = Duration::from_millis(100);

/// A running child. Dropping it kills its group.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    status: Option<ExitStatus>,
    ended: bool,
}

impl Process {
    pub(super) fn spawn(options: &ClientOptions) -> Result<(Self, Pipes), StartFault> {
        let Some((program, arguments)) = options.command.split_first() else { return Err(StartFault::NoCommand) };
        if let Some(directory) = options.directory.as_ref().filter(|directory| !directory.is_dir()) {
            return Err(StartFault::NoDirectory { directory: directory.clone() });
        }
        let path = looked_up_from(options.directory.as_deref(), Path::new(program));
        let mut command = Command::new(&path);
        command.args(arguments).env_clear().envs(options.child_environment(env::vars_os()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = &options.directory {
            command.current_dir(directory);
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let not_started = |error: std::io::Error| StartFault::NotStarted {
            program: program.clone(),
            // A script whose interpreter is missing is reported as missing itself.
            exists: error.kind() == ErrorKind::NotFound && path.is_file(),
            error,
        };
        let child = command.spawn().map_err(not_started)?;
        let mut process = Self { child, status: None, ended: false };
        let pipes = Pipes::new(&mut process.child, options.max_stderr_bytes).map_err(not_started)?;
        Ok((process, pipes))
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether the child has exited.
    pub(super) fn exited(&mut self) -> bool {
        self.ended || group::exited(&mut self.child)
    }

    /// Bytes of memory that the child has in use, where the system tells.
    pub(super) fn memory_bytes(&self) -> Option<u64> {
        memory::in_use(self.id())
    }

    /// Asks the group to end.
    pub(super) fn terminate(&self) {
        if !self.ended {
            group::terminate(&self.child);
        }
    }

    /// Kills what is left of the group and reaps the child.
    pub(super) fn end(&mut self) -> Option<ExitStatus> {
        if !self.ended {
            self.ended = true;
            group::kill(&mut self.child);
            wait(DEATH, || {
                self.status = self.child.try_wait().ok().flatten();
                self.status.is_some()
            });
            // What it held (a port, a lock) must be free before another one is started.
            wait(GROUP_DEATH, || group::is_gone(&self.child));
        }
        self.status
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

/// What systems disagree about: from where a relative program is looked up when the child runs elsewhere.
fn looked_up_from(directory: Option<&Path>, program: &Path) -> PathBuf {
    match directory {
        Some(directory) if program.is_relative() && program.components().count() > 1 => {
            let path = directory.join(program);
            std::path::absolute(&path).unwrap_or(path)
        }
        _ => program.to_owned(),
    }
}

/// Looks again and again, ever less often, until `done`.
fn wait(limit: Duration, mut done: impl FnMut() -> bool) {
    let end = Instant::now() + limit;
    let mut pause = Duration::from_micros(100);
    while !done() && Instant::now() < end {
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

#[cfg(target_os = "linux")]
mod memory {
    /// The second number of `statm` counts the pages that are in memory.
    pub(super) fn in_use(process: u32) -> Option<u64> {
        let text = std::fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
        let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
        Some(pages * rustix::param::page_size() as u64)
    }
}

#[cfg(not(target_os = "linux"))]
mod memory {
    pub(super) fn in_use(_: u32) -> Option<u64> {
        None
    }
}

#[cfg(unix)]
mod group {
    use std::process::Child;

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid};

    /// Looks without reaping: while the child is not reaped, nobody else can be given its number, which is the group's too.
    pub(super) fn exited(child: &mut Child) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        matches!(waitid(WaitId::Pid(Pid::from_child(child)), options), Ok(Some(_)))
    }

    pub(super) fn terminate(child: &Child) {
        let _ = kill_process_group(Pid::from_child(child), Signal::TERM);
    }

    pub(super) fn kill(child: &mut Child) {
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }

    pub(super) fn is_gone(child: &Child) -> bool {
        test_kill_process_group(Pid::from_child(child)).is_err()
    }
}

#[cfg(not(unix))]
mod group {
    use std::process::Child;

    pub(super) fn exited(child: &mut Child) -> bool {
        matches!(child.try_wait(), Ok(Some(_)))
    }

    pub(super) fn terminate(_: &Child) {}

    pub(super) fn kill(child: &mut Child) {
        let _ = child.kill();
    }

    pub(super) fn is_gone(_: &Child) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(command: &[&str], directory: Option<&str>) -> String {
        let mut options = ClientOptions::new(command);
        options.directory = directory.map(PathBuf::from);
        Process::spawn(&options).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn what_can_not_be_started_says_why_and_what_to_do() {
        let missing = fault(&["no-such-adapter", "--flag"], None);
        assert!(missing.contains("`no-such-adapter` was not found") && missing.contains("behind `--`"), "{missing}");
        assert!(fault(&[], None).contains("expected a command behind `--`"));
        assert!(fault(&["cargo"], Some("/no/such/directory")).contains("can't run in `/no/such/directory`"));
        assert!(fault(&["a\0b"], None).contains("could not be started"));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_no_program_says_so() {
        use std::fs;
        use std::os::unix::fs::PermissionsExt;
        let directory = env::temp_dir().join(format!("proofmark-process-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let write = |name: &str, text: &str, mode: u32| {
            fs::write(directory.join(name), text).unwrap();
            fs::set_permissions(directory.join(name), fs::Permissions::from_mode(mode)).unwrap();
            fault(&[&format!("./{name}")], directory.to_str())
        };
        let no_interpreter = write("a.py", "#!/no/such/python\n", 0o755);
        assert!(no_interpreter.contains("`./a.py` is there") && no_interpreter.contains("interpreter"), "{no_interpreter}");
        assert!(write("b.py", "#!/bin/sh\n", 0o644).contains("chmod +x"));
        fs::remove_dir_all(&directory).unwrap();
    }

    #[test]
    fn a_relative_program_is_looked_up_where_it_runs() {
        let from = |directory: &str, program: &str| looked_up_from(Some(Path::new(directory)), Path::new(program));
        assert_eq!(from("/work", "python3"), Path::new("python3"));
        assert_eq!(from("/work", "bin/adapter"), Path::new("/work/bin/adapter"));
        assert!(from("here", "./adapter").is_absolute());
        assert_eq!(looked_up_from(None, Path::new("./adapter")), Path::new("./adapter"));
    }
}
