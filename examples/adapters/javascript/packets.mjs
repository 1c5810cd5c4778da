// Evidence return packets: what breaks which rule of the contract.

import { claimsAuthority } from "./authority-sentences.mjs";
import { resolves, surfaceOf } from "./packet-pointers.mjs";
import { AUTHORITY_KEYS, folded, isMediaType, readPacket, Unreadable } from "./packet-text.mjs";
import { BadParams, isMapping } from "./registry.mjs";
import { holdsPrivateData } from "./secrets.mjs";
import { isBlank, isText, pointerStep, Verdict } from "./verdict.mjs";

export const PACKET_VERSION = "0.1";
const MAX_SUMMARY_CHARACTERS = 600;
const MAX_POINTER_CHARACTERS = 2048;

const words = (text) => new Set(text.split(" "));
const MODES = words("generic knowledge_aware execution_only");
const CLASSES = words("planning decision_support validation review handoff");
const OUTCOMES = words("usable partial failed unknown unavailable");
const TYPES = words("artifact user_input runtime_output knowledge_pack source_record");
const SCOPES = words("metadata capsule excerpt full unavailable");
const SIGNALS = words("continue review escalate stop restart_ready unavailable");
const LOSSINESS = words("lossless lossy_with_recovery unavailable");
const SENSITIVITIES = words("public internal confidential restricted");
const PROVENANCES = words("reported estimated unavailable");

/** Outcomes that need no evidence. */
const WITHOUT_EVIDENCE = words("failed unknown unavailable");

export function validatePacket({ document, media_type: mediaType, surface }) {
  if (typeof document !== "string") throw new BadParams("the document is no text");
  if (!isMediaType(mediaType)) throw new BadParams("unknown media type");
  const known = surfaceOf(surface);
  let packet;
  try {
    packet = readPacket(document, mediaType);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const violation = { rule: "EP-100", level: "must", path: "", message: error.message, at: error.at };
    return { valid: false, violations: [violation], not_judged: [] };
  }
  return judgePacket(packet, known);
}

function judgePacket(packet, surface) {
  const verdict = new Verdict();
  if (packet.version !== PACKET_VERSION) {
    verdict.add("EP-101", "must", "/version", `the version is not the text ${PACKET_VERSION}, and no other is judged here`);
    return verdict.report();
  }
  judgeId(verdict, "/observation_id", packet.observation_id);
  judgeId(verdict, "/work_slice_id", packet.work_slice_id);
  judgeSkill(verdict, packet.skill);
  judgeResult(verdict, packet.result);
  judgeEvidence(verdict, packet);
  judgeTexts(verdict, "/risks", packet.risks);
  judgeHandoff(verdict, packet.handoff);
  judgeRecovery(verdict, packet, surface);
  judgeMetrics(verdict, packet.metrics);
  judgeSources(verdict, packet.source_refs);
  judgeReferences(verdict, packet);
  judgeSentences(verdict, packet);
  judgeAuthority(verdict, packet);

  const isLossy = sectionOf(packet.recovery).lossiness === "lossy_with_recovery";
  return verdict.report(isLossy && surface === null ? ["EP-107"] : []);
}

// Fields.

/** Absent and null are the same, but where null is a value. */
function isMissing(value) {
  return value === undefined || value === null;
}

function sectionOf(value) {
  return isMapping(value) ? value : Object.create(null);
}

function lack(verdict, path, level = "must") {
  verdict.add("EP-104", level, path, "a field is missing");
}

function judgeType(verdict, path, value, isRight, message) {
  if (isMissing(value)) lack(verdict, path);
  else if (!isRight(value)) verdict.add("EP-104", "must", path, message);
  else return true;
  return false;
}

function judgeText(verdict, path, value) {
  return judgeType(verdict, path, value, isText, "the field is a text that is not blank");
}

