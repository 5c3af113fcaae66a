"""A table of things, one a row: whole rows are chosen, words stay on one line, and heads are read in full."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QMenu,
    QStyle,
    QStyleOptionHeader,
    QStyleOptionHeaderV2,
    QTableView,
    QWidget,
)

from twin.app.toolkit.look import Look
from twin.app.toolkit.theme import scaled

_WRAP = Qt.TextFlag.TextWordWrap.value
_TALL = QSize(400, 200)
_MEASURED, _MARGIN_PX = 60, 26


class Heads(QHeaderView):
    """Heads of columns: where a column is narrower than its head, the words of the head go on in the next line."""

    restyled = Signal()  # another font, perhaps

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.setHighlightSections(False)
        self.setSectionsClickable(True)
        self.setMinimumSectionSize(24)
        self._high_px = 0
        self._margins: dict[bool, QSize] = {}  # by whether there is an arrow
        self._sharing = False
        self.sectionResized.connect(self._fit)
        self.sectionCountChanged.connect(self._fit)

    def changeEvent(self, event: QEvent) -> None:
        """Tell of another size of text: the table hears of it before its heads do."""
        restyled = event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange)
        if restyled:
            self._margins.clear()
        super().changeEvent(event)
        if restyled:
            self._fit()
            self.restyled.emit()

    def least_px(self, section: int) -> int:
        """Return the width of a column in which no word of its head is cut [px]."""
        metrics = self._metrics()
        words = self._title(section).split()
        return max(map(metrics.horizontalAdvance, words), default=0) + self._edges(section).width() + 1

    @property
    def sharing(self) -> bool:
        """Return whether the width is being shared among columns."""
        return self._sharing

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Look after the height once, when all columns have their width."""
        self._sharing = True
        try:
            yield
        finally:
            self._sharing = False
            self._fit()

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, section: int) -> None:
        """Let words go on in the next line."""
        super().initStyleOptionForIndex(option, section)
        option.textAlignment = Qt.AlignmentFlag(option.textAlignment.value | _WRAP)

    def sizeHint(self) -> QSize:
        """Return a height with room for all lines of the highest head."""
        hint, metrics = super().sizeHint(), self._metrics()
        high_px = hint.height()
        for section in range(self.count()):
            if self.isSectionHidden(section):
                continue
            edges = self._edges(section)
            room = QRect(0, 0, max(self.sectionSize(section) - edges.width(), 1), _TALL.height())
            words = metrics.boundingRect(room, _WRAP, self._title(section))
            high_px = max(high_px, words.height() + edges.height())
        return QSize(hint.width(), high_px)

    def _title(self, section: int) -> str:
        return str(self.model().headerData(section, self.orientation()) or "")

    def _metrics(self) -> QFontMetrics:
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)  # as the stylesheet has it
        return QFontMetrics(bold)

    def _edges(self, section: int) -> QSize:
        """Return what of a head is left free of words: margins, and the arrow where rows are sorted by it."""
        arrow = self.isSortIndicatorShown() and self.sortIndicatorSection() == section
        known = self._margins.get(arrow)
        if known is None:
            option = QStyleOptionHeaderV2()
            self.initStyleOption(option)
            self.initStyleOptionForIndex(option, section)
            option.rect = QRect(0, 0, _TALL.width(), _TALL.height())
            words = self.style().subElementRect(QStyle.SubElement.SE_HeaderLabel, option, self)
            known = self._margins[arrow] = _TALL - words.size()
        return known

    def _fit(self, *_change: int) -> None:
        """Let the table give the heads another height where they need one."""
        if self._sharing:
            return
        high_px = self.sizeHint().height()
        if high_px != self._high_px:
            self._high_px = high_px
            self.geometriesChanged.emit()


