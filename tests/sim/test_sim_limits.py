"""Caps and brake by node: the slowest GPU sets the pace, accounts and bits say what held it down."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sim_scenes import assert_books_close, frame, job, tiny

from twin.physics.gpu_power import ThrottleReason
from twin.sim.engine.engine import Engine
from twin.sim.thermal.clock_limits import BRAKE_SHARE, ClockLimits
from twin.sim.thermal.step_phases import step_phases

BRAKE = int(ThrottleReason.POWER_BRAKE | ThrottleReason.HW_SLOWDOWN)


def limited(engine: Engine) -> Engine:
    """Let the engine take note of limits or faults at its present time."""
    engine.incidents.machines_changed = True
    engine.timers.handle("look", lambda _: None)
    engine.timers.set("look", 0, engine.now_s)
    engine.advance(engine.now_s)
    return engine


def running(*jobs: str, nodes: int = 2) -> Engine:
    engine = Engine(tiny(nodes=nodes, jobs=tuple(job(nodes=2, id=id) for id in jobs or ("train",))), 1)
    engine.advance(3600.0)
    return engine


def test_nodes_of_one_limit_share_a_class_and_class_zero_limits_nothing() -> None:
    limits = ClockLimits(np.full(4, 8))
    assert not limits.any
    limits.set_caps(np.array([math.inf, 500.9, 500.1, math.inf]))
    limits.set_braked(np.array([False, False, True, True]))
    assert limits.changed
    assert limits.braked_gpus() == 16
    caps = limits.cap_w[limits.node_class]
    assert caps.tolist() == [math.inf, 500, 500, math.inf]
    assert limits.clock_share[limits.node_class].tolist() == [1, 1, BRAKE_SHARE, BRAKE_SHARE]
    other = ClockLimits(np.full(4, 8))
    other.restore(limits.state())
    assert other.classes == limits.classes
    assert other.node_class.tolist() == limits.node_class.tolist()
    limits.set_caps(np.full(4, math.inf))
    limits.set_braked(np.zeros(4, bool))
    assert not limits.any
    assert limits.node_class.tolist() == [0, 0, 0, 0]


def test_one_capped_node_slows_the_whole_job_and_is_booked_as_the_cap() -> None:
    engine = running()
    before_s, before_w = (
        engine.jobs.pace[0].step_s,
        engine.meter.node_w(engine.heat, engine.traces, engine.clocks),
    )
    engine.limits.set_caps(np.array([math.inf, 400.0]))
    limited(engine)
    engine.advance(7200.0)
    parts = engine.summary()["jobs"][0]["step_parts_s"]
    assert engine.jobs.pace[0].step_s > 1.05 * before_s
    assert parts["power_cap"] == pytest.approx(engine.jobs.pace[0].step_s - before_s, rel=0.05)
    assert "thermal_throttle" not in parts
    after_w = engine.meter.node_w(engine.heat, engine.traces, engine.clocks)
    assert (after_w < before_w).all()  # the other waits for it
    gpu_w = engine.meter.gpu_group_w(engine.heat, engine.clocks) + engine.clocks.dyn_w * engine.traces.hot_s
    assert gpu_w[engine.traces.node_group[1]] <= 400.0 + 1.0
    engine.limits.set_caps(np.full(2, math.inf))
    limited(engine)
    engine.advance(9000.0)
    assert engine.jobs.pace[0].step_s == pytest.approx(before_s, rel=2e-3)
    assert engine.traces.groups.n.max() == 16  # one group again
    assert_books_close(engine)


def test_the_brake_halves_clocks_and_shows_its_bits() -> None:
    engine = running()
    clock_ghz = float(engine.clocks.clock_ghz.max())
    free = frame(engine).values["gpu.clock_mhz"]
    engine.limits.set_braked(np.array([True, False]))
    limited(engine)
    engine.advance(3700.0)
    values = frame(engine).values
    braked = engine.plant.gpus.node == 0
    assert (values["gpu.throttle"][braked] & BRAKE == BRAKE).all()
    assert not (values["gpu.throttle"][~braked] & BRAKE).any()
    assert values["gpu.clock_mhz"][braked] == pytest.approx(BRAKE_SHARE * free[braked], rel=0.02)
    lowest = engine.clocks.models[0].f_min_ghz
    slow = engine.clocks.clock_ghz[engine.traces.node_group[0]]
    assert slow == pytest.approx(max(lowest, BRAKE_SHARE * clock_ghz), rel=0.02)
    assert engine.summary()["jobs"][0]["step_parts_s"]["power_cap"] > 0
    assert engine.limits.braked_gpus() == 8
    assert_books_close(engine)


def test_no_cap_takes_a_gpu_below_its_lowest_clock() -> None:
    engine = running()
    engine.limits.set_caps(np.full(2, 1.0))
    limited(engine)
    engine.advance(3700.0)
    model = engine.clocks.models[0]
    assert engine.clocks.clock_ghz[engine.traces.node_group[0]] == model.f_min_ghz
    high_w = step_phases(engine.clocks, 0).high_w
    assert high_w / model.cap_w == pytest.approx(0.34, abs=0.04)


def test_a_job_without_limited_nodes_keeps_its_pace() -> None:
    engine = running("a", "b", nodes=4)
    mine = np.isin(np.arange(4), engine.jobs.rows[0].nodes)
    engine.limits.set_caps(np.where(mine, 400.0, math.inf))
    limited(engine)
    engine.advance(5400.0)
    a, b = engine.summary()["jobs"]
    assert "power_cap" in a["step_parts_s"]
    assert "power_cap" not in b["step_parts_s"]


def test_limits_survive_a_snapshot() -> None:
    engine = running()
    engine.limits.set_caps(np.array([450.0, math.inf]))
    engine.limits.set_braked(np.array([False, True]))
    limited(engine)
    engine.advance(5000.0)
    other = Engine.restore(engine.scenario, engine.snapshot())
    for one in (engine, other):
        one.advance(20000.0)
    assert other.event_hash() == engine.event_hash()
    assert other.summary() == engine.summary()
