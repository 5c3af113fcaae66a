"""The state of a job read back in its restart: from where, and until when, beside all that reads and writes there."""

from __future__ import annotations

from dataclasses import dataclass

from twin.sim.core.timers import Timers
from twin.sim.jobs.checkpointing import Saving
from twin.sim.jobs.job_row import BUDGET, JobRow
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.plan import JobPlan
from twin.sim.jobs.stores import StoreShares, Transfer

LOAD = BUDGET.index("load")


@dataclass(frozen=True)
class CheckpointSource:
    """A place that holds the checkpoint a job goes back to.

    Parameters
    ----------
    store
        Store of the scene that it is; -1: none, nobody shares it.
    lasts_s
        To read all of it undisturbed [s].
    """

    store: int
    lasts_s: float


class Loading:
    """Handler of the timer ``load``: the read begins when the parts of the restart before it are over, then it ends.

    Undisturbed it lasts as long as the restart has planned for it. A read that the store serves more slowly moves the
    first step.
    """

    def __init__(
        self, timers: Timers, jobs: Jobs, plans: list[JobPlan], stores: StoreShares, saving: Saving
    ) -> None:
        self.timers, self.jobs, self.plans, self.stores, self.saving = timers, jobs, plans, stores, saving
        saving.load_moved = self._follow
        timers.handle("load", self._due)

    def source(self, row: JobRow) -> CheckpointSource:
        """Return the place from which the last checkpoint of `row` would be there soonest, as things are."""
        sources = row.sources or [self.plans[row.index].strongest]
        return min((self._read(row, tier) for tier in sources), key=lambda read: read[0])[1]

    def _read(self, row: JobRow, number: int) -> tuple[float, CheckpointSource]:
        """Return how long a read would last now [s], and from where."""
        plan, size = self.plans[row.index], self.jobs.work[row.index].checkpoint_bytes
        tier = plan.tiers[number]
        if number == 0 and (tier.store < 0 or plan.load_s == 0):
            return plan.load_s, CheckpointSource(-1, plan.load_s)
        if tier.store >= 0:
            alone = min(tier.load_bytes_s, self.stores.read_limit[tier.store])
            shared = self.stores.load_bytes_s(tier.store, tier.load_bytes_s)
            return size / shared, CheckpointSource(tier.store, size / alone)
        lasts_s = size / tier.load_bytes_s * plan.nodes / max(row.width, 1)
        return lasts_s, CheckpointSource(-1, lasts_s)

    def expect(self, row: JobRow, source: CheckpointSource) -> None:
        """Let the restart of `row`, which begins now, load from `source` when it comes to that."""
        self.give_up(row)
        if source.store >= 0 and row.budget_s[LOAD] > 0:
            share = row.budget_s[LOAD] / source.lasts_s  # of the state: a part of the job may restart
            row.load_from = source.store
            row.load_bytes = share * self.jobs.work[row.index].checkpoint_bytes
            self.timers.set("load", row.index, self.timers.now_s + sum(row.budget_s[:LOAD]))

    def _due(self, index: int) -> None:
        row, now = self.jobs.rows[index], self.timers.now_s
        if self.stores.load_of(index) is not None:
            self.give_up(row)
            return
        lasts_s = row.budget_s[LOAD]
        cap, due_s = row.load_bytes / lasts_s, now + lasts_s
        load = Transfer(index, row.progress, row.load_from, row.load_bytes, cap, due_s, due_s)
        self.stores.load(now, load)
        self.timers.set("load", index, due_s)
        self.saving.follow_stores(index)

    def _follow(self, index: int) -> None:
        """Let the first step of a job wait for a read that is there at another time."""
        load, row = self.stores.load_of(index), self.jobs.rows[index]
        if load is None or not load.late:
            return
        before_s = sum(row.budget_s[:LOAD])
        row.budget_s = [*row.budget_s]
        row.budget_s[LOAD] = load.finish_s - row.entered_s - before_s
        self.timers.set("load", index, load.finish_s)
        self.timers.set("job", index, load.finish_s + sum(row.budget_s[LOAD + 1 :]))

    def give_up(self, row: JobRow) -> None:
        """Let `row` read no more: all of it is there, or its restart is cut off."""
        self.timers.cancel("load", row.index)
        if self.stores.loads:
            self.stores.end_load(self.timers.now_s, row.index)
        self.saving.follow_stores(row.index)
