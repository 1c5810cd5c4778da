//! The native checks: one file a check, named as the rule pack names it.

mod budget;
mod card_length;
mod card_text;
mod catalog_agrees;
mod catalog_limit;
mod catalog_text;
mod disabled;
mod entry_facts;
mod laws;
mod lifecycle;
mod load_estimate;
mod load_facts;
mod load_outcome;
mod longest_prefix;
mod merge_shadowed;
mod merge_source;
mod merge_winner;
mod order;
mod partition;
mod prefix;
mod read_unknown_keys;
mod read_version;
mod selection;
mod tokens;
mod used_length;

use super::exchange::NativeCheck;

pub(super) use merge_winner::Claims;

/// Every native check by the name that a rule pack uses.
pub(super) const ALL: &[(&str, NativeCheck)] = &[
    ("budget", budget::check),
    ("card_length", card_length::check),
    ("card_text", card_text::check),
    ("catalog_agrees", catalog_agrees::check),
    ("catalog_text", catalog_text::check),
    ("catalog_limit", catalog_limit::check),
    ("disabled", disabled::check),
    ("entry_facts", entry_facts::check),
    ("law_behind_the_limit", laws::unseen_entry),
    ("law_disabled_entry", laws::unseen_entry),
    ("law_doubled_texts", laws::never_more_shown),
    ("law_larger_budget", laws::never_fewer_shown),
    ("law_permutation", laws::same_evidence),
    ("law_repetition", laws::same_answer),
    ("law_runtime_states", laws::lifecycles_only),
    ("law_text_is_rendered", laws::another_text),
    ("law_unknown_keys", laws::same_evidence),
    ("lifecycle", lifecycle::check),
    ("load_estimate", load_estimate::check),
    ("load_facts", load_facts::check),
    ("load_outcome", load_outcome::check),
    ("longest_prefix", longest_prefix::check),
    ("merge_shadowed", merge_shadowed::check),
    ("merge_source", merge_source::check),
    ("merge_winner", merge_winner::check),
    ("order", order::check),
    ("partition", partition::check),
    ("prefix", prefix::check),
    ("read_unknown_keys", read_unknown_keys::check),
    ("read_version", read_version::check),
    ("selection", selection::check),
    ("tokens", tokens::check),
    ("used_length", used_length::check),
];
