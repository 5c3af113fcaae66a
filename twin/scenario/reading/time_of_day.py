"""Times of day where a scene takes a time after its start: "10:00", or "2026-01-06T10:00"."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

from twin.scenario.schema.document import Scenario

_CLOCK = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?")
_TIMED = ("interventions", "reservations", "edits", "chapters")
_TIMES = ("at", "until", "slow_at")
"""Keys of these that may be a time of day, or a list of them."""
_DATE = re.compile(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[+-][0-9]{2}:[0-9]{2})?")


def after_start_s(text: str, start: datetime) -> float | None:
    """Return how long after `start` a wall clock shows `text` [s]; None when it is no such time.

    A time of day is the first one at or after the start; a date and time without offset has that of the start.

    Examples
    --------
    >>> after_start_s("10:00", datetime.fromisoformat("2026-01-05T08:00+01:00"))
    7200.0
    >>> after_start_s("2026-01-06T08:00", datetime.fromisoformat("2026-01-05T08:00+01:00"))
    86400.0
    """
    clock = _CLOCK.fullmatch(text.strip())
    if clock is not None:
        hour, minute, second = (int(part or 0) for part in clock.groups())
        then = start.replace(hour=hour, minute=minute, second=second, microsecond=0)
        return (then - start) % timedelta(days=1) / timedelta(seconds=1)
    if not _DATE.fullmatch(text.strip()):
        return None
    try:
        then = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=start.tzinfo)
    return (then - start).total_seconds()


def resolved(document: Any) -> Any:
    """Return the plain content of a file with clock times as times after the start, in what has a time."""
    if not isinstance(document, dict):
        return document
    start = _start(document.get("start"))
    timed = {key: document[key] for key in _TIMED if isinstance(document.get(key), list)}
    return document | {key: [_resolved(entry, start) for entry in found] for key, found in timed.items()}


def _resolved(entry: Any, start: datetime) -> Any:
    if not isinstance(entry, dict):
        return entry
    return entry | {key: _after_start(entry[key], start) for key in _TIMES if key in entry}


def _after_start(value: Any, start: datetime) -> Any:
    if isinstance(value, list):
        return [_after_start(each, start) for each in value]
    at_s = after_start_s(value, start) if isinstance(value, str) else None
    return value if at_s is None else f"{at_s!r} s"


def _start(text: Any) -> datetime:
    """Return the start of a run that a file says; one that is wrong is complained of elsewhere."""
    usual: datetime = Scenario.model_fields["start"].default
    try:
        found = datetime.fromisoformat(text) if isinstance(text, str) else usual
    except ValueError:
        return usual
    return found if found.tzinfo is not None else usual
