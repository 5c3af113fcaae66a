"""The boxes of the queue's chart as a picture of codes: only what is seen, all at once. No widgets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.app.queue import gantt_colours as codes
from twin.app.queue.gantt_model import ChartArea, ChartMoment
from twin.app.queue.growing_columns import End
from twin.app.queue.plan import expected_s
from twin.arrays import Bytes, Ints64
from twin.view3d.base.palette import JOBS

_MARKS = {End.KILLED: codes.KILLED, End.REQUEUED: codes.REQUEUED, End.PREEMPTED: codes.PREEMPTED}
_MARK_PX, _TICK_PX = 2, 3
_MARKED_FROM_PX = 8
"""Of a narrower box the mark of its end would hide the box."""
_LARGE_PX = 48
"""Boxes of at least this area are filled one by one; there cannot be many of them."""
_GAP_FROM_PX = 4
"""Boxes this wide or high leave a line free to the next one."""


class JobBoxes:
    """Knows how long jobs are expected to take, and paints boxes."""

    def __init__(self) -> None:
        self._of: object = None
        self._expected_s: NDArray[np.float64] = np.zeros(0)

    def picture(
        self, shown: ChartMoment, place: ChartArea, job: int | None, by_tenant: bool, ratio: float
    ) -> Bytes:
        """Return the codes of the field of boxes, shape (height, width) in pixels of the screen.

        Parameters
        ----------
        job
            The one that stands out; None: none.
        ratio
            Pixels of the screen for one of the widget.
        """
        history = shown.history
        if self._of is not history:
            self._of = history
            self._expected_s = np.array([expected_s(history, k) for k in range(len(history.jobs))])
        wide, high = round(place.boxes.width() * ratio), round(place.boxes.height() * ratio)
        picture = np.zeros((max(high, 1), max(wide, 1)), np.uint8)
        self._paint_lanes(picture, shown, place, ratio)
        spans, times, gpus = history.spans, place.times, place.gpus
        seen = (
            (spans.low < gpus.high)
            & (spans.high > gpus.low)
            & (spans.begin_s <= min(times.high, shown.now_s))
        )
        opened = ~np.isfinite(spans.end_s)
        seen &= opened | (spans.end_s >= times.low)
        boxes = np.flatnonzero(seen)
        of, still = spans.job[boxes], opened[boxes]
        kind = (history.owner[of] if by_tenant else of) % JOBS
        chosen = np.zeros(len(of), bool) if job is None else of == job
        x_of, y_of = _scale(times.low, wide, times.high), _scale(gpus.low, high, gpus.high)
        top, bottom = y_of(spans.low[boxes]), y_of(spans.high[boxes])
        begin, now = x_of(spans.begin_s[boxes]), x_of(np.array([shown.now_s]))[0]
        end = np.where(still, now, x_of(np.where(still, 0.0, spans.end_s[boxes])))
        if still.any():
            begin_s = np.array([history.started_s.get(k, shown.now_s) for k in of[still].tolist()])
            until = x_of(np.nan_to_num(begin_s + self._expected_s[of[still]], nan=0.0))
            code = np.where(chosen[still], codes.CHOSEN_AHEAD, codes.AHEAD) + kind[still]
            late = until > now
            now_each = np.full(int(late.sum()), now)
            paint_boxes(
                picture, now_each, until[late], top[still][late], bottom[still][late], _u1(code[late])
            )
        code = np.where(chosen, codes.CHOSEN, codes.KIND) + kind
        paint_boxes(picture, begin, end, top, bottom, _u1(code))
        roomy = end - begin >= _MARKED_FROM_PX
        self._paint_ends(picture, np.where(roomy, spans.how[boxes], End.OPEN), end, top, bottom)
        self._paint_failures(picture, shown, x_of, y_of, gpus.low, gpus.high)
        return picture

    @staticmethod
    def _paint_lanes(picture: Bytes, shown: ChartMoment, place: ChartArea, ratio: float) -> None:
        gpus = place.gpus
        for number, lane in enumerate(shown.lanes.shown(gpus.low, gpus.high, place.boxes.height())):
            if number % 2:
                top = round((lane.low - gpus.low) * gpus.scale * ratio)
                bottom = round((lane.high - gpus.low) * gpus.scale * ratio)
                picture[max(top, 0) : max(bottom, 0)] = codes.ODD

    @staticmethod
    def _paint_ends(picture: Bytes, how: NDArray[np.int64], end: Ints64, top: Ints64, bottom: Ints64) -> None:
        for kind, code in _MARKS.items():
            ended_so = how == kind
            if ended_so.any():
                right = end[ended_so]
                paint_boxes(
                    picture,
                    right - _MARK_PX,
                    right,
                    top[ended_so],
                    bottom[ended_so],
                    np.full(len(right), code, np.uint8),
                )

    @staticmethod
    def _paint_failures(
        picture: Bytes, shown: ChartMoment, x_of: _Scale, y_of: _Scale, low: float, high: float
    ) -> None:
        failures = shown.history.failures
        gpu = failures.column(1)
        seen = (gpu >= low) & (gpu < high)
        left, top = x_of(failures.column(0)[seen]), y_of(gpu[seen])
        ticks = np.full(len(left), codes.FAILURE, np.uint8)
        paint_boxes(picture, left - 1, left + _TICK_PX - 1, top - 1, top + _TICK_PX - 1, ticks)


class _Scale:
    """From values to pixels, rounded so that edges that touch still touch; far outside stays near outside."""

    def __init__(self, low: float, per_px: float, size: int) -> None:
        self._low, self._per_px, self._size = low, per_px, size

    def __call__(self, values: NDArray[np.float64]) -> Ints64:
        places = (values - self._low) / self._per_px
        return np.rint(np.clip(places, -4.0, self._size + 4.0)).astype(np.int64)


def _scale(low: float, size: int, high: float) -> _Scale:
    return _Scale(low, (high - low) / max(size, 1), size)


def _u1(code: NDArray[np.signedinteger[Any]]) -> NDArray[np.uint8]:
    return code.astype(np.uint8)


def paint_boxes(
    picture: Bytes, left: Ints64, right: Ints64, top: Ints64, bottom: Ints64, code: NDArray[np.uint8]
) -> None:
    """Fill boxes into a picture of codes, those later in the list over those before, the small ones first.

    Parameters
    ----------
    picture
        Shape (height, width) [px]; written into.
    left, right, top, bottom
        Edges [px], right and bottom outside; clipped here. A box with no extent is drawn one pixel thin, so that
        short jobs are seen.
    code
        What each box is filled with.
    """
    high, wide = picture.shape
    right, bottom = np.maximum(right, left + 1), np.maximum(bottom, top + 1)
    right = right - (right - left >= _GAP_FROM_PX)
    bottom = bottom - (bottom - top >= _GAP_FROM_PX)
    left, right = np.clip(left, 0, wide), np.clip(right, 0, wide)
    top, bottom = np.clip(top, 0, high), np.clip(bottom, 0, high)
    area = (right - left) * (bottom - top)
    small = np.flatnonzero((area > 0) & (area < _LARGE_PX))
    if len(small):
        _paint_small(picture, left[small], right[small] - left[small], top[small], area[small], code[small])
    for box in np.flatnonzero(area >= _LARGE_PX).tolist():
        picture[top[box] : bottom[box], left[box] : right[box]] = code[box]


def _paint_small(
    picture: Bytes, left: Ints64, width: Ints64, top: Ints64, area: Ints64, code: NDArray[np.uint8]
) -> None:
    """Fill boxes pixel by pixel, all pixels of all boxes at once."""
    box = np.repeat(np.arange(len(area)), area)
    place = np.arange(len(box)) - np.repeat(np.cumsum(area) - area, area)
    row, column = np.divmod(place, width[box])
    picture[top[box] + row, left[box] + column] = code[box]
