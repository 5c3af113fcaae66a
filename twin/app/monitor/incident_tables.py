"""Incidents and their causes as tables that sort."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QColor

from twin.analysis.incident import CauseTotal, Incident
from twin.analysis.incident_card import short_jobs
from twin.analysis.wall_clock import Moments
from twin.app.toolkit.column_model import ColumnModel, Index
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.row_table import RowTable
from twin.language import tr

_ROW_PX = 22
_LEAST_PX = 84
"""What failed, and what caused it, have at least so much room."""


@dataclass(frozen=True)
class ListColumn:
    """A column: its title, what a row says in it, by what it sorts, whether that is a number, its width [px]."""

    title: str
    words: Callable[[Any], str]
    key: Callable[[Any], Any]
    number: bool = False
    width_px: int = 0  # 0: the room that is left


def _hours(gpu_s: float) -> str:
    value = gpu_s / 3600.0
    return f"{value:,.0f}" if value >= 100.0 else f"{value:,.3g}"


CAUSES: tuple[ListColumn, ...] = (
    ListColumn(tr("Cause"), lambda total: total.title, lambda total: total.title.lower()),
    ListColumn(tr("Struck"), lambda total: f"{total.count:,}", lambda total: -total.count, True, 50),
    ListColumn(tr("Stops"), lambda total: f"{total.stops:,}", lambda total: -total.stops, True, 48),
    ListColumn(tr("GPU-h"), lambda total: _hours(total.gpu_s), lambda total: -total.gpu_s, True, 58),
)


def incident_columns(says: Moments) -> tuple[ListColumn, ...]:
    """Return the columns of a list of incidents; `says`: times in words."""
    return (
        ListColumn(tr("When"), lambda incident: says(incident.t_s), lambda incident: incident.t_s, False, 96),
        ListColumn(
            tr("What failed"),
            lambda incident: f"{incident.title}, {incident.subject}",
            lambda incident: (incident.title.lower(), incident.subject),
        ),
        ListColumn(
            tr("GPU-h"),
            lambda incident: _hours(incident.cost_gpu_s),
            lambda incident: -incident.cost_gpu_s,
            True,
            60,
        ),
    )


class SortedModel(ColumnModel):
    """Rows of one sort, sorted by a column; at first as they come: the dearest first."""

    def __init__(self, look: Look, columns: Sequence[ListColumn]) -> None:
        super().__init__(tuple(column.title for column in columns))
        self._look, self._columns = look, tuple(columns)
        self._came: tuple[Any, ...] = ()
        self._column, self._order = -1, Qt.SortOrder.AscendingOrder
        self.shown: list[Any] = []

    def use_columns(self, columns: Sequence[ListColumn]) -> None:
        """Write rows otherwise: other columns of the same titles."""
        self._columns = tuple(columns)

    def show_rows(self, rows: Sequence[Any]) -> None:
        """Show these."""
        self._came = tuple(rows)
        self._arrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; -1: as they come."""
        self._column, self._order = column, order
        self._arrange()

    def _arrange(self) -> None:
        rows = list(self._came)
        if self._column >= 0:
            rows.sort(
                key=self._columns[self._column].key, reverse=self._order == Qt.SortOrder.DescendingOrder
            )
        if len(rows) == len(self.shown):
            self.shown = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(self._columns) - 1))
            return
        self.beginResetModel()
        self.shown = rows
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text or colour of a cell."""
        if index.row() >= len(self.shown):
            return None
        row, column = self.shown[index.row()], self._columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.words(row)
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(
                self._look.theme.text if index.column() < 2 or column.number else self._look.theme.muted
            )
        if role == Qt.ItemDataRole.TextAlignmentRole and column.number:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(_told(row))
        return None


def _told(row: CauseTotal | Incident) -> str:
    if isinstance(row, CauseTotal):
        return tr(
            "{title}: struck {count:,} times, stopped jobs {stops:,} times",
            title=row.title,
            count=row.count,
            stops=row.stops,
        )
    return tr(
        "{title}, {subject}; stopped: {short_jobs}",
        title=row.title,
        subject=row.subject,
        short_jobs=short_jobs(row),
    )


def sorted_table(
    look: Look, name: str, model: SortedModel, columns: Sequence[ListColumn], none: str
) -> RowTable:
    """Return the table of such rows."""
    table = RowTable(look, name, _ROW_PX, model, none)
    table.setProperty("role", "dense")  # figures beside each other leave names their room
    table.setTextElideMode(Qt.TextElideMode.ElideRight)
    table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    header = table.header
    header.setSectionsClickable(True)
    header.setSortIndicatorShown(True)
    header.setSortIndicatorClearable(True)
    header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
    header.sortIndicatorChanged.connect(model.sort)
    widths_px = {place: column.width_px for place, column in enumerate(columns) if column.width_px}
    named = next(place for place, column in enumerate(columns) if not column.width_px)
    table.share_width(widths_px, named, _LEAST_PX, [place for place in widths_px if place < len(columns) - 1])
    return table
