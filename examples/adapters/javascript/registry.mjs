// Skill registries: what an entry says, which order skills stand in, how one is
// found by its id, and how layers are merged into one registry.

/** The answer to a request that the contract refuses. It is a result, not a fault. */
export class Refusal extends Error {
  constructor(category, event) {
    super(category);
    this.category = category;
    this.event = event;
  }
}

/** Params of a wrong shape: the operation could not be tried. */
export class BadParams extends Error {}

/** Layers from the strongest to the weakest; within a tier, the left one is stronger. */
const DEFAULT_PRECEDENCE = [
  ["bundled", "cli"],
  ["runtime"],
  ["host", "project"],
  ["package"],
  ["user"],
];

export function isMapping(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A flag of an unexpected type must not open a door, so only `false` and nothing at all are false. */
export function flag(value) {
  return value !== undefined && value !== null && value !== false;
}

/** The skills of a registry in card order, one for each id. */
export function skillsOf(registry) {
  if (!isMapping(registry) || registry._type !== "skill_registry" || !Array.isArray(registry.skills)) {
    throw new Refusal("invalid_registry");
  }
  const byId = new Map();
  for (const entry of registry.skills) {
    const skill = readEntry(entry);
    // An unmerged registry may name an id twice. The first one stands.
    if (skill !== null && !byId.has(skill.id)) byId.set(skill.id, skill);
  }
  return inCardOrder(byId.values());
}

/** The skill with this id, or else the strongest one that bears it as its bare name. */
export function findSkill(registry, id) {
  const skills = skillsOf(registry);
  const exact = skills.find((skill) => skill.id === id);
  if (exact !== undefined) return exact;

  const ranks = ranksOf(DEFAULT_PRECEDENCE);
  const rank = (skill) => ranks.get(skill.source) ?? ranks.size;
  const position = new Map(registry.skills.map((entry, index) => [entry, index]));
  const namesakes = skills.filter((skill) => skill.name === id);
  namesakes.sort((a, b) => rank(a) - rank(b) || position.get(a.entry) - position.get(b.entry));
  return namesakes[0];
}

/** One registry out of several layers, and who was shadowed by whom. */
export function mergeLayers({ layers, precedence }) {
  const ranks = ranksOf(precedence ?? DEFAULT_PRECEDENCE);
  if (!Array.isArray(layers)) throw new Refusal("invalid_registry");
  const candidates = [];
  for (const layer of layers) {
    if (!isMapping(layer) || typeof layer.label !== "string" || !Array.isArray(layer.skills)) {
      throw new Refusal("invalid_registry");
    }
    if (!ranks.has(layer.label)) throw new Refusal("unknown_layer");
    for (const entry of layer.skills) {
      const skill = readEntry(entry);
      if (skill !== null) candidates.push({ ...skill, source: layer.label });
    }
  }

  // The sort is stable, so position decides where layer and path do not.
  candidates.sort((a, b) => ranks.get(a.source) - ranks.get(b.source) || byPath(a.path, b.path));
  const winners = new Map();
  const shadowed = [];
  for (const { id, source, entry } of candidates) {
    const winner = winners.get(id);
    if (winner === undefined) winners.set(id, { id, source, entry });
    else if (winner.source !== source) shadowed.push({ id, winner: winner.source, loser: source });
  }
  const skills = inCardOrder(winners.values()).map(({ entry, source }) => ({ ...entry, source }));
  return { registry: { _type: "skill_registry", skills }, shadowed };
}

/** What an entry says, or null where it takes no part: it is no mapping or has no name. */
function readEntry(entry) {
  if (!isMapping(entry)) return null;
  const fields = fieldsOf(entry);
  const text = (key) => (typeof fields.get(key) === "string" ? fields.get(key) : "");
  const name = text("name");
  if (name === "") return null;
  const namespace = text("namespace");
  const provenance = fields.get("provenance");
  return {
    entry,
    id: namespace === "" ? name : `${namespace}/${name}`,
    name,
    path: text("path"),
    source: text("source") || null,
    description: text("short") || text("description"),
    whenToUse: text("when_to_use"),
    disabled: flag(fields.get("disable_model_invocation")),
    matched: matchOf(fields.get("score"), text("reason") || text("trigger")),
    body: text("body") || text("prompt"),
    requireSignature: flag(fields.get("require_signature")),
    provenance: isMapping(provenance) ? provenance : {},
  };
}

/** The fields of an entry by their underscored names, which win over hyphenated spellings. */
function fieldsOf(entry) {
  // A Map, because a key may be called `__proto__`.
  const fields = new Map();
  for (const [key, value] of Object.entries(entry)) {
    const plain = key.replaceAll("-", "_");
    if (key === plain || !fields.has(plain)) fields.set(plain, value);
  }
  return fields;
}

function matchOf(score, reason) {
  const scored = Number.isFinite(score);
  return scored || reason !== "" ? { score: scored ? score : 0, reason } : null;
}

function inCardOrder(skills) {
  return [...skills].sort((a, b) => compareUtf8(a.id, b.id));
}

function byPath(a, b) {
  if (a === "" || b === "") return Number(a === "") - Number(b === "");
  return compareUtf8(a, b);
}

/**
 * Compares two texts as their UTF-8 bytes would compare, which is by characters.
 * JavaScript's own comparison goes by UTF-16 units and puts the pairs that stand
 * for U+10000 and above before U+E000 to U+FFFF.
 */
export function compareUtf8(a, b) {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return Number(isSurrogate(x)) - Number(isSurrogate(y)) || x - y;
  }
  return a.length - b.length;
}

function isSurrogate(unit) {
  return unit >= 0xd800 && unit <= 0xdfff;
}

function ranksOf(tiers) {
  const isTier = (tier) => Array.isArray(tier) && tier.every((label) => typeof label === "string");
  if (!Array.isArray(tiers) || !tiers.every(isTier)) throw new Refusal("invalid_options");
  const ranks = new Map();
  for (const label of tiers.flat()) {
    if (!ranks.has(label)) ranks.set(label, ranks.size);
  }
  return ranks;
}
