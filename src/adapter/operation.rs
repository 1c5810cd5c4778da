//! The operations of the protocol: one row each.

use std::fmt;

use serde_json::Value;

use crate::contract::{activation, lifecycle, packet};

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
    /// `{receipt}` → a verdict.
    LifecycleValidateReceipt,
    /// `{capabilities, receipts?, events}` → a verdict.
    LifecycleValidateTrace,
    /// `{registry, files, capabilities, receipts?}` → `{session}`. This and the next two are declared together, as `lifecycle.run`.
    LifecycleOpen,
    /// `{session, event}` → `{events}`.
    LifecycleStep,
    /// `{session}` → `{}`.
    LifecycleClose,
    /// `{situation}` → `{skill_lifecycle_profile, ttl}`.
    LifecyclePlan,
    /// `{document, media_type, surface?}` → a verdict.
    PacketValidate,
    /// `{packet, depth}` → `{view, text?}`.
    PacketRender,
    /// `{packet}` → `{projection}`.
    PacketProject,
}

/// The name under which the three operations of a running host are declared.
pub const LIFECYCLE_RUN: &str = "lifecycle.run";

impl Operation {
    /// Every operation, in the protocol's order.
    pub const ALL: [Self; 14] = [
        Self::ActivationEvidence,
        Self::ActivationCatalog,
        Self::ActivationLoad,
        Self::ActivationRead,
        Self::RegistryMerge,
        Self::LifecycleValidateReceipt,
        Self::LifecycleValidateTrace,
        Self::LifecycleOpen,
        Self::LifecycleStep,
        Self::LifecycleClose,
        Self::LifecyclePlan,
        Self::PacketValidate,
        Self::PacketRender,
        Self::PacketProject,
    ];

    /// The method's name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ActivationEvidence => "activation.evidence",
            Self::ActivationCatalog => "activation.catalog",
            Self::ActivationLoad => "activation.load",
            Self::ActivationRead => "activation.read",
            Self::RegistryMerge => "registry.merge",
            Self::LifecycleValidateReceipt => "lifecycle.validate_receipt",
            Self::LifecycleValidateTrace => "lifecycle.validate_trace",
            Self::LifecycleOpen => "lifecycle.open",
            Self::LifecycleStep => "lifecycle.step",
            Self::LifecycleClose => "lifecycle.close",
            Self::LifecyclePlan => "lifecycle.plan",
            Self::PacketValidate => "packet.validate",
            Self::PacketRender => "packet.render",
            Self::PacketProject => "packet.project",
        }
    }

    /// The name by which a declaration says that it is supported.
    #[must_use]
    pub fn declared_name(self) -> &'static str {
        match self {
            Self::LifecycleOpen | Self::LifecycleStep | Self::LifecycleClose => LIFECYCLE_RUN,
            operation => operation.name(),
        }
    }

    /// Every name that a declaration may have, in the protocol's order.
    #[must_use]
    pub fn declared_names() -> Vec<&'static str> {
        let mut names: Vec<&str> = Self::ALL.into_iter().map(Self::declared_name).collect();
        names.dedup();
        names
    }

    /// Whether its answer is a verdict.
    #[must_use]
    pub fn answers_a_verdict(self) -> bool {
        matches!(self, Self::LifecycleValidateReceipt | Self::LifecycleValidateTrace | Self::PacketValidate)
    }

    /// The contract that it belongs to, as declarations name it.
    #[must_use]
    pub fn contract(self) -> &'static str {
        match self {
            Self::ActivationEvidence | Self::ActivationCatalog | Self::ActivationLoad | Self::ActivationRead | Self::RegistryMerge => {
                activation::NAME
            }
            Self::PacketValidate | Self::PacketRender | Self::PacketProject => packet::NAME,
            Self::LifecycleValidateReceipt
            | Self::LifecycleValidateTrace
            | Self::LifecycleOpen
            | Self::LifecycleStep
            | Self::LifecycleClose
            | Self::LifecyclePlan => lifecycle::NAME,
        }
    }

    /// The version of its contract that this kit knows, as declarations name it.
    #[must_use]
    pub fn contract_version(self) -> Value {
        if self.contract() == packet::NAME { Value::from(packet::VERSION) } else { Value::from(1) }
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
