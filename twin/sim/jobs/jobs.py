"""Jobs as rows of a table: what each is doing, how far it is, and what of its work is safe."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from twin.arrays import Floats, IntP
from twin.record.accounts import ACCOUNTS
from twin.record.channels import JobState
from twin.scenario.schema.work import Job
from twin.sim.core.ledger import INDEX, Ledger
from twin.sim.core.slot_map import EditedPair
from twin.sim.jobs.figures import JobFigures
from twin.sim.jobs.job_row import (
    AT_REST,
    PROCESS,
    SITE,
    STALL_ACCOUNT,
    JobRow,
    Save,
)
from twin.sim.jobs.job_snapshots import JobTexts
from twin.sim.jobs.step_pace import Pace
from twin.sim.jobs.work import Work

_FRESH = vars(JobRow(-1, "", -1.0))


class Jobs(JobFigures):
    """The table of jobs with its arithmetic of progress and booking; what happens next is `recovery`'s.

    Attributes
    ----------
    active : list of JobRow
        Jobs that have begun and not ended, in the order of the table. Whoever looks often asks these alone: a queue
        may be thousands long. Replaced, never changed in place.
    survives : callable
        What each tier of a job outlives, by its index; whoever knows its plan sets it.
    wrong_since : callable
        Since when the results of a job are silently wrong [s], None: they are right; whoever breaks them sets it.
    owing : list of JobRow
        Jobs at rest with provisional work: checkpoints not safe for good when they went back to the queue. In the
        order of the table; replaced, never changed in place.
    pace, step_s : list of Pace, ndarray
        How fast each job goes, and how long its step takes then [s]; `set_pace` sets both.
    lacking : set of int
        Jobs that wait for a spare.
    left : list of int
        Jobs that came to rest, in the order in which they did; it only grows.
    """

    def __init__(
        self, jobs: tuple[Job, ...], work: list[Work], gpus: Sequence[float], ledger: Ledger
    ) -> None:
        self.specs = jobs
        self.work = work
        self.work_version = 0  # grows whenever some job does other work: `set_work`
        self.ledger = ledger
        self.planned = list(work)  # as the plans have it: on the fabric as built, on the nodes they expect
        self.replanned = 0  # grows whenever that changes
        self.rows = [self._fresh(i, gpus[i]) for i in range(len(jobs))]
        share = {id(w): w.parts / w.step_s for w in work}  # jobs of one kind share their work
        self.pace = [Pace(w.step_s, share[id(w)]) for w in work]
        self.step_s = np.array([w.step_s for w in work], float)
        self._first_pace = list(self.pace)
        self.active: list[JobRow] = []
        self._at_work: list[int] = []  # their numbers
        self.owing: list[JobRow] = []
        self.left: list[int] = []
        self.texts = JobTexts(self)
        self._slots: dict[int, tuple[list[int], IntP]] = {}  # of those that hold any
        self.lacking: set[int] = set()
        self.survives: Callable[[int], Sequence[int]] = lambda index: (SITE,)
        self.wrong_since: Callable[[int], float | None] = lambda index: None

    def slots(self, row: JobRow) -> IntP:
        """Return the nodes of a job as an array, not to be written to: their list is replaced, never changed."""
        known = self._slots.get(row.index)
        if known is None or known[0] is not row.nodes:
            self._slots[row.index] = known = row.nodes, np.array(row.nodes, np.intp)
        return known[1]

    def take_slots(self, row: JobRow, slots: IntP) -> None:
        """Let a job hold these nodes."""
        row.nodes = slots.tolist()
        self._slots[row.index] = row.nodes, slots

    def set_work(self, index: int, work: Work) -> None:
        """Let a job do such work from now on."""
        if self.work[index] is not work:
            self.work[index] = work
            self.work_version += 1

    def set_pace(self, index: int, pace: Pace) -> None:
        """Let a job go at another pace."""
        self.pace[index], self.step_s[index] = pace, pace.step_s

    def _fresh(self, index: int, gpus: float) -> JobRow:
        job = self.specs[index]
        return JobRow(index, job.id, job.submit_s, gpus=gpus)

    def book(self, row: JobRow, t_s: float) -> None:
        """Book the time of `row` until `t_s` [s] and move its progress."""
        dt = t_s - row.since_s
        if dt <= 0:
            return
        if row.state == JobState.REMOTE:
            row.there_s, row.progress = self.there_s(row, t_s), self.progress_at(row, t_s)
        elif row.state == JobState.RUNNING:
            row.progress = self.progress_at(row, t_s)
            row.open = (np.asarray(row.open) + self._stepped(row, dt)).tolist()
            self._tell_spent(row, t_s)
        elif row.state in STALL_ACCOUNT:
            account, gpu_s = STALL_ACCOUNT[row.state], dt * row.held
            self.ledger.book(account, gpu_s)
            row.stalled[INDEX[account]] += gpu_s
            self._tell_spent(row, t_s)
        row.since_s = t_s

    def _tell_spent(self, row: JobRow, t_s: float) -> None:
        """Tell who records the bookings what `row` has spent since it was booked last."""
        bookings = self.ledger.bookings
        if bookings is None:
            return
        bookings.spent(row.index, row.since_s, t_s, self.spends(row))
        if row.state == JobState.RUNNING and self.work[row.index].stateless:
            bookings.kept(row.index, t_s, t_s)  # what a step did is delivered at once

    def lasting(self) -> list[tuple[int, float, Floats]]:
        """Return what jobs spend now and is not booked yet: number, since when [s], rate [GPU s / s]."""
        return [(row.index, row.since_s, self.spends(row)) for row in self.active]

    def progress_at(self, row: JobRow, t_s: float) -> float:
        """Return the progress of `row` at `t_s`, not before it was booked last [steps]."""
        if row.state not in (JobState.RUNNING, JobState.REMOTE):
            return row.progress
        return min(row.target, row.progress + (t_s - row.since_s) / self.pace[row.index].step_s)

    def _stepped(self, row: JobRow, dt_s: float) -> Floats:
        spent: Floats = self.pace[row.index].share * (dt_s * row.held)
        return spent

    def unbooked(self, t_s: float) -> Floats:
        """Return what jobs have spent since they were booked last, and their provisional work, by account [GPU s]."""
        spent = [[0.0] * len(ACCOUNTS)]
        stalled = np.zeros(len(ACCOUNTS))
        shares, weights = [stalled], [0.0]
        for row in (*self.active, *self.owing):  # nobody else has anything provisional
            spent.append(row.open)
            spent += [save.work for save in row.in_flight]
            if row.state == JobState.RUNNING:
                shares.append(self.pace[row.index].share)
                weights.append((t_s - row.since_s) * row.held)
            elif row.state in STALL_ACCOUNT:
                stalled[INDEX[STALL_ACCOUNT[row.state]]] += (t_s - row.since_s) * row.held
        stepped = (np.array(shares) * np.array(weights)[:, None]).sum(axis=0)
        total: Floats = np.array(spent).sum(axis=0) + stalled + stepped
        return total

    def provisional_gpu_s(self, row: JobRow, t_s: float) -> Floats:
        """Return what `row` has spent on steps that are not kept for good yet, by account [GPU s]."""
        total: Floats = np.array(row.open)
        for save in row.in_flight:
            total = total + np.asarray(save.work)
        if row.state == JobState.RUNNING:
            total = total + self._stepped(row, t_s - row.since_s)
        return total

    def spent(self, row: JobRow) -> Floats:
        """Return all GPU-seconds of `row` until it was booked last, by account; provisional work where it was spent."""
        total: Floats = (
            self.provisional_gpu_s(row, row.since_s) + np.asarray(row.kept) + np.asarray(row.stalled)
        )
        total[INDEX["lost_work"]] += row.lost_gpu_s
        return total

    def spends(self, row: JobRow) -> Floats:
        """Return what each second of `row` goes into now, by account [GPU s / s]."""
        if row.state == JobState.RUNNING:
            return self._stepped(row, 1.0)
        rate = np.zeros(len(ACCOUNTS))
        if row.state in STALL_ACCOUNT:
            rate[INDEX[STALL_ACCOUNT[row.state]]] = row.held
        return rate

    def enter(self, row: JobRow, t_s: float, state: JobState) -> None:
        """Book until `t_s` and put `row` into `state`."""
        self.book(row, t_s)
        row.since_s = t_s
        self._leave(row, t_s)
        row.entered_s = t_s
        begins, ends = row.state in AT_REST, state in AT_REST
        row.state = state
        if begins != ends:
            place = bisect_left(self._at_work, row.index)
            self._at_work[place : place + ends] = [] if ends else [row.index]
            self.active = self.active.copy()  # whoever goes through the list continues with the old one
            self.active[place : place + ends] = [] if ends else [row]
        if ends:
            self.left.append(row.index)
            self._slots.pop(row.index, None)
        (self.lacking.add if state == JobState.WAITING else self.lacking.discard)(row.index)
        self._owe(row)

    def _owe(self, row: JobRow) -> None:
        """Take note whether `row` rests with provisional work; forget those that have settled theirs."""
        owes = row.state in AT_REST and bool(row.in_flight)
        if self.owing or owes:
            owing = [job for job in self.owing if job.in_flight and job is not row]
            self.owing = sorted(owing + [row] * owes, key=lambda job: job.index)

    def _leave(self, row: JobRow, t_s: float) -> None:
        """Book how long `row` was in the state that it leaves."""
        if row.state not in AT_REST:
            row.run_s += t_s - row.entered_s
        row.away_s = self.away_s(row, t_s)

    def away_s(self, row: JobRow, t_s: float) -> list[float]:
        """Return where the time between failures and next steps of `row` went up to `t_s`, by `AWAY` [s]."""
        away_s, passed_s = list(row.away_s), t_s - row.entered_s
        if row.state == JobState.DETECTING:
            away_s[0] += passed_s
        elif row.state == JobState.WAITING:
            away_s[-2] += passed_s
        elif row.state == JobState.QUEUED and row.start_s is not None:
            away_s[-1] += t_s - row.queued_s
        elif row.state == JobState.RESTARTING:
            for part, seconds in enumerate(row.budget_s):
                away_s[1 + part] += min(seconds, passed_s)
                passed_s = max(0.0, passed_s - seconds)
        return away_s

    # --- what is safe

    def settle(self, row: JobRow, t_s: float) -> bool:
        """Keep the work of every checkpoint of `row` that is safe for good by `t_s`, and of those before it.

        Returns whether there was one. Of one taken since its results are wrong nothing is kept: it may be given up yet.
        """
        sound = self._sound(self.wrong_since(row.index))
        done = max(
            (i + 1 for i, save in enumerate(row.in_flight) if save.keep_s <= t_s and sound(save)), default=0
        )
        for save in row.in_flight[:done]:
            row.durable, row.safe_s = save.step, save.safe_s
            self._keep(row, np.asarray(save.work))
            self._tell_kept(row, t_s, save.taken_s)
        row.in_flight = row.in_flight[done:]
        self._merge(row, t_s)
        return done > 0

    @staticmethod
    def _sound(not_after_s: float | None) -> Callable[[Save], bool]:
        """Return a test whether a checkpoint was taken before results went wrong."""
        return lambda save: not_after_s is None or save.taken_s <= not_after_s

    def _merge(self, row: JobRow, t_s: float) -> None:
        """Forget checkpoints to which no failure can ever go back: wherever they are safe, a later one is too."""
        sound = self._sound(self.wrong_since(row.index))
        left: list[Save] = []
        for save in row.in_flight:
            if left and sound(save) == sound(left[-1]):
                before = left[-1]
                pending = t_s < before.keep_s < save.keep_s and before.keep_s < math.inf
                both = zip(save.safe_s, before.safe_s, strict=True)
                if not pending and all(old == math.inf or new <= t_s for new, old in both):
                    save.work = (np.asarray(save.work) + np.asarray(before.work)).tolist()
                    left.pop()
            left.append(save)
        row.in_flight = left

    def _keep(self, row: JobRow, work: Floats) -> None:
        self.ledger.keep(work)
        row.kept = (np.asarray(row.kept) + work).tolist()

    def _tell_kept(self, row: JobRow, t_s: float, until_s: float) -> None:
        if self.ledger.bookings is not None:
            self.ledger.bookings.kept(row.index, t_s, until_s)

    def lose(self, row: JobRow, work: Floats, t_s: float) -> float:
        """Give up the last of the work of `row` at `t_s`; return the GPU-seconds lost."""
        lost = float(work.sum())
        self.ledger.lose(work)
        row.lost_gpu_s += lost
        if self.ledger.bookings is not None:
            self.ledger.bookings.lost(row.index, t_s, lost)
        return lost

    def keep_all(self, row: JobRow) -> None:
        """Keep everything provisional: the job has ended well."""
        for save in row.in_flight:
            self._keep(row, np.asarray(save.work))
        self._keep(row, np.asarray(row.open))
        row.in_flight, row.open = [], [0.0] * len(ACCOUNTS)
        row.durable = row.progress
        self._tell_kept(row, row.since_s, row.since_s)

    def roll_back(self, row: JobRow, *, scope: int = PROCESS, not_after_s: float | None = None) -> float:
        """Give up the work of `row` that no checkpoint holds; return the GPU-seconds lost.

        It goes back to the latest checkpoint that outlives the failure; its work stays provisional until the strongest
        tier has one. What is delivered at once is kept.

        Parameters
        ----------
        scope
            What the failure took; the strongest tier outlives everything.
        not_after_s
            Checkpoints taken later than this are bad [s]; None: all are good.
        """
        if self.work[row.index].stateless:
            self.keep_all(row)
            return 0.0
        survives = self.survives(row.index)
        now, strongest = row.since_s, max(survives)
        alive = [survived >= min(scope, strongest) for survived in survives]
        sound = self._sound(not_after_s)

        def holders(safe_s: list[float]) -> list[int]:
            return [tier for tier, at_s in enumerate(safe_s) if alive[tier] and at_s <= now]

        count = len(row.in_flight)
        while count and not (sound(row.in_flight[count - 1]) and holders(row.in_flight[count - 1].safe_s)):
            count -= 1
        lost_work = np.asarray(row.open)
        for save in row.in_flight[count:]:
            lost_work = lost_work + np.asarray(save.work)
        row.in_flight, row.open = row.in_flight[:count], [0.0] * len(ACCOUNTS)
        for save in row.in_flight:  # what is still on its way, or was where the failure struck, is gone
            save.safe_s = [at if alive[t] and at <= now else math.inf for t, at in enumerate(save.safe_s)]
            save.keep_s = save.keep_s if save.keep_s <= now else math.inf
        row.safe_s = [at if alive[t] and at <= now else math.inf for t, at in enumerate(row.safe_s)]
        row.progress = row.in_flight[-1].step if row.in_flight else row.durable
        row.sources = holders(row.in_flight[-1].safe_s if row.in_flight else row.safe_s)
        return self.lose(row, lost_work, now)

    def lose_step(self, row: JobRow) -> float:
        """Give up the step that `row` was in, which its healthy replicas repeat; return the GPU-seconds lost."""
        begun = row.progress - max(
            math.floor(row.progress), row.in_flight[-1].step if row.in_flight else row.durable
        )
        pace = self.pace[row.index]
        lost = np.minimum(row.open, pace.share * (begun * pace.step_s * row.held))
        row.open = (np.asarray(row.open) - lost).tolist()
        row.progress -= begun
        return self.lose(row, lost, row.since_s)

    def write(self, row: JobRow, save_s: list[float], keep_s: float) -> None:
        """Begin to make everything up to the present step safe: in each tier at `save_s`, for good at `keep_s`."""
        row.in_flight.append(Save(row.progress, save_s, row.open, row.since_s, keep_s))
        row.open = [0.0] * len(ACCOUNTS)

    def state(self, but: Collection[int] = ()) -> dict[str, Any]:
        """Return what a snapshot needs, of all jobs but some."""
        return {
            "rows": [  # of those about whom there is something to say, and only that
                self.saved_row(row)
                for row in self.rows
                if (row.start_s is not None or row.state != JobState.QUEUED or row.queued_s > 0)
                and row.index not in but
            ],
            "pace": [
                self.saved_pace(i)
                for i, pace in enumerate(self.pace)
                if pace is not self._first_pace[i] and i not in but
            ],
        }

    def saved_row(self, row: JobRow) -> dict[str, Any]:
        """Return what is to be said of a job."""
        saved = {name: value for name, value in vars(row).items() if value != _FRESH[name]}
        return saved | {"index": row.index, "in_flight": [asdict(save) for save in row.in_flight]}

    def saved_pace(self, index: int) -> list[Any] | None:
        """Return the pace of a job, None where it is as it was at first."""
        pace = self.pace[index]
        return None if pace is self._first_pace[index] else [index, pace.step_s, pace.share.tolist()]

    def restore(self, state: dict[str, Any]) -> None:
        """Take over what `state` returned."""
        for saved in state["rows"]:
            row = self.rows[saved["index"]]
            for name, value in saved.items():
                setattr(row, name, value)
            row.in_flight = [Save(**save) for save in saved["in_flight"]]
        self.active = [row for row in self.rows if row.state not in AT_REST]
        self._at_work = [row.index for row in self.active]
        self.lacking = {row.index for row in self.active if row.state == JobState.WAITING}
        self.owing = [row for row in self.rows if row.state in AT_REST and row.in_flight]
        for i, step_s, share in state["pace"]:
            self.set_pace(i, Pace(step_s, np.array(share)))

    def carried(self, old: Jobs, edit: EditedPair) -> dict[str, Any]:
        """Return what these jobs take over; one that has not begun asks for what its scene says now."""
        saved = old.state()
        for row in saved["rows"]:
            for name in ("nodes", "struck"):
                if name in row:
                    row[name] = edit.numbers.all(row[name])
            if row.get("start_s") is None:
                row.pop("gpus", None)
                row.pop("submit_s", None)
        return saved
