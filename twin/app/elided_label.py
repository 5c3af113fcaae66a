"""A line of words that ends in an ellipsis where it has no room: a figure that is cut off would be another figure."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from twin.app.look import with_role
from twin.app.plain_text import PlainLabel


class ElidedLabel(PlainLabel):
    """Takes what width there is; its words can be selected while all of them are shown."""

    def __init__(self, role: str) -> None:
        super().__init__()
        with_role(self, role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    @property
    def shown(self) -> str:
        """Return the words as they are seen."""
        room = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the words, or as many as there is room for."""
        shown = self.shown
        if shown == self.text():
            super().paintEvent(event)
            return
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.contentsRect(), self.alignment(), shown)
        painter.end()
