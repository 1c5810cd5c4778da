// The skill host itself: which cards the model is shown, what they cost, what a
// load yields, and how the record of all that is read. It knows nothing of the
// adapter protocol; each function takes parameters and returns a result.

import { findSkill, flag, isMapping, Refusal, skillsOf } from "./registry.mjs";

const PAYLOAD_TYPE = "skill_activation_evidence";
const SCHEMA_VERSION = 1;
const DEFAULT_BUDGET = 2000;

// The layout is this host's own, and texts go into it as they are: the tags mark
// places for a reader, they are not XML.
const HEADER = "<skills>\nLoad a skill by its id before you act on it. You may load these:\n";
const SEPARATOR = "\n";
const FOOTER = "\n</skills>\n";

function blockOf(id, description, whenToUse) {
  let block = `<skill id="${id}">`;
  if (description !== "") block += `\n  <what>${description}</what>`;
  if (whenToUse !== "") block += `\n  <when>${whenToUse}</when>`;
  return `${block}\n</skill>`;
}

function suffixOf(dropped) {
  return dropped === 0 ? "" : `Skills left out for lack of room: ${dropped}\n`;
}

/** The layout as data. Every length is measured on the layout above, so that the two cannot part. */
export const RENDERING = describeLayout();

function describeLayout() {
  const bare = characters(blockOf("", "", ""));
  return {
    unit: "characters",
    header: characters(HEADER),
    separator: characters(SEPARATOR),
    footer: characters(FOOTER),
    suffix: { base: characters(suffixOf(1)) - 1, plus_digits: true },
    card: {
      id: bare,
      description: characters(blockOf("", "?", "")) - bare - 1,
      when_to_use: characters(blockOf("", "", "?")) - bare - 1,
    },
    order: "id",
    fit: "prefix",
    below_floor: "raise",
    empty: "header",
  };
}

/** The record of one turn: every skill's card, shown or not, and the reason. */
export function evidence({ registry, options }) {
  const turn = planTurn(registry, options);
  const cards = turn.cards.map((card) => describeCard(card, turn));
  const usedChars = characters(turn.text);
  return {
    _type: PAYLOAD_TYPE,
    schema_version: SCHEMA_VERSION,
    budget_chars: turn.budget,
    used_chars: usedChars,
    budget_tokens: tokens(turn.budget),
    used_tokens: tokens(usedChars),
    shown: cards.filter((card) => card.selected).map((card) => card.id),
    omitted: cards.filter((card) => !card.selected).map((card) => card.id),
    cards,
  };
}

/** The text that the model is given. */
export function catalog({ registry, options }) {
  const { text, shown } = planTurn(registry, options);
  return { text, shown: [...shown].map((card) => card.skill.id) };
}

/** A skill's body, with the event that says so; or the refusal, with the event of a blocked load. */
export function load({ registry, id, session_id, require_signature, model_invocation }) {
  const skill = findSkill(registry, id);
  if (skill === undefined) throw new Refusal("skill_not_found");
  const signed = skill.provenance.signed === true;
  const trusted = skill.provenance.trusted === true;

  const completion = (lifecycle, body, error) => ({
    // What is known of the skill's origin comes first, so that it can overwrite nothing.
    ...skill.provenance,
    type: "skill.loaded",
    skill_id: skill.id,
    lifecycle,
    source: skill.source,
    disable_model_invocation: skill.disabled,
    token_estimate: tokens(characters(body)),
    signed,
    trusted,
    session_id: session_id ?? null,
    error,
  });

  if (flag(model_invocation) && skill.disabled) {
    const event = completion("omitted", "", `the model may not invoke ${skill.id}`);
    throw new Refusal("model_invocation_disabled", event);
  }
  if ((flag(require_signature) || skill.requireSignature) && !(signed && trusted)) {
    const event = completion("omitted", "", `${skill.id} needs a trusted signature and has none`);
    throw new Refusal("unsigned_skill", event);
  }
  return { body: skill.body, event: completion("loaded", skill.body, undefined) };
}

/** The consumer's side: takes from a payload what it states and derives nothing. */
export function read({ payload, pinned }) {
  if (!isMapping(payload) || payload._type !== PAYLOAD_TYPE || !Number.isInteger(payload.schema_version)) {
    throw new Refusal("invalid_payload");
  }
  // The version comes before the rest: what another version calls a card is not known here.
  if (payload.schema_version !== (pinned ?? SCHEMA_VERSION) || payload.schema_version !== SCHEMA_VERSION) {
    throw new Refusal("unsupported_version");
  }
  const { shown, omitted, cards } = payload;
  if (![shown, omitted, cards].every(Array.isArray)) throw new Refusal("invalid_payload");
  return { shown, omitted, cards: cards.map(readCard) };
}

