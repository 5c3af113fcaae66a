"""Clock and power of each group of GPUs under caps, brake and heat, and what its clock does to the pace of its job.

The everyday throttle is the power cap: in the big matrix products the leakiest die of a group sits at its cap, and a
synchronous job runs at its slowest die, whatever holds that one down. Caps of the facility and the power brake come
next (`limits`), heat on top: above max-op clocks walk down, above slowdown they halve, and hot HBM is slow.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from operator import is_not

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats, IntP
from twin.physics.gpu_power import (
    RELEASE_K,
    GpuPowerModel,
    clock_under_cap,
    dynamic_unit_w,
    leak_w,
    slowest_spread,
)
from twin.physics.thermal_network import ThermalState
from twin.sim.core.state import ArrayField, Child, Derived, Fields, Items, Row, StateField, Stateful
from twin.sim.jobs.gpu_load import (
    HBM_HOT_SHARE,
    DieDemand,
    boost_unit_w,
    phase_activity,
    reference_ghz,
    step_w,
)
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.work import Work
from twin.sim.thermal.clock_limits import ClockLimits
from twin.sim.thermal.gpu_groups import IDLE, OFF, Traces, stepping
from twin.sim.thermal.group_power import JobClock, Resting, resting
from twin.sim.thermal.job_groups import ClockedJobs, GroupsByJob, JobGroups
from twin.sim.thermal.own_clocks import HeldDies, OwnClocks
from twin.sim.thermal.shared_traces import levels

EVERY_JOB = -1
ROUNDING_W = 1e-6  # of limits told in whole watts
SLOWDOWN_SHARE = 0.5
"""Share of the clock that the cap allows above the slowdown temperature, at most (PHYSICS 2: half or less)."""
WALK_PER_S = 0.05
"""Share of the top clock by which clocks walk down above max-op, and up again below its release [1/s] [est]."""
TURN_SHARE, PICK_UP, SLOWEST_PACE = 0.5, 1.5, 1 / 64
"""Share of its pace that the walk keeps when it turns, growth of the pace while it does not, and the least pace."""
THROTTLED_STRIDE_S = 1.0
CROSSED_K = 1e-3
"""A die counts as being at a limit this far below it [K]."""
REFRESH_K = 1.0
"""Change of a hottest die that is worth a new clock: about 0.1 % of it."""
HBM_LIMIT_C = 95.0
"""HBM above this is slow [C] [est]."""
HBM_ABOVE_DIE_K = 8.0
"""HBM is never warmer than this over its die under load, with the shipped chains [K]."""


class Clocks(Stateful):
    """Clock limits and powers by group."""

    def __init__(
        self,
        traces: Traces,
        models: list[GpuPowerModel],
        junction_k_w: Floats,
        downstream_k_w: Floats,
        jobs: Jobs,
        limits: ClockLimits,
    ) -> None:
        self.traces, self.jobs, self.limits = traces, jobs, limits
        self.models = models
        self.junction_k_w, self.downstream_k_w = junction_k_w, downstream_k_w
        self.cap_w: dict[int, float] = {}  # by job, or EVERY_JOB
        self.walk = np.ones(traces.groups.size)  # share of the top clock that heat allows
        # Pace of the walk: smaller with each turn, +: upwards, -: downwards.
        self.pace = np.ones(traces.groups.size)
        self.clock_ghz = np.zeros(traces.groups.size)
        self.capped_ghz = np.zeros(traces.groups.size)  # what the power cap alone allows
        self.own = OwnClocks()
        self.own.clear(traces.groups.size)
        self.base_w, self.dyn_w, self.leak_w_k = np.zeros((3, traces.groups.size))
        self.job_clock: Mapping[int, JobClock] = {}
        self._seen_c = self._unseen_c = np.full(traces.groups.size, math.inf)
        # Whether HBM of the group is too hot for its full bandwidth.
        self.hbm_slow = np.zeros(traces.groups.size, bool)
        self.mixed = levels()  # work of traces beyond those of jobs: shared nodes by level, then loads
        self.first_mixed = stepping(len(jobs.rows))  # trace of the first of them
        self._loads = np.zeros(0)  # how hard each of them drives its GPUs
        self.apart: list[int] = []  # jobs that step in a trace of their own
        self._reference: dict[tuple[int, int], float] = {}
        self._shares: dict[int, tuple[Work, Work, float]] = {}
        self._wanted: dict[int, tuple[Work, float, dict[int, tuple[float, float]]]] = {}
        self._by_part: dict[str, Floats] = {}
        self._downstream: tuple[tuple[Floats, ...], Floats] | None = None  # from what, and it
        # Temperatures, groups, limits and caps that clocks were worked out for, and the jobs whose they are.
        self._refreshed: tuple[ThermalState, int, NDArray[np.intp], dict[int, float]] | None = None
        self.clocked: ClockedJobs | None = None
        self._by_job = GroupsByJob(traces, models, jobs, self._works, self.reference_ghz)
        self._resting: Resting | None = None
        self._values: dict[str, tuple[IntP, Floats]] = {}
        self.throttling = False  # heat holds some clock or memory down
        self.holding = False  # and none of them moved in the last step: heat and clocks have found each other
        self.hot_gpus = 0  # that heat held down in the latest step
        self.walked = False  # heat has moved or freed some clock since they were worked out
        self.first_limit_c = min(
            (min(m.max_op_c - CROSSED_K, HBM_LIMIT_C - HBM_ABOVE_DIE_K) for m in self.models),
            default=math.inf,
        )

    def add_part(self, like: int) -> None:
        """Make room for another thermal part whose GPUs differ from those of part `like` in their cooling only."""
        self.junction_k_w = np.append(self.junction_k_w, self.junction_k_w[like])
        self.downstream_k_w = np.append(self.downstream_k_w, self.downstream_k_w[like])
        self._by_part.clear()
        self._values.clear()
        self._wanted.clear()
        self._shares.clear()
        self._resting = self._refreshed = None

    def values(self, name: str) -> Floats:
        """Return one figure of the power model for each group."""
        part = self.traces.groups.part
        known = self._values.get(name)
        if known is None or known[0] is not part:
            if name not in self._by_part:
                self._by_part[name] = np.array([getattr(m, name) for m in self.models], float)
            self._values[name] = known = part, self._by_part[name][part]
        return known[1]

    def fit(self) -> None:
        """Grow and reset the arrays after groups were split or merged."""
        size = self.traces.groups.size
        if len(self.walk) < size:
            self.walk = np.append(self.walk, np.ones(size - len(self.walk)))
            self.pace = np.append(self.pace, np.ones(size - len(self.pace)))
            self.hbm_slow = np.append(self.hbm_slow, np.zeros(size - len(self.hbm_slow), bool))
        if self.throttling:  # else heat holds nobody down
            for source, target in self.traces.splits:
                self.walk[target], self.hbm_slow[target] = self.walk[source], self.hbm_slow[source]
                self.pace[target] = self.pace[source]
            resting = self.traces.trace <= IDLE
            self.walk[resting], self.pace[resting], self.hbm_slow[resting] = 1.0, 1.0, False
            self.throttling = bool((self.walk < 1).any() or self.hbm_slow.any())
        self.traces.splits.clear()
        if self._seen_c is not self._unseen_c or len(self._unseen_c) != size:
            self._seen_c = self._unseen_c = np.full(size, math.inf)

    def limits_c(self, hot_c: Floats) -> Floats:
        """Return the temperature each group's hottest die, now at `hot_c`, must not pass unseen [C]."""
        working = self.traces.trace > IDLE
        max_op, slowdown, limit = (self.values(f"{name}_c") for name in ("max_op", "slowdown", "shutdown"))
        slowed = SLOWDOWN_SHARE * self.capped_ghz / self.values("f_max_ghz")
        limit = np.where(working & (self.walk > slowed) & (hot_c < slowdown), slowdown, limit)
        limit = np.where(working & (self.walk == 1) & (hot_c < max_op), max_op, limit)
        return np.where(self.traces.trace == OFF, math.inf, limit)

    def cap_range_w(self) -> tuple[float, float]:
        """Return the lowest and highest power limit that every GPU of the hall takes, in whole watts [W]."""
        low_w = max(model.floor_w for model in self.models)
        return math.ceil(low_w - ROUNDING_W), math.floor(max(m.cap_w for m in self.models) + ROUNDING_W)

    def downstream_c(self) -> Floats:
        """Return how much warmer the leakiest die behind another is for its place, of each group [K]."""
        # Asked for several times a change; the arrays it comes from are replaced, never changed in place.
        traces, known = self.traces, self._downstream
        given = self.downstream_k_w, self.dyn_w, traces.back_s
        if known is None or any(map(is_not, known[0], given)):
            hottest_w = self.base_w + traces.back_s * self.dyn_w
            excess: Floats = self.downstream_k_w[traces.groups.part] * hottest_w
            self._downstream = known = given, excess * traces.behind
        return known[1]

    def control(self, hot_c: Floats, dt_s: float) -> tuple[list[int], list[int]]:
        """Walk clocks by the hottest dies at the end of a step; return groups that began and ceased to throttle."""
        working = self.traces.trace > IDLE
        max_op, slow = self.values("max_op_c"), self.values("slowdown_c")
        before = self.walk < 1
        over = working & (hot_c >= max_op - CROSSED_K)
        # The walk begins at the clock in force: a share of the top that the power cap forbids anyway is no brake.
        allowed = self.capped_ghz / self.values("f_max_ghz")
        present = np.minimum(self.walk, allowed)
        down = self.pace < 0
        # A die answers its clock late: each time the walk turns it continues at half its pace, so that the two meet.
        turn = np.where(over == down, 1.0, TURN_SHARE) * np.abs(self.pace)
        stride = WALK_PER_S * turn * min(max(dt_s, 0.25), THROTTLED_STRIDE_S)
        walk = np.where(over, present - stride, self.walk)
        walk = np.where(
            working & (hot_c >= slow - CROSSED_K), np.minimum(walk, SLOWDOWN_SHARE * allowed), walk
        )
        cool = working & (hot_c < max_op - RELEASE_K)
        walk = np.where(cool, walk + stride, walk)
        floor = self.values("f_min_ghz") / self.values("f_max_ghz")
        old, self.walk = self.walk, np.clip(np.where(working, walk, 1.0), floor, 1.0)
        after = self.walk < 1
        self.throttling = bool(after.any() or self.hbm_slow.any())
        moved = self.walk != old
        self.holding = self.throttling and not moved.any()
        pace = np.minimum(1.0, np.where(over == down, PICK_UP * turn, np.maximum(turn, SLOWEST_PACE)))
        self.pace = np.where(over, -pace, np.where(cool, pace, self.pace))
        self.pace[~after] = 1.0
        self._seen_c[moved] = math.inf
        self.walked |= bool(moved.any())
        return np.flatnonzero(after & ~before).tolist(), np.flatnonzero(before & ~after).tolist()

    def watch_hbm(self, hbm_c: Floats) -> None:
        """Take note of the hottest HBM of each group: above its limit it is slow until 3 K below [C]."""
        limit_c = np.where(self.hbm_slow, HBM_LIMIT_C - RELEASE_K, HBM_LIMIT_C - CROSSED_K)
        slow = self.traces.working & (hbm_c >= limit_c)
        moved = slow != self.hbm_slow
        if moved.any():
            self.hbm_slow, self.walked = slow, True
            self._seen_c[moved] = math.inf
        self.throttling = bool((self.walk < 1).any() or slow.any())

    def throttled_gpus(self) -> int:
        """Return how many GPUs heat holds down now."""
        return self.hot_gpus if self.throttling else 0

    def stale(self, state: ThermalState, most_k: float = REFRESH_K) -> bool:
        """Return whether heat has moved clocks, or the leakiest dies by more than `most_k` [K].

        What shared nodes and loads draw was measured: their temperature moves it only where heat walks their clocks.
        """
        if self.walked:
            return True
        resting = self._at_rest()
        if not resting.jobs:
            return False
        moved = np.abs(state.die_c(self.traces.hot_s) - self._seen_c) > most_k
        moved &= resting.apart
        return bool(np.count_nonzero(moved))

    def work(self, job: int) -> Work:
        """Return the work of a job, or of what stands for several (`mixed`)."""
        jobs = self.jobs.work
        return jobs[job] if job < len(jobs) else self.mixed[job - len(jobs)]

    def refresh(self, state: ThermalState) -> None:
        """Work out clock, power and leakage of every group at the temperatures of `state`."""
        traces, size = self.traces, self.traces.groups.size
        if self._known_at(state):
            self._repower()
            return
        free = not (self.throttling or self.limits.any or EVERY_JOB in self.cap_w)
        self.walked = False
        self.job_clock, self.clocked = {}, None
        resting = self._at_rest()
        base, clock, leak = resting.mixed_w if free else resting.base_w, resting.mixed_ghz, resting.none
        self.capped_ghz, self.dyn_w = self.values("f_max_ghz"), resting.none
        self.own.clear(size)
        if resting.jobs or not free:
            points_c, self._seen_c = state.die_c(traces.points_s), state.die_c(traces.hot_s)
            if traces.doubled:  # groups of one key leak alike, so that they become alike and can be joined
                points_c[2] = self._seen_c
                points_c = traces.pooled(points_c)
            base, clock, leak = base.copy(), clock.copy() if free else np.zeros(size), np.zeros(size)
            self.capped_ghz, self.dyn_w = self.capped_ghz.copy(), np.zeros(size)
            jobs = len(self.jobs.rows)
            self.clocked = self._by_job.at_work(jobs if free else jobs + len(self.mixed))
            self._clock_jobs(self.clocked, points_c, clock, leak)
            for part in self.clocked.parts:
                part.draw(self._paces_s(part.numbers), resting.base_w, base, self.dyn_w)
        self.base_w, self.leak_w_k, self.clock_ghz = base, leak, clock
        self._refreshed = state, traces.version, self.limits.node_class, dict(self.cap_w)

    def _known_at(self, state: ThermalState) -> bool:
        """Return whether clocks are those of these temperatures, and of the groups, limits and work of now."""
        known = self._refreshed
        return (
            known is not None
            and known[0] is state
            and known[1] == self.traces.version
            and known[2] is self.limits.node_class
            and known[3] == self.cap_w
            and not self.walked
            and (self.clocked is None or self.clocked.still())
        )

    def _repower(self) -> None:
        """Work out the powers of jobs that go at another pace than those of now are for; clocks stay."""
        moved = []
        for part in () if self.clocked is None else self.clocked.parts:
            pace_s = self._paces_s(part.numbers)
            if not part.paced(pace_s):
                moved.append((part, pace_s))
        if moved:
            resting_w = self._at_rest().base_w
            self.base_w, self.dyn_w = self.base_w.copy(), self.dyn_w.copy()
            for part, pace_s in moved:
                part.draw(pace_s, resting_w, self.base_w, self.dyn_w)

    def _at_rest(self) -> Resting:
        """Return what groups draw besides those of jobs, until some group is another."""
        traces, known, mixed = self.traces, self._resting, len(self.mixed)
        if known is None or known.version != traces.version or known.mixed != mixed:
            if len(self._loads) != mixed:
                self._loads = np.array([work.gpu_load for work in self.mixed], float)
            idle_w, top_ghz = self.values("idle_w"), self.values("f_max_ghz")
            rated_w = self.values("cap_w") - idle_w
            self._resting = known = resting(traces, self.first_mixed, self._loads, idle_w, rated_w, top_ghz)
        return known

    def default_cap_w(self, job: int, model: GpuPowerModel) -> float:
        """Return the power limit of the GPUs of `job` by themselves and by caps on jobs [W]."""
        if not self.cap_w:
            return model.cap_w
        return min(model.cap_w, self.cap_w.get(job, math.inf), self.cap_w.get(EVERY_JOB, math.inf))

    def _hold(
        self, part: JobGroups, points_c: Floats, clock: Floats
    ) -> tuple[HeldDies, Floats, Floats, Floats]:
        """Write the clock of the leakiest die of each group of some jobs.

        Return what holds dies down, and what is left to that die by its own cap and faults alone, by all caps, and with
        heat, by group [GHz].
        """
        traces, limited, model, groups = self.traces, self.limits.any, part.model, part.groups
        phase, spreads = part.asked.activity, part.line.points_s
        leakage_w = (
            np.zeros_like(spreads) if part.measured else leak_w(model, points_c.take(groups, axis=1), 1.0)
        )
        cap_w: Floats | float = model.cap_w
        if self.cap_w:
            cap_w = part.by_group(np.array([self.default_cap_w(job, model) for job in part.jobs]))
        share: Floats | float = 1.0
        if not limited and isinstance(cap_w, float) and cap_w == model.cap_w:
            alone = clock_under_cap(model, cap_w, spreads, phase, leakage_w)
            free = capped = alone[2]
        else:
            free = clock_under_cap(model, model.cap_w, spreads[2], phase, leakage_w[2])
            if limited:  # what a fault takes off the clock makes a straggler of the GPU, however it is capped
                slow = self.limits.slow_share[traces.limit[groups]]
                free = np.maximum(model.f_min_ghz, slow * free)
                cap_w = np.minimum(cap_w, self.limits.cap_w[traces.limit[groups]])
                share = slow * self.limits.clock_share[traces.limit[groups]]
            alone = clock_under_cap(model, cap_w, spreads, phase, leakage_w)
            capped = np.maximum(model.f_min_ghz, share * alone[2])
        self.capped_ghz[groups] = now = capped
        if self.throttling:
            now = np.maximum(model.f_min_ghz, np.minimum(capped, self.walk[groups] * model.f_max_ghz))
        clock[groups] = now
        return HeldDies(leakage_w, alone, cap_w, share), free, capped, now

    def _clock_jobs(self, jobs: ClockedJobs, points_c: Floats, clock: Floats, leak: Floats) -> None:
        """Work out the clocks of jobs: the slowest die sets the pace of each, whatever holds it down."""
        jobs.rest()
        held = []
        for part in jobs.parts:
            dies, *slowest_ghz = self._hold(part, points_c, clock)
            held.append((dies, slowest_ghz[-1]))
            jobs.slow(part, *slowest_ghz)
            if self.throttling:
                jobs.memory[part.places[part.any(self.hbm_slow[part.groups])]] = HBM_HOT_SHARE
        self.job_clock = jobs.clocks()
        for part, (dies, ghz) in zip(jobs.parts, held, strict=True):
            model, groups, asked = part.model, part.groups, part.asked
            part.ghz, part.memory_s = ghz, None
            if not part.measured:
                walked = self.walk[groups] * model.f_max_ghz if self.throttling else model.f_max_ghz
                pace_ghz = part.by_group(jobs.now_share[part.places] * part.own_ghz)
                part.ghz = self.own.work_out(part, dies, pace_ghz, walked)
                slope_w_k = model.leak_w_per_k * asked.duty
                leak[groups] = slope_w_k if part.steps is None else np.where(part.steps, slope_w_k, 0.0)
            if (jobs.memory[part.places] < 1.0).any():
                slow_s = asked.memory_s / HBM_HOT_SHARE
                part.memory_s = np.where(self.hbm_slow[groups], slow_s, asked.memory_s)

    def _paces_s(self, jobs: IntP) -> Floats:
        """Return how long a step of each job takes now, or of what stands for several; jobs in order [s]."""
        own = jobs[: jobs.searchsorted(len(self.jobs.rows))]
        others = [self.work(job).step_s for job in jobs[len(own) :].tolist()]
        pace_s: Floats = self.jobs.step_s[own]
        return np.append(pace_s, others) if others else pace_s

    def _works(self, jobs: list[int]) -> list[Work]:
        """Return what each of some jobs in order does, or what stands for several, as `work`."""
        works, own = self.jobs.work, bisect_left(jobs, len(self.jobs.work))
        done = list(map(works.__getitem__, jobs[:own]))
        return done + [self.mixed[job - len(works)] for job in jobs[own:]]

    def reference_ghz(self, job: int, part: int) -> float:
        """Clock of the expected slowest die of this many GPUs at the default cap and a 25 C inlet [GHz].

        That is the state step-time profiles were fitted in, so a healthy job has factor one.
        """
        if self.work(job).gpu_load is not None:
            return self.models[part].f_max_ghz
        if (job, part) not in self._reference:
            expected_s = slowest_spread(self.jobs.rows[job].gpus)
            self._reference[job, part] = self.at_reference_ghz(job, part, expected_s)
        return self._reference[job, part]

    def at_reference_ghz(self, job: int, part: int, spread: float) -> float:
        """Return the clock of a die of this spread in a thermal part under `job`, at the reference."""
        return reference_ghz(self.models[part], self.junction_k_w[part], self.jobs.planned[job], spread)

    def load_share(self, job: int) -> float:
        """Return how hard `job` drives the rest of a node, 0..1: as its GPUs, unless it says."""
        node_load = self.jobs.work[job].node_load
        return self.gpu_share(job) if node_load is None else node_load

    def gpu_share(self, job: int) -> float:
        """Return how hard `job` drives its GPUs, between idle and rated power, 0..1."""
        work, planned, shares = self.jobs.work[job], self.jobs.planned[job], [0.0]
        if work.gpu_load is not None:
            return work.gpu_load
        known = self._shares.get(job)
        if known is None or known[0] is not work or known[1] is not planned:
            for part, model in enumerate(self.models):
                slowest_ghz = self.reference_ghz(job, part)
                ghz = reference_ghz(model, self.junction_k_w[part], planned, 1.0, slowest_ghz)
                mean_w = step_w(DieDemand.of(work, model), model, ghz, 1.0, slowest_ghz, work.step_s)
                shares.append(float(mean_w) / (model.cap_w - model.idle_w))
            self._shares[job] = known = work, planned, min(1.0, max(shares))
        return known[2]

    def wanted_gpu_w(self, job: int) -> dict[int, tuple[float, float]]:
        """Return by thermal part what a GPU of spread 1 takes while `job` computes: as it wants, and at its lowest [W].

        It wants boost, but no more than its own limit and caps on jobs allow; leakage aside.
        """
        work = self.jobs.work[job]
        cap_w = min(self.cap_w.get(job, math.inf), self.cap_w.get(EVERY_JOB, math.inf))
        known = self._wanted.get(job)
        if known is None or known[0] is not work or known[1] != cap_w:
            found = {}
            for part, model in enumerate(self.models):
                phase = phase_activity(work, model)
                lowest_w = model.idle_w + float(dynamic_unit_w(model, model.f_min_ghz, phase))
                boost_w = model.idle_w + boost_unit_w(model) * phase
                found[part] = max(lowest_w, min(model.cap_w, cap_w, boost_w)), lowest_w
            self._wanted[job] = known = work, cap_w, found
        return known[2]

    def slower_s(self, job: int) -> dict[str, float]:
        """Return by account how much longer a step of `job` is than at the reference clock [s]."""
        clocks = self.job_clock.get(job)
        if clocks is None:
            return self._slower_shared(job)
        work = self.jobs.work[job]
        scale = work.clocked_s * clocks.reference
        return {
            "straggler": scale * (1 / clocks.free - 1 / clocks.reference),
            "power_cap": scale * (1 / clocks.capped - 1 / clocks.free),
            "thermal_throttle": scale * max(0.0, 1 / clocks.now - 1 / clocks.capped)
            + work.memory_s * (1 / clocks.memory - 1),
        }

    def _slower_shared(self, job: int) -> dict[str, float]:
        """Return the same of a job without a trace of its own: as its slowest node is slowed."""
        if not (self.throttling or self.limits.any or EVERY_JOB in self.cap_w):
            return {}
        group = self.traces.node_group[np.asarray(self.jobs.rows[job].nodes, np.intp)]
        group = group[(group >= 0) & (self.clock_ghz[group] > 0)]
        clocked_s = self.jobs.work[job].clocked_s
        if not (len(group) and clocked_s):
            return {}
        top, capped, now = self.values("f_max_ghz")[group], self.capped_ghz[group], self.clock_ghz[group]
        return {
            "power_cap": clocked_s * (float((top / capped).max()) - 1.0),
            "thermal_throttle": clocked_s * (float((capped / now).max()) - 1.0),
        }

    def on_restored(self) -> None:
        """Work out whether heat holds somebody down."""
        self.throttling = bool((self.walk < 1).any() or self.hbm_slow.any())

    def _take_slow_memory(self, groups: list[int]) -> None:
        self.hbm_slow = np.zeros(len(self.walk), bool)
        self.hbm_slow[np.array(groups, int)] = True

    STATE = Fields(
        Items("cap_w", float, sort=True),
        *ArrayField.each("walk", "pace", dtype=float),
        Child("own"),
        StateField("holding", bool),
        StateField("hot_gpus", int),
        Derived("hbm_slow", lambda part: np.flatnonzero(part.hbm_slow).tolist(), _take_slow_memory),
        Row(
            "arrays",
            *ArrayField.each(
                "base_w", "dyn_w", "leak_w_k", "clock_ghz", "capped_ghz", "_seen_c", dtype=float
            ),
        ),
        StateField(
            "job_clock",
            lambda saved: {int(job): JobClock(*clock) for job, *clock in saved},
            lambda clocks: [[job, *clock] for job, clock in sorted(clocks.items())],
        ),
    )
