"""The base of charts that are painted by hand: each says what it paints, and where what is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainterPath,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget
from shiboken6 import isValid

from twin.app.toolkit.charts.axes import Axis, VisibleRange
from twin.app.toolkit.charts.painting import CENTRE, ChartPainter
from twin.app.toolkit.look import Look
from twin.app.toolkit.theme import Theme

ZOOM = 1.25
"""A notch of the wheel, or a key, shows so much less or more."""
CLICK_PX = 4.0
"""A press that moves less is a click."""
_STEP = 0.1
"""Of what is shown an arrow key moves so much."""
_WAYS: dict[int, tuple[int, int]] = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
_ZOOM_KEYS: dict[int, float] = {Qt.Key.Key_Plus: ZOOM, Qt.Key.Key_Equal: ZOOM, Qt.Key.Key_Minus: 1 / ZOOM}


@dataclass(frozen=True)
class ChartItem:
    """Something in a chart that has a place and a name.

    Parameters
    ----------
    spot
        Where it is.
    said
        What a tool tip says of it, as rich text.
    key, words
        By which the arrow keys find it, and what a reader says of it then; "": they pass it.
    shape
        What of the spot it covers; None: all of it.
    """

    spot: QRectF
    said: str
    key: str = ""
    words: str = ""
    shape: QPainterPath | None = None

    def covers(self, place: QPointF) -> bool:
        """Return whether it is at a place."""
        return self.spot.contains(place) if self.shape is None else self.shape.contains(place)


class PaintedChart(QWidget):
    """Follows the theme, paints itself, and says what is under the pointer and where the keys are.

    A chart has `paint`, and what it needs of these: `items` for tool tips and keys, `is_empty` with words for it,
    `paint_ground` for what stands while little else moves.

    Parameters
    ----------
    name
        What readers call it.
    hint, least
        Its size where there is room, and where there is none [px].
    tall
        Whether it grows in height, too.
    keys
        Whether it can have the keyboard.
    """

    smooth = True
    """Whether edges are smoothed."""
    keeps_ground = False
    """Whether `paint_ground` is kept as a picture until `refresh`."""
    empty = ""
    """What stands in the middle while there is nothing to show."""

    def __init__(
        self,
        look: Look,
        name: str,
        *,
        hint: tuple[int, int] = (-1, -1),
        least: tuple[int, int] = (0, 0),
        tall: bool = True,
        keys: bool = False,
    ) -> None:
        super().__init__()
        self._look, self._hint = look, QSize(*hint)
        self._ground: QPixmap | None = None
        self._current = ""  # key of the item that the keyboard is on
        self.setAccessibleName(name)
        self.setMinimumSize(*least)
        grows = QSizePolicy.Policy.Expanding
        self.setSizePolicy(grows, grows if tall else QSizePolicy.Policy.Fixed)
        if keys:
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        look.changed.connect(self._on_theme)

    # -- what a chart says of itself ----

    def paint(self, painter: ChartPainter) -> None:
        """Paint it, or what moves over the ground."""

    def paint_ground(self, painter: ChartPainter) -> None:
        """Paint what stands."""

    def items(self) -> Sequence[ChartItem]:
        """Return what has a place of its own, the uppermost first."""
        return ()

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to show."""
        return False

    # -- what is there for all ----

    @property
    def theme(self) -> Theme:
        """Return the theme in force."""
        return self._look.theme

    def sizeHint(self) -> QSize:
        """Return a size in which everything is legible."""
        return self._hint

    def refresh(self) -> None:
        """Repaint everything."""
        self._ground = None
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ground from its picture and what moves over it, or that there is nothing."""
        painter = ChartPainter(self, self.theme, smooth=self.smooth)
        if self.is_empty:
            painter.write(QRectF(self.rect()), self.empty, self.theme.muted, to=CENTRE)
        else:
            if self.keeps_ground:
                painter.drawPixmap(0, 0, self._ground_picture())
            self.paint(painter)
        painter.end()

    def _ground_picture(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        if self._ground is None or self._ground.devicePixelRatio() != ratio:
            self._ground = QPixmap(self.size() * ratio)
            self._ground.setDevicePixelRatio(ratio)
            self._ground.fill(Qt.GlobalColor.transparent)
            painter = ChartPainter(self._ground, self.theme, smooth=self.smooth)
            self.paint_ground(painter)
            painter.end()
        return self._ground

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Paint anew."""
        super().resizeEvent(event)
        self.refresh()

    def _on_theme(self, _theme: object) -> None:
        if not isValid(self):  # of a page that has been built anew
            return
        self.updateGeometry()
        self.refresh()

    # -- pointer and keys ----

    @property
    def current(self) -> ChartItem | None:
        """Return the item that the keyboard is on."""
        return next((item for item in self.items() if item.key and item.key == self._current), None)

    def item_at(self, place: QPointF) -> ChartItem | None:
        """Return what is at a place."""
        return next((item for item in self.items() if item.covers(place)), None)

    def said_at(self, place: QPointF) -> str:
        """Return what there is to say of a place, as rich text; "": nothing."""
        item = self.item_at(place)
        return item.said if item is not None else ""

    def event(self, event: QEvent) -> bool:
        """Say what is under the pointer."""
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.said_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from item to item by the arrow keys."""
        way = _WAYS.get(event.key())
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        key = self.beside(*way) if way is not None and plain else ""
        if key:
            self.go_to(key)
        else:
            super().keyPressEvent(event)

    def beside(self, across: int, down: int) -> str:
        """Return the key of the item that an arrow key leads to: the next, or the one before; "": none."""
        keys = [item.key for item in self.items() if item.key]
        at = keys.index(self._current) + across + down if self._current in keys else 0
        return keys[at % len(keys)] if keys else ""

    def go_to(self, key: str) -> None:
        """Put the keyboard on an item, and let readers say it."""
        self._current = key
        item = self.current
        if item is not None:
            self.setAccessibleDescription(item.words)
        self.refresh()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the keyboard is."""
        super().focusInEvent(event)
        self.refresh()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the mark of the keyboard away."""
        super().focusOutEvent(event)
        self.refresh()


class ZoomedChart(PaintedChart):
    """A chart one looks closer at: by the wheel at the pointer, with Ctrl down; a drag or arrows move, 0 shows all.

    Attributes
    ----------
    across, down
        What part of it is shown; None: there is nothing to look closer at.
    """

    smooth = False

    def __init__(self, look: Look, name: str, *, least: tuple[int, int]) -> None:
        super().__init__(look, name, least=least, keys=True)
        self.across = VisibleRange(0.0, 1.0, 0.0, 1.0)
        self.down: VisibleRange | None = None
        self._held: tuple[QPointF, QPointF] | None = None  # where a drag began, and where it is

    @property
    def room(self) -> QRectF:
        """Return the place of what is looked at."""
        return QRectF(self.rect())

    @property
    def x_axis(self) -> Axis:
        """Return where what is shown across stands."""
        return Axis(self.across.low, self.across.high, self.room.left(), self.room.right())

    @property
    def y_axis(self) -> Axis:
        """Return where what is shown down stands."""
        down = self.down if self.down is not None else VisibleRange(0.0, 1.0, 0.0, 1.0)
        return Axis(down.low, down.high, self.room.top(), self.room.bottom())

    def show_all(self) -> None:
        """Show all there is."""
        for shown in (self.across, self.down):
            if shown is not None:
                shown.show_all()
        self.update()

    def moved_across(self) -> None:
        """Take note that somebody chose what is shown across."""

    @property
    def is_held(self) -> bool:
        """Return whether somebody drags it."""
        return self._held is not None

    def _zoom(self, factor: float, *, down: float | None, across: float) -> None:
        if down is not None and self.down is not None:
            self.down.zoom(factor, down)
        else:
            self.moved_across()
            self.across.zoom(factor, min(max(across, self.across.low), self.across.high))
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer."""
        place = event.position()
        with_ctrl = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        down = self.y_axis.value(place.y()) if with_ctrl else None
        self._zoom(ZOOM ** (event.angleDelta().y() / 120.0), down=down, across=self.x_axis.value(place.x()))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the picture."""
        self.setFocus()
        if event.button() == Qt.MouseButton.LeftButton:
            self._held = (event.position(), event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the picture along."""
        if self._held is None:
            return
        begin, last = self._held
        if (event.position() - begin).manhattanLength() < CLICK_PX and begin == last:
            return
        by = event.position() - last
        self._held = (begin, event.position())
        if by.x():
            self.moved_across()
            self.across.move(-by.x() / self.x_axis.scale)
        if self.down is not None:
            self.down.move(-by.y() / self.y_axis.scale)
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go; a press that did not move is a click."""
        held, self._held = self._held, None
        if held is not None and held[0] == held[1]:
            self.click(event.position())

    def click(self, place: QPointF) -> None:
        """Choose what is at a place."""

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show all."""
        self.show_all()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Zoom by + and -, with Ctrl down; move by arrows; 0 shows all."""
        key = event.key()
        if key in _ZOOM_KEYS:
            with_ctrl = event.modifiers() & Qt.KeyboardModifier.ControlModifier
            down = self.down.middle if with_ctrl and self.down is not None else None
            self._zoom(_ZOOM_KEYS[key], down=down, across=self.across.middle)
        elif key == Qt.Key.Key_0:
            self.show_all()
        elif key in _WAYS and (_WAYS[key][0] or self.down is not None):
            for way, shown in zip(_WAYS[key], (self.across, self.down), strict=True):
                if way and shown is not None:
                    shown.move(_STEP * way * (shown.high - shown.low))
            if _WAYS[key][0]:
                self.moved_across()
            self.update()
        else:
            super().keyPressEvent(event)
