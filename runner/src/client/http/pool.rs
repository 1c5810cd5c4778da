//! POSTs that are under way: threads that send them, and a gate that lets no more through than the host takes.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use proofmark::adapter::RequestId;

use super::post::{Cut, Posted, Poster};

/// Lets a number of POSTs through at once.
#[derive(Debug)]
pub(super) struct Gate {
    state: Mutex<(u64, u64)>,
    changed: Condvar,
}

impl Default for Gate {
    fn default() -> Self {
        // Before a host has declared anything it is asked one thing at a time.
        Self { state: Mutex::new((0, 1)), changed: Condvar::new() }
    }
}

/// A POST that is under way.
pub(super) struct Passage<'g>(&'g Gate);

impl Gate {
    /// How many the host takes from now on.
    pub(super) fn allow(&self, max_in_flight: u64) {
        lock(&self.state).1 = max_in_flight.max(1);
        self.changed.notify_all();
    }

    /// Waits for its turn.
    fn enter(&self) -> Passage<'_> {
        let state = lock(&self.state);
        let mut state = self.changed.wait_while(state, |(inside, limit)| inside >= limit).unwrap_or_else(PoisonError::into_inner);
        state.0 += 1;
        Passage(self)
    }
}

impl Drop for Passage<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).0 -= 1;
        self.0.changed.notify_one();
    }
}

/// A thread that panicked left nothing half done here: each change is one assignment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Job {
    id: RequestId,
    body: Vec<u8>,
    timeout: Duration,
}

/// Sends POSTs of one conversation, each from a thread of its own.
#[derive(Debug)]
pub(super) struct Pool {
    crew: Arc<Crew>,
    threads: usize,
    /// Kept so that the other end never closes while we wait there.
    sender: Sender<(RequestId, Posted)>,
    outcomes: Receiver<(RequestId, Posted)>,
}

/// What the threads have in common.
struct Crew {
    poster: Poster,
    gate: Arc<Gate>,
    waiting: Mutex<VecDeque<Job>>,
    added: Condvar,
    is_over: AtomicBool,
}

impl std::fmt::Debug for Crew {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Crew").field("poster", &self.poster).finish_non_exhaustive()
    }
}

impl Pool {
    pub(super) fn new(poster: Poster, gate: Arc<Gate>) -> Self {
        let (sender, outcomes) = mpsc::channel();
        let crew = Crew { poster, gate, waiting: Mutex::default(), added: Condvar::new(), is_over: AtomicBool::new(false) };
        Self { crew: Arc::new(crew), threads: 0, sender, outcomes }
    }

    /// Sends a request as soon as the gate lets it through. `open` is how many have no outcome yet, this one included.
    pub(super) fn post(&mut self, id: RequestId, body: Vec<u8>, timeout: Duration, open: usize) {
        if self.threads < open {
            let (crew, sender) = (Arc::clone(&self.crew), self.sender.clone());
            match thread::Builder::new().name("http".to_owned()).spawn(move || crew.work(&sender)) {
                Ok(_) => self.threads += 1,
                // Those that are there do its work too, only later.
                Err(_) if self.threads > 0 => {}
                Err(error) => {
                    // The other end is in our own hands.
                    let _ = self.sender.send((id, Posted::Cut(error.into())));
                    return;
                }
            }
        }
        lock(&self.crew.waiting).push_back(Job { id, body, timeout });
        self.crew.added.notify_one();
    }

    /// Waits for what becomes of a request.
    pub(super) fn next(&self) -> Option<(RequestId, Posted)> {
        self.outcomes.recv().ok()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.crew.is_over.store(true, Ordering::Relaxed);
        // The lock is taken so that no thread is between its look at the flag and its sleep.
        lock(&self.crew.waiting).clear();
        self.crew.added.notify_all();
        self.crew.poster.close();
    }
}

impl Crew {
    fn work(&self, outcomes: &Sender<(RequestId, Posted)>) {
        while let Some(Job { id, body, timeout }) = self.next() {
            let passage = self.gate.enter();
            if self.is_over.load(Ordering::Relaxed) {
                return;
            }
            // Whoever waits for this outcome waits for ever if there is none.
            let posted = catch_unwind(AssertUnwindSafe(|| self.poster.post(&body, timeout)));
            drop(passage);
            let broken = |_| Posted::Cut(Cut { kind: std::io::ErrorKind::Other, words: "the HTTP client panicked".to_owned() });
            if outcomes.send((id, posted.unwrap_or_else(broken))).is_err() {
                return;
            }
        }
    }

    fn next(&self) -> Option<Job> {
        let waiting = lock(&self.waiting);
        let nothing = |waiting: &mut VecDeque<Job>| waiting.is_empty() && !self.is_over.load(Ordering::Relaxed);
        self.added.wait_while(waiting, nothing).unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    #[test]
    fn the_gate_holds_its_limit_and_lets_everybody_through_in_the_end() {
        let gate = Gate::default();
        gate.allow(3);
        let (inside, most, passed) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        thread::scope(|scope| {
            for _ in 0..12 {
                scope.spawn(|| {
                    let _passage = gate.enter();
                    most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    thread::sleep(Duration::from_millis(20));
                    inside.fetch_sub(1, Ordering::SeqCst);
                    passed.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        assert_eq!((most.into_inner(), passed.into_inner()), (3, 12));
    }
}
