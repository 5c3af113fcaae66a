"""Quantities and times of reports as people read them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from twin import units
from twin.scenario.schema.document import Scenario

UNKNOWN = "unknown"


def quantity(value: float | None, dimension: str, digits: int = 4) -> str:
    """Return a quantity with its unit; None: unknown."""
    return UNKNOWN if value is None else units.render(value, dimension, digits=digits).replace("degC", "°C")


def percent(share: float | None, digits: int = 1) -> str:
    """Return a share in percent; None: unknown."""
    return UNKNOWN if share is None else f"{100 * share:.{digits}f} %"


def length(seconds: float | None) -> str:
    """Return a length of time in its two largest units; None: unknown."""
    if seconds is None:
        return UNKNOWN
    return units.spoken(seconds) if seconds else "0 s"


def gpu_hours(gpu_s: float) -> str:
    """Return GPU-seconds as GPU-hours."""
    hours = gpu_s / 3600.0
    return f"{hours:,.0f}" if abs(hours) >= 100 else f"{hours:,.2f}"


def axis_words(scenario: Scenario, t0_s: float, t1_s: float) -> Callable[[float], str]:
    """Return a formatter of times below a time axis, as short as the range allows."""
    start, span_s = scenario.start, t1_s - t0_s
    dated = (start + timedelta(seconds=t0_s)).date() != (
        start + timedelta(seconds=max(t1_s - 1.0, t0_s))
    ).date()

    def tick_words(t_s: float) -> str:
        at = start + timedelta(seconds=round(t_s))
        if span_s > 6 * 86400:
            return f"{at.day} {at:%b}"
        return f"{at.day} {at:%b} {at:%H:%M}" if dated else f"{at:%H:%M}"

    return tick_words
