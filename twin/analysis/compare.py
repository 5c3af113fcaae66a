"""Comparison of two runs: differences of their figures and of their ledgers, at their ends or up to a time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np

from twin.analysis.figures import FIGURES, HOUR_S, WORK, Summary, at, nested
from twin.analysis.money_comparison import MoneyComparison, money_compared
from twin.analysis.paired_interval import PairedDifference, difference_of
from twin.analysis.run_cost import RunCost
from twin.analysis.run_mismatch import lengths_apart, sizes_apart
from twin.language import tr
from twin.planning.profile.standing import Standing, least_sure, standing_in
from twin.record.accounts import ACCOUNTS
from twin.record.reader import Reader
from twin.units import spoken


@dataclass(frozen=True)
class JobCourse:
    """Course of the only job of a run.

    Parameters
    ----------
    id, gpus
        The job, and the GPUs that it holds.
    steps
        Kept.
    start_s, until_s
        From its start to its end, or to that of the run [s].
    """

    id: str
    gpus: float
    steps: float
    start_s: float
    until_s: float


@dataclass(frozen=True)
class Sample:
    """Results of one run: figures by key, ledger [GPU s], time [s], GPUs, how sure its steps are, cost, only job."""

    figures: Mapping[str, float | None]
    ledger_gpu_s: Mapping[str, float]
    simulated_s: float | None = None
    gpus: float | None = None
    standing: Standing | None = None
    cost: RunCost | None = field(default=None, compare=False)
    job: JobCourse | None = None


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
    samples
        The runs of A and of B that all of this is of.
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
    samples: tuple[tuple[Sample, ...], tuple[Sample, ...]] = field(default=((), ()), repr=False)

    @property
    def other_gpus(self) -> bool:
        """Return whether A and B are known to have other kinds of GPUs."""
        parts = {sample.cost.parts for side in self.samples for sample in side if sample.cost is not None}
        return len(parts) > 1


def sample_of(summary: Summary, cost: RunCost | None = None) -> Sample:
    """Return the results of a run that a comparison needs; `cost`: what it cost, where that is known."""
    figures = {figure.key: figure.of(summary) for figure in FIGURES}
    ledger = {str(k): float(v) for k, v in summary["ledger_gpu_s"].items()}
    return Sample(
        figures,
        ledger,
        at("simulated_s")(summary),
        at("gpus")(summary),
        standing_in(summary),
        cost,
        _course(summary),
    )


def _course(summary: Summary) -> JobCourse | None:
    """Return the course of the only job of a run; None: there are others, or it has kept no step."""
    jobs = summary.get("jobs", ())
    if len(jobs) != 1 or jobs[0].get("start_s") is None or not jobs[0].get("steps"):
        return None
    (job,) = jobs
    until_s = summary["simulated_s"] if job.get("end_s") is None else job["end_s"]
    return JobCourse(
        str(job["id"]), float(job["gpus"]), float(job["steps"]), float(job["start_s"]), float(until_s)
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
        first, second = ([sample.figures.get(figure.key) for sample in design] for design in (a, b))
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
        standings=(least_sure(sample.standing for sample in a), least_sure(sample.standing for sample in b)),
        money=money_compared([sample.cost for sample in a], [sample.cost for sample in b]),
        ledgers_gpu_h=(_in_hours(ledgers[0]), _in_hours(ledgers[1])),
        samples=(tuple(a), tuple(b)),
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


_OF_LEDGER: Mapping[str, str] = {WORK: "productive", "lost_gpu_h": "lost_work"}
"""Figures that the ledger knows at any time, and the account of each."""


def compare_at(a: Reader, b: Reader, t_s: float) -> Comparison:
    """Return the comparison of two runs up to `t_s` [s]; what happens at that time itself does not count.

    The ledger is that of `t_s`. All other figures are recorded at samples: they are those of the last sample before
    `t_s` that both runs have, and a remark says of when that is. What depends on the past alone is the same in two runs
    of one past, to the last bit.

    Raises
    ------
    RunFileError
        When a file is damaged.
    """
    times_a, times_b = (run.figures()[0] for run in (a, b))
    common = np.intersect1d(times_a[times_a < t_s], times_b)
    figures_s = float(common[-1]) if len(common) else None
    samples = [_sample(run, t_s, figures_s) for run in (a, b)]
    seeds = tuple(dict.fromkeys((a.header.seed, b.header.seed)))
    found = compare(samples[:1], samples[1:], seeds)
    if figures_s is None:
        words = [tr("Only ledger figures are known: an older program recorded one of the runs.")]
    else:
        age = tr(", {time} earlier", time=spoken(t_s - figures_s)) if t_s - figures_s >= 1.0 else ""
        words = [
            tr(
                "GPU time is up to {time}, all other figures of the sample at {figures_time}{age}.",
                time=spoken(t_s),
                figures_time=spoken(figures_s),
                age=age,
            )
        ]
    return replace(found, remarks=(*found.remarks, *words), at_s=t_s, figures_s=figures_s)


def _sample(run: Reader, t_s: float, figures_s: float | None) -> Sample:
    """Return the results of a run up to `t_s` [s], with the figures of its sample at `figures_s` [s]."""
    ledger = dict(run.ledger_range(0.0, t_s, inclusive=False).gpu_s)
    summary = {} if figures_s is None else summary_so_far(run, figures_s)
    figures = {figure.key: figure.of(summary) for figure in FIGURES}
    figures |= {key: ledger.get(account, 0.0) / HOUR_S for key, account in _OF_LEDGER.items()}
    gpus = summary.get("gpus")
    standing = standing_in(run.summary or {})
    return Sample(figures, ledger, t_s, None if gpus is None else float(gpus), standing)


def summary_so_far(run: Reader, t_s: float) -> dict[str, Any]:
    """Return the summary of a run at its last sample up to `t_s` [s], as far as samples hold it."""
    times, figures = run.figures()
    place = int(np.searchsorted(times, t_s, "right")) - 1
    summary: dict[str, Any] = {}
    if place < 0:
        return summary
    t_s = float(times[place])
    summary = nested({name: float(values[place]) for name, values in figures.items()})
    summary["ledger_gpu_s"] = dict(run.ledger_range(0.0, t_s, inclusive=False).gpu_s)
    return summary
