//! One process, one session, and what happens between them: events, deadlines, the end.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use proofmark::adapter::{Answer, ProtocolFault, Received, RequestId, Session};
use proofmark::json::JsonError;
use serde::Serialize;
use serde_json::json;

use super::ending::{Cause, Death, Farewell, Stopping, plain};
use super::fault::StartFault;
use super::lines::{Lines, Next};
use super::options::ClientOptions;
use super::outgoing::Outgoing;
use super::pipes::Pipes;
use super::process::Process;

/// How often a silent child is looked after: it may be dead while some other process holds its stdout.
const EXIT_CHECK: Duration = Duration::from_millis(100);
/// Requests are written in portions of about this size, for as long as there are answers to hand out.
const FLUSH_BYTES: usize = 16 * 1024;
/// A smaller portion is written too once the caller has taken this long over the answers that it was given.
const FLUSH_AFTER: Duration = Duration::from_millis(1);
/// Characters of a faulty line that are kept for a message.
const OFFENDING_CHARS: usize = 200;

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A request was answered.
    Answer(RequestId, Answer),
    /// The answer to a request is broken. It will get no other; the conversation goes on.
    RequestFault(RequestId, ProtocolFault),
    /// A line that belongs to no open request. The conversation goes on.
    Stray(ProtocolFault),
    /// A request was not answered in time, and is given up: an answer from now on is a stray one.
    TimedOut(RequestId),
    /// The conversation is over. Every open request stays without an answer.
    Lost(Death),
    /// No request is open and nothing has come: there is nothing to wait for.
    Idle,
}

#[derive(Debug)]
pub(super) struct Link {
    process: Process,
    pipes: Pipes,
    lines: Lines,
    outgoing: Outgoing,
    session: Session,
    /// In the order of their time. Requests that were answered are dropped when they come to the front.
    deadlines: VecDeque<(RequestId, Instant, Duration)>,
    /// Since when the oldest open request has been the oldest: until then the child may have been at work on those before it.
    oldest_since: Instant,
    /// When the oldest request of the portion that is not written yet was sent.
    portion_began: Instant,
    portion_is_due: bool,
    /// When the latest look at stdout began: what the child wrote before then has been read.
    looked_at: Instant,
    exit_checked_at: Instant,
    exited: bool,
    stdin_broke_at: Option<Instant>,
    grace: Duration,
    max_line_bytes: usize,
    max_memory_bytes: Option<u64>,
    offending_line: String,
    death: Option<Death>,
}

impl Link {
    pub(super) fn start(options: &ClientOptions) -> Result<Self, StartFault> {
        let (process, pipes) = Process::spawn(options)?;
        let now = Instant::now();
        Ok(Self {
            process,
            pipes,
            lines: Lines::new(options.max_line_bytes),
            outgoing: Outgoing::default(),
            session: Session::new(),
            deadlines: VecDeque::new(),
            oldest_since: now,
            portion_began: now,
            portion_is_due: false,
            looked_at: now,
            exit_checked_at: now,
            exited: false,
            stdin_broke_at: None,
            grace: options.grace,
            max_line_bytes: options.max_line_bytes,
            max_memory_bytes: options.max_memory_bytes,
            offending_line: String::new(),
            death: None,
        })
    }

    /// Encodes a request. Timeouts must not become shorter from one request to the next while any is open.
    pub(super) fn send<P: Serialize + ?Sized>(&mut self, method: &str, params: &P, timeout: Duration) -> Result<RequestId, JsonError> {
        let now = Instant::now();
        if self.outgoing.is_empty() {
            self.portion_began = now;
        }
        let buffer = self.outgoing.buffer();
        let length = buffer.len();
        let id = self.session.request(method, params, buffer).inspect_err(|_| self.outgoing.buffer().truncate(length))?;
        // One slow request must not make a queue of all that were answered behind it.
        if self.deadlines.len() > 2 * self.session.open() + 64 {
            self.deadlines.retain(|(id, ..)| self.session.is_open(*id));
        }
        self.deadlines.push_back((id, now, timeout));
        self.portion_is_due = self.outgoing.unwritten().len() >= FLUSH_BYTES || now.duration_since(self.portion_began) >= FLUSH_AFTER;
        Ok(id)
    }

