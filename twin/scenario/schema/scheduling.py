"""Who gets which GPUs when: the scheduler, its partitions, and reserved times."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from twin.scenario.schema.base import DocumentPart, Id
from twin.scenario.schema.quantity import Carbon, Duration, Fraction, Moment, Power, Price

Policy = Literal["fifo", "shortest", "easy", "conservative", "priority"]
"""Named combinations of order and backfill; see `twin.schedule.policies`."""
Order = Literal["submit", "shortest", "multifactor"]
Backfill = Literal["none", "easy", "conservative"]
Placement = Literal["first", "pack", "spread"]
Weight = Annotated[float, Field(ge=0, le=1e9)]


class Weights(DocumentPart):
    """Weights of the multifactor priority; each factor runs from 0 to 1."""

    age: Weight = Field(default=1000.0, description="time waited, up to `age_limit`")
    fair_share: Weight = Field(default=10000.0, description="share not yet used, 2^(-usage / share)")
    size: Weight = Field(default=0.0, description="GPUs asked for, of all there are")
    priority: Weight = Field(default=1000.0, description="priority the job was given, -1000..1000")
    deadline: Weight = Field(default=0.0, description="how near the deadline is")
    age_limit_s: Duration = Field(
        default=7 * 86400.0, alias="age_limit", gt=0, description="maximum age that counts"
    )
    half_life_s: Duration = Field(
        default=7 * 86400.0, alias="half_life", gt=0, description="half-life of past usage"
    )


class Preemption(DocumentPart):
    """When a waiting job may take GPUs from a running one of lower priority that says it is preemptible."""

    enabled: bool = Field(default=False, description="whether preemption is allowed")
    minimum_s: Duration = Field(
        default=1800.0, alias="minimum", ge=0, description="minimum run time before preemption"
    )
    checkpoint: bool = Field(
        default=True, description="the victim saves its state first; false: it loses work"
    )
    reclaim: bool = Field(default=True, description="also whatever a tenant borrowed above its quota")


class Green(DocumentPart):
    """Jobs that can wait start when power is there and clean."""

    power_limit_w: Power | None = Field(
        default=None, alias="power_limit", gt=0, description="no start that would take IT power above this"
    )
    carbon_limit_kg_j: Carbon | None = Field(
        default=None, alias="carbon_limit", gt=0, description="flexible jobs wait while the grid is dirtier"
    )
    price_limit_usd_j: Price | None = Field(
        default=None, alias="price_limit", gt=0, description="flexible jobs wait while energy costs more"
    )
    longest_wait_s: Duration = Field(
        default=86400.0, alias="longest_wait", ge=0, description="maximum delay, then they start anyway"
    )


class Scheduler(DocumentPart):
    """How the queue is served."""

    policy: Policy = Field(
        default="fifo",
        description="fifo and shortest start in order; easy and conservative backfill; priority is multifactor with "
        "easy backfill",
    )
    order: Order | None = Field(default=None, description="instead of the policy's order")
    backfill: Backfill | None = Field(default=None, description="instead of the policy's backfill")
    depth: int = Field(default=500, ge=1, le=100_000, description="jobs that backfill looks at")
    placement: Placement | None = Field(
        default=None,
        description="first: lowest numbers; pack: fewest NVLink domains, leaves and pods; spread: most racks; none: "
        "first where jobs start in order, else pack",
    )
    weights: Weights = Field(default=Weights(), description="of the multifactor order")
    preemption: Preemption = Field(default=Preemption(), description="preemption")
    green: Green = Field(default=Green(), description="starts that wait for power or clean energy")


class Partition(DocumentPart):
    """A part of the cluster with its own rules and network, as Slurm has them."""

    id: Id = Field(description="permanent id of the partition")
    title: str = Field(default="", description="display name")
    rows: tuple[Id, ...] = Field(min_length=1, description="row generators it consists of")
    tenants: tuple[Id, ...] = Field(default=(), description="who may submit to it; none: everybody")
    limit_s: Duration | None = Field(
        default=None, alias="limit", gt=0, description="longest time limit of a job; none: no limit"
    )
    default_limit_s: Duration | None = Field(
        default=None, alias="default_limit", gt=0, description="time limit of jobs without one"
    )
    priority: int = Field(default=0, ge=-1000, le=1000, description="added to that of its jobs")
    exclusive: bool = Field(default=False, description="jobs of different tenants never share a node")
    network: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z0-9_.:-]{1,40}$",
        description="VLAN or partition key that keeps its traffic apart, such as vlan-110 or pkey-0x8001",
    )


class Reservation(DocumentPart):
    """Nodes kept free for some, or for maintenance, from a time on."""

    id: Id = Field(description="permanent id of the reservation")
    kind: Literal["reservation", "maintenance"] = Field(
        default="reservation", description="maintenance: no job runs there meanwhile"
    )
    at_s: Moment = Field(alias="at", ge=0, description="begins, after the start or at a time of day")
    duration_s: Moment = Field(alias="for", gt=0, description="lasts")
    every_s: Moment | None = Field(default=None, alias="every", gt=0, description="repeats after")
    rows: tuple[Id, ...] = Field(default=(), description="of these row generators; none: of all")
    nodes: int | None = Field(default=None, ge=1, description="how many of them; none: all")
    tenants: tuple[Id, ...] = Field(default=(), description="who may use them")
    jobs: tuple[Id, ...] = Field(default=(), description="which jobs may")
    share: Fraction | None = Field(default=None, ge=0, le=1, description="of the nodes, instead of a number")
