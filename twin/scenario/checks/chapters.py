"""Checks of chapters: they follow one another, and what they look at and try exists."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from twin import units
from twin.catalog import Catalog
from twin.scenario.checks import interventions
from twin.scenario.checks.targets import TITLES, kind_of
from twin.scenario.reading.inject_option import parse_injection
from twin.scenario.reading.set_value import assign
from twin.scenario.reading.validate import nearest
from twin.scenario.schema.chapter import VIEWS, Chapter, ChapterTrial
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.fault_kinds.kind import TargetKind
from twin.scenario.schema.faults import Intervention
from twin.scenario.text.parse import Path
from twin.scenario.text.problem import Problem, ScenarioError, shown

Wrong = tuple[Path, str, str]
"""Path of the key to blame, reason, hint."""

_SEEN: tuple[TargetKind, ...] = tuple(kind for kind in TITLES if kind not in ("all", "site", "path", "job"))
"""Kinds of things that stand in the hall."""


Hall = tuple[Scenario, Callable[[str], str]]
"""The scene at a time, and what returns why an id names no row, rack, node or GPU then; "" when it does."""


def stale(scenario: Scenario, hall_at: Callable[[float], Hall], catalog: Catalog) -> Iterator[Wrong]:
    """Yield what chapters tell of another run than this one: the scene runs all the same.

    That are chapters out of order, moments outside their chapter, and things that are not there, perhaps no longer.

    Parameters
    ----------
    hall_at
        Returns the hall at a time of the run [s], with the edits up to then.
    catalog
        For what a fault needs of its target.
    """
    before_s = 0.0
    for i, chapter in enumerate(scenario.chapters):
        at: Path = ("chapters", i)
        if chapter.at_s < before_s:
            reason = (
                f"is at {units.spoken(chapter.at_s)}, before the chapter above it at {units.spoken(before_s)}"
            )
            yield (*at, "at"), reason, "write chapters in the order of the run"
        before_s = max(before_s, chapter.at_s)
        yield from _span(scenario, i, chapter)
        hall = hall_at(chapter.at_s)
        now, item = hall
        if chapter.camera is not None and chapter.camera not in VIEWS:
            kind, reason, hint = kind_of(now, chapter.camera, _SEEN, item)
            if kind is None:
                close = nearest(chapter.camera, VIEWS)
                seen = f"write a view ({', '.join(VIEWS)}) or the id of a component"
                yield (
                    (*at, "camera"),
                    _of(chapter.camera, reason),
                    f"did you mean {close!r}?" if close else hint or seen,
                )
        for k, id in enumerate(chapter.select):
            kind, reason, hint = kind_of(now, id, _SEEN, item)
            if kind is None:
                yield (*at, "select", k), _of(id, reason), hint
        for k, trial in enumerate(chapter.trials):
            begins = trial.when == "start"
            of_trial, at_s = (hall_at(0.0), 0.0) if begins else (hall, chapter.at_s)
            yield from _trial(of_trial, trial, (*at, "try", k), at_s, catalog)


def _of(id: str, reason: str) -> str:
    """Return a reason that names what it is about."""
    return reason if repr(id) in reason else f"{id!r}: {reason}"


def _span(scenario: Scenario, i: int, chapter: Chapter) -> Iterator[Wrong]:
    """Yield an end or a key moment that lies outside a chapter."""
    at: Path = ("chapters", i)
    later = [other for other in scenario.chapters[i + 1 :] if other.at_s >= chapter.at_s]
    next_s = later[0].at_s if later else math.inf  # a run may be cut shorter than what is told of it
    end_s = next_s if chapter.until_s is None else chapter.until_s
    if chapter.until_s is not None and not chapter.at_s <= end_s <= next_s:
        within = f"{units.spoken(chapter.at_s)} on"
        if later:
            within = f"{units.spoken(chapter.at_s)} to {units.spoken(next_s)}, the next chapter"
        yield (*at, "until"), "is outside its chapter", f"it can be from {within}"
        return
    for k, moment_s in enumerate(chapter.slow_at_s):
        if not chapter.at_s <= moment_s <= end_s:
            within = f"{units.spoken(chapter.at_s)} to {units.spoken(min(end_s, scenario.duration_s))}"
            yield (*at, "slow_at", k), "is outside its chapter", f"it can be from {within}"


def _trial(hall: Hall, trial: ChapterTrial, at: Path, at_s: float, catalog: Catalog) -> Iterator[Wrong]:
    """Yield what a button cannot do."""
    scenario, item = hall
    changed = scenario
    for k, text in enumerate(trial.settings):
        try:
            changed = with_setting(text, changed)
        except ScenarioError as error:
            yield (*at, "set", k), error.problems[0].reason, error.problems[0].hint
    for k, text in enumerate(trial.inject):
        try:
            asked = injection(text, at_s, scenario)
        except ScenarioError as error:
            yield (*at, "inject", k), error.problems[0].reason, error.problems[0].hint
            continue
        for _, reason, hint in interventions.wrong(changed, asked, item, catalog):
            yield (*at, "inject", k), reason, hint


def with_setting(text: str, scenario: Scenario) -> Scenario:
    """Return a scene with one of the settings of a button.

    Raises
    ------
    ScenarioError
        When it is none, or leads nowhere.
    """
    path, equals, value = text.partition("=")
    if not (equals and path.strip()):
        hint = "write it like jobs[llama3].checkpoint.pause=20 s"
        raise ScenarioError([Problem("set", 0, "", shown(text), "must be PATH=VALUE", hint)])
    return assign(scenario, path.strip(), value.strip())


def injection(text: str, at_s: float, scenario: Scenario) -> Intervention:
    """Return what a button injects; one without a time of its own acts at `at_s` [s].

    Raises
    ------
    ScenarioError
        When it is no intervention.
    """
    timed = text if text.strip()[:1].isdigit() else f"{at_s!r} s {text}"
    return parse_injection(timed, scenario.start)
