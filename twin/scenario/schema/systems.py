"""What connects and feeds the hardware: fabric, power tree, cooling, storage."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from twin.scenario.schema.base import DocumentPart, Id
from twin.scenario.schema.cooling import Cooling, FacilityLoop, Loop
from twin.scenario.schema.electricity import PowerCap, PowerStage
from twin.scenario.schema.quantity import Bandwidth, Data, Duration, Fraction, Rate

__all__ = [
    "Cooling",
    "Fabric",
    "FabricEnd",
    "FabricKind",
    "FabricLink",
    "FacilityLoop",
    "Loop",
    "PowerCap",
    "PowerStage",
    "Storage",
    "SwitchTier",
]

FabricKind = Literal[
    "single-switch",
    "leaf-spine",
    "rail-optimised",
    "rail-only",
    "fat-tree",
    "dragonfly-plus",
    "torus",
    "ring",
    "explicit",
]

FabricEnd = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,39}(/[0-9]{1,6}){2,3}$")]
"""A node (``gpu/0/3/1``) or a switch (``ib/0/2``: fabric, tier, number)."""


class SwitchTier(DocumentPart):
    """Switches of one tier of a fabric."""

    part: str = Field(description="switch part of the catalogue, such as QM9700")
    count: int | None = Field(default=None, ge=1, le=20000, description="none: as many as the ports need")
    racks: Id | None = Field(
        default=None, description="row generator whose racks hold them; none: the nodes' rows"
    )


class FabricLink(DocumentPart):
    """Cables between two named ends of an explicit fabric."""

    source: FabricEnd = Field(
        alias="from", description="node or switch: gpu/0/3/1, or ib/0/2 for leaf 2 of ib"
    )
    target: FabricEnd = Field(alias="to", description="the other end, a node or a switch")
    cables: int = Field(default=1, ge=1, le=4096, description="how many run side by side")


class Fabric(DocumentPart):
    """A scale-out network between nodes. Switch ``i`` is ``id/0/i`` (leaf), ``id/1/i`` (spine) or ``id/2/i`` (core)."""

    id: Id = Field(description="permanent id of the fabric")
    kind: FabricKind = Field(description="topology")
    technology: str | None = Field(
        default=None,
        description="network technology of the catalogue, such as InfiniBand-NDR; none: the leaf switch's",
    )
    routing: Literal["adaptive", "ecmp"] | None = Field(
        default=None, description="how flows choose among equal paths; none: as the technology does"
    )
    rows: tuple[Id, ...] = Field(default=(), description="row generators connected; none: every node")
    homes: int = Field(
        default=1,
        ge=1,
        le=2,
        description="cables of each NIC, to as many leaves; 2: each has half its bandwidth",
    )
    unit_nodes: int | None = Field(
        default=None,
        ge=1,
        le=8192,
        description="nodes of one scalable unit, pod or group (shared leaf set); "
        "none: 32, and in a fat tree as many as a k-ary pod holds",
    )
    leaf: SwitchTier | None = Field(
        default=None, description="switches the nodes plug into; ring and torus have none"
    )
    spine: SwitchTier | None = Field(
        default=None, description="switches that join the leaves; aggregation of a fat tree"
    )
    core: SwitchTier | None = Field(
        default=None,
        description="switches that join the pods of a fat tree; a count below the need thins them out",
    )
    dims: tuple[Annotated[int, Field(ge=1, le=8192)], ...] = Field(
        default=(), max_length=3, description="nodes along each axis of a torus; none: most cubic"
    )
    links: tuple[FabricLink, ...] = Field(
        default=(), max_length=200000, description="cables of an explicit fabric, and of no other"
    )
    oversubscription: float = Field(default=1.0, ge=1, le=32, description="leaf downlinks over uplinks")
    cable: str = Field(default="MMF-400G-SR4", description="cable part of the catalogue")


class Storage(DocumentPart):
    """A store that checkpoints and input come from and go to."""

    id: Id = Field(description="permanent id of the storage system")
    kind: Literal["object", "parallel", "nvme", "memory"] | None = Field(
        default=None, description="tier; none: the part's, or a parallel file system"
    )
    part: str | None = Field(
        default=None, description="storage part of the catalogue; none: figures given here"
    )
    count: int = Field(default=1, ge=1, le=10000, description="boxes; their figures add up")
    read_bytes_s: Bandwidth | None = Field(
        default=None, alias="read", gt=0, description="of one; none: the part's"
    )
    write_bytes_s: Bandwidth | None = Field(default=None, alias="write", gt=0, description="of one")
    operations_s: Rate | None = Field(
        default=None, alias="iops", gt=0, description="operations of one, such as 600000 /s; none: the part's"
    )
    capacity_bytes: Data | None = Field(
        default=None, alias="capacity", gt=0, description="usable, of one; none: the part's"
    )
    first_byte_s: Duration | None = Field(
        default=None, alias="first_byte", ge=0, le=60, description="from request to answer; none: the part's"
    )
    backs: Id | None = Field(
        default=None, description="storage system filled from this one: what is not there yet is read here"
    )
    racks: Id | None = Field(default=None, description="row generator whose racks hold it")
    encrypted: bool = Field(default=False, description="data lies encrypted on it")
    encryption_cost: Fraction = Field(
        default=0.05,
        ge=0,
        le=0.9,
        description="of its bandwidth, lost to encryption where it is encrypted [est]",
    )
    tenants: tuple[Id, ...] = Field(default=(), description="who may mount it; none: everybody")
    network: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z0-9_.:-]{1,40}$",
        description="VLAN or partition key it is reached through; none: from everywhere",
    )
