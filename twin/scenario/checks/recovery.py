"""Checks of recovery and checkpoints: settings of a job that can never act."""

from __future__ import annotations

from collections.abc import Iterator

from twin.catalog import Catalog
from twin.scenario.checks.tenancy import work_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.work import Hpc, Job, Reinforcement
from twin.scenario.text.parse import Path

Wrong = tuple[Path, str, str]
"""Path of the key to blame, reason, hint."""


def idle_recovery(scenario: Scenario, catalog: Catalog) -> Iterator[Wrong]:
    """Yield settings of recovery and checkpoints that can never act."""
    del catalog  # all doubts are asked alike
    for at, work in work_of(scenario):
        recovery, checkpoint = work.recovery, work.checkpoint
        if isinstance(work, Job) and recovery.policy in ("shrink", "drop-replica"):
            whole = _needs_all(work)
            if whole:
                reason = f"cannot: {whole} needs all of its nodes"
                yield (*at, "recovery", "policy"), reason, "spare or requeue"
        if recovery.patience_s > 0 and recovery.policy != "shrink":
            yield (*at, "recovery", "patience"), "only a job that may shrink uses it", "policy: shrink"
        for i, tier in enumerate(checkpoint.tiers):
            to = (*at, "checkpoint", "tiers", i, "to")
            if tier.to == "peer" and isinstance(work, Job) and work.nodes == 1:
                yield to, "has no other node for a copy of its state", "nvme, or a store"
        if checkpoint.interval == "none" and (checkpoint.tiers or checkpoint.verify_s):
            reason = "means no checkpoints, so tiers and verify have no effect"
            yield (*at, "checkpoint", "interval"), reason, "daly, or a time"


def _needs_all(job: Job) -> str:
    """Return why a job cannot continue with fewer nodes; empty: it can."""
    if isinstance(job.workload, Hpc):
        return "a simulation"
    if isinstance(job.workload, Reinforcement):
        return "reinforcement learning"
    if job.gpus is not None or job.mig is not None:
        return "a job on part of a node"
    return "a job on one node" if job.nodes == 1 else ""
