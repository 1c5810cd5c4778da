// Packets as others see them: views of three depths, and the projection. Both hold values
// of the packet and nothing else, and both say what is missing instead of making it up.

import { isMapping, Refusal } from "./registry.mjs";

// The outcome, the summary, the signal and its reason are in every view: no depth hides
// a failure or an escalation. A deeper view holds all that a shallower one holds.
const GUIDED = ["/result/compact_summary", "/result/outcome", "/handoff/signal", "/handoff/reason"];
const PRACTITIONER = [...GUIDED, "/evidence_used", "/risks"];
const ENGINEER = [...PRACTITIONER, "/skill/modules_used", "/recovery/lossiness", "/recovery/pointer", "/metrics"];

/** What each depth shows, and what it says is missing where it is. */
const DEPTHS = new Map([
  ["guided", { shows: GUIDED, asks: GUIDED }],
  ["practitioner", {
    shows: PRACTITIONER,
    asks: ["/evidence_used", "/risks", "/result/outcome", "/handoff/signal", "/handoff/reason"],
  }],
  ["engineer", {
    shows: ENGINEER,
    asks: ["/skill/modules_used", "/recovery/lossiness", "/metrics", "/result/outcome", "/handoff/signal"],
  }],
]);

const FIELDS = [
  "/version", "/observation_id", "/work_slice_id", "/skill/id", "/skill/mode", "/skill/execution_profile", "/skill/modules_used",
  "/result/observation_class", "/result/outcome", "/result/compact_summary", "/evidence_used", "/risks", "/handoff/signal",
  "/handoff/reason", "/recovery/lossiness", "/recovery/pointer", "/recovery/sensitivity", "/metrics", "/source_refs",
];
const EVIDENCE_FIELDS = ["type", "ref", "scope"];

export function renderPacket({ packet, depth }) {
  if (!isMapping(packet)) throw new Refusal("invalid_packet");
  const rows = DEPTHS.get(depth);
  if (rows === undefined) throw new Refusal("unknown_depth");
  const view = { depth, packet: pick(packet, rows.shows), missing: missingOf(packet, rows.asks) };
  return { view, text: textOf(packet, rows) };
}

export function projectPacket({ packet }) {
  if (!isMapping(packet)) throw new Refusal("invalid_packet");
  const projected = pick(packet, FIELDS);
  if (Array.isArray(projected.evidence_used)) {
    projected.evidence_used = projected.evidence_used.map((item) => (isMapping(item) ? known(item, EVIDENCE_FIELDS) : item));
  }
  return { projection: { read_only: true, packet: projected, missing: missingOf(packet, FIELDS) } };
}

/** The value at a pointer to a field, or undefined. A null that stands there is a value. */
function valueAt(packet, pointer) {
  let value = packet;
  for (const key of pointer.slice(1).split("/")) {
    if (!isMapping(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

function missingOf(packet, pointers) {
  return pointers.filter((pointer) => valueAt(packet, pointer) === undefined).sort();
}

function pick(packet, pointers) {
  const picked = {};
  for (const pointer of pointers) {
    const value = valueAt(packet, pointer);
    if (value === undefined) continue;
    const [section, field] = pointer.slice(1).split("/");
    if (field === undefined) picked[section] = value;
    else (picked[section] ??= {})[field] = value;
  }
  return picked;
}

function known(mapping, keys) {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(mapping, key)).map((key) => [key, mapping[key]]));
}

const MAX_SHOWN_CHARACTERS = 600;

/** For people: a line for each field, cut where it is long. */
function textOf(packet, { shows }) {
  const line = (pointer) => {
    const value = valueAt(packet, pointer);
    const name = pointer.slice(pointer.lastIndexOf("/") + 1);
    if (value === undefined) return `${name}: (missing)`;
    const shown = typeof value === "string" ? value : JSON.stringify(value);
    const start = Array.from(shown.slice(0, 2 * MAX_SHOWN_CHARACTERS)).slice(0, MAX_SHOWN_CHARACTERS).join("");
    return `${name}: ${start}${start.length < shown.length ? "…" : ""}`;
  };
  return shows.map(line).join("\n");
}
