"""Reading the text of a packet: JSON, YAML, or Markdown that holds one of them or says the same under headings."""

import json
import math
import re
from typing import NamedTuple

import small_yaml
from receipts import BLANKS

MOST_CHARACTERS = 1024 * 1024
MOST_DEPTH = small_yaml.MOST_DEPTH

JSON = "application/json"
YAML = "application/yaml"
MARKDOWN = "text/markdown"
MEDIA_TYPES = (JSON, YAML, MARKDOWN)

# What makes a mapping, or the lists before the first heading, a candidate for the packet of a Markdown document.
IDS = ("observation_id", "work_slice_id")
FENCE_TYPES = {"yaml": YAML, "yml": YAML, "json": JSON}

MAPPING_SECTIONS = ("skill", "result", "handoff", "recovery", "metrics")
LIST_SECTIONS = ("evidence_used", "risks", "source_refs")


class Unreadable(Exception):
    """`at` is the line and column, from 1, of an error that has a place."""

    def __init__(self, message, line=None, column=1):
        super().__init__(message)
        self.at = None if line is None else {"line": line, "column": column}


def read(document, media_type, top_level):
    """The value that a document holds. `top_level`: the folded keys that count before the first heading in Markdown."""
    if len(document) > MOST_CHARACTERS:
        raise Unreadable("the document is too long")
    document = document.replace("\r\n", "\n")
    if document.startswith("\ufeff"):
        document = document[1:]
    if media_type == MARKDOWN:
        return read_markdown(document.split("\n"), top_level)
    return read_json(document) if media_type == JSON else read_yaml(document)


def fold(name):
    """A key or heading without what people spell in different ways."""
    return re.sub(f"[-_{BLANKS}]", "", name).casefold()


def read_yaml(text):
    try:
        return small_yaml.read(text)
    except small_yaml.YamlError as error:
        raise Unreadable(str(error), error.line, error.column) from None


def read_json(text):
    try:
        value = json.loads(
            text, object_pairs_hook=unique, parse_int=whole, parse_float=finite, parse_constant=finite
        )
        if is_deeper(value, MOST_DEPTH):
            raise Unreadable("nested too deeply")
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        raise Unreadable("not readable as JSON", error.lineno, error.colno) from None
    except UnicodeEncodeError:
        raise Unreadable("a text holds half of a surrogate pair") from None
    except RecursionError:
        raise Unreadable("nested too deeply") from None
    return value


def is_deeper(value, depth):
    level = [value]
    for _ in range(depth):
        children = (item.values() if isinstance(item, dict) else item for item in level if is_nest(item))
        level = [child for items in children for child in items if is_nest(child)]
    return bool(level)


def is_nest(value):
    return isinstance(value, (dict, list))


def unique(pairs):
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise Unreadable("a key is given twice")
    return fields


def finite(literal):
    number = float(literal)
    if not math.isfinite(number):
        raise Unreadable("a number is not finite")
    return number


def whole(literal):
    finite(literal)
    return int(literal)


# Markdown. Of its blocks only those are told apart that matter here.

INDENT = r" {0,3}"
FENCE = re.compile(INDENT + r"(?:(`{3,})([^`]*)|(~{3,})(.*))")
HEADING = re.compile(INDENT + r"(#{1,6})(?:[ \t](.*))?")
BREAK = re.compile(INDENT + r"(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})")
UNDERLINE = re.compile(INDENT + r"(?:=+|-+)[ \t]*")
QUOTE = re.compile(INDENT + r">")
COMMENT = re.compile(INDENT + r"<!--")
ITEM = re.compile(r"( {0,3})([-*+]|\d{1,9}[.)])(?:([ \t]+)(.*)|)", re.ASCII)

NESTED_ITEM = re.compile(r"^( *)([*+]|\d{1,9}[.)])(?= |\Z)", re.ASCII)
OPENS_BLOCK_TEXT = re.compile(r"(?:^|[:-][ \t])[ \t]{0,80}[|>][-+1-9]{0,2}(?:[ \t]{0,80}|[ \t]{1,80}#.*)\Z")


class Block(NamedTuple):
    kind: str  # heading, break, fence, list, paragraph or prose
    first: int  # the index of its first line
    lines: list
    level: int = 0
    text: str = ""


class Line(NamedTuple):
    """A line of YAML, the index of the Markdown line that it comes from, and how many characters that had before it."""

    text: str
    index: int
    removed: int


