//! The host: what it declares, its layout and its lengths.

use std::collections::{BTreeMap, BTreeSet};

use proofmark::adapter::{Answer, Declaration, ErrorObject, Hello, Implementation, Operation};
use proofmark::contract::rendering::{BelowFloor, Empty, Fit, Order, RenderingProfile, Unit};
use serde_json::{Value, json};

use super::fault::Fault;
use super::skill::with_texts_for_numbers;

/// A host with one fault, or with none.
#[derive(Debug)]
pub(crate) struct Host {
    fault: Option<Fault>,
    pub(super) profile: RenderingProfile,
    /// What a host should not keep from one request to the next.
    pub(super) remembered_loads: BTreeSet<String>,
    pub(super) remembered_texts: BTreeMap<Vec<String>, String>,
}

/// What it supports: contract 1.
const OPERATIONS: [Operation; 5] = [
    Operation::ActivationEvidence,
    Operation::ActivationCatalog,
    Operation::ActivationLoad,
    Operation::ActivationRead,
    Operation::RegistryMerge,
];

/// Why a request was refused: the answer's value.
pub(super) struct Refused(pub(super) Value);

pub(super) type Answered = Result<Value, Refused>;

pub(super) fn refuse<T>(category: &str) -> Result<T, Refused> {
    Err(Refused(json!({"error": {"category": category}})))
}

impl Host {
    /// A host of this layout, but for what its fault declares.
    pub(crate) fn new(fault: Option<Fault>, mut profile: RenderingProfile) -> Self {
        match fault {
            Some(Fault::BytesDeclared) => profile.unit = Unit::Bytes,
            Some(Fault::Utf16Declared) => profile.unit = Unit::Utf16,
            Some(Fault::SkipFitDeclared) => profile.fit = Fit::Skip,
            Some(Fault::RegistryOrderDeclared) => profile.order = Order::Registry,
            Some(Fault::HeaderBelowFloorDeclared) => profile.below_floor = BelowFloor::Header,
            Some(Fault::EmptyCatalogDeclared) => profile.empty = Empty::Nothing,
            _ => {}
        }
        Self { fault, profile, remembered_loads: BTreeSet::new(), remembered_texts: BTreeMap::new() }
    }

    pub(super) fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    /// The length of a text as this host counts.
    pub(super) fn length(&self, text: &str) -> u64 {
        let unit = match self.fault {
            Some(Fault::BytesForCharacters) => Unit::Bytes,
            Some(Fault::Utf16ForCharacters) => Unit::Utf16,
            Some(Fault::ComposesBeforeCounting) => return Unit::Characters.length(&compose(text)),
            Some(Fault::GraphemesForCharacters) => return graphemes(text),
            _ => self.profile.unit,
        };
        unit.length(text)
    }

    pub(super) fn tokens(&self, length: u64) -> u64 {
        if self.has(Fault::TokensRoundedDown) { length / 4 } else { length.div_ceil(4) }
    }

    pub(super) fn header(&self) -> String {
        let length = self.profile.header;
        filled("## Skills at hand ", length.saturating_sub(1)) + &filled("\n", length.min(1))
    }

    pub(super) fn separator(&self) -> String {
        filled("\n", self.profile.separator)
    }

    pub(super) fn footer(&self) -> String {
        filled("\n", self.profile.footer)
    }

    pub(super) fn block(&self, id: &str, description: &str, when_to_use: &str) -> String {
        let cost = &self.profile.card;
        let mut block = filled("- `", cost.id.saturating_sub(1)) + id + &filled("`", cost.id.min(1));
        for (lead, cost, text) in [(": ", cost.description, description), ("\n  when: ", cost.when_to_use, when_to_use)] {
            if !text.is_empty() {
                block = block + &filled(lead, cost) + text;
            }
        }
        block
    }

    /// The line for so many cards that found no room.
    pub(super) fn count_line(&self, dropped: usize) -> String {
        let Some(suffix) = self.profile.suffix else { return String::new() };
        let number = if suffix.plus_digits { dropped.to_string() } else { String::new() };
        filled("\nLeft out for want of room, skills in number ", suffix.base) + &number
    }
}

impl Implementation for Host {
    fn initialize(&mut self, _: &Hello) -> Result<Declaration, ErrorObject> {
        let name = self.fault.map_or("no-fault", Fault::name);
        Ok(Declaration::new(name, "1.0.0", "Rust").operations(OPERATIONS).rendering(self.profile))
    }

    fn call(&mut self, operation: Operation, params: &Value) -> Answer {
        let read_otherwise;
        let params = if self.has(Fault::NumbersTakenAsTexts) {
            read_otherwise = with_texts_for_numbers(params);
            &read_otherwise
        } else {
            params
        };
        let answered = match operation {
            Operation::ActivationEvidence => self.evidence(params),
            Operation::ActivationCatalog => self.catalog(params),
            Operation::ActivationLoad => self.load(params),
            Operation::ActivationRead => self.read(params),
            Operation::RegistryMerge => self.merge(params),
            _ => return Answer::Unsupported,
        };
        match answered {
            Ok(value) => Answer::Result(value),
            Err(Refused(value)) => Answer::from_result(value),
        }
    }
}

/// A text of this length, cut or filled up: the declared layout, whatever it is.
fn filled(text: &str, length: u64) -> String {
    let length = usize::try_from(length).unwrap_or(0);
    format!("{text:-<length$}").chars().take(length).collect()
}

/// What a reader would call letters: marks, joined emoji and the line feed of a CRLF are part of what they follow.
fn graphemes(text: &str) -> u64 {
    let mut count = 0;
    let mut before = ' ';
    for character in text.chars() {
        let mark = matches!(character, '\u{300}'..='\u{36f}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}');
        if !(mark || before == '\u{200d}' || (before, character) == ('\r', '\n')) {
            count += 1;
        }
        before = character;
    }
    count
}

/// Composes the letters that the suite's texts decompose.
pub(super) fn compose(text: &str) -> String {
    const PAIRS: [(&str, &str); 4] = [("e\u{301}", "\u{e9}"), ("o\u{308}", "\u{f6}"), ("a\u{30a}", "\u{e5}"), ("u\u{308}", "\u{fc}")];
    PAIRS.iter().fold(text.to_owned(), |text, (decomposed, composed)| text.replace(decomposed, composed))
}