function readCard(card) {
  if (!isMapping(card) || typeof card.id !== "string" || card.id === "") {
    throw new Refusal("invalid_payload");
  }
  return {
    id: card.id,
    lifecycle: card.lifecycle ?? null,
    selected: card.selected ?? null,
    omitted_reason: card.omitted_reason ?? null,
    source: card.source ?? null,
    token_estimate: card.token_estimate ?? null,
  };
}

/** Decides a turn once, for the text and for the record of it, so that they cannot disagree. */
function planTurn(registry, options) {
  const settings = readOptions(options);
  const cards = skillsOf(registry).map((skill) => {
    const block = blockOf(skill.id, skill.description, skill.whenToUse);
    return { skill, block, length: characters(block) };
  });
  const offered = cards.filter((card) => !card.skill.disabled);
  const floor = RENDERING.header + RENDERING.footer + characters(suffixOf(1));
  const budget = Math.max(settings.budget, floor);
  if (!settings.rendered) {
    return { settings, cards, budget, shown: new Set(), beyondLimit: new Set(), text: "" };
  }
  const beyondLimit = new Set(offered.slice(settings.limit));
  const { taken, suffix } = fit(offered.slice(0, settings.limit), budget);
  const text = HEADER + taken.map((card) => card.block).join(SEPARATOR) + FOOTER + suffix;
  return { settings, cards, budget, shown: new Set(taken), beyondLimit, text };
}

/** The cards that the budget has room for, from the front, and the note about the others. */
function fit(cards, budget) {
  const taken = [];
  let used = RENDERING.header + RENDERING.footer;
  for (const card of cards) {
    const cost = card.length + (taken.length > 0 ? RENDERING.separator : 0);
    if (used + cost > budget) break;
    taken.push(card);
    used += cost;
  }

  // The note needs room as well, and may push out further cards.
  let suffix = suffixOf(cards.length - taken.length);
  while (taken.length > 0 && used + characters(suffix) > budget) {
    const card = taken.pop();
    used -= card.length + (taken.length > 0 ? RENDERING.separator : 0);
    suffix = suffixOf(cards.length - taken.length);
  }
  return { taken, suffix: used + characters(suffix) > budget ? "" : suffix };
}

function describeCard(card, turn) {
  const { skill, length } = card;
  const selected = turn.shown.has(card);
  const reason = selected ? null : omittedReason(card, turn);
  return {
    id: skill.id,
    name: skill.name,
    source: skill.source,
    description: skill.description,
    when_to_use: skill.whenToUse,
    disable_model_invocation: skill.disabled,
    selected,
    omitted_reason: reason,
    char_estimate: length,
    token_estimate: tokens(length),
    lifecycle: lifecycleOf(skill.id, selected, reason, turn.settings),
    matched: skill.matched,
  };
}

function omittedReason(card, turn) {
  if (card.skill.disabled) return "disable_model_invocation";
  if (!turn.settings.rendered) return null;
  return turn.beyondLimit.has(card) ? "catalog_limit" : "budget";
}

function lifecycleOf(id, selected, reason, settings) {
  if (settings.used.has(id)) return "used";
  if (settings.loaded.has(id)) return "loaded";
  if (selected) return "shown";
  return reason === null ? "eligible" : "omitted";
}

function readOptions(options) {
  const given = options ?? {};
  if (!isMapping(given)) throw new Refusal("invalid_options");
  return {
    budget: positiveInteger(given.budget, DEFAULT_BUDGET),
    limit: positiveInteger(given.catalog_limit, Infinity),
    loaded: idSet(given.loaded),
    used: idSet(given.used),
    rendered: given.catalog_rendered !== false,
  };
}

function positiveInteger(value, fallback) {
  if (value === undefined || value === null) return fallback;
  if (!Number.isSafeInteger(value) || value < 1) throw new Refusal("invalid_options");
  return value;
}

function idSet(value) {
  const ids = value ?? [];
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === "string")) {
    throw new Refusal("invalid_options");
  }
  return new Set(ids);
}

/** The length of a text in Unicode characters. `length` counts those above U+FFFF twice. */
function characters(text) {
  let pairs = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff) pairs += 1;
  }
  return text.length - pairs;
}

function tokens(length) {
  return Math.ceil(length / 4);
}
