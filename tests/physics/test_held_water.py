"""Facility water that machines hold: the sink that brings it there follows the heat at every moment of a step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from test_thermal import liquid_site
from thermal_oracle import Oracle
from usual_cases import usually

from twin.physics import thermal_solve
from twin.physics.thermal import Integrator
from twin.physics.thermal_paths import rejection_w_k


class Held(Oracle):
    """The same equations with a sink that is chosen from the heat that the water carries."""

    def rate(self, t_s: float, y: np.ndarray) -> np.ndarray:
        rates, network = super().rate(t_s, y), self.network
        flow_w_k = self.inputs.plant.plant_flow * network.coefficients.plant_flow_w_k
        taken_w_k = rejection_w_k(network, self.inputs.plant)
        carried_w = flow_w_k * (y[-2] - y[-1])
        colder_k = carried_w * (1 / taken_w_k - 1 / flow_w_k)  # than what is held
        rates[-1] -= (taken_w_k * colder_k / network.coefficients.plant_supply_j_k)[0]
        return rates


@pytest.mark.parametrize("dense", usually([True, False], [True]))
def test_held_water_follows_its_equations_and_every_joule_is_booked(dense, monkeypatch):
    monkeypatch.setattr(thermal_solve, "DENSE_UPPER_LIMIT", 96 if dense else 0)
    network, groups, inputs, state = liquid_site("GB200-GPU", 28.0)
    held = replace(inputs.plant, holds=np.ones(1, bool), rejection=np.array([0.7]))
    more = replace(inputs, plant=held, dyn_w=0.6 * inputs.dyn_w, sink_c=np.array([19.0]))
    run = Integrator(network, groups, more, state)
    run.dt_cap_s = 1.0
    assert max(step.energy.residual for step in run.run(300.0)) < 1e-9

    chain = state.chain[:, :, 0] + groups.mean_s[:, None] * state.chain[:, :, 1]
    index = np.repeat(np.arange(groups.size), groups.n.astype(int))
    oracle = Held(
        network, more, groups.loop[index], groups.part[index], groups.mean_s[index], 0.0, more.dyn_w[index]
    )
    start = np.concatenate([chain[index].T.reshape(-1), state.upper])
    found = solve_ivp(oracle.rate, (0.0, 300.0), start, method="LSODA", rtol=1e-8, atol=1e-7)
    assert run.state.upper == pytest.approx(found.y[-network.shape.n_upper :, -1], abs=5e-3)


def test_long_steps_end_where_short_ones_do():
    network, groups, inputs, state = liquid_site("GB200-GPU", 28.0)
    held = replace(inputs, plant=replace(inputs.plant, holds=np.ones(1, bool)), sink_c=np.array([25.0]))
    ends = []
    for cap_s in (1.0, 3600.0):
        run = Integrator(network, groups, held, state)
        run.dt_cap_s = cap_s
        list(run.run(2000.0))
        ends.append(run.state.upper)
    assert ends[0] == pytest.approx(ends[1], abs=1e-3)
    assert ends[0][-1] == pytest.approx(25.0, abs=1e-6)


def test_water_of_a_plant_that_rejects_nothing_is_held_nowhere():
    _, _, inputs, _ = liquid_site("GB200-GPU", 28.0)
    assert not replace(inputs.plant, holds=np.ones(1, bool), rejection=np.zeros(1)).held.any()
    assert not replace(inputs.plant, holds=np.ones(1, bool), plant_flow=np.zeros(1)).held.any()
    assert not inputs.plant.held.any()
