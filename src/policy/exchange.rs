//! What a rule looks at: a request, its answer, and sometimes a second answer beside it.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::checks::Claims;
use crate::adapter::{Answer, Operation};
use crate::contract::activation::{Entry, registry_skills};
use crate::contract::rendering::RenderingProfile;
use crate::json::{as_count, pointer_push};

/// One answer with all that is known about how it came to be.
#[derive(Debug, Clone, Copy)]
pub struct Exchange<'a> {
    /// What was asked.
    pub operation: Operation,
    /// With which params; `None` for a document that nobody asked for here.
    pub params: Option<&'a Value>,
    /// What came back.
    pub answer: &'a Answer,
    /// The rendering profile that the host declared.
    pub profile: Option<&'a RenderingProfile>,
    /// A second answer to compare with.
    pub companion: Option<Companion<'a>>,
}

/// A second answer beside the first.
#[derive(Debug, Clone, Copy)]
pub enum Companion<'a> {
    /// The other of evidence and catalog, asked with the same params.
    Twin(&'a Answer),
    /// The same operation, asked with params that a law relates to the first ones.
    Variant {
        /// The law's rule id.
        law: &'a str,
        /// The other params.
        params: &'a Value,
        /// The answer to them.
        answer: &'a Answer,
    },
}

/// Places and words that a check found; nothing where the rule holds.
pub(super) type Findings = Vec<(String, String)>;

/// What a native check says: `None` where it can't judge from what is there.
pub(super) type Judged = Option<Findings>;

/// A native check.
pub(super) type NativeCheck = fn(&View<'_>) -> Judged;

/// An exchange as the checks see it. What several of them need is read once: an answer may hold a hundred thousand cards.
pub(super) struct View<'a> {
    pub(super) operation: Operation,
    pub(super) params: Option<&'a Value>,
    pub(super) answer: &'a Answer,
    pub(super) profile: Option<&'a RenderingProfile>,
    pub(super) companion: Option<Companion<'a>>,
    evidence: OnceCell<Option<EvidenceView<'a>>>,
    entries: OnceCell<Option<EntriesById<'a>>>,
    claims: OnceCell<Option<Claims<'a>>>,
}

/// The entries of a registry by id, in its order; more than one for an id that stands there more than once.
pub(super) type EntriesById<'a> = HashMap<Cow<'a, str>, Vec<Entry<'a>>>;

/// A card of a payload, with its place.
pub(super) struct CardView<'a> {
    pub(super) path: String,
    pub(super) id: &'a str,
    pub(super) members: &'a Map<String, Value>,
}

static NULL: Value = Value::Null;

impl<'a> CardView<'a> {
    pub(super) fn get(&self, key: &str) -> &'a Value {
        self.members.get(key).unwrap_or(&NULL)
    }

    pub(super) fn text(&self, key: &str) -> &'a str {
        self.get(key).as_str().unwrap_or("")
    }

    pub(super) fn selected(&self) -> bool {
        self.get("selected") == &Value::Bool(true)
    }

    pub(super) fn reason(&self) -> Option<&'a str> {
        self.get("omitted_reason").as_str()
    }

    pub(super) fn length(&self) -> u64 {
        as_count(self.get("char_estimate")).unwrap_or(0)
    }

    pub(super) fn at(&self, key: &str) -> String {
        pointer_push(&self.path, key)
    }

    /// Whether the card stood for selection: it was rendered, or only the budget kept it out.
    pub(super) fn takes_part(&self) -> bool {
        self.selected() || self.reason() == Some("budget")
    }
}

/// An evidence payload of the right shape. Where the shape is broken AE-100 speaks, and the other rules are not judged.
pub(super) struct EvidenceView<'a> {
    pub(super) cards: Vec<CardView<'a>>,
    pub(super) shown: Vec<&'a str>,
    pub(super) omitted: Vec<&'a str>,
    pub(super) budget: u64,
    pub(super) used: u64,
}

