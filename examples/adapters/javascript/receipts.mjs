// Release receipts: which rules of the contract one breaks. Each rule is judged by
// itself, and a receipt is read once, whatever its size and depth.

import { BadParams, isMapping } from "./registry.mjs";
import { judgeResumeEntry } from "./resume-entry.mjs";
import { holdsPrivateData } from "./secrets.mjs";
import { isBlank, isText, pointerStep, Verdict } from "./verdict.mjs";

export const RECEIPT_SCHEMA = "cbh.skill_release_receipt.v1";
export const MAX_RECEIPT_BYTES = 8 * 1024;
const MAX_LINES = 20;

const LISTS = ["completed_steps", "artifact_paths", "evidence_refs", "open_loops"];
const SCALARS = ["skill_id", "status", "current_stage", "ttl_policy"];
const REQUIRED = [...SCALARS, ...LISTS, "resume_entry", "last_used_at"];

export function validateReceipt({ receipt }) {
  if (receipt === undefined) throw new BadParams("there is no receipt");
  return judgeReceipt(receipt).report();
}

/** The verdict about a receipt, before it is written down. */
export function judgeReceipt(receipt) {
  const verdict = new Verdict();
  if (!isMapping(receipt)) {
    verdict.add("RR-100", "must", "", "a receipt is a mapping");
    return verdict;
  }
  const schema = receipt.schema ?? null;
  if (schema !== null && schema !== RECEIPT_SCHEMA) {
    verdict.add("RR-103", "must", "/schema", `the schema is not ${RECEIPT_SCHEMA}, and no other is judged here`);
    return verdict;
  }
  if (schema === null) verdict.add("RR-104", "may", "/schema", "the receipt does not say which schema it follows");

  for (const field of REQUIRED) {
    if (!Object.hasOwn(receipt, field)) verdict.add("RR-101", "must", `/${field}`, "a required field is missing");
  }
  judgeTypes(receipt, verdict);
  if (isText(receipt.status) && receipt.status !== "released") {
    verdict.add("RR-105", "should", "/status", "the status of a released skill is `released`");
  }
  judgeTime(receipt.last_used_at, verdict);
  judgeEntry(receipt.resume_entry, verdict);
  judgeArtifacts(receipt.artifact_paths, verdict);
  judgeTexts(receipt, verdict);
  return verdict;
}

function judgeTypes(receipt, verdict) {
  for (const field of SCALARS) {
    if (Object.hasOwn(receipt, field) && !isText(receipt[field])) {
      verdict.add("RR-102", "must", `/${field}`, "the field is a string that is not blank");
    }
  }
  const version = receipt.skill_version_or_hash ?? null;
  if (version !== null && typeof version !== "string") {
    verdict.add("RR-102", "must", "/skill_version_or_hash", "the version or hash is a string");
  }
  for (const field of LISTS) {
    if (!Object.hasOwn(receipt, field)) continue;
    const list = receipt[field];
    if (!Array.isArray(list)) {
      verdict.add("RR-102", "must", `/${field}`, "the field is a list");
      continue;
    }
    list.forEach((item, index) => {
      if (!isText(item)) verdict.add("RR-102", "must", `/${field}/${index}`, "an item is a string that is not blank");
    });
  }
}

function judgeTime(value, verdict) {
  if (value === undefined) return;
  if (typeof value !== "string" || !isDateTime(value)) {
    verdict.add("RR-106", "must", "/last_used_at", "the time is an RFC 3339 date-time with an offset");
  }
}

const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|[+-](\d\d):(\d\d))$/;

function isDateTime(text) {
  const match = DATE_TIME.exec(text);
  if (match === null) return false;
  const [year, month, day, hour, minute, second, offsetHour, offsetMinute] = match.slice(1).map((part) => Number(part ?? 0));
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return false;
  return hour <= 23 && minute <= 59 && second <= 60 && offsetHour <= 23 && offsetMinute <= 59;
}

function daysOf(year, month) {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
}

function judgeEntry(value, verdict) {
  if (value === undefined) return;
  const say = (level, message) => verdict.add("RR-107", level, "/resume_entry", message);
  if (!isText(value) || isPlaceholder(value)) {
    say("must", "the entry says which file, section, command, artifact or evidence to reopen");
    return;
  }
  const judgement = judgeResumeEntry(value);
  if (judgement === "vague") say("must", "the entry only says to go on; it names nothing to reopen");
  if (judgement === "unclear") say("may", "it is not clear what the entry wants reopened");
}

