"""What machines can take: coils as large as their capacity says, halls without GPUs, pumps that warm the water."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sim_scenes import assert_books_close, frame, liquid, tiny

from twin.catalog import load_catalog
from twin.physics.hydraulics import PG25_W_K_PER_LPM
from twin.physics.thermal_constants import EXCHANGER_NTU_DESIGN
from twin.scenario.schema.cooling import FacilityLoop
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine
from twin.sim.thermal.part_models import machine_ua_w_k

CATALOG = load_catalog()
FEED = [{"id": "grid", "kind": "utility"}]


def doors(nodes_a_rack: int) -> Scenario:
    """Return one rack of DGX H100 at full load behind a rear door of 60 kW on water of 16 C."""
    racks = {"count": 1, "nodes": [{"part": "DGX-H100", "count": nodes_a_rack, "first_u": 1, "abreast": 2}]}
    burn = {"id": "burn", "nodes": nodes_a_rack, "workload": {"kind": "load", "gpu": "100 %"}}
    door = {"id": "door", "kind": "rear-door", "part": "RDHx-active", "plant": "water", "serves": ["gpu"]}
    return tiny(
        jobs=(burn,),
        halls=[{"id": "hall", "rows": [{"id": "gpu", "racks": racks}]}],
        cooling={
            "plants": [{"id": "water", "kind": "dry-cooler", "supply": "16 degC"}],
            "loops": [door | {"supply": "24 degC"}],
        },
    )


def cdus(part: str) -> Scenario:
    """Return an NVL72 rack at full load on one CDU."""
    burn = {"id": "burn", "nodes": 18, "workload": {"kind": "load", "gpu": "100 %"}}
    scene = liquid(1, 1, jobs=(burn,))
    loops = [
        loop.model_copy(update={"part": part}) if loop.kind == "liquid" else loop
        for loop in scene.cooling.loops
    ]
    return scene.model_copy(update={"cooling": scene.cooling.model_copy(update={"loops": tuple(loops)})})


def after_hours(scene: Scenario, hours: float = 6.0) -> Engine:
    engine = Engine(scene, 1)
    engine.advance(hours * 3600.0)
    assert_books_close(engine)
    return engine


def shown(engine: Engine, *names: str) -> list[float]:
    values = frame(engine).values
    return [float(values[name][0]) for name in names]


def ntu(engine: Engine, loop: int = 0) -> float:
    network = engine.body.network
    return float(network.coefficients.exchanger_ua_w_k[loop] / network.loop_flow_w_k[loop])


def test_a_door_holds_its_supply_up_to_its_capacity_and_not_beyond() -> None:
    fits, over = after_hours(doors(4)), after_hours(doors(8))
    supply_c, heat_w = shown(fits, "loop.supply_c", "loop.heat_w")
    assert heat_w < 60e3
    assert supply_c == pytest.approx(24.0, abs=0.3)
    supply_c, water_c, heat_w = shown(over, "loop.supply_c", "plant.supply_c", "loop.heat_w")
    assert heat_w > 65e3
    # Its approach is 8 K at 60 kW and grows with the heat.
    approach_k = CATALOG.rdhx("RDHx-active").approach_k
    assert supply_c - water_c == pytest.approx(approach_k * heat_w / 60e3, rel=0.1)
    assert supply_c > 24.8


def test_a_small_cdu_leaves_its_coolant_warm_and_a_large_one_is_no_better_than_designed() -> None:
    large, small = after_hours(cdus("CDU-inrow-1350")), after_hours(cdus("CDU-inrack-4U"))
    assert ntu(large) == pytest.approx(EXCHANGER_NTU_DESIGN)
    assert shown(large, "loop.supply_c")[0] == pytest.approx(28.0, abs=0.3)
    supply_c, water_c, heat_w = shown(small, "loop.supply_c", "plant.supply_c", "loop.heat_w")
    assert heat_w > 100e3
    assert ntu(small) < 1.7
    assert supply_c > 29.0
    assert supply_c - water_c > 5.0  # its approach at 80 kW


def test_a_cdu_moves_its_capacity_at_its_approach() -> None:
    engine = Engine(cdus("CDU-inrack-4U"), 1)
    part = CATALOG.cdu("CDU-inrack-4U")
    ua = float(machine_ua_w_k(engine.plant, CATALOG, engine.body.network.loop_flow_w_k)[0])
    hot_w_k = 120 * PG25_W_K_PER_LPM
    cold_w_k = 1.1 * hot_w_k
    ratio, n = hot_w_k / cold_w_k, ua / hot_w_k
    eps = (1 - np.exp(-n * (1 - ratio))) / (1 - ratio * np.exp(-n * (1 - ratio)))
    entry_over_water_k = part.capacity_w / (eps * hot_w_k)
    assert entry_over_water_k - part.capacity_w / hot_w_k == pytest.approx(part.approach_k)


def empty_hall(*loops: dict[str, Any], **more: Any) -> Scenario:
    rows = [{"id": "net", "racks": {"count": 2, "role": "network"}}]
    crah = {
        "id": "crah",
        "kind": "air",
        "part": "CRAH-chilled",
        "units": 3,
        "plant": "water",
        "serves": ["net"],
        "supply": "22 degC",
    }
    cdu = crah | {"id": "cdu", "kind": "liquid", "part": "CDU-inrow-1350", "units": 1}
    return tiny(
        jobs=(),
        halls=[{"id": "hall", "rows": rows}],
        cooling={
            "plants": [{"id": "water", "kind": "chiller", "supply": "18 degC"}],
            "loops": [crah, cdu, *loops],
        },
        **more,
    )


@pytest.mark.parametrize("power", [FEED, []])
def test_a_hall_without_nodes_gives_the_heat_of_its_fans_to_the_sky(power: list[dict[str, Any]]) -> None:
    engine = after_hours(empty_hall(power=power))
    said = engine.summary()
    energy = said["energy"]
    fans_j = (3 * 6000.0 + 12000.0) * 6 * 3600
    assert energy["residual"] <= 1e-9
    assert energy["heat_j"] == pytest.approx(fans_j, rel=1e-6)
    assert abs(energy["stored_j"]) < 1e-3 * fans_j
    assert said["pue"] is None
    assert said["wue_l_kwh"] is None
    assert all(row["pue"] is None for row in said["facility"]["hours"]["rows"])
    air_c, supply_c, return_c = shown(engine, "hall.air_c", "loop.supply_c", "loop.return_c")
    assert 18 < air_c < 30
    assert supply_c == pytest.approx(air_c)
    assert return_c > supply_c


def test_facility_pumps_warm_the_water_that_the_machines_cool() -> None:
    scene = liquid(2, 1)
    chiller = FacilityLoop.model_validate(
        {"id": "water", "kind": "chiller", "supply": "12 degC", "economiser": False}
    )

    def machines_w(pump_w: float) -> float:
        """Return what the chillers draw besides the pumps."""
        plants = (chiller.model_copy(update={"pump_w": pump_w}),)
        cooling = scene.cooling.model_copy(update={"plants": plants})
        engine = after_hours(scene.model_copy(update={"cooling": cooling}), 1.0)
        return float(engine.cooling.plant_power_w(3600.0)[0]) - engine.cooling.rejection.pump_w[0]

    assert machines_w(100e3) > 1.05 * machines_w(0.0)
