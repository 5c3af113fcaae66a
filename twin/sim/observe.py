"""What frames show: every channel of every entity, read from the run without changing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from twin.physics.gpu_power import RELEASE_K, ThrottleReason, clock_under_cap, leak_w
from twin.physics.thermal_network import State as Temperatures
from twin.record.channels import JobState, State
from twin.record.frame import Frame, Layout
from twin.sim.clocks import HBM_LIMIT_C
from twin.sim.ledger import INDEX
from twin.sim.nodes import CUT, DARK, DOWN, DRAINED, FREE, OFF
from twin.sim.observe_facility import show_loops, show_power, show_site
from twin.sim.traces import IDLE
from twin.sim.traces import OFF as TRACE_OFF

if TYPE_CHECKING:
    from twin.sim.engine import Engine

Floats = NDArray[np.float64]

SPINNING_SHARE = 0.2
"""Compute units that a communication kernel keeps active while it waits: about 24 of 132 [est]."""

SHOWN = (
    (DOWN, State.FAILED),
    (CUT, State.CUT_OFF),
    (OFF, State.OFF),
    (DARK, State.UNPOWERED),
    (DRAINED, State.DRAINED),
)
"""Nodes that are not usable, whoever holds them."""

STATE_OF_JOB: dict[int, State] = {
    JobState.STARTING: State.RESTARTING,
    JobState.RUNNING: State.RUNNING,
    JobState.CHECKPOINT: State.CHECKPOINT,
    JobState.DETECTING: State.WAITING,
    JobState.RESTARTING: State.RESTARTING,
    JobState.WAITING: State.WAITING,
}


class Observer:
    """Fills frames for one engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        plant = engine.plant
        self.layout = Layout(
            {
                "gpu": len(plant.gpus.node),
                "node": len(plant.nodes.ids),
                "rack": len(plant.racks.ids),
                "switch": len(plant.switches.ids),
                "bundle": len(plant.bundles.fabric),
                "store": len(plant.stores),
                "power": len(plant.power.ids),
                "loop": len(plant.loops.ids),
                "hall": len(plant.halls.ids),
                "plant": len(plant.plants.ids),
                "job": len(engine.jobs.rows),
                "site": 1,
            },
            plant.epoch,
        )

    def fill(self, frame: Frame) -> None:
        """Write every channel at the present time into `frame`."""
        engine = self.engine
        now = engine.now_s
        temperatures = engine.heat.at(now)
        v = frame.values
        frame.t_s, frame.events = now, engine.log.rows
        if frame.detail:
            self._gpus(v, temperatures)
        show_power(engine, v)
        show_loops(engine, v, temperatures, now)
        self._stores(v)
        self._jobs(v, now)
        self._fabrics(v)
        self._site(v, temperatures, now)

    def _gpus(self, v: dict[str, NDArray[Any]], temperatures: Temperatures) -> None:
        engine = self.engine
        gpus, clocks, traces = engine.plant.gpus, engine.clocks, engine.traces
        spread, mine = engine.body.spread, np.maximum(traces.gpu_group, 0)
        temp = engine.heat.gpu_c(temperatures, spread, mine, np.asarray(gpus.index, np.intp))
        base = engine.meter.gpu_group_w(engine.heat, clocks)
        v["gpu.temp_c"][...] = temp
        v["gpu.hbm_c"][...] = hbm = temperatures.hbm_c(spread, mine)
        power = base[mine] + spread * clocks.dyn_w[mine]
        v["gpu.power_w"][...] = power
        trace = traces.trace[mine]
        job = engine.nodes.job[gpus.node]
        v["gpu.job"][...] = job
        v["gpu.state"][...] = self._states()[gpus.node]
        v["node.seat"][...] = -1
        for row in engine.jobs.rows:
            v["node.seat"][row.nodes] = np.delete(np.arange(len(row.nodes) + len(row.vacant)), row.vacant)
        clock, throttle = self._own_clocks(temp, hbm, spread, mine, trace)
        v["gpu.clock_mhz"][...] = clock * 1e3
        v["gpu.throttle"][...] = throttle
        v["gpu.util"][...] = self._utilisation(trace)
        absent = ~gpus.present
        if absent.any():
            for id in ("gpu.temp_c", "gpu.hbm_c", "gpu.power_w", "gpu.clock_mhz", "gpu.throttle", "gpu.util"):
                v[id][absent] = 0

    def _states(self) -> NDArray[np.uint8]:
        engine = self.engine
        nodes = engine.nodes
        by_job = np.array(
            [STATE_OF_JOB.get(row.state, State.IDLE) for row in engine.jobs.rows] + [State.IDLE]
        )
        rest = np.where(nodes.wanted, State.SPARE, State.IDLE)
        state = np.where(nodes.job >= 0, by_job[nodes.job], rest)
        for condition, shown in SHOWN:
            state = np.where(nodes.condition == condition, shown, state)
        result: NDArray[np.uint8] = np.where(engine.plant.nodes.present, state, State.ABSENT).astype(np.uint8)
        return result

    def _own_clocks(
        self, temp: Floats, hbm: Floats, spread: Floats, mine: NDArray[np.intp], trace: NDArray[np.intp]
    ) -> tuple[Floats, NDArray[np.int64]]:
        """Clock of each die under its own cap [GHz], and its throttle bits: a leaky die clocks lower."""
        engine = self.engine
        clocks, groups = engine.clocks, engine.traces.groups
        clock, bits = np.zeros(len(temp)), np.zeros(len(temp), np.int64)
        for part, model in enumerate(clocks.models):
            idle_ghz = engine.catalog.gpu(engine.body.parts[part]).idle_clock_hz / 1e9
            of_part = groups.part[mine] == part
            idle = of_part & (trace == IDLE)
            clock[idle] = idle_ghz
            bits[idle] = int(ThrottleReason.IDLE)
            busy = np.flatnonzero(of_part & (trace > IDLE))
            job = trace[busy] // 2 - 1
            cap = np.full(len(engine.jobs.rows), model.cap_w)
            phase, leaks = np.full(len(cap), model.a_gemm), np.ones(len(cap))
            for row in engine.jobs.rows:
                cap[row.index] = clocks.default_cap_w(row.index, model)
                phase[row.index] = clocks.phase_activity(row.index, model)
                leaks[row.index] = engine.jobs.work[row.index].gpu_load is None
            leakage = leak_w(model, temp[busy], leaks[job])
            limit = engine.traces.limit[mine[busy]]
            limits = engine.limits
            cap_w = np.minimum(cap[job], limits.cap_w[limit])
            dies = np.where(leaks[job] > 0, spread[busy], 1.0)  # measured power knows no spread
            own = clock_under_cap(model, cap_w, dies, phase[job], leakage)
            capped = own < model.f_max_ghz - 1e-6
            own = np.maximum(model.f_min_ghz, own * limits.clock_share[limit])
            walk = clocks.walk[mine[busy]]
            hot = (walk < 1) & (temp[busy] >= model.max_op_c - RELEASE_K)
            clock[busy] = np.where(
                hot, np.maximum(model.f_min_ghz, np.minimum(own, walk * model.f_max_ghz)), own
            )
            bits[busy] = np.where(capped, int(ThrottleReason.SW_POWER_CAP), 0) | limits.reason[limit]
            slow_memory = clocks.hbm_slow[mine[busy]] & (hbm[busy] >= HBM_LIMIT_C - RELEASE_K)
            bits[busy] |= np.where(hot | slow_memory, int(ThrottleReason.SW_THERMAL), 0)
            slow = int(ThrottleReason.HW_THERMAL | ThrottleReason.HW_SLOWDOWN)
            bits[busy] |= np.where(temp[busy] >= model.slowdown_c, slow, 0)
        return clock, bits

    def _utilisation(self, trace: NDArray[np.intp]) -> Floats:
        """Share of time that compute units are active [%]; waiting for a partner keeps few of them busy."""
        engine = self.engine
        by_trace = np.zeros(2 * len(engine.jobs.rows) + 2)
        for row in engine.jobs.rows:
            work, pace = engine.jobs.work[row.index], engine.jobs.pace[row.index]
            by_trace[2 + 2 * row.index] = (
                100 * min(1.0, (work.gemm_s + work.memory_s) / pace.step_s) * work.duty
                if work.gpu_load is None
                else 100 * work.gpu_load
            )
            by_trace[3 + 2 * row.index] = 100 * SPINNING_SHARE
        result: Floats = by_trace[np.maximum(trace, TRACE_OFF)]
        return result

    def _stores(self, v: dict[str, NDArray[Any]]) -> None:
        for i, one in enumerate(self.engine.stores.tally):
            v["store.read_bytes_s"][i] = one.read
            v["store.write_bytes_s"][i] = one.write
            v["store.iops"][i] = one.operations
            v["store.load"][i] = 100 * one.load

    def _fabrics(self, v: dict[str, NDArray[Any]]) -> None:
        """Loads of links where they are drawn: per bundle, and per switch its busiest port."""
        engine = self.engine
        network, present = engine.network, engine.plant.switches.present
        shown = network.shown()
        v["bundle.load"][...] = shown.bundle_load
        v["bundle.down"][...] = shown.bundle_down
        v["switch.load"][...] = shown.switch_load
        state = np.where(shown.switch_load > 0, State.RUNNING, State.IDLE)
        state[engine.outages.dead_switches()] = State.FAILED
        v["switch.state"][...] = np.where(present, state, State.ABSENT)
        v["site.link_load_max"][0] = shown.busiest
        for row in engine.jobs.rows:
            left = network.left(row.index)
            v["job.network"][row.index] = 100 * (1.0 if left is None else left)

    def _jobs(self, v: dict[str, NDArray[Any]], now: float) -> None:
        jobs = self.engine.jobs
        for row in jobs.rows:
            i, work, pace = row.index, jobs.work[row.index], jobs.pace[row.index]
            running = row.state == JobState.RUNNING
            v["job.state"][i] = row.state
            v["job.step"][i] = jobs.progress_at(row, now)
            v["job.durable_step"][i] = row.durable
            v["job.step_s"][i] = pace.step_s
            v["job.input_wait_s"][i] = pace.share[INDEX["input_wait"]] * pace.step_s if running else 0.0
            rate = work.model_flop / (work.peak_flop_s * row.gpus * pace.step_s)
            v["job.mfu"][i] = 100 * rate if running else 0.0
            v["job.goodput"][i] = 100 * (jobs.goodput(row, now) or 0.0)
            v["job.gpus"][i] = row.held

    def _site(self, v: dict[str, NDArray[Any]], temperatures: Temperatures, now: float) -> None:
        engine = self.engine
        traces, nodes, jobs = engine.traces, engine.nodes, engine.jobs
        live = traces.groups.n > 0
        n, sum_s = traces.groups.n[live], traces.groups.sum_s[live]
        die = temperatures.chain[live, 0]
        v["site.gpu_max_c"][0] = float(engine.heat.hot_c(temperatures)[live].max(initial=0.0))
        clocks = engine.clocks
        drawn_w = n * clocks.base_w[live] + sum_s * clocks.dyn_w[live]
        behind_c = float(clocks.downstream_k_w[traces.groups.part[live]] @ drawn_w) / 2  # every second GPU
        total_c = float(n @ die[:, 0] + sum_s @ die[:, 1]) + behind_c
        v["site.gpu_mean_c"][0] = total_c / max(float(n.sum()), 1.0)
        weights = np.array([row.gpus if row.start_s is not None else 0 for row in jobs.rows], float)
        total = max(float(weights.sum()), 1.0)
        so_far = np.array([jobs.goodput(row, now) or 0.0 for row in jobs.rows])
        at_pace = [
            jobs.planned[row.index].step_s / jobs.pace[row.index].step_s
            if row.state == JobState.RUNNING
            else 0.0
            for row in jobs.rows
        ]
        v["site.goodput"][0] = 100 * float(weights @ so_far) / total
        # A cold start clocks a little above the reference for a moment; more than all is not good, only cold.
        v["site.goodput_now"][0] = min(100.0, 100 * float(weights @ np.array(at_pace)) / total)
        condition = nodes.condition
        unfit = (condition == DOWN) | (condition == OFF) | (condition == CUT) | (condition == DARK)
        down = engine.plant.nodes.present & unfit
        v["site.nodes_down"][0] = int(down.sum())
        free = engine.plant.nodes.present & (nodes.condition == FREE) & (nodes.job < 0) & nodes.wanted
        v["site.spares"][0] = int(free.sum())
        v["site.interruptions"][0] = sum(engine.incidents.unexpected.values())
        show_site(engine, v, now)