def read_markdown(lines, top_level):
    candidates, first = [], 0
    if lines[0] == "---" and "---" in lines[1:]:
        first = lines.index("---", 1) + 1
        candidates += mapping_with_id("\n".join(lines[1 : first - 1]), YAML)
    blocks = read_blocks(lines, first)
    for block in blocks:
        if block.kind == "fence" and block.text in FENCE_TYPES:
            candidates += mapping_with_id("\n".join(block.lines), FENCE_TYPES[block.text])

    headings = [index for index, block in enumerate(blocks) if known_section(block)]
    headed = bool(headings) and any(
        small_yaml.key_of(rest) in IDS
        for block in blocks[: headings[0]]
        if block.kind == "list"
        for _, _, rest in items_of(block)
    )
    if len(candidates) + headed != 1:
        raise Unreadable("there is more than one packet" if candidates else "there is no packet")
    if candidates:
        return candidates[0]
    return read_headed(blocks[: headings[0]], blocks[headings[0] :], top_level)


def mapping_with_id(text, media_type):
    try:
        value = read_json(text) if media_type == JSON else read_yaml(text)
    except Unreadable:
        return []
    return [value] if isinstance(value, dict) and any(key in value for key in IDS) else []


def indent_of(line):
    return len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4))


def is_blank(line):
    return not line.strip(" \t")


def read_blocks(lines, index):
    blocks = []
    while index < len(lines):
        first, line = index, lines[index]
        index += 1
        fence, heading = FENCE.fullmatch(line), HEADING.fullmatch(line)
        if is_blank(line):
            continue
        if indent_of(line) >= 4:
            blocks.append(Block("prose", first, [line]))
        elif fence:
            close = re.compile(rf"{INDENT}{(fence[1] or fence[3])[0]}{{{len(fence[1] or fence[3])},}}[ \t]*")
            while index < len(lines) and not close.fullmatch(lines[index]):
                index += 1
            content = [without_indent(inner, indent_of(line)) for inner in lines[first + 1 : index]]
            blocks.append(Block("fence", first, content, text=(fence[2] or fence[4] or "").strip(" \t")))
            index += 1
        elif heading:
            text = re.sub(r"(?:^|[ \t])#+$", "", (heading[2] or "").strip(" \t")).strip(" \t")
            blocks.append(Block("heading", first, [line], len(heading[1]), text))
        elif BREAK.fullmatch(line):
            blocks.append(Block("break", first, [line]))
        elif COMMENT.match(line):
            while index <= len(lines) and "-->" not in lines[index - 1]:
                index += 1
            blocks.append(Block("prose", first, lines[first:index]))
        elif QUOTE.match(line):
            while index < len(lines) and (QUOTE.match(lines[index]) or continues_quote(lines, index)):
                index += 1
            blocks.append(Block("prose", first, lines[first:index]))
        elif ITEM.fullmatch(line):
            index = end_of_list(lines, first)
            blocks.append(Block("list", first, lines[first:index]))
        else:
            while index < len(lines) and goes_on(lines[index]) and not UNDERLINE.fullmatch(lines[index]):
                index += 1
            kind = "paragraph"
            if index < len(lines) and UNDERLINE.fullmatch(lines[index]):
                kind, index = "prose", index + 1
            blocks.append(Block(kind, first, lines[first:index]))
    return blocks


def without_indent(line, most):
    return line[min(most, len(line) - len(line.lstrip(" "))) :]


def continues_quote(lines, index):
    """Whether a line without its own `>` still belongs to the paragraph that is quoted above it."""
    return goes_on(lines[index]) and not ITEM.fullmatch(lines[index]) and lines[index - 1].strip("> \t") != ""


def goes_on(line):
    """Whether a line can be a further line of a paragraph."""
    item = ITEM.fullmatch(line)
    return not (
        is_blank(line)
        or FENCE.fullmatch(line)
        or HEADING.fullmatch(line)
        or BREAK.fullmatch(line)
        or QUOTE.match(line)
        or COMMENT.match(line)
        # A number in running text happens to begin a line now and then. Only 1 begins a list there.
        or (item and item[4] and (item[2] in "-*+" or item[2][:-1] == "1"))
    )


def end_of_list(lines, index):
    end, offset, after_blank = index + 1, width_of(ITEM.fullmatch(lines[index])), False
    for index in range(end, len(lines)):
        line = lines[index]
        if is_blank(line):
            after_blank = True
            continue
        if indent_of(line) < offset:
            item = None if BREAK.fullmatch(line) else ITEM.fullmatch(line)
            if item:
                offset = width_of(item)
            elif after_blank or not goes_on(line):
                break
        end, after_blank = index + 1, False
    return end


def width_of(item):
    """How much the further lines of an item are indented at least."""
    marker = len(item[1] + item[2])
    if not item[4]:
        return marker + 1
    width = len((item[1] + item[2] + item[3]).expandtabs(4))
    return width if width - marker <= 4 else marker + 1


def known_section(block):
    """The key of the packet that a heading stands for, or None."""
    if block.kind == "heading" and block.level == 2:
        for key in MAPPING_SECTIONS + LIST_SECTIONS:
            if fold(block.text) == fold(key):
                return key
    return None