function judgeArtifacts(paths, verdict) {
  if (!Array.isArray(paths)) return;
  paths.forEach((path, index) => {
    if (typeof path === "string" && !isInside(path)) {
      verdict.add("RR-111", "may", `/artifact_paths/${index}`, "an artifact's path is relative and stays inside");
    }
  });
}

/** Whether a path is relative and does not lead above where it starts. */
export function isInside(path) {
  const plain = path.trim().replace(/%2e/gi, ".").replace(/%2f/gi, "/").replace(/%5c/gi, "/").replaceAll("\\", "/");
  if (/^(?:\/|~|[A-Za-z]:|[A-Za-z][A-Za-z0-9+.-]*:\/\/)/.test(plain)) return false;
  let depth = 0;
  for (const segment of plain.split("/")) {
    if (segment === "..") depth -= 1;
    else if (segment !== "" && segment !== ".") depth += 1;
    if (depth < 0) return false;
  }
  return true;
}

const PLACEHOLDER =
  /^\p{White_Space}*(?:<[^<>:]+>|TODO|TBD|FIXME|XXX|YYYY-\P{White_Space}*|\.\.\.|…|\{\{[^{}]*\}\})\p{White_Space}*$/u;

/** A whole value that a template left to be filled in. */
export function isPlaceholder(text) {
  return PLACEHOLDER.test(text);
}

/** The rules about every string at any depth, and about the size of the whole. */
function judgeTexts(receipt, verdict) {
  let bytes = 0;
  // A stack of our own: the nesting may be deeper than calls can go.
  const pending = [{ value: receipt, key: null, parent: null }];
  while (pending.length > 0) {
    const node = pending.pop();
    const { value } = node;
    if (Array.isArray(value)) {
      bytes += 2 + Math.max(0, value.length - 1);
      const seen = new Set();
      value.forEach((item, key) => {
        const child = { value: item, key, parent: node };
        pending.push(child);
        if (typeof item !== "string") return;
        if (seen.has(item)) report(verdict, "RR-109", child, "the list holds this item already");
        seen.add(item);
      });
    } else if (isMapping(value)) {
      const keys = Object.keys(value);
      bytes += 2 + Math.max(0, keys.length - 1);
      for (const key of keys) {
        bytes += byteLength(key) + 1;
        pending.push({ value: value[key], key, parent: node });
      }
    } else {
      bytes += byteLength(value);
      if (typeof value === "string") judgeText(value, node, verdict);
    }
  }
  if (bytes > MAX_RECEIPT_BYTES) {
    verdict.add("RR-110", "should", "", `a receipt is compact: at most ${MAX_RECEIPT_BYTES} bytes`);
  }
}

function judgeText(text, node, verdict) {
  if (isPlaceholder(text)) report(verdict, "RR-109", node, "a placeholder was not filled in");
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  if (lines.length > MAX_LINES) report(verdict, "RR-110", node, `a field has at most ${MAX_LINES} lines`);
  // A byte order mark may come first.
  const isFence = (line) => line.replace(/^\uFEFF/, "").trimEnd() === "---";
  if (isFence(lines[0]) && lines.slice(1).some(isFence)) {
    report(verdict, "RR-110", node, "a field holds front matter, so probably a skill's text");
  }
  if (holdsPrivateData(text)) report(verdict, "RR-112", node, "a field holds what looks like a secret or personal data");
}

/** All of these are recommendations, so what a full report leaves out does not change whether it is valid. */
function report(verdict, rule, node, message) {
  if (!verdict.full) verdict.add(rule, "should", pointerOf(node), message);
}

function pointerOf(node) {
  const steps = [];
  for (let at = node; at.parent !== null; at = at.parent) steps.push(pointerStep(at.key));
  return steps.reverse().join("");
}

export function byteLength(value) {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The skill that a receipt is about, or null where that cannot be read. */
export function skillOfReceipt(receipt) {
  return isMapping(receipt) && typeof receipt.skill_id === "string" && !isBlank(receipt.skill_id) ? receipt.skill_id : null;
}
