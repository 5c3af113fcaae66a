"""Kinds of events made from kinds of faults: one for the begin, one for the end."""

from __future__ import annotations

from collections.abc import Iterator

from twin.record.event_kinds.kind import EventKind, Evidence, Group
from twin.record.events import Severity
from twin.scenario.schema.fault_kinds.kind import FaultKind

_CAUSES: dict[str, tuple[Group, ...]] = {"Cooling": ("cooling",), "Power": ("power",)}
"""What faults of a menu group can cause; faults of other groups can make jobs fail."""


def events_of(fault: FaultKind) -> Iterator[EventKind]:
    """Yield the kinds of events of a fault, with defaults for all that the fault does not say."""
    for events in fault.events:
        groups = _CAUSES.get(fault.group_of((events.targets or fault.targets)[0]), ("nodes",))
        severity = Severity[fault.severity.upper()]
        yield EventKind(
            events.begins, severity, groups=groups, evidence=Evidence(gear=True), mark=events.mark
        )
        if events.clears:
            yield EventKind(events.clears, Severity.NOTICE, ends=(events.begins,))
