"""The skill runtime: what to do with skills in a situation, and a session that loads, releases and rereads them."""

import itertools
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime, timezone
from hashlib import sha256
from typing import Optional

import receipts
from events import FRAMING, WORLD_OF_A_RUN, read_capabilities, read_carried, skill_id_of, well_formed
from registry import BadParams, Refusal, skills_of
from resume_entries import name_in, paths_in

WORDS = {
    "need": ("none", "discovery", "work", "resume"),
    "phase": ("none", "active", "ended"),
    "pressure": ("none", "token", "compaction", "drift"),
    "next": ("done", "continues", "loop"),
}
SWITCHES = ("current", "shifted", "receipt", "in_loop")

TTL_OF_WORK = {
    "loop": "keep_until_loop_ends",
    "continues": "keep_until_phase_closes",
    "done": "release_after_review",
}


def plan(params):
    """`lifecycle.plan`: the profile and the time to live that fit a situation."""
    situation = params.get("situation")
    if not isinstance(situation, dict):
        raise BadParams("a situation is a mapping")
    for key, words in WORDS.items():
        if situation.get(key) not in words:
            raise Refusal("invalid_situation")
    for key in SWITCHES:
        if not isinstance(situation.get(key), bool):
            raise Refusal("invalid_situation")
    profile, ttl = fitting(situation)
    return {"skill_lifecycle_profile": profile, "ttl": ttl}


def fitting(situation):
    need, following = situation["need"], situation["next"]
    releasable = situation["phase"] != "none" and not situation["in_loop"]
    if need == "resume" and situation["receipt"]:
        return "reactivate_from_receipt", "not_applicable"
    if need == "resume":
        return "active_frame_required", TTL_OF_WORK[following]
    if releasable and situation["shifted"]:
        return "release_receipt_required", "release_keep_receipt"
    if releasable and situation["phase"] == "ended" and following == "done":
        return "release_receipt_required", "release_after_review"
    if releasable and situation["pressure"] != "none" and not situation["current"]:
        return "release_receipt_required", "release_first"
    if need == "discovery":
        return "listing_only", "not_applicable"
    if need == "work":
        return "active_frame_required", TTL_OF_WORK[following]
    return "none", "not_applicable"


# The items that a receipt lists of each kind, and how much of each: it is to stay small.
MOST_ITEMS = 12
MOST_CHARACTERS = 120


@dataclass
class WorkingSet:
    """What the host knows of one skill. `held` are its files in the context, each with the hash of what was read."""

    id: str
    body: str
    held: dict = field(default_factory=dict)
    needs: list = field(default_factory=list)
    version: Optional[str] = None
    receipt: Optional[dict] = None

    # In use since its last receipt; written down before; released before.
    active: bool = False
    written: bool = False
    released: bool = False
    looping: bool = False
    over: bool = False

    # The phase in short, for the receipt.
    steps: deque = field(default_factory=lambda: deque(maxlen=MOST_ITEMS))
    edits: deque = field(default_factory=lambda: deque(maxlen=MOST_ITEMS))
    evidence: deque = field(default_factory=lambda: deque(maxlen=MOST_ITEMS))

    @property
    def loaded(self):
        return self.body in self.held

    def begin_phase(self):
        if self.over:
            self.over = False
            for notes in (self.steps, self.edits, self.evidence):
                notes.clear()


def body_of(skill_id):
    return f"skills/{skill_id}/SKILL.md"


def digest(text):
    return "sha256:" + sha256(text.encode("utf-8")).hexdigest()


