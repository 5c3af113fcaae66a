"""Stage losses and sharing between redundant units."""

import numpy as np
import pytest

from twin.physics import electrical
from twin.physics.electrical import StageCurve, chain_input_w, fit_stage_curve


def test_titanium_supply_follows_its_certificate_within_a_point():
    psu = electrical.titanium_psu(3300.0)
    at = psu.efficiency(3300.0 * np.array([0.1, 0.2, 0.5, 1.0]))
    np.testing.assert_allclose(at, [0.90, 0.94, 0.96, 0.91], atol=0.01)


@pytest.mark.parametrize(
    ("stage", "low", "high"),
    [
        (electrical.transformer, 0.985, 0.99),
        (electrical.switchgear, 0.995, 0.998),
        (electrical.ups_double_conversion, 0.94, 0.97),
        (electrical.ups_eco, 0.99, 0.99),
        (electrical.floor_pdu, 0.98, 0.99),
        (electrical.busbar, 0.995, 0.995),
        (electrical.power_shelf, 0.97, 0.98),
    ],
)
def test_full_load_efficiency_is_in_the_published_range(stage, low, high):
    curve = stage(1e6)
    assert low - 1e-9 <= curve.efficiency(1e6) <= high + 1e-9


def test_an_idle_stage_draws_its_no_load_loss():
    assert electrical.transformer(1e6).input_w(0.0) == pytest.approx(2000.0)
    assert electrical.ups_double_conversion(1e6).loss_w(0.0) > 0.0


def test_an_exact_quadratic_is_recovered():
    load = np.array([0.1, 0.3, 0.6, 1.0])
    p_in = 0.01 + 1.005 * load + 0.02 * load**2
    curve = fit_stage_curve(500.0, load.tolist(), (load / p_in).tolist())
    assert curve.no_load_w == pytest.approx(5.0)
    assert curve.linear == pytest.approx(1.005)
    assert curve.per_w == pytest.approx(0.02 / 500.0)


def test_no_fitted_coefficient_is_negative():
    curve = fit_stage_curve(1.0, (0.25, 0.5, 1.0), (0.99, 0.985, 0.983))
    assert min(curve.no_load_w, curve.linear, curve.per_w) >= 0.0


@pytest.mark.parametrize("points", [((0.5, 1.0), (0.9, 0.9)), ((0.1, 0.5, 1.0), (0.9, 1.2, 0.9))])
def test_a_curve_needs_three_possible_points(points):
    with pytest.raises(ValueError, match="three or more"):
        fit_stage_curve(1.0, *points)


def test_sharing_a_load_costs_no_load_losses_and_saves_copper_losses():
    curve = StageCurve(100.0, 2.0, 1.0, 0.001)
    assert curve.shared_input_w(80.0, 1) == pytest.approx(88.4)
    assert curve.shared_input_w(80.0, 2) == pytest.approx(2 * (2.0 + 40.0 + 1.6))
    assert curve.shared_input_w(10.0, 2) > curve.shared_input_w(10.0, 1)
    assert curve.shared_input_w(0.0, 0) == 0.0


def test_chain_adds_losses_from_load_to_utility():
    stages = [
        (electrical.titanium_psu(3300.0), 6),
        (electrical.floor_pdu(50e3), 1),
        (electrical.ups_double_conversion(50e3), 2),
        (electrical.transformer(100e3), 1),
    ]
    inputs = chain_input_w(stages, 8000.0)
    assert all(b > a for a, b in zip([8000.0, *inputs], inputs, strict=False))
    assert 0.75 < 8000.0 / inputs[-1] < 0.92
