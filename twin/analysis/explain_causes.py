"""The events behind each account of the ledger, and their root causes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from twin.analysis.event_spans import Span, related, spans
from twin.record.event_kinds import KINDS, ended_by, kind_of
from twin.record.event_kinds.kind import JobTurn
from twin.record.events import Event

LONG_BEFORE_S = 3600.0
"""A fault that ended longer ago than this is no root cause of an event [s]."""


def has_stretches(account: str) -> bool:
    """Return whether events begin the time of an account."""
    return any(account in kind.opens for kind in KINDS.values())


def stretches(account: str, events: Sequence[Event], t0_s: float, t1_s: float) -> list[Span]:
    """Return the spans of events within a range that belong to an account."""
    begins = [kind.id for kind in KINDS.values() if account in kind.opens]
    ends = [kind.id for kind in KINDS.values() if account in kind.closes]
    events = [event for event in events if event.kind not in begins or _counts_for(account, event)]
    return [span for span in spans(events, begins, ends) if span.touches(t0_s, t1_s)]


def _counts_for(account: str, event: Event) -> bool:
    """Return whether an event takes nodes out of use: a failed switch may disconnect none."""
    if account != "idle_in_repair":
        return True
    if "nodes" in event.data:
        return event.integer("nodes") > 0
    return event.kind != "failure" or "job" in event.data  # a failed cooling unit has no job


def lost_s(event: Event) -> float:
    """Return the seconds of work that an interruption took [s]."""
    return event.number("lost_s")


def why(event: Event) -> str:
    """Return why a job was interrupted, from its event: "faulty gpu on gpu/3/12/1"."""
    return event.word("why") or event.text


def stopped_before(events: Iterable[Event]) -> dict[int, Event]:
    """Return the interruption behind a stop, by the row of that interruption or of the start that ends the stop.

    A job that went back to the queue with its failure starts again later.
    """
    found: dict[int, Event] = {}
    stopped: dict[str, Event] = {}
    for event in events:
        turn = kind_of(event.kind).job
        if event.kind == "job_interrupted":
            stopped[event.subject] = found[event.row] = event
        elif turn is JobTurn.STARTING and event.subject in stopped:
            found[event.row] = stopped[event.subject]
        elif turn not in (None, JobTurn.QUEUED, JobTurn.STOPPED):
            stopped.pop(event.subject, None)
    return found


class Roots:
    """Finds root causes among the events of a run."""

    def __init__(self, events: Iterable[Event]) -> None:
        self._by_kind: dict[str, list[Event]] = defaultdict(list)
        self._by_time: dict[float, list[Event]] = defaultdict(list)
        for event in events:
            self._by_kind[event.kind].append(event)
            self._by_time[event.t_s].append(event)
        self._spans: dict[str, list[Span]] = {}
        self._kinds: dict[str, tuple[str, ...]] = {}
        self._begins: dict[int, Event] = {}  # by the row of what began again

    def of(self, event: Event) -> Event | None:
        """Return the cause of an event that is nearest to it; None: unknown."""
        roots = self._kinds_behind(event.kind)
        if not roots:
            return None
        if kind_of(event.kind).at_once:
            same = [begun for begun in self._by_time[event.t_s] if begun.kind in roots]
            on = event.word("on") or event.subject
            exact = [begun for begun in same if begun.subject == on]
            about = [begun for begun in same if related(begun.subject, on) or begun.subject == event.subject]
            return _latest(exact or about or same or self._warnings(roots, on, event.t_s))
        earlier = [
            span
            for root in roots
            for span in self._of_kind(root)
            if span.begin.t_s <= event.t_s and (span.end is None or span.end.t_s >= event.t_s - LONG_BEFORE_S)
        ]
        near = [span for span in earlier if related(span.subject, event.subject)]
        known = [span.known_at(event) for span in near or earlier]
        # What is done to a supply is told after what followed from it in the same moment.
        return max(
            known, key=lambda root: (root.t_s, not kind_of(root.kind).caused_by, -root.row), default=None
        )

    def _warnings(self, roots: Iterable[str], on: str, t_s: float) -> list[Event]:
        """Return what warned of something that may happen to a thing at a time, as long as it lasted."""
        return [
            span.begin
            for root in roots
            if kind_of(root).warns
            for span in self._of_kind(root)
            if span.begin.t_s <= t_s
            and (span.end is None or span.end.t_s >= t_s)
            and related(span.subject, on)
        ]

    def chain(self, event: Event) -> list[Event]:
        """Return the causes of an event, the nearest first: the last one is the fault behind it, if any is known."""
        found: list[Event] = []
        seen = {event.row}
        while (cause := self.of(found[-1] if found else event)) is not None and cause.row not in seen:
            seen.add(cause.row)
            found.append(cause)
        return found

    def begin_of(self, event: Event) -> Event:
        """Return the event that began what an event tells of again: "partly repaired"."""
        if not ended_by(event.kind):
            return event
        self._of_kind(event.kind)
        return self._begins.get(event.row, event)

    def span_of(self, event: Event) -> Span | None:
        """Return the state that an event began, or began again; None: it is over at once."""
        if not ended_by(event.kind):
            return None
        rows = (event.row, self.begin_of(event).row)
        return next((span for span in self._of_kind(event.kind) if span.begin.row in rows), None)

    def _kinds_behind(self, kind: str) -> tuple[str, ...]:
        """Return the kinds of events of this run that may be behind one of a kind."""
        found = self._kinds.get(kind)
        if found is None:
            groups = set(kind_of(kind).caused_by)
            found = tuple(
                root for root in self._by_kind if root != kind and not groups.isdisjoint(kind_of(root).groups)
            )
            self._kinds[kind] = found
        return found

    def _of_kind(self, kind: str) -> list[Span]:
        found = self._spans.get(kind)
        if found is None:
            if ends := ended_by(kind):
                both = (event for id in (kind, *ends) for event in self._by_kind.get(id, ()))
                found = spans(sorted(both, key=lambda event: event.row), (kind,), ends)
            else:  # an instant event begins and ends at once
                found = [Span(event, event) for event in self._by_kind[kind]]
            self._spans[kind] = found
            self._begins.update((again.row, span.begin) for span in found for again in span.again)
        return found


def _latest(events: Sequence[Event]) -> Event | None:
    """Return the last event with the kind and subject of the first one."""
    alike = [event for event in events if (event.kind, event.subject) == (events[0].kind, events[0].subject)]
    return alike[-1] if alike else None
