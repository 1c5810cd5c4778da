"""Evidence return packets: which rules one breaks. `packet_text.py` reads it, `packet_views.py` shows it to others."""

import re
from urllib.parse import unquote

import packet_text
from packet_text import IDS, LIST_SECTIONS, MAPPING_SECTIONS, fold
from receipts import BLANKS, Violation, escape, is_private, verdict
from registry import BadParams, is_number

VERSION = "0.1"
LONGEST_SUMMARY = 600
LONGEST_POINTER = 2048

# An answer is one line, and a hostile document breaks a rule at each of its bytes. All of them count for `valid`.
MOST_REPORTED = 10_000

RULES = {
    "EP-100": "the document cannot be read as a packet",
    "EP-101": "this is no packet of version 0.1",
    "EP-102": "this is no stable identifier",
    "EP-103": "this word is not in the vocabulary",
    "EP-104": "a required field is missing, or of a wrong type",
    "EP-105": "output that lost something without recovery is not valid",
    "EP-106": "a pointer for the recovery is required here",
    "EP-107": "the pointer does not resolve on the evidence surface",
    "EP-108": "the pointer is no plain reference",
    "EP-109": "a metric has a provenance, and a value that agrees with it",
    "EP-110": "restricted evidence is returned as metadata or a capsule only",
    "EP-111": "result and handoff are both there, and distinct",
    "EP-112": "the packet names nothing that it is based on",
    "EP-113": "a packet claims no authority over gates, decisions or slices",
    "EP-115": "this does not say why nothing better is known",
    "EP-116": f"a summary has at most {LONGEST_SUMMARY} characters",
    "EP-117": "a packet is no evidence for itself",
    "EP-118": "this looks like a secret or like personal data",
    "EP-119": "a packet only advises, and says nothing else in words",
}

VOCABULARIES = {
    "mode": ("generic", "knowledge_aware", "execution_only"),
    "observation_class": ("planning", "decision_support", "validation", "review", "handoff"),
    "outcome": ("usable", "partial", "failed", "unknown", "unavailable"),
    "type": ("artifact", "user_input", "runtime_output", "knowledge_pack", "source_record"),
    "scope": ("metadata", "capsule", "excerpt", "full", "unavailable"),
    "signal": ("continue", "review", "escalate", "stop", "restart_ready", "unavailable"),
    "lossiness": ("lossless", "lossy_with_recovery", "unavailable"),
    "sensitivity": ("public", "internal", "confidential", "restricted"),
    "provenance": ("reported", "estimated", "unavailable"),
}

AUTHORITY = {
    fold(key)
    for key in (
        "gate gates gate_status gate_decision gate_result gate_passed approval approval_status approves approved "
        "approved_by decision slice_decision work_slice_decision closes close_slice closed closed_at closure blocks "
        "blocked_by restart restarts slice_status work_slice_status work_slice_update execution_authority"
    ).split()
}

# The keys that count before the first heading of a Markdown document.
TOP_LEVEL = {fold(key) for key in ("version", *IDS, *MAPPING_SECTIONS, *LIST_SECTIONS)} | AUTHORITY

BLANK = re.compile(f"[{BLANKS}]")
PLACEHOLDER = re.compile(r"<(?![A-Za-z][A-Za-z0-9+.-]*://)[^<>]+>")
LINE_BREAK = re.compile("[\n\r\x85\u2028\u2029]")
ITSELF = {fold(word) for word in ("#", "self", "this", "this packet")}
EMPTY_WORDS = {"outcome", "result", "signal", "is", "the", "was", "status"}


def validate(params):
    """`packet.validate`."""
    document, media_type = params.get("document"), params.get("media_type")
    if not isinstance(document, str):
        raise BadParams("the document is a text")
    if media_type not in packet_text.MEDIA_TYPES:
        raise BadParams("packets are read as JSON, YAML or Markdown")
    surface = read_surface(params.get("surface"))
    try:
        packet = packet_text.read(document, media_type, TOP_LEVEL)
        if not isinstance(packet, dict):
            raise packet_text.Unreadable("a packet is a mapping")
    except packet_text.Unreadable as error:
        violation = {"path": "", "rule": "EP-100", "level": "must", "message": f"{RULES['EP-100']}: {error}"}
        if error.at is not None:
            violation["at"] = error.at
        return {"valid": False, "violations": [violation], "not_judged": []}
    judge = Judge(packet, surface)
    judge.judge()
    answer = verdict(judge.found, judge.not_judged)
    answer["violations"] = answer["violations"][:MOST_REPORTED]
    return answer


