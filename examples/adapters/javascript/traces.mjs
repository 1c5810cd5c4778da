// The trace monitor: reads the events of a skill layer once, in order, and says which
// rules of the lifecycle they break. What it remembers of a skill is little, and from
// turn to turn does not grow.

import { HOST, isEvent, WORLD } from "./events.mjs";
import { BadParams, isMapping } from "./registry.mjs";
import { judgeReceipt, skillOfReceipt } from "./receipts.mjs";
import { nameIn, namesSomeFile } from "./resume-entry.mjs";
import { isText, Verdict } from "./verdict.mjs";

const RULES = new Map([
  ["LC-101", ["must", "a body was read under the profile `none`"]],
  ["LC-102", ["must", "more than a card was read under the profile `listing_only`"]],
  ["LC-103", ["must", "a skill's text comes from its source, and a support file is one that is needed"]],
  ["LC-104", ["must", "the receipt is not valid, or is for a skill that was never loaded"]],
  ["LC-105", ["must", "what is over is released where the host can release, and only there"]],
  ["LC-106", ["must", "the skill was released without a receipt later than its last influence"]],
  ["LC-107", ["must", "a reactivation has an earlier receipt and rereads the present source"]],
  ["LC-108", ["should", "nothing that the receipt's resume entry names was read again"]],
  ["LC-109", ["must", "a profile or a receipt authorizes nothing"]],
  ["LC-110", ["must", "a receipt is no evidence"]],
  ["LC-111", ["must", "audit evidence was deleted because of a release or a reactivation"]],
  ["LC-112", ["must", "a skill read the memory of another"]],
  ["LC-113", ["must", "the event is unknown, malformed, out of order or of no effect"]],
  ["LC-114", ["must", "a body was loaded without a profile that asks for it"]],
  ["LC-115", ["must", "a skill had an influence while its present body was not loaded"]],
  ["LC-116", ["must", "no receipt was written before the next turn"]],
  ["LC-117", ["must", "the profile that this need asks for was not selected"]],
  ["LC-118", ["must", "the step was not answered by the skill's body"]],
  ["LC-119", ["should", "pressure left a skill that is not current without a receipt"]],
  ["LC-120", ["should", "a one-shot skill was not released before the next turn"]],
  ["LC-121", ["should", "a skill was released although its phase goes on"]],
  ["LC-122", ["should", "the talk turned elsewhere, and the skill was not released before the next turn"]],
  ["LC-123", ["should", "under pressure the current skill was released before others"]],
  ["LC-124", ["should", "a skill in a loop is kept until the loop ends, then released"]],
  ["LC-125", ["should", "the release left no receipt"]],
  ["LC-126", ["should", "memory was cited without its source monitoring"]],
  ["LC-127", ["must", "a skill rewrote a skill"]],
  ["LC-128", ["should", "the receipt breaks a recommendation for receipts"]],
]);

const PROFILE_OF_NEED = new Map([
  ["none", "none"],
  ["discovery", "listing_only"],
  ["work", "active_frame_required"],
]);
const LOADING_PROFILES = new Set(["active_frame_required", "reactivate_from_receipt"]);

export function validateTrace({ capabilities, receipts, events }) {
  if (!isMapping(capabilities) || typeof capabilities.context_gc !== "boolean") {
    throw new BadParams("capabilities say whether there is context_gc");
  }
  if (!Array.isArray(events)) throw new BadParams("events are a list");
  if (!Array.isArray(receipts ?? [])) throw new BadParams("receipts are a list");
  const trace = new Trace(capabilities.context_gc);
  for (const receipt of receipts ?? []) trace.carryIn(receipt);
  events.forEach((event, at) => trace.see(event, at));
  return trace.report();
}

/** What is remembered of one skill. Places are indices of events. */
class Skill {
  loaded = false;
  wasLoaded = false;
  wasReleased = false;
  active = false;
  influenced = false;
  looping = false;

  // Of the present phase.
  overAt = null;
  reviewed = false;
  continued = false;

