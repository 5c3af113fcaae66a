"""GPUs of one job: each computes at its own clock and waits for the slowest; the planner says the same of them."""

from __future__ import annotations

import numpy as np
import pytest
from sim_scenes import assert_books_close, frame, job, tiny
from test_cooling_kinds import on_one_loop
from test_sim_limits import limited, running

from twin.catalog import load_catalog
from twin.planning.job.job_power import gpu_step_w, node_step_w, power_of
from twin.planning.job.scenario_job import estimate_of
from twin.scenario.schema.work import Job
from twin.sim.engine.engine import Engine
from twin.sim.thermal.step_phases import step_phases

CATALOG = load_catalog()
NODE = CATALOG.node("HGX-H100-8-OEM")
GPU = CATALOG.gpu(NODE.gpu)
GPT3 = {
    "id": "gpt3",
    "nodes": 64,
    "checkpoint": {"interval": "none"},
    "workload": {
        "kind": "llm",
        "model": "gpt3-175b",
        "precision": "fp8",
        "sequence": 2048,
        "global_batch": 2048,
        "parallelism": {"tensor": 4, "pipeline": 8, "interleave": 12, "microbatch": 2},
    },
}


@pytest.fixture(scope="module")
def in_tanks() -> Engine:
    """The nodes of MLPerf Training v4.0 that were measured at GPT-3, in tanks."""
    scene = on_one_loop("immersion", "immersion-tank-2P", 24, 35)
    racks = tiny(64, (GPT3,), part=NODE.id)
    engine = Engine(racks.model_copy(update={"cooling": scene.cooling}), 1)
    engine.advance(6 * 3600.0)
    return engine


def test_engine_and_planner_say_the_same_and_what_was_measured(in_tanks: Engine) -> None:
    engine = in_tanks
    spec = Job.model_validate(GPT3)
    parts = estimate_of(spec, 512, NODE.gpu, GPU.memory_bytes).parts
    planned_w = node_step_w(NODE, GPU, parts, 512, fp8=True, in_tank=True)
    drawn_w = engine.meter.node_w(engine.heat, engine.traces, engine.clocks)
    assert drawn_w.mean() == pytest.approx(planned_w, rel=0.01)
    assert drawn_w.mean() == pytest.approx(6854, rel=0.02)  # node_mean_w of mlperf_node_power
    phases = step_phases(engine.clocks, 0)
    assert phases is not None
    mean_w = phases.low_w + (phases.high_w - phases.low_w) * phases.duty
    assert mean_w == pytest.approx(
        gpu_step_w(power_of(GPU), parts, 512, fp8=True), rel=0.015
    )  # leakage aside
    assert_books_close(engine)


def test_better_dies_clock_higher_and_draw_no_less(in_tanks: Engine) -> None:
    values, engine = frame(in_tanks).values, in_tanks
    spread = engine.body.spread
    order = np.argsort(spread)
    clock_mhz, power_w = values["gpu.clock_mhz"][order], values["gpu.power_w"][order]
    assert np.all(np.diff(clock_mhz) <= 1.0)  # to rounding, and dies of other temperature
    assert clock_mhz[0] > 1.1 * clock_mhz[-1]
    assert np.ptp(power_w) < 0.01 * power_w.mean()  # all at their cap while they compute
    slowest_mhz = 1e3 * engine.clocks.job_clock[0].now
    assert clock_mhz[-1] == pytest.approx(slowest_mhz, rel=1e-3)
    assert engine.clocks.own.common_ghz.shape == engine.clocks.base_w.shape


def test_who_waits_for_a_slow_node_keeps_its_clock_and_draws_less() -> None:
    engine = running()
    before = frame(engine).values
    before_mhz, before_w = before["gpu.clock_mhz"].copy(), before["gpu.power_w"].copy()
    engine.limits.set_slow(np.array([0.5, 1.0]))
    limited(engine)
    engine.advance(7200.0)
    after = frame(engine).values
    waits = engine.plant.gpus.node == 1
    assert after["gpu.clock_mhz"][waits] == pytest.approx(before_mhz[waits], rel=0.01)
    assert after["gpu.clock_mhz"][~waits] == pytest.approx(0.5 * before_mhz[~waits], rel=0.02)
    assert np.all(after["gpu.power_w"][waits] < 0.8 * before_w[waits])
    assert_books_close(engine)


def test_dies_that_no_cap_holds_draw_by_their_spread() -> None:
    idle = {"kind": "vision", "model": "thin", "sample_flop": 1e9, "parameters": 1e6, "batch_per_gpu": 1}
    work = idle | {"sample": "1 kB", "dataset": "1 PB", "traffic": "1 GB"}
    engine = Engine(tiny(2, (job(workload=work),)), 1)
    engine.advance(1800.0)
    clocks, traces = engine.clocks, engine.traces
    group = int(traces.node_group[0])
    assert clocks.own.slope_ghz[group] == 0.0
    assert clocks.clock_ghz[group] == clocks.models[0].f_max_ghz
    assert clocks.dyn_w[group] > 0.0
    assert clocks.base_w[group] == pytest.approx(clocks.models[0].idle_w)
