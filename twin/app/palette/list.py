"""The list of the palette: a row for each part with picture, figures, counter and star, to be dragged into the hall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from psygnal import Signal
from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import (
    QColor,
    QDrag,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from twin.app.palette.model import KINDS, OWN, Count, PaletteItem, tip_of
from twin.app.palette.part_pictures import PartPictures
from twin.app.placing.mime import IN_HAND, Dragged, mime_of
from twin.app.toolkit import icons
from twin.app.toolkit import theme as themes
from twin.app.toolkit.look import Look
from twin.app.toolkit.text_fields import wrapped
from twin.catalog import Catalog, Part, load_catalog
from twin.language import tr

_Index = QModelIndex | QPersistentModelIndex
_HEADER_PX, _PAD_PX, _STAR_PX = 26, 8, 16
_PICTURE = QSize(72, 54)
_MOST_LINES, _MOST_FIGURES = 3, 4
"""Lines of a name or of a prefab's words, and of a part's figures; all of them stand in the tip."""
_ROW_EDGE_PX, _LEADING_PX = 6, 2
ITEM = Qt.ItemDataRole.UserRole
_STAR_KEYS = (Qt.Key.Key_Asterisk,)


def dragged(item: PaletteItem) -> Dragged:
    """Return what a drag of a row carries."""
    return Dragged(prefab=item.prefab) if item.prefab else Dragged(part=item.part, kind=item.kind)


class PaletteModel(QAbstractListModel):
    """Rows of the palette: titles of groups as text, and items."""

    def __init__(self) -> None:
        super().__init__()
        self.catalog = load_catalog()
        self.rows: list[PaletteItem | str] = []
        self.counts: Mapping[str, Count] = {}
        self.favourites: frozenset[str] = frozenset()

    def show_rows(self, rows: list[PaletteItem | str], catalog: Catalog) -> None:
        """Show these, of parts of a catalogue."""
        self.beginResetModel()
        self.catalog = catalog
        self.rows = rows
        self.endResetModel()

    def show_marks(self, counts: Mapping[str, Count], favourites: frozenset[str]) -> None:
        """Show what stands in the hall, and what has a star."""
        self.counts, self.favourites = counts, favourites
        if self.rows:
            self.dataChanged.emit(self.index(0), self.index(len(self.rows) - 1))

    def item(self, index: _Index) -> PaletteItem | None:
        """Return the item of a row; None for a title."""
        row = self.rows[index.row()] if 0 <= index.row() < len(self.rows) else ""
        return row if isinstance(row, PaletteItem) else None

    def row_of(self, id: str) -> int:
        """Return the row of an item, -1 when it is not shown."""
        ids = (row.id if isinstance(row, PaletteItem) else "" for row in self.rows)
        return next((row for row, known in enumerate(ids) if known == id), -1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        """Return how many rows there are."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, tip and what is read out of a row."""
        row = self.rows[index.row()]
        if isinstance(row, str):
            return row if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole) else None
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        if role == ITEM:
            return row
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip_of(self.catalog, row)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            words = [row.title, KINDS[row.kind], row.figures, *said(self.counts.get(row.id, Count()))]
            return ", ".join([*words, "favourite"] if row.id in self.favourites else words)
        return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Return that items can be chosen and dragged."""
        if self.item(index) is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDragEnabled

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Return what a drag of a row carries."""
        item = self.item(indexes[0]) if indexes else None
        return mime_of(dragged(item)) if item is not None else QMimeData()

    def supportedDragActions(self) -> Qt.DropAction:
        """Return that a drag leaves the part in the palette."""
        return Qt.DropAction.CopyAction


def said(count: Count) -> list[str]:
    """Return a counter in words."""
    if not count.there:
        return []
    words = [tr("{there:,} in the hall", there=count.there)]
    return [*words, tr("{loose:,} not connected", loose=count.loose)] if count.loose else words