class Session:
    """A host at work. It is told one event of the world at a time, and answers at once: later may be too late."""

    def __init__(self, cards, files, collects, carried):
        self.cards = cards
        self.files = files
        self.collects = collects
        self.skills = {card.id: WorkingSet(card.id, body_of(card.id)) for card in cards}
        self.bodies = {skill.body for skill in self.skills.values()}
        self.profiles = {}
        self.profile_of_all = None
        self.current = None
        self.ended = False
        self.answer = []
        for receipt in carried:
            if receipt["skill_id"] in self.skills:
                self.skills[receipt["skill_id"]].receipt = receipt

    def step(self, event):
        if not well_formed(event, WORLD_OF_A_RUN):
            raise BadParams("this is no event of the world")
        if self.ended or not self.is_possible(event):
            raise Refusal("invalid_scenario")
        self.answer = []
        handler = getattr(self, "on_" + event["type"].replace(".", "_"), None)
        if handler:
            handler(event, self.skills.get(skill_id_of(event)))
        return self.answer

    def is_possible(self, event):
        """What would have to be read must be there, and the body of a skill is no support file."""
        kind = event["type"]
        if kind == "need.stated":
            return event["need"] not in ("work", "resume") or event["skill_id"] in self.skills
        if kind == "step.started":
            there = all(file in self.files and file not in self.bodies for file in event["needs"])
            return there and event["skill_id"] in self.skills
        return kind != "reactivation.requested" or event["skill_id"] in self.skills

    def say(self, kind, **fields):
        self.answer.append({"type": kind, **fields})

    # What the host does.

    def select(self, profile, skill=None):
        if skill:
            self.profiles[skill.id] = profile
        else:
            self.profiles.clear()
            self.profile_of_all = profile
        self.say("profile.selected", skill_lifecycle_profile=profile, skill_id=skill.id if skill else None)

    def is_framed(self, skill):
        return self.profiles.get(skill.id, self.profile_of_all) in FRAMING

    def read_body(self, skill):
        skill.version = skill.held[skill.body] = digest(self.files[skill.body])
        skill.active = True
        self.say("body.loaded", skill_id=skill.id, file=skill.body, origin="source", hash=skill.version)

    def read_support(self, skill, file):
        skill.held[file] = digest(self.files[file])
        self.say("support.loaded", skill_id=skill.id, file=file, origin="source")

    def is_stale(self, skill, file):
        return skill.held.get(file) != digest(self.files[file])

    def reactivate(self, skill):
        """Rereads the sources: the body, and what the receipt says to reopen. Nothing of old copies is trusted."""
        skill.begin_phase()
        self.current = skill
        self.select("reactivate_from_receipt" if skill.receipt else "active_frame_required", skill)
        skill.held.clear()
        self.read_body(skill)
        for file in self.files_to_reopen(skill):
            self.read_support(skill, file)

    def files_to_reopen(self, skill):
        """One file for each name in the resume entry, the shortest path. The body is read in any case."""
        entry = skill.receipt.get("resume_entry") if skill.receipt else None
        found = {}
        for file in sorted(self.files, key=len):
            if file not in self.bodies:
                found.setdefault(name_in(entry, file), file)
        found.pop(None, None)
        return list(found.values())

    def put_away(self, skill):
        """The receipt first, then the body, where the host can let go of it. Inside a loop a skill stays."""
        if skill.looping:
            return
        if skill.active:
            self.select("release_receipt_required", skill)
            skill.receipt = compose(skill)
            skill.active, skill.written = False, True
            self.say("receipt.written", receipt=skill.receipt)
        if self.collects and skill.loaded:
            skill.held.clear()
            skill.released = True
            self.say("body.released", skill_id=skill.id)

    # What the world does.

    def on_need_stated(self, event, skill):
        if event["need"] == "resume" and skill.receipt:
            self.reactivate(skill)
        elif event["need"] in ("work", "resume"):
            # The body can wait for the first step.
            self.select("active_frame_required", skill)
        elif event["need"] == "discovery":
            self.select("listing_only")
            for card in self.cards:
                if not card.disabled:
                    self.say("card.read", skill_id=card.id, fields=fields_of(card))
        else:
            self.select("none")

    def on_step_started(self, event, skill):
        skill.begin_phase()
        self.current = skill
        if skill.released and not skill.loaded:
            self.select("reactivate_from_receipt", skill)
        elif not self.is_framed(skill):
            self.select("active_frame_required", skill)
        if self.is_stale(skill, skill.body):
            self.read_body(skill)
        skill.needs = list(dict.fromkeys(event["needs"]))
        for file in skill.needs:
            if self.is_stale(skill, file):
                self.read_support(skill, file)
        skill.active = True
        skill.steps.append(event["step"])

    def on_influence(self, event, skill):
        if skill is None:
            return
        if skill.written:
            skill.active = True
        ref = event.get("ref")
        if ref is not None:
            is_edit = event["kind"] == "file_edit" and not receipts.leads_outside(ref)
            (skill.edits if is_edit else skill.evidence).append(ref)

    def on_phase_ended(self, event, skill):
        if event["continues"] or skill is None or not (skill.active or skill.loaded):
            return
        skill.over = True
        self.leave(skill)
        self.put_away(skill)

    def on_loop_started(self, event, skill):
        if skill:
            skill.looping = True

    def on_loop_ended(self, event, skill):
        if skill and skill.looping:
            skill.looping = False
            self.leave(skill)
            self.put_away(skill)

    def on_task_shifted(self, event, skill):
        if event["to"] == "skill":
            if skill and skill is self.current:
                return
            left, self.current = self.current, skill
            if left:
                self.put_away(left)
            return
        # Talk needs no skill. The current one is the last to go.
        for other in self.others():
            self.put_away(other)
        if self.current:
            left, self.current = self.current, None
            self.put_away(left)

    def on_pressure(self, event, _):
        for skill in self.others():
            self.put_away(skill)

    def on_source_changed(self, event, _):
        self.files[event["file"]] = event["text"]

    def on_reactivation_requested(self, event, skill):
        self.reactivate(skill)

    def on_trace_ended(self, event, _):
        self.ended = True

    def others(self):
        return [skill for skill in self.skills.values() if skill is not self.current]

    def leave(self, skill):
        if self.current is skill:
            self.current = None


