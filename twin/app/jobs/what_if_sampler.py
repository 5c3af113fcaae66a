"""What a job would keep with other spares, checkpoints, restarts or failures: sampled in slices. No widgets.

The quick model of `twin risk`, worked on a few runs at a time so that a slider never waits for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from twin.arrays import Floats
from twin.planning.risk.reliability_model import ReliabilityModel
from twin.planning.risk.reliability_sample import sample, with_checkpoints
from twin.planning.risk.risk import JobRisk
from twin.record.account_titles import JOB_TIME_TITLES

RUNS = 1000
SLICE_WALL_S = 0.02
"""How long `work` may take, about [wall s]."""
_SLICE_RUNS, _POINTS = 20, 28
_SHORTEST_S, _LONGEST_S = 60.0, 24 * 3600.0
_LOSSES = ("job.lost_s", "job.checkpoint_s", "job.detect_s", "job.spare_wait_s", "job.restart_s")
"""Channels of job time that have the titles of the losses, in the order of the sample's rows."""


@dataclass(frozen=True)
class Knobs:
    """What can be turned.

    Parameters
    ----------
    nodes, spares
        Of the job, and standing by for it.
    interval_s
        Work between checkpoints [s]; infinite: none is saved.
    restart_s
        From the moment its nodes are complete to the first step [s].
    failures
        Factor on the rate of every cause [-].
    """

    nodes: int
    spares: int
    interval_s: float
    restart_s: float
    failures: float = 1.0


@dataclass(frozen=True)
class Estimate:
    """What the runs so far come to; shares of the whole time.

    Parameters
    ----------
    runs
        How many.
    ettr, error
        Mean, and its standard error.
    low, high
        5 and 95 % of the runs.
    interruptions
        Mean number.
    losses
        Mean share by cause, in the order they are told.
    """

    runs: int
    ettr: float
    error: float
    low: float
    high: float
    interruptions: float
    losses: tuple[tuple[str, float], ...]


def knobs_of(risk: JobRisk) -> Knobs:
    """Return how a job of the scene is set."""
    return Knobs(risk.model.nodes, risk.model.spares, risk.interval_s, risk.model.restart_s)


class RiskSample:
    """The runs of one setting.

    Parameters
    ----------
    risk
        The job as the scene has it.
    knobs
        What is different.
    seed
        Of the first slice.

    Attributes
    ----------
    intervals_s
        Where the curve is worked out [s].
    """

    def __init__(self, risk: JobRisk, knobs: Knobs, seed: int) -> None:
        self.risk, self.knobs, self._seed = risk, knobs, seed
        self.model: ReliabilityModel = replace(
            risk.model,
            nodes=knobs.nodes,
            spares=knobs.spares,
            restart_s=knobs.restart_s,
            causes=tuple(replace(cause, rate_s=cause.rate_s * knobs.failures) for cause in risk.model.causes),
        )
        self.intervals_s = np.geomspace(_SHORTEST_S, _LONGEST_S, _POINTS)
        self._sum: Floats = np.zeros(_POINTS)
        self._parts: list[Floats] = []
        self._slices = 0

    @property
    def runs(self) -> int:
        """Return how many runs there are so far."""
        return sum(part.shape[1] for part in self._parts)

    @property
    def done(self) -> bool:
        """Return whether there are enough."""
        return self.runs >= RUNS

    def work(self) -> None:
        """Do the next slices, as many as there is time for.

        All have the same number of runs: what comes of the same knobs never depends on how fast a machine is.
        """
        begun_s = perf_counter()
        while not self.done:
            self._slice()
            if perf_counter() - begun_s > SLICE_WALL_S:
                break

    def _slice(self) -> None:
        runs = min(_SLICE_RUNS, RUNS - self.runs)
        history = sample(self.model, runs, self._seed + self._slices)
        pause_s, drain_s = self.risk.pause_s, self.risk.drain_s
        kept = with_checkpoints(history, self.knobs.interval_s, pause_s, drain_s)
        whole_s = history.horizon_s
        rows = (
            kept.ettr,
            history.interruptions.astype(float),
            kept.lost_s / whole_s,
            kept.checkpoint_s / whole_s,
            history.detection_s / whole_s,
            history.waiting_s / whole_s,
            history.restart_s / whole_s,
        )
        self._parts.append(np.vstack(rows))
        curve = [float(with_checkpoints(history, at, pause_s, drain_s).ettr.sum()) for at in self.intervals_s]
        self._sum += np.array(curve)
        self._slices += 1

    def estimate(self) -> Estimate | None:
        """Return what the runs so far come to; None before the first."""
        if not self._parts:
            return None
        all_ = np.concatenate(self._parts, axis=1)
        ettr, runs = all_[0], all_.shape[1]
        low, high = np.quantile(ettr, (0.05, 0.95)).tolist()
        names = [JOB_TIME_TITLES[channel].title for channel in _LOSSES]
        losses = tuple(zip(names, all_[2:].mean(axis=1).tolist(), strict=True))
        error = float(ettr.std(ddof=1)) / math.sqrt(runs)
        return Estimate(runs, float(ettr.mean()), error, low, high, float(all_[1].mean()), losses)

    def curve(self) -> Floats:
        """Return the mean ETTR at each of `intervals_s`."""
        return self._sum / max(self.runs, 1)
