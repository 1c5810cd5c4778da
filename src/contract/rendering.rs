//! The rendering profile: what a host's catalog costs around its texts.
//!
//! Header, card layout and omission line are the host's own, yet what fits depends on them. So a host declares them as data and is
//! held to that. Lengths are in the profile's own [`Unit`].

use serde::{Deserialize, Serialize};

/// What one unit of length is. The contract says characters; the others exist to be declared and found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Unicode scalar values.
    Characters,
    /// UTF-16 code units.
    Utf16,
    /// UTF-8 bytes.
    Bytes,
}

impl Unit {
    /// The length of a text in this unit.
    #[must_use]
    pub fn length(self, text: &str) -> u64 {
        let length = match self {
            Self::Bytes => text.len(),
            _ if text.is_ascii() => text.len(),
            Self::Characters => text.chars().count(),
            Self::Utf16 => text.encode_utf16().count(),
        };
        length as u64
    }
}

/// The line that says how many cards were dropped for budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Suffix {
    /// Its length without the number.
    pub base: u64,
    /// Whether the number is part of it, in decimal digits.
    pub plus_digits: bool,
}

impl Suffix {
    /// The length of the line for `dropped` cards.
    #[must_use]
    pub fn length(self, dropped: u64) -> u64 {
        let digits = if self.plus_digits { u64::from(dropped.max(1).ilog10()) + 1 } else { 0 };
        self.base + digits
    }
}

/// Fixed cost around each part of a card that is not empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CardCost {
    /// Around the id, which every card has.
    pub id: u64,
    /// Around the description.
    pub description: u64,
    /// Around the text that says when to use it.
    pub when_to_use: u64,
}

/// In which order cards stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Ascending ids as raw UTF-8 bytes.
    Id,
    /// Ascending ids as UTF-16 units.
    IdUtf16,
    /// As the registry has them.
    Registry,
}

/// What happens at the first card that does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fit {
    /// The catalog ends there.
    Prefix,
    /// It is left out and the next one is tried.
    Skip,
}

/// What a budget below the floor does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BelowFloor {
    /// It is raised to the floor; cards may still fit.
    Raise,
    /// Header and footer are rendered, no card, no omission line.
    Header,
    /// Nothing is rendered.
    Nothing,
}

/// What is rendered when no card takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Empty {
    /// Header and footer.
    Header,
    /// Nothing.
    Nothing,
}

/// A rendering profile, as a host declares it and as every request carries it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RenderingProfile {
    /// The unit of every length here and in the evidence.
    pub unit: Unit,
    /// What stands before the first card.
    pub header: u64,
    /// What stands between two cards.
    pub separator: u64,
    /// What stands after the last card.
    pub footer: u64,
    /// The omission line, or null for none.
    #[serde(deserialize_with = "required_option")]
    pub suffix: Option<Suffix>,
    /// What a card costs around its texts.
    pub card: CardCost,
    /// In which order cards stand.
    pub order: Order,
    /// What happens at the first card that does not fit.
    pub fit: Fit,
    /// What a budget below the floor does.
    pub below_floor: BelowFloor,
    /// What is rendered when no card takes part.
    pub empty: Empty,
}

/// Null is a value of its own here; serde would take a missing key for it.
fn required_option<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Suffix>, D::Error> {
    Option::deserialize(deserializer)
}

/// Parts of a profile that a case insists on, whatever the host declared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assumption {
    /// See [`RenderingProfile::unit`].
    pub unit: Option<Unit>,
    /// See [`RenderingProfile::order`].
    pub order: Option<Order>,
    /// See [`RenderingProfile::fit`].
    pub fit: Option<Fit>,
    /// See [`RenderingProfile::below_floor`].
    pub below_floor: Option<BelowFloor>,
    /// See [`RenderingProfile::empty`].
    pub empty: Option<Empty>,
}

impl RenderingProfile {
    /// The longest omission line without its number.
    pub const MAX_SUFFIX_BASE: u64 = 150;
    /// The largest fixed cost of a part of a card.
    pub const MAX_CARD_PART: u64 = 64;
    /// The longest header, separator or footer. A frame far beyond any layout would make cases not applicable that it should be held to.
    pub const MAX_FRAME: u64 = 4_096;

    /// header + footer + the omission line for one card: below it no budget can be kept.
    #[must_use]
    pub fn floor(&self) -> u64 {
        self.header + self.footer + self.suffix.map_or(0, |suffix| suffix.length(1))
    }

    /// The length of a card with these texts.
    #[must_use]
    pub fn card_length(&self, id: &str, description: &str, when_to_use: &str) -> u64 {
        let part = |cost: u64, text: &str| if text.is_empty() { 0 } else { cost + self.unit.length(text) };
        self.card.id + self.unit.length(id) + part(self.card.description, description) + part(self.card.when_to_use, when_to_use)
    }

    /// This profile with what a case insists on.
    #[must_use]
    pub fn assuming(mut self, assumption: Assumption) -> Self {
        self.unit = assumption.unit.unwrap_or(self.unit);
        self.order = assumption.order.unwrap_or(self.order);
        self.fit = assumption.fit.unwrap_or(self.fit);
        self.below_floor = assumption.below_floor.unwrap_or(self.below_floor);
        self.empty = assumption.empty.unwrap_or(self.empty);
        self
    }

    /// What is out of bounds in this profile, if anything.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        let frame = [("header", self.header), ("separator", self.separator), ("footer", self.footer)];
        let parts = [("card.id", self.card.id), ("card.description", self.card.description), ("card.when_to_use", self.card.when_to_use)];
        let base = self.suffix.map_or(0, |suffix| suffix.base);
        let over = |(name, value): &(&str, u64), bound: u64| format!("{name} is {value}; at most {bound}");
        frame
            .iter()
            .find(|part| part.1 > Self::MAX_FRAME)
            .map(|part| over(part, Self::MAX_FRAME))
            .or_else(|| parts.iter().find(|part| part.1 > Self::MAX_CARD_PART).map(|part| over(part, Self::MAX_CARD_PART)))
            .or_else(|| (base > Self::MAX_SUFFIX_BASE).then(|| over(&("suffix.base", base), Self::MAX_SUFFIX_BASE)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_count_what_they_say() {
        // A Chinese letter, an astral emoji, and an e with a combining accent.
        let text = "技🚀e\u{301}";
        assert_eq!(Unit::Characters.length(text), 4);
        assert_eq!(Unit::Utf16.length(text), 5);
        assert_eq!(Unit::Bytes.length(text), 3 + 4 + 1 + 2);
    }

    #[test]
    fn the_omission_line_grows_with_its_number() {
        let suffix = Suffix { base: 51, plus_digits: true };
        assert_eq!([1, 9, 10, 99, 100].map(|dropped| suffix.length(dropped)), [52, 52, 53, 53, 54]);
        assert_eq!(Suffix { base: 51, plus_digits: false }.length(10), 51);
    }
}
