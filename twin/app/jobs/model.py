"""The jobs of a run as a table: sorted and filtered by arrays, its texts made for the rows on screen only."""

from __future__ import annotations

from enum import Enum

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QColor

from twin.app.toolkit.column_model import ColumnModel, Index
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.text import MISSING, duration, quantity
from twin.app.world.job_lookup import state_in_short
from twin.language import tr
from twin.record.accounts import JOB_SECONDS
from twin.record.channels import JobState
from twin.record.frame import Frame
from twin.scenario.schema.work import Job, Load

COLUMNS = (
    tr("Job"),
    tr("State"),
    tr("Steps"),
    tr("Step time"),
    "MFU",
    tr("Goodput"),
    "GPUs",
    tr("Lost time"),
)
JOB, STATE, STEPS, STEP_S, MFU, GOODPUT, GPUS, LOST = range(len(COLUMNS))
_STATE_LOOK = {
    JobState.QUEUED: ("clock", "muted"),
    JobState.STARTING: ("restart", "notice"),
    JobState.RUNNING: ("play", "ok"),
    JobState.CHECKPOINT: ("loop", "notice"),
    JobState.DETECTING: ("alarm", "alarm"),
    JobState.RESTARTING: ("restart", "warning"),
    JobState.WAITING: ("pause", "warning"),
    JobState.DONE: ("check", "muted"),
    JobState.KILLED: ("stop", "warning"),
    JobState.REMOTE: ("flow", "notice"),
}
_CHANNELS = {
    STEPS: "job.step",
    STEP_S: "job.step_s",
    MFU: "job.mfu",
    GOODPUT: "job.goodput",
    GPUS: "job.gpus",
}