impl<'a> EvidenceView<'a> {
    pub(super) fn of(answer: &'a Answer) -> Option<Self> {
        let Answer::Result(payload) = answer else { return None };
        let list = |key: &str| payload.get(key)?.as_array()?.iter().map(Value::as_str).collect::<Option<Vec<_>>>();
        let cards = payload.get("cards")?.as_array()?.iter().enumerate().map(|(at, card)| {
            let members = card.as_object()?;
            Some(CardView { path: format!("/cards/{at}"), id: members.get("id")?.as_str()?, members })
        });
        Some(Self {
            cards: cards.collect::<Option<Vec<_>>>()?,
            shown: list("shown")?,
            omitted: list("omitted")?,
            budget: as_count(payload.get("budget_chars")?)?,
            used: as_count(payload.get("used_chars")?)?,
        })
    }

    /// The number of cards that were dropped for budget.
    pub(super) fn dropped(&self) -> u64 {
        self.cards.iter().filter(|card| card.reason() == Some("budget")).count() as u64
    }
}

impl<'a> View<'a> {
    pub(super) fn of(exchange: &Exchange<'a>) -> Self {
        let Exchange { operation, params, answer, profile, companion } = *exchange;
        Self { operation, params, answer, profile, companion, evidence: OnceCell::new(), entries: OnceCell::new(), claims: OnceCell::new() }
    }

    /// The exchange that this is a view of.
    pub(super) fn exchange(&self) -> Exchange<'a> {
        Exchange { operation: self.operation, params: self.params, answer: self.answer, profile: self.profile, companion: self.companion }
    }

    /// The payload of an evidence answer.
    pub(super) fn evidence(&self) -> Option<&EvidenceView<'a>> {
        let read = || (self.operation == Operation::ActivationEvidence).then(|| EvidenceView::of(self.answer)).flatten();
        self.evidence.get_or_init(read).as_ref()
    }

    /// The result, where there is one.
    pub(super) fn result(&self) -> Option<&'a Value> {
        match self.answer {
            Answer::Result(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn param(&self, key: &str) -> &'a Value {
        self.params.and_then(|params| params.get(key)).unwrap_or(&NULL)
    }

    /// An option of the request; null where it was not given.
    pub(super) fn option(&self, key: &str) -> &'a Value {
        self.param("options").get(key).unwrap_or(&NULL)
    }

    /// Whether every option is of its form. How an invalid one reads where it is not refused, nothing settles: what follows from it is not
    /// judged then.
    pub(super) fn options_are_valid(&self) -> bool {
        let positive = |key: &str| {
            let value = self.option(key);
            value.is_null() || as_count(value).is_some_and(|count| count > 0)
        };
        let ids = |key: &str| {
            let value = self.option(key);
            value.is_null() || value.as_array().is_some_and(|items| items.iter().all(Value::is_string))
        };
        let options = self.param("options");
        (options.is_object() || options.is_null()) && positive("budget") && positive("catalog_limit") && ids("loaded") && ids("used")
    }

    /// The ids of an option that is a list.
    pub(super) fn option_ids(&self, key: &str) -> HashSet<&'a str> {
        self.option(key).as_array().into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// Whether the request said that no catalog was rendered.
    pub(super) fn without_catalog(&self) -> bool {
        self.option("catalog_rendered") == &Value::Bool(false)
    }

    /// The entries of the request's registry.
    pub(super) fn entries(&self) -> Option<&EntriesById<'a>> {
        let read = || {
            let mut entries = EntriesById::new();
            for entry in registry_skills(self.params?.get("registry")?)?.iter().filter_map(Entry::read) {
                // Nearly every id has one entry, and entries are large.
                entries.entry(entry.id.clone()).or_insert_with(|| Vec::with_capacity(1)).push(entry);
            }
            Some(entries)
        };
        self.entries.get_or_init(read).as_ref()
    }

    /// Who claims which id in a merge.
    pub(super) fn claims(&self) -> Option<&Claims<'a>> {
        self.claims.get_or_init(|| Claims::of(self)).as_ref()
    }

    /// The budget that was asked for; the payload's where nobody asked here.
    pub(super) fn asked_budget(&self, view: &EvidenceView<'_>) -> u64 {
        if self.params.is_none() {
            return view.budget;
        }
        as_count(self.option("budget")).unwrap_or(crate::contract::activation::DEFAULT_BUDGET)
    }
}
