// Packets as texts: JSON and YAML documents, and pages of Markdown that hold one packet.

import { blocksOf } from "./markdown-blocks.mjs";
import { isMapping } from "./registry.mjs";
import { readJson } from "./small-json.mjs";
import { readYaml, Unreadable } from "./small-yaml.mjs";

export { Unreadable } from "./small-yaml.mjs";

const MAX_DOCUMENT_BYTES = 1024 * 1024;

const READERS = new Map([
  ["application/json", readJson],
  ["application/yaml", (text) => readYaml(text)],
  ["text/markdown", readMarkdown],
]);

export function isMediaType(name) {
  return READERS.has(name);
}

/** The packet of a document. What can't be read is `Unreadable`. */
export function readPacket(document, mediaType) {
  if (Buffer.byteLength(document) > MAX_DOCUMENT_BYTES) {
    throw new Unreadable(`more than ${MAX_DOCUMENT_BYTES} bytes`);
  }
  const packet = READERS.get(mediaType)(document);
  if (!isMapping(packet)) throw new Unreadable("a packet is a mapping");
  return packet;
}

// Markdown: a page holds a packet as front matter, as a fenced block, or under headings.

const SECTIONS = new Map([
  ["skill", { key: "skill", isList: false }],
  ["result", { key: "result", isList: false }],
  ["evidenceused", { key: "evidence_used", isList: true }],
  ["risks", { key: "risks", isList: true }],
  ["handoff", { key: "handoff", isList: false }],
  ["recovery", { key: "recovery", isList: false }],
  ["metrics", { key: "metrics", isList: false }],
  ["sourcerefs", { key: "source_refs", isList: true }],
]);

/** Keys that claim an authority which no packet has, folded. */
export const AUTHORITY_KEYS = new Set(
  `gate gates gate_status gate_decision gate_result gate_passed approval approval_status approves approved approved_by decision
  slice_decision work_slice_decision closes close_slice closed closed_at closure blocks blocked_by restart restarts slice_status
  work_slice_status work_slice_update execution_authority`.split(/\s+/).map(folded),
);

const PREAMBLE_KEYS = new Set([
  ...["version", "observation_id", "work_slice_id"].map(folded), ...SECTIONS.keys(), ...AUTHORITY_KEYS,
]);

/** Names that differ in case, blanks, hyphens and underscores only are one. */
export function folded(name) {
  return name.toLowerCase().replace(/[-_\p{White_Space}]/gu, "");
}

function isPacket(value) {
  return isMapping(value) && (Object.hasOwn(value, "observation_id") || Object.hasOwn(value, "work_slice_id"));
}

function readMarkdown(text) {
  const lines = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n").split("\n");
  const candidates = [];
  let failure;
  // What can't be read is prose, and where there is no packet at all, its error is told.
  const consider = (first, indent, read) => {
    try {
      const packet = read();
      if (isPacket(packet)) candidates.push(() => packet);
    } catch (error) {
      failure ??= moved(error, first, indent);
    }
  };

  const frontEnd = lines[0] === "---" ? lines.indexOf("---", 1) : -1;
  if (frontEnd !== -1) consider(1, 0, () => readYaml(textOf(lines.slice(1, frontEnd))));

  const blocks = blocksOf(lines, frontEnd + 1);
  for (const block of blocks) {
    if (block.type !== "fence" || !["yaml", "yml", "json"].includes(block.info)) continue;
    const content = textOf(block.content);
    consider(block.start + 1, block.indent, () => (block.info === "json" ? readJson(content) : readYaml(content)));
  }
  const page = new HeadedPage(blocks, lines);
  if (page.isPacket) candidates.push(() => page.packet());

  if (candidates.length > 1) throw new Unreadable("the page holds more than one packet");
  if (candidates.length === 0) throw failure ?? new Unreadable("the page holds no packet");
  return candidates[0]();
}

function textOf(lines) {
  return lines.map((line) => `${line}\n`).join("");
}

/** An error in a part of a page, with its place on the page. */
function moved(error, lines, columns = 0) {
  if (!(error instanceof Unreadable)) throw error;
  const at = error.at && { line: error.at.line + lines, column: error.at.column + columns };
  return new Unreadable(error.message, at);
}

/** A packet whose sections stand under headings of level 2. */
class HeadedPage {
  #lines;
  #preamble = [];
  #sections = [];

