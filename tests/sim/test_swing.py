"""Swings of a run: what synchronous jobs do to the grid in each step, and what smooths it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sim_scenes import CLIMATE, WORKLOAD, events, frame, inject, job, liquid, tiny

from twin.catalog import load_catalog
from twin.physics.swings import step_waveform, stored, swing_energy_j
from twin.record.channels import JobState
from twin.sim.engine.engine import Engine
from twin.sim.thermal.power_swing import Swing, store_j
from twin.sim.thermal.step_phases import step_phases

HALL_W = 1e6
SHELVES = {"part": "power-shelf-33kW-storage", "count": 8, "needed": 4}


class Batteries:
    """Batteries that are full until somebody empties them."""

    def __init__(self, items: int) -> None:
        self.charge = np.ones(items)


def watched(engine: Engine, ramp_w_s: float | None = None) -> Swing:
    """Return the swing of an engine with batteries of its own."""
    batteries = Batteries(len(engine.plant.power.ids))
    return Swing(engine.plant, load_catalog(), engine.jobs, engine.clocks, batteries, ramp_w_s, engine.log)


def stepping(*jobs: dict[str, Any], **more: Any) -> Engine:
    engine = Engine(tiny(jobs=jobs or (job(2),), **more), 1)
    engine.advance(400.0)
    return engine


def battery(ramp: str, capacity: str = "1 MW") -> list[dict[str, Any]]:
    store = {"kind": "battery", "at": "grid", "capacity": capacity, "energy": "100 kWh", "ramp": ramp}
    return [{"id": "grid", "kind": "utility", "feeds": ["gpu"]}, {"id": "bess"} | store]


def test_a_training_job_swings_between_compute_and_communication() -> None:
    engine = stepping()
    swing, phases = watched(engine), step_phases(engine.clocks, 0)
    assert phases is not None
    wave = swing.of_job(0)
    assert wave is not None
    assert wave.period_s == pytest.approx(engine.jobs.pace[0].step_s, rel=1e-6)
    one = step_waveform(*phases)
    assert swing.site_w == pytest.approx(16 * one.swing_w)
    assert swing.site_w == swing.raw_w > 0
    assert wave.high_w <= 16 * 700 * 1.01
    said = swing.summary()
    assert said["site_w"] == said["without_smoothing_w"] == swing.site_w
    assert [job["id"] for job in said["jobs"]] == ["train"]
    assert said["jobs"][0]["high_w"] == wave.high_w
    t, raw, grid = swing.waveform(engine.now_s, 10 * wave.period_s, 50.0, HALL_W)
    assert np.diff(t).max() <= 1.01 / 50  # a whole number of samples
    assert raw.tolist() == grid.tolist()
    assert np.ptp(grid) == pytest.approx(swing.site_w, rel=1e-6)
    assert grid.mean() == pytest.approx(HALL_W, rel=1e-3)
    t, _, _ = swing.waveform(0.0, 1.0, 1.0)
    assert np.diff(t).max() <= 0.1 + 1e-9  # never fewer than ten samples a second


def test_jobs_add_up_and_who_does_not_step_does_not_swing() -> None:
    engine = Engine(tiny(jobs=(job(1, id="a"), job(1, id="b"))), 1)
    swing = watched(engine)
    assert swing.site_w == 0
    engine.advance(400.0)
    waves = [swing.of_job(0), swing.of_job(1)]
    assert all(wave is not None for wave in waves)
    assert swing.site_w == pytest.approx(sum(wave.swing_w for wave in waves if wave is not None))
    engine.advance(engine.timers.due_s("job", 0) or 0.0)
    while engine.jobs.rows[0].state == JobState.RUNNING:
        engine.advance(engine.timers.next_s())
    assert swing.of_job(0) is None  # it writes a checkpoint


def test_work_without_a_rhythm_does_not_swing() -> None:
    chat = {"kind": "inference", "model": "llama3-8b", "requests": "20 /s"}
    engine = stepping(
        job(1, id="chat", workload=chat), job(1, id="hpl", workload={"kind": "load", "gpu": 0.8})
    )
    assert watched(engine).site_w == 0


def test_a_battery_lets_only_its_ramp_through() -> None:
    free = watched(stepping())
    engine = stepping(power=battery("2 kW/s"))
    swing = watched(engine)
    assert swing.steepest_w_s <= 2e3 * (1 + 1e-9)
    assert swing.site_w < 0.5 * free.site_w
    assert swing.raw_w == pytest.approx(free.raw_w, rel=1e-6)
    assert swing.now().grid[0].mean_w == pytest.approx(swing.now().raw[0].mean_w)
    swing.power.charge[:] = 0.0
    assert swing.site_w == pytest.approx(free.site_w, rel=1e-6)
    weak = watched(stepping(power=battery("2 kW/s", "100 W")))
    assert weak.site_w == pytest.approx(free.site_w - 200, rel=1e-6)


def test_a_floor_under_the_power_of_waiting_gpus_costs_energy_and_saves_swing() -> None:
    plain, floored = stepping(), stepping(job(2, power_floor="80 %"))
    assert watched(floored).site_w < 0.5 * watched(plain).site_w
    one, other = watched(plain).of_job(0), watched(floored).of_job(0)
    assert one is not None
    assert other is not None
    assert other.mean_w > one.mean_w
    assert other.high_w == pytest.approx(one.high_w, rel=0.02)
    full = stepping(job(2, power_floor="100 %"))
    assert watched(full).site_w <= 1e-6 * watched(plain).site_w


def test_stores_in_shelves_flatten_their_racks_only() -> None:
    engine = stepping(job(2))
    swing, raw = watched(engine), watched(engine).of_job(0)
    assert raw is not None
    assert store_j(engine.plant, load_catalog()).tolist() == [0.0] * 4
    per_gpu = raw.times(1 / 16)
    swing.gpu_store_j = np.array([0.5 * swing_energy_j(per_gpu), 0.0, 0.0, 0.0])
    half = stored(per_gpu, 0.5 * swing_energy_j(per_gpu))
    assert swing.site_w == pytest.approx(8 * half.swing_w + 8 * per_gpu.swing_w)
    assert sum(wave.mean_w for wave in swing.now().racks) == pytest.approx(raw.mean_w)
    whole = watched(engine)
    whole.gpu_store_j = np.full(4, 2 * swing_energy_j(per_gpu))
    assert whole.site_w == pytest.approx(0.0, abs=1e-6)


def test_capacitors_of_gb300_shelves_take_something_off_a_rack() -> None:
    row = {"id": "gpu", "racks": {"count": 2, "part": "GB300-NVL72", "shelves": SHELVES}}
    engine = Engine(liquid(jobs=(job(18),), halls=[{"id": "hall", "rows": [row]}]), 1)
    engine.advance(400.0)
    swing = watched(engine)
    assert store_j(engine.plant, load_catalog()) == pytest.approx([65 * 72] * 2)
    wave = swing.of_job(0)
    assert wave is not None
    saved = min(65.0 * 72 / swing_energy_j(wave), 1.0)
    assert 1 - swing.site_w / swing.raw_w == pytest.approx(saved, abs=0.15)
    assert swing.site_w < 0.95 * swing.raw_w


def test_figures_are_worked_out_only_when_something_has_changed() -> None:
    engine = stepping(job(2, workload=WORKLOAD))
    swing = watched(engine)
    assert swing.now() is swing.now()
    before, booked = swing.now(), engine.jobs.rows[0].since_s
    engine.advance(booked + 2 * engine.jobs.pace[0].step_s)
    assert swing.now() is before
    inject(engine, "500 s power_cap all value=400W")
    engine.advance(600.0)
    assert swing.now() is not before
    assert swing.site_w < 0.75 * before.grid[0].swing_w


def test_a_grid_that_limits_ramps_is_told_of() -> None:
    site = CLIMATE | {"grid": {"ramp": "1 kW/s"}}
    engine = inject(Engine(tiny(jobs=(job(2),), site=site), 1), "500 s fail gpu/0/0/0 cause=bug")
    engine.advance(499.0)
    assert [event.subject for event in events(engine, "ramp_exceeded", "ramp_kept")] == ["site"]
    again = Engine.restore(engine.scenario, engine.snapshot())
    frame(again)  # who looks changes nothing
    for one in (engine, again):
        one.advance(505.0)
        assert events(one, "ramp_exceeded", "ramp_kept")[-1].kind == "ramp_kept"  # it stands
        one.advance(2000.0)
        assert one.swing.above
    assert again.event_hash() == engine.event_hash()
    assert not events(stepping(), "ramp_exceeded")
