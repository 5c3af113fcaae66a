"""Power of groups of GPUs: of a job at the clocks that were worked out for it, and of all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from twin.arrays import Bools, Floats, IntP
from twin.physics.gpu_power import GpuPowerModel, SpreadLine, dynamic_unit_w
from twin.sim.jobs.gpu_load import least_activity, step_w
from twin.sim.jobs.work import Work
from twin.sim.thermal.gpu_groups import OFF, Traces


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
    ghz, mixed = none, (trace >= first_mixed).nonzero()[0]
    if mixed.size:
        mixed_w, ghz = base_w.copy(), none.copy()
        mixed_w[mixed] += loads[(trace[mixed] - first_mixed) // 2] * rated_w[mixed]
        ghz[mixed] = top_ghz[mixed]
    apart = traces.working & (trace < first_mixed)
    return Resting(
        traces.version, len(loads), bool(np.count_nonzero(apart)), apart, base_w, mixed_w, ghz, none
    )


class Drawing(NamedTuple):
    """What the power of groups of a job on one part follows from besides its pace.

    Parameters
    ----------
    ghz, line
        Of dies of three spreads, (3, groups), and these; no line: of what is measured, (groups,) [GHz].
    reference_ghz
        Clock at which the job takes its times [GHz].
    memory_s
        In memory traffic, where HBM is slow [s].
    steps
        Which groups step, where others wait busily.
    """

    model: GpuPowerModel
    groups: IntP
    ghz: Floats
    line: SpreadLine | None
    reference_ghz: float
    memory_s: Floats | None
    steps: Bools | None


@dataclass
class Worked:
    """A job whose clocks are worked out, and the pace that its powers are for [s]."""

    work: Work
    parts: list[Drawing]
    pace_s: float = 0.0

    def draw(self, pace_s: float, floor: float, resting_w: Floats, base_w: Floats, dyn_w: Floats) -> None:
        """Write what its GPUs draw when a step takes so long [s] into power in common, and per unit of spread (G,) [W].

        Leakage aside; `floor` is the share of its working power that a die draws at least, `resting_w` what groups draw
        at rest (G,).
        """
        work, self.pace_s = self.work, pace_s
        for model, groups, ghz, line, own_ghz, memory_s, steps in self.parts:
            unit_s: Floats | float = 1.0 if line is None else line.points_s
            power_w = step_w(work, model, ghz, unit_s, own_ghz, pace_s, memory_s=memory_s, floor=floor)
            if steps is not None:
                spins = np.maximum(model.a_comm, least_activity(work, model, ghz, floor))
                power_w = np.where(steps, power_w, unit_s * dynamic_unit_w(model, ghz, spins))
            if line is not None:  # what is measured knows no spread and has its leakage in it
                power_w, dyn_w[groups] = line.through(power_w, rising=True)
            base_w[groups] = resting_w[groups] + power_w
