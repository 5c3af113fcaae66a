"""The continuous state: temperatures stepped ahead, cut short by events, with every joule booked.

One accepted step lies ahead of the present (`ahead`); a timer fires at its end. An event that changes powers or flows
before then cuts it short. Observers interpolate inside it and change nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from operator import is_not
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats, IntP, highest, lowest
from twin.physics.gpu_power import RELEASE_K
from twin.physics.thermal import AcceptedStep, EnergyTerms, Integrator, ThermalStepper
from twin.physics.thermal_crossing import Band
from twin.physics.thermal_inputs import ThermalInputs, inputs_of
from twin.physics.thermal_network import ThermalState
from twin.sim.core.timers import LATE, Timers
from twin.sim.thermal.asked_flow import GpuHeat, LoopGpus, Wants
from twin.sim.thermal.clocks import CROSSED_K, HBM_LIMIT_C, REFRESH_K, Clocks
from twin.sim.thermal.cooling import CoolingSystem
from twin.sim.thermal.gpu_groups import IDLE, Traces
from twin.sim.thermal.sink_course import SinkCourse
from twin.sim.thermal.thermal_faults import Oddities
from twin.sim.thermal.thresholds import Thresholds
from twin.sim.thermal.wear import Lifetime

LONGEST_STEP_S = 3600.0
"""So that the sky's daily course is followed."""
THROTTLE_STEP_S = 1.0
HOLDING_STEP_S = 60.0
"""While a throttle lasts and no clock moves: the band between a limit and its release is wide enough for that."""
DRIFT_K = 0.02
"""Change of a sink that is worth new inputs."""
BOUND_DRIFT_K = 1e-4
"""The same while something is bound to pass a limit."""
IDLE_ERROR_WEIGHT = 0.1
"""Dies that nobody works on are followed within 2 K while they settle, the others within 0.2 K."""
LOAD_ERROR_WEIGHT = 0.2
"""Dies of loads and of shared nodes, whose power is a mean itself, are followed within 1 K while they settle."""
SETTLING_S = 2.0
"""While steps are shorter than this and no limit is near, clocks and joining groups can wait for the next step."""
REST_S, REST_K = 120.0, 0.1
"""Dies have come to rest after a step of that length: clocks follow them this closely then, to 0.01 %."""
NEAR_K = 5.0


@dataclass
class HeatTotals:
    """What has been booked since the start."""

    in_j: float = 0.0
    out_j: float = 0.0
    stored_j: float = 0.0
    gpu_max_c: float = -math.inf
    loop_max_c: Floats = field(default_factory=lambda: np.zeros(0))
    loop_throttle_gpu_s: Floats = field(default_factory=lambda: np.zeros(0))
    steps: int = 0


