"""The host itself: which skill cards the model sees, what they cost, and what becomes of each skill this turn."""

from typing import NamedTuple, Optional

from registry import DEFAULT_PRECEDENCE, Refusal, Skill, card_order, flag, is_number, ranks, skills_of

SCHEMA_VERSION = 1
DEFAULT_BUDGET = 2000
LARGEST_INTEGER = 2**53 - 1

# The wording of the catalog. It is this host's own; `PROFILE` tells others what it costs.
HEADER = (
    "# Skills you can call on\n"
    "\n"
    "Each entry names a skill and says what it is for. Its instructions are not here yet:\n"
    "call `load_skill` with the name before you follow one.\n"
    "\n"
)
SEPARATOR = "\n\n"
FOOTER = "\n\nEnd of the skill list.\n"
SUFFIX = "\n\nLeft out for want of room: {}"
CARD_ID = "## {}"
CARD_DESCRIPTION = "\n{}"
CARD_WHEN_TO_USE = "\nUse it: {}"


def length(text):
    """What a text costs, in characters: Unicode scalar values, which is what Python counts."""
    return len(text)


def tokens(chars):
    return (chars + 3) // 4


# Measured from the templates, so that the declaration cannot drift from what is rendered.
PROFILE = {
    "unit": "characters",
    "header": length(HEADER),
    "separator": length(SEPARATOR),
    "footer": length(FOOTER),
    "suffix": {"base": length(SUFFIX.format("")), "plus_digits": True},
    "card": {
        "id": length(CARD_ID.format("")),
        "description": length(CARD_DESCRIPTION.format("")),
        "when_to_use": length(CARD_WHEN_TO_USE.format("")),
    },
    "order": "id",
    "fit": "prefix",
    "below_floor": "raise",
    "empty": "header",
}


def whole(value):
    """The value as an int where it is a whole number (2000.0 is, true is not), else None."""
    if not is_number(value):
        return None
    return int(value) if int(value) == value else None


class Options(NamedTuple):
    budget: int
    catalog_limit: Optional[int]
    loaded: frozenset
    used: frozenset
    catalog_rendered: bool


def read_options(options):
    if options is None:
        options = {}
    if not isinstance(options, dict):
        raise Refusal("invalid_options")

    def positive(key, default):
        if options.get(key) is None:
            return default
        value = whole(options[key])
        if value is None or not 1 <= value <= LARGEST_INTEGER:
            raise Refusal("invalid_options")
        return value

    def ids(key):
        value = options.get(key)
        if value is None:
            return frozenset()
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise Refusal("invalid_options")
        return frozenset(value)

    return Options(
        budget=positive("budget", DEFAULT_BUDGET),
        catalog_limit=positive("catalog_limit", None),
        loaded=ids("loaded"),
        used=ids("used"),
        catalog_rendered=options.get("catalog_rendered") is not False,
    )


class Card(NamedTuple):
    skill: Skill
    block: str
    cost: int


class Turn(NamedTuple):
    """What was decided for one turn. Evidence and catalog are both read off it, so they cannot disagree."""

    cards: list
    options: Options
    budget: int
    offered: set
    shown: set
    text: str


def make_card(skill):
    block = CARD_ID.format(skill.id)
    if skill.description:
        block += CARD_DESCRIPTION.format(skill.description)
    if skill.when_to_use:
        block += CARD_WHEN_TO_USE.format(skill.when_to_use)
    return Card(skill, block, length(block))


def fit(cards, budget):
    """The cards that go into a catalog of at most `budget` characters, and the note on those that do not.

    Cards are taken from the front. The first that does not fit ends the list, even where a later one would still
    find room: what the model sees must not depend on which descriptions happen to be short.
    """
    kept = []
    used = length(HEADER) + length(FOOTER)
    for card in cards:
        grown = used + card.cost + (length(SEPARATOR) if kept else 0)
        if grown > budget:
            break
        kept.append(card)
        used = grown
    if len(kept) == len(cards):
        return kept, ""

    # The note has to be paid for as well, by the last cards where necessary.
    note = SUFFIX.format(len(cards) - len(kept))
    while kept and used + length(note) > budget:
        last = kept.pop()
        used -= last.cost + (length(SEPARATOR) if kept else 0)
        note = SUFFIX.format(len(cards) - len(kept))
    return kept, note if used + length(note) <= budget else ""


def plan(params):
    """Decide the turn that a request describes."""
    skills = sorted(skills_of(params.get("registry")), key=lambda skill: card_order(skill.id))
    options = read_options(params.get("options"))
    cards = [make_card(skill) for skill in skills]
    budget = max(options.budget, length(HEADER) + length(FOOTER) + length(SUFFIX.format(1)))

    offered = [card for card in cards if not card.skill.disabled]
    if options.catalog_rendered:
        offered = offered[: options.catalog_limit]
        kept, note = fit(offered, budget)
        text = HEADER + SEPARATOR.join(card.block for card in kept) + note + FOOTER
    else:
        kept, text = [], ""
    offered_ids, shown_ids = ({card.skill.id for card in some} for some in (offered, kept))
    return Turn(cards, options, budget, offered_ids, shown_ids, text)


