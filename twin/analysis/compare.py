"""Two runs held against each other: their figures, and where the GPU time went from one to the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from twin.analysis.paired import Difference, difference_of
from twin.analysis.unlike import lengths_apart, sizes_apart
from twin.record.accounts import ACCOUNTS

HOUR_S = 3600.0
Summary = Mapping[str, Any]
"""The object of ``twin run --json``."""


@dataclass(frozen=True)
class Figure:
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
    """

    key: str
    title: str
    unit: str
    better: int
    of: Callable[[Summary], float | None]


def _at(*path: str) -> Callable[[Summary], float | None]:
    def read(summary: Summary) -> float | None:
        value: Any = summary
        for key in path:
            value = value.get(key) if isinstance(value, Mapping) else None
        return float(value) if isinstance(value, int | float) and math.isfinite(value) else None

    return read


def _mfu(summary: Summary) -> float | None:
    """Mean over jobs, weighted by GPUs and the time they were there."""
    total = weight = 0.0
    for job in summary.get("jobs", ()):
        start_s, mfu = job.get("start_s"), job.get("mfu")
        if start_s is not None and mfu is not None:
            end_s = job["end_s"] if job.get("end_s") is not None else summary["simulated_s"]
            held = job["gpus"] * (end_s - start_s)
            total, weight = total + held * mfu, weight + held
    return total / weight if weight else None


def _lost(summary: Summary) -> float | None:
    lost = _at("ledger_gpu_s", "lost_work")(summary)
    return None if lost is None else lost / HOUR_S


def _done(summary: Summary) -> float | None:
    return float(sum(job.get("state") == "done" for job in summary.get("jobs", ())))


FIGURES: tuple[Figure, ...] = (
    Figure("goodput", "goodput", "share", 1, _at("goodput")),
    Figure("ettr", "ETTR", "share", 1, _at("ettr")),
    Figure("mfu", "MFU", "share", 1, _mfu),
    Figure("jobs_done", "jobs done", "", 1, _done),
    Figure("interruptions", "unexpected interruptions", "", -1, _at("interruptions", "unexpected")),
    Figure("planned", "planned interruptions", "", -1, _at("interruptions", "planned")),
    Figure("lost_gpu_h", "work lost (GPU-hours)", "", -1, _lost),
    Figure("wait_s", "mean wait in the queue", "duration", -1, _at("queue", "wait_mean_s")),
    Figure("energy_j", "energy of the site", "energy", -1, _at("energy", "facility_j")),
    Figure("it_j", "energy of IT", "energy", -1, _at("energy", "it_j")),
    Figure("pue", "PUE", "ratio", -1, _at("pue")),
    Figure("power_max_w", "peak power of the site", "power", -1, _at("power", "facility_max_w")),
    Figure("power_mean_w", "mean power of the site", "power", 0, _at("power", "facility_mean_w")),
    Figure("gpu_max_c", "hottest GPU", "temperature", -1, _at("thermal", "gpu_max_c")),
    Figure("throttle_gpu_s", "throttled by heat (GPU-seconds)", "", -1, _at("thermal", "throttle_gpu_s")),
    Figure("water_l", "water (litres)", "", -1, _at("water_l")),
    Figure("carbon_kg", "carbon (kg)", "", -1, _at("facility", "carbon_kg")),
    Figure("cost_usd", "cost of energy (USD)", "", -1, _at("facility", "cost_usd")),
)


@dataclass(frozen=True)
class Sample:
    """What is kept of one run: its figures by key, its ledger [GPU s], for how long [s] and of how many GPUs it is."""

    figures: Mapping[str, float | None]
    ledger_gpu_s: Mapping[str, float]
    simulated_s: float | None = None
    gpus: float | None = None


@dataclass(frozen=True)
class Step:
    """One step of the way from A to B: what it adds to productive time [GPU h]."""

    account: str
    gpu_h: float


@dataclass(frozen=True)
class Waterfall:
    """From the productive GPU-hours of A to those of B: ``a_gpu_h`` and all steps add up to ``b_gpu_h``.

    The first step is what B has installed more; each other one an account of the ledger that takes less in B (it adds)
    or more (it takes away), the largest first.
    """

    a_gpu_h: float
    b_gpu_h: float
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Comparison:
    """Two designs: the difference of each figure that both know, and the way of the ledger.

    Parameters
    ----------
    remarks
        Sentences on what sets them apart before any figure does: their lengths, the sizes of their halls.
    simulated_s
        For how long A and B were simulated, in the mean [s]; None: unknown.
    """

    seeds: tuple[int, ...]
    differences: Mapping[str, Difference]
    waterfall: Waterfall
    remarks: tuple[str, ...] = ()
    simulated_s: tuple[float, float] | None = None


