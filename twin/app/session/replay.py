"""Going through the record of a run: which time is looked at, and how it moves. Knows neither Qt nor scenes."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from pathlib import Path

from psygnal import Signal

from twin.language import tr
from twin.record.events import Event, Severity
from twin.record.frame import Frame
from twin.record.reader import Reader
from twin.record.runfile import RunFileError

FLAT_OUT_WALL_S = 30.0
""""As fast as possible" goes through the whole record in so long: faster than this nobody sees anything."""
_IDLE_WALL_S = 2.0
"""A file that is being written is let go of when nobody has looked for so long: its writer folds it at the end."""
_NOTICED_S = 1.0
"""A picture that is so much older than the clock is not of the time it shows [s]."""
_NOTICED_WALL_S = 2.0
"""While time moves by itself, pictures may be older by what passes in so long: the next comes before one has read."""

Loop = tuple[float, float]


class Replay:
    """The time of a record that is looked at.

    Attributes
    ----------
    looking_s
        That time [s]; None: the present.
    reach_s
        How far the record goes, or the run that writes it [s].
    playing
        Whether it moves by itself.
    loop
        What is gone through over and over [s]; None: all.
    scrubbing
        Whether somebody drags through it now.
    events
        Everything that has happened, in order; whoever opens a record keeps it up to date.
    """

    looked = Signal(object)  # float [s], or None: the present
    playing_changed = Signal(bool)
    loop_changed = Signal()

    def __init__(self) -> None:
        self._path: Path | None = None
        self._reader: Reader | None = None
        self._live = True
        self._read_wall_s = 0.0
        self.events: Sequence[Event] = ()
        self.clear()

    def clear(self) -> None:
        """Another run: nothing of it is recorded yet."""
        self.open(None, ())
        self.looking_s: float | None = None
        self.reach_s = 0.0
        self.playing = self.scrubbing = False
        self._ratio = 0.0
        self._wall_s: float | None = None  # of the last turn while it moved
        self.loop: Loop | None = None

    def open(self, run_file: Path | None, events: Sequence[Event], *, live: bool = True) -> None:
        """Read from this file from now on; None: there is nothing to look at.

        Of a run that is `live` there is a present, and somebody writes the file.
        """
        self._let_go()
        self._path, self.events, self._live = run_file, events, live

    @property
    def possible(self) -> bool:
        """Return whether there is a record."""
        return self._path is not None

    # -- where ----

    def look(self, t_s: float) -> None:
        """Look at a time, as far as the record reaches."""
        if self.possible and math.isfinite(t_s):
            self.looking_s = min(max(t_s, 0.0), self.reach_s)
            self.looked.emit(self.looking_s)

    def behind(self, taken_s: float) -> bool:
        """Return whether a picture taken at this time [s] is noticeably older than the time that is looked at.

        A record has pictures at its samples only, and each stands until the next. While time moves by itself, less
        than what passes as one watches is not noticed.
        """
        passing_s = abs(self._ratio) * _NOTICED_WALL_S if self.playing else 0.0
        return self.looking_s is not None and self.looking_s - taken_s > max(_NOTICED_S, passing_s)

    def back_to_live(self) -> None:
        """Look at the present again; of a record alone, at its end."""
        if not self._live:
            self.pause()
            self.look(self.reach_s)
        elif self.looking_s is not None:
            self.pause()
            self.looking_s = None
            self._let_go()
            self.looked.emit(None)

    def step(self, by: int, least: Severity = Severity.INFO) -> bool:
        """Look at the next event of at least this severity, or with -1 at the one before; say whether there is one."""
        found = self.neighbour(by, least)
        if found is None:
            return False
        self.pause()
        self.look(found.t_s)
        return True

    def neighbour(self, by: int, least: Severity = Severity.INFO) -> Event | None:
        """Return the event that `step` goes to."""
        now_s = self.reach_s if self.looking_s is None else self.looking_s
        if by > 0:
            places = range(bisect_right(self.events, now_s, key=_time), len(self.events))
        else:
            places = range(bisect_left(self.events, now_s, key=_time) - 1, -1, -1)
        return next((self.events[k] for k in places if self.events[k].severity >= least), None)

    def frame(self, t_s: float, wall_s: float) -> Frame:
        """Return the picture at a time.

        Raises
        ------
        RunFileError
            When the record cannot be read there.
        """
        assert self._path is not None
        if self._reader is None:
            self._reader = Reader(self._path)
        self._read_wall_s = wall_s
        return self._reader.frame(t_s)

    @property
    def holds(self) -> bool:
        """Return whether the file is open, so that it can be read even when nothing stands under its name any more."""
        return self._reader is not None

    def save_copy(self, path: Path) -> None:
        """Write the record as it is open now to `path`; raises `RunFileError` when that cannot be done."""
        if self._reader is None:
            raise RunFileError(tr("{path}: it is closed, so no copy can be made", path=self._path))
        self._reader.save_copy(path)

    # -- moving ----

    def play(self, ratio: float) -> None:
        """Play at a ratio to real time, backwards where negative; from the end it starts again."""
        if not self.possible or not ratio:
            return
        start_s, end_s = self.range_s
        if self.looking_s is None:
            self.look(self.reach_s)
        if ratio > 0 and self.looking_s is not None and self.looking_s >= end_s:
            self.look(start_s)
        self._ratio, self._wall_s = ratio, None
        self._set_playing(True)

    def pause(self) -> None:
        """Stand still."""
        self._set_playing(False)

    @property
    def backwards(self) -> bool:
        """Return whether it moves to earlier times."""
        return self.playing and self._ratio < 0

    @property
    def range_s(self) -> Loop:
        """Return what is gone through [s]: the loop, or the whole record."""
        return self.loop if self.loop is not None else (0.0, self.reach_s)

    def set_loop(self, from_s: float | None, to_s: float | None) -> None:
        """Go through a range over and over; an end that is None stays, or is that of the record."""
        low, high = self.range_s
        low = low if from_s is None else max(from_s, 0.0)
        high = high if to_s is None else min(to_s, self.reach_s)
        if low >= high:  # the other end was on the wrong side
            low, high = (low, self.reach_s) if to_s is None else (0.0, high)
        self.loop = (low, high) if low < high else None
        self.loop_changed.emit()

    def clear_loop(self) -> None:
        """Go through the whole record."""
        self.loop = None
        self.loop_changed.emit()

    def turn(self, wall_s: float) -> None:
        """Move on, when it moves, by the time since the last turn."""
        if self._reader is not None and self._live and wall_s - self._read_wall_s > _IDLE_WALL_S:
            self._let_go()
        if not self.playing or self.looking_s is None:
            return
        passed_s = 0.0 if self._wall_s is None else wall_s - self._wall_s
        self._wall_s = wall_s
        if passed_s:
            self._move(passed_s)

    def _move(self, passed_s: float) -> None:
        assert self.looking_s is not None
        start_s, end_s = self.range_s
        pace = self._ratio
        if math.isinf(pace):
            pace = math.copysign(max(self.reach_s, 1.0) / FLAT_OUT_WALL_S, pace)
        t_s = self.looking_s + pace * passed_s
        if start_s <= t_s <= end_s:
            self.look(t_s)
        elif self.loop is not None:  # round and round, from wherever it came
            self.look(start_s if pace > 0 else end_s)
        else:
            self.pause()
            self.look(t_s)

    def _set_playing(self, playing: bool) -> None:
        if playing != self.playing:
            self.playing = playing
            self.playing_changed.emit(playing)

    def _let_go(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None


def _time(event: Event) -> float:
    return event.t_s