  /** Where its phase was said to go on; nothing since has excused a release. */
  keptAt = null;
  /** The needs of its last step. */
  needs = null;
  /** Its last own profile, and where it was selected. */
  profile = { name: null, at: -1 };

  /** The resume entry of its last receipt, or null where there is no receipt. */
  entry = null;
  writtenAt = null;

  /** The reactivation that waits for a reread. */
  rereadFor = null;
  /** The resume entry that it was reactivated from last. */
  resumedFrom = null;
  /** Reactivations of which nothing was read yet that their entry names: from the entry to where they were. */
  unread = new Map();

  // What is due before the next turn, by the event that made it so.
  owesReceipt = [];
  owesRelease = [];

  expectReading(entry, at) {
    if (!this.unread.has(entry)) this.unread.set(entry, []);
    this.unread.get(entry).push(at);
  }

  /** A phase that is not over yet goes on. */
  startPhase() {
    if (this.overAt === null) return;
    this.overAt = null;
    this.reviewed = false;
    this.continued = false;
  }
}

class Trace {
  verdict = new Verdict();
  skills = new Map();
  /** The skills that are active or loaded. */
  engaged = new Set();
  /** The skills that owe something before the next turn. */
  debtors = new Set();
  /** The last hash of each file that changed. */
  hashes = new Map();
  /** Rules that something gave no ground to judge by. */
  notJudged = new Set();

  current = null;
  pressure = false;
  lastSeq = -Infinity;
  shiftedAt = -1;
  ended = false;
  general = { name: null, at: -1 };

  /** The need that no selection has answered, and the step that no body has. */
  need = null;
  step = null;

  constructor(canRelease) {
    this.canRelease = canRelease;
  }

  carryIn(receipt) {
    const id = skillOfReceipt(receipt);
    if (id !== null) this.skill(id).entry = entryOf(receipt);
  }

  see(event, at) {
    if (!this.accepts(event)) {
      this.broken("LC-113", at);
      return;
    }
    this.lastSeq = event.seq;
    if (WORLD.has(event.type)) this.closeAnswers();
    SEEN.get(event.type)(this, event, at);
  }

  accepts(event) {
    if (this.ended || !(isEvent(event, WORLD) || isEvent(event, HOST))) return false;
    if (!Number.isSafeInteger(event.seq) || event.seq <= this.lastSeq) return false;
    return event.type !== "body.released" || this.skill(event.skill_id).loaded;
  }

  report() {
    return this.verdict.report(this.ended ? this.notJudged : [...this.notJudged, ...this.pending()]);
  }

  skill(id) {
    let skill = this.skills.get(id);
    if (skill === undefined) this.skills.set(id, (skill = new Skill()));
    return skill;
  }

  broken(rule, at, level) {
    const [usual, message] = RULES.get(rule);
    this.verdict.add(rule, level ?? usual, `/events/${at}`, message);
  }

  profileOf(skill) {
    return skill.profile.at > this.general.at ? skill.profile.name : this.general.name;
  }

  /** Keeps the skill's place among those that are active or loaded. */
  settle(skill) {
    if (skill.active || skill.loaded) this.engaged.add(skill);
    else this.engaged.delete(skill);
  }

  makeCurrent(skill) {
    this.current = skill;
    skill.owesReceipt = skill.owesReceipt.filter(({ rule }) => rule !== "LC-119");
  }

  leave(skill) {
    if (this.current === skill) this.current = null;
  }

  oweReceipt(skill, rule, at, level) {
    skill.owesReceipt.push({ rule, level, at });
    this.debtors.add(skill);
  }

  oweRelease(skill, rule, at, level) {
    if (!this.canRelease) return;
    skill.owesRelease.push({ rule, level, at });
    this.debtors.add(skill);
  }