class _Delegate(QStyledItemDelegate):
    def __init__(self, look: Look, pictures: PartPictures, parent: QObject) -> None:
        super().__init__(parent)
        self._look, self._pictures = look, pictures

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        item: PaletteItem | None = index.data(ITEM)
        if item is None:
            return QSize(120, themes.scaled(_HEADER_PX))
        high = max(sum(line.high_px for line in self.lines(item)), themes.scaled(_PICTURE.height()))
        return QSize(120, high + 2 * _ROW_EDGE_PX)

    def lines(self, item: PaletteItem) -> list[_Line]:
        """Return the lines of an item, as wide as the list is."""
        view = self._view
        return _lines(item, view.rows, self._look.theme, view.viewport().width() - _text_left() - _PAD_PX)

    @property
    def _view(self) -> PaletteList:
        view = self.parent()
        assert isinstance(view, PaletteList)
        return view

    def picture(self, item: PaletteItem, size: QSize) -> QPixmap:
        """Return the picture of an item in another size, as it is carried."""
        ratio = self._view.devicePixelRatioF()
        usual = QSize(themes.scaled(_PICTURE.width()), themes.scaled(_PICTURE.height()))
        picture = self._pictures.picture(item.id, self._part(item), usual, ratio, self._look.theme)
        smooth = Qt.TransformationMode.SmoothTransformation
        return picture.scaled(size * ratio, Qt.AspectRatioMode.KeepAspectRatio, smooth)

    def _part(self, item: PaletteItem) -> Part | None:
        return self._view.rows.catalog.part(item.part) if not item.prefab else None

    def star(self, row: QRect) -> QRect:
        """Return where the star of a row is."""
        wide, high = themes.scaled(_PICTURE.width()), themes.scaled(_PICTURE.height())
        right, top = row.left() + _PAD_PX + wide, row.center().y() - high // 2
        return QRect(right - _STAR_PX - 3, top + 3, _STAR_PX, _STAR_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        theme, rect = self._look.theme, option.rect
        item: PaletteItem | None = index.data(ITEM)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if item is None:
            painter.setFont(themes.font(10, bold=True))
            painter.setPen(QColor(theme.faint))
            where = rect.adjusted(_PAD_PX + 2, 0, -_PAD_PX, -3)
            painter.drawText(
                where, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft, str(index.data()).upper()
            )
            painter.restore()
            return
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        over = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if chosen or over:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.selection if chosen else theme.hover))
            painter.drawRoundedRect(rect.adjusted(3, 1, -3, -1), 6, 6)
        self._paint_item(painter, rect, index, item, over or chosen)
        painter.restore()

    def _paint_item(
        self, painter: QPainter, rect: QRect, index: _Index, item: PaletteItem, marked: bool
    ) -> None:
        theme, model = self._look.theme, index.model()
        assert isinstance(model, PaletteModel)
        size = QSize(themes.scaled(_PICTURE.width()), themes.scaled(_PICTURE.height()))
        ratio = painter.device().devicePixelRatioF()
        picture = self._pictures.picture(item.id, self._part(item), size, ratio, theme)
        painter.drawPixmap(rect.left() + _PAD_PX, rect.center().y() - size.height() // 2, picture)
        star = self.star(rect)
        if item.id in model.favourites or marked:
            starred = item.id in model.favourites
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.surface))
            painter.drawEllipse(star.adjusted(-2, -2, 2, 2))
            colour = theme.warning if starred else theme.muted
            painter.drawPixmap(star.topLeft(), icons.pixmap("star", colour, _STAR_PX, ratio))
        left = rect.left() + _text_left()
        lines = self.lines(item)
        top = rect.top() + (rect.height() - sum(line.high_px for line in lines)) // 2
        for line in lines:
            painter.setFont(line.font)
            painter.setPen(QColor(line.colour))
            where = QRect(left, top, rect.right() + 1 - _PAD_PX - left, line.high_px)
            painter.drawText(where, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, line.text)
            top += line.high_px


class _Line(NamedTuple):
    text: str
    font: QFont
    colour: str
    high_px: int


def _lines(item: PaletteItem, model: PaletteModel, theme: themes.Theme, width_px: int) -> list[_Line]:
    """Return the lines of a row that is so wide: its name, its figures, and what of it stands in the hall."""
    count = model.counts.get(item.id, Count())
    figures = (
        item.figures if item.prefab else _unbroken(item.figures, QFontMetrics(themes.font(11)), width_px)
    )
    counter, source = ", ".join(said(count)), "" if item.prefab else item.source
    found = []
    for text, colour, font, most in (
        (item.title, theme.text, themes.font(12, bold=True), _MOST_LINES),
        (figures, theme.muted, themes.font(11), _MOST_LINES if item.prefab else _MOST_FIGURES),
        (counter, theme.warning if count.loose else theme.ok, themes.font(11), _MOST_LINES),
        (
            "" if counter and item.group != OWN else source,
            theme.faint,
            themes.font(11),
            _MOST_LINES if item.group == OWN else 1,
        ),
    ):
        if text:
            high_px = QFontMetrics(font).height() + _LEADING_PX
            found += [_Line(line, font, colour, high_px) for line in wrapped(text, font, width_px, most)]
    return found


