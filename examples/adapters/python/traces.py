"""Lifecycle traces: one pass over what the world did and what the host answered, with a small state for each skill."""

from dataclasses import dataclass, field
from typing import Optional

import receipts
from events import EVENTS, FOR_EVERY_SKILL, FRAMING, WORLD
from events import is_whole, read_capabilities, read_carried, skill_id_of, well_formed
from receipts import Violation, is_text
from registry import BadParams
from resume_entries import name_in, names_some_file

RULES = {
    "LC-101": ("must", "a body is loaded under `none`"),
    "LC-102": ("must", "more than the card's fields is read under `listing_only`"),
    "LC-103": ("must", "a file does not come from its source, or the current step does not need it"),
    "LC-104": ("must", "the receipt is not valid, or is for a skill that was never loaded"),
    "LC-105": ("must", "a finished skill is never released, or a host without context collection claims a release"),
    "LC-106": ("must", "a skill with influence is released before its receipt"),
    "LC-107": ("must", "a skill comes back without a receipt, or not from its source as it is now"),
    "LC-108": ("should", "nothing that the resume entry names is read again"),
    "LC-109": ("must", "a profile or a receipt is taken for an authority"),
    "LC-110": ("must", "a receipt is cited as evidence"),
    "LC-111": ("must", "audit evidence is deleted because of a release or a reactivation"),
    "LC-112": ("must", "a skill reads the memory of another"),
    "LC-113": ("must", "the event is unknown, ill-formed, out of order or impossible"),
    "LC-114": ("must", "a body is loaded without a profile that asks for it"),
    "LC-115": ("must", "a skill has influence while its body is not there"),
    "LC-116": ("must", "no receipt follows before the next turn"),
    "LC-117": ("must", "no profile is selected that fits the need"),
    "LC-118": ("must", "no body is there for the step"),
    "LC-119": ("should", "under pressure, no receipt follows of a skill that is not current"),
    "LC-120": ("should", "a one-shot skill is not released before the next turn"),
    "LC-121": ("should", "a skill is released while its phase goes on"),
    "LC-122": ("should", "a skill is not released when the talk turns to something else"),
    "LC-123": ("should", "under pressure, the current skill is released before another"),
    "LC-124": ("should", "a skill is released inside its loop, or not after it"),
    "LC-125": ("should", "a release leaves no receipt"),
    "LC-126": ("should", "memory is cited without its source monitoring"),
    "LC-127": ("must", "a skill rewrites a skill"),
    "LC-128": ("should", "the receipt is valid, but not as it should be"),
}

PROFILE_FOR = {
    "none": "none",
    "discovery": "listing_only",
    "work": "active_frame_required",
    "resume": "reactivate_from_receipt",
}


@dataclass
class SkillState:
    """What has to be remembered of one skill. Indexes are those of events."""

    loaded: bool = False
    was_loaded: bool = False
    was_released: bool = False
    active: bool = False
    influenced: bool = False
    looping: bool = False

    # The phase: whether it was reviewed, goes on in the next turn, is over; and where it ended.
    reviewed: bool = False
    continued: bool = False
    over: bool = False
    over_at: int = -1
    # A phase that goes on keeps the body, until something excuses its release.
    kept: bool = False

    profile: tuple = (-1, None)
    needs: Optional[list] = None

    receipt_at: int = -1
    has_receipt: bool = False
    resume_entry: Optional[str] = None

    # A reactivation waits for the body to be read again, and grants the files that its receipt's entry names. `unread`
    # are those of which no such file was read yet: their indexes by entry.
    awaiting: bool = False
    resumed_from: Optional[str] = None
    unread: dict = field(default_factory=dict)

    # What is due at the next turn: (rule, index) to level.
    receipts_due: dict = field(default_factory=dict)
    releases_due: dict = field(default_factory=dict)


