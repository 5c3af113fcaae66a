"""The pointer of a lesson: a ring with a label round a thing of the hall, and an outline round a dock."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from twin.app.hall.panel import HallPanel
from twin.app.toolkit import theme as themes
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.look import Look
from twin.language import tr
from twin.shown_text import one_line
from twin.view3d.base.bounds import Box
from twin.view3d.base.camera import project
from twin.view3d.base.state import CameraPose

_TICK_MS, _STATE_MS = 50, 500
"""So often a ring follows the camera, and so often it says anew how its thing is doing."""
_SHOWN_MS = 2600
"""So long a dock is outlined."""
_RING_PX, _LEAST_PX, _MOST_PX = 10.0, 26.0, 150.0
_PAD = 8.0


class ThingRing(QWidget):
    """A ring round one thing of the hall, with its name and state; it follows the camera, and is no target of clicks.

    Parameters
    ----------
    state_of
        Returns in a few words how a thing is doing.
    """

    def __init__(self, look: Look, hall: HallPanel, state_of: Callable[[str], str]) -> None:
        super().__init__(hall)
        self._look, self._hall, self._state_of = look, hall, state_of
        self._thing = self._words = self._shown = ""
        self._middle, self._radius = QPointF(), 0.0
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self._timer = QTimer(self, interval=_TICK_MS)
        self._timer.timeout.connect(self._follow)
        self._states = QTimer(self, interval=_STATE_MS)
        self._states.timeout.connect(self._tell_state)
        self.hide()

    @property
    def thing(self) -> str:
        """Return what is marked, "" for nothing."""
        return self._thing

    def mark(self, thing: str) -> None:
        """Mark a thing; "": nothing."""
        self._thing = thing
        self.setAccessibleName(tr("Marked: {thing}", thing=thing) if thing else "")
        if thing:
            self._timer.start()
            self._states.start()
            self._tell_state()
            self._follow()
        else:
            self._timer.stop()
            self._states.stop()
            self.hide()

    def _tell_state(self) -> None:
        """Say how the thing is doing now."""
        state = self._state_of(self._thing)
        self._words = one_line(f"{self._thing}: {state}" if state else self._thing, 60)

    def _follow(self) -> None:
        """Stand where the thing is on screen now."""
        view = self._hall.view
        box = view.standing(self._thing)
        place = _circle(box, view.pose, view.size()) if box is not None else None
        if place is None or not self._hall.isVisible():
            self.hide()
            return
        native = view.native.geometry()
        ratio = native.width() / max(view.size()[0], 1.0)
        middle = QPointF(place[0] * ratio + native.x(), place[1] * ratio + native.y())
        radius = min(max(place[2] * ratio + _RING_PX, _LEAST_PX), _MOST_PX)
        if self.geometry() != self._hall.rect():
            self.setGeometry(self._hall.rect())
        moved = (middle - self._middle).manhattanLength() > 0.5 or abs(radius - self._radius) > 0.5
        self._middle, self._radius = middle, radius
        moved, self._shown = moved or self._words != self._shown, self._words
        if self.isHidden():
            self.show()
            self.stackUnder(self._hall.legend)
        if moved:
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint ring and label."""
        theme, font = self._look.theme, themes.font(12, bold=True)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(0, 0, 0, 120), 5.0))
        painter.drawEllipse(self._middle, self._radius, self._radius)
        painter.setPen(QPen(QColor(theme.warning), 2.5))
        painter.drawEllipse(self._middle, self._radius, self._radius)
        metrics = QFontMetricsF(font)
        wide, high = metrics.horizontalAdvance(self._words) + 2 * _PAD, metrics.height() + _PAD
        right = self._middle.x() + self._radius + 6
        left = right if right + wide < self.width() else self._middle.x() - self._radius - 6 - wide
        plate = QRectF(max(left, 4.0), max(self._middle.y() - self._radius, 4.0), wide, high)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.warning))
        painter.drawRoundedRect(plate, 5, 5)
        painter.setPen(QColor("#101418" if theme.is_dark else "#ffffff"))
        painter.setFont(font)
        painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, self._words)
        painter.end()


class DockOutline(QWidget):
    """An outline over a dock that goes by itself."""

    def __init__(self, look: Look, dock: Dock) -> None:
        super().__init__(dock)
        self._colour = look.theme.warning
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setGeometry(dock.rect())
        dock.installEventFilter(self)
        QTimer.singleShot(_SHOWN_MS, self, self.deleteLater)
        self.show()
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay as large as the dock."""
        if event.type() == QEvent.Type.Resize:
            dock = self.parentWidget()
            if dock is not None:
                self.setGeometry(dock.rect())
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the outline."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._colour), 3.0))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(2, 2, -2, -2), 6, 6)
        painter.end()


def _circle(box: Box, pose: CameraPose, size: tuple[float, float]) -> tuple[float, float, float] | None:
    """Return the middle and the radius of a box on screen [px]; None where it is behind the camera or outside."""
    low, high = box
    picks = np.array([[k >> axis & 1 for axis in range(3)] for k in range(8)], bool)
    corners = np.where(picks, high, low)
    points = project(pose, corners, *size)
    if (points[:, 2] <= 0).any():
        return None
    x, y = (points[:, 0].min() + points[:, 0].max()) / 2, (points[:, 1].min() + points[:, 1].max()) / 2
    if not (0 <= x <= size[0] and 0 <= y <= size[1]):
        return None
    return float(x), float(y), float(np.hypot(points[:, 0] - x, points[:, 1] - y).max())
