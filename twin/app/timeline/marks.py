"""What a strip of some hundred pixels shows of thousands of events. No widgets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from twin.app.plots.timeline_scale import Scale
from twin.arrays import Floats
from twin.record.events import Event, Severity


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
        times_s = t_s[begin:end][severities[begin:end] == severity]
        found: NDArray[np.int64] = np.unique(((times_s - scale.from_s) / scale.px_s).astype(np.int64))
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
