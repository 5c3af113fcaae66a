"""What a branch does from its cut on, as it is asked for, and in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from twin import units
from twin.analysis.branch import Addition
from twin.scenario import Problem, ScenarioError
from twin.scenario.action import LIVE
from twin.scenario.document import Scenario
from twin.scenario.edit import Edit, EditChange
from twin.scenario.edits import FIXED
from twin.scenario.fault_kinds import KINDS
from twin.scenario.faults import Intervention
from twin.scenario.path import split
from twin.scenario.show import plain

_INSTEAD = {"power_caps": "inject one: --inject '2 h power_cap all value=\"500 W\"'"}
_TEXTS = ("format", "version", "extends", "branch", "title", "notes", "sources", "edits")
_OF_JOB = re.compile(r"jobs\[([^\]]+)\]\.(checkpoint|recovery)\.?(.*)")
_RULES = {"daly": "Daly's rule", "young": "Young's rule"}
_ANEW = "change the scene and run it anew: a branch is the same run until its cut"


def set_from(texts: Sequence[str], at_s: float) -> list[Addition]:
    """Return what ``PATH=VALUE`` means in a run that goes on, from `at_s` [s] on.

    How jobs save and restart and how the queue is served is set by an intervention each; everything else is a change
    of the hall, all of it one edit.

    Raises
    ------
    ScenarioError
        When one is not understood, or no run can follow it.
    """
    made: list[Addition] = []
    changes: list[EditChange] = []
    wrong: list[Problem] = []
    for text in texts:
        path, equals, value = (part.strip() for part in text.partition("="))
        key = path.partition(".")[0].partition("[")[0]
        if not equals or not path or not value:
            reason, hint = "is not PATH=VALUE", "write it like jobs[llama3].checkpoint.interval='5 min'"
            wrong.append(Problem("--set", 0, "", repr(text), reason, hint))
        elif LIVE.match(path):
            made.append(Intervention(at=at_s, kind="set", target=path, value=value))
        elif key in (*FIXED, *_TEXTS) or f"{key}_s" in FIXED:
            what = FIXED.get(key) or FIXED.get(f"{key}_s") or f"the key {key}"
            reason = f"{what} cannot change in a run that goes on"
            wrong.append(Problem("--set", 0, path, value, reason, _INSTEAD.get(key, _ANEW)))
        else:
            changes.append(EditChange(path=path, value=value))
    if wrong:
        raise ScenarioError(wrong)
    if changes:
        title = ", ".join(f"{one.path} is {one.value}" for one in changes)
        title = title if len(title) <= 200 else f"{title[:199]}\N{HORIZONTAL ELLIPSIS}"
        made.append(Edit(id="set", at=at_s, title=title, changes=tuple(changes)))
    return made


def in_words(one: Addition) -> str:
    """Return what is done, in a few words: "Pumps stop: cdu/0 for 1 h"."""
    if isinstance(one, Edit):
        return one.title or f"{len(one.changes)} change{'s' * (len(one.changes) != 1)} of the hall"
    lasts = None if one.duration_s is None else units.spoken(one.duration_s)
    return _said(one.kind, one.target, one.value, lasts, one.count)


def additions_of(branch: Scenario, parent: Scenario) -> list[Addition]:
    """Return what a branch does from its cut on that its parent does not; none: it is no branch.

    A branch names all that it adds: what has no name stands in both.
    """
    if branch.branch is None:
        return []
    since_s = branch.branch.at_s
    known = {None, *(act.id for act in parent.interventions), *(act.id for act in parent.edits)}
    done: list[Addition] = [*branch.interventions, *branch.edits]
    return [act for act in done if act.at_s >= since_s and act.id not in known]


def instead_in_words(additions: Sequence[Addition], parent: Scenario) -> str:
    """Return what a branch changes and what stood there before, as a question puts it; "": nothing.

    Parameters
    ----------
    parent
        What the branch leaves, with all that people did in it.

    Examples
    --------
    "checkpoint interval of llama3 5 min instead of 30 min"
    """
    said = []
    for addition in additions:
        words = in_words(addition)
        if isinstance(addition, Intervention) and addition.kind == "set":
            before = _before(addition, parent)
            words = f"{_setting(addition.target)} {addition.value}" + (
                f" instead of {before}" if before else ""
            )
        said.append(words[:1].lower() + words[1:] if words[1:2].islower() else words)
    return "; ".join(said)


def _before(done: Intervention, parent: Scenario) -> str:
    """Return what a setting was just before it is set, as files say it; "": it cannot be told."""
    earlier = [
        one
        for one in parent.interventions
        if one.kind == "set" and one.target == done.target and one.at_s <= done.at_s
    ]
    if earlier:
        return max(earlier, key=lambda one: one.at_s).value or ""
    first, *steps = split(done.target)
    part: BaseModel | None = parent.scheduler if first == "scheduler" else None
    if first == "jobs" and steps:
        part, steps = next((job for job in parent.jobs if job.id == steps[0]), None), steps[1:]
    at: object = None if part is None else plain(part)
    for step in steps:
        at = at.get(step) if isinstance(at, Mapping) else None
    if not isinstance(at, str | int | float) or isinstance(at, bool):
        return ""
    return _RULES.get(str(at), str(at))


def entry_in_words(entry: Mapping[str, object]) -> str:
    """Return the same of an entry of a file, whatever stands there."""
    if "changes" in entry:
        changes = entry["changes"]
        many = len(changes) if isinstance(changes, list) else 0
        return str(entry.get("title") or f"{many} change{'s' * (many != 1)} of the hall")
    value, lasts = (None if entry.get(key) is None else str(entry[key]) for key in ("value", "for"))
    count = entry.get("count")
    kind, target = str(entry.get("kind", "?")), str(entry.get("target", "?"))
    return _said(kind, target, value, lasts, count if isinstance(count, int) else None)


def _setting(path: str) -> str:
    """Return what a setting is called: "Checkpoint interval of llama3"."""
    job = _OF_JOB.fullmatch(path)
    if job is not None:
        return f"{job[2].capitalize()} {job[3].replace('.', ' ').replace('_', ' ')} of {job[1]}".replace(
            "  ", " "
        )
    return f"Queue {path.removeprefix('scheduler.')}" if path.startswith("scheduler.") else path


def _said(kind: str, target: str, value: str | None, lasts: str | None, count: int | None) -> str:
    if kind == "set":
        return f"{_setting(target)}: {value}"
    title = next((known.title for name, known in KINDS.items() if name == kind), kind)
    some = f" ({count} of them)" if count is not None else ""
    of = f", {value}" if value is not None else ""
    whom = "all jobs" if target == "all" else target
    return f"{title}{some}: {whom}{of}" + (f" for {lasts}" if lasts is not None else "")
