"""Cloud sites: which waiting jobs go there, what they do there, and what it costs.

A job that goes is copied over the line between the sites (first in, first out), its nodes are ordered so that they come
when the copy is there, and it runs to its end there; it never comes back. It steps at its reference pace times `speed`,
less what checkpoints and failures take in the mean: the exact renewal form, with the failure rate of this scene. So
nothing strikes it by itself, and it holds nothing of this site: its GPUs are in no account of the ledger.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from twin import units
from twin.catalog import Catalog
from twin.physics.checkpoint import renewal_ettr
from twin.plant.tables import Plant
from twin.record.channels import JobState
from twin.record.events import Severity
from twin.scenario.schema.cloud import Cloud
from twin.sim.core.ledger import INDEX
from twin.sim.core.log import Log
from twin.sim.core.nodes import NodeTable
from twin.sim.core.state import Fields, Items, Records, StateField, Stateful
from twin.sim.core.timers import LATE, Timers
from twin.sim.jobs.job_row import JobRow
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.plan import JobPlan
from twin.sim.jobs.step_pace import Pace
from twin.sim.jobs.work import work_of
from twin.sim.queue.scheduler import QueueScheduler

HOUR_S = 3600.0
SLOWEST = 1e-9
"""Least share of its pace that failures leave a job: one without checkpoints may never end otherwise."""


@dataclass
class Stay:
    """A job in a cloud.

    Parameters
    ----------
    cloud
        Number of the site.
    left_s, copied_s, ready_s, first_s
        It left the queue; its data are there; its nodes are there and paid from then on; it takes its first step [s].
    saved_s
        How much sooner it starts there than it was expected to start here [s]; None: nobody knows.
    """

    cloud: int
    left_s: float
    copied_s: float
    ready_s: float
    first_s: float
    saved_s: float | None


@dataclass
class Books:
    """What one cloud has done so far; jobs that are there now are not among the hours."""

    jobs: int = 0
    used: int = 0  # GPUs now
    quota_peak: int = 0
    gpu_s: float = 0.0  # paid
    kept_gpu_s: float = 0.0  # of steps, with nothing lost
    egress_bytes: float = 0.0
    line_s: float = 0.0  # the line is free from then on
    wait_saved_s: float = 0.0


class Clouds(Stateful):
    """Handler of the timer ``cloud``, one for each job: look whether it goes, or what it does there next.

    Attributes
    ----------
    elsewhere
        Asked first when a timer is due: whether a loss of the site settles what happens; see `Replication`.
    cut
        Whether the line is dead because the site is lost.
    """

    def __init__(
        self,
        timers: Timers,
        log: Log,
        nodes: NodeTable,
        jobs: Jobs,
        plans: list[JobPlan],
        scheduler: QueueScheduler,
        clouds: tuple[Cloud, ...],
        catalog: Catalog,
        failures_per_s: float,
    ) -> None:
        self.timers, self.log, self.nodes, self.jobs, self.plans = timers, log, nodes, jobs, plans
        self.scheduler, self.clouds, self.catalog = scheduler, clouds, catalog
        self.failures_per_s = failures_per_s
        self.books = [Books() for _ in clouds]
        self.stays: dict[int, Stay] = {}
        self.overdue: list[int] = []
        self.cut = False
        self.elsewhere: Callable[[JobRow], bool] = lambda row: False
        self._steps_s: dict[tuple[int, int], float] = {}
        timers.handle("cloud", self._due)

    # --- who goes

    def queued(self, index: int) -> None:
        """Take note that a job waits from now on: look at it when its patience or its deadline says so."""
        row, now = self.jobs.rows[index], self.timers.now_s
        looks = [look for k in range(len(self.clouds)) for look in self._looks(k, row) if look < math.inf]
        if looks:
            self.timers.set("cloud", index, max(now, min(looks)), LATE)

    def _looks(self, k: int, row: JobRow) -> tuple[float, float]:
        """Return when it goes for its wait, and when at the latest for its deadline [s]; inf: never."""
        burst, spec = self.clouds[k].burst, self.jobs.specs[row.index]
        if burst is None or not self._may(k, row):
            return math.inf, math.inf
        for_wait_s = math.inf if burst.wait_s is None else self._queued_s(row) + burst.wait_s
        if not burst.deadlines or spec.deadline_s is None or spec.deadline_s <= self.timers.now_s:
            return for_wait_s, math.inf
        if self._here_s(row) + self._left_here_s(row) > spec.deadline_s:
            return for_wait_s, self.timers.now_s
        latest_s = spec.deadline_s - self._lasts_s(k, row, self.timers.now_s)
        return for_wait_s, math.inf if latest_s < self.timers.now_s else latest_s

    @staticmethod
    def _queued_s(row: JobRow) -> float:
        return max(row.queued_s, row.submit_s)

    def _may(self, k: int, row: JobRow) -> bool:
        """Return whether a job can go to a cloud at all."""
        cloud, spec = self.clouds[k], self.jobs.specs[row.index]
        largest = cloud.burst.largest_gpus if cloud.burst is not None else None
        small = row.gpus <= min(cloud.quota, largest or cloud.quota)
        return spec.cloud and spec.mig is None and small and self.step_s(k, row.index) < math.inf

    def _due(self, index: int) -> None:
        row = self.jobs.rows[index]
        if row.state == JobState.REMOTE:
            self._go_on(row)
        elif not self.elsewhere(row) and row.state == JobState.QUEUED:
            self._consider(row)

    def _consider(self, row: JobRow) -> None:
        now, later = self.timers.now_s, math.inf
        for k, cloud in enumerate(self.clouds):
            for_wait_s, for_deadline_s = self._looks(k, row)
            reasons = []
            if for_wait_s <= now:
                reasons.append(f"waited {units.spoken(now - self._queued_s(row))}")
            spec = self.jobs.specs[row.index]
            if spec.deadline_s is not None and for_deadline_s <= now:
                late_here = self._here_s(row) + self._left_here_s(row) > spec.deadline_s
                if late_here and now + self._lasts_s(k, row, now) <= spec.deadline_s:
                    reasons.append("would miss its deadline here")
            if reasons and not self.cut and self.books[k].used + row.gpus <= cloud.quota:
                self.go(k, row, " and ".join(reasons))
                return
            if reasons and row.index not in self.overdue:
                self.overdue.append(row.index)
            later = min([later, *(look for look in (for_wait_s, for_deadline_s) if look > now)])
        if later < math.inf:
            self.timers.set("cloud", row.index, later, LATE)

    def go(self, k: int, row: JobRow, why: str, *, copied: bool = False) -> Stay:
        """Send a waiting job to a cloud; `copied`: its state and data are there already."""
        cloud, books, now = self.clouds[k], self.books[k], self.timers.now_s
        expected_s = self._here_s(row)
        self.scheduler.withdraw(row.index)
        if row.index in self.overdue:
            self.overdue.remove(row.index)
        copied_s = now if copied else self.send(k, self._moved_bytes(k, row))
        ready_s = max(now + cloud.provisioning_s, copied_s)
        plan = self.plans[row.index]
        starts_s = (
            sum(plan.restart(swapped=False, load_s=plan.load_s)) if row.progress else plan.first_start_s
        )
        saved_s = None if math.isinf(expected_s) else max(0.0, expected_s - ready_s)
        stay = self.stays[row.index] = Stay(k, now, copied_s, ready_s, ready_s + starts_s, saved_s)
        books.jobs += 1
        books.used += math.ceil(row.gpus)
        books.quota_peak = max(books.quota_peak, books.used)
        books.wait_saved_s += saved_s or 0.0
        row.site, row.target = cloud.id, row.progress
        row.waited_s += now - self._queued_s(row)
        self.jobs.enter(row, now, JobState.REMOTE)
        self.timers.set("cloud", row.index, ready_s)
        text = f"{row.id} sent to {cloud.id} ({why}); nodes ready in {units.spoken(ready_s - now)}"
        self.log.add(
            now,
            "job_cloud",
            row.id,
            text,
            gpus=math.ceil(row.gpus),
            cloud=cloud.id,
            ready_in_s=ready_s - now,
            why=why,
        )
        return stay

    def send(self, k: int, size_bytes: float) -> float:
        """Put a transfer on the line of a cloud, behind those before it; return when it is over [s]."""
        books = self.books[k]
        books.line_s = max(self.timers.now_s, books.line_s) + size_bytes / self.clouds[k].bandwidth_bytes_s
        return books.line_s

    # --- what it does there

    def _go_on(self, row: JobRow) -> None:
        """Do what is next for a job in a cloud: its nodes come, it takes its first step, it ends."""
        stay, now = self.stays[row.index], self.timers.now_s
        if row.target > row.progress:
            self._end(row, stay, now)
            return
        if now <= stay.ready_s:
            row.waited_s += now - stay.left_s
            row.start_s = now if row.start_s is None else row.start_s
            text = f"{self.clouds[stay.cloud].id}: {math.ceil(row.gpus)} GPUs ready for {row.id}"
            self.log.add(
                now, "cloud_on", row.id, text, gpus=math.ceil(row.gpus), cloud=self.clouds[stay.cloud].id
            )
        if now < stay.first_s:
            self.timers.set("cloud", row.index, stay.first_s)
        else:
            self._run(row, stay, now)

    def _run(self, row: JobRow, stay: Stay, now: float) -> None:
        steps = self.plans[row.index].steps
        row.since_s, row.target = now, math.inf if steps is None else float(steps)
        self.jobs.sit(row, row.own_s + self.step_s(stay.cloud, row.index) - self.jobs.ideal_s(row))
        share = np.zeros_like(self.jobs.pace[row.index].share)
        share[INDEX["productive"]] = 1.0
        self.jobs.set_pace(row.index, Pace(self._pace_s(stay.cloud, row), share))
        kind = "job_resumed" if row.progress else "job_running"
        text = f"{row.id} running in {self.clouds[stay.cloud].id} from step {row.progress:,.0f}"
        self.log.add(now, kind, row.id, text, step=int(row.progress), cloud=self.clouds[stay.cloud].id)
        if row.target < math.inf:
            lasts_s = (row.target - row.progress) * self.jobs.pace[row.index].step_s
            self.timers.set("cloud", row.index, now + max(0.0, lasts_s))

    def stop(self, row: JobRow, why: str) -> None:
        """End a job that is in a cloud before its work is done."""
        now = self.timers.now_s
        self.jobs.enter(row, now, JobState.KILLED)
        row.end_s, row.outcome = now, "cancelled"
        self.log.add(now, "job_cancelled", row.id, f"{row.id} ended: {why}", Severity.WARNING, why=why)
        self.release(row)

    def _end(self, row: JobRow, stay: Stay, now: float) -> None:
        books, cloud = self.books[stay.cloud], self.clouds[stay.cloud]
        self.jobs.book(row, now)
        row.progress = row.durable = row.target
        row.end_s, row.outcome = now, "done"
        self.jobs.enter(row, now, JobState.DONE)
        work = self.jobs.work[row.index]
        if not work.stateless:  # its result comes home
            books.egress_bytes += work.checkpoint_bytes
            if not self.cut:
                self.send(stay.cloud, work.checkpoint_bytes)
        text = f"{row.id} completed in {cloud.id} after {row.progress:,.0f} steps"
        self.log.add(now, "job_done", row.id, text, step=int(row.progress), cloud=cloud.id)
        self.release(row)

    def release(self, row: JobRow) -> None:
        """Give the nodes of a job in a cloud back; those that waited for the quota may go."""
        stay, now = self.stays.pop(row.index), self.timers.now_s
        books, cloud = self.books[stay.cloud], self.clouds[stay.cloud]
        books.used -= math.ceil(row.gpus)
        books.gpu_s += self._paid_s(row, stay, now)
        books.kept_gpu_s += row.gpus * self.jobs.there_s(row, now)
        self.timers.cancel("cloud", row.index)
        text = f"{cloud.id}: nodes released"
        self.log.add(now, "cloud_off", row.id, text, gpus=math.ceil(row.gpus), cloud=cloud.id)
        self.look_again()

    def look_again(self) -> None:
        """Look whether those that wait for the quota can go now."""
        waiting, self.overdue = self.overdue, []
        for place, index in enumerate(waiting):
            if all(b.used >= cloud.quota for b, cloud in zip(self.books, self.clouds, strict=True)):
                self.overdue += waiting[place:]
                break
            self._due(index)

    def _paid_s(self, row: JobRow, stay: Stay, now: float) -> float:
        """Return the GPU-seconds a job is charged for until now."""
        held_s = now - stay.ready_s
        return row.gpus * max(held_s, self.clouds[stay.cloud].minimum_s) if held_s > 0 else 0.0

    # --- estimates

    def step_s(self, k: int, index: int) -> float:
        """Return the time of a step in a cloud without failures [s]; inf: the job does not fit its GPUs."""
        cloud, planned = self.clouds[k], self.jobs.planned[index]
        key = (k, index)
        if key not in self._steps_s:
            step_s, plant = planned.step_s, self.nodes.plant
            if cloud.gpu != _gpu_of(plant, self.plans[index]):
                there = work_of(
                    self.jobs.specs[index], math.ceil(self.jobs.rows[index].gpus), cloud.gpu, self.catalog
                )
                step_s = math.inf if there.misfit and not planned.misfit else there.step_s
            self._steps_s[key] = step_s / cloud.speed
        return self._steps_s[key]

    def _pace_s(self, k: int, row: JobRow) -> float:
        """Return the mean time of a step there, checkpoints and failures included [s]."""
        plan, step_s = self.plans[row.index], self.step_s(k, row.index)
        rate = self.failures_per_s * plan.nodes
        left = math.inf if plan.steps is None else plan.steps - row.progress
        steps, pause_s = (plan.checkpoint_steps, plan.pause_s) if plan.checkpoint_steps else (left, 0.0)
        if self.jobs.work[row.index].stateless or math.isinf(steps):
            return step_s
        restart_s = plan.detection_s(None) + sum(plan.restart(swapped=False, load_s=plan.load_s))
        kept = float(renewal_ettr(steps * step_s, pause_s, restart_s, rate))
        return step_s / max(kept, SLOWEST)

    def _moved_bytes(self, k: int, row: JobRow) -> float:
        saved = self.jobs.work[row.index].checkpoint_bytes if row.progress else 0.0
        return self.clouds[k].data_bytes + saved

    def _lasts_s(self, k: int, row: JobRow, now: float) -> float:
        """Return the time from leaving now to the end there [s]."""
        plan, cloud, books = self.plans[row.index], self.clouds[k], self.books[k]
        if plan.steps is None:
            return math.inf
        copy_s = max(0.0, books.line_s - now) + self._moved_bytes(k, row) / cloud.bandwidth_bytes_s
        starts_s = (
            sum(plan.restart(swapped=False, load_s=plan.load_s)) if row.progress else plan.first_start_s
        )
        steps_s = (plan.steps - row.progress) * self._pace_s(k, row)
        return max(cloud.provisioning_s, copy_s) + starts_s + steps_s

    def _left_here_s(self, row: JobRow) -> float:
        """Return the time from a start here to the end [s]."""
        plan, work = self.plans[row.index], self.jobs.planned[row.index]
        if plan.steps is None:
            return math.inf
        return plan.first_start_s + (plan.steps - row.progress) * work.step_s / plan.duty(work.step_s)

    def _here_s(self, row: JobRow) -> float:
        """Return when a waiting job could start here at the earliest, by when those that run are to end [s].

        Whoever waits before it is not looked at, unless the scheduler has planned its start.
        """
        planned = self.scheduler.planned.get(row.index)
        if planned:
            return planned
        plan, now = self.plans[row.index], self.timers.now_s
        allowed = plan.allowed
        free = int((allowed & self.nodes.usable).sum())
        if free >= plan.nodes:
            return now
        ends = []
        for other in self.jobs.active:
            steps = self.plans[other.index].steps
            if steps is not None:
                left = steps - self.jobs.progress_at(other, now)
                ends.append((now + left * self.jobs.pace[other.index].step_s, other.nodes))
        for end_s, nodes in sorted(ends, key=lambda end: end[0]):
            free += int(allowed[nodes].sum())
            if free >= plan.nodes:
                return end_s
        return math.inf

    # --- looking

    def kept_gpu_s(self, now: float) -> float:
        """Return the GPU-seconds of steps in all clouds up to now, with nothing lost."""
        rows = [self.jobs.rows[index] for index in self.stays]
        return sum(books.kept_gpu_s for books in self.books) + sum(
            row.gpus * self.jobs.there_s(row, now) for row in rows
        )

    def figures(self, now: float) -> dict[str, dict[str, Any]]:
        """Return what every cloud did and cost up to now; changes nothing."""
        made = {}
        for k, (cloud, books) in enumerate(zip(self.clouds, self.books, strict=True)):
            gpu_s = books.gpu_s + sum(
                self._paid_s(self.jobs.rows[index], stay, now)
                for index, stay in self.stays.items()
                if stay.cloud == k
            )
            made[cloud.id] = {
                "jobs": books.jobs,
                "there": sum(stay.cloud == k for stay in self.stays.values()),
                "gpu_h": gpu_s / HOUR_S,
                "cost_usd": gpu_s / HOUR_S * cloud.price_usd_gpu_h,
                "egress_usd": books.egress_bytes * cloud.egress_usd_byte,
                "wait_saved_s": books.wait_saved_s,
                "quota_peak": books.quota_peak,
            }
        return made

    STATE = Fields(
        Records("books", Books),
        Items("stays", lambda saved: Stay(**saved), asdict),
        StateField("overdue", list),
        StateField("cut", bool),
    )


def _gpu_of(plant: Plant, plan: JobPlan) -> str:
    """Return the GPU part that a job runs on here."""
    first = int(plant.nodes.gpu_first[int(np.argmax(plan.allowed))])
    return plant.gpu_parts[int(plant.gpus.part[first])]
