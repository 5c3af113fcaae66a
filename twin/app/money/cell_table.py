"""A table of cells that are words already: names on the left, figures on the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt

from twin.app.toolkit.column_model import ColumnModel, Index
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.row_table import RowTable

_ROW_PX, _LEAST_PX = 22, 110


@dataclass(frozen=True)
class CellRow:
    """A line: what it is of, its cells, what its tool tip says."""

    key: str
    cells: tuple[str, ...]
    tip: str = ""


class CellModel(ColumnModel):
    """Rows of cells; the first column names them.

    Parameters
    ----------
    columns, tips
        Heads, and what each column means.
    left
        Columns of words, beside the first.
    """

    def __init__(self, columns: tuple[str, ...], tips: tuple[str, ...], left: Sequence[int] = ()) -> None:
        super().__init__(columns)
        self.columns, self._tips, self._left = columns, tips, {0, *left}
        self.rows: list[CellRow] = []

    def show_rows(self, rows: list[CellRow]) -> None:
        """Show other rows."""
        if rows != self.rows:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()

    @property
    def table(self) -> list[tuple[str, ...]]:
        """Return heads and rows as cells."""
        return [self.columns, *(row.cells for row in self.rows)]

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of rows."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, side or tip of a cell."""
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return row.cells[column]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._side(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(f"{row.cells[0]}\n{row.tip}".strip())
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return title, tip or side of a column."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(self._tips[section])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._side(section)
        return super().headerData(section, orientation, role)

    def _side(self, column: int) -> int:
        side = Qt.AlignmentFlag.AlignLeft if column in self._left else Qt.AlignmentFlag.AlignRight
        return int(side | Qt.AlignmentFlag.AlignVCenter)


def cell_table(look: Look, name: str, model: CellModel, none: str, leaving: Sequence[int] = ()) -> RowTable:
    """Return the table of a model, whose columns `leaving` give way where it is narrow."""
    table = RowTable(look, name, _ROW_PX, model, none)
    widths = range(1, len(model.columns))
    table.share_width(lambda: {column: table.widest(column) for column in widths}, 0, _LEAST_PX, leaving)
    model.modelReset.connect(table.share)
    return table
