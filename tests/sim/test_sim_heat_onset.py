"""When GPUs throttle does not hang on step sizes; nodes draw at most what their nameplate says."""

from __future__ import annotations

import numpy as np
import pytest
from sim_scenes import assert_books_close, events, inject, job, shipped, times, tiny

from twin.sim.engine.engine import Engine
from twin.sim.thermal import heat


def onset_s(monkeypatch: pytest.MonkeyPatch, longest_s: float) -> float:
    monkeypatch.setattr(heat, "LONGEST_STEP_S", longest_s)
    engine = inject(Engine(shipped("nvl72-row"), 1), "600 s pump_stop cdu/0 for=2min")
    engine.advance(640.0)
    return times(engine, "throttle_on")[0]


def test_throttling_begins_within_a_second_whatever_the_step(monkeypatch: pytest.MonkeyPatch) -> None:
    free_s, *others = (onset_s(monkeypatch, longest_s) for longest_s in (3600.0, 2.0, 0.25))
    for other_s in others:
        assert other_s == pytest.approx(free_s, abs=1.0)


def test_a_dgx_h100_flat_out_draws_its_nameplate() -> None:
    work = {"kind": "load", "gpu": "100 %", "cpu": "100 %"}
    engine = Engine(tiny(nodes=2, jobs=(job(workload=work, checkpoint={"interval": "none"}),)), 1)
    engine.advance(4000.0)
    watts = engine.meter.node_w(engine.heat, engine.traces, engine.clocks)
    assert watts == pytest.approx(10_200.0, rel=1e-3)


def test_a_dgx_h100_in_training_draws_at_most_what_was_measured() -> None:
    engine = Engine(shipped("llama3-16k"), 1)
    engine.advance(6 * 3600.0)
    watts = engine.meter.node_w(engine.heat, engine.traces, engine.clocks)[engine.nodes.job >= 0]
    assert 6_000 < watts.mean() <= watts.max() * (1 + 1e-12) <= 8_500


def test_one_dry_die_slows_its_job_and_one_that_is_far_too_hot_takes_its_node_off() -> None:
    engine = Engine(tiny(nodes=2), 1)
    engine.advance(3600.0)
    engine.oddities.set("dry", None, 3, contact=12.0)
    engine.advance(3601.0)
    engine.advance(2 * 3600.0)
    slowed = engine.summary()["jobs"][0]["step_parts_s"].get("thermal_throttle", 0.0)
    off = {event.subject for event in events(engine, "shutdown")}
    assert slowed > 0 or off == {engine.plant.nodes.ids[0]}
    assert_books_close(engine)


def test_a_job_speeds_up_as_its_clocks_walk_back() -> None:
    engine = inject(Engine(shipped("nvl72-row"), 1), "600 s pump_stop cdu/0 for=20s")
    engine.advance(599.0)
    free_s = engine.jobs.pace[0].step_s
    shares = []
    while engine.now_s < 700.0:
        engine.advance(engine.timers.next_s())
        clocks, working = engine.clocks, engine.traces.working
        heat_ghz = clocks.walk * clocks.values("f_max_ghz")
        allowed = np.minimum(clocks.capped_ghz, heat_ghz)[working].min()
        shares.append(clocks.clock_ghz[working].min() / max(allowed, clocks.values("f_min_ghz").min()))
    assert shares == pytest.approx([1.0] * len(shares), abs=2e-3)  # clocks are never behind the walk
    freed_s = times(engine, "throttle_off")[-1]
    assert freed_s < 700.0
    assert engine.jobs.pace[0].step_s == pytest.approx(free_s, rel=5e-3)
