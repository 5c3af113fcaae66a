"""How a timeline looks: curves, marks of what happened, ticks of time. Knows nothing of mouse or session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainterPath, QPolygonF

from twin.app.plots.min_max_bands import CurveBand, band
from twin.app.plots.timeline_scale import Scale
from twin.app.session.bounded_history import BoundedHistory
from twin.app.timeline.marks import EventMarks
from twin.app.toolkit.charts.axes import Axis, round_times
from twin.app.toolkit.charts.painting import CENTRE, ChartPainter, faded
from twin.app.toolkit.clock import Clock
from twin.app.toolkit.theme import scaled
from twin.record.events import Severity

POWER, GOODPUT = "site.it_w", "site.goodput_now"
LANE_PX, AXIS_PX, TOP_PX = 11, 15, 7
"""Heights of the lane of events and of the ticks, and room above for the head of the pointer and bookmarks."""
_MARK_SHARE = {Severity.INFO: 0.22, Severity.NOTICE: 0.45, Severity.WARNING: 0.72, Severity.ALARM: 1.0}
_TICK_ROOM_PX = 92
_CROWDED = 0.08
"""Marks are wide while they are in less than this part of the columns."""
_STEPS_S = (
    *(0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 21600, 43200),
    *(days * 86400 for days in (1, 2, 5, 10, 20, 50, 100, 200, 500)),
)


@dataclass
class TimelineContent:
    """What there is to paint.

    Attributes
    ----------
    history
        Power and goodput over the run.
    marks
        Events.
    reach_s
        How far the run or its record goes [s].
    acts
        Times of edits and interventions [s].
    bookmarks
        Times of bookmarks [s].
    chapters
        Times at which chapters of the scene begin [s].
    """

    history: BoundedHistory
    marks: EventMarks
    clock: Clock | None = None
    reach_s: float = 0.0
    acts: Sequence[float] = ()
    bookmarks: Sequence[float] = field(default_factory=tuple)
    chapters: Sequence[float] = ()


def strip_rect(width_px: float, height_px: float) -> QRectF:
    """Return the place of the curves."""
    top = scaled(TOP_PX)
    return QRectF(1, top, max(width_px - 2, 1), max(height_px - top - scaled(LANE_PX) - scaled(AXIS_PX), 4))


def paint_ground(painter: ChartPainter, shown: TimelineContent, scale: Scale, height_px: float) -> None:
    """Paint everything but what moves while one scrubs."""
    theme, room = painter.theme, strip_rect(scale.width_px + 2, height_px)
    painter.fill_in(theme.raised)
    whole = room.adjusted(0, 0, 0, scaled(LANE_PX))
    painter.drawRoundedRect(whole, 3, 3)
    end = min(max(scale.x(shown.reach_s), room.left()), room.right())
    painter.fillRect(QRectF(end, whole.top(), whole.right() - end, whole.height()), QColor(theme.ground))
    _paint_curves(painter, shown, scale, room)
    _paint_events(painter, shown, scale, room)
    _paint_ticks(painter, shown, scale, whole)
    painter.line_in(theme.border)
    painter.drawRoundedRect(whole, 3, 3)
    _paint_chapters(painter, shown.chapters, scale, whole)
    _paint_acts(painter, shown.acts, scale, room)
    _paint_bookmarks(painter, shown.bookmarks, scale, whole)


def _paint_curves(painter: ChartPainter, shown: TimelineContent, scale: Scale, room: QRectF) -> None:
    history, times = shown.history, shown.history.times_s()
    if not len(times):
        return
    until_s = min(shown.reach_s, float(times[-1]))  # a long record is read in slices
    for name, least, tint, filled in ((POWER, 1.0, 0, True), (GOODPUT, 1e-6, 1, False)):
        top = max(float(np.fmax.reduce(history.series(name), initial=least)), least) * 1.06
        up = Axis(0.0, top, room.bottom(), room.top() + 1)
        for piece in band(times, history.series(name), scale, until_s, history.means(name)).pieces():
            _paint_band(painter, piece, up, room, painter.theme.series[tint], filled)


def _paint_band(
    painter: ChartPainter, curve: CurveBand, up: Axis, room: QRectF, tint: str, filled: bool
) -> None:
    x = (room.left() + curve.column + 0.5).astype(float)
    low, mean, high = (up.px(np.clip(each, 0.0, up.high)) for each in (curve.low, curve.mean, curve.high))
    if filled:
        painter.fill_in(tint, alpha=0.16)
        painter.area(x, mean, room.bottom())
    painter.fill_in(tint, alpha=0.34)
    painter.area(x, high, low)
    painter.line_in(tint, 1.2)
    painter.curve(x, mean)


def _paint_events(painter: ChartPainter, shown: TimelineContent, scale: Scale, room: QRectF) -> None:
    painter.smooth(False)
    bottom, lane = room.bottom() + scaled(LANE_PX) - 1, scaled(LANE_PX) - 2
    for severity in Severity:
        columns = shown.marks.columns(severity, scale)
        tint = faded(painter.theme.severity(severity), 0.55 if severity is Severity.INFO else 1.0)
        high = max(round(_MARK_SHARE[severity] * lane), 2)
        wide = 2 if len(columns) < _CROWDED * room.width() else 1
        for column in columns.tolist():
            painter.fillRect(round(room.left()) + column, round(bottom) - high, wide, high, tint)
    painter.smooth(True)


def _paint_ticks(painter: ChartPainter, shown: TimelineContent, scale: Scale, whole: QRectF) -> None:
    painter.font_in(10)
    for at_s, words in ticks(shown.clock, scale):
        x = scale.x(at_s)
        painter.line_in(painter.theme.border)
        painter.upright(x, whole.top(), whole.bottom())
        spot = QRectF(x - 60, whole.bottom() + 1, 120, scaled(AXIS_PX))
        painter.write(spot, words, painter.theme.muted, to=CENTRE)


def ticks(clock: Clock | None, scale: Scale) -> list[tuple[float, str]]:
    """Return (time [s], text) of ticks at times that people count in, with room between them."""
    if clock is None:
        return []
    step_s = next((s for s in _STEPS_S if s / scale.px_s >= scaled(_TICK_ROOM_PX)), _STEPS_S[-1])
    edge_s = scaled(_TICK_ROOM_PX) / 2 * scale.px_s * 0.6
    found = round_times(clock, scale.from_s, scale.to_s, step_s)
    return [tick for tick in found if scale.from_s + edge_s <= tick[0] <= scale.to_s - edge_s]


def _paint_acts(painter: ChartPainter, acts: Iterable[float], scale: Scale, room: QRectF) -> None:
    """Mark what people do to the run by diamonds between curves and events."""
    painter.line_in(painter.theme.surface)
    painter.setBrush(QColor(painter.theme.series[3]))
    y = room.bottom() - 1
    for at_s in acts:
        if scale.from_s <= at_s <= scale.to_s:
            x = scale.x(at_s)
            corners = ((x, y - 5), (x + 5, y), (x, y + 5), (x - 5, y))
            painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))


def _paint_chapters(painter: ChartPainter, chapters: Iterable[float], scale: Scale, whole: QRectF) -> None:
    """Mark where chapters begin by brackets over the curves."""
    painter.line_in(painter.theme.series[3], 1.5)
    for at_s in chapters:
        if scale.from_s <= at_s <= scale.to_s:
            x = scale.x(at_s)
            corners = ((x + 5, whole.top() + 1), (x, whole.top() + 1), (x, whole.top() + 8))
            painter.drawPolyline(QPolygonF([QPointF(*corner) for corner in corners]))


def _paint_bookmarks(painter: ChartPainter, bookmarks: Iterable[float], scale: Scale, whole: QRectF) -> None:
    """Mark bookmarks by flags on top."""
    for at_s in bookmarks:
        if scale.from_s <= at_s <= scale.to_s:
            x = scale.x(at_s)
            flag = QPainterPath(QPointF(x, 0))
            for corner in ((x + 8, 0), (x + 5.5, 3.5), (x + 8, 7), (x, 7)):
                flag.lineTo(*corner)
            painter.fillPath(flag, QColor(painter.theme.accent))
            painter.line_in(painter.theme.accent)
            painter.upright(x, 0, whole.bottom())


def paint_moving(
    painter: ChartPainter,
    scale: Scale,
    height_px: float,
    shown_s: float,
    live_s: float | None,
    loop: tuple[float, float] | None,
) -> None:
    """Paint the loop, the present where it is not shown, and the time that is shown."""
    theme = painter.theme
    room = strip_rect(scale.width_px + 2, height_px).adjusted(0, 0, 0, scaled(LANE_PX))
    if loop is not None:
        low, high = (min(max(scale.x(t_s), room.left()), room.right()) for t_s in loop)
        painter.fillRect(QRectF(low, room.top(), high - low, room.height()), faded(theme.accent, 0.18))
        painter.line_in(theme.accent, 2.0)
        for x in (low, high):
            painter.upright(x, room.top(), room.bottom())
    if live_s is not None and scale.from_s <= live_s <= scale.to_s:
        painter.line_in(theme.ok, 2.0)
        painter.upright(min(scale.x(live_s), room.right() - 1), room.top(), room.bottom())
    if scale.from_s <= shown_s <= scale.to_s:
        tint = theme.ok if live_s is None else theme.warning
        x = min(max(scale.x(shown_s), room.left() + 1), room.right() - 1)
        painter.line_in(tint, 2.0)
        painter.upright(x, room.top(), room.bottom())
        painter.fill_in(tint)
        painter.drawPolygon(QPolygonF([QPointF(x - 6, 0), QPointF(x + 6, 0), QPointF(x, room.top() + 3)]))
