"""Disasters: checkpoints copied to a cloud while all is well, and jobs that continue there when the site is lost.

What is copied is the newest checkpoint that is safe here, first of all with the data set; a copy that is not complete
when the site is lost counts for nothing. A loss leaves the site without power, and cuts the lines. Jobs with a copy go
to the cloud that has the newest one, as soon as they know; they stay there until they are done, even when the site
comes back. The others, and those for whom no quota is left, wait for that.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from twin import units
from twin.record.channels import JobState
from twin.sim.core.state import Fields, Items, Records, StateField, Stateful
from twin.sim.core.timers import LATE
from twin.sim.jobs.job_row import JobRow
from twin.sim.jobs.recovery import RecoveryHandler
from twin.sim.queue.cloud import Clouds

OVER = (JobState.DONE, JobState.KILLED, JobState.REMOTE)


@dataclass
class CheckpointReplica:
    """A copy of a checkpoint in a cloud.

    Parameters
    ----------
    step
        What it holds; the first copy brings the data set along.
    kept
        Work that its job had kept for good when it was taken, by account [GPU s].
    """

    step: float
    kept: list[float]


@dataclass
class RecoveredJob:
    """What a loss of the site meant to one job.

    Parameters
    ----------
    cloud
        Where it went.
    rpo_s
        Work that was lost, at its reference pace [s].
    rto_s
        From the loss to its first step there [s].
    """

    job: str
    cloud: str
    rpo_s: float
    rto_s: float


Replicas = dict[tuple[int, int], CheckpointReplica]


def _replicas_of(saved: list[Any]) -> Replicas:
    return {(k, index): CheckpointReplica(step, kept) for k, index, step, kept in saved}


def _replica_rows(replicas: Replicas) -> list[list[Any]]:
    return [[k, index, replica.step, replica.kept] for (k, index), replica in replicas.items()]


class SiteReplication(Stateful):
    """Handlers of the timers ``replicate``, one for each cloud, and ``replicated``, one for each copy on its way."""

    def __init__(self, clouds: Clouds, recovery: RecoveryHandler) -> None:
        self.clouds, self.recovery = clouds, recovery
        self.timers, self.log, self.jobs = clouds.timers, clouds.log, clouds.jobs
        self.replicas: dict[tuple[int, int], CheckpointReplica] = {}  # (cloud, job): the newest whole one
        self.coming: dict[tuple[int, int], CheckpointReplica] = {}
        self.lost_s: float | None = None  # since when the site is lost
        self.reached: dict[int, float] = {}  # progress of jobs when it was
        self.losses = 0
        self.recovered: list[RecoveredJob] = []
        clouds.elsewhere = self._elsewhere
        self.timers.handle("replicate", self._replicate)
        self.timers.handle("replicated", self._replicated)

    def begin(self) -> None:
        """Copy for the first time after each interval."""
        for k, cloud in enumerate(self.clouds.clouds):
            if cloud.replication is not None:
                self.timers.set("replicate", k, self.timers.now_s + cloud.replication.every_s)

    def _replicate(self, k: int) -> None:
        """Send what is newer than the copy in a cloud; a job whose copy is still on its way has to wait."""
        cloud = self.clouds.clouds[k]
        rule = cloud.replication
        assert rule is not None
        self.timers.set("replicate", k, self.timers.now_s + rule.every_s)
        if self.lost_s is not None:
            return
        for row in self.jobs.active:
            had, work = self.replicas.get((k, row.index)), self.jobs.work[row.index]
            chosen = not rule.jobs or row.id in rule.jobs
            newer = work.stateless if had is None else False
            newer |= row.durable != (had.step if had else 0.0) and not work.stateless
            if chosen and newer and (k, row.index) not in self.coming and self._fits(k, row):
                size = work.checkpoint_bytes + (cloud.data_bytes if had is None else 0.0)
                self.coming[k, row.index] = CheckpointReplica(row.durable, list(row.kept))
                self.timers.set("replicated", self._number(k, row.index), self.clouds.send(k, size))

    def _fits(self, k: int, row: JobRow) -> bool:
        return row.gpus <= self.clouds.clouds[k].quota and self.clouds.step_s(k, row.index) < math.inf

    def _number(self, k: int, index: int) -> int:
        return k * len(self.jobs.rows) + index

    def _replicated(self, number: int) -> None:
        k, index = divmod(number, len(self.jobs.rows))
        row, replica = self.jobs.rows[index], self.coming.pop((k, index))
        self.replicas[k, index] = replica
        text = f"{row.id}: checkpoint of step {replica.step:,.0f} replicated to {self.clouds.clouds[k].id}"
        cloud = self.clouds.clouds[k].id
        self.log.add(self.timers.now_s, "replicated", row.id, text, step=int(replica.step), cloud=cloud)

    # --- the loss of the site

    def site(self, lost: bool) -> None:
        """Take note that the site is lost, or back."""
        if lost == (self.lost_s is not None):
            return
        now = self.timers.now_s
        self.clouds.cut = lost
        self.lost_s = now if lost else None
        if not lost:
            self.reached.clear()
            self.clouds.look_again()
            return
        self.losses += 1
        for k, index in self.coming:
            self.timers.cancel("replicated", self._number(k, index))
        self.coming.clear()
        for books in self.clouds.books:
            books.line_s = min(books.line_s, now)
        for _, index in sorted(self.replicas):
            row = self.jobs.rows[index]
            if row.state not in OVER:
                self.reached[index] = self.jobs.progress_at(row, now)
                self.timers.set("cloud", index, now + self.clouds.plans[index].detection_s(None), LATE)
        for index, stay in sorted(self.clouds.stays.items()):
            if stay.copied_s > now:
                self._come_back(self.jobs.rows[index])

    def _come_back(self, row: JobRow) -> None:
        """Put a job into the queue again whose copy is not complete."""
        now = self.timers.now_s
        row.waited_s += now - self.clouds.stays[row.index].left_s
        self.clouds.release(row)
        row.site, row.queued_s = "", now
        self.jobs.enter(row, now, JobState.QUEUED)
        self.recovery.returned.append(row.index)
        self.recovery.freed = True
        text = f"{row.id} queued again: WAN copy incomplete"
        self.log.add(now, "job_requeued", row.id, text, why="WAN copy incomplete")

    def _elsewhere(self, row: JobRow) -> bool:
        """Let a job continue in a cloud if the site is lost and a copy is there; return whether that settles it."""
        if self.lost_s is None or row.state in OVER or row.index not in self.reached:
            return False
        known = [
            (-replica.step, k, replica)
            for (k, index), replica in self.replicas.items()
            if index == row.index and replica.step <= row.durable
        ]
        books, clouds = self.clouds.books, self.clouds.clouds
        for _, k, replica in sorted(known, key=lambda entry: entry[:2]):
            if books[k].used + row.gpus <= clouds[k].quota:
                self._resume(k, row, replica)
                return True
        if known and row.index not in self.clouds.overdue:
            self.clouds.overdue.append(row.index)
        return bool(known)

    def _resume(self, k: int, row: JobRow, replica: CheckpointReplica) -> None:
        assert self.lost_s is not None
        if row.state != JobState.QUEUED:
            self.recovery.requeue(row, "site lost")
        if row.index in self.recovery.returned:
            self.recovery.returned.remove(row.index)
        reached, rpo_s = self.reached.pop(row.index), 0.0
        if not self.jobs.work[row.index].stateless:
            self._fall_back(row, replica)
            rpo_s = (reached - replica.step) * self.jobs.planned[row.index].step_s
        why = f"site lost, RPO achieved {units.spoken(rpo_s)}" if rpo_s else "site lost"
        stay = self.clouds.go(k, row, why, copied=True)
        rto_s = stay.first_s - self.lost_s
        self.recovered.append(RecoveredJob(row.id, self.clouds.clouds[k].id, rpo_s, rto_s))

    def _fall_back(self, row: JobRow, replica: CheckpointReplica) -> None:
        """Give up all work of a job that a copy does not hold, also what was safe here."""
        later = np.asarray(row.kept) - np.asarray(replica.kept)
        self.jobs.ledger.keep(-later)
        lost = later + np.asarray(row.open)
        for save in row.in_flight:
            lost = lost + np.asarray(save.work)
        self.jobs.lose(row, lost, self.timers.now_s)
        row.kept, row.in_flight, row.open = list(replica.kept), [], [0.0] * len(row.kept)
        row.progress = row.durable = replica.step

    # --- looking

    def figures(self) -> dict[str, Any]:
        """Return how often the site was lost, and what it meant to each job that went on elsewhere."""
        rows = self.recovered
        return {
            "losses": self.losses,
            "rpo_max_s": max((row.rpo_s for row in rows), default=None),
            "rto_max_s": max((row.rto_s for row in rows), default=None),
            "jobs": [asdict(row) for row in rows],
        }

    STATE = Fields(
        StateField("replicas", _replicas_of, _replica_rows),
        StateField("coming", _replicas_of, _replica_rows),
        StateField("lost_s"),
        Items("reached", float),
        StateField("losses"),
        Records("recovered", RecoveredJob),
    )
