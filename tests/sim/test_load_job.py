"""Work known only by its power, in a run: it draws what it says, ends when it should, and slows under a cap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sim_scenes import assert_books_close, inject, job, tiny
from typer.testing import CliRunner

from twin.cli.app import app, with_command
from twin.scenario.file.effective_text import show
from twin.sim.engine.engine import Engine

GPUS = 8


def loaded(gpu: float, cpu: float | None = None, **more: Any) -> Engine:
    workload = {"kind": "load", "gpu": gpu} | ({} if cpu is None else {"cpu": cpu})
    one = job(2, id="hpl", workload=workload, checkpoint={"interval": "none"}, **more)
    return Engine(tiny(nodes=2, jobs=(one,)), 1)


def gpu_w(engine: Engine) -> np.ndarray:
    """Return the power of the GPUs of each node [W]."""
    return engine.meter.node_w(engine.heat, engine.traces, engine.clocks) - engine.meter.overhead_w


@pytest.mark.parametrize("load", [0.0, 0.33, 0.79, 1.0])
def test_gpus_draw_idle_and_their_share_of_the_rest_whatever_their_heat_and_spread(load: float) -> None:
    engine = loaded(load)
    engine.advance(3600.0)
    model = engine.clocks.models[0]
    expected = GPUS * (model.idle_w + load * (model.cap_w - model.idle_w))
    assert gpu_w(engine) == pytest.approx([expected] * 2, rel=1e-9)
    assert_books_close(engine)


def test_the_rest_of_the_node_follows_the_gpus_or_a_load_of_its_own() -> None:
    rest_w = {}
    for gpu, cpu in ((0.6, None), (0.6, 0.0), (0.6, 1.0), (0.0, None)):
        engine = loaded(gpu, cpu)
        engine.advance(600.0)
        rest_w[gpu, cpu] = float(engine.meter.overhead_w[0])
    body = engine.body
    node = body.node_power.of(0)
    idle, full = float(node.idle_w), float(node.full_w)
    assert rest_w[0.6, None] == pytest.approx(float(node.power_w(0.6)))
    assert idle < rest_w[0.6, None] < idle + 0.6 * (full - idle)  # fans slow down by their cube
    assert rest_w[0.0, None] == rest_w[0.6, 0.0] == pytest.approx(idle)
    assert rest_w[0.6, 1.0] >= full


def test_it_ends_after_its_steps_and_has_no_flop() -> None:
    engine = loaded(0.5, steps=30)
    engine.advance(100.0 + 30 * 60.0 - 1.0)
    assert "job_done" not in [event.kind for event in engine.events(0)]
    engine.advance(engine.now_s + 2.0)
    assert engine.events(0)[-1].kind == "job_done"
    said = engine.summary()
    assert said["jobs"][0]["mfu"] is None
    assert said["jobs"][0]["steps"] == 30
    assert said["ledger_gpu_s"]["productive"] == pytest.approx(30 * 60 * 16)


def test_a_cap_takes_its_power_and_its_pace() -> None:
    engine = inject(loaded(1.0), "600 s power_cap hpl value=500W")
    engine.advance(599.0)
    assert engine.jobs.pace[0].step_s == pytest.approx(60.0)
    engine.advance(3600.0)
    assert gpu_w(engine) == pytest.approx([8 * 500.0] * 2, rel=1e-3)
    assert engine.jobs.pace[0].step_s > 61.0
    assert engine.summary()["ledger_gpu_s"]["power_cap"] > 0
    assert engine.summary()["ledger_gpu_s"]["straggler"] == 0
    modest = inject(loaded(0.5), "600 s power_cap hpl value=500W")
    modest.advance(3600.0)
    assert modest.jobs.pace[0].step_s == pytest.approx(60.0)


def test_a_failure_gives_up_its_steps_as_of_any_job() -> None:
    engine = inject(loaded(0.5, steps=100), "1000 s fail gpu/0/0/0 cause=bug")
    engine.advance(2000.0)
    assert engine.jobs.rows[0].interruptions == 1
    assert engine.jobs.rows[0].lost_gpu_s > 0


def test_twin_plan_says_that_there_is_nothing_to_plan(tmp_path: Any) -> None:
    scene = tmp_path / "load.twin.yaml"
    scene.write_text(show(loaded(0.5).scenario), encoding="utf-8")
    said = CliRunner().invoke(app, with_command(["plan", str(scene), "--model", "llama3-8b"]))
    assert said.exit_code == 2
    assert "nothing to plan" in said.output
    assert "--batch" in said.output
