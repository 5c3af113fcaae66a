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
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from twin.arrays import Bools, Floats, Ints64
from twin.physics import reliability
from twin.physics.reliability import RepairQuantiles
from twin.planning.risk.reliability_model import AwayTime, ReliabilityModel, Repair

DAY_S = 86400.0
CELLS = 4_000_000
"""Runs times nodes that are worked on at once: some tens of MB."""
ENOUGH = 64
"""Spares beyond four times the mean number in repair that change nothing any more [-]."""


@dataclass(frozen=True, slots=True)
class Histories:
    """When the job of each run was up.

    Attributes
    ----------
    up_s
        Time from a start to the interruption after it or to the end, shape (intervals, runs); 0: there is none [s].
    saved
        Whether the job saved its work before the interruption, shape (intervals, runs).
    unexpected, planned, reclaims
        Interruptions, shape (runs,); what strikes a job that stands already is none. Reclaims are unexpected ones.
    detection_s, waiting_s, restart_s
        Spent before steps went on: until noticed, without a spare, restarting, shape (runs,) [s].
    down
        Mean number of nodes in repair, of all that are the job's or stand by, shape (runs,).
    horizon_s
        What all times of a run sum to [s].
    """

    up_s: Floats
    saved: Bools
    unexpected: Ints64
    planned: Ints64
    reclaims: Ints64
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

    Work since the last durable checkpoint is lost at an interruption, unless there was notice to write one; what is
    under way at the end is kept.

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
        before = np.maximum(
            up - (pause_s + drain_s) * history.saved, 0.0
        )  # the last one is written at its end
        rounds = np.floor(before / cycle_s)
        worked = rounds * interval_s + np.minimum(before - rounds * cycle_s, interval_s)
        durable = np.maximum(np.floor((before - drain_s) / cycle_s), 0.0) * interval_s
        durable = np.where(history.saved, worked, durable)
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
    scale = reliability.lemon_scale(model.failing) if model.lemons else 1.0
    parts = [
        _Run(model, spares, min(at_once, runs - begin), np.random.default_rng([seed, begin]), scale).history()
        for begin in range(0, runs, at_once)
    ]
    longest = max(len(part.up_s) for part in parts)
    merged = {
        column.name: np.concatenate([_padded(getattr(part, column.name), longest) for part in parts], axis=-1)
        for column in fields(Histories)
        if column.name != "horizon_s"
    }
    return Histories(horizon_s=model.horizon_s, **merged)


