"""What falls if this falls: things whose loss takes GPUs along, the worst first; a click goes there."""

from __future__ import annotations

from collections.abc import Sequence

from psygnal import Signal
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QColor

from twin.app.toolkit import theme
from twin.app.toolkit.column_model import ColumnModel, Index
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.row_table import RowTable
from twin.language import tr
from twin.rules.redundancy import Fall

COLUMNS = (tr("If this falls"), "GPUs", tr("What happens to them"), tr("Spare machines"), tr("Target"))
THING, GPUS, WORDS, SPARE, TARGET = range(len(COLUMNS))
_ROW_PX, _LEAST_PX = 24, 180
_WIDEST_PX = {THING: 200, GPUS: 90, SPARE: 130, TARGET: 150}


class FallsModel(ColumnModel):
    """Rows are things whose loss takes GPUs along."""

    def __init__(self, look: Look) -> None:
        super().__init__(COLUMNS)
        self._look, self._rows = look, list[Fall]()

    def show_falls(self, falls: Sequence[Fall]) -> None:
        """Show other things, in their order."""
        self.beginResetModel()
        self._rows = list(falls)
        self.endResetModel()

    def fall_at(self, row: int) -> Fall:
        """Return what a row shows."""
        return self._rows[row]

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of things."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, colour or tool tip of a cell."""
        fall, column = self._rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return _cell(fall, column)
        if role == Qt.ItemDataRole.ForegroundRole:
            colour = self._look.theme.warning if fall.breaks and column == TARGET else self._look.theme.text
            return QColor(colour)
        if role == Qt.ItemDataRole.TextAlignmentRole and column == GPUS:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(f"{fall.point.id}: {fall.sentence}\n{_target(fall)}")
        return None


def _cell(fall: Fall, column: int) -> str:
    point = fall.point
    if column == SPARE:
        return (
            tr("{spare} of {needed}", spare=point.spare, needed=point.needed + point.spare)
            if point.spare
            else "none"
        )
    return (point.id, f"{point.gpus:,}", fall.fate, "", _target(fall))[column]


def _target(fall: Fall) -> str:
    if fall.level is None:
        return tr("no target")
    return (
        tr("breaks {level}", level=fall.level) if fall.breaks else tr("allowed at {level}", level=fall.level)
    )


class FallsTable(RowTable):
    """The list."""

    thing_chosen = Signal(str)  # id: select it and fly there

    def __init__(self, look: Look) -> None:
        self.shown = FallsModel(look)
        super().__init__(look, tr("What falls if this falls"), _ROW_PX, self.shown)
        self.share_width(self._widths_px, WORDS, _LEAST_PX, (SPARE,))  # the tool tip has the spares
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.clicked.connect(self._on_chosen)
        self.activated.connect(self._on_chosen)

    def show_falls(self, falls: Sequence[Fall]) -> None:
        """Show other things; the chosen one stays chosen while it is there."""
        row = self.currentIndex().row()
        held = self.shown.fall_at(row).point.id if 0 <= row < self.shown.rowCount() else ""
        self.shown.show_falls(falls)
        ids = [fall.point.id for fall in falls]
        if held in ids:
            self.setCurrentIndex(self.shown.index(ids.index(held), THING))
        self.share()

    def _widths_px(self) -> dict[int, int]:
        return {column: min(self.widest(column), theme.scaled(px)) for column, px in _WIDEST_PX.items()}

    def _on_chosen(self, index: QModelIndex) -> None:
        self.thing_chosen.emit(self.shown.fall_at(index.row()).point.id)