def _unbroken(figures: str, metrics: QFontMetrics, width_px: int) -> str:
    """Return figures between which a line may end; inside one only where it is longer than a line."""
    return ", ".join(
        figure.replace(" ", "\u00a0") if metrics.horizontalAdvance(f"{figure},") <= width_px else figure
        for figure in figures.split(", ")
    ).replace("\u00a0at", " at")


def _text_left() -> int:
    """Return where the words of a row begin [px]."""
    return 2 * _PAD_PX + themes.scaled(_PICTURE.width())


class PaletteList(QListView):
    """Rows to be dragged, chosen with the arrows, taken in hand with Enter or a double click."""

    taken = Signal(object)  # Item
    dragged = Signal(object)  # Item
    starred = Signal(object)  # Item
    typed = Signal(str)  # letters meant for the search field

    def __init__(self, look: Look, pictures: PartPictures) -> None:
        super().__init__()
        self.rows = PaletteModel()
        self.setModel(self.rows)
        self._delegate = _Delegate(look, pictures, self)
        self.setItemDelegate(self._delegate)
        self.setMouseTracking(True)
        self.setUniformItemSizes(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setDefaultDropAction(Qt.DropAction.CopyAction)
        self.setAccessibleName(tr("Parts"))
        self.setStatusTip(tr("Drag a part into the hall; Enter places it, * marks a favourite"))
        self.doubleClicked.connect(self._take)
        look.changed.connect(self._on_look)
        self.rows.dataChanged.connect(self._on_marks)

    @property
    def item(self) -> PaletteItem | None:
        """Return the chosen item."""
        return self.rows.item(self.currentIndex())

    def choose(self, id: str) -> None:
        """Choose an item that is shown; the first one when it is not."""
        row = self.rows.row_of(id)
        if row < 0:
            row = next((k for k, row in enumerate(self.rows.rows) if isinstance(row, PaletteItem)), -1)
        if row >= 0:
            self.setCurrentIndex(self.rows.index(row))

    def step(self, rows: int) -> None:
        """Choose the next item, down or up, over titles."""
        row = self.currentIndex().row() + rows
        while 0 <= row < len(self.rows.rows) and not isinstance(self.rows.rows[row], PaletteItem):
            row += rows
        if 0 <= row < len(self.rows.rows):
            self.setCurrentIndex(self.rows.index(row))

    def take(self) -> None:
        """Take the chosen item in hand."""
        if self.item is not None:
            self.taken.emit(self.item)

    def shown(self, id: str) -> list[str]:
        """Return the lines of an item that is listed, as they are seen."""
        item = self.rows.item(self.rows.index(self.rows.row_of(id)))
        return [] if item is None else [line.text for line in self._delegate.lines(item)]

    def star_rect(self, id: str) -> QRect:
        """Return where the star of an item is, in the coordinates of the list."""
        return self._delegate.star(self.visualRect(self.rows.index(self.rows.row_of(id))))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the rows out anew: their words break elsewhere, and a scroll bar that comes takes width too."""
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter takes, * stars, letters go to the search field."""
        text = event.text()
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.take()
        elif event.key() in _STAR_KEYS and self.item is not None:
            self.starred.emit(self.item)
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.step(1 if event.key() == Qt.Key.Key_Down else -1)
        elif plain and len(text) == 1 and text.isalnum():
            self.typed.emit(text)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Keep letters from being shortcuts while the list has the keyboard."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
            if (plain and len(event.text()) == 1 and event.text().isalnum()) or event.key() in _STAR_KEYS:
                event.accept()
                return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Star what is clicked at its star."""
        index = self.indexAt(event.position().toPoint())
        item = self.rows.item(index) if index.isValid() else None
        if item is not None and self._delegate.star(self.visualRect(index)).adjusted(-4, -4, 4, 4).contains(
            event.position().toPoint()
        ):
            self.setCurrentIndex(index)
            self.starred.emit(item)
            return
        super().mousePressEvent(event)

    def startDrag(self, supported: Qt.DropAction) -> None:
        """Drag the chosen item."""
        item = self.item
        if item is None:
            return
        drag = QDrag(self)
        drag.setMimeData(self.rows.mimeData([self.currentIndex()]))
        drag.setPixmap(self._delegate.picture(item, IN_HAND.size()))
        drag.setHotSpot(-IN_HAND.topLeft())
        drag.exec(supported, self.defaultDropAction())
        self.dragged.emit(item)

    def _take(self, index: QModelIndex) -> None:
        item = self.rows.item(index)
        if item is not None:
            self.taken.emit(item)

    def _on_look(self, _: object) -> None:
        self.scheduleDelayedItemsLayout()
        self.viewport().update()

    def _on_marks(self) -> None:
        self.scheduleDelayedItemsLayout()  # a counter takes a line or two
