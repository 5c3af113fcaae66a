"""What frames show: every channel of every entity, read from the run without changing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from twin.physics.gpu_power import RELEASE_K, ThrottleReason, clock_under_cap, leak_w
from twin.physics.thermal_network import State as Temperatures
from twin.record.channels import Entity, JobState, State
from twin.record.frame import Frame, Layout
from twin.sim.clocks import HBM_LIMIT_C
from twin.sim.nodes import CUT, DARK, DOWN, DRAINED, FREE, NOBODY, OFF, SHARED
from twin.sim.observe_care import node_conditions
from twin.sim.observe_facility import FLOWS, MOVING, FacilityShown
from twin.sim.observe_jobs import JobsShown
from twin.sim.traces import IDLE, stepping
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
    """Fills frames for one engine.

    Of racks, links, stores, machines, jobs and the site, what stands until the run changes is worked out once per
    generation of the engine, and written into a frame that does not carry it yet; the rest at every look.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        plant = engine.plant
        counts: dict[Entity, int] = {
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
        }
        self.layout = Layout(counts, plant.epoch)
        coarse = Layout({**counts, "gpu": 0, "node": 0}, plant.epoch)
        _, self._standing = coarse.views(bytearray(coarse.nbytes))
        self._stays = [
            id for id, values in self._standing.items() if values.size and id not in (*MOVING, *FLOWS)
        ]
        self._facility, self._jobs = FacilityShown(engine), JobsShown(engine)
        self._fabric: tuple[object, list[int]] | None = None
        self._generation = -1
        self._mark = object()

    def fill(self, frame: Frame) -> None:
        """Write every channel at the present time into `frame`."""
        engine = self.engine
        now, v = engine.now_s, frame.values
        temperatures = engine.heat.at(now)
        frame.t_s, frame.events = now, engine.log.rows
        if engine.generation != self._generation:
            self._generation, self._mark = engine.generation, object()
            self._stand(temperatures, now)
        if frame.carries is not self._mark:
            for id in self._stays:
                v[id][...] = self._standing[id]
            if self._facility.settled:
                for id in FLOWS:
                    v[id][...] = self._standing[id]
            frame.carries = self._mark
        self._facility.move(v, temperatures, now)
        self._jobs.move(v, now)
        if frame.detail:
            self._gpus(v, temperatures)

    def _stand(self, temperatures: Temperatures, now: float) -> None:
        """Work out what stands until the run changes."""
        v = self._standing
        self._facility.stand(v, temperatures, now)
        self._stores(v)
        self._fabrics(v)
        self._jobs.stand(v)
        self._nodes(v)

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
        v["gpu.job"][...] = engine.nodes.gpu_jobs()
        v["gpu.state"][...] = self._states()[gpus.node]
        v["node.condition"][...] = node_conditions(engine)
        v["node.seat"][...] = -1
        for row in engine.jobs.active:
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
        by_job = np.full(len(engine.jobs.rows), State.IDLE)
        for row in engine.jobs.active:
            by_job[row.index] = STATE_OF_JOB.get(row.state, State.IDLE)
        state = np.where(nodes.wanted, State.SPARE, State.IDLE)
        whole = nodes.job >= 0
        state[whole] = by_job[nodes.job[whole]]
        for node, held in nodes.parts.items():  # shown as busy as the busiest of its jobs
            states = [by_job[job] for job in held]
            state[node] = State.RUNNING if State.RUNNING in states else states[0]
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
            cap = np.full(len(engine.jobs.rows) + len(clocks.mixed), model.cap_w)
            phase, leaks = np.full(len(cap), model.a_gemm), np.ones(len(cap))
            for index in engine.traces.of_job:  # jobs, and what stands for those that share nodes
                cap[index] = clocks.default_cap_w(index, model)
                phase[index] = clocks.phase_activity(index, model)
                leaks[index] = clocks.work(index).gpu_load is None
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
            lowered = capped & (cap_w < model.cap_w - 1.0)
            bits[busy] |= np.where(lowered, int(ThrottleReason.LOWERED_CAP), 0)
            slow_memory = clocks.hbm_slow[mine[busy]] & (hbm[busy] >= HBM_LIMIT_C - RELEASE_K)
            bits[busy] |= np.where(hot | slow_memory, int(ThrottleReason.SW_THERMAL), 0)
            slow = int(ThrottleReason.HW_THERMAL | ThrottleReason.HW_SLOWDOWN)
            bits[busy] |= np.where(temp[busy] >= model.slowdown_c, slow, 0)
        return clock, bits

    def _utilisation(self, trace: NDArray[np.intp]) -> Floats:
        """Share of time that compute units are active [%]; waiting for a partner keeps few of them busy."""
        engine = self.engine
        shared = stepping(len(engine.jobs.rows))
        mixed = engine.clocks.mixed
        by_trace = np.zeros(shared + 2 * len(mixed))
        by_trace[shared::2] = [100 * (work.gpu_load or 0.0) for work in mixed]
        for row in engine.jobs.active:
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
        shown, dead = engine.network.shown(), engine.outages.dead_switches()
        if self._fabric is not None and self._fabric[0] is shown and self._fabric[1] == dead:
            return
        self._fabric = (shown, dead)
        v["bundle.load"][...] = shown.bundle_load
        v["bundle.down"][...] = shown.bundle_down
        v["switch.load"][...] = shown.switch_load
        state = np.where(shown.switch_load > 0, State.RUNNING, State.IDLE)
        state[dead] = State.FAILED
        v["switch.state"][...] = np.where(engine.plant.switches.present, state, State.ABSENT)
        v["site.link_load_max"][0] = shown.busiest

    def _nodes(self, v: dict[str, NDArray[Any]]) -> None:
        """Count nodes by what they are fit for."""
        engine, nodes = self.engine, self.engine.nodes
        condition, present = nodes.condition, engine.plant.nodes.present
        unfit = (condition == DOWN) | (condition == OFF) | (condition == CUT) | (condition == DARK)
        free = (condition == FREE) & (nodes.job == NOBODY) & nodes.wanted
        v["site.nodes_down"][0] = np.count_nonzero(present & unfit)
        v["site.spares"][0] = np.count_nonzero(present & free)
        installed = float(nodes.gpus.sum())
        v["site.allocated"][0] = 100 * float(nodes.held.sum()) / installed if installed else 0.0
        shared = (condition == FREE) & (nodes.job == SHARED)
        v["site.fragmented"][0] = float((nodes.gpus - nodes.held)[shared].sum())
        v["site.repair_queue"][0] = len(engine.repairs.queue)
        v["site.parts_missing"][0] = sum(len(queue) for queue in engine.repairs.parts.waiting)
        v["site.interruptions"][0] = sum(engine.incidents.unexpected.values())
