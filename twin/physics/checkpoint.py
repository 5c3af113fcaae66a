"""Checkpoint intervals, and the fraction of time a job then spends on kept work.

Symbols: tau work between checkpoints, w blocking write, R restart, rate = 1/M failures per second of the job.

References
----------
Young, "A first order approximation to the optimum checkpoint interval", CACM 17 (1974).
Daly, "A higher order estimate of the optimum checkpoint interval", FGCS 22 (2006).
Kokolis et al., "Revisiting Reliability in Large-Scale Machine Learning Research Clusters", arXiv 2410.21680.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


def checkpoint_bytes(parameters: float, *, with_16bit_copy: bool = True) -> float:
    """Return the size of a checkpoint [B]: fp32 master and two moments, and the bf16 weights.

    Examples
    --------
    >>> round(checkpoint_bytes(405.85e9) / 1e12, 2)
    5.68
    """
    return parameters * (14.0 if with_16bit_copy else 12.0)


def young_interval_s(write_s: float, mean_time_between_failures_s: float) -> float:
    """Return Young's work between checkpoints, sqrt(2 w M) [s]; endless when nothing fails.

    Parameters
    ----------
    write_s
        Blocking part of a write [s]; 0 would ask for a checkpoint at every instant and gives 0.
    mean_time_between_failures_s
        Of the whole job [s]; may be infinite.
    """
    return math.sqrt(2.0 * write_s * mean_time_between_failures_s) if write_s > 0 else 0.0


def daly_interval_s(write_s: float, mean_time_between_failures_s: float) -> float:
    """Return Daly's higher-order work between checkpoints [s]; M itself once w >= 2 M.

    Parameters
    ----------
    write_s
        Blocking part of a write [s]; 0 gives 0.
    mean_time_between_failures_s
        Of the whole job [s]; may be infinite, then so is the interval.
    """
    w, m = write_s, mean_time_between_failures_s
    if w <= 0:
        return 0.0
    if math.isinf(m):
        return math.inf
    if w >= 2 * m:
        return m
    ratio = w / (2 * m)
    return math.sqrt(2 * w * m) * (1 + math.sqrt(ratio) / 3 + ratio / 9) - w


@dataclass(frozen=True, slots=True)
class FirstOrderLoss:
    """Shares of a job's time by the rule that Young's interval makes least, to the first order [-].

    Attributes
    ----------
    writes
        That blocking writes take, w / tau.
    lost
        That is worked again after a stop, tau / 2M.
    """

    writes: float
    lost: float

    @property
    def whole(self) -> float:
        """Both together [-]."""
        return self.writes + self.lost


def first_order_loss(interval_s: float, write_s: float, mean_time_between_losses_s: float) -> FirstOrderLoss:
    """Return what checkpoints and lost work take, w / tau + tau / 2M; valid while w << tau << M.

    Parameters
    ----------
    interval_s
        Work between checkpoints tau, finite [s].
    write_s
        Blocking write w [s].
    mean_time_between_losses_s
        Between stops of the whole job that undo work, M; may be infinite [s].

    Examples
    --------
    >>> first_order_loss(600.0, 12.0, 6000.0)
    FirstOrderLoss(writes=0.02, lost=0.05)
    """
    return FirstOrderLoss(write_s / interval_s, interval_s / (2.0 * mean_time_between_losses_s))


def renewal_ettr(
    interval_s: ArrayLike, write_s: ArrayLike, restart_s: ArrayLike, failure_rate_s: ArrayLike
) -> NDArray[np.float64]:
    """Return the exact share of time spent on kept work when failures are Poisson.

    Failures inside checkpoints and restarts are counted: (tau/M) exp(-R/M) / (exp((tau+w)/M) - 1).

    Parameters
    ----------
    interval_s
        Work between checkpoints tau [s].
    write_s
        Blocking write w [s].
    restart_s
        Time from a failure to the first new step R [s].
    failure_rate_s
        Failures of the whole job per second, 1/M [1/s]; 0 gives tau / (tau + w).
        Arguments broadcast together.
    """
    tau, write, restart, rate = np.broadcast_arrays(
        *(np.asarray(a, dtype=np.float64) for a in (interval_s, write_s, restart_s, failure_rate_s))
    )
    cycle = (tau + write) * rate
    # (exp(c) - 1) / c: 1 in the limit of no failures, endless where exp would overflow.
    inside = (cycle > 1e-300) & (cycle < 700.0)
    safe = np.where(inside, cycle, 1.0)
    growth = np.where(inside, np.expm1(safe) / safe, np.where(cycle < 1.0, 1.0, np.inf))
    return np.asarray(tau / (tau + write) * np.exp(-restart * rate) / growth, dtype=np.float64)


def first_order_ettr(
    interval_s: ArrayLike, write_s: ArrayLike, restart_s: ArrayLike, failure_rate_s: ArrayLike
) -> NDArray[np.float64]:
    """Return Meta's expected ETTR, (1 - (R + tau/2)/M) / (1 + w/tau), never below 0.

    A reference curve: over one point off the exact form once (R + tau/2)/M exceeds 0.15. Arguments as in
    `renewal_ettr`.
    """
    tau, write, restart, rate = (
        np.asarray(a, dtype=np.float64) for a in (interval_s, write_s, restart_s, failure_rate_s)
    )
    return np.maximum(0.0, 1.0 - rate * (restart + tau / 2)) / (1.0 + write / tau)
