"""Interventions on jobs."""

from __future__ import annotations

from twin.scenario.schema.fault_kinds.kind import FaultEvents, FaultKind
from twin.scenario.schema.fault_kinds.needs import PARTITION

KINDS = (
    FaultKind(
        "cancel", "Is cancelled", ("job",), (FaultEvents("job_cancelled"),), severity="notice", verb="Cancel"
    ),
    FaultKind(
        "requeue",
        "Goes back to the queue",
        ("job",),
        (FaultEvents("job_requeued"),),
        severity="warning",
        verb="Requeue",
    ),
    FaultKind(
        "move",
        "Moves to a partition",
        ("job",),
        (FaultEvents("job_moved"),),
        options=("value",),
        value="text",
        value_title="To partition",
        example="batch",
        value_needed="the partition to move it to",
        needs={"job": PARTITION},
        severity="notice",
        verb="Move",
    ),
)
