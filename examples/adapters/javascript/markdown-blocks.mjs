// The blocks of a page, as CommonMark has them. Only the outermost ones are told; what is
// inside quotes and items matters for where these end.

/** Deeper quotes and items are taken for text. */
const MAX_CONTAINERS = 32;

const ITEM = /^([-+*]|\d{1,9}[.)])(?= |$)/;
const HTML = [
  [/^<(?:script|pre|style|textarea)(?=[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![A-Za-z]/, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [
    new RegExp(
      "^</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset"
        + "|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes"
        + "|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?=\\s|/?>|$)",
      "i",
    ),
    null,
  ],
];
/** A line that is a tag of any other name. It does not end a paragraph. */
const TAG =
  /^<(?:[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?|\/[A-Za-z][A-Za-z0-9-]*\s*)>\s*$/;
const MAX_TAG_LENGTH = 500;

/** Each block has its type, and its first and last line, counted from 0. */
export function blocksOf(lines, first) {
  const blocks = [];
  let containers = [];
  // The innermost open block that may go on: a paragraph, a fence, or HTML.
  let leaf = null;

  for (let index = first; index < lines.length; index += 1) {
    const line = withoutTabs(lines[index]);
    let { rest, matched } = enter(line, containers);
    const all = matched === containers.length;
    const goOn = () => {
      if (containers.length > 0 || leaf !== null) blocks.at(-1).end = index;
    };

    if (all && leaf?.type === "fence") {
      if (closesFence(rest, leaf)) leaf = null;
      else if (containers.length === 0) blocks.at(-1).content.push(withoutIndent(lines[index], leaf.indent));
      blocks.at(-1).end = index;
      continue;
    }
    if (all && leaf?.type === "html") {
      goOn();
      if (leaf.end === null ? rest.trim() === "" : leaf.end.test(rest)) leaf = null;
      continue;
    }
    if (rest.trim() === "") {
      containers = containers.slice(0, matched);
      leaf = null;
      goOn();
      continue;
    }

    const open = containers.slice(0, matched);
    const isParagraph = leaf?.type === "paragraph";
    let fresh = false;
    /** Something begins inside what is open now, so all else is closed. */
    const begin = (block) => {
      if (open.length === 0) blocks.push({ start: index, end: index, ...block });
      else blocks.at(-1).end = index;
      containers = open;
      fresh = true;
      leaf = null;
    };

    for (;;) {
      const indent = indentOf(rest);
      const inParagraph = isParagraph && all && !fresh;
      const text = rest.slice(indent);
      if (text === "") break;
      if (indent >= 4) {
        if (isParagraph && !fresh) goOn();
        else begin({ type: "code" });
        break;
      }
      if (text[0] === ">" && open.length < MAX_CONTAINERS) {
        begin({ type: "quote" });
        open.push({ isQuote: true });
        rest = text.slice(text[1] === " " ? 2 : 1);
        continue;
      }
      const level = headingLevel(text);
      if (level > 0) {
        begin({ type: "heading", level, text: headingText(text.slice(level)) });
        break;
      }
      const fence = /^(`{3,}|~{3,})/.exec(text);
      if (fence !== null && !(text[0] === "`" && text.includes("`", fence[0].length))) {
        begin({ type: "fence", info: text.slice(fence[0].length).trim(), indent, content: [] });
        leaf = { type: "fence", mark: fence[0], indent };
        break;
      }
      const html = text[0] === "<" ? htmlOf(text, isParagraph && !fresh) : undefined;
      if (html !== undefined) {
        begin({ type: "html" });
        if (html.end === null || !html.end.test(text)) leaf = { type: "html", end: html.end };
        break;
      }
      if (inParagraph && /^(?:=+|-+)$/.test(text.trimEnd())) {
        // A line under a paragraph makes a heading of it, which is prose here.
        goOn();
        if (containers.length === 0) blocks.at(-1).type = "underlined";
        leaf = null;
        break;
      }
      if (isBreak(text)) {
        begin({ type: "break" });
        break;
      }
      const item = open.length < MAX_CONTAINERS ? itemOf(text, inParagraph) : null;
      if (item !== null) {
        begin({ type: "item", column: indent + item.width, content: open.length === 0 ? afterMark(lines[index]) : "" });
        open.push({ width: indent + item.width, isEmpty: item.content === "" });
        rest = item.content;
        continue;
      }
      if (isParagraph && !fresh) {
        // A paragraph goes on, if need be without the marks of what it is in.
        goOn();
      } else {
        begin({ type: "paragraph" });
        leaf = { type: "paragraph" };
      }
      break;
    }
    for (const container of containers) container.isEmpty &&= rest.trim() === "";
  }
  return blocks;
}

/** How many of the open containers a line belongs to, and what is left of it inside of them. */
function enter(line, containers) {
  let rest = line;
  let matched = 0;
  for (const container of containers) {
    const indent = indentOf(rest);
    const isEmpty = indent === rest.length;
    if (container.isQuote) {
      if (indent > 3 || rest[indent] !== ">") break;
      rest = rest.slice(indent + (rest[indent + 1] === " " ? 2 : 1));
    } else if (isEmpty ? container.isEmpty : indent < container.width) {
      break;
    } else {
      rest = rest.slice(container.width);
    }
    matched += 1;
  }
  return { rest, matched };
}

function indentOf(line) {
  let indent = 0;
  while (line[indent] === " ") indent += 1;
  return indent;
}

/** Tabs lead to the next column that is a multiple of four. */
function withoutTabs(line) {
  if (!line.includes("\t")) return line;
  let text = "";
  for (const part of line.split("\t")) text += part + " ".repeat(4 - ((text.length + part.length) % 4));
  return text.trimEnd();
}

function withoutIndent(line, most) {
  return line.slice(Math.min(most, indentOf(line)));
}

function closesFence(line, { mark }) {
  const indent = indentOf(line);
  const text = line.slice(indent).trimEnd();
  return indent < 4 && text.length >= mark.length && text === mark[0].repeat(text.length);
}

function headingLevel(text) {
  const marks = /^#{1,6}(?= |$)/.exec(text);
  return marks === null ? 0 : marks[0].length;
}

/** The text of a heading, without the number signs that may close it. */
function headingText(text) {
  const trimmed = text.trim();
  let end = trimmed.length;
  while (trimmed[end - 1] === "#") end -= 1;
  return end === 0 || trimmed[end - 1] === " " ? trimmed.slice(0, end).trimEnd() : trimmed;
}

function isBreak(text) {
  return "*-_".includes(text[0]) && /^(?:\*{3,}|-{3,}|_{3,})$/.test(text.replaceAll(" ", ""));
}

/** The HTML that begins here, and what ends it: a pattern, or null for an empty line. */
function htmlOf(text, inParagraph) {
  const known = HTML.find(([start]) => start.test(text));
  if (known !== undefined) return { end: known[1] };
  return !inParagraph && text.length <= MAX_TAG_LENGTH && TAG.test(text) ? { end: null } : undefined;
}

function itemOf(text, inParagraph) {
  const mark = ITEM.exec(text)?.[1];
  if (mark === undefined) return null;
  const behind = text.slice(mark.length);
  const content = behind.trimStart();
  if (inParagraph && (content === "" || (/\d/.test(mark) && Number.parseInt(mark, 10) !== 1))) return null;
  const blanks = behind.length - content.length;
  const isCode = content === "" || blanks > 4;
  const width = mark.length + (isCode ? 1 : blanks);
  return { width, content: isCode ? behind.slice(1).trimEnd() : content };
}

/** What a line holds behind the mark of its item. */
function afterMark(line) {
  const text = line.trimStart();
  return text.slice(ITEM.exec(text.replace("\t", " "))[1].length).trimStart();
}