class JobFilter(Enum):
    """Which jobs are listed."""

    ALL = tr("All")
    WORK = tr("Active")
    WAIT = tr("Queued")
    OVER = tr("Ended")

    def holds(self, state: NDArray[np.uint8], submitted: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which states belong to it; a job waits only from its submission on."""
        over = (state == JobState.DONE) | (state == JobState.KILLED)
        if self is JobFilter.WAIT:
            return np.asarray((state == JobState.QUEUED) & submitted)
        if self is JobFilter.OVER:
            return np.asarray(over)
        return (
            np.asarray(~over & (state != JobState.QUEUED))
            if self is JobFilter.WORK
            else np.ones(len(state), bool)
        )


def job_text(job: Job, index: int, frame: Frame | None, column: int) -> str:
    """Return what is written of a job in a column of `COLUMNS`."""
    if column == JOB:
        return job.id
    if frame is None or index >= len(frame.values["job.state"]):
        return MISSING
    state = JobState(int(frame.values["job.state"][index]))
    if column == STATE:
        return state_in_short(frame, job, index)
    if column == LOST:
        lost_s = float(_lost_s(frame, slice(index, index + 1))[0])
        return duration(lost_s) if lost_s >= 1.0 else MISSING
    value = float(frame.values[_CHANNELS[column]][index])
    if column in (MFU, GOODPUT, GPUS, STEPS) and state == JobState.QUEUED and value == 0:
        return MISSING
    if column == GPUS and state == JobState.REMOTE:
        return tr("in a cloud")  # it holds none here
    if column == STEPS:
        return f"{value:,.0f}" + (tr(" of {steps:,}", steps=job.steps) if job.steps is not None else "")
    if column == GPUS:
        return f"{value:,.0f}"
    if column == MFU and isinstance(job.workload, Load):
        return MISSING
    return quantity(value, "s" if column == STEP_S else "%")


def _lost_s(frame: Frame, rows: slice = slice(None)) -> NDArray[np.float64]:
    """Return for how long each job held its GPUs beyond what its steps take at their best [s]."""
    held_s = np.sum([frame.values[name][rows] for name in JOB_SECONDS], axis=0, dtype=float)
    return np.asarray(held_s * (1.0 - frame.values["job.goodput"][rows] / 100.0))


class JobModel(ColumnModel):
    """One row per job that is listed."""

    def __init__(self, look: Look) -> None:
        super().__init__(COLUMNS)
        self._look = look
        self._jobs: tuple[Job, ...] = ()
        self._ids: NDArray[np.str_] = np.zeros(0, "U1")
        self._submit_s: NDArray[np.float64] = np.zeros(0)
        self._frame: Frame | None = None
        self._which, self._needle = JobFilter.ALL, ""
        self._column, self._down = -1, False
        self.order: NDArray[np.int64] = np.zeros(0, np.int64)

    @property
    def total(self) -> int:
        """Return how many jobs there are, listed or not."""
        return len(self._jobs)

    def show_jobs(self, jobs: tuple[Job, ...], frame: Frame | None) -> None:
        """Show the jobs as they are in a frame."""
        if jobs is not self._jobs:
            self._jobs = jobs
            self._ids = np.array([f"{job.id} {job.tenant or ''} {job.title}".lower() for job in jobs], str)
            self._submit_s = np.array([job.submit_s for job in jobs], float)
        self._frame = frame
        self._arrange()

    def filter(self, which: JobFilter, needle: str) -> None:
        """List only jobs in these states whose id, tenant or title contain `needle`."""
        self._which, self._needle = which, needle.strip().lower()
        self._arrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order by a column; -1: as the scene names them."""
        self._column, self._down = column, order == Qt.SortOrder.DescendingOrder
        self._arrange()

    def job_at(self, row: int) -> Job:
        """Return the job in a row."""
        return self._jobs[int(self.order[row])]

    def row_of(self, job_id: str) -> int:
        """Return the row of a job; -1 where it is not listed."""
        found = next((row for row, k in enumerate(self.order.tolist()) if self._jobs[k].id == job_id), -1)
        return found

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of jobs listed."""
        return 0 if parent.isValid() else len(self.order)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, icon, alignment or colour of a cell."""
        if index.row() >= len(self.order):
            return None
        job, column = int(self.order[index.row()]), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return job_text(self._jobs[job], job, self._frame, column)
        if role == Qt.ItemDataRole.TextAlignmentRole and column > STATE:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ToolTipRole and column == JOB:
            return plain_tip(self._jobs[job].title) or None
        if column == STATE and role in (Qt.ItemDataRole.DecorationRole, Qt.ItemDataRole.ForegroundRole):
            icon, colour = _STATE_LOOK[self._state(job)]
            if role == Qt.ItemDataRole.DecorationRole:
                return self._look.icon(icon, colour)
            return QColor(getattr(self._look.theme, colour))
        return None

    def _state(self, job: int) -> JobState:
        return JobState.QUEUED if self._frame is None else JobState(int(self._frame.values["job.state"][job]))

    def _arrange(self) -> None:
        order = self._sorted(self._listed())
        if len(order) != len(self.order):
            self.beginResetModel()
            self.order = order
            self.endResetModel()
        elif len(order):
            self.order = order
            self.dataChanged.emit(self.index(0, 0), self.index(len(order) - 1, len(COLUMNS) - 1))

    def _listed(self) -> NDArray[np.int64]:
        mask = np.ones(len(self._jobs), bool)
        if self._which is not JobFilter.ALL:
            waiting = np.full(len(mask), JobState.QUEUED, np.uint8)
            state = waiting if self._frame is None else self._frame.values["job.state"][: len(mask)]
            now_s = 0.0 if self._frame is None else self._frame.t_s
            mask &= self._which.holds(state, self._submit_s <= now_s)
        if self._needle:
            mask &= np.char.find(self._ids, self._needle) >= 0
        return np.flatnonzero(mask)

    def _sorted(self, listed: NDArray[np.int64]) -> NDArray[np.int64]:
        if self._column < 0 or not len(listed):
            return listed
        keys: NDArray[np.generic] = self._ids
        if self._column != JOB:
            if self._frame is None:
                return listed
            keys = self._frame.values[_CHANNELS.get(self._column, "job.state")]
            if self._column == LOST:
                keys = _lost_s(self._frame)
        place = np.argsort(keys[listed], kind="stable")
        return listed[place[::-1] if self._down else place]
