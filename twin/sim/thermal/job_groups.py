"""Groups in which jobs work on one part, side by side: clocks and power of many jobs are worked out at once.

Whatever is worked out of a group takes the same operations in the same order, in whichever company it stands. So a
job alone has, to the last bit, the clocks that it has among hundreds.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import compress, pairwise
from operator import is_, is_not

import numpy as np

from twin.arrays import Bools, Floats, IntP
from twin.physics.gpu_power import GpuPowerModel, SpreadLine, dynamic_unit_w
from twin.sim.jobs.gpu_load import DieDemand, least_activity, step_w
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.work import Work
from twin.sim.thermal.gpu_groups import Traces
from twin.sim.thermal.group_power import JobClock

WorksOf = Callable[[list[int]], list[Work]]


class JobClocks(Mapping[int, JobClock]):
    """What limits each job, put together when somebody asks: most jobs of a large hall go on as they do.

    Parameters
    ----------
    ids
        The jobs, in order.
    figures
        What `JobClock` holds, shape (5, J).
    """

    def __init__(self, ids: Sequence[int], figures: Floats) -> None:
        self._ids, self._figures = ids, figures

    def __getitem__(self, job: int) -> JobClock:
        place = bisect_left(self._ids, job)
        if place == len(self._ids) or self._ids[place] != job:
            raise KeyError(job)
        return JobClock(*self._figures[:, place].tolist())

    def __iter__(self) -> Iterator[int]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


class WorkFigures:
    """Figures of the work of each job, by its number: worked out anew where the job has other work.

    Parameters
    ----------
    columns
        How many figures there are.
    figures_of
        Returns those of a job that does some work.
    """

    def __init__(self, columns: int, figures_of: Callable[[int, Work], Sequence[float]]) -> None:
        self._figures_of = figures_of
        self._rows = np.zeros((0, columns))
        self._works: list[Work | None] = []  # that each row is of
        self._latest: tuple[IntP, list[Work], Floats] | None = (
            None  # jobs asked for last, their works, and that
        )

    def columns(self, jobs: IntP, works: list[Work]) -> Floats:
        """Return the figures of jobs that do such work, shape (columns, J)."""
        if not works:
            return np.zeros((self._rows.shape[1], 0))
        latest = self._latest
        if latest is not None and np.array_equal(latest[0], jobs) and all(map(is_, latest[1], works)):
            return latest[2]
        numbers, known = jobs.tolist(), self._works
        more = max(numbers) + 1 - len(known)
        if more > 0:
            known += [None] * more
            self._rows = np.concatenate([self._rows, np.zeros((more, self._rows.shape[1]))])
        others = map(is_not, works, map(known.__getitem__, numbers))
        for place in list(compress(range(len(works)), others)):
            job, work = numbers[place], works[place]
            self._rows[job], known[job] = self._figures_of(job, work), work
        result: Floats = self._rows.take(jobs, axis=0).T
        self._latest = jobs, works, result
        return result


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
    numbers, jobs : ndarray of int, list of int
        The jobs.
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
        self.model, self.part, self.places = model, part, places
        self.numbers, self.jobs = jobs, jobs.tolist()
        self.groups, self.measured = groups, measured
        self._begins, self._counts = begins, np.append(begins[1:], len(groups)) - begins
        points_s = traces.points_s.take(groups, axis=1)
        self.line = SpreadLine(np.ones_like(points_s) if measured else points_s)
        self.leakiest_s = self.by_group(np.maximum.reduceat(points_s[2], begins))
        steps = traces.trace[groups] % 2 == 0
        self.steps: Bools | None = None if steps.all() else steps
        self._pace_s = np.zeros(0)

    def by_group(self, values: Floats) -> Floats | float:
        """Return a figure of each job, shape (J,), for its groups, shape (G,), or alone where it is the same of all."""
        first = float(values[0])
        if not np.count_nonzero(values != first):
            return first
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

    def ask(self, asked: Floats) -> None:
        """Take over what each job asks of its dies: the figures of `DieDemand`, then its reference, shape (9, J)."""
        self.own_ghz, first = asked[-1], asked[:, 0].tolist()
        *demand, self.reference_ghz = (
            np.repeat(figures, self._counts) if differ else alone
            for figures, alone, differ in zip(
                asked, first, (asked != asked[:, :1]).any(axis=1).tolist(), strict=True
            )
        )
        self.asked = DieDemand(*demand)

    def paced(self, pace_s: Floats) -> bool:
        """Return whether their powers are those for steps that take so long [s]."""
        return np.array_equal(pace_s, self._pace_s)

    def draw(self, pace_s: Floats, resting_w: Floats, base_w: Floats, dyn_w: Floats) -> None:
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
    table
        All jobs.
    works_of
        Returns what jobs, or what stands for several, do.
    figures
        Times of their work [s], whether it is no service, whether they are known by their power alone.
    most
        No number of a job is as high: what stands for several may be left out.

    Attributes
    ----------
    numbers, ids : ndarray of int, list of int
        The jobs in order, shape (J,).
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

    def __init__(
        self,
        traces: Traces,
        models: Sequence[GpuPowerModel],
        table: Jobs,
        works_of: WorksOf,
        figures: WorkFigures,
        most: int,
    ) -> None:
        self.version, self.most, self._jobs = traces.version, most, table
        groups = (traces.working & (traces.trace < 2 + 2 * most)).nonzero()[0]
        jobs = traces.trace[groups] // 2 - 1
        at_work = np.zeros(most, bool)
        at_work[jobs] = True
        self.numbers = ids = at_work.nonzero()[0]
        place = (at_work.cumsum() - 1)[jobs]
        self.ids: list[int] = ids.tolist()
        self._works_of, self._figures = works_of, figures
        self.take_works()
        part = 2 * traces.groups.part[groups] + self._measured[place]
        order = np.lexsort((place, part))
        groups, place, part = groups[order], place[order], part[order]
        self.parts: list[JobGroups] = []
        ends = (np.append(part[1:], -1) != part).nonzero()[0] + 1
        for begin, end in pairwise([0, *ends.tolist()]):
            number = int(part[begin])
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

    def take_works(self) -> None:
        """Take note of the work that they do now."""
        self._work_version = self._jobs.work_version
        self.works = self._works_of(self.ids)
        self._times_s, (lasting, measured) = np.split(self._figures.columns(self.numbers, self.works), [3])
        self.lasting, self._measured = lasting > 0, measured > 0

    def still(self) -> bool:
        """Return whether all of them do the work that they did."""
        if self._work_version == self._jobs.work_version:  # what stands for several keeps its own
            return True
        still = all(map(is_, self.works, self._works_of(self.ids)))
        if still:
            self._work_version = self._jobs.work_version
        return still

    def rest(self) -> None:
        """Let nothing hold them down."""
        self._free_share, self._capped_share, self.now_share = np.full((3, len(self.ids)), np.inf)
        self.reference, self.memory = np.ones((2, len(self.ids)))

    def slow(self, part: JobGroups, free: Floats, capped: Floats, now: Floats) -> None:
        """Take note of clocks of the slowest dies in the groups of a part, shapes (G,) [GHz].

        Shares of the reference are what parts are compared by; the slowest part sets the pace.
        """
        places, own_ghz = part.places, part.own_ghz
        slowest_free = part.lowest(free) / own_ghz
        slowest_capped = slowest_free if capped is free else part.lowest(capped) / own_ghz
        slowest = slowest_capped if now is capped else part.lowest(now) / own_ghz
        for shares, share in ((self._free_share, slowest_free), (self._capped_share, slowest_capped)):
            shares[places] = np.minimum(shares[places], share)
        slower = slowest < self.now_share[places]
        self.now_share[places] = np.where(slower, slowest, self.now_share[places])
        self.reference[places] = np.where(slower, own_ghz, self.reference[places])

    def clocks(self) -> JobClocks:
        """Return what limits each job."""
        shares = (self._free_share, self._capped_share, self.now_share)
        ghz = (self.reference, *(self.reference * share for share in shares), self.memory)
        return JobClocks(self.ids, np.array(ghz))

    def step_s(self) -> Floats:
        """Return how long a step of each job takes at its clocks, with nothing else against it, shape (J,) [s]."""
        planned_s, clocked_s, memory_s = self._times_s
        slower = 1.0 / np.minimum(self._capped_share, self.now_share) - 1.0
        result: Floats = planned_s + clocked_s * slower + memory_s * (1.0 / self.memory - 1.0)
        return result


def _work_figures(job: int, work: Work) -> tuple[float, ...]:
    """Return times of the work of a job [s], whether it is no service, and whether it is known by its power alone."""
    return work.step_s, work.clocked_s, work.memory_s, not work.stateless, work.gpu_load is not None


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
        self._figures = WorkFigures(5, _work_figures)
        self._asked: dict[
            int, WorkFigures
        ] = {}  # by part: what they ask of it, and the clock that they are for

    def at_work(self, most: int) -> ClockedJobs:
        """Return the jobs with groups of their own whose number is below `most`."""
        known = self._known
        if known is None or known.version != self._traces.version or known.most != most:
            known = ClockedJobs(self._traces, self._models, self._jobs, self._works_of, self._figures, most)
            self._known = known
        elif known.still():
            return known
        else:
            known.take_works()
        for part in known.parts:
            if part.part not in self._asked:
                self._asked[part.part] = WorkFigures(9, partial(self._asks, part.part))
            works = known.works
            if len(part.jobs) < len(works):
                works = [works[place] for place in part.places.tolist()]
            part.ask(self._asked[part.part].columns(part.numbers, works))
        return known

    def _asks(self, part: int, job: int, work: Work) -> tuple[float, ...]:
        specs = self._jobs.specs
        floor = specs[job].power_floor if job < len(specs) else 0.0
        demand = DieDemand.of(work, self._models[part], floor)
        return *(float(figure) for figure in demand), self._reference_ghz(job, part)
