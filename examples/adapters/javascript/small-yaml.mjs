// A strict reader of the part of YAML 1.2 that packets need: block and flow collections,
// plain, quoted and block scalars, comments, one document, the words of the core schema.
//
// What makes one document mean two things is refused: anchors, aliases, tags, merge keys,
// equal keys, tabs as indentation. Every scan goes forward once, and nesting is bounded,
// so that no text takes long or deep.

export const MAX_DEPTH = 64;

/** A text that can't be read, and, where that is known, the place: line and column from 1, in characters. */
export class Unreadable extends Error {
  constructor(message, at) {
    super(message);
    this.at = at;
  }
}

export function placeOf(text, offset) {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  let line = 1;
  for (let end = before.indexOf("\n"); end !== -1; end = before.indexOf("\n", end + 1)) line += 1;
  return { line, column: [...before.slice(lineStart)].length + 1 };
}

/**
 * The value of a document. Mappings have no prototype, so that any key may be asked for.
 * With `bullets` the other list marks of Markdown count as dashes: `*`, `+`, `1.` and `1)`.
 */
export function readYaml(text, { bullets = false } = {}) {
  return new Reader(text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n"), bullets).document();
}

const DASH = /-(?=[ \t\n]|$)/y;
const BULLET = /(?:[-+*]|\d{1,9}[.)])(?=[ \t\n]|$)/y;
const MARK = /(?:---|\.\.\.)(?=[ \t\n]|$)/y;
const DIRECTIVE = /%YAML[ \t]{1,9}1\.2[ \t]{0,9}(?=[#\n]|$)/y;
const BLOCK_HEADER = /[|>]([+-]?[1-9]?|[1-9][+-])(?=[ \t\n]|$)/y;
// A key is at most 1,024 characters long, and stands on one line.
const QUOTED_KEY = /(?:"(?:[^"\\\n]|\\[^\n]){0,1024}"|'(?:[^'\n]|''){0,1024}')(?=[ \t]{0,99}:(?:[ \t\n]|$))/y;
const NOT_PRINTABLE = /[^\t\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

const ESCAPES = new Map(Object.entries({
  0: "\0", a: "\x07", b: "\b", t: "\t", "\t": "\t", n: "\n", v: "\v", f: "\f", r: "\r", e: "\x1b", " ": " ",
  '"': '"', "/": "/", "\\": "\\", N: "\x85", _: "\xa0", L: "\u2028", P: "\u2029",
}));
const ESCAPE_DIGITS = { x: 2, u: 4, U: 8 };

const isBlank = (char) => char === " " || char === "\t";
const isLineEnd = (char) => char === undefined || char === "\n";
const isGap = (char) => isBlank(char) || isLineEnd(char);
const isFlowMark = (char) => char !== undefined && ",[]{}".includes(char);

class Reader {
  constructor(text, bullets) {
    this.text = text;
    this.at = 0;
    this.depth = 0;
    this.entry = bullets ? BULLET : DASH;
  }

  document() {
    const odd = this.text.search(NOT_PRINTABLE);
    if (odd !== -1) this.fail("a character that is not printable", odd);
    const directed = this.skipDirectives();
    this.skip();
    const marked = this.sees(MARK) && this.column() === 0 && this.peek() === "-";
    if (directed && !marked) this.fail("a directive is followed by `---`");
    if (marked) this.at += 3;
    const value = this.contentBehind(-1, marked ? "mark" : "start");
    if (this.atMark() && this.peek() === ".") {
      this.at += 3;
      this.endLine();
    }
    if (this.at < this.text.length) {
      this.fail(this.atMark() ? "more than one document" : "this belongs to nothing above it");
    }
    return value;
  }

  skipDirectives() {
    let directed = false;
    for (this.skip(); this.peek() === "%" && this.column() === 0; this.skip()) {
      if (directed || !this.take(DIRECTIVE)) this.fail("a directive other than %YAML 1.2");
      directed = true;
    }
    return directed;
  }

  // Where we are.

  fail(message, at = this.at) {
    throw new Unreadable(message, placeOf(this.text, at));
  }

  peek(ahead = 0) {
    return this.text[this.at + ahead];
  }

  sees(pattern) {
    pattern.lastIndex = this.at;
    return pattern.test(this.text);
  }

  take(pattern) {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match !== null) this.at += match[0].length;
    return match;
  }

  /** The indentation of what stands here. Tabs have no width, so none may be part of it. */
  column() {
    const start = this.at === 0 ? 0 : this.text.lastIndexOf("\n", this.at - 1) + 1;
    let end = start;
    while (end < this.at && isBlank(this.text[end])) end += 1;
    const tab = this.text.slice(start, end).indexOf("\t");
    if (end === this.at && tab !== -1) this.fail("a tab as indentation", start + tab);
    return this.at - start;
  }

  atMark() {
    return (this.at === 0 || this.text[this.at - 1] === "\n") && this.sees(MARK);
  }

  get over() {
    return this.at >= this.text.length || this.atMark();
  }

  /** Goes to the next content, over blanks, comments and line ends. */
  skip() {
    for (;;) {
      this.skipBlanks();
      if (this.atComment()) this.at = this.lineEnd();
      if (this.peek() !== "\n") return;
      this.at += 1;
    }
  }

  skipBlanks() {
    while (isBlank(this.peek())) this.at += 1;
  }

  atComment() {
    return this.peek() === "#" && (this.at === 0 || isGap(this.text[this.at - 1]));
  }

  lineEnd() {
    const end = this.text.indexOf("\n", this.at);
    return end === -1 ? this.text.length : end;
  }

  /** Behind a scalar or a flow collection there is nothing but a comment. */
  endLine() {
    this.skipBlanks();
    if (!isLineEnd(this.peek()) && !this.atComment()) {
      this.fail(this.peek() === ":" ? "a colon that makes no key of what is before it" : "more text than one value");
    }
    this.skip();
  }

  deeper(read) {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) this.fail(`more than ${MAX_DEPTH} levels`);
    const value = read();
    this.depth -= 1;
    return value;
  }

  // Block collections. Each of these leaves the reader at the next content.

  /** What stands behind a dash, a colon or a mark, on the same line or below it. */
  contentBehind(column, sign) {
    const start = this.at;
    this.skipBlanks();
    if (sign !== "start" && !isLineEnd(this.peek()) && !this.atComment()) {
      const compact = sign === "-" && !this.text.slice(start, this.at).includes("\t");
      return this.node(column, compact);
    }
    this.skip();
    if (this.over) return null;
    const here = this.column();
    // The items of a list may stand as far left as its key.
    const hanging = sign === ":" && here === column && this.sees(this.entry);
    return here > column || hanging ? this.node(column, true) : null;
  }

  node(indent, mayBeCollection) {
    if (mayBeCollection) {
      const column = this.column();
      if (this.sees(this.entry)) return this.deeper(() => this.sequence(column));
      if (this.seesKey()) return this.deeper(() => this.mapping(column));
    }
    if (this.peek() === "|" || this.peek() === ">") return this.blockScalar(indent);
    const value = this.scalarOrFlow(indent);
    this.endLine();
    return value;
  }

  scalarOrFlow(indent) {
    const char = this.peek();
    if (char === "{" || char === "[") return this.flow();
    if (char === '"' || char === "'") return this.quoted(indent);
    return wordOf(this.plain(indent, false), (message) => this.fail(message));
  }

  sequence(column) {
    const list = [];
    do {
      this.take(this.entry);
      list.push(this.contentBehind(column, "-"));
    } while (!this.over && this.column() === column && this.sees(this.entry));
    return list;
  }

  seesKey() {
    if (this.sees(QUOTED_KEY)) return true;
    if (!this.mayStartPlain(false)) return false;
    const end = this.plainEnd(this.at, false);
    let colon = end;
    while (isBlank(this.text[colon])) colon += 1;
    return this.text[colon] === ":" && end > this.at && isGap(this.text[colon + 1]);
  }

  mapping(column) {
    const mapping = Object.create(null);
    for (;;) {
      const start = this.at;
      if (!this.seesKey()) {
        this.refuseStart(false);
        this.fail("a line that is not `key: value`");
      }
      const key = this.key(false);
      this.skipBlanks();
      this.at += 1;
      this.put(mapping, key, start, () => this.contentBehind(column, ":"));
      if (this.over) return mapping;
      const here = this.column();
      if (here < column) return mapping;
      if (here > column) this.fail("a line that is indented unlike those before it");
    }
  }

  key(inFlow) {
    const char = this.peek();
    if (char === '"' || char === "'") return this.quoted(-1);
    this.refuseStart(inFlow);
    const start = this.at;
    this.at = this.plainEnd(start, inFlow);
    const key = this.text.slice(start, this.at);
    if (key === "<<") this.fail("a merge key", start);
    return key;
  }

  put(mapping, key, at, read) {
    if (Object.hasOwn(mapping, key)) this.fail("a key that stands twice", at);
    mapping[key] = null;
    mapping[key] = read();
  }

  // Flow collections.

  flow() {
    return this.deeper(() => (this.peek() === "[" ? this.flowSequence() : this.flowMapping()));
  }

  flowSequence() {
    const open = this.at;
    const list = [];
    this.at += 1;
    for (this.skip(); this.peek() !== "]"; this.skip()) {
      if (this.over) this.fail("a bracket that is never closed", open);
      const start = this.at;
      const { value, key } = this.flowPart();
      this.skipBlanks();
      if (this.peek() === ":" && key !== undefined) {
        const pair = Object.create(null);
        this.put(pair, key, start, () => this.flowValue());
        list.push(pair);
      } else {
        list.push(value);
      }
      this.flowComma("]");
    }
    this.at += 1;
    return list;
  }

  flowMapping() {
    const open = this.at;
    const mapping = Object.create(null);
    this.at += 1;
    for (this.skip(); this.peek() !== "}"; this.skip()) {
      if (this.over) this.fail("a brace that is never closed", open);
      const start = this.at;
      const { key } = this.flowPart();
      if (key === undefined) this.fail("a key that is not a text", start);
      this.skip();
      this.put(mapping, key, start, () => (this.peek() === ":" ? this.flowValue() : null));
      this.flowComma("}");
    }
    this.at += 1;
    return mapping;
  }

  flowComma(close) {
    this.skip();
    if (this.peek() === ",") this.at += 1;
    else if (this.peek() !== close) this.fail(this.over ? `no ${close}` : `neither a comma nor ${close}`);
  }

  /** Behind a colon. */
  flowValue() {
    this.at += 1;
    this.skip();
    const char = this.peek();
    return char === "," || char === "]" || char === "}" ? null : this.flowPart().value;
  }

  /** A value and, where it is a scalar, the key that it would be. */
  flowPart() {
    if (this.over) this.fail("the text ends inside brackets");
    const char = this.peek();
    if (char === "[" || char === "{") return { value: this.flow() };
    if (char === '"' || char === "'") {
      const text = this.quoted(-1);
      return { value: text, key: text };
    }
    const start = this.at;
    const text = this.plain(-1, true);
    this.skipBlanks();
    if (text === "<<" && this.peek() === ":") this.fail("a merge key", start);
    return { value: wordOf(text, (message) => this.fail(message, start)), key: text };
  }

  // Scalars.

  mayStartPlain(inFlow) {
    const char = this.peek();
    if (isGap(char) || ",[]{}#&*!|>'\"%@`".includes(char)) return false;
    const next = this.peek(1);
    return !"-?:".includes(char) || !(isGap(next) || (inFlow && isFlowMark(next)));
  }

  refuseStart(inFlow) {
    if (this.mayStartPlain(inFlow)) return;
    const names = { "&": "an anchor", "*": "an alias", "!": "a tag", "?": "a key in long form", ":": "a key that is empty" };
    const char = this.peek();
    this.fail(Object.hasOwn(names, char) ? `${names[char]} is not read here` : "no value begins with this character");
  }

  /** Where the plain text of this line ends. */
  plainEnd(start, inFlow) {
    const { text } = this;
    let end = start;
    for (let at = start; !isLineEnd(text[at]); at += 1) {
      const char = text[at];
      if (isBlank(char)) continue;
      if (char === "#" && at > start && isBlank(text[at - 1])) break;
      if (char === ":" && (isGap(text[at + 1]) || (inFlow && isFlowMark(text[at + 1])))) break;
      if (inFlow && isFlowMark(char)) break;
      end = at + 1;
    }
    return end;
  }

  /** A plain text, which may go on in lines that are indented more than `indent`. */
  plain(indent, inFlow) {
    this.refuseStart(inFlow);
    const parts = [];
    for (;;) {
      const end = this.plainEnd(this.at, inFlow);
      parts.push(this.text.slice(this.at, end));
      this.at = end;
      const next = this.nextLine(indent);
      if (next === null || this.plainEnd(next.at, inFlow) === next.at) return parts.join("");
      parts.push(folded(next.breaks));
      this.at = next.at;
    }
  }

  /** The line that a plain text goes on in. */
  nextLine(indent) {
    const { text } = this;
    let at = this.at;
    while (isBlank(text[at])) at += 1;
    let breaks = 0;
    let spaces = 0;
    while (text[at] === "\n") {
      breaks += 1;
      at += 1;
      const start = at;
      while (text[at] === " ") at += 1;
      spaces = at - start;
      while (isBlank(text[at])) at += 1;
    }
    if (breaks === 0 || at >= text.length || spaces <= indent || text[at] === "#") return null;
    MARK.lastIndex = at;
    return text[at - 1] === "\n" && MARK.test(text) ? null : { at, breaks };
  }

  quoted(indent) {
    const quote = this.peek();
    const open = this.at;
    const stops = quote === '"' ? /["\\\n]/g : /['\n]/g;
    const parts = [];
    this.at += 1;
    for (;;) {
      stops.lastIndex = this.at;
      const stop = stops.exec(this.text);
      if (stop === null) this.fail("a quote that is never closed", open);
      const part = this.text.slice(this.at, stop.index);
      this.at = stop.index;
      if (stop[0] === "\n") {
        parts.push(withoutBlanksAtEnd(part), folded(this.lineBreaks(indent, open)));
      } else if (stop[0] === "\\") {
        parts.push(part, this.escape(indent, open));
      } else if (quote === "'" && this.peek(1) === "'") {
        parts.push(part, "'");
        this.at += 2;
      } else {
        this.at += 1;
        return parts.join("") + part;
      }
    }
  }

  lineBreaks(indent, open) {
    let breaks = 0;
    while (this.peek() === "\n") {
      breaks += 1;
      this.at += 1;
      const start = this.at;
      if (this.atMark()) this.fail("a quote that is never closed", open);
      while (this.peek() === " ") this.at += 1;
      const spaces = this.at - start;
      this.skipBlanks();
      if (!isLineEnd(this.peek()) && spaces <= indent) this.fail("a line of a quoted text that is not indented");
    }
    return breaks;
  }

  escape(indent, open) {
    const start = this.at;
    const char = this.peek(1);
    this.at += 1;
    if (char === "\n") return "\n".repeat(this.lineBreaks(indent, open) - 1);
    this.at += 1;
    if (ESCAPES.has(char)) return ESCAPES.get(char);
    if (char === undefined || !Object.hasOwn(ESCAPE_DIGITS, char)) this.fail("an unknown escape", start);
    let code = this.hexDigits(ESCAPE_DIGITS[char], start);
    if (code >= 0xd800 && code < 0xdc00 && this.peek() === "\\" && this.peek(1) === "u") {
      this.at += 2;
      const low = this.hexDigits(4, start);
      if (low >= 0xdc00 && low < 0xe000) code = 0x10000 + (code - 0xd800) * 0x400 + (low - 0xdc00);
    }
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) this.fail("an escape that is no character", start);
    return String.fromCodePoint(code);
  }

  hexDigits(count, start) {
    const digits = this.text.slice(this.at, this.at + count);
    if (!/^[0-9A-Fa-f]+$/.test(digits) || digits.length !== count) this.fail("an escape without its digits", start);
    this.at += count;
    return Number.parseInt(digits, 16);
  }

  blockScalar(indent) {
    const start = this.at;
    const header = this.take(BLOCK_HEADER);
    if (header === null) this.fail("no head of a block of text");
    this.skipBlanks();
    if (!isLineEnd(this.peek()) && !this.atComment()) this.fail("text on the line that opens a block of text");
    this.at = Math.min(this.lineEnd() + 1, this.text.length);

    const digit = Number(/\d/.exec(header[1])?.[0] ?? 0);
    const lines = this.blockLines(indent, digit === 0 ? null : Math.max(indent, 0) + digit, start);
    const ended = this.text[this.at - 1] === "\n";
    this.skip();
    let empty = 0;
    while (lines.at(-1) === "") {
      lines.pop();
      empty += 1;
    }
    const body = header[0][0] === "|" ? lines.join("\n") : foldLines(lines);
    if (header[1].includes("-")) return body;
    if (header[1].includes("+")) return body + "\n".repeat(empty + (lines.length > 0 && (ended || empty > 0) ? 1 : 0));
    return lines.length > 0 && (ended || empty > 0) ? `${body}\n` : body;
  }

  blockLines(indent, declared, start) {
    const lines = [];
    let width = declared;
    let widest = 0;
    while (this.at < this.text.length && !(indent < 0 && this.atMark())) {
      const end = this.lineEnd();
      let content = this.at;
      while (this.text[content] === " ") content += 1;
      const spaces = content - this.at;
      if (content < end) {
        if (width === null) {
          if (spaces <= indent) break;
          if (widest > spaces) this.fail("a block of text whose first line is indented less than an empty one", start);
          width = spaces;
        }
        if (spaces < width) break;
      } else if (width === null) {
        widest = Math.max(widest, spaces);
      }
      lines.push(width === null ? "" : this.text.slice(Math.min(this.at + width, end), end));
      this.at = Math.min(end + 1, this.text.length);
    }
    return lines;
  }
}

