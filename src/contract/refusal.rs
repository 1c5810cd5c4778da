//! Why a host refuses a request: the closed list of the protocol.

use serde::Serialize;

/// Declares the categories: a variant, its word on the wire, and what it says.
macro_rules! categories {
    ($($(#[$meta:meta])* $variant:ident = $word:literal),+ $(,)?) => {
        /// Why a host refused a request.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Category { $($(#[$meta])* $variant),+ }

        impl Category {
            /// Every category, in the protocol's order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The protocol's word.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    };
}

categories! {
    /// The registry is no registry.
    InvalidRegistry = "invalid_registry",
    /// An option is of a wrong form.
    InvalidOptions = "invalid_options",
    /// No entry has this id.
    SkillNotFound = "skill_not_found",
    /// The model may not invoke this skill.
    ModelInvocationDisabled = "model_invocation_disabled",
    /// A signature is required, and is missing or not trusted.
    UnsignedSkill = "unsigned_skill",
    /// A layer that the precedence lacks.
    UnknownLayer = "unknown_layer",
    /// A schema version other than the pinned one.
    UnsupportedVersion = "unsupported_version",
    /// The payload is broken.
    InvalidPayload = "invalid_payload",
    /// A situation has a word that the contract does not know.
    InvalidSituation = "invalid_situation",
    /// A run that can't be played: an unknown session, a skill without its file.
    InvalidScenario = "invalid_scenario",
    /// A packet that is no mapping.
    InvalidPacket = "invalid_packet",
    /// A depth at which no packet is rendered.
    UnknownDepth = "unknown_depth",
}
