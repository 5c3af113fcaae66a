"""The list beside a page of the help: the pages by groups, or what a search has found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from psygnal import Signal
from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from twin.app.help.pages import HelpPage
from twin.app.help.search import HelpFind
from twin.app.toolkit import theme as themes
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr

_Index = QModelIndex | QPersistentModelIndex
_INSET_PX, _STEP_PX = 12, 14


@dataclass(frozen=True)
class HelpRow:
    """A line of the list: a page, a section that was found, or words that head others.

    Parameters
    ----------
    page
        Name of the page it leads to; "" for words alone.
    below, line
        What stands below the title in smaller letters.
    """

    title: str
    page: str = ""
    anchor: str = ""
    below: str = ""
    line: str = ""
    depth: int = 0


def rows_of_pages(pages: Iterable[HelpPage]) -> list[HelpRow]:
    """Return the pages with their groups."""
    rows: list[HelpRow] = []
    group = ""
    for page in pages:
        if page.group != group:
            group = page.group
            rows.append(HelpRow(group.upper()))
        rows.append(HelpRow(page.title, page.name, depth=page.depth))
    return rows


def rows_of_finds(finds: Sequence[HelpFind]) -> list[HelpRow]:
    """Return what was found, or that nothing was."""
    if not finds:
        return [HelpRow(tr("NOTHING FOUND"))]
    return [HelpRow(find.heading, find.page.name, find.anchor, find.page.title, find.line) for find in finds]


class ContentsList(QListView):
    """Shows the rows; a click, or Enter, chooses one."""

    chosen = Signal(object)  # HelpRow

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._model = _Rows()
        self.setModel(self._model)
        self.setItemDelegate(_Delegate(look, self))
        self.setAccessibleName(tr("Pages of the help"))
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.clicked.connect(lambda index: self.choose(index.row()))
        self.activated.connect(lambda index: self.choose(index.row()))

    @property
    def rows(self) -> list[HelpRow]:
        """Return what is shown."""
        return list(self._model.rows)

    @property
    def row(self) -> HelpRow | None:
        """Return the row that is marked."""
        at = self.currentIndex().row()
        return self._model.rows[at] if 0 <= at < len(self._model.rows) else None

    def show_rows(self, rows: list[HelpRow]) -> None:
        """Show other rows."""
        self._model.show_rows(rows)
        self.scrollToTop()

    def mark_page(self, name: str) -> None:
        """Mark the row of a page."""
        self._mark(next((at for at, row in enumerate(self._model.rows) if row.page == name), -1))

    def step(self, by: int) -> None:
        """Mark the next row that leads somewhere, or the one before."""
        places = [at for at, row in enumerate(self._model.rows) if row.page]
        if places:
            now = self.currentIndex().row()
            self._mark(places[(places.index(now) + by) % len(places)] if now in places else places[0])

    def choose(self, at: int | None = None) -> None:
        """Choose a row, or the one that is marked."""
        row = self.row if at is None else self._model.rows[at]
        if row is not None and row.page:
            self.chosen.emit(row)

    def _mark(self, at: int) -> None:
        self.setCurrentIndex(self._model.index(at) if at >= 0 else QModelIndex())


class _Rows(QAbstractListModel):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[HelpRow] = []

    def show_rows(self, rows: list[HelpRow]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def flags(self, index: _Index) -> Qt.ItemFlag:
        leads = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return leads if self.rows[index.row()].page else Qt.ItemFlag.NoItemFlags

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{row.below}: {row.title}" if row.below else row.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip("\n".join(filter(None, (row.below, row.title, row.line))))
        return row if role == Qt.ItemDataRole.UserRole else None


class _Delegate(QStyledItemDelegate):
    def __init__(self, look: Look, parent: QObject) -> None:
        super().__init__(parent)
        self._look = look

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        row: HelpRow = index.data(Qt.ItemDataRole.UserRole)
        return QSize(0, themes.scaled(60 if row.below else 26 if row.page else 34))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row: HelpRow = index.data(Qt.ItemDataRole.UserRole)
        theme, rect = self._look.theme, QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        state = QStyle.StateFlag
        marked, pointed = option.state & state.State_Selected, option.state & state.State_MouseOver
        if row.page and (marked or pointed):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.selection if marked else theme.hover))
            painter.drawRoundedRect(rect.adjusted(4, 1, -4, -1), 6, 6)
        inset = themes.scaled(_INSET_PX + _STEP_PX * row.depth)
        inner = rect.adjusted(inset, 0, -themes.scaled(_INSET_PX), 0)
        if row.below:
            step, top = themes.scaled(17), inner.top() + themes.scaled(5)
            lines = (
                (row.title, themes.font(12, bold=True), theme.text),
                (row.below, themes.font(11), theme.muted),
                (row.line, themes.font(11), theme.faint),
            )
            for number, (words, letters, colour) in enumerate(lines):
                place = QRect(inner.left(), top + number * step, inner.width(), step)
                _write(painter, place, words, letters, colour)
        elif row.page:
            _write(painter, inner, row.title, themes.font(12), theme.text)
        else:
            low = QRect(
                inner.left(), inner.top() + inner.height() // 3, inner.width(), inner.height() * 2 // 3
            )
            _write(painter, low, row.title, themes.font(10, bold=True), theme.faint)
        painter.restore()


def _write(painter: QPainter, place: QRect, words: str, letters: QFont, colour: str) -> None:
    painter.setFont(letters)
    painter.setPen(QColor(colour))
    shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, place.width())
    painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
