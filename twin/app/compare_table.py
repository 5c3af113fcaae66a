"""The figures of two runs side by side: what each comes to, how far they are apart, and which is better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem

from twin.analysis.compare import FIGURES, Figure
from twin.analysis.figure_words import apart_words, value_words
from twin.analysis.paired import Difference
from twin.app.look import Look
from twin.app.theme import scaled

HEADS = ("", "A", "B", "B \N{MINUS SIGN} A", "95 % interval", "")
TITLE, A, B, APART, INTERVAL, VERDICT = range(len(HEADS))
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ROW_PX = 23
_WIDE_PX = {A: 96, B: 96, APART: 118, INTERVAL: 108, VERDICT: 150}
_LEAST = 1e-9
"""Part of a figure below which two are the same: sums in another order."""


@dataclass(frozen=True)
class Row:
    """A figure as it is written.

    Attributes
    ----------
    verdict
        Which is better, in words; "": neither is.
    better
        1: B is better, -1: worse, 0: neither, or not told from chance.
    """

    key: str
    cells: tuple[str, ...]
    verdict: str
    better: int


def rows_of(differences: Mapping[str, Difference]) -> list[Row]:
    """Return a row for each figure that both know, in the order of `FIGURES`."""
    return [_row(figure, differences[figure.key]) for figure in FIGURES if figure.key in differences]


def _row(figure: Figure, one: Difference) -> Row:
    interval = "" if one.paired is None else f"\N{PLUS-MINUS SIGN} {apart_words(figure, one.paired, '-')}"
    same = abs(one.difference) <= _LEAST * max(abs(one.a), abs(one.b))
    apart = "" if same else apart_words(figure, one.difference).replace("-", "\N{MINUS SIGN}")
    better = 0 if same else figure.better * (1 if one.difference > 0 else -1)
    if same:
        verdict = "the same"
    elif one.beyond_chance is False:
        verdict, better = "not told from chance", 0
    elif better:
        verdict = "B is better" if better > 0 else "A is better"
    else:
        verdict = ""
    title = figure.title[:1].upper() + figure.title[1:]
    cells = (title, value_words(figure, one.a), value_words(figure, one.b), apart, interval, verdict)
    return Row(figure.key, cells, verdict, better)


class FigureTable(QTreeWidget):
    """Shows the differences of a comparison.

    Attributes
    ----------
    rows
        What is shown.
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.rows: list[Row] = []
        self.setAccessibleName("Figures of both runs")
        self.setHeaderLabels(list(HEADS))
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(TITLE, QHeaderView.ResizeMode.Stretch)
        for column, wide_px in _WIDE_PX.items():
            header.resizeSection(column, scaled(wide_px))
            if column != VERDICT:
                self.headerItem().setTextAlignment(column, _RIGHT)
        look.changed.connect(self._paint)

    def show_differences(self, differences: Mapping[str, Difference]) -> None:
        """Show other figures."""
        self.rows = rows_of(differences)
        self.setColumnHidden(INTERVAL, not any(row.cells[INTERVAL] for row in self.rows))
        self.clear()
        for row in self.rows:
            item = QTreeWidgetItem(list(row.cells))
            item.setSizeHint(TITLE, QSize(0, scaled(_ROW_PX)))
            for column in (A, B, APART, INTERVAL):
                item.setTextAlignment(column, _RIGHT)
            self.addTopLevelItem(item)
        self._paint()

    def _paint(self, *_theme: object) -> None:
        theme = self._look.theme
        for place, row in enumerate(self.rows):
            item = self.topLevelItem(place)
            assert item is not None
            colour = {1: theme.ok, -1: theme.warning, 0: theme.muted}[row.better]
            item.setForeground(VERDICT, QColor(colour))
            item.setForeground(APART, QColor(theme.text if row.better else theme.muted))
