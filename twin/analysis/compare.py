"""Comparison of two runs: differences of their figures and of their ledgers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from twin.analysis.figures import FIGURES, HOUR_S, Summary, at
from twin.analysis.money_comparison import MoneyComparison, money_compared
from twin.analysis.paired import PairedDifference, difference_of
from twin.analysis.run_cost import RunCost
from twin.analysis.run_mismatch import lengths_apart, sizes_apart
from twin.planning.profile.standing import Standing, least_sure, standing_in
from twin.record.accounts import ACCOUNTS


@dataclass(frozen=True)
class Sample:
    """Results of one run: figures by key, ledger [GPU s], time [s], GPUs, how sure its steps are, its cost."""

    figures: Mapping[str, float | None]
    ledger_gpu_s: Mapping[str, float]
    simulated_s: float | None = None
    gpus: float | None = None
    standing: Standing | None = None
    cost: RunCost | None = field(default=None, compare=False)


@dataclass(frozen=True)
class WaterfallStep:
    """One step from A to B: what it adds to productive time [GPU h]."""

    account: str
    gpu_h: float


@dataclass(frozen=True)
class DesignWaterfall:
    """From the productive GPU-hours of A to those of B: ``a_gpu_h`` and all steps add up to ``b_gpu_h``.

    The first step is the GPU time that B has more; each other one an account of the ledger, less in B (it adds)
    or more (it takes away), the largest first.
    """

    a_gpu_h: float
    b_gpu_h: float
    steps: tuple[WaterfallStep, ...]


class Basis(StrEnum):
    """The common past of two runs."""

    RECORDED = "recorded"
    RERUN = "rerun"
    SAME_PAST = "same_past"


@dataclass(frozen=True)
class Comparison:
    """Two designs: the difference of each figure known in both, and the waterfall of the ledger.

    Parameters
    ----------
    remarks
        Sentences on differences of simulated time and of hall size.
    simulated_s
        For how long A and B were simulated, in the mean [s]; None: unknown.
    gpus
        How many A and B have installed, in the mean; None: unknown.
    basis, since_s
        Two recordings, two scenes run from the start, or runs that were one until `since_s` [s].
    at_s, figures_s
        Up to when both are compared [s], and of when the figures are that samples hold; None: as they ended.
    standings
        How sure the step times of A and B are, those of the most doubtful job; None: nothing says.
    money
        What both cost; None where one of them has no books.
    ledgers_gpu_h
        GPU time of each account in A and in B, means over the seeds [GPU h].
    """

    seeds: tuple[int, ...]
    differences: Mapping[str, PairedDifference]
    waterfall: DesignWaterfall
    remarks: tuple[str, ...] = ()
    simulated_s: tuple[float, float] | None = None
    gpus: tuple[float, float] | None = None
    basis: Basis = Basis.RECORDED
    since_s: float | None = None
    at_s: float | None = None
    figures_s: float | None = None
    standings: tuple[Standing | None, Standing | None] = (None, None)
    money: MoneyComparison | None = None
    ledgers_gpu_h: tuple[Mapping[str, float], Mapping[str, float]] = ({}, {})


def sample_of(summary: Summary, cost: RunCost | None = None) -> Sample:
    """Return the results of a run that a comparison needs; `cost`: what it cost, where that is known."""
    figures = {figure.key: figure.of(summary) for figure in FIGURES}
    ledger = {str(k): float(v) for k, v in summary["ledger_gpu_s"].items()}
    return Sample(
        figures, ledger, at("simulated_s")(summary), at("gpus")(summary), standing_in(summary), cost
    )


def compare(
    a: Sequence[Sample],
    b: Sequence[Sample],
    seeds: Sequence[int],
    basis: Basis = Basis.RECORDED,
    since_s: float | None = None,
) -> Comparison:
    """Return the comparison of two designs, of which each has one run for each seed, in the same order.

    Parameters
    ----------
    basis, since_s
        The common past of the runs, and its end [s].
    """
    found = {}
    for figure in FIGURES:
        first, second = ([each.figures.get(figure.key) for each in design] for design in (a, b))
        difference = difference_of(first, second)
        if difference is not None:
            found[figure.key] = difference
    ledgers = [_mean([sample.ledger_gpu_s for sample in design]) for design in (a, b)]
    lengths_s = _means([sample.simulated_s for sample in a], [sample.simulated_s for sample in b])
    gpus = _means([sample.gpus for sample in a], [sample.gpus for sample in b])
    remarks_of = (lengths_apart(*lengths_s) if lengths_s else "", sizes_apart(*gpus) if gpus else "")
    remarks = tuple(remark for remark in remarks_of if remark)
    return Comparison(
        tuple(seeds),
        found,
        waterfall(*ledgers),
        remarks,
        lengths_s,
        gpus,
        basis,
        since_s,
        standings=(least_sure(one.standing for one in a), least_sure(one.standing for one in b)),
        money=money_compared([one.cost for one in a], [one.cost for one in b]),
        ledgers_gpu_h=(_in_hours(ledgers[0]), _in_hours(ledgers[1])),
    )


def waterfall(a_gpu_s: Mapping[str, float], b_gpu_s: Mapping[str, float]) -> DesignWaterfall:
    """Return how the productive time of one ledger becomes that of another [GPU s in, GPU h out]."""
    a, b = ({key: ledger.get(key, 0.0) / HOUR_S for key in ACCOUNTS} for ledger in (a_gpu_s, b_gpu_s))
    steps = [
        WaterfallStep(key, a[key] - b[key]) for key in ACCOUNTS if key != "productive" and a[key] != b[key]
    ]
    steps.sort(key=lambda step: -abs(step.gpu_h))
    more = math.fsum(b.values()) - math.fsum(a.values())
    if more:
        steps.insert(0, WaterfallStep("installed", more))
    return DesignWaterfall(a["productive"], b["productive"], tuple(steps))


def _means(a: Sequence[float | None], b: Sequence[float | None]) -> tuple[float, float] | None:
    """Return the mean of each; None: not all are known."""
    first, second = ([value for value in design if value is not None] for design in (a, b))
    if not first or len(first) != len(a) or not second or len(second) != len(b):
        return None
    return math.fsum(first) / len(first), math.fsum(second) / len(second)


def _in_hours(ledger_gpu_s: Mapping[str, float]) -> dict[str, float]:
    return {key: gpu_s / HOUR_S for key, gpu_s in ledger_gpu_s.items()}


def _mean(ledgers: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {key: math.fsum(ledger.get(key, 0.0) for ledger in ledgers) / len(ledgers) for key in ACCOUNTS}
