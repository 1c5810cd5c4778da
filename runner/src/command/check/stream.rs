//! A trace that comes as JSON lines: a line with the capabilities, then one event a line. It may be of any length: nothing is kept of an
//! event but what the monitor remembers of its skill.

use std::io;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use proofmark::contract::lifecycle::TRACE;
use proofmark::policy::{Capabilities, Monitor, RulePack};
use serde_json::Value;

use super::kind::Kind;
use super::write::{Counts, Writer};
use super::{CheckArgs, Tally};
use crate::command::documents::{Read1, name_at};
use crate::command::somebody_watches;

/// Events between two looks at the progress bar.
const TICK: u64 = 1 << 14;

/// The traces of one file.
pub(super) struct TraceStream {
    file: String,
    is_named: bool,
    context_gc: Option<bool>,
    open: Option<OpenTrace>,
    complete: bool,
    /// Whether lines are skipped until the next trace begins: the last one could not be read.
    is_lost: bool,
    progress: Option<ProgressBar>,
}

struct OpenTrace {
    name: String,
    /// The line of its first event, while every line since holds one: then an event's place says its line.
    first_line: Option<u64>,
    monitor: Monitor<'static>,
    counts: Counts,
}

fn is_header(value: &Value) -> bool {
    value.get("capabilities").is_some() && value.get("events").is_none() && value.get("type").is_none()
}

fn is_event(value: &Value) -> bool {
    value.get("type").is_some() && value.get("seq").is_some()
}

impl TraceStream {
    pub(super) fn new(args: &CheckArgs, file: &str) -> Self {
        let is_named = args.contract.as_deref() == Some(TRACE);
        Self {
            file: file.to_owned(),
            is_named,
            context_gc: args.context_gc,
            open: None,
            complete: args.complete,
            is_lost: false,
            progress: None,
        }
    }

    /// Whether a line belongs to a trace in lines.
    pub(super) fn takes(&self, read: &Read1) -> bool {
        if read.line.is_none() {
            return false;
        }
        match &read.document {
            Ok((value, _)) if value.get("events").is_some() && value.get("type").is_none() => false,
            Ok((value, _)) => self.open.is_some() || self.is_lost || is_header(value) || is_event(value) || self.is_named,
            Err(_) => self.open.is_some() || self.is_lost,
        }
    }

    pub(super) fn take(&mut self, read: Read1, tally: &mut Tally, writer: &mut Writer<'_>) -> io::Result<()> {
        let line = read.line;
        let value = match read.document {
            Ok((value, _)) => value,
            // An event that can't be read may be any: what follows it can't be judged.
            Err(message) => return self.give_up(line, &message, tally, writer),
        };
        if is_header(&value) {
            self.end(tally, writer)?;
            match Monitor::open(RulePack::trace(), &value) {
                Ok(monitor) => self.begin(line, line.map(|line| line + 1), monitor),
                Err(message) => self.give_up(line, &message, tally, writer)?,
            }
            return Ok(());
        }
        if self.is_lost {
            return Ok(());
        }
        if self.open.is_none() {
            match self.context_gc {
                Some(context_gc) => self.begin(line, line, Monitor::new(RulePack::trace(), Capabilities { context_gc }, &[])),
                None => {
                    let message =
                        "events without a line of {\"capabilities\": {\"context_gc\": …}} before them; write one, or say --context-gc";
                    return self.give_up(line, message, tally, writer);
                }
            }
        }
        let Some(open) = &mut self.open else { return Ok(()) };
        if open.first_line.is_some_and(|first| line != Some(first + open.monitor.events())) {
            open.first_line = None;
        }
        open.monitor.observe(&value);
        if open.monitor.events().is_multiple_of(TICK) {
            tick(&mut self.progress, open.monitor.events());
        }
        for violation in open.monitor.take_violations() {
            writer.trace_violation(&mut open.counts, &open.name, violation, open.first_line)?;
        }
        if open.monitor.is_full() {
            return self.give_up(line, "more skills or files than are remembered; what follows is not judged", tally, writer);
        }
        Ok(())
    }

    fn begin(&mut self, line: Option<u64>, first_line: Option<u64>, monitor: Monitor<'static>) {
        // The first trace of a file has the file's name.
        let name = name_at(&self.file, line.filter(|line| *line > 1));
        self.is_lost = false;
        self.open = Some(OpenTrace { name, first_line, monitor, counts: Counts::default() });
    }

    fn give_up(&mut self, line: Option<u64>, message: &str, tally: &mut Tally, writer: &mut Writer<'_>) -> io::Result<()> {
        if let Some(open) = self.open.take() {
            writer.abandoned(&open.name)?;
        }
        self.is_lost = true;
        tally.unreadable += 1;
        writer.unreadable(&name_at(&self.file, line), message)
    }

    /// Ends the trace that is open, if one is.
    pub(super) fn end(&mut self, tally: &mut Tally, writer: &mut Writer<'_>) -> io::Result<()> {
        if let Some(progress) = self.progress.take() {
            progress.finish_and_clear();
        }
        let Some(OpenTrace { name, first_line, monitor, mut counts }) = self.open.take() else { return Ok(()) };
        let events = monitor.events();
        if events == 0 {
            tally.unreadable += 1;
            return writer.unreadable(&name, "a trace without an event");
        }
        let is_cut = !monitor.is_ended();
        let (rest, not_judged) = monitor.finish();
        for violation in rest {
            writer.trace_violation(&mut counts, &name, violation, first_line)?;
        }
        let is_refused = is_cut && self.complete;
        tally.count(Kind::Trace, counts.is_valid() && !is_refused, &not_judged);
        writer.trace(&name, events, counts, &not_judged, is_cut, is_refused)
    }
}

/// Says how far it got, where somebody watches.
fn tick(progress: &mut Option<ProgressBar>, events: u64) {
    if !somebody_watches() {
        return;
    }
    let bar = progress.get_or_insert_with(|| {
        let style = ProgressStyle::with_template("{spinner} {pos} events, {per_sec}").unwrap_or_else(|_| ProgressStyle::default_spinner());
        ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style)
    });
    bar.set_position(events);
}
