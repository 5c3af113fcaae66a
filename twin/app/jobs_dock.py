"""The jobs and how they get on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from psygnal import Signal
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHeaderView, QMainWindow, QTableView

from twin.app.column_model import ColumnModel, Index
from twin.app.dock import Dock
from twin.app.look import Look, tool_button
from twin.app.session import Session
from twin.app.text import MISSING, duration, quantity
from twin.record.channels import JobState
from twin.record.frame import Frame
from twin.scenario.document import Scenario
from twin.scenario.work import Load

COLUMNS = ("Job", "State", "Steps", "Step time", "MFU", "Goodput", "GPUs", "Lost time")
_STATE_LOOK = {
    JobState.QUEUED: ("clock", "muted"),
    JobState.STARTING: ("restart", "notice"),
    JobState.RUNNING: ("play", "ok"),
    JobState.CHECKPOINT: ("loop", "notice"),
    JobState.DETECTING: ("alarm", "alarm"),
    JobState.RESTARTING: ("restart", "warning"),
    JobState.WAITING: ("pause", "warning"),
    JobState.DONE: ("check", "muted"),
}


@dataclass(frozen=True)
class JobLine:
    """One job as shown."""

    id: str
    state: JobState
    texts: tuple[str, ...]


def job_lines(scenario: Scenario, frame: Frame | None) -> list[JobLine]:
    """Return a line for each job: texts in the order of `COLUMNS`."""
    lines = []
    for index, job in enumerate(scenario.jobs):
        if frame is None or index >= len(frame.values["job.state"]):
            lines.append(JobLine(job.id, JobState.QUEUED, (job.id, "queued", *[MISSING] * 6)))
            continue
        values = {name: float(frame.values[f"job.{name}"][index]) for name in _CHANNELS}
        state = JobState(int(frame.values["job.state"][index]))
        steps = f"{values['step']:,.0f}" + (f" of {job.steps:,}" if job.steps is not None else "")
        lost_s = (frame.t_s - job.submit_s) * (1.0 - values["goodput"] / 100.0)
        lines.append(
            JobLine(
                job.id,
                state,
                (
                    job.id,
                    state.name.lower(),
                    steps,
                    quantity(values["step_s"], "s"),
                    MISSING if isinstance(job.workload, Load) else quantity(values["mfu"], "%"),
                    quantity(values["goodput"], "%"),
                    f"{values['gpus']:,.0f}",
                    duration(lost_s) if np.isfinite(lost_s) and lost_s >= 1.0 else MISSING,
                ),
            )
        )
    return lines


_CHANNELS = ("step", "step_s", "mfu", "goodput", "gpus")


class JobModel(ColumnModel):
    """One row per job of the scenario."""

    def __init__(self, look: Look) -> None:
        super().__init__(COLUMNS)
        self._look = look
        self.lines: list[JobLine] = []

    def show_lines(self, lines: list[JobLine]) -> None:
        """Show these jobs."""
        if len(lines) != len(self.lines):
            self.beginResetModel()
            self.lines = lines
            self.endResetModel()
        elif lines != self.lines:
            self.lines = lines
            self.dataChanged.emit(self.index(0, 0), self.index(len(lines) - 1, len(COLUMNS) - 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of jobs."""
        return 0 if parent.isValid() else len(self.lines)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, icon, alignment or colour of a cell."""
        line, column = self.lines[index.row()], index.column()
        icon, colour = _STATE_LOOK[line.state]
        if role == Qt.ItemDataRole.DisplayRole:
            return line.texts[column]
        if role == Qt.ItemDataRole.DecorationRole and column == 1:
            return self._look.icon(icon, colour)
        if role == Qt.ItemDataRole.ForegroundRole and column == 1:
            return QColor(getattr(self._look.theme, colour))
        if role == Qt.ItemDataRole.TextAlignmentRole and column > 1:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None


class JobsDock(Dock):
    """Table of the jobs; a click shows one in the inspector."""

    chosen = Signal(str)  # job id
    plan_wanted = Signal(object)  # job id; None: whichever

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, "jobs", "Jobs", "job", parent)
        self._session = session
        self.model = JobModel(look)
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setAccessibleName("Jobs")
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.table.setShowGrid(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(26)
        header = self.table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.table.clicked.connect(lambda index: self.chosen.emit(self.model.lines[index.row()].id))
        plan = tool_button(look, "gauge", "Plan a job (Ctrl+J)")
        plan.setText("Plan\N{HORIZONTAL ELLIPSIS}")
        plan.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        plan.clicked.connect(lambda: self.plan_wanted.emit(self._selected()))
        self.tools.addWidget(plan)
        self.body.addWidget(self.table)
        session.document_changed.connect(self._refresh)
        session.run_started.connect(self._refresh)
        session.figures_changed.connect(self._refresh)

    def _selected(self) -> str | None:
        rows = self.table.selectionModel().selectedRows()
        return self.model.lines[rows[0].row()].id if rows else None

    def _refresh(self) -> None:
        if self._session.document is not None:
            self.model.show_lines(job_lines(self._session.document.scenario, self._session.shown))
