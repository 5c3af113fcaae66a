"""The size of the first step after a change is foreseen: as the step itself would have found it."""

from dataclasses import replace

import numpy as np
import pytest
from shipped_parts import liquid

from twin.physics import thermal_foresight, thermal_solve
from twin.physics.thermal import AIM_K, FOLLOW_K, LADDER_S, TOL_K, Integrator, ThermalStepper
from twin.physics.thermal_inputs import FlowRamp, inputs_of
from twin.physics.thermal_network import Groups, design_network


def site(flow: tuple[float, float], parts: tuple[str, ...] = ("H100-SXM", "B200-SXM")):
    """Two loops with every part on each, at rest under half load; few GPUs a loop move, so that it holds still."""
    chains = [liquid(part) for part in parts]
    network = design_network([0, 0], [0], chains, np.full((2, len(parts)), 72.0), [False, False])
    loop = np.repeat([0, 0, 1, 1], len(parts))
    part = np.tile(np.arange(len(parts)), 4)
    n = np.tile(np.repeat([1.0, 71.0], len(parts)), 2)
    groups = Groups.of(loop, part, n, n)
    base_w = np.array([0.5 * chains[k].tdp_w for k in part])
    inputs = inputs_of(network, groups, base_w, 0.0, np.zeros(2), np.zeros(1), np.array([20.0]))
    inputs = replace(inputs, flow=FlowRamp.steady(np.array(flow)))
    return network, groups, inputs, ThermalStepper(network, groups, inputs).steady()


@pytest.mark.parametrize("flow", [(1.0, 1.0), (1.0, 0.4)])
@pytest.mark.parametrize("parts", [("H100-SXM",), ("H100-SXM", "B200-SXM")])
@pytest.mark.parametrize("most", [8, 1])  # kinds of chains side by side
def test_the_error_of_every_step_is_foreseen(flow, parts, most, monkeypatch):
    for module in (thermal_foresight, thermal_solve):
        monkeypatch.setattr(module, "MOST_SIDE_BY_SIDE", most)
    network, groups, inputs, state = site(flow, parts)
    base_w = inputs.base_w.copy()
    base_w[0] += 300.0
    jump = replace(inputs, base_w=base_w, error_weight=np.linspace(1.0, 0.2, groups.size))
    stepper = ThermalStepper(network, groups, jump)
    foreseen_k, away_k = stepper.foreseen_k(state, 0.0, LADDER_S)
    found_k = [stepper.step(state, 0.0, dt_s, on_ladder=True)[1] for dt_s in LADDER_S.tolist()]
    assert foreseen_k == pytest.approx(found_k, rel=0.05, abs=2e-3)
    assert away_k == 0.0  # nothing leaks


def test_a_change_begins_with_the_first_step_that_is_good_enough():
    network, groups, inputs, state = site((1.0, 1.0), ("H100-SXM",))
    run = Integrator(network, groups, inputs, state)
    list(run.run(7200.0))
    base_w = inputs.base_w.copy()
    base_w[0] += 300.0
    run.change(replace(inputs, base_w=base_w), restart=False)
    first = run.step(run.t_s + 7200.0)
    assert 0.2 * TOL_K < first.error_k <= AIM_K * 1.05
    assert first.t1_s - first.t0_s < 10.0
    before = run.dt_s
    run.change(replace(inputs, base_w=run.stepper.inputs.base_w + 0.1), restart=False)
    assert run.dt_s == before  # what moves next to nothing changes nothing


def test_dies_that_leak_are_followed_where_they_go_far():
    network, groups, inputs, state = site((1.0, 1.0), ("H100-SXM",))
    leaky = replace(inputs, leak_w_k=np.full(groups.size, 1e-9))
    run = Integrator(network, groups, leaky, state)
    list(run.run(7200.0))
    base_w = inputs.base_w.copy()
    base_w[0] += 60.0
    warmer = replace(leaky, base_w=base_w)
    stepper = ThermalStepper(network, groups, warmer)
    _, away_k = stepper.foreseen_k(run.state, 0.0, LADDER_S)
    rest = stepper.steady()
    assert away_k > FOLLOW_K
    assert away_k == pytest.approx(rest.die_c()[0] - run.state.die_c()[0], rel=0.05)
    run.change(warmer, restart=False)
    assert run.dt_s <= 8.0
