"""The time axis of plots. Loaded late: pyqtgraph takes 0.4 s."""

from __future__ import annotations

from datetime import timedelta

import pyqtgraph as pg

from twin.app.toolkit.clock import Clock

_TICK_PX, _EDGE_PX = 52.0, 18.0
_DAY_S = 86400
_TICKS_S: tuple[int, ...] = (
    *(1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 10800, 21600, 43200),
    *(days * _DAY_S for days in (1, 2, 5, 10, 20, 50, 100, 365)),
)


class TimeAxis(pg.AxisItem):  # type: ignore[misc]
    """Simulated time as the time of day, or as the date where the range spans days."""

    def __init__(self, clock: Clock) -> None:
        super().__init__("bottom")
        self.clock = clock

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        """Return the distance of ticks that people count time in, few enough for the width."""
        span_s = high - low
        target_s = span_s * _TICK_PX / max(size, _TICK_PX)
        edge_s = span_s * min(
            _EDGE_PX / max(size, 1.0), 0.25
        )  # the text of a tick nearer to an end is left out
        start = self.clock.start
        midnight_s = -float((start.hour * 60 + start.minute) * 60 + start.second)
        wide = next((i for i, step in enumerate(_TICKS_S) if step >= target_s), len(_TICKS_S) - 1)
        for step in reversed(_TICKS_S[: wide + 1]):
            first_s = low + edge_s + (midnight_s - low - edge_s) % step
            if first_s <= high - edge_s:
                # A finer step only finds a place: texts so near to each other would overlap.
                return [(float(_TICKS_S[wide]), first_s % _TICKS_S[wide])]
        return [(float(_TICKS_S[0]), 0.0)]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return the texts of ticks."""
        return [_tick(self.clock, value, spacing) for value in values]


def _tick(clock: Clock, t_s: float, spacing_s: float) -> str:
    moment = clock.start + timedelta(seconds=round(t_s))
    is_midnight = (moment.hour, moment.minute, moment.second) == (0, 0, 0)
    if is_midnight and (spacing_s >= _DAY_S or clock.dated):
        return f"{moment.day} {moment:%b}"
    return f"{moment:%H:%M:%S}" if spacing_s < 60 or moment.second else f"{moment:%H:%M}"
