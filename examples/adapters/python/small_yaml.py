"""A strict reader of the YAML 1.2 that packets are written in: mappings, sequences and texts, and the core schema.

What lets one document be read in two ways is refused rather than guessed at: anchors, aliases, tags, merge keys, keys that
are given twice, `? ` keys, tabs as indentation, several documents, `.inf` and `.nan`.
"""

import math
import re
from bisect import bisect_right

MOST_DEPTH = 64
LONGEST_KEY = 1024

BLANKS = re.compile(r"[ \t]*")
MARKER = re.compile(r"(?:---|\.\.\.)(?=[ \t\n]|\Z)")
UNPRINTABLE = re.compile("[^\t\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# Where a plain text ends on its line, in block context and inside brackets. Blanks before it are not part of the text.
PLAIN_END = {
    False: re.compile(r":(?=[ \t\n]|\Z)|(?<=[ \t])#|\n|\Z"),
    True: re.compile(r":(?=[ \t\n,\[\]{}]|\Z)|(?<=[ \t])#|[,\[\]{}\n]|\Z"),
}
NEXT_LINE = re.compile(r"(?:[ \t]*\n)+( *)[ \t]*")

QUOTED = {
    '"': re.compile(r'"[^"\\]*(?:\\[\s\S][^"\\]*)*"'),
    "'": re.compile(r"'[^']*(?:''[^']*)*'"),
}
ESCAPE = re.compile(
    r"\\(?:\n[ \t\n]*|x[0-9A-Fa-f]{2}|u[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}"
    r"|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)"
)
ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip

BLOCK_HEADER = re.compile(r"([|>])([-+]?)([1-9]?)([-+]?)(?:[ \t]+#[^\n]*|[ \t]*)(?:\n|\Z)")

REFUSED = {
    "&": "an anchor is not allowed",
    "*": "an alias is not allowed",
    "!": "a tag is not allowed",
    "%": "a directive is not allowed here",
    "\t": "a tab is no indentation",
    "": "the text ends too early",
}

CONSTANTS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
WHOLE = re.compile(r"[-+]?[0-9]+")
OTHER_BASE = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


class YamlError(ValueError):
    def __init__(self, message, line, column):
        super().__init__(message)
        self.line = line
        self.column = column


def read(text):
    """The value of the one document in a text. Lines and columns of an error count from 1."""
    return Reader(text).document()


def key_of(line):
    """The key that a line begins with, as an entry of a mapping does, or None."""
    try:
        return Reader(line).key()
    except YamlError:
        return None


class Reader:
    def __init__(self, text):
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.text = text[1:] if text.startswith("\ufeff") else text
        self.pos = 0
        self.depth = 0
        self.blanks_of = (-1, "")
        self.line_starts = [0, *(match.end() for match in re.finditer("\n", self.text))]
        unprintable = UNPRINTABLE.search(self.text)
        if unprintable:
            self.fail("a character that is not printable", unprintable.start())

    # The place.

    def fail(self, message, pos=None):
        pos = self.pos if pos is None else pos
        line = bisect_right(self.line_starts, pos)
        raise YamlError(message, line, pos - self.line_starts[line - 1] + 1)

    def line_start(self):
        return self.line_starts[bisect_right(self.line_starts, self.pos) - 1]

    def column(self):
        return self.pos - self.line_start()

    def indentation(self):
        """What stands before the place on its line, or None where that is more than blanks."""
        start = self.line_start()
        if start != self.blanks_of[0]:
            # Remembered, because a line may begin with very many of them and go on with very many values.
            self.blanks_of = (start, BLANKS.match(self.text, start)[0])
        blanks = self.blanks_of[1]
        return blanks if start + len(blanks) == self.pos else None

    def peek(self):
        return self.text[self.pos : self.pos + 1]

    def blank_at(self, pos):
        return self.text[pos : pos + 1] in ("", " ", "\t", "\n")

    def at_dash(self):
        return self.peek() == "-" and self.blank_at(self.pos + 1)

    def at_marker(self, pos=None):
        pos = self.pos if pos is None else pos
        return (pos == 0 or self.text[pos - 1] == "\n") and MARKER.match(self.text, pos) is not None

    def at_end(self):
        return self.pos >= len(self.text) or self.at_marker()

    def skip(self):
        """Goes on to what comes next, past blanks, comments and line ends."""
        text, pos, size = self.text, self.pos, len(self.text)
        while pos < size:
            if text[pos] == "#" and (pos == 0 or text[pos - 1] in " \t\n"):
                pos = text.find("\n", pos)
                pos = size if pos < 0 else pos
            elif text[pos] in " \t\n":
                pos += 1
            else:
                break
        self.pos = pos

    def enter(self):
        self.depth += 1
        if self.depth > MOST_DEPTH:
            self.fail("nested too deeply")

    # Blocks: structure by indentation.

    def document(self):
        self.skip()
        if self.text.startswith("%YAML 1.2\n", self.pos) and self.column() == 0:
            self.pos += len("%YAML 1.2\n")
            self.skip()
            if not self.text.startswith("---", self.pos):
                self.fail("a document follows its directive after `---`")
        if self.at_marker() and self.peek() == "-":
            self.pos += 3
        value = self.block(-1)
        self.skip()
        while self.at_marker() and self.peek() == ".":
            self.pos += 3
            self.skip()
        if self.pos < len(self.text):
            self.fail("only one document is allowed" if self.at_marker() else "this is not part of what stands before it")
        return value

    def block(self, parent, compact=False, dashes_at_parent=False):
        """The value that belongs to an entry at column `parent`: on the same line, or indented more than that.

        `compact`: a collection may begin on the same line. `dashes_at_parent`: a sequence may stand under its key.
        """
        before = self.pos
        self.skip()
        if self.at_end():
            return None
        column, indentation = self.column(), self.indentation()
        if indentation is not None:
            self.refuse_tab(indentation)
            if column <= parent and not (dashes_at_parent and column == parent and self.at_dash()):
                return None
        begins_line = indentation is not None
        may_nest = begins_line or (compact and "\t" not in self.text[before : self.pos])
        start = self.pos
        if self.at_dash():
            nested = self.sequence
        elif self.peek() in "|>":
            return self.block_text(parent)
        elif self.key() is not None:
            self.pos = start
            nested = self.mapping
        else:
            return self.flow(parent + 1, inside=False)
        if not may_nest:
            self.fail("a nested collection begins on a line of its own")
        return nested(column)

    def refuse_tab(self, indentation):
        if "\t" in indentation:
            self.fail(REFUSED["\t"], self.line_start() + indentation.index("\t"))

    def sequence(self, column):
        self.enter()
        items = []
        while self.at_dash():
            self.pos += 1
            items.append(self.block(column, compact=True))
            if not self.at_entry(column):
                break
        self.depth -= 1
        return items

    def mapping(self, column):
        self.enter()
        fields = {}
        while True:
            start = self.pos
            key = self.key()
            if key is None:
                self.fail(REFUSED.get(self.peek(), "this is no `key: value`"))
            if key in fields:
                self.fail("a key is given twice", start)
            fields[key] = self.block(column, dashes_at_parent=True)
            if not self.at_entry(column):
                break
        self.depth -= 1
        return fields

    def at_entry(self, column):
        """Whether another entry of the collection at this column follows."""
        self.skip()
        if self.at_end():
            return False
        indentation = self.indentation()
        if indentation is None:
            self.fail("this is not part of what stands before it")
        self.refuse_tab(indentation)
        if len(indentation) > column:
            self.fail("this is indented more than the entries before it")
        return len(indentation) == column

    def key(self):
        """The key of `key: value` on this line, and the place is after its colon then; None where there is no key."""
        start = self.pos
        quote = self.peek()
        if quote in QUOTED:
            match = QUOTED[quote].match(self.text, start)
            if match is None or "\n" in match[0]:
                return None
            end = match.end()
        elif self.plain_begins(inside=False):
            end = PLAIN_END[False].search(self.text, start).start()
        else:
            return None
        while self.text[end : end + 1] in (" ", "\t"):
            end += 1
        if self.text[end : end + 1] != ":" or not self.blank_at(end + 1):
            return None
        text, plain = self.text_here(0, inside=False, one_line=True)
        self.check_key(text, plain, start)
        self.pos = end + 1
        return text

    def check_key(self, text, plain, start):
        if plain and text == "<<":
            self.fail("a merge key is not allowed", start)
        if self.pos - start > LONGEST_KEY:
            self.fail("a key is too long", start)

    def block_text(self, parent):
        """A literal (`|`) or folded (`>`) text."""
        header = BLOCK_HEADER.match(self.text, self.pos)
        if header is None or (header[2] and header[4]):
            self.fail("the header of a block of text is not readable")
        indent = max(parent, 0) + int(header[3]) if header[3] else None
        lines, widest, pos = [], 0, header.end()
        while pos < len(self.text):
            end = self.text.find("\n", pos)
            line = self.text[pos : end if end >= 0 else len(self.text)]
            spaces = len(line) - len(line.lstrip(" "))
            if spaces == len(line):
                widest = max(widest, spaces)
                lines.append("" if indent is None else line[indent:])
            else:
                if spaces <= parent or (spaces == 0 and self.at_marker(pos)):
                    break
                if indent is None:
                    indent = spaces
                    if widest > indent:
                        self.fail("an empty line is indented more than the text after it", pos)
                if spaces < indent:
                    break
                lines.append(line[indent:])
            pos += len(line) + 1
        self.pos = min(pos, len(self.text))

        # The last line may lack its line end, and then the place is one too far.
        line_ends = len(lines) - (pos - self.pos)
        while lines and lines[-1] == "":
            lines.pop()
        line_ends -= max(len(lines) - 1, 0)
        chomp = header[2] or header[4]
        text = fold_block(lines) if header[1] == ">" else "\n".join(lines)
        return text + "\n" * {"": min(line_ends, 1 if lines else 0), "-": 0, "+": line_ends}[chomp]

    # Flow: structure by brackets, and texts.

    def flow(self, indent, inside):
        if self.peek() in ("[", "{"):
            return self.brackets(indent)
        start = self.pos
        text, plain = self.text_here(indent, inside)
        return self.resolve(text, start) if plain else text

    def brackets(self, indent):
        self.enter()
        is_mapping = self.peek() == "{"
        closing = "}" if is_mapping else "]"
        fields, items = {}, []
        self.pos += 1
        while True:
            self.skip_inside(indent)
            if self.peek() == closing:
                break
            start = self.pos
            key, value = self.entry(indent, is_mapping)
            if key is not None and key in fields:
                self.fail("a key is given twice", start)
            if is_mapping:
                fields[key] = value
            else:
                items.append(value if key is None else {key: value})
            self.skip_inside(indent)
            if self.peek() == ",":
                self.pos += 1
            elif self.peek() != closing:
                self.fail(f"`,` or `{closing}` is missing")
        self.pos += 1
        self.depth -= 1
        return fields if is_mapping else items

    def entry(self, indent, is_mapping):
        start = self.pos
        if self.peek() in ("[", "{"):
            if is_mapping:
                self.fail("a key is a text")
            return None, self.brackets(indent)
        text, plain = self.text_here(indent, inside=True)
        end = self.pos
        self.skip_inside(indent)
        colon = self.peek() == ":" and (
            not plain or self.blank_at(self.pos + 1) or self.text[self.pos + 1] in ",[]{}"
        )
        if not colon:
            self.pos = end
            return (text, None) if is_mapping else (None, self.resolve(text, start) if plain else text)
        if not is_mapping and "\n" in self.text[start : self.pos]:
            self.fail("the key of a pair stands on one line", start)
        self.pos, colon = end, self.pos
        self.check_key(text, plain, start)
        self.pos = colon + 1
        self.skip_inside(indent)
        return text, None if self.peek() in (",", "]", "}") else self.flow(indent, inside=True)

    def skip_inside(self, indent):
        self.skip()
        indentation = self.indentation()
        if indentation is not None and self.pos < len(self.text):
            if self.at_marker():
                self.fail("the document ends inside brackets")
            if len(indentation) - len(indentation.lstrip(" ")) < indent:
                self.fail("this is indented too little for what it is part of")

    def text_here(self, indent, inside, one_line=False):
        """A quoted or plain text, and whether it is plain."""
        if self.peek() in QUOTED:
            return self.quoted(indent), False
        if not self.plain_begins(inside):
            self.fail(REFUSED.get(self.peek(), "no value can begin with this"))
        return self.plain(indent, inside, one_line), True

    def plain_begins(self, inside):
        first, second = self.peek(), self.text[self.pos + 1 : self.pos + 2]
        if first in ("-", "?", ":"):
            return not self.blank_at(self.pos + 1) and not (inside and second in ",[]{}")
        return first not in ("", " ", "\t", "\n", *",[]{}#&*!|>'\"%@`")

    def plain(self, indent, inside, one_line):
        text = self.text
        end = PLAIN_END[inside].search(text, self.pos).start()
        parts = [text[self.pos : end].rstrip(" \t")]
        self.pos += len(parts[0])
        while not one_line and text[end : end + 1] == "\n":
            gap = NEXT_LINE.match(text, end)
            begin = gap.end()
            too_shallow = len(gap[1]) < indent or self.at_marker(begin)
            if begin >= len(text) or text[begin] == "#" or too_shallow:
                break
            end = PLAIN_END[inside].search(text, begin).start()
            part = text[begin:end].rstrip(" \t")
            if not part:
                break
            parts += ["\n" * (gap[0].count("\n") - 1) or " ", part]
            self.pos = begin + len(part)
        return "".join(parts)

    def quoted(self, indent):
        quote, start = self.peek(), self.pos
        match = QUOTED[quote].match(self.text, start)
        if match is None:
            self.fail("a quoted text is never closed")
        end = match.end()
        line = self.text.find("\n", start, end)
        while line >= 0:
            next_line = self.text.find("\n", line + 1, end)
            content = self.text[line + 1 : end if next_line < 0 else next_line]
            if content.strip(" \t"):
                if len(content) - len(content.lstrip(" ")) < indent or self.at_marker(line + 1):
                    self.fail("this is indented too little for what it is part of", line + 1)
            line = next_line
        self.pos = end
        if quote == "'":
            return fold(match[0][1:-1]).replace("''", "'")
        parts, pos = [], start + 1
        for escape in ESCAPE.finditer(self.text, start + 1, end - 1):
            parts += [fold(self.text[pos : escape.start()]), self.meaning(escape)]
            pos = escape.end()
        parts.append(fold(self.text[pos : end - 1]))
        return "".join(parts)

    def meaning(self, escape):
        code = escape[0][1:]
        if code[0] == "\n":
            return "\n" * (code.count("\n") - 1)
        if code in ESCAPES:
            return ESCAPES[code]
        if len(code) == 11:
            high, low = int(code[1:5], 16), int(code[7:], 16)
            return chr(0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF))
        number = int(code[1:], 16) if len(code) > 1 else -1
        if not 0 <= number <= 0x10FFFF or 0xD800 <= number <= 0xDFFF:
            self.fail("there is no such escape", escape.start())
        return chr(number)

    def resolve(self, text, start):
        """The value of a plain text in the core schema."""
        if text in CONSTANTS:
            return CONSTANTS[text]
        try:
            return number(text)
        except ValueError:
            self.fail("this is no finite number", start)


