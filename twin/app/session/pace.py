"""How fast a run is played, and how far: where it stands still by itself."""

from __future__ import annotations

import math
from collections.abc import Callable

from twin.app.session.session_state import SessionState
from twin.app.session.speeds import DEFAULT_SPEED, next_speed
from twin.scenario.schema.faults import Intervention


class PacedSession(SessionState):
    """The part of a session that plays.

    Attributes
    ----------
    speed
        Ratio to real time.
    stop_s
        Time [s] at which the run stands still, and past which it does not play.
    permit
        Returns why an intervention may not be done now; "": it may.
    """

    speed = _own_speed = DEFAULT_SPEED
    stop_s = math.inf
    permit: Callable[[Intervention], str] = staticmethod(lambda _asked: "")

    def go_on_to(self, stop_s: float, speed: float = math.inf) -> None:
        """Let the run go on to a time [s] and stand still there; where it has come so far, tell that it is there."""
        self.stop_s = stop_s
        if not self.stands_at_stop():
            self.leave_start()
            self.client.play(speed, stop_s)
            self.set_running(True)

    def stands_at_stop(self) -> bool:
        """Return whether the run does not play on from here, and tell so."""
        stands = self.t_s >= self.stop_s
        if stands:
            self.at_stop.emit()
        return stands

    def set_speed(self, ratio: float) -> None:
        """Choose the ratio to real time, of the run or of the record that is looked at; scenes may ask for another."""
        self._own_speed = ratio
        self.take_speed(ratio)

    def take_speed(self, ratio: float) -> None:
        """Play at a ratio to real time that the scene asks for, or a moment of it."""
        if self.looking_s is not None and self.replay.playing:
            self.replay.play(-ratio if self.replay.backwards else ratio)
        if ratio == self.speed:
            return
        self.speed = ratio
        if self.running and self.looking_s is None:
            self.client.play(ratio, self.stop_s)
        self.speed_changed.emit(ratio)

    def change_speed(self, notches: int) -> None:
        """Choose the next faster (1) or slower (-1) ratio to real time."""
        self.set_speed(next_speed(self.speed, notches))
