"""The designs of a front as a table: ticked to be compared, opened by a click on their names."""

from __future__ import annotations

from psygnal import Signal
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QColor, QKeyEvent

from twin.app.money.cell_table import CellModel, CellRow
from twin.app.needs.front_rows import (
    AVAILABLE,
    CAPITAL,
    CARBON,
    COLUMNS,
    DESIGN,
    GPUS,
    LIMIT,
    RUNS,
    SCENE,
    TICK,
    TIPS,
)
from twin.app.toolkit.column_model import Index
from twin.app.toolkit.look import Look
from twin.app.toolkit.row_table import RowTable
from twin.language import tr

_ROW_PX, _TICK_PX, _LEAST_PX, _EDGES_PX = 38, 30, 96, 18


class FrontModel(CellModel):
    """Rows with a tick each."""

    ticks_changed = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__(COLUMNS, TIPS, (DESIGN, LIMIT, SCENE, RUNS))
        self._look = look
        self.ticked: list[str] = []

    def show_rows(self, rows: list[CellRow]) -> None:
        """Show other rows; those that stay keep their ticks."""
        same = [row.key for row in rows] == [row.key for row in self.rows]
        if same and rows != self.rows:
            self.rows = rows
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(COLUMNS) - 1))
        else:
            super().show_rows(rows)
        keys = {row.key for row in rows}
        self.ticked = [key for key in self.ticked if key in keys]

    def untick(self) -> None:
        """Take all ticks away."""
        self.ticked = []

    def tick(self, key: str, on: bool) -> None:
        """Tick a design, or take its tick away."""
        if on != (key in self.ticked):
            self.ticked = [*self.ticked, key] if on else [each for each in self.ticked if each != key]
            place = next(place for place, row in enumerate(self.rows) if row.key == key)
            self.dataChanged.emit(self.index(place, TICK), self.index(place, TICK))
            self.ticks_changed.emit()

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return that the first column can be ticked."""
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == TICK else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return ticks, names that look like links, and cells."""
        key = self.rows[index.row()].key
        if index.column() == TICK:
            if role == Qt.ItemDataRole.CheckStateRole:
                return Qt.CheckState.Checked if key in self.ticked else Qt.CheckState.Unchecked
            if role == Qt.ItemDataRole.AccessibleTextRole:
                return tr("Compare {design}", design=self.rows[index.row()].cells[DESIGN].partition("\n")[0])
        if index.column() == DESIGN and role == Qt.ItemDataRole.ForegroundRole:
            return QColor(self._look.theme.accent)
        return super().data(index, role)

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Tick or untick."""
        if role != Qt.ItemDataRole.CheckStateRole or index.column() != TICK:
            return False
        self.tick(self.rows[index.row()].key, Qt.CheckState(value) == Qt.CheckState.Checked)
        return True


class FrontTable(RowTable):
    """Tells which design is looked at, and which is to be opened."""

    chosen = Signal(str)
    opened = Signal(str)

    def __init__(self, look: Look) -> None:
        self.front = FrontModel(look)
        super().__init__(look, tr("Designs"), _ROW_PX, self.front, tr("No designs yet"))
        self.setProperty("role", "dense")
        widths = [column for column in range(len(COLUMNS)) if column not in (TICK, LIMIT)]
        self.share_width(
            lambda: {TICK: _TICK_PX} | {column: self._wide(column) for column in widths},
            LIMIT,
            _LEAST_PX,
            (SCENE, CAPITAL, CARBON, GPUS, AVAILABLE),
        )
        self.front.modelReset.connect(self.share)
        self.front.dataChanged.connect(self.share)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.clicked.connect(self._on_clicked)

    @property
    def current(self) -> str:
        """Return the name of the design that is looked at; "" for none."""
        index = self.currentIndex()
        return self.front.rows[index.row()].key if index.isValid() else ""

    def go_to(self, key: str) -> None:
        """Look at a design."""
        for place, row in enumerate(self.front.rows):
            if row.key == key and place != self.currentIndex().row():
                self.setCurrentIndex(self.front.index(place, DESIGN))

    def _wide(self, column: int) -> int:
        """Return the width that the longest line of a column needs [px]."""
        lines = {line for row in self.front.rows for line in row.cells[column].splitlines()}
        return max(map(self.fontMetrics().horizontalAdvance, lines), default=0) + _EDGES_PX

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the design by Enter, tick it by Space."""
        key = self.current
        if key and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(key)
        elif key and event.key() == Qt.Key.Key_Space:
            self.front.tick(key, key not in self.front.ticked)
        else:
            super().keyPressEvent(event)

    def _on_current(self, now: QModelIndex, _before: QModelIndex) -> None:
        if now.isValid():
            self.chosen.emit(self.front.rows[now.row()].key)

    def _on_clicked(self, index: QModelIndex) -> None:
        if index.column() == DESIGN:
            self.opened.emit(self.front.rows[index.row()].key)
