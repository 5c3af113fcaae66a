"""What goes wrong: failure rates by cause, repairs, and interventions at a time."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator, model_validator

from twin.scenario.schema.base import DocumentPart, Id, ItemId
from twin.scenario.schema.choice import OneOf
from twin.scenario.schema.fault_kinds import (
    KINDS,
    effects,
    effects_on,
    fault_of,
    impairment_of,
    lasting_effects,
    shares_left,
)
from twin.scenario.schema.fault_kinds.kind import Component
from twin.scenario.schema.quantity import Duration, Fraction, Moment, Rate, Temperature

CauseId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,59}$")]
"""Snake case, as in the summary's ``by_cause``."""


Effect = Annotated[str, OneOf(effects)]
"""dead: it stops the job; the others leave it going, worse or wrong."""
Lasting = Annotated[str, OneOf(lasting_effects)]
"""Effects that a health check can find: the job continues with them."""
PartClass = Literal["gpu", "cable", "nic", "fan", "power_supply", "motherboard", "cpu"]
"""Repair classes that take a part; restart and maintenance take none."""


class Cause(DocumentPart):
    """One cause of interruption, of degraded work, or of silent errors."""

    id: CauseId = Field(description="name of the cause")
    per_node_s: Rate = Field(
        alias="rate",
        ge=0,
        description="of one node: 3.8 per 1000 node-day, or as counted, 419 per 110592 node-day",
    )
    repair: Literal[
        "gpu", "cable", "nic", "fan", "power_supply", "motherboard", "cpu", "restart", "maintenance"
    ] = Field(description="repair class, which sets the repair time; restart: no repair")
    detection: Literal["explicit", "watchdog"] = Field(default="explicit", description="how it is detected")
    planned: bool = Field(default=False, description="planned maintenance, counted separately")
    on: Component = Field(
        default="node",
        description="what the rate is of: 3.8 per 1000 node-day of a node, 0.00057 per 30 day of a link; pdu, cdu, "
        "leaf and nvlink are the nodes that depend on one of them",
    )
    each: Literal["node", "gpu", "nic", "psu", "nvlink_tray"] = Field(
        default="node",
        description="on a node: the rate is of each of its GPUs, network adapters or power supplies; on nvlink: of "
        "each switch tray of a domain of several nodes; node: of the whole",
    )
    effect: Effect = Field(
        default="dead",
        description="dead; slow: clocks at `severity`; hang: only the watchdog finds it; corrupt: results are wrong "
        "until a check finds it; flap: a link comes and goes; pcie: NICs at `severity` of their bandwidth; remap: a "
        "GPU restarts once with spare rows of memory",
    )
    severity: Fraction | None = Field(
        default=None,
        gt=0,
        lt=1,
        description=f"{', '.join(shares_left())}: what is left of speed; none: "
        f"{', '.join(f'{share:g}' for share in shares_left().values())}",
    )
    found_s: Duration | None = Field(
        default=None,
        alias="found",
        gt=0,
        description=f"{', '.join(lasting_effects())}: mean time until somebody finds it, and it goes to repair; "
        "none: only a health check does, or the verification of a checkpoint",
    )
    shape: float | None = Field(
        default=None,
        gt=0.2,
        le=5,
        description="Weibull shape of the time to failure since installation or repair; below 1: infant mortality; "
        "none: 1",
    )
    source: str = Field(default="", description="where the rate comes from")

    @model_validator(mode="after")
    def _fits(self) -> Cause:
        allowed = effects_on(self.on)
        if self.effect not in allowed:
            raise ValueError(
                f"effect {self.effect} is not of a {self.on}, which can be {' or '.join(allowed)}; a node can have any"
            )
        if self.each != "node" and self.on != ("nvlink" if self.each == "nvlink_tray" else "node"):
            raise ValueError(f"each {self.each} is not of a {self.on}")
        if self.severity is not None and self.effect not in shares_left():
            raise ValueError(f"severity does not apply to {self.effect}; it is of {', '.join(shares_left())}")
        if self.found_s is not None and self.stops:
            raise ValueError(
                f"found does not apply to {self.effect}; it is of {', '.join(lasting_effects())}"
            )
        return self

    @property
    def left(self) -> float:
        """Return what is left of speed while it lasts [-]."""
        return shares_left().get(self.effect, 1.0) if self.severity is None else self.severity

    @property
    def stops(self) -> bool:
        """Return whether it interrupts jobs at once."""
        return impairment_of(self.effect) is None

    @property
    def is_silent(self) -> bool:
        """Return whether only a watchdog notices it."""
        fault = fault_of(self.effect, self.on)
        return self.detection == "watchdog" or (fault is not None and fault.silent)


