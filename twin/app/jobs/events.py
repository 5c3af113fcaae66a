"""The events of each job, sorted out as they come, so that the page of one job need not look at all. No widgets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from twin.language import tr
from twin.plant.cable_names import find_bundle
from twin.plant.find import find
from twin.plant.links import find_link
from twin.plant.tables import Plant
from twin.record.event_kinds import kind_of
from twin.record.event_kinds.kind import JobTurn
from twin.record.events import Event, Severity
from twin.shown_text import spelled


class EventFilter(Enum):
    """Which lines are listed."""

    ALL = tr("Everything")
    TROUBLE = tr("Failures")
    CHECKPOINTS = tr("Checkpoints")

    def holds(self, line: EventLine) -> bool:
        """Return whether a line belongs to it."""
        if self is EventFilter.TROUBLE:
            return kind_of(line.event.kind).setback
        return self is EventFilter.ALL or kind_of(line.event.kind).saves


@dataclass(frozen=True)
class EventLine:
    """One event of a job, told: in few words, why, what it cost, and where it was.

    Parameters
    ----------
    away_s
        Until the job stepped again [s]; nan while it does not, and of events that stop nothing.
    """

    event: Event
    what: str
    why: str
    cost: str
    place: str
    away_s: float = float("nan")

    @property
    def words(self) -> str:
        """Return what happened and why, in one line."""
        return f"{self.what}: {self.why}" if self.why else self.what

    @property
    def severity(self) -> Severity:
        """Return how bad it is."""
        return self.event.severity


class JobEvents:
    """Follows the events of one run."""

    def __init__(self) -> None:
        self._of: dict[str, list[Event]] = defaultdict(list)
        self._jobs: frozenset[str] = frozenset()

    def begin(self, jobs: Iterable[str]) -> None:
        """Another run begins, with these jobs."""
        self._of.clear()
        self._jobs = frozenset(jobs)

    def add(self, events: Iterable[Event]) -> None:
        """Take the next events of the run."""
        for event in events:
            if event.subject in self._jobs:
                self._of[event.subject].append(event)

    def count(self, job: str) -> int:
        """Return how many events a job has had."""
        return len(self._of.get(job, ()))

    def of(self, job: str) -> list[Event]:
        """Return the events of a job, in order."""
        return self._of.get(job, [])

    def first_s(self, job: str, kind: str) -> float | None:
        """Return when something first happened to a job [s]; None: it has not."""
        return next((event.t_s for event in self.of(job) if event.kind == kind), None)

    def last(self, job: str, *kinds: str) -> Event | None:
        """Return the latest event of some kinds that happened to a job; None: there was none."""
        return next((event for event in reversed(self.of(job)) if event.kind in kinds), None)

    def last_s(self, job: str, *kinds: str) -> float | None:
        """Return when something last happened to a job [s]; None: it has not."""
        event = self.last(job, *kinds)
        return None if event is None else event.t_s

    def end_s(self, job: str) -> float | None:
        """Return when a job was over [s]; None: it is not."""
        events = self.of(job)
        return next((event.t_s for event in reversed(events[-4:]) if _is_over(event)), None)

    def lines(self, job: str, plant: Plant) -> list[EventLine]:
        """Return what happened to a job, newest first."""
        made: list[EventLine] = []
        back_s = float("nan")
        events = self.of(job)
        steps = _steps_before(events)
        for number in range(len(events) - 1, -1, -1):
            event = events[number]
            made.append(_line(event, plant, back_s, steps[number]))
            if kind_of(event.kind).job is JobTurn.RUNNING:
                back_s = event.t_s
            elif _is_over(event):
                back_s = float("nan")
        return made


def _steps_before(events: list[Event]) -> list[int]:
    """Return of each event up to which step the job was safe before it."""
    safe, before = 0, []
    for event in events:
        before.append(safe)
        if kind_of(event.kind).saves:
            safe = event.integer("step", safe)
    return before


def _is_over(event: Event) -> bool:
    turn = kind_of(event.kind).job
    return turn is not None and turn.is_over


def _line(event: Event, plant: Plant, back_s: float, safe: int) -> EventLine:
    kind = kind_of(event.kind)
    what = kind.job_title or kind.title
    if kind.saves:
        step = event.integer("step", safe)
        return EventLine(
            event,
            what,
            tr("saved up to step {step:,}", step=step),
            tr("{step:,} steps", step=step - safe),
            "",
        )
    why, place = spelled(kind.detail_of(event)), place_of(plant, event)
    if kind.job is not JobTurn.STOPPED:
        return EventLine(event, what, why, "", place)
    lost_s, away_s = event.number("lost_s"), back_s - event.t_s
    parts = [tr("{brief} lost", brief=_brief(lost_s))] if lost_s >= 1.0 else []
    parts += [tr("{brief} down", brief=_brief(away_s))] if away_s >= 1.0 else []
    return EventLine(event, what, why, ", ".join(parts), place, away_s)


def _brief(t_s: float) -> str:
    """Return a length of time in one unit."""
    for size_s, unit in ((86400.0, "d"), (3600.0, "h")):
        if t_s >= size_s:
            return f"{t_s / size_s:.1f} {unit}"
    return tr("{time:.0f} min", time=t_s / 60.0) if t_s >= 90.0 else f"{t_s:.0f} s"


def place_of(plant: Plant, event: Event) -> str:
    """Return the thing of the hall that an event of a job is about; "" for none, and where it stands no more."""
    place = event.word("on")
    exists = find(plant, place) is not None or find_bundle(plant, place) is not None
    return place if place and (exists or find_link(plant, place) is not None) else ""
