"""Curves of the power parts: efficiency at full load as published, losses that rise, sharing between units."""

import numpy as np
import pytest

from twin.catalog import load_catalog
from twin.catalog.power_parts import PowerStagePart
from twin.physics.power_flow import stage_input_w

RANGES = {
    "transformer-MV-LV": (0.985, 0.992),
    "switchgear-LV-4000A": (0.995, 0.998),
    "UPS-double-conversion": (0.94, 0.97),
    "floor-PDU": (0.98, 0.99),
    "busway-415V-400A": (0.994, 0.996),
    "rPDU-415V-60A-3ph": (0.994, 0.996),
    "power-shelf-33kW": (0.97, 0.98),
    "power-shelf-33kW-storage": (0.97, 0.98),
    "static-transfer-switch-400A": (0.99, 0.998),
}


def _stage(name):
    part = load_catalog().part(name)
    assert isinstance(part, PowerStagePart)
    return part


@pytest.mark.parametrize(("name", "low_high"), RANGES.items())
def test_full_load_efficiency_is_in_the_range_of_its_kind(name, low_high):
    part = _stage(name)
    taken = stage_input_w(part.capacity_w, 1, *part.input_coefficients())
    assert low_high[0] - 1e-9 <= part.capacity_w / taken <= low_high[1] + 1e-9


@pytest.mark.parametrize("name", RANGES)
def test_losses_are_never_negative_and_highest_at_full_load(name):
    part = _stage(name)
    out_w = np.linspace(0.0, part.capacity_w, 50)
    loss_w = stage_input_w(out_w, 1, *part.input_coefficients()) - out_w
    assert np.all(loss_w >= -1e-9 * part.capacity_w)
    assert loss_w.argmax() == len(loss_w) - 1
    assert np.all(np.diff(loss_w, 2) >= -1e-9 * part.capacity_w)  # I^2 R bends upwards


@pytest.mark.parametrize("name", RANGES)
def test_losses_only_rise_with_load_and_pass_every_figure_within_half_a_point(name):
    part = _stage(name)
    out_w = np.linspace(0.0, part.capacity_w, 50)
    loss_w = stage_input_w(out_w, 1, *part.input_coefficients()) - out_w
    assert np.all(np.diff(loss_w) >= 0)
    for load, efficiency in part.efficiency.points:
        taken_w = stage_input_w(load * part.capacity_w, 1, *part.input_coefficients())
        assert load * part.capacity_w / taken_w == pytest.approx(efficiency, abs=0.004)


def test_transformers_and_switchgear_are_within_a_fifth_of_a_point():
    for name in ("transformer-MV-LV", "transformer-MV-LV-630", "switchgear-LV-4000A"):
        part = _stage(name)
        for load, efficiency in part.efficiency.points:
            taken_w = stage_input_w(load * part.capacity_w, 1, *part.input_coefficients())
            assert load * part.capacity_w / taken_w == pytest.approx(efficiency, abs=0.002)


def test_a_titanium_supply_follows_its_certificate_within_a_point():
    part = _stage("PSU-titanium")
    load = np.array([0.1, 0.2, 0.5, 1.0])
    out_w = load * part.capacity_w
    at = out_w / stage_input_w(out_w, 1, *part.input_coefficients())
    np.testing.assert_allclose(at, [0.90, 0.94, 0.96, 0.91], atol=0.015)


def test_frontier_rectifiers_are_as_published():
    one, four = _stage("frontier-rectifier"), _stage("frontier-rectifier-shelf")
    by_one = stage_input_w(40e3, 4, *one.input_coefficients())
    by_shelf = stage_input_w(40e3, 1, *four.input_coefficients())
    assert by_one == pytest.approx((40e3 + 68.0) / 0.96)
    assert by_shelf == pytest.approx(by_one)
