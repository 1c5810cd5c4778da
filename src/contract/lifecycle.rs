//! Contract 2, skill lifecycle and release receipts, version 1: names, vocabularies, the receipt, and how an event of a trace is read.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json;

/// The contract's name in a declaration.
pub const NAME: &str = "skill_lifecycle";
/// The name of its documents that are receipts.
pub const RECEIPT: &str = "skill_release_receipt";
/// The name of its documents that are traces, and of everything about running hosts and planning.
pub const TRACE: &str = "skill_lifecycle_trace";
/// `schema` of a receipt of version 1.
pub const RECEIPT_SCHEMA: &str = "cbh.skill_release_receipt.v1";

/// Declares a vocabulary: an enum whose words stand once.
macro_rules! vocabulary {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$variant_meta])* $variant),+ }

        impl $name {
            /// Every word, in the page's order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The page's spelling.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The word of this spelling.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

vocabulary! {
    /// `skill_lifecycle_profile`: what the router asks of the skill layer.
    Profile {
        /// No skill-layer work.
        None = "none",
        /// Cards only.
        ListingOnly = "listing_only",
        /// The body guides the current work.
        ActiveFrameRequired = "active_frame_required",
        /// The body is replaced by a receipt.
        ReleaseReceiptRequired = "release_receipt_required",
        /// The skill comes back from its source.
        ReactivateFromReceipt = "reactivate_from_receipt",
    }
}

vocabulary! {
    /// How long a body is kept.
    Ttl {
        /// Nothing is kept.
        NotApplicable = "not_applicable",
        /// Until the final boundary review.
        ReleaseAfterReview = "release_after_review",
        /// Until the phase closes.
        KeepUntilPhaseCloses = "keep_until_phase_closes",
        /// Released, the receipt kept.
        ReleaseKeepReceipt = "release_keep_receipt",
        /// Released before others.
        ReleaseFirst = "release_first",
        /// Until the loop ends.
        KeepUntilLoopEnds = "keep_until_loop_ends",
    }
}

vocabulary! {
    /// What the task needs of the skill layer.
    Need {
        /// Nothing.
        None = "none",
        /// Discovery, routing, capability selection.
        Discovery = "discovery",
        /// Work under a skill.
        Work = "work",
        /// Work that was released before.
        Resume = "resume",
    }
}

vocabulary! {
    /// Where a skill's phase stands.
    Phase {
        /// None was begun.
        None = "none",
        /// Under way.
        Active = "active",
        /// Over.
        Ended = "ended",
    }
}

vocabulary! {
    /// What presses.
    Pressure {
        /// Nothing.
        None = "none",
        /// Few tokens are left.
        Token = "token",
        /// The context is about to be compacted.
        Compaction = "compaction",
        /// A long context drifts.
        Drift = "drift",
    }
}

vocabulary! {
    /// What comes after the current phase.
    Next {
        /// Nothing.
        Done = "done",
        /// Another phase of the same task.
        Continues = "continues",
        /// The same skill, again and again.
        Loop = "loop",
    }
}

vocabulary! {
    /// What a skill influenced.
    Influence {
        /// A tool call.
        ToolCall = "tool_call",
        /// An edit of a file.
        FileEdit = "file_edit",
        /// A write to memory.
        MemoryWrite = "memory_write",
        /// A decision of the router.
        RouteDecision = "route_decision",
        /// What may be claimed.
        ClaimBoundary = "claim_boundary",
    }
}

vocabulary! {
    /// Who authorised an influence.
    Authority {
        /// The user.
        User = "user",
        /// A policy.
        Policy = "policy",
        /// The skill's text.
        Skill = "skill",
        /// A lifecycle profile, which can't.
        Profile = "profile",
        /// A receipt, which can't.
        Receipt = "receipt",
    }
}

vocabulary! {
    /// Where a text was read from.
    Origin {
        /// The source file.
        Source = "source",
        /// A fragment that compaction left.
        Fragment = "fragment",
        /// The receipt.
        Receipt = "receipt",
    }
}

vocabulary! {
    /// What a fact rests on.
    EvidenceOrigin {
        /// A file.
        File = "file",
        /// A test.
        Test = "test",
        /// A tool's output.
        Tool = "tool",
        /// An evidence ref.
        EvidenceRef = "evidence_ref",
        /// A memory capsule.
        Memory = "memory",
        /// A receipt, which is no fact source.
        Receipt = "receipt",
    }
}

vocabulary! {
    /// A field of a skill card.
    CardField {
        /// The name.
        Name = "name",
        /// The short description.
        ShortDescription = "short_description",
        /// The summary of summaries.
        MetaSummary = "meta_summary",
        /// The tags that route.
        RouteTags = "route_tags",
        /// When to activate.
        ActivationCondition = "activation_condition",
        /// The body, which is no card field.
        Body = "body",
    }
}

vocabulary! {
    /// Who rewrote a skill.
    Author {
        /// The user.
        User = "user",
        /// A skill.
        Skill = "skill",
    }
}

vocabulary! {
    /// Why audit evidence was deleted.
    Because {
        /// A release.
        Release = "release",
        /// A reactivation.
        Reactivation = "reactivation",
        /// Something else.
        Other = "other",
    }
}

vocabulary! {
    /// Where a task shifts to.
    ShiftTarget {
        /// Ordinary talk.
        Discussion = "discussion",
        /// A skill.
        Skill = "skill",
    }
}

/// A release receipt of version 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// [`RECEIPT_SCHEMA`].
    pub schema: String,
    /// The skill that was released.
    pub skill_id: String,
    /// Which text of it, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill_version_or_hash: Option<String>,
    /// `released`.
    pub status: String,
    /// What was done.
    pub completed_steps: Vec<String>,
    /// Where the work stands.
    pub current_stage: String,
    /// What was made or changed, as relative paths.
    pub artifact_paths: Vec<String>,
    /// What shows it.
    pub evidence_refs: Vec<String>,
    /// What is still open.
    pub open_loops: Vec<String>,
    /// What to reopen to go on.
    pub resume_entry: String,
    /// RFC 3339, with offset.
    pub last_used_at: String,
    /// How long the skill was to be kept.
    pub ttl_policy: String,
}

