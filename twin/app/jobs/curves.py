"""Curves of one job: its record as far as it is written, then newer frames. No widgets.

Another job, or another run, begins anew: the record is read in slices of one block, on the thread of the window.
"""

from __future__ import annotations

import logging
import math
from pathlib import Path

import numpy as np

from twin.app.session.bounded_history import BoundedHistory
from twin.arrays import Floats
from twin.language import tr
from twin.record.channels import JobState
from twin.record.frame import Frame, FrameLayout
from twin.record.reader import Reader
from twin.record.runfile import RunFileError

CURVES: tuple[tuple[str, str, str], ...] = (
    ("job.step_s", tr("Step"), "s"),
    ("job.goodput", tr("Goodput"), "%"),
    ("job.gpus", "GPUs", ""),
)
"""Channel, title, unit."""
READ_WALL_S = 0.5
"""How often a record that was read to its end is looked at again [wall s]."""
_CAPACITY = 2048
_LOG = logging.getLogger(__name__)
_NAMES = tuple(name for name, _, _ in CURVES)
_READ = (*_NAMES, "job.state")


class JobCurves:
    """The history of one job of a run.

    Attributes
    ----------
    history
        Series `CURVES` over simulated time; step times only while it steps, goodput only since it began, GPUs only
        while it is here, else nan.
    """

    def __init__(self) -> None:
        self.history = BoundedHistory(_NAMES, _CAPACITY)
        self._job = -1
        self.clear()

    def clear(self) -> None:
        """Another run begins."""
        self.history.clear()
        self._path: Path | None = None
        self._layout: FrameLayout | None = None
        self._read_s = -math.inf
        self._next_wall_s = 0.0

    def follow(self, job: int, run_file: Path | None) -> None:
        """Show a job of the run in a file; None: it is not recorded."""
        if job != self._job or run_file != self._path:
            self.clear()
            self._job, self._path = job, run_file

    def add(self, frame: Frame) -> None:
        """Take a frame, newer than those before."""
        values = frame.values
        if self._job < len(values["job.step_s"]):
            known = _known(*(np.asarray(values[name][[self._job]], np.float64) for name in _READ))
            self.history.append(frame.t_s, tuple(float(figure[0]) for figure in known))

    def go_back(self, t_s: float) -> None:
        """Forget what comes after a time [s]: the run stands there again."""
        self.history.cut(t_s)
        self._read_s = min(self._read_s, t_s)

    def read(self, t_s: float, wall_s: float) -> bool:
        """Read on in the record; return whether there was anything. The run stands at `t_s` [s]."""
        if self._path is None or wall_s < self._next_wall_s or t_s <= self._read_s:
            return False
        try:
            with Reader(self._path) as reader:
                self._layout = self._layout or reader.header.layout
                times_s, columns = reader.samples(_READ, self._read_s, 1, self._layout)
        except RunFileError as error:
            _LOG.warning("curves of jobs show frames only: %s", error)
            self._path = None
            return False
        self._next_wall_s = wall_s + READ_WALL_S
        if not len(times_s) or any(name not in columns for name in _READ):
            return False
        self._read_s, self._next_wall_s = float(times_s[-1]), wall_s
        known = _known(*(columns[name][self._job].astype(np.float64) for name in _READ))
        self.history.merge(np.vstack((times_s, *known)))
        return True


def _known(step_s: Floats, goodput: Floats, gpus: Floats, state: Floats) -> tuple[Floats, Floats, Floats]:
    """Return what is known of a job at each time: in a cloud it holds GPUs that are not counted here."""
    away = state == JobState.REMOTE
    steps = ((gpus > 0) | away) & np.isfinite(step_s) & (step_s > 0)
    begun = (gpus > 0) | (goodput > 0)  # before that there is nothing to be good at
    return (
        np.where(steps, step_s, math.nan),
        np.where(begun, goodput, math.nan),
        np.where(away, math.nan, gpus),
    )
