"""Groups of GPUs against GPUs one by one, with a fault among them; published heat of nodes; sizes at both ends."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from shipped_parts import CATALOG, air, liquid, power
from thermal_oracle import Oracle

from twin.physics.gpu_power import clock_under_cap, die_spread, leak_w, power_w
from twin.physics.thermal import Integrator, ThermalStepper
from twin.physics.thermal_inputs import inputs_of
from twin.physics.thermal_network import Groups, ThermalNetwork, design_network
from twin.sim.thermal.thermal_build import DOWNSTREAM_K_W
from twin.sim.thermal.thermal_faults import altered

GPUS = 72


def site(part: str) -> tuple[ThermalNetwork, np.ndarray, np.ndarray, Groups]:
    """A loop of one part whose GPU 0 has a bad contact, one whose flow is short; spread as dies have it."""
    chain = liquid(part)
    parts = (chain, altered(chain, 1.0, 2.0), altered(chain, 0.6, 1.0))
    installed = np.array([[GPUS - 1.0, 1.0, 0.0], [GPUS - 8.0, 0.0, 8.0]])
    network = design_network([0, 0], [0], parts, installed, [False, False])
    spread = die_spread((np.arange(2 * GPUS) + 0.5) / (2 * GPUS))[
        np.random.default_rng(1).permutation(2 * GPUS)
    ]
    kind = np.zeros(2 * GPUS, int)
    kind[0], kind[-8:] = 1, 2
    loop = np.repeat([0, 1], GPUS)
    keys = [(0, 0), (0, 1), (1, 0), (1, 2)]
    members = [np.flatnonzero((loop == a) & (kind == b)) for a, b in keys]
    groups = Groups.of(
        [a for a, _ in keys],
        [b for _, b in keys],
        [len(m) for m in members],
        [spread[m].sum() for m in members],
    )
    group = np.zeros(2 * GPUS, int)
    for g, m in enumerate(members):
        group[m] = g
    return network, spread, group, groups


@pytest.mark.parametrize("part", ["B200-SXM", "GB200-GPU"])
def test_groups_follow_every_gpu_by_itself_through_a_pump_trip_with_faults_among_them(part):
    network, spread, group, groups = site(part)
    model = power(part)
    tdp_w = liquid(part).tdp_w
    inputs = inputs_of(
        network,
        groups,
        model.idle_w,
        0.9 * tdp_w - model.idle_w,
        np.full(2, 2e4),
        np.array([2e4]),
        np.array([12.0]),
    )
    inputs = replace(inputs, leak_w_k=np.full(4, model.leak_w_per_k))
    state = ThermalStepper(network, groups, inputs).steady()
    trip = replace(inputs, flow=inputs.flow.towards(0.0, 0, 0.02, 4.0))
    loop, kind = groups.loop[group], groups.part[group]
    each = (trip.base_w[group], trip.dyn_w[group], trip.leak_w_k[group])
    oracle = Oracle(network, trip, loop, kind, spread, each[0], each[1], each[2])
    start = (state.chain[group, :, 0] + spread[:, None] * state.chain[group, :, 1]).T.reshape(-1)
    run = Integrator(network, groups, trip, state)
    run.dt_cap_s = 1.0
    steps = list(run.run(15.0))
    reference = solve_ivp(
        oracle.rate,
        (0.0, 15.0),
        np.concatenate([start, state.upper]),
        method="LSODA",
        rtol=1e-7,
        atol=1e-7,
        t_eval=[step.t1_s for step in steps],
    )
    worst_k = max(
        np.abs(step.state1.die_c(spread, group) - exact[: 2 * GPUS]).max()
        for step, exact in zip(steps, reference.y.T, strict=True)
    )
    assert worst_k <= 0.1
    assert steps[-1].state1.die_c(spread, group)[0] > 5 + steps[-1].state1.die_c(spread, group)[1:8].max()


def test_a_b200_node_in_air_runs_as_hot_as_measured():
    """PHYSICS 2 and 3: 52-61 C at 990 W and 20 C inlet, odd slots 3.5 K warmer, chassis rise 16.3 K at 14.3 kW."""
    part, model = air("B200-SXM"), power("B200-SXM")
    even_c = 20.0 + 990.0 * part.junction_to_supply_k_w
    odd_c = even_c + 990.0 * DOWNSTREAM_K_W
    assert even_c >= 52.0
    assert odd_c <= 61.0
    assert odd_c - even_c == pytest.approx(3.5)
    leakage = leak_w(model, (even_c + odd_c) / 2, 1.0)
    f_ghz = clock_under_cap(model, model.cap_w, 1.0, model.a_gemm, leakage)
    assert power_w(model, f_ghz, 1.0, model.a_gemm, leakage) == pytest.approx(988.0, rel=0.015)


def test_ten_thousand_h100_at_their_limit_draw_seven_megawatts():
    chain = liquid("H100-SXM")
    network = design_network([0] * 10, [0], [chain], np.full((10, 1), 1000.0), [False] * 10)
    n = np.full(10, 1000.0)
    groups = Groups.of(np.arange(10), np.zeros(10), n, n)
    inputs = inputs_of(
        network, groups, 0.0, CATALOG.gpu("H100-SXM").tdp_w, np.zeros(10), np.zeros(1), np.array([20.0])
    )
    stepper = ThermalStepper(network, groups, inputs)
    assert stepper.power_w(stepper.steady()) == pytest.approx(7.0e6)


@pytest.mark.parametrize("gpus", [1.0, 100_000.0])
@pytest.mark.parametrize(("flow", "watts"), [(0.0, 700.0), (1.0, 0.0), (0.0, 0.0), (1.0, 700.0)])
def test_one_gpu_and_a_hundred_thousand_no_flow_and_no_power_are_legal(gpus, flow, watts):
    network = design_network([0], [0], [liquid("H100-SXM")], np.array([[gpus]]), [False])
    groups = Groups.of([0], [0], [gpus], [gpus])
    inputs = inputs_of(network, groups, 0.0, watts, np.zeros(1), np.zeros(1), np.array([20.0]))
    state = ThermalStepper(network, groups, inputs).steady()
    moved = replace(inputs, flow=inputs.flow.towards(0.0, 0, flow, 4.0))
    run = Integrator(network, groups, moved, state)
    steps = list(run.run(600.0))
    flat = run.state.flat()
    assert np.isfinite(flat).all()
    assert max(step.energy.residual for step in steps) <= 1e-9 or watts == 0.0
    if flow == 1.0:
        np.testing.assert_allclose(flat, state.flat(), atol=1e-3)
    if flow == 0.0 and watts > 0.0:
        assert run.state.die_c()[0] > state.die_c()[0] + 50
