"""Constants, groups, splitting and merging, and the exactness of the elimination."""

from dataclasses import replace

import numpy as np
import pytest
from shipped_parts import air, liquid
from thermal_oracle import Oracle

from twin.physics import thermal_solve
from twin.physics.thermal import ThermalStepper
from twin.physics.thermal_inputs import FlowRamp, healthy_plant, inputs_of
from twin.physics.thermal_network import (
    Groups,
    ThermalState,
    design_network,
    merge_group,
    mergeable,
    split_group,
    uniform_state,
)
from twin.physics.thermal_paths import HeatPaths
from twin.physics.thermal_solve import GroupIndex, Operator


@pytest.mark.parametrize(
    ("part", "k_w"), [("H100-SXM", 0.048), ("B200-SXM", 0.041), ("GB200-GPU", 0.036), ("GB300-GPU", 0.033)]
)
def test_cold_plates_have_the_published_junction_to_supply_resistance(part, k_w):
    assert liquid(part).junction_to_supply_k_w == pytest.approx(k_w, abs=6e-4)


@pytest.mark.parametrize(
    ("part", "k_w"), [("A100-SXM-80", 0.085), ("H100-SXM", 0.06), ("B200-SXM", 0.037), ("MI300X", 0.055)]
)
def test_air_cooled_parts_have_their_junction_to_inlet_resistance(part, k_w):
    assert air(part).junction_to_supply_k_w == pytest.approx(k_w, rel=1e-12)


def test_too_little_air_for_the_resistance_is_refused():
    with pytest.raises(ValueError, match="junction-to-inlet"):
        air("B200-SXM", cfm_per_gpu=20.0)


def test_steady_state_is_the_algebraic_solution_of_one_loop():
    part = liquid("GB200-GPU")
    network = design_network([0], [0], [part], np.array([[72.0]]), [False])
    groups = Groups.of([0], [0], [72.0], [72.0])
    inputs = inputs_of(network, groups, 1000.0, 140.0, np.array([20e3]), np.array([9e3]), np.array([20.0]))
    stepper = ThermalStepper(network, groups, inputs)
    state = stepper.steady()

    shape, coefficients = network.shape, network.coefficients
    total_w = 72 * 1140.0 + 20e3 + 9e3
    plant_return_c = 20.0 + total_w / coefficients.rejection_w_k[0]
    plant_supply_c = plant_return_c - total_w / coefficients.plant_flow_w_k[0]
    assert state.plant_return_c(shape)[0] == pytest.approx(plant_return_c, abs=1e-8)
    assert state.plant_supply_c(shape)[0] == pytest.approx(plant_supply_c, abs=1e-8)
    plate_c, air_c = state.chain[0, 2].sum(), state.hall_air_c(shape)[0]
    room_w = part.g_ambient_w_k * (plate_c - air_c)
    assert (air_c - plant_supply_c) * coefficients.crah_w_k[0] == pytest.approx(9e3 + 72 * room_w, rel=1e-8)
    fluid_c = state.loop_supply_c(shape)[0] + (1140.0 - room_w) / part.flow_w_k
    assert state.chain[0, 3].sum() == pytest.approx(fluid_c, abs=1e-8)
    convection = part.g_convection_w_k + part.g_stagnant_w_k
    assert plate_c == pytest.approx(fluid_c + (1140.0 - room_w) / convection, abs=1e-8)
    assert state.die_c()[0] == pytest.approx(plate_c + 0.88 * 1140.0 / part.g_die_plate_w_k, abs=1e-8)
    assert state.hbm_c()[0] == pytest.approx(plate_c + 0.12 * 1140.0 / part.g_hbm_plate_w_k, abs=1e-8)


@pytest.fixture
def campus():
    """Two plants, three halls (one without a loop), five loops of two kinds, odd groups and a free slot."""
    rng = np.random.default_rng(5)
    parts = [liquid("GB200-GPU"), air("H100-SXM")]
    installed = np.array([[72.0, 0.0], [144.0, 8.0], [0.0, 256.0], [0.0, 64.0], [36.0, 0.0]])
    network = design_network([0, 0, 1, 1, 1], [0, 1, 1], parts, installed, [False, False, True, True, False])
    n = np.array([40.0, 32.0, 100.0, 44.0, 8.0, 256.0, 60.0, 4.0, 36.0, 0.0])
    groups = Groups.of([0, 0, 1, 1, 1, 2, 3, 3, 4, 2], [0, 0, 0, 0, 1, 1, 1, 1, 0, 1], n, 1.01 * n)
    inputs = inputs_of(
        network,
        groups,
        rng.uniform(100.0, 300.0, n.size),
        rng.uniform(0.0, 800.0, n.size),
        rng.uniform(1e3, 2e4, 5),
        rng.uniform(1e3, 2e4, 3),
        np.array([18.0, 22.0]),
    )
    return network, groups, inputs


