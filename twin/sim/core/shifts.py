"""When people are at work: shifts by the wall clock of the site, weekends and summer time included."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta, tzinfo

from twin.scenario.schema.faults import Crew

DAY_S = 86400.0
SATURDAY = 5
ONE_DAY = timedelta(days=1)


class Shifts:
    """Working hours of a crew in simulated time.

    Parameters
    ----------
    crew
        Its hours of the day, and whether it comes on Saturdays and Sundays; a shift through midnight belongs to
        the day on which it begins.
    start
        Wall clock at t = 0.
    zone
        Time zone of the site.
    """

    def __init__(self, crew: Crew, start: datetime, zone: tzinfo) -> None:
        self._crew, self._zone = crew, zone
        self._start = start.astimezone(UTC)
        self._first = start.astimezone(zone)
        self._always = crew.weekend and crew.shift[1] - crew.shift[0] == 24

    def _shifts(self, t_s: float) -> Iterator[tuple[float, float]]:
        """Yield beginning and end of every shift that ends after `t_s`, in order [s]."""
        begin_h, end_h = self._crew.shift
        end_h += 24 if end_h <= begin_h else 0
        day = self._first.date() + timedelta(days=math.floor(t_s / DAY_S) - 1)
        while True:
            if self._crew.weekend or day.weekday() < SATURDAY:
                midnight = datetime.combine(day, time(), self._zone)
                begin_s, end_s = (self._seconds(midnight + timedelta(hours=h)) for h in (begin_h, end_h))
                if end_s > t_s:
                    yield begin_s, end_s
            day += ONE_DAY

    def _seconds(self, wall: datetime) -> float:
        return (wall.astimezone(UTC) - self._start).total_seconds()

    def next_s(self, t_s: float) -> float:
        """Return the earliest time from `t_s` on at which somebody is at work [s]."""
        if self._always:
            return t_s
        return max(t_s, next(self._shifts(t_s))[0])

    def finish_s(self, t_s: float, work_s: float) -> float:
        """Return when work of `work_s`, begun at `t_s` or with the next shift, is done [s]; it rests between shifts."""
        if self._always:
            return t_s + work_s
        for begin_s, end_s in self._shifts(t_s):
            begin_s = max(begin_s, t_s)
            if begin_s + work_s <= end_s:
                return begin_s + work_s
            work_s -= end_s - begin_s
        raise AssertionError("shifts never end")
