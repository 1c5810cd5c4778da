"""Release receipts: whether one is valid, down to secrets and leftovers of a template."""

import json
import re
from typing import NamedTuple
from urllib.parse import unquote

from registry import BadParams
from resume_entries import fault_of_entry

SCHEMA = "cbh.skill_release_receipt.v1"
SCALARS = ("skill_id", "status", "current_stage", "resume_entry", "last_used_at", "ttl_policy")
LISTS = ("completed_steps", "artifact_paths", "evidence_refs", "open_loops")

MOST_BYTES = 8 * 1024
MOST_LINES = 20

# The white space of Unicode. Python's own also takes some control characters for it.
BLANKS = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))

# A field whose whole value is one of these was never filled in. In lower case `todo` may well be the name of a skill.
PLACEHOLDER = re.compile(rf"<[^<>:]+>|TODO|TBD|FIXME|XXX|YYYY-[^{BLANKS}]*|\.\.\.|…|\{{\{{[^{{}}]*\}}\}}")

DATE_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|[+-](\d\d):(\d\d))", re.ASCII
)

PRIVATE = [
    # An e-mail address, but neither `git@host:repo` nor `name@1.2.3` nor `icon@2x.png`.
    r"(?<![\w.%+-])(?<!//)[\w.%+-]{1,64}@(?!\d+\.\d)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*"
    r"\.(?!(?i:png|jpe?g|gif|webp|svg|ico|md|txt|json|ya?ml|[mc]?js|ts|css|html?|py|rs|log|lock)\b)"
    r"[A-Za-z]{2,}(?![\w-]|:\S|\.\w)",
    # A telephone number: international, in the American grouping, or announced as one. Bare digits are a run's id.
    r"(?<![\w.:+])\+[1-9](?:[ ().-]{0,2}\d){7,14}(?!\w)",
    r"(?<![\w./-])(?:\(\d{3}\) ?\d{3}[- ]|\d{3}-\d{3}-|\d{3}\.\d{3}\.)\d{4}(?![\w/-])",
    r"(?i:\b(?:tel|phone|mobile|telefon|teléfono|téléphone|telefone)\b|电话|手机|電話)"
    r"\W{0,3}\d(?:[ ()./-]{0,2}\d){6,14}",
    # Keys and tokens by their well-known beginnings.
    r"(?<![A-Za-z0-9])sk-(?=[A-Za-z_-]{0,80}\d)[A-Za-z0-9_-]{16,}",
    r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,})",
    r"(?<![A-Za-z0-9])(?:xox[a-z]-[\w-]{8,}|AIza[\w-]{30,})",
    r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{12,}",
    r"(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]{5,}",
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----",
    r"(?i:\bbearer [\w.~+/-]{16,})",
    # A secret beside its name, or inside an address. Nothing but letters is a word, such as `required`.
    r"(?i:\b(?:password|passwd|pwd|passphrase|(?:api|secret)[ _-]?key|client[ _-]?secret|(?:access|auth)[ _-]?token)\b"
    r"|密码|口令|パスワード)[\"']?\s{0,3}[:=：]\s{0,3}[\"']?(?=[^\s\"']{0,256}[0-9!#$%&*+=?@^_~-])[^\s\"']{3,}",
    r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]*://[^\s/@:]+:[^\s/@]+@",
]
PRIVATE = [re.compile(pattern) for pattern in PRIVATE]


LEVELS = ("may", "should", "must")


class Violation(NamedTuple):
    path: str
    rule: str
    level: str
    message: str


def verdict(violations, not_judged=()):
    """The answer of every validator. Only a broken `must` makes a document invalid."""
    strictest = {}
    for violation in sorted(violations, key=lambda violation: LEVELS.index(violation.level)):
        strictest[violation.path, violation.rule] = violation
    return {
        "valid": all(violation.level != "must" for violation in strictest.values()),
        "violations": [violation._asdict() for _, violation in sorted(strictest.items())],
        "not_judged": sorted(not_judged),
    }


def validate_receipt(params):
    """`lifecycle.validate_receipt`."""
    if "receipt" not in params:
        raise BadParams("there is no receipt in the params")
    return verdict(judge(params["receipt"]))


def is_text(value):
    return isinstance(value, str) and value.strip(BLANKS) != ""


def is_placeholder(text):
    return PLACEHOLDER.fullmatch(text.strip(BLANKS)) is not None


def is_private(text):
    return any(pattern.search(text) for pattern in PRIVATE)


