"""The widget that draws a diagram: boxes with symbols, lines with values and moving arrows, keys and pointer."""

from __future__ import annotations

import math
from html import escape

from psygnal import Signal
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from twin.app.diagrams.diagram import Box, Diagram
from twin.app.diagrams.diagram_layout import DiagramPicture, lay_out
from twin.app.diagrams.diagram_paint import paint_arrows, paint_still, rectangle
from twin.app.toolkit.look import Look

_FRAME_MS, _SPEED_PX = 66, 1.6


class DiagramView(QWidget):
    """Draws a diagram; a click or Enter chooses a thing, arrow keys go from box to box."""

    chosen = Signal(str)  # id of a thing
    menu_wanted = Signal(str, object)  # id of a thing, QPoint on the screen

    def __init__(self, look: Look, name: str) -> None:
        super().__init__()
        self._look = look
        self.diagram = Diagram()
        self.picture: DiagramPicture = lay_out(self.diagram, 300, 300)
        self._boxes: dict[str, Box] = {}
        self._current = ""
        self._hovered = ""
        self._travelled_px = 0.0
        self._still: QPixmap | None = None
        self._surface = QSize(300, 300)
        self._clock = QTimer(self)
        self._clock.setInterval(_FRAME_MS)
        self._clock.timeout.connect(self._on_clock)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        look.changed.connect(self._paint_anew)

    @property
    def is_moving(self) -> bool:
        """Return whether the arrows travel."""
        return self._clock.isActive()

    @property
    def current(self) -> Box | None:
        """Return the box that the keyboard is on."""
        return self._boxes.get(self._current)

    def show_diagram(self, diagram: Diagram) -> None:
        """Draw another diagram; nothing happens when it is the same."""
        if diagram == self.diagram:
            return
        moved = _plan(diagram) != _plan(self.diagram)
        self.diagram = diagram
        self._boxes = {box.key: box for box in diagram.boxes}
        if self._current not in self._boxes:
            self._current = next((box.key for box in diagram.boxes if box.chosen), "")
        self.setAccessibleDescription(diagram.words)
        if moved:
            self.fit(self._surface)
        self._paint_anew()

    def fit(self, surface: QSize) -> None:
        """Lay the diagram out for a surface of this size."""
        self._surface = surface
        self.picture = lay_out(self.diagram, surface.width(), surface.height())
        self.setMinimumSize(math.ceil(self.picture.width), math.ceil(self.picture.height))
        self.updateGeometry()
        self._paint_anew()

    def move_arrows(self, on: bool) -> None:
        """Let the arrows travel, or stand."""
        if on != self._clock.isActive():
            (self._clock.start if on else self._clock.stop)()

    def spot(self, key: str) -> QRectF:
        """Return where a box is."""
        return rectangle(self.picture.spots[key])

    def sizeHint(self) -> QSize:
        """Return the size of the picture."""
        return QSize(math.ceil(self.picture.width), math.ceil(self.picture.height))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what stands from memory, and the arrows on it."""
        ratio = self.devicePixelRatioF()
        if self._still is None or self._still.devicePixelRatio() != ratio:
            self._still = QPixmap(self.size() * ratio)
            self._still.setDevicePixelRatio(ratio)
            self._still.fill(Qt.GlobalColor.transparent)
            current = self._current if self.hasFocus() else ""
            brush = QPainter(self._still)
            paint_still(brush, self._look.theme, self.diagram, self.picture, self._hovered, current)
            brush.end()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._still)
        paint_arrows(painter, self._look.theme, self.diagram, self.picture, self._travelled_px)

    def _paint_anew(self, *_change: object) -> None:
        self._still = None
        self.update()

    # -- pointer and keys ----

    def box_at(self, place: QPointF) -> Box | None:
        """Return the box under a point."""
        for key, spot in self.picture.spots.items():
            if spot.holds(place.x(), place.y()):
                return self._boxes.get(key)
        return None

    def event(self, event: QEvent) -> bool:
        """Say what is under the pointer."""
        if isinstance(event, QHelpEvent):
            box = self.box_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), _tip(box) if box is not None else "", self)
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Light up what a click would choose."""
        box = self.box_at(event.position())
        key = box.key if box is not None and box.thing else ""
        if key != self._hovered:
            self._hovered = key
            self.setCursor(Qt.CursorShape.PointingHandCursor if key else Qt.CursorShape.ArrowCursor)
            self._paint_anew()

    def leaveEvent(self, event: QEvent) -> None:
        """Light up nothing."""
        self._hovered = ""
        self._paint_anew()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose what is under the pointer."""
        box = self.box_at(event.position())
        if box is not None and event.button() == Qt.MouseButton.LeftButton:
            self._current = box.key
            self._paint_anew()
            if box.thing:
                self.chosen.emit(box.thing)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of what is under the pointer, by the menu key of where the keyboard is."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        box = self.current if by_key else self.box_at(QPointF(event.pos()))
        if box is not None and box.thing:
            place = self.mapToGlobal(self.spot(box.key).center().toPoint()) if by_key else event.globalPos()
            self.menu_wanted.emit(box.thing, place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from box to box by the arrow keys; Enter chooses."""
        ways = {
            Qt.Key.Key_Up: (0, -1),
            Qt.Key.Key_Down: (0, 1),
            Qt.Key.Key_Left: (-1, 0),
            Qt.Key.Key_Right: (1, 0),
        }
        key = Qt.Key(event.key())
        if key in ways and event.modifiers() in (
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.KeypadModifier,
        ):
            self._go(*ways[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current is not None:
            if self.current.thing:
                self.chosen.emit(self.current.thing)
        else:
            super().keyPressEvent(event)

    def _go(self, x: int, y: int) -> None:
        """Go to the nearest box in a direction."""
        here = self.picture.spots.get(self._current)
        if here is None:
            self._set_current(self.diagram.boxes[0].key if self.diagram.boxes else "")
            return
        best, key = math.inf, ""
        for other, spot in self.picture.spots.items():
            ahead = (spot.centre - here.centre) * x + (spot.y - here.y) * y
            aside = abs(spot.centre - here.centre) * abs(y) + abs(spot.y - here.y) * abs(x)
            if other != self._current and ahead > 4.0 and ahead + 3.0 * aside < best:
                best, key = ahead + 3.0 * aside, other
        if key:
            self._set_current(key)

    def _set_current(self, key: str) -> None:
        self._current = key
        box = self.current
        self.setAccessibleDescription(box.words if box is not None else self.diagram.words)
        self._paint_anew()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the keyboard is."""
        super().focusInEvent(event)
        if not self._current and self.diagram.boxes:
            self._set_current(self.diagram.boxes[0].key)
        self._paint_anew()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the mark of the keyboard away."""
        super().focusOutEvent(event)
        self._paint_anew()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Paint anew; the surface is told by `fit`."""
        super().resizeEvent(event)
        self._paint_anew()

    def _on_clock(self) -> None:
        self._travelled_px += _SPEED_PX
        self.update()


def _plan(diagram: Diagram) -> list[tuple[object, ...]]:
    """Return what the places of boxes and lines hang on: a state takes room of its own."""
    boxes: list[tuple[object, ...]] = [(b.key, b.level, b.place, bool(b.state)) for b in diagram.boxes]
    return boxes + [(line.above, line.below, line.late, line.is_pair) for line in diagram.lines]


def _tip(box: Box) -> str:
    rows = "".join(
        f"<tr><td>{escape(title)}&nbsp;&nbsp;</td><td align='right'><b>{escape(value)}</b></td></tr>"
        for title, value in box.facts
    )
    state = f" \N{MIDDLE DOT} {escape(box.state.lower())}" if box.state else ""
    head = f"<b>{escape(box.title)}</b>{state}"
    return f"{head}<table cellspacing='0'>{rows}</table>" if rows else f"{head}<br>{escape(box.text)}"
