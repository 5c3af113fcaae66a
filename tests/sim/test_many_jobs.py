"""Many jobs in one hall: what is worked out of all of them at once is what each has by itself."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from fabric_scenes import hall, model
from power_scenes import UTILITY, Bench, stage
from sim_scenes import causes, job

from twin.plant import routes
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine
from twin.sim.fabric import fabric_state
from twin.sim.power.system import PowerSystem
from twin.sim.run import repace
from twin.sim.thermal.gpu_groups import IDLE, stepping
from twin.sim.thermal.job_groups import ClockedJobs, GroupsByJob


def busy_hall(**more: Any) -> Scenario:
    """Return a hall of twelve jobs of five kinds, which fail by themselves."""
    jobs = [model(f"llm-{number}", 4, tensor=8, pipeline=2) for number in range(8)]
    jobs[1] |= {"power_floor": 0.6}
    others = [
        job(2, "vision"),
        job(2, "load", workload={"kind": "load", "gpu": 0.7, "cpu": 0.3}, power_floor=0.1),
    ]
    others.append(job(4, "wide", power_floor=0.3))
    failures = {"failures": {"repair_constant": "1 h", "causes": causes(2.0), "stragglers": 0.5}}
    return hall(*jobs, *others, nodes=48, **(failures | more))


def alone(engine: Engine, job_index: int) -> Engine:
    """Return an engine like it whose clocks know of the groups of one job alone."""
    one = copy.copy(engine)
    clocks = one.clocks = copy.copy(engine.clocks)
    traces = clocks.traces = copy.copy(engine.traces)
    its = traces.trace // 2 == stepping(job_index) // 2
    traces.trace = np.where(its, traces.trace, IDLE)
    traces.working = traces.trace > IDLE
    clocks.own = copy.copy(clocks.own)
    clocks._resting = clocks._refreshed = None
    clocks._by_job = GroupsByJob(traces, clocks.models, clocks.jobs, clocks._works, clocks.reference_ghz)
    return one


@pytest.mark.parametrize("holds", ["nothing", "caps", "heat"])
def test_a_job_has_among_others_the_clocks_it_has_alone_to_the_last_bit(holds: str) -> None:
    engine = Engine(busy_hall(), 3)
    engine.advance(1500.0)
    clocks, state = engine.clocks, engine.heat.integrator.state
    if holds == "caps":
        engine.limits.set_caps(np.where(np.arange(48) % 5 == 0, 450.0, np.inf))
        engine.limits.set_slow(np.where(np.arange(48) % 7 == 0, 0.8, 1.0))
        clocks.cap_w = {2: 500.0}
        state = engine.traces.retrace(state, engine.pacing.traces(), engine.limits.node_class)
        clocks.fit()
    elif holds == "heat":
        clocks.walk[::2], clocks.hbm_slow[::3], clocks.throttling = 0.6, True, True
    clocks._refreshed = None
    clocks.refresh(state)
    assert isinstance(clocks.clocked, ClockedJobs)
    together = [index for index in clocks.clocked.ids if index < len(engine.jobs.rows)]
    assert len(together) > repace.FEW
    for index in together:
        one = alone(engine, index).clocks
        one.refresh(state)
        assert one.job_clock[index] == clocks.job_clock[index], index
        groups = np.concatenate([found for _, found in engine.traces.of_job[index]])
        for figure in ("base_w", "dyn_w", "leak_w_k", "clock_ghz", "capped_ghz"):
            assert np.array_equal(getattr(one, figure)[groups], getattr(clocks, figure)[groups]), (
                index,
                figure,
            )
        assert np.array_equal(one.own.common_ghz[groups], clocks.own.common_ghz[groups])
        slower_s = sum(clocks.slower_s(index).values())
        step_s = clocks.clocked.step_s()[clocks.clocked.ids.index(index)]
        assert step_s == pytest.approx(engine.jobs.work[index].step_s + slower_s, rel=1e-12)


def ran(scene: Scenario, until_s: float = 5400.0) -> tuple[str, dict[str, float]]:
    engine = Engine(scene, 5)
    engine.advance(until_s)
    return engine.event_hash(), engine.ledger_gpu_s()


def test_looking_at_fewer_jobs_and_links_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = busy_hall()
    looked: list[int] = []
    steady = repace.Pacing._steady
    monkeypatch.setattr(
        repace.Pacing, "_steady", lambda pacing: looked.append(len(found := steady(pacing))) or found
    )
    expected = ran(scene)
    assert max(looked) >= 4  # several jobs go on as they do
    monkeypatch.setattr(repace, "FEW", 10**9)
    monkeypatch.setattr(fabric_state, "FEW_LINKS", 0.0)
    monkeypatch.setattr(routes, "FEW_NODES", 10**9)
    assert ran(scene) == expected


def test_the_tree_without_batteries_is_solved_once_and_comes_to_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pdu = stage("pdu", "pdu", "utility", part="floor-PDU", feeds=["gpu"])
    store = {"id": "bess", "kind": "battery", "at": "utility", "capacity": "50 kW", "energy": "20 kWh"}

    def spent() -> tuple[Any, ...]:
        bench = Bench([UTILITY, store | {"ramp": "1 kW/min"}, pdu])
        for number in range(12):
            bench.load(3000.0 + 4000.0 * (number % 3))
            bench.run(400.0 * (number + 1))
        return bench.power.totals, bench.power.charge.tolist(), bench.power.out_w.tolist()

    solved: list[float] = []
    solve = PowerSystem._solve
    monkeypatch.setattr(PowerSystem, "_solve", lambda power: solved.append(power.at_s) or solve(power))
    once, few = spent(), len(solved)
    flow = PowerSystem._flow
    monkeypatch.setattr(PowerSystem, "_flow", lambda power, same=False: flow(power))
    assert spent() == once
    assert len(solved) - few > 1.2 * few
