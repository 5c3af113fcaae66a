"""How far a job is: a bar of steps with what is safe, and a line of time with its end, limit and deadline."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from twin.app.jobs.page_facts import ProgressFigures
from twin.app.toolkit import text
from twin.app.toolkit.clock import Clock
from twin.app.toolkit.look import Look
from twin.app.toolkit.painted_widget import Painted
from twin.app.toolkit.theme import Theme, font, scaled

_EDGE_PX, _BAR_PX, _WORDS_PX, _MARKS_PX = 12.0, 12.0, 16.0, 15.0
_AHEAD = 1.04


class JobProgress(Painted):
    """Two bars of one job: steps above, time below."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, "Progress of the job")
        self.shown: ProgressFigures | None = None
        self._clock: Clock | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return both bars with their words."""
        return QSize(420, round(scaled(_WORDS_PX) + _BAR_PX + 6 + _BAR_PX / 2 + scaled(_MARKS_PX) + 6))

    def show_progress(self, shown: ProgressFigures | None, clock: Clock) -> None:
        """Show another moment."""
        if shown == self.shown and clock == self._clock:
            return
        self.shown, self._clock = shown, clock
        self.setAccessibleDescription(self.words() if shown is not None else "")
        self.update()

    def words(self) -> str:
        """Return steps done, asked for and not saved yet."""
        p = self.shown
        if p is None:
            return ""
        done = f"Step {p.step:,.0f}"
        if p.total is not None:
            done += f" of {p.total:,.0f}  ({100 * min(p.step / max(p.total, 1e-9), 1.0):.1f} %)"
        unsafe = 0.0 if p.durable is None else p.step - p.durable
        return done if unsafe < 1 else f"{done},  {unsafe:,.0f} not saved yet"

    @property
    def span_s(self) -> tuple[float, float]:
        """Return the range of the line of time [s]."""
        p = self.shown
        assert p is not None
        ends = (p.now_s, p.ends_s, p.limit_s, p.deadline_s)
        last_s = max(at_s for at_s in ends if at_s is not None)
        return p.submit_s, p.submit_s + max((last_s - p.submit_s) * _AHEAD, 1.0)

    def x_of(self, t_s: float) -> float:
        """Return where a time lies on the line [px]."""
        low, high = self.span_s
        room = self.width() - 2 * _EDGE_PX
        return _EDGE_PX + room * min(max((t_s - low) / (high - low), 0.0), 1.0)

    @property
    def steps_bar(self) -> QRectF:
        """Return the place of the bar of steps."""
        return QRectF(_EDGE_PX, scaled(_WORDS_PX), max(self.width() - 2 * _EDGE_PX, 10.0), _BAR_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint both bars."""
        p = self.shown
        if p is None or self._clock is None:
            return
        theme, painter = self._look.theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_steps(painter, theme, p)
        self._paint_time(painter, theme, p, self._clock)

    def _paint_steps(self, painter: QPainter, theme: Theme, p: ProgressFigures) -> None:
        bar, whole = self.steps_bar, p.total if p.total else max(p.step, 1.0)
        outline = QPainterPath()
        outline.addRoundedRect(bar, 4, 4)
        painter.fillPath(outline, QColor(theme.hover))
        painter.save()
        painter.setClipPath(outline)
        safe_px = bar.width() * min((p.step if p.durable is None else p.durable) / whole, 1.0)
        done_px = bar.width() * min(p.step / whole, 1.0)
        painter.fillRect(QRectF(bar.left(), bar.top(), safe_px, bar.height()), QColor(theme.accent))
        loose = QRectF(bar.left() + safe_px, bar.top(), max(done_px - safe_px, 0.0), bar.height())
        painter.fillRect(loose, QBrush(QColor(theme.accent), Qt.BrushStyle.BDiagPattern))
        painter.restore()
        if p.durable and not p.over:
            painter.setPen(QPen(QColor(theme.text), 2.0))
            x = bar.left() + safe_px
            painter.drawLine(QPointF(x, bar.top() - 2), QPointF(x, bar.bottom() + 2))
        head = QRectF(bar.left(), 0.0, bar.width(), scaled(_WORDS_PX) - 2)
        painter.setFont(font(11, bold=True))
        painter.setPen(QColor(theme.text))
        ending, wide = self.ending(), painter.fontMetrics().horizontalAdvance
        room = bar.width() - QFontMetricsF(font(11)).horizontalAdvance(ending) - 10
        words = self.words()
        if wide(words) > room:
            words = words.rpartition(",  ")[0] or words  # what is not safe is seen in the bar
        if wide(words) > room:
            words = words.partition("  (")[0]  # and so is the share
        if wide(words) > room and not (p.late and not p.over):
            ending = ""  # a mark below tells it
        painter.drawText(head, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)
        painter.setFont(font(11))
        late = p.late and not p.over
        painter.setPen(QColor(theme.alarm if late else theme.muted))
        painter.drawText(head, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, ending)

    def ending(self) -> str:
        """Return when it ends, in words."""
        p, clock = self.shown, self._clock
        if p is None or clock is None:
            return ""
        if p.over:
            return f"ended {clock.says(p.now_s)}"
        if p.ends_s is None:
            return "no end date" if p.total is None else ""
        words = f"ends about {clock.says(p.ends_s)}"
        if not p.late:
            return words
        killed = p.limit_s is not None and p.ends_s > p.limit_s
        return f"{words}: {'time limit comes first' if killed else 'after its deadline'}"

    def _paint_time(self, painter: QPainter, theme: Theme, p: ProgressFigures, clock: Clock) -> None:
        top, high = self.steps_bar.bottom() + 6.0, _BAR_PX / 2
        line = QRectF(_EDGE_PX, top, self.width() - 2 * _EDGE_PX, high)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.fillRect(line, QColor(theme.raised))
        now_x = self.x_of(p.now_s)
        start_x = self.x_of(p.start_s if p.start_s is not None else p.now_s)
        queue = QRectF(line.left(), top, start_x - line.left(), high)
        painter.fillRect(queue, QBrush(QColor(theme.faint), Qt.BrushStyle.BDiagPattern))
        painter.fillRect(QRectF(start_x, top, max(now_x - start_x, 0.0), high), QColor(theme.ok))
        painter.setFont(font(10))
        taken: list[tuple[float, float]] = []
        for t_s, title, tint, wide in self.marks():
            x = self.x_of(t_s)
            painter.setPen(QPen(QColor(tint), wide))
            painter.drawLine(QPointF(x, top - 2), QPointF(x, top + high + 3))
            words = f"{title} {clock.says(t_s)}"
            room = painter.fontMetrics().horizontalAdvance(words) + 6.0
            left = min(max(x - room / 2, _EDGE_PX), self.width() - _EDGE_PX - room)
            if all(left + room <= begin or left >= end for begin, end in taken):
                taken.append((left, left + room))
                painter.setPen(QColor(tint))
                spot = QRectF(left, top + high + 2, room, scaled(_MARKS_PX))
                painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, words)

    def marks(self) -> list[tuple[float, str, str, float]]:
        """Return time [s], name, colour and width of the marks on the line, most important first."""
        p, theme = self.shown, self._look.theme
        if p is None:
            return []
        found = [(p.now_s, "ended" if p.over else "now", theme.text, 2.0)]
        if p.deadline_s is not None:
            late = p.ends_s is not None and p.ends_s > p.deadline_s
            found.append((p.deadline_s, "deadline", theme.alarm if late else theme.warning, 2.0))
        if p.limit_s is not None and not p.over:
            found.append((p.limit_s, "limit", theme.alarm, 2.0))
        if p.ends_s is not None and not p.over:
            found.append((p.ends_s, "end", theme.accent, 2.0))
        found.append((p.submit_s, "submitted", theme.muted, 1.0))
        return found

    def said_at(self, place: QPointF) -> str:
        """Return what the marks are."""
        p, clock = self.shown, self._clock
        if p is None or clock is None:
            return ""
        lines = [
            f"<b>{escape(self.words())}</b>",
            "Solid: saved in a checkpoint. Hatched: lost on a failure.",
        ]
        lines += [f"{title}: {clock.says(t_s)}" for t_s, title, _, _ in self.marks()]
        if p.start_s is not None:
            lines.append(f"waited {text.duration(p.start_s - p.submit_s)} for its first start")
        return "<br>".join(lines)
