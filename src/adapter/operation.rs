//! The operations of the protocol: one row each.

use std::fmt;

/// An operation that an implementation may support.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// `{registry, options, profile}` → the evidence payload.
    ActivationEvidence,
    /// `{registry, options, profile}` → `{text, shown}`.
    ActivationCatalog,
    /// `{registry, id, session_id?, require_signature?, model_invocation?, profile}` → `{body, event}`.
    ActivationLoad,
    /// `{payload, pinned?}` → `{shown, omitted, cards}`.
    ActivationRead,
    /// `{layers, precedence?}` → `{registry, shadowed}`.
    RegistryMerge,
}

impl Operation {
    /// Every operation, in the protocol's order.
    pub const ALL: [Self; 5] =
        [Self::ActivationEvidence, Self::ActivationCatalog, Self::ActivationLoad, Self::ActivationRead, Self::RegistryMerge];

    /// The method's name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ActivationEvidence => "activation.evidence",
            Self::ActivationCatalog => "activation.catalog",
            Self::ActivationLoad => "activation.load",
            Self::ActivationRead => "activation.read",
            Self::RegistryMerge => "registry.merge",
        }
    }

    /// The operation of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == name)
    }

    /// Whether its requests carry a rendering profile.
    #[must_use]
    pub fn takes_profile(self) -> bool {
        matches!(self, Self::ActivationEvidence | Self::ActivationCatalog | Self::ActivationLoad)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