/** One line end is a blank; of several, one is dropped. */
function folded(breaks) {
  return breaks === 1 ? " " : "\n".repeat(breaks - 1);
}

function foldLines(lines) {
  let text = "";
  let breaks = 0;
  let before = null;
  for (const line of lines) {
    if (line !== "") {
      // Lines that are indented further keep their line ends.
      const kept = before === null || isBlank(before[0]) || isBlank(line[0]);
      text += (kept ? "\n".repeat(breaks) : folded(breaks)) + line;
      before = line;
      breaks = 0;
    }
    breaks += 1;
  }
  return text;
}

function withoutBlanksAtEnd(text) {
  let end = text.length;
  while (end > 0 && isBlank(text[end - 1])) end -= 1;
  return text.slice(0, end);
}

const WORDS = new Map([
  ["", null], ["~", null], ["null", null], ["Null", null], ["NULL", null],
  ["true", true], ["True", true], ["TRUE", true], ["false", false], ["False", false], ["FALSE", false],
]);
const NO_NUMBERS = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const DECIMAL = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const OCTAL = /^0o[0-7]+$/;
const HEXADECIMAL = /^0x[0-9A-Fa-f]+$/;

/** What a plain text is in the core schema: `no`, dates and times are texts. */
function wordOf(text, fail) {
  if (WORDS.has(text)) return WORDS.get(text);
  if (!/^[-+.\d]/.test(text)) return text;
  if (NO_NUMBERS.test(text)) fail("a number that is none");
  return DECIMAL.test(text) || OCTAL.test(text) || HEXADECIMAL.test(text) ? Number(text) : text;
}