    pub(super) fn poll(&mut self) -> Event {
        if self.portion_is_due {
            self.portion_is_due = false;
            self.pipes.push(&mut self.outgoing);
        }
        loop {
            match self.lines.next() {
                Next::Line(line) => match self.session.receive(line) {
                    Received::Answer(id, answer) => return Event::Answer(id, answer),
                    Received::Fault(id, fault) => {
                        let beginning = &line[..line.len().min(4 * OFFENDING_CHARS)];
                        self.offending_line = plain(&String::from_utf8_lossy(beginning), OFFENDING_CHARS);
                        return id.map_or_else(|| Event::Stray(fault.clone()), |id| Event::RequestFault(id, fault.clone()));
                    }
                },
                Next::TooLong => return Event::Lost(self.lose(Cause::LineTooLong { max_line_bytes: self.max_line_bytes })),
                Next::Incomplete => {}
            }
            if let Some(death) = &self.death {
                return Event::Lost(death.clone());
            }
            if let Some(id) = self.overdue() {
                return Event::TimedOut(id);
            }
            if let Some(event) = self.look() {
                return event;
            }
        }
    }

    /// Gives up a request whose time was over when we last looked.
    fn overdue(&mut self) -> Option<RequestId> {
        let now = Instant::now();
        while let Some(&(id, sent, timeout)) = self.deadlines.front() {
            let open = self.session.is_open(id);
            if open && later(sent.max(self.oldest_since), timeout) > self.looked_at {
                return None;
            }
            self.deadlines.pop_front();
            self.oldest_since = now;
            if open {
                self.session.give_up(id);
                return Some(id);
            }
        }
        None
    }

    /// Writes and reads, waiting for the child where there is something to wait for. `None` where there may be a line now, or a
    /// deadline has passed.
    fn look(&mut self) -> Option<Event> {
        if self.pipes.stdout_closed() {
            let exited = self.wait_for_exit(&mut 0);
            return Some(Event::Lost(self.lose(if exited { Cause::Exited } else { Cause::ClosedStdout })));
        }
        let now = Instant::now();
        let mut until = later(now, EXIT_CHECK);
        if let Some((_, sent, timeout)) = self.deadlines.front() {
            until = until.min(later(*sent.max(&self.oldest_since), *timeout));
        }
        if self.pipes.stdin_broke() {
            // Nothing can be asked any more. Most likely it is about to exit, and that would be the better explanation.
            let patience = later(*self.stdin_broke_at.get_or_insert(now), self.grace);
            if patience <= now {
                return Some(Event::Lost(self.lose(Cause::ClosedStdin)));
            }
            until = until.min(patience);
        }
        if now.duration_since(self.exit_checked_at) >= EXIT_CHECK {
            self.exited = self.process.exited();
            self.exit_checked_at = now;
            if let Some(max_memory_bytes) = self.max_memory_bytes
                && self.process.memory_bytes().is_some_and(|bytes| bytes > max_memory_bytes)
            {
                return Some(Event::Lost(self.lose(Cause::TooMuchMemory { max_memory_bytes })));
            }
        }
        let idle = self.session.open() == 0;
        let wait = if self.exited || idle { Duration::ZERO } else { until.saturating_duration_since(now) };
        self.looked_at = now;
        if self.pipes.turn(&mut self.outgoing, &mut self.lines, wait) {
            return None;
        }
        if self.exited {
            return Some(Event::Lost(self.lose(Cause::Exited)));
        }
        idle.then_some(Event::Idle)
    }

