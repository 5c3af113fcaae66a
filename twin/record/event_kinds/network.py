"""Events of switches and links."""

from __future__ import annotations

from twin.record.event_kinds.kind import GEAR, NOTICE, WARNING, EventKind

KINDS = (
    EventKind(
        "fabric_fault",
        WARNING,
        hashed=("nodes",),
        groups=("nodes",),
        each_ends=True,
        opens=("fabric_contention", "idle_in_repair"),
        verb="down",
        counts_nodes=True,
        evidence=GEAR,
    ),
    EventKind(
        "fabric_back",
        NOTICE,
        title="fabric restored",
        hashed=("nodes",),
        ends=("fabric_fault", "failure"),
        closes=("fabric_contention", "idle_in_repair"),
    ),
)
