// Skills as working sets: which profile a situation asks for, and a small runtime that
// keeps skills so. It reads a body when a step needs it, writes a receipt when the
// skill is done with, lets go of the text where it can, and comes back by rereading.

import { createHash } from "node:crypto";

import { isEvent, WORLD_OF_A_RUN } from "./events.mjs";
import { byteLength, isInside, isPlaceholder, RECEIPT_SCHEMA, skillOfReceipt } from "./receipts.mjs";
import { BadParams, isMapping, Refusal, skillsOf } from "./registry.mjs";
import { nameIn } from "./resume-entry.mjs";
import { holdsPrivateData } from "./secrets.mjs";
import { isText } from "./verdict.mjs";

const MAX_SESSIONS = 1000;

const SITUATION = new Map([
  ["need", ["none", "discovery", "work", "resume"]],
  ["phase", ["none", "active", "ended"]],
  ["current", [true, false]],
  ["shifted", [true, false]],
  ["pressure", ["none", "token", "compaction", "drift"]],
  ["receipt", [true, false]],
  ["in_loop", [true, false]],
  ["next", ["done", "continues", "loop"]],
]);

const TTL_OF_WORK = new Map([
  ["done", "release_after_review"],
  ["continues", "keep_until_phase_closes"],
  ["loop", "keep_until_loop_ends"],
]);

/** The profile that a situation asks for, and how long a skill's text is to be kept. */
export function plan({ situation }) {
  if (!isMapping(situation)) throw new BadParams("a situation is a mapping");
  for (const [field, words] of SITUATION) {
    if (!words.includes(situation[field])) throw new Refusal("invalid_situation");
  }
  const { need, phase, current, shifted, pressure, receipt, in_loop: inLoop, next } = situation;
  const row = (profile, ttl) => ({ skill_lifecycle_profile: profile, ttl });
  const releasable = phase !== "none" && !inLoop;

  if (need === "resume" && receipt) return row("reactivate_from_receipt", "not_applicable");
  if (need === "resume") return row("active_frame_required", TTL_OF_WORK.get(next));
  if (releasable && shifted) return row("release_receipt_required", "release_keep_receipt");
  if (releasable && phase === "ended" && next === "done") return row("release_receipt_required", "release_after_review");
  if (releasable && pressure !== "none" && !current) return row("release_receipt_required", "release_first");
  if (need === "discovery") return row("listing_only", "not_applicable");
  if (need === "work") return row("active_frame_required", TTL_OF_WORK.get(next));
  return row("none", "not_applicable");
}

const sessions = new Map();
let opened = 0;

/** Starts a runtime over a registry and the texts of its files. */
export function open({ registry, files, capabilities, receipts }) {
  if (!isMapping(files) || !Object.values(files).every((text) => typeof text === "string")) {
    throw new BadParams("files map paths to texts");
  }
  if (!isMapping(capabilities) || typeof capabilities.context_gc !== "boolean") {
    throw new BadParams("capabilities say whether there is context_gc");
  }
  if (!Array.isArray(receipts ?? [])) throw new BadParams("receipts are a list");
  const runtime = new Runtime(idsOf(registry), new Map(Object.entries(files)), capabilities.context_gc, receipts ?? []);

  // Whoever forgets to close must not fill the memory.
  if (sessions.size >= MAX_SESSIONS) sessions.delete(sessions.keys().next().value);
  opened += 1;
  const session = `session-${opened}`;
  sessions.set(session, runtime);
  return { session };
}

/** One event of the world, and what the host does about it. */
export function step({ session, event }) {
  const runtime = runtimeOf(session);
  if (!isEvent(event, WORLD_OF_A_RUN)) throw new BadParams("not an event of the world");
  return { events: runtime.answer(event) };
}

export function close({ session }) {
  runtimeOf(session);
  sessions.delete(session);
  return {};
}

function runtimeOf(session) {
  if (typeof session !== "string") throw new BadParams("a session is named by a text");
  const runtime = sessions.get(session);
  if (runtime === undefined) throw new Refusal("invalid_scenario");
  return runtime;
}

function idsOf(registry) {
  try {
    return skillsOf(registry).map((skill) => skill.id);
  } catch (error) {
    throw error instanceof Refusal ? new Refusal("invalid_scenario") : error;
  }
}

class Skill {
  profile = null;
  /** The hash of the body in the context, or null while there is none. */
  body = null;
  /** The support files in the context, by the hash of what was read. */
  support = new Map();

  /** The hash of the body that was read last, in the context still or not. */
  version = null;

  // Of the time since its last receipt.
  active = false;
  stages = [];
  artifacts = [];
  evidence = [];

  needs = [];
  over = false;
  looping = false;
  wasReleased = false;
  receipt = null;
  /** Whether a receipt was written here, not carried in. */
  hasWritten = false;

  constructor(id) {
    this.id = id;
    this.file = `skills/${id}/SKILL.md`;
  }
}

