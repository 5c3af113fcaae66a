"""Rented GPUs elsewhere, for peaks, for deadlines, and when the site is lost; and what own ones cost."""

from __future__ import annotations

from pydantic import Field

from twin.scenario.schema.base import DocumentPart, Id
from twin.scenario.schema.quantity import Bandwidth, Data, Duration, Fraction, Power


class Burst(DocumentPart):
    """Which waiting jobs go there."""

    wait_s: Duration | None = Field(
        default=None, alias="wait", ge=0, description="after so long in the queue; none: never for that"
    )
    deadlines: bool = Field(
        default=True, description="when it would miss its deadline here but not in the cloud"
    )
    largest_gpus: int | None = Field(
        default=None, ge=1, alias="largest", description="no job larger than this; none: up to the quota"
    )


class Replication(DocumentPart):
    """Checkpoints copied there, so that jobs can continue when the site is lost."""

    every_s: Duration = Field(
        default=3600.0, alias="every", gt=0, description="the newest is copied so often"
    )
    jobs: tuple[Id, ...] = Field(default=(), description="of these jobs; none: of all that save checkpoints")


class Cloud(DocumentPart):
    """A cloud site."""

    id: Id = Field(description="permanent id of the site")
    title: str = Field(default="", description="display name")
    gpu: str = Field(
        default="H100-SXM",
        description="part of the catalogue that is rented; work whose model is known steps there as fast as it "
        "allows, a load at its own pace",
    )
    quota: int = Field(ge=0, le=10_000_000, description="GPUs at a time")
    price_usd_gpu_h: float = Field(
        alias="price", ge=0, le=1000, description="USD for one GPU and hour, as of the date in sources"
    )
    minimum_s: Duration = Field(default=60.0, alias="minimum", ge=0, description="minimum billed time")
    provisioning_s: Duration = Field(
        default=600.0, alias="provisioning", ge=0, le=86400 * 7, description="until nodes are ready"
    )
    bandwidth_bytes_s: Bandwidth = Field(
        default=1.25e9, alias="bandwidth", gt=0, description="of the line between the sites, shared"
    )
    egress_usd_byte: float = Field(
        default=0.0, alias="egress", ge=0, le=1, description="USD for one byte that leaves the cloud"
    )
    speed: float = Field(
        default=1.0,
        gt=0,
        le=100,
        description="factor on the pace of a job there: another network, and for a load other GPUs",
    )
    data_bytes: Data = Field(
        default=0.0, alias="data", ge=0, description="copied there with each job beside its checkpoint"
    )
    encrypted: bool = Field(
        default=False, description="whether its stores and lines are encrypted; twin check --security asks"
    )
    burst: Burst | None = Field(default=None, description="for peaks; none: not for peaks")
    replication: Replication | None = Field(default=None, description="for disasters; none: not for those")


class Ownership(DocumentPart):
    """What one GPU of this site costs, as of the date in sources, to be compared with what clouds ask."""

    capital_usd: float = Field(
        alias="capital", gt=0, le=1e7, description="USD for one GPU with network, building, power and cooling"
    )
    years: float = Field(default=4.0, gt=0, le=50, description="useful life")
    interest: Fraction = Field(default=0.10, ge=0, le=1, description="of a year")
    operations: Fraction = Field(
        default=0.03, ge=0, le=1, description="staff and repairs of a year, as a share of the capital"
    )
    power_w: Power = Field(
        default=1050.0,
        alias="power",
        gt=0,
        description="of one GPU with its share of node and network, at work",
    )
