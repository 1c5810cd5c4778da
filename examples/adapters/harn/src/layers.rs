//! `registry.merge`: layers of entries put to Harn's layered discovery.

use std::collections::HashMap;

use harn_vm::llm::vm_value_to_json;
use harn_vm::skills::{
    DiscoveryOptions, Layer, LayeredDiscovery, Shadowed, Skill, SkillManifest, SkillManifestRef, SkillSource, skill_entry_to_vm,
};
use proofmark::contract::refusal::Category;
use serde_json::{Map, Value, json};

use crate::host::Failure;

pub(crate) fn merge(params: &Value) -> Result<Value, Failure> {
    let mut discovery = LayeredDiscovery::new().with_options(options(&params["precedence"]));
    for part in params["layers"].as_array().into_iter().flatten() {
        let layer = layer(&part["label"]).ok_or(Category::UnknownLayer)?;
        discovery = discovery.push(Entries::new(layer, skills(&part["skills"], layer)));
    }
    let report = discovery.build_report();
    let skills = report.winners.iter().map(|winner| entry(&discovery, winner)).collect::<Result<Vec<_>, _>>()?;
    let row = |it: &Shadowed| json!({"id": it.id, "winner": it.winner.label(), "loser": it.loser.label()});
    Ok(json!({
        "registry": {"_type": "skill_registry", "skills": skills},
        "shadowed": report.shadowed.iter().map(row).collect::<Vec<_>>(),
    }))
}

/// Harn's layers are a closed list; a layer that is not on it can't be put to Harn.
fn layer(label: &Value) -> Option<Layer> {
    Layer::from_label(label.as_str()?)
}

/// A precedence as Harn's lookup order, which has no tiers. A label that Harn lacks has no place in it, and no layer could bear it.
fn options(precedence: &Value) -> DiscoveryOptions {
    let labels = precedence.as_array().map(|tiers| tiers.iter().flat_map(|tier| tier.as_array().into_iter().flatten()));
    DiscoveryOptions { disabled_layers: Vec::new(), lookup_order: labels.map(|labels| labels.filter_map(layer).collect()) }
}

/// The winner as a whole, its body too. `LayeredDiscovery::fetch` looks for it in the same way, and merges all layers again for each.
fn entry(discovery: &LayeredDiscovery, winner: &SkillManifestRef) -> Result<Value, Failure> {
    let mut sources = discovery.sources().iter().filter(|source| source.layer() == winner.layer);
    let skill = sources.find_map(|source| source.fetch(&winner.id).ok());
    let skill = skill.ok_or_else(|| Failure::Failed(format!("{}: the source of the winner does not have it", winner.id)))?;
    Ok(vm_value_to_json(&skill_entry_to_vm(&skill)))
}

/// The entries of a list as the skills that Harn would have read from files with this front matter. Those without a name, and those
/// whose fields are of other types than Harn's, are passed over, as Harn passes over such files.
fn skills(entries: &Value, layer: Layer) -> Vec<Skill> {
    let entries = entries.as_array().into_iter().flatten().filter_map(Value::as_object);
    entries.filter_map(|entry| skill(entry, layer)).collect()
}

fn skill(entry: &Map<String, Value>, layer: Layer) -> Option<Skill> {
    // Harn's front matter takes hyphens for underscores; a null is a field that is not there.
    let fields = entry.iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.replace('-', "_"), value.clone()));
    let manifest: SkillManifest = serde_json::from_value(Value::Object(fields.collect())).ok()?;
    let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    (!manifest.name.is_empty()).then(|| Skill {
        manifest,
        body: text("body"),
        skill_dir: None,
        layer,
        namespace: Some(text("namespace")).filter(|namespace| !namespace.is_empty()),
        unknown_fields: Vec::new(),
    })
}

/// A source that has its skills in memory, listed in the order in which they came.
struct Entries {
    layer: Layer,
    skills: Vec<Skill>,
    first_by_id: HashMap<String, usize>,
}

impl Entries {
    fn new(layer: Layer, skills: Vec<Skill>) -> Self {
        let mut first_by_id = HashMap::new();
        for (at, skill) in skills.iter().enumerate() {
            first_by_id.entry(skill.id()).or_insert(at);
        }
        Self { layer, skills, first_by_id }
    }
}

impl SkillSource for Entries {
    fn list(&self) -> Vec<SkillManifestRef> {
        let listed = |skill: &Skill| SkillManifestRef {
            id: skill.id(),
            manifest: skill.manifest.clone(),
            layer: self.layer,
            namespace: skill.namespace.clone(),
            origin: self.describe(),
            unknown_fields: Vec::new(),
        };
        self.skills.iter().map(listed).collect()
    }

    fn fetch(&self, id: &str) -> Result<Skill, String> {
        self.first_by_id.get(id).map(|at| self.skills[*at].clone()).ok_or_else(|| format!("skill '{id}' not found"))
    }

    fn layer(&self) -> Layer {
        self.layer
    }

    fn describe(&self) -> String {
        format!("entries of the layer {}", self.layer.label())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(params: &Value) -> Result<(Value, Value), Category> {
        match merge(params) {
            Ok(answer) => Ok((answer["registry"]["skills"].clone(), answer["shadowed"].clone())),
            Err(Failure::Refused(category, _)) => Err(category),
            Err(Failure::Failed(message)) => panic!("{message}"),
        }
    }

    #[test]
    fn harns_own_order_decides_where_the_request_gives_none() {
        let layers = json!([{"label": "package", "skills": [{"name": "a", "body": "P"}]}, {"label": "user", "skills": [{"name": "a", "body": "U"}]}]);
        let (skills, shadowed) = merged(&json!({"layers": layers})).unwrap();
        assert_eq!((&skills[0]["source"], &skills[0]["body"]), (&json!("user"), &json!("U")));
        assert_eq!(shadowed, json!([{"id": "a", "winner": "user", "loser": "package"}]));
    }

    #[test]
    fn a_precedence_is_the_lookup_order_without_the_labels_that_harn_lacks() {
        let layers = json!([{"label": "user", "skills": [{"name": "a"}]}, {"label": "package", "skills": [{"name": "a"}]}]);
        let (skills, _) = merged(&json!({"layers": layers, "precedence": [["bundled"], ["package", "user"]]})).unwrap();
        assert_eq!(skills[0]["source"], "package");
    }

    #[test]
    fn a_layer_that_harn_lacks_is_refused() {
        assert_eq!(merged(&json!({"layers": [{"label": "bundled", "skills": []}]})), Err(Category::UnknownLayer));
    }

    #[test]
    fn the_first_of_two_copies_is_the_one_fetched() {
        let skills = json!([{"name": "a", "body": "first"}, {"name": "a", "body": "second"}, {"description": "nameless"}]);
        let (skills, _) = merged(&json!({"layers": [{"label": "user", "skills": skills}]})).unwrap();
        assert_eq!(skills.as_array().unwrap().len(), 1);
        assert_eq!(skills[0]["body"], "first");
    }
}
