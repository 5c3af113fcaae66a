"""Axes of charts: values as places on the screen, what part of them is shown, and the marks they bear. No widgets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

from twin.app.toolkit.clock import Clock
from twin.arrays import Floats

_DAY_S = 86400.0
_Value = TypeVar("_Value", float, Floats)


@dataclass(frozen=True)
class Axis:
    """Values `low`..`high` laid over the places `begin`..`end` [px]; those of an upright axis run upwards."""

    low: float
    high: float
    begin: float
    end: float

    @property
    def scale(self) -> float:
        """Return the pixels of a unit."""
        return (self.end - self.begin) / (self.high - self.low)

    def px(self, value: _Value) -> _Value:
        """Return where values are [px]."""
        return self.begin + (self.end - self.begin) * (value - self.low) / (self.high - self.low)

    def value(self, px: float) -> float:
        """Return what is at a place."""
        return self.low + (px - self.begin) / self.scale


@dataclass
class VisibleRange:
    """What part of a range is on screen.

    Parameters
    ----------
    low, high
        Shown.
    least, most
        Of all there is; what is shown stays inside.
    closest
        Smallest extent that can be shown.
    """

    low: float
    high: float
    least: float
    most: float
    closest: float = 0.0

    @property
    def whole(self) -> bool:
        """Return whether all there is is shown."""
        return self.low <= self.least and self.high >= self.most

    @property
    def middle(self) -> float:
        """Return what is in the middle of the screen."""
        return (self.low + self.high) / 2

    def zoom(self, factor: float, at: float) -> None:
        """Look closer by a factor around a place that stays where it is."""
        extent = min(max((self.high - self.low) / factor, self.closest), self.most - self.least)
        share = (at - self.low) / (self.high - self.low)
        self._show(at - share * extent, extent)

    def move(self, by: float) -> None:
        """Move along."""
        self._show(self.low + by, self.high - self.low)

    def show_all(self) -> None:
        """Show all there is."""
        self.low, self.high = self.least, self.most

    def show(self, low: float, high: float) -> None:
        """Show a part."""
        self._show(low, max(high - low, self.closest))

    def _show(self, low: float, extent: float) -> None:
        extent = min(extent, self.most - self.least)
        self.low = min(max(low, self.least), self.most - extent)
        self.high = self.low + extent


def round_step(least: float) -> float:
    """Return the smallest distance of marks of at least this that people count in: 1, 2 or 5 of a power of ten.

    >>> round_step(0.3), round_step(20.0), round_step(21.0)
    (0.5, 20.0, 50.0)
    """
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * lead for lead in (1.0, 2.0, 5.0, 10.0) if power * lead >= least)


def round_times(
    clock: Clock, low_s: float, high_s: float, step_s: float, *, weekday: bool = False
) -> list[tuple[float, str]]:
    """Return the times of a range [s] that are round at the site, each with its words.

    Parameters
    ----------
    step_s
        From one to the next [s].
    weekday
        Whether a date has its day of the week.
    """
    first_s = low_s + (-since_midnight_s(clock) - low_s) % step_s
    times_s = [first_s + number * step_s for number in range(max(int((high_s - first_s) // step_s) + 1, 0))]
    return [(t_s, time_words(clock, t_s, step_s, weekday=weekday)) for t_s in times_s]


def since_midnight_s(clock: Clock) -> float:
    """Return the time of day at which a run starts [s]."""
    start = clock.start
    return (start.hour * 60.0 + start.minute) * 60.0 + start.second


def time_words(clock: Clock, t_s: float, step_s: float, *, weekday: bool = False) -> str:
    """Return what stands at a time [s] of an axis with marks every `step_s` [s]: the time of day, or a date."""
    moment = clock.start + timedelta(seconds=round(t_s, 1 if step_s < 1.0 else None))
    is_midnight = (moment.hour, moment.minute, moment.second, moment.microsecond) == (0, 0, 0, 0)
    if is_midnight and (step_s >= _DAY_S or clock.dated):
        return f"{moment:%a} {moment.day} {moment:%b}" if weekday else f"{moment.day} {moment:%b}"
    if step_s < 1.0:
        return f"{moment:%H:%M:%S}.{moment.microsecond // 100_000}"
    return f"{moment:%H:%M:%S}" if step_s < 60.0 or moment.second else f"{moment:%H:%M}"
