"""Rear doors, tanks and given flows: the kinds of loop besides CDUs and air handlers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sim_scenes import assert_books_close, events, frame, inject, liquid, times, tiny

from twin.catalog import load_catalog
from twin.physics.flow_laws import ROOM_FANS
from twin.plant.error import PlantError
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine
from twin.sim.thermal.part_models import UncooledNode, in_tank

CATALOG = load_catalog()
BURN = {"id": "burn", "nodes": 4, "workload": {"kind": "load", "gpu": "90 %"}}


def on_one_loop(kind: str, part: str, plant_c: int, supply_c: int, **loop: Any) -> Scenario:
    """Return four DGX H100 at 90 % on one loop."""
    plants = [{"id": "water", "kind": "dry-cooler", "supply": f"{plant_c} degC"}]
    one = {
        "id": "loop",
        "kind": kind,
        "part": part,
        "plant": "water",
        "serves": ["gpu"],
        "supply": f"{supply_c} degC",
    }
    return tiny(4, (BURN,), cooling={"plants": plants, "loops": [one | loop]})


def with_cdu(scene: Scenario, **fields: Any) -> Scenario:
    """Return a scene with other CDUs."""
    loops = [
        loop.model_copy(update=fields) if loop.kind == "liquid" else loop for loop in scene.cooling.loops
    ]
    cooling = scene.cooling.model_copy(update={"loops": tuple(loops)})
    return scene.model_copy(update={"cooling": cooling})


def seen(engine: Engine, *names: str) -> list[float]:
    values = frame(engine).values
    return [float(values[name][0]) for name in names]


def test_a_rear_door_keeps_the_air_of_its_racks_from_coming_round() -> None:
    engine = Engine(on_one_loop("rear-door", "RDHx-active", 16, 24), 1)
    assert engine.plant.loops.recirculation.tolist() == [0.0]
    engine.advance(6 * 3600.0)
    supply_c, power_w = seen(engine, "loop.supply_c", "loop.power_w")
    assert supply_c == pytest.approx(24.0, abs=0.3)
    door = CATALOG.rdhx("RDHx-active")
    asked = engine.cooling.asked.loops[0]
    assert 0.9 <= asked <= 1.0
    assert power_w == pytest.approx(4 * door.fan_w * float(ROOM_FANS.power_share(asked)))  # a door a rack
    inject(engine, "6 h fan_stop loop/0 for=1h")
    engine.advance(6.9 * 3600.0)
    assert not events(engine, "throttle_on")  # the fans of the nodes push the air through
    assert_books_close(engine)


@pytest.mark.parametrize(("part", "supply_c"), [("immersion-tank-1P", 35.0), ("immersion-tank-2P", 50.0)])
def test_a_tank_holds_its_temperature_and_rides_through_minutes_without_pumps(
    part: str, supply_c: float
) -> None:
    engine = inject(Engine(on_one_loop("immersion", part, 24, 35), 1), "6 h pump_stop loop/0 for=5min")
    engine.advance(6 * 3600.0 - 1)
    at_c, surface_c = seen(engine, "loop.supply_c", "loop.return_c")
    hot_c, heat_w, it_w = seen(engine, "site.gpu_max_c", "loop.heat_w", "site.it_w")
    assert at_c == pytest.approx(supply_c, abs=0.3)
    gpu_w = 0.9 * 700 + 0.1 * CATALOG.gpu("H100-SXM").idle_w
    assert hot_c - at_c == pytest.approx(CATALOG.tank(part).r_ja_k_w * gpu_w, rel=0.12)
    into_w = it_w + 0.8 * CATALOG.tank(part).power_w
    assert heat_w == pytest.approx(into_w, rel=0.01)  # all of it goes into the fluid
    engine.advance(6 * 3600.0 + 299)
    warmer_c = seen(engine, "site.gpu_max_c")[0] - hot_c
    # All heat stays in the fluid, 300 s of it over 1.8 MJ/K, and the bottom of the tank comes up to its surface.
    stored_k = 300 * it_w / 1.8e6
    assert 0.85 * stored_k < warmer_c < stored_k + (surface_c - at_c) / 2
    assert not events(engine, "throttle_on")
    assert_books_close(engine)


def test_a_tank_without_pumps_throttles_in_the_end() -> None:
    engine = inject(
        Engine(on_one_loop("immersion", "immersion-tank-1P", 24, 35), 1), "1 h pump_stop loop/0 for=1h"
    )
    engine.advance(1.5 * 3600.0)
    assert 10 < (times(engine, "throttle_on")[0] - 3600) / 60 < 30
    assert_books_close(engine)


def test_no_tank_cools_better_than_the_bare_die() -> None:
    tank = replace(CATALOG.tank("immersion-tank-2P"), r_ja_k_w=0.01)
    with pytest.raises(UncooledNode, match="its die alone has more"):
        in_tank(CATALOG.gpu("H100-SXM"), tank)


def test_a_cdu_that_warms_the_room_is_refused_in_one_sentence() -> None:
    scene = liquid(2, 1)
    loops = [
        loop.model_copy(update={"part": "CDU-L2A-sidecar"}) if loop.kind == "liquid" else loop
        for loop in scene.cooling.loops
    ]
    cooling = scene.cooling.model_copy(update={"loops": tuple(loops)})
    with pytest.raises(PlantError, match="CDU-L2A-sidecar rejects its heat to the room air"):
        Engine(scene.model_copy(update={"cooling": cooling}))


def test_a_hall_on_two_facility_loops_is_refused_in_one_sentence() -> None:
    scene = liquid(2, 1)
    chilled = scene.cooling.plants[0].model_copy(update={"id": "chilled"})
    loops = [
        loop.model_copy(update={"plant": "chilled"}) if loop.kind == "air" else loop
        for loop in scene.cooling.loops
    ]
    cooling = scene.cooling.model_copy(
        update={"plants": (*scene.cooling.plants, chilled), "loops": tuple(loops)}
    )
    with pytest.raises(PlantError, match="hall 'hall': its loops use facility loops chilled and water"):
        Engine(scene.model_copy(update={"cooling": cooling}))


def test_the_flow_that_a_scene_gives_is_what_flows() -> None:
    """An NVL72 rack at 150 lpm: 10 to 12 K (published shape; PG25 here)."""
    burn = {"id": "burn", "nodes": 18, "workload": {"kind": "load", "gpu": "100 %"}}
    scene = liquid(1, 1, jobs=(burn,))
    loops = [
        loop.model_copy(update={"flow_m3_s": 150e-3 / 60}) if loop.kind == "liquid" else loop
        for loop in scene.cooling.loops
    ]
    cooling = scene.cooling.model_copy(update={"loops": tuple(loops)})
    engine = Engine(scene.model_copy(update={"cooling": cooling}), 1)
    engine.advance(3 * 3600.0)
    supply_c, return_c, flow, power_w = seen(
        engine, "loop.supply_c", "loop.return_c", "loop.flow", "rack.power_w"
    )
    assert flow == 100
    assert 110e3 < power_w < 140e3
    assert 9.5 < return_c - supply_c < 12.5
    assert supply_c == pytest.approx(28.0, abs=0.3)
    assert_books_close(engine)


def test_recirculation_warms_the_inlets() -> None:
    warm = {}
    for containment in ("hot", "none"):
        rows = [
            {
                "id": "gpu",
                "containment": containment,
                "racks": {"count": 4, "nodes": [{"part": "DGX-H100", "count": 1}]},
            }
        ]
        engine = Engine(tiny(4, (BURN,), halls=[{"id": "hall", "rows": rows}]), 1)
        engine.advance(3 * 3600.0)
        warm[containment] = seen(engine, "loop.supply_c", "site.gpu_max_c")
    share = float(engine.plant.loops.recirculation[0])
    assert share > 0
    rise_k = np.subtract(warm["none"], warm["hot"])
    assert (rise_k > 1).all()


@pytest.mark.parametrize(
    ("scene", "fault"),
    [
        (tiny(), "1 h fan_stop crah/0 count=1 for=3h"),
        (on_one_loop("rear-door", "RDHx-active", 16, 24), "1 h fan_stop loop/0 for=3h"),
    ],
    ids=["air handler", "rear door"],
)
def test_a_loop_whose_fans_stop_is_shown_with_all_the_heat_that_its_nodes_give(
    scene: Scenario, fault: str
) -> None:
    engine = inject(Engine(scene, 1), fault)
    engine.advance(3.5 * 3600.0)
    heat_w, flow, rejected_w = seen(engine, "loop.heat_w", "loop.flow", "plant.heat_w")
    assert flow < 80.0
    assert heat_w == pytest.approx(rejected_w, rel=0.02)
