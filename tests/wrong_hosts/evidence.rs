//! The evidence: what became of every skill.

use serde_json::{Value, json};

use super::catalog::{BUDGET, DISABLED, LIMIT, Seat};
use super::fault::Fault;
use super::host::{Answered, Host};
use super::options::Options;

impl Host {
    pub(super) fn evidence(&mut self, params: &Value) -> Answered {
        let options = self.options(&params["options"])?;
        let mut plan = self.plan(&params["registry"], &options, self.has(Fault::DisabledShown))?;
        if self.has(Fault::DisabledLeftOut) {
            plan.seats.retain(|seat| !seat.skill.disabled);
        }
        let mut left_out: Vec<&Seat<'_>> = plan.seats.iter().filter(|seat| !seat.shown).collect();
        if self.has(Fault::LoadedClearsReason) {
            left_out.retain(|seat| !self.is_loaded(&seat.skill, &options));
        }
        if self.has(Fault::OmittedByReason) {
            left_out.sort_by_key(|seat| [Some(BUDGET), Some(LIMIT), Some(DISABLED)].iter().position(|reason| *reason == seat.reason));
        }
        let mut omitted: Vec<&str> = left_out.iter().map(|seat| seat.skill.id.as_str()).collect();
        let mut cards: Vec<Value> = plan.seats.iter().map(|seat| self.card(seat, &options)).collect();
        let mut unknown: Vec<&String> = options.loaded.iter().collect();
        unknown.retain(|id| self.has(Fault::UnknownLoadedIdListed) && plan.seats.iter().all(|seat| &seat.skill.id != *id));
        unknown.sort();
        for id in unknown {
            omitted.push(id);
            cards.push(unknown_card(id));
        }
        let type_of = if self.has(Fault::TypeOfTheRegistry) { "skill_registry" } else { "skill_activation_evidence" };
        let mut payload = json!({
            "_type": type_of,
            "schema_version": if self.has(Fault::VersionAsText) { json!("1") } else { json!(1) },
            "budget_chars": options.budget,
            "used_chars": plan.used,
            "shown": plan.shown(),
            "omitted": omitted,
            "cards": cards,
        });
        if !self.has(Fault::TokenTotalsLeftOut) {
            payload["budget_tokens"] = json!(self.tokens(options.budget));
            payload["used_tokens"] = json!(self.tokens(plan.used));
        }
        Ok(payload)
    }

    fn card(&self, seat: &Seat<'_>, options: &Options) -> Value {
        let skill = &seat.skill;
        let mut reason = seat.reason;
        if self.has(Fault::DisabledReportedAsBudget) && reason == Some(DISABLED) {
            reason = Some(BUDGET);
        }
        if self.has(Fault::LoadedClearsReason) && self.is_loaded(skill, options) {
            reason = None;
        }
        if self.has(Fault::ReasonInItsOwnWord) && reason == Some(LIMIT) {
            reason = Some("limit");
        }
        let source = match skill.source {
            _ if self.has(Fault::SourceDropped) => Value::Null,
            None if self.has(Fault::SourceGuessed) => json!("project"),
            None if self.has(Fault::SourceEmptyForNone) => json!(""),
            source => json!(source),
        };
        let mut card = json!({
            "id": skill.id,
            "name": skill.name,
            "source": source,
            "description": skill.text,
            "when_to_use": skill.when_to_use,
            "disable_model_invocation": skill.disabled,
            "selected": seat.shown,
            "omitted_reason": reason,
            "char_estimate": seat.cost,
            "token_estimate": self.tokens(seat.cost),
            "lifecycle": self.lifecycle(seat, options),
            "matched": skill.matched,
        });
        if let Value::Object(members) = &mut card
            && self.has(Fault::NullsLeftOut)
        {
            members.retain(|_, value| !value.is_null());
        }
        card
    }

    fn lifecycle(&self, seat: &Seat<'_>, options: &Options) -> &'static str {
        if options.used.contains(&self.key(&seat.skill.id)) {
            return if self.has(Fault::UsedNeedsListing) { "loaded" } else { "used" };
        }
        match seat.reason {
            _ if self.is_loaded(&seat.skill, options) => "loaded",
            _ if seat.shown && self.has(Fault::ListingLoggedAsLoaded) => "loaded",
            _ if seat.shown && self.has(Fault::EligibleForShown) => "eligible",
            _ if seat.shown => "shown",
            Some(_) => "omitted",
            None => "eligible",
        }
    }
}

/// A card for a skill that nobody has.
fn unknown_card(id: &str) -> Value {
    json!({
        "id": id,
        "name": id,
        "source": null,
        "description": "",
        "when_to_use": "",
        "disable_model_invocation": false,
        "selected": false,
        "omitted_reason": null,
        "char_estimate": 0,
        "token_estimate": 0,
        "lifecycle": "loaded",
        "matched": null,
    })
}