class Runtime {
  current = null;
  ended = false;
  /** The host's events of the present answer. */
  events = [];

  constructor(ids, files, canRelease, receipts) {
    this.skills = new Map(ids.map((id) => [id, new Skill(id)]));
    this.files = files;
    this.canRelease = canRelease;
    for (const skill of this.skills.values()) {
      if (!files.has(skill.file)) throw new Refusal("invalid_scenario");
    }
    for (const receipt of receipts) {
      const skill = this.skills.get(skillOfReceipt(receipt));
      if (skill !== undefined) skill.receipt = receipt;
    }
  }

  answer(event) {
    // Under a type that is about no skill, `skill_id` is a key like any unknown one.
    const id = "skill_id" in WORLD_OF_A_RUN.get(event.type) ? event.skill_id ?? null : null;
    const skill = this.skills.get(id) ?? null;
    if (this.ended || (id !== null && skill === null)) throw new Refusal("invalid_scenario");
    this.events = [];
    ANSWERS.get(event.type)(this, event, skill);
    return this.events;
  }

  say(type, fields) {
    this.events.push({ type, ...fields });
  }

  /** A profile for one skill, or for all of them. */
  select(profile, skill) {
    this.say("profile.selected", { skill_lifecycle_profile: profile, skill_id: skill === null ? null : skill.id });
    for (const each of skill === null ? this.skills.values() : [skill]) each.profile = profile;
  }

  /** Brings a body into the context, by the way that fits what is known of the skill. */
  load(skill) {
    if (skill.wasReleased && skill.body === null) {
      this.reread(skill);
      return;
    }
    const selected = skill.profile === "active_frame_required" || skill.profile === "reactivate_from_receipt";
    if (!selected) this.select("active_frame_required", skill);
    if (skill.body !== this.hashOf(skill.file)) this.readBody(skill);
  }

  /** Comes back to a skill: from its receipt where there is one, and always from its source. */
  reread(skill) {
    this.select(skill.receipt === null ? "active_frame_required" : "reactivate_from_receipt", skill);
    skill.over = false;
    this.current = skill;
    this.readBody(skill);
    for (const file of this.namedBy(skill)) this.readSupport(skill, file);
  }

  /** The support files that the skill's receipt wants reopened. */
  namedBy(skill) {
    const entry = skill.receipt?.resume_entry;
    if (typeof entry !== "string") return [];
    // One file for each name: where several end alike, the one with the shortest path.
    const found = new Map();
    for (const file of [...this.files.keys()].sort((a, b) => a.length - b.length)) {
      const name = this.isBody(file) ? null : nameIn(entry, file);
      if (name !== null && !found.has(name)) found.set(name, file);
    }
    return found.values();
  }

  isBody(file) {
    const [, id] = /^skills\/(.*)\/SKILL\.md$/s.exec(file) ?? [];
    return this.skills.has(id);
  }

  readBody(skill) {
    skill.body = this.hashOf(skill.file);
    skill.version = skill.body;
    skill.active = true;
    this.say("body.loaded", { skill_id: skill.id, file: skill.file, origin: "source", hash: skill.body });
  }

  readSupport(skill, file) {
    const hash = this.hashOf(file);
    skill.support.set(file, hash);
    this.say("support.loaded", { skill_id: skill.id, file, origin: "source", hash });
  }

  hashOf(file) {
    return `sha256:${createHash("sha256").update(this.files.get(file), "utf8").digest("hex")}`;
  }

  /** Lets go of a skill: first the receipt, then the text. Inside a loop it waits for the loop's end. */
  release(skill, why) {
    if (skill.looping) return;
    if (skill.active) {
      this.select("release_receipt_required", skill);
      this.writeReceipt(skill, why);
    }
    if (this.canRelease && skill.body !== null) {
      skill.body = null;
      skill.support.clear();
      skill.wasReleased = true;
      this.say("body.released", { skill_id: skill.id });
    }
  }

  releaseAll(skills, why) {
    for (const skill of skills) this.release(skill, why);
  }

  writeReceipt(skill, why) {
    skill.receipt = receiptOf(skill, why);
    skill.hasWritten = true;
    skill.active = false;
    skill.stages = [];
    skill.artifacts = [];
    skill.evidence = [];
    this.say("receipt.written", { receipt: skill.receipt });
  }
}

const ANSWERS = new Map([
  ["turn.started", () => {}],
  ["need.stated", answerNeed],
  ["step.started", answerStep],
  ["influence", answerInfluence],
  ["boundary.reviewed", () => {}],
  ["phase.ended", answerPhaseEnd],
  ["loop.started", (runtime, event, skill) => { skill.looping = true; }],
  ["loop.ended", answerLoopEnd],
  ["task.shifted", answerShift],
  ["pressure", answerPressure],
  ["source.changed", (runtime, event) => { runtime.files.set(event.file, event.text); }],
  ["reactivation.requested", (runtime, event, skill) => { runtime.reread(skill); }],
  // Nothing may follow the end, so whatever is due was done before.
  ["trace.ended", (runtime) => { runtime.ended = true; }],
]);

