"""Many jobs at once: generators of jobs, and traces of what other clusters ran."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from twin.scenario.schema.base import DocumentPart, Id
from twin.scenario.schema.mig import MigProfile
from twin.scenario.schema.quantity import Duration, Fraction, Moment
from twin.scenario.schema.work import Checkpointing, Recovery
from twin.scenario.schema.workload import Load, Workload

GroupId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,31}$")]
"""Name of many jobs: short enough for a number behind it."""
Positive = Annotated[float, Field(gt=0, le=1e9)]


class Arrivals(DocumentPart):
    """When jobs come."""

    kind: Literal["poisson", "even", "daily"] = Field(
        default="poisson",
        description="poisson: at random; even: always the same gap; daily: by the hour of the day",
    )
    gap_s: Duration = Field(alias="gap", gt=0, description="mean time between two jobs")
    hours: tuple[Positive, ...] = Field(
        default=(), description="daily: 24 weights, hour 0 of the site first; none: an office day"
    )
    burst: float = Field(
        default=1.0, ge=1, le=1000, description="jobs of one arrival on average (geometric): a sweep of runs"
    )


class Sizes(DocumentPart):
    """How many GPUs jobs ask for."""

    gpus: tuple[Annotated[int, Field(ge=1, le=1_000_000)], ...] = Field(
        default=(1,), min_length=1, description="GPUs a job may ask for"
    )
    weights: tuple[Positive, ...] = Field(default=(), description="relative frequency of each; none: equal")


class Lengths(DocumentPart):
    """How long jobs run at their reference pace."""

    kind: Literal["constant", "exponential", "lognormal"] = Field(
        default="lognormal", description="shape of the distribution"
    )
    mean_s: Duration = Field(alias="mean", gt=0, description="mean")
    sigma: float = Field(default=1.5, ge=0, le=4, description="lognormal: spread of the logarithm")
    longest_s: Duration | None = Field(default=None, alias="longest", gt=0, description="upper limit")


class JobStream(DocumentPart):
    """A generator of jobs: they come at random, by one seed each."""

    id: GroupId = Field(description="permanent id of the stream; its jobs are id-0, id-1 ...")
    tenant: Id | None = Field(default=None, description="owner")
    user: Id | None = Field(default=None, description="user who submits them for the tenant")
    partition: Id | None = Field(default=None, description="where they are submitted")
    rows: tuple[Id, ...] = Field(default=(), description="row generators they may use; none: any")
    count: int | None = Field(default=None, ge=1, le=200_000, description="jobs at most; none: until the end")
    begin_s: Moment = Field(default=0.0, alias="begin", ge=0, description="the first comes after this")
    arrivals: Arrivals = Field(description="when they come")
    sizes: Sizes = Field(default=Sizes(), description="how large they are")
    mig: MigProfile | None = Field(
        default=None, description="each takes part of one GPU only, such as 1g.10gb; sizes do nothing then"
    )
    lengths: Lengths = Field(description="how long they run")
    limit_factor: float | None = Field(
        default=None,
        ge=0.01,
        le=1000,
        alias="limit",
        description="time limit over the time needed with start and checkpoints; below 1 jobs time out; "
        "none: no limit",
    )
    deadline_factor: float | None = Field(
        default=None,
        ge=1,
        le=1000,
        alias="deadline",
        description="deadline after submission over time needed",
    )
    priority: int = Field(default=0, ge=-1000, le=1000, description="of its jobs")
    preemptible: bool = Field(default=False, description="whether other jobs may preempt it")
    flexible: bool = Field(default=False, description="whether they may wait for clean or cheap energy")
    cloud: bool = Field(default=True, description="whether they may go to a cloud site, where there is one")
    workload: Workload = Field(
        default=Load(kind="load", gpu=0.8), description="workload of a step, at each size"
    )
    checkpoint: Checkpointing = Field(
        default=Checkpointing(interval="none"), description="when and where state is saved"
    )
    recovery: Recovery = Field(default=Recovery(), description="parts of a restart")
    storage: Id | None = Field(default=None, description="storage system of their input")


TraceFormat = Literal["swf", "sacct", "philly", "helios", "acme", "gavel"]


class TraceMap(DocumentPart):
    """How the rows of a trace become jobs of this scene."""

    gpus_per_processor: float = Field(
        default=1.0, gt=0, le=1e6, description="GPUs for one processor (swf, sacct without GPUs)"
    )
    throughput: float | None = Field(
        default=None,
        gt=0,
        le=1e9,
        description="gavel: steps a second of every job; none: those of a V100 by kind of job",
    )
    size: float = Field(default=1.0, gt=0, le=1e6, description="factor on GPUs, rounded up")
    time: float = Field(default=1.0, gt=0, le=1e6, description="factor on running times and limits")
    gaps: float = Field(default=1.0, gt=0, le=1e6, description="factor on the gaps between submissions")
    first: int | None = Field(default=None, ge=1, description="only so many jobs; none: all")
    skip: int = Field(default=0, ge=0, description="jobs left out at the beginning")
    estimate: Literal["limit", "exact"] = Field(
        default="limit", description="run time that the scheduler assumes: requested or actual"
    )
    limits: bool = Field(default=True, description="whether jobs end at the time limit")
    utilisation: Fraction = Field(default=0.8, ge=0, le=1, description="of the GPUs, while a job runs")
    workload: Workload | None = Field(
        default=None,
        description="a model, preset or own, that they all train instead; it sets power, not duration",
    )
    partition: Id | None = Field(
        default=None,
        description="where they are submitted; none: where the trace says, if there is one of that name",
    )
    rows: tuple[Id, ...] = Field(default=(), description="row generators they may use; none: any")
    tenants: Literal["user", "group", "none"] = Field(
        default="group",
        description="what of the trace names the tenant of a job, if there is one of that name",
    )


class JobTrace(DocumentPart):
    """What another cluster ran, to be run here."""

    id: GroupId = Field(description="permanent id of the trace; its jobs are id-NAME")
    file: str = Field(description="file in the scene's folder")
    format: TraceFormat | None = Field(default=None, description="none: detected from the file")
    map: TraceMap = Field(default=TraceMap(), description="how its rows become jobs")
    rows: str | None = Field(
        default=None,
        description="rows of the file, packed by the program so that runs need no file; leave it out",
    )


__all__ = ["Arrivals", "JobStream", "JobTrace", "Lengths", "Sizes", "TraceFormat", "TraceMap"]