  /** A turn is over: what was due before the next one is due now. */
  closeTurn() {
    for (const skill of this.debtors) {
      for (const { rule, level, at } of [...skill.owesReceipt, ...skill.owesRelease]) this.broken(rule, at, level);
      skill.owesReceipt = [];
      skill.owesRelease = [];
    }
    this.debtors.clear();
    this.pressure = false;
  }

  /** The world speaks again: what the host had to answer at once is due. */
  closeAnswers() {
    if (this.need !== null) this.broken("LC-117", this.need.at, this.need.level);
    if (this.step !== null) this.broken("LC-118", this.step.at);
    this.need = null;
    this.step = null;
  }

  /** Several reactivations before one reread are one. */
  reactivate(skill, at) {
    if (skill.rereadFor === null) {
      skill.rereadFor = at;
      skill.resumedFrom = skill.entry;
      if (skill.entry !== null && namesSomeFile(skill.entry)) skill.expectReading(skill.entry, at);
      else this.notJudged.add("LC-108");
    }
    skill.startPhase();
    this.makeCurrent(skill);
  }

  read(skill, file) {
    for (const entry of skill.unread.keys()) {
      if (nameIn(entry, file) !== null) skill.unread.delete(entry);
    }
  }

  /** Reviewed, over, and never said to go on: then there is nothing to keep it for. */
  checkOneShot(skill, at) {
    const complete = skill.overAt !== null && skill.reviewed && !skill.continued && skill.loaded && !skill.looping;
    if (complete) this.oweRelease(skill, "LC-120", at);
  }

  isLeftover(skill) {
    return this.canRelease && skill.loaded && skill.overAt !== null && !skill.active && !skill.looping;
  }

  /** The rules by which a trace without an end still owes something. */
  pending() {
    const rules = [];
    if (this.need !== null) rules.push("LC-117");
    if (this.step !== null) rules.push("LC-118");
    for (const skill of this.skills.values()) {
      for (const { rule } of [...skill.owesReceipt, ...skill.owesRelease]) rules.push(rule);
      if (this.isLeftover(skill)) rules.push("LC-105");
      if (skill.unread.size > 0) rules.push("LC-108");
    }
    return rules;
  }
}

function entryOf(receipt) {
  return typeof receipt.resume_entry === "string" ? receipt.resume_entry : "";
}

/** What each event does to the state, and which rules it may break itself. */
const SEEN = new Map([
  ["turn.started", (trace) => trace.closeTurn()],
  ["need.stated", seeNeed],
  ["step.started", seeStep],
  ["influence", seeInfluence],
  ["boundary.reviewed", seeReview],
  ["phase.ended", seePhaseEnd],
  ["loop.started", (trace, event) => { trace.skill(event.skill_id).looping = true; }],
  ["loop.ended", seeLoopEnd],
  ["task.shifted", seeShift],
  ["pressure", seePressure],
  ["source.changed", (trace, event) => trace.hashes.set(event.file, event.hash)],
  ["reactivation.requested", (trace, event, at) => trace.reactivate(trace.skill(event.skill_id), at)],
  ["trace.ended", seeEnd],
  ["profile.selected", seeSelection],
  ["card.read", seeCard],
  ["body.loaded", seeBody],
  ["support.loaded", seeSupport],
  ["receipt.written", seeReceipt],
  ["body.released", seeRelease],
  ["evidence.cited", seeCitation],
  ["memory.read", (trace, event, at) => { if (event.owner !== event.skill_id) trace.broken("LC-112", at); }],
  ["skill.rewritten", (trace, event, at) => { if (event.by === "skill") trace.broken("LC-127", at); }],
  ["audit.deleted", (trace, event, at) => { if (event.because !== "other") trace.broken("LC-111", at); }],
]);

function seeNeed(trace, event, at) {
  const id = event.skill_id ?? null;
  trace.need = { at, level: "must", profile: PROFILE_OF_NEED.get(event.need), ids: [id] };
  if (event.need === "none" || event.need === "discovery") trace.need.ids.push(null);
  if (event.need !== "resume") return;
  const hasReceipt = trace.skill(id).entry !== null;
  trace.need.profile = hasReceipt ? "reactivate_from_receipt" : "active_frame_required";
  if (!hasReceipt) trace.need.level = "may";
}

