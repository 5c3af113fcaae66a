"""A time of a run as people write it: after the start, from the time on screen, or as the calendar has it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from twin.scenario.reading.time_of_day import after_start_s
from twin.units import UnitError, parse

EXAMPLES = "3d 4h, t+5400, +10 min, 10:32, 8 Jan 10:32, 2026-01-08 10:32, end"
_SECONDS = re.compile(r"(?:t\s*\+?\s*)?(\d+(?:\.\d+)?)\s*s?")
_DAY = re.compile(r"(\d{1,2})\.?\s+([a-zA-Z]{3,9})(?:\s+(20\d\d))?(?:\s+(\d{1,2}:\d\d(?::\d\d)?))?")
_DATE = re.compile(r"20\d\d-\d\d-\d\d")
DAY_S = 86_400.0


class NoTime(ValueError):
    """A text is no time of the run; the message says why."""


@dataclass(frozen=True)
class Times:
    """Context in which a text is read.

    Parameters
    ----------
    start
        Wall clock at t = 0.
    now_s
        The time on screen [s].
    reach_s
        How far the record goes [s].
    """

    start: datetime
    now_s: float
    reach_s: float

    def read(self, text: str) -> float:
        """Return the time that a text means [s].

        Raises
        ------
        NoTime
            When it is none, or lies outside the record.

        Examples
        --------
        >>> at = Times(datetime.fromisoformat("2026-01-05T00:00+01:00"), 86_400.0, 864_000.0)
        >>> [at.read(text) for text in ("3d 4h", "t+5400", "+10 min", "-1h", "10:32", "2026-01-08 10:32", "8 Jan")]
        [273600.0, 5400.0, 87000.0, 82800.0, 124320.0, 297120.0, 259200.0]
        """
        t_s = self.meant(text)
        if not -0.5 <= t_s <= self.reach_s + 0.5:
            where = (
                "before the start"
                if t_s < 0
                else f"beyond the record, which ends at {self._says(self.reach_s)}"
            )
            raise NoTime(f"{text.strip()!r} is {where}")
        return min(max(t_s, 0.0), self.reach_s)

    def meant(self, text: str) -> float:
        """Return the time that a text means [s], be it within the record or not; raises `NoTime`."""
        text = " ".join(text.split())
        if text.lower() in ("start", "begin", "end", "live", "now"):
            return 0.0 if text.lower() in ("start", "begin") else self.reach_s
        for way in (self._plain, self._calendar):
            found = way(text)
            if found is not None:
                return found
        sign = {"+": 1.0, "-": -1.0, "\N{MINUS SIGN}": -1.0}.get(text[:1])
        if sign is not None:
            return self.now_s + sign * length_s(text[1:])
        return length_s(text.removeprefix("t").strip().removeprefix("+"))

    def _plain(self, text: str) -> float | None:
        found = _SECONDS.fullmatch(text.lower())
        return float(found.group(1)) if found else None

    def _calendar(self, text: str) -> float | None:
        shown = self.start + timedelta(seconds=self.now_s)
        if re.fullmatch(
            r"\d{1,2}:\d\d(:\d\d)?", text
        ):  # of the day on screen; of the next one if none was yet
            clock = text.zfill(5) if text.count(":") == 1 else text.zfill(8)
            t_s = after_start_s(f"{shown:%Y-%m-%d} {clock}", self.start)
            return t_s + DAY_S if t_s is not None and t_s < 0 else t_s
        if _DATE.fullmatch(text):
            text += " 00:00"
        day = _DAY.fullmatch(text)
        if day is not None:
            date, month, year, clock = day.groups()
            try:
                month_number = datetime.strptime(month[:3].title(), "%b").month
            except ValueError:
                return None
            clock = (clock or "00:00").zfill(5)
            text = f"{int(year or self._year(month_number, shown)):04d}-{month_number:02d}-{int(date):02d} {clock}"
        return after_start_s(text, self.start) if _DATE.match(text) else None

    def _year(self, month: int, shown: datetime) -> int:
        return self.start.year + (month < self.start.month) if self.start.year == shown.year else shown.year

    def _says(self, t_s: float) -> str:
        moment = self.start + timedelta(seconds=t_s)
        return f"{moment.day} {moment:%b %H:%M}"


def length_s(text: str) -> float:
    """Return a length such as "3d 4h 10 min" [s]; raises `NoTime`."""
    text = text.strip()
    try:
        return parse(text, "duration")
    except UnitError as error:
        if not any(letter.isdigit() for letter in text):
            raise NoTime(f"{text!r} is not a time; write for example {EXAMPLES}") from None
        raise NoTime(str(error)) from None
