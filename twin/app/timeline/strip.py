"""The strip of a timeline: shows the whole run or a second of it, and is scrubbed, zoomed, panned and looped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from psygnal import Signal
from PySide6.QtCore import QEvent, QPointF, QSize, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QResizeEvent, QWheelEvent

from twin.app.plots.timeline_scale import Scale
from twin.app.session.bounded_history import BoundedHistory
from twin.app.session.replay import Loop
from twin.app.timeline.marks import EventMarks
from twin.app.timeline.paint import GOODPUT, POWER, TimelineContent, paint_ground, paint_moving
from twin.app.toolkit.charts.chart import CLICK_PX, ZOOM, PaintedChart
from twin.app.toolkit.charts.painting import ChartPainter
from twin.app.toolkit.look import Look
from twin.app.toolkit.text import quantity
from twin.app.toolkit.theme import scaled
from twin.language import tr
from twin.record.events import Event, Severity
from twin.shown_text import spelled

_HEIGHT_PX = 56
_NEAR_PX = 4.0
_MOST_TOLD = 6
_SCRUB_MS = 15
"""Where the pointer goes is looked at at most so often."""
_GROUND_MS = 250
"""What comes while a run goes on is painted at most so often."""
_KEYS = {
    Qt.Key.Key_Left: -0.01,
    Qt.Key.Key_Right: 0.01,
    Qt.Key.Key_PageUp: -0.1,
    Qt.Key.Key_PageDown: 0.1,
}
"""Steps by keys, in parts of what is shown."""
_ZOOM_KEYS = {Qt.Key.Key_Plus: 0.5, Qt.Key.Key_Equal: 0.5, Qt.Key.Key_Minus: 2.0}
_OWN_KEYS = (*_KEYS, *_ZOOM_KEYS, Qt.Key.Key_Home, Qt.Key.Key_End)


class TimelineStrip(PaintedChart):
    """Power and goodput over the run, marks of what happened, and the time that is shown.

    Attributes
    ----------
    scale
        What part of the run is shown.
    shown
        What is painted; change it and call `refresh`.
    notes
        Returns what bookmarks, edits and interventions within a range of time [s] say.
    """

    scrubbed = Signal(float)  # time somebody wants to see [s]
    held = Signal(bool)  # somebody drags through time, or lets go
    to_live = Signal()
    loop_wanted = Signal(object)  # Loop
    menu_wanted = Signal(object, float)  # QPoint on the screen, time [s]
    mark_chosen = Signal(object)  # Event: a click on its mark

    keeps_ground = True

    def __init__(self, look: Look, history: BoundedHistory) -> None:
        name = tr("Timeline: arrows move, plus and minus zoom, Home and End go to the ends")
        super().__init__(look, name, tall=False, keys=True)
        self.shown = TimelineContent(history, EventMarks())
        self.scale = Scale.all(1.0)
        self.notes: Callable[[float, float], Sequence[str]] = lambda low_s, high_s: ()
        self._at_s = 0.0
        self._looking = False
        self._loop: Loop | None = None
        self._drag, self._drag_s, self._drag_x = "", 0.0, 0.0
        self._wanted_s: float | None = None
        self._scrub = self._timer(_SCRUB_MS, self._flush)
        self._renewal = self._timer(_GROUND_MS, self.refresh)

    def _timer(self, wait_ms: int, do: Callable[[], None]) -> QTimer:
        made = QTimer(self)
        made.setSingleShot(True)
        made.setInterval(wait_ms)
        made.timeout.connect(do)
        return made

    def sizeHint(self) -> QSize:
        """Return a low, wide strip."""
        return QSize(400, scaled(_HEIGHT_PX))

    # -- what is shown ----

    def show_whole(self, whole_s: float) -> None:
        """Show all of a run of this length [s]."""
        self.scale = Scale.all(whole_s, 1.0, self.width() - 2.0)
        self.refresh()

    def let_go(self) -> None:
        """Another run: what was asked of the one before, and not shown yet, is asked no more."""
        self._scrub.stop()
        self._wanted_s = None
        if self._drag == "scrub":
            self.held.emit(False)
        self._drag = ""

    def show_scale(self, scale: Scale) -> None:
        """Show another part."""
        if scale != self.scale:
            self.scale = scale
            self.refresh()

    def show_time(self, at_s: float, *, looking: bool, describe: str) -> None:
        """Show which time is on screen, and whether it is another than the present."""
        self._at_s, self._looking = at_s, looking
        self.setAccessibleDescription(describe)
        if looking and not self._drag:
            self.show_scale(self.scale.showing(at_s))
        self.update()

    def show_loop(self, loop: Loop | None) -> None:
        """Show what is gone through over and over."""
        self._loop = loop
        self.update()

    def renew(self) -> None:
        """Paint what is new, soon."""
        if not self._renewal.isActive():
            self._renewal.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the part that is shown."""
        super().resizeEvent(event)
        self.scale = self.scale.sized(1.0, self.width() - 2.0)

    def paint_ground(self, painter: ChartPainter) -> None:
        """Paint what stands while one scrubs."""
        paint_ground(painter, self.shown, self.scale, self.height())

    def paint(self, painter: ChartPainter) -> None:
        """Paint what moves."""
        live_s = self.shown.reach_s if self._looking else None
        paint_moving(painter, self.scale, self.height(), self._at_s, live_s, self._loop)

    # -- what is under the pointer ----

    def said_at(self, place: QPointF) -> str:
        """Return time, figures and events under a point, as rich text."""
        clock = self.shown.clock
        if clock is None:
            return ""
        t_s = min(max(self.scale.t_s(place.x()), 0.0), self.scale.whole_s)
        lines = [f"<b>{clock.says(t_s)}</b>, {clock.since(t_s)}"]
        if t_s > self.shown.reach_s:
            return "<br>".join([*lines, tr("not simulated yet")])
        power, goodput = (self.shown.history.at(name, t_s) for name in (POWER, GOODPUT))
        lines.append(
            tr(
                "IT power {power}, goodput {goodput}",
                power=quantity(power, "W"),
                goodput=quantity(goodput, "%"),
            )
        )
        around_s = _NEAR_PX * self.scale.px_s
        lines += [escape(note) for note in self.notes(t_s - around_s, t_s + around_s)]
        near = self.shown.marks.near(place.x(), self.scale, _NEAR_PX)
        worst = sorted(near, key=lambda event: (-event.severity, abs(event.t_s - t_s)))
        lines += [self._told(event) for event in worst[:_MOST_TOLD]]
        if len(worst) > _MOST_TOLD:
            lines.append(tr("and {worst_count:,} more events", worst_count=len(worst) - _MOST_TOLD))
        return "<br>".join(lines)

    def _told(self, event: Event) -> str:
        theme, clock = self.theme, self.shown.clock
        assert clock is not None
        sign = {Severity.ALARM: "\u25b2", Severity.WARNING: "\u25c6"}.get(event.severity, "\u25cf")
        words = escape(f"{event.subject}: {spelled(event.text)}")
        return f"<span style='color:{theme.severity(event.severity)}'>{sign}</span> {clock.says(event.t_s)} {words}"

    # -- mouse ----

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Scrub with the left button, pan with the middle one or Shift, choose a loop with Alt."""
        left = event.button() == Qt.MouseButton.LeftButton
        self._drag_x = event.position().x()
        self._drag_s = self.scale.t_s(self._drag_x)
        if event.button() == Qt.MouseButton.MiddleButton or (
            left and event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        ):
            self._drag = "pan"
        elif left and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self._drag = "loop"
        elif left:
            self._drag = "scrub"
            self.held.emit(True)
            self._scrub_to(self._drag_x)
            self._flush()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on with what the press began."""
        x = event.position().x()
        if self._drag == "pan":
            self.show_scale(self.scale.panned(self._drag_s - self.scale.t_s(x)))
        elif self._drag == "loop" and abs(x - self._drag_x) > _NEAR_PX:
            self.loop_wanted.emit(tuple(sorted((self._drag_s, self.scale.t_s(x)))))
        elif self._drag == "scrub":
            self._scrub_to(x)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End what the press began; what was dragged beyond the end of the run is the present."""
        if self._drag == "scrub":
            self._flush()
            self.held.emit(False)
            marked = self._marked(event.position().x())
            if marked is not None:
                self.scrubbed.emit(marked.t_s)
                self.mark_chosen.emit(marked)
            elif self.scale.t_s(event.position().x()) >= self.shown.reach_s - _NEAR_PX / 2 * self.scale.px_s:
                self.to_live.emit()
        self._drag = ""

    def _marked(self, x: float) -> Event | None:
        """Return the alarm that was clicked on; None: the pointer was dragged, or there is none."""
        if abs(x - self._drag_x) > CLICK_PX:
            return None
        near = self.shown.marks.near(x, self.scale, CLICK_PX)
        alarms = [event for event in near if event.severity >= Severity.ALARM]
        at_s = self.scale.t_s(x)
        return min(alarms, key=lambda event: abs(event.t_s - at_s), default=None)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show the whole run."""
        self.show_scale(Scale.all(self.scale.whole_s, 1.0, self.width() - 2.0))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom about the pointer; sideways, or with Shift, pan."""
        turned, sideways = event.angleDelta().y(), event.angleDelta().x()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            turned, sideways = 0, sideways or turned
        if sideways:
            self.show_scale(self.scale.panned(-sideways / 120.0 * 0.1 * self.scale.span_s))
        elif turned:
            about_s = self.scale.t_s(event.position().x())
            self.show_scale(self.scale.zoomed(about_s, ZOOM ** (-turned / 120.0)))
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with the time under the pointer, or by keys with the one on screen."""
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        at_s = self.scale.t_s(event.pos().x()) if by_mouse else self._at_s
        self.menu_wanted.emit(event.globalPos(), max(at_s, 0.0))

    def _scrub_to(self, x: float) -> None:
        self._wanted_s = min(max(self.scale.t_s(x), 0.0), self.shown.reach_s)
        if not self._scrub.isActive():
            self._scrub.start()

    def _flush(self) -> None:
        wanted_s, self._wanted_s = self._wanted_s, None
        if wanted_s is not None:
            self.scrubbed.emit(wanted_s)

    # -- keys ----

    def event(self, event: QEvent) -> bool:
        """Take the keys of a slider from the actions that have them elsewhere."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_own(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move by parts of what is shown, to the ends, and zoom."""
        key = Qt.Key(event.key())
        if not _is_own(event):
            super().keyPressEvent(event)
        elif key in _KEYS:
            self.scrubbed.emit(self._at_s + _KEYS[key] * self.scale.span_s)
        elif key in _ZOOM_KEYS:
            self.show_scale(self.scale.zoomed(self._at_s, _ZOOM_KEYS[key]))
        elif key == Qt.Key.Key_Home:
            self.scrubbed.emit(0.0)
        else:
            self.to_live.emit()


def _is_own(event: QKeyEvent) -> bool:
    held = event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)
    return event.key() in _OWN_KEYS and held == Qt.KeyboardModifier.NoModifier
