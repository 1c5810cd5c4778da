//! The dice that a case is thrown with.

use crate::dice;

/// One of several values that are thrown themselves.
macro_rules! any_of {
    ($dice:expr; $($item:expr),+ $(,)?) => {{
        let items = [$($item),+];
        $dice.pick(&items)
    }};
}
pub(super) use any_of;

/// The dice of one case.
pub(super) struct Dice(dice::Dice);

impl Dice {
    /// Each case of a run has its own, so that what is asked of one operation does not depend on which others are declared.
    pub(super) fn of(seed: u64, operation: &str, number: usize, attempt: usize) -> Self {
        let text = format!("{operation}#{number}#{attempt}");
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        // Seeds that lie side by side part ways here.
        Self(dice::Dice::new(dice::Dice::new(seed ^ hash.rotate_left(17)).number() ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// A number below a bound; 0 where the bound is.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    /// A number from one to another, both included.
    pub(super) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True so many times out of a hundred.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// A whole number that JSON holds everywhere.
    pub(super) fn seed(&mut self) -> u64 {
        self.0.number() & crate::json::MAX_SAFE_INTEGER
    }

    /// One of several.
    pub(super) fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    /// Puts items into any order.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        self.0.shuffle(items);
    }

    /// Some of several, in their order.
    pub(super) fn some<T: Clone>(&mut self, items: &[T], percent: usize) -> Vec<T> {
        items.iter().filter(|_| self.chance(percent)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_rolls_the_same_and_another_does_not() {
        let rolls = |seed: u64, number: usize| {
            let mut dice = Dice::of(seed, "activation.read", number, 0);
            (0..4).map(|_| dice.below(1_000_000)).collect::<Vec<_>>()
        };
        assert_eq!(rolls(7, 1), rolls(7, 1));
        assert_ne!(rolls(7, 1), rolls(8, 1));
        assert_ne!(rolls(7, 1), rolls(7, 2));
    }

    #[test]
    fn every_side_comes_up() {
        let mut dice = Dice::of(1, "x", 0, 0);
        let seen: std::collections::BTreeSet<usize> = (0..200).map(|_| dice.between(3, 6)).collect();
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [3, 4, 5, 6]);
        let mut items = [1, 2, 3, 4, 5];
        dice.shuffle(&mut items);
        assert_eq!(items.iter().sum::<i32>(), 15);
    }
}
