"""The pipeline of one step, painted: a lane for each stage, a block for each pass, nothing where a stage waits."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from twin.app.planner.pipeline_schedule import PipelineStep
from twin.app.toolkit.account_colours import colour
from twin.app.toolkit.look import Look
from twin.app.toolkit.text import span
from twin.app.toolkit.theme import Theme, font, ink_on

_LEFT_PX, _RIGHT_PX, _TOP_PX, _AXIS_PX = 62, 12, 4, 34
_GAP_SHARE = 0.045
"""Of the drawn time that the mark of what is left out takes."""
_NUMBER_PX, _NUMBER_HIGH_PX = 15, 11
_ZOOM = 1.25


class PipelineChart(QWidget):
    """Wheel zooms at the pointer, a drag or the arrow keys move, a double click or 0 shows all."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setAccessibleName("Pipeline of one step")
        self._look = look
        self._timeline: PipelineStep | None = None
        self._low, self._high = 0.0, 1.0  # of the drawn time, what is on screen
        self._dragged_from: float | None = None
        self.setMinimumHeight(120)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_timeline(self, timeline: PipelineStep | None) -> None:
        """Show one step, the whole of it."""
        self._timeline = timeline
        self._low, self._high = 0.0, 1.0
        self.update()

    # -- where things are ----

    def _drawn_s(self) -> float:
        """Length of what is drawn [s], the mark of what is left out included."""
        made = self._timeline
        if made is None:
            return 1.0
        return made.schedule.makespan_s + sum(piece.value for piece in made.tail) + self._gap_s()

    def _gap_s(self) -> float:
        made = self._timeline
        return _GAP_SHARE * made.schedule.makespan_s if made is not None and made.left_out else 0.0

    def _scale(self) -> tuple[float, float]:
        """Pixels of a second, and the drawn time at the left edge [s]."""
        drawn_s = self._drawn_s()
        width = max(self.width() - _LEFT_PX - _RIGHT_PX, 10)
        return width / (drawn_s * (self._high - self._low)), self._low * drawn_s

    def _lane_px(self) -> float:
        made = self._timeline
        stages = made.schedule.stages if made is not None else 1
        return min((self.height() - _TOP_PX - _AXIS_PX) / stages, 80.0)

    # -- painting ----

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint lanes, passes, what follows them, and the axis."""
        made = self._timeline
        if made is None:
            return
        theme, painter = self._look.theme, QPainter(self)
        lane, stages = self._lane_px(), made.schedule.stages
        area = QRectF(_LEFT_PX, _TOP_PX, self.width() - _LEFT_PX - _RIGHT_PX, lane * stages)
        painter.fillRect(area, QColor(theme.ground))
        self._paint_lane_names(painter, theme, lane, stages)
        painter.setClipRect(area)
        self._paint_passes(painter, theme, made, lane)
        self._paint_tail(painter, theme, made, area)
        self._paint_break(painter, theme, made, area)
        painter.setClipping(False)
        self._paint_axis(painter, theme, made, area)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.accent if self.hasFocus() else theme.border), 1))
        painter.drawRect(area)

    def _paint_lane_names(self, painter: QPainter, theme: Theme, lane: float, stages: int) -> None:
        painter.setFont(font(10))
        painter.setPen(QColor(theme.muted))
        every = max(1, round(13.0 / lane + 0.49)) if lane < 13 else 1
        for stage in range(0, stages, every):
            spot = QRectF(0, _TOP_PX + stage * lane, _LEFT_PX - 8, max(lane, 12))
            words = f"stage {stage + 1}" if stages > 1 else "GPU"
            painter.drawText(spot, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_passes(self, painter: QPainter, theme: Theme, made: PipelineStep, lane: float) -> None:
        schedule, (scale, origin_s) = made.schedule, self._scale()
        late = schedule.start_s >= made.break_s
        crosses = ~late & (schedule.end_s > made.break_s)
        left = _LEFT_PX + (schedule.start_s + late * self._gap_s() - origin_s) * scale
        end_s = np.where(crosses, made.break_s, schedule.end_s)
        right = _LEFT_PX + (end_s + late * self._gap_s() - origin_s) * scale
        self._paint_blocks(painter, theme, made, left, right, lane)
        if crosses.any():  # what is on its way at the break goes on behind it
            stage, at = np.nonzero(crosses)
            again = _LEFT_PX + (made.break_s + self._gap_s() - origin_s) * scale
            until = _LEFT_PX + (schedule.end_s[stage, at] + self._gap_s() - origin_s) * scale
            for s, a, x in zip(stage, at, until, strict=True):
                tint = QColor(
                    block_colour(
                        theme, bool(schedule.backward[s, a]), _shade(made, int(schedule.chunk[s, a]))
                    )
                )
                painter.fillRect(QRectF(again, _TOP_PX + s * lane + 1, x - again, lane - 2), tint)

    def _paint_blocks(
        self,
        painter: QPainter,
        theme: Theme,
        made: PipelineStep,
        left: np.ndarray,
        right: np.ndarray,
        lane: float,
    ) -> None:
        schedule = made.schedule
        seen = (right > _LEFT_PX) & (left < self.width())
        gap = 1.0 if float(np.median(right - left)) > 3.5 else 0.0
        for back in (False, True):
            for chunk in range(schedule.chunks):
                chosen = seen & (schedule.backward == back) & (schedule.chunk == chunk)
                stage, at = np.nonzero(chosen)
                tint = QColor(block_colour(theme, back, _shade(made, chunk)))
                tops = _TOP_PX + stage * lane + (1 if lane > 6 else 0)
                high = lane - (2 if lane > 6 else 0)
                widths = np.maximum(right[stage, at] - left[stage, at] - gap, 0.6)
                for x, y, wide in zip(left[stage, at].tolist(), tops.tolist(), widths.tolist(), strict=True):
                    painter.fillRect(QRectF(x, y, wide, high), tint)
        if lane >= _NUMBER_HIGH_PX:
            self._paint_numbers(painter, theme, made, left, right, lane, seen)

    def _paint_numbers(
        self,
        painter: QPainter,
        theme: Theme,
        made: PipelineStep,
        left: np.ndarray,
        right: np.ndarray,
        lane: float,
        seen: np.ndarray,
    ) -> None:
        painter.setFont(font(10 if lane >= 14 else 9))
        metrics, schedule = painter.fontMetrics(), made.schedule
        inks = {
            (back, chunk): QColor(ink_on(block_colour(theme, back, _shade(made, chunk))))
            for back in (False, True)
            for chunk in range(schedule.chunks)
        }
        for stage, at in zip(*np.nonzero(seen & (right - left >= _NUMBER_PX)), strict=True):
            words = str(made.number(int(schedule.microbatch[stage, at]), float(schedule.start_s[stage, at])))
            width = float(right[stage, at] - left[stage, at])
            if metrics.horizontalAdvance(words) + 3 <= width:
                painter.setPen(inks[bool(schedule.backward[stage, at]), int(schedule.chunk[stage, at])])
                spot = QRectF(float(left[stage, at]), _TOP_PX + stage * lane, width, lane)
                painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, words)

    def _paint_tail(self, painter: QPainter, theme: Theme, made: PipelineStep, area: QRectF) -> None:
        scale, origin_s = self._scale()
        at_s = made.schedule.makespan_s + self._gap_s()
        painter.setFont(font(10))
        for piece in made.tail:
            x = _LEFT_PX + (at_s - origin_s) * scale
            spot = QRectF(x, area.top() + 1, max(piece.value * scale - 1.0, 1.0), area.height() - 2)
            painter.fillRect(spot, QColor(colour(theme, piece.account)))
            if spot.width() > 16 and spot.height() > 60:
                painter.save()
                painter.translate(spot.center())
                painter.rotate(-90)
                painter.setPen(QColor(ink_on(colour(theme, piece.account))))
                across = QRectF(-spot.height() / 2, -spot.width() / 2, spot.height(), spot.width())
                painter.drawText(across, Qt.AlignmentFlag.AlignCenter, piece.title)
                painter.restore()
            at_s += piece.value

    def _paint_break(self, painter: QPainter, theme: Theme, made: PipelineStep, area: QRectF) -> None:
        if not made.left_out:
            return
        scale, origin_s = self._scale()
        low = _LEFT_PX + (made.break_s - origin_s) * scale
        high = low + self._gap_s() * scale
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tooth = 5.0
        edge = [area.top() + i * tooth for i in range(int(area.height() / tooth) + 2)]
        ragged = [QPointF(low + (3 if i % 2 else -1), y) for i, y in enumerate(edge)]
        ragged += [QPointF(high + (3 if i % 2 else -1), y) for i, y in reversed(list(enumerate(edge)))]
        painter.setPen(QPen(QColor(theme.faint), 1.2))
        painter.setBrush(QBrush(QColor(theme.surface)))
        painter.drawPolygon(QPolygonF(ragged))
        if high - low >= 16:
            painter.save()
            painter.translate((low + high) / 2, area.center().y())
            painter.rotate(-90)
            painter.setPen(QColor(theme.text))
            painter.setFont(font(10))
            words = f"{made.left_out:,} more microbatches, {span(made.left_out_s)}"
            wide = QRectF(-area.height() / 2, -(high - low) / 2, area.height(), high - low)
            short = painter.fontMetrics().horizontalAdvance(words) > area.height()
            painter.drawText(wide, Qt.AlignmentFlag.AlignCenter, f"+{made.left_out:,}" if short else words)
            painter.restore()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_axis(self, painter: QPainter, theme: Theme, made: PipelineStep, area: QRectF) -> None:
        scale, origin_s = self._scale()
        unit, factor = ("ms", 1e3) if made.step_s < 2.0 else ("s", 1.0)
        step_s = _round_step(area.width() / scale / max(area.width() / 90.0, 1.0) * factor) / factor
        painter.setFont(font(10))
        metrics = painter.fontMetrics()
        free_px, gap_s = area.left() - 20.0, self._gap_s()
        break_s = made.break_s if made.left_out else made.step_s
        ticks = [(t, t) for t in np.arange(0.0, break_s, step_s)]
        if made.left_out:
            first = np.ceil((break_s + made.left_out_s) / step_s) * step_s
            ticks += [(t, t - made.left_out_s + gap_s) for t in np.arange(first, made.step_s + 1e-12, step_s)]
        for clock_s, drawn_s in ticks:
            x = _LEFT_PX + (float(drawn_s) - origin_s) * scale
            words = f"{clock_s * factor:,.{_digits(step_s * factor)}f}"
            wide = metrics.horizontalAdvance(words)
            if x < area.left() - 1 or x > area.right() + 1 or x - wide / 2 < free_px:
                continue
            free_px = x + wide / 2 + 8
            painter.setPen(QColor(theme.faint))
            painter.drawLine(round(x), round(area.bottom()), round(x), round(area.bottom()) + 4)
            painter.setPen(QColor(theme.muted))
            spot = QRectF(x - wide, area.bottom() + 5, 2 * wide, 14)
            painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, words)
        painter.setPen(QColor(theme.muted))
        painter.drawText(
            QRectF(0, area.bottom() + 5, _LEFT_PX - 14, 14), Qt.AlignmentFlag.AlignRight, f"time [{unit}]"
        )

    # -- looking closer ----

    def event(self, event: QEvent) -> bool:
        """Say which pass is under the pointer."""
        if isinstance(event, QHelpEvent):
            words = self._said_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().event(event)

    def _said_at(self, place: QPointF) -> str:
        made = self._timeline
        if made is None or place.x() < _LEFT_PX or place.y() < _TOP_PX:
            return ""
        scale, origin_s = self._scale()
        stage = int((place.y() - _TOP_PX) / self._lane_px())
        t_s = (place.x() - _LEFT_PX) / scale + origin_s
        if t_s > made.break_s + self._gap_s():
            t_s -= self._gap_s()
        elif t_s > made.break_s:
            return f"{made.left_out:,} more microbatches in the same rhythm"
        schedule = made.schedule
        if not 0 <= stage < schedule.stages or t_s < 0:
            return ""
        found = np.flatnonzero((schedule.start_s[stage] <= t_s) & (schedule.end_s[stage] > t_s))
        if not len(found):
            return f"Stage {stage + 1} waits" if t_s < schedule.makespan_s else ""
        at = int(found[0])
        start_s, end_s = float(schedule.start_s[stage, at]), float(schedule.end_s[stage, at])
        way = "backward" if schedule.backward[stage, at] else "forward"
        chunk = f", chunk {int(schedule.chunk[stage, at]) + 1}" if schedule.chunks > 1 else ""
        number = made.number(int(schedule.microbatch[stage, at]), start_s)
        begins = span(made.clock_s(start_s))
        return (
            f"<b>Microbatch {number:,}, {way}</b><br>stage {stage + 1}{chunk}<br>"
            f"begins at {begins}, takes {span(end_s - start_s)}"
        )

    def _zoom(self, factor: float, at: float) -> None:
        width = min((self._high - self._low) / factor, 1.0)
        self._low = min(max(at - (at - self._low) / factor, 0.0), 1.0 - width)
        self._high = self._low + width
        self.update()

    def _move(self, by: float) -> None:
        width = self._high - self._low
        self._low = min(max(self._low + by, 0.0), 1.0 - width)
        self._high = self._low + width
        self.update()

    def _share_at(self, x: float) -> float:
        width = max(self.width() - _LEFT_PX - _RIGHT_PX, 10)
        return self._low + (x - _LEFT_PX) / width * (self._high - self._low)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer."""
        self._zoom(_ZOOM ** (event.angleDelta().y() / 120.0), self._share_at(event.position().x()))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the picture."""
        self._dragged_from = event.position().x()
        self.setFocus()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the picture along."""
        if self._dragged_from is not None:
            self._move(self._share_at(self._dragged_from) - self._share_at(event.position().x()))
            self._dragged_from = event.position().x()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go of the picture."""
        self._dragged_from = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show all."""
        self._low, self._high = 0.0, 1.0
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Zoom by + and -, move by arrows, show all by 0."""
        key, width = event.key(), self._high - self._low
        if key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self._zoom(_ZOOM, (self._low + self._high) / 2)
        elif key == Qt.Key.Key_Minus:
            self._zoom(1 / _ZOOM, (self._low + self._high) / 2)
        elif key == Qt.Key.Key_0:
            self._zoom(1e-9, 0.5)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._move(0.1 * width if key == Qt.Key.Key_Right else -0.1 * width)
        else:
            super().keyPressEvent(event)


def block_colour(theme: Theme, backward: bool, shade: float) -> str:
    """Return the colour of a pass; later chunks of a stage are darker (on white: lighter)."""
    base = QColor(theme.series[1] if backward else theme.series[0])
    ground = QColor(theme.surface)
    mixed = [
        round(a + (b - a) * 0.55 * shade)
        for a, b in zip(base.getRgb()[:3], ground.getRgb()[:3], strict=True)  # type: ignore[index]
    ]
    return QColor(*mixed).name()


def _shade(made: PipelineStep, chunk: int) -> float:
    return chunk / max(made.schedule.chunks - 1, 1) if made.schedule.chunks > 1 else 0.0


def _round_step(span: float) -> float:
    power = 10.0 ** np.floor(np.log10(span))
    return float(next(power * nice for nice in (1.0, 2.0, 5.0, 10.0) if power * nice >= span * 0.999))


def _digits(step: float) -> int:
    return int(max(0, -np.floor(np.log10(step) + 1e-9)))
