"""A whole training: tokens a day, days, energy; the power of its nodes against the engine's."""

from __future__ import annotations

from pathlib import Path

import pytest

from twin.catalog import load_catalog
from twin.planning.job.job_power import job_w
from twin.planning.job.scenario_job import estimate_of
from twin.planning.job.whole_training import WholeTraining
from twin.planning.profile.models import load_model
from twin.plant.build import build
from twin.scenario import load
from twin.sim.engine.engine import Engine

_SCENES = Path(__file__).parents[2] / "scenes"


def test_days_and_energy_follow_from_rate_power_and_pue() -> None:
    whole = WholeTraining(tokens=864e9, tokens_s=1e6, nodes_w=100e3, pue=1.2)
    assert whole.tokens_per_day == 86.4e9
    assert whole.time_s == 10 * 86_400
    assert whole.energy_j == pytest.approx(10 * 86_400 * 120e3)
    assert whole.words == (
        "86.4 B tokens a day; 864 B tokens take 10 d without interruptions and 28.8 MWh "
        "(nodes 100 kW, PUE 1.200 over a typical year)."
    )


def test_nodes_draw_what_the_engine_has_them_draw() -> None:
    scenario, catalog = load(_SCENES / "lab-16.twin.yaml").scenario, load_catalog()
    node = catalog.node(build(scenario).node_parts[0])
    gpu = catalog.gpu(node.gpu)
    estimate = estimate_of(scenario.jobs[0], 16, node.gpu, gpu.memory_bytes)
    engine = Engine(scenario, 1)
    engine.advance(1800.0)
    drawn_w = float(engine.meter.node_w(engine.heat, engine.traces, engine.clocks).sum())
    # The engine counts pauses for checkpoints, 1.1 % of the time, and leakage.
    assert job_w(catalog, node.id, 16, estimate.parts) == pytest.approx(drawn_w, rel=0.02)


def test_a_published_count_says_where_it_is_from() -> None:
    preset = load_model("deepseek-v3")
    assert (preset.trained_tokens, preset.trained_source) == (14.8e12, "deepseek-ai/DeepSeek-V3 README")
    assert load_model("llama3-8b").trained_tokens is None
