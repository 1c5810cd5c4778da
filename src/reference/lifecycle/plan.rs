//! `lifecycle.plan`: which profile a situation asks for, and how long the body is kept.

use serde_json::Value;

use crate::contract::lifecycle::{Need, Next, Phase, Pressure, Profile, Ttl};
use crate::contract::refusal::Category;

struct Situation {
    need: Need,
    phase: Phase,
    current: bool,
    shifted: bool,
    pressure: Pressure,
    receipt: bool,
    in_loop: bool,
    next: Next,
}

impl Situation {
    fn read(value: &Value) -> Option<Self> {
        let word = |key: &str| value.get(key)?.as_str();
        let flag = |key: &str| value.get(key)?.as_bool();
        Some(Self {
            need: Need::from_word(word("need")?)?,
            phase: Phase::from_word(word("phase")?)?,
            current: flag("current")?,
            shifted: flag("shifted")?,
            pressure: Pressure::from_word(word("pressure")?)?,
            receipt: flag("receipt")?,
            in_loop: flag("in_loop")?,
            next: Next::from_word(word("next")?)?,
        })
    }

    fn ttl_of_work(&self) -> Ttl {
        match self.next {
            Next::Loop => Ttl::KeepUntilLoopEnds,
            Next::Continues => Ttl::KeepUntilPhaseCloses,
            Next::Done => Ttl::ReleaseAfterReview,
        }
    }

    /// The first row that fits.
    fn row(&self) -> (Profile, Ttl) {
        let begun = self.phase != Phase::None && !self.in_loop;
        match self.need {
            Need::Resume if self.receipt => (Profile::ReactivateFromReceipt, Ttl::NotApplicable),
            Need::Resume => (Profile::ActiveFrameRequired, self.ttl_of_work()),
            _ if begun && self.shifted => (Profile::ReleaseReceiptRequired, Ttl::ReleaseKeepReceipt),
            _ if begun && self.phase == Phase::Ended && self.next == Next::Done => {
                (Profile::ReleaseReceiptRequired, Ttl::ReleaseAfterReview)
            }
            _ if begun && self.pressure != Pressure::None && !self.current => (Profile::ReleaseReceiptRequired, Ttl::ReleaseFirst),
            Need::Discovery => (Profile::ListingOnly, Ttl::NotApplicable),
            Need::Work => (Profile::ActiveFrameRequired, self.ttl_of_work()),
            Need::None => (Profile::None, Ttl::NotApplicable),
        }
    }
}

/// The profile and the time to live for a situation.
pub(in crate::reference) fn plan(situation: &Value) -> Result<(Profile, Ttl), Category> {
    Situation::read(situation).map(|situation| situation.row()).ok_or(Category::InvalidSituation)
}
