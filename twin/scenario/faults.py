"""What goes wrong: failure rates by cause, repairs, and interventions at a time."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from twin.scenario.base import Id, ItemId, Part
from twin.scenario.quantity import Duration, Rate

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


class Failures(Part):
    """The failure model."""

    enabled: bool = Field(default=True, description="false: nothing fails by itself")
    causes: tuple[Cause, ...] = Field(default=(), description="causes with their rates")
    lemons: bool = Field(default=False, description="nodes differ (gamma, shape 0.93)")
    repair_constant_s: Duration | None = Field(
        default=None, alias="repair_constant", ge=0, description="instead of empirical repair times"
    )


class Intervention(Part):
    """Something done to the running hall at a time: the grammar of ``--inject``."""

    id: Id | None = Field(default=None, description="name; none: made from kind and time")
    at_s: Duration = Field(alias="at", ge=0, description="after the start")
    kind: Literal[
        "fail", "flap", "drain", "undrain", "pump_stop", "heat_rejection_loss", "power_cap", "set"
    ] = Field(
        description="drain, undrain: a GPU, node, rack or row; fail: these, a switch or a link; flap: a link that "
        "comes and goes; pump_stop: a loop; heat_rejection_loss: a plant; power_cap: GPUs of a job or of all; "
        "set: one value of a job's checkpoint or recovery"
    )
    target: str = Field(
        description="id of the thing, such as gpu/3/12/1, cdu/0 or plant, switch ib/0/3, link gpu/0/1/2~3 (card 3 of "
        "a node) or ib/0/3~ib/1/0; set: a path"
    )
    duration_s: Duration | None = Field(
        default=None,
        alias="for",
        ge=0,
        description="then it comes back; fail: time of the repair, none: drawn",
    )
    count: int | None = Field(default=None, ge=1, le=8, description="pump_stop: pumps lost; none: all")
    cause: CauseId | None = Field(default=None, description="fail: the cause to book it under")
    value: str | None = Field(
        default=None,
        description="power_cap: per GPU, such as 600 W; flap: share of time the link is down, such as 10 %; "
        "set: the new value",
    )


__all__ = ["Cause", "CauseId", "Failures", "Intervention", "ItemId"]
