"""Checkpoints of jobs: when one is due, to which places it goes, and when its work is safe there."""

from __future__ import annotations

import math
from collections.abc import Callable

from twin.physics.checkpoint import daly_interval_s
from twin.record.channels import JobState
from twin.sim.core.log import Log
from twin.sim.core.timers import Timers
from twin.sim.jobs.job_row import RACK, JobRow
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.plan import UNKNOWN_RATE_S, JobPlan
from twin.sim.jobs.stores import StoreShares, Transfer


class Saving:
    """Handler of the timer ``durable``.

    Attributes
    ----------
    changed : set of int
        Jobs whose checkpoint made others read slower or faster; shared with `Recovery`.
    found : callable
        Told of a job whose checkpoint did not pass its check, and how that came out.
    load_moved : callable
        Told of a job one of whose checkpoints on their way will be there at another time.
    """

    def __init__(
        self, timers: Timers, log: Log, jobs: Jobs, plans: list[JobPlan], stores: StoreShares
    ) -> None:
        self.timers, self.log, self.jobs, self.plans, self.stores = timers, log, jobs, plans, stores
        self.changed: set[int] = set()
        self.found: Callable[[int, str], None] = lambda index, how: None
        self.load_moved: Callable[[int], None] = lambda index: None
        timers.handle("durable", self._durable)

    # --- when

    def due_step(self, row: JobRow) -> float:
        """Return the step at which the next checkpoint of `row` is due; infinity for none."""
        interval = self.interval_steps(row)
        # The interval may have been shortened since the last write: then one is due at once.
        return max(row.progress, written_step(row) + interval) if interval else math.inf

    def interval_steps(self, row: JobRow) -> float:
        """Return the steps between two checkpoints that go anywhere; 0 for none."""
        plan = self.plans[row.index]
        return (row.interval_steps or plan.checkpoint_steps or 0) * plan.every

    def is_due(self, row: JobRow) -> bool:
        """Return whether a checkpoint of `row` is due where it stands."""
        interval = self.interval_steps(row)
        return bool(interval) and row.progress - written_step(row) >= interval

    def adapt(self, row: JobRow) -> None:
        """Set the interval of `row` again where it follows the failures seen: one more than those, in time so long.

        The plan counts as one failure in the time it expects that to take.
        """
        plan = self.plans[row.index]
        if not plan.adaptive:
            return
        expected = plan.failures_per_s or UNKNOWN_RATE_S * plan.nodes
        rate = (1 + row.interruptions) / (1 / expected + row.run_s + self.timers.now_s - row.entered_s)
        pause_s = sum(tier.pause_s / tier.every for tier in plan.tiers)
        step_s = self.jobs.planned[row.index].step_s
        row.interval_steps = max(1, round(daly_interval_s(pause_s, 1 / rate) / step_s))

    def escape_s(self, row: JobRow) -> float:
        """Return how long a checkpoint takes that begins now, until others than its nodes can read it [s]."""
        plan = self.plans[row.index]
        far = [i for i, tier in enumerate(plan.tiers) if tier.survives >= RACK or i == plan.strongest]
        return sum(tier.pause_s for tier in plan.tiers) + min(plan.tiers[i].drain_s for i in far)

    # --- writing

    def decide(self, row: JobRow) -> float:
        """Decide where the next checkpoint of `row` goes; return its blocking part [s]."""
        plan = self.plans[row.index]
        row.writes += 1
        number = row.writes * plan.every
        # Before it leaves, to all that others can reach.
        row.goes = [
            number % tier.every == 0
            or ((row.leaving or row.moves) and (tier.survives >= RACK or i == plan.strongest))
            for i, tier in enumerate(plan.tiers)
        ]
        return self._pause_s(row)

    def _pause_s(self, row: JobRow) -> float:
        tiers = self.plans[row.index].tiers
        return float(sum(tier.pause_s for tier, to in zip(tiers, row.goes, strict=True) if to))

    def begin(self, row: JobRow) -> None:
        """Let the checkpoint of `row` that was decided on begin."""
        now, plan, pause_s = self.timers.now_s, self.plans[row.index], self._pause_s(row)
        size, writes = self.jobs.work[row.index].checkpoint_bytes, []
        for number, tier in enumerate(plan.tiers):
            if row.goes[number] and tier.store >= 0:
                # Undisturbed, it is safe when pause and drain are over.
                lasts_s, due_s = pause_s + tier.drain_s, now + pause_s + tier.drain_s
                cap = size / lasts_s if lasts_s > 0 else math.inf
                writes.append(
                    Transfer(row.index, row.progress, tier.store, size, cap, due_s, due_s, tier=number)
                )
        self.stores.pause(now, row.index, writes)
        self.follow_stores(row.index)

    def written(self, row: JobRow) -> bool:
        """Take note that the blocking part is over; return whether it is safe already."""
        now, plan = self.timers.now_s, self.plans[row.index]
        finish_s = self.stores.finish_s(row.index)
        safe_s = [
            finish_s.get((row.progress, i), now + tier.drain_s) if to else math.inf
            for i, (tier, to) in enumerate(zip(plan.tiers, row.goes, strict=True))
        ]
        self.jobs.write(row, safe_s, self._keep_s(row, safe_s))
        self.stores.resume(now, row.index)
        safe = row.in_flight[-1].keep_s <= now
        if safe:
            self._settle(row)
        else:
            self._await(row)
        self.follow_stores(row.index)
        return safe

    def _keep_s(self, row: JobRow, safe_s: list[float]) -> float:
        plan = self.plans[row.index]
        return safe_s[plan.strongest] + plan.verify_s

    def abandon(self, row: JobRow) -> None:
        """Stop the checkpoint of `row` whose blocking part is not over; those before it continue."""
        saved = {save.step for save in row.in_flight}
        self.stores.end(self.timers.now_s, row.index, lambda write: write.step not in saved)
        self.follow_stores(row.index)

    def reachable_s(self, row: JobRow) -> float | None:
        """Return when others than its nodes can read the last checkpoint of `row` [s]; None: never."""
        plan = self.plans[row.index]
        safe_s = row.in_flight[-1].safe_s if row.in_flight else row.safe_s
        far = [at_s for i, at_s in enumerate(safe_s) if plan.survives[i] >= RACK or i == plan.strongest]
        soonest = min(far, default=math.inf)
        return soonest if soonest < math.inf else None

    def give_up(self, row: JobRow) -> None:
        """Stop whatever of `row` is on its way."""
        self.timers.cancel("durable", row.index)
        self.stores.end(self.timers.now_s, row.index)
        self.follow_stores(row.index)
        self._await(row)

    def follow_stores(self, index: int | None = None) -> None:
        """Look when the checkpoints on their way are safe now; `index`: the job whose write began or ended."""
        stores = self.stores
        stores.share()
        if index is not None and stores.disturbed:
            self.changed.add(index)  # somebody reads slower or faster now
        if not stores.moved:
            return
        for job in sorted(stores.moved):
            row, finish_s = self.jobs.rows[job], stores.finish_s(job)
            for save in row.in_flight:
                save.safe_s = [finish_s.get((save.step, i), at_s) for i, at_s in enumerate(save.safe_s)]
                save.keep_s = self._keep_s(row, save.safe_s)
            self._await(row)
            self.load_moved(job)
        stores.moved.clear()

    def _await(self, row: JobRow) -> None:
        """Wait for the next moment at which something of `row` is safe."""
        now, wrong_s = self.timers.now_s, self.jobs.wrong_since(row.index)
        times = [at_s for save in row.in_flight for at_s in save.safe_s if at_s > now]
        times += [
            save.keep_s
            for save in row.in_flight
            if save.keep_s > now or wrong_s is None or save.taken_s <= wrong_s
        ]
        due_s = min(times, default=math.inf)
        if due_s < math.inf:
            self.timers.set("durable", row.index, due_s)

    def _durable(self, index: int) -> None:
        row = self.jobs.rows[index]
        self._settle(row)
        self._await(row)

    def _settle(self, row: JobRow) -> None:
        """Keep what is safe for good now; a checkpoint that is checked then, and is wrong, stops the job."""
        now, wrong_s = self.timers.now_s, self.jobs.wrong_since(row.index)
        checked = [save for save in row.in_flight if save.keep_s <= now]
        verified = self.plans[row.index].verify_s > 0
        if verified and wrong_s is not None and any(save.taken_s > wrong_s for save in checked):
            self.found(row.index, "checkpoint verification")
        kept = self.jobs.settle(row, now)
        arrived = {
            (save.step, i) for save in row.in_flight for i, at_s in enumerate(save.safe_s) if at_s <= now
        }
        writes = len(self.stores.writes)
        wanted = {save.step for save in row.in_flight}
        if row.state == JobState.CHECKPOINT and written_step(row) != row.progress:
            wanted.add(row.progress)  # it is in its blocking part
        self.stores.end(
            now, row.index, lambda write: write.step not in wanted or (write.step, write.tier) in arrived
        )
        if kept or len(self.stores.writes) < writes:
            self.follow_stores(row.index)
        if kept:
            text = f"{row.id}: checkpoint durable at step {row.durable:,.0f}"
            self.log.add(now, "checkpoint", row.id, text, step=int(row.durable))


def written_step(row: JobRow) -> float:
    """Return the step of the last checkpoint of `row`."""
    return row.in_flight[-1].step if row.in_flight else row.durable
