"""Designs as rows, their figures as columns: median, and P5 to P95 below it; the best of each column marked."""

from __future__ import annotations

from collections.abc import Iterator

from psygnal import Signal
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics

from twin.analysis.designs_comparison import (
    DesignFigure,
    DesignFigureCell,
    DesignsCompared,
    apart_words,
    value_text,
    verdict_words,
)
from twin.app.money.cell_table import CellModel, CellRow
from twin.app.toolkit.column_model import Index
from twin.app.toolkit.look import Look
from twin.app.toolkit.row_table import RowTable
from twin.language import tr

_ROW_PX, _LEAST_PX, _EDGES_PX = 38, 120, 20
_STAR = "\N{BLACK STAR}"


class DesignsModel(CellModel):
    """Rows of a comparison; columns are made anew for each, by the figures that are known."""

    def __init__(self, look: Look, found: DesignsCompared) -> None:
        figures = [row.figure for row in found.rows]
        heads = (tr("Design"), *(f"{figure.title}, {_short(figure)}" for figure in figures))
        tips = (tr("What binds each stands below its name"), *(figure.meaning for figure in figures))
        super().__init__(heads, tips)
        self._look, self.found = look, found
        self.show_rows(
            [
                CellRow(str(place), tuple(self._cells(place)), "\n".join(self._differences(place)))
                for place in range(len(found.titles))
            ]
        )

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the best of a figure in the colour of what is well, and bold."""
        column = index.column()
        if column and self.found.rows[column - 1].best == index.row():
            if role == Qt.ItemDataRole.ForegroundRole:
                return QColor(self._look.theme.ok)
            if role == Qt.ItemDataRole.FontRole:
                bold = QFont()
                bold.setWeight(QFont.Weight.DemiBold)
                return bold
        return super().data(index, role)

    def _cells(self, place: int) -> Iterator[str]:
        yield f"{self.found.titles[place]}\n{self.found.bindings[place]}"
        for row in self.found.rows:
            yield _text(row.figure, row.cells[place], place == row.best)

    def _differences(self, place: int) -> list[str]:
        told = []
        for row in self.found.rows:
            cell = row.cells[place]
            if cell is not None and cell.difference is not None:
                words = f"{row.figure.title}: {apart_words(row.figure, cell)} {row.figure.apart_unit}"
                told.append(", ".join(filter(None, (words, verdict_words(row.figure, cell)))))
        return told


class DesignsTable(RowTable):
    """Tells which figure is looked at."""

    figure_chosen = Signal(str)

    def __init__(self, look: Look) -> None:
        self._empty = CellModel((tr("Design"),), ("",))
        super().__init__(
            look, tr("Designs compared"), _ROW_PX, self._empty, tr("Figures are being worked out")
        )
        self._theme = look
        self.setProperty("role", "dense")
        self.heads.sectionClicked.connect(self._on_column)
        self.clicked.connect(lambda index: self._on_column(index.column()))
        self.heads.geometriesChanged.connect(self._fit)

    @property
    def designs(self) -> DesignsModel | None:
        """Return what is shown; None: nothing yet."""
        model = self.model()
        return model if isinstance(model, DesignsModel) else None

    def show_found(self, found: DesignsCompared) -> None:
        """Show another comparison."""
        before = self.selectionModel()
        model = DesignsModel(self._theme, found)
        model.setParent(self)
        self.setModel(model)
        before.deleteLater()
        self.selectionModel().currentChanged.connect(self._on_current)
        widths = range(1, len(model.columns))
        self.share_width(lambda: {column: self._wide(column) for column in widths}, 0, _LEAST_PX)
        self._fit()

    def _fit(self) -> None:
        """Be no higher than all rows are."""
        designs = self.designs
        if designs is not None:
            rows_px = len(designs.rows) * self.verticalHeader().defaultSectionSize()
            bar_px = self.horizontalScrollBar().sizeHint().height()
            self.setMaximumHeight(self.heads.sizeHint().height() + rows_px + bar_px)

    def _wide(self, column: int) -> int:
        lines = (
            [line for row in self.designs.rows for line in row.cells[column].splitlines()]
            if self.designs
            else []
        )
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        return max(map(QFontMetrics(bold).horizontalAdvance, lines), default=0) + _EDGES_PX

    def _on_current(self, now: QModelIndex, _before: QModelIndex) -> None:
        self._on_column(now.column())

    def _on_column(self, column: int) -> None:
        if self.designs is not None and column > 0:
            self.figure_chosen.emit(self.designs.found.rows[column - 1].figure.key)


def _short(figure: DesignFigure) -> str:
    return "MUSD" if figure.key.endswith("_usd") and figure.scale > 1.0 else figure.unit


def _text(figure: DesignFigure, cell: DesignFigureCell | None, best: bool) -> str:
    if cell is None:
        return tr("not known")
    low, middle, high = (value_text(figure, value, cell.values[1]) for value in cell.values)
    star = f"{_STAR} " if best else ""
    return f"{star}{middle}" if low == high else f"{star}{middle}\n{low}\N{EN DASH}{high}"
