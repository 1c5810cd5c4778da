//! A merge leaves one entry for each id, and it comes from the strongest layer that has it.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;

use crate::adapter::Operation;
use crate::contract::activation::{DEFAULT_PRECEDENCE, Entry, registry_skills};
use crate::policy::exchange::{Findings, Judged, View};

pub(super) fn check(exchange: &View<'_>) -> Judged {
    let claims = exchange.claims()?;
    let mut findings = Findings::new();
    let Some(merged) = exchange.result()?.get("registry").and_then(registry_skills) else {
        return Some(vec![("/registry".into(), "is no registry".into())]);
    };
    let mut seen: HashMap<Cow<'_, str>, usize> = HashMap::new();
    for (at, value) in merged.iter().enumerate() {
        let path = format!("/registry/skills/{at}");
        let Some(entry) = Entry::read(value) else {
            findings.push((path, "has no name, so that it has no id".into()));
            continue;
        };
        if let Some(first) = seen.insert(entry.id.clone(), at) {
            findings.push((path, format!("the id {:?} stands at {first} already", entry.id)));
            continue;
        }
        let Some(winners) = claims.winners(&entry.id) else {
            findings.push((path, format!("no layer has the id {:?}", entry.id)));
            continue;
        };
        if !winners.iter().any(|(_, winner)| same(winner, &entry)) {
            let labels: Vec<&str> = winners.iter().map(|(label, _)| *label).collect();
            findings.push((path, format!("is not the entry of the layer {}, which wins", labels.join(" or "))));
        }
    }
    for id in claims.ids().filter(|id| !seen.contains_key(*id)) {
        findings.push(("/registry/skills".into(), format!("nothing has the id {id:?}")));
    }
    Some(findings)
}

/// What a registry says of a skill, but for the layer, and for why it was matched: that is put in by whoever matches.
fn same(a: &Entry<'_>, b: &Entry<'_>) -> bool {
    let texts = |a: &Entry<'_>, b: &Entry<'_>| {
        a.name == b.name
            && a.namespace == b.namespace
            && a.short == b.short
            && a.description == b.description
            && a.when_to_use == b.when_to_use
            && a.body == b.body
    };
    texts(a, b) && a.disabled == b.disabled && a.require_signature == b.require_signature
}

/// Who claims which id, from the request.
pub(in crate::policy) struct Claims<'a> {
    by_id: HashMap<Cow<'a, str>, Vec<(usize, &'a str, Entry<'a>)>>,
}

impl<'a> Claims<'a> {
    /// `None` for another operation, a refusal, or a request that no merge can be right about.
    pub(in crate::policy) fn of(exchange: &View<'a>) -> Option<Self> {
        if exchange.operation != Operation::RegistryMerge {
            return None;
        }
        exchange.result()?;
        let precedence = exchange.param("precedence");
        let mut tiers: HashMap<&str, usize> = HashMap::new();
        if precedence.is_null() {
            // The order inside the page's own tiers is settled by nothing: labels of one tier are equal here.
            for (tier, labels) in DEFAULT_PRECEDENCE.iter().enumerate() {
                tiers.extend(labels.iter().map(|label| (*label, tier)));
            }
        } else {
            for label in precedence.as_array()?.iter().flat_map(|tier| tier.as_array().into_iter().flatten()) {
                let rank = tiers.len();
                tiers.entry(label.as_str()?).or_insert(rank);
            }
        }
        let mut by_id: HashMap<Cow<'_, str>, Vec<(usize, &str, Entry<'_>)>> = HashMap::new();
        for layer in exchange.param("layers").as_array()? {
            let label = layer.get("label")?.as_str()?;
            let tier = *tiers.get(label)?;
            for entry in layer.get("skills")?.as_array()?.iter().filter_map(Entry::read) {
                by_id.entry(entry.id.clone()).or_insert_with(|| Vec::with_capacity(1)).push((tier, label, entry));
            }
        }
        Some(Self { by_id })
    }

    /// In no order: a verdict puts its violations in order.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.by_id.keys().map(|id| &**id)
    }

    /// The entries of which any may win an id.
    pub(super) fn winners(&self, id: &str) -> Option<Vec<(&'a str, &Entry<'a>)>> {
        let claims = self.by_id.get(id)?;
        let best = claims.iter().map(|claim| claim.0).min()?;
        Some(claims.iter().filter(|claim| claim.0 == best).map(|(_, label, entry)| (*label, entry)).collect())
    }

    /// Every label that claims an id.
    pub(super) fn labels(&self, id: &str) -> Vec<&'a str> {
        let mut labels: Vec<&str> = self.by_id.get(id).into_iter().flatten().map(|claim| claim.1).collect();
        labels.sort_unstable();
        labels.dedup();
        labels
    }
}

/// The entries of a merged registry with their index and the layer that they name.
pub(super) fn merged<'a>(exchange: &View<'a>) -> Option<Vec<(usize, Entry<'a>)>> {
    let skills = registry_skills(exchange.result()?.get("registry")?)?;
    Some(skills.iter().enumerate().filter_map(|(at, value): (usize, &Value)| Some((at, Entry::read(value)?))).collect())
}