function seeStep(trace, event, at) {
  const skill = trace.skill(event.skill_id);
  if (!skill.loaded) {
    trace.step = { at, skill };
    if (skill.wasReleased) trace.reactivate(skill, at);
  }
  skill.startPhase();
  skill.needs = new Set(event.needs);
  skill.active = true;
  trace.settle(skill);
  trace.makeCurrent(skill);
}

function seeInfluence(trace, event, at) {
  const skill = trace.skill(event.skill_id);
  const present = skill.loaded && skill.rereadFor === null;
  if (event.kind !== "route_decision" && !present) trace.broken("LC-115", at);
  if (event.authority === "profile" || event.authority === "receipt") trace.broken("LC-109", at);
  skill.influenced = true;
  if (skill.writtenAt !== null) skill.active = true;
  trace.settle(skill);
}

function seeReview(trace, event, at) {
  const skill = trace.skill(event.skill_id);
  if (skill.reviewed || !(skill.active || skill.loaded)) return;
  skill.reviewed = true;
  trace.checkOneShot(skill, at);
}

function seePhaseEnd(trace, event, at) {
  const skill = trace.skill(event.skill_id);
  if (!skill.active && !skill.loaded) return;
  if (event.continues) {
    skill.continued = true;
    skill.keptAt = at;
    return;
  }
  const wasOver = skill.overAt !== null;
  skill.overAt = at;
  skill.keptAt = null;
  if (skill.active && !skill.looping) trace.oweReceipt(skill, "LC-116", at);
  trace.leave(skill);
  if (!wasOver) trace.checkOneShot(skill, at);
}

function seeLoopEnd(trace, event, at) {
  const skill = trace.skill(event.skill_id);
  if (!skill.looping) return;
  skill.looping = false;
  skill.keptAt = null;
  if (skill.active) trace.oweReceipt(skill, "LC-116", at);
  if (skill.loaded) trace.oweRelease(skill, "LC-124", at);
  trace.leave(skill);
  trace.checkOneShot(skill, at);
}

function seeShift(trace, event, at) {
  const named = event.to === "skill" && isText(event.skill_id);
  const target = named ? trace.skill(event.skill_id) : null;
  const left = trace.current;
  if (target !== null && target === left) return;
  trace.shiftedAt = at;
  // To talk the task shifts from every skill. Only of the current one is that certain.
  const shiftedFrom = event.to === "discussion" ? trace.engaged : new Set(left === null ? [] : [left]);
  for (const skill of shiftedFrom) {
    if (skill.looping) continue;
    if (skill.active) trace.oweReceipt(skill, "LC-116", at, skill === left ? "must" : "may");
    if (skill.loaded && event.to === "discussion") {
      trace.oweRelease(skill, "LC-122", at, skill === left ? "should" : "may");
    }
  }
  trace.current = null;
  if (target !== null) trace.makeCurrent(target);
}

function seePressure(trace, event, at) {
  trace.pressure = true;
  for (const skill of trace.engaged) {
    if (skill === trace.current) continue;
    skill.keptAt = null;
    if (skill.active && !skill.looping) trace.oweReceipt(skill, "LC-119", at);
  }
}

function seeEnd(trace) {
  trace.ended = true;
  trace.closeTurn();
  for (const skill of trace.skills.values()) {
    if (trace.isLeftover(skill)) trace.broken("LC-105", Math.max(skill.overAt, skill.writtenAt ?? -1));
    for (const at of [...skill.unread.values()].flat()) trace.broken("LC-108", at);
  }
}

function seeSelection(trace, event, at) {
  const name = event.skill_lifecycle_profile;
  const id = event.skill_id ?? null;
  if (trace.need !== null && trace.need.profile === name && trace.need.ids.includes(id)) trace.need = null;
  if (id === null) {
    trace.general = { name, at };
    return;
  }
  const skill = trace.skill(id);
  skill.profile = { name, at };
  if (name !== "reactivate_from_receipt") return;
  if (skill.entry === null) trace.broken("LC-107", at);
  trace.reactivate(skill, at);
}