function answerNeed(runtime, event, skill) {
  if (event.need === "none") {
    runtime.select("none", skill);
  } else if (event.need === "discovery") {
    runtime.select("listing_only", skill);
    for (const { id } of skill === null ? runtime.skills.values() : [skill]) {
      runtime.say("card.read", { skill_id: id, fields: ["name", "short_description"] });
    }
  } else if (event.need === "resume" && skill.receipt !== null) {
    runtime.reread(skill);
  } else {
    // The body waits for the step that needs it.
    runtime.select("active_frame_required", skill);
  }
}

function answerStep(runtime, event, skill) {
  if (!event.needs.every((file) => runtime.files.has(file) && !runtime.isBody(file))) {
    throw new Refusal("invalid_scenario");
  }
  skill.needs = event.needs;
  remember(skill.stages, event.step);
  skill.over = false;
  skill.active = true;
  runtime.current = skill;
  runtime.load(skill);
  for (const file of new Set(event.needs)) {
    if (skill.support.get(file) !== runtime.hashOf(file)) runtime.readSupport(skill, file);
  }
}

function answerInfluence(runtime, event, skill) {
  if (typeof event.ref === "string") remember(event.kind === "file_edit" ? skill.artifacts : skill.evidence, event.ref);
  // A receipt that something came after no longer says all.
  if (skill.hasWritten) skill.active = true;
  if (skill.over) runtime.release(skill, "a late influence was recorded");
}

function answerPhaseEnd(runtime, event, skill) {
  if (event.continues || !(skill.active || skill.body !== null)) return;
  skill.over = true;
  if (runtime.current === skill) runtime.current = null;
  runtime.release(skill, "the phase ended");
}

function answerLoopEnd(runtime, event, skill) {
  if (!skill.looping) return;
  skill.looping = false;
  if (runtime.current === skill) runtime.current = null;
  runtime.release(skill, "the loop ended");
}

function answerShift(runtime, event, skill) {
  const left = runtime.current;
  if (event.to === "discussion") {
    runtime.current = null;
    runtime.releaseAll(runtime.skills.values(), "the talk turned to something else");
  } else if (skill === null || skill !== left) {
    runtime.current = skill;
    if (left !== null) runtime.release(left, "the task turned to something else");
  }
}

function answerPressure(runtime) {
  const others = [...runtime.skills.values()].filter((skill) => skill !== runtime.current);
  runtime.releaseAll(others, "room was needed");
}

const MAX_ITEMS = 12;
const MAX_ITEM_BYTES = 120;
const MAX_NAMED_FILES = 6;
const MAX_NAME_BYTES = 200;

/** Receipts are compact, so only the last few are kept. */
function remember(items, item) {
  items.push(item);
  if (items.length > MAX_ITEMS) items.shift();
}

/** What was remembered, as texts that a receipt may hold: short, each once, and nothing private. */
function itemsOf(texts) {
  const items = new Set();
  for (const text of texts) {
    let item = text.trim().replace(/\s+/g, " ");
    if (byteLength(item) > MAX_ITEM_BYTES) item = `${cut(item, MAX_ITEM_BYTES)}…`;
    if (isText(item) && !isPlaceholder(item) && !holdsPrivateData(item)) items.add(item);
  }
  return [...items];
}

function cut(text, bytes) {
  let kept = "";
  for (const character of text.slice(0, bytes)) {
    if (byteLength(kept + character) > bytes) break;
    kept += character;
  }
  return kept;
}

function receiptOf(skill, why) {
  const stages = itemsOf(skill.stages);
  return {
    schema: RECEIPT_SCHEMA,
    skill_id: skill.id,
    skill_version_or_hash: skill.version,
    status: "released",
    completed_steps: stages,
    current_stage: `${stages.at(-1) ?? "no step"} (${why})`,
    artifact_paths: itemsOf(skill.artifacts.filter(isInside)),
    evidence_refs: itemsOf(skill.evidence),
    open_loops: skill.over ? [] : ["the phase was not over yet"],
    resume_entry: resumeEntryOf(skill),
    last_used_at: new Date().toISOString(),
    ttl_policy: "release after the phase ends unless the next turn needs the same skill",
  };
}

/** Names the files that a reactivation reads again: the body, and what the last step needed. */
function resumeEntryOf(skill) {
  const isNameable = (file) => byteLength(file) <= MAX_NAME_BYTES && !/[\s`]/.test(file) && !holdsPrivateData(file);
  const needs = [...new Set(skill.needs)].filter(isNameable).slice(0, MAX_NAMED_FILES);
  const body = isNameable(skill.file) ? `SKILL.md of the skill (\`${skill.file}\`)` : "SKILL.md of the skill";
  const rest = needs.length === 0 ? "" : `, then ${needs.map((file) => `\`${file}\``).join(", ")}`;
  return `Read ${body}${rest}.`;
}
