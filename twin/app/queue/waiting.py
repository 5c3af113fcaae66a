"""The jobs that wait, in the scheduler's order, as a table that asks for the rows it shows only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from psygnal import Signal
from PySide6.QtCore import QMimeData, QModelIndex, QPoint, Qt
from PySide6.QtGui import QColor, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QMenu, QTableView

from twin.app.queue.history import JobHistory
from twin.app.queue.moves import JOBS_MIME
from twin.app.queue.plan import expected_s
from twin.app.toolkit import text
from twin.app.toolkit.column_model import ColumnModel, Index
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.row_table import RowTable
from twin.app.world.wait_reasons import why_waiting
from twin.language import tr
from twin.record.frame import Frame

COLUMNS = (
    "#",
    tr("Job"),
    tr("Wait reason"),
    "GPUs",
    tr("Wait time"),
    tr("Starts"),
    tr("Takes"),
    tr("Tenant"),
)
PLACE, JOB, REASON, GPUS, WAITED, STARTS, TAKES, TENANT = range(len(COLUMNS))
_WIDTHS_PX = {PLACE: 48, JOB: 112, REASON: 136, GPUS: 56, WAITED: 100, STARTS: 100, TAKES: 92}
_TITLES = {
    PLACE: tr("Place in the queue"),
    TAKES: tr("Scheduler's estimate of the run time"),
    STARTS: tr("Time until the planned start"),
}
_ROW_PX = 23


class WaitingModel(ColumnModel):
    """Rows are the waiting jobs; texts are made when they are shown."""

    def __init__(self, look: Look) -> None:
        super().__init__(COLUMNS)
        self._look = look
        self._history: JobHistory | None = None
        self._frame: Frame | None = None
        self._now_s = 0.0
        self.order: list[int] = []

    def show_queue(self, history: JobHistory, order: list[int], frame: Frame | None, now_s: float) -> None:
        """Show these jobs, in this order, at `now_s` [s]."""
        rows, self._history, self._frame, self._now_s = len(self.order), history, frame, now_s
        if order == self.order and rows:
            self.dataChanged.emit(self.index(0, 0), self.index(rows - 1, len(COLUMNS) - 1))
            return
        if len(order) == rows and rows:
            self.order = order
            self.dataChanged.emit(self.index(0, 0), self.index(rows - 1, len(COLUMNS) - 1))
            return
        if len(order) > rows:
            self.beginInsertRows(QModelIndex(), rows, len(order) - 1)
            self.order = order
            self.endInsertRows()
        elif len(order) < rows:
            self.beginRemoveRows(QModelIndex(), len(order), rows - 1)
            self.order = order
            self.endRemoveRows()
        if order:
            self.dataChanged.emit(self.index(0, 0), self.index(len(order) - 1, len(COLUMNS) - 1))

    def job_id(self, row: int) -> str:
        """Return the id of the job in a row."""
        assert self._history is not None
        return self._history.jobs[self.order[row]].id

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of waiting jobs."""
        return 0 if parent.isValid() else len(self.order)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return title and meaning of a column."""
        if role == Qt.ItemDataRole.ToolTipRole:
            return _TITLES.get(section)
        return super().headerData(section, orientation, role)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let rows be dragged."""
        return super().flags(index) | Qt.ItemFlag.ItemIsDragEnabled

    def mimeTypes(self) -> list[str]:
        """Return what a drag carries."""
        return [JOBS_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Return the ids of the dragged jobs."""
        ids = dict.fromkeys(self.job_id(index.row()) for index in indexes)
        data = QMimeData()
        data.setData(JOBS_MIME, "\n".join(ids).encode())
        return data

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, alignment, colour or tool tip of a cell."""
        if self._history is None or index.row() >= len(self.order):
            return None
        job, column = self.order[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(self._history, job, index.row(), column)
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (PLACE, GPUS, WAITED, TAKES, STARTS):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(self._look.theme.text if column == JOB else self._look.theme.muted)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(self._tip(self._history, job))
        return None

    def _text(self, history: JobHistory, job: int, row: int, column: int) -> str:
        spec = history.jobs[job]
        if column == WAITED:
            return text.duration(max(self._now_s - history.waiting.get(job, self._now_s), 0.0))
        if column == TAKES:
            return text.duration(expected_s(history, job))
        if column == STARTS:
            planned_s = 0.0 if self._frame is None else float(self._frame.values["job.planned_s"][job])
            ahead_s = planned_s - self._now_s
            return (
                tr("in {duration}", duration=text.duration(ahead_s))
                if planned_s > 0 and ahead_s >= 0
                else text.MISSING
            )
        if column == REASON:
            why = 0 if self._frame is None else int(self._frame.values["job.why"][job])
            return why_waiting(why, partitions=bool(self._history and self._history.partitions))
        if column == PLACE:
            return f"{row + 1:,}"
        if column == GPUS:
            return f"{history.gpus_of(job):,}"
        return spec.id if column == JOB else spec.tenant or text.MISSING

    def _tip(self, history: JobHistory, job: int) -> str:
        spec, partition = history.jobs[job], history.partition_of(job)
        lines = [
            spec.title or spec.id,
            tr("partition {partition}", partition=partition) if partition else tr("any partition"),
        ]
        if spec.priority:
            lines.append(tr("priority {priority:+d}", priority=spec.priority))
        if spec.deadline_s is not None:
            lines.append(
                tr("due in {duration}", duration=text.duration(max(spec.deadline_s - self._now_s, 0.0)))
            )
        return "\n".join(lines)


class WaitingTable(RowTable):
    """The table; rows can be dragged to a partition, or moved by menu and keys (M).

    Attributes
    ----------
    job_menu
        Returns the menu of one job; of several only the move is offered.
    """

    chosen = Signal(str)  # job id
    move_wanted = Signal(list, str)  # job ids, partition id

    def __init__(self, look: Look) -> None:
        self.queue = WaitingModel(look)
        super().__init__(look, tr("Queued jobs"), _ROW_PX, self.queue, tr("No queued jobs"))
        self._partitions: tuple[tuple[str, str], ...] = ()
        self.job_menu: Callable[[str], QMenu | None] = lambda _job: None
        self.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # jobs of a stream differ in their last digits
        self.setMinimumWidth(120)
        self.share_width(_WIDTHS_PX, TENANT)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._offer)
        self.clicked.connect(lambda index: self.chosen.emit(self.queue.job_id(index.row())))
        self.activated.connect(lambda index: self.chosen.emit(self.queue.job_id(index.row())))
        key = QShortcut(QKeySequence("M"), self)
        key.setContext(Qt.ShortcutContext.WidgetShortcut)
        key.activated.connect(self._offer_by_key)

    def offer_partitions(self, partitions: tuple[tuple[str, str], ...]) -> None:
        """Take the partitions that jobs can be moved to: id and title."""
        self._partitions = partitions

    def selected(self) -> list[str]:
        """Return the ids of the selected jobs."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [self.queue.job_id(row) for row in rows if row < len(self.queue.order)]

    def move_menu(self) -> QMenu | None:
        """Return the menu that moves the selected jobs; None where there is nothing to move or nowhere to go."""
        jobs = self.selected()
        if not jobs or not self._partitions:
            return None
        menu = QMenu(self)
        who = jobs[0] if len(jobs) == 1 else tr("{jobs:,} jobs", jobs=len(jobs))
        menu.addAction(tr("Move {who} to", who=who)).setEnabled(False)
        menu.addSeparator()
        for id_, title in self._partitions:
            menu.addAction(title, partial(self.move_wanted.emit, jobs, id_))
        return menu

    def _offer(self, place: QPoint) -> None:
        jobs = self.selected()
        menu = self.job_menu(jobs[0]) if len(jobs) == 1 else self.move_menu()
        self._pop_up(menu, place)

    def _pop_up(self, menu: QMenu | None, place: QPoint) -> None:
        if menu is not None:
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self.viewport().mapToGlobal(place))

    def _offer_by_key(self) -> None:
        rows = self.selectionModel().selectedRows()
        if rows:
            self._pop_up(self.move_menu(), self.visualRect(rows[0]).bottomLeft())
