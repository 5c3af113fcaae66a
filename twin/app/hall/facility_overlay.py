"""Plates over the 3D view that tell of alarms, of what goes on and of lit paths."""

from __future__ import annotations

import math

from psygnal import Signal
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from twin.app.hall.overlay import Plate
from twin.app.hall.trace_layer import Told
from twin.app.toolkit import theme as themes
from twin.app.toolkit.look import Look
from twin.language import counted, tr
from twin.record.events import Severity

_PAD = 12.0
_LINE = 18.0


class AlarmBadge(Plate):
    """How many alarms last now; a click opens their list. Hidden while there is none."""

    clicked = Signal()

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._font = themes.font(12, bold=True, as_is=True)
        self.words, self._loud = "", False
        self._worst = Severity.ALARM
        self.hide()

    def show_counts(self, active: int, unseen: int) -> None:
        """Show how many alarms last, and how many nobody has acknowledged; nothing when there are neither."""
        if not active and not unseen:
            self.words = ""
            self.hide()
            return
        alike = not unseen or unseen == active
        if active:
            self.words = counted(active, "alarm") if alike else tr("{active:,} active", active=active)
        else:
            self.words = tr("no active alarm")
        if not alike:
            self.words += tr(", {unseen:,} not acknowledged", unseen=unseen)
        self.fit(QFontMetricsF(self._font).horizontalAdvance(self.words) + 46, 28)
        self.setAccessibleName(tr("Alarms: {words}", words=self.words))
        self._loud = active > 0
        self.show()
        self.update()

    def show_worst(self, severity: Severity) -> None:
        """Wear sign and colour of the worst alarm that lasts."""
        self._worst = severity
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Open the list."""
        self.clicked.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint icon and words."""
        painter = QPainter(self)
        self.paint_plate(painter, 14.0)
        colour = self.look.theme.severity(self._worst) if self._loud else self.look.theme.muted
        self.paint_icon(painter, self._worst, colour)
        painter.setFont(self._font)
        painter.setPen(self.text_colour)
        painter.drawText(self.room.adjusted(35, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self.words)
        painter.end()


class ToldPlate(Plate):
    """A few lines under a title: the trace, or the status. A click on a line that tells of an event leads there."""

    clicked = Signal(int)  # row of the event that the line under the pointer tells of, else of the first

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self._bold, self._plain = themes.font(12, bold=True, as_is=True), themes.font(12, as_is=True)
        self.told: Told | None = None
        self._most_px = math.inf
        self.hide()

    def show_told(self, told: Told | None) -> None:
        """Show other words; None: nothing."""
        if told is not None and told == self.told:
            return
        self.told = told
        self.setVisible(told is not None)
        if told is None:
            return
        self._lay_out(told)
        leads = bool(told.rows)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, not leads)
        self.setCursor(Qt.CursorShape.PointingHandCursor if leads else Qt.CursorShape.ArrowCursor)
        self.setAccessibleName(". ".join(filter(None, (told.title, *told.lines))))
        self.update()

    @property
    def is_line(self) -> bool:
        """Return whether it stands in one line."""
        return self.told is not None and len(self.told.lines) == 1

    def keep_within(self, width_px: float) -> None:
        """Be at most this wide [px]; what of a line does not fit is left out."""
        if width_px != self._most_px and self.told is not None:
            self._most_px = width_px
            self._lay_out(self.told)
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the event that the line tells of."""
        if self.told is not None and self.told.rows:
            line = int((event.position().y() / self.scale - _PAD - 10 + _LINE / 4) // _LINE)
            named = 0 <= line < min(len(self.told.rows), len(self.told.lines))
            self.clicked.emit(self.told.rows[line if named else 0])

    def _lay_out(self, words: Told) -> None:
        bold, plain = QFontMetricsF(self._bold), QFontMetricsF(self._plain)
        room = max(min(self.host.width() - 2 * 14, self._most_px) / self.scale, 200)
        title = bold.horizontalAdvance(words.title) + plain.horizontalAdvance(words.hint) + 24
        lines = [plain.horizontalAdvance(line) for line in words.lines]
        if len(lines) == 1:
            self.fit(min(title + lines[0] + 2 * _PAD + 4, room), 28)
        else:
            self.fit(min(max((title, *lines)) + 2 * _PAD + 4, room), 2 * _PAD + _LINE * (1 + len(lines)) - 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the words."""
        if self.told is None:
            return
        painter = QPainter(self)
        self.paint_plate(painter)
        bold, plain, told = QFontMetricsF(self._bold), QFontMetricsF(self._plain), self.told
        alone = len(told.lines) == 1  # it stands beside the title
        y = 18.5 if alone else _PAD + 10
        painter.setFont(self._bold)
        painter.setPen(self.text_colour)
        painter.drawText(QPointF(_PAD, y), told.title)
        painter.setFont(self._plain)
        painter.setPen(self.muted_colour)
        right = self.room.width() - _PAD - plain.horizontalAdvance(told.hint)
        painter.drawText(QPointF(right, y), told.hint)
        painter.setPen(self.text_colour)
        left = _PAD + (bold.horizontalAdvance(told.title) + 12 if alone and told.title else 0)
        room = (right - 12 if alone and told.hint else self.room.width() - _PAD) - left
        for line in told.lines:
            y += 0 if alone else _LINE
            painter.drawText(QPointF(left, y), plain.elidedText(line, Qt.TextElideMode.ElideRight, room))
        painter.end()
