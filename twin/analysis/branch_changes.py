"""Changes of a branch after its cut: from options, and in words."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress

from pydantic import BaseModel

from twin import units
from twin.analysis.branch import Addition
from twin.language import counted, tr
from twin.planning.job.result import PlanError
from twin.planning.risk.risk import risk_of
from twin.plant.tables import Plant
from twin.scenario import Problem, ScenarioError
from twin.scenario.checks.interventions import LIVE
from twin.scenario.file.apply_edits import FIXED
from twin.scenario.file.effective_text import plain
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.edit import Edit, EditChange
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.faults import Intervention
from twin.scenario.schema.scene_catalog import catalog_of
from twin.scenario.schema.work import Job
from twin.scenario.text.path import split

_INSTEAD = {"power_caps": "inject one: --inject '2 h power_cap all value=\"500 W\"'"}
_TEXTS = ("format", "version", "extends", "branch", "title", "notes", "sources", "edits", "chapters")
_OF_JOB = re.compile(r"jobs\[([^\]]+)\]\.(checkpoint|recovery)\.?(.*)")
_LONG_S = 600.0
"""From here on an interval that a rule comes to is told to the minute [s]."""
_RULES = {"daly": tr("Daly's rule"), "young": tr("Young's rule")}
_ANEW = tr("change the scene and run it again: a branch equals its run until the branch time")


def set_from(texts: Sequence[str], at_s: float) -> list[Addition]:
    """Return the interventions and the edit of ``PATH=VALUE`` options in a run, from `at_s` [s] on.

    How jobs save and restart and how the queue is served is set by an intervention each; everything else is a change
    of the hall, all of it one edit.

    Raises
    ------
    ScenarioError
        When an option is invalid, or cannot change during a run.
    """
    made: list[Addition] = []
    changes: list[EditChange] = []
    wrong: list[Problem] = []
    for text in texts:
        path, equals, value = (part.strip() for part in text.partition("="))
        key = path.partition(".")[0].partition("[")[0]
        if not equals or not path or not value:
            reason, hint = tr("is not PATH=VALUE"), "write it like jobs[llama3].checkpoint.interval='5 min'"
            wrong.append(Problem("--set", 0, "", repr(text), reason, hint))
        elif LIVE.match(path):
            made.append(Intervention(at=at_s, kind="set", target=path, value=value))
        elif key in (*FIXED, *_TEXTS) or f"{key}_s" in FIXED:
            name = FIXED.get(key) or FIXED.get(f"{key}_s") or tr("the key {key}", key=key)
            reason = tr("{name} cannot change during a run", name=name)
            wrong.append(Problem("--set", 0, path, value, reason, _INSTEAD.get(key, _ANEW)))
        else:
            changes.append(EditChange(path=path, value=value))
    if wrong:
        raise ScenarioError(wrong)
    if changes:
        title = ", ".join(
            tr("{path} is {change}", path=change.path, change=change.value) for change in changes
        )
        title = title if len(title) <= 200 else f"{title[:199]}\N{HORIZONTAL ELLIPSIS}"
        made.append(Edit(id="set", at=at_s, title=title, changes=tuple(changes)))
    return made


def in_words(addition: Addition) -> str:
    """Return an intervention or edit in a few words: "Pumps stop: cdu/0 for 1 h"."""
    if isinstance(addition, Edit):
        return addition.title or tr("{changes} of the hall", changes=counted(len(addition.changes), "change"))
    lasts = None if addition.duration_s is None else units.spoken(addition.duration_s)
    return _act_words(addition.kind, addition.target, addition.value, lasts, addition.count)


def additions_of(branch: Scenario, parent: Scenario) -> list[Addition]:
    """Return the interventions and edits that a branch adds to its parent; none: it is no branch.

    A branch names all that it adds: what has no name stands in both.
    """
    if branch.branch is None:
        return []
    since_s = branch.branch.at_s
    known = {None, *(act.id for act in parent.interventions), *(act.id for act in parent.edits)}
    done: list[Addition] = [*branch.interventions, *branch.edits]
    return [act for act in done if act.at_s >= since_s and act.id not in known]


def instead_in_words(additions: Sequence[Addition], parent: Scenario, plant: Plant | None = None) -> str:
    """Return the changes of a branch with the values before, in words; "": no change.

    Parameters
    ----------
    parent
        Scene of the parent, with all interventions of people.
    plant
        Plant of the parent; with it a rule is shown with its interval.

    Examples
    --------
    "checkpoint interval of llama3 5 min instead of 30 min", "... instead of 7 min 18 s (Daly's rule)"
    """
    clauses = []
    for addition in additions:
        words = in_words(addition)
        if isinstance(addition, Intervention) and KINDS[addition.kind].is_setting:
            before = _before(addition, parent, plant)
            words = f"{_setting(addition.target)} {addition.value}" + (
                tr(" instead of {before}", before=before) if before else ""
            )
        clauses.append(words[:1].lower() + words[1:] if words[1:2].islower() else words)
    return "; ".join(clauses)


def interval_in_words(job: Job, scenario: Scenario, plant: Plant | None) -> str:
    """Return the checkpoint interval of a job as text; for a rule the resulting interval where it is known."""
    interval = job.checkpoint.interval
    if not isinstance(interval, str):
        return units.spoken(interval)
    if interval not in _RULES:
        return interval
    came_to_s = math.inf
    if plant is not None:
        with suppress(PlanError):  # the rule alone then
            came_to_s = risk_of(scenario, plant, catalog_of(scenario), job.id).interval_s
    rule, to_s = _RULES[interval], 60.0 if came_to_s >= _LONG_S else 1.0
    return rule if math.isinf(came_to_s) else f"{units.spoken(to_s * round(came_to_s / to_s))} ({rule})"


def _before(done: Intervention, parent: Scenario, plant: Plant | None) -> str:
    """Return the value of a setting just before its change, as text; "": unknown."""
    earlier = [
        act
        for act in parent.interventions
        if KINDS[act.kind].is_setting and act.target == done.target and act.at_s <= done.at_s
    ]
    if earlier:
        return max(earlier, key=lambda act: act.at_s).value or ""
    first, *steps = split(done.target)
    if first == "jobs" and steps[1:] == ["checkpoint", "interval"]:
        job = next((job for job in parent.jobs if job.id == steps[0]), None)
        return "" if job is None else interval_in_words(job, parent, plant)
    part: BaseModel | None = parent.scheduler if first == "scheduler" else None
    if first == "jobs" and steps:
        part, steps = next((job for job in parent.jobs if job.id == steps[0]), None), steps[1:]
    at: object = None if part is None else plain(part)
    for step in steps:
        at = at.get(step) if isinstance(at, Mapping) else None
    if not isinstance(at, str | int | float) or isinstance(at, bool):
        return ""
    return str(at)


def entry_in_words(entry: Mapping[str, object]) -> str:
    """Return an entry of a file in words, even if it is invalid."""
    if "changes" in entry:
        changes = entry["changes"]
        many = len(changes) if isinstance(changes, list) else 0
        return str(entry.get("title") or tr("{changes} of the hall", changes=counted(many, "change")))
    value, lasts = (None if entry.get(key) is None else str(entry[key]) for key in ("value", "for"))
    count = entry.get("count")
    kind, target = str(entry.get("kind", "?")), str(entry.get("target", "?"))
    return _act_words(kind, target, value, lasts, count if isinstance(count, int) else None)


def _setting(path: str) -> str:
    """Return the name of a setting: "Checkpoint interval of llama3"."""
    job = _OF_JOB.fullmatch(path)
    if job is not None:
        return tr(
            "{capitalize} {replace} of {job}",
            capitalize=job[2].capitalize(),
            replace=job[3].replace(".", " ").replace("_", " "),
            job=job[1],
        ).replace("  ", " ")
    return (
        tr("Queue {removeprefix}", removeprefix=path.removeprefix("scheduler."))
        if path.startswith("scheduler.")
        else path
    )


def _act_words(kind: str, target: str, value: str | None, lasts: str | None, count: int | None) -> str:
    known = KINDS.get(kind)
    if known is not None and known.is_setting:
        return f"{_setting(target)}: {value}"
    title = kind if known is None else known.title
    some = tr(" ({count} of them)", count=count) if count is not None else ""
    of = f", {value}" if value is not None else ""
    whose = tr("all jobs") if target == "all" else target
    return f"{title}{some}: {whose}{of}" + (tr(" for {lasts}", lasts=lasts) if lasts is not None else "")
