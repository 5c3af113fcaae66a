"""The pipeline of one step, painted: a lane for each stage, a block for each pass, nothing where a stage waits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPolygonF

from twin.app.planner.pipeline_schedule import PipelineStep
from twin.app.toolkit.account_colours import colour
from twin.app.toolkit.charts.axes import VisibleRange, round_step
from twin.app.toolkit.charts.chart import ZoomedChart
from twin.app.toolkit.charts.painting import CENTRE, RIGHT, ChartPainter
from twin.app.toolkit.look import Look
from twin.app.toolkit.text import span
from twin.app.toolkit.theme import Theme, ink_on
from twin.arrays import Floats
from twin.language import tr

_LEFT_PX, _RIGHT_PX, _TOP_PX, _AXIS_PX = 62, 12, 4, 34
_GAP_SHARE = 0.045
"""Of the drawn time that the mark of what is left out takes."""
_NUMBER_PX, _NUMBER_HIGH_PX = 15, 11
_TOOTH_PX, _TICK_PX = 5.0, 90.0


class PipelineChart(ZoomedChart):
    """Wheel zooms at the pointer, a drag or the arrow keys move, a double click or 0 shows all."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, tr("Pipeline of one step"), least=(0, 120))
        self._timeline: PipelineStep | None = None

    def show_timeline(self, timeline: PipelineStep | None) -> None:
        """Show one step, the whole of it."""
        self._timeline = timeline
        drawn_s = 1.0
        if timeline is not None:
            drawn_s = (
                timeline.schedule.makespan_s + sum(piece.value for piece in timeline.tail) + self._gap_s()
            )
        self.across = VisibleRange(0.0, drawn_s, 0.0, drawn_s)
        self.update()

    # -- where things are ----

    def _gap_s(self) -> float:
        """Return what the mark of what is left out takes of the drawn time [s]."""
        made = self._timeline
        return _GAP_SHARE * made.schedule.makespan_s if made is not None and made.left_out else 0.0

    def _lane_px(self) -> float:
        made = self._timeline
        stages = made.schedule.stages if made is not None else 1
        return min((self.height() - _TOP_PX - _AXIS_PX) / stages, 80.0)

    @property
    def room(self) -> QRectF:
        """Return the place of the lanes."""
        stages = self._timeline.schedule.stages if self._timeline is not None else 1
        wide = max(self.width() - _LEFT_PX - _RIGHT_PX, 10)
        return QRectF(_LEFT_PX, _TOP_PX, wide, self._lane_px() * stages)

    # -- painting ----

    def paint(self, painter: ChartPainter) -> None:
        """Paint lanes, passes, what follows them, and the axis."""
        made, theme, area = self._timeline, painter.theme, self.room
        if made is None:
            return
        painter.fillRect(area, QColor(theme.ground))
        self._paint_lane_names(painter, made)
        painter.setClipRect(area)
        self._paint_passes(painter, made)
        self._paint_tail(painter, made, area)
        self._paint_break(painter, made, area)
        painter.setClipping(False)
        self._paint_axis(painter, made, area)
        painter.line_in(theme.accent if self.hasFocus() else theme.border)
        painter.drawRect(area)

    def _paint_lane_names(self, painter: ChartPainter, made: PipelineStep) -> None:
        lane, stages = self._lane_px(), made.schedule.stages
        painter.font_in(10)
        every = max(1, round(13.0 / lane + 0.49)) if lane < 13 else 1
        for stage in range(0, stages, every):
            spot = QRectF(0, _TOP_PX + stage * lane, _LEFT_PX - 8, max(lane, 12))
            words = tr("stage {stage}", stage=stage + 1) if stages > 1 else "GPU"
            painter.write(spot, words, painter.theme.muted, to=RIGHT)

    def _paint_passes(self, painter: ChartPainter, made: PipelineStep) -> None:
        schedule, lane, x_of = made.schedule, self._lane_px(), self.x_axis.px
        late = schedule.start_s >= made.break_s
        crosses = ~late & (schedule.end_s > made.break_s)
        left = x_of(schedule.start_s + late * self._gap_s())
        right = x_of(np.where(crosses, made.break_s, schedule.end_s) + late * self._gap_s())
        seen = (right > _LEFT_PX) & (left < self.width())
        self._paint_blocks(painter, made, left, right, seen)
        if lane >= _NUMBER_HIGH_PX:
            self._paint_numbers(painter, made, left, right, seen)
        tints = _tints(painter.theme, made)
        again = x_of(made.break_s + self._gap_s()) if crosses.any() else 0.0
        for stage, at in zip(
            *np.nonzero(crosses), strict=True
        ):  # what is on its way at the break goes on behind it
            until = x_of(float(schedule.end_s[stage, at]) + self._gap_s())
            tint = tints[bool(schedule.backward[stage, at]), int(schedule.chunk[stage, at])]
            painter.fillRect(QRectF(again, _TOP_PX + stage * lane + 1, until - again, lane - 2), tint)

    def _paint_blocks(
        self, painter: ChartPainter, made: PipelineStep, left: Floats, right: Floats, seen: NDArray[np.bool_]
    ) -> None:
        schedule, lane = made.schedule, self._lane_px()
        gap = 1.0 if float(np.median(right - left)) > 3.5 else 0.0
        inset = 1 if lane > 6 else 0
        for (back, chunk), tint in _tints(painter.theme, made).items():
            stage, at = np.nonzero(seen & (schedule.backward == back) & (schedule.chunk == chunk))
            tops = _TOP_PX + stage * lane + inset
            widths = np.maximum(right[stage, at] - left[stage, at] - gap, 0.6)
            for x, y, wide in zip(left[stage, at].tolist(), tops.tolist(), widths.tolist(), strict=True):
                painter.fillRect(QRectF(x, y, wide, lane - 2 * inset), tint)

    def _paint_numbers(
        self, painter: ChartPainter, made: PipelineStep, left: Floats, right: Floats, seen: NDArray[np.bool_]
    ) -> None:
        schedule, lane = made.schedule, self._lane_px()
        painter.font_in(10 if lane >= 14 else 9)
        inks = {kind: QColor(ink_on(tint.name())) for kind, tint in _tints(painter.theme, made).items()}
        for stage, at in zip(*np.nonzero(seen & (right - left >= _NUMBER_PX)), strict=True):
            words = str(made.number(int(schedule.microbatch[stage, at]), float(schedule.start_s[stage, at])))
            width = float(right[stage, at] - left[stage, at])
            if painter.wide(words) + 3 <= width:
                spot = QRectF(float(left[stage, at]), _TOP_PX + stage * lane, width, lane)
                ink = inks[bool(schedule.backward[stage, at]), int(schedule.chunk[stage, at])]
                painter.write(spot, words, ink, to=CENTRE)

    def _paint_tail(self, painter: ChartPainter, made: PipelineStep, area: QRectF) -> None:
        axis, at_s = self.x_axis, made.schedule.makespan_s + self._gap_s()
        painter.font_in(10)
        for piece in made.tail:
            tint, wide = colour(painter.theme, piece.account), max(piece.value * axis.scale - 1.0, 1.0)
            spot = QRectF(axis.px(at_s), area.top() + 1, wide, area.height() - 2)
            painter.fillRect(spot, QColor(tint))
            if spot.width() > 16 and spot.height() > 60:
                _write_upright(painter, spot, piece.title, ink_on(tint))
            at_s += piece.value

    def _paint_break(self, painter: ChartPainter, made: PipelineStep, area: QRectF) -> None:
        if not made.left_out:
            return
        low, high = self.x_axis.px(made.break_s), self.x_axis.px(made.break_s + self._gap_s())
        painter.smooth(True)
        edge = [area.top() + i * _TOOTH_PX for i in range(int(area.height() / _TOOTH_PX) + 2)]
        ragged = [QPointF(low + (3 if i % 2 else -1), y) for i, y in enumerate(edge)]
        ragged += [QPointF(high + (3 if i % 2 else -1), y) for i, y in reversed(list(enumerate(edge)))]
        painter.line_in(painter.theme.faint, 1.2)
        painter.setBrush(QBrush(QColor(painter.theme.surface)))
        painter.drawPolygon(QPolygonF(ragged))
        if high - low >= 16:
            painter.font_in(10)
            words = tr(
                "{left_out:,} more microbatches, {left_out_time}",
                left_out=made.left_out,
                left_out_time=span(made.left_out_s),
            )
            short = painter.wide(words) > area.height()
            spot = QRectF(low, area.top(), high - low, area.height())
            _write_upright(painter, spot, f"+{made.left_out:,}" if short else words, painter.theme.text)
        painter.smooth(False)

    def _paint_axis(self, painter: ChartPainter, made: PipelineStep, area: QRectF) -> None:
        theme, axis = painter.theme, self.x_axis
        unit, factor = ("ms", 1e3) if made.step_s < 2.0 else ("s", 1.0)
        shown_s = area.width() / axis.scale
        step_s = round_step(0.999 * shown_s / max(area.width() / _TICK_PX, 1.0) * factor) / factor
        painter.font_in(10)
        free_px, gap_s = area.left() - 20.0, self._gap_s()
        break_s = made.break_s if made.left_out else made.step_s
        ticks = [(t, t) for t in np.arange(0.0, break_s, step_s).tolist()]
        if made.left_out:
            first_s = np.ceil((break_s + made.left_out_s) / step_s) * step_s
            late_s = np.arange(first_s, made.step_s + 1e-12, step_s).tolist()
            ticks += [(t, t - made.left_out_s + gap_s) for t in late_s]
        for clock_s, drawn_s in ticks:
            x = axis.px(drawn_s)
            words = f"{clock_s * factor:,.{_digits(step_s * factor)}f}"
            wide = painter.wide(words)
            if x < area.left() - 1 or x > area.right() + 1 or x - wide / 2 < free_px:
                continue
            free_px = x + wide / 2 + 8
            painter.line_in(theme.faint)
            painter.drawLine(round(x), round(area.bottom()), round(x), round(area.bottom()) + 4)
            painter.write(QRectF(x - wide, area.bottom() + 5, 2 * wide, 14), words, theme.muted, to=CENTRE)
        corner = QRectF(0, area.bottom() + 5, _LEFT_PX - 14, 14)
        painter.write(corner, tr("time [{unit}]", unit=unit), theme.muted, to=Qt.AlignmentFlag.AlignRight)

    # -- what is under the pointer ----

    def said_at(self, place: QPointF) -> str:
        """Return which pass is at a place, as rich text."""
        made = self._timeline
        if made is None or place.x() < _LEFT_PX or place.y() < _TOP_PX:
            return ""
        stage = int((place.y() - _TOP_PX) / self._lane_px())
        t_s = self.x_axis.value(place.x())
        if t_s > made.break_s + self._gap_s():
            t_s -= self._gap_s()
        elif t_s > made.break_s:
            return tr("{left_out:,} more microbatches in the same pattern", left_out=made.left_out)
        schedule = made.schedule
        if not 0 <= stage < schedule.stages or t_s < 0:
            return ""
        found = np.flatnonzero((schedule.start_s[stage] <= t_s) & (schedule.end_s[stage] > t_s))
        if not len(found):
            return tr("Stage {stage} waits", stage=stage + 1) if t_s < schedule.makespan_s else ""
        at = int(found[0])
        start_s, end_s = float(schedule.start_s[stage, at]), float(schedule.end_s[stage, at])
        way = "backward" if schedule.backward[stage, at] else "forward"
        chunk = tr(", chunk {chunk}", chunk=int(schedule.chunk[stage, at]) + 1) if schedule.chunks > 1 else ""
        number = made.number(int(schedule.microbatch[stage, at]), start_s)
        begins = span(made.clock_s(start_s))
        return tr(
            "<b>Microbatch {number:,}, {way}</b><br>stage {stage}{chunk}<br>begins at {begins}, takes {end}",
            number=number,
            way=way,
            stage=stage + 1,
            chunk=chunk,
            begins=begins,
            end=span(end_s - start_s),
        )


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


def _tints(theme: Theme, made: PipelineStep) -> dict[tuple[bool, int], QColor]:
    """Return the colours of passes by way back and chunk."""
    return {
        (back, chunk): QColor(block_colour(theme, back, _shade(made, chunk)))
        for back in (False, True)
        for chunk in range(made.schedule.chunks)
    }


def _write_upright(painter: ChartPainter, spot: QRectF, words: str, ink: str) -> None:
    painter.save()
    painter.translate(spot.center())
    painter.rotate(-90)
    across = QRectF(-spot.height() / 2, -spot.width() / 2, spot.height(), spot.width())
    painter.write(across, words, ink, to=CENTRE)
    painter.restore()


def _digits(step: float) -> int:
    return int(max(0, -np.floor(np.log10(step) + 1e-9)))
