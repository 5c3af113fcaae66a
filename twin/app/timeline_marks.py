"""What a strip of some hundred pixels shows of thousands of samples and events. No widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.app.timeline_scale import Scale
from twin.record.events import Event, Severity

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Band:
    """A curve in columns of pixels.

    Parameters
    ----------
    column
        Of each point, from the left edge of the strip [px].
    low, mean, high
        Least, mean and greatest value in it; in a column that no sample falls in, the value that holds there.
    """

    column: NDArray[np.int64]
    low: Floats
    mean: Floats
    high: Floats


def band(t_s: Floats, values: Floats, scale: Scale, until_s: float) -> Band:
    """Return a series as the columns of a strip, up to a time [s]; a value holds until the next sample."""
    known = np.isfinite(values)
    t_s, values = t_s[known], values[known]
    width = int(scale.width_px)
    edges = scale.from_s + np.arange(width + 1) * (scale.span_s / max(width, 1))
    begins = np.searchsorted(t_s, edges[:-1], "left")
    ends = np.searchsorted(t_s, edges[1:], "left")
    column = np.flatnonzero((edges[:-1] <= until_s) & ((ends > begins) | (begins > 0)))
    if not len(column) or not len(t_s):
        nothing = np.zeros(0)
        return Band(np.zeros(0, np.int64), nothing, nothing, nothing)
    begins, ends = begins[column], ends[column]
    first = np.maximum(begins - 1, 0)  # what holds when the column begins
    last = np.maximum(ends, first + 1)
    bounds = np.column_stack((first, last)).ravel()
    padded = np.append(values, values[-1])  # so that an end behind the last sample is one
    low = np.minimum.reduceat(padded, bounds)[::2]
    high = np.maximum.reduceat(padded, bounds)[::2]
    # Samples stand closer where something happened: each counts for as long as it holds.
    until = np.append(t_s, max(until_s, t_s[-1]) + scale.span_s)
    sums = np.concatenate(([0.0], np.cumsum(values * np.diff(until))))
    edges = np.clip(edges, t_s[0], until[-1])
    begin, end = edges[column], edges[column + 1]
    mean = (np.interp(end, until, sums) - np.interp(begin, until, sums)) / np.maximum(end - begin, 1e-12)
    return Band(column, low, np.clip(mean, low, high), high)


class EventMarks:
    """The events of a run by time and severity, as they come.

    Attributes
    ----------
    events
        All of them, in order: a list that somebody else fills.
    """

    def __init__(self) -> None:
        self.follow([])

    def follow(self, events: Sequence[Event]) -> None:
        """Show the events of this list from now on."""
        self.events = events
        self._count = 0
        self._t_s, self._severity = np.zeros(64), np.zeros(64, np.int8)

    def columns(self, severity: Severity, scale: Scale) -> NDArray[np.int64]:
        """Return the columns of the strip [px] in which something of this severity happened, each once."""
        t_s, severities = self._taken()
        begin, end = np.searchsorted(t_s, [scale.from_s, scale.to_s], "left").tolist()
        end += int(np.searchsorted(t_s[end:], scale.to_s, "right"))
        mine = t_s[begin:end][severities[begin:end] == severity]
        found: NDArray[np.int64] = np.unique(((mine - scale.from_s) / scale.px_s).astype(np.int64))
        return found

    def near(self, x: float, scale: Scale, within_px: float) -> Sequence[Event]:
        """Return the events that are marked within some pixels of a place."""
        t_s, _ = self._taken()
        low, high = scale.t_s(x - within_px), scale.t_s(x + within_px)
        begin, end = int(np.searchsorted(t_s, low, "left")), int(np.searchsorted(t_s, high, "right"))
        return self.events[begin:end]

    def _taken(self) -> tuple[Floats, NDArray[np.int8]]:
        """Return times [s] and severities of all events there are by now."""
        fresh = self.events[self._count :]
        if fresh:
            count = self._count + len(fresh)
            if count > len(self._t_s):
                self._t_s = np.resize(self._t_s, 2 * count)
                self._severity = np.resize(self._severity, 2 * count)
            self._t_s[self._count : count] = [event.t_s for event in fresh]
            self._severity[self._count : count] = [event.severity for event in fresh]
            self._count = count
        return self._t_s[: self._count], self._severity[: self._count]
