"""Fingers of the monkey: single touches of a widget, and what it likes to type and to press."""

from __future__ import annotations

import random

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDropEvent, QKeyEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

TYPED = (
    *("gpu", "rack", "DGX", "H100", "nothing like it", "10 kW", "22 degC", "-1", "0", "3", "1e9", "999999"),
    *("3 m", "0.6 m", "12 %", "name: [", "é\N{SNOWMAN}", "x" * 80, "", "main", "lab", "true", "2026-01-01"),
    *("50", "100 Gbit/s", "a b c", "gpu/0/1", "\\", "{}", "#"),
)
MODIFIERS = (Qt.KeyboardModifier.NoModifier,) * 4 + (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
BUTTONS = (Qt.MouseButton.LeftButton,) * 3 + (Qt.MouseButton.MiddleButton, Qt.MouseButton.RightButton)


def type_words(widget: QWidget, words: str) -> None:
    """Type words; QTest knows only the letters of ASCII."""
    for letter in words:
        if letter.isascii():
            QTest.keyClicks(widget, letter)
        else:
            for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                QApplication.sendEvent(widget, QKeyEvent(kind, 0, Qt.KeyboardModifier.NoModifier, letter))


def words_of(widget: QWidget) -> str:
    """Return a widget in words."""
    words = widget.objectName() or widget.accessibleName()
    if not words and isinstance(widget, QAbstractButton):
        words = widget.text() or widget.toolTip()
    holder = widget.parentWidget()
    within = f" in {type(holder).__name__}" if holder is not None else ""
    return f"{type(widget).__name__} {words!r}{within}"


def inside(widget: QWidget, draw: random.Random) -> QPoint:
    """Return a point of a widget, where it can be seen."""
    area = widget.visibleRegion().boundingRect()
    if area.isEmpty():
        area = widget.rect()
    return QPoint(
        draw.randint(area.left(), max(area.left(), area.right())),
        draw.randint(area.top(), max(area.top(), area.bottom())),
    )


def near(widget: QWidget, at: QPoint, draw: random.Random) -> QPoint:
    return at + QPoint(draw.randint(-120, 120), draw.randint(-90, 90))


def mouse(
    widget: QWidget,
    kind: QEvent.Type,
    at: QPoint,
    button: Qt.MouseButton,
    held: Qt.MouseButton,
    keys: Qt.KeyboardModifier,
) -> None:
    QApplication.sendEvent(
        widget, QMouseEvent(kind, QPointF(at), QPointF(widget.mapToGlobal(at)), button, held, keys)
    )


def send_drag(
    widget: QWidget,
    kind: type[QDropEvent],
    at: QPoint,
    data: QMimeData,
    keys: Qt.KeyboardModifier,
) -> None:
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    place = QPointF(at) if kind is QDropEvent else at
    event = kind(place, copy, data, left, keys)  # type: ignore[arg-type]
    event.ignore()
    QApplication.sendEvent(widget, event)
