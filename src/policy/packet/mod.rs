//! The native checks of packets: one file a check, named as the rule pack names it.

mod authority_keys;
mod authority_sentences;
mod distinct;
mod evidence;
mod fields;
mod ids;
mod metrics;
mod pointer;
mod private_data;
mod reasons;
mod resolves;
mod restricted;
mod self_reference;
mod surface;
mod vocabulary;

use serde_json::Value;

pub use authority_sentences::authority_claim;
pub use surface::Surface;

use super::receipt::Finding;

/// A packet, and the surface on which its pointer has to resolve.
pub(super) struct Subject<'a> {
    pub(super) packet: &'a Value,
    pub(super) surface: Option<&'a Surface>,
}

static NULL: Value = Value::Null;

impl<'a> Subject<'a> {
    /// The value at a pointer; null where none is.
    fn at(&self, pointer: &str) -> &'a Value {
        self.packet.pointer(pointer).unwrap_or(&NULL)
    }

    fn text(&self, pointer: &str) -> Option<&'a str> {
        self.at(pointer).as_str()
    }

    fn items(&self, pointer: &str) -> &'a [Value] {
        self.at(pointer).as_array().map_or(&[], Vec::as_slice)
    }

    /// The texts that name something outside: refs of evidence and of sources, with their places.
    fn refs(&self) -> Vec<(String, &'a str)> {
        let evidence = self.items("/evidence_used").iter().enumerate();
        let evidence = evidence.filter_map(|(at, item)| Some((format!("/evidence_used/{at}/ref"), item.get("ref")?.as_str()?)));
        let sources = self.items("/source_refs").iter().enumerate();
        evidence.chain(sources.filter_map(|(at, item)| Some((format!("/source_refs/{at}"), item.as_str()?)))).collect()
    }

    /// The texts for people: summary, reason, risks, with their places.
    fn prose(&self) -> Vec<(String, &'a str)> {
        let single = ["/result/compact_summary", "/handoff/reason"];
        let single = single.into_iter().filter_map(|pointer| Some((pointer.to_owned(), self.text(pointer)?)));
        let risks = self.items("/risks").iter().enumerate();
        single.chain(risks.filter_map(|(at, item)| Some((format!("/risks/{at}"), item.as_str()?)))).collect()
    }
}

/// A native check of a packet: `None` where it can't judge from what is there.
pub(super) type PacketCheck = fn(&Subject<'_>) -> Option<Vec<Finding>>;

/// Every native check by the name that a rule pack uses.
pub(super) const ALL: &[(&str, PacketCheck)] = &[
    ("packet_authority_keys", authority_keys::check),
    ("packet_authority_sentences", authority_sentences::check),
    ("packet_distinct", distinct::check),
    ("packet_evidence", evidence::check),
    ("packet_fields", fields::check),
    ("packet_ids", ids::check),
    ("packet_metrics", metrics::check),
    ("packet_pointer_clean", pointer::clean),
    ("packet_pointer_there", pointer::there),
    ("packet_private_data", private_data::check),
    ("packet_readable", readable),
    ("packet_reasons", reasons::check),
    ("packet_resolves", resolves::check),
    ("packet_restricted", restricted::check),
    ("packet_self_reference", self_reference::check),
    ("packet_vocabulary", vocabulary::check),
];

/// EP-100: what was read is a mapping. What can't be read at all never gets here.
fn readable(subject: &Subject<'_>) -> Option<Vec<Finding>> {
    let fault = (!subject.packet.is_object()).then(|| format!("it is of type {}, not a mapping", crate::json::type_name(subject.packet)));
    Some(fault.into_iter().map(|fault| Finding::new("", fault)).collect())
}

fn milder(path: impl Into<String>, message: impl Into<String>) -> Finding {
    Finding { is_milder: true, ..Finding::new(path, message) }
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
