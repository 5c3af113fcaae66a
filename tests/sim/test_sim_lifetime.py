"""Wear: hours above temperature bands counted die by die, failure rates that follow the heat."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from sim_scenes import causes, inject, liquid, shipped, tiny

from twin.catalog import load_catalog
from twin.physics.reliability import arrhenius_factor
from twin.physics.thermal_network import ThermalState
from twin.plant.build import build
from twin.sim.core.draws import Draws
from twin.sim.engine.engine import Engine
from twin.sim.hazard.failure_clocks import FailureClocks
from twin.sim.thermal.clocks import Clocks
from twin.sim.thermal.gpu_groups import Dies, Traces
from twin.sim.thermal.wear import BANDS_C, Lifetime


def hand_case(spread: list[float], downstream_k_w: float = 0.0) -> tuple[Lifetime, Traces]:
    count = len(spread)
    dies = Dies(np.zeros(count, np.intp), np.arange(count) % 2 == 1, np.array(spread))
    traces = Traces(np.zeros(1, np.intp), np.zeros(1, np.intp), np.array([float(count)]), dies)
    clocks = SimpleNamespace(
        downstream_k_w=np.array([downstream_k_w]), base_w=np.array([100.0]), dyn_w=np.array([500.0])
    )
    clocks.downstream_c = lambda: clocks.downstream_k_w * (100.0 + traces.back_s * 500.0)
    return Lifetime(["GPU"], traces, cast(Clocks, clocks)), traces


def at(common_c: float, spread_c: float) -> ThermalState:
    chain = np.zeros((1, 4, 2))
    chain[:, :, 0], chain[:, :, 1] = common_c, spread_c
    return ThermalState(chain, np.zeros(5))


def hours(lifetime: Lifetime) -> list[float]:
    return list(lifetime.summary()["gpu_hours_above"]["GPU"].values())


def test_hours_above_a_band_are_counted_with_each_die_at_its_own_temperature() -> None:
    lifetime, _ = hand_case([0.9, 1.0, 1.1, 1.2])  # dies at 66, 70.5, 75, 79.5 C
    state = at(25.5, 45.0)
    lifetime.book(state, state, 79.5, 7200.0)
    assert hours(lifetime) == pytest.approx([3 * 2.0, 1 * 2.0, 0.0, 0.0, 0.0])
    assert list(lifetime.summary()["gpu_hours_above"]["GPU"]) == ["70", "75", "80", "85", "90"]


def test_gpus_in_the_exhaust_of_others_are_counted_hotter() -> None:
    lifetime, _ = hand_case([1.0, 1.0, 1.0, 1.0], downstream_k_w=0.01)  # 69 C in front, 75 C and more behind
    state = at(29.0, 40.0)
    lifetime.book(state, state, 75.0, 3600.0)
    assert hours(lifetime)[0] == pytest.approx(2.0)


def test_half_of_a_step_counts_for_its_start_and_half_for_its_end() -> None:
    lifetime, _ = hand_case([1.0, 1.0])
    lifetime.book(at(60.0, 0.0), at(80.5, 0.0), 80.5, 3600.0)
    lifetime.book(at(80.5, 0.0), at(60.0, 0.0), 60.0, 3600.0)
    lifetime.book(at(60.0, 0.0), at(60.0, 0.0), 60.0, 3600.0)
    assert hours(lifetime) == pytest.approx([2.0, 2.0, 2.0, 0.0, 0.0])


def test_counting_of_a_run_agrees_with_its_dies_one_by_one() -> None:
    engine = inject(Engine(shipped("nvl72-row"), 1), "600 s pump_stop cdu/0 count=1 for=30min")
    counted = {name: np.zeros(len(BANDS_C)) for name in engine.body.parts}
    gpus = engine.plant.gpus
    while engine.now_s < 1500.0:
        step = engine.heat.ahead
        engine.advance(engine.timers.next_s())
        if engine.heat.ahead is step or engine.heat.totals.steps == 0:
            continue
        for state in (step.state0, step.state1):
            if step.state0.chain.shape[0] != engine.traces.groups.size:
                continue
            die = engine.heat.gpu_c(
                state, engine.body.spread, engine.traces.gpu_group, np.asarray(gpus.index)
            )
            above = (die[:, None] > BANDS_C).sum(axis=0)
            counted[engine.body.parts[0]] += 0.5 * (step.t1_s - step.t0_s) * above / 3600
    booked = np.array(list(engine.lifetime.summary()["gpu_hours_above"][engine.body.parts[0]].values()))
    assert booked == pytest.approx(counted[engine.body.parts[0]], rel=0.1, abs=1.0)


def test_bands_survive_a_snapshot() -> None:
    engine = inject(Engine(liquid(), 1), "600 s pump_stop cdu/0 for=10s")
    engine.advance(616.0)
    assert engine.lifetime.any
    other = Engine.restore(engine.scenario, engine.snapshot())
    assert other.lifetime.summary() == engine.lifetime.summary()
    for one in (engine, other):
        one.advance(700.0)
    assert other.lifetime.state() == engine.lifetime.state()
    assert not engine.lifetime.any


def failing(**more: Any) -> Any:
    return tiny(failures={"repair_constant": "2 h", "causes": causes(0.5)} | more)


def test_the_law_of_arrhenius() -> None:
    assert arrhenius_factor(60.0, 60.0, 0.7) == 1.0
    assert float(arrhenius_factor(70.0, 60.0, 0.7)) == pytest.approx(2.035, abs=0.001)
    assert (np.diff(arrhenius_factor(np.arange(20.0, 100.0), 60.0, 0.7)) > 0).all()


def test_heat_hastens_failures_by_the_factor_and_leaves_the_draws_alone() -> None:
    scenario = failing(arrhenius={"activation": 0.7, "reference": "60 degC"})
    plant = build(scenario, load_catalog())
    clocks = FailureClocks(plant, scenario.failures, Draws(1))
    due_s, threshold = clocks.due_s.copy(), clocks.threshold.copy()
    n = len(due_s)
    assert not clocks.heat(np.full(n, 60.0), 0.0)
    assert clocks.heat(np.full(n, 70.0), 1000.0)
    factor = float(arrhenius_factor(70.0, 60.0, 0.7))
    assert clocks.due_s == pytest.approx(1000.0 + (due_s - 1000.0) / factor)
    assert clocks.threshold.tolist() == threshold.tolist()
    assert not clocks.heat(np.full(n, 70.1), 2000.0)  # less than a fiftieth
    assert clocks.heat(np.full(n, 60.0), 3000.0)
    assert clocks.due_s == pytest.approx(3000.0 + (due_s - 3000.0 - (factor - 1) * 2000.0))


def test_without_being_asked_heat_wears_nothing() -> None:
    plain = Engine(failing(), 1)
    assert not plain.failures.heat(np.full(4, 90.0), 0.0)
    plain.advance(1 * 86400.0)
    hot = Engine(failing(arrhenius={"reference": "20 degC"}), 1)
    hot.advance(1 * 86400.0)
    first = [
        min(e.t_s for e in one.events(0) if e.kind in ("failure", "maintenance")) for one in (plain, hot)
    ]
    assert first[1] < first[0]
    assert (hot.failures.wear > 1.1).all()
    other = Engine.restore(hot.scenario, hot.snapshot())
    assert other.failures.due_s == pytest.approx(hot.failures.due_s)