def fields_of(card):
    fields = ["name"]
    if card.description:
        fields.append("short_description")
    if card.when_to_use:
        fields.append("activation_condition")
    return fields


def compose(skill):
    """The receipt of a skill, with as much detail as breaks no rule: names that the world gave may be of any kind."""
    for most in (MOST_ITEMS, 3, 0):
        receipt = draft(skill, most)
        if all(violation.level == "may" for violation in receipts.judge(receipt)):
            break
    return receipt


def draft(skill, most):
    def shortened(notes):
        kept = [" ".join(note.split())[:MOST_CHARACTERS] for note in notes]
        kept = [note for note in kept if not receipts.is_placeholder(note) and not receipts.is_private(note)]
        latest_first = list(dict.fromkeys(reversed(kept)))[:most]
        return latest_first[::-1]

    steps = [f"step {name}" for name in shortened(skill.steps)]
    last = steps[-1] if steps else None
    support = [file for file in skill.needs if is_plain(file)][:most]
    reopened = [skill.body if is_plain(skill.body) else "SKILL.md", *support]
    return {
        "schema": receipts.SCHEMA,
        "skill_id": skill.id,
        "skill_version_or_hash": skill.version,
        "status": "released",
        "completed_steps": steps if skill.over else steps[:-1],
        "current_stage": "phase over" if skill.over else f"after {last}" if last else "before the first step",
        "artifact_paths": shortened(skill.edits),
        "evidence_refs": shortened(skill.evidence),
        "open_loops": [] if skill.over else ["the phase is not over" + (f": {last} was begun" if last else "")],
        "resume_entry": f"Reread {' and '.join(reopened)} from source.",
        "last_used_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "ttl_policy": "release after phase ends unless the next turn needs the same skill",
    }


def is_plain(file):
    """Whether every reader takes the name of a file for the same path, wherever it stands in a sentence."""
    return paths_in(file) == [file]


MOST_SESSIONS = 1000
SESSIONS = {}
NUMBERS = itertools.count(1)


def open_session(params):
    """`lifecycle.open`."""
    files = params.get("files")
    if not isinstance(files, dict) or not all(isinstance(text, str) for text in files.values()):
        raise BadParams("files are texts by path")
    collects, carried = read_capabilities(params), read_carried(params)
    try:
        cards = skills_of(params.get("registry"))
    except Refusal:
        raise Refusal("invalid_scenario") from None
    if not all(body_of(card.id) in files for card in cards):
        raise Refusal("invalid_scenario")
    name = f"session-{next(NUMBERS)}"
    SESSIONS[name] = Session(cards, dict(files), collects, carried)
    if len(SESSIONS) > MOST_SESSIONS:
        del SESSIONS[next(iter(SESSIONS))]
    return {"session": name}


def session_name(params):
    name = params.get("session")
    if not isinstance(name, str):
        raise BadParams("a session is named by a text")
    if name not in SESSIONS:
        raise Refusal("invalid_scenario")
    return name


def step_session(params):
    """`lifecycle.step`."""
    return {"events": SESSIONS[session_name(params)].step(params.get("event"))}


def close_session(params):
    """`lifecycle.close`."""
    del SESSIONS[session_name(params)]
    return {}
