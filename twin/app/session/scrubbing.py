"""What the window shows of another time than the present, and how fast it follows while one scrubs."""

from __future__ import annotations

import math
from bisect import bisect_right
from time import monotonic, thread_time

from twin.app.session.hall_versions import HallUnknown, HallVersions
from twin.app.session.run_state import RunState
from twin.app.session.scene_errors import SCENE_ERRORS
from twin.app.session.session_state import SessionState
from twin.app.toolkit.problem_notice import Trouble
from twin.language import tr
from twin.record.events import Event
from twin.record.runfile import RunFileError

FIGURES_WALL_S = 0.15
"""Figures in words change at most so often: faster than this nobody reads them."""
_HELD_WALL_S = 0.1
"""While somebody drags, words come with the next picture, or when none came for so long: each costs a whole window."""
_HELD_FIGURES_WALL_S = 0.25
"""While somebody drags, figures change at most so often: the pictures go first. When it is let go of, at once."""
_SHARE = 8.0
"""Figures, and lists of what happened, take at most one part in so many of the time."""


class Looking:
    """Puts the time that is looked at in the place of the present: first the picture, then figures and lists.

    Attributes
    ----------
    past
        How the run stood then; None: the present is shown.
    told
        How many events those who list them know of.
    """

    def __init__(self, session: SessionState, halls: HallVersions) -> None:
        self._session, self._halls = session, halls
        self.past: RunState | None = None
        self.told = 0
        self._complained = ""
        self._figures_wall_s = self.events_wall_s = self._looked_wall_s = -math.inf
        self._held = False
        session.replay.looked.connect(self._on_looked)

    def forget(self) -> None:
        """Another run."""
        self.past, self.told, self._complained = None, 0, ""

    def turn(self, wall_s: float) -> None:
        """Let figures and lists follow the picture."""
        was_held, self._held = self._held, self._session.replay.scrubbing
        if was_held and not self._held:
            self._figures_wall_s = self.events_wall_s = -math.inf
        if not self._held or wall_s - self._looked_wall_s > _HELD_WALL_S:
            self._follow(wall_s)

    def _follow(self, wall_s: float) -> None:
        past, session = self.past, self._session
        if past is None or past.frame is None:
            return
        count = bisect_right(session.live.events, session.shown_s, key=lambda event: event.t_s)
        if count != self.told and wall_s >= self.events_wall_s:
            self._tell_events(count, wall_s)
        if past.frame is not session.shown and wall_s >= self._figures_wall_s:
            began_s, session.shown = thread_time(), past.frame
            session.figures_changed.emit(past.frame)
            self._figures_wall_s = wall_s + self._rest_s(thread_time() - began_s)

    def tell(self, fresh: list[Event]) -> None:
        """Tell what has happened since the last time, where the present is on screen."""
        if self.past is None and fresh:
            self.told = len(self._session.live.events)
            self._session.events_added.emit(list(fresh))

    def shorten(self) -> None:
        """Signal that events were withdrawn: the run continues from before its end."""
        events = self._session.live.events
        if self.told > len(events):
            self.told = len(events)
            self._session.rewound.emit()

    def _on_looked(self, t_s: float | None) -> None:
        if t_s is None:
            self._leave()
            return
        session = self._session
        try:
            frame = session.replay.frame(t_s, monotonic())
            before = session.document, session.plant
            document, plant = self._halls.at(frame)
        except (RunFileError, HallUnknown, *SCENE_ERRORS) as error:
            self._fail(str(error))
            return
        if self.past is None:
            self.past = RunState(events=session.live.events[: self.told])
        self.past = RunState(document, plant, frame, self.past.events)
        self._halls.tell(before)
        session.frame_changed.emit(frame)
        session.time_changed.emit(t_s)
        self._looked_wall_s = monotonic()
        if session.replay.scrubbing:
            self._held = True
            self._follow(self._looked_wall_s)

    def _fail(self, words: str) -> None:
        """Tell once why a time cannot be shown; where nothing is shown yet, nothing more is tried."""
        session = self._session
        session.replay.pause()
        if self.past is None:
            session.replay.open(None, ())
            session.replay.back_to_live()
        if words != self._complained:
            self._complained = words
            session.trouble.emit(Trouble(tr("That time cannot be shown"), words))

    def _leave(self) -> None:
        session = self._session
        if self.past is None:
            return
        before = session.document, session.plant
        self.past = None
        self._halls.tell(before)
        self.tell(session.live.events[self.told :])
        if session.frame is not None:
            session.frame_changed.emit(session.frame)
        session.shown = session.frame if self._halls.foreseen is None else None
        if session.shown is not None:
            session.figures_changed.emit(session.shown)
        session.time_changed.emit(session.t_s)

    def _tell_events(self, count: int, wall_s: float) -> None:
        past, session, began_s = self.past, self._session, thread_time()
        assert past is not None
        fresh, self.told = session.live.events[self.told : count], count
        past.events = session.live.events[:count]
        if fresh:
            session.events_added.emit(fresh)
        else:
            session.rewound.emit()
        self.events_wall_s = wall_s + self._rest_s(thread_time() - began_s)

    def _rest_s(self, cost_s: float) -> float:
        """Return how long to wait after what took so long."""
        least_s = _HELD_FIGURES_WALL_S if self._session.replay.scrubbing else FIGURES_WALL_S
        return max(least_s, _SHARE * cost_s)
