"""What the cluster is asked to do: tenants, jobs, checkpoints, recovery."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from twin.scenario.schema.base import DocumentPart, Id
from twin.scenario.schema.mig import MigProfile
from twin.scenario.schema.quantity import Bandwidth, Duration, Fraction, Moment
from twin.scenario.schema.workload import (
    Hpc,
    Inference,
    Input,
    LlmTraining,
    Load,
    MonteCarlo,
    Parallelism,
    Reinforcement,
    StackOptions,
    Stencil,
    VisionTraining,
    Workload,
)

__all__ = [
    "CheckpointTier",
    "Checkpointing",
    "Hpc",
    "Inference",
    "Input",
    "Isolation",
    "Job",
    "LlmTraining",
    "Load",
    "MonteCarlo",
    "Parallelism",
    "Recovery",
    "Reinforcement",
    "StackOptions",
    "Stencil",
    "Tenant",
    "VisionTraining",
    "Workload",
]

Isolation = Literal["none", "node", "leaf", "rack"]
"""What a tenant shares with no other: nothing, its nodes, its leaf switches, its racks."""


class Tenant(DocumentPart):
    """Who owns jobs, what is theirs, and what keeps others out."""

    id: Id = Field(description="permanent id of the tenant")
    title: str = Field(default="", description="display name")
    quota: int | None = Field(default=None, ge=0, le=10_000_000, description="GPUs at a time; none: no limit")
    borrow: bool = Field(default=True, description="whether it may use idle GPUs above its quota")
    share: float = Field(default=1.0, gt=0, le=1e6, description="weight in the fair share")
    isolation: Isolation = Field(default="none", description="what is isolated from other tenants")
    network: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z0-9_.:-]{1,40}$",
        description="VLAN or partition key of its own, such as pkey-0x8001",
    )
    encrypted: bool = Field(default=False, description="its data must be encrypted wherever it is stored")
    users: tuple[Id, ...] = Field(default=(), description="users who may act for it")
    management: bool = Field(default=False, description="whether its jobs can reach the management network")


class CheckpointTier(DocumentPart):
    """One more place where state is saved, nearer or farther than the store."""

    to: Literal["peer", "nvme", "store", "object"] = Field(
        description="memory of another node, local drives, another store, or an object store on another site"
    )
    storage: Id | None = Field(default=None, description="store or object: which one")
    every: int = Field(default=1, ge=1, le=100_000, description="every n-th checkpoint goes there")
    pause_s: Duration = Field(
        default=0.0, alias="pause", ge=0, le=86400, description="blocking part, beside that of other places"
    )
    drain_s: Duration = Field(
        default=0.0, alias="drain", ge=0, le=86400 * 7, description="after the pause, until it is safe there"
    )
    load_bytes_s: Bandwidth | None = Field(
        default=None,
        alias="load",
        gt=0,
        description="read back by the whole job; none: drives or NICs of its nodes, or the store's read",
    )
    survives: Literal["process", "node", "rack", "site"] | None = Field(
        default=None,
        description="the largest loss it survives; none: nvme process, peer node, store rack, object site",
    )


class Checkpointing(DocumentPart):
    """When and where state is saved."""

    interval: Literal["daly", "young", "adaptive", "none"] | Annotated[Duration, Field(gt=0)] = Field(
        default="daly",
        description="work between checkpoints: a duration, or a rule that balances pause and loss; adaptive: Daly's by "
        "the failures seen so far",
    )
    tiers: tuple[CheckpointTier, ...] = Field(default=(), description="more places, beside `storage`")
    every: int = Field(
        default=1,
        ge=1,
        le=100_000,
        description="every n-th goes to `storage`, the others to `tiers` only",
    )
    verify_s: Duration = Field(
        default=0.0,
        alias="verify",
        ge=0,
        le=86400,
        description="reading it back and checking, after it is written",
    )
    pause_s: Duration = Field(
        default=10.0, alias="pause", ge=0, le=86400, description="blocking part of a write"
    )
    drain_s: Duration = Field(
        default=0.0,
        alias="drain",
        ge=0,
        le=86400,
        description="after the pause, until the checkpoint is durable",
    )
    storage: Id | None = Field(default=None, description="storage system it goes to; none: not modelled")


class Recovery(DocumentPart):
    """What a restart after a failure is made of."""

    detect_s: Duration = Field(
        default=15.0, alias="detect", ge=0, le=86400, description="detection time of a reported failure"
    )
    watchdog_s: Duration = Field(
        default=600.0, alias="watchdog", ge=0, le=86400, description="detection time of a hang"
    )
    policy: Literal["spare", "requeue", "shrink", "drop-replica"] = Field(
        default="spare",
        description="when nodes are lost: take spares or wait; requeue; continue on fewer nodes and grow "
        "again; or continue without the replicas hit",
    )
    patience_s: Duration = Field(
        default=0.0,
        alias="patience",
        ge=0,
        description="shrink: wait so long for a spare first",
    )
    minimum: int | None = Field(
        default=None,
        ge=1,
        le=200_000,
        description="shrink, drop-replica: nodes it needs at least; none: one replica",
    )
    partial: Literal["none", "replica", "pipeline"] = Field(
        default="none", description="what restarts: everything, or only what the failure hit, the others wait"
    )
    attempts: int | None = Field(
        default=None, ge=0, le=100_000, description="restarts before it is given up; none: no limit"
    )
    swap_s: Duration = Field(
        default=45.0, alias="swap", ge=0, le=86400, description="time to drain and take a spare"
    )
    container_s: Duration = Field(
        default=60.0, alias="container", ge=0, le=86400, description="image and processes"
    )
    init_s: Duration = Field(default=30.0, alias="init", ge=0, le=86400, description="communicators")
    load_bytes_s: Bandwidth | None = Field(
        default=None, alias="load", gt=0, description="checkpoint read; none: the store's read bandwidth"
    )
    warmup_s: Duration = Field(
        default=60.0, alias="warmup", ge=0, le=86400, description="first steps, compilation"
    )
    constant_s: Duration | None = Field(
        default=None,
        alias="constant",
        ge=0,
        le=86400,
        description="instead of all of these: one restart time",
    )


class Job(DocumentPart):
    """One gang-scheduled job."""

    id: Id = Field(description="permanent id of the job")
    title: str = Field(default="", description="display name")
    tenant: Id | None = Field(default=None, description="owner")
    user: Id | None = Field(default=None, description="who submits it for its tenant")
    partition: Id | None = Field(
        default=None, description="part of the cluster it is submitted to; none: any"
    )
    submit_s: Moment = Field(default=0.0, alias="submit", ge=0, description="submit time, after the start")
    nodes: int = Field(default=1, ge=1, le=200_000, description="nodes it spans")
    gpus: int | None = Field(
        default=None,
        ge=1,
        le=2_000_000,
        description="GPUs in all when its last node is shared with others; none: whole nodes",
    )
    mig: MigProfile | None = Field(
        default=None, description="part of one GPU only, such as 3g.40gb; it shares the rest with others"
    )
    rows: tuple[Id, ...] = Field(default=(), description="row generators it may use; none: any")
    steps: int | None = Field(default=None, ge=1, le=1_000_000_000, description="ends after; none: never")
    run_s: Duration | None = Field(
        default=None, alias="run", gt=0, description="instead: work for so long at its reference pace"
    )
    limit_s: Duration | None = Field(
        default=None, alias="limit", gt=0, description="time limit; the job times out when it has run so long"
    )
    estimate_s: Duration | None = Field(
        default=None,
        alias="estimate",
        gt=0,
        description="run time that the scheduler assumes; none: its limit, else its work",
    )
    deadline_s: Duration | None = Field(
        default=None, alias="deadline", gt=0, description="deadline, after the start of the scene"
    )
    priority: int = Field(
        default=0,
        ge=-1000,
        le=1000,
        description="higher goes first where the scheduler orders by it, and keeps its power longer under a cap",
    )
    preemptible: bool = Field(default=False, description="whether jobs of higher priority may preempt it")
    flexible: bool = Field(default=False, description="whether it may wait for clean or cheap energy")
    cloud: bool = Field(
        default=True, description="whether it may go to a cloud site, where the scene has one"
    )
    power_floor: Fraction = Field(
        default=0.0,
        ge=0,
        le=1,
        description="GPUs draw at least this share of their working power while they wait, so that the utility sees "
        "less load swing; it costs energy",
    )
    workload: Workload = Field(description="workload of a step")
    checkpoint: Checkpointing = Field(default=Checkpointing(), description="when and where state is saved")
    recovery: Recovery = Field(default=Recovery(), description="parts of a restart")
    storage: Id | None = Field(default=None, description="storage system of its input")
