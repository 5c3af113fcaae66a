"""A snapshot in the middle of any cooling fault gives the same future to the last bit."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sim_scenes import inject, liquid
from usual_cases import usually

from twin.scenario.schema.cooling import FacilityLoop
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine

END_S = 5400.0
FAULTS = {
    "chiller_trip": "600 s chiller_trip water count=1 for=20min",
    "all chillers": "600 s chiller_trip water for=2min",
    "facility pumps": "600 s pump_stop water count=1 for=20min",
    "no facility pump": "600 s pump_stop water for=2min",
    "fans of coolers": "600 s fan_stop water count=1 for=20min",
    "pumps": "600 s pump_stop cdu/0 count=1 for=20min",
    "fans of handlers": "600 s fan_stop crah/0 count=1 for=20min",
    "valve": "600 s valve_stuck cdu/0 value=30% for=20min",
    "filter": "600 s filter_clogged cdu/0 value=40% for=20min",
    "air filter": "600 s air_filter_clogged crah/0 value=40% for=20min",
    "leak": "600 s leak gpu/0/0 for=20min",
    "weather": "600 s heat_wave site value=8K for=20min",
}


@cache
def chilled() -> Scenario:
    """Return two NVL72 racks on two chillers, just enough, in weather that no chiller can rest in."""
    chillers = {
        "id": "water",
        "kind": "chiller",
        "part": "chiller-air-cooled",
        "supply": "20 degC",
        "units": 2,
        "restart": "180 s",
    }
    warm = {"climate": {"dry_bulb": "30 degC", "wet_bulb": "20 degC", "swing": "8 K"}}
    scene = liquid(2, 2, site=warm)
    plants = (FacilityLoop.model_validate(chillers),)
    return scene.model_copy(update={"cooling": scene.cooling.model_copy(update={"plants": plants})})


@cache
def whole(fault: str) -> Engine:
    engine = inject(Engine(chilled(), 1), FAULTS[fault])
    engine.advance(END_S)
    return engine


@pytest.mark.parametrize("fault", usually(FAULTS, ("filter", "pumps", "leak")))
@settings(max_examples=4, deadline=None)
@given(times=st.lists(st.floats(580.0, 2600.0), min_size=1, max_size=3))
def test_a_run_restored_during_a_fault_ends_as_the_whole_one(fault: str, times: list[float]) -> None:
    engine = inject(Engine(chilled(), 1), FAULTS[fault])
    for t_s in sorted(times):
        engine.advance(t_s)
        engine = Engine.restore(chilled(), engine.snapshot())
    engine.advance(END_S)
    assert engine.event_hash() == whole(fault).event_hash()
    assert engine.summary() == whole(fault).summary()


def test_machines_that_start_up_draw_nothing_after_a_restore_either() -> None:
    engine = inject(Engine(chilled(), 1), FAULTS["all chillers"])
    engine.advance(730.0)  # they have power again and start for 180 s
    again = Engine.restore(chilled(), engine.snapshot())
    drawn_w = [one.cooling.standing().plant_power_w.tolist() for one in (engine, again)]
    assert drawn_w[0] == drawn_w[1]
    assert drawn_w[0][0] < 0.2 * whole("valve").cooling.standing().plant_power_w[0]