class Heat:
    """Temperatures of groups, loops, halls and plants from event to event."""

    def __init__(
        self,
        timers: Timers,
        traces: Traces,
        clocks: Clocks,
        cooling: CoolingSystem,
        oddities: Oddities,
        lifetime: Lifetime,
        thresholds: Thresholds,
    ) -> None:
        self.timers, self.network, self.thresholds = timers, oddities.network, thresholds
        self.traces, self.clocks, self.cooling = traces, clocks, cooling
        self.oddities, self.lifetime = oddities, lifetime
        shape = self.network.shape
        self.loop_heat_w = np.zeros(shape.n_loops)
        self.hall_heat_w = np.zeros(shape.n_halls)
        self.totals = HeatTotals(
            loop_max_c=np.full(shape.n_loops, -math.inf), loop_throttle_gpu_s=np.zeros(shape.n_loops)
        )
        self._hot: tuple[ThermalState, Floats, Floats, Floats] | None = (
            None  # of what, hot dies at the latest look
        )
        self._top: tuple[Floats, float] | None = None  # hot dies, the hottest of them
        self.gpu_heat = GpuHeat()
        self._weight: tuple[int, Floats] | None = None  # of which version of the groups
        self._worn: tuple[int, Floats] | None = (
            None  # version of groups, their mean dies when wear looked last [C]
        )
        self.hottest_c = -math.inf  # die of the site, at the end of the last booked step
        self.began: list[int] = []  # groups that began or ceased to throttle in the last step
        self.ceased: list[int] = []
        self.fresh = True  # a step has ended since the engine last looked
        self.heading = True  # something above the groups may have passed a limit in it
        self.bound = False  # and something will, soon
        self.pending = False  # `ahead` is not booked yet
        self.course = SinkCourse(self.network.shape.n_plants)
        timers.handle("heat", self._arrived)

    def settle(self, loop_heat_w: Floats, hall_heat_w: Floats) -> None:
        """Begin in the steady state of the present powers."""
        self.loop_heat_w, self.hall_heat_w = loop_heat_w, hall_heat_w
        groups = self.traces.groups
        guess = ThermalState(np.full((groups.size, 4, 2), 0.0), np.full(self.network.shape.n_upper, 25.0))
        guess.chain[:, :, 0] = 40.0
        self.clocks.refresh(guess)
        inputs = inputs_of(
            self.network,
            groups,
            self.clocks.base_w,
            self.clocks.dyn_w,
            loop_heat_w,
            hall_heat_w,
            self.cooling.sink_c(self.timers.now_s),
        )
        now = self.timers.now_s
        state = ThermalStepper(self.network, groups, inputs).steady()
        for _ in range(8):  # the sink follows the heat, which follows the sink a little
            self.cooling.carry(self._into_w(state), self._wants())
            self.cooling.look(state, settled=True)
            inputs = replace(
                inputs,
                plant=self.cooling.plant_state,
                flow=self.cooling.flow,
                sink_c=self.cooling.sink_c(now),
                bypass_w=self.cooling.mixed_w(),
            )
            state = ThermalStepper(self.network, groups, inputs).steady()
        self.integrator = Integrator(
            self.network, groups, replace(inputs, leak_w_k=self.clocks.leak_w_k), state, now
        )
        self.integrator.dt_cap_s = LONGEST_STEP_S
        self._book_hottest(state)
        self.look_ahead()

    def resume(self, step: AcceptedStep, sink: list[Any], heat_w: list[Any], dt_cap_s: float) -> None:
        """Stand where a snapshot was taken: inside `step`, which is not booked yet."""
        self.loop_heat_w, self.hall_heat_w = (np.array(w, float) for w in heat_w)
        self.network = self.oddities.network_of(self.traces.groups)
        self.cooling.rewire(self.network)
        inputs = inputs_of(
            self.network,
            self.traces.groups,
            self.clocks.base_w,
            self.clocks.dyn_w,
            self.loop_heat_w,
            self.hall_heat_w,
            np.array(sink[0], float),
        )
        inputs = replace(
            inputs,
            leak_w_k=self.clocks.leak_w_k,
            flow=self.cooling.flow,
            plant=self.cooling.plant_state,
            bypass_w=self.cooling.handed_w,
            error_weight=self._error_weight(),
            sink_slope_k_s=self.course.slope_k_s,
            sink_since_s=float(sink[1]),
        )
        self.integrator = Integrator(self.network, self.traces.groups, inputs, step.state1, step.t1_s)
        self.integrator.restore(step.t1_s, step.state1, step.rungs)
        self.integrator.dt_cap_s = dt_cap_s
        self.ahead, self.pending, self.fresh = step, True, False
        self.heading, self.bound = step.heading, step.bound

    def at(self, t_s: float) -> ThermalState:
        """Return temperatures at `t_s` for looking at, inside the present step."""
        return self.ahead.at(t_s) if t_s < self.ahead.t1_s else self.ahead.state1

    @property
    def begun(self) -> ThermalState:
        """Temperatures that the present step began with; leakage is taken at them."""
        return self.ahead.state0 if self.pending else self.integrator.state

    def _arrived(self, _: int) -> None:
        self.pending = False
        self._book(self.ahead)

    def _book(self, step: AcceptedStep) -> None:
        dt = step.t1_s - step.t0_s
        self._book_energy(step.energy)
        totals, traces = self.totals, self.traces
        totals.steps += 1
        hot_c = self._book_hottest(step.state1)
        self.lifetime.book(step.state0, step.state1, self.hottest_c, dt)
        if self.clocks.throttling:
            self._book_throttle(step.state1, dt)
        if self.clocks.throttling or self.hottest_c >= self.clocks.first_limit_c:
            self.began, self.ceased = self.clocks.control(hot_c, dt)
            self.clocks.watch_hbm(step.state1.hbm_c(traces.hot_s))
        self.fresh = True

    def hot_c(self, state: ThermalState) -> Floats:
        """Return the temperature of the hottest powered die of each group [C]; dark and free ones do not count."""
        # Asked for several times a step; the arrays it comes from are replaced, never changed in place.
        known, clocks, traces = self._hot, self.clocks, self.traces
        given = state, clocks.dyn_w, traces.hot_s
        if known is None or any(map(is_not, known, given)):
            hot_c = traces.hottest_c(state, clocks.downstream_c()) + traces.dark_c
            self._hot = known = (*given, hot_c)
        return known[3]

    def _hottest_c(self, hot_c: Floats) -> float:
        """Return the highest of what `hot_c` gives, asked for twice a step."""
        if self._top is None or self._top[0] is not hot_c:
            self._top = hot_c, highest(hot_c)
        return self._top[1]

    def gpu_c(
        self, state: ThermalState, spread: Floats, group: IntP, behind: NDArray[np.bool_] | bool
    ) -> Floats:
        """Return the die temperature of GPUs by spread, group and whether they stand behind others [C].

        In an air-cooled node every second GPU stands in the exhaust of another. The network carries their mean
        chain; the excess is in step with power, since air holds no heat to speak of.
        """
        clocks, die = self.clocks, state.die_c(spread, group)
        if not np.count_nonzero(clocks.downstream_k_w):
            return die
        power = clocks.base_w[group] + spread * clocks.dyn_w[group]
        die += clocks.downstream_k_w[self.traces.groups.part[group]] * power * behind
        return die

    def _book_hottest(self, state: ThermalState) -> Floats:
        """Take note of the hottest dies of `state`, which a step ends with; return those of its groups [C]."""
        totals, hot_c = self.totals, self.hot_c(state)
        self.hottest_c = self._hottest_c(hot_c)
        totals.gpu_max_c = max(totals.gpu_max_c, self.hottest_c)
        if self.hottest_c > lowest(totals.loop_max_c):
            np.maximum.at(totals.loop_max_c, self.traces.groups.loop, hot_c)
        return hot_c

    def _book_energy(self, energy: EnergyTerms) -> None:
        self.totals.in_j += energy.in_j
        self.totals.out_j += energy.out_j
        self.totals.stored_j += energy.stored_j

    def _book_throttle(self, state: ThermalState, dt: float) -> None:
        traces, clocks = self.traces, self.clocks
        walks = (clocks.walk < 1) & (traces.trace > IDLE)
        group = traces.gpu_group
        gpus = np.flatnonzero(walks[group] & (group >= 0))
        of_gpu = group[gpus]
        die_c = self.gpu_c(state, traces.dies.spread[gpus], of_gpu, traces.dies.behind[gpus])
        floor_c = clocks.values("max_op_c") - RELEASE_K
        hot = np.bincount(of_gpu[die_c >= floor_c[of_gpu]], minlength=len(walks))
        hot = np.where(walks, np.maximum(hot, 1), 0)  # a group throttles for its hottest die
        np.add.at(self.totals.loop_throttle_gpu_s, traces.groups.loop, hot * dt)
        clocks.hot_gpus = int(hot.sum())

    def nodes_above_shutdown(self) -> list[int]:
        """Return the powered nodes with a die above its shutdown limit now."""
        if self.hottest_c < self.clocks.first_limit_c:
            return []
        traces, state = self.traces, self.integrator.state
        over = np.flatnonzero(
            (self.hot_c(state) >= self.clocks.values("shutdown_c") - CROSSED_K) & (traces.trace >= IDLE)
        )
        found: list[int] = []
        for g in over.tolist():
            limit = self.clocks.models[int(traces.groups.part[g])].shutdown_c - CROSSED_K
            members = np.flatnonzero(traces.slot_group == g)
            for behind, most in ((False, traces.slot_front_s), (True, traces.slot_back_s)):
                there = members[most[members] > 0]
                die_c = self.gpu_c(state, most[there], np.full(len(there), g), behind)
                found += traces.owner[there[die_c >= limit]].tolist()
        return sorted(set(found))

    def node_die_c(self) -> Floats:
        """Return the mean die temperature of each node now, shape (N,) [C]."""
        traces, state, clocks = self.traces, self.integrator.state, self.clocks
        group = np.maximum(traces.slot_group, 0)
        # Every second GPU of an air-cooled node stands in another's exhaust.
        behind = 0.5 * clocks.downstream_k_w[traces.groups.part]
        common = (state.chain[:, 0, 0] + behind * clocks.base_w)[group]
        spread = (state.chain[:, 0, 1] + behind * clocks.dyn_w)[group]
        total = traces.slot_gpus * common + traces.slot_sum_s * spread
        gpus = traces.slot_gpus
        if traces.alone:
            total, gpus = (
                np.bincount(traces.owner, values, minlength=traces.nodes).astype(float)
                for values in (total, gpus)
            )
        mean: Floats = total / np.maximum(gpus, 1.0)
        return mean

    def cut(self) -> None:
        """Stand at the present: book the step ahead only as far as now."""
        now = self.timers.now_s
        if not self.pending:
            return
        if now >= self.ahead.t1_s:
            self._book(self.ahead)
        elif now > self.ahead.t0_s:
            self._book(self.integrator.truncate(self.ahead, now))
        else:
            self.integrator.restore(self.ahead.t0_s, self.ahead.state0, self.ahead.rungs)
        self.pending = False
        self.timers.cancel("heat", 0)

    def change(self, wanted: IntP | None, loop_heat_w: Floats, hall_heat_w: Floats) -> None:
        """Powers or flows change now: `wanted` is the trace of each node, None as they are. Call `cut` first."""
        state, rewired = self.integrator.state, self.oddities.changed
        if wanted is not None:
            limits = self.clocks.limits
            part = self.oddities.slot_part() if rewired else None
            state = self.traces.retrace(state, wanted, limits.node_class if limits.changed else None, part)
            limits.changed = False
            held = self.clocks.walk < 1
            self.clocks.fit()
            if np.count_nonzero(held):
                self.ceased += np.flatnonzero(held & (self.clocks.walk[: len(held)] == 1)).tolist()
            if rewired:
                self.network = self.oddities.settle(self.traces.groups)
                self.cooling.rewire(self.network)
        self.loop_heat_w, self.hall_heat_w = loop_heat_w, hall_heat_w
        self.clocks.refresh(state)
        self.cooling.carry(self._into_w(state), self._wants())
        self.cooling.look(state)
        self._follow_sinks()
        before = self.integrator.stepper.inputs
        after = self._inputs()
        if rewired:
            self.integrator = Integrator(self.network, self.traces.groups, after, state, self.integrator.t_s)
        still = after.flow.same_as(before.flow) and after.plant.same_as(before.plant)
        self.integrator.change(after, self.traces.groups, state, restart=not still)

    def _follow_sinks(self) -> None:
        """Let water that machines cannot hold where they should be followed closely."""
        cooling = self.cooling
        if cooling.rejection.short or (self.bound and cooling.rejection.adrift):
            now = self.timers.now_s
            expected_c = self.integrator.stepper.sink_c(now)
            self.course.follow(now, cooling.sink_c(now), expected_c, cooling.rejection.rate_k_s())
        else:
            self.course.rest()

    def _error_weight(self) -> Floats:
        traces, known = self.traces, self._weight
        if known is None or known[0] != traces.version:
            weight = np.where(traces.working, 1.0, IDLE_ERROR_WEIGHT)
            weight[traces.trace >= self.clocks.first_mixed] = LOAD_ERROR_WEIGHT
            self._weight = known = traces.version, weight
        return known[1]

    def _inputs(self) -> ThermalInputs:
        now, clocks, cooling = self.timers.now_s, self.clocks, self.cooling
        return ThermalInputs(
            base_w=clocks.base_w,
            dyn_w=clocks.dyn_w,
            leak_w_k=clocks.leak_w_k,
            loop_heat_w=self.loop_heat_w,
            hall_heat_w=self.hall_heat_w,
            flow=cooling.flow,
            plant=cooling.plant_state,
            error_weight=self._error_weight(),
            sink_c=cooling.sink_c(now),
            sink_slope_k_s=self.course.slope_k_s,
            sink_since_s=now,
            bypass_w=cooling.mixed_w(),
        )

    def _into_w(self, state: ThermalState) -> Floats:
        """Return the heat into each loop, leakage aside, and into the air of each hall, shape (L + H,) [W]."""
        groups, loop_w = self.traces.groups, self._gpus().loop_w + self.loop_heat_w
        if not self.cooling.holds_rooms:
            return np.concatenate([loop_w, self.hall_heat_w])
        shape = self.network.shape
        hall = shape.loop_hall.take(groups.loop)
        ambient_w_k = self.network.part_table["g_ambient_w_k"].take(groups.part)
        air_c = state.hall_air_c(shape).take(hall)
        plates = groups.n * (state.chain[:, 2, 0] - air_c) + groups.sum_s * state.chain[:, 2, 1]
        hall_w = np.bincount(hall, ambient_w_k * plates, minlength=len(self.hall_heat_w)) + self.hall_heat_w
        return np.concatenate([loop_w, hall_w])

    def _wants(self) -> Wants:
        """Return what nodes and other gear want carried away: fans of nodes follow their GPUs, and stand where off."""
        gpus = self._gpus()
        return Wants(gpus.mean, gpus.most, self.hall_heat_w)

    def _gpus(self) -> LoopGpus:
        traces, clocks = self.traces, self.clocks
        return self.gpu_heat.on_loops(
            self.network, traces.groups, traces.powered, clocks.base_w, clocks.dyn_w
        )

    def nudge(self) -> bool:
        """Follow the weather and, where dies have moved, clocks; return whether clocks were recomputed."""
        integrator = self.integrator
        state, merged = integrator.state, False
        brief = (
            not self.clocks.walked
            and self.ahead.t1_s - self.ahead.t0_s < SETTLING_S
            and self.hottest_c < self.clocks.first_limit_c - NEAR_K
        )
        if not brief and self.traces.doubled:
            state, merged = self.traces.merge(state)
            if merged:
                self.clocks.fit()
                integrator.state = state
        most_k = REST_K if self.ahead.t1_s - self.ahead.t0_s >= REST_S else REFRESH_K
        renewed = merged or (not brief and self.clocks.stale(state, most_k))
        if renewed:
            self.clocks.refresh(state)
            self.cooling.carry(self._into_w(state), self._wants())
        self.cooling.look(state)
        self._follow_sinks()
        if renewed:
            integrator.stepper.change(self._inputs(), self.traces.groups)
        else:
            now = self.timers.now_s
            sink_c = self.cooling.sink_c(now)
            drift_k = BOUND_DRIFT_K if self.bound else DRIFT_K
            astray = self.cooling.astray(drift_k)
            slope_k_s = self.course.slope_k_s
            if (
                astray
                or slope_k_s is not integrator.stepper.inputs.sink_slope_k_s
                or highest(np.abs(sink_c - integrator.stepper.sink_c(now))) > drift_k
            ):
                integrator.stepper.follow(sink_c, slope_k_s, now, self.cooling.mixed_w() if astray else None)
        return renewed

    def repower(self) -> None:
        """Take note that jobs go at another pace: GPUs that wait longer draw less."""
        self.clocks.refresh(self.integrator.state)
        self.cooling.carry(self._into_w(self.integrator.state), self._wants())
        self.integrator.change(self._inputs(), self.traces.groups, restart=False)

    def look_ahead(self, change_s: float = math.inf) -> None:
        """Take the next step, up to the first crossing of a limit, and wait for its end.

        `change_s` is when powers are known to change [s]: a step that ends there need not be cut short.
        """
        integrator = self.integrator
        longest_s = LONGEST_STEP_S
        if self.clocks.throttling:
            longest_s = HOLDING_STEP_S if self.clocks.holding else THROTTLE_STEP_S
        integrator.dt_cap_s = min(longest_s, self.cooling.longest_s, self.course.longest_s)
        integrator.band = band = self.thresholds.band
        integrator.driven = self.cooling.rejection.short
        end_s = integrator.t_s + 2 * LONGEST_STEP_S
        step = integrator.step(min(end_s, change_s) if change_s > integrator.t_s else end_s)
        step = self._cut(step, band)
        self.ahead, self.pending = step, True
        self.heading, self.bound = step.heading, step.bound
        self.timers.set("heat", 0, step.t1_s, LATE)

    def _cut(self, step: AcceptedStep, band: Band) -> AcceptedStep:
        """Cut a step at the first limit that is passed in it: of a die, an HBM, or anything above the groups."""
        if self._hottest_c(self.hot_c(step.state1)) >= self.clocks.first_limit_c:
            rising_k = self._dies_rising(step.state0)
            return self.integrator.cut(
                step, lambda state: np.concatenate([band.excess_k(state.upper), *rising_k(state)])
            )
        return self.integrator.cut(step, lambda state: band.excess_k(state.upper)) if step.heading else step

    def _dies_rising(self, begun: ThermalState) -> Callable[[ThermalState], tuple[Floats, Floats]]:
        """Return what tells how far dies and HBM are past limits that they have yet to pass in a step [K]."""
        traces, limits_c = self.traces, self.clocks.limits_c(self.hot_c(begun))
        hot_s, behind_k = traces.hot_s, self.clocks.downstream_c()
        die = (traces.hottest_c(begun, behind_k) < limits_c) & (traces.groups.n > 0.0)
        hbm = traces.working & (begun.hbm_c(hot_s) < HBM_LIMIT_C)

        def excess_k(state: ThermalState) -> tuple[Floats, Floats]:
            die_k = np.where(die, traces.hottest_c(state, behind_k) - limits_c, -np.inf)
            return die_k, np.where(hbm, state.hbm_c(hot_s) - HBM_LIMIT_C, -np.inf)

        return excess_k
