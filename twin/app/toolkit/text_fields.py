"""Fields and lines of text: search, a line that ends in an ellipsis, words broken over lines."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QHelpEvent, QKeyEvent, QPainter, QPaintEvent, QTextLayout
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QToolTip, QWidget

from twin.app.toolkit.look import with_role
from twin.app.toolkit.plain_text import PlainLabel, plain_tip


class SearchField(QLineEdit):
    """A search field: as long as something stands in it Escape is its own and does not clear the selection."""

    def __init__(self) -> None:
        super().__init__()
        self.setClearButtonEnabled(True)

    def minimumSizeHint(self) -> QSize:
        """Return a size in which the beginning of what it asks for is read."""
        hint, wide = super().minimumSizeHint(), self.fontMetrics().horizontalAdvance
        return QSize(max(hint.width(), wide(_readable(self.placeholderText())) + _EDGES_PX), hint.height())

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


READABLE = 12
"""So many letters at least are seen of a text that ends in an ellipsis, or a third of it."""
_EDGES_PX = 26
"""What a field leaves free beside its text."""


def _readable(text: str) -> str:
    """Return the least that is to be seen of a text."""
    return (
        text if len(text) <= READABLE else f"{text[: max(READABLE, len(text) // 3)]}\N{HORIZONTAL ELLIPSIS}"
    )


class ElidedLabel(PlainLabel):
    """Takes what width there is; its words can be selected while all of them are shown.

    Parameters
    ----------
    snug
        Whether it takes no more than its words need, and no less than lets them be read.
    """

    def __init__(self, role: str, *, snug: bool = False) -> None:
        super().__init__()
        with_role(self, role)
        across = QSizePolicy.Policy.Maximum if snug else QSizePolicy.Policy.Ignored
        self.setSizePolicy(across, QSizePolicy.Policy.Preferred if snug else QSizePolicy.Policy.Fixed)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def setText(self, text: str) -> None:
        """Show another text."""
        if text == self.text():
            return
        super().setText(text)
        row: QWidget | None = self.parentWidget()
        if row is not None:
            row.updateGeometry()  # a row that was laid out while hidden does not hear of it

    @property
    def shown(self) -> str:
        """Return the words as they are seen."""
        room = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room)

    def minimumSizeHint(self) -> QSize:
        """Return a size in which its beginning is read."""
        hint, text = super().minimumSizeHint(), self.text()
        read_px = self.fontMetrics().horizontalAdvance(_readable(text)) + 4
        return QSize(min(hint.width(), read_px), hint.height())

    def event(self, event: QEvent) -> bool:
        """Say all of it in a tool tip where not all of it is seen."""
        if isinstance(event, QHelpEvent) and self.shown != self.text():
            told = plain_tip(self.text())
            tip = (
                self.toolTip() if told in self.toolTip() else "\n".join(filter(None, (told, self.toolTip())))
            )
            QToolTip.showText(event.globalPos(), tip, self)
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
