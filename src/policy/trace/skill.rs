//! What is remembered of one skill: the same few facts however long the trace is.

use std::sync::Arc;

use crate::contract::lifecycle::Profile;

/// The most that one skill owes at one turn's end.
const MAX_DUTIES: usize = 16;

/// An event, by its place in the trace and its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) index: u64,
    /// `None` where the event has none.
    pub(super) seq: Option<i64>,
}

impl Mark {
    /// The number, for words.
    pub(super) fn said(self) -> i64 {
        self.seq.unwrap_or_default()
    }
}

/// What a skill's host owes before the next turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Duty {
    /// A receipt: its phase is over, the task shifted away from it, or its loop ended.
    Receipt,
    /// A receipt of a skill that was not current when the task shifted to discussion; nothing settles whether that is owed.
    ReceiptPerhaps,
    /// A receipt, because of pressure while it was not current.
    ReceiptUnderPressure,
    /// A release: one-shot, and over.
    OneShot,
    /// A release: the task shifted to discussion.
    Discussion,
    /// The same of a skill that was not current.
    DiscussionPerhaps,
    /// A release: its loop ended.
    Loop,
}

impl Duty {
    pub(super) const RECEIPTS: [Self; 3] = [Self::Receipt, Self::ReceiptPerhaps, Self::ReceiptUnderPressure];
    pub(super) const RELEASES: [Self; 4] = [Self::OneShot, Self::Discussion, Self::DiscussionPerhaps, Self::Loop];
}

/// A receipt as the rules need it.
#[derive(Debug, Clone)]
pub(super) struct Receipt {
    /// Where it was written; `None` for one that was carried in.
    pub(super) written: Option<Mark>,
    /// Its `resume_entry`.
    pub(super) entry: Arc<str>,
}

/// One skill.
#[derive(Debug, Default)]
pub(super) struct Skill {
    pub(super) id: String,
    pub(super) profile: Option<(Profile, Mark)>,
    pub(super) receipt: Option<Receipt>,
    /// The world asked for it since its body was last released.
    pub(super) is_called_for: bool,
    /// Its body is in the context.
    pub(super) loaded: bool,
    /// Its body was in the context at some time of this trace.
    pub(super) was_loaded: bool,
    /// Its body was released in this trace, and did not come back since.
    pub(super) released: bool,
    pub(super) active: bool,
    /// It influenced something since its last receipt.
    pub(super) influenced: Option<Mark>,
    pub(super) phase_over: Option<Mark>,
    pub(super) reviewed: bool,
    /// Its phase went on into another turn.
    pub(super) continued: bool,
    /// Since when it is to be kept until its phase closes.
    pub(super) kept_since: Option<Mark>,
    pub(super) in_loop: bool,
    /// A reactivation whose body was not reread yet.
    pub(super) awaiting: Option<Mark>,
    /// The `resume_entry` of the receipt that it was reactivated from.
    pub(super) resumed_from: Option<Arc<str>>,
    /// Reactivations none of whose named files was read yet, with the entries that name them.
    pub(super) unread: Vec<(Mark, Arc<str>)>,
    /// What its last step needs; `None` where it had no step.
    pub(super) needs: Option<Vec<String>>,
    duties: Vec<(Duty, Mark)>,
}

impl Skill {
    pub(super) fn named(id: &str) -> Self {
        Self { id: id.to_owned(), ..Self::default() }
    }

    pub(super) fn duties(&self) -> &[(Duty, Mark)] {
        &self.duties
    }

    /// Each event that makes something due is named; of a turn that piles up more, the first ones are.
    pub(super) fn owe(&mut self, duty: Duty, mark: Mark) {
        if self.duties.len() < MAX_DUTIES {
            self.duties.push((duty, mark));
        }
    }

    pub(super) fn settle(&mut self, duties: &[Duty]) {
        self.duties.retain(|(duty, _)| !duties.contains(duty));
    }

    pub(super) fn take_duties(&mut self) -> Vec<(Duty, Mark)> {
        std::mem::take(&mut self.duties)
    }

    /// A new step or a reactivation: what was said of the last phase is over.
    pub(super) fn begin_phase_if_over(&mut self) {
        if self.phase_over.take().is_some() {
            self.reviewed = false;
            self.continued = false;
        }
    }

    /// Whether a boundary of it means anything.
    pub(super) fn is_under_way(&self) -> bool {
        self.active || self.loaded
    }
}
