//! The options of evidence and catalog (page 10, section 5).

use std::collections::HashSet;

use serde_json::Value;

use crate::contract::activation::DEFAULT_BUDGET;
use crate::contract::refusal::Category;
use crate::json::as_count;

/// Options, read.
#[derive(Debug)]
pub(super) struct Options<'a> {
    pub(super) budget: u64,
    pub(super) catalog_limit: Option<u64>,
    pub(super) loaded: HashSet<&'a str>,
    pub(super) used: HashSet<&'a str>,
    pub(super) catalog_rendered: bool,
}

impl<'a> Options<'a> {
    pub(super) fn read(options: &'a Value) -> Result<Self, Category> {
        let members = match options {
            Value::Object(members) => Some(members),
            Value::Null => None,
            _ => return Err(Category::InvalidOptions),
        };
        let get = |key: &str| members.and_then(|members| members.get(key)).filter(|value| !value.is_null());
        let positive = |key: &str| match get(key) {
            None => Ok(None),
            Some(value) => as_count(value).filter(|count| *count > 0).map(Some).ok_or(Category::InvalidOptions),
        };
        let ids = |key: &str| match get(key) {
            None => Ok(HashSet::new()),
            Some(value) => {
                let items = value.as_array().ok_or(Category::InvalidOptions)?;
                items.iter().map(|item| item.as_str().ok_or(Category::InvalidOptions)).collect()
            }
        };
        Ok(Self {
            budget: positive("budget")?.unwrap_or(DEFAULT_BUDGET),
            catalog_limit: positive("catalog_limit")?,
            loaded: ids("loaded")?,
            used: ids("used")?,
            catalog_rendered: get("catalog_rendered") != Some(&Value::Bool(false)),
        })
    }
}