function judgeId(verdict, path, value) {
  if (!judgeType(verdict, path, value, (id) => typeof id === "string", "an id is a text")) return;
  if (/\p{White_Space}/u.test(value) || value === "" || isPlaceholder(value)) {
    verdict.add("EP-102", "must", path, "an id is not empty, holds no blank and is no placeholder");
  }
}

function judgeWord(verdict, path, value, vocabulary) {
  if (!judgeType(verdict, path, value, (word) => typeof word === "string", "the field is a word")) return;
  if (!vocabulary.has(value)) verdict.add("EP-103", "must", path, `none of ${[...vocabulary].join(", ")}`);
}

function judgeTexts(verdict, path, list) {
  if (!judgeType(verdict, path, list, Array.isArray, "the field is a list")) return;
  list.forEach((item, index) => {
    if (!isText(item)) verdict.add("EP-104", "must", `${path}/${index}`, "an item is a text that is not blank");
  });
}

/** A whole value that a template left to be filled in. An address in brackets is none. */
function isPlaceholder(text) {
  const inner = /^<([^<>]+)>$/.exec(text.trim())?.[1];
  return inner !== undefined && !/^[A-Za-z][A-Za-z0-9+.-]{0,30}:\/\//.test(inner);
}

// Sections.

function judgeSkill(verdict, skill) {
  if (!isMissing(skill) && !isMapping(skill)) {
    verdict.add("EP-104", "must", "/skill", "the section is a mapping");
    return;
  }
  const { id, mode, execution_profile: profile, modules_used: modules } = sectionOf(skill);
  judgeId(verdict, "/skill/id", id);
  judgeWord(verdict, "/skill/mode", mode, MODES);
  judgeText(verdict, "/skill/execution_profile", profile);
  judgeTexts(verdict, "/skill/modules_used", modules);
}

/** Result and handoff are both there, and distinct. */
function isThere(verdict, path, section) {
  if (isMissing(section)) verdict.add("EP-111", "must", path, "result and handoff are both there");
  else if (!isMapping(section)) verdict.add("EP-104", "must", path, "the section is a mapping");
  else return true;
  return false;
}

function judgeResult(verdict, result) {
  if (!isThere(verdict, "/result", result)) return;
  const { outcome, compact_summary: summary } = result;
  judgeWord(verdict, "/result/observation_class", result.observation_class, CLASSES);
  judgeWord(verdict, "/result/outcome", outcome, OUTCOMES);
  if (Object.hasOwn(result, "signal")) {
    verdict.add("EP-111", "must", "/result/signal", "a signal belongs to the handoff");
  }
  if (!judgeText(verdict, "/result/compact_summary", summary)) return;
  if ((outcome === "unknown" || outcome === "unavailable") && onlyRepeats(summary, outcome)) {
    verdict.add("EP-115", "should", "/result/compact_summary", `the summary says why the outcome is ${outcome}`);
  }
  if (characters(summary) > MAX_SUMMARY_CHARACTERS) {
    verdict.add("EP-116", "should", "/result/compact_summary", `a summary has at most ${MAX_SUMMARY_CHARACTERS} characters`);
  }
}

function judgeHandoff(verdict, handoff) {
  if (!isThere(verdict, "/handoff", handoff)) return;
  const { signal, reason } = handoff;
  judgeWord(verdict, "/handoff/signal", signal, SIGNALS);
  if (Object.hasOwn(handoff, "outcome")) {
    verdict.add("EP-111", "must", "/handoff/outcome", "an outcome belongs to the result");
  }
  if (judgeText(verdict, "/handoff/reason", reason) && signal === "unavailable" && onlyRepeats(reason, signal)) {
    verdict.add("EP-115", "should", "/handoff/reason", "the reason says why no signal is available");
  }
}

