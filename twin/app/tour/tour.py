"""A tour through the chapters of the open scene: puts run, record and camera where each chapter wants them."""

from __future__ import annotations

import math
from typing import Literal

from psygnal import Signal
from PySide6.QtCore import QTimer

from twin.app.hall.panel import HallPanel
from twin.app.session.session import Session
from twin.report.tour_figures import MomentFigures
from twin.report.tour_times import TourStop, current, stops
from twin.scenario.schema.chapter import VIEWS, Chapter
from twin.scenario.schema.document import Scenario
from twin.view3d.base.camera import pose_between

_TURN_MS = 40
_NEAR_S = 1e-3
"""Two times that differ by less are the same [s]."""

Phase = Literal["", "ahead", "plays", "paused", "over"]
"""Not begun; the run is simulated up to the chapter; it plays; somebody paused it; it has come to the end of it."""


class Tour:
    """Goes from chapter to chapter.

    Attributes
    ----------
    place
        Of the chapter shown, from 0; None: none.
    phase
        What it does now.
    """

    changed = Signal()  # the chapter, the phase, or the chapters themselves

    def __init__(self, session: Session, hall: HallPanel) -> None:
        self.session, self._hall = session, hall
        self.place: int | None = None
        self._plays = True
        self.phase: Phase = ""
        self._asked: tuple[float, float] | None = None  # speed and end that the run, or its record, was given
        self._known: tuple[Scenario | None, tuple[TourStop, ...]] = (None, ())
        self._timer = QTimer(hall)
        self._timer.setInterval(_TURN_MS)
        self._timer.timeout.connect(self.turn)
        session.opened.connect(lambda _: self.leave())
        session.document_changed.connect(lambda _: self.changed.emit())

    # -- what there is ----

    @property
    def stops(self) -> tuple[TourStop, ...]:
        """Return the chapters with their times."""
        document = self.session.document
        scenario = document.scenario if document is not None else None
        if scenario is not self._known[0]:
            self._known = scenario, stops(scenario) if scenario is not None else ()
        return self._known[1]

    @property
    def stop(self) -> TourStop | None:
        """Return the chapter that is shown."""
        place, among = self.place, self.stops
        return among[place] if place is not None and place < len(among) else None

    @property
    def following(self) -> TourStop | None:
        """Return the chapter that comes next."""
        place, among = self.place, self.stops
        later = 0 if place is None else place + 1
        return among[later] if later < len(among) else None

    def figure(self, name: str) -> str:
        """Return a figure of the moment on screen in words."""
        session = self.session
        document, plant = session.document, session.plant
        if document is None or plant is None:
            return ""
        frame = session.frame
        fits = frame is not None and frame.layout.epoch == plant.epoch
        return MomentFigures(document.scenario, plant, frame if fits else None, session.shown_s)(name)

    # -- going ----

    def begin(self) -> None:
        """Go to the chapter of the time on screen, else to the first."""
        self.go(current(self.stops, self.session.shown_s) or 0)

    def go(self, place: int, *, play: bool = True) -> None:
        """Show a chapter, and play it from its beginning, or stand there."""
        if not 0 <= place < len(self.stops):
            return
        session, stop = self.session, self.stops[place]
        session.halt()
        self.place, self.phase, self._asked, self._plays = place, "ahead", None, play
        self.changed.emit()  # the card takes its room before the camera frames what is left
        self._look(stop.chapter)
        if session.t_s > stop.at_s + _NEAR_S or session.recording is not None:
            session.replay.look(stop.at_s)
            self.phase = "plays"
        else:
            session.replay.back_to_live()
            self.phase = "ahead"
        self._timer.start()
        self.turn()
        self.changed.emit()

    def next(self) -> None:
        """Go to the next chapter; after the last there is none."""
        self.go(0 if self.place is None else self.place + 1)

    def back(self) -> None:
        """Go to the chapter before; from the middle of one to its beginning."""
        stop = self.stop
        if stop is None or self.place is None:
            return
        begun = self.phase == "ahead" or self.session.shown_s <= stop.at_s + 2.0 * stop.slow
        self.go(max(self.place - 1, 0) if begun else self.place)

    def toggle(self) -> None:
        """Pause, or play on; at the end of a chapter go to the next."""
        if self.phase == "over":
            self.next()
            return
        if self.phase == "paused":
            self.phase, self._asked = "plays", None
            self.turn()
        elif self.phase == "plays":
            self.session.halt()
            self.phase = "paused"
        self.changed.emit()

    def leave(self) -> None:
        """Let the run be."""
        self._timer.stop()
        if self.phase in ("ahead", "plays"):
            self.session.halt()
        self.place, self.phase, self._asked = None, "", None
        self.changed.emit()

    # -- playing ----

    def turn(self) -> None:
        """Play on: at the speed of the moment, to the end of the chapter."""
        stop = self.stop
        if stop is None or self.session.document is None:
            self._timer.stop()
        elif self.phase == "ahead":
            self._go_ahead(stop)
        elif self.phase == "plays" and not self._plays:
            self.leave()
        elif self.phase == "plays":
            self._play(stop)

    def _go_ahead(self, stop: TourStop) -> None:
        session = self.session
        if session.t_s >= stop.at_s - _NEAR_S or session.finished:
            if stop.at_s > 0.0:
                session.halt()
            self.phase, self._asked = "plays", None
            self.changed.emit()
            self.turn()
        elif not session.lost and (self._asked is None or not session.running):
            self._asked = math.inf, stop.at_s
            session.play(math.inf, stop.at_s)

    def _play(self, stop: TourStop) -> None:
        session = self.session
        at_s, in_record = session.shown_s, session.looking_s is not None
        # A recorded run that was broken off ends where it does.
        ended = session.finished or session.recording is not None
        if at_s >= stop.until_s - _NEAR_S or (ended and at_s >= session.t_s - _NEAR_S):
            session.halt()
            self.phase = "over"
            self.changed.emit()
            return
        if in_record and session.recording is None and at_s >= session.t_s - _NEAR_S:
            session.replay.back_to_live()  # the record ends here, the run goes on
            self._asked = None
            in_record = False
        speed, end_s = stop.piece_at(at_s)
        moves = session.replay.playing if in_record else session.running
        if self._asked != (speed, end_s) or not moves:
            self._asked = speed, end_s
            session.play(speed, end_s)

    # -- looking ----

    def _look(self, chapter: Chapter) -> None:
        """Look at the hall as a chapter wants it."""
        state, view = self._hall.state, self._hall.view
        if chapter.layers is not None:
            state.layers = frozenset(chapter.layers)
        if chapter.colour_by is not None:
            state.colour_by = chapter.colour_by
        state.selection = chapter.select
        if chapter.eye is not None and chapter.target is not None:
            view.go(pose_between(chapter.eye.metres, chapter.target.metres))
        elif chapter.camera in VIEWS:
            view.preset(chapter.camera)
        elif chapter.camera is not None:
            view.fly_to(chapter.camera)
