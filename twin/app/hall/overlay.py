"""What floats over the 3D view: legend, "SIMULATED" mark, hovered thing, newest event."""

from __future__ import annotations

import math

from psygnal import Signal
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QWidget

from twin.app.toolkit import icons
from twin.app.toolkit import theme as themes
from twin.app.toolkit.clock import Clock
from twin.app.toolkit.look import Look
from twin.app.toolkit.text import elapsed
from twin.app.toolkit.timed_table import SEVERITY_ICONS
from twin.language import tr
from twin.record.event_kinds import kind_of
from twin.record.events import Event, Severity
from twin.shown_text import spelled

_GLASS_ALPHA = 218
_TICKER_MS = 7000
_BETWEEN_PARTS = "  \N{MIDDLE DOT}  "
_MARK_PX, _MARK_LINE_PX = 34.0, 17.0


class Plate(QWidget):
    """A translucent plate that lets the pointer through.

    It is laid out and painted for the usual size of text, and as a whole scaled to the one in force.
    """

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.look = look
        self.room = QRectF()
        self._plate: tuple[tuple[object, ...], QPixmap] | None = None
        look.changed.connect(self._on_look)
        self.host = parent
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)

    @property
    def scale(self) -> float:
        """Return how much larger than laid out it is painted."""
        return themes.scaled(100) / 100

    def let_go(self) -> None:
        """Follow the theme no more: what the plate lies over is closed."""
        self.look.changed.disconnect(self._on_look, missing_ok=True)

    def fit(self, width: float, height: float) -> None:
        """Take this size [px at the usual size of text]."""
        self.room = QRectF(0, 0, round(width), round(height))
        self.resize(self.size_of(width, height))

    def size_of(self, width: float, height: float) -> QSize:
        """Return the size on screen of what is laid out as large as this."""
        return QSize(round(round(width) * self.scale), round(round(height) * self.scale))

    def paint_plate(self, painter: QPainter, radius: float = 9.0) -> None:
        """Paint the plate over the whole widget; from here on the painter paints in `room`."""
        key = (self.size().toTuple(), self.devicePixelRatioF(), self.look.theme, self.scale, radius)
        if self._plate is None or self._plate[0] != key:  # it is shown again with every picture of the hall
            self._plate = key, self._made_plate(radius)
        painter.drawPixmap(0, 0, self._plate[1])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(self.scale, self.scale)

    def _made_plate(self, radius: float) -> QPixmap:
        ratio = self.devicePixelRatioF()
        made = QPixmap(self.size() * ratio)
        made.setDevicePixelRatio(ratio)
        made.fill(Qt.GlobalColor.transparent)
        painter = QPainter(made)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(self.scale, self.scale)
        plate = QColor(self.look.theme.ground)
        plate.setAlpha(_GLASS_ALPHA)
        painter.setPen(QPen(QColor(self.look.theme.border), 1.0))
        painter.setBrush(plate)
        painter.drawRoundedRect(self.room.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        painter.end()
        return made

    def paint_icon(self, painter: QPainter, severity: Severity, colour: str) -> None:
        """Paint the sign of a severity at the left end."""
        image = icons.pixmap(SEVERITY_ICONS[severity], colour, 18, self.devicePixelRatio() * self.scale)
        painter.drawPixmap(QPointF(10, 5), image)

    @property
    def text_colour(self) -> QColor:
        """Return the colour of words."""
        return QColor(self.look.theme.text)

    @property
    def muted_colour(self) -> QColor:
        """Return the colour of lesser words."""
        return QColor(self.look.theme.muted)

    def _on_look(self) -> None:
        self.fit(self.room.width(), self.room.height())
        self.update()


class SimulatedMark(Plate):
    """Says on every picture that nothing here is measured."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self._font = themes.font(11, bold=True, as_is=True)
        self._font.setLetterSpacing(self._font.SpacingType.AbsoluteSpacing, 1.4)
        self.words = "SIMULATED"
        self.lines: tuple[str, ...] = ()
        self._parts: tuple[str, ...] = ()
        self._most_px = math.inf
        self.show_by_hand(0)

    def show_by_hand(self, count: int, looking_at: str = "", as_of: str = "") -> None:
        """Say how many things a person has broken in this run, and which time is shown in the place of the present.

        The picture of that time may be an older one: `as_of` is when it was taken.
        """
        by_hand = (tr("{count:,} INJECTED", count=count),) if count else ()
        then = (tr("{looking_at}, NOT LIVE", looking_at=looking_at.upper()),) if looking_at else ()
        older = (tr("FIGURES AS OF {as_of}", as_of=as_of.upper()),) if as_of else ()
        self._parts = ("SIMULATED", *by_hand, *then, *older)
        self.words = _BETWEEN_PARTS.join(self._parts)
        self._lay_out()
        faults = tr(", {count} faults injected by hand", count=count) if count else ""
        when = tr(", {looking_at}, not live", looking_at=looking_at) if looking_at else ""
        taken = tr(", figures as of {as_of}", as_of=as_of) if as_of else ""
        self.setAccessibleName(
            tr("Simulated, not measured{faults}{when}{taken}", faults=faults, when=when, taken=taken)
        )
        self.update()

    def keep_within(self, width_px: float) -> None:
        """Be at most this wide [px], in as many lines as that takes."""
        if width_px != self._most_px:
            self._most_px = width_px
            self._lay_out()
            self.update()

    def _lay_out(self) -> None:
        metrics, room = QFontMetricsF(self._font), self._most_px / self.scale - _MARK_PX
        lines = [self._parts[0]]
        for part in self._parts[1:]:
            longer = lines[-1] + _BETWEEN_PARTS + part
            if metrics.horizontalAdvance(longer) <= room:
                lines[-1] = longer
            else:
                lines.append(part)
        self.lines = tuple(lines)
        self.fit(max(map(metrics.horizontalAdvance, lines)) + _MARK_PX, 26 + _MARK_LINE_PX * (len(lines) - 1))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the mark."""
        painter = QPainter(self)
        self.paint_plate(painter, 13.0)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.look.theme.warning))
        painter.drawEllipse(QPointF(14, 13), 3.2, 3.2)
        painter.setFont(self._font)
        painter.setPen(self.text_colour)
        for number, words in enumerate(self.lines):
            line = QRectF(23, number * _MARK_LINE_PX, self.room.width(), 26)
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, words)
        painter.end()


