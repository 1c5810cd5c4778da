//! Pipes that never block, and one `poll` for all of them.

use std::io::{self, ErrorKind, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;

use crate::client::lines::{Lines, READ_BYTES};
use crate::client::outgoing::Outgoing;
use crate::client::said::Said;

/// Reads of stderr in one go, so that a flood can't keep us from stdout and from the clock.
const STDERR_READS: usize = 4;

#[derive(Debug)]
pub(in crate::client) struct Pipes {
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    stdin_broke: bool,
    said: Said,
    scratch: Vec<u8>,
}

impl Pipes {
    pub(in crate::client) fn new(child: &mut Child, max_stderr_bytes: usize) -> io::Result<Self> {
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        // Each end of a pipe has flags of its own: the child does not notice.
        stdin.as_ref().map_or(Ok(()), |pipe| ioctl_fionbio(pipe, true))?;
        stdout.as_ref().map_or(Ok(()), |pipe| ioctl_fionbio(pipe, true))?;
        stderr.as_ref().map_or(Ok(()), |pipe| ioctl_fionbio(pipe, true))?;
        Ok(Self { stdin, stdout, stderr, stdin_broke: false, said: Said::new(max_stderr_bytes), scratch: vec![0; READ_BYTES] })
    }

    /// Writes what the pipe takes, without waiting.
    pub(in crate::client) fn push(&mut self, outgoing: &mut Outgoing) {
        while let Some(stdin) = &mut self.stdin
            && !outgoing.is_empty()
        {
            match stdin.write(outgoing.unwritten()) {
                Ok(0) => break,
                Ok(count) => outgoing.advance(count),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => {
                    self.stdin = None;
                    self.stdin_broke = true;
                }
            }
        }
    }

    /// Writes, waits at most `wait` for anything to happen, and reads what is there, once. Whether stdout brought bytes or its end.
    pub(in crate::client) fn turn(&mut self, outgoing: &mut Outgoing, lines: &mut Lines, wait: Duration) -> bool {
        self.push(outgoing);
        let writing = self.stdin.as_ref().filter(|_| !outgoing.is_empty());
        let mut waiting = Vec::with_capacity(3);
        waiting.extend(self.stdout.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        waiting.extend(self.stderr.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        waiting.extend(writing.map(|pipe| PollFd::new(pipe, PollFlags::OUT)));
        let timeout = Timespec::try_from(wait).unwrap_or_default();
        // A signal ends the wait early; so may a failure. The caller looks at its clock and comes back.
        let happened = poll(&mut waiting, Some(&timeout)).is_ok_and(|count| count > 0);
        let ready = |index: usize| happened && waiting.get(index).is_some_and(|fd| !fd.revents().is_empty());
        let stdout_ready = self.stdout.is_some() && ready(0);
        let stderr_ready = self.stderr.is_some() && ready(usize::from(self.stdout.is_some()));
        drop(waiting);
        if stderr_ready {
            self.drain_stderr();
        }
        self.push(outgoing);
        stdout_ready && self.read_stdout(lines)
    }

    fn read_stdout(&mut self, lines: &mut Lines) -> bool {
        let Some(stdout) = &mut self.stdout else { return false };
        match stdout.read(lines.room()) {
            Ok(count) if count > 0 => lines.filled(count),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => return false,
            Ok(_) | Err(_) => self.stdout = None,
        }
        true
    }

    /// Takes what stderr holds at this moment.
    pub(in crate::client) fn drain_stderr(&mut self) {
        for _ in 0..STDERR_READS {
            let Some(stderr) = &mut self.stderr else { return };
            match stderr.read(&mut self.scratch) {
                Ok(count) if count > 0 => self.said.push(&self.scratch[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Ok(_) | Err(_) => self.stderr = None,
            }
        }
    }

    pub(in crate::client) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Whether the child closed its stdin while we had more to write.
    pub(in crate::client) fn stdin_broke(&self) -> bool {
        self.stdin_broke
    }

    pub(in crate::client) fn stdout_closed(&self) -> bool {
        self.stdout.is_none()
    }

    pub(in crate::client) fn said(&self) -> String {
        self.said.text()
    }
}
