"""What differs between two scenes: in words by section, in figures, and both halls side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPixmap, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from twin.analysis.difference_words import name_of, sentence, values_of
from twin.app.compare.hall_pair import HallPair
from twin.app.compare.scene_comparison import SceneComparison, things_of
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.theme import scaled
from twin.commands.budget.budget import FIGURES
from twin.language import tr
from twin.scenario.file.diff import Difference
from twin.shown_text import one_line
from twin.view3d.base.edit_shapes import TONES

MARK = {"added": "+", "removed": "\N{MINUS SIGN}", "changed": "~"}
_TONE = {"added": TONES["good"], "removed": TONES["bad"], "changed": TONES["warn"]}
_WORDS = {"added": "new", "removed": "gone", "changed": "changed"}
MOST_ROWS = 2000
"""Differences that are listed; of more the count is told."""
_PLACE = Qt.ItemDataRole.UserRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ROW_PX, _SUM_PX, _HEAD_PX = 24, 20, 40
_MOST_SUMS = 12
_OF_WINDOW, _LEAST_PX = 0.94, (1100, 680)


class DiffDialog(QDialog):
    """Shows a comparison; a difference that is chosen is flown to in both halls.

    Parameters
    ----------
    titles
        Of the scene before and after.
    answers
        What can be done about it: words to what each does, the first the usual one; the dialog closes then.
    """

    def __init__(
        self,
        look: Look,
        comparison: SceneComparison,
        titles: tuple[str, str],
        parent: QWidget,
        answers: Mapping[str, Callable[[], object]] | None = None,
    ) -> None:
        super().__init__(parent)
        self._look, self.comparison, self._titles = look, comparison, titles
        self.halls: HallPair | None = None
        self._drawn = False
        self.setWindowTitle(f"{one_line(titles[0], 70)} \N{RIGHTWARDS ARROW} {one_line(titles[1], 70)}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize((parent.window().size() * _OF_WINDOW).expandedTo(QSize(*_LEAST_PX)))
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        head = QHBoxLayout()
        head.addWidget(label(self._count(), "title"))
        head.addStretch(1)
        for kind, word in _WORDS.items():
            head.addWidget(_swatch(kind, word))
        nest(column, head)
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self._words())
        column.addWidget(self._split, 1)
        nest(column, self._buttons(answers or {}))
        self.tree.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        """Draw the halls, now that somebody looks."""
        super().showEvent(event)
        if not self._drawn:
            self._drawn = True  # before: with the first canvas the window is shown anew
            self.halls = HallPair(self._look, self.comparison, self._titles, self)
            self._split.addWidget(self.halls)
            self._split.setSizes([scaled(460), 800])
            self._split.setStretchFactor(1, 1)

    def done(self, result: int) -> None:
        """Free the halls."""
        if self.halls is not None:
            self.halls.close_views()
        super().done(result)

    def _count(self) -> str:
        count = len(self.comparison.differences)
        if not count:
            return tr("No differences")
        return tr("One difference") if count == 1 else tr("{count:,} differences", count=count)

    def _unpriced(self) -> str:
        """Return what the costs leave out, where they differ: said as long as no difference is chosen."""
        if not any(figure.title == FIGURES["cost_usd"][0] for figure in self.comparison.figures):
            return ""
        before, after = self.comparison.unpriced
        if before == after:
            return tr("Both costs leave out {before}.", before=before) if before else ""
        notes = [
            tr("The cost {when} leaves out {out}.", when=when, out=out)
            for when, out in (("before", before), ("after", after))
            if out
        ]
        return "\n".join(notes)

    def _words(self) -> QWidget:
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 6, 0)
        column.setSpacing(8)
        self.figures = _table(tr("Figures that differ"), ["", tr("Before"), tr("After")])
        for figure in self.comparison.figures:
            item = QTreeWidgetItem([figure.title, figure.before, figure.after])
            item.setSizeHint(0, QSize(0, scaled(_SUM_PX)))
            for place in (1, 2):
                item.setTextAlignment(place, _RIGHT)
            self.figures.addTopLevelItem(item)
        self.figures.setRootIsDecorated(False)
        header = self.figures.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for place in (1, 2):
            self.figures.headerItem().setTextAlignment(place, _RIGHT)
            header.setSectionResizeMode(place, QHeaderView.ResizeMode.ResizeToContents)
        rows = self.figures.topLevelItemCount()
        self.figures.setVisible(rows > 0)
        self.figures.setFixedHeight(min(rows, _MOST_SUMS) * scaled(_SUM_PX) + scaled(_HEAD_PX))
        column.addWidget(self.figures)
        self.tree = _table(tr("Differences by section"), [tr("Difference"), tr("Before"), tr("After")])
        self.tree.setToolTip(tr("Select one to fly there in both halls"))
        listed = self.comparison.differences[:MOST_ROWS]
        places = {id(difference): place for place, difference in enumerate(listed)}
        for section, group in groupby(listed, key=lambda difference: difference.section):
            of_section = list(group)
            heading = QTreeWidgetItem([f"{section}  ({len(of_section)})"])
            heading.setSizeHint(0, QSize(0, scaled(_ROW_PX)))
            self.tree.addTopLevelItem(heading)
            heading.setFirstColumnSpanned(True)
            for difference in of_section:
                heading.addChild(_row(difference, places[id(difference)]))
        more = len(self.comparison.differences) - len(listed)
        if more:
            self.tree.addTopLevelItem(QTreeWidgetItem([tr("and {more:,} more", more=more)]))
        self.tree.expandAll()
        self.tree.header().resizeSection(0, scaled(230))
        self.tree.header().resizeSection(1, scaled(100))
        self.tree.currentItemChanged.connect(self._on_chosen)
        self.tree.itemActivated.connect(self._on_chosen)
        column.addWidget(self.tree, 1)
        self.sentence = label(self._unpriced(), "muted", wrap=True)
        self.sentence.setMinimumHeight(3 * self.fontMetrics().height())
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignTop)
        column.addWidget(self.sentence)
        return left

    def _buttons(self, answers: Mapping[str, Callable[[], object]]) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addStretch(1)
        self.buttons: dict[str, QPushButton] = {}
        close = tr("Close")
        for word, answer in {**answers, close: lambda: None}.items():
            button = QPushButton(word)
            button.setAutoDefault(False)
            button.setToolTip(plain_tip(tr("Close this window (Esc)") if word == close else word))
            button.clicked.connect(self.close)
            button.clicked.connect(lambda _=False, answer=answer: answer())
            if not self.buttons:
                button.setProperty("role", "primary")
            self.buttons[word] = button
            row.addWidget(button)
        return row

    def _on_chosen(self, item: QTreeWidgetItem | None, *_former: object) -> None:
        place = item.data(0, _PLACE) if item is not None else None
        if not isinstance(place, int):
            self.sentence.setText(self._unpriced())
            return
        difference = self.comparison.differences[place]
        self.sentence.setText(sentence(difference))
        things = things_of(difference.path, self.comparison.after.plant)
        things = things or things_of(difference.path, self.comparison.before.plant)
        if things and self.halls is not None:
            self.halls.point_at(things, difference.kind)


def _table(name: str, titles: list[str]) -> QTreeWidget:
    made = QTreeWidget()
    made.setAccessibleName(name)
    made.setHeaderLabels(titles)
    made.setUniformRowHeights(True)
    made.setIndentation(12)
    return made


def _row(difference: Difference, place: int) -> QTreeWidgetItem:
    item = QTreeWidgetItem([f"{MARK[difference.kind]} {name_of(difference)}", *values_of(difference)])
    item.setData(0, _PLACE, place)
    item.setSizeHint(0, QSize(0, scaled(_ROW_PX)))
    for column in range(3):
        item.setToolTip(column, plain_tip(sentence(difference)))
    item.setData(0, Qt.ItemDataRole.AccessibleTextRole, sentence(difference))
    item.setIcon(0, _dot(difference.kind))
    return item


def _swatch(kind: str, word: str) -> QWidget:
    made = QWidget()
    row = QHBoxLayout(made)
    row.setContentsMargins(8, 0, 0, 0)
    row.setSpacing(5)
    dot = label()
    dot.setPixmap(_dot(kind).pixmap(10, 10))
    row.addWidget(dot)
    row.addWidget(label(word, "muted"))
    return made


def _dot(kind: str) -> QIcon:
    picture = QPixmap(10, 10)
    picture.fill(QColor.fromRgbF(*_TONE[kind]))
    return QIcon(picture)
