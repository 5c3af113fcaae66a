"""What a job takes until its work is done in two designs, and how far the stops of their runs are those of the rates.

Each run goes on at its own rate of kept steps until the job is done. A few runs may have had more stops than the rates
of failures give: the same is therefore worked out with as many as these give, each of which takes what a stop took in
the runs. That is a control variate: the number of stops is known in the mean, so its luck need not stay in the figure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twin.analysis.compare import Sample
from twin.analysis.money_comparison import ComparedAmount, compared_amount
from twin.arrays import Floats
from twin.economics.price_draws import SAMPLES
from twin.language import tr
from twin.record.accounts import NODE_WAITS, RESTING, STOP_COSTS

DAY_S, GWH_J = 86_400.0, 3.6e12
Ends = tuple[float, float]
"""P5 and P95."""
_ENDS = (0.05, 0.95)


@dataclass(frozen=True)
class StopsSeen:
    """Stops in the runs of a design beside those that the rates give.

    Parameters
    ----------
    runs
        How many.
    drawn, expected
        Stops of all runs together, planned ones too, and in the mean of many as long.
    each_s
        Time of the job that one took, in the mean [s].
    held_s
        Time of the job in all runs together [s].
    """

    runs: int
    drawn: float
    expected: float
    each_s: float
    held_s: float

    @property
    def by_chance(self) -> float:
        """Return how far the number of stops of all runs is from its mean by chance: its standard deviation."""
        return math.sqrt(self.expected)

    @property
    def share_by_chance(self) -> float:
        """Return how far the share of kept time of one run scatters by its number of stops alone [-]."""
        return math.sqrt(self.expected / self.runs) * self.each_s / (self.held_s / self.runs)


@dataclass(frozen=True)
class JobAmounts:
    """What the whole job takes in A and B: time [d], cost [USD], None where it is unknown, and energy [GWh]."""

    days: ComparedAmount
    cost: ComparedAmount | None
    energy: ComparedAmount | None

    @property
    def rows(self) -> tuple[ComparedAmount, ...]:
        """Return those that are known."""
        return tuple(row for row in (self.days, self.cost, self.energy) if row is not None)


@dataclass(frozen=True)
class WholeJob:
    """A job until its work is done, in A and B.

    Parameters
    ----------
    seen
        By the rates of the runs as they were.
    expected
        With as many stops as the rates of failures give; None: these are unknown.
    """

    seen: JobAmounts
    expected: JobAmounts | None


@dataclass(frozen=True)
class OneJob:
    """P5 and P95 of one such job in A and in B: its time by luck with failures, its cost by that and the prices.

    Parameters
    ----------
    draws
        Histories of failures.
    days, usd, energy_gwh
        Of A and of B [d], [USD], [GWh]; None: unknown.
    """

    draws: int
    days: tuple[Ends, Ends]
    usd: tuple[Ends, Ends] | None
    energy_gwh: tuple[Ends, Ends] | None


def stops_seen(samples: Sequence[Sample], rate_s: float) -> StopsSeen | None:
    """Return the stops of the runs of a design beside those that a rate gives; None: one of the runs does not say.

    Parameters
    ----------
    rate_s
        Stops of the job while it is whole [1/s].
    """
    if not samples or not rate_s or any(_count(sample) is None for sample in samples):
        return None
    drawn = math.fsum(_count(sample) or 0.0 for sample in samples)
    whole_s = math.fsum(_held_s(sample) - _seconds(sample, NODE_WAITS) for sample in samples)
    each_s = math.fsum(_seconds(sample, STOP_COSTS) for sample in samples) / drawn if drawn else 0.0
    held_s = math.fsum(_held_s(sample) for sample in samples)
    return StopsSeen(len(samples), drawn, rate_s * whole_s, each_s, held_s) if whole_s > 0.0 else None


def whole_job(
    a: Sequence[Sample],
    b: Sequence[Sample],
    steps: tuple[float, float],
    rates_s: tuple[float, float] | None = None,
) -> WholeJob | None:
    """Return what the only job takes in A and B until its work is done; None: a run kept no step, or has other jobs.

    Parameters
    ----------
    a, b
        Runs of each design, one for each seed.
    steps
        Of the whole job in A and in B.
    rates_s
        Stops of the job while it is whole, in A and in B [1/s]; None: unknown.
    """
    if not a or any(sample.job is None or not sample.simulated_s for sample in (*a, *b)):
        return None
    seen = _amounts(a, b, steps, (np.ones(len(a)), np.ones(len(b))))
    if rates_s is None:
        return WholeJob(seen, None)
    first, second = (_at_expected(side, rate_s) for side, rate_s in zip((a, b), rates_s, strict=True))
    if first is None or second is None:
        return WholeJob(seen, None)
    return WholeJob(seen, _amounts(a, b, steps, (first, second)))


def one_job(
    a: Sequence[Sample],
    b: Sequence[Sample],
    steps: tuple[float, float],
    rates_s: tuple[float, float],
    luck: tuple[Floats, Floats],
) -> OneJob:
    """Return the range of one such job in A and in B about what it takes with the mean stops.

    It goes on at the mean pace, power and cost of the runs; each history of failures meets each draw of the prices.

    Parameters
    ----------
    a, b, steps, rates_s
        As of `whole_job`, which knows what the job takes.
    luck
        By what luck multiplies the time in each history of A and of B, shape (draws,) each, of mean 1 [-].
    """
    factors = [_at_expected(side, rate_s) for side, rate_s in zip((a, b), rates_s, strict=True)]
    if any(each is None for each in factors):
        factors = [np.ones(len(side)) for side in (a, b)]
    sides = [
        _Carried.on(samples, whole, each)
        for samples, whole, each in zip((a, b), steps, factors, strict=True)
        if each is not None
    ]

    def ends(name: str) -> tuple[Ends, Ends] | None:
        values = [getattr(side, name) for side in sides]
        if any(each is None for each in values):
            return None
        means = [each.mean(axis=0) for each in values]
        if name != "usd":  # no price moves it
            means = [each[:1] for each in means]
        of_a, of_b = (
            np.quantile(np.outer(times, each), _ENDS).tolist()
            for times, each in zip(luck, means, strict=True)
        )
        return (of_a[0], of_a[1]), (of_b[0], of_b[1])

    days = ends("days")
    assert days is not None
    return OneJob(len(luck[0]), days, ends("usd"), ends("energy_gwh"))


def _amounts(
    a: Sequence[Sample], b: Sequence[Sample], steps: tuple[float, float], factors: tuple[Floats, Floats]
) -> JobAmounts:
    """Return the amounts; `factors`: what kept steps are multiplied by, shape (seeds,) each [-]."""
    of_a, of_b = (_Carried.on(*side) for side in zip((a, b), steps, factors, strict=True))
    cost = energy = None
    if of_a.usd is not None and of_b.usd is not None:
        cost = compared_amount("job_usd", tr("Cost"), of_a.usd, of_b.usd)
    if of_a.energy_gwh is not None and of_b.energy_gwh is not None:
        title = tr("Facility energy")
        energy = compared_amount("job_energy", title, of_a.energy_gwh, of_b.energy_gwh, "GWh")
    days = compared_amount("job_days", tr("Time"), of_a.days, of_b.days, "d")
    return JobAmounts(days, cost, energy)


@dataclass(frozen=True)
class _Carried:
    """Runs of a design that go on until the job is done: days, USD and GWh, shape (seeds, draws) each."""

    days: Floats
    usd: Floats | None
    energy_gwh: Floats | None

    @classmethod
    def on(cls, samples: Sequence[Sample], steps: float, factors: Floats) -> _Carried:
        until_s = np.array(
            [
                _until_s(sample, steps * float(kept))
                for sample, kept in zip(samples, 1.0 / factors, strict=True)
            ]
        )
        share = until_s / np.array([sample.simulated_s for sample in samples], np.float64)
        costs = [sample.cost.total_usd for sample in samples if sample.cost is not None]
        drawn_j = [sample.figures.get("energy_j") for sample in samples]
        known_j = [energy_j for energy_j in drawn_j if energy_j is not None]
        return cls(
            _drawn(until_s / DAY_S),
            np.array(costs) * share[:, None] if len(costs) == len(samples) else None,
            _drawn(np.array(known_j) * share / GWH_J) if len(known_j) == len(samples) else None,
        )


def _drawn(values: Floats) -> Floats:
    """Return values that no price moves as draws, shape (seeds, draws)."""
    return np.repeat(values[:, None], SAMPLES, axis=1)


def _until_s(sample: Sample, steps: float) -> float:
    """Return when a job that goes on as in a run has kept so many steps [s]."""
    job = sample.job
    assert job is not None
    return job.start_s + (job.until_s - job.start_s) * steps / job.steps


def _at_expected(samples: Sequence[Sample], rate_s: float) -> Floats | None:
    """Return by what the kept steps of each run grow with as many stops as a rate gives, shape (seeds,) [-].

    Of the time that the job is whole, stops take what they took, plus or minus that of the stops more or fewer.
    """
    stops = stops_seen(samples, rate_s)
    if stops is None or not stops.drawn:
        return None
    factors = []
    for sample in samples:
        whole_s = _held_s(sample) - _seconds(sample, NODE_WAITS)
        took_s = _seconds(sample, STOP_COSTS)
        more = rate_s * whole_s - (_count(sample) or 0.0)
        factor = kept_factor(whole_s, took_s, more * stops.each_s)
        if factor is None:
            return None
        factors.append(factor)
    return np.array(factors)


def kept_factor(whole_s: float, took_s: float, more_s: float) -> float | None:
    """Return by what the kept steps of a job grow if its stops take more or less time [-]; None: they take it all.

    Parameters
    ----------
    whole_s
        Time in which the job has all its nodes [s].
    took_s, more_s
        What stops took of it, and what they are to take beyond that, less than 0: what less [s].

    Examples
    --------
    >>> kept_factor(100.0, 10.0, -4.5)
    1.05
    """
    takes_s = max(0.0, took_s + more_s)
    return None if takes_s >= whole_s or took_s >= whole_s else (whole_s - takes_s) / (whole_s - took_s)


def _count(sample: Sample) -> float | None:
    """Return the stops of a run, planned ones too; None: unknown."""
    unexpected, planned = sample.figures.get("interruptions"), sample.figures.get("planned")
    return None if sample.job is None or unexpected is None else unexpected + (planned or 0.0)


def _held_s(sample: Sample) -> float:
    return _seconds(sample, [account for account in sample.ledger_gpu_s if account not in RESTING])


def _seconds(sample: Sample, accounts: Sequence[str]) -> float:
    """Return the time of some accounts as that of the whole job [s]."""
    assert sample.job is not None
    return math.fsum(sample.ledger_gpu_s.get(account, 0.0) for account in accounts) / sample.job.gpus
