//! `activation.catalog`: the text that Harn's prompt renderer makes.

use harn_vm::json_to_vm_value;
use harn_vm::skills::CATALOG_HEADER;
use harn_vm::value::VmValue;
use proofmark::contract::refusal::Category;
use serde_json::{Value, json};

use crate::host::{Failure, Harn};

/// Renders a registry. Harn's renderer takes a registry or the entries made from one; it has no limit of its own, and Harn's agent
/// loop cuts the list of entries where it has one, so that is what a limit does here.
pub(crate) fn catalog(harn: &mut Harn, registry: &Value, options: &Value) -> Result<Value, Failure> {
    // What is no mapping has no budget in it that the renderer could be given.
    if !(options.is_object() || options.is_null()) {
        return Err(Category::InvalidOptions.into());
    }
    let limit = match &options["catalog_limit"] {
        Value::Null => usize::MAX,
        limit => limit.as_u64().filter(|limit| *limit > 0).map(|limit| limit as usize).ok_or(Category::InvalidOptions)?,
    };
    let entries = harn.builtin("skills_catalog_entries", vec![json_to_vm_value(registry)])?;
    let VmValue::List(entries) = entries else {
        return Err(Failure::Failed("skills_catalog_entries gave no list".to_owned()));
    };
    let entries: Vec<VmValue> = entries.iter().take(limit).cloned().collect();
    let text = render(harn, entries.clone(), json_to_vm_value(&options["budget"]))?;
    let shown = shown(harn, &entries, &text)?;
    Ok(json!({"text": text, "shown": shown}))
}

fn render(harn: &mut Harn, entries: Vec<VmValue>, budget: VmValue) -> Result<String, Failure> {
    let text = harn.builtin("render_always_on_catalog", vec![VmValue::list(entries), budget])?;
    Ok(text.display())
}

/// Which cards stand in the text. The renderer says only the text, so it is read from the front, card by card; what a card looks
/// like, the renderer says too, when it is given that card alone.
fn shown(harn: &mut Harn, entries: &[VmValue], text: &str) -> Result<Vec<String>, Failure> {
    let mut shown = Vec::new();
    let mut rest = text.strip_prefix(CATALOG_HEADER).unwrap_or_default();
    for entry in entries {
        let alone = render(harn, vec![entry.clone()], VmValue::Int(i64::MAX))?;
        let card = alone.strip_prefix(CATALOG_HEADER).unwrap_or_default();
        let from = if shown.is_empty() { Some(rest) } else { rest.strip_prefix('\n') };
        let Some(behind) = from.and_then(|from| from.strip_prefix(card)).filter(|_| !card.is_empty()) else { break };
        rest = behind;
        shown.push(entry.as_dict().and_then(|entry| entry.get("name")).map(VmValue::display).unwrap_or_default());
    }
    Ok(shown)
}