  constructor(blocks, lines) {
    this.#lines = lines;
    const firstKnown = blocks.findIndex((block) => isSectionHeading(block));
    if (firstKnown === -1) return;
    for (const block of blocks.slice(0, firstKnown)) {
      if (block.type === "item") this.#readPreambleItem(block);
    }
    this.#readSections(blocks.slice(firstKnown));
  }

  get isPacket() {
    return this.#preamble.some(({ key }) => key === "observation_id" || key === "work_slice_id");
  }

  packet() {
    const packet = Object.create(null);
    const put = (key, value, line) => {
      if (Object.hasOwn(packet, key)) throw new Unreadable("a key or section that stands twice", { line: line + 1, column: 1 });
      packet[key] = value;
    };
    for (const { key, value, error, line } of this.#preamble) {
      if (error !== undefined) throw error;
      put(key, value, line);
    }
    for (const section of this.#sections) {
      put(section.key, section.isList ? this.#list(section) : this.#mapping(section), section.line);
    }
    return packet;
  }

  /** Items with the keys of a packet are its keys, and all others are prose. */
  #readPreambleItem(item) {
    const isKey = (key) => PREAMBLE_KEYS.has(folded(key));
    try {
      const value = this.#item(item);
      if (!isMapping(value)) return;
      for (const key of Object.keys(value).filter(isKey)) {
        this.#preamble.push({ key, value: value[key], line: item.start });
      }
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      const content = item.content.slice(0, 100);
      const key = content.slice(0, content.indexOf(":") + 1).replace(/^["']|["']?\s{0,9}:$/g, "");
      if (isKey(key)) this.#preamble.push({ key, error, line: item.start });
    }
  }

  #readSections(blocks) {
    let section = null;
    for (const [index, block] of blocks.entries()) {
      if (block.type === "break" || (block.type === "heading" && block.level === 1)) return;
      if (block.type === "heading" && block.level === 2) {
        const known = SECTIONS.get(folded(block.text));
        section = known === undefined ? this.#otherSection(blocks, index) : { ...known, blocks: [] };
        if (section === null) return;
        section.line = block.start;
        this.#sections.push(section);
      } else {
        section.blocks.push(block);
      }
    }
  }

  /** A section of another name belongs to the packet when it is nothing but `key: value` items. */
  #otherSection(blocks, index) {
    const body = [];
    for (let next = index + 1; next < blocks.length && !endsSection(blocks[next]); next += 1) body.push(blocks[next]);
    const isPair = (block) => {
      try {
        return block.type === "item" && isMapping(this.#item(block));
      } catch (error) {
        if (error instanceof Unreadable) return false;
        throw error;
      }
    };
    return body.length > 0 && body.every(isPair) ? { key: folded(blocks[index].text), isList: false, blocks: [] } : null;
  }

  #mapping({ blocks }) {
    const items = blocks.filter((block) => block.type === "item");
    if (items.length === 0) return null;
    const mapping = Object.create(null);
    for (const item of items) {
      const at = { line: item.start + 1, column: 1 };
      const value = this.#item(item);
      if (!isMapping(value)) throw new Unreadable("a list line that is not `key: value`", at);
      for (const key of Object.keys(value)) {
        if (Object.hasOwn(mapping, key)) throw new Unreadable("a key that stands twice", at);
        mapping[key] = value[key];
      }
    }
    return mapping;
  }

  #list({ blocks }) {
    const items = blocks.filter((block) => block.type === "item");
    if (items.length > 0) return items.map((item) => this.#item(item));
    for (const { type, start, end } of blocks) {
      const text = this.#lines.slice(start, end + 1).join("\n");
      if (type !== "paragraph" || !text.trimStart().startsWith("[")) continue;
      try {
        const list = readYaml(text);
        if (Array.isArray(list)) return list;
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
      }
    }
    return null;
  }

  /** What stands behind the mark of an item, read as YAML in its place. */
  #item({ start, end, column, content }) {
    const text = textOf([" ".repeat(column) + content, ...this.#lines.slice(start + 1, end + 1)]);
    try {
      return readYaml(text, { bullets: true });
    } catch (error) {
      throw moved(error, start);
    }
  }
}

function endsSection(block) {
  return block.type === "break" || (block.type === "heading" && block.level <= 2);
}

function isSectionHeading(block) {
  return block.type === "heading" && block.level === 2 && SECTIONS.has(folded(block.text));
}