    /// Waits for the child to exit, for as long as the grace; counts and drops the lines that it still writes.
    fn wait_for_exit(&mut self, dropped: &mut usize) -> bool {
        let until = later(Instant::now(), self.grace);
        let mut pause = Duration::from_micros(200);
        loop {
            // In this order: what it wrote before its exit is there afterwards.
            let exited = self.process.exited();
            let left = until.saturating_duration_since(Instant::now());
            let mut read = self.pipes.turn(&mut self.outgoing, &mut self.lines, if exited { Duration::ZERO } else { pause.min(left) });
            while let Next::Line(_) = self.lines.next() {
                *dropped += 1;
            }
            if self.lines.unfinished() > self.max_line_bytes {
                *dropped += 1;
                self.lines.clear();
            }
            read &= !self.pipes.stdout_closed();
            if left.is_zero() || (exited && !read) {
                return exited;
            }
            pause = (pause * 2).min(Duration::from_millis(10));
        }
    }

    /// Ends the conversation, and the process group with it.
    pub(super) fn lose(&mut self, cause: Cause) -> Death {
        if let Some(death) = &self.death {
            return death.clone();
        }
        let status = self.process.end();
        self.pipes.drain_stderr();
        let unfinished_bytes = if let Cause::LineTooLong { .. } = cause { 0 } else { self.lines.unfinished() };
        self.lines.clear();
        self.outgoing.clear();
        let death = Death { cause, status, unfinished_bytes, stderr: self.pipes.said() };
        self.death.insert(death).clone()
    }

    pub(super) fn shutdown(mut self) -> Farewell {
        let gone = self.death.is_some() || self.process.exited();
        let (mut reply, mut strays) = (None, 0);
        // Nobody waits for the answers to what is open; they are no strays, and must not outlast the grace.
        self.deadlines.clear();
        if !gone && let Ok(shutdown) = self.send("shutdown", &json!({}), self.grace) {
            reply = loop {
                match self.poll() {
                    Event::Answer(id, answer) if id == shutdown => break Some(Ok(answer)),
                    Event::RequestFault(id, fault) if id == shutdown => break Some(Err(fault)),
                    Event::Answer(..) | Event::RequestFault(..) => {}
                    Event::Stray(_) => strays += 1,
                    Event::TimedOut(_) | Event::Lost(_) | Event::Idle => break None,
                }
            };
        }
        self.part(gone, reply, strays)
    }

    /// Closes the child's stdin without a word, as a runner that was killed would, and waits for its exit as `shutdown` does.
    pub(super) fn hang_up(mut self) -> Farewell {
        let gone = self.death.is_some() || self.process.exited();
        self.deadlines.clear();
        self.part(gone, None, 0)
    }

    fn part(mut self, gone: bool, reply: Option<Result<Answer, ProtocolFault>>, mut strays: usize) -> Farewell {
        self.outgoing.clear();
        self.pipes.close_stdin();
        let stopping = match self.death.as_ref().map(|death| death.cause) {
            _ if gone => Stopping::AlreadyGone,
            Some(Cause::Exited) => Stopping::Left,
            Some(_) => Stopping::Killed,
            None if self.wait_for_exit(&mut strays) => Stopping::Left,
            None => {
                self.process.terminate();
                if self.wait_for_exit(&mut strays) { Stopping::Terminated } else { Stopping::Killed }
            }
        };
        // A line that was begun and not ended is one that came, too.
        strays += usize::from(self.lines.unfinished() > 0);
        let Death { status, stderr, .. } = self.lose(Cause::Killed);
        Farewell { reply, stopping, status, strays, stderr }
    }

    pub(super) fn open(&self) -> usize {
        self.session.open()
    }

    pub(super) fn is_lost(&self) -> bool {
        self.death.is_some()
    }

    pub(super) fn said(&self) -> String {
        self.pipes.said()
    }

    pub(super) fn offending_line(&self) -> &str {
        &self.offending_line
    }

    pub(super) fn process_id(&self) -> u32 {
        self.process.id()
    }
}

/// A point in time that is always representable: a timeout may be "for ever".
fn later(now: Instant, wait: Duration) -> Instant {
    const A_YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);
    now + wait.min(A_YEAR)
}
