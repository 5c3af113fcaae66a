"""What plates over the hall do to stay out of the way: shorter words, fewer swatches, tips beside them. No widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QPoint, QRect, QSize

from twin.app.hall.trace_layer import Told
from twin.language import tr
from twin.view3d.colour.legend import Legend

ROOMY_PX = 1_000_000
"""A view of so many pixels has room for all words and swatches [px^2]."""
_WORDS_PX, _WORDS_SHARE = QRect(14, 14, 480, 64), 0.55
"""Room of alarms and status in a small view [px at the usual size of text], and the most of its width."""
_LOW_PX, _ROW_PX = 300, 28
"""A picture lower than this has room for one row of plates above the hall and one below it, and the height of a row
[px at the usual size of text]."""
_AWAY = QPoint(18, 18)
_BACK = QPoint(12, 12)


def is_low(picture: QRect, scale: float) -> bool:
    """Return whether a picture has room for one row of plates above and below, in text `scale` times as large."""
    return picture.height() < _LOW_PX * scale


def shorter(told: Told, lines: int, titled: bool = True) -> Told:
    """Return the first lines of what is told, and how many more there are; not `titled`: without a title."""
    told = told if titled else replace(told, title="")
    left_out = len(told.lines) - lines
    if left_out <= 0:
        return told
    hint = tr("{left_out} more", left_out=left_out)
    return replace(told, lines=told.lines[:lines], hint=hint)


def fewer(legend: Legend) -> Legend:
    """Return a legend without what nothing has now and what explains its unit; without a ramp it keeps all swatches."""
    counted = tuple(c for c in legend.categories if c.count)
    legend = replace(legend, unit=legend.unit.partition(",")[0])
    return replace(legend, categories=counted) if counted or legend.stops else legend


def room_of_words(picture: QRect, scale: float) -> QRect:
    """Return what alarms and the status take of a small picture while there are any, in text `scale` times as large."""
    if is_low(picture, scale):
        return QRect(picture.left() + 14, picture.top() + 14, picture.width() - 28, round(_ROW_PX * scale))
    wide = min(_WORDS_PX.width() * scale, _WORDS_SHARE * picture.width())
    size = QSize(round(wide), round(_WORDS_PX.height() * scale))
    return QRect(picture.topLeft() + _WORDS_PX.topLeft(), size)


def tip_place(size: QSize, pointer: QPoint, room: QRect, plates: Sequence[QRect]) -> QPoint:
    """Return where a tip of this size stands beside the pointer: inside the room and on no plate, if it can."""
    right, below = pointer.x() + _AWAY.x(), pointer.y() + _AWAY.y()
    left, above = pointer.x() - _BACK.x() - size.width(), pointer.y() - _BACK.y() - size.height()
    places = [QPoint(right, below), QPoint(left, below), QPoint(right, above), QPoint(left, above)]
    inside = [place for place in places if room.contains(QRect(place, size))]
    free = [place for place in inside if not any(QRect(place, size).intersects(plate) for plate in plates)]
    best = (free or inside or places)[0]
    return QPoint(max(best.x(), room.left()), max(best.y(), room.top()))