def omitted_reason(turn, skill):
    if skill.id in turn.shown:
        return None
    if skill.disabled:
        return "disable_model_invocation"
    if not turn.options.catalog_rendered:
        return None
    return "budget" if skill.id in turn.offered else "catalog_limit"


def lifecycle(turn, skill):
    """How far the skill came. What happened at run time outranks what the catalog decided."""
    if skill.id in turn.options.used:
        return "used"
    if skill.id in turn.options.loaded:
        return "loaded"
    if skill.id in turn.shown:
        return "shown"
    if not turn.options.catalog_rendered and not skill.disabled:
        return "eligible"
    return "omitted"


def evidence(params):
    """`activation.evidence`: the record of this turn, with a card for every skill of the registry."""
    turn = plan(params)
    used = length(turn.text)
    ids = [card.skill.id for card in turn.cards]
    return {
        "_type": "skill_activation_evidence",
        "schema_version": SCHEMA_VERSION,
        "budget_chars": turn.budget,
        "used_chars": used,
        "budget_tokens": tokens(turn.budget),
        "used_tokens": tokens(used),
        "shown": [skill_id for skill_id in ids if skill_id in turn.shown],
        "omitted": [skill_id for skill_id in ids if skill_id not in turn.shown],
        "cards": [card_evidence(turn, card) for card in turn.cards],
    }


def card_evidence(turn, card):
    skill = card.skill
    return {
        "id": skill.id,
        "name": skill.name,
        "source": skill.source,
        "description": skill.description,
        "when_to_use": skill.when_to_use,
        "disable_model_invocation": skill.disabled,
        "selected": skill.id in turn.shown,
        "omitted_reason": omitted_reason(turn, skill),
        "char_estimate": card.cost,
        "token_estimate": tokens(card.cost),
        "lifecycle": lifecycle(turn, skill),
        "matched": skill.matched,
    }


def catalog(params):
    """`activation.catalog`: the text that goes into the prompt, and the ids of the cards in it."""
    turn = plan(params)
    return {
        "text": turn.text,
        "shown": [card.skill.id for card in turn.cards if card.skill.id in turn.shown],
    }


def find(skills, wanted):
    """The skill that an id means; failing that, the strongest of those that bear the bare name in a namespace."""
    for skill in skills:
        if skill.id == wanted:
            return skill
    rank = ranks(DEFAULT_PRECEDENCE)
    namesakes = [skill for skill in skills if skill.name == wanted]
    return min(namesakes, key=lambda skill: rank.get(skill.source, len(rank)), default=None)


def load(params):
    """`activation.load`: the body of a skill and the event that tells of it, also where the load is blocked."""
    skill = find(skills_of(params.get("registry")), params.get("id"))
    if skill is None:
        raise Refusal("skill_not_found")

    signed = skill.provenance.get("signed") is True
    trusted = skill.provenance.get("trusted") is True
    blocked = None
    if skill.disabled and flag(params.get("model_invocation")):
        blocked = "model_invocation_disabled"
    elif (skill.requires_signature or flag(params.get("require_signature"))) and not (signed and trusted):
        blocked = "unsigned_skill"

    # The host's own keys come last and are always written: a skill cannot forge its event through its provenance.
    event = {
        **skill.provenance,
        "type": "skill.loaded",
        "skill_id": skill.id,
        "session_id": params.get("session_id"),
        "lifecycle": "omitted" if blocked else "loaded",
        "source": skill.source,
        "disable_model_invocation": skill.disabled,
        "token_estimate": 0 if blocked else tokens(length(skill.body)),
        "signed": signed,
        "trusted": trusted,
        "error": f"the load was blocked: {blocked}" if blocked else None,
    }
    if blocked:
        raise Refusal(blocked, event)
    return {"body": skill.body, "event": event}


def read(params):
    """`activation.read`: what a consumer takes from evidence that another host wrote. It never guesses at a version."""
    payload = params.get("payload")
    if not isinstance(payload, dict) or payload.get("_type") != "skill_activation_evidence":
        raise Refusal("invalid_payload")
    version = whole(payload.get("schema_version"))
    if version is None:
        raise Refusal("invalid_payload")
    pinned = params.get("pinned")
    if version != SCHEMA_VERSION or version != (SCHEMA_VERSION if pinned is None else whole(pinned)):
        raise Refusal("unsupported_version")

    shown, omitted, cards = (payload.get(key) for key in ("shown", "omitted", "cards"))
    if not all(isinstance(items, list) for items in (shown, omitted, cards)):
        raise Refusal("invalid_payload")
    ids = shown + omitted + [card.get("id") if isinstance(card, dict) else None for card in cards]
    if not all(isinstance(skill_id, str) and skill_id for skill_id in ids):
        raise Refusal("invalid_payload")

    keys = ("id", "lifecycle", "selected", "omitted_reason", "source", "token_estimate")
    return {"shown": shown, "omitted": omitted, "cards": [{key: card.get(key) for key in keys} for card in cards]}
