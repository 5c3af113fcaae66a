"""Check whether a branch equals its parent run up to the cut."""

from __future__ import annotations

from collections.abc import Iterable

from twin.language import tr
from twin.record.branching import events_before
from twin.record.events import Event
from twin.record.hash import EventHash
from twin.record.reader import Reader
from twin.scenario.schema.edit import BranchPoint
from twin.scenario.schema.own_files import OwnFile, own_digest
from twin.units import spoken

_SHOWN = 12
"""Digits of a hash that people are shown."""


def shared_past_s(a: Reader, b: Reader) -> float | None:
    """Return the time at which one of two runs branches from the other [s]; None: neither does.

    Raises
    ------
    RunFileError
        When one of them is damaged.
    """
    if (a.header.seed, a.header.redraws) != (b.header.seed, b.header.redraws):
        return None
    for parent, branch in ((a, b), (b, a)):
        point = branch.header.scenario.branch
        if point is not None and events_before(parent, point.at_s) == (point.events, point.event_hash):
            return point.at_s
    return None


def other_past(point: BranchPoint, events: Iterable[Event], own_files: tuple[OwnFile, ...] = ()) -> str:
    """Return a sentence when a branch differs from its parent before the cut; "": they are equal.

    Parameters
    ----------
    point
        The cut, with the events of the parent until then.
    events
        Of the branch, in order, from its start to beyond the cut.
    own_files
        Own parts and models of the branch.
    """
    if own_digest(own_files) != point.own_parts:
        return tr(
            "The own parts or models beside this branch are others than those of its run, {run}: what it was before "
            "the branch time {at} is not what it would be now.",
            run=point.run,
            at=spoken(point.at_s),
        )
    made = EventHash()
    for event in events:
        if event.t_s >= point.at_s:
            break
        made.update(event)
    if (made.count, made.hexdigest()) == (point.events, point.event_hash):
        return ""
    return tr(
        "This branch differs from its run, {run}, before the branch time {at}: {count:,} "
        "events with hash {hexdigest}, not {events:,} with {event_hash}. Its seed, the scene "
        "it extends, the program or the data have changed.",
        run=point.run,
        at=spoken(point.at_s),
        count=made.count,
        hexdigest=made.hexdigest()[:_SHOWN],
        events=point.events,
        event_hash=point.event_hash[:_SHOWN],
    )
