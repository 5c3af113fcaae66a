"""What goes wrong: failure rates by cause, repairs, and interventions at a time."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from twin.scenario.base import Id, ItemId, Part
from twin.scenario.quantity import Duration, Rate, Temperature

CauseId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,59}$")]
"""Snake case, as in the summary's ``by_cause``."""


class Cause(Part):
    """One cause of interruption."""

    id: CauseId = Field(description="name of the cause")
    per_node_s: Rate = Field(
        alias="rate",
        ge=0,
        description="of one node: 3.8 per 1000 node-day, or as counted, 419 per 110592 node-day",
    )
    repair: Literal[
        "gpu", "cable", "nic", "fan", "power_supply", "motherboard", "cpu", "restart", "maintenance"
    ] = Field(description="repair class: how long the node is away; restart: not at all")
    detection: Literal["explicit", "watchdog"] = Field(default="explicit", description="how it is noticed")
    planned: bool = Field(default=False, description="maintenance, counted apart")
    source: str = Field(default="", description="where the rate comes from")


class Arrhenius(Part):
    """Heat wears: the failure rate of a node grows with its GPUs' heat. An estimate: no fleet published it."""

    activation_ev: float = Field(default=0.7, alias="activation", gt=0, le=2, description="energy [eV]")
    reference_c: Temperature = Field(
        default=60.0,
        alias="reference",
        ge=0,
        le=120,
        description="die temperature at which the given rates hold",
    )


class Failures(Part):
    """The failure model."""

    enabled: bool = Field(default=True, description="false: nothing fails by itself")
    causes: tuple[Cause, ...] = Field(default=(), description="causes with their rates")
    lemons: bool = Field(default=False, description="nodes differ (gamma, shape 0.93)")
    arrhenius: Arrhenius | None = Field(
        default=None, description="rates grow with die temperature (estimated); none: they do not"
    )
    repair_constant_s: Duration | None = Field(
        default=None, alias="repair_constant", ge=0, description="instead of empirical repair times"
    )


InterventionKind = Literal[
    "fail",
    "flap",
    "drain",
    "undrain",
    "trip",
    "battery_empty",
    "no_start",
    "psu_loss",
    "pump_stop",
    "fan_stop",
    "valve_stuck",
    "leak",
    "chiller_trip",
    "heat_rejection_loss",
    "heat_wave",
    "blocked_plate",
    "bad_contact",
    "power_cap",
    "set",
]


class Intervention(Part):
    """Something done to the running hall at a time: the grammar of ``--inject``."""

    id: Id | None = Field(default=None, description="name; none: made from kind and time")
    at_s: Duration = Field(
        alias="at", ge=0, description="after the start, or a time of day: 10:00, or 2026-01-06T10:00"
    )
    kind: InterventionKind = Field(
        description="what is done; twin.scenario.fault_kinds says what each acts on and takes"
    )
    target: str = Field(
        description="id of the thing, such as gpu/3/12/1, cdu/0, plant, ups-a/1 or site, switch ib/0/3, link "
        "gpu/0/1/2~3 (card 3 of a node) or ib/0/3~ib/1/0; set: a path"
    )
    duration_s: Duration | None = Field(
        default=None,
        alias="for",
        ge=0,
        description="then it comes back; a failure's repair time, none: drawn or, of what needs no repair, for ever",
    )
    count: int | None = Field(
        default=None, ge=1, le=500, description="pumps, fans, chillers or supplies lost; none: all"
    )
    cause: CauseId | None = Field(default=None, description="fail: the cause to book it under")
    value: str | None = Field(
        default=None,
        description="power_cap: per GPU (job, all) or of the whole (rack, row, hall, power item), such as 600 W; "
        "flap: share of time the link is down, such as 10 %; valve_stuck: opening; blocked_plate: flow left; "
        "bad_contact: factor on the resistance; heat_wave: such as 8 K; set: the new value",
    )


__all__ = ["Arrhenius", "Cause", "CauseId", "Failures", "Intervention", "InterventionKind", "ItemId"]
