"""Rows of a list for a table: cells become words when they are seen, however many rows there are."""

from __future__ import annotations

from PySide6.QtCore import Qt

from twin.app.toolkit.column_model import ColumnModel, Index
from twin.lists.list_file import shown
from twin.lists.table import SiteList


class ListModel(ColumnModel):
    """Shows the rows of a list in which some words stand."""

    def __init__(self, made: SiteList) -> None:
        super().__init__(tuple(column.head for column in made.columns))
        self.made = made
        self.rows = list(made.rows)

    def keep(self, words: str) -> None:
        """Show the rows that hold all of some words, wherever."""
        wanted = words.casefold().split()
        self.beginResetModel()
        self.rows = [
            row
            for row in self.made.rows
            if all(any(word in str(cell).casefold() for cell in row) for word in wanted)
        ]
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of rows."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the words of a cell; numbers stand on the right."""
        column = self.made.columns[index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return shown(self.rows[index.row()][index.column()], column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            number = column.decimals is not None
            side = Qt.AlignmentFlag.AlignRight if number else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None
