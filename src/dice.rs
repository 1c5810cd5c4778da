//! Numbers that look random and are the same wherever the seed is.

/// A small generator (SplitMix64): for worlds, orders and generated cases, where the same seed has to give the same on every machine. It
/// hides nothing: who knows the seed knows all of it.
///
/// ```
/// use proofmark::dice::Dice;
///
/// let mut order = [1, 2, 3, 4, 5];
/// Dice::new(7).shuffle(&mut order);
/// let mut again = [1, 2, 3, 4, 5];
/// Dice::new(7).shuffle(&mut again);
/// assert_eq!(order, again);
/// ```
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// Dice that fall as this seed has it.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to below the bound; 0 where that is 0. Bounds are small here, so that the remainder is even enough.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.number() % bound.max(1) as u64).unwrap_or_default()
    }

    /// One of these.
    ///
    /// # Panics
    /// Where there is none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Puts these into another order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_published_algorithm() {
        // The first number of SplitMix64 from the seed 0, as its reference implementation gives it: no change moves it unseen.
        assert_eq!(Dice::new(0).number(), 0xe220_a839_7b1d_cdaf);
    }
}
