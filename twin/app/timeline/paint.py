"""How a timeline looks: curves, marks of what happened, ticks of time. Knows nothing of mouse or session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from twin.app.plots.min_max_bands import CurveBand, band
from twin.app.plots.timeline_scale import Scale
from twin.app.session.bounded_history import BoundedHistory
from twin.app.timeline.marks import EventMarks
from twin.app.toolkit.clock import Clock
from twin.app.toolkit.theme import Theme, font, scaled
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
    """

    history: BoundedHistory
    marks: EventMarks
    clock: Clock | None = None
    reach_s: float = 0.0
    acts: Sequence[float] = ()
    bookmarks: Sequence[float] = field(default_factory=tuple)


def strip_rect(width_px: float, height_px: float) -> QRectF:
    """Return the place of the curves."""
    top = scaled(TOP_PX)
    return QRectF(1, top, max(width_px - 2, 1), max(height_px - top - scaled(LANE_PX) - scaled(AXIS_PX), 4))


def paint_ground(
    painter: QPainter, theme: Theme, shown: TimelineContent, scale: Scale, height_px: float
) -> None:
    """Paint everything but what moves while one scrubs."""
    room = strip_rect(scale.width_px + 2, height_px)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.raised))
    whole = room.adjusted(0, 0, 0, scaled(LANE_PX))
    painter.drawRoundedRect(whole, 3, 3)
    end = min(max(scale.x(shown.reach_s), room.left()), room.right())
    painter.fillRect(QRectF(end, whole.top(), whole.right() - end, whole.height()), QColor(theme.ground))
    _paint_curves(painter, theme, shown, scale, room)
    _paint_events(painter, theme, shown, scale, room)
    _paint_ticks(painter, theme, shown, scale, whole)
    painter.setPen(QPen(QColor(theme.border), 1.0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(whole, 3, 3)
    _paint_acts(painter, theme, shown.acts, scale, room)
    _paint_bookmarks(painter, theme, shown.bookmarks, scale, whole)


def _paint_curves(
    painter: QPainter, theme: Theme, shown: TimelineContent, scale: Scale, room: QRectF
) -> None:
    history, times = shown.history, shown.history.times_s()
    if not len(times):
        return
    until_s = min(shown.reach_s, float(times[-1]))  # a long record is read in slices
    power, goodput = (
        band(times, history.series(each), scale, until_s, history.means(each)) for each in (POWER, GOODPUT)
    )
    top_w = float(np.fmax.reduce(history.series(POWER), initial=1.0)) * 1.06
    best = max(float(np.fmax.reduce(history.series(GOODPUT), initial=0.0)), 1e-6) * 1.06
    for curve, top, tint, filled in (
        (power, top_w, theme.series[0], True),
        (goodput, best, theme.series[1], False),
    ):
        for piece in curve.pieces():
            _paint_band(painter, piece, top, QColor(tint), room, filled)


def _paint_band(
    painter: QPainter, curve: CurveBand, top: float, tint: QColor, room: QRectF, filled: bool
) -> None:
    x = (room.left() + curve.column + 0.5).tolist()
    low, mean, high = (
        (room.bottom() - np.clip(values / top, 0.0, 1.0) * (room.height() - 1)).tolist()
        for values in (curve.low, curve.mean, curve.high)
    )
    painter.setPen(Qt.PenStyle.NoPen)
    if filled:
        ground = QColor(tint)
        ground.setAlphaF(0.16)
        painter.setBrush(ground)
        base = [QPointF(x[0], room.bottom()), *map(QPointF, x, mean), QPointF(x[-1], room.bottom())]
        painter.drawPolygon(QPolygonF(base))
    spread = QColor(tint)
    spread.setAlphaF(0.34)
    painter.setBrush(spread)
    painter.drawPolygon(QPolygonF([*map(QPointF, x, high), *map(QPointF, reversed(x), reversed(low))]))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(tint, 1.2))
    painter.drawPolyline(QPolygonF(list(map(QPointF, x, mean))))


def _paint_events(
    painter: QPainter, theme: Theme, shown: TimelineContent, scale: Scale, room: QRectF
) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    bottom, lane = room.bottom() + scaled(LANE_PX) - 1, scaled(LANE_PX) - 2
    for severity in Severity:
        columns = shown.marks.columns(severity, scale)
        tint = QColor(theme.severity(severity))
        if severity is Severity.INFO:
            tint.setAlphaF(0.55)
        high = max(round(_MARK_SHARE[severity] * lane), 2)
        wide = 2 if len(columns) < _CROWDED * room.width() else 1
        for column in columns.tolist():
            painter.fillRect(round(room.left()) + column, round(bottom) - high, wide, high, tint)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def _paint_ticks(
    painter: QPainter, theme: Theme, shown: TimelineContent, scale: Scale, whole: QRectF
) -> None:
    painter.setFont(font(10))
    line = QColor(theme.border)
    for at_s, words in ticks(shown.clock, scale):
        x = scale.x(at_s)
        painter.setPen(QPen(line, 1.0))
        painter.drawLine(QPointF(x, whole.top()), QPointF(x, whole.bottom()))
        painter.setPen(QColor(theme.muted))
        spot = QRectF(x - 60, whole.bottom() + 1, 120, scaled(AXIS_PX))
        painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, words)


