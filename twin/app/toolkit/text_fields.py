"""Fields and lines of text: search, a line that ends in an ellipsis, words broken over lines."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QFontMetrics, QHelpEvent, QKeyEvent, QPainter, QPaintEvent, QTextLayout
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QToolTip

from twin.app.toolkit.look import with_role
from twin.app.toolkit.plain_text import PlainLabel, plain_tip


class SearchField(QLineEdit):
    """A search field: as long as something stands in it Escape is its own and does not clear the selection."""

    def __init__(self) -> None:
        super().__init__()
        self.setClearButtonEnabled(True)

    def event(self, event: QEvent) -> bool:
        """Take Escape before the shortcuts of the window do."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape and self.text():
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.clear()
                return True
        return super().event(event)


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

    def event(self, event: QEvent) -> bool:
        """Say all of it in a tool tip where not all of it is seen."""
        if isinstance(event, QHelpEvent) and not self.toolTip() and self.shown != self.text():
            QToolTip.showText(event.globalPos(), plain_tip(self.text()), self)
            return True
        return super().event(event)

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


def wrapped(text: str, font: QFont, width_px: int, most: int) -> list[str]:
    """Return the lines of a text; where it has more than `most`, the last of them ends in an ellipsis.

    Parameters
    ----------
    text
        Without line breaks.
    font
        It is painted in.
    width_px
        Of a line [px].
    most
        Lines.
    """
    layout = QTextLayout(text, font)
    layout.beginLayout()
    starts: list[int] = []
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(width_px, 1))
        starts.append(line.textStart())
    layout.endLayout()
    ends = [*starts[1:], len(text)]
    lines = [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    if len(lines) <= most:
        return lines
    rest = text[starts[most - 1] :].strip()
    return [*lines[: most - 1], QFontMetrics(font).elidedText(rest, Qt.TextElideMode.ElideRight, width_px)]
