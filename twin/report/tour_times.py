"""When each chapter of a scene begins and ends, and how fast it plays: for the window, films and handouts alike."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from twin import units
from twin.scenario.schema.chapter import Chapter
from twin.scenario.schema.document import Scenario

USUAL_WALL_S = 20.0
"""A chapter that says no speed, in a scene that says none, plays in so long."""
SLOWER = 10.0
BEFORE_WALL_S, AFTER_WALL_S = 2.0, 8.0
"""Playing is slow from so long before a key moment to so long after it."""
_LEAST_S = 1e-3


class NoChapters(ValueError):
    """A run shows no chapters; the message is one sentence for people."""


@dataclass(frozen=True)
class TourStop:
    """A chapter in its run.

    Parameters
    ----------
    chapter
        As the scene has it.
    number, count
        Which one of how many that the scene has, from 1.
    at_s, until_s
        What part of the run it plays [s]; the same time: it stands.
    speed
        Simulated seconds per second.
    """

    chapter: Chapter
    number: int
    count: int
    at_s: float
    until_s: float
    speed: float

    @property
    def slow(self) -> float:
        """Return the speed near key moments."""
        return min(self.speed, max(1.0, self.speed / SLOWER))

    @cached_property
    def pieces(self) -> tuple[tuple[float, float, float], ...]:
        """Return begin [s], end [s] and speed of each stretch that is played at one speed, in order."""
        slow, edges = self.slow, {self.at_s, self.until_s}
        near = [(s - BEFORE_WALL_S * slow, s + AFTER_WALL_S * slow) for s in self.chapter.slow_at_s]
        edges |= {edge_s for span in near for edge_s in span if self.at_s < edge_s < self.until_s}
        found = []
        for begin_s, end_s in pairwise(sorted(edges)):
            middle_s = (begin_s + end_s) / 2
            is_near = any(low_s <= middle_s <= high_s for low_s, high_s in near)
            found.append((begin_s, end_s, slow if is_near else self.speed))
        return tuple(found)

    @cached_property
    def wall_s(self) -> float:
        """Return how long it plays [s]."""
        return sum((end_s - begin_s) / speed for begin_s, end_s, speed in self.pieces)

    def piece_at(self, t_s: float) -> tuple[float, float]:
        """Return the speed from a time on, and until when it holds [s]."""
        if not self.pieces or t_s >= self.until_s:
            return self.speed, self.until_s
        place = bisect_right([begin_s for begin_s, _, _ in self.pieces], t_s + _LEAST_S) - 1
        _, end_s, speed = self.pieces[max(place, 0)]
        return speed, end_s

    def time_s(self, wall_s: float) -> float:
        """Return which time of the run is shown so long after its beginning [s]."""
        for begin_s, end_s, speed in self.pieces:
            lasts_s = (end_s - begin_s) / speed
            if wall_s < lasts_s:
                return begin_s + max(wall_s, 0.0) * speed
            wall_s -= lasts_s
        return self.until_s


def stops(scenario: Scenario, reach_s: float | None = None) -> tuple[TourStop, ...]:
    """Return the chapters that begin in a run.

    Parameters
    ----------
    reach_s
        How far the run goes [s]; None: to its end.
    """
    end_s = scenario.duration_s if reach_s is None else min(reach_s, scenario.duration_s)
    numbered = [(n, chapter) for n, chapter in enumerate(scenario.chapters, 1) if chapter.at_s <= end_s]
    ends_s = [*(chapter.at_s for _, chapter in numbered), end_s][1:]
    found = []
    for (number, chapter), next_s in zip(numbered, ends_s, strict=True):
        until_s = next_s if chapter.until_s is None else min(chapter.until_s, end_s)
        until_s = max(until_s, chapter.at_s)
        usual = scenario.speed or max((until_s - chapter.at_s) / USUAL_WALL_S, 1.0)
        speed, count = chapter.speed or usual, len(scenario.chapters)
        found.append(TourStop(chapter, number, count, chapter.at_s, until_s, speed))
    return tuple(found)


def stops_of_run(scenario: Scenario, reach_s: float) -> tuple[TourStop, ...]:
    """Return the chapters that begin in a run that goes so far [s]; raises `NoChapters` where none does."""
    found = stops(scenario, reach_s)
    if not scenario.chapters:
        raise NoChapters("the scene of this run has no chapters; write some under chapters: in its file")
    if not found:
        count, end = len(scenario.chapters), units.spoken(min(reach_s, scenario.duration_s))
        none = "the only chapter begins" if count == 1 else f"all {count} chapters begin"
        raise NoChapters(f"{none} after the end of the run at {end}")
    return found


def current(among: Iterable[TourStop], t_s: float) -> int | None:
    """Return the place of the chapter that a time belongs to; None before the first."""
    begun = [place for place, stop in enumerate(among) if stop.at_s <= t_s + _LEAST_S]
    return begun[-1] if begun else None
