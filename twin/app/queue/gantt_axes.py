"""The axes of the queue's chart: simulated time across, GPUs down, and how one looks closer. No widgets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.app.toolkit.clock import Clock

_STEPS_S = (
    1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0, 3600.0, 7200.0, 3 * 3600.0, 6 * 3600.0,
    12 * 3600.0, 86400.0, 2 * 86400.0, 7 * 86400.0, 14 * 86400.0, 28 * 86400.0,
)  # fmt: skip
_SHORTEST_S = 30.0
AHEAD = 1.12
"""While the chart follows the run it shows so much more than what has been: a little of the future."""


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
    closest: float

    @property
    def whole(self) -> bool:
        """Return whether all there is is shown."""
        return self.low <= self.least and self.high >= self.most

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


def time_axis(end_s: float) -> VisibleRange:
    """Return the time axis of a run that may last until `end_s` [s]."""
    return VisibleRange(0.0, max(end_s, 60.0), 0.0, max(end_s, 60.0), _SHORTEST_S)


def gpu_axis(gpus: int) -> VisibleRange:
    """Return the axis of so many GPUs."""
    most = float(max(gpus, 1))
    return VisibleRange(0.0, most, 0.0, most, min(4.0, most))


def ticks(axis: VisibleRange, clock: Clock, width_px: float, label_px: float) -> list[tuple[float, str]]:
    """Return the times to mark [s] with their words: round ones of the site's clock, as many as have room."""
    extent = axis.high - axis.low
    room = max(width_px / label_px, 1.0)
    step_s = next((step for step in _STEPS_S if extent / step <= room), _STEPS_S[-1])
    start = clock.start
    midnight_s = start.hour * 3600.0 + start.minute * 60.0 + start.second
    first = np.ceil((axis.low + midnight_s) / step_s) * step_s - midnight_s
    return [(float(t_s), _words(clock, float(t_s), step_s)) for t_s in np.arange(first, axis.high, step_s)]


def _words(clock: Clock, t_s: float, step_s: float) -> str:
    moment = clock.at(t_s)
    if step_s >= 86400.0 or (clock.dated and moment.hour == moment.minute == moment.second == 0):
        return f"{moment:%a} {moment.day} {moment:%b}"
    return f"{moment:%H:%M:%S}" if step_s < 60.0 else f"{moment:%H:%M}"