def read_surface(surface):
    if surface is None:
        return None
    refs, prefixes = (surface.get(key, []) if isinstance(surface, dict) else None for key in ("refs", "prefixes"))
    for texts in (refs, prefixes):
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise BadParams("an evidence surface has lists of texts, `refs` and `prefixes`")
    return Surface(refs, prefixes)


def is_blank(text):
    return text.strip(BLANKS) == ""


def is_text(value):
    return isinstance(value, str) and not is_blank(value)


def is_placeholder(text):
    return PLACEHOLDER.fullmatch(text.strip(BLANKS)) is not None


def mapping_at(packet, key):
    section = packet.get(key)
    return section if isinstance(section, dict) else {}


def list_at(packet, key):
    items = packet.get(key)
    return items if isinstance(items, list) else []


class Judge:
    """Goes through a packet once, and gathers the rules that it breaks."""

    def __init__(self, packet, surface):
        self.packet = packet
        self.surface = surface
        self.found = []
        self.not_judged = []

    def report(self, rule, path, level="must"):
        self.found.append(Violation(path, rule, level, RULES[rule]))

    def broken_at(self, path):
        return {violation.rule for violation in self.found if violation.path == path and violation.level == "must"}

    def judge(self):
        if self.packet.get("version") != VERSION:
            return self.report("EP-101", "/version")
        for key in IDS:
            self.identifier(self.packet.get(key), f"/{key}")
        self.skill()
        self.result()
        self.evidence()
        self.texts("risks")
        self.handoff()
        self.recovery()
        self.metrics()
        self.source_refs()
        self.everywhere()
        self.prose()

    # Types of fields. Each says whether the value can be judged further.

    def section(self, key):
        """A section that is a mapping. One that is absent is an empty one: all of its fields are missing."""
        section = self.packet.get(key)
        if section is None:
            return {}
        if isinstance(section, dict):
            return section
        self.report("EP-104", f"/{key}")
        return None

    def text(self, value, path):
        if not is_text(value):
            self.report("EP-104", path)

    def identifier(self, value, path):
        if not isinstance(value, str):
            self.report("EP-104", path)
        elif is_blank(value) or BLANK.search(value) or is_placeholder(value):
            self.report("EP-102", path)

    def word(self, value, vocabulary, path):
        if not isinstance(value, str):
            self.report("EP-104", path)
        elif value not in VOCABULARIES[vocabulary]:
            self.report("EP-103", path)

    def items(self, value, path):
        if isinstance(value, list):
            return value
        self.report("EP-104", path)
        return []

    def texts(self, key):
        for index, item in enumerate(self.items(self.packet.get(key), f"/{key}")):
            self.text(item, f"/{key}/{index}")

    # Sections.

    def skill(self):
        skill = self.section("skill")
        if skill is None:
            return
        self.identifier(skill.get("id"), "/skill/id")
        self.word(skill.get("mode"), "mode", "/skill/mode")
        self.text(skill.get("execution_profile"), "/skill/execution_profile")
        for index, module in enumerate(self.items(skill.get("modules_used"), "/skill/modules_used")):
            self.text(module, f"/skill/modules_used/{index}")

    def result(self):
        if self.packet.get("result") is None:
            return self.report("EP-111", "/result")
        result = self.section("result")
        if result is None:
            return
        for word in ("observation_class", "outcome"):
            self.word(result.get(word), word, f"/result/{word}")
        self.text(result.get("compact_summary"), "/result/compact_summary")
        for key in ("signal", "handoff"):
            if key in result:
                self.report("EP-111", f"/result/{key}")

    def handoff(self):
        if self.packet.get("handoff") is None:
            return self.report("EP-111", "/handoff")
        handoff = self.section("handoff")
        if handoff is None:
            return
        self.word(handoff.get("signal"), "signal", "/handoff/signal")
        self.text(handoff.get("reason"), "/handoff/reason")
        if "outcome" in handoff:
            self.report("EP-111", "/handoff/outcome")

    def evidence(self):
        items = self.items(self.packet.get("evidence_used"), "/evidence_used")
        restricted = mapping_at(self.packet, "recovery").get("sensitivity") == "restricted"
        outcome = mapping_at(self.packet, "result").get("outcome")
        if self.packet.get("evidence_used") == [] and outcome not in ("failed", "unknown", "unavailable"):
            self.report("EP-112", "/evidence_used", "should")
        for index, item in enumerate(items):
            path = f"/evidence_used/{index}"
            if not isinstance(item, dict):
                self.report("EP-104", path)
                continue
            self.word(item.get("type"), "type", f"{path}/type")
            self.text(item.get("ref"), f"{path}/ref")
            self.word(item.get("scope"), "scope", f"{path}/scope")
            if restricted and item.get("scope") in ("excerpt", "full"):
                self.report("EP-110", f"{path}/scope", "should")

    def recovery(self):
        recovery = self.section("recovery")
        if recovery is None:
            return
        lossiness, path = recovery.get("lossiness"), "/recovery/pointer"
        if lossiness == "lossy_without_recovery":
            self.report("EP-105", "/recovery/lossiness")
        else:
            self.word(lossiness, "lossiness", "/recovery/lossiness")
        self.word(recovery.get("sensitivity"), "sensitivity", "/recovery/sensitivity")

        lossy, pointer = lossiness == "lossy_with_recovery", recovery.get("pointer")
        if pointer is None:
            if lossy:
                self.report("EP-106", path)
            elif "pointer" not in recovery:
                self.report("EP-104", path, "should")
        elif not isinstance(pointer, str):
            self.report("EP-104", path)
        elif is_blank(pointer):
            self.report("EP-106" if lossy else "EP-104", path)
        else:
            self.pointer(pointer, path)
        self.resolve(pointer, lossy, path)

    def pointer(self, pointer, path):
        if is_placeholder(pointer):
            self.report("EP-106", path)
        scheme = pointer.strip(BLANKS).casefold().startswith(("data:", "javascript:"))
        if is_private(pointer) or scheme or LINE_BREAK.search(pointer):
            self.report("EP-108", path)
        elif BLANK.search(pointer.strip(BLANKS)) or len(pointer) > LONGEST_POINTER:
            self.report("EP-108", path, "should")

    def resolve(self, pointer, lossy, path):
        broken = self.broken_at(path) & {"EP-104", "EP-106", "EP-108"}
        if self.surface is None or broken or pointer is None:
            if lossy:
                self.not_judged.append("EP-107")
        elif not self.surface.holds(pointer):
            self.report("EP-107", path, "must" if lossy else "may")

    def metrics(self):
        metrics = self.packet.get("metrics")
        if metrics is None:
            return self.report("EP-104", "/metrics", "should")
        for name, metric in (self.section("metrics") or {}).items():
            level = fault_of_metric(metric)
            if level:
                self.report("EP-109", f"/metrics/{escape(name)}", level)

    def source_refs(self):
        self.texts("source_refs")
        if self.packet.get("source_refs") == []:
            self.report("EP-112", "/source_refs")

    # Rules about the packet as a whole.

    def everywhere(self):
        """Claims of authority: keys at any depth. A place is a chain, and becomes a path only where it is reported."""
        room = packet_text.MOST_CHARACTERS
        waiting = [(None, self.packet)]
        while waiting:
            place, value = waiting.pop()
            if isinstance(value, list):
                waiting += [((place, str(index)), item) for index, item in enumerate(value)]
                continue
            if not isinstance(value, dict):
                continue
            names_are_free = place == (None, "metrics")
            for key, item in value.items():
                if names_are_free or fold(key) not in AUTHORITY:
                    waiting.append(((place, escape(key)), item))
                elif room > 0:
                    path = path_of((place, escape(key)))
                    room -= len(path)
                    self.report("EP-113", path)

    def prose(self):
        result, handoff = mapping_at(self.packet, "result"), mapping_at(self.packet, "handoff")
        summary, reason = result.get("compact_summary"), handoff.get("reason")
        outcome, signal = result.get("outcome"), handoff.get("signal")
        if outcome in ("unknown", "unavailable") and is_text(summary) and only_repeats(summary, outcome):
            self.report("EP-115", "/result/compact_summary", "should")
        if signal == "unavailable" and is_text(reason) and only_repeats(reason, signal):
            self.report("EP-115", "/handoff/reason", "should")
        if is_text(summary) and len(summary) > LONGEST_SUMMARY:
            self.report("EP-116", "/result/compact_summary", "should")

        evidence, refs = list_at(self.packet, "evidence_used"), list_at(self.packet, "source_refs")
        refs = [(f"/source_refs/{index}", ref) for index, ref in enumerate(refs)]
        refs += [(f"/evidence_used/{index}/ref", item["ref"]) for index, item in enumerate(evidence) if has_ref(item)]
        texts = [("/result/compact_summary", summary), ("/handoff/reason", reason)]
        texts += [(f"/risks/{index}", risk) for index, risk in enumerate(list_at(self.packet, "risks"))]
        pointer = ("/recovery/pointer", mapping_at(self.packet, "recovery").get("pointer"))

        for path, ref in [*refs, pointer]:
            if is_text(ref) and (ref == self.packet.get("observation_id") or fold(ref) in ITSELF):
                self.report("EP-117", path)
        for path, text in refs + texts:
            if is_text(text) and is_private(text):
                self.report("EP-118", path, "should")
        for path, text in texts:
            if is_text(text) and claims_authority(text):
                self.report("EP-119", path, "should")


