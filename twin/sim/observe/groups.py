"""Single GPUs and nodes as few figures: what holds for each group of GPUs, and who stands in it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from twin.physics.gpu_picture import DARK, RESTING, WORKING, GpuTraits, GroupFigures
from twin.physics.gpu_power import RELEASE_K, StepWork
from twin.physics.thermal_network import ThermalState as Temperatures
from twin.record.channels import JobState, State
from twin.record.detail import Detail
from twin.sim.core.nodes import AWAY, CONDITIONS, CUT, DOWN, DRAINED, OFF
from twin.sim.core.nodes import DARK as UNLIT
from twin.sim.jobs.gpu_load import step_work
from twin.sim.jobs.job_row import JobRow
from twin.sim.jobs.work import Work
from twin.sim.observe.node_condition import node_conditions
from twin.sim.thermal.clocks import HBM_LIMIT_C
from twin.sim.thermal.gpu_groups import IDLE

if TYPE_CHECKING:
    from twin.sim.run.parts import RunParts


SPINNING_SHARE = 0.2
"""Compute units that a communication kernel keeps active while it waits: about 24 of 132 [est]."""

SHOWN = np.zeros(CONDITIONS, np.uint8)
"""State of nodes that are not usable, whoever holds them, by their condition."""
SHOWN[[DOWN, CUT, OFF, UNLIT, DRAINED, AWAY]] = [
    State.FAILED,
    State.CUT_OFF,
    State.OFF,
    State.UNPOWERED,
    State.DRAINED,
    State.ABSENT,
]

STATE_OF_JOB: dict[int, State] = {
    JobState.STARTING: State.RESTARTING,
    JobState.RUNNING: State.RUNNING,
    JobState.CHECKPOINT: State.CHECKPOINT,
    JobState.DETECTING: State.WAITING,
    JobState.RESTARTING: State.RESTARTING,
    JobState.WAITING: State.WAITING,
}


class DetailShown:
    """Single GPUs and nodes of one engine."""

    def __init__(self, engine: RunParts) -> None:
        self.engine = engine
        self._models = -1  # none is a number too
        self._phases: dict[tuple[int, int], tuple[Work, StepWork]] = {}
        self._holders: tuple[int, object, NDArray[np.int32]] | None = None
        self._places: dict[int, _Places] = {}
        self._seat: NDArray[np.int32] | None = None

    @property
    def dies(self) -> GpuTraits:
        """What sets GPUs apart for good; another object when the plant has got other thermal parts."""
        models = self.engine.clocks.models
        if self._models != len(models):
            engine, gpus = self.engine, self.engine.plant.gpus
            idle_ghz = [engine.catalog.gpu(name).idle_clock_hz / 1e9 for name in engine.body.parts]
            self._models = len(models)
            self._dies = GpuTraits(
                np.asarray(gpus.node, np.intp),
                np.asarray(gpus.index, np.intp),
                engine.body.spread,
                np.asarray(gpus.present, bool),
                tuple(models),
                tuple(idle_ghz),
            )
        return self._dies

    def now(self, temperatures: Temperatures) -> Detail:
        """Return what stands at the present time."""
        engine = self.engine
        return Detail(
            groups=self._groups(temperatures),
            group=engine.traces.gpu_group,
            job=self._gpu_jobs(),
            state=self._states(),
            condition=node_conditions(engine),
            seat=self._seats(),
        )

    def _groups(self, temperatures: Temperatures) -> GroupFigures:
        engine = self.engine
        clocks, traces, limits = engine.clocks, engine.traces, engine.limits
        chain, part, trace = temperatures.chain, traces.groups.part, traces.trace
        behind = clocks.downstream_k_w[part]
        cap_w, activity = clocks.values("cap_w").copy(), clocks.values("a_gemm").copy()
        leaks, util, products = np.ones(traces.groups.size), *np.zeros((2, traces.groups.size))
        for job, members in traces.of_job.items():  # jobs, and what stands for those that share nodes
            work, busy = clocks.work(job), self._utilisation(job)
            for number, groups in members:
                model = clocks.models[number]
                cap_w[groups] = clocks.default_cap_w(job, model)
                known = self._phases.get((job, number))
                if known is None or known[0] is not work:
                    self._phases[job, number] = known = work, step_work(work, model)
                activity[groups] = known[1].activity(model)
                leaks[groups] = work.gpu_load is None
                products[groups] = known[1].products_a(model) * leaks[groups]
                util[groups] = np.where(trace[groups] % 2 == 0, busy, 100 * SPINNING_SHARE)
        limit = traces.limit
        return GroupFigures(
            die_c=chain[:, 0, 0],
            die_slope_k=chain[:, 0, 1],
            hbm_c=chain[:, 1, 0],
            hbm_slope_k=chain[:, 1, 1],
            behind_k=behind * clocks.base_w,
            behind_slope_k=behind * clocks.dyn_w,
            power_w=engine.meter.gpu_group_w(engine.heat, clocks),
            power_slope_w=clocks.dyn_w,
            model=part.astype(float),
            doing=np.where(trace > IDLE, WORKING, np.where(trace == IDLE, RESTING, DARK)).astype(float),
            cap_w=np.minimum(cap_w, limits.cap_w[limit]),
            activity=activity,
            leaks=leaks,
            clock_share=limits.clock_share[limit] * limits.slow_share[limit],
            reason=limits.reason[limit].astype(float),
            walk=clocks.walk,
            slow_hbm_c=np.where(clocks.hbm_slow, HBM_LIMIT_C - RELEASE_K, math.inf),
            util=util,
            products=products,
            waits_ghz=clocks.own.waits_ghz,
        )

    def _utilisation(self, job: int) -> float:
        """Share of time that compute units of a job, or of what stands for several, are active [%]."""
        engine = self.engine
        work = engine.clocks.work(job)
        if work.gpu_load is not None:
            return 100 * work.gpu_load
        return 100 * min(1.0, (work.gemm_s + work.memory_s) / engine.jobs.pace[job].step_s) * work.duty

    def _gpu_jobs(self) -> NDArray[np.int32]:
        nodes = self.engine.nodes
        table = nodes.part_table()
        known = self._holders
        if known is None or known[0] != nodes.version or known[1] is not table:
            self._holders = known = nodes.version, table, nodes.gpu_jobs()
        return known[2]

    def _states(self) -> NDArray[np.uint8]:
        engine = self.engine
        nodes = engine.nodes
        by_job = np.full(len(engine.jobs.rows), State.IDLE, np.uint8)
        for row in engine.jobs.active:
            by_job[row.index] = STATE_OF_JOB.get(row.state, State.IDLE)
        state = np.where(nodes.wanted, np.uint8(State.SPARE), np.uint8(State.IDLE))
        whole = np.flatnonzero(nodes.job >= 0)
        state[whole] = by_job[nodes.job[whole]]
        for node, held in nodes.parts.items():  # shown as busy as the busiest of its jobs
            states = [by_job[job] for job in held]
            state[node] = State.RUNNING if State.RUNNING in states else states[0]
        unfit = np.flatnonzero(nodes.condition)
        state[unfit] = SHOWN[nodes.condition[unfit]]
        state[~engine.plant.nodes.present] = State.ABSENT
        return state

    def _seats(self) -> NDArray[np.int32]:
        """Place of each node in its job, in order of ranks; -1: none."""
        before, self._places = self._places, {}
        same = self._seat is not None
        for row in self.engine.jobs.active:
            known = before.get(row.index)
            if known is None or known.nodes != row.nodes or known.vacant != row.vacant:
                known, same = _Places.of(row), False
            self._places[row.index] = known
        if self._seat is None or not same or len(before) != len(self._places):
            seat = np.full(len(self.engine.nodes.job), -1, np.int32)
            all_of = self._places.values()
            if all_of:
                seat[np.concatenate([places.node for places in all_of])] = np.concatenate(
                    [places.seat for places in all_of]
                )
            self._seat = seat
        return self._seat


@dataclass(frozen=True)
class _Places:
    """Nodes of a job and the places in it that wait for a spare, as last seen, and the seat of each node."""

    nodes: list[int]
    vacant: list[int]
    node: NDArray[np.intp]
    seat: NDArray[np.int32]

    @classmethod
    def of(cls, row: JobRow) -> _Places:
        seats = np.arange(len(row.nodes) + len(row.vacant), dtype=np.int32)
        node = np.array(row.nodes, np.intp)
        return cls(list(row.nodes), list(row.vacant), node, np.delete(seats, row.vacant))
