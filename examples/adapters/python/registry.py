"""Skills as a host knows them: reading a registry, and merging the layers that skills are found in."""

from typing import NamedTuple, Optional


class Refusal(Exception):
    """The contract says no. It is an answer like any other, and `category` is the stable part of it."""

    def __init__(self, category, event=None):
        super().__init__(category)
        self.category = category
        self.event = event


class BadParams(Exception):
    """The params do not have the shape that their operation asks for, so that nothing could be tried."""


class Skill(NamedTuple):
    id: str
    name: str
    source: Optional[str]
    description: str
    when_to_use: str
    disabled: bool
    matched: Optional[dict]
    body: str
    requires_signature: bool
    provenance: dict
    path: str


# Strongest first. Labels of one tier rank from left to right.
DEFAULT_PRECEDENCE = [["bundled", "cli"], ["runtime"], ["host", "project"], ["package"], ["user"]]


def card_order(skill_id):
    """The sort key of everything that is listed by id: the bytes, which mean the same on every machine."""
    return skill_id.encode("utf-8")


def flag(value):
    """Whether a switch is on. Anything that is not plainly off counts as on: hiding a skill is the safe mistake."""
    return value is not None and value is not False


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def skills_of(registry):
    """The skills of a registry in the order given, one for each id: the first that claims it."""
    if not isinstance(registry, dict) or registry.get("_type") != "skill_registry":
        raise Refusal("invalid_registry")
    if not isinstance(registry.get("skills"), list):
        raise Refusal("invalid_registry")
    by_id = {}
    for entry in registry["skills"]:
        skill = read_entry(entry)
        if skill is not None:
            by_id.setdefault(skill.id, skill)
    return list(by_id.values())


def read_entry(entry):
    """One registry entry as a `Skill`, or None when it has no name to be called by."""
    if not isinstance(entry, dict):
        return None
    fields = spelled_alike(entry)

    def text(key):
        value = fields.get(key)
        return value if isinstance(value, str) else ""

    name, namespace = text("name"), text("namespace")
    if not name:
        return None
    provenance = fields.get("provenance")
    return Skill(
        id=f"{namespace}/{name}" if namespace else name,
        name=name,
        source=text("source") or None,
        description=text("short") or text("description"),
        when_to_use=text("when_to_use"),
        disabled=flag(fields.get("disable_model_invocation")),
        matched=match_evidence(fields.get("score"), text("reason") or text("trigger")),
        body=text("body") or text("prompt"),
        requires_signature=flag(fields.get("require_signature")),
        provenance=provenance if isinstance(provenance, dict) else {},
        path=text("path"),
    )


def spelled_alike(entry):
    """The entry's fields under their underscore names. Authors write both; where both are given, underscores win.

    A null says nothing, so it never hides what the other spelling says.
    """
    given = {key: value for key, value in entry.items() if value is not None}
    fields = {key.replace("-", "_"): value for key, value in given.items() if "-" in key}
    fields.update((key, value) for key, value in given.items() if "-" not in key)
    return fields


def match_evidence(score, reason):
    if not is_number(score) and not reason:
        return None
    return {"score": score if is_number(score) else 0, "reason": reason}


def ranks(precedence):
    """The rank of each layer label, 0 for the strongest."""
    if precedence is None:
        precedence = DEFAULT_PRECEDENCE
    if not isinstance(precedence, list) or not all(isinstance(tier, list) for tier in precedence):
        raise Refusal("invalid_options")
    labels = [label for tier in precedence for label in tier]
    if not all(isinstance(label, str) for label in labels):
        raise Refusal("invalid_options")
    by_label = {}
    for rank, label in enumerate(labels):
        by_label.setdefault(label, rank)
    return by_label


def merge(params):
    """`registry.merge`: one winner for each id, labelled with its layer, and a record of everything it hides."""
    rank = ranks(params.get("precedence"))
    layers = params.get("layers")
    if not isinstance(layers, list):
        raise Refusal("invalid_registry")

    claims = {}
    for layer in layers:
        if not isinstance(layer, dict) or not isinstance(layer.get("skills"), list):
            raise Refusal("invalid_registry")
        label = layer.get("label")
        if not isinstance(label, str) or label not in rank:
            raise Refusal("unknown_layer")
        for entry in layer["skills"]:
            skill = read_entry(entry)
            if skill is not None:
                # Claims are gathered in the order given and the sort below is stable, so position breaks the last tie.
                strength = (rank[label], not skill.path, skill.path.encode("utf-8"))
                claims.setdefault(skill.id, []).append((strength, label, entry))

    merged, shadowed = [], []
    for skill_id in sorted(claims, key=card_order):
        (_, winner, entry), *losers = sorted(claims[skill_id], key=lambda claim: claim[0])
        merged.append({**entry, "source": winner})
        shadowed += [
            {"id": skill_id, "winner": winner, "loser": loser} for _, loser, _ in losers if loser != winner
        ]
    return {"registry": {"_type": "skill_registry", "skills": merged}, "shadowed": shadowed}
