"""Steps that end where a limit is passed, and how finely what heads for one is followed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_thermal import liquid_site

from twin.physics.thermal import Integrator
from twin.physics.thermal_crossing import CLOSE_S, PAST_K, Band, first_passed_s


@given(st.floats(0.01, 900.0), st.floats(0.2, 4.0), st.floats(-3.0, -0.1))
def test_the_first_of_several_limits_is_found_on_a_bent_curve(root_s, bend, start_k):
    def excess_at(t_s):
        rise = -start_k * (t_s / root_s) ** bend + start_k
        return np.array([rise, rise - 0.01, -np.inf])

    before, after = excess_at(0.0), excess_at(1000.0)
    hit_s = first_passed_s(excess_at, 0.0, 1000.0, before, after)
    assert excess_at(hit_s)[0] > 0 or hit_s == CLOSE_S
    assert hit_s - root_s <= CLOSE_S or excess_at(hit_s)[0] <= 2 * PAST_K


def test_what_is_past_its_limit_at_the_start_cuts_the_step_at_once():
    assert first_passed_s(lambda _: np.ones(1), 5.0, 9.0, np.ones(1), np.ones(1)) == 5.0 + CLOSE_S


def warming() -> tuple[Integrator, Band]:
    """Return a site whose water nothing cools, and limits on its loops."""
    network, groups, inputs, state = liquid_site("GB200-GPU", 28.0)
    lost = replace(inputs, plant=replace(inputs.plant, rejection=np.zeros(1)))
    shape = network.shape
    high_c = np.full(shape.n_upper, np.inf)
    high_c[shape.n_loops : 2 * shape.n_loops] = 35.0
    return Integrator(network, groups, lost, state), Band(np.full(shape.n_upper, -np.inf), high_c)


def passed_s(run: Integrator, band: Band) -> float:
    for step in run.run(1e4):
        cut = run.cut(step, lambda state: band.excess_k(state.upper))
        if cut is not step:
            excess_k = band.excess_k(cut.state1.upper)
            assert 0 < excess_k.max() <= 2 * PAST_K
            return cut.t1_s
    return np.inf


def test_a_loop_passes_its_limit_when_steps_of_a_tenth_of_a_second_say_so():
    coarse, band = warming()
    coarse.band = band
    fine, _ = warming()
    fine.dt_cap_s = 0.1
    assert passed_s(coarse, band) == pytest.approx(passed_s(fine, band), abs=0.02)


@pytest.mark.parametrize("cut_s", [0.3, 7.0, 40.0])
def test_a_cut_before_does_not_move_the_passing(cut_s):
    usual, band = warming()
    usual.band = band
    cut, _ = warming()
    cut.band = band
    list(cut.run(cut_s))
    cut.change(cut.stepper.inputs, restart=False)
    assert passed_s(cut, band) == pytest.approx(passed_s(usual, band), abs=0.02)


def test_what_would_rest_inside_its_band_is_not_followed_finer():
    network, groups, inputs, state = liquid_site("GB200-GPU", 28.0)
    more = replace(inputs, dyn_w=1.2 * inputs.dyn_w)

    def steps(band: Band | None) -> int:
        run = Integrator(network, groups, more, state)
        run.band = band
        return len(list(run.run(3600.0)))

    none = np.full(network.shape.n_upper, np.inf)
    assert steps(Band(-none, state.upper + 30.0)) == steps(None)
