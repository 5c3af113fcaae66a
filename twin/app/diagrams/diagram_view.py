"""The widget that draws a diagram: boxes with symbols, lines with values and moving arrows, keys and pointer."""

from __future__ import annotations

import math
from html import escape

from psygnal import Signal
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent
from shiboken6 import isValid

from twin.app.diagrams.diagram import Box, Diagram
from twin.app.diagrams.diagram_layout import DiagramPicture, lay_out
from twin.app.diagrams.diagram_paint import paint_arrows, paint_still
from twin.app.toolkit.charts.chart import ChartItem, PaintedChart
from twin.app.toolkit.charts.painting import ChartPainter
from twin.app.toolkit.look import Look
from twin.app.toolkit.theme import scaled

_FRAME_MS, _SPEED_PX = 66, 1.6


class DiagramView(PaintedChart):
    """Draws a diagram as large as its text; a click or Enter chooses a thing, arrow keys go from box to box."""

    chosen = Signal(str)  # id of a thing
    menu_wanted = Signal(str, object)  # id of a thing, QPoint on the screen
    keeps_ground = True

    def __init__(self, look: Look, name: str) -> None:
        super().__init__(look, name, keys=True)
        self.diagram = Diagram()
        self.picture: DiagramPicture = lay_out(self.diagram, 300, 300)
        self._boxes: dict[str, Box] = {}
        self._hovered = ""
        self._travelled_px = 0.0
        self._surface, self._scale = QSize(300, 300), 1.0
        self._clock = QTimer(self)
        self._clock.setInterval(_FRAME_MS)
        self._clock.timeout.connect(self._on_clock)
        self.setMouseTracking(True)

    @property
    def is_moving(self) -> bool:
        """Return whether the arrows travel."""
        return self._clock.isActive()

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
        self.refresh()

    def fit(self, surface: QSize) -> None:
        """Lay the diagram out for a surface of this size."""
        self._surface, self._scale = surface, scaled(1000) / 1000
        self.picture = lay_out(self.diagram, surface.width() / self._scale, surface.height() / self._scale)
        self.setMinimumSize(self.sizeHint())
        self.updateGeometry()
        self.refresh()

    def move_arrows(self, on: bool) -> None:
        """Let the arrows travel, or stand."""
        if on != self._clock.isActive():
            (self._clock.start if on else self._clock.stop)()

    def spot(self, key: str) -> QRectF:
        """Return where a box is."""
        spot, scale = self.picture.spots[key], self._scale
        return QRectF(spot.x * scale, spot.y * scale, spot.width * scale, spot.height * scale)

    def sizeHint(self) -> QSize:
        """Return the size of the picture."""
        return QSize(
            math.ceil(self.picture.width * self._scale), math.ceil(self.picture.height * self._scale)
        )

    def paint_ground(self, painter: ChartPainter) -> None:
        """Paint what stands."""
        current = self._current if self.hasFocus() else ""
        painter.enlarge(self._scale)
        paint_still(painter, self.diagram, self.picture, self._hovered, current)

    def paint(self, painter: ChartPainter) -> None:
        """Paint the arrows that travel."""
        painter.enlarge(self._scale)
        paint_arrows(painter, self.diagram, self.picture, self._travelled_px)

    # -- pointer and keys ----

    def box_at(self, place: QPointF) -> Box | None:
        """Return the box under a point."""
        for key, spot in self.picture.spots.items():
            if spot.holds(place.x() / self._scale, place.y() / self._scale):
                return self._boxes.get(key)
        return None

    def items(self) -> list[ChartItem]:
        """Return the boxes."""
        return [ChartItem(self.spot(box.key), _tip(box), box.key, box.words) for box in self.diagram.boxes]

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Light up what a click would choose."""
        box = self.box_at(event.position())
        key = box.key if box is not None and box.thing else ""
        if key != self._hovered:
            self._hovered = key
            self.setCursor(Qt.CursorShape.PointingHandCursor if key else Qt.CursorShape.ArrowCursor)
            self.refresh()

    def leaveEvent(self, event: QEvent) -> None:
        """Light up nothing."""
        self._hovered = ""
        self.refresh()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose what is under the pointer."""
        box = self.box_at(event.position())
        if box is not None and event.button() == Qt.MouseButton.LeftButton:
            self._current = box.key
            self.refresh()
            if box.thing:
                self.chosen.emit(box.thing)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of what is under the pointer, by the menu key of where the keyboard is."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        box = self._boxes.get(self._current) if by_key else self.box_at(QPointF(event.pos()))
        if box is not None and box.thing:
            place = self.mapToGlobal(self.spot(box.key).center().toPoint()) if by_key else event.globalPos()
            self.menu_wanted.emit(box.thing, place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose by Enter the box that the arrow keys have led to."""
        box = self._boxes.get(self._current)
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter) or box is None:
            super().keyPressEvent(event)
        elif box.thing:
            self.chosen.emit(box.thing)

    def beside(self, across: int, down: int) -> str:
        """Return the nearest box in a direction; where the keys are at none yet, the first."""
        here = self.picture.spots.get(self._current)
        if here is None:
            return self.diagram.boxes[0].key if self.diagram.boxes else ""
        best, key = math.inf, self._current
        for other, spot in self.picture.spots.items():
            ahead = (spot.centre - here.centre) * across + (spot.y - here.y) * down
            aside = abs(spot.centre - here.centre) * abs(down) + abs(spot.y - here.y) * abs(across)
            if other != self._current and ahead > 4.0 and ahead + 3.0 * aside < best:
                best, key = ahead + 3.0 * aside, other
        return key

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Begin at the first box."""
        super().focusInEvent(event)
        if not self._current and self.diagram.boxes:
            self.go_to(self.diagram.boxes[0].key)

    def _on_theme(self, theme: object) -> None:
        super()._on_theme(theme)
        if isValid(self):
            self.fit(self._surface)

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
