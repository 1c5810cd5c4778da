//! What is said of documents, for people and for programs.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use proofmark::contract::{activation, packet};
use proofmark::policy::masked;
use proofmark::verdict::{Level, Verdict, Violation};
use proofmark::yaml::Place;
use serde_json::json;

use super::{CheckArgs, Tally};
use crate::command::Format;
use crate::printable::{printable, printable_json};

/// The violations of a trace that came in lines, so far.
#[derive(Default)]
pub(super) struct Counts {
    by_rule: BTreeMap<String, u64>,
    total: u64,
    is_invalid: bool,
    written: usize,
    /// Kept for programs, which get a trace's verdict in one piece.
    kept: Vec<Violation>,
}

impl Counts {
    pub(super) fn add(&mut self, violation: &Violation) {
        *self.by_rule.entry(violation.rule.clone()).or_default() += 1;
        self.total += 1;
        self.is_invalid |= violation.level == Level::Must;
    }

    pub(super) fn is_valid(&self) -> bool {
        !self.is_invalid
    }
}

/// Messages come without secrets and personal data; a path has the document's own keys.
fn mask_path(violation: &mut Violation) {
    if let Cow::Owned(path) = masked(&violation.path) {
        violation.path = path;
    }
}

/// Writes results as they come.
pub(super) struct Writer<'a> {
    args: &'a CheckArgs,
    out: Box<dyn Write>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(args: &'a CheckArgs) -> Self {
        Self { args, out: args.output.stdout() }
    }

    fn is_json(&self) -> bool {
        self.args.output.format == Format::Json
    }

    fn row(&mut self, row: &serde_json::Value) -> io::Result<()> {
        writeln!(self.out, "{}", printable_json(&row.to_string()))
    }

    pub(super) fn unreadable(&mut self, name: &str, message: &str) -> io::Result<()> {
        let message = &*masked(message);
        if self.is_json() {
            return self.row(&json!({"document": name, "error": message}));
        }
        writeln!(self.out, "{}: can't be read: {}", printable(name, false), printable(message, false))
    }

    /// A trace whose end can't be judged, because a line of it can't be read.
    pub(super) fn abandoned(&mut self, name: &str) -> io::Result<()> {
        if self.is_json() { Ok(()) } else { writeln!(self.out, "{}: not judged to its end", printable(name, false)) }
    }

    pub(super) fn verdict(&mut self, name: &str, verdict: &Verdict, place: &dyn Fn(&str) -> Option<Place>) -> io::Result<()> {
        if self.is_json() {
            let mut verdict = verdict.clone();
            verdict.violations.iter_mut().for_each(mask_path);
            return self.row(&json!({"document": name, "verdict": verdict}));
        }
        let name = printable(name, false);
        if verdict.violations.is_empty() {
            return if self.args.quiet { Ok(()) } else { writeln!(self.out, "{name}: valid") };
        }
        let word = if verdict.valid { "valid, with remarks" } else { "not valid" };
        writeln!(self.out, "{name}: {word}")?;
        for violation in verdict.violations.iter().take(self.args.max_violations) {
            self.line(violation, place)?;
        }
        match verdict.violations.len().checked_sub(self.args.max_violations) {
            Some(more @ 1..) => writeln!(self.out, "  … and {more} more (--max-violations)"),
            _ => Ok(()),
        }
    }

    fn line(&mut self, violation: &Violation, place: &dyn Fn(&str) -> Option<Place>) -> io::Result<()> {
        let at = violation.at.map(|at| Place { line: at.line, column: at.column });
        let at = at.or_else(|| place(&violation.path)).map_or_else(String::new, |at| format!(" (line {}, column {})", at.line, at.column));
        self.line_at(violation, &at)
    }

    fn line_at(&mut self, violation: &Violation, at: &str) -> io::Result<()> {
        let Violation { rule, level, path, message, .. } = violation;
        let style = if *level == Level::Must { anstyle::AnsiColor::Red.on_default().bold() } else { anstyle::Style::new() };
        let path = if path.is_empty() { "the document" } else { path.as_str() };
        writeln!(self.out, "  {style}{rule}{style:#} ({level}) {}{at} {}", printable(&masked(path), false), printable(message, false))
    }

    /// A violation of a trace that is still coming.
    pub(super) fn trace_violation(
        &mut self,
        counts: &mut Counts,
        name: &str,
        mut violation: Violation,
        first_line: Option<u64>,
    ) -> io::Result<()> {
        counts.add(&violation);
        if counts.written == self.args.max_violations {
            return Ok(());
        }
        counts.written += 1;
        if self.is_json() {
            mask_path(&mut violation);
            counts.kept.push(violation);
            return Ok(());
        }
        if counts.written == 1 {
            writeln!(self.out, "{}:", printable(name, false))?;
        }
        let index = violation.path.strip_prefix("/events/").and_then(|index| index.parse::<u64>().ok());
        let at = first_line.zip(index).map_or_else(String::new, |(first, index)| format!(" (line {})", first + index));
        self.line_at(&violation, &at)
    }

    /// A trace that ended, or that ends here.
    pub(super) fn trace(
        &mut self,
        name: &str,
        events: u64,
        counts: Counts,
        not_judged: &[String],
        is_cut: bool,
        is_refused: bool,
    ) -> io::Result<()> {
        let is_valid = counts.is_valid() && !is_refused;
        if self.is_json() {
            let verdict = json!({"valid": is_valid, "violations": counts.kept, "not_judged": not_judged});
            return self.row(&json!({"document": name, "events": events, "cut": is_cut, "verdict": verdict, "counts": counts.by_rule}));
        }
        let name = printable(name, false);
        let more = counts.total - counts.written as u64;
        if more > 0 {
            writeln!(self.out, "  … and {more} more (--max-violations)")?;
        }
        let cut = if is_cut { ", cut before its end" } else { "" };
        let word = match (is_valid, counts.total) {
            (true, 0) if self.args.quiet && !is_cut => return Ok(()),
            (true, 0) => "valid",
            (true, _) => "valid, with remarks",
            (false, _) => "not valid",
        };
        let rules: Vec<String> =
            counts.by_rule.iter().map(|(rule, count)| format!("{rule} {count} time{}", if *count == 1 { "" } else { "s" })).collect();
        let rules = if rules.is_empty() { String::new() } else { format!(": {}", rules.join(", ")) };
        writeln!(self.out, "{name}: {word} ({events} events{cut}){rules}")
    }

    pub(super) fn sum(&mut self, tally: &Tally) -> io::Result<()> {
        if !self.is_json() {
            let mut hints: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for (contract, rule) in &tally.not_judged {
                hints.entry(contract).or_default().push(rule);
            }
            for (contract, rules) in hints.into_iter().filter(|_| !self.args.quiet) {
                let more = match contract {
                    packet::NAME => "--surface says what a pointer may lead to",
                    activation::NAME => "--registry, --options and --rendering tell more",
                    _ => "the trace was cut while something was still due, or says too little",
                };
                writeln!(self.out, "not judged from this alone: {} ({more})", rules.join(", "))?;
            }
            writeln!(self.out, "{} valid, {} not valid, {} not readable", tally.valid, tally.invalid, tally.unreadable)?;
        }
        self.out.flush()
    }
}