def judge(receipt):
    """Every violation of a receipt, `may` included."""
    if not isinstance(receipt, dict):
        return [Violation("", "RR-100", "must", "a receipt is a mapping")]
    if receipt.get("schema") not in (None, SCHEMA):
        return [Violation("/schema", "RR-103", "must", "this is no receipt of version 1")]
    found = []

    def report(rule, level, path, message):
        found.append(Violation(path, rule, level, message))

    if receipt.get("schema") is None:
        report("RR-104", "may", "/schema", "the receipt does not name its schema")
    for field in SCALARS + LISTS:
        if field not in receipt:
            report("RR-101", "must", f"/{field}", "a required field is missing")
    judge_fields(receipt, report)
    judge_everything(receipt, report)
    return found


def judge_fields(receipt, report):
    for field in ("skill_id", "status", "current_stage", "ttl_policy"):
        if field in receipt and not is_text(receipt[field]):
            report("RR-102", "must", f"/{field}", "this is a text that is not blank")
    for field in LISTS:
        items = receipt.get(field, [])
        if not isinstance(items, list):
            report("RR-102", "must", f"/{field}", "this is a list of texts")
            continue
        for index, item in enumerate(items):
            if not is_text(item):
                report("RR-102", "must", f"/{field}/{index}", "an item is a text that is not blank")
            elif field == "artifact_paths" and leads_outside(item):
                report("RR-111", "may", f"/{field}/{index}", "an artifact's path is relative and stays inside")
    if not isinstance(receipt.get("skill_version_or_hash", ""), (str, type(None))):
        report("RR-102", "must", "/skill_version_or_hash", "this is a text, where it is given")

    if is_text(receipt.get("status")) and receipt["status"] != "released":
        report("RR-105", "should", "/status", "the status of a released phase is `released`")
    if "last_used_at" in receipt and not is_date_time(receipt["last_used_at"]):
        report("RR-106", "must", "/last_used_at", "this is a date and time with offset, as in RFC 3339")
    if "resume_entry" in receipt:
        entry = receipt["resume_entry"]
        level = fault_of_entry(entry) if is_text(entry) and not is_placeholder(entry) else "must"
        if level:
            report("RR-107", level, "/resume_entry", "the entry does not clearly say what to reopen")


def judge_everything(receipt, report):
    """What holds for every text at any depth, under keys that nobody knows too."""
    size = 0
    for path, value in walk(receipt):
        size += own_size(value)
        if isinstance(value, list):
            seen = set()
            for index, item in enumerate(value):
                if isinstance(item, str) and item in seen:
                    report("RR-109", "should", f"{path}/{index}", "the list has this item already")
                elif isinstance(item, str):
                    seen.add(item)
        if not isinstance(value, str):
            continue
        if is_placeholder(value):
            report("RR-109", "should", path, "a placeholder was never filled in")
        lines = (value[:-1] if value.endswith("\n") else value).split("\n")
        fences = [index for index, line in enumerate(lines) if line.rstrip("\r") == "---"]
        if len(lines) > MOST_LINES:
            report("RR-110", "should", path, f"a field has at most {MOST_LINES} lines")
        elif fences[:1] == [0] and len(fences) > 1:
            report("RR-110", "should", path, "this is the front matter of a file, and no field of a receipt")
        if is_private(value):
            report("RR-112", "should", path, "this looks like a secret or like personal data")
    if size > MOST_BYTES:
        report("RR-110", "should", "", f"a receipt has at most {MOST_BYTES} bytes")


def walk(document):
    """Every value of a document with its pointer. Without recursion: a hostile one is deeper than Python's stack."""
    waiting = [("", document)]
    while waiting:
        path, value = waiting.pop()
        yield path, value
        if isinstance(value, dict):
            waiting += [(f"{path}/{escape(key)}", item) for key, item in value.items()]
        elif isinstance(value, list):
            waiting += [(f"{path}/{index}", item) for index, item in enumerate(value)]


def escape(key):
    return key.replace("~", "~0").replace("/", "~1")


def own_size(value):
    """The bytes of a value as compact JSON, without those of what it contains."""
    if isinstance(value, dict):
        return 2 + max(len(value) - 1, 0) + sum(own_size(key) + 1 for key in value)
    if isinstance(value, list):
        return 2 + max(len(value) - 1, 0)
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def is_date_time(value):
    match = DATE_TIME.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return False
    year, month, day, hour, minute, second, offset_hour, offset_minute = (int(part or 0) for part in match.groups())
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = [31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return (
        1 <= month <= 12
        and 1 <= day <= days[month - 1]
        and hour <= 23
        and minute <= 59
        and second <= 60
        and offset_hour <= 23
        and offset_minute <= 59
    )


def leads_outside(path):
    path = re.sub(r"(?i)%(?:2[ef]|5c)", lambda code: unquote(code[0]), path.strip(BLANKS)).replace("\\", "/")
    if re.match(r"/|~|[A-Za-z]:|[A-Za-z][A-Za-z0-9+.-]*://", path):
        return True
    depth = 0
    for part in path.split("/"):
        depth += {"": 0, ".": 0, "..": -1}.get(part, 1)
        if depth < 0:
            return True
    return False
