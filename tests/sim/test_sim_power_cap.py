"""A lower power cap: slower, cooler, less power, and booked as what it is."""

from __future__ import annotations

import pytest
from sim_scenes import assert_books_close, events, inject, job, tiny

from twin.sim.engine.engine import Engine

CAPS_W = (700, 600, 500, 400, 300)


def capped(*lines: str, until_s: float = 7200.0) -> Engine:
    engine = inject(Engine(tiny(nodes=2), 1), *lines)
    engine.advance(until_s)
    return engine


def test_a_lower_cap_never_heats_and_never_hastens() -> None:
    runs = [capped(f"0 s power_cap all value={watts}W") for watts in CAPS_W]
    step_s = [run.jobs.pace[0].step_s for run in runs]
    hot_c = [run.summary()["thermal"]["gpu_max_c"] for run in runs]
    it_j = [run.summary()["energy"]["it_j"] for run in runs]
    steps = [run.summary()["jobs"][0]["steps"] for run in runs]
    assert step_s == sorted(step_s)
    assert step_s[-1] > 1.1 * step_s[0]
    assert hot_c == sorted(hot_c, reverse=True)
    assert it_j == sorted(it_j, reverse=True)
    assert steps == sorted(steps, reverse=True)


def test_gpu_power_stays_below_the_cap() -> None:
    for watts in (600, 400):
        run = capped(f"0 s power_cap train value={watts}W")
        assert run.meter.gpu_group_w(run.heat, run.clocks).max() <= watts
        gpu_w = run.meter.it_w - run.meter.loop_heat_w.sum() - run.meter.hall_heat_w.sum()
        assert gpu_w / 16 <= watts


def test_a_cap_slows_the_job_for_as_long_as_it_lasts() -> None:
    run = capped("3600 s power_cap train value=400W for=1800s", until_s=3599.0)
    before_s, before_w = run.jobs.pace[0].step_s, run.meter.it_w
    assert run.summary()["ledger_gpu_s"]["power_cap"] == 0
    run.advance(5399.0)
    assert run.jobs.pace[0].step_s > 1.05 * before_s
    assert run.meter.it_w < 0.8 * before_w
    booked = run.summary()["ledger_gpu_s"]["power_cap"]
    parts = run.summary()["jobs"][0]["step_parts_s"]
    assert booked == pytest.approx(parts["power_cap"] / run.jobs.pace[0].step_s * 1799 * 16, rel=0.05)
    run.advance(9000.0)
    assert run.jobs.pace[0].step_s == pytest.approx(before_s, rel=2e-3)
    assert "power_cap" not in run.summary()["jobs"][0]["step_parts_s"]
    assert run.meter.it_w == pytest.approx(before_w, rel=1e-2)
    assert run.summary()["interruptions"]["unexpected"] is None, "nothing can fail here"
    assert_books_close(run)


def test_caps_may_overlap_the_latest_holds() -> None:
    lines = ("1 h power_cap train value=500W for=2h", "2 h power_cap train value=400W for=30min")
    run = capped(*lines, until_s=3600 * 1.5)
    assert run.clocks.cap_w == {0: 500.0}
    run.advance(3600 * 2.25)
    assert run.clocks.cap_w == {0: 400.0}
    run.advance(3600 * 2.75)
    assert run.clocks.cap_w == {0: 500.0}
    run.advance(3600 * 3.5)
    assert run.clocks.cap_w == {}
    assert len(events(run, "power_cap")) == len(events(run, "power_cap_off")) == 2


def test_a_cap_on_one_job_leaves_the_other_alone() -> None:
    run = inject(Engine(tiny(jobs=(job(id="a"), job(id="b"))), 1), "1 h power_cap a value=400W")
    run.advance(7200.0)
    a, b = run.summary()["jobs"]
    assert "power_cap" in a["step_parts_s"]
    assert "power_cap" not in b["step_parts_s"]
    assert a["step_s"] > 1.05 * b["step_s"]
