"""One design of a need: what was chosen, its figures, and how near each limit it is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from twin.arrays import Floats
from twin.commands.room.room_plan import Cabling, RoomRequest
from twin.designs.hall_part import HallPart
from twin.designs.need import DAY_S, SiteNeed
from twin.designs.work_table import WorkStep
from twin.language import tr
from twin.scenario.schema.site import RedundancyLevel

LIMIT_TITLES = {
    "deadline": (tr("deadline"), "day"),
    "budget": (tr("budget"), "MUSD"),
    "yearly": (tr("cost of a year"), "MUSD"),
    "power": (tr("site power"), "MW"),
    "area": (tr("area"), "m2"),
    "carbon": (tr("carbon of a year"), "t"),
    "availability": (tr("share of the time not available"), "%"),
    "ready": (tr("time until it is ready"), "week"),
}
"""Titles and units by the names of limits; of several deadlines each has its number."""
SIGMAS = 2.0
"""Standard deviations beside the mean in what is promised."""
P95_SIGMAS = 1.6449
"""From the mean to P95 of a normal distribution."""


@dataclass(frozen=True)
class Alternative:
    """One candidate before anything is worked out.

    Attributes
    ----------
    part, gpus
        What the hall is filled with; GPUs that work.
    cabling, oversubscription
        Of the network.
    store
        Boxes of storage over those with which nobody waits.
    level
        Redundancy of power and cooling.
    spare_sigmas
        Spare nodes beside the mean number in repair, in its standard deviations.
    interval
        Checkpoint interval over Daly's.
    """

    part: HallPart
    gpus: int
    cabling: Cabling
    oversubscription: float
    store: float
    level: RedundancyLevel
    spare_sigmas: float
    interval: float


@dataclass(frozen=True)
class Promise:
    """How long a workload takes.

    Attributes
    ----------
    ideal_s, mean_s, sigma_s
        Without failures; with them, and the standard deviation of that [s].
    interval_s, restart_s
        Work between checkpoints; from a failure to the first new step [s].
    ettr, in_service
        Share of the time on kept work; share in which enough nodes are in service [-].
    step_s
        One step, waiting for input included [s].
    """

    ideal_s: float
    mean_s: float
    sigma_s: float
    interval_s: float
    restart_s: float
    ettr: float
    in_service: float
    step_s: float

    @property
    def promised_s(self) -> float:
        """Return the mean and two standard deviations [s]."""
        return self.mean_s + SIGMAS * self.sigma_s


def unit_words(unit: str) -> str:
    """Return a unit as it stands behind a number: days and weeks are words."""
    return {"day": tr("days"), "week": tr("weeks")}.get(unit, unit)


@dataclass(frozen=True)
class Limit:
    """One limit of a need on a design.

    Attributes
    ----------
    name
        Of `LIMIT_TITLES`; deadlines with their place: ``deadline[1]``.
    value, most
        What the design comes to and what is allowed, in the unit of the title.
    """

    name: str
    value: float
    most: float

    @property
    def title(self) -> str:
        """Return the title for people."""
        return self._titled[0]

    @property
    def unit(self) -> str:
        """Return the unit."""
        return self._titled[1]

    @property
    def _titled(self) -> tuple[str, str]:
        return LIMIT_TITLES[self.name.partition("[")[0]]

    @property
    def ratio(self) -> float:
        """Return the value over what is allowed [-]; above 1 it is exceeded."""
        return self.value / self.most if self.most > 0.0 else math.inf

    @property
    def words(self) -> str:
        """Return "site power 43.2 of 40 MW"."""
        return f"{self.title} {self.amounts}"

    @property
    def amounts(self) -> str:
        """Return "43.2 of 40 MW"."""
        return tr(
            "{value:,.4g} of {most:,.4g} {unit}", value=self.value, most=self.most, unit=unit_words(self.unit)
        )


Range = tuple[float, float, float]
"""P5, P50 and P95."""


def range_of(drawn: Floats) -> Range:
    """Return P5, P50 and P95 of samples."""
    low, middle, high = np.quantile(drawn, (0.05, 0.5, 0.95)).tolist()
    return low, middle, high


@dataclass(frozen=True)
class DesignRanges:
    """What a design comes to over the ranges of the prices: capital [USD], a year [USD/year], carbon of a year [kg]."""

    capital_usd: Range
    yearly_usd: Range
    carbon_kg: Range


@dataclass(frozen=True)
class Design:
    """A design with its figures.

    Attributes
    ----------
    choice, room
        What was chosen, and the room it comes to.
    nodes, spares
        That work, and that stand by.
    stages
        GPUs of each stage of growth.
    steps, promises
        Of each workload.
    capital_usd, yearly_usd
        At likely prices; the latter is capital by its life, and operation [USD], [USD/year].
    carbon_kg
        Of a year, energy and making [kg].
    site_w, area_m2
        Power with cooling and losses on a hot day; floor of the hall [W], [m2].
    load
        Mean power of the racks over their design power, of the workload that draws most [-].
    site_available, interruptions, in_service
        Share of the time with power and cooling; interruptions of the hall a year; share in which enough nodes work.
    ready_s
        From the order to the first work [s].
    limits
        That the need sets.
    ranges
        Of money and carbon; None: not worked out.
    isolation_nodes, isolation_ports
        Nodes and leaf ports more than one tenant alone would need.
    """

    choice: Alternative
    room: RoomRequest
    nodes: int
    spares: int
    stages: tuple[int, ...]
    steps: tuple[WorkStep, ...]
    promises: tuple[Promise, ...]
    capital_usd: float
    yearly_usd: float
    carbon_kg: float
    site_w: float
    load: float
    area_m2: float
    site_available: float
    interruptions: float
    in_service: float
    ready_s: float
    limits: tuple[Limit, ...] = ()
    ranges: DesignRanges | None = None
    isolation_nodes: int = 0
    isolation_ports: int = 0

    @property
    def time_range_s(self) -> Range:
        """Return P5, P50 and P95 of the time of all workloads, one after another [s]."""
        mean = sum(promise.mean_s for promise in self.promises)
        half = P95_SIGMAS * math.hypot(*(promise.sigma_s for promise in self.promises))
        return mean - half, mean, mean + half

    @property
    def time_s(self) -> float:
        """Return what is promised for all workloads, one after another [s]."""
        return sum(promise.promised_s for promise in self.promises)

    @property
    def available(self) -> float:
        """Return the share of the time with power, cooling and enough nodes [-]."""
        return self.site_available * self.in_service

    @property
    def axes(self) -> tuple[float, ...]:
        """Return what is traded off, each the smaller the better: cost, time, carbon, power, time not available."""
        return (self.yearly_usd, self.time_s, self.carbon_kg, self.site_w, 1.0 - self.available)

    @property
    def binding(self) -> Limit | None:
        """Return the limit that it is nearest to, or exceeds most; None where the need has none."""
        return max(self.limits, key=lambda limit: limit.ratio, default=None)

    @property
    def feasible(self) -> bool:
        """Return whether it keeps all limits."""
        return all(limit.ratio <= 1.0 for limit in self.limits)

    def with_limits(self, need: SiteNeed) -> Design:
        """Return it with how it stands to the limits of a need."""
        return replace(self, limits=tuple(self._limits(need)))

    def _limits(self, need: SiteNeed) -> Iterator[Limit]:
        for place, (work, promise) in enumerate(zip(need.workloads, self.promises, strict=True)):
            if work.deadline_s is not None:
                yield Limit(f"deadline[{place}]", promise.promised_s / DAY_S, work.deadline_s / DAY_S)
        limits = need.limits
        told = (
            ("budget", self.capital_usd, limits.budget_usd, 1e6),
            ("yearly", self.yearly_usd, limits.yearly_usd, 1e6),
            ("power", self.site_w, limits.power_w, 1e6),
            ("area", self.area_m2, limits.area_m2, 1.0),
            ("carbon", self.carbon_kg / 1e3, limits.carbon_t, 1.0),
            (
                "availability",
                1.0 - self.available,
                None if limits.availability is None else 1.0 - limits.availability,
                0.01,
            ),
            ("ready", self.ready_s, limits.ready_s, 7.0 * DAY_S),
        )
        for name, value, most, unit in told:
            if most is not None:
                yield Limit(name, value / unit, most / unit)
