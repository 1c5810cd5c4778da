//! Rendering under a profile: texts of exactly the declared lengths.
//!
//! Under the shipped `page-1` layout the catalog reads like one that a host would send. For any other declared lengths the same texts are
//! cut or filled up, so that the reference can answer under every profile that a host may declare. All fixed texts are ASCII, and so as
//! long in one unit as in another.

use crate::contract::rendering::RenderingProfile;

const HEADER: &str = "# Skills\n\nEvery line below names one skill and says what it is for. Only these short cards are in view: \
to follow a skill, load its body by its id first. What is not listed here was left out of this turn on purpose.\n";

/// A fixed ASCII text of exactly `length`: `pattern`, cut or filled with dots before its line break.
fn exactly(pattern: &str, length: u64) -> String {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    if pattern.len() >= length {
        return pattern[..length].to_owned();
    }
    let (text, end) = match pattern.strip_suffix('\n') {
        Some(text) => (text, "\n"),
        None => (pattern, ""),
    };
    let fill = length - pattern.len();
    format!("{text}{}{end}", ".".repeat(fill))
}

/// What stands before the first card.
pub(super) fn header(profile: &RenderingProfile) -> String {
    exactly(HEADER, profile.header)
}

/// What stands between two cards.
pub(super) fn separator(profile: &RenderingProfile) -> String {
    exactly("\n", profile.separator)
}

/// What stands after the last card.
pub(super) fn footer(profile: &RenderingProfile) -> String {
    exactly("\n", profile.footer)
}

/// The omission line for `dropped` cards.
pub(super) fn suffix(profile: &RenderingProfile, dropped: u64) -> String {
    let Some(suffix) = profile.suffix else { return String::new() };
    let number = if suffix.plus_digits { dropped.to_string() } else { String::new() };
    let before = "\n\n[";
    let after = " more skills did not fit the budget of the turn]";
    let head = exactly(before, suffix.base.min(before.len() as u64));
    let tail = exactly(after, suffix.base - head.len() as u64);
    format!("{head}{number}{tail}")
}

/// One card.
pub(super) fn card(profile: &RenderingProfile, id: &str, description: &str, when_to_use: &str) -> String {
    let lead = exactly("- `", profile.card.id.saturating_sub(1).min(3));
    let close = exactly("`", profile.card.id - lead.len() as u64);
    let mut text = format!("{lead}{id}{close}");
    for (introduction, cost, part) in [(": ", profile.card.description, description), ("\n  when: ", profile.card.when_to_use, when_to_use)]
    {
        if !part.is_empty() {
            text.push_str(&exactly(introduction, cost));
            text.push_str(part);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::rendering::{BelowFloor, CardCost, Empty, Fit, Order, Suffix, Unit};

    #[test]
    fn every_fixed_text_is_as_long_as_declared() {
        for length in [0, 1, 2, 3, 4, 5, 8, 9, 10, 51, 64, 150, 215, 216, 217, 900] {
            let profile = RenderingProfile {
                unit: Unit::Characters,
                header: length,
                separator: length,
                footer: length,
                suffix: Some(Suffix { base: length.min(150), plus_digits: true }),
                card: CardCost { id: length.min(64), description: length.min(64), when_to_use: length.min(64) },
                order: Order::Id,
                fit: Fit::Prefix,
                below_floor: BelowFloor::Raise,
                empty: Empty::Header,
            };
            assert_eq!(header(&profile).len() as u64, length);
            assert_eq!(separator(&profile).len() as u64, length);
            assert_eq!(footer(&profile).len() as u64, length);
            for dropped in [1, 9, 10, 100_000] {
                assert_eq!(suffix(&profile, dropped).len() as u64, profile.suffix.unwrap().length(dropped));
            }
            let text = card(&profile, "技", "d", "w");
            assert_eq!(text.chars().count() as u64, profile.card_length("技", "d", "w"), "{text:?}");
        }
    }

    #[test]
    fn the_page_layout_reads_as_the_page_says() {
        let profile = crate::embedded::rendering_profile("page-1").unwrap();
        assert_eq!(HEADER.len() as u64, profile.header);
        assert_eq!(card(&profile, "a", "does it", "when asked"), "- `a`: does it\n  when: when asked");
    }
}
