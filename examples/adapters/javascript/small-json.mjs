// JSON, with what `JSON.parse` does not tell: equal keys, and the place of an error.

import { MAX_DEPTH, placeOf, Unreadable } from "./small-yaml.mjs";

/** The value of a document. Mappings have no prototype, so that any key may be asked for. */
export function readJson(text) {
  return new JsonReader(text).document();
}

const JSON_BLANKS = /[ \t\n\r]{1,100}/y;
const JSON_NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/y;
const JSON_WORD = /(?:true|false|null)(?!\w)/y;

class JsonReader {
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.depth = 0;
  }

  document() {
    const value = this.value();
    this.skip();
    if (this.at < this.text.length) this.fail("more text than one value");
    return value;
  }

  fail(message, at = this.at) {
    throw new Unreadable(message, placeOf(this.text, at));
  }

  take(pattern) {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match === null) return null;
    this.at += match[0].length;
    return match[0];
  }

  skip() {
    while (this.take(JSON_BLANKS) !== null);
  }

  /** Whether this character comes next; if so, it is passed. */
  comes(char) {
    this.skip();
    if (this.text[this.at] !== char) return false;
    this.at += 1;
    return true;
  }

  expect(char) {
    if (!this.comes(char)) this.fail(`no ${char}`);
  }

  value() {
    this.skip();
    const char = this.text[this.at];
    if (char === "{" || char === "[") return this.collection(char);
    if (char === '"') return this.string();
    const literal = this.take(JSON_WORD) ?? this.take(JSON_NUMBER);
    if (literal === null) this.fail("no value of JSON");
    return JSON.parse(literal);
  }

  collection(open) {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) this.fail(`more than ${MAX_DEPTH} levels`);
    this.at += 1;
    const value = open === "{" ? this.object() : this.array();
    this.depth -= 1;
    return value;
  }

  object() {
    const mapping = Object.create(null);
    if (this.comes("}")) return mapping;
    do {
      this.skip();
      const start = this.at;
      if (this.text[start] !== '"') this.fail("no key");
      const key = this.string();
      if (Object.hasOwn(mapping, key)) this.fail("a key that stands twice", start);
      this.expect(":");
      mapping[key] = this.value();
    } while (this.comes(","));
    this.expect("}");
    return mapping;
  }

  array() {
    const list = [];
    if (this.comes("]")) return list;
    do list.push(this.value());
    while (this.comes(","));
    this.expect("]");
    return list;
  }

  string() {
    const start = this.at;
    const stops = /["\\]/g;
    stops.lastIndex = start + 1;
    let stop = stops.exec(this.text);
    while (stop !== null && stop[0] === "\\") {
      stops.lastIndex = stop.index + 2;
      stop = stops.exec(this.text);
    }
    if (stop === null) this.fail("a quote that is never closed");
    this.at = stop.index + 1;
    try {
      const string = JSON.parse(this.text.slice(start, this.at));
      if (!/\p{Surrogate}/u.test(string)) return string;
    } catch {
      // Said below.
    }
    return this.fail("no text of JSON", start);
  }
}