function seeCard(trace, event, at) {
  if (!event.fields.includes("body")) return;
  const profile = trace.profileOf(trace.skill(event.skill_id));
  if (profile === "none") trace.broken("LC-101", at);
  if (profile === "listing_only") trace.broken("LC-102", at);
}

function seeBody(trace, event, at) {
  const skill = trace.skill(event.skill_id);
  const profile = trace.profileOf(skill);
  if (profile === "none") trace.broken("LC-101", at);
  if (profile === "listing_only") trace.broken("LC-102", at);
  if (!LOADING_PROFILES.has(profile)) trace.broken("LC-114", at);
  if (event.origin !== "source") trace.broken("LC-103", at);
  if (skill.rereadFor !== null) {
    const stale = isText(event.hash) && (trace.hashes.get(event.file) ?? event.hash) !== event.hash;
    if (event.origin !== "source" || stale) trace.broken("LC-107", at);
  }
  skill.rereadFor = null;
  skill.loaded = true;
  skill.wasLoaded = true;
  skill.active = true;
  if (trace.step?.skill === skill) trace.step = null;
  trace.settle(skill);
  trace.read(skill, event.file);
}

function seeSupport(trace, event, at) {
  const skill = trace.skill(event.skill_id);
  if (trace.profileOf(skill) === "listing_only") trace.broken("LC-102", at);
  const named = skill.resumedFrom !== null && nameIn(skill.resumedFrom, event.file) !== null;
  const wanted = named || (skill.needs?.has(event.file) ?? true);
  if (event.origin !== "source" || !wanted) trace.broken("LC-103", at);
  if (skill.needs === null && !named) trace.notJudged.add("LC-103");
  trace.read(skill, event.file);
}

function seeReceipt(trace, event, at) {
  const verdict = judgeReceipt(event.receipt);
  if (verdict.breaks("must")) trace.broken("LC-104", at);
  if (verdict.breaks("should")) trace.broken("LC-128", at);
  const id = skillOfReceipt(event.receipt);
  if (id === null) return;
  const skill = trace.skill(id);
  if (!skill.wasLoaded) trace.broken("LC-104", at);
  skill.entry = entryOf(event.receipt);
  skill.writtenAt = at;
  skill.active = false;
  skill.influenced = false;
  skill.owesReceipt = [];
  trace.settle(skill);
}

function seeRelease(trace, event, at) {
  const skill = trace.skill(event.skill_id);
  if (skill.influenced) trace.broken("LC-106", at);
  if (trace.canRelease) judgeRelease(trace, skill, at);
  else trace.broken("LC-105", at);
  skill.loaded = false;
  skill.wasReleased = true;
  skill.keptAt = null;
  skill.owesRelease = [];
  trace.leave(skill);
  trace.settle(skill);
}

function judgeRelease(trace, skill, at) {
  if (skill.active && !skill.influenced) trace.broken("LC-125", at);
  if (skill.looping) trace.broken("LC-124", at);
  const pressed = trace.pressure && skill !== trace.current;
  if (skill.keptAt !== null && skill.keptAt > trace.shiftedAt && !pressed) trace.broken("LC-121", at);
  const isOther = (other) => other !== trace.current && other.loaded && !other.looping;
  if (trace.pressure && skill === trace.current && [...trace.engaged].some(isOther)) trace.broken("LC-123", at);
}

function seeCitation(trace, event, at) {
  if (event.origin === "receipt") trace.broken("LC-110", at);
  if (event.origin === "memory" && !hasMonitoring(event.source_monitoring)) trace.broken("LC-126", at);
}

function hasMonitoring(value) {
  if (typeof value === "string") return isText(value);
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return (value ?? false) !== false;
}
