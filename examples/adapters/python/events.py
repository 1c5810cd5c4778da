"""Lifecycle events: which there are, what each of them must look like, and the other params that go with them."""

from receipts import is_text
from registry import BadParams, is_number

# Beyond, not every reader of JSON can tell two numbers apart.
LARGEST_INTEGER = 2**53 - 1

CARD_FIELDS = ("name", "short_description", "meta_summary", "route_tags", "activation_condition")
PROFILES = (
    "none",
    "listing_only",
    "active_frame_required",
    "release_receipt_required",
    "reactivate_from_receipt",
)
FRAMING = ("active_frame_required", "reactivate_from_receipt")
FOR_EVERY_SKILL = ("none", "listing_only")


def word(*words):
    return lambda value: isinstance(value, str) and value in words


def optional(check):
    return lambda value: value is None or check(value)


def either(value):
    return isinstance(value, bool)


def anything(value):
    return True


def texts(value):
    return isinstance(value, list) and all(map(is_text, value))


def is_whole(value):
    return is_number(value) and value == int(value) and abs(value) <= LARGEST_INTEGER


def is_turn(value):
    return is_whole(value) or is_text(value)


def card_fields(value):
    return isinstance(value, list) and all(map(word(*CARD_FIELDS, "body"), value))


INFLUENCES = word("tool_call", "file_edit", "memory_write", "route_decision", "claim_boundary")
AUTHORITIES = word("user", "policy", "skill", "profile", "receipt")
CITED_FROM = word("file", "test", "tool", "evidence_ref", "memory", "receipt")
ORIGINS = word("source", "fragment", "receipt")

# For each type its fields, and for each field what its value must be.
WORLD = {
    "turn.started": {"turn": is_turn},
    "need.stated": {"need": word("none", "discovery", "work", "resume"), "skill_id": optional(is_text)},
    "step.started": {"skill_id": is_text, "step": is_text, "needs": texts},
    "influence": {
        "skill_id": is_text,
        "kind": INFLUENCES,
        "ref": optional(is_text),
        "authority": optional(AUTHORITIES),
    },
    "boundary.reviewed": {"skill_id": is_text},
    "phase.ended": {"skill_id": is_text, "continues": either},
    "loop.started": {"skill_id": is_text},
    "loop.ended": {"skill_id": is_text},
    "task.shifted": {"to": word("discussion", "skill"), "skill_id": optional(is_text)},
    "pressure": {"kind": word("token", "compaction", "drift")},
    "source.changed": {"file": is_text, "hash": is_text},
    "reactivation.requested": {"skill_id": is_text},
    "trace.ended": {},
}
# While a host runs, it is told the new text, and works the hash out for itself.
WORLD_OF_A_RUN = {**WORLD, "source.changed": {"file": is_text, "text": lambda value: isinstance(value, str)}}
HOST = {
    "profile.selected": {"skill_lifecycle_profile": word(*PROFILES), "skill_id": optional(is_text)},
    "card.read": {"skill_id": is_text, "fields": card_fields},
    "body.loaded": {"skill_id": is_text, "file": is_text, "origin": ORIGINS, "hash": optional(is_text)},
    "support.loaded": {"skill_id": is_text, "file": is_text, "origin": ORIGINS},
    "receipt.written": {"receipt": anything},
    "body.released": {"skill_id": is_text},
    "evidence.cited": {"ref": is_text, "origin": CITED_FROM, "source_monitoring": optional(anything)},
    "memory.read": {"skill_id": is_text, "owner": is_text},
    "skill.rewritten": {"skill_id": is_text, "file": is_text, "by": word("user", "skill")},
    "audit.deleted": {"ref": is_text, "because": word("release", "reactivation", "other")},
}
EVENTS = {**WORLD, **HOST}


def well_formed(event, forms):
    kind = event.get("type") if isinstance(event, dict) else None
    if not isinstance(kind, str) or kind not in forms:
        return False
    if not all(check(event.get(name)) for name, check in forms[kind].items()):
        return False
    if kind == "need.stated" and event["need"] in ("work", "resume"):
        return event.get("skill_id") is not None
    if kind == "profile.selected" and event.get("skill_id") is None:
        return event["skill_lifecycle_profile"] in FOR_EVERY_SKILL
    # A receipt that is null is a bad one; one that is left out is none.
    return kind != "receipt.written" or "receipt" in event


def skill_id_of(event):
    """The skill that an event is about. Under a type that is about none, `skill_id` is a key like any unknown one."""
    return event.get("skill_id") if "skill_id" in EVENTS[event["type"]] else None


def read_capabilities(params):
    capabilities = params.get("capabilities")
    if not isinstance(capabilities, dict) or not isinstance(capabilities.get("context_gc"), bool):
        raise BadParams("capabilities say whether there is context_gc")
    return capabilities["context_gc"]


def read_carried(params):
    """The receipts that are carried in from before, of those that say whose they are."""
    carried = params.get("receipts")
    if not isinstance(carried, (list, type(None))):
        raise BadParams("receipts are a list")
    return [receipt for receipt in carried or [] if isinstance(receipt, dict) and is_text(receipt.get("skill_id"))]
