//! Suites to extend, layouts to declare, and one way to judge.

use std::sync::LazyLock;

use proofmark::adapter::{Answer, Declaration, ErrorObject, Hello, Implementation, Operation};
use proofmark::case::{LoadOptions, Suite, SuiteFiles};
use proofmark::contract::rendering::{BelowFloor, CardCost, Empty, Fit, Order, RenderingProfile, Suffix, Unit};
use proofmark::judge::{CaseResult, Judge, Outcome, run_in_process};
use serde_json::Value;

/// The embedded suite without its own cases: to be extended again and again.
pub(crate) fn ground() -> Suite {
    static GROUND: LazyLock<Suite> =
        LazyLock::new(|| Suite::load(SuiteFiles::embedded(), LoadOptions { only: Some("none.of-them") }).expect("a sound suite"));
    GROUND.clone()
}

/// What a host declares, of these operations alone.
pub(crate) fn declaring_only(host: &mut dyn Implementation, operations: &[Operation]) -> Declaration {
    let mut declaration = declaring(host);
    declaration.operations.clear();
    declaration.operations(operations.iter().copied())
}

/// The operations of contract 1, of which alone the right answer depends on a layout.
pub(crate) const ACTIVATION: [Operation; 5] = [
    Operation::ActivationEvidence,
    Operation::ActivationCatalog,
    Operation::ActivationLoad,
    Operation::ActivationRead,
    Operation::RegistryMerge,
];

/// What a host declares.
pub(crate) fn declaring(host: &mut dyn Implementation) -> Declaration {
    let hello = Hello { protocol: vec![1], runner: Default::default(), suite: Default::default(), nonce: "0".into() };
    host.initialize(&hello).expect("a host of this protocol")
}

/// A host that renders as it always did, and declares no layout.
pub(crate) struct Unlaid<H>(pub(crate) H);

impl<H: Implementation> Implementation for Unlaid<H> {
    fn initialize(&mut self, hello: &Hello) -> Result<Declaration, ErrorObject> {
        let mut declaration = self.0.initialize(hello)?;
        declaration.rendering = None;
        Ok(declaration)
    }

    fn call(&mut self, operation: Operation, params: &Value) -> Answer {
        self.0.call(operation, params)
    }
}

/// What came of a case, as far as tests ask.
pub(crate) struct Judged(CaseResult);

impl Judged {
    /// What keeps the case from being passed without a remark.
    pub(crate) fn remark(&self) -> Option<String> {
        let is_clean = self.0.outcome == Outcome::Passed && self.0.findings.is_empty();
        (!is_clean).then(|| format!("{} {:?} {:#?}", self.0.outcome, self.0.reason, self.0.findings))
    }

    /// Whether the case failed; neither a remark nor what was not judged is a failure.
    pub(crate) fn is_failed(&self) -> bool {
        assert!(matches!(self.0.outcome, Outcome::Passed | Outcome::Failed), "{} {:?}", self.0.outcome, self.0.reason);
        self.0.outcome == Outcome::Failed
    }

    /// The first thing that it found, in few words.
    pub(crate) fn first(&self) -> String {
        self.0.findings.first().map_or_else(String::new, |found| format!("{:?} {}", found.source, found.path).chars().take(70).collect())
    }
}

/// Each case of a suite against a host, one after the other, as they are asked for.
pub(crate) fn judged<'s>(
    suite: &'s Suite,
    host: &'s mut dyn Implementation,
    declaration: &Declaration,
) -> impl Iterator<Item = (&'s str, Judged)> {
    let judge = Judge::new(suite, declaration);
    suite.cases().iter().map(move |case| (case.id.as_str(), Judged(run_in_process(&judge, host, case).0)))
}

/// Numbers that differ from seed to seed.
fn mixed(seed: u64, salt: u64) -> u64 {
    let mixed = (seed ^ salt.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33
}

/// Any profile that a host may declare.
pub(crate) fn profile_of(seed: u64) -> RenderingProfile {
    let number = |salt: u64, bound: u64| mixed(seed, salt) % bound;
    RenderingProfile {
        unit: [Unit::Characters, Unit::Utf16, Unit::Bytes][number(1, 3) as usize],
        header: if number(2, 9) == 0 { RenderingProfile::MAX_FRAME } else { number(3, 400) },
        separator: number(4, 6),
        footer: number(5, 40),
        suffix: (number(6, 5) > 0)
            .then(|| Suffix { base: number(7, RenderingProfile::MAX_SUFFIX_BASE + 1), plus_digits: number(8, 2) == 0 }),
        card: CardCost { id: number(9, 65), description: number(10, 65), when_to_use: number(11, 65) },
        order: [Order::Id, Order::Id, Order::IdUtf16, Order::Registry][number(12, 4) as usize],
        fit: [Fit::Prefix, Fit::Prefix, Fit::Skip][number(13, 3) as usize],
        below_floor: [BelowFloor::Raise, BelowFloor::Header, BelowFloor::Nothing][number(14, 3) as usize],
        empty: [Empty::Header, Empty::Nothing][number(15, 2) as usize],
    }
}

/// Layouts of hosts of another make, which know no order by UTF-16 units.
pub(crate) fn layouts() -> Vec<RenderingProfile> {
    let mut layouts: Vec<RenderingProfile> = proofmark::embedded::rendering_profiles().values().copied().collect();
    layouts.extend((0..40).map(|seed| profile_of(50 + seed)).filter(|profile| profile.order != Order::IdUtf16).take(8));
    layouts
}
