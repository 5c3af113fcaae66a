"""What jobs ask of their GPUs: power by kind of work, swings, floors, measured loads."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sim_scenes import assert_books_close, frame, inject, job, liquid, shipped, tiny
from test_sim_limits import limited

from twin.physics.gpu_power import leak_w
from twin.sim.engine.engine import Engine
from twin.sim.jobs.gpu_load import HBM_HOT_SHARE, DieDemand, step_w
from twin.sim.thermal.clocks import HBM_LIMIT_C
from twin.sim.thermal.step_phases import step_phases


@pytest.fixture(scope="module")
def mixed() -> Engine:
    engine = Engine(shipped("mixed-workloads"), 1)
    engine.advance(20000.0)
    return engine


def test_each_kind_of_work_swings_between_its_phases(mixed: Engine) -> None:
    die_c = frame(mixed).values["gpu.temp_c"]
    for row in mixed.jobs.rows:
        phases = step_phases(mixed.clocks, row.index)
        assert phases is not None
        model = mixed.clocks.models[0]
        nodes = np.flatnonzero(mixed.nodes.job == row.index)
        coolest_c = float(die_c[np.isin(mixed.plant.gpus.node, nodes)].min())
        leakage_w = min(
            float(leak_w(model, coolest_c, 1.0)), 0.0
        )  # it is aside, and below 60 C less than none
        assert model.idle_w < phases.low_w < phases.high_w <= (model.cap_w - leakage_w) * (1 + 1e-6)
        assert phases.period_s == pytest.approx(mixed.jobs.pace[row.index].step_s)
        assert 0 < phases.duty <= 1


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_phases_have_the_mean_power_of_their_step(mixed: Engine, share: float) -> None:
    """Also where a fault has every fifth node at a share of its clock, and the others wait."""
    engine = Engine.restore(shipped("mixed-workloads"), mixed.snapshot())
    slow = np.ones(len(engine.plant.nodes.ids))
    slow[::5] = share
    engine.limits.set_slow(slow)
    limited(engine).advance(20_100.0)
    clocks = engine.clocks
    for row in engine.jobs.rows:
        work, phases = engine.jobs.work[row.index], step_phases(clocks, row.index)
        mine = [g for _, groups in clocks.traces.of_job[row.index] for g in groups.tolist()]
        assert phases is not None
        mean_w = phases.high_w * phases.duty + phases.low_w * (1 - phases.duty)
        model = clocks.models[0]
        groups = clocks.traces.groups
        drawn = (
            groups.n[mine] * (clocks.base_w[mine] - model.idle_w) + groups.sum_s[mine] * clocks.dyn_w[mine]
        )
        # Groups clock apart by their leakiest die; the slowest sets the share of time that all compute.
        stepping_w = model.idle_w + float(drawn.sum() / groups.n[mine].sum()) / work.duty
        assert mean_w == pytest.approx(stepping_w, rel=0.01)


def test_products_draw_more_than_memory_traffic_and_that_more_than_talk(mixed: Engine) -> None:
    high_w = {row.id: step_phases(mixed.clocks, row.index).high_w for row in mixed.jobs.rows}
    assert high_w["options"] > 0.9 * 700  # nothing but arithmetic: at the cap
    assert 350 < high_w["forecast"] < 450  # nothing but memory traffic: at boost below the cap
    assert high_w["forecast"] < high_w["chat"] < high_w["options"]


def test_a_gpu_wants_no_more_than_its_limit_and_no_less_than_its_lowest_clock(mixed: Engine) -> None:
    for row in mixed.jobs.rows:
        for wanted_w, lowest_w in mixed.clocks.wanted_gpu_w(row.index).values():
            assert mixed.clocks.models[0].idle_w < lowest_w < wanted_w <= 700


def test_a_power_floor_fills_the_valleys_and_costs_energy() -> None:
    runs = [Engine(tiny(jobs=(job(power_floor=floor),)), 1) for floor in (0.0, 0.5, 1.0)]
    for run in runs:
        run.advance(5000.0)
    plain, half, full = (step_phases(run.clocks, 0) for run in runs)
    assert plain is not None
    assert half is not None
    assert full is not None
    assert half.low_w >= 0.5 * half.high_w - 10
    assert full.low_w == pytest.approx(full.high_w, rel=0.02)
    assert plain.low_w <= half.low_w <= full.low_w
    spent_j = [run.summary()["energy"]["it_j"] for run in runs]
    assert spent_j == sorted(spent_j)
    assert spent_j[0] < spent_j[2]


def load(gpu: str, **more: object) -> dict[str, object]:
    return job(workload={"kind": "load", "gpu": gpu} | more, checkpoint={"interval": "none"})


@pytest.mark.parametrize("share", [0.0, 0.3, 0.79, 1.0])
def test_a_measured_load_draws_exactly_what_it_says(share: float) -> None:
    engine = Engine(tiny(jobs=(load(f"{share:.0%}"),)), 1)
    engine.advance(5000.0)
    model = engine.clocks.models[0]
    values = frame(engine).values
    held = values["gpu.job"] == 0
    expected_w = model.idle_w + share * (model.cap_w - model.idle_w)
    assert values["gpu.power_w"][held] == pytest.approx(expected_w, rel=1e-6)
    assert values["gpu.util"][held] == pytest.approx(100 * share)
    assert engine.jobs.pace[0].step_s == engine.jobs.work[0].step_s
    assert_books_close(engine)


def test_a_capped_load_takes_longer() -> None:
    engine = Engine(tiny(nodes=2, jobs=(load("100 %"),)), 1)
    engine.advance(4000.0)
    engine.limits.set_caps(np.array([500.0, math.inf]))
    limited(engine)
    engine.advance(5000.0)
    values = frame(engine).values
    assert values["gpu.power_w"][:8] == pytest.approx(500.0, rel=2e-3)
    assert engine.summary()["jobs"][0]["step_parts_s"]["power_cap"] > 0
    assert engine.jobs.pace[0].step_s > 1.1 * engine.jobs.work[0].step_s


def test_hot_memory_is_slow_until_three_kelvin_below() -> None:
    engine = Engine(liquid(1, 1, jobs=(job(18),)), 1)
    engine.advance(1200.0)
    clocks, work = engine.clocks, engine.jobs.work[0]
    groups = engine.traces.groups.size
    seen = []
    for hbm_c in (94.0, HBM_LIMIT_C, 93.0, 92.5, 91.9):
        clocks.watch_hbm(np.full(groups, hbm_c))
        seen.append(bool(clocks.hbm_slow.any()))
    assert seen == [False, True, True, True, False]
    clocks.watch_hbm(np.full(groups, HBM_LIMIT_C))
    before_s = clocks.slower_s(0)["thermal_throttle"]
    clocks.refresh(engine.heat.integrator.state)
    added_s = clocks.slower_s(0)["thermal_throttle"] - before_s
    assert added_s == pytest.approx(work.memory_s * (1 / HBM_HOT_SHARE - 1))


def test_waiting_for_nobody_draws_nothing_and_waiting_for_others_little(mixed: Engine) -> None:
    work, model = mixed.jobs.work[2], mixed.clocks.models[0]
    ghz = model.f_max_ghz
    asked = DieDemand.of(work, model)
    busy_w, longer_w = (float(step_w(asked, model, ghz, 1.0, ghz, times * work.step_s)) for times in (1, 2))
    assert 0 < longer_w < busy_w < model.cap_w


def test_power_caps_on_jobs_and_on_nodes_hold_both() -> None:
    engine = inject(Engine(tiny(nodes=2), 1), "0 s power_cap train value=500W")
    engine.advance(3600.0)
    engine.limits.set_caps(np.array([600.0, 400.0]))
    limited(engine)
    engine.advance(5000.0)
    watts = frame(engine).values["gpu.power_w"].reshape(2, 8).max(axis=1)
    assert watts[0] <= 501
    assert watts[1] <= 401
