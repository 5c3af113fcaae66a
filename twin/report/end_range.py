"""When a job ends by luck with failures: the range of its wall time over draws of the quick model, or over seeds."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from twin.arrays import Floats
from twin.planning.risk.risk import JobRisk, outcome
from twin.studies.bands import FigureBand

DRAWS = 200
"""Histories of failures of the quick model."""
_LOW, _HIGH = 0.05, 0.95
"""Quantiles of the range, those of ranges of money."""


@dataclass(frozen=True, slots=True)
class EndRange:
    """Wall time of a job from its start to its end.

    Attributes
    ----------
    low_s, high_s
        P5 and P95 over draws of the failures [s].
    count, seeds
        How many draws, and whether each is a whole run with a seed of its own, not a history of the quick model.
    """

    low_s: float
    high_s: float
    count: int
    seeds: bool


def range_by_draws(whole_s: float, ettr: float, exposure: JobRisk) -> EndRange | None:
    """Return the range of the end over histories of the quick model; arguments and None as of `luck_by_draws`."""
    luck = luck_by_draws(whole_s, ettr, exposure)
    if luck is None:
        return None
    low, high = np.quantile(whole_s * luck, (_LOW, _HIGH)).tolist()
    return EndRange(low, high, DRAWS, False)


@lru_cache(maxsize=8)  # two parts of a report ask for one
def luck_by_draws(whole_s: float, ettr: float, exposure: JobRisk) -> Floats | None:
    """Return by what luck with failures multiplies the wall time of a job, over histories that are as long as it [-].

    What is kept of the time decides: a history that keeps the share e of it takes ettr / e of the time, shape (DRAWS,).

    Parameters
    ----------
    whole_s
        Wall time from start to end at the rate of the run [s].
    ettr
        What the run kept of its time [-].
    exposure
        Failures of the job, and how it saves its state.

    Returns
    -------
    None where nothing stops the job, a history keeps nothing, or the run lies so far from all of them that the quick
    model is none of it: by more than the histories lie apart.
    """
    if not exposure.model.node_rate_s:
        return None
    long = replace(exposure, model=replace(exposure.model, horizon_s=whole_s))
    kept = outcome(long, DRAWS).kept.ettr
    least, most = float(kept.min()), float(kept.max())
    apart = most - least
    if least <= 0.0 or not least - apart <= ettr <= most + apart:
        return None
    luck = ettr / kept
    luck.flags.writeable = False
    return luck


def range_by_seeds(whole_s: float, ettr: float, band: FigureBand, ran_s: float) -> EndRange:
    """Return the range of the end from what runs with several seeds kept of their time.

    Stops are independent of each other, so that the share kept scatters with one over the root of the time; and the
    mean of n seeds is itself off by one over the root of n. A whole job is one more draw: both add up by squares.

    Parameters
    ----------
    whole_s, ettr
        As above.
    band
        Of the ETTR over the seeds.
    ran_s
        How long the job of these runs ran [s].
    """
    of_scatter = math.sqrt(ran_s / whole_s + 1.0 / band.seeds)
    low, high = (
        whole_s * ettr / (band.mean + of_scatter * (share - band.mean)) for share in (band.p95, band.p5)
    )
    return EndRange(low, high, band.seeds, True)
