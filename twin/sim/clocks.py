"""Clock and power of each group of GPUs under cap and heat, and what its clock does to the pace of its job.

The everyday throttle is the power cap: in the big matrix products the leakiest die of a group sits at its cap, and a
synchronous job runs at its slowest die. Heat comes on top: above max-op clocks walk down, above slowdown they halve.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.physics.gpu_power import (
    RELEASE_K,
    GpuPowerModel,
    clock_under_cap,
    die_spread,
    dynamic_unit_w,
    leak_w,
)
from twin.physics.thermal_network import State
from twin.sim.jobs import Jobs
from twin.sim.traces import IDLE, OFF, STAND_IN, Traces
from twin.sim.work import Work

Floats = NDArray[np.float64]

EVERY_JOB = -1
SLOWDOWN_SHARE = 0.5
"""Share of the clock that the cap allows above the slowdown temperature, at most (PHYSICS 2: half or less)."""
WALK_PER_S = 0.05
"""Share of the top clock by which clocks walk down above max-op, and up again below its release [1/s] [est]."""
CROSSED_K = 0.1
"""A step cut at a limit may end this far below it, since the crossing is found on a straight line [K]."""
REFRESH_K = 1.0
"""Change of a hottest die that is worth a new clock: about 0.1 % of it."""
REFERENCE_INLET_C = 25.0


@dataclass(frozen=True)
class JobClock:
    """Clocks of the slowest die of a job [GHz]: at the default cap, at the cap in force, and with heat on top."""

    reference: float
    free: float
    capped: float
    now: float


class Clocks:
    """Clock limits and powers by group."""

    def __init__(
        self,
        traces: Traces,
        models: list[GpuPowerModel],
        junction_k_w: Floats,
        downstream_k_w: Floats,
        jobs: Jobs,
    ) -> None:
        self.traces, self.jobs = traces, jobs
        self.models = models
        self.junction_k_w, self.downstream_k_w = junction_k_w, downstream_k_w
        self.cap_w: dict[int, float] = {}  # by job, or EVERY_JOB
        self.walk = np.ones(traces.groups.size)  # share of the top clock that heat allows
        self.clock_ghz = np.zeros(traces.groups.size)
        self.capped_ghz = np.zeros(traces.groups.size)  # what the power cap alone allows
        self.base_w = np.zeros(traces.groups.size)
        self.dyn_w = np.zeros(traces.groups.size)
        self.leak_w_k = np.zeros(traces.groups.size)
        self.job_clock: dict[int, JobClock] = {}
        self._seen_c = np.full(traces.groups.size, math.inf)
        self._reference: dict[tuple[int, int], float] = {}
        self._by_part: dict[str, Floats] = {}
        self.throttling = False  # heat holds some clock down
        self.first_limit_c = min((m.max_op_c for m in self.models), default=math.inf) - CROSSED_K

    def values(self, name: str) -> Floats:
        """Return one figure of the power model for each group."""
        if name not in self._by_part:
            self._by_part[name] = np.array([getattr(m, name) for m in self.models], float)
        return self._by_part[name][self.traces.groups.part]

    def fit(self) -> None:
        """Grow and reset the arrays after groups were split or merged."""
        size = self.traces.groups.size
        if len(self.walk) < size:
            self.walk = np.append(self.walk, np.ones(size - len(self.walk)))
        self.walk[self.traces.trace <= IDLE] = 1.0
        self.throttling = bool((self.walk < 1).any())
        self._seen_c = np.full(size, math.inf)

    def limits_c(self, hot_c: Floats) -> Floats:
        """Return the temperature each group's hottest die, now at `hot_c`, must not pass unseen [C]."""
        working = self.traces.trace > IDLE
        max_op, slowdown, limit = (self.values(f"{name}_c") for name in ("max_op", "slowdown", "shutdown"))
        slowed = SLOWDOWN_SHARE * self.capped_ghz / self.values("f_max_ghz")
        limit = np.where(working & (self.walk > slowed) & (hot_c < slowdown), slowdown, limit)
        limit = np.where(working & (self.walk == 1) & (hot_c < max_op), max_op, limit)
        return np.where(self.traces.trace == OFF, math.inf, limit - self.downstream_c())

    def cap_range_w(self) -> tuple[float, float]:
        """Return the power limits [W] that every GPU of the hall knows: never below idle with the lowest clock."""
        low = max(m.idle_w + float(dynamic_unit_w(m, m.f_min_ghz, m.a_gemm)) for m in self.models)
        return low, max(m.cap_w for m in self.models)

    def downstream_c(self) -> Floats:
        """Return how much warmer the leakiest die of each group is for standing behind another [K]."""
        excess: Floats = self.downstream_k_w[self.traces.groups.part] * (
            self.base_w + self.traces.hot_s * self.dyn_w
        )
        return excess

    def control(self, hot_c: Floats, dt_s: float) -> tuple[list[int], list[int]]:
        """Walk clocks by the hottest dies at the end of a step; return groups that began and ceased to throttle."""
        working = self.traces.trace > IDLE
        max_op, slow = self.values("max_op_c"), self.values("slowdown_c")
        before = self.walk < 1
        over = working & (hot_c >= max_op - CROSSED_K)
        # The walk begins at the clock in force: a share of the top that the power cap forbids anyway is no brake.
        allowed = self.capped_ghz / self.values("f_max_ghz")
        present = np.minimum(self.walk, allowed)
        walk = np.where(over, present - WALK_PER_S * max(dt_s, 0.25), self.walk)
        walk = np.where(
            working & (hot_c >= slow - CROSSED_K), np.minimum(walk, SLOWDOWN_SHARE * allowed), walk
        )
        walk = np.where(working & (hot_c < max_op - RELEASE_K), walk + WALK_PER_S * dt_s, walk)
        floor = self.values("f_min_ghz") / self.values("f_max_ghz")
        self.walk = np.clip(np.where(working, walk, 1.0), floor, 1.0)
        after = self.walk < 1
        self.throttling = bool(after.any())
        self._seen_c[before | after] = math.inf
        return np.flatnonzero(after & ~before).tolist(), np.flatnonzero(before & ~after).tolist()

    def stale(self, hot_c: Floats) -> bool:
        """Return whether the hottest dies have moved enough for new clocks [C]."""
        moved = np.abs(hot_c - self._seen_c) > REFRESH_K
        return bool(np.logical_or.reduce(moved & self.traces.working))

    def refresh(self, state: State) -> None:
        """Work out clock, power and leakage of every group at the temperatures of `state`."""
        traces, size = self.traces, self.traces.groups.size
        hot_c = state.die_c(traces.hot_s)
        base, dyn, leak, clock = (np.zeros(size) for _ in range(4))
        self.capped_ghz = self.values("f_max_ghz")
        self.job_clock = {}
        on = (traces.trace != OFF) & (traces.trace != STAND_IN)
        base[on] = self.values("idle_w")[on]
        for job, members in traces.of_job.items():
            self._refresh_job(job, members, hot_c, dyn, leak, clock)
        self.base_w, self.dyn_w, self.leak_w_k, self.clock_ghz = base, dyn, leak, clock
        self._seen_c = hot_c + self.downstream_c()

    def _refresh_job(
        self,
        job: int,
        members: list[tuple[int, NDArray[np.intp]]],
        hot_c: Floats,
        dyn: Floats,
        leak: Floats,
        clock: Floats,
    ) -> None:
        traces, work, pace = self.traces, self.jobs.work[job], self.jobs.pace[job]
        slowest: JobClock | None = None
        for part, mine in members:
            model = self.models[part]
            leakage_w = leak_w(model, hot_c[mine], 1.0)
            phase = self.phase_activity(job, model)
            free = clock_under_cap(model, model.cap_w, traces.hot_s[mine], phase, leakage_w)
            cap_w = min(model.cap_w, self.cap_w.get(job, math.inf), self.cap_w.get(EVERY_JOB, math.inf))
            capped = free
            if cap_w < model.cap_w:
                capped = clock_under_cap(model, cap_w, traces.hot_s[mine], phase, leakage_w)
            self.capped_ghz[mine] = capped
            allowed = np.minimum(capped, self.walk[mine] * model.f_max_ghz)
            clock[mine] = now = np.maximum(model.f_min_ghz, allowed)
            reference = self._reference_ghz(job, part)
            mine_clock = JobClock(reference, float(free.min()), float(capped.min()), float(now.min()))
            if slowest is None or mine_clock.now / reference < slowest.now / slowest.reference:
                slowest = mine_clock
        if slowest is None:
            return
        self.job_clock[job] = slowest
        for part, mine in members:
            model, now = self.models[part], clock[mine]
            steps = traces.trace[mine] % 2 == 0
            gemm_s = work.gemm_s * slowest.reference / now
            step_s = np.maximum(pace.step_s, gemm_s + work.memory_s)
            wait_s = step_s - gemm_s - work.memory_s
            mixed = (
                self.gemm_activity(job, model) * gemm_s
                + model.a_memory * work.memory_s
                + model.a_comm * np.maximum(0.0, wait_s - work.rest_s)
            )
            activity = np.where(steps, mixed / step_s * work.duty, model.a_comm)
            dyn[mine] = dynamic_unit_w(model, now, activity)
            leak[mine] = np.where(steps, model.leak_w_per_k * work.duty, 0.0)

    def phase_activity(self, job: int, model: GpuPowerModel) -> float:
        """Return the activity the power cap regulates while `job` computes [W/(V^2 GHz)].

        Kernels last milliseconds and the cap regulates over about 100 ms, so it sees the mean of matrix products,
        memory traffic and the communication woven between them, not each of them.
        """
        return self._phase_activity(self.jobs.work[job], model)

    def _phase_activity(self, work: Work, model: GpuPowerModel) -> float:
        gemm = model.a_gemm_fp8 if work.fp8 else model.a_gemm
        busy = gemm * work.gemm_s + model.a_memory * work.memory_s
        total_s = work.gemm_s + work.memory_s + work.close_s
        return (busy + model.a_comm * work.close_s) / total_s

    def gemm_activity(self, job: int, model: GpuPowerModel) -> float:
        """Return the activity of the big matrix products of `job` on a part [W/(V^2 GHz)]."""
        return model.a_gemm_fp8 if self.jobs.work[job].fp8 else model.a_gemm

    def _reference_ghz(self, job: int, part: int) -> float:
        """Clock of the expected slowest die of this many GPUs at the default cap and a 25 C inlet [GHz].

        That is the state step-time profiles were fitted in, so a healthy job has factor one.
        """
        if (job, part) not in self._reference:
            model, gpus = self.models[part], max(2, self.jobs.rows[job].gpus)
            slowest_s = float(die_spread((gpus - 0.375) / (gpus + 0.25)))
            die_c = REFERENCE_INLET_C + self.junction_k_w[part] * model.cap_w
            phase = self._phase_activity(self.jobs.planned[job], model)
            leakage_w = leak_w(model, die_c, 1.0)
            self._reference[job, part] = float(
                clock_under_cap(model, model.cap_w, slowest_s, phase, leakage_w)
            )
        return self._reference[job, part]

    def load_share(self, job: int) -> float:
        """Return the mean power of GPUs that step in `job`, between idle and rated, at the reference clock."""
        shares = []
        for part, model in enumerate(self.models):
            work, unit = self.jobs.work[job], self._reference_ghz(job, part)
            wait_s = max(0.0, work.step_s - work.gemm_s - work.memory_s - work.rest_s)
            mixed = self.gemm_activity(job, model) * work.gemm_s + model.a_memory * work.memory_s
            mean = (mixed + model.a_comm * wait_s) / work.step_s * work.duty
            shares.append(float(dynamic_unit_w(model, unit, mean)) / (model.cap_w - model.idle_w))
        return min(1.0, max(shares))

    def slower_s(self, job: int) -> dict[str, float]:
        """Return by account how much longer a step of `job` is than at the reference clock [s]."""
        clocks = self.job_clock.get(job)
        if clocks is None:
            return {}
        scale = self.jobs.work[job].clocked_s * clocks.reference
        return {
            "straggler": scale * (1 / clocks.free - 1 / clocks.reference),
            "power_cap": scale * (1 / clocks.capped - 1 / clocks.free),
            "thermal_throttle": scale * max(0.0, 1 / clocks.now - 1 / clocks.capped),
        }

    def _arrays(self) -> tuple[Floats, ...]:
        return self.base_w, self.dyn_w, self.leak_w_k, self.clock_ghz, self.capped_ghz, self._seen_c

    def state(self) -> dict[str, object]:
        """Return what a snapshot needs."""
        return {
            "cap_w": sorted(self.cap_w.items()),
            "walk": self.walk.tolist(),
            "arrays": [a.tolist() for a in self._arrays()],
            "job_clock": [
                [job, c.reference, c.free, c.capped, c.now] for job, c in sorted(self.job_clock.items())
            ],
        }

    def restore(self, state: dict[str, object]) -> None:
        """Take over what `state` returned."""
        self.cap_w = {int(job): float(w) for job, w in state["cap_w"]}  # type: ignore[attr-defined]
        self.walk = np.array(state["walk"], float)
        self.throttling = bool((self.walk < 1).any())
        arrays = [np.array(a, float) for a in state["arrays"]]  # type: ignore[attr-defined]
        self.base_w, self.dyn_w, self.leak_w_k, self.clock_ghz, self.capped_ghz, self._seen_c = arrays
        self.job_clock = {int(j): JobClock(*rest) for j, *rest in state["job_clock"]}  # type: ignore[attr-defined]
