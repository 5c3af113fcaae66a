"""Many jobs in one hall: what is worked out of all of them at once is what each has by itself."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np
import pytest
from fabric_scenes import hall, model
from power_scenes import UTILITY, Bench, stage
from sim_scenes import causes, job

from twin.physics.power_flow import PowerTree
from twin.plant import routes
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine
from twin.sim.fabric import fabric_state
from twin.sim.jobs.step_pace import Pace, pace_of
from twin.sim.jobs.work import Work
from twin.sim.meters.non_gpu_power import Overhead
from twin.sim.run import repace
from twin.sim.thermal.clocks import Clocks
from twin.sim.thermal.gpu_groups import IDLE, Traces, stepping
from twin.sim.thermal.job_groups import WorkFigures


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
    return hall(*jobs, *others, **({"nodes": 48} | failures | more))


def clocks_of(engine: Engine, traces: Traces) -> Clocks:
    """Return clocks of these groups under what holds those of a run down."""
    run, limits = engine.clocks, engine.limits
    clocks = Clocks(traces, run.models, run.junction_k_w, run.downstream_k_w, engine.jobs, limits)
    clocks.cap_w, clocks.mixed, clocks.throttling = run.cap_w, run.mixed, run.throttling
    clocks.walk, clocks.hbm_slow = run.walk, run.hbm_slow
    return clocks


def alone(traces: Traces, job_index: int) -> Traces:
    """Return the groups as if all but those of one job were at rest."""
    rest = copy.copy(traces)
    rest.trace = np.where(traces.trace // 2 == stepping(job_index) // 2, traces.trace, IDLE)
    rest.working = rest.trace > IDLE
    return rest


@pytest.mark.parametrize("holds", ["nothing", "caps", "heat"])
def test_a_job_has_among_others_the_clocks_it_has_alone_to_the_last_bit(holds: str) -> None:
    engine = Engine(busy_hall(), 3)
    engine.advance(1500.0)
    clocks, state, traces = engine.clocks, engine.heat.integrator.state, engine.traces
    if holds == "caps":
        engine.limits.set_caps(np.where(np.arange(48) % 5 == 0, 450.0, np.inf))
        engine.limits.set_slow(np.where(np.arange(48) % 7 == 0, 0.8, 1.0))
        clocks.cap_w = {2: 500.0}
        state = traces.retrace(state, engine.pacing.traces(), engine.limits.node_class)
        clocks.fit()
    elif holds == "heat":
        clocks.walk[::2], clocks.hbm_slow[::3], clocks.throttling = 0.6, True, True
    together = clocks_of(engine, traces)
    together.refresh(state)
    assert together.clocked is not None
    jobs = [index for index in together.clocked.ids if index < len(engine.jobs.rows)]
    assert len(jobs) > repace.FEW
    for index in jobs:
        own = clocks_of(engine, alone(traces, index))
        own.refresh(state)
        assert own.job_clock[index] == together.job_clock[index], index
        groups = np.concatenate([found for _, found in traces.of_job[index]])
        for figure in ("base_w", "dyn_w", "leak_w_k", "clock_ghz", "capped_ghz"):
            same = np.array_equal(getattr(own, figure)[groups], getattr(together, figure)[groups])
            assert same, (index, figure)
        assert np.array_equal(own.own.common_ghz[groups], together.own.common_ghz[groups])
        slower_s = sum(together.slower_s(index).values())
        step_s = together.clocked.step_s()[together.clocked.ids.index(index)]
        assert step_s == pytest.approx(engine.jobs.work[index].step_s + slower_s, rel=1e-12)


def test_figures_of_work_are_worked_out_again_only_for_a_job_that_has_other_work() -> None:
    engine = Engine(busy_hall(), 3)
    works, asked = list(engine.jobs.work[:3]), list[int]()

    def figures(number: int, work: Work) -> tuple[float, float]:
        asked.append(number)
        return work.step_s, work.clocked_s

    table = WorkFigures(2, figures)
    assert table.columns(np.array([0, 2]), [works[0], works[2]])[0].tolist() == [
        works[0].step_s,
        works[2].step_s,
    ]
    other = dataclasses.replace(works[2], step_s=7.0)
    figures_now = table.columns(np.arange(3), [*works[:2], other])
    assert figures_now[0].tolist() == [*(w.step_s for w in works[:2]), 7.0]
    assert asked == [0, 2, 1, 2]


def test_nodes_are_driven_as_hard_as_the_work_of_their_jobs_has_it_now() -> None:
    engine = Engine(busy_hall(), 3)
    meter, clocks, seen = engine.meter, engine.clocks, set[bytes]()
    for until_s in range(600, 6000, 600):
        engine.advance(until_s)
        if until_s == 4800:  # work of another kind, as after an edit of the plans
            engine.jobs.work[0] = dataclasses.replace(engine.jobs.work[0], gpu_load=0.25, node_load=0.5)
        meter.set_overhead(engine.pacing.traces(), clocks)
        afresh = Overhead(meter.power, meter.cooling, meter.body, engine.plant)
        afresh.set(engine.pacing.traces(), clocks)
        assert np.array_equal(meter.overhead_w, afresh.node_w)
        seen.add(afresh.node_w.tobytes())
    assert len(seen) > 2


def test_jobs_that_wait_for_spares_where_none_is_free_wait_on_as_before() -> None:
    full = busy_hall(nodes=40)  # as many as jobs ask for
    engine = Engine(full, 3)
    waited = set[int]()
    while engine.now_s < 12000.0:
        engine.advance(engine.now_s + 600.0)
        waited |= engine.jobs.lacking
        for index in engine.jobs.lacking:
            row = engine.jobs.rows[index]
            assert len(row.nodes) + len(row.vacant) == engine.recovery.plans[index].nodes
            assert set(engine.nodes.job[row.nodes].tolist()) <= {index}
    assert waited
    free = (engine.nodes.condition == 0) & (engine.nodes.held == 0) & engine.plant.nodes.present
    assert np.array_equal(engine.nodes.usable, free)


def ran(scene: Scenario, until_s: float = 5400.0) -> tuple[str, dict[str, float]]:
    engine = Engine(scene, 5)
    engine.advance(until_s)
    return engine.event_hash(), engine.ledger_gpu_s()


def test_looking_at_fewer_jobs_and_links_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = busy_hall()
    looked_at: list[float] = []

    def counted(work: Work, slower_s: dict[str, float]) -> Pace:
        looked_at.append(work.step_s)
        return pace_of(work, slower_s)

    monkeypatch.setattr(repace, "pace_of", counted)
    expected, few = ran(scene), len(looked_at)
    monkeypatch.setattr(repace, "FEW", 10**9)
    monkeypatch.setattr(fabric_state, "FEW_LINKS", 0.0)
    monkeypatch.setattr(routes, "FEW_NODES", 10**9)
    assert ran(scene) == expected
    assert few < len(looked_at) - few


def test_the_tree_without_batteries_is_solved_once_and_comes_to_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pdu = stage("pdu", "pdu", "utility", part="floor-PDU", feeds=["gpu"])
    store = {"id": "bess", "kind": "battery", "at": "utility", "capacity": "50 kW", "energy": "20 kWh"}
    solved: list[int] = []
    solve = PowerTree.solve
    monkeypatch.setattr(
        PowerTree, "solve", lambda tree, *loads: solved.append(tree.count) or solve(tree, *loads)
    )
    bench = Bench([UTILITY, store | {"ramp": "1 kW/min"}, pdu])
    first, before = bench.power.version, len(solved)
    for number in range(12):
        bench.load(3000.0 + 4000.0 * (number % 3))
        bench.run(400.0 * number + 100.0)
        other = bench.restored()  # it knows of nothing that was solved before
        for each in (bench, other):
            each.run(400.0 * (number + 1))
        assert other.power.totals == bench.power.totals
        assert np.array_equal(other.power.out_w, bench.power.out_w)
    flows = bench.power.version - first
    assert flows > 50
    assert len(solved) - before < 3 * flows  # of two runs, with and without batteries
