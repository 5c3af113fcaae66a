"""Limits on air and water act and alarm when they are passed, whatever else happens.

The oracle integrates PHYSICS 3 for a hall with one air loop by scipy, with a tolerance far below what is asked for.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from sim_scenes import events, finding, shipped, times

from twin.arrays import Floats
from twin.physics.thermal_paths import exchanger_w_k
from twin.scenario.file.load import load, loads
from twin.sim.engine.engine import Engine
from twin.sim.thermal import heat

FINDINGS = Path(__file__).parents[1] / "findings"
LIMITS = ("supply_warm", "inlet_warm", "inlet_hot", "room_too_hot")


EDITED = {
    "chillers": {
        '"heat_rejection_loss"': '"chiller_trip"',
        '"for": "12 h"': '"for": "10 min"',
        '"gpu": "10 %"': '"gpu": "90 %"',
    },
    "back": {'"for": "12 h"': '"for": "40 min"'},
}
"""The room of `epo4`: at work, its chillers trip, start again and find their load; and rid of its heat after a trip."""


@cache
def run(name: str, *cuts: float) -> Engine:
    """Return the run of a scene to its end; at `cuts` the present step is cut short, and nothing else happens."""
    if name in EDITED:
        text = (FINDINGS / "epo4.twin.yaml").read_text()
        for was, new in EDITED[name].items():
            assert was in text
            text = text.replace(was, new)
        engine = Engine(loads(text).scenario)
    elif name == "pumps":
        engine = Engine(shipped("pump-trip"))
    else:
        engine = Engine(load(FINDINGS / f"{name}.twin.yaml").scenario)

    def cut(_: int) -> None:
        engine.incidents.machines_changed = True

    engine.timers.handle("cut", cut)
    for number, at_s in enumerate(cuts):
        engine.timers.set("cut", number, at_s)
    engine.advance(engine.end_s)
    return engine


def supply_passes_s(engine: Engine, limits_c: tuple[float, ...], end_s: float) -> list[float]:
    """Return when the cold aisle passes each limit, from the state and powers that `engine` has now."""
    inputs, network = engine.heat.integrator.stepper.inputs, engine.heat.network
    state, groups, c = engine.heat.at(engine.now_s), engine.traces.groups, engine.heat.network.coefficients
    part = {name: values[groups.part] for name, values in network.part_table.items()}
    power_w = inputs.base_w + groups.mean_s * inputs.dyn_w
    coil_w_k = exchanger_w_k(network, inputs.flow.target, inputs.plant)[0]
    phi = float(inputs.flow.target[0])  # fans of nodes follow the power of their GPUs
    air_w_k = phi * part["flow_w_k"]
    flow_w_k = float((groups.n * air_w_k).sum())
    room_w_k = float(inputs.plant.crah[0] * c.crah_w_k[0])
    water_w_k = float(inputs.plant.plant_flow[0] * c.plant_flow_w_k[0])
    heat_w = float((groups.n * power_w).sum() + inputs.loop_heat_w[0])
    mixed_c = engine.plant.loops.supply_c[0] + heat_w / flow_w_k - heat_w / coil_w_k
    convection = phi**0.8 * part["g_convection_w_k"] + part["g_stagnant_w_k"]
    assert inputs.plant.rejection[0] == 0
    assert not inputs.leak_w_k.any()

    def slope(_: float, t_c: Floats) -> Floats:
        die, hbm, plate, fluid = t_c[:-5].reshape(4, -1)
        back, supply, air, warm, cold = t_c[-5:]
        by_die = part["g_die_plate_w_k"] * (die - plate)
        by_hbm = part["g_hbm_plate_w_k"] * (hbm - plate)
        to_fluid, to_air = convection * (plate - fluid), part["g_ambient_w_k"] * (plate - air)
        kept_w = coil_w_k * max(min(mixed_c, back) - cold, 0.0)
        to_water = coil_w_k * (back - cold) - kept_w
        return np.concatenate(
            [
                ((1 - part["hbm_share"]) * power_w - by_die) / part["die_j_k"],
                (part["hbm_share"] * power_w - by_hbm) / part["hbm_j_k"],
                (by_die + by_hbm - to_fluid - to_air) / part["plate_j_k"],
                (to_fluid + air_w_k * (supply - fluid)) / part["fluid_j_k"],
                [
                    ((groups.n * air_w_k * (fluid - back)).sum() + inputs.loop_heat_w[0])
                    / c.loop_return_j_k[0],
                    (flow_w_k * (back - supply) - to_water) / c.loop_supply_j_k[0],
                    (inputs.hall_heat_w[0] + (groups.n * to_air).sum() - room_w_k * (air - cold))
                    / c.hall_j_k[0],
                    (water_w_k * (cold - warm) + to_water + room_w_k * (air - cold)) / c.plant_return_j_k[0],
                    water_w_k * (warm - cold) / c.plant_supply_j_k[0],
                ],
            ]
        )

    chain = state.chain[:, :, 0] + groups.mean_s[:, None] * state.chain[:, :, 1]
    passings = [lambda _, t_c, limit_c=limit_c: t_c[-4] - limit_c for limit_c in limits_c]
    found = solve_ivp(
        slope,
        (engine.now_s, end_s),
        np.concatenate([chain.T.reshape(-1), state.upper]),
        method="LSODA",
        events=passings,
        rtol=1e-8,
        atol=1e-7,
    )
    return [float(hits[0]) for hits in found.t_events]


def test_a_room_without_heat_rejection_alarms_and_trips_when_its_cold_aisle_passes_the_limits():
    begun = Engine(load(FINDINGS / "epo4.twin.yaml").scenario)
    begun.advance(600.0)
    warm_s, hot_s, trip_s = supply_passes_s(begun, (27.0, 35.0, 50.0), 4000.0)
    engine = run("epo4")
    alarms = {(event.kind, event.subject): event.t_s for event in events(engine, *LIMITS)}
    assert alarms["inlet_warm", "crah/0"] == pytest.approx(warm_s, abs=1.0)
    assert alarms["inlet_hot", "crah/0"] == pytest.approx(hot_s, abs=1.0)
    assert alarms["room_too_hot", "hall"] == pytest.approx(trip_s, abs=1.0)
    assert times(engine, "shutdown") == times(engine, "room_too_hot")


def test_an_idle_node_that_fails_elsewhere_changes_the_trip_by_its_heat_alone():
    begun = Engine(load(FINDINGS / "epo5.twin.yaml").scenario)
    begun.advance(1900.0)
    (trip_s,) = supply_passes_s(begun, (50.0,), 4000.0)
    assert times(run("epo5"), "room_too_hot") == [pytest.approx(trip_s, abs=1.0)]
    assert times(run("epo5"), "inlet_hot")[0] == times(run("epo4"), "inlet_hot")[0]


@pytest.mark.parametrize(
    "cuts",
    [(300.0,), (200.0, 400.0), (600.2,), (601.0, 602.0, 605.0), (650.0, 700.0, 1000.0, 1500.0, 1900.0)],
)
def test_an_event_that_changes_nothing_moves_no_limit(cuts):
    usual, cut = run("epo4"), run("epo4", *cuts)
    for kind in LIMITS:
        assert times(cut, kind) == pytest.approx(times(usual, kind), abs=0.1)


def test_the_recorded_air_is_at_the_limit_when_the_alarm_comes():
    engine = Engine(load(FINDINGS / "epo4.twin.yaml").scenario)
    (hot,) = (event for event in events(run("epo4"), "inlet_hot") if event.subject == "crah/0")
    engine.advance(hot.t_s)
    assert engine.heat.at(hot.t_s).loop_supply_c(engine.heat.network.shape)[0] == pytest.approx(
        35.0, abs=1e-3
    )


@pytest.mark.parametrize("cuts", [(250.0,), (550.0,), (600.3, 700.0), (1000.0, 1210.0), (1400.0,)])
def test_chillers_that_trip_count_from_then_on_whenever_the_step_before_began(cuts):
    kinds = ("supply_warm", "inlet_warm", "inlet_hot", "inlet_allowed", "inlet_ok", "supply_ok")
    usual, cut = run("chillers"), run("chillers", *cuts)
    for kind in kinds:
        assert times(usual, kind)
        assert times(cut, kind) == pytest.approx(times(usual, kind), abs=0.1)


@pytest.mark.parametrize(
    "cuts", [(300.0,), (355.0, 1444.0, 2509.0, 3306.0), (2150.0,), (2800.0,), (3005.0, 3300.0), (3462.6,)]
)
def test_a_room_that_cools_again_comes_back_whenever_a_step_was_cut(cuts):
    kinds = (*LIMITS, "inlet_allowed", "inlet_ok", "supply_ok", "room_cool")
    usual, cut = run("back"), run("back", *cuts)
    for kind in kinds:
        assert times(usual, kind)
        assert times(cut, kind) == pytest.approx(times(usual, kind), abs=0.1)


@pytest.mark.parametrize("cuts", [(120.0,), (299.9, 305.0), (301.0, 309.0), (330.0,)])
def test_dies_that_lose_their_coolant_throttle_whenever_a_step_was_cut(cuts):
    usual, cut = run("pumps"), run("pumps", *cuts)
    for kind, within_s in (
        ("throttle_on", 0.1),
        ("throttle_off", heat.THROTTLE_STEP_S),
    ):  # clocks walk by steps
        assert times(usual, kind)
        assert times(cut, kind) == pytest.approx(times(usual, kind), abs=within_s)


def test_facility_water_comes_to_rest_at_what_its_machines_hold_whatever_the_steps(monkeypatch):
    states = []
    for longest_s in (3600.0, 5.0):
        monkeypatch.setattr(heat, "LONGEST_STEP_S", longest_s)
        engine = Engine(finding("epo4").model_copy(update={"interventions": ()}))
        engine.advance(7200.0)  # little air takes its time: five times that of the hall
        states.append(engine.heat.at(7200.0).upper)
    assert states[0] == pytest.approx(states[1], abs=2e-3)
    assert states[0][-1] == pytest.approx(16.0, abs=1e-6)