def ticks(clock: Clock | None, scale: Scale) -> list[tuple[float, str]]:
    """Return (time [s], text) of ticks at times that people count in, with room between them."""
    if clock is None:
        return []
    step_s = next((s for s in _STEPS_S if s / scale.px_s >= scaled(_TICK_ROOM_PX)), _STEPS_S[-1])
    start = clock.start
    midnight_s = -float((start.hour * 60 + start.minute) * 60 + start.second)
    first_s = scale.from_s + (midnight_s - scale.from_s) % step_s
    edge_s = scaled(_TICK_ROOM_PX) / 2 * scale.px_s * 0.6
    found = []
    count = int((scale.to_s - first_s) // step_s) + 1
    for k in range(max(count, 0)):
        at_s = first_s + k * step_s
        if scale.from_s + edge_s <= at_s <= scale.to_s - edge_s:
            found.append((at_s, _tick(clock, at_s, step_s)))
    return found


def _tick(clock: Clock, t_s: float, step_s: float) -> str:
    moment = clock.start + timedelta(seconds=round(t_s, 1))
    midnight = (moment.hour, moment.minute, moment.second, moment.microsecond) == (0, 0, 0, 0)
    if step_s >= 86400 or (midnight and clock.dated):
        return f"{moment.day} {moment:%b}"
    if step_s >= 60:
        return f"{moment:%H:%M}"
    return f"{moment:%H:%M:%S}" + (f".{moment.microsecond // 100_000}" if step_s < 1 else "")


def _paint_acts(painter: QPainter, theme: Theme, acts: Iterable[float], scale: Scale, room: QRectF) -> None:
    """Mark what people do to the run by diamonds between curves and events."""
    painter.setPen(QPen(QColor(theme.surface), 1.0))
    painter.setBrush(QColor(theme.series[3]))
    y = room.bottom() - 1
    for at_s in acts:
        if scale.from_s <= at_s <= scale.to_s:
            x = scale.x(at_s)
            corners = ((x, y - 5), (x + 5, y), (x, y + 5), (x - 5, y))
            painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))


def _paint_bookmarks(
    painter: QPainter, theme: Theme, bookmarks: Iterable[float], scale: Scale, whole: QRectF
) -> None:
    """Mark bookmarks by flags on top."""
    for at_s in bookmarks:
        if scale.from_s <= at_s <= scale.to_s:
            x = scale.x(at_s)
            flag = QPainterPath(QPointF(x, 0))
            for corner in ((x + 8, 0), (x + 5.5, 3.5), (x + 8, 7), (x, 7)):
                flag.lineTo(*corner)
            painter.fillPath(flag, QColor(theme.accent))
            painter.setPen(QPen(QColor(theme.accent), 1.0))
            painter.drawLine(QPointF(x, 0), QPointF(x, whole.bottom()))


def paint_moving(
    painter: QPainter,
    theme: Theme,
    scale: Scale,
    height_px: float,
    shown_s: float,
    live_s: float | None,
    loop: tuple[float, float] | None,
) -> None:
    """Paint the loop, the present where it is not shown, and the time that is shown."""
    room = strip_rect(scale.width_px + 2, height_px).adjusted(0, 0, 0, scaled(LANE_PX))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if loop is not None:
        low, high = (min(max(scale.x(t_s), room.left()), room.right()) for t_s in loop)
        tint = QColor(theme.accent)
        tint.setAlphaF(0.18)
        painter.fillRect(QRectF(low, room.top(), high - low, room.height()), tint)
        painter.setPen(QPen(QColor(theme.accent), 2.0))
        for x in (low, high):
            painter.drawLine(QPointF(x, room.top()), QPointF(x, room.bottom()))
    if live_s is not None and scale.from_s <= live_s <= scale.to_s:
        painter.setPen(QPen(QColor(theme.ok), 2.0))
        x = min(scale.x(live_s), room.right() - 1)
        painter.drawLine(QPointF(x, room.top()), QPointF(x, room.bottom()))
    if scale.from_s <= shown_s <= scale.to_s:
        tint = QColor(theme.ok if live_s is None else theme.warning)
        x = min(max(scale.x(shown_s), room.left() + 1), room.right() - 1)
        painter.setPen(QPen(tint, 2.0))
        painter.drawLine(QPointF(x, room.top()), QPointF(x, room.bottom()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tint)
        painter.drawPolygon(QPolygonF([QPointF(x - 6, 0), QPointF(x + 6, 0), QPointF(x, room.top() + 3)]))