def sample_of(summary: Summary) -> Sample:
    """Return what a comparison needs of a run."""
    figures = {figure.key: figure.of(summary) for figure in FIGURES}
    ledger = {str(k): float(v) for k, v in summary["ledger_gpu_s"].items()}
    return Sample(figures, ledger, _at("simulated_s")(summary), _at("gpus")(summary))


def compare(a: Sequence[Sample], b: Sequence[Sample], seeds: Sequence[int]) -> Comparison:
    """Return the comparison of two designs, of which each has one run for each seed, in the same order."""
    found = {}
    for figure in FIGURES:
        first, second = ([each.figures.get(figure.key) for each in design] for design in (a, b))
        one = difference_of(first, second)
        if one is not None:
            found[figure.key] = one
    ledgers = [_mean([one.ledger_gpu_s for one in design]) for design in (a, b)]
    lengths_s = _means([one.simulated_s for one in a], [one.simulated_s for one in b])
    gpus = _means([one.gpus for one in a], [one.gpus for one in b])
    said = (lengths_apart(*lengths_s) if lengths_s else "", sizes_apart(*gpus) if gpus else "")
    remarks = tuple(one for one in said if one)
    return Comparison(tuple(seeds), found, waterfall(*ledgers), remarks, lengths_s)


def waterfall(a_gpu_s: Mapping[str, float], b_gpu_s: Mapping[str, float]) -> Waterfall:
    """Return how the productive time of one ledger becomes that of another [GPU s in, GPU h out]."""
    a, b = ({key: one.get(key, 0.0) / HOUR_S for key in ACCOUNTS} for one in (a_gpu_s, b_gpu_s))
    steps = [Step(key, a[key] - b[key]) for key in ACCOUNTS if key != "productive" and a[key] != b[key]]
    steps.sort(key=lambda step: -abs(step.gpu_h))
    more = math.fsum(b.values()) - math.fsum(a.values())
    if more:
        steps.insert(0, Step("installed", more))
    return Waterfall(a["productive"], b["productive"], tuple(steps))


def verdict(comparison: Comparison, a: str = "A", b: str = "B") -> str:
    """Return in words which differences are beyond chance."""
    found = comparison.differences
    alone = all(one.paired is None for one in found.values())
    if alone and not any(one.difference for one in found.values()) and not comparison.waterfall.steps:
        return f"{a} and {b} are the same in every figure and every account of GPU time."
    if alone:
        return (
            "One run of each: whether a difference is more than chance is not known; --seeds 20 repeats both."
        )
    certain = [(figure, found[figure.key]) for figure in FIGURES if _is(found.get(figure.key), True)]
    open_ = [figure.title for figure in FIGURES if _is(found.get(figure.key), False)]
    if not any(found[key].difference for key in found):
        return f"{a} and {b} are the same in every figure and every seed."
    said = [
        f"{figure.title} ({_direction(figure, one.difference)})" for figure, one in certain if one.difference
    ]
    words = (
        f"Beyond chance (95 % of each, paired over {len(comparison.seeds)} seeds): {', '.join(said)}."
        if said
        else f"No difference is beyond chance (95 %, paired over {len(comparison.seeds)} seeds)."
    )
    moved = [title for title in open_ if found[_key(title)].difference]
    return f"{words} Not told from chance: {', '.join(moved)}." if moved else words


def _is(one: Difference | None, beyond: bool) -> bool:
    return one is not None and one.beyond_chance is beyond


def _key(title: str) -> str:
    return next(figure.key for figure in FIGURES if figure.title == title)


def _direction(figure: Figure, difference: float) -> str:
    if figure.better == 0:
        return "more in B" if difference > 0 else "less in B"
    return "B is better" if difference * figure.better > 0 else "B is worse"


def _means(a: Sequence[float | None], b: Sequence[float | None]) -> tuple[float, float] | None:
    """Return the mean of each; None: not all are known."""
    first, second = ([one for one in design if one is not None] for design in (a, b))
    if not first or len(first) != len(a) or not second or len(second) != len(b):
        return None
    return math.fsum(first) / len(first), math.fsum(second) / len(second)


def _mean(ledgers: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {key: math.fsum(one.get(key, 0.0) for one in ledgers) / len(ledgers) for key in ACCOUNTS}
