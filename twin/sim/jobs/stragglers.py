"""Jobs that are slower for a while than their GPUs' clocks explain: uneven work, garbage collection, a noisy host.

Which jobs have them, when and how much is drawn by the id of the job, so neither place nor company changes it.
"""

from __future__ import annotations

from collections.abc import Iterable

from twin.physics import reliability
from twin.scenario.schema.faults import Failures
from twin.sim.core.draws import Draws
from twin.sim.core.log import Log
from twin.sim.core.state import Fields, Items, StateField, Stateful
from twin.sim.core.timers import Timers
from twin.sim.jobs.job_row import AT_REST, JobRow
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.recovery import RecoveryHandler

FIRST_S, LASTS_S, PAUSE_S = 600.0, 3600.0, 3 * 3600.0
"""Means of the time to the first straggler, of how long one lasts, and of the time between two [est]."""


class Stragglers(Stateful):
    """Handler of the timer ``straggler``, by job.

    Parameters
    ----------
    failures
        Share of jobs that see stragglers, and the mean slow-down while they do.
    """

    def __init__(
        self,
        timers: Timers,
        log: Log,
        jobs: Jobs,
        recovery: RecoveryHandler,
        failures: Failures,
        draws: Draws,
    ) -> None:
        self.timers, self.log, self.jobs, self.recovery, self.draws = timers, log, jobs, recovery, draws
        self.excess = failures.straggler_factor - 1.0
        share = failures.stragglers if failures.enabled else 0.0
        self.keys: dict[int, int] = {}  # of the jobs that see stragglers
        if share > 0:
            keys = reliability.component_keys(row.id for row in jobs.rows)
            hit = reliability.hash_uniform(draws.own, keys, "straggles", 0) < share
            self.keys = {int(job): int(keys[job]) for job in hit.nonzero()[0]}
        self.drawn: dict[int, int] = {}  # changes so far, of jobs that have begun
        self.fresh: set[int] = set()  # those that wait for their first one since they began to step
        self.slower: dict[int, float] = {}  # of those that have one now: share of a step more
        timers.handle("straggler", self._turn)

    def follow(self, rows: Iterable[JobRow]) -> None:
        """Let the jobs that step now have their stragglers in time."""
        if not self.keys:
            return
        for row in rows:
            if row.index in self.keys and self.timers.due_s("straggler", row.index) is None:
                self.fresh.add(row.index)
                self._await(row.index)

    def _await(self, job: int, stream: str = "time") -> None:
        mean_s = LASTS_S if job in self.slower else FIRST_S if job in self.fresh else PAUSE_S
        self.timers.set("straggler", job, self.timers.now_s + mean_s * self._exponential(job, stream))

    def _exponential(self, job: int, stream: str) -> float:
        number = self.drawn.get(job, 0)
        return float(
            reliability.unit_exponential(self.draws.seed, self.keys[job], f"straggler {stream}", number)
        )

    def redraw(self, t_s: float) -> None:
        """Redraw from `t_s` on how long each continues, and when the next one comes: both know no past."""
        for job in self.keys:
            if self.timers.due_s("straggler", job) is not None:
                self._await(job, f"time beyond {t_s!r}")

    def _turn(self, job: int) -> None:
        row, was = self.jobs.rows[job], self.slower.pop(job, None)
        self.fresh.discard(job)
        self.drawn[job] = self.drawn.get(job, 0) + 1
        if was is not None:
            self.log.add(
                self.timers.now_s, "straggler_off", row.id, f"{row.id}: straggler gone, steps at normal pace"
            )
        elif row.state not in AT_REST:
            self.slower[job] = self.excess * self._exponential(job, "size")
            text = f"{row.id} has a straggler: steps take {100 * self.slower[job]:.0f} % longer"
            self.log.add(self.timers.now_s, "straggler_on", row.id, text, slower=self.slower[job])
        if row.state in AT_REST:  # it begins again if it ever runs again
            return
        self.recovery.changed.add(job)
        self._await(job)

    def extra_s(self, job: int) -> float:
        """Return how much longer a step of `job` is now [s]."""
        slower = self.slower.get(job)
        return 0.0 if slower is None else slower * self.jobs.work[job].step_s

    STATE = Fields(
        Items("drawn", int, sort=True),
        StateField("fresh", set, sorted, missing=[]),
        Items("slower", float, sort=True),
    )
