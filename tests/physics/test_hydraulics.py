"""Pumps, exchangers, air: the figures of PHYSICS 4."""

import numpy as np
import pytest

from twin.physics import hydraulics as hyd


def test_flow_rule_gives_the_published_temperature_rise():
    assert hyd.coolant_rise_k(100e3, 150.0) == pytest.approx(9.6, abs=0.05)


def test_air_of_a_dgx_b200_warms_by_16_kelvin():
    assert hyd.air_rise_k(14.3e3, 1550 * hyd.M3_S_PER_CFM) == pytest.approx(16.3, abs=0.1)


def test_pump_coasts_down_with_four_seconds_to_two_percent():
    flow = hyd.coast_flow_fraction(np.array([0.0, 4.0, 60.0]))
    np.testing.assert_allclose(flow, [1.0, 0.02 + 0.98 / np.e, 0.02], atol=1e-6)
    assert hyd.coast_flow_fraction(1e9, start=0.02, target=1.0) == 1.0


def test_one_of_two_pumps_leaves_70_to_75_percent():
    assert 0.70 <= hyd.parallel_flow_fraction(1, 2) <= 0.75
    np.testing.assert_allclose(hyd.parallel_flow_fraction([0, 2], 2), [0.0, 1.0])


def test_power_of_a_pump_by_flow_and_pressure():
    assert hyd.pump_power_w(0.025, 200e3, 0.5) == pytest.approx(10e3)


@pytest.mark.parametrize("ntu", [0.1, 1.0, 2.5, 8.0])
def test_effectiveness_limits(ntu):
    assert hyd.counterflow_effectiveness(ntu, 1.0) == pytest.approx(ntu / (1 + ntu))
    assert hyd.counterflow_effectiveness(ntu, 0.0) == pytest.approx(1 - np.exp(-ntu))
    assert hyd.counterflow_effectiveness(ntu, 1 - 1e-7) == pytest.approx(ntu / (1 + ntu), rel=1e-5)


def test_effectiveness_rises_with_size_and_stays_below_one():
    eps = hyd.counterflow_effectiveness(np.linspace(0.0, 30.0, 200), 0.9)
    assert eps[0] == 0.0
    assert np.all(np.diff(eps) > 0.0)
    assert eps[-1] < 1.0


def test_convection_follows_flow_to_the_power_of_0_8():
    assert hyd.convection_w_k(0.0, 62.5, 2.0) == 2.0
    assert hyd.convection_w_k(0.5, 62.5) / 62.5 == pytest.approx(0.5**0.8)
