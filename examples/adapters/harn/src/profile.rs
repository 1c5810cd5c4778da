//! The rendering profile that Harn has, as it is declared.

use proofmark::contract::rendering::{BelowFloor, CardCost, Empty, Fit, Order, RenderingProfile, Suffix, Unit};

/// Lengths in bytes, since Harn measures its texts with `str::len`.
pub(crate) fn declared() -> RenderingProfile {
    RenderingProfile {
        unit: Unit::Bytes,
        header: 216,
        separator: 1,
        footer: 0,
        suffix: Some(Suffix { base: 51, plus_digits: true }),
        card: CardCost { id: 4, description: 2, when_to_use: 9 },
        order: Order::Id,
        fit: Fit::Prefix,
        below_floor: BelowFloor::Raise,
        empty: Empty::Header,
    }
}

#[cfg(test)]
mod tests {
    use harn_vm::skills::{CATALOG_HEADER, fit_catalog};

    use super::*;

    fn lengths(blocks: &[&str], budget: usize) -> (usize, usize) {
        let blocks: Vec<String> = blocks.iter().map(|&block| block.to_owned()).collect();
        let fit = fit_catalog(CATALOG_HEADER, &blocks, budget);
        (fit.shown, fit.rendered.len())
    }

    #[test]
    fn the_frame_is_as_long_as_harns_own() {
        let profile = declared();
        assert_eq!(CATALOG_HEADER.len() as u64, profile.header);
        // Two cards of five bytes and nothing dropped: header, card, separator, card.
        assert_eq!(lengths(&["- `a`", "- `b`"], 10_000), (2, 216 + 5 + 1 + 5));
    }

    #[test]
    fn a_budget_below_the_floor_is_raised_to_it() {
        let long = "x".repeat(400);
        assert_eq!(lengths(&[&long], 1), (0, declared().floor() as usize));
        // The floor leaves room for a card as long as the omission line would be.
        assert_eq!(lengths(&["- `a`"], 1), (1, 216 + 5));
    }

    #[test]
    fn the_omission_line_grows_with_its_number() {
        let long = "x".repeat(400);
        let suffix = declared().suffix.unwrap();
        assert_eq!(lengths(&[long.as_str(); 9], 300), (0, 216 + suffix.length(9) as usize));
        assert_eq!(lengths(&[long.as_str(); 10], 300), (0, 216 + suffix.length(10) as usize));
    }

    #[test]
    fn nothing_is_shown_behind_a_card_that_does_not_fit() {
        let long = "x".repeat(400);
        assert_eq!(lengths(&["- `a`", &long, "- `c`"], 400).0, 1);
    }
}
