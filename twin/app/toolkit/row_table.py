"""A table of things, one a row: whole rows are chosen, words stay on one line."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableView

from twin.app.toolkit.look import Look
from twin.app.toolkit.theme import scaled


class RowTable(QTableView):
    """One row can be chosen at a time; an empty table says so where it has words for it.

    Attributes
    ----------
    none
        What an empty table says; "": nothing.
    """

    def __init__(self, look: Look, name: str, row_px: int, model: QAbstractItemModel, none: str = "") -> None:
        super().__init__()
        self._look, self.none = look, none
        self.setModel(model)
        self.setAccessibleName(name)
        self.setTabKeyNavigation(False)  # Tab goes on, arrows choose: or nobody would get out by keys
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(scaled(row_px))
        self._kept, self._least_px = 0, 0
        self._leaving: dict[int, int] = {}  # columns that give way, and how wide they are [px]
        header = self.header
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)

    @property
    def header(self) -> QHeaderView:
        """Return the header over the columns."""
        return self.horizontalHeader()

    def give_way(self, kept: int, least_px: int, columns: Sequence[int]) -> None:
        """Hide columns, the first of them first, while another is narrower than this; the last never goes."""
        self._kept, self._least_px = kept, least_px
        self._leaving = {column: self.columnWidth(column) for column in columns}

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let columns give way, or come back."""
        super().resizeEvent(event)
        if not self._leaving:
            return
        header = self.header
        others = [column for column in range(header.count()) if column not in (self._kept, *self._leaving)]
        wide_px = sum(header.sectionSize(column) for column in others) + sum(self._leaving.values())
        for column, column_px in self._leaving.items():
            hidden = self.viewport().width() - wide_px < scaled(self._least_px)
            wide_px -= column_px if hidden else 0
            if hidden != self.isColumnHidden(column):
                self.setColumnHidden(column, hidden)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows, or that there are none."""
        super().paintEvent(event)
        if self.none and not self.model().rowCount():
            painter = QPainter(self.viewport())
            painter.setPen(QColor(self._look.theme.muted))
            painter.drawText(self.viewport().rect(), Qt.AlignmentFlag.AlignCenter, self.none)
            painter.end()