def has_ref(item):
    return isinstance(item, dict) and "ref" in item


def path_of(place):
    parts = []
    while place is not None:
        place, part = place
        parts.append(part)
    return "".join("/" + part for part in reversed(parts))


def fault_of_metric(metric):
    """The level at which a metric is wrong, or None."""
    if not isinstance(metric, dict):
        return "must"
    value, provenance = metric.get("value"), metric.get("provenance")
    if not isinstance(provenance, str) or provenance not in VOCABULARIES["provenance"]:
        return "must"
    if any(not isinstance(metric.get(key), (str, type(None))) for key in ("reason", "unit")):
        return "must"
    if value is not None and (provenance == "unavailable" or not is_number(value)):
        return "must"
    if provenance != "unavailable" and (value is None or value < 0):
        return "should"
    return None


def only_repeats(text, word):
    words = re.findall(r"[^\W_]+", text.casefold())
    return not set(words) - EMPTY_WORDS - {word}


# The surface that a pointer resolves on. No file system is touched.


class Surface:
    def __init__(self, refs, prefixes):
        # A prefix that does not end a name would hold `outside/` beside `out/`. It is a ref.
        ends = [(prefix, normal(prefix)) for prefix in prefixes if prefix.endswith(("/", ":"))]
        ends = [(prefix, form[0]) for prefix, form in ends if form is not None and form[1] is None]
        self.prefixes = [form for _, form in ends if form == "" or form.endswith(("/", ":"))]
        self.to_the_letter = {*refs, *prefixes}
        self.forms = {normal(ref) for ref in self.to_the_letter} - {None}

    def holds(self, pointer):
        if pointer in self.to_the_letter:
            return True
        form = normal(pointer)
        if form is None:
            return False
        location, _ = form
        if form in self.forms or (location, None) in self.forms:
            return True
        # `./` is the empty prefix, and holds everything that names no other place.
        return any(
            location.startswith(prefix) if prefix else location and not SCHEME.match(location)
            for prefix in self.prefixes
        )


SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


def normal(ref):
    """A ref as its location and its query, or None where it leads outside, or to a place on one machine only."""
    location, question, query = ref.partition("#")[0].partition("?")
    location = unquote(location, errors="surrogateescape").replace("\\", "/")
    query = unquote(query, errors="surrogateescape") if question else None
    if location == "" or location.startswith(("/", "~")) or re.match("[A-Za-z]:", location):
        return None
    scheme = SCHEME.match(location)
    root = scheme[0].casefold() if scheme else ""
    path = location[len(root) :]
    if scheme and path.startswith("//"):
        host, slash, path = path[2:].partition("/")
        user, at, host = host.rpartition("@")
        root += f"//{user}{at}{host.casefold()}{slash}"

    parts, names = [], path.split("/")
    for index, name in enumerate(names):
        if name in (".", ".."):
            if name == ".." and not (parts and parts[-1]):
                return None
            if name == "..":
                parts.pop()
            if index == len(names) - 1:
                parts.append("")
        elif name or scheme or index == len(names) - 1:
            # An empty name is no step on a path, and could hide one that leads outside.
            parts.append(name)
    return root + "/".join(parts), query


# What a packet may not say in words.

SENTENCE_END = re.compile(r"[.!?](?=\s|\Z)|[;。！？；]")
SLICE = r"(?:the|this|that|our)\s+(?:current\s+)?(?:work[\s_-]+)?slice\b"
SLICE_ID = r"(?:[A-Za-z]{0,20}[-_#\d][\w.-]{0,60}\s+)?"
SPEAKER = (
    r"(?:\b(?:I|we|it|(?:the|this)\s+(?:skill|packet|observation|return|result|review|handoff|record|outcome))\s+"
    r"(?:(?:now|hereby|therefore|have|has)\s+)*|\bhereby\s+|^\W*(?:this\s+)?)"
)
CLAIMS = [
    # We close the slice. This packet approves the work slice. Hereby approved.
    SPEAKER + r"(?:approv(?:e|es|ed|ing)|block(?:s|ed|ing)?|clos(?:e|es|ed|ing)|restart(?:s|ed|ing)?)\s+" + SLICE,
    r"\bhereby\s+(?:approve[sd]?|block(?:s|ed)?|close[sd]?|restart(?:s|ed)?)\b",
    # The slice is closed. Who reports that somebody closed it says by whom.
    r"\b(?:work[\s_-]+)?slice\s+" + SLICE_ID + r"(?:(?:is|was|has\s+been|is\s+being)\s+)?(?:(?:now|hereby|therefore)\s+)?"
    r"(?:approved|blocked|closed|restarted)\b(?!\s+by\b)",
    # The gate has passed. All gates are passed. It passed the review gate.
    r"\bgates?:?\s+(?:\w{1,12}:?\s+)?(?:(?:is|are|was|were|has|have)\s+)?(?:(?:been|now|all)\s+)?"
    r"(?:passed|passes|approved)\b",
    r"\bpass(?:ed|es)\s+(?:the|this|all|every|its)\s+(?:\w{1,20}\s+){0,3}?gates?\b",
    # Chinese: 工作切片已批准 (the slice is approved), 关闭工作切片 (closes it), 门禁已通过 (the gate has passed).
    r"切片[^，,。]{0,20}?(?:已经|已被|已|被)(?:批准|核准|阻止|阻塞|关闭|重启|重新启动)",
    r"(?:批准|核准|阻止|阻塞|关闭|重启|重新启动)了?(?:该|本|此|这个)?(?:工作)?切片",
    r"(?:门禁|关卡|闸门)(?:已经|已)?(?:通过|放行)",
    # Spanish: el slice está aprobado, cierra el slice, la puerta fue superada.
    r"\bslice\s+" + SLICE_ID + r"(?:está|fue|queda|quedó|ha\s+sido)\s+(?:ya\s+)?"
    r"(?:aprobado|bloqueado|cerrado|reiniciado)\b",
    r"\b(?:aprueb[ao]|bloque[ao]|cierr[ao]|reinici[ao]|aprobó|bloqueó|cerró|reinició)\s+"
    r"(?:(?:el|este)\s+)?(?:work[\s_-]+)?slice\b",
    r"\b(?:gate|puerta|compuerta)\s+(?:\w{1,20}\s+){0,3}?(?:pasó|ha\s+pasado|(?:está|fue)\s+(?:aprobada|superada))\b",
]
CLAIMS = [re.compile(pattern, re.IGNORECASE) for pattern in CLAIMS]

# A sentence with one of these before the claim speaks of what is required, possible or not so.
CONDITION = re.compile(r"\b(?:if|unless|until|before|whether|when|once|as soon as|assuming|si)\b", re.IGNORECASE)
HEDGE = re.compile(
    r"\b(?:must|should|shall|may|might|could|can|cannot|would|will|needs?|never|not|no|nor|neither|without|"
    r"mistaken|claims?|claiming|assume[sd]?|decides?|\w{2,6}n['’]t|"
    r"debe|deben|debería|deberían|puede|pueden|podría|nunca|ni|sin|hasta|antes|cuando|quien|quién|hay\s+que)\b|"
    r"必须|须|应|需|可以|可能|能否|不|未|没|无|是否|如果|若|除非|直到|之前|谁|请",
    re.IGNORECASE,
)


def claims_authority(text):
    for sentence in SENTENCE_END.split(" ".join(text.split())):
        for claim in CLAIMS:
            for match in claim.finditer(sentence):
                before = sentence[max(0, match.start() - 200) : match.start()]
                clause = re.split(r"[,:—–]", before)[-1]
                if not CONDITION.search(before) and not HEDGE.search(clause + " " + match[0]):
                    return True
    return False