function characters(text) {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function onlyRepeats(text, word) {
  const fillers = new Set([word, "outcome", "result", "signal", "is", "the", "was", "status"]);
  return text.toLowerCase().split(/[^\p{L}\p{N}]/u).every((part) => part === "" || fillers.has(part));
}

function judgeEvidence(verdict, packet) {
  const evidence = packet.evidence_used;
  const { outcome } = sectionOf(packet.result);
  const isRestricted = sectionOf(packet.recovery).sensitivity === "restricted";
  if (!judgeType(verdict, "/evidence_used", evidence, Array.isArray, "the field is a list")) return;
  if (evidence.length === 0 && !WITHOUT_EVIDENCE.has(outcome)) {
    verdict.add("EP-112", "should", "/evidence_used", "a return names the evidence that it rests on");
  }
  evidence.forEach((item, index) => {
    const path = `/evidence_used/${index}`;
    if (!isMapping(item)) {
      verdict.add("EP-104", "must", path, "an item of evidence is a mapping");
      return;
    }
    judgeWord(verdict, `${path}/type`, item.type, TYPES);
    judgeText(verdict, `${path}/ref`, item.ref);
    judgeWord(verdict, `${path}/scope`, item.scope, SCOPES);
    if (isRestricted && (item.scope === "excerpt" || item.scope === "full")) {
      verdict.add("EP-110", "should", `${path}/scope`, "of restricted content there is metadata or a capsule only");
    }
  });
}

function judgeSources(verdict, sources) {
  judgeTexts(verdict, "/source_refs", sources);
  if (Array.isArray(sources) && sources.length === 0) {
    verdict.add("EP-112", "must", "/source_refs", "a return names at least one source");
  }
}

function judgeRecovery(verdict, packet, surface) {
  const { recovery } = packet;
  if (!isMissing(recovery) && !isMapping(recovery)) {
    verdict.add("EP-104", "must", "/recovery", "the section is a mapping");
    return;
  }
  const { lossiness, pointer, sensitivity } = sectionOf(recovery);
  if (lossiness === "lossy_without_recovery") {
    verdict.add("EP-105", "must", "/recovery/lossiness", "what is lost has to be recoverable");
  } else {
    judgeWord(verdict, "/recovery/lossiness", lossiness, LOSSINESS);
  }
  judgeWord(verdict, "/recovery/sensitivity", sensitivity, SENSITIVITIES);
  judgePointer(verdict, pointer, lossiness === "lossy_with_recovery", surface);
}

function judgePointer(verdict, pointer, isLossy, surface) {
  const path = "/recovery/pointer";
  const say = (rule, level, message) => verdict.add(rule, level, path, message);
  if (isMissing(pointer) || (typeof pointer === "string" && isBlank(pointer))) {
    if (isLossy) say("EP-106", "must", "a lossy return has a pointer to what was lost");
    else if (pointer === undefined) lack(verdict, path, "should");
    else if (pointer !== null) say("EP-104", "must", "a pointer is not blank");
    return;
  }
  if (typeof pointer !== "string") {
    say("EP-104", "must", "a pointer is a text or null");
    return;
  }
  const isTemplate = isPlaceholder(pointer);
  if (isTemplate) say("EP-106", "must", "a placeholder is no pointer");

  const holdsLineBreak = /[\n\v\f\r\x85\u2028\u2029]/.test(pointer);
  const isUnclean = holdsPrivateData(pointer) || holdsLineBreak || /^(?:data|javascript):/i.test(pointer.trimStart());
  if (isUnclean) say("EP-108", "must", "a pointer embeds no secret, personal data, line break, data or script");
  if (/\p{White_Space}/u.test(pointer.trim())) say("EP-108", "should", "a pointer holds no blank");
  if (characters(pointer) > MAX_POINTER_CHARACTERS) {
    say("EP-108", "should", `a pointer has at most ${MAX_POINTER_CHARACTERS} characters`);
  }
  if (surface !== null && !isTemplate && !isUnclean && !resolves(pointer, surface)) {
    say("EP-107", isLossy ? "must" : "may", "the pointer does not resolve on the surface");
  }
}

function judgeMetrics(verdict, metrics) {
  if (isMissing(metrics)) {
    lack(verdict, "/metrics", "should");
    return;
  }
  if (!isMapping(metrics)) {
    verdict.add("EP-104", "must", "/metrics", "the section is a mapping");
    return;
  }
  for (const name of Object.keys(metrics)) {
    const say = (level, message) => verdict.add("EP-109", level, `/metrics${pointerStep(name)}`, message);
    const metric = metrics[name];
    if (!isMapping(metric)) {
      say("must", "a metric has a value and a provenance");
      continue;
    }
    const { value = null, provenance, reason = null, unit = null } = metric;
    if (!PROVENANCES.has(provenance)) say("must", `the provenance is none of ${[...PROVENANCES].join(", ")}`);
    if (value !== null && typeof value !== "number") say("must", "the value is a number or null");
    if ([reason, unit].some((text) => text !== null && typeof text !== "string")) say("must", "reason and unit are texts");
    if (provenance === "unavailable") {
      if (value !== null) say("must", "the value of what is unavailable is null");
    } else if (!Number.isFinite(value) || value < 0) {
      say("should", "the value is a finite number that is not negative");
    }
  }
}

// Rules about texts, wherever they stand.

function referencesOf(packet) {
  const references = [];
  if (Array.isArray(packet.evidence_used)) {
    packet.evidence_used.forEach((item, index) => references.push([`/evidence_used/${index}/ref`, sectionOf(item).ref]));
  }
  if (Array.isArray(packet.source_refs)) {
    packet.source_refs.forEach((ref, index) => references.push([`/source_refs/${index}`, ref]));
  }
  return references.filter(([, ref]) => typeof ref === "string");
}

function proseOf(packet) {
  const prose = [
    ["/result/compact_summary", sectionOf(packet.result).compact_summary],
    ["/handoff/reason", sectionOf(packet.handoff).reason],
  ];
  if (Array.isArray(packet.risks)) packet.risks.forEach((risk, index) => prose.push([`/risks/${index}`, risk]));
  return prose.filter(([, text]) => typeof text === "string");
}

const ITSELF = new Set(["#", "self", "this", "thispacket"]);

function judgeReferences(verdict, packet) {
  const isItself = (ref) => isText(ref) && (ref === packet.observation_id || ITSELF.has(folded(ref)));
  for (const [path, ref] of [...referencesOf(packet), ["/recovery/pointer", sectionOf(packet.recovery).pointer]]) {
    if (isItself(ref)) verdict.add("EP-117", "must", path, "a packet is no evidence for itself");
  }
}

function judgeSentences(verdict, packet) {
  const prose = proseOf(packet);
  for (const [path, text] of [...referencesOf(packet), ...prose]) {
    if (holdsPrivateData(text)) verdict.add("EP-118", "should", path, "a text holds what looks like a secret or personal data");
  }
  for (const [path, text] of prose) {
    if (claimsAuthority(text)) verdict.add("EP-119", "should", path, "a sentence claims authority over the work slice or a gate");
  }
}

/** No key at any depth claims authority. The names of metrics are free. */
function judgeAuthority(verdict, packet) {
  const pending = [{ value: packet, path: "" }];
  while (pending.length > 0) {
    const { value, path } = pending.pop();
    if (Array.isArray(value)) {
      value.forEach((item, index) => pending.push({ value: item, path: `${path}/${index}` }));
    } else if (isMapping(value)) {
      for (const key of Object.keys(value)) {
        const below = path + pointerStep(key);
        if (path !== "/metrics" && AUTHORITY_KEYS.has(folded(key))) {
          verdict.add("EP-113", "must", below, "a packet claims no authority over gates, decisions or slices");
        } else {
          pending.push({ value: value[key], path: below });
        }
      }
    }
  }
}
