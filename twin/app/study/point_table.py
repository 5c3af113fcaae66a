"""The table of points beside the pictures: values of keys, a figure with its band, how far that is from the scene."""

from __future__ import annotations

from functools import partial

import numpy as np
from psygnal import Signal
from PySide6.QtCore import QModelIndex, Qt

from twin.analysis.figure_words import apart_words, value_words
from twin.analysis.figures import ComparedFigure
from twin.app.study.points import FigureBands, StudyPoints
from twin.app.toolkit.column_model import ColumnModel, Index
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.row_table import RowTable
from twin.language import tr
from twin.shown_text import capitalised

_ROW_PX, _LEAST_PX = 22, 90
_HEAD_SHARE = 0.6
"""Of the length of a head that a line of it has."""
_HEAD_EDGE_PX = 24
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class PointModel(ColumnModel):
    """A row for each point, cells worked out as they are seen; heads sort."""

    def __init__(self) -> None:
        super().__init__((tr("Point"),))
        self.points: StudyPoints | None = None
        self.figure: ComparedFigure | None = None
        self._order = np.zeros(0, np.int64)
        self._by, self._falling = -1, False

    # -- what is shown ----

    def show_points(self, points: StudyPoints | None, figure: ComparedFigure | None) -> None:
        """Show points, or none."""
        self.beginResetModel()
        self.points, self.figure = points, figure
        keys = [axis.short for axis in points.axes] if points is not None else []
        self._titles = (tr("Point"), *keys, *self._figure_heads()) if points is not None else (tr("Point"),)
        if self._by >= len(self._titles):
            self._by = -1
        self._sort()
        self.endResetModel()

    @property
    def _bands(self) -> FigureBands | None:
        known = self.points is not None and self.figure is not None
        return self.points.bands(self.figure) if known else None  # type: ignore[union-attr,arg-type]

    @property
    def _has_bands(self) -> bool:
        bands = self._bands
        return bands is not None and bool((bands.seeds > 1).any())

    def _figure_heads(self) -> tuple[str, ...]:
        if self.figure is None:
            return ()
        title = capitalised(self.figure.title)
        spread = ("P5", "P95") if self._has_bands else ()
        return (title, *spread, tr("From the scene"))

    def _sort(self) -> None:
        points = self.points
        if points is None:
            self._order = np.zeros(0, np.int64)
            return
        keys, bands = len(points.axes), self._bands
        if self._by <= 0 or bands is None:
            by = points.numbers.astype(np.float64)
        elif self._by <= keys:
            by = points.places[:, self._by - 1]
        else:
            by = (bands.p50, bands.p5, bands.p95)[(self._by - keys - 1) % 3] if self._has_bands else bands.p50
        order = np.argsort(-by if self._falling else by, kind="stable")
        self._order = order.astype(np.int64)

    def sort_by(self, column: int) -> None:
        """Sort by a column; by the same one again: the other way round."""
        self._falling = column == self._by and not self._falling
        self._by = column
        self.beginResetModel()
        self._sort()
        self.endResetModel()

    def number(self, row: int) -> int:
        """Return the number of the point in a row."""
        assert self.points is not None
        return int(self.points.numbers[self._order[row]])

    def row_of(self, number: int | None) -> int | None:
        """Return the row of a point; None: it is not there."""
        place = self.points.index(number) if self.points is not None else None
        found = np.flatnonzero(self._order == place) if place is not None else self._order[:0]
        return int(found[0]) if len(found) else None

    @property
    def table(self) -> list[tuple[str, ...]]:
        """Return heads and rows as cells."""
        return [self._titles, *(self._cells(row) for row in range(len(self._order)))]

    # -- of Qt ----

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of rows."""
        return 0 if parent is not None and parent.isValid() else len(self._order)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, side or tip of a cell."""
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cells(index.row())[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._side(index.column())
        if role == Qt.ItemDataRole.ToolTipRole and self.points is not None:
            number = self.number(index.row())
            return plain_tip("\n".join(filter(None, (self.points.named(number), self.points.reason(number)))))
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return title, tip or side of a column."""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._side(section)
        if role == Qt.ItemDataRole.ToolTipRole and orientation == Qt.Orientation.Horizontal:
            return plain_tip(self._head_tip(section))
        return super().headerData(section, orientation, role)

    def _head_tip(self, section: int) -> str:
        keys = len(self.points.axes) if self.points is not None else 0
        if 1 <= section <= keys and self.points is not None:
            axis = self.points.axes[section - 1]
            return f"{axis.title}\n{axis.path}"
        if section == len(self._titles) - 1 and section > keys:
            return tr("Mean difference from the scene as it stands, with its 95 % interval, paired by seed")
        return (
            tr("Median over seeds") if section == keys + 1 and self._has_bands else str(self._titles[section])
        )

    def _side(self, column: int) -> int:
        keys = len(self.points.axes) if self.points is not None else 0
        return _RIGHT if column > keys else _LEFT

    def _cells(self, row: int) -> tuple[str, ...]:
        points, figure, bands = self.points, self.figure, self._bands
        assert points is not None
        place, number = int(self._order[row]), self.number(row)
        mark = "\N{BLACK STAR} " if number in points.best else ""
        name = (
            f"{mark}{number}" if number != points.base else tr("{number} (scene)", number=f"{mark}{number}")
        )
        cells = [name, *points.texts(number)]
        if figure is None or bands is None:
            return tuple(cells)
        spread = ("", "") if self._has_bands else ()
        if not bands.seeds[place]:
            failed = points.reason(number)
            return (*cells, tr("not run") if failed else "", *spread, "")
        like = bands.like
        cells.append(value_words(figure, float(bands.p50[place]), like))
        if self._has_bands:
            cells += [value_words(figure, float(end[place]), like) for end in (bands.p5, bands.p95)]
        difference = points.difference(figure, number)
        words = "" if difference is None else apart_words(figure, difference.difference, like=like)
        if difference is not None and difference.paired is not None:
            words = f"{words} ± {apart_words(figure, difference.paired, '-', like)}"
        return (*cells, words)


class PointTable(RowTable):
    """The rows of points; one can be chosen, and its run asked for."""

    chosen_point = Signal(int)
    opened_point = Signal(int)

    def __init__(self, look: Look) -> None:
        self.rows = PointModel()
        super().__init__(look, tr("Points of the study"), _ROW_PX, self.rows, tr("No points yet"))
        self._filling = False
        self.selectionModel().currentRowChanged.connect(self._on_row)
        for signal in (self.doubleClicked, self.activated):
            signal.connect(self._on_opened)
        self.heads.sectionClicked.connect(self._on_head)
        self.heads.setToolTip(tr("Click a head to sort by it"))

    def show_points(
        self, points: StudyPoints | None, figure: ComparedFigure | None, selected: int | None
    ) -> None:
        """Show points, and which is chosen."""
        self._filling = True
        self.share_width({}, 0)  # there may be fewer columns now
        self.rows.show_points(points, figure)
        columns = self.rows.columnCount()
        self.share_width(partial(self._measured, columns), columns - 1, _LEAST_PX)
        self._filling = False
        self.mark(selected)

    def _measured(self, columns: int) -> dict[int, int]:
        """Return widths in which figures are read whole, and heads in two lines."""
        heads, metrics = self.rows, self.fontMetrics()
        half = [
            metrics.horizontalAdvance(str(heads.headerData(column, Qt.Orientation.Horizontal)))
            for column in range(columns)
        ]
        return {
            column: max(self.widest(column), round(_HEAD_SHARE * half[column]) + 24)
            for column in range(columns - 1)
        }

    def mark(self, number: int | None) -> None:
        """Choose the row of a point."""
        row = self.rows.row_of(number)
        self._filling = True
        if row is None:
            self.clearSelection()
        elif row != self.currentIndex().row() or not self.selectionModel().hasSelection():
            self.selectRow(row)
        self._filling = False

    def _on_row(self, now: QModelIndex, _before: QModelIndex) -> None:
        if now.isValid() and not self._filling:
            self.chosen_point.emit(self.rows.number(now.row()))

    def _on_opened(self, index: QModelIndex) -> None:
        self.opened_point.emit(self.rows.number(index.row()))

    def _on_head(self, column: int) -> None:
        selected = self.currentIndex()
        number = self.rows.number(selected.row()) if selected.isValid() else None
        self._filling = True
        self.rows.sort_by(column)
        self._filling = False
        self.mark(number)
