"""Times of a run as the clock on the wall of its place shows them. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from twin.scenario.schema.document import Scenario

Moments = Callable[[float], str]
"""Simulated time [s] to words."""


def moments(scenario: Scenario) -> Moments:
    """Return what says the time of day at a simulated time, and the date where the run has several.

    Seconds are told where a run is short enough for them to matter: up to two days.
    """
    start = scenario.start
    dated = (start + timedelta(seconds=scenario.duration_s - 1.0)).date() != start.date()
    clock = "%H:%M" if scenario.duration_s > 2 * 86400 else "%H:%M:%S"

    def clock_words(t_s: float) -> str:
        at = start + timedelta(seconds=int(t_s))
        return f"{at.day} {at:%b} {at:{clock}}" if dated else f"{at:{clock}}"

    return clock_words
