"""What happened to one job, as a table: when, what, why and what it cost; a click goes there."""

from __future__ import annotations

from psygnal import Signal
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QColor

from twin.app.jobs.events import EventFilter, EventLine
from twin.app.toolkit.clock import Clock
from twin.app.toolkit.column_model import ColumnModel, Index
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.row_table import RowTable
from twin.app.toolkit.theme import scaled
from twin.app.toolkit.timed_table import SEVERITY_ICONS
from twin.language import tr
from twin.record.events import Severity

COLUMNS = (tr("Time"), tr("What happened"), tr("Cost"))
TIME, WHAT, COST = range(len(COLUMNS))
_ROW_PX, _COST_PX = 22, 172


class JobEventModel(ColumnModel):
    """Rows are the lines of one job, newest first."""

    def __init__(self, look: Look) -> None:
        super().__init__(COLUMNS)
        self._look = look
        self._clock: Clock | None = None
        self._lines: list[EventLine] = []
        self.which = EventFilter.ALL
        self.shown: list[EventLine] = []

    def show_lines(self, lines: list[EventLine], clock: Clock) -> None:
        """Show these lines, as far as they pass the filter."""
        self._lines, self._clock = lines, clock
        shown = [line for line in lines if self.which.holds(line)]
        if [line.event.row for line in shown] != [line.event.row for line in self.shown]:
            self.beginResetModel()
            self.shown = shown
            self.endResetModel()
        elif shown != self.shown:
            self.shown = shown
            self.dataChanged.emit(self.index(0, 0), self.index(len(shown) - 1, COST))

    def filter(self, which: EventFilter) -> None:
        """Show only some kinds of lines."""
        self.which = which
        if self._clock is not None:
            self.show_lines(self._lines, self._clock)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of lines."""
        return 0 if parent.isValid() else len(self.shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, icon, colour or tool tip of a cell."""
        if index.row() >= len(self.shown) or self._clock is None:
            return None
        line, column, theme = self.shown[index.row()], index.column(), self._look.theme
        if role == Qt.ItemDataRole.DisplayRole:
            return (self._clock.says(line.event.t_s), line.words, line.cost)[column]
        if role == Qt.ItemDataRole.DecorationRole and column == WHAT:
            names = {Severity.NOTICE: "notice", Severity.WARNING: "warning", Severity.ALARM: "alarm"}
            return self._look.icon(SEVERITY_ICONS[line.severity], names.get(line.severity, "muted"))
        if role == Qt.ItemDataRole.ForegroundRole:
            strong = column == COST or (column == WHAT and line.severity >= Severity.WARNING)
            return QColor(theme.text if strong else theme.muted)
        if role == Qt.ItemDataRole.TextAlignmentRole and column == COST:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ToolTipRole:
            place = tr("\nA click goes to {place}", place=line.place) if line.place else ""
            cost = f"\n{line.cost}" if line.cost else ""
            return plain_tip(f"{self._clock.says(line.event.t_s)}: {line.event.text}{cost}{place}")
        return None


class JobEventTable(RowTable):
    """The table."""

    chosen = Signal(object)  # Line

    def __init__(self, look: Look) -> None:
        self.lines = JobEventModel(look)
        super().__init__(look, tr("What happened to the job"), _ROW_PX, self.lines)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumHeight(60)
        self._longest_time = ""
        self.lines.modelReset.connect(self.share)
        self.share_width(self._measured, WHAT, leaving=(COST,))
        self.clicked.connect(self._on_chosen)
        self.activated.connect(self._on_chosen)

    def tell_time_by(self, clock: Clock) -> None:
        """Make room for the times of a run."""
        self._longest_time = clock.longest
        self.share()

    def list_only(self, which: EventFilter) -> None:
        """Show only some kinds of lines, from the newest on."""
        self.lines.filter(which)
        self.scrollToTop()

    def _measured(self) -> dict[int, int]:
        return {
            TIME: self.widest(TIME, self._longest_time),
            COST: min(self.widest(COST, "271 steps"), scaled(_COST_PX)),
        }

    def _on_chosen(self, index: QModelIndex) -> None:
        self.chosen.emit(self.lines.shown[index.row()])
