"""How far a person is in a lesson: one segment for each step, by colour and mark."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from twin.app.toolkit import theme as themes
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.language import counted, tr

_HIGH_PX, _GAP_PX, _BAR_PX = 18, 6, 5
_DONE = "\N{CHECK MARK}"


class StepProgress(QWidget):
    """Solved steps are green with a tick, the present one wears its number, those ahead are grey."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._solved: tuple[bool, ...] = ()
        self._here = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        look.changed.connect(self._on_look)

    def show_steps(self, titles: Sequence[str], solved: Sequence[bool], here: int) -> None:
        """Show which steps are solved, and which one is the present."""
        self._solved, self._here = tuple(solved), here
        words = tr(
            "Step {here} of {steps}: {title}. {solved} done.",
            here=here + 1,
            steps=len(solved),
            title=titles[here] if here < len(titles) else "",
            solved=counted(sum(solved), "step"),
        )
        self.setAccessibleName(words)
        self.setToolTip(plain_tip(words))
        self.update()

    def sizeHint(self) -> QSize:
        """Return room for a bar with marks over it."""
        return QSize(themes.scaled(160), themes.scaled(_HIGH_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the segments."""
        count = len(self._solved)
        if not count:
            return
        theme = self._look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(themes.font(10, bold=True))
        wide = (self.width() - (count - 1) * _GAP_PX) / count
        high = themes.scaled(_BAR_PX)
        for place, solved in enumerate(self._solved):
            here = place == self._here
            left = place * (wide + _GAP_PX)
            bar = QRectF(left, self.height() - high, wide, high)
            colour = QColor(theme.ok if solved else theme.accent if here else theme.border)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawRoundedRect(bar, high / 2, high / 2)
            if here:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(QColor(theme.accent), 1.5))
                painter.drawRoundedRect(bar.adjusted(0.7, 0.7, -0.7, -0.7), high / 2, high / 2)
            mark = _DONE if solved else str(place + 1)
            painter.setPen(QColor(theme.ok if solved else theme.text if here else theme.faint))
            room = QRectF(left, 0, wide, self.height() - high - 1)
            painter.drawText(room, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, mark)
        painter.end()

    def _on_look(self, _theme: object) -> None:
        self.updateGeometry()
        self.update()
