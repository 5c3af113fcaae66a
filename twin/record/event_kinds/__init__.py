"""Every kind of event that the engine logs: one entry each, which alarms, explain, lists and pages of jobs read.

To add a kind, add an entry to the table of its subject and log it; what only tells of a fault comes from the table of
faults (`twin.record.event_kinds.faults`). Ids are hashed and stored in run files: they never change; titles may.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from twin.record.event_kinds import cooling, jobs, network, nodes, people, power, symptoms
from twin.record.event_kinds.faults import events_of
from twin.record.event_kinds.kind import EventKind
from twin.record.events import Event
from twin.scenario.schema.fault_kinds import KINDS as FAULTS

KINDS: dict[str, EventKind] = {}
"""Every kind by its id."""
_ENDED_BY: dict[str, tuple[str, ...]] = {}


def register(*kinds: EventKind) -> None:
    """Add kinds of events."""
    for kind in kinds:
        if kind.id in KINDS:
            raise ValueError(f"event kind {kind.id!r} exists already")
        KINDS[kind.id] = kind
        for begun in kind.ends:
            _ENDED_BY[begun] = (*_ENDED_BY.get(begun, ()), kind.id)


@contextmanager
def with_kinds(*kinds: EventKind) -> Iterator[None]:
    """Register more kinds of events inside a with block."""
    known, enders = dict(KINDS), dict(_ENDED_BY)
    register(*kinds)
    try:
        yield
    finally:
        KINDS.clear()
        KINDS.update(known)
        _ENDED_BY.clear()
        _ENDED_BY.update(enders)


def kind_of(id: str) -> EventKind:
    """Return a kind by its id; an unknown id, from a run file of another version, gives a kind with a title only."""
    return KINDS.get(id) or EventKind(id)


def ended_by(id: str) -> tuple[str, ...]:
    """Return the kinds that end a kind of event; (): it is over at once."""
    return _ENDED_BY.get(id, ())


def lasts(event: Event) -> bool:
    """Return whether an event lasts until another ends it."""
    return bool(ended_by(event.kind)) and not is_momentary(event)


def is_momentary(event: Event) -> bool:
    """Return whether nothing has to be repaired: a restart is enough."""
    return event.number("lasts_s", event.number("repair", -1.0)) == 0.0


def is_over(event: Event) -> bool:
    """Return whether the alarm that an event ends is over: with parts, that no node waits any longer."""
    return event.integer("still") == 0


for subject in (jobs, nodes, power, cooling, network, people, symptoms):
    register(*subject.KINDS)
# Events that only a fault uses come from the table of faults.
register(*(event for fault in FAULTS.values() for event in events_of(fault) if event.id not in KINDS))