class Arrhenius(DocumentPart):
    """Heat wears: the failure rate of a node grows with its GPUs' heat. An estimate: no fleet published it."""

    activation_ev: float = Field(default=0.7, alias="activation", gt=0, le=2, description="energy [eV]")
    reference_c: Temperature = Field(
        default=60.0,
        alias="reference",
        ge=0,
        le=120,
        description="die temperature at which the given rates hold",
    )


class Bursts(DocumentPart):
    """Failures that come together: each one of a node may pull neighbours of its domain with it."""

    chance: Fraction = Field(ge=0, le=1, description="of a failure to begin a burst")
    domain: Literal["rack", "row", "leaf", "pdu", "cdu"] = Field(
        default="rack", description="nodes it can reach"
    )
    mean: float = Field(default=2.0, gt=0, le=1000, description="mean number of further nodes (geometric)")
    within_s: Duration = Field(
        default=600.0, alias="within", gt=0, description="time within which they follow"
    )


class FaultTrace(DocumentPart):
    """Faults that were seen elsewhere, replayed here at their times on nodes in the order of their first fault."""

    file: str = Field(
        description="file in the scene's folder: InfiniteHBD's JSON, or CSV with the head node,start_s,end_s,cause"
    )
    time: float = Field(default=1.0, gt=0, le=1e6, description="factor on times")
    rows: str | None = Field(
        default=None,
        description="the faults themselves, packed by the program so that runs need no file; leave it out",
    )


class HealthCheck(DocumentPart):
    """A test of nodes at intervals, or whenever a job leaves them, that finds what works worse or wrong."""

    id: CauseId = Field(description="name of the check")
    every_s: Duration | None = Field(
        default=None,
        alias="every",
        ge=60,
        description="interval of runs on all nodes; none: runs on nodes that a job has left",
    )
    lasts_s: Duration = Field(
        default=0.0,
        alias="lasts",
        ge=0,
        le=86400,
        description="a node without a job takes none for so long; beside a job the check takes no time",
    )
    finds: tuple[Lasting, ...] = Field(
        default=lasting_effects(), min_length=1, description="faults it can detect"
    )
    coverage: Fraction = Field(
        default=0.9, ge=0, le=1, description="probability that one run on a node detects such a fault"
    )
    action: Literal["drain", "report"] = Field(
        default="drain",
        description="drain: no new work, repaired when its job has left, at once on silent data corruption",
    )


class LemonRule(DocumentPart):
    """Nodes that fail too often are taken out for good, or until they were replaced."""

    failures: int = Field(
        default=3, ge=2, le=1000, description="number of unplanned failures, restarts included"
    )
    within_s: Duration = Field(default=28 * 86400.0, alias="within", gt=0, description="within this")
    replace_s: Duration | None = Field(
        default=7 * 86400.0,
        alias="replace",
        gt=0,
        description="time to replace it with another node; none: repaired, then drained",
    )


Hour = Annotated[float, Field(ge=0, le=24)]
SHORTEST_SHIFT_H = 0.25


class Crew(DocumentPart):
    """People who repair nodes, and when they are there.

    The drawn repair time is what a published fleet took from failure to return, its own nights, queues and
    deliveries included. What a crew makes of it runs beside it and is not added: a node is back when its drawn time
    is over and its hands-on work has been done here. So an ample crew that never sleeps changes nothing.
    """

    people: int = Field(default=2, ge=1, le=10_000, description="repairs at a time")
    shift: tuple[Hour, Hour] = Field(
        default=(0.0, 24.0),
        description="hours of the day they work, such as [8, 18] or [22, 6], by the clock of site.timezone; what is "
        "begun continues in the next shift",
    )
    weekend: bool = Field(default=True, description="whether shifts begin on Saturday and Sunday too")
    hands_on_s: Duration = Field(
        default=3600.0,
        alias="hands_on",
        ge=0,
        le=86400 * 7,
        description="work on one node, at most its repair time; the rest of that is diagnosis and turnaround",
    )

    @field_validator("shift")
    @classmethod
    def _lasts(cls, value: tuple[float, float]) -> tuple[float, float]:
        if (value[1] - value[0]) % 24 < SHORTEST_SHIFT_H and value[1] - value[0] != 24:
            raise ValueError("must last at least a quarter of an hour; [0, 24] is all day")
        return value


class SparePart(DocumentPart):
    """A stock of spare parts for some repair classes; each of their repairs takes one."""

    id: CauseId = Field(description="name of the stock")
    repairs: tuple[PartClass, ...] = Field(
        min_length=1, description="repair classes that take one, each in one stock only"
    )
    stock: int = Field(default=10, ge=0, le=1_000_000, description="parts at the start")
    reorder: int = Field(
        default=0,
        ge=0,
        le=1_000_000,
        description="reorder level, parts on order and promised counted",
    )
    order: int = Field(default=0, ge=0, le=1_000_000, description="parts of one order; 0: none come")
    lead_s: Duration = Field(default=14 * 86400.0, alias="lead", ge=0, description="delivery time")


