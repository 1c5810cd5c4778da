//! Who takes part, what fits, and the text that comes of it.

use proofmark::contract::rendering::{BelowFloor, Empty, Fit};
use serde_json::{Value, json};

use super::fault::Fault;
use super::host::{Answered, Host, Refused};
use super::options::Options;
use super::skill::{Skill, cut};

pub(super) const BUDGET: &str = "budget";
pub(super) const LIMIT: &str = "catalog_limit";
pub(super) const DISABLED: &str = "disable_model_invocation";

/// A skill with what was decided about it.
pub(super) struct Seat<'a> {
    pub(super) skill: Skill<'a>,
    pub(super) cost: u64,
    pub(super) reason: Option<&'static str>,
    pub(super) shown: bool,
}

/// A turn's catalog.
pub(super) struct Plan<'a> {
    pub(super) seats: Vec<Seat<'a>>,
    pub(super) text: String,
    pub(super) used: u64,
}

impl Plan<'_> {
    pub(super) fn shown(&self) -> Vec<&str> {
        self.seats.iter().filter(|seat| seat.shown).map(|seat| seat.skill.id.as_str()).collect()
    }
}

impl Host {
    pub(super) fn catalog(&mut self, params: &Value) -> Answered {
        let mut options = self.options(&params["options"])?;
        if self.has(Fault::CatalogDisagrees) {
            options.budget = 2000;
        }
        let plan = self.plan(&params["registry"], &options, self.has(Fault::DisabledShown))?;
        let mut shown: Vec<String> = plan.shown().into_iter().map(str::to_owned).collect();
        let mut text = plan.text;
        if self.has(Fault::CatalogOffersDisabled) {
            text = self.plan(&params["registry"], &options, true)?.text;
        }
        if self.has(Fault::CatalogIdsFromText) {
            let ids = text.lines().filter_map(|line| line.strip_prefix("- `")?.split('`').next());
            shown = ids.map(str::to_owned).collect();
        }
        if self.has(Fault::CatalogCachedByIds) {
            text = self.remembered_texts.entry(shown.clone()).or_insert(text).clone();
        }
        Ok(json!({"text": text, "shown": shown}))
    }

