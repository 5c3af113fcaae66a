"""The mixing valve in the thermal network: set point held, energy exact, never the wrong way round."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shipped_parts import air, liquid

from twin.physics.mixing_valve import MixingValve
from twin.physics.thermal import Integrator, ThermalStepper
from twin.physics.thermal_inputs import FlowRamp, ThermalInputs, healthy_plant, inputs_of
from twin.physics.thermal_network import Groups, ThermalNetwork, ThermalState, design_network
from twin.physics.thermal_paths import exchanger_w_k

SET_C = 28.0


def site() -> tuple[ThermalNetwork, Groups]:
    network = design_network(
        [0, 0],
        [0],
        [liquid("GB200-GPU"), air("H100-SXM")],
        np.array([[72.0, 0.0], [0.0, 32.0]]),
        [False, True],
    )
    return network, Groups.of([0, 1], [0, 1], [72, 32], [72, 32])


def steady(
    network: ThermalNetwork, groups: Groups, sink_c: float, flow: float = 1.0, set_c: float | None = SET_C
) -> tuple[ThermalState, ThermalInputs]:
    """Return the steady state with valves that follow the facility water."""
    inputs = inputs_of(
        network,
        groups,
        np.zeros(2),
        np.array([1100.0, 650.0]),
        np.array([2e4, 8e3]),
        np.array([6e3]),
        np.array([sink_c]),
    )
    phi = np.array([flow, 1.0])
    inputs = replace(inputs, flow=FlowRamp.steady(phi))
    state = ThermalStepper(network, groups, inputs).steady()
    if set_c is None:
        return state, inputs
    exchanger = exchanger_w_k(network, phi, healthy_plant(network))
    valve = MixingValve(exchanger, phi * network.loop_flow_w_k, np.full(2, set_c), np.ones(2))
    heat_w = np.array([72 * 1100.0 + 2e4, 32 * 650.0 + 8e3])
    for _ in range(3):
        water_c = state.plant_supply_c(network.shape)[network.shape.loop_plant]
        bypass = valve.bypass_w(valve.mixed_c(heat_w), water_c, np.full(2, np.inf))
        inputs = replace(inputs, bypass_w=np.append(bypass, 0.0))
        state = ThermalStepper(network, groups, inputs).steady()
    return state, inputs


@pytest.mark.parametrize("sink_c", [-10.0, 0.0, 5.0])
@pytest.mark.parametrize("flow", [1.0, 0.72])
def test_supply_is_at_its_set_point_while_the_water_is_cold_enough(sink_c: float, flow: float) -> None:
    network, groups = site()
    state, _ = steady(network, groups, sink_c, flow)
    assert state.loop_supply_c(network.shape).tolist() == pytest.approx([SET_C] * 2, abs=0.3)


def test_valves_leave_the_plant_as_it_is() -> None:
    """What is kept in a loop never was the plant's: in steady state it carries the same heat."""
    network, groups = site()
    mixed, _ = steady(network, groups, 0.0)
    floating, _ = steady(network, groups, 0.0, set_c=None)
    assert floating.loop_supply_c(network.shape)[0] < SET_C - 5
    assert mixed.plant_supply_c(network.shape) == pytest.approx(
        floating.plant_supply_c(network.shape), abs=0.1
    )


def test_warm_water_opens_the_valve_for_good() -> None:
    network, groups = site()
    state, inputs = steady(network, groups, 30.0)
    assert inputs.bypass_w is not None
    assert (inputs.bypass_w == 0).all()
    assert (state.loop_supply_c(network.shape) > SET_C + 1).all()


def test_energy_is_exact_with_a_bypass() -> None:
    network, groups = site()
    state, inputs = steady(network, groups, 5.0)
    run = Integrator(network, groups, replace(inputs, dyn_w=inputs.dyn_w * 0.3), state)
    worst = max(step.energy.residual for step in run.run(3600.0))
    run.stepper.follow(inputs.sink_c, inputs.sink_slope_k_s, run.t_s, np.zeros(3))
    assert max([worst, *(step.energy.residual for step in run.run(7200.0))]) <= 1e-9


def test_following_a_bypass_is_the_same_as_starting_with_it() -> None:
    network, groups = site()
    state, inputs = steady(network, groups, 5.0)
    fresh = Integrator(network, groups, replace(inputs, bypass_w=np.array([1e3, 2e3, 0.0])), state)
    followed = Integrator(network, groups, inputs, state)
    followed.stepper.follow(inputs.sink_c, inputs.sink_slope_k_s, 0.0, np.array([5e4, 7.0, 0.0]))
    followed.stepper.follow(inputs.sink_c, inputs.sink_slope_k_s, 0.0, np.array([1e3, 2e3, 0.0]))
    assert (fresh.step(60.0).state1.flat() == followed.step(60.0).state1.flat()).all()


@settings(max_examples=25, deadline=None)
@given(st.floats(-10.0, 35.0), st.floats(0.0, 10.0), st.floats(0.3, 1.0))
def test_a_warmer_sky_never_cools_and_more_flow_never_heats(
    sink_c: float, warmer_k: float, flow: float
) -> None:
    network, groups = site()
    here, _ = steady(network, groups, sink_c, flow)
    hotter, _ = steady(network, groups, sink_c + warmer_k, flow)
    assert (hotter.die_c() >= here.die_c() - 0.02).all()
    full, _ = steady(network, groups, sink_c, 1.0)
    assert full.die_c()[0] <= here.die_c()[0] + 0.02


def test_opening_is_what_the_exchanger_still_moves() -> None:
    valve = MixingValve(np.array([2e3, 2e3]), np.array([3e3, 3e3]), np.full(2, SET_C), np.array([1.0, 0.0]))
    bypass = valve.bypass_w(valve.mixed_c(np.array([2e4, 2e4])), np.full(2, 10.0), np.full(2, 40.0))
    assert bypass[1] == 0.0
    opening = valve.opening(bypass, np.full(2, 10.0), np.full(2, 40.0))
    assert 0 < opening[0] < 1 == opening[1]
