// The events of a skill's life: what the world tells a host, and what the host did.

import { isMapping } from "./registry.mjs";
import { isText } from "./verdict.mjs";

const isTruth = (value) => typeof value === "boolean";
const isList = (test) => (value) => Array.isArray(value) && value.every(test);
const isAnything = (value) => value !== undefined;
const optional = (test) => (value) => value === undefined || value === null || test(value);
const oneOf = (...words) => {
  const known = new Set(words);
  return (value) => known.has(value);
};

/** Profiles that may be selected for every skill at once. */
const isGeneral = oneOf("none", "listing_only");

export const isProfile = oneOf(
  "none", "listing_only", "active_frame_required", "release_receipt_required", "reactivate_from_receipt",
);

const ofSkill = { skill_id: isText };

// Each shape names the fields that are looked at; others are nobody's business here.
export const WORLD = new Map([
  ["turn.started", { turn: (turn) => Number.isSafeInteger(turn) || isText(turn) }],
  ["need.stated", {
    need: oneOf("none", "discovery", "work", "resume"),
    skill_id: (id, { need }) => (need === "work" || need === "resume" ? isText(id) : optional(isText)(id)),
  }],
  ["step.started", { ...ofSkill, step: isText, needs: isList(isText) }],
  ["influence", {
    ...ofSkill,
    kind: oneOf("tool_call", "file_edit", "memory_write", "route_decision", "claim_boundary"),
    ref: optional(isText),
    authority: optional(oneOf("user", "policy", "skill", "profile", "receipt")),
  }],
  ["boundary.reviewed", ofSkill],
  ["phase.ended", { ...ofSkill, continues: isTruth }],
  ["loop.started", ofSkill],
  ["loop.ended", ofSkill],
  ["task.shifted", { to: oneOf("discussion", "skill"), skill_id: optional(isText) }],
  ["pressure", { kind: oneOf("token", "compaction", "drift") }],
  ["source.changed", { file: isText, hash: isText }],
  ["reactivation.requested", ofSkill],
  ["trace.ended", {}],
]);

export const HOST = new Map([
  ["profile.selected", {
    skill_lifecycle_profile: isProfile,
    skill_id: (id, { skill_lifecycle_profile: profile }) => (isGeneral(profile) ? optional(isText)(id) : isText(id)),
  }],
  ["card.read", {
    ...ofSkill,
    fields: isList(oneOf("name", "short_description", "meta_summary", "route_tags", "activation_condition", "body")),
  }],
  ["body.loaded", {
    ...ofSkill,
    file: isText,
    origin: oneOf("source", "fragment", "receipt"),
    hash: optional(isText),
  }],
  ["support.loaded", { ...ofSkill, file: isText, origin: oneOf("source", "fragment", "receipt") }],
  ["receipt.written", { receipt: isAnything }],
  ["body.released", ofSkill],
  ["evidence.cited", { ref: isText, origin: oneOf("file", "test", "tool", "evidence_ref", "memory", "receipt") }],
  ["memory.read", { ...ofSkill, owner: isText }],
  ["skill.rewritten", { ...ofSkill, file: isText, by: oneOf("user", "skill") }],
  ["audit.deleted", { ref: isText, because: oneOf("release", "reactivation", "other") }],
]);

/** In a run the world sends what a file says now; whoever keeps the trace makes a hash of it. */
export const WORLD_OF_A_RUN = new Map([
  ...WORLD,
  ["source.changed", { file: isText, text: (text) => typeof text === "string" }],
]);

/** Whether an event is one of these and has its fields. */
export function isEvent(event, shapes) {
  const shape = isMapping(event) ? shapes.get(event.type) : undefined;
  if (shape === undefined) return false;
  return Object.entries(shape).every(([field, test]) => test(event[field], event));
}
