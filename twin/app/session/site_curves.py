"""The curves of the run: its record as far as it is written, then the frames that are newer than that.

So what a plot shows does not depend on how fast the run is played, nor on how many frames the window could draw. The
record is read in slices of some blocks, on the thread of the window: a few milliseconds each, and nothing is held
open between them, so that the run file can be folded when the run ends.
"""

from __future__ import annotations

import logging
import math
from collections import deque
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from psygnal import Signal

from twin.app.session.bounded_history import BoundedHistory
from twin.app.session.plot_pages import CURVES_SHOWN, PUE_RUN, SITE_CHANNELS, WUE_RUN
from twin.arrays import Floats
from twin.record.frame import Frame, FrameLayout
from twin.record.reader import Reader
from twin.record.runfile import RunFileError

READ_WALL_S = 0.5
"""How often the record is looked at; the worker commits once a second [wall s]."""
_BLOCKS = 3
_KWH_J = 3.6e6
_TAIL = 256
"""Frames whose sums are known still when the record comes to their time."""
_IT, _FACILITY, _WATER = "site.it_w", "site.facility_w", "plant.water_l_s"
_LOG = logging.getLogger(__name__)


class Totals:
    """Energy and water since the start, by the trapezoidal rule over samples.

    Parameters
    ----------
    known
        Time [s], sums and rates of the last sample; None: there was none.

    Attributes
    ----------
    t_s, rates, sums
        Of the last sample: its time [s]; IT power [W], facility power [W], water [L/s]; what has come together
        since the start [J, J, L].
    """

    def __init__(self, known: tuple[float, Floats, Floats] | None = None) -> None:
        self.t_s, self.sums, self.rates = known or (math.nan, np.zeros(3), np.zeros(3))

    def advance(self, t_s: Floats, rates: Floats) -> Floats:
        """Return the sums [J, J, L] at each of some later times [s], of rates (rows as `rates`), and keep the last."""
        rates = np.nan_to_num(rates)
        times = np.concatenate(([t_s[0] if math.isnan(self.t_s) else self.t_s], t_s))
        every = np.column_stack((self.rates, rates))
        grown = np.cumsum(np.diff(times) * (every[:, 1:] + every[:, :-1]) / 2.0, axis=1)
        sums: Floats = self.sums[:, None] + grown
        self.t_s, self.rates, self.sums = float(t_s[-1]), rates[:, -1], sums[:, -1]
        return sums


