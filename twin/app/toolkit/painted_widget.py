"""A picture that is painted by hand: it follows the theme and says what is under the pointer."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QToolTip, QWidget

from twin.app.toolkit.look import Look


class Painted(QWidget):
    """Base of charts; each paints itself and has a `said_at` of its own where there is something to say."""

    def __init__(self, look: Look, name: str) -> None:
        super().__init__()
        self._look = look
        self.setAccessibleName(name)
        look.changed.connect(self._on_theme)

    def said_at(self, place: QPointF) -> str:
        """Return what is under a point, as rich text; "": nothing."""
        return ""

    def event(self, event: QEvent) -> bool:
        """Say what is under the pointer."""
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.said_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def _on_theme(self, _theme: object) -> None:
        self.update()
