"""The kinds of events that a kind of fault brings by itself: that it began, and that it is over."""

from __future__ import annotations

from collections.abc import Iterator

from twin.record.event_kinds.kind import EventKind, Evidence, Group
from twin.record.events import Severity
from twin.scenario.schema.fault_kinds.kind import FaultKind

_CAUSES: dict[str, tuple[Group, ...]] = {"Cooling": ("cooling",), "Power": ("power",)}
"""What a fault of a group of menus may be the cause of; of all others: that jobs fail."""


def events_of(fault: FaultKind) -> Iterator[EventKind]:
    """Yield the kinds of events that tell of a fault, as they are where nothing more is said of them."""
    for events in fault.events:
        groups = _CAUSES.get(fault.group_of((events.targets or fault.targets)[0]), ("nodes",))
        severity = Severity[fault.severity.upper()]
        yield EventKind(events.begins, severity, groups=groups, evidence=Evidence(gear=True))
        if events.clears:
            yield EventKind(events.clears, Severity.NOTICE, ends=(events.begins,))
