"""Checks of times after the end of the run."""

from __future__ import annotations

from collections.abc import Iterator

from twin import units
from twin.scenario.schema.document import Scenario
from twin.scenario.text.parse import Path


def past_the_end(scenario: Scenario) -> Iterator[tuple[Path, str, str]]:
    """Yield path, name and reason of interventions, edits, reservations and chapters after the end of a scene."""
    for key in ("interventions", "edits", "reservations"):
        for i, item in enumerate(getattr(scenario, key)):
            if item.at_s > scenario.duration_s:
                yield (key, i, "at"), item.id or item.target, too_late(item.at_s, scenario.duration_s)
    for i, chapter in enumerate(scenario.chapters):
        if chapter.at_s > scenario.duration_s:
            yield ("chapters", i, "at"), chapter.title, too_late(chapter.at_s, scenario.duration_s)


def too_late(at_s: float, end_s: float) -> str:
    """Return the reason for a time after the end of the run [s]."""
    return f"is at {units.spoken(at_s)}, after the end of the run at {units.spoken(end_s)}"
