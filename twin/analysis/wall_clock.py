"""Times of a run as local time of day. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from twin.scenario.schema.document import Scenario

Moments = Callable[[float], str]
"""Simulated time [s] to words."""


def moments(scenario: Scenario, *, exact: bool = False) -> Moments:
    """Return a function from simulated time [s] to the time of day, with the date in a run of several days.

    Seconds are shown in runs of up to two days, or where they are to be `exact`.
    """
    start = scenario.start
    dated = (start + timedelta(seconds=scenario.duration_s - 1.0)).date() != start.date()
    clock = "%H:%M" if scenario.duration_s > 2 * 86400 and not exact else "%H:%M:%S"

    def clock_words(t_s: float) -> str:
        at = start + timedelta(seconds=int(t_s))
        return f"{at.day} {at:%b} {at:{clock}}" if dated else f"{at:{clock}}"

    return clock_words
