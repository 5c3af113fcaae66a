"""The clock of a run: simulated time as the time of day that people of the place would read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from twin.app.toolkit.text import elapsed
from twin.language import tr
from twin.scenario.schema.document import Scenario


@dataclass(frozen=True)
class Clock:
    """Time of day in the zone of the run's start, with the date where the run goes past midnight.

    Parameters
    ----------
    start
        Wall clock at t = 0.
    dated
        Whether the time of day alone would leave open which day is meant.

    Examples
    --------
    >>> Clock(datetime.fromisoformat("2026-06-01T09:55-05:00"), dated=False).says(320.0)
    '10:00:20'
    >>> Clock(datetime.fromisoformat("2026-06-01T09:55-05:00"), dated=True).says(86_720.0)
    '2 Jun 10:00:20'
    """

    start: datetime
    dated: bool

    @classmethod
    def of(cls, scenario: Scenario) -> Clock:
        """Return the clock of a scene's run."""
        start = scenario.start
        last = start + timedelta(seconds=scenario.duration_s - 1.0)  # midnight at the end begins no other day
        return cls(start, last.date() != start.date())

    def at(self, t_s: float) -> datetime:
        """Return the moment of simulated time `t_s` [s]."""
        return self.start + timedelta(seconds=int(t_s))

    def says(self, t_s: float) -> str:
        """Return the time of day at `t_s` [s], and the date where the run has several."""
        moment = self.at(t_s)
        return f"{moment.day} {moment:%b} {moment:%H:%M:%S}" if self.dated else f"{moment:%H:%M:%S}"

    def says_beside(self, t_s: float, beside_s: float) -> str:
        """Return the time of day at `t_s` [s], beside another time: the date only where that is of another day."""
        another_day = self.at(t_s).date() != self.at(beside_s).date()
        return Clock(self.start, self.dated and another_day).says(t_s)

    def since(self, t_s: float) -> str:
        """Return how long after the start that is, for tool tips."""
        return tr("{time} after the start", time=elapsed(t_s))

    @property
    def longest(self) -> str:
        """Return the widest thing it says, to make room for it."""
        return tr("00 MMM 00:00:00") if self.dated else "00:00:00"
