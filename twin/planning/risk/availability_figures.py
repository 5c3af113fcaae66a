"""Figures of how available a hall is: of its systems, of what costs most, of what is left to a job."""

from __future__ import annotations

from dataclasses import dataclass

from twin.units import parse

YEAR_S = parse("1 year", "duration")
HOUR_S = 3600.0


@dataclass(frozen=True)
class Contributor:
    """What takes power or cooling, alike cases together.

    Attributes
    ----------
    what
        In words, with the ids of the first of them.
    targets
        Ids of all items that take part, for selecting them.
    outages
        A year.
    hours
        A year.
    gpus
        That one such outage takes.
    gpu_hours
        That are lost a year.
    """

    what: str
    targets: tuple[str, ...]
    outages: float
    hours: float
    gpus: int
    gpu_hours: float


@dataclass(frozen=True)
class SystemAvailability:
    """How available a system is.

    Attributes
    ----------
    system
        power, cooling, network, or site: power and cooling.
    available
        Share of the time in which no GPU lacks it [-].
    outages
        A year in which any GPU lacks it.
    hours
        A year in which any GPU lacks it.
    of_gpus
        Mean share of the time in which a GPU has it [-].
    """

    system: str
    available: float
    outages: float
    hours: float
    of_gpus: float


@dataclass(frozen=True)
class JobAvailability:
    """What outages of the site and repairs of nodes leave to a job.

    Attributes
    ----------
    job, nodes, pool
        The job, its nodes, and those it may have: its own and its spares.
    interruptions
        A year, by power, cooling and network.
    hours
        A year that they cost: the outage, the restart and half an interval between checkpoints.
    in_service
        Chance that enough nodes of the pool are in service; None where no node fails by itself.
    """

    job: str
    nodes: int
    pool: int
    interruptions: float
    hours: float
    in_service: float | None


@dataclass(frozen=True)
class HallAvailability:
    """Availability of a hall.

    Attributes
    ----------
    systems
        Power, cooling, network, and the site; those that the scene has nothing of are not there.
    worst
        What costs most GPU-hours, worst first.
    without_rate
        Machines that never fail here, as no rate is known.
    job
        What that leaves to a job; None without one.
    in_runs
        Whether machines fail in runs of this scene too.
    """

    systems: tuple[SystemAvailability, ...]
    worst: tuple[Contributor, ...]
    without_rate: tuple[str, ...]
    job: JobAvailability | None = None
    in_runs: bool = False

    def system(self, name: str) -> SystemAvailability:
        """Return a system by name."""
        return next(found for found in self.systems if found.system == name)


@dataclass(frozen=True)
class Exposure:
    """A job, as far as outages of the site concern it: nodes, spares, what an outage costs beyond itself [s]."""

    job: str
    nodes: int
    spares: int
    after_s: float
    mean_down: float
