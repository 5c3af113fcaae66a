"""What a job does next: start, step to the next checkpoint, write it, fail, be noticed, swap, restart, continue."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from twin.arrays import Bools
from twin.plant.domains import scale_up_domains
from twin.record.channels import JobState
from twin.record.events import Severity
from twin.record.node_list import node_list
from twin.scenario.schema.faults import Cause
from twin.sim.core.ledger import INDEX
from twin.sim.core.log import Log
from twin.sim.core.nodes import FREE, NodeTable
from twin.sim.core.timers import Timers
from twin.sim.jobs.checkpointing import Saving
from twin.sim.jobs.completion_heap import Ends
from twin.sim.jobs.elastic import widths
from twin.sim.jobs.job_row import AT_REST, BUDGET, NODE, PROCESS, RACK, STOPPED, JobRow
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.plan import JobPlan
from twin.sim.jobs.preemption import Leaving
from twin.sim.jobs.restart_loads import CheckpointSource, Loading
from twin.sim.jobs.spare_choice import Grouping, exchange, filled, seats_of
from twin.sim.jobs.step_pace import RERATE, Pace
from twin.sim.jobs.stores import StoreShares


class RecoveryHandler(Leaving):
    """Handlers of the timers ``job`` and of failures; every one acts on a row of the table.

    Attributes
    ----------
    fits
        Whether a job can run on so many nodes; the fabric sets it.
    dies_s
        How much longer a step takes on the dies that a job holds than planned [s]; who knows them sets it.
    open_to
        Which nodes may become spares of a job, None: all it can run on; the scheduler sets it.
    """

    def __init__(
        self,
        timers: Timers,
        log: Log,
        nodes: NodeTable,
        jobs: Jobs,
        plans: list[JobPlan],
        stores: StoreShares,
    ) -> None:
        saving = Saving(timers, log, jobs, plans, stores)
        super().__init__(
            timers, log, nodes, jobs, plans, saving, Loading(timers, jobs, plans, stores, saving)
        )
        self.domains = Grouping(scale_up_domains(nodes.plant))
        self.fits: Callable[[int, int], bool] = lambda index, width: True
        self.dies_s: Callable[[JobRow], float] = lambda row: 0.0
        self.open_to: Callable[[int], Bools | None] = lambda index: None
        self.ends = Ends(timers, jobs, plans)
        timers.handle("job", self._due)

    # --- from the queue to the end

    def start(self, row: JobRow, chosen: list[int], gpus: Sequence[int] = ()) -> None:
        """Give `row` its nodes, these `gpus` of the last if named; start it or continue from its last checkpoint."""
        now, plan = self.timers.now_s, self.plans[row.index]
        again = row.start_s is not None
        self.nodes.take(now, row.index, chosen, plan.rest, plan.slices, gpus)
        row.nodes, row.vacant, row.width = list(chosen), [], len(chosen)
        row.waited_s += now - max(row.submit_s, row.queued_s)
        self._hold(row)
        if again:
            self._reload(row, swapped=False)
        else:
            self.jobs.enter(row, now, JobState.STARTING)
            row.start_s = now  # what it waited before is no time away
            self.timers.set("job", row.index, now + plan.first_start_s)
        if plan.limit_s is not None:
            self.timers.set("limit", row.index, now + plan.limit_s)
        self.changed.add(row.index)
        text = f"{row.id} {'restarted' if again else 'started'} on {row.held:g} GPUs"
        self.log.add(
            now, "job_started", row.id, text, nodes=len(chosen), gpus=row.held, where=node_list(chosen)
        )

    def _hold(self, row: JobRow) -> None:
        plan, slots = self.plans[row.index], self.jobs.slots(row)
        whole = not plan.shares
        row.held = int(self.nodes.gpus[slots].sum()) if whole else self.nodes.held_gpus(row.index, row.nodes)
        self.jobs.sit(row, self.dies_s(row))

    def _due(self, index: int) -> None:
        row, now = self.jobs.rows[index], self.timers.now_s
        if row.state in (JobState.STARTING, JobState.RESTARTING):
            self._run(row, now)
        elif row.state == JobState.RUNNING:
            self._reached(row, now)
        elif row.state == JobState.CHECKPOINT:
            self._written(row, now)
        elif row.state == JobState.DETECTING:
            self._recover(row)
        elif row.state == JobState.WAITING:
            self._narrow(row, self._present(row))

    def _run(self, row: JobRow, now: float) -> None:
        resumed = row.state == JobState.RESTARTING
        self.loading.give_up(row)  # all of it is there
        parts_s = {
            f"{part}_s": float(s) for part, s in zip(BUDGET, row.budget_s, strict=False) if resumed and s
        }
        self.jobs.enter(row, now, JobState.RUNNING)
        self.changed.add(row.index)
        text = (
            f"{row.id} resumed at step {row.progress:,.0f}" if resumed else f"{row.id} began its first step"
        )
        kind = "job_resumed" if resumed else "job_running"
        self.log.add(now, kind, row.id, text, Severity.NOTICE, step=int(row.progress), where="", **parts_s)
        self._next(row, now)

    def _next(self, row: JobRow, now: float) -> None:
        plan = self.plans[row.index]
        row.target = self.saving.due_step(row)
        for limit in (plan.steps, plan.next_epoch_step(row.progress)):
            if limit is not None:
                row.target = min(row.target, float(limit))
        self._plan(row, now)

    def _plan(self, row: JobRow, now: float) -> None:
        due = now + (row.target - row.progress) * self.jobs.pace[row.index].step_s
        if due < np.inf:
            self.timers.set("job", row.index, due)
            self.ends.expect(row, due)

    def _reached(self, row: JobRow, now: float) -> None:
        self.jobs.book(row, now)
        row.progress = row.target  # exactly: a sum of rounded times is not
        plan = self.plans[row.index]
        if plan.steps is not None and row.progress >= plan.steps:
            self._finish(row, now)
            return
        if plan.at_epoch(row.progress):
            self.changed.add(row.index)
            if not self.saving.is_due(row):
                self._next(row, now)
                return
        self._save(row, now)

    def _save(self, row: JobRow, now: float) -> None:
        """Write a checkpoint of where `row` is."""
        self.jobs.enter(row, now, JobState.CHECKPOINT)
        self.timers.set("job", row.index, now + self.saving.decide(row))
        self.saving.begin(row)

    def _written(self, row: JobRow, now: float) -> None:
        if row.leaving or self._can_move(row):
            self._safe_to_leave(row)
            return
        self.jobs.enter(row, now, JobState.RUNNING)
        self.saving.written(row)
        self.saving.adapt(row)
        if row.width < self.plans[row.index].nodes and self._grow(row):
            return
        self._next(row, now)

    def follow_stores(self) -> None:
        """Look when the checkpoints on their way are safe now."""
        self.saving.follow_stores()

    def _finish(self, row: JobRow, now: float) -> None:
        self.jobs.enter(row, now, JobState.DONE)
        self.jobs.keep_all(row)
        row.end_s, row.outcome = now, "done"
        self._let_go(row)
        text = f"{row.id} completed after {row.progress:,.0f} steps"
        self.log.add(now, "job_done", row.id, text, Severity.NOTICE, step=int(row.progress))
        self.node_usable()

    # --- failures

    def interrupt(
        self,
        row: JobRow,
        cause: Cause | None,
        why: str,
        *,
        on: str = "",
        scope: int | None = None,
        struck: Sequence[int] = (),
        injected: bool = False,
    ) -> bool:
        """Stop `row`: something of it failed (nodes not usable when the swap comes are replaced).

        Returns whether that is an interruption: False where it does not run here, or stands already.

        Parameters
        ----------
        why
            For people.
        on
            Id of the thing that failed, `injected` where people let it; "": of none.
        scope
            What the failure took: PROCESS, NODE, RACK or SITE; none: as many nodes as are lost now. More than one may
            have held copies for each other.
        struck
            Nodes whose processes ended, though they can be used; none: all of the job's, where no node is lost.
        """
        if row.state in AT_REST:
            return False
        row.struck += [node for node in struck if node not in row.struck]
        now, plan, stops = self.timers.now_s, self.plans[row.index], row.state not in STOPPED
        self.jobs.book(row, now)
        if stops:
            row.interruptions += 1
            self.saving.adapt(row)
        lost_nodes = int((self.nodes.condition[self.jobs.slots(row)] != FREE).sum())
        scope = (PROCESS, NODE, RACK)[min(2, lost_nodes)] if scope is None else scope
        if self._goes_without(row):
            lost = self.jobs.lose_step(row)
            row.dropping = True
            self.saving.abandon(row)
        else:
            row.dropping = False
            lost = self.jobs.roll_back(row, scope=scope)
            self._give_up_transfers(row)
        step = row.progress
        if stops or lost > 0:
            lost_s = lost / max(row.held, 1)
            self.log.add(
                now,
                "job_interrupted",
                row.id,
                f"{row.id} interrupted: {why}; rolled back to step {step:,.0f} ({lost_s:,.0f} s lost)",
                step=int(step),
                lost_s=float(lost_s),
                why=why,
                on=on,
                cause="" if cause is None else cause.id,
                injected=1 if injected else None,
            )
        if row.state == JobState.WAITING:
            self.swap(row)
        elif stops:
            self.jobs.enter(row, now, JobState.DETECTING)
            self.timers.set("job", row.index, now + plan.detection_s(cause))
            self.changed.add(row.index)
        return stops

    def _goes_without(self, row: JobRow) -> bool:
        """Return whether `row` can continue with the replicas that the failure has left as they are."""
        plan, steps = self.plans[row.index], (JobState.RUNNING, JobState.CHECKPOINT)
        if plan.recovery.policy != "drop-replica" or plan.cut is None or row.leaving:
            return False
        if row.state not in steps and not (row.state == JobState.DETECTING and row.dropping):
            return False
        seats = self.jobs.slots(row)
        lost = self.nodes.condition[seats] != FREE
        width = int(plan.cut.narrowed(len(seats)).whole(lost).sum())
        return bool(lost.any()) and self._wide_enough(row, width)

    def _wide_enough(self, row: JobRow, width: int) -> bool:
        plan = self.plans[row.index]
        assert plan.cut is not None
        return width >= max(plan.cut.unit, plan.recovery.minimum or 1) and self.fits(row.index, width)

    def _recover(self, row: JobRow) -> None:
        """The failure of `row` was noticed: restart it, unless that was done too often."""
        attempts = self.plans[row.index].recovery.attempts
        if attempts is not None and row.restarts >= attempts:
            self.kill(row, "given_up", f"restart limit reached ({attempts:,})")
            return
        row.restarts += 1
        self.swap(row)

    def swap(self, row: JobRow) -> None:
        """Hand back unusable nodes, take spares, and restart, or do what the policy says when there are none."""
        now, plan = self.timers.now_s, self.plans[row.index]
        self.jobs.book(row, now)
        seats = seats_of(row, self.jobs.slots(row), plan.nodes)
        missing = seats < 0
        lost = missing | (self.nodes.condition[seats] != FREE)
        if row.leaving or (lost.any() and (plan.shares or plan.recovery.policy == "requeue")):
            self.requeue(row, "preempted" if row.leaving else "nodes lost")
            return
        if row.dropping:
            self._drop(row)
            return
        gone, kept = seats[lost & ~missing], seats[~lost]
        self.nodes.give_back(now, row.index, gone)
        left, after = False, np.where(lost, -1, seats)
        if lost.any():
            usable = self._spares(row)
            free = plan.group(kept[:1].tolist(), usable) & usable
            if np.count_nonzero(free):
                after = filled(seats, self.domains, free, lost)
                left = exchange(self.nodes, self.log, now, row, kept, after)
        before = row.width
        self.jobs.take_slots(row, after[after >= 0])
        row.vacant = np.flatnonzero(after < 0).tolist()
        self._hold(row)
        self.changed.add(row.index)
        if row.vacant:
            self._lack(row, len(gone) > 0)
            return
        if before < plan.nodes:
            self._widened(row, before)
        hit = lost | np.isin(seats, row.struck) if row.struck else lost
        share = 1.0 if plan.cut is None else plan.cut.share_hit(hit, plan.recovery.partial)
        self._reload(row, swapped=bool(len(gone)), share=share)
        if left:
            self.node_usable()

    def _can_move(self, row: JobRow) -> bool:
        """Return whether `row` has nodes to leave, and would not stop for lack of spares, unless they are reclaimed."""
        if not row.moves:
            return False
        plan, nodes = self.plans[row.index], self.jobs.slots(row)
        lost = int((self.nodes.condition[nodes] != FREE).sum())
        row.moves = lost > 0
        requeues = plan.shares or plan.recovery.policy == "requeue"
        if not row.moves or requeues or self.nodes.warned[nodes].any():
            return row.moves
        spares = self._spares(row)
        return int((plan.group(self._present(row)[:1], spares) & spares).sum()) >= lost

    def _move(self, row: JobRow) -> None:
        self.jobs.book(row, self.timers.now_s)
        self.jobs.roll_back(row, scope=RACK)  # to where it stands: what it saved is safe
        self._give_up_transfers(row)
        self.swap(row)

    def _spares(self, row: JobRow) -> Bools:
        """Return the free nodes that are not set aside for others, or kept apart from `row`."""
        opened = self.open_to(row.index)
        return self.nodes.usable if opened is None else self.nodes.usable & opened

    def _reload(self, row: JobRow, *, swapped: bool, share: float = 1.0) -> None:
        """Let `row`, or that share of it, restart from its last checkpoint; `swapped`: nodes were replaced."""
        source = self.loading.source(row)
        plan = self.plans[row.index]
        self._restart(row, plan.restart(swapped=swapped, load_s=source.lasts_s, share=share), source)

    def _restart(self, row: JobRow, budget_s: list[float], source: CheckpointSource) -> None:
        """Let `row` go through the parts of a restart."""
        now = self.timers.now_s
        self.jobs.enter(row, now, JobState.RESTARTING)
        row.budget_s, row.struck, row.moves = budget_s, [], False
        self.timers.set("job", row.index, now + sum(budget_s))
        self.loading.expect(row, source)

    def _lack(self, row: JobRow, swapped: bool) -> None:
        """Go on with fewer nodes where the policy says so, or wait for more."""
        now, recovery = self.timers.now_s, self.plans[row.index].recovery
        at_once = recovery.policy == "drop-replica" or (
            recovery.policy == "shrink" and recovery.patience_s == 0
        )
        if at_once and self._narrow(row, self._present(row)):
            return
        fresh = row.state != JobState.WAITING
        if fresh:
            lacking = len(row.vacant)
            text = f"{row.id} waiting for {lacking} replacement node{'s' * (lacking > 1)}"
            self.log.add(now, "waiting_for_spare", row.id, text, lacking=lacking, where=node_list(row.nodes))
        self.jobs.enter(row, now, JobState.WAITING)
        if fresh and recovery.policy == "shrink" and recovery.patience_s > 0:
            self.timers.set("job", row.index, now + recovery.patience_s)
        elif fresh:
            self.timers.cancel("job", row.index)

    # --- fewer nodes, and more again

    def _present(self, row: JobRow) -> list[int]:
        """Return the nodes of `row` that can be used."""
        return [node for node in row.nodes if self.nodes.condition[node] == FREE]

    def _narrow(self, row: JobRow, present: list[int]) -> bool:
        """Let `row` restart on as many of its nodes as it can use; return whether it can."""
        plan = self.plans[row.index]
        if plan.cut is None:
            return False
        minimum = plan.recovery.minimum
        width = next((w for w in widths(len(present), plan.cut.unit, minimum) if self.fits(row.index, w)), 0)
        if not width:
            return False
        before = row.width
        self._resize(row, present[:width])
        self._reload(row, swapped=width != before)
        self.node_usable()
        return True

    def _drop(self, row: JobRow) -> None:
        """Let `row` continue at once with the replicas that lost nothing."""
        plan, seats, row.dropping = self.plans[row.index], self.jobs.slots(row), False
        assert plan.cut is not None
        lost = self.nodes.condition[seats] != FREE
        keep = plan.cut.narrowed(len(seats)).whole(lost)
        width = int(keep.sum())
        if width < len(seats) and self._wide_enough(row, width):
            self._resize(row, seats[keep].tolist())
            self.node_usable()
        elif lost.any():  # more was lost meanwhile than it can do without
            self.jobs.roll_back(row, scope=RACK if lost.sum() > 1 else NODE)
            self._give_up_transfers(row)
            self.swap(row)
            return
        self.jobs.enter(row, self.timers.now_s, JobState.RESTARTING)
        row.budget_s = []
        self._run(row, self.timers.now_s)

    def _grow(self, row: JobRow) -> bool:
        """Take free nodes back at a checkpoint; return whether `row` restarts for that."""
        now, plan = self.timers.now_s, self.plans[row.index]
        if plan.cut is None:
            return False
        usable = self._spares(row)
        free = np.flatnonzero(plan.group(row.nodes[:1], usable) & usable)
        most = min(plan.nodes, row.width + len(free))
        width = next((w for w in widths(most, plan.cut.unit, None) if self.fits(row.index, w)), 0)
        if width <= row.width:
            return False
        before, taken = row.width, free[: width - row.width]
        self.nodes.assign_all(now, taken, row.index)
        row.nodes = [*row.nodes, *taken.tolist()]
        self._widened(row, before)
        source = self.loading.source(row)
        budget_s = plan.restart(swapped=False, load_s=source.lasts_s, share=1 - before / width)
        if plan.recovery.policy == "drop-replica" and plan.recovery.constant_s is None:
            # The others step on until the newcomers are ready to join: only that stops them.
            budget_s = [0.0, 0.0, budget_s[2], budget_s[3], 0.0, 0.0]
        self._restart(row, budget_s, source)
        return True

    def _resize(self, row: JobRow, nodes: list[int]) -> None:
        """Let `row` hold these of its nodes alone."""
        now, plan = self.timers.now_s, self.plans[row.index]
        self.jobs.book(row, now)  # with all it has held so far
        keep = set(nodes)
        self.nodes.give_back(now, row.index, [node for node in row.nodes if node not in keep])
        before, row.nodes = row.width, list(nodes)
        if len(nodes) > before:
            self._widened(row, before)
            return
        self._take_shape(row)
        if row.width == before:
            return
        text = f"{row.id} continues on {row.width:,} of {plan.nodes:,} nodes"
        self.log.add(
            now,
            "job_shrunk",
            row.id,
            text,
            nodes=row.width,
            planned_nodes=plan.nodes,
            where=node_list(row.nodes),
        )

    def _widened(self, row: JobRow, before: int) -> None:
        self._take_shape(row)
        text = f"{row.id} grew from {before:,} to {row.width:,} nodes"
        self.log.add(
            self.timers.now_s,
            "job_grown",
            row.id,
            text,
            nodes=row.width,
            before_nodes=before,
            where=node_list(row.nodes),
        )

    def _take_shape(self, row: JobRow) -> None:
        row.width = len(row.nodes)
        row.vacant = list(range(row.width, self.plans[row.index].nodes))
        self._hold(row)
        self.changed.add(row.index)

    # --- others

    def node_usable(self) -> None:
        """Look whether a job that waits for a spare can continue; called when a node comes free."""
        for index in sorted(self.jobs.lacking):
            row = self.jobs.rows[index]
            gains = row.leaving or not row.vacant or self._spares(row).any()
            if gains and row.state == JobState.WAITING:
                self.swap(row)
        self.freed = True

    def rerate(self, row: JobRow, pace: Pace) -> float:
        """Let `row` go at another pace from now on, when it differs by enough; return the relative change."""
        old, now = self.jobs.pace[row.index], self.timers.now_s
        spare = INDEX["idle_no_load"]  # it takes up what a service loses while its steps stay as they are
        change = max(abs(pace.step_s / old.step_s - 1), abs(float(pace.share[spare] - old.share[spare])))
        if change <= RERATE:
            return 0.0
        self.jobs.book(row, now)
        self.jobs.set_pace(row.index, pace)
        if row.state == JobState.RUNNING:
            self._plan(row, now)
        return change
