"""Interventions on jobs."""

from __future__ import annotations

from twin.language import tr
from twin.scenario.schema.fault_kinds.kind import FaultEvents, FaultKind
from twin.scenario.schema.fault_kinds.needs import PARTITION

KINDS = (
    FaultKind(
        "cancel",
        tr("Is cancelled"),
        ("job",),
        (FaultEvents("job_cancelled"),),
        severity="notice",
        verb=tr("Cancel"),
    ),
    FaultKind(
        "requeue",
        tr("Goes back to the queue"),
        ("job",),
        (FaultEvents("job_requeued"),),
        severity="warning",
        verb=tr("Requeue"),
    ),
    FaultKind(
        "move",
        tr("Moves to a partition"),
        ("job",),
        (FaultEvents("job_moved"),),
        options=("value",),
        value="text",
        value_title=tr("To partition"),
        example="batch",
        value_needed="the partition to move it to",
        needs={"job": PARTITION},
        severity="notice",
        verb=tr("Move"),
    ),
)
