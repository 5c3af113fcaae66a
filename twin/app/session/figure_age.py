"""How old the figures on screen are: of a time that is looked back at, those of the last sample before it are shown."""

from __future__ import annotations

from twin.app.session.session import Session
from twin.language import tr
from twin.units import spoken

LEAST_S = 60.0
"""Figures of less age are those of the time shown [s]."""


def age_words(session: Session) -> str:
    """Return of when the figures on screen are, and how long before the time shown; "": they are of that time."""
    frame, before = session.shown, short_age(session)
    return f"{session.clock.says(frame.t_s)}, {before}" if frame is not None and before else ""


def short_age(session: Session) -> str:
    """Return how long before the time shown the figures on screen are, to the minute; "": they are of that time."""
    frame = session.shown
    if frame is None or session.looking_s is None:
        return ""
    age_s = session.shown_s - frame.t_s
    return "" if age_s < LEAST_S else tr("{age_time} before", age_time=spoken(60.0 * round(age_s / 60.0)))
