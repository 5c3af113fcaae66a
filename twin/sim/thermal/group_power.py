"""What limits a job, and what groups of GPUs draw besides those of jobs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from twin.arrays import Bools, Floats
from twin.sim.thermal.gpu_groups import OFF, Traces

_NO_LOAD = np.zeros(1)


class JobClock(NamedTuple):
    """What limits a job [GHz]: the slowest of its dies at the default cap, under caps and brake, with heat on top.

    `reference` is the clock its profile was fitted at; `memory` is the bandwidth its slowest HBM has left [-].
    """

    reference: float
    free: float
    capped: float
    now: float
    memory: float = 1.0


class Resting(NamedTuple):
    """What groups draw besides those of jobs, for one version of the groups and so many mixed works, shapes (G,).

    Parameters
    ----------
    jobs, apart
        Whether some groups are of jobs that step in a trace of their own, and which.
    base_w
        Power of all at rest [W].
    mixed_w, mixed_ghz
        The same with that of mixed work while nothing holds its clocks down, and these [W, GHz].
    none
        Zeros.
    """

    version: int
    mixed: int
    jobs: bool
    apart: Bools
    base_w: Floats
    mixed_w: Floats
    mixed_ghz: Floats
    none: Floats


def resting(
    traces: Traces, first_mixed: int, loads: Floats, idle_w: Floats, rated_w: Floats, top_ghz: Floats
) -> Resting:
    """Return what groups draw besides those of jobs.

    Parameters
    ----------
    first_mixed, loads
        Trace of the first mixed work, and how hard each of them drives its GPUs [-].
    idle_w, rated_w, top_ghz
        Of a GPU of each group: at rest, what its rating is above that [W], its highest clock [GHz].
    """
    trace, none = traces.trace, np.zeros(traces.groups.size)
    base_w = mixed_w = idle_w * (trace > OFF)
    ghz, mixed = none, trace >= first_mixed
    if np.count_nonzero(mixed):
        place = np.maximum((trace - first_mixed) >> 1, -1)  # the last: no mixed work
        mixed_w = base_w + np.concatenate((loads, _NO_LOAD)).take(place) * rated_w
        ghz = top_ghz * mixed
    apart = traces.working & ~mixed
    return Resting(
        traces.version, len(loads), bool(np.count_nonzero(apart)), apart, base_w, mixed_w, ghz, none
    )
