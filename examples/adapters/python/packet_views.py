"""What others see of a packet: a view at each depth, and a projection. Both only copy, and say what is not there."""

import json

from registry import BadParams, Refusal

FIELDS = """
    /version /observation_id /work_slice_id
    /skill/id /skill/mode /skill/execution_profile /skill/modules_used
    /result/observation_class /result/outcome /result/compact_summary
    /evidence_used /risks
    /handoff/signal /handoff/reason
    /recovery/lossiness /recovery/pointer /recovery/sensitivity
    /metrics /source_refs
""".split()
EVIDENCE_FIELDS = ("type", "ref", "scope")

# What each depth is about. A failed outcome and a call for help are part of all of them.
ABOUT = {
    "guided": ["/result/compact_summary", "/result/outcome", "/handoff/signal", "/handoff/reason"],
    "practitioner": ["/evidence_used", "/risks", "/result/outcome", "/handoff/signal", "/handoff/reason"],
    "engineer": ["/skill/modules_used", "/recovery/lossiness", "/metrics", "/result/outcome", "/handoff/signal"],
}

# Whoever looks deeper sees everything that stands above it too.
SHOWN = {
    "guided": ABOUT["guided"],
    "practitioner": ABOUT["guided"] + ABOUT["practitioner"],
    "engineer": ABOUT["guided"] + ABOUT["practitioner"] + ABOUT["engineer"] + ["/recovery/pointer"],
}


def render(params):
    """`packet.render`. A packet that breaks its contract is shown all the same: that is when people look."""
    packet, depth = packet_of(params), params.get("depth")
    if not isinstance(depth, str) or depth not in ABOUT:
        raise Refusal("unknown_depth")
    shown = copy(packet, SHOWN[depth])
    lines = [f"{pointer[1:]}: {as_text(value)}" for pointer, value in fields_of(shown, FIELDS)]
    return {
        "view": {"depth": depth, "packet": shown, "missing": missing(packet, ABOUT[depth])},
        "text": "\n".join(lines),
    }


def project(params):
    """`packet.project`: everything that the contract knows, and nothing that one might conclude from it."""
    packet = packet_of(params)
    projected = copy(packet, FIELDS)
    if isinstance(projected.get("evidence_used"), list):
        projected["evidence_used"] = [known_evidence(item) for item in projected["evidence_used"]]
    return {"projection": {"read_only": True, "packet": projected, "missing": missing(packet, FIELDS)}}


def packet_of(params):
    if "packet" not in params:
        raise BadParams("there is no packet in the params")
    if not isinstance(params["packet"], dict):
        raise Refusal("invalid_packet")
    return params["packet"]


def known_evidence(item):
    if not isinstance(item, dict):
        return item
    return {field: item[field] for field in EVIDENCE_FIELDS if field in item}


def fields_of(packet, pointers):
    """The fields that are there, with their pointers. A null is there: somebody wrote it."""
    for pointer in pointers:
        *section, key = pointer[1:].split("/")
        parent = packet.get(section[0]) if section else packet
        if isinstance(parent, dict) and key in parent:
            yield pointer, parent[key]


def missing(packet, pointers):
    return sorted(set(pointers) - {pointer for pointer, _ in fields_of(packet, pointers)})


def copy(packet, pointers):
    copied = {}
    for pointer, value in fields_of(packet, pointers):
        *section, key = pointer[1:].split("/")
        parent = copied.setdefault(section[0], {}) if section else copied
        parent[key] = value
    return copied


def as_text(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
