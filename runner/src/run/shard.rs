//! A part of a run, for machines that share it.

use std::fmt;
use std::str::FromStr;

use proofmark::digest;
use serde::{Deserialize, Serialize};

/// One of several parts of a run. Which part a case belongs to depends on its id alone, so that a case that is added or taken away moves no
/// other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// Which one, from 1.
    pub index: u32,
    /// Of how many.
    pub of: u32,
}

impl Shard {
    /// Whether a case belongs to it.
    #[must_use]
    pub fn has(self, id: &str) -> bool {
        let number = u64::from_str_radix(&digest::hex(id.as_bytes())[..16], 16).unwrap_or_default();
        number % u64::from(self.of.max(1)) + 1 == u64::from(self.index)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split_once('/').and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((index, of)) if (1..=of).contains(&index) && of <= 10_000 => Ok(Self { index, of }),
            _ => Err(format!("{text:?} is no shard; write INDEX/COUNT, such as 1/3, 2/3 and 3/3")),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_is_in_one_shard_and_shards_are_about_even() {
        let ids: Vec<String> = (0..3000).map(|number| format!("some.case-{number}")).collect();
        for of in [1, 2, 3, 7] {
            let shards: Vec<Shard> = (1..=of).map(|index| Shard { index, of }).collect();
            assert!(ids.iter().all(|id| shards.iter().filter(|shard| shard.has(id)).count() == 1));
            let smallest = shards.iter().map(|shard| ids.iter().filter(|id| shard.has(id)).count()).min();
            assert!(smallest > Some(3000 / of as usize * 8 / 10));
        }
        // The digest of "test" begins with 9f86d081884c7d65, a multiple of three.
        assert!(Shard { index: 1, of: 3 }.has("test"));
    }

    #[test]
    fn a_shard_is_written_as_a_fraction() {
        assert_eq!("2/3".parse(), Ok(Shard { index: 2, of: 3 }));
        for text in ["", "3", "0/3", "4/3", "1/0", "a/b", "-1/3", "1/3/5", "1/99999"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
