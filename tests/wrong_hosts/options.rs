//! The options of evidence and catalog.

use std::collections::HashSet;

use proofmark::json::as_count;
use serde_json::Value;

use super::fault::Fault;
use super::host::{Host, Refused, refuse};

const KNOWN: [&str; 5] = ["budget", "catalog_limit", "loaded", "used", "catalog_rendered"];

pub(super) struct Options {
    pub(super) budget: u64,
    pub(super) limit: Option<u64>,
    /// Keys of ids.
    pub(super) loaded: HashSet<String>,
    pub(super) used: HashSet<String>,
    pub(super) rendered: bool,
}

impl Host {
    pub(super) fn options(&mut self, options: &Value) -> Result<Options, Refused> {
        let lenient = self.has(Fault::InvalidOptionsAccepted);
        if !(options.is_object() || options.is_null() || lenient) {
            return refuse("invalid_options");
        }
        if self.has(Fault::UnknownOptionsRefused)
            && options.as_object().is_some_and(|options| options.keys().any(|key| !KNOWN.contains(&key.as_str())))
        {
            return refuse("invalid_options");
        }
        let number = |key: &str| match &options[key] {
            Value::Null => Ok(None),
            value => match as_count(value).filter(|count| *count > 0) {
                None if !lenient => refuse("invalid_options"),
                count => Ok(count),
            },
        };
        let ids = |key: &str| -> Result<HashSet<String>, Refused> {
            let list: Option<Vec<&str>> = match &options[key] {
                Value::Null => Some(Vec::new()),
                value => value.as_array().and_then(|list| list.iter().map(Value::as_str).collect()),
            };
            match list {
                Some(list) => Ok(list.into_iter().map(|id| self.key(id)).collect()),
                None if lenient => Ok(HashSet::new()),
                None => refuse("invalid_options"),
            }
        };
        let default_budget = if self.has(Fault::BudgetDefault8000) { 8000 } else { 2000 };
        let mut read = Options {
            budget: number("budget")?.unwrap_or(default_budget),
            limit: number("catalog_limit")?,
            loaded: ids("loaded")?,
            used: ids("used")?,
            rendered: options["catalog_rendered"] != Value::Bool(false) || self.has(Fault::CatalogRenderedIgnored),
        };
        if self.has(Fault::LimitIgnored) {
            read.limit = None;
        }
        if self.has(Fault::LimitDefaultTwelve) {
            read.limit = read.limit.or(Some(12));
        }
        if self.has(Fault::StateLeaks) {
            self.remembered_loads.extend(read.loaded.iter().cloned());
        }
        // Filled by a host that should not remember, and by no other.
        read.loaded.extend(self.remembered_loads.iter().cloned());
        if self.has(Fault::LoadedIgnored) {
            read.loaded.clear();
        }
        if self.has(Fault::UsedIgnored) {
            read.used.clear();
        }
        Ok(read)
    }
}
