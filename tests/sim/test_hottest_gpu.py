"""The hottest GPU is one figure: of tile, loops and GPUs one by one, live and recorded, and of the summary."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sim_scenes import frame, inject, job, shipped, tiny

from twin.physics.thermal_network import ThermalState
from twin.record.reader import Reader
from twin.runtime.inline import run
from twin.scenario.reading.inject_option import parse_injection
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine
from twin.sim.thermal.gpu_groups import Dies, Traces

HALLS: dict[str, tuple[Scenario, tuple[str, ...]]] = {
    "air": (
        shipped("lab-16"),
        ("1800 s bad_contact gpu/0/0/0/2 value=2", "2000 s bad_contact gpu/0/1/0/3 value=1.5"),
    ),
    "air, idle": (tiny(4, jobs=()), ("600 s fail gpu/0/0",)),
    "air, ends": (tiny(2, jobs=(job(2, run="30 min"),)), ()),
    "coolant": (
        shipped("nvl72-row"),
        ("1800 s pump_stop cdu/0 for=60s", "2000 s blocked_plate gpu/0/3/2/1 value=70%"),
    ),
}
NEAR_K = 0.02
"""A leaky die that has just ceased to work may be stepped a hundredth below the others for a while."""
TIMES_S = (
    0.0,
    1.0,
    60.0,
    600.0,
    899.0,
    901.0,
    1200.0,
    1795.0,
    1801.0,
    1815.0,
    1830.0,
    1860.0,
    2700.5,
    3600.0,
    7200.0,
)


@pytest.mark.parametrize("hall", HALLS)
def test_tile_and_gpus_one_by_one_have_one_hottest(hall: str) -> None:
    scenario, wanted = HALLS[hall]
    engine = inject(Engine(scenario, 1), *wanted)
    seen_c = 0.0
    for t_s in TIMES_S:
        engine.advance(t_s)
        values = frame(engine).values
        hottest_c = float(values["gpu.temp_c"].max())
        assert values["site.gpu_max_c"][0] == pytest.approx(hottest_c, abs=NEAR_K), t_s
        on_loop = values["gpu.temp_c"][engine.plant.nodes.loop[engine.plant.gpus.node] == 0]
        assert values["loop.gpu_max_c"][0] == pytest.approx(float(on_loop.max()), abs=NEAR_K), t_s
        seen_c = max(seen_c, hottest_c)
    assert engine.summary()["thermal"]["gpu_max_c"] >= seen_c - NEAR_K


@pytest.mark.parametrize("hall", ["air", "coolant"])
def test_a_recorded_picture_has_one_hottest(hall: str, tmp_path: Path) -> None:
    scenario, wanted = HALLS[hall]
    path = tmp_path / "run.twinrun"
    orders = [parse_injection(order, scenario) for order in wanted]
    run(scenario, 1, until_s=3600.0, record=path, interventions=orders)
    with Reader(path) as reader:
        for t_s in TIMES_S[:-1]:
            values = reader.frame(t_s).values
            assert values["site.gpu_max_c"][0] == values["gpu.temp_c"].max()


def test_the_hottest_die_of_a_group_may_stand_in_front_or_behind() -> None:
    dice = np.random.default_rng(5)
    for _ in range(200):
        nodes, gpus = 5, 4
        node = np.repeat(np.arange(nodes), gpus)
        behind, spread = dice.random(node.size) < 0.5, dice.normal(1.0, 0.05, node.size)
        part = dice.integers(0, 2, nodes)
        traces = Traces(
            np.zeros(nodes, np.intp), part, np.full(nodes, float(gpus)), Dies(node, behind, spread)
        )
        traces.set_alone([int(dice.integers(0, node.size))])
        size = traces.groups.size
        chain = np.zeros((size, 4, 2))
        chain[:, 0] = dice.uniform(0.0, 60.0, (size, 2))
        for_place_k = dice.uniform(0.0, 8.0, size)
        die_c = chain[traces.gpu_group, 0, 0] + spread * chain[traces.gpu_group, 0, 1]
        die_c += behind * for_place_k[traces.gpu_group]
        hottest_c = [die_c[traces.gpu_group == group].max() for group in range(size)]
        assert traces.hottest_c(
            ThermalState(chain, np.zeros(5)), for_place_k * traces.behind
        ) == pytest.approx(hottest_c)


def test_air_beside_liquid_cooled_racks_has_no_hottest_gpu() -> None:
    engine = Engine(shipped("nvl72-row"), 1)
    hottest_c = frame(engine).values["loop.gpu_max_c"]
    by_air = np.array([id.startswith("crah") for id in engine.plant.loops.ids])
    assert np.isnan(hottest_c[by_air]).all()  # it was that of the room
    assert np.isfinite(hottest_c[~by_air]).all()