class RowTable(QTableView):
    """One row can be chosen at a time; an empty table says so where it has words for it.

    Attributes
    ----------
    none
        What an empty table says; "": nothing.
    """

    def __init__(self, look: Look, name: str, row_px: int, model: QAbstractItemModel, none: str = "") -> None:
        super().__init__()
        self._look, self.none = look, none
        self.heads = Heads(self)
        self.setHorizontalHeader(self.heads)
        self.setModel(model)
        self.setAccessibleName(name)
        self.setTabKeyNavigation(False)  # Tab goes on, arrows choose: or nobody would get out by keys
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(scaled(row_px))
        self._widths: Callable[[], Mapping[int, int]] = dict
        self._kept, self._least_px = -1, 0
        self._leaving: Sequence[int] = ()
        self._follows_width = False
        self._px: dict[int, int] = {}  # how wide columns are, also those that are hidden
        self.heads.sectionResized.connect(self._on_dragged)
        self.heads.restyled.connect(self.share)

    @property
    def header(self) -> QHeaderView:
        """Return the header over the columns."""
        return self.heads

    def share_width(
        self,
        widths_px: Mapping[int, int] | Callable[[], Mapping[int, int]],
        rest: int,
        least_px: int = 80,
        leaving: Sequence[int] = (),
        *,
        follows_width: bool = False,
    ) -> None:
        """Share the width among columns: now, at every other size of text, and the rest at every other width.

        Parameters
        ----------
        widths_px
            Of columns, at the usual size of text; or a function that measures them [px]. None is narrower than a
            word of its head.
        rest
            The column that has what the others leave.
        least_px
            It is no narrower than this, at the usual size of text, nor than a word of its head.
        leaving
            Columns that are hidden where there is too little, the first of them first.
        follows_width
            Whether `widths_px` measures otherwise in another width.
        """
        self._widths = (
            widths_px
            if callable(widths_px)
            else lambda: {column: scaled(width_px) for column, width_px in widths_px.items()}
        )
        self._kept, self._least_px, self._leaving = rest, least_px, leaving
        self._follows_width = follows_width
        self.share()

    def share(self) -> None:
        """Share the width anew: what is measured has changed."""
        if self._kept < 0:
            return
        self._px = {
            column: max(width_px, self.heads.least_px(column)) for column, width_px in self._widths().items()
        }
        self._fill()

    def widest(self, column: int, *others: str) -> int:
        """Return the width that the first rows of a column need, and these words [px]."""
        rows = range(min(self.model().rowCount(), _MEASURED))
        cells = (str(self.model().index(row, column).data() or "") for row in rows)
        return max(map(self.fontMetrics().horizontalAdvance, (*cells, *others)), default=0) + _MARGIN_PX

    def _fill(self) -> None:
        """Give columns their width, and one of them the rest."""
        if self.heads.sharing or self._kept < 0:
            return
        with self.heads.shared():
            self._give_widths()

    def _give_widths(self) -> None:
        least_px = max(scaled(self._least_px), self.heads.least_px(self._kept))
        left_px = self.viewport().width() - sum(self._px.values())
        for column in self._leaving:
            hidden = left_px < least_px
            left_px += self._px[column] if hidden else 0
            if hidden != self.isColumnHidden(column):
                self.setColumnHidden(column, hidden)
        for column, width_px in self._px.items():
            self.setColumnWidth(column, width_px)
        self.setColumnWidth(self._kept, max(left_px, least_px))

    def _on_dragged(self, column: int, _before_px: int, now_px: int) -> None:
        if not self.heads.sharing and column in self._px and now_px:
            self._px[column] = now_px
            self._fill()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let columns give way, or come back."""
        super().resizeEvent(event)
        (self.share if self._follows_width else self._fill)()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows, or that there are none."""
        super().paintEvent(event)
        if self.none and not self.model().rowCount():
            painter = QPainter(self.viewport())
            painter.setPen(QColor(self._look.theme.muted))
            painter.drawText(self.viewport().rect(), Qt.AlignmentFlag.AlignCenter, self.none)
            painter.end()


def offer_menus(
    table: QTableView, thing_of: Callable[[QModelIndex], str], menu_of: Callable[[str], QMenu | None]
) -> None:
    """Let the right button choose a row of `table` and open the menu of its thing ("": it has none)."""

    def offer(place: QPoint) -> None:
        index = table.indexAt(place)
        id = thing_of(index) if index.isValid() else ""
        menu = menu_of(id) if id else None
        if menu is not None:
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(table.viewport().mapToGlobal(place))

    table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    table.customContextMenuRequested.connect(offer)
