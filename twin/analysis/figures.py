"""The figures by which runs are compared, and their places in the summary of a run; how long its repairs take."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from twin.language import tr

HOUR_S, KWH_J = 3600.0, 3.6e6
WORK = "productive_gpu_h"
"""Key of the work that was done."""
Summary = Mapping[str, Any]
"""The object of ``twin run --json``."""


@dataclass(frozen=True)
class ComparedFigure:
    """A figure that is compared.

    Parameters
    ----------
    key, title
        Its name, for programs and for people.
    unit
        "share", "" (a count), or a dimension of `twin.units`.
    better
        1: more is better; -1: less is; 0: neither.
    of
        Reads it from a summary; None: unknown.
    total
        It grows with the work that is done, so that less of it is better only where no less is done for it.
    extensive
        It grows with the hall and with the time: between halls of other sizes it says nothing of which is better.
    per_gpu_h
        It is of a productive GPU-hour: between other kinds of GPUs, which do other work in an hour, neither does it.
    """

    key: str
    title: str
    unit: str
    better: int
    of: Callable[[Summary], float | None]
    total: bool = False
    extensive: bool = False
    per_gpu_h: bool = False


def at(*path: str) -> Callable[[Summary], float | None]:
    """Return a function that reads the number at a path of a summary; None without one."""

    def read(summary: Summary) -> float | None:
        value: Any = summary
        for key in path:
            value = value.get(key) if isinstance(value, Mapping) else None
        return float(value) if isinstance(value, int | float) and math.isfinite(value) else None

    return read


def nested(figures: Mapping[str, float]) -> dict[str, Any]:
    """Return figures whose names are paths of the summary as a summary; what is not finite is None.

    >>> nested({"pue": 1.2, "energy.it_j": math.nan})
    {'pue': 1.2, 'energy': {'it_j': None}}
    """
    summary: dict[str, Any] = {}
    for name, value in figures.items():
        inner = summary
        *path, last = name.split(".")
        for key in path:
            inner = inner.setdefault(key, {})
        inner[last] = value if math.isfinite(value) else None
    return summary


def water_per_it(summary: Summary) -> float | None:
    """Return the water per IT energy [L/kWh]; None where the PUE is unknown: no IT has run."""
    water_l, it_j = at("water_l")(summary), at("energy", "it_j")(summary)
    if water_l is None or not it_j or at("pue")(summary) is None:
        return None
    return water_l * KWH_J / it_j


def _mfu(summary: Summary) -> float | None:
    """Return the mean MFU of jobs, weighted by GPUs and run time; or the recorded mean."""
    if "jobs" not in summary:
        return at("mfu")(summary)
    total = weight = 0.0
    for job in summary.get("jobs", ()):
        start_s, mfu = job.get("start_s"), job.get("mfu")
        if start_s is not None and mfu is not None:
            end_s = job["end_s"] if job.get("end_s") is not None else summary["simulated_s"]
            held = job["gpus"] * (end_s - start_s)
            total, weight = total + held * mfu, weight + held
    return total / weight if weight else None


def _productive(summary: Summary) -> float | None:
    """Return the GPU-hours whose steps were kept."""
    kept_s = at("ledger_gpu_s", "productive")(summary)
    return None if kept_s is None else kept_s / HOUR_S


def _per_work(*path: str) -> Callable[[Summary], float | None]:
    """Return a function that reads a number per productive GPU-hour; None without productive time."""
    number = at(*path)

    def read(summary: Summary) -> float | None:
        value, hours = number(summary), _productive(summary)
        return value / hours if value is not None and hours else None

    return read


def _lost(summary: Summary) -> float | None:
    lost = at("ledger_gpu_s", "lost_work")(summary)
    return None if lost is None else lost / HOUR_S


def _done(summary: Summary) -> float | None:
    if "jobs" not in summary:
        return at("jobs_done")(summary)
    return float(sum(job.get("state") == "done" for job in summary.get("jobs", ())))


def _extensive(
    key: str,
    title: str,
    unit: str,
    better: int,
    of: Callable[[Summary], float | None],
    *,
    total: bool = False,
) -> ComparedFigure:
    """Return a figure that grows with the hall and the time; `total`: with the work, too."""
    return ComparedFigure(key, title, unit, better, of, total, extensive=True)


FIGURES: tuple[ComparedFigure, ...] = (
    ComparedFigure("goodput", tr("goodput"), "share", 1, at("goodput")),
    ComparedFigure("ettr", "ETTR", "share", 1, at("ettr")),
    ComparedFigure("mfu", "MFU", "share", 1, _mfu),
    _extensive(WORK, tr("productive GPU-hours"), "", 1, _productive),
    _extensive("jobs_done", tr("jobs completed"), "", 1, _done),
    _extensive("interruptions", tr("unexpected interruptions"), "", -1, at("interruptions", "unexpected")),
    _extensive("planned", tr("planned interruptions"), "", -1, at("interruptions", "planned")),
    _extensive("lost_gpu_h", tr("lost work (GPU-hours)"), "", -1, _lost),
    ComparedFigure("wait_s", tr("mean wait time"), "duration", -1, at("queue", "wait_mean_s")),
    _extensive("energy_j", tr("facility energy"), "energy", -1, at("energy", "facility_j"), total=True),
    ComparedFigure(
        "energy_per_gpu_h",
        tr("facility energy per productive GPU-hour"),
        "energy",
        -1,
        _per_work("energy", "facility_j"),
        per_gpu_h=True,
    ),
    _extensive("it_j", tr("IT energy"), "energy", -1, at("energy", "it_j"), total=True),
    ComparedFigure("pue", "PUE", "ratio", -1, at("pue")),
    ComparedFigure("wue", "WUE (L/kWh)", "", -1, water_per_it),
    _extensive("power_max_w", tr("peak facility power"), "power", -1, at("power", "facility_max_w")),
    _extensive("power_mean_w", tr("mean facility power"), "power", 0, at("power", "facility_mean_w")),
    ComparedFigure("gpu_max_c", tr("max. GPU temperature"), "temperature", -1, at("thermal", "gpu_max_c")),
    _extensive(
        "throttle_gpu_s", tr("throttled GPU time (GPU-seconds)"), "", -1, at("thermal", "throttle_gpu_s")
    ),
    _extensive("water_l", tr("water (L)"), "", -1, at("water_l"), total=True),
    _extensive("carbon_kg", tr("carbon (kg)"), "", -1, at("facility", "carbon_kg"), total=True),
    _extensive("cost_usd", tr("energy cost (USD)"), "", -1, at("facility", "cost_usd"), total=True),
    ComparedFigure(
        "carbon_per_gpu_h",
        tr("carbon per productive GPU-hour (kg)"),
        "",
        -1,
        _per_work("facility", "carbon_kg"),
        per_gpu_h=True,
    ),
    ComparedFigure(
        "cost_per_gpu_h",
        tr("energy cost per productive GPU-hour (USD)"),
        "",
        -1,
        _per_work("facility", "cost_usd"),
        per_gpu_h=True,
    ),
)


@dataclass(frozen=True)
class RepairTime:
    """Repair times of a run: where some repairs are still open, those that have ended are the short ones.

    Parameters
    ----------
    ended, open
        How many repairs have ended, and how many have not.
    ended_s
        Mean of those that have ended [s]; None: none has, or nobody knows.
    at_least_s
        Mean of all that have begun, those still open counted up to now: the mean time to repair is this or more [s].
        Without open ones it is the mean. None: nothing has begun, or nobody knows.
    nodes
        In repair at a time, in the mean.
    """

    ended: int
    open: int
    ended_s: float | None
    at_least_s: float | None
    nodes: float

    @property
    def begun(self) -> int:
        """Return how many repairs have begun."""
        return self.ended + self.open


def repair_time(summary: Summary) -> RepairTime | None:
    """Return the repair times of a run from its summary; None: an older program made it."""
    repairs, down = summary.get("repairs"), summary.get("failures", {}).get("down")
    if not repairs or down is None:
        return None
    ended, still = int(repairs["done"]), int(repairs["open"])
    at_least_s = repairs["mean_down_s"]
    if still:
        in_repair_s = float(down["mean"]) * float(summary["simulated_s"])  # of all nodes together
        at_least_s = in_repair_s / (ended + still)
    return RepairTime(ended, still, repairs["mean_down_s"], at_least_s, float(down["mean"]))
