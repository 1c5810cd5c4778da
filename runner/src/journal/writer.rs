//! Writing a journal.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use proofmark::adapter::Declaration;
use proofmark::digest::Hasher;
use proofmark::judge::{CaseResult, Exchanged, Finding};

use super::line::{Exchange, Line, Repeat};
use super::{Ended, FORMAT, Journal};
use crate::run::RunSettings;

/// How much of a run a loss of power may take. What is written survives the end of this process at once.
const SYNC_EVERY: Duration = Duration::from_millis(500);

/// A journal that is being written. Every line is in the system's hands when the call returns.
#[derive(Debug)]
pub struct JournalWriter {
    path: PathBuf,
    file: File,
    hasher: Hasher,
    synced: Instant,
    counts: Ended,
    error: Option<io::Error>,
}

impl JournalWriter {
    /// Begins a journal, in the place of a complete one or of none.
    ///
    /// # Errors
    /// Where the file can't be written, where another run writes it, or where it is the journal of a run that did not come to its end.
    pub fn create(path: &Path, settings: &RunSettings, started: String) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        lock(&file)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("a journal needs a regular file"));
        }
        if file.metadata()?.len() > 0 {
            let refusal = match Journal::read(path) {
                Ok(Journal { ended: Some(_), .. }) => None,
                Ok(_) => Some("it is the journal of a run that did not come to its end; --resume goes on with it, or take the file away"),
                Err(_) => Some("there is something that is no journal; nothing is written over it"),
            };
            if let Some(refusal) = refusal {
                return Err(io::Error::other(refusal));
            }
        }
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        let mut writer = Self::over(path, file);
        writer.line(&Line { journal: Some(FORMAT), started: Some(started), settings: Some(settings.clone()), ..Line::default() });
        writer.sync();
        writer.error.take().map_or(Ok(writer), Err)
    }

    /// Goes on with a journal that was read; a broken line at its end is taken away.
    ///
    /// # Errors
    /// Where the file can't be written, or another run writes it.
    pub fn resume(path: &Path, journal: &Journal) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        lock(&file)?;
        // Whoever wrote it while it was read has come further.
        if Journal::read(path).map_err(io::Error::other)?.digest != journal.digest {
            return Err(io::Error::other("it was written to meanwhile; try again"));
        }
        file.set_len(journal.whole_bytes)?;
        let mut writer = Self::over(path, file.try_clone()?);
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match file.read(&mut buffer)? {
                0 => break,
                read => writer.hasher.update(&buffer[..read]),
            }
        }
        file.seek(SeekFrom::Start(journal.whole_bytes))?;
        writer.counts.cases = journal.cases.len();
        writer.counts.faults = journal.faults.len();
        writer.counts.repeated = journal.repeats.len();
        Ok(writer)
    }

    fn over(path: &Path, file: File) -> Self {
        let counts = Ended { cases: 0, faults: 0, repeated: 0, elapsed_ms: 0, digest: String::new() };
        Self { path: path.to_owned(), file, hasher: Hasher::new(), synced: Instant::now(), counts, error: None }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Why nothing more can be written, where that is so. Nothing after it was.
    #[must_use]
    pub fn error(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }

    /// What was declared.
    pub fn declared(&mut self, declaration: &Declaration) {
        self.line(&Line { declaration: Some(declaration.clone()), ..Line::default() });
    }

    /// A finished case, with the exchange that is to be repeated.
    pub fn case(&mut self, result: &CaseResult, exchange: Option<&Exchanged>) {
        self.counts.cases += 1;
        let exchange = exchange.and_then(Exchange::write);
        self.line(&Line { case: Some(result.clone()), exchange, ..Line::default() });
    }

    /// A fault that no case stands for.
    pub fn fault(&mut self, fault: &str) {
        self.counts.faults += 1;
        self.line(&Line { fault: Some(fault.to_owned()), ..Line::default() });
    }

    /// A request that was repeated.
    pub fn repeat(&mut self, case: &str, findings: &[Finding]) {
        self.counts.repeated += 1;
        self.line(&Line { repeat: Some(Repeat { case: case.to_owned(), findings: findings.to_vec() }), ..Line::default() });
    }

    /// Requests that were repeated and whose findings the cases have already.
    pub(super) fn count_repeated(&mut self, count: usize) {
        self.counts.repeated += count;
    }

    /// Leaves the journal without an end, so that it can be gone on with.
    ///
    /// # Errors
    /// The first that there was.
    pub fn leave(mut self) -> io::Result<()> {
        self.sync();
        self.error.map_or(Ok(()), Err)
    }

    /// Ends the journal; the digest of all of it.
    ///
    /// # Errors
    /// The first that there was.
    pub fn end(mut self, elapsed: Duration) -> io::Result<String> {
        self.counts.elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        self.counts.digest = self.hasher.digest();
        self.line(&Line { end: Some(self.counts.clone()), ..Line::default() });
        self.sync();
        let digest = self.hasher.digest();
        self.error.map_or(Ok(digest), Err)
    }

    fn line(&mut self, line: &Line) {
        if self.error.is_some() {
            return;
        }
        let written = serde_json::to_vec(line).map_err(io::Error::other).and_then(|mut bytes| {
            bytes.push(b'\n');
            // One call, so that a reader sees whole lines but for the last.
            self.file.write_all(&bytes)?;
            self.hasher.update(&bytes);
            Ok(())
        });
        self.error = written.err();
        if self.synced.elapsed() >= SYNC_EVERY {
            self.sync();
        }
    }

    fn sync(&mut self) {
        // A pipe or a device has nothing to sync.
        if self.error.is_none() && self.file.metadata().is_ok_and(|data| data.is_file()) {
            self.error = self.file.sync_data().err();
        }
        self.synced = Instant::now();
    }
}

#[cfg(unix)]
fn lock(file: &File) -> io::Result<()> {
    use rustix::fs::{FlockOperation, flock};
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Err(rustix::io::Errno::WOULDBLOCK) => Err(io::Error::other("another run writes it")),
        // A file system without locks.
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn lock(_: &File) -> io::Result<()> {
    Ok(())
}
