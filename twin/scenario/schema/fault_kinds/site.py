"""Faults of the whole site, the technician, and settings of the run."""

from __future__ import annotations

from twin.language import tr
from twin.scenario.schema.fault_kinds.kind import HOUR_S, FaultEvents, FaultKind

KINDS = (
    FaultKind(
        "site_loss",
        tr("Site is lost"),
        ("site",),
        (FaultEvents("site_lost", "site_back"),),
        options=("for",),
        repair_s=(72 * HOUR_S, 0.5),
    ),
    FaultKind(
        "repair",
        tr("Send a technician"),
        ("node", "rack", "switch", "link", "power", "loop", "plant"),
        (FaultEvents("technician_sent"),),
        severity="notice",
        verb=tr("Repair"),
    ),
    FaultKind(
        "set",
        tr("Set"),
        ("path",),
        (FaultEvents("set"),),
        options=("value",),
        value="text",
        value_needed="the new value of the target",
        severity="notice",
        verb=tr("Set"),
    ),
)