class Repairs(DocumentPart):
    """How broken nodes come back."""

    crew: Crew | None = Field(default=None, description="repair crew; none: no limit, no wait")
    parts: tuple[SparePart, ...] = Field(default=(), description="stocks of spare parts; none: never short")
    burn_in_s: Duration = Field(
        default=0.0, alias="burn_in", ge=0, le=86400 * 30, description="test after a repair, before use"
    )

    @field_validator("parts")
    @classmethod
    def _once(cls, value: tuple[SparePart, ...]) -> tuple[SparePart, ...]:
        kept: dict[str, str] = {}
        for stock in value:
            for repair_class in stock.repairs:
                if kept.setdefault(repair_class, stock.id) != stock.id:
                    raise ValueError(
                        f"{repair_class} is repaired from {kept[repair_class]} and {stock.id}: give it one stock"
                    )
        if len({stock.id for stock in value}) < len(value):
            raise ValueError("two stocks have the same id")
        return value


class Failures(DocumentPart):
    """The failure model."""

    enabled: bool = Field(default=True, description="false: no random failures")
    rates: Literal["scene", "catalog"] = Field(
        default="scene",
        description="scene: of the causes below alone; catalog: of the causes in the catalogue too, each for what the "
        "hall has of it; a cause below with the same id replaces it",
    )
    causes: tuple[Cause, ...] = Field(default=(), description="causes with their rates")
    off: tuple[CauseId, ...] = Field(
        default=(), max_length=200, description="causes that do not act, of the scene or of the catalogue"
    )
    lemons: bool = Field(default=False, description="nodes differ (gamma, shape 0.93)")
    arrhenius: Arrhenius | None = Field(
        default=None, description="rates grow with die temperature (estimated); none: they do not"
    )
    repair_constant_s: Duration | None = Field(
        default=None, alias="repair_constant", ge=0, description="instead of empirical repair times"
    )
    bursts: Bursts | None = Field(default=None, description="bursts of failures; none: no bursts")
    trace: FaultTrace | None = Field(default=None, description="recorded faults, beside those drawn")
    stragglers: Fraction = Field(
        default=0.0,
        ge=0,
        le=1,
        description="share of jobs that have a straggler at some time; fleets see 42 %",
    )
    straggler_factor: float = Field(
        default=1.3, ge=1, le=10, description="mean slow-down while they have one"
    )
    checks: tuple[HealthCheck, ...] = Field(default=(), description="health checks")
    lemon_rule: LemonRule | None = Field(
        default=None, description="removal of lemon nodes; none: not removed"
    )
    repairs: Repairs = Field(default=Repairs(), description="how nodes are repaired")

    @property
    def acting(self) -> tuple[Cause, ...]:
        """Return the causes that strike by themselves."""
        if not self.enabled:
            return ()
        return tuple(cause for cause in self.causes if cause.id not in self.off) if self.off else self.causes


InterventionKind = Annotated[str, OneOf(lambda: KINDS)]
"""Id of a kind of fault or intervention."""


class Intervention(DocumentPart):
    """Something done to the running hall at a time: the grammar of ``--inject``."""

    id: Id | None = Field(default=None, description="name; none: made from kind and time")
    at_s: Moment = Field(
        alias="at", ge=0, description="after the start, or a time of day: 10:00, or 2026-01-06T10:00"
    )
    kind: InterventionKind = Field(
        description="what is done; twin.scenario.schema.fault_kinds says what each acts on and takes"
    )
    target: str = Field(
        description="id of the component, such as gpu/3/12/1, cdu/0, plant, ups-a/1 or site, switch ib/0/3, link "
        "gpu/0/1/2~3 (NIC 3 of a node) or ib/0/3~ib/1/0; set: a path"
    )
    duration_s: Moment | None = Field(
        default=None,
        alias="for",
        ge=0,
        description="time until it is repaired or ends; none: drawn, or without end where nothing needs repair",
    )
    count: int | None = Field(
        default=None, ge=1, le=500, description="pumps, fans, chillers or supplies lost; none: all"
    )
    cause: CauseId | None = Field(default=None, description="fail: the cause to book it under")
    value: str | None = Field(
        default=None,
        description="; ".join(f"{kind.id}: {kind.value_words}" for kind in KINDS.values() if kind.value),
    )


__all__ = [
    "Arrhenius",
    "Bursts",
    "Cause",
    "CauseId",
    "Crew",
    "Effect",
    "Failures",
    "FaultTrace",
    "HealthCheck",
    "Intervention",
    "InterventionKind",
    "ItemId",
    "LemonRule",
    "Repairs",
    "SparePart",
]
