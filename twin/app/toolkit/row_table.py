"""A table of things, one a row: whole rows are chosen, words stay on one line."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
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
        header = self.header
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)

    @property
    def header(self) -> QHeaderView:
        """Return the header over the columns."""
        return self.horizontalHeader()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows, or that there are none."""
        super().paintEvent(event)
        if self.none and not self.model().rowCount():
            painter = QPainter(self.viewport())
            painter.setPen(QColor(self._look.theme.muted))
            painter.drawText(self.viewport().rect(), Qt.AlignmentFlag.AlignCenter, self.none)
            painter.end()
