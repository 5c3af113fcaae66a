"""The figures of two runs side by side: what each comes to, how far they are apart, and which is better."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem

from twin.analysis.compare import Comparison
from twin.analysis.figure_words import apart_words, value_words
from twin.analysis.figures import FIGURES, ComparedFigure
from twin.analysis.money_comparison import MoneyComparison, row_cells
from twin.analysis.significance import judged, seeds_words
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.standing_badge import badge_text
from twin.app.toolkit.theme import scaled
from twin.language import tr
from twin.record.site_year import SiteYear

HEADS = ("", "A", "B", "B \N{MINUS SIGN} A", "95 % interval", tr("Seeds B + / \N{MINUS SIGN}"), "")
TITLE, A, B, APART, INTERVAL, SEEDS, VERDICT = range(len(HEADS))
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ROW_PX = 23
_WIDE_PX = {A: 116, B: 116, APART: 118, INTERVAL: 106, SEEDS: 104, VERDICT: 172}
_MEANT = {
    INTERVAL: tr("Half width of the 95 % interval of the difference; same failures in both, seed by seed"),
    SEEDS: tr("Number of seeds where B is higher / lower than A"),
}
_MEDIAN = tr(
    "Of money the median over draws of the prices and over the seeds; of other figures the mean of the seeds"
)
_OF_YEAR: tuple[tuple[ComparedFigure, Callable[[SiteYear], float]], ...] = tuple(
    (ComparedFigure(f"year.{key}", title, unit, -1, lambda _: None), read)
    for key, title, unit, read in (
        ("pue", tr("PUE over the year"), "ratio", lambda year: year.pue),
        ("wue", tr("WUE over the year"), "volume_per_energy", lambda year: year.wue_l_kwh * 1e-3 / 3.6e6),
        ("peak_w", tr("Peak power over the year"), "power", lambda year: year.peak_w),
    )
)
"""What designs are compared by beside their runs: a typical year at design load."""


@dataclass(frozen=True)
class ComparisonRow:
    """A figure as it is written.

    Attributes
    ----------
    verdict
        Which is better, in words; "": neither is.
    better
        1: B is better, -1: worse, 0: neither, or it may be chance.
    """

    key: str
    cells: tuple[str, ...]
    verdict: str
    better: int


def rows_of(found: Comparison) -> list[ComparisonRow]:
    """Return a row for each amount of money and each figure that both know, in the order of `FIGURES`."""
    return [
        *(_money_rows(found.money) if found.money is not None else ()),
        *(_row(figure, found) for figure in FIGURES if figure.key in found.differences),
    ]


def _money_rows(found: MoneyComparison) -> Iterator[ComparisonRow]:
    """Yield amounts of money; only by the cost of a unit of work is one of both better."""
    for row in found.rows:
        title, of_a, of_b, apart, _ = row_cells(row)
        better, words = 0, tr("the same") if row.same else ""
        if row is found.unit and not row.same:
            words = tr("{word} is better", word=row.cheaper) if row.cheaper else tr("not significant")
            if row.cheaper and found.seeds == 1:
                words = tr("{words}, in one run", words=words)
            elif row.cheaper:
                better = 1 if row.cheaper == "B" else -1
        yield ComparisonRow(row.key, (title, of_a, of_b, apart, "", "", words), words, better)


def _row(figure: ComparedFigure, found: Comparison) -> ComparisonRow:
    difference, verdict = found.differences[figure.key], judged(figure, found)
    interval = (
        ""
        if difference.paired is None
        else f"\N{PLUS-MINUS SIGN} {apart_words(figure, difference.paired, '-', difference.size)}"
    )
    apart = (
        ""
        if difference.same
        else apart_words(figure, difference.difference, like=difference.size).replace("-", "\N{MINUS SIGN}")
    )
    title = figure.title[:1].upper() + figure.title[1:]
    values = (
        value_words(figure, difference.a, difference.size),
        value_words(figure, difference.b, difference.size),
    )
    return ComparisonRow(
        figure.key,
        (title, *values, apart, interval, seeds_words(difference), verdict.words),
        verdict.words,
        verdict.better,
    )


def year_rows_of(a_year: SiteYear | None, b_year: SiteYear | None) -> list[ComparisonRow]:
    """Return rows of the typical years of two designs, which no draws change; none where both have the same year."""
    rows: list[ComparisonRow] = []
    if a_year is None or b_year is None or np.array_equal(a_year.facility_w, b_year.facility_w):
        return rows
    for figure, read in _OF_YEAR:
        a, b = read(a_year), read(b_year)
        size = max(abs(a), abs(b))
        apart = apart_words(figure, b - a, like=size).replace("-", "\N{MINUS SIGN}") if a != b else ""
        better = 0 if a == b or apart == "0" else 1 if b < a else -1
        words = tr("{word} is better", word="B" if better > 0 else "A") if better else tr("the same")
        values = value_words(figure, a, size), value_words(figure, b, size)
        rows.append(ComparisonRow(figure.key, (figure.title, *values, apart, "", "", words), words, better))
    return rows


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
        self.rows: list[ComparisonRow] = []
        self.setAccessibleName(tr("Figures of both runs"))
        self.setHeaderLabels(list(HEADS))
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(TITLE, QHeaderView.ResizeMode.Stretch)
        for column, wide_px in _WIDE_PX.items():
            header.resizeSection(column, scaled(wide_px))
            if column in _MEANT:
                self.headerItem().setToolTip(column, plain_tip(_MEANT[column]))
            if column != VERDICT:
                self.headerItem().setTextAlignment(column, _RIGHT)
        look.changed.connect(self._paint)

    def show_comparison(self, found: Comparison, beside: Sequence[ComparisonRow] = ()) -> None:
        """Show other figures: of one run each, or the means of many; `beside` comes of no run."""
        self.rows = [*rows_of(found), *beside]
        many = any(row.cells[INTERVAL] for row in self.rows)
        for column in (INTERVAL, SEEDS):
            self.setColumnHidden(column, not many)
        for column, standing in zip((A, B), found.standings, strict=True):
            words = f"{HEADS[column]}{', mean' if many else ''}"
            tip = ""
            if standing:
                tip = tr("Step times, and what follows from them. {meaning}", meaning=standing.meaning)
                words = f"{words}\n{badge_text(standing)}"
            self.headerItem().setText(column, words)
            self.headerItem().setToolTip(column, plain_tip(tip))
        apart = f"{HEADS[APART]}{', mean' if many else ''}"
        median = (
            found.money is not None
        )  # of the draws of the prices, and over seeds of what those leave open
        self.headerItem().setText(APART, tr("{apart}\nmoney: median", apart=apart) if median else apart)
        self.headerItem().setToolTip(APART, plain_tip(_MEDIAN if median else ""))
        self.clear()
        for row in self.rows:
            item = QTreeWidgetItem(list(row.cells))
            item.setToolTip(TITLE, plain_tip(row.cells[TITLE]))
            item.setSizeHint(TITLE, QSize(0, scaled(_ROW_PX)))
            for column in (A, B, APART, INTERVAL, SEEDS):
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
