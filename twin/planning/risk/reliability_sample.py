"""One job of a cluster failing and recovering, many times over: the Monte Carlo fast path.

The reliability model of the engine without power, heat and network: nodes fail at Poisson times, go into repair for
times with a heavy tail, spares take their places, and the job restarts. Failures are drawn for the whole fleet at once
(superposition), and those of nodes already in repair are thrown away (thinning), so every run has its own list of
candidates and all runs take their k-th one together. When the job was up follows from that alone; what it kept, for
any interval between checkpoints, follows from when it was up. So sweeps see the same failures at every interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from twin.arrays import Floats, Ints64
from twin.physics import reliability
from twin.physics.reliability import RepairQuantiles

DAY_S = 86400.0
CELLS = 4_000_000
"""Runs times nodes that are worked on at once: some tens of MB."""
ENOUGH = 64
"""Spares beyond four times the mean number in repair that change nothing any more [-]."""


@dataclass(frozen=True, slots=True)
class SampledCause:
    """One cause of interruption.

    Attributes
    ----------
    rate_s
        Of one node [1/s].
    repair
        How long the node is away: a time [s], or quantiles.
    detection_s
        Until it is noticed [s].
    planned
        Counted apart.
    """

    rate_s: float
    repair: float | RepairQuantiles = 0.0
    detection_s: float = 0.0
    planned: bool = False

    @property
    def mean_repair_s(self) -> float:
        """Mean time away [s]."""
        return self.repair.mean_s if isinstance(self.repair, RepairQuantiles) else self.repair


@dataclass(frozen=True, slots=True)
class ReliabilityModel:
    """Failure, repair and checkpoint parameters of one job.

    Attributes
    ----------
    nodes, spares
        Nodes of the job, and nodes that stand by for it; a failed one stands by again after its repair.
    causes
        What fails; all rates may be 0.
    horizon_s
        How long it is watched, from its start on [s].
    first_start_s
        From the start to the first step [s].
    restart_s, swap_s
        From the moment its nodes are complete to the first step [s], and the same more when nodes were exchanged.
    lemons
        Whether nodes differ (gamma, shape 0.93).
    """

    nodes: int
    spares: int
    causes: tuple[SampledCause, ...]
    horizon_s: float
    first_start_s: float = 0.0
    restart_s: float = 0.0
    swap_s: float = 0.0
    lemons: bool = False

    @property
    def node_rate_s(self) -> float:
        """Failures of one node [1/s]."""
        return sum(cause.rate_s for cause in self.causes)

    @property
    def mean_repair_s(self) -> float:
        """Mean time that a failure takes a node away [s]."""
        rate = self.node_rate_s
        return sum(c.rate_s * c.mean_repair_s for c in self.causes) / rate if rate else 0.0

    @property
    def mean_between_s(self) -> float:
        """Mean time between interruptions while the job is whole, M [s]."""
        rate = self.nodes * self.node_rate_s
        return 1.0 / rate if rate else math.inf


@dataclass(frozen=True, slots=True)
class Histories:
    """When the job of each run was up.

    Attributes
    ----------
    up_s
        Time from a start to the interruption after it or to the end, shape (intervals, runs); 0: there is none [s].
    unexpected, planned
        Interruptions, shape (runs,); what strikes a job that stands already is none.
    detection_s, waiting_s, restart_s
        Spent before steps went on: until noticed, without a spare, restarting, shape (runs,) [s].
    down
        Mean number of nodes in repair, of all that are the job's or stand by, shape (runs,).
    horizon_s
        What all times of a run sum to [s].
    """

    up_s: Floats
    unexpected: Ints64
    planned: Ints64
    detection_s: Floats
    waiting_s: Floats
    restart_s: Floats
    down: Floats
    horizon_s: float

    @property
    def interruptions(self) -> Ints64:
        """All of each run."""
        total: Ints64 = self.unexpected + self.planned
        return total


@dataclass(frozen=True, slots=True)
class UptimeShares:
    """Split of the time that the job was up, shape (runs,) each [s]."""

    ettr: Floats
    kept_s: Floats
    lost_s: Floats
    checkpoint_s: Floats


def with_checkpoints(
    history: Histories, interval_s: float, pause_s: float, drain_s: float = 0.0
) -> UptimeShares:
    """Return the productive and lost time of the job at a given checkpoint interval.

    Work since the last durable checkpoint is lost at an interruption; what is under way at the end is kept.

    Parameters
    ----------
    history
        What `sample` returns.
    interval_s
        Work between checkpoints [s]; infinite: none is saved.
    pause_s, drain_s
        Blocking part of a write, and the time after it until it is durable [s].
    """
    up = history.up_s
    cycle_s = interval_s + pause_s
    if math.isinf(interval_s):
        worked, durable = up, np.zeros_like(up)
    else:
        rounds = np.floor(up / cycle_s)
        worked = rounds * interval_s + np.minimum(up - rounds * cycle_s, interval_s)
        durable = np.maximum(np.floor((up - drain_s) / cycle_s), 0.0) * interval_s
    durable[-1] = worked[-1]  # the interval that the end cuts off
    kept, total = durable.sum(axis=0), worked.sum(axis=0)
    return UptimeShares(kept / history.horizon_s, kept, total - kept, up.sum(axis=0) - total)


def sample(model: ReliabilityModel, runs: int = 1000, seed: int = 1) -> Histories:
    """Return the history of the job in each of `runs` independent runs.

    The same seed draws the same failures whatever the restart and detection times are.

    Parameters
    ----------
    model
        What it goes through.
    runs
        How many, >= 1.
    seed
        Of all draws, >= 0.
    """
    spares = _spares_that_count(model)
    at_once = max(1, CELLS // (model.nodes + spares))
    scale = reliability.lemon_scale(model.node_rate_s * model.mean_repair_s) if model.lemons else 1.0
    parts = [
        _Run(model, spares, min(at_once, runs - begin), np.random.default_rng([seed, begin]), scale).history()
        for begin in range(0, runs, at_once)
    ]
    longest = max(len(part.up_s) for part in parts)
    merged = {
        column.name: np.concatenate([getattr(part, column.name) for part in parts])
        for column in fields(Histories)
        if column.name not in ("up_s", "horizon_s")
    }
    up_s = np.concatenate([_padded(part.up_s, longest) for part in parts], axis=1)
    return Histories(up_s=up_s, horizon_s=model.horizon_s, **merged)


def _padded(up_s: Floats, length: int) -> Floats:
    """Return intervals with empty ones in front, so that the last stays the last."""
    result = np.zeros((length, up_s.shape[1]))
    result[length - len(up_s) :] = up_s
    return result


def _spares_that_count(model: ReliabilityModel) -> int:
    in_repair = model.nodes * model.node_rate_s * model.mean_repair_s
    return min(model.spares, ENOUGH + math.ceil(4 * in_repair))


class _Run:
    """All runs of one block, advanced candidate by candidate.

    Places 0..nodes-1 are the job's, those behind are spares. A place holds the time from which its node can be used: in
    a place of the job that lies ahead while the job waits for a node in repair, always the one that is back first.
    """

    def __init__(
        self, model: ReliabilityModel, spares: int, runs: int, rng: np.random.Generator, scale: float = 1.0
    ) -> None:
        self.model, self.runs, self.scale = model, runs, scale
        self.fleet = model.nodes + spares
        self.free_s = np.zeros((runs, self.fleet))
        self.place: Ints64 | None = None  # of each node, where nodes differ
        self.holder: Ints64 | None = None  # and which node is at each place
        self._draw(rng)
        self.spent_s = np.zeros((3, runs))  # detection, waiting, restart
        self.unexpected, self.planned = np.zeros((2, runs), np.int64)
        self.down_s = np.zeros(runs)
        self.booked_s = np.zeros(runs)
        self.noticed_s, self.whole_s = np.zeros((2, runs))
        self.up_from_s = np.full(runs, model.first_start_s)

    def _draw(self, rng: np.random.Generator) -> None:
        """Draw all candidates: time, node, cause and repair, shape (candidates, runs)."""
        model, runs, fleet = self.model, self.runs, self.fleet
        rates = np.array([cause.rate_s for cause in model.causes])
        rate_s = np.full(runs, fleet * model.node_rate_s)
        quality = None
        if model.lemons and model.node_rate_s:
            shape = reliability.LEMON_SHAPE
            quality = rng.standard_gamma(shape, (runs, fleet)) * (self.scale / shape)
            rate_s = quality.sum(axis=1) * model.node_rate_s
        expected = float(rate_s.max(initial=0.0)) * model.horizon_s
        count = math.ceil(expected + 6 * math.sqrt(expected) + 6) if expected else 0
        gaps = rng.standard_exponential((count, runs)) / np.where(rate_s > 0, rate_s, 1.0)
        self.at_s = np.cumsum(gaps, axis=0)
        dice = rng.random((count, runs))
        if quality is None:
            self.node = np.minimum((dice * fleet).astype(np.int64), fleet - 1)
        else:
            self.node = _weighted(quality, dice)
            self.place = np.tile(np.arange(fleet), (runs, 1))
            self.holder = self.place.copy()
        shares = np.cumsum(rates) / rates.sum() if count else np.zeros(0)
        of = np.searchsorted(shares, rng.random((count, runs)), side="right").clip(0, max(len(rates) - 1, 0))
        self.repair_s = self._repairs(of, rng.random((count, runs)))
        self.detection_s = (
            np.array([c.detection_s for c in model.causes])[of] if count else np.zeros((0, runs))
        )
        self.is_planned = (
            np.array([c.planned for c in model.causes], bool)[of] if count else np.zeros((0, runs), bool)
        )

    def _repairs(self, of: Ints64, dice: Floats) -> Floats:
        times = np.zeros(of.shape)
        kinds: dict[float | RepairQuantiles, list[int]] = {}
        for index, cause in enumerate(self.model.causes):
            kinds.setdefault(cause.repair, []).append(index)
        for repair, members in kinds.items():
            of_kind = np.isin(of, members)
            if isinstance(repair, RepairQuantiles):
                times[of_kind] = reliability.repair_time_s(repair, dice[of_kind])
            else:
                times[of_kind] = repair
        return times

    def history(self) -> Histories:
        """Run to the horizon."""
        horizon_s = self.model.horizon_s
        up_s = list(self._strikes())
        up_s.append(self._book(np.arange(self.runs), np.full(self.runs, horizon_s)))
        detection_s, waiting_s, restart_s = self.spent_s
        down = self.down_s / horizon_s
        counts = self.unexpected, self.planned
        return Histories(np.array(up_s), *counts, detection_s, waiting_s, restart_s, down, horizon_s)

    def _strikes(self) -> Iterator[Floats]:
        """Take the candidates of all runs, the k-th of each at a time; yield how long those they stop had been up."""
        model = self.model
        for at_s, node, repair_s, detection_s, planned in zip(
            self.at_s, self.node, self.repair_s, self.detection_s, self.is_planned, strict=True
        ):
            runs = np.flatnonzero(at_s <= model.horizon_s)
            if not runs.size:
                return
            places = node[runs] if self.place is None else self.place[runs, node[runs]]
            sound = self.free_s[runs, places] <= at_s[runs]
            runs, places = runs[sound], places[sound]
            now, away_s = at_s[runs], repair_s[runs]
            self.free_s[runs, places] = now + away_s
            self.down_s[runs] += np.minimum(away_s, model.horizon_s - now)
            of_job = places < model.nodes
            runs, places, now, away_s = runs[of_job], places[of_job], now[of_job], away_s[of_job]
            up_s = np.zeros(self.runs)
            up_s[runs] = self._book(runs, now)
            self._interrupt(runs, places, now, away_s, detection_s[runs], planned[runs])
            yield up_s

    def _book(self, runs: Ints64, now: Floats) -> Floats:
        """Book the time of `runs` until `now`; return how long they have been up."""
        since, ends = self.booked_s[runs], (self.noticed_s[runs], self.whole_s[runs], self.up_from_s[runs])
        for spent_s, end in zip(self.spent_s, ends, strict=True):
            until = np.clip(end, since, now)
            spent_s[runs] += until - since
            since = until
        self.booked_s[runs] = now
        up: Floats = now - since
        return up

    def _interrupt(
        self,
        runs: Ints64,
        places: Ints64,
        now: Floats,
        away_s: Floats,
        detection_s: Floats,
        planned: NDArray[np.bool_],
    ) -> None:
        """Stop the job of `runs` now, and find when it steps again."""
        model = self.model
        noticed, whole = self.noticed_s[runs], self.whole_s[runs]
        stops = now >= whole
        self.planned[runs] += planned & stops
        self.unexpected[runs] += ~planned & stops
        # one more while it is being noticed changes nothing; one while it waits for nodes is seen at once
        noticed = np.where(now < noticed, noticed, np.where(now < whole, now, now + detection_s))
        lost = now + away_s > noticed
        self._exchange(runs[lost], places[lost], noticed[lost])
        whole = np.maximum(whole, noticed)
        whole[lost] = np.maximum(whole[lost], self.free_s[runs[lost], places[lost]])
        self.noticed_s[runs], self.whole_s[runs] = noticed, whole
        swap_s = np.where(
            lost & (whole <= noticed), model.swap_s, 0.0
        )  # nobody is drained while it waits anyway
        self.up_from_s[runs] = whole + swap_s + model.restart_s

    def _exchange(self, runs: Ints64, places: Ints64, now: Floats) -> None:
        """Give the job of `runs` a node that can be used `now`, or first, instead of the one at `places`.

        Of those that stand by it takes the first in the order of the hall, as a run does: who served before.
        """
        if self.fleet == self.model.nodes or not runs.size:
            return
        free_s = self.free_s[runs, self.model.nodes :]
        if self.holder is not None:
            first = self.holder[runs, self.model.nodes :] - float(self.fleet)  # below all times
            free_s = np.where(free_s <= now[:, None], first, free_s)
        spare = self.model.nodes + np.argmin(free_s, axis=1)
        sooner = self.free_s[runs, spare] < self.free_s[runs, places]
        runs, places, spare = runs[sooner], places[sooner], spare[sooner]
        self.free_s[runs, places], self.free_s[runs, spare] = (
            self.free_s[runs, spare],
            self.free_s[runs, places],
        )
        if self.place is not None and self.holder is not None:
            leaves, joins = self.holder[runs, places], self.holder[runs, spare]
            self.holder[runs, places], self.holder[runs, spare] = joins, leaves
            self.place[runs, joins], self.place[runs, leaves] = places, spare


def _weighted(weight: Floats, dice: Floats) -> Ints64:
    """Return a node of each run by its weight; weights shape (runs, nodes), dice and result (candidates, runs)."""
    result = np.empty(dice.shape, np.int64)
    for run, row in enumerate(np.cumsum(weight, axis=1)):
        result[:, run] = np.searchsorted(row, dice[:, run] * row[-1]).clip(0, len(row) - 1)
    return result


@dataclass(frozen=True, slots=True)
class FigureSpread:
    """A figure over all runs."""

    mean: float
    error: float
    low: float
    median: float
    high: float


def spread(values: ArrayLike) -> FigureSpread:
    """Return mean, standard error of the mean, and the 5, 50 and 95 % quantiles of a figure over runs."""
    x = np.asarray(values, dtype=float)
    low, median, high = np.quantile(x, (0.05, 0.5, 0.95)).tolist()
    error = float(x.std(ddof=1) / math.sqrt(len(x))) if len(x) > 1 else math.inf
    return FigureSpread(float(x.mean()), error, low, median, high)


def best_interval_s(
    history: Histories, pause_s: float, drain_s: float = 0.0, around_s: Sequence[float] = (1.0, 30 * DAY_S)
) -> float:
    """Return the work between checkpoints that keeps most on the failures of `history` [s].

    The mean ETTR is flat there and rough on a small scale, so a parabola through many intervals around the best one has
    its top closer than any single one.

    Parameters
    ----------
    history
        What `sample` returns.
    pause_s, drain_s
        As of `with_checkpoints`; the pause > 0.
    around_s
        Shortest and longest interval that may come out.
    """

    def mean(logs: Floats) -> Floats:
        return np.array([with_checkpoints(history, math.exp(x), pause_s, drain_s).ettr.mean() for x in logs])

    logs = np.linspace(math.log(around_s[0]), math.log(around_s[1]), 40)
    middle = float(logs[np.argmax(mean(logs))])
    for width in (0.8, 0.5):
        near = np.linspace(middle - width, middle + width, 25)
        bend, slope, _ = np.polyfit(near - middle, mean(near), 2)
        if bend < 0:
            middle += float(np.clip(-slope / (2 * bend), -width, width))
    return math.exp(middle)
