//! Contract 3, evidence return packets, version 0.1: names, vocabularies, the table of fields, and how a packet is read and written.

mod markdown;
mod read;
mod write;

pub use read::{MediaType, Read, ReadError, read};
pub use write::{to_markdown, to_yaml};

use serde_json::Value;

/// The contract's name.
pub const NAME: &str = "evidence_return_packet";
/// The version that this kit knows; a text.
pub const VERSION: &str = "0.1";

/// `skill.mode`
pub const MODES: [&str; 3] = ["generic", "knowledge_aware", "execution_only"];
/// `result.observation_class`
pub const OBSERVATION_CLASSES: [&str; 5] = ["planning", "decision_support", "validation", "review", "handoff"];
/// `result.outcome`
pub const OUTCOMES: [&str; 5] = ["usable", "partial", "failed", "unknown", "unavailable"];
/// `evidence_used[].type`
pub const EVIDENCE_TYPES: [&str; 5] = ["artifact", "user_input", "runtime_output", "knowledge_pack", "source_record"];
/// `evidence_used[].scope`
pub const EVIDENCE_SCOPES: [&str; 5] = ["metadata", "capsule", "excerpt", "full", "unavailable"];
/// `handoff.signal`
pub const SIGNALS: [&str; 6] = ["continue", "review", "escalate", "stop", "restart_ready", "unavailable"];
/// `recovery.lossiness`
pub const LOSSINESS: [&str; 3] = ["lossless", "lossy_with_recovery", "unavailable"];
/// What `recovery.lossiness` may never be.
pub const LOSSY_WITHOUT_RECOVERY: &str = "lossy_without_recovery";
/// What demands a pointer.
pub const LOSSY_WITH_RECOVERY: &str = "lossy_with_recovery";
/// `recovery.sensitivity`
pub const SENSITIVITIES: [&str; 4] = ["public", "internal", "confidential", "restricted"];
/// `metrics.NAME.provenance`
pub const PROVENANCES: [&str; 3] = ["reported", "estimated", "unavailable"];
/// The depths at which a packet is rendered, from the shallowest.
pub const DEPTHS: [&str; 3] = ["guided", "practitioner", "engineer"];

/// Keys that claim authority, folded; no packet has one, at any depth.
pub const AUTHORITY_KEYS: [&str; 27] = [
    "gate",
    "gates",
    "gatestatus",
    "gatedecision",
    "gateresult",
    "gatepassed",
    "approval",
    "approvalstatus",
    "approves",
    "approved",
    "approvedby",
    "decision",
    "slicedecision",
    "workslicedecision",
    "closes",
    "closeslice",
    "closed",
    "closedat",
    "closure",
    "blocks",
    "blockedby",
    "restart",
    "restarts",
    "slicestatus",
    "workslicestatus",
    "worksliceupdate",
    "executionauthority",
];

/// The members of a packet that are mappings.
pub const MAPPINGS: [&str; 5] = ["skill", "result", "handoff", "recovery", "metrics"];
/// The members of a packet that are sequences.
pub const SEQUENCES: [&str; 3] = ["evidence_used", "risks", "source_refs"];
/// The members of a packet that are texts.
pub const TEXTS: [&str; 3] = ["version", "observation_id", "work_slice_id"];

/// The fields of a packet, by their pointers, in the page's order; of sequences and of metrics the whole.
pub const FIELDS: [&str; 18] = [
    "/version",
    "/observation_id",
    "/work_slice_id",
    "/skill/id",
    "/skill/mode",
    "/skill/execution_profile",
    "/skill/modules_used",
    "/result/observation_class",
    "/result/outcome",
    "/result/compact_summary",
    "/evidence_used",
    "/risks",
    "/handoff/signal",
    "/handoff/reason",
    "/recovery/lossiness",
    "/recovery/pointer",
    "/recovery/sensitivity",
    "/metrics",
];

/// The fields of an item of `evidence_used`.
pub const EVIDENCE_FIELDS: [&str; 3] = ["type", "ref", "scope"];

/// The last of them: what the packet rests on.
pub const SOURCE_REFS: &str = "/source_refs";

/// What a view of a depth has to hold, where the packet has it.
#[must_use]
pub fn shown_at(depth: &str) -> Option<&'static [&'static str]> {
    match depth {
        "guided" => Some(&["/handoff/reason", "/handoff/signal", "/result/compact_summary", "/result/outcome"]),
        "practitioner" => Some(&["/evidence_used", "/handoff/reason", "/handoff/signal", "/result/outcome", "/risks"]),
        "engineer" => Some(&["/handoff/signal", "/metrics", "/recovery/lossiness", "/result/outcome", "/skill/modules_used"]),
        _ => None,
    }
}

/// What a view of a depth should not hold.
#[must_use]
pub fn not_shown_at(depth: &str) -> &'static [&'static str] {
    match depth {
        "guided" => &["/skill/modules_used", "/recovery/pointer", "/metrics"],
        "practitioner" => &["/recovery/pointer", "/metrics"],
        _ => &[],
    }
}

/// A name without `-`, `_`, blanks and case: how keys and headings are compared.
#[must_use]
pub fn folded(name: &str) -> String {
    name.chars().filter(|c| !(matches!(c, '-' | '_') || c.is_whitespace())).flat_map(char::to_lowercase).collect()
}

/// Whether a text is, as a whole, a placeholder `<…>`; a URL in angle brackets is none.
#[must_use]
pub fn is_placeholder(text: &str) -> bool {
    let inner = text.trim().strip_prefix('<').and_then(|text| text.strip_suffix('>'));
    inner.is_some_and(|inner| !inner.is_empty() && !inner.contains(['<', '>']) && !inner.contains("://"))
}

/// Whether the packet has a field: its parents are mappings, and the member is there. A section of null has nothing.
#[must_use]
pub fn has_field(packet: &Value, pointer: &str) -> bool {
    let mut value = packet;
    for key in pointer.split('/').skip(1) {
        match value.as_object().and_then(|members| members.get(key)) {
            Some(member) => value = member,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_fold_without_signs_and_case() {
        assert_eq!(folded("Approved-By"), "approvedby");
        assert_eq!(folded("GATE_STATUS "), "gatestatus");
        assert!(AUTHORITY_KEYS.contains(&folded("Work Slice Decision").as_str()));
        assert!(AUTHORITY_KEYS.iter().all(|key| folded(key) == *key));
    }

    #[test]
    fn placeholders_are_whole_values() {
        for (text, is) in [
            ("<slice-id>", true),
            (" <a|b> ", true),
            ("<>", false),
            ("a <b>", false),
            ("<b>x</b>", false),
            ("<https://example.org>", false),
        ] {
            assert_eq!(is_placeholder(text), is, "{text}");
        }
    }

    #[test]
    fn a_field_is_there_where_its_parents_are_mappings() {
        let packet = json!({"skill": {"id": null}, "result": "failed", "metrics": {}});
        for (pointer, is) in
            [("/skill/id", true), ("/skill/mode", false), ("/result/outcome", false), ("/metrics", true), ("/risks", false)]
        {
            assert_eq!(has_field(&packet, pointer), is, "{pointer}");
        }
    }
}
