// What a validator says of a document: which rules it breaks, where, and how badly.

import { compareUtf8 } from "./registry.mjs";

/** An answer has to fit into a line, so a report that would be longer than this is cut. */
const MAX_REPORT_CHARACTERS = 4 * 1024 * 1024;
const SEVERITY = ["may", "should", "must"];

/** A set of violations: one for each rule and place, at the strictest level that was found. */
export class Verdict {
  #violations = new Map();
  #characters = 0;
  #levels = new Set();

  /** Whether there is no room for further places. Their levels still count. */
  get full() {
    return this.#characters > MAX_REPORT_CHARACTERS;
  }

  add(rule, level, path, message) {
    this.#levels.add(level);
    const key = `${rule} ${path}`;
    const known = this.#violations.get(key);
    if (known !== undefined && SEVERITY.indexOf(known.level) >= SEVERITY.indexOf(level)) return;
    if (known === undefined && this.full) return;
    this.#violations.set(key, { rule, level, path, message });
    this.#characters += path.length + message.length;
  }

  breaks(level) {
    return this.#levels.has(level);
  }

  report(notJudged = []) {
    const inOrder = (a, b) => compareUtf8(a.path, b.path) || compareUtf8(a.rule, b.rule);
    return {
      valid: !this.breaks("must"),
      violations: [...this.#violations.values()].sort(inOrder),
      not_judged: [...new Set(notJudged)].sort(compareUtf8),
    };
  }
}

/** One step of a JSON Pointer. */
export function pointerStep(key) {
  return `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

export function isBlank(text) {
  return !/\P{White_Space}/u.test(text);
}

/** Whether a value is a text that says something. */
export function isText(value) {
  return typeof value === "string" && !isBlank(value);
}
