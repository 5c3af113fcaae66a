"""What a timeline marks: thousands of events on some hundred pixels, and what people did that is ahead. No widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.app.faults.random_incidents import words_of
from twin.app.plots.timeline_scale import Scale
from twin.app.session.session import Session
from twin.arrays import Floats
from twin.record.events import Event, Severity
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.faults import Intervention


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


@dataclass(frozen=True)
class Ahead:
    """Something that can be taken out again, as if nobody had ever asked for it."""

    title: str
    at_s: float
    what: Edit | Intervention


def still_ahead(session: Session, low_s: float, high_s: float) -> list[Ahead]:
    """Return what is to happen in a range of time [s] and can be taken out now, in its order.

    Nothing of a recording can, nor while another time than the present is looked at.
    """
    draft = session.draft
    if draft is None or session.recording is not None or session.looking_s is not None:
        return []
    now_s = max(session.t_s, draft.t_s)
    found = [Ahead(edit.title or edit.id, edit.at_s, edit) for edit in draft.file.scenario.edits]
    found += [
        Ahead(words_of(intervention), intervention.at_s, intervention)
        for intervention in session.live.by_hand
    ]
    ahead = [item for item in found if low_s <= item.at_s <= high_s and item.at_s > now_s]
    return sorted(ahead, key=lambda item: item.at_s)
