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
from twin.scenario.text.problem import ScenarioError

Wrong = tuple[Path, str, str]
"""Path of the key to blame, reason, hint."""

_SEEN: tuple[TargetKind, ...] = tuple(kind for kind in TITLES if kind not in ("all", "site", "path", "job"))
"""Kinds of things that stand in the hall."""


def stale(scenario: Scenario, item: Callable[[str], str], catalog: Catalog) -> Iterator[Wrong]:
    """Yield what chapters tell of another run than this one: the scene runs all the same.

    That are chapters out of order, moments outside their chapter, and things that are not there, perhaps no longer.

    Parameters
    ----------
    item
        Returns why an id names no row, rack, node or GPU; "" when it does.
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
        if chapter.camera is not None and chapter.camera not in VIEWS:
            kind, reason, hint = kind_of(scenario, chapter.camera, _SEEN, item)
            if kind is None:
                seen = f"a view ({', '.join(VIEWS)}) or the id of a component"
                close = nearest(chapter.camera, VIEWS)
                yield (
                    (*at, "camera"),
                    reason,
                    f"did you mean {close!r}?" if close else hint or f"write {seen}",
                )
        for k, id in enumerate(chapter.select):
            kind, reason, hint = kind_of(scenario, id, _SEEN, item)
            if kind is None:
                yield (*at, "select", k), reason, hint
        for k, trial in enumerate(chapter.trials):
            yield from _trial(scenario, trial, (*at, "try", k), chapter.at_s, item, catalog)


def _span(scenario: Scenario, i: int, chapter: Chapter) -> Iterator[Wrong]:
    """Yield an end or a key moment that lies outside a chapter."""
    at: Path = ("chapters", i)
    later = scenario.chapters[i + 1 :]
    next_s = later[0].at_s if later else math.inf  # a run may be cut shorter than what is told of it
    end_s = next_s if chapter.until_s is None else chapter.until_s
    if chapter.until_s is not None and not chapter.at_s <= end_s <= max(next_s, chapter.at_s):
        within = f"{units.spoken(chapter.at_s)} on"
        if later:
            within = f"{units.spoken(chapter.at_s)} to {units.spoken(next_s)}, the next chapter"
        yield (*at, "until"), "is outside its chapter", f"it can be from {within}"
        return
    for k, moment_s in enumerate(chapter.slow_at_s):
        if not chapter.at_s <= moment_s <= max(end_s, chapter.at_s):
            within = f"{units.spoken(chapter.at_s)} to {units.spoken(min(end_s, scenario.duration_s))}"
            yield (*at, "slow_at", k), "is outside its chapter", f"it can be from {within}"


def _trial(
    scenario: Scenario,
    trial: ChapterTrial,
    at: Path,
    at_s: float,
    item: Callable[[str], str],
    catalog: Catalog,
) -> Iterator[Wrong]:
    """Yield what a button cannot do."""
    changed = scenario
    for k, text in enumerate(trial.settings):
        path, equals, value = text.partition("=")
        if not (equals and path.strip()):
            yield (*at, "set", k), "must be PATH=VALUE", "write it like jobs[llama3].checkpoint.pause=20 s"
            continue
        try:
            changed = assign(changed, path.strip(), value.strip())
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


def injection(text: str, at_s: float, scenario: Scenario) -> Intervention:
    """Return what a button injects; one without a time of its own acts at `at_s` [s].

    Raises
    ------
    ScenarioError
        When it is no intervention.
    """
    timed = text if text.strip()[:1].isdigit() else f"{at_s!r} s {text}"
    return parse_injection(timed, scenario.start)
