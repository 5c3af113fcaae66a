"""Reasons why a job is queued, in words. No widgets."""

from __future__ import annotations

from twin.language import tr
from twin.record.channels import WaitReason

_WHY: dict[WaitReason, str] = {
    WaitReason.NONE: "",
    WaitReason.OTHERS_FIRST: tr("other jobs come first"),
    WaitReason.NODES: tr("too few free nodes"),
    WaitReason.QUOTA: tr("tenant is at its quota"),
    WaitReason.PARTITION: tr("partition is full"),
    WaitReason.RESERVATION: tr("nodes are reserved"),
    WaitReason.GREEN: tr("waiting for low-carbon power"),
    WaitReason.ISOLATION: tr("other tenants on the nodes"),
}


def why_waiting(reason: int, *, partitions: bool) -> str:
    """Return why a job waits; "" where it does not, or nobody knows. Without partitions, none is full."""
    why = WaitReason(reason)
    return _WHY[WaitReason.NODES if why == WaitReason.PARTITION and not partitions else why]
