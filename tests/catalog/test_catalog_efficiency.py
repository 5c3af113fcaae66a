import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.catalog import EfficiencyCurve, load_catalog
from twin.catalog.efficiency import parse_efficiency
from twin.units import UnitError


def test_curve_text() -> None:
    curve = parse_efficiency("90 % at 10 %, 96 % at 50 %, 91 % at 100 %")
    assert curve.points == ((0.1, 0.9), (0.5, 0.96), (1.0, 0.91))
    assert curve.at(0.3) == pytest.approx(0.93)
    assert curve.at(0.01) == 0.9
    assert parse_efficiency("97.5 %").points == ((1.0, 0.975),)


@pytest.mark.parametrize(
    "text", ["", "good", "96 % at", "96 % at 50 %, 97 % at 20 %", "96 % at 50 %, 97 % at 50 %"]
)
def test_wrong_curve_is_refused(text: str) -> None:
    with pytest.raises(UnitError):
        parse_efficiency(text)


def test_coefficients_reproduce_the_shipped_curves() -> None:
    catalog = load_catalog()
    for part in (
        catalog.transformer("transformer-MV-LV"),
        catalog.ups("UPS-double-conversion"),
        catalog.psu("PSU-titanium"),
    ):
        a_w, b, c_per_w = part.input_coefficients()
        assert a_w >= 0
        assert c_per_w >= 0
        for load, efficiency in part.efficiency.points:
            out_w = load * part.capacity_w
            fitted = out_w / (a_w + b * out_w + c_per_w * out_w**2)
            assert fitted == pytest.approx(efficiency, abs=0.035)


def test_frontier_constants_are_exact() -> None:
    """RAPS: P_in = (P_out + 17 W) / 0.96."""
    a_w, b, c_per_w = load_catalog().psu("frontier-rectifier").input_coefficients()
    for out_w in (0.0, 1000.0, 12500.0):
        assert a_w + b * out_w + c_per_w * out_w**2 == pytest.approx((out_w + 17.0) / 0.96, rel=1e-12)


@given(a=st.floats(0.0, 0.05), k=st.floats(0.0, 0.05), c=st.floats(0.0, 0.1), rated_w=st.floats(10.0, 1e7))
def test_fit_returns_the_stage_it_was_sampled_from(a: float, k: float, c: float, rated_w: float) -> None:
    points = tuple((x, x / (a + (1 + k) * x + c * x * x)) for x in (0.1, 0.25, 0.5, 1.0))
    found_a, found_b, found_c = EfficiencyCurve(points).input_coefficients(rated_w)
    for x in (0.05, 0.3, 0.9):
        expected = a + (1 + k) * x + c * x * x
        found = found_a / rated_w + found_b * x + found_c * rated_w * x * x
        assert found == pytest.approx(expected, abs=1e-6)
