"""Facility water, its machines and the valves of the loops, while things break."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from sim_scenes import air_cooling, assert_books_close, events, frame, inject, liquid, shipped, times, tiny

from twin.catalog import load_catalog
from twin.physics.flow_laws import HELD_PUMPS
from twin.scenario.schema.cooling import FacilityLoop
from twin.scenario.schema.document import Scenario
from twin.sim.core.weather import Outdoor
from twin.sim.engine.engine import Engine
from twin.sim.thermal.cooling_machines import working_units

AT_S = 3600.0
HOT = {"climate": {"dry_bulb": "38 degC", "wet_bulb": "30 degC", "swing": "0 K"}}
"""No water of 20 C without compressors in this weather."""


@cache
def row(*lines: str, until_s: float = 2 * AT_S) -> Engine:
    """Return the NVL72 row after things were done to it."""
    engine = inject(Engine(shipped("nvl72-row"), 1), *(f"{AT_S} s {line}" for line in lines))
    engine.advance(until_s)
    assert_books_close(engine)
    return engine


def chilled(
    units: int = 1, site: dict[str, Any] = HOT, loop: dict[str, Any] | None = None, **plant: Any
) -> Scenario:
    """Return 16 air-cooled nodes on chillers of 100 kW, which `units` of them just carry."""
    water = {"id": "water", "kind": "chiller", "supply": "14 degC", "units": units, **plant}
    crah = {
        "id": "crah",
        "kind": "air",
        "part": "CRAH-chilled",
        "plant": "water",
        "serves": ["gpu"],
        "supply": "22 degC",
    }
    return tiny(16, (), cooling={"plants": [water], "loops": [crah | (loop or {})]}, site=site)


def values(engine: Engine, *names: str) -> list[float]:
    shown = frame(engine).values
    return [float(shown[name][0]) for name in names]


def test_valves_hold_every_loop_at_its_set_point() -> None:
    engine = row()
    supply = frame(engine).values["loop.supply_c"][:4]
    assert supply.tolist() == pytest.approx([28.0] * 4, abs=0.3)
    opening = frame(engine).values["loop.valve"][:4]
    assert ((opening > 20) & (opening < 100)).all()


def test_valves_hold_through_days_that_swing_by_twenty_kelvin() -> None:
    water = {"id": "water", "kind": "dry-cooler", "supply": "4 degC"}
    swing = {"climate": {"dry_bulb": "5 degC", "wet_bulb": "3 degC", "swing": "20 K"}}
    scene = liquid(4, 2, site=swing, jobs=())
    cooling = scene.cooling.model_copy(update={"plants": (FacilityLoop.model_validate(water),)})
    engine = Engine(scene.model_copy(update={"cooling": cooling}), 1)
    apart_k, water_c = [], []
    for t_s in range(7200, 2 * 86400, 1800):
        engine.advance(float(t_s))
        shown = frame(engine).values
        apart_k.append(np.abs(shown["loop.supply_c"][:2] - 28.0).max())
        water_c.append(shown["plant.supply_c"][0])
    assert np.ptp(water_c) > 10
    assert max(apart_k) < 0.3


def test_like_loops_stay_alike() -> None:
    scene = liquid(4, 4, jobs=())
    supply = frame(Engine(scene)).values["loop.supply_c"][:4]
    assert np.ptp(supply) < 1e-9


def test_a_stuck_valve_holds_nothing_and_the_loop_comes_back() -> None:
    engine = row("valve_stuck cdu/0 value=30% for=10min", until_s=AT_S + 599)
    supply, valve = (frame(engine).values[name][:2] for name in ("loop.supply_c", "loop.valve"))
    assert supply[0] > 40
    assert supply[1] == pytest.approx(28.0, abs=0.5)
    assert valve[0] == pytest.approx(30.0)
    open_wide = row("valve_stuck cdu/0 value=100% for=6h", until_s=2 * AT_S)
    assert frame(open_wide).values["loop.supply_c"][0] < 27.5
    healed = row("valve_stuck cdu/0 value=30% for=10min", until_s=AT_S + 3600)
    assert frame(healed).values["loop.supply_c"][0] == pytest.approx(28.0, abs=0.3)


def test_a_pump_lost_is_made_up_for_by_the_drive_of_the_other() -> None:
    text = shipped("nvl72-row").model_dump(by_alias=False)
    for loop in text["cooling"]["loops"]:
        loop["recover_s"] = 60.0
    engine = Engine(Scenario.model_validate(text), 1)
    power_w = values(engine, "loop.power_w")[0]
    inject(engine, f"{AT_S} s pump_stop cdu/0 count=1 for=10min")
    seen = []
    for t_s in (AT_S + 29, AT_S + 65, AT_S + 700):
        engine.advance(t_s)
        seen.append(values(engine, "loop.flow", "loop.pumps", "loop.power_w"))
    assert [one[0] for one in seen] == pytest.approx([72, 100, 100], abs=0.5)
    assert [one[1] for one in seen] == [1, 1, 2]
    # Half the pumps at 1/0.72 of the speed, by the law of their part.
    loops, part = engine.plant.loops, load_catalog().cdu("CDU-inrow-1350")
    share = loops.flow_m3_s[0] / part.flow_m3_s
    more = float(HELD_PUMPS.power_share(share / 0.72) / HELD_PUMPS.power_share(share))
    assert [one[2] / power_w for one in seen] == pytest.approx([0.5, 0.5 * more, 1.0])
    assert_books_close(engine)


def test_without_facility_pumps_the_loops_heat_up_in_minutes_and_recover() -> None:
    engine = row("pump_stop water for=5min", until_s=3 * AT_S)
    first_s = times(engine, "throttle_on")[0] - AT_S
    assert 60 < first_s < 300
    stopped = row("pump_stop water for=5min", until_s=AT_S + 200)
    assert values(stopped, "plant.flow")[0] < 1
    assert frame(engine).values["loop.supply_c"][:4].tolist() == pytest.approx([28.0] * 4, abs=0.5)
    assert len(times(engine, "throttle_on")) == len(times(engine, "throttle_off"))


def test_one_of_two_facility_pumps_is_enough() -> None:
    engine = row("pump_stop water count=1 for=30min", until_s=AT_S + 1700)
    assert not events(engine, "throttle_on", "shutdown")
    assert values(engine, "plant.flow")[0] == pytest.approx(72.0)
    assert frame(engine).values["loop.supply_c"][:4].tolist() == pytest.approx([28.4] * 4, abs=0.6)


def test_loss_of_heat_rejection_leaves_minutes_and_one_pump_of_two_is_warmer() -> None:
    """PHYSICS 3, HGX H100 on cold plates near full power: about 11 min; 69 to 76 C."""
    plants = [{"id": "water", "kind": "dry-cooler", "supply": "24 degC"}]
    on = {"plant": "water", "serves": ["gpu"]}
    cdu = {"id": "cdu", "kind": "liquid", "part": "CDU-inrow-1350", "supply": "28 degC", **on}
    crah = {"id": "crah", "kind": "air", "part": "CRAH-chilled", "supply": "24 degC", **on}
    burn = {"id": "burn", "nodes": 8, "workload": {"kind": "load", "gpu": "95 %"}}
    scene = tiny(8, (burn,), part="HGX-H100-DLC", cooling={"plants": plants, "loops": [cdu, crah]})
    engine = inject(
        Engine(scene, 1), "1 h pump_stop cdu/0 count=1 for=30min", "2 h heat_rejection_loss water for=30min"
    )
    engine.advance(AT_S - 1)
    before_c = values(engine, "site.gpu_max_c")[0]
    engine.advance(AT_S + 1700)
    assert 4 < values(engine, "site.gpu_max_c")[0] - before_c < 10
    assert not events(engine, "throttle_on")
    engine.advance(2 * AT_S + 1800)
    # The room of these few nodes, without its air handlers' water, may be too hot before any die is.
    assert 6 < (times(engine, "throttle_on", "room_too_hot")[0] - 2 * AT_S) / 60 < 16


def test_losing_one_chiller_of_n_plus_1_does_nothing_and_of_n_it_warms() -> None:
    rows = {}
    for units, lost in ((1, 0), (2, 1)):
        engine = Engine(chilled(units, part="chiller-air-cooled"), 1)
        lines = [f"600 s chiller_trip water count={lost} for=6h"] if lost else []
        inject(engine, *lines).advance(4 * 3600.0)
        rows[units] = values(engine, "plant.supply_c")[0]
    assert rows[2] == pytest.approx(rows[1], abs=0.05)
    alone = inject(Engine(chilled(1), 1), "600 s chiller_trip water for=6h")
    alone.advance(4 * 3600.0)
    assert values(alone, "plant.supply_c")[0] > rows[1] + 3


def test_chillers_need_their_time_after_a_trip_and_pumps_none() -> None:
    engine = inject(
        Engine(chilled(1, restart="4 min", economiser=False), 1), "600 s chiller_trip water for=60s"
    )
    engine.advance(659.0)
    assert values(engine, "plant.units")[0] == 0
    engine.advance(660 + 239.0)
    assert values(engine, "plant.units", "plant.flow")[:2] == [0, 100]
    engine.advance(660 + 900.0)
    assert values(engine, "plant.units")[0] == 1
    assert any("restarted" in event.text for event in events(engine, "chiller_on"))


def test_a_chiller_that_starts_beside_one_still_tripped_does_not_end_the_alarm() -> None:
    engine = inject(
        Engine(chilled(2, restart="4 min", economiser=False), 1),
        "600 s chiller_trip water count=1 for=10min",
        "660 s chiller_trip water count=1 for=60min",
    )
    engine.advance(2400.0)
    assert times(engine, "chiller_started") == [1440.0]
    assert not events(engine, "chiller_on")
    assert values(engine, "plant.units")[0] == 1
    engine.advance(6000.0)
    assert times(engine, "chiller_on") == [4500.0]


def test_chillers_mended_without_power_start_when_it_is_back() -> None:
    engine = Engine(chilled(2, restart="4 min", economiser=False), 1)
    cooling, timers = engine.cooling, engine.timers
    none, all_of = np.zeros(1, bool), np.ones(1, bool)
    cooling.set_units_down(0.0, 0, 1)
    cooling.power(0.0, none, none)
    cooling.set_units_down(0.0, 0, 0)
    assert timers.due_s("cooling", 1) is None
    cooling.power(0.0, all_of, all_of)
    assert timers.due_s("cooling", 1) == 240.0
    assert cooling.rejection.units == [0]


def test_power_lost_stops_pumps_and_chillers_and_power_back_brings_pumps_first() -> None:
    engine = Engine(chilled(1, restart="4 min", economiser=False), 1)
    cooling, timers = engine.cooling, engine.timers
    none, all_of = np.zeros(1, bool), np.ones(1, bool)
    cooling.power(0.0, none, none)
    assert cooling.changed
    assert cooling.pumps.running().tolist() == cooling.water.running().tolist() == [0]
    assert cooling.plant_state.rejection.tolist() == [0.0]
    assert cooling.loop_power_w(0.0).tolist() == [0.0]
    cooling.power(0.0, all_of, all_of)
    assert cooling.water.running().tolist() == [2]
    assert cooling.rejection.units == [0]
    assert timers.due_s("cooling", 1) == 240.0
    cooling.power(0.0, all_of, none)
    assert timers.due_s("cooling", 1) is None


def test_free_hours_save_power_and_are_told_without_flapping() -> None:
    draws = {}
    for name, dry, wet in (("cold", 0, -2), ("hot", 30, 24)):
        site = {"climate": {"dry_bulb": f"{dry} degC", "wet_bulb": f"{wet} degC", "swing": "0 K"}}
        engine = Engine(chilled(1, site), 1)
        engine.advance(3600.0)
        draws[name] = values(engine, "plant.power_w", "plant.free")
    assert draws["cold"][1] == 100
    assert draws["hot"][1] == 0
    assert draws["cold"][0] < 0.4 * draws["hot"][0]
    swing = {"climate": {"dry_bulb": "10 degC", "wet_bulb": "8 degC", "swing": "20 K"}}
    engine = Engine(chilled(1, swing, part="chiller-air-cooled"), 1)
    engine.advance(5 * 86400.0)
    told = times(engine, "free_cooling_on", "free_cooling_off")
    assert 6 <= len(told) <= 12
    assert min(np.diff(told)) >= 3600


def test_still_fans_of_a_dry_cooler_leave_an_eighth() -> None:
    engine = Engine(chilled(1, kind="dry-cooler"), 1)
    cooler, sky = engine.cooling.rejection.machines[0], Outdoor(10.0, 8.0, 5.0)
    assert working_units(4, 1, 0) == 3
    assert working_units(4, 0, 2) == pytest.approx(2.24)
    blown, still = (cooler.reach_c(1e5, working_units(1, 0, down), sky) for down in (0, 1))
    assert (still - 10) / (blown - 10) == pytest.approx(1 / 0.12)
    assert cooler.supply_c(1e6, 1, cooler.reach_c(1e6, 1.0, sky)) == (
        18.0,
        0.0,
    )  # 8 K over the air at capacity
    assert cooler.supply_c(1e5, 1, cooler.reach_c(1e5, 1.0, sky)) == (14.0, 0.0)


def test_inlets_of_a_rack_pass_35_degrees_soon_after_the_air_handlers_stop() -> None:
    """A 40.8 kW rack of four DGX H100: about 15 s (PHYSICS 3)."""
    rack = {"count": 1, "nodes": [{"part": "DGX-H100", "count": 4, "first_u": 3}]}
    halls = [{"id": "hall", "rows": [{"id": "gpu", "racks": rack}]}]
    cooling = air_cooling(["gpu"])
    full = {"kind": "load", "gpu": "100 %", "cpu": "100 %"}
    job = {"id": "burn", "nodes": 4, "workload": full, "checkpoint": {"interval": "1 h", "pause": "0 s"}}
    engine = inject(Engine(tiny(4, (job,), halls=halls, cooling=cooling), 1), "1000 s fan_stop crah/0")
    engine.advance(999.0)
    assert values(engine, "rack.power_w")[0] == pytest.approx(40.8e3, rel=0.05)
    reached_s = np.inf
    for after_s in range(2, 60, 2):
        engine.advance(1000.0 + after_s)
        if values(engine, "loop.supply_c")[0] >= 35.0:
            reached_s = after_s
            break
    assert 8 <= reached_s <= 26


def test_a_run_with_cooling_faults_goes_on_the_same_after_a_restore() -> None:
    lines = (
        "pump_stop water for=5min",
        "valve_stuck cdu/1 value=50% for=20min",
        "pump_stop cdu/2 count=1 for=30min",
    )
    engine = inject(Engine(shipped("nvl72-row"), 1), *(f"{AT_S} s {line}" for line in lines))
    engine.advance(AT_S + 7.0)  # in the middle of a stage of the coasting pumps
    again = Engine.restore(engine.scenario, engine.snapshot())
    for one in (engine, again):
        one.advance(2 * AT_S)
    assert engine.event_hash() == again.event_hash()
    assert engine.heat.totals.in_j == again.heat.totals.in_j
    assert engine.heat.totals.steps == again.heat.totals.steps


def test_a_feed_lost_stops_the_plant_and_its_chillers_come_back_last() -> None:
    """Pumps of the loops hang on the UPS, chillers and facility pumps do not: that leaves minutes."""
    engine = inject(
        Engine(shipped("nvl72-row"), 1), "1 h fail trafo-m/0 for=100s", "3 h fail trafo-m/0 for=10min"
    )
    engine.advance(AT_S + 90)
    assert values(engine, "plant.flow", "plant.power_w", "plant.units") == pytest.approx([0, 0, 0], abs=0.01)
    assert (frame(engine).values["loop.pumps"] == 2).all()
    engine.advance(AT_S + 160)
    assert values(engine, "plant.flow")[0] > 99
    assert values(engine, "plant.units")[0] == 0
    engine.advance(AT_S + 290)
    assert values(engine, "plant.units")[0] > 0
    assert not events(engine, "throttle_on")
    engine.advance(3 * AT_S + 600)
    assert 60 < times(engine, "throttle_on")[0] - 3 * AT_S < 300
    assert_books_close(engine)


def test_without_a_valve_the_supply_floats() -> None:
    def supply_c(control: str) -> float:
        engine = Engine(chilled(1, loop={"control": control, "supply": "30 degC"}), 1)
        engine.advance(AT_S)
        return values(engine, "loop.supply_c")[0]

    assert supply_c("valve") == pytest.approx(30.0, abs=0.3)
    assert supply_c("none") < 22


def test_racks_that_valves_isolate_leave_the_others_a_little_more() -> None:
    engine = Engine(shipped("nvl72-row"), 1)
    engine.cooling.set_branches(0.0, 0, 1, 2)
    assert engine.cooling.flow.target[0] == pytest.approx((1 / (0.5 + 0.5 * 0.25)) ** 0.5)
    engine.cooling.set_branches(0.0, 0, 0, 2)
    assert engine.cooling.flow.target[0] == pytest.approx(1.0)


def test_nodes_may_come_back_once_everything_flows_again() -> None:
    engine = Engine(chilled(1, economiser=False), 1)
    cooling = engine.cooling
    assert cooling.fit(0)
    for stop, mend in (
        (lambda: cooling.set_pumps_down(0.0, 0, 2), lambda: cooling.set_pumps_down(0.0, 0, 0)),
        (lambda: cooling.set_plant_pumps_down(0.0, 0, 2), lambda: cooling.set_plant_pumps_down(0.0, 0, 0)),
        (lambda: cooling.set_rejecting(0, 0.0), lambda: cooling.set_rejecting(0, 1.0)),
        (lambda: cooling.set_valve(0, 0.0), lambda: cooling.set_valve(0, None)),
        (lambda: cooling.set_shut(0.0, 0, True), lambda: cooling.set_shut(0.0, 0, False)),
    ):
        stop()
        assert not cooling.fit(0)
        mend()
        assert cooling.fit(0)
    cooling.set_pumps_down(0.0, 0, 1)
    assert cooling.fit(0)


def test_a_plant_that_cools_nothing_loses_power_and_machines_like_others() -> None:
    scene = chilled(2)
    spare = FacilityLoop.model_validate({"id": "spare", "kind": "chiller", "units": 2})
    cooling = scene.cooling.model_copy(update={"plants": (*scene.cooling.plants, spare)})
    engine = inject(
        Engine(scene.model_copy(update={"cooling": cooling}), 1), "100 s chiller_trip spare for=5min"
    )
    engine.advance(AT_S)
    assert [event.kind for event in engine.log.events if event.subject == "spare"] == [
        "chiller_trip",
        "chiller_mended",
    ]
    live = np.ones(1, bool)
    engine.cooling.power(AT_S, live, np.array([True, False]))
    engine.cooling.power(AT_S, live, np.ones(2, bool))
    engine.advance(2 * AT_S)
    assert_books_close(engine)