def _padded(values: NDArray[Any], length: int) -> NDArray[Any]:
    """Return those of intervals with empty ones in front, so that the last stays the last; else what it is."""
    if values.ndim < 2:
        return values
    result = np.zeros((length, values.shape[1]), values.dtype)
    result[length - len(values) :] = values
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
        self.detection_s = np.array([cause.detection_s for cause in model.causes])
        self.is_planned, self.is_reclaim = (
            np.array([bool(getattr(cause, name)) for cause in model.causes], bool)
            for name in ("planned", "reclaims")
        )
        self.spent_s = np.zeros((3, runs))  # detection, waiting, restart
        self.unexpected, self.planned, self.reclaims = np.zeros((3, runs), np.int64)
        self.down_s = np.zeros(runs)
        self.booked_s = np.zeros(runs)
        self.noticed_s, self.whole_s = np.zeros((2, runs))
        self.up_from_s = np.full(runs, model.first_start_s)

    def _draw(self, rng: np.random.Generator) -> None:
        """Draw all candidates: time, node, cause and repair, shape (candidates, runs)."""
        model, runs, fleet = self.model, self.runs, self.fleet
        rates = np.array([cause.rate_s for cause in model.causes])
        reclaim_s = model.reclaim_rate_s
        failing_s = model.node_rate_s - reclaim_s
        rate_s = np.full(runs, fleet * model.node_rate_s)
        quality = None
        if model.lemons and failing_s:
            shape = reliability.LEMON_SHAPE
            quality = rng.standard_gamma(shape, (runs, fleet)) * (self.scale / shape)
            rate_s = quality.sum(axis=1) * failing_s + fleet * reclaim_s
        expected = float(rate_s.max(initial=0.0)) * model.horizon_s
        count = math.ceil(expected + 6 * math.sqrt(expected) + 6) if expected else 0
        gaps = rng.standard_exponential((count, runs)) / np.where(rate_s > 0, rate_s, 1.0)
        self.at_s = np.cumsum(gaps, axis=0)
        dice, which = rng.random((count, runs)), rng.random((count, runs))
        self.node = np.minimum((dice * fleet).astype(np.int64), fleet - 1)
        fails = np.ones((count, runs), bool)
        if count and reclaim_s:
            reclaimed = fleet * reclaim_s / rate_s  # share of the candidates of each run
            fails = which < 1.0 - reclaimed
            share = failing_s / model.node_rate_s
            below, above = which / np.maximum(1.0 - reclaimed, 1e-12), (1.0 - which) / reclaimed
            which = np.where(fails, below * share, 1.0 - above * (1.0 - share))
        if quality is not None:  # an owner who takes a node back does not ask how good it is
            self.node = np.where(fails, _weighted(quality, dice), self.node)
            self.place = np.tile(np.arange(fleet), (runs, 1))
            self.holder = self.place.copy()
        shares = np.cumsum(rates) / rates.sum() if count else np.zeros(0)
        self.cause = np.searchsorted(shares, which, side="right").clip(0, max(len(rates) - 1, 0))
        self.repair_s = self._repairs(self.cause, rng.random((count, runs)))

    def _repairs(self, of: Ints64, dice: Floats) -> Floats:
        times = np.zeros(of.shape)
        kinds: dict[Repair, list[int]] = {}
        for index, cause in enumerate(self.model.causes):
            kinds.setdefault(cause.repair, []).append(index)
        for repair, members in kinds.items():
            of_kind = np.isin(of, members)
            if isinstance(repair, RepairQuantiles):
                times[of_kind] = reliability.repair_time_s(repair, dice[of_kind])
            elif isinstance(repair, AwayTime):
                times[of_kind] = repair.least_s - repair.more_s * np.log1p(-dice[of_kind])
            else:
                times[of_kind] = repair
        return times

    def history(self) -> Histories:
        """Run to the horizon."""
        horizon_s = self.model.horizon_s
        stops = list(self._strikes())
        last_s = self._book(np.arange(self.runs), np.full(self.runs, horizon_s))
        detection_s, waiting_s, restart_s = self.spent_s
        return Histories(
            up_s=np.array([*(up_s for up_s, _ in stops), last_s]),
            saved=np.array([*(saved for _, saved in stops), np.zeros(self.runs, bool)]),
            unexpected=self.unexpected,
            planned=self.planned,
            reclaims=self.reclaims,
            detection_s=detection_s,
            waiting_s=waiting_s,
            restart_s=restart_s,
            down=self.down_s / horizon_s,
            horizon_s=horizon_s,
        )

    def _strikes(self) -> Iterator[tuple[Floats, Bools]]:
        """Take the candidates of all runs, the k-th of each at a time.

        Yields how long those that they stop had been up, and whether these saved their work.
        """
        model = self.model
        together = np.array([cause.reclaims for cause in model.causes], np.int64)
        saves = np.array([cause.saves for cause in model.causes], bool)
        for at_s, node, repair_s, cause in zip(self.at_s, self.node, self.repair_s, self.cause, strict=True):
            runs = np.flatnonzero(at_s <= model.horizon_s)
            if not runs.size:
                return
            up_s, stopped = np.zeros(self.runs), np.zeros(self.runs, bool)
            size = np.maximum(together[cause], 1)
            for member in range(int(size[runs].max())):  # what is rented together goes together
                member_node = np.where(size > 1, node - node % size + member, node)
                some = runs[(member < size[runs]) & (member_node[runs] < self.fleet)]
                self._strike(some, at_s, member_node, repair_s, cause, up_s, stopped)
            yield up_s, stopped & saves[cause]

    def _strike(
        self,
        runs: Ints64,
        at_s: Floats,
        node: Ints64,
        repair_s: Floats,
        cause: Ints64,
        up_s: Floats,
        stopped: Bools,
    ) -> None:
        """Take a node of `runs` away; the job on it stops, unless it stands already or was stopped by the same."""
        model = self.model
        places = node[runs] if self.place is None else self.place[runs, node[runs]]
        sound = self.free_s[runs, places] <= at_s[runs]
        runs, places = runs[sound], places[sound]
        now, away_s = at_s[runs], repair_s[runs]
        self.free_s[runs, places] = now + away_s
        in_repair = ~self.is_reclaim[cause[runs]]
        self.down_s[runs] += np.minimum(away_s, model.horizon_s - now) * in_repair
        of_job = places < model.nodes
        runs, places, now, away_s = runs[of_job], places[of_job], now[of_job], away_s[of_job]
        up_s[runs] += self._book(runs, now)
        self._interrupt(runs, places, now, away_s, cause[runs], stopped)

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
        cause: Ints64,
        stopped: Bools,
    ) -> None:
        """Stop the job of `runs` now, and find when it steps again."""
        model = self.model
        noticed, whole = self.noticed_s[runs], self.whole_s[runs]
        stops = (now >= whole) & ~stopped[runs]
        stopped[runs] |= stops
        planned, detection_s = self.is_planned[cause], self.detection_s[cause]
        self.planned[runs] += planned & stops
        self.unexpected[runs] += ~planned & stops
        self.reclaims[runs] += self.is_reclaim[cause] & stops
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