    /// Decides about every skill and renders the ones that are shown.
    pub(super) fn plan<'a>(&self, registry: &'a Value, options: &Options, offer_disabled: bool) -> Result<Plan<'a>, Refused> {
        let mut seats: Vec<Seat<'a>> = self.cards(registry)?.into_iter().map(|skill| self.seat(skill)).collect();
        let first_listed = self.first_listed(&seats, options);
        let mut candidates = Vec::new();
        let mut places = options.limit.unwrap_or(u64::MAX);
        for (at, seat) in seats.iter_mut().enumerate() {
            let disabled = seat.skill.disabled && !offer_disabled;
            let past_limit = match &first_listed {
                Some(places) => !places.contains(&seat.skill.listed),
                None => places == 0 && !self.has(Fault::LimitAfterFit),
            };
            if disabled {
                seat.reason = Some(DISABLED);
                if self.has(Fault::LimitCountsDisabled) {
                    places = places.saturating_sub(1);
                }
            } else if past_limit && options.rendered {
                seat.reason = Some(LIMIT);
            } else if !(self.has(Fault::LoadedNotListedAgain) && self.is_loaded(&seat.skill, options)) {
                places = places.saturating_sub(1);
                candidates.push(at);
            }
        }
        if !options.rendered {
            return Ok(Plan { seats, text: String::new(), used: 0 });
        }
        if self.has(Fault::FitTakesBestScores) {
            candidates.sort_by(|a, b| seats[*b].skill.score.total_cmp(&seats[*a].skill.score));
        }
        if self.has(Fault::FitKeepsBundled) {
            candidates.sort_by_key(|at| seats[*at].skill.source != Some("bundled"));
        }
        if self.has(Fault::LoadedPinned) {
            candidates.sort_by_key(|at| !self.is_loaded(&seats[*at].skill, options));
        }
        let hidden = if self.has(Fault::CountLineCountsTrimmed) { seats.len() - candidates.len() } else { 0 };
        let costs: Vec<u64> = candidates.iter().map(|at| seats[*at].cost).collect();
        let fitted = self.fit(&costs, options.budget, hidden);
        for (at, taken) in candidates.iter().zip(&fitted.taken) {
            seats[*at].shown = *taken;
            seats[*at].reason = (!taken).then_some(BUDGET);
        }
        if self.has(Fault::LimitAfterFit) {
            let limit = options.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
            for seat in seats.iter_mut().filter(|seat| seat.shown).skip(limit) {
                (seat.shown, seat.reason) = (false, Some(LIMIT));
            }
        }
        let (text, used) = self.render(&seats, &fitted);
        let used = if self.has(Fault::UsedCharsIsBudget) { options.budget } else { used };
        Ok(Plan { seats, text, used })
    }

    /// The places in the registry of what is within the limit, where something else than the card order decides about that.
    fn first_listed(&self, seats: &[Seat<'_>], options: &Options) -> Option<Vec<usize>> {
        let mut enabled: Vec<&Skill<'_>> = seats.iter().map(|seat| &seat.skill).filter(|skill| !skill.disabled).collect();
        if self.has(Fault::LimitBeforeSort) {
            enabled.sort_by_key(|skill| skill.listed);
        } else if self.has(Fault::LimitTakesBestScores) {
            enabled.sort_by(|a, b| b.score.total_cmp(&a.score));
        } else {
            return None;
        }
        let limit = usize::try_from(options.limit?).unwrap_or(usize::MAX);
        Some(enabled.into_iter().take(limit).map(|skill| skill.listed).collect())
    }

    fn seat<'a>(&self, skill: Skill<'a>) -> Seat<'a> {
        let mut cost = self.length(&self.block(&skill.id, skill.text, skill.when_to_use));
        if self.has(Fault::BodyCharged) {
            cost += self.length(skill.body);
        }
        Seat { skill, cost, reason: None, shown: false }
    }

    pub(super) fn is_loaded(&self, skill: &Skill<'_>, options: &Options) -> bool {
        let by_name = self.has(Fault::LoadedByBareName) && options.loaded.contains(skill.name);
        let builtin = self.has(Fault::BuiltinNamesTakenAsLoaded) && ["constructor", "toString", "valueOf"].contains(&skill.name);
        by_name || builtin || options.loaded.contains(&self.key(&skill.id))
    }

    /// What fits of cards of these costs, in this order, beside so many that the count line names without cause.
    fn fit(&self, costs: &[u64], budget: u64, hidden: usize) -> Fitted {
        let header = self.length(&self.header()) + self.length(&self.footer());
        let floor = header + self.length(&self.count_line(1));
        let none = |frame: Frame| Fitted { taken: vec![false; costs.len()], frame };
        if costs.is_empty() && hidden == 0 {
            return none(if self.profile.empty == Empty::Nothing { Frame::Nothing } else { Frame::Header });
        }
        let budget = if self.has(Fault::BudgetTakenAsTokens) { budget.saturating_mul(4) } else { budget };
        let budget = match self.profile.below_floor {
            BelowFloor::Raise => budget.max(floor),
            BelowFloor::Header if budget < floor => return none(Frame::Header),
            BelowFloor::Nothing if budget < floor => return none(Frame::Nothing),
            _ => budget,
        };
        let fits = |length: u64| if self.has(Fault::BudgetExclusive) { length < budget } else { length <= budget };
        let line = |dropped: usize| match dropped {
            0 if self.has(Fault::CountLineAlwaysReserved) => self.length(&self.count_line(1)),
            0 => 0,
            _ if self.has(Fault::SuffixNotCounted) => 0,
            _ if self.has(Fault::CountLineDigitsFixed) => self.length(&self.count_line(1)),
            _ => self.length(&self.count_line(dropped)),
        };
        let separators = |count: usize| {
            if self.has(Fault::SeparatorNotCounted) { 0 } else { self.profile.separator * count.saturating_sub(1) as u64 }
        };
        let start = if self.has(Fault::HeaderNotCounted) { 0 } else { header };
        let length = |taken: &[usize], dropped: usize| {
            let cards = taken.iter().fold(start + separators(taken.len()), |sum, at| sum.saturating_add(costs[*at]));
            cards.saturating_add(line(dropped))
        };
        let continues = self.has(Fault::FitContinuesPastMisfit) || self.profile.fit == Fit::Skip;
        let mut taken: Vec<usize> = Vec::new();
        let mut sum = start;
        for (at, cost) in costs.iter().enumerate() {
            let grown = sum.saturating_add(*cost);
            if fits(grown.saturating_add(separators(taken.len() + 1))) {
                sum = grown;
                taken.push(at);
            } else if !continues {
                break;
            }
        }
        // Cards yield to the count line from the back.
        while !taken.is_empty() && !fits(length(&taken, costs.len() - taken.len() + hidden)) {
            taken.pop();
        }
        let dropped = costs.len() - taken.len() + hidden;
        let room = fits(length(&taken, dropped)) || self.has(Fault::SuffixKeptThoughItDoesNotFit);
        let mut fitted = none(if dropped > 0 && room { Frame::WithCountLine(dropped) } else { Frame::Header });
        taken.into_iter().for_each(|at| fitted.taken[at] = true);
        fitted
    }

    /// The catalog's text, and the length that is charged for it.
    fn render(&self, seats: &[Seat<'_>], fitted: &Fitted) -> (String, u64) {
        if matches!(fitted.frame, Frame::Nothing) {
            return (String::new(), 0);
        }
        let mut text = self.header();
        let mut used = self.length(&text);
        let mut shown: Vec<&Seat<'_>> = seats.iter().filter(|seat| seat.shown).collect();
        if self.has(Fault::CatalogInRegistryOrder) {
            shown.sort_by_key(|seat| seat.skill.listed);
        }
        for (count, seat) in shown.into_iter().enumerate() {
            let Skill { id, text: description, when_to_use, .. } = &seat.skill;
            if count > 0 {
                text.push_str(&self.separator());
                used += self.profile.separator;
            }
            used += self.length(&self.block(id, description, when_to_use));
            let escaped;
            let description = if self.has(Fault::ShortensCardsButChargesThemWhole) {
                cut(description, 80)
            } else if self.has(Fault::EscapesMarkupButChargesItRaw) {
                escaped = description.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
                &*escaped
            } else {
                description
            };
            text.push_str(&self.block(id, description, when_to_use));
        }
        text.push_str(&self.footer());
        used += self.profile.footer;
        if let Frame::WithCountLine(dropped) = fitted.frame {
            let line = self.count_line(dropped);
            used += self.length(&line);
            text.push_str(&line);
        }
        if self.has(Fault::EmptyNoticeNotCounted) && fitted.taken.is_empty() {
            text.push_str("(none)");
        }
        (text, used)
    }
}

struct Fitted {
    taken: Vec<bool>,
    frame: Frame,
}

/// What stands around the cards.
enum Frame {
    Nothing,
    Header,
    WithCountLine(usize),
}
