"""Jobs that people move to another partition while they wait."""

from __future__ import annotations

from collections.abc import Callable

from twin.planning.job.result import PlanError
from twin.record.channels import JobState
from twin.scenario.schema.document import Scenario
from twin.sim.core.log import Log
from twin.sim.core.state import Fields, Items, Stateful
from twin.sim.core.timers import Timers
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.plan import JobPlan, UnplaceableJob
from twin.sim.jobs.step_pace import pace_of
from twin.sim.jobs.work import Work
from twin.sim.queue.scheduler import QueueScheduler

Planner = Callable[[int, str | None], tuple[JobPlan, Work]]
"""Returns plan and step of a job in a partition; raises `UnplaceableJob` or `PlanError`."""


class Moves(Stateful):
    """Partitions of jobs that were moved.

    Parameters
    ----------
    plan
        Plans one job anew.

    Attributes
    ----------
    now_in
        Partition of every job that was moved, by its index.
    """

    def __init__(
        self,
        timers: Timers,
        log: Log,
        jobs: Jobs,
        plans: list[JobPlan],
        scheduler: QueueScheduler,
        scenario: Scenario,
        plan: Planner,
    ) -> None:
        self.timers, self.log, self.jobs, self.plans = timers, log, jobs, plans
        self.scheduler, self.scenario, self.plan = scheduler, scenario, plan
        self.index = {row.id: row.index for row in jobs.rows} if scenario.partitions else {}
        self.now_in: dict[int, str] = {}

    def move(self, job: str, partition: str) -> None:
        """Let a job wait in another partition; one that does not wait stays where it is."""
        now, index = self.timers.now_s, self.index[job]
        row = self.jobs.rows[index]
        if row.state != JobState.QUEUED:
            text = f"{job} is not queued: requeue it first, then move it to {partition}"
            self.log.add(now, "refused", job, text)
            return
        before_s = self.jobs.ideal_s(row)
        try:
            self._put(index, partition)
        except (UnplaceableJob, PlanError) as error:
            self._put(index, self.now_in.get(index, self.jobs.specs[index].partition))
            self.log.add(now, "refused", job, str(error))
            return
        row.first_s = 0.0
        self.jobs.planned_anew(row, row.progress, before_s)
        self.jobs.set_pace(index, pace_of(self.jobs.work[index], {}))
        self.now_in[index] = partition
        number = [known.id for known in self.scenario.partitions].index(partition)
        self.log.add(
            now, "job_moved", job, f"{job} queued in {partition}", partition=number, partition_id=partition
        )
        self.scheduler.moved(index)

    def _put(self, index: int, partition: str | None) -> None:
        self.plans[index], work = self.plan(index, partition)
        self.jobs.planned[index] = work
        self.jobs.set_work(index, work)
        self.jobs.replanned += 1

    def renew(self) -> None:
        """Plan all jobs that were moved where they are now: others have just been planned where they were."""
        for index, partition in self.now_in.items():
            self._put(index, partition)
        if self.now_in:
            self.scheduler.renew()

    def on_restored(self) -> None:
        """Plan jobs where they are now."""
        self.renew()

    STATE = Fields(Items("now_in", str))
