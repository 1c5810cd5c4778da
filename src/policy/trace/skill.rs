//! What is remembered of one skill: the same few facts however long the trace is.

use crate::contract::lifecycle::Profile;

/// An event, by its place in the trace and its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) index: u64,
    pub(super) seq: u64,
}

/// What a skill's host owes before the next turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Duty {
    /// A receipt: its phase is over.
    ReceiptOfPhase,
    /// A receipt: the task shifted away from it.
    ReceiptOfShift,
    /// A receipt: its loop ended.
    ReceiptOfLoop,
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
    pub(super) const ALL: [Self; 9] = [
        Self::ReceiptOfPhase,
        Self::ReceiptOfShift,
        Self::ReceiptOfLoop,
        Self::ReceiptPerhaps,
        Self::ReceiptUnderPressure,
        Self::OneShot,
        Self::Discussion,
        Self::DiscussionPerhaps,
        Self::Loop,
    ];
    pub(super) const RECEIPTS: [Self; 5] =
        [Self::ReceiptOfPhase, Self::ReceiptOfShift, Self::ReceiptOfLoop, Self::ReceiptPerhaps, Self::ReceiptUnderPressure];
    pub(super) const RELEASES: [Self; 4] = [Self::OneShot, Self::Discussion, Self::DiscussionPerhaps, Self::Loop];
}

/// A receipt as the rules need it.
#[derive(Debug, Clone)]
pub(super) struct Receipt {
    /// Where it was written; `None` for one that was carried in.
    pub(super) written: Option<Mark>,
    /// The files that its `resume_entry` names.
    pub(super) files: Vec<String>,
}

/// One skill.
#[derive(Debug, Default)]
pub(super) struct Skill {
    pub(super) id: String,
    pub(super) profile: Option<(Profile, Mark)>,
    pub(super) receipt: Option<Receipt>,
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
    /// The files that the receipt of its reactivation names.
    pub(super) resumed_from: Vec<String>,
    /// Reactivations none of whose named files was read yet, with those names.
    pub(super) unread: Vec<(Mark, Vec<String>)>,
    /// What its last step needs; `None` where it had no step.
    pub(super) needs: Option<Vec<String>>,
    duties: [Option<Mark>; 9],
}

impl Skill {
    pub(super) fn named(id: &str) -> Self {
        Self { id: id.to_owned(), ..Self::default() }
    }

    pub(super) fn duty(&self, duty: Duty) -> Option<Mark> {
        self.duties[duty as usize]
    }

    /// The first event that makes something due is the one that is named.
    pub(super) fn owe(&mut self, duty: Duty, mark: Mark) {
        self.duties[duty as usize].get_or_insert(mark);
    }

    pub(super) fn settle(&mut self, duties: &[Duty]) {
        for duty in duties {
            self.duties[*duty as usize] = None;
        }
    }

    pub(super) fn owes(&self) -> bool {
        self.duties.iter().any(Option::is_some)
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
