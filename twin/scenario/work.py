"""What the cluster is asked to do: tenants, jobs, checkpoints, recovery."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from twin.scenario.base import Id, Part
from twin.scenario.quantity import Bandwidth, Duration, Fraction
from twin.scenario.workload import (
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
    "Checkpointing",
    "Hpc",
    "Inference",
    "Input",
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


class Tenant(Part):
    """Who owns jobs."""

    id: Id = Field(description="name of the tenant, for ever")
    title: str = Field(default="", description="as people call it")


class Checkpointing(Part):
    """When and where state is saved."""

    interval: Literal["daly", "young", "none"] | Annotated[Duration, Field(gt=0)] = Field(
        default="daly",
        description="work between checkpoints: a duration, or a rule that balances pause and loss",
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
    storage: Id | None = Field(default=None, description="store it goes to; none: none is modelled")


class Recovery(Part):
    """What a restart after a failure is made of."""

    detect_s: Duration = Field(
        default=15.0, alias="detect", ge=0, le=86400, description="failure seen explicitly"
    )
    watchdog_s: Duration = Field(
        default=600.0, alias="watchdog", ge=0, le=86400, description="a hang is found after"
    )
    swap_s: Duration = Field(default=45.0, alias="swap", ge=0, le=86400, description="drain and take a spare")
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


class Job(Part):
    """One gang-scheduled job."""

    id: Id = Field(description="name of the job, for ever")
    title: str = Field(default="", description="as people call it")
    tenant: Id | None = Field(default=None, description="owner")
    submit_s: Duration = Field(
        default=0.0, alias="submit", ge=0, description="enters the queue, after the start"
    )
    nodes: int = Field(ge=1, le=200_000, description="nodes, all of them whole")
    rows: tuple[Id, ...] = Field(default=(), description="row generators it may use; none: any")
    steps: int | None = Field(default=None, ge=1, le=1_000_000_000, description="ends after; none: never")
    priority: int = Field(
        default=0, ge=-1000, le=1000, description="higher keeps its power longer under a cap"
    )
    power_floor: Fraction = Field(
        default=0.0,
        ge=0,
        le=1,
        description="GPUs draw at least this share of their working power while they wait, so that the grid sees less "
        "of each step; it costs energy",
    )
    workload: Workload = Field(description="what one step does")
    checkpoint: Checkpointing = Field(default=Checkpointing(), description="when and where state is saved")
    recovery: Recovery = Field(default=Recovery(), description="what a restart is made of")
    storage: Id | None = Field(default=None, description="store its input comes from")