class Monitor:
    """Takes the events of a trace one after the other, and gathers the rules that they break."""

    def __init__(self, collects, carried):
        self.collects = collects
        self.skills = {}
        self.current = None
        self.pressure = False
        self.profile_of_all = (-1, None)
        self.hashes = {}
        self.need = None
        self.step = None
        self.owing = {}
        self.seq = None
        self.index = 0
        self.ended = False
        self.violations = set()
        self.unjudged = set()
        for receipt in carried:
            self.remember_receipt(self.of(receipt["skill_id"]), receipt)

    def of(self, skill_id):
        return self.skills.setdefault(skill_id, SkillState())

    def report(self, rule, index=None, level=None):
        usual, message = RULES[rule]
        index = self.index if index is None else index
        self.violations.add(Violation(f"/events/{index}", rule, level or usual, message))

    def take(self, index, event):
        self.index = index
        if self.ended or not well_formed(event, EVENTS) or not self.in_order(event):
            return self.report("LC-113")
        kind, skill_id = event["type"], skill_id_of(event)
        skill = None if skill_id is None else self.of(skill_id)
        if kind == "body.released" and not skill.loaded:
            return self.report("LC-113")
        self.seq = event["seq"]

        if kind in WORLD:
            self.settle_answers()
        getattr(self, "on_" + kind.replace(".", "_"))(event, skill)

    def in_order(self, event):
        seq = event.get("seq")
        return is_whole(seq) and (self.seq is None or seq > self.seq)

    # What is due.

    def settle_answers(self):
        """The answers that are due before the world moves on."""
        if self.need:
            index, _, _, level = self.need
            self.report("LC-117", index, level)
        if self.step:
            self.report("LC-118", self.step[0])
        self.need = self.step = None

    def settle_turn(self):
        for skill in self.owing.values():
            for due in (skill.receipts_due, skill.releases_due):
                for (rule, index), level in due.items():
                    self.report(rule, index, level)
                due.clear()
        self.owing.clear()

    def owe_receipt(self, skill, rule, level=None):
        if skill.active and not skill.looping:
            skill.receipts_due[rule, self.index] = level or RULES[rule][0]
            self.owing[id(skill)] = skill

    def owe_release(self, skill, rule, level=None):
        if self.collects and skill.loaded and not skill.looping:
            skill.releases_due[rule, self.index] = level or RULES[rule][0]
            self.owing[id(skill)] = skill

    def owe_one_shot(self, skill):
        if skill.over and skill.reviewed and not skill.continued:
            self.owe_release(skill, "LC-120")

    # The world.

    def on_turn_started(self, event, _):
        self.settle_turn()
        self.pressure = False

    def on_need_stated(self, event, skill):
        wanted, level = PROFILE_FOR[event["need"]], "must"
        if event["need"] == "resume" and not skill.has_receipt:
            wanted, level = "active_frame_required", "may"
        self.need = (self.index, wanted, event.get("skill_id"), level)

    def on_step_started(self, event, skill):
        if not skill.loaded:
            self.step = (self.index, event["skill_id"])
        if skill.was_released and not skill.loaded:
            self.reactivate(skill)
        skill.needs = event["needs"]
        skill.active = True
        self.begin_phase(skill)
        self.make_current(event["skill_id"])

    def on_influence(self, event, skill):
        if event.get("authority") in ("profile", "receipt"):
            self.report("LC-109")
        if event["kind"] != "route_decision" and (not skill.loaded or skill.awaiting):
            self.report("LC-115")
        skill.influenced = True
        if skill.receipt_at >= 0:
            skill.active = True

    def on_boundary_reviewed(self, event, skill):
        if (skill.active or skill.loaded) and not skill.reviewed:
            skill.reviewed = True
            self.owe_one_shot(skill)

    def on_phase_ended(self, event, skill):
        if not (skill.active or skill.loaded):
            return
        if event["continues"]:
            skill.continued = skill.kept = True
            return
        was_over = skill.over
        skill.over, skill.over_at, skill.kept = True, self.index, False
        self.leave(event["skill_id"])
        self.owe_receipt(skill, "LC-116")
        if not was_over:
            self.owe_one_shot(skill)

    def on_loop_started(self, event, skill):
        skill.looping = True

    def on_loop_ended(self, event, skill):
        if not skill.looping:
            return
        skill.looping = skill.kept = False
        self.leave(event["skill_id"])
        self.owe_receipt(skill, "LC-116")
        self.owe_release(skill, "LC-124")
        self.owe_one_shot(skill)

    def on_task_shifted(self, event, _):
        target = event.get("skill_id") if event["to"] == "skill" else None
        if target is not None and target == self.current:
            return
        for skill_id, skill in self.skills.items():
            skill.kept = False
            is_current = skill_id == self.current
            if is_current or event["to"] == "discussion":
                # That the task shifts away from skills that are not current is an open question.
                level = None if is_current else "may"
                self.owe_receipt(skill, "LC-116", level)
                if event["to"] == "discussion":
                    self.owe_release(skill, "LC-122", level)
        self.current = None
        if target is not None:
            self.make_current(target)

    def on_pressure(self, event, _):
        self.pressure = True
        for skill_id, skill in self.skills.items():
            if skill_id != self.current:
                skill.kept = False
                self.owe_receipt(skill, "LC-119")

    def on_source_changed(self, event, _):
        self.hashes[event["file"]] = event["hash"]

    def on_reactivation_requested(self, event, skill):
        self.reactivate(skill)
        self.make_current(event["skill_id"])

    def on_trace_ended(self, event, _):
        self.settle_turn()
        self.ended = True
        for skill in self.skills.values():
            if self.should_be_gone(skill):
                self.report("LC-105", max(skill.over_at, skill.receipt_at))
            for indexes in skill.unread.values():
                for index in indexes:
                    self.report("LC-108", index)

    def make_current(self, skill_id):
        self.current = skill_id
        due = self.of(skill_id).receipts_due
        for key in [key for key in due if key[0] == "LC-119"]:
            del due[key]

    def leave(self, skill_id):
        if self.current == skill_id:
            self.current = None

    def begin_phase(self, skill):
        """A step or a return after the end of a phase begins another. What is owed stays owed."""
        if skill.over:
            skill.over = skill.reviewed = skill.continued = False

    def reactivate(self, skill):
        """Several signs of one reactivation count once, until the body is read again."""
        self.begin_phase(skill)
        if skill.awaiting:
            return
        skill.awaiting = True
        skill.resumed_from = skill.resume_entry
        if names_some_file(skill.resume_entry):
            skill.unread.setdefault(skill.resume_entry, []).append(self.index)
        else:
            self.unjudged.add("LC-108")

    def should_be_gone(self, skill):
        return self.collects and skill.loaded and skill.over and not skill.active and not skill.looping

    # The host.

    def profile_for(self, skill):
        return max(skill.profile, self.profile_of_all)[1]

    def on_profile_selected(self, event, skill):
        profile = event["skill_lifecycle_profile"]
        if self.need:
            _, wanted, wanted_for, _ = self.need
            for_all = wanted in FOR_EVERY_SKILL and skill is None
            if profile == wanted and (for_all or event.get("skill_id") == wanted_for):
                self.need = None
        if skill is None:
            self.profile_of_all = (self.index, profile)
            return
        skill.profile = (self.index, profile)
        if profile == "reactivate_from_receipt":
            if not skill.has_receipt:
                self.report("LC-107")
            self.reactivate(skill)
            self.make_current(event["skill_id"])

    def on_card_read(self, event, skill):
        if "body" in event["fields"]:
            self.judge_reading(skill)

    def judge_reading(self, skill):
        profile = self.profile_for(skill)
        if profile == "none":
            self.report("LC-101")
        elif profile == "listing_only":
            self.report("LC-102")

    def on_body_loaded(self, event, skill):
        self.judge_reading(skill)
        if self.profile_for(skill) not in FRAMING:
            self.report("LC-114")
        if event["origin"] != "source":
            self.report("LC-103")
        if skill.awaiting:
            told, read = self.hashes.get(event["file"]), event.get("hash")
            if event["origin"] != "source" or (told is not None and read is not None and told != read):
                self.report("LC-107")
        skill.loaded = skill.was_loaded = skill.active = True
        skill.awaiting = False
        if self.step and self.step[1] == event["skill_id"]:
            self.step = None
        self.note_reading(skill, event["file"])

    def on_support_loaded(self, event, skill):
        if self.profile_for(skill) == "listing_only":
            self.report("LC-102")
        granted = name_in(skill.resumed_from, event["file"]) is not None
        if event["origin"] != "source":
            self.report("LC-103")
        if not granted and skill.needs is None:
            self.unjudged.add("LC-103")
        elif not granted and event["file"] not in skill.needs:
            self.report("LC-103")
        self.note_reading(skill, event["file"])

    def note_reading(self, skill, file):
        for entry in [entry for entry in skill.unread if name_in(entry, file)]:
            del skill.unread[entry]

    def on_receipt_written(self, event, _):
        receipt = event["receipt"]
        levels = {violation.level for violation in receipts.judge(receipt)}
        skill_id = receipt.get("skill_id") if isinstance(receipt, dict) else None
        skill = self.of(skill_id) if is_text(skill_id) else None
        if "must" in levels or skill is None or not skill.was_loaded:
            self.report("LC-104")
        if "should" in levels:
            self.report("LC-128")
        if skill:
            self.remember_receipt(skill, receipt)
            skill.receipt_at = self.index
            skill.active = skill.influenced = False
            skill.receipts_due.clear()

    def remember_receipt(self, skill, receipt):
        skill.has_receipt = True
        skill.resume_entry = receipt.get("resume_entry")

    def on_body_released(self, event, skill):
        if skill.influenced:
            self.report("LC-106")
        if self.collects:
            self.judge_release(event["skill_id"], skill)
        else:
            self.report("LC-105")
        skill.loaded, skill.was_released, skill.kept = False, True, False
        skill.releases_due.clear()
        self.leave(event["skill_id"])

    def judge_release(self, skill_id, skill):
        if skill.kept and (not self.pressure or self.current == skill_id):
            self.report("LC-121")
        if self.pressure and self.current == skill_id:
            others = (other for other in self.skills.values() if other is not skill)
            if any(other.loaded and not other.looping for other in others):
                self.report("LC-123")
        if skill.looping:
            self.report("LC-124")
        if skill.active and not skill.influenced:
            self.report("LC-125")

    def on_evidence_cited(self, event, _):
        monitoring = event.get("source_monitoring")
        if isinstance(monitoring, str):
            silent = not is_text(monitoring)
        else:
            silent = monitoring is None or monitoring is False or monitoring in ([], {})
        if event["origin"] == "receipt":
            self.report("LC-110")
        elif event["origin"] == "memory" and silent:
            self.report("LC-126")

    def on_memory_read(self, event, _):
        if event["owner"] != event["skill_id"]:
            self.report("LC-112")

    def on_skill_rewritten(self, event, _):
        if event["by"] == "skill":
            self.report("LC-127")

    def on_audit_deleted(self, event, _):
        if event["because"] != "other":
            self.report("LC-111")

    # The end.

    def not_judged(self):
        """The rules that something gave no ground to judge by, and those still due where the trace was cut."""
        open_rules = set(self.unjudged)
        if self.ended:
            return open_rules
        for skill in self.owing.values():
            open_rules.update(rule for rule, _ in [*skill.receipts_due, *skill.releases_due])
        if self.need:
            open_rules.add("LC-117")
        if self.step:
            open_rules.add("LC-118")
        for skill in self.skills.values():
            if self.should_be_gone(skill):
                open_rules.add("LC-105")
            if skill.unread:
                open_rules.add("LC-108")
        return open_rules


def validate_trace(params):
    """`lifecycle.validate_trace`."""
    events = params.get("events")
    if not isinstance(events, list):
        raise BadParams("events are a list")
    monitor = Monitor(read_capabilities(params), read_carried(params))
    for index, event in enumerate(events):
        monitor.take(index, event)
    return receipts.verdict(monitor.violations, monitor.not_judged())
