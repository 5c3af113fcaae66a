"""The power tree from the grid to the racks: stages, sources on site, breakers, caps."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from twin.scenario.schema.base import DocumentPart, Id, ItemId
from twin.scenario.schema.quantity import Duration, Energy, Fraction, Power, PowerRamp
from twin.scenario.schema.site import Stand

StageKind = Literal[
    "utility",
    "transformer",
    "switchgear",
    "ups",
    "pdu",
    "busbar",
    "generator",
    "gas",
    "smr",
    "solar",
    "battery",
]
ON_SITE: tuple[StageKind, ...] = ("generator", "gas", "smr", "solar", "battery")
"""Kinds that stand beside the tree and push power into the output of one of its stages, named by ``at``."""
SUSTAINS: tuple[StageKind, ...] = ("generator", "gas", "smr")
"""Kinds of source that keep the output of an item alive when its input is dead."""
STEADY: tuple[StageKind, ...] = ("gas", "smr")
"""Kinds of source that give their `output` at any hour, beside the utility too."""
BUS_SURVIVES: tuple[StageKind, ...] = ("utility", "transformer", "ups")
"""Kinds of item that fail without the busbar at their output: a source there continues."""


class Breaker(DocumentPart):
    """How the breaker at the output of each item trips."""

    rating: Fraction = Field(
        default=1.25, gt=0, le=10, description="rated current over that at the item's capacity"
    )
    thermal_s: Duration = Field(
        default=60.0, alias="thermal", gt=0, le=3600, description="K of t = K / ((I/In)^2 - 1)"
    )
    magnetic: float = Field(
        default=7.0, ge=2, le=30, description="current over rated current that opens it at once"
    )


class PowerStage(DocumentPart):
    """One level of the power tree. Item ``i`` of ``n`` hangs under parent ``floor(i m / n)`` of ``m``."""

    id: Id = Field(description="permanent id of the stage; item ``i`` is ``id/i``")
    kind: StageKind = Field(description="what it is")
    part: str | None = Field(
        default=None, description="part of the catalogue with its losses; none: lossless"
    )
    count: int = Field(default=1, ge=1, le=20000, description="how many")
    source: Id | None = Field(
        default=None, alias="from", description="stage that supplies it; none: the utility"
    )
    spare_source: Id | None = Field(
        default=None,
        alias="or_from",
        description="stage that takes over when the first is unpowered: a transfer switch at the input",
    )
    transfer_s: Duration = Field(
        default=0.0,
        alias="transfer",
        ge=0,
        le=60,
        description="dead time of that switch; up to 20 ms has no effect",
    )
    at: Id | None = Field(
        default=None, description="sources on site and batteries: stage whose output they are connected to"
    )
    units: int = Field(
        default=1, ge=1, le=64, description="machines side by side in each item; they share its load"
    )
    needed: int | None = Field(
        default=None, ge=1, le=64, description="of them for full load: 3 of 4 is N+1; none: all (N)"
    )
    capacity_w: Power | None = Field(
        default=None, alias="capacity", gt=0, description="of one unit; none: the part's"
    )
    feeds: tuple[Id, ...] = Field(
        default=(),
        description="row generators, loops or facility loops it supplies, each shared out in order; "
        "the first stage that feeds a thing is its feed A, the second its feed B",
    )
    places: dict[ItemId, Stand] = Field(
        default={}, description="where an item stands, by its id; none: at the end of the row it feeds"
    )
    breaker: Breaker | None = Field(default=None, description="at its output; none: none is modelled")
    eco: bool = Field(default=False, description="ups: eco mode, passes the utility through")
    battery_s: Duration | None = Field(
        default=None,
        alias="battery",
        ge=0,
        le=86400,
        description="ups: minutes at full load; none: the part's",
    )
    energy_j: Energy | None = Field(
        default=None, alias="energy", gt=0, description="battery: of one unit; none: the part's"
    )
    start_s: Duration | None = Field(
        default=None, alias="start", ge=0, le=3600, description="generator: until it can take load"
    )
    accept_s: Duration | None = Field(
        default=None, alias="load_accept", ge=0, le=3600, description="generator: from then to full load"
    )
    output: Fraction = Field(
        default=1.0,
        ge=0,
        le=1,
        description="gas, smr: share of their capacity that they give while the utility is live",
    )
    peak_w: Power | None = Field(
        default=None, alias="peak", gt=0, description="battery: utility power above which it discharges"
    )
    ramp_w_s: PowerRamp | None = Field(
        default=None,
        alias="ramp",
        gt=0,
        description="battery: steepest change of utility power that it lets through; "
        "gas: steepest change of its own",
    )
    reserve: Fraction = Field(
        default=0.2, ge=0, le=1, description="battery: share of its energy kept for an outage"
    )


class PowerCap(DocumentPart):
    """A limit on what a part of the site may draw; GPUs under it clock down to keep it."""

    id: Id = Field(description="permanent id of the cap")
    target: str = Field(
        description="all, a hall, row or rack (gpu/0/3), or an item of the power tree (pdu-a/3)"
    )
    limit_w: Power = Field(alias="limit", gt=0, description="of all it supplies, at the racks' input")
    share: Literal["uniform", "proportional", "priority"] = Field(
        default="proportional",
        description="uniform: one limit for every GPU; proportional: all lose the same share of their demand; "
        "priority: jobs of lower priority are capped first",
    )
