"""Groups in which jobs work on one part, side by side: clocks and power of many jobs are worked out at once.

Whatever is worked out of a group takes the same operations in the same order, in whichever company it stands. So a
job alone has, to the last bit, the clocks that it has among hundreds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import starmap
from operator import is_not

import numpy as np

from twin.arrays import Bools, Floats, IntP
from twin.physics.gpu_power import GpuPowerModel, SpreadLine, dynamic_unit_w
from twin.sim.jobs.gpu_load import DieDemand, least_activity, step_w
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.work import Work
from twin.sim.thermal.gpu_groups import Traces
from twin.sim.thermal.group_power import JobClock

WorksOf = Callable[[list[int]], list[Work]]


class JobGroups:
    """Groups of some jobs on one part, those of one job after those of another.

    Parameters
    ----------
    traces
        Of all groups.
    model, part
        Of their GPUs.
    jobs
        The jobs, in order, shape (J,).
    places
        Of each of them among all jobs at work, shape (J,).
    begins
        Place of the first group of each, shape (J,).
    groups
        The groups, shape (G,).
    measured
        Whether these jobs are known by their power alone, which knows no spread and has its leakage in it.

    Attributes
    ----------
    line : SpreadLine
        Spreads of their dies.
    leakiest_s : ndarray or float
        The highest among the dies of each job, by group [-].
    steps : ndarray of bool, shape (G,)
        Which of the groups step where others wait busily; None: all of them do.
    asked : DieDemand
        What steps ask of their dies, by group.
    reference_ghz, own_ghz : ndarray or float, and ndarray of shape (J,)
        Clock at which jobs take their times, by group and by job [GHz].
    ghz : ndarray, shape (3, G); of measured jobs (G,)
        Clocks of dies of three spreads [GHz]; whoever works them out sets this and the next.
    memory_s : ndarray, shape (G,)
        In memory traffic where some HBM is slow, else None [s].
    """

    ghz: Floats
    memory_s: Floats | None = None

    def __init__(
        self,
        traces: Traces,
        model: GpuPowerModel,
        part: int,
        jobs: IntP,
        places: IntP,
        begins: IntP,
        groups: IntP,
        *,
        measured: bool,
    ) -> None:
        self.model, self.part, self.jobs, self.places = model, part, jobs.tolist(), places
        self.groups, self.measured = groups, measured
        self._begins, self._counts = begins, np.diff(begins, append=len(groups))
        points_s = traces.points_s[:, groups]
        self.line = SpreadLine(np.ones_like(points_s) if measured else points_s)
        self.leakiest_s = self.by_group(np.maximum.reduceat(points_s[2], begins).tolist())
        steps = traces.trace[groups] % 2 == 0
        self.steps: Bools | None = None if steps.all() else steps
        self._pace_s: list[float] = []

    def by_group(self, values: Sequence[float]) -> Floats | float:
        """Return a figure of each job for its groups, shape (G,), or alone where it is the same of all."""
        if values.count(values[0]) == len(values):
            return values[0]
        repeated: Floats = np.repeat(values, self._counts)
        return repeated

    def lowest(self, values: Floats) -> Floats:
        """Return the lowest figure among the groups of each job, shape (J,)."""
        least: Floats = np.minimum.reduceat(values, self._begins)
        return least

    def any(self, values: Bools) -> Bools:
        """Return for which jobs some of their groups are marked, shape (J,)."""
        some: Bools = np.logical_or.reduceat(values, self._begins)
        return some

    def ask(self, asked: Sequence[DieDemand], reference_ghz: Sequence[float]) -> None:
        """Take over what each job asks of its dies now."""
        self.own_ghz = np.array(reference_ghz)
        self.reference_ghz = self.by_group(reference_ghz)
        self.asked = DieDemand(*map(self.by_group, zip(*asked, strict=True)))

    def paced(self, pace_s: list[float]) -> bool:
        """Return whether their powers are those for steps that take so long [s]."""
        return pace_s == self._pace_s

    def draw(self, pace_s: list[float], resting_w: Floats, base_w: Floats, dyn_w: Floats) -> None:
        """Write what their GPUs draw when steps take so long [s] in common, and per unit of spread, leakage aside [W].

        `resting_w` is what groups draw at rest; all have shape of all groups.
        """
        self._pace_s = pace_s
        model, asked, ghz, steps_s = self.model, self.asked, self.ghz, self.by_group(pace_s)
        unit_s = 1.0 if self.measured else self.line.points_s
        power_w = step_w(asked, model, ghz, unit_s, self.reference_ghz, steps_s, memory_s=self.memory_s)
        if self.steps is not None:
            spins = np.maximum(model.a_comm, least_activity(model, ghz, asked.activity, asked.floor))
            power_w = np.where(self.steps, power_w, unit_s * dynamic_unit_w(model, ghz, spins))
        if not self.measured:
            power_w, dyn_w[self.groups] = self.line.through(power_w, rising=True)
        base_w[self.groups] = resting_w[self.groups] + power_w


class ClockedJobs:
    """Jobs with groups of their own, for one version of the groups.

    Parameters
    ----------
    traces
        Groups by job.
    models
        By part.
    works_of
        Returns what jobs, or what stands for several, do.
    most
        No number of a job is as high: what stands for several may be left out.

    Attributes
    ----------
    ids : list of int
        The jobs, shape (J,).
    works : list of Work
        What they do.
    parts : list of JobGroups
        Their groups by part, those of measured jobs apart.
    lasting : ndarray of bool, shape (J,)
        Who is no service: capacity that nobody asks for takes up what slows a service.
    reference, memory : ndarray, shape (J,)
        As in `JobClock`.
    now_share : ndarray, shape (J,)
        Clock of its slowest die over the reference [-].
    """

    def __init__(self, traces: Traces, models: Sequence[GpuPowerModel], works_of: WorksOf, most: int) -> None:
        self.version, self.most = traces.version, most
        groups = (traces.working & (traces.trace < 2 + 2 * most)).nonzero()[0]
        ids, place = np.unique(traces.trace[groups] // 2 - 1, return_inverse=True)
        self.ids: list[int] = ids.tolist()
        self._works_of, self.works = works_of, works_of(self.ids)
        self.lasting = np.array([not work.stateless for work in self.works], bool)
        measured = np.array([each.gpu_load is not None for each in self.works], bool)
        part = 2 * traces.groups.part[groups] + measured[place]
        order = np.lexsort((place, part))
        groups, place, part = groups[order], place[order], part[order]
        self.parts: list[JobGroups] = []
        for number in np.unique(part).tolist():
            begin, end = np.searchsorted(part, (number, number + 1)).tolist()
            of_part = place[begin:end]
            begins = np.concatenate([[0], (of_part[1:] != of_part[:-1]).nonzero()[0] + 1])
            places = of_part[begins]
            alike = groups[begin:end]
            self.parts.append(
                JobGroups(
                    traces,
                    models[number // 2],
                    number // 2,
                    ids[places],
                    places,
                    begins,
                    alike,
                    measured=bool(number % 2),
                )
            )
        self.rest()

    def still(self) -> bool:
        """Return whether all of them do the work that they did."""
        return not any(map(is_not, self.works, self._works_of(self.ids)))

    def rest(self) -> None:
        """Let nothing hold them down."""
        self._free_share, self._capped_share, self.now_share = np.full((3, len(self.ids)), np.inf)
        self.reference, self.memory = np.ones((2, len(self.ids)))

    def slow(self, part: JobGroups, free: Floats, capped: Floats, now: Floats) -> None:
        """Take note of clocks of the slowest dies in the groups of a part, shapes (G,) [GHz].

        Shares of the reference are what parts are compared by; the slowest part sets the pace.
        """
        places, own_ghz = part.places, part.own_ghz
        for shares, ghz in ((self._free_share, free), (self._capped_share, capped)):
            shares[places] = np.minimum(shares[places], part.lowest(ghz) / own_ghz)
        slowest = part.lowest(now) / own_ghz
        slower = slowest < self.now_share[places]
        self.now_share[places] = np.where(slower, slowest, self.now_share[places])
        self.reference[places] = np.where(slower, own_ghz, self.reference[places])

    def clocks(self) -> dict[int, JobClock]:
        """Return what limits each job."""
        shares = (self._free_share, self._capped_share, self.now_share)
        ghz = (self.reference, *(self.reference * share for share in shares), self.memory)
        limits = zip(*(figures.tolist() for figures in ghz), strict=True)
        return dict(zip(self.ids, starmap(JobClock, limits), strict=True))

    def step_s(self) -> Floats:
        """Return how long a step of each job takes at its clocks, with nothing else against it, shape (J,) [s]."""
        planned_s, clocked_s, memory_s = np.array(
            [(work.step_s, work.clocked_s, work.memory_s) for work in self.works]
        ).T
        slower = 1.0 / np.minimum(self._capped_share, self.now_share) - 1.0
        result: Floats = planned_s + clocked_s * slower + memory_s * (1.0 / self.memory - 1.0)
        return result


class GroupsByJob:
    """Finds the jobs with groups of their own, anew where groups are others, and what they ask of their dies.

    Parameters
    ----------
    works_of
        Returns what jobs, or what stands for several, do.
    reference_ghz
        Clock at which a job takes its times on a part [GHz].
    """

    def __init__(
        self,
        traces: Traces,
        models: Sequence[GpuPowerModel],
        jobs: Jobs,
        works_of: WorksOf,
        reference_ghz: Callable[[int, int], float],
    ) -> None:
        self._traces, self._models, self._jobs = traces, models, jobs
        self._works_of, self._reference_ghz = works_of, reference_ghz
        self._known: ClockedJobs | None = None
        self._asked: dict[
            tuple[int, int], tuple[Work, DieDemand, float]
        ] = {}  # and the clock that they are for

    def at_work(self, most: int) -> ClockedJobs:
        """Return the jobs with groups of their own whose number is below `most`."""
        known = self._known
        if known is None or known.version != self._traces.version or known.most != most:
            self._known = known = ClockedJobs(self._traces, self._models, self._works_of, most)
        elif known.still():
            return known
        else:
            known.works = self._works_of(known.ids)
        for part in known.parts:
            works = [known.works[place] for place in part.places.tolist()]
            rows = [self._asks(job, part, work) for job, work in zip(part.jobs, works, strict=True)]
            _, asked, reference_ghz = zip(*rows, strict=True)
            part.ask(asked, reference_ghz)
        return known

    def _asks(self, job: int, part: JobGroups, work: Work) -> tuple[Work, DieDemand, float]:
        known = self._asked.get((job, part.part))
        if known is None or known[0] is not work:
            specs = self._jobs.specs
            floor = specs[job].power_floor if job < len(specs) else 0.0
            reference_ghz = self._reference_ghz(job, part.part)
            self._asked[job, part.part] = known = work, DieDemand.of(work, part.model, floor), reference_ghz
        return known
