//! Pipes that block, each in a thread of its own, for systems without `poll`.

use std::io::{self, Read, Write};
use std::process::Child;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::client::lines::{Lines, READ_BYTES};
use crate::client::outgoing::Outgoing;
use crate::client::said::Said;

/// Notices that wait before a thread has to: what bounds the memory of a child that floods stdout.
const NOTICES: usize = 4;

enum Notice {
    /// All that one read of stdout brought, however many lines that is.
    Read(Vec<u8>),
    StdoutClosed,
    /// What was handed to the writer is written; its buffer comes back.
    Written(Vec<u8>),
    StdinBroke,
}

#[derive(Debug)]
pub(in crate::client) struct Pipes {
    notices: Receiver<Notice>,
    writer: Option<Sender<Vec<u8>>>,
    /// The buffer that goes to the writer next; `None` while the writer has it.
    spare: Option<Vec<u8>>,
    stderr_ended: Receiver<()>,
    said: Arc<Mutex<Said>>,
    stdout_closed: bool,
    stdin_broke: bool,
}

impl Pipes {
    pub(in crate::client) fn new(child: &mut Child, max_stderr_bytes: usize) -> io::Result<Self> {
        let (notify, notices) = sync_channel(NOTICES);
        let (writer, buffers) = channel();
        let (end_stderr, stderr_ended) = sync_channel(1);
        let said = Arc::new(Mutex::new(Said::new(max_stderr_bytes)));
        if let Some(stdout) = child.stdout.take() {
            let notify = notify.clone();
            thread::Builder::new().name("adapter stdout".to_owned()).spawn(move || read(stdout, &notify))?;
        }
        if let Some(stdin) = child.stdin.take() {
            thread::Builder::new().name("adapter stdin".to_owned()).spawn(move || write(stdin, &buffers, &notify))?;
        }
        if let Some(mut stderr) = child.stderr.take() {
            let said = Arc::clone(&said);
            thread::Builder::new().name("adapter stderr".to_owned()).spawn(move || {
                let mut buffer = vec![0; READ_BYTES];
                while let Ok(count @ 1..) = stderr.read(&mut buffer) {
                    said.lock().unwrap_or_else(PoisonError::into_inner).push(&buffer[..count]);
                }
                drop(end_stderr);
            })?;
        }
        let spare = Some(Vec::new());
        Ok(Self { notices, writer: Some(writer), spare, stderr_ended, said, stdout_closed: false, stdin_broke: false })
    }

    /// Hands what there is to the writer, unless it is still busy.
    pub(in crate::client) fn push(&mut self, outgoing: &mut Outgoing) {
        if outgoing.is_empty() {
            return;
        }
        if let (Some(writer), Some(mut buffer)) = (&self.writer, self.spare.take()) {
            buffer.extend(outgoing.unwritten());
            outgoing.advance(buffer.len());
            // A writer that is gone has said so in a notice.
            let _ = writer.send(buffer);
        }
    }

    /// Writes, waits at most `wait` for anything to happen, and takes what was read. Whether stdout brought bytes or its end.
    pub(in crate::client) fn turn(&mut self, outgoing: &mut Outgoing, lines: &mut Lines, wait: Duration) -> bool {
        self.push(outgoing);
        match self.notices.recv_timeout(wait) {
            Ok(Notice::Read(bytes)) => {
                for piece in bytes.chunks(READ_BYTES) {
                    lines.room()[..piece.len()].copy_from_slice(piece);
                    lines.filled(piece.len());
                }
                true
            }
            Ok(Notice::StdoutClosed) => {
                self.stdout_closed = true;
                true
            }
            Ok(Notice::Written(mut buffer)) => {
                buffer.clear();
                self.spare = Some(buffer);
                self.push(outgoing);
                false
            }
            Ok(Notice::StdinBroke) => {
                self.writer = None;
                self.stdin_broke = true;
                false
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => {
                // Both threads are gone, and with them everything that could happen.
                thread::sleep(wait);
                false
            }
        }
    }

    /// Waits a moment for the end of stderr, which a killed child brings about.
    pub(in crate::client) fn drain_stderr(&mut self) {
        let _ = self.stderr_ended.recv_timeout(Duration::from_millis(200));
    }

    /// Lets the writer end, and with it the pipe.
    pub(in crate::client) fn close_stdin(&mut self) {
        self.writer = None;
    }

    /// Whether the child closed its stdin while we had more to write.
    pub(in crate::client) fn stdin_broke(&self) -> bool {
        self.stdin_broke
    }

    pub(in crate::client) fn stdout_closed(&self) -> bool {
        self.stdout_closed
    }

    pub(in crate::client) fn said(&self) -> String {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).text()
    }
}

fn read(mut stdout: impl Read, notify: &SyncSender<Notice>) {
    let mut buffer = vec![0; READ_BYTES];
    while let Ok(count @ 1..) = stdout.read(&mut buffer) {
        if notify.send(Notice::Read(buffer[..count].to_vec())).is_err() {
            return;
        }
    }
    let _ = notify.send(Notice::StdoutClosed);
}

fn write(mut stdin: impl Write, buffers: &Receiver<Vec<u8>>, notify: &SyncSender<Notice>) {
    for buffer in buffers {
        let written = stdin.write_all(&buffer).and_then(|()| stdin.flush());
        let notice = if written.is_ok() { Notice::Written(buffer) } else { Notice::StdinBroke };
        if notify.send(notice).is_err() || written.is_err() {
            return;
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::Instant;

    use super::*;
    use crate::client::lines::Next;

    fn start(script: &str) -> (Child, Pipes) {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let pipes = Pipes::new(&mut child, 100).unwrap();
        (child, pipes)
    }

    #[test]
    fn megabytes_go_out_and_come_back_at_once() {
        let (mut child, mut pipes) = start("echo to people >&2; exec cat");
        let (mut outgoing, mut lines) = (Outgoing::default(), Lines::new(8 << 20));
        let long = [vec![b'x'; 5 << 20], b"\n".to_vec()].concat();
        outgoing.buffer().extend(&long);
        let hang = Instant::now() + Duration::from_secs(60);
        let length = loop {
            assert!(Instant::now() < hang);
            pipes.turn(&mut outgoing, &mut lines, Duration::from_secs(1));
            if let Next::Line(line) = lines.next() {
                break line.len();
            }
        };
        assert_eq!(length, 5 << 20);
        pipes.close_stdin();
        while !pipes.stdout_closed() {
            assert!(Instant::now() < hang);
            pipes.turn(&mut outgoing, &mut lines, Duration::from_secs(1));
        }
        child.wait().unwrap();
        pipes.drain_stderr();
        assert_eq!(pipes.said(), "to people\n");
    }

    #[test]
    fn a_child_that_reads_nothing_blocks_nobody() {
        let (mut child, mut pipes) = start("exec sleep 60");
        let (mut outgoing, mut lines) = (Outgoing::default(), Lines::new(100));
        for _ in 0..3 {
            outgoing.buffer().extend(vec![b'x'; 1 << 20]);
            assert!(!pipes.turn(&mut outgoing, &mut lines, Duration::from_millis(10)));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let hang = Instant::now() + Duration::from_secs(60);
        while !(pipes.stdin_broke() && pipes.stdout_closed()) {
            assert!(Instant::now() < hang);
            pipes.turn(&mut outgoing, &mut lines, Duration::from_millis(100));
        }
    }
}