/// The fields that a receipt must have, in the page's order.
pub const REQUIRED_RECEIPT_FIELDS: [&str; 10] = [
    "skill_id",
    "status",
    "completed_steps",
    "current_stage",
    "artifact_paths",
    "evidence_refs",
    "open_loops",
    "resume_entry",
    "last_used_at",
    "ttl_policy",
];

/// The types of the world's events: what happens to a host.
pub const WORLD_EVENTS: [&str; 13] = [
    "turn.started",
    "need.stated",
    "step.started",
    "influence",
    "boundary.reviewed",
    "phase.ended",
    "loop.started",
    "loop.ended",
    "task.shifted",
    "pressure",
    "source.changed",
    "reactivation.requested",
    "trace.ended",
];

/// The types of the host's events: what it did.
pub const HOST_EVENTS: [&str; 10] = [
    "profile.selected",
    "card.read",
    "body.loaded",
    "support.loaded",
    "receipt.written",
    "body.released",
    "evidence.cited",
    "memory.read",
    "skill.rewritten",
    "audit.deleted",
];

/// An event of a trace, well formed.
#[expect(missing_docs, reason = "the fields are those of the page, by name")]
#[derive(Debug, Clone, PartialEq)]
pub enum Event<'a> {
    /// `turn.started`
    TurnStarted,
    /// `need.stated`
    NeedStated { need: Need, skill_id: Option<&'a str> },
    /// `step.started`
    StepStarted { skill_id: &'a str, needs: Vec<&'a str> },
    /// `influence`
    Influence { skill_id: &'a str, kind: Influence, authority: Option<Authority> },
    /// `boundary.reviewed`
    BoundaryReviewed { skill_id: &'a str },
    /// `phase.ended`
    PhaseEnded { skill_id: &'a str, continues: bool },
    /// `loop.started`
    LoopStarted { skill_id: &'a str },
    /// `loop.ended`
    LoopEnded { skill_id: &'a str },
    /// `task.shifted`
    TaskShifted { to: ShiftTarget, skill_id: Option<&'a str> },
    /// `pressure`
    Pressure,
    /// `source.changed`; in a run the text, else its hash.
    SourceChanged { file: &'a str, now: &'a str },
    /// `reactivation.requested`
    ReactivationRequested { skill_id: &'a str },
    /// `trace.ended`
    TraceEnded,
    /// `profile.selected`
    ProfileSelected { profile: Profile, skill_id: Option<&'a str> },
    /// `card.read`
    CardRead { skill_id: &'a str, body: bool },
    /// `body.loaded`
    BodyLoaded { skill_id: &'a str, file: &'a str, origin: Origin, hash: Option<&'a str> },
    /// `support.loaded`
    SupportLoaded { skill_id: &'a str, file: &'a str, origin: Origin },
    /// `receipt.written`
    ReceiptWritten { receipt: &'a Value },
    /// `body.released`
    BodyReleased { skill_id: &'a str },
    /// `evidence.cited`
    EvidenceCited { origin: EvidenceOrigin, source_monitoring: bool },
    /// `memory.read`
    MemoryRead { skill_id: &'a str, owner: &'a str },
    /// `skill.rewritten`
    SkillRewritten { by: Author },
    /// `audit.deleted`
    AuditDeleted { because: Because },
}

/// What a reader of one event's fields found wrong, in words.
type Fault = String;

struct Fields<'a>(&'a serde_json::Map<String, Value>);

impl<'a> Fields<'a> {
    fn optional(&self, key: &str) -> Option<&'a Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    fn text(&self, key: &str) -> Result<&'a str, Fault> {
        self.optional_text(key)?.ok_or_else(|| format!("{key} is missing"))
    }

    fn optional_text(&self, key: &str) -> Result<Option<&'a str>, Fault> {
        match self.optional(key) {
            None => Ok(None),
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text)),
            Some(Value::String(_)) => Err(format!("{key} is blank")),
            Some(other) => Err(format!("{key} is of type {}, not a text", json::type_name(other))),
        }
    }

    fn word<T: Copy>(&self, key: &str, read: fn(&str) -> Option<T>) -> Result<T, Fault> {
        self.optional_word(key, read)?.ok_or_else(|| format!("{key} is missing"))
    }

    fn optional_word<T: Copy>(&self, key: &str, read: fn(&str) -> Option<T>) -> Result<Option<T>, Fault> {
        match self.optional_text(key)? {
            None => Ok(None),
            Some(word) => read(word).map(Some).ok_or_else(|| format!("{key} has no word {}", json::excerpt(&Value::from(word), 80))),
        }
    }

    fn texts(&self, key: &str) -> Result<Vec<&'a str>, Fault> {
        let items = match self.optional(key) {
            None => return Err(format!("{key} is missing")),
            Some(Value::Array(items)) => items,
            Some(other) => return Err(format!("{key} is of type {}, not a list", json::type_name(other))),
        };
        let read = |item: &'a Value| item.as_str().filter(|text| !text.trim().is_empty());
        items.iter().map(|item| read(item).ok_or_else(|| format!("{key} holds what is no text, or a blank one"))).collect()
    }

    fn flag(&self, key: &str) -> Result<bool, Fault> {
        match self.optional(key) {
            None => Err(format!("{key} is missing")),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(format!("{key} is of type {}, not true or false", json::type_name(other))),
        }
    }

    fn skill(&self) -> Result<&'a str, Fault> {
        self.text("skill_id")
    }
}

/// Whether source-monitoring fields say anything.
fn says_something(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        _ => true,
    }
}

/// The type of an event, where it has one.
#[must_use]
pub fn event_type(event: &Value) -> Option<&str> {
    event.get("type")?.as_str()
}

/// Whether a type is one of the world's.
#[must_use]
pub fn is_world_event(kind: &str) -> bool {
    WORLD_EVENTS.contains(&kind)
}

impl<'a> Event<'a> {
    /// Reads an event. Keys that the page does not name are tolerated. In a run `source.changed` carries the text of the file.
    ///
    /// # Errors
    /// What is missing or of a wrong form, in words; a word outside its vocabulary.
    pub fn read(event: &'a Value, in_run: bool) -> Result<Self, String> {
        let Value::Object(members) = event else { return Err(format!("it is of type {}, not a mapping", json::type_name(event))) };
        let fields = Fields(members);
        Ok(match fields.text("type")? {
            "turn.started" => {
                let turn = fields.optional("turn").ok_or("turn is missing")?;
                let named = turn.as_str().is_some_and(|text| !text.trim().is_empty());
                if !named && json::as_integer(turn).is_none() {
                    return Err("turn is neither a whole number nor a text".to_owned());
                }
                Self::TurnStarted
            }
            "need.stated" => {
                let need = fields.word("need", Need::from_word)?;
                let skill_id = fields.optional_text("skill_id")?;
                if matches!(need, Need::Work | Need::Resume) && skill_id.is_none() {
                    return Err("skill_id is missing".to_owned());
                }
                Self::NeedStated { need, skill_id }
            }
            "step.started" => {
                fields.text("step")?;
                Self::StepStarted { skill_id: fields.skill()?, needs: fields.texts("needs")? }
            }
            "influence" => {
                fields.optional_text("ref")?;
                let authority = fields.optional_word("authority", Authority::from_word)?;
                Self::Influence { skill_id: fields.skill()?, kind: fields.word("kind", Influence::from_word)?, authority }
            }
            "boundary.reviewed" => Self::BoundaryReviewed { skill_id: fields.skill()? },
            "phase.ended" => Self::PhaseEnded { skill_id: fields.skill()?, continues: fields.flag("continues")? },
            "loop.started" => Self::LoopStarted { skill_id: fields.skill()? },
            "loop.ended" => Self::LoopEnded { skill_id: fields.skill()? },
            "task.shifted" => {
                Self::TaskShifted { to: fields.word("to", ShiftTarget::from_word)?, skill_id: fields.optional_text("skill_id")? }
            }
            "pressure" => match fields.word("kind", Pressure::from_word)? {
                Pressure::None => return Err("kind has no word \"none\"".to_owned()),
                _ => Self::Pressure,
            },
            "source.changed" if in_run => {
                let text = fields.0.get("text").and_then(Value::as_str).ok_or("text is missing, or no text")?;
                Self::SourceChanged { file: fields.text("file")?, now: text }
            }
            "source.changed" => Self::SourceChanged { file: fields.text("file")?, now: fields.text("hash")? },
            "reactivation.requested" => Self::ReactivationRequested { skill_id: fields.skill()? },
            "trace.ended" => Self::TraceEnded,
            "profile.selected" => {
                let profile = fields.word("skill_lifecycle_profile", Profile::from_word)?;
                let skill_id = fields.optional_text("skill_id")?;
                if skill_id.is_none() && !matches!(profile, Profile::None | Profile::ListingOnly) {
                    return Err(format!("{} is selected for no skill", profile.as_str()));
                }
                Self::ProfileSelected { profile, skill_id }
            }
            "card.read" => {
                let mut body = false;
                for field in fields.texts("fields")? {
                    match CardField::from_word(field) {
                        None => return Err(format!("fields has no word {}", json::excerpt(&Value::from(field), 80))),
                        Some(field) => body |= field == CardField::Body,
                    }
                }
                Self::CardRead { skill_id: fields.skill()?, body }
            }
            "body.loaded" => Self::BodyLoaded {
                skill_id: fields.skill()?,
                file: fields.text("file")?,
                origin: fields.word("origin", Origin::from_word)?,
                hash: fields.optional_text("hash")?,
            },
            "support.loaded" => Self::SupportLoaded {
                skill_id: fields.skill()?,
                file: fields.text("file")?,
                origin: fields.word("origin", Origin::from_word)?,
            },
            "receipt.written" => Self::ReceiptWritten { receipt: fields.0.get("receipt").ok_or("receipt is missing")? },
            "body.released" => Self::BodyReleased { skill_id: fields.skill()? },
            "evidence.cited" => {
                fields.text("ref")?;
                let origin = fields.word("origin", EvidenceOrigin::from_word)?;
                Self::EvidenceCited { origin, source_monitoring: fields.optional("source_monitoring").is_some_and(says_something) }
            }
            "memory.read" => Self::MemoryRead { skill_id: fields.skill()?, owner: fields.text("owner")? },
            "skill.rewritten" => {
                fields.skill()?;
                fields.text("file")?;
                Self::SkillRewritten { by: fields.word("by", Author::from_word)? }
            }
            "audit.deleted" => {
                fields.text("ref")?;
                Self::AuditDeleted { because: fields.word("because", Because::from_word)? }
            }
            unknown => return Err(format!("there is no event {}", json::excerpt(&Value::from(unknown), 80))),
        })
    }

    /// Whether it is the world's, and not the host's.
    #[must_use]
    pub fn is_of_the_world(&self) -> bool {
        matches!(
            self,
            Self::TurnStarted
                | Self::NeedStated { .. }
                | Self::StepStarted { .. }
                | Self::Influence { .. }
                | Self::BoundaryReviewed { .. }
                | Self::PhaseEnded { .. }
                | Self::LoopStarted { .. }
                | Self::LoopEnded { .. }
                | Self::TaskShifted { .. }
                | Self::Pressure
                | Self::SourceChanged { .. }
                | Self::ReactivationRequested { .. }
                | Self::TraceEnded
        )
    }
}

/// Where the body of a skill stands among the files of a run.
#[must_use]
pub fn body_file(skill_id: &str) -> String {
    format!("skills/{skill_id}/SKILL.md")
}

/// `sha256:` and the digest of a text, in lower-case hexadecimal.
#[must_use]
pub fn text_hash(text: &str) -> String {
    use std::fmt::Write as _;

    use sha2::Digest as _;
    let mut hash = String::from("sha256:");
    for byte in sha2::Sha256::digest(text.as_bytes()) {
        let _ = write!(hash, "{byte:02x}");
    }
    hash
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_hash_of_a_text_is_the_published_one() {
        // FIPS 180-4's example of three letters.
        assert_eq!(text_hash("abc"), "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn source_monitoring_has_to_say_something() {
        let cited = |monitoring: Value| json!({"type": "evidence.cited", "ref": "r", "origin": "memory", "source_monitoring": monitoring});
        for (monitoring, says) in [
            (json!(null), false),
            (json!(false), false),
            (json!(" "), false),
            (json!([]), false),
            (json!({}), false),
            (json!({"source": "user"}), true),
            (json!("user said so"), true),
        ] {
            let event = cited(monitoring);
            let read = Event::read(&event, false);
            assert_eq!(read, Ok(Event::EvidenceCited { origin: EvidenceOrigin::Memory, source_monitoring: says }), "{event}");
        }
    }
}