# A packet under headings. Its lists become YAML, line by line, so that an error keeps its place.


def items_of(block):
    """The items of a list: their matches, the lines below with their indexes, and what stands behind the marker."""
    items, offset = [], 0
    for index, line in enumerate(block.lines, block.first):
        item = ITEM.fullmatch(line)
        if item and (not items or indent_of(line) < offset):
            offset = width_of(item)
            items.append((item, [(index, line)], item[4] or ""))
        else:
            items[-1][1].append((index, line))
    return items


def yaml_lines(item, lines, keep_marker):
    """The lines of one item, without its marker or with `-` for it."""
    width = width_of(item)
    lead = len(item[1])
    rest = item[4] or ""
    removed = item.start(4) if item[4] else width
    index = lines[0][0]
    if keep_marker:
        # As wide as the marker was, for the sake of the lines below.
        yield Line("-" + " " * (width - lead - 1) + rest, index, removed - (width - lead))
    else:
        yield Line(rest, index, removed)

    dedent = lead if keep_marker else width
    # Lines that are indented more than this belong to a block of text, and what looks like a marker there is none.
    text_of = None
    if OPENS_BLOCK_TEXT.search(rest):
        text_of = lead if small_yaml.key_of(rest) is None else width
    for index, line in lines[1:]:
        if is_blank(line):
            yield Line("", index, 0)
            continue
        indent = indent_of(line)
        if "\t" in line[:width]:
            raise Unreadable("a tab is no indentation", index + 1, line.index("\t") + 1)
        if indent < width:
            raise Unreadable("this line is indented too little for the item that it is part of", index + 1)
        if text_of is None or indent <= text_of:
            line = NESTED_ITEM.sub(lambda nested: nested[1] + "-".ljust(len(nested[2])), line)
            text_of = indent if OPENS_BLOCK_TEXT.search(line) else None
        yield Line(line[dedent:], index, dedent)


def read_lines(lines):
    """What lines of YAML say together."""
    try:
        return small_yaml.read("\n".join(line.text for line in lines))
    except small_yaml.YamlError as error:
        line = lines[min(error.line, len(lines)) - 1]
        raise Unreadable(str(error), line.index + 1, line.removed + error.column) from None


def read_mapping(items):
    lines = []
    for item, item_lines, rest in items:
        if small_yaml.key_of(rest) is None:
            raise Unreadable("an item here is `key: value`", item_lines[0][0] + 1, item.start(2) + 1)
        lines += yaml_lines(item, item_lines, keep_marker=False)
    return read_lines(lines)


def read_headed(preamble, blocks, top_level):
    items = [item for item in items_in(preamble) if fold(small_yaml.key_of(item[2]) or "") in top_level]
    packet = {key: value for key, value in read_mapping(items).items() if fold(key) in top_level}
    seen, index = set(), 0
    while index < len(blocks) and blocks[index].kind == "heading" and blocks[index].level == 2:
        heading, body = blocks[index], []
        index += 1
        while index < len(blocks) and not ends_section(blocks[index]):
            body.append(blocks[index])
            index += 1
        key = known_section(heading)
        if key is None:
            key, section = fold(heading.text), read_other_section(body)
            if section is None:
                break
        elif key in LIST_SECTIONS:
            section = read_list_section(body)
        else:
            section = read_mapping(items_in(body))
        if key in seen or (section is not None and key in packet):
            raise Unreadable("a section is given twice", heading.first + 1)
        seen.add(key)
        if section is not None:
            packet[key] = section
    return packet


def items_in(blocks):
    return [item for block in blocks if block.kind == "list" for item in items_of(block)]


def ends_section(block):
    return block.kind == "break" or (block.kind == "heading" and block.level <= 2)


def read_list_section(body):
    """The one sequence below a heading, or None: a list, however often it is interrupted, or a paragraph in brackets."""
    lines = [line for item, item_lines, _ in items_in(body) for line in yaml_lines(item, item_lines, keep_marker=True)]
    found = [read_lines(lines)] if lines else []
    for block in body:
        if block.kind == "paragraph" and block.lines[0].lstrip(" ").startswith("["):
            try:
                value = read_yaml("\n".join(block.lines))
            except Unreadable:
                continue
            if isinstance(value, list):
                found.append(value)
                if len(found) > 1:
                    raise Unreadable("a second sequence stands under one heading", block.first + 1)
    return found[0] if found else None


def read_other_section(body):
    """What stands below a heading that is none of a packet's, if it is nothing but `key: value` items."""
    if not body or any(block.kind != "list" for block in body):
        return None
    try:
        return read_mapping(items_in(body))
    except Unreadable:
        return None