def test_elimination_solves_the_stage_equations_of_a_campus(campus):
    network, groups, inputs = campus
    flow, plant = np.array([1.0, 0.3, 0.0, 0.72, 1.0]), healthy_plant(network)
    h_s = 7.0
    operator = Operator(HeatPaths(network, flow, plant), 1.0 / h_s)
    old = uniform_state(network, groups, 25.0)
    stepper = ThermalStepper(network, groups, inputs)
    _, source = stepper.sink_and_source(0.0)
    solved = operator.solve(GroupIndex(network, groups), old.flat(), source)
    chain, upper = ThermalState.of(solved, groups.size).chain, solved[-network.shape.n_upper :]

    singles = np.repeat(np.arange(groups.size), groups.n.astype(int))
    spread = np.full(singles.size, 1.01)
    oracle = Oracle(
        network,
        replace(inputs, flow=FlowRamp.steady(flow)),
        groups.loop[singles],
        groups.part[singles],
        spread,
        inputs.base_w[singles],
        inputs.dyn_w[singles],
    )
    each = (chain[singles, :, 0] + spread[:, None] * chain[singles, :, 1]).T.reshape(-1)
    rate = oracle.rate(0.0, np.concatenate([each, upper]))
    before = np.full(each.size + upper.size, 25.0)
    np.testing.assert_allclose(np.concatenate([each, upper]) - h_s * rate, before, atol=1e-9)


def test_many_kinds_of_chains_apart_come_to_what_they_come_to_side_by_side(campus, monkeypatch):
    network, groups, _ = campus
    flow, plant = np.array([1.0, 0.3, 0.0, 0.72, 1.0]), healthy_plant(network)
    paths, index = HeatPaths(network, flow, plant), GroupIndex(network, groups)
    rng = np.random.default_rng(3)
    size = 8 * groups.size + network.shape.n_upper
    old_c, source_w = rng.uniform(20.0, 80.0, size), rng.uniform(0.0, 900.0, size)
    solved = []
    for most, apart in ((8, False), (7, True)):
        monkeypatch.setattr(thermal_solve, "MOST_SIDE_BY_SIDE", most)
        operator = Operator(paths, 0.1)
        assert operator.apart == apart
        solved.append(operator.solve(index, old_c, source_w))
    np.testing.assert_allclose(solved[1], solved[0], rtol=1e-14)


def test_one_cached_matrix_and_tree_elimination_agree(campus, monkeypatch):
    network, _, _ = campus
    rhs = np.random.default_rng(1).uniform(1e3, 1e6, network.shape.n_upper)
    flow, plant = np.ones(5), healthy_plant(network)
    dense = Operator(HeatPaths(network, flow, plant), 0.1).upper(rhs)
    monkeypatch.setattr(thermal_solve, "DENSE_UPPER_LIMIT", 0)
    np.testing.assert_allclose(Operator(HeatPaths(network, flow, plant), 0.1).upper(rhs), dense, rtol=1e-12)


def test_groups_must_add_up_to_the_installed_gpus(campus):
    network, groups, inputs = campus
    short = Groups.of(groups.loop, groups.part, groups.n - (groups.n == 256.0), groups.sum_s)
    with pytest.raises(ValueError, match="do not add up"):
        ThermalStepper(network, short, inputs)


def test_split_copies_temperatures_and_merge_keeps_energy(campus):
    network, groups, inputs = campus
    state = ThermalStepper(network, groups, inputs).steady()
    apart, after, new = split_group(groups, state, source=5, n=16.0, sum_s=16.3)
    assert new == 9
    assert apart.fits(network)
    np.testing.assert_array_equal(after.chain[new], state.chain[5])
    assert groups.n[9] == 0.0

    chain = after.chain.copy()
    chain[new, :, 0] += 0.004
    chain[new, :, 1] -= 0.003
    warmed = ThermalState(chain, after.upper)
    assert mergeable(warmed, 5, new)
    joined, merged = merge_group(apart, warmed, 5, new)
    np.testing.assert_allclose(joined.n, groups.n)
    np.testing.assert_allclose(joined.sum_s, groups.sum_s)
    before_j = np.einsum("g,gj->j", apart.n, warmed.chain[:, :, 0])
    before_j += np.einsum("g,gj->j", apart.sum_s, warmed.chain[:, :, 1])
    after_j = np.einsum("g,gj->j", joined.n, merged.chain[:, :, 0])
    after_j += np.einsum("g,gj->j", joined.sum_s, merged.chain[:, :, 1])
    np.testing.assert_allclose(after_j, before_j, rtol=1e-14)


def test_split_appends_a_slot_when_none_is_free_and_refuses_too_many(campus):
    _, groups, _ = campus
    state = ThermalState(np.zeros((groups.size, 4, 2)), np.zeros(1))
    groups, state, first = split_group(groups, state, 0, 1.0, 0.97)
    groups, state, second = split_group(groups, state, 0, 1.0, 1.02)
    assert (first, second) == (9, 10)
    assert groups.size == state.chain.shape[0] == 11
    with pytest.raises(ValueError, match="cannot take"):
        split_group(groups, state, first, 2.0, 2.0)


def test_only_like_groups_merge(campus):
    _, groups, _ = campus
    state = ThermalState(np.zeros((groups.size, 4, 2)), np.zeros(1))
    with pytest.raises(ValueError, match="one loop and part"):
        merge_group(groups, state, 0, 2)
