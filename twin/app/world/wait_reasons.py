"""Reasons why a job is queued, in words. No widgets."""

from __future__ import annotations

from twin.record.channels import WaitReason

_WHY: dict[WaitReason, str] = {
    WaitReason.NONE: "",
    WaitReason.OTHERS_FIRST: "other jobs come first",
    WaitReason.NODES: "too few free nodes",
    WaitReason.QUOTA: "tenant is at its quota",
    WaitReason.PARTITION: "partition is full",
    WaitReason.RESERVATION: "nodes are reserved",
    WaitReason.GREEN: "waiting for low-carbon power",
    WaitReason.ISOLATION: "other tenants on the nodes",
}


def why_waiting(reason: int, *, partitions: bool) -> str:
    """Return why a job waits; "" where it does not, or nobody knows. Without partitions, none is full."""
    why = WaitReason(reason)
    return _WHY[WaitReason.NODES if why == WaitReason.PARTITION and not partitions else why]