class HoverPlate(Plate):
    """Name and state of the thing under the pointer, beside the pointer."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self._bold, self._plain = themes.font(12, bold=True, as_is=True), themes.font(11, as_is=True)
        self.title, self.state = "", ""
        self.hide()

    def show_text(self, title: str, state: str, at: QPoint) -> None:
        """Show two lines near `at`, inside the parent."""
        changed = (title, state) != (self.title, self.state)
        self.title, self.state = title, state
        if changed:
            widths = (
                QFontMetricsF(self._bold).horizontalAdvance(title),
                QFontMetricsF(self._plain).horizontalAdvance(state),
            )
            self.fit(max(widths) + 22, 42 if state else 25)
            self.update()
        room = self.host.rect()
        x = at.x() + 18 if at.x() + 18 + self.width() < room.width() else at.x() - 12 - self.width()
        y = at.y() + 18 if at.y() + 18 + self.height() < room.height() else at.y() - 12 - self.height()
        self.move(max(x, 0), max(y, 0))
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the two lines."""
        painter = QPainter(self)
        self.paint_plate(painter, 7.0)
        painter.setFont(self._bold)
        painter.setPen(self.text_colour)
        painter.drawText(QPointF(11, 17), self.title)
        painter.setFont(self._plain)
        painter.setPen(self.muted_colour)
        painter.drawText(QPointF(11, 33), self.state)
        painter.end()


class Ticker(Plate):
    """The newest event worth a look, for a few seconds; a click goes there."""

    clicked = Signal(object)  # Event

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.event_shown: Event | None = None
        self._clock: Clock | None = None
        self._font = themes.font(12, as_is=True)
        self._whole = self._words = ""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_TICKER_MS)
        self._timer.timeout.connect(self.hide)
        self.hide()

    def tell_time_by(self, clock: Clock) -> None:
        """Write times of another run's clock."""
        self._clock = clock

    def show_event(self, event: Event) -> None:
        """Show an event, with its severity as colour and icon."""
        self.event_shown = event
        time = elapsed(event.t_s) if self._clock is None else self._clock.says(event.t_s)
        where = "" if kind_of(event.kind).names_subject else f"{event.subject}: "
        self._whole = f"{time}   {where}{spelled(event.text)}"
        self.keep_within(self.host.width() / 2)
        self.setAccessibleName(spelled(event.text))
        self.show()
        self.update()
        self._timer.start()

    def keep_within(self, width_px: float) -> None:
        """Be at most this wide [px]; words that do not fit are left out."""
        metrics, room = QFontMetricsF(self._font), min(width_px, self.host.width() / 2) / self.scale - 46
        self._words = metrics.elidedText(self._whole, Qt.TextElideMode.ElideRight, max(room, 60.0))
        self.fit(metrics.horizontalAdvance(self._words) + 46, 28)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the event."""
        if self.event_shown is not None:
            self.clicked.emit(self.event_shown)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint icon and words."""
        if self.event_shown is None:
            return
        severity = self.event_shown.severity
        painter = QPainter(self)
        self.paint_plate(painter, 14.0)
        self.paint_icon(painter, severity, self.look.theme.severity(severity))
        painter.setFont(self._font)
        painter.setPen(self.text_colour)
        painter.drawText(self.room.adjusted(35, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self._words)
        painter.end()
