"""How far a job is: a bar of steps with what is safe, and a line of time with its end, limit and deadline."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainterPath

from twin.app.jobs.page_facts import ProgressFigures
from twin.app.toolkit import text
from twin.app.toolkit.charts.axes import Axis
from twin.app.toolkit.charts.chart import PaintedChart
from twin.app.toolkit.charts.painting import CENTRE, RIGHT, ChartPainter
from twin.app.toolkit.clock import Clock
from twin.app.toolkit.look import Look
from twin.app.toolkit.theme import font, scaled
from twin.language import tr

_EDGE_PX, _BAR_PX, _WORDS_PX, _MARKS_PX = 12.0, 12.0, 16.0, 15.0
_AHEAD = 1.04


class JobProgress(PaintedChart):
    """Two bars of one job: steps above, time below."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, tr("Progress of the job"), tall=False)
        self.shown: ProgressFigures | None = None
        self._clock: Clock | None = None

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
        done = tr("Step {step:,.0f}", step=p.step)
        if p.total is not None:
            done += tr(
                " of {total:,.0f}  ({step:.1f} %)",
                total=p.total,
                step=100 * min(p.step / max(p.total, 1e-09), 1.0),
            )
        unsafe = 0.0 if p.durable is None else p.step - p.durable
        return done if unsafe < 1 else tr("{done},  {unsafe:,.0f} not saved yet", done=done, unsafe=unsafe)

    @property
    def times(self) -> Axis:
        """Return where times lie on the line [s]."""
        p = self.shown
        assert p is not None
        ends = (p.now_s, p.ends_s, p.limit_s, p.deadline_s)
        last_s = max(at_s for at_s in ends if at_s is not None)
        end_s = p.submit_s + max((last_s - p.submit_s) * _AHEAD, 1.0)
        return Axis(p.submit_s, end_s, _EDGE_PX, self.width() - _EDGE_PX)

    def _x_of(self, t_s: float) -> float:
        times = self.times
        return times.px(min(max(t_s, times.low), times.high))

    @property
    def steps_bar(self) -> QRectF:
        """Return the place of the bar of steps."""
        return QRectF(_EDGE_PX, scaled(_WORDS_PX), max(self.width() - 2 * _EDGE_PX, 10.0), _BAR_PX)

    def paint(self, painter: ChartPainter) -> None:
        """Paint both bars."""
        if self.shown is not None and self._clock is not None:
            self._paint_steps(painter, self.shown)
            self._paint_head(painter, self.shown)
            self._paint_time(painter, self.shown, self._clock)

    def _paint_steps(self, painter: ChartPainter, p: ProgressFigures) -> None:
        theme, bar, whole = painter.theme, self.steps_bar, p.total if p.total else max(p.step, 1.0)
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
            painter.line_in(theme.text, 2.0)
            painter.upright(bar.left() + safe_px, bar.top() - 2, bar.bottom() + 2)

    def _paint_head(self, painter: ChartPainter, p: ProgressFigures) -> None:
        """Write what is done and when it ends, as much as has room."""
        theme, bar, late = painter.theme, self.steps_bar, p.late and not p.over
        head = QRectF(bar.left(), 0.0, bar.width(), scaled(_WORDS_PX) - 2)
        words, ending = self.words(), self.ending()
        room = bar.width() - QFontMetricsF(font(11)).horizontalAdvance(ending) - 10
        painter.font_in(11, bold=True)
        if painter.wide(words) > room:
            words = words.rpartition(",  ")[0] or words  # what is not safe is seen in the bar
        if painter.wide(words) > room:
            words = words.partition("  (")[0]  # and so is the share
        if painter.wide(words) > room and not late:
            ending = ""  # a mark below tells it
        painter.write(head, words, theme.text)
        painter.write(head, ending, theme.alarm if late else theme.muted, 11, to=RIGHT)

    def ending(self) -> str:
        """Return when it ends, in words."""
        p, clock = self.shown, self._clock
        if p is None or clock is None:
            return ""
        if p.over:
            return tr("ended {now_time}", now_time=clock.says(p.now_s))
        if p.ends_s is None:
            return tr("no end date") if p.total is None else ""
        words = tr("ends about {ends}", ends=clock.says(p.ends_s))
        if not p.late:
            return words
        killed = p.limit_s is not None and p.ends_s > p.limit_s
        return f"{words}: {'time limit comes first' if killed else 'after its deadline'}"

    def _paint_time(self, painter: ChartPainter, p: ProgressFigures, clock: Clock) -> None:
        theme, top, high = painter.theme, self.steps_bar.bottom() + 6.0, _BAR_PX / 2
        left, right = _EDGE_PX, self.width() - _EDGE_PX
        painter.fillRect(QRectF(left, top, right - left, high), QColor(theme.raised))
        now_x = self._x_of(p.now_s)
        start_x = self._x_of(p.start_s if p.start_s is not None else p.now_s)
        queue = QBrush(QColor(theme.faint), Qt.BrushStyle.BDiagPattern)
        painter.fillRect(QRectF(left, top, start_x - left, high), queue)
        painter.fillRect(QRectF(start_x, top, max(now_x - start_x, 0.0), high), QColor(theme.ok))
        painter.font_in(10)
        taken: list[tuple[float, float]] = []
        for t_s, title, tint, wide in self.marks():
            x = self._x_of(t_s)
            painter.line_in(tint, wide)
            painter.upright(x, top - 2, top + high + 3)
            words = f"{title} {clock.says(t_s)}"
            room = painter.wide(words) + 6.0
            at = min(max(x - room / 2, left), right - room)
            if all(at + room <= begin or at >= end for begin, end in taken):
                taken.append((at, at + room))
                painter.write(QRectF(at, top + high + 2, room, scaled(_MARKS_PX)), words, tint, to=CENTRE)

    def marks(self) -> list[tuple[float, str, str, float]]:
        """Return time [s], name, colour and width of the marks on the line, most important first."""
        p, theme = self.shown, self.theme
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
            tr("Solid: saved in a checkpoint. Hatched: lost on a failure."),
        ]
        lines += [f"{title}: {clock.says(t_s)}" for t_s, title, _, _ in self.marks()]
        if p.start_s is not None:
            lines.append(
                tr("waited {duration} for its first start", duration=text.duration(p.start_s - p.submit_s))
            )
        return "<br>".join(lines)