def number(text):
    """The number that a text means in the core schema, or the text itself. `ValueError` where no finite one can hold it."""
    if NOT_FINITE.fullmatch(text):
        raise ValueError
    if OTHER_BASE.fullmatch(text):
        value = int(text[2:], 8 if text[1] == "o" else 16)
        if value.bit_length() > 1023:
            raise ValueError
        return value
    if not FLOAT.fullmatch(text):
        return text
    value = float(text)
    if not math.isfinite(value):
        raise ValueError
    if WHOLE.fullmatch(text):
        # Without its leading zeros a finite one has few digits, and is read at once.
        digits = text.lstrip("+-").lstrip("0") or "0"
        return -int(digits) if text[0] == "-" else int(digits)
    return value


def fold(text):
    """Line ends inside a quoted text: one is a space, and each empty line after it a line end."""
    first, *rest = text.split("\n")
    if not rest:
        return text
    parts, empty = [first.rstrip(" \t")], 0
    for index, line in enumerate(rest):
        last = index == len(rest) - 1
        line = line.lstrip(" \t") if last else line.strip(" \t")
        if not line and not last:
            empty += 1
            continue
        parts += ["\n" * empty or " ", line]
        empty = 0
    return "".join(parts)


def fold_block(lines):
    """As in a quoted text, but lines that begin with a blank, and those beside them, stay as they are."""
    parts, empty, before = [], 0, None
    for line in lines:
        if not line:
            empty += 1
            continue
        spaced = line[0] in " \t"
        if before is None:
            parts.append("\n" * empty)
        elif spaced or before:
            parts.append("\n" * (empty + 1))
        else:
            parts.append("\n" * empty or " ")
        parts.append(line)
        empty, before = 0, spaced
    return "".join(parts)