class RunCurves:
    """The history of one run, and where it comes from.

    Attributes
    ----------
    history
        What plots draw.
    """

    changed = Signal()

    def __init__(self) -> None:
        self.history = BoundedHistory(CURVES_SHOWN, sums=(PUE_RUN, WUE_RUN))
        self.clear()

    def clear(self) -> None:
        """Another run begins; `follow` tells where it is recorded."""
        self.history.clear()
        self._path: Path | None = None
        self._layout: FrameLayout | None = None
        self._recorded, self._live = Totals(), Totals()
        self._tail: deque[tuple[float, Floats, Floats]] = deque(maxlen=_TAIL)  # time, sums, rates
        self._read_to: list[
            tuple[float, Floats, Floats]
        ] = []  # the same at the end of each slice of the record
        self._recorded_s = -math.inf
        self._joined = False  # the record has come to the frames
        self._next_wall_s = 0.0

    def follow(self, run_file: Path | None) -> None:
        """Read the record of the run from here on; None: it is not recorded."""
        self._path = run_file

    def add(self, frame: Frame) -> None:
        """Take a frame, newer than those before."""
        if self._live.t_s >= frame.t_s:
            return
        values = frame.values
        site = [float(values[name][0]) for name in SITE_CHANNELS]
        rates = np.array([[values[_IT][0]], [values[_FACILITY][0]], [values[_WATER].sum()]], np.float64)
        sums = self._live.advance(np.array([frame.t_s]), rates)
        self._tail.append((frame.t_s, sums[:, 0], self._live.rates))
        pue, wue = _shares(sums)
        if self.history.append(frame.t_s, (*site, float(pue[0]), float(wue[0]))):
            self.changed.emit()

    def go_back(self, t_s: float) -> None:
        """Forget what comes after a time [s]: the run stands there again."""
        self.history.cut(t_s)
        self._tail = deque((known for known in self._tail if known[0] <= t_s), _TAIL)
        if self._recorded_s > t_s:  # it is read again from the end of the slice before
            while self._read_to and self._read_to[-1][0] > t_s:
                self._read_to.pop()
            self._recorded = Totals(self._read_to[-1] if self._read_to else None)
            self._recorded_s = self._recorded.t_s if self._read_to else -math.inf
        record = self._recorded
        self._live = Totals(self._tail[-1] if self._tail else (record.t_s, record.sums, record.rates))
        self.changed.emit()

    def read(self, t_s: float, wall_s: float) -> None:
        """Read on in the record when it may be further than it was; the run stands at `t_s` [s]."""
        if self._path is None or wall_s < self._next_wall_s or t_s <= self._recorded_s:
            return
        try:
            with Reader(self._path) as reader:
                self._layout = self._layout or reader.header.layout
                found = reader.samples((*SITE_CHANNELS, _WATER), self._recorded_s, _BLOCKS, self._layout)
        except RunFileError as error:
            _LOG.warning("plots show frames only: %s", error)
            self._path = None
            return
        self._next_wall_s = wall_s + READ_WALL_S
        if len(found[0]):
            self._take(*found)
            self._next_wall_s = wall_s  # there may be more: the next slice is for the next turn

    def at(self, name: str, t_s: float) -> float:
        """Return the last value of a curve up to a time [s]; nan before the first."""
        return self.history.at(name, t_s)

    def _take(self, times: Floats, columns: dict[str, NDArray[np.float32]]) -> None:
        site = {name: columns[name][0].astype(np.float64) for name in SITE_CHANNELS}
        water_l_s = (
            columns[_WATER].sum(axis=0, dtype=np.float64) if _WATER in columns else np.zeros(len(times))
        )
        sums = self._recorded.advance(times, np.vstack((site[_IT], site[_FACILITY], water_l_s)))
        self._recorded_s = float(times[-1])
        self._read_to.append((self._recorded_s, self._recorded.sums, self._recorded.rates))
        self._correct_live()
        self.history.merge(np.vstack((times, *site.values(), *_shares(sums))))
        self.changed.emit()

    def _correct_live(self) -> None:
        """Let the sums of frames go on from those of the record, which miss nothing between two frames."""
        live, record = self._live, self._recorded
        if not live.t_s > record.t_s:
            live.t_s, live.rates, live.sums, self._joined = record.t_s, record.rates, record.sums, True
            return
        first_s, sums, _ = self._tail[0]
        if first_s <= record.t_s:
            times = [t_s for t_s, _, _ in self._tail]
            each = np.array([sums for _, sums, _ in self._tail]).T
            missed, self._joined = record.sums - [np.interp(record.t_s, times, row) for row in each], True
        elif (
            not self._joined
        ):  # of a run that goes on: from its end to the first frame it went as it did there
            missed = record.sums + record.rates * (first_s - record.t_s) - sums
        else:
            return
        live.sums = live.sums + missed
        self._tail = deque(((t_s, sums + missed, rates) for t_s, sums, rates in self._tail), _TAIL)


def _shares(sums: Floats) -> tuple[Floats, Floats]:
    """Return PUE and WUE [L/kWh] so far, nan where no IT has run."""
    it_j, facility_j, water_l = sums
    ran = it_j > 0
    pue = np.divide(facility_j, it_j, out=np.full_like(it_j, math.nan), where=ran)
    wue = np.divide(water_l * _KWH_J, it_j, out=np.full_like(it_j, math.nan), where=ran)
    return pue, wue
