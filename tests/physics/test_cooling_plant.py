"""Chillers, towers, coolers, pumps and air: hand cases, and what may never happen."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shipped_parts import CATALOG

from twin.physics import cooling_plant, hydraulics

LOADS = st.floats(0.0, 1.5)
TEMPERATURES = st.floats(-10.0, 35.0)


def test_one_of_two_pumps_gives_72_percent_until_the_drive_has_made_up_for_it() -> None:
    share = float(hydraulics.parallel_flow_fraction(1, 2))
    assert share == pytest.approx(0.72)
    speed = float(hydraulics.recovery_speed(share))
    assert speed == pytest.approx(1 / 0.72)
    assert float(hydraulics.parallel_flow_fraction(0, 2)) == 0.0


def test_a_branch_that_is_shut_leaves_the_others_a_little_more() -> None:
    flows, whole = hydraulics.manifold_flow([1, 1, 1, 0])
    # By hand: half of the head before the headers: 1 = 0.5 q^2 + 0.5 (3/4 q)^2.
    by_hand = math.sqrt(1 / (0.5 + 0.5 * 0.75**2))
    assert flows.tolist() == pytest.approx([by_hand] * 3 + [0.0])
    assert whole == pytest.approx(0.75 * by_hand)
    assert 0.75 < whole < 1.0
    assert hydraulics.manifold_flow([1, 1])[1] == pytest.approx(1.0)
    assert hydraulics.manifold_flow([0, 0]) == (pytest.approx([0, 0]), 0.0)


@given(LOADS, LOADS, TEMPERATURES, TEMPERATURES)
def test_a_tower_never_makes_colder_water_of_more_load_or_warmer_air(
    a: float, b: float, cold: float, warm: float
) -> None:
    low, high = sorted((a, b))
    cold, warm = sorted((cold, warm))
    approach_k = cooling_plant.tower_approach_k
    assert approach_k(low, cold, 4.0) <= approach_k(high, cold, 4.0)
    assert cold + approach_k(high, cold, 4.0) <= warm + approach_k(high, warm, 4.0) + 1e-9
    assert approach_k(1.0, 24.0, 4.0) == 4.0


def test_fans_slow_down_with_the_cube_of_the_air_they_need() -> None:
    assert cooling_plant.fan_speed(4.0, 8.0) == 0.5
    assert cooling_plant.fan_speed(4.0, 3.0) == 1.0
    assert cooling_plant.fan_speed(4.0, 80.0) == 0.05
    assert cooling_plant.fan_speed(0.0, 0.0) == 0.0


def test_free_cooling_is_whole_below_the_set_point_and_partial_up_to_the_return() -> None:
    share = cooling_plant.economiser_share
    assert [share(c, 20.0, 30.0) for c in (10.0, 20.0, 25.0, 30.0, 40.0)] == [1.0, 1.0, 0.5, 0.0, 0.0]
    assert share(21.0, 20.0, 20.0) == 0.0


def test_published_shapes_of_chillers_and_free_cooling() -> None:
    """COP 3-4 on air, 6-7 on water; free cooling 6 K below the set point at the rated wet bulb."""

    def cop(evaporator_c: float, condenser_c: float) -> float:
        return 1.0 / cooling_plant.compressor_w(1.0, 1.0, evaporator_c, condenser_c, 0.55)

    assert 3.0 <= cop(8.0, 52.0) <= 4.0
    assert 6.0 <= cop(8.0, 32.0) <= 7.0
    tower = CATALOG.cooling_tower("cooling-tower")
    over_k = cooling_plant.tower_approach_k(1.0, 24.0, tower.approach_k) + cooling_plant.EXCHANGER_APPROACH_K
    assert over_k == 6.0
    assert cooling_plant.economiser_share(24.0 + over_k, 30.0, 40.0) == 1.0
    assert cooling_plant.economiser_share(24.1 + over_k, 30.0, 40.0) < 1.0


def test_a_chiller_at_half_load_has_nine_tenths_of_its_cop() -> None:
    full = cooling_plant.compressor_w(1e6, 1e6, 12.0, 36.0, 0.55)
    assert 1e6 / full == pytest.approx(0.55 * 285.15 / 24)
    half = cooling_plant.compressor_w(0.5e6, 1e6, 12.0, 36.0, 0.55)
    assert full / half == pytest.approx(2 * 0.5 / 0.55)
    assert cooling_plant.compressor_w(0.0, 1e6, 12.0, 36.0, 0.55) == 0.0
    assert cooling_plant.compressor_w(1e6, 1e6, 12.0, 5.0, 0.55) > 0.0  # at least 5 K of lift


def test_as_few_chillers_run_as_the_heat_needs() -> None:
    on = cooling_plant.machines_on
    assert [on(w, 1e6, 4) for w in (0.0, 1.0, 1e6, 1.1e6, 9e6)] == [0, 1, 1, 2, 4]
    assert on(1e6, 1e6, 0) == 0


def test_water_warms_until_chillers_that_are_too_few_carry_the_heat() -> None:
    assert cooling_plant.overload_k(1e6, 1e6) == 0.0
    over_k = cooling_plant.overload_k(4e6, 3e6)
    assert 3e6 * (1 + cooling_plant.OVERLOAD_PER_K * over_k) == pytest.approx(4e6)


def test_a_tower_at_four_cycles_uses_2_litres_for_each_kwh() -> None:
    evaporation_m3_j = 1.0 / (2.45e6 * 1000)  # latent heat at 20 C
    l_kwh = evaporation_m3_j * 4.0 / 3.0 * 3.6e9  # a third of it is blown down to carry the salts away
    assert l_kwh == pytest.approx(1.96, abs=0.01)
    assert CATALOG.cooling_tower("cooling-tower").water_m3_j * 3.6e9 == pytest.approx(l_kwh, rel=0.1)


def test_an_exchanger_moves_its_heat_at_its_approach() -> None:
    heat_w, approach_k, hot_k, cold_k = 1e5, 6.0, 10.0, 6.0
    ua = cooling_plant.exchanger_ua_w_k(heat_w, approach_k, hot_k, cold_k)
    hot, cold = heat_w / hot_k, heat_w / cold_k
    eps = float(hydraulics.counterflow_effectiveness(ua / hot, hot / cold))
    assert eps * hot * (approach_k + hot_k) == pytest.approx(heat_w)
    assert cooling_plant.exchanger_ua_w_k(heat_w, 5.0, 8.0, 8.0) == pytest.approx(heat_w / 5.0)
    with pytest.raises(ValueError, match="too small for water that warms by 6 K"):
        cooling_plant.exchanger_ua_w_k(heat_w, 4.0, 1.0, 6.0)


@given(st.floats(0.0, 0.5), st.floats(0.1, 0.95))
def test_recirculation_is_a_mixture_and_a_weaker_coil(share: float, eps: float) -> None:
    """The closed form against the air's own balance: coil, mixing at the inlets, mixing at the return."""
    rise_k, water_c = 12.0, 10.0
    factor = float(hydraulics.coil_share(eps, share))
    exhaust_c = water_c + rise_k / (eps * factor)  # q = eps factor W (exhaust - water), q / W = rise
    inlet_c = exhaust_c - rise_k
    supply_c = inlet_c - float(hydraulics.inlet_over_supply_k(rise_k, share))
    assert supply_c + share * (exhaust_c - supply_c) == pytest.approx(inlet_c)
    through_k = exhaust_c - supply_c  # of the coil, over (1 - share) of the air
    return_c = supply_c + rise_k
    assert (1 - share) * through_k == pytest.approx(rise_k)
    assert rise_k == pytest.approx(eps * (return_c - water_c))


def test_published_chassis_and_coolant_rises() -> None:
    b200_k = float(hydraulics.air_rise_k(14.3e3, 1550 * hydraulics.M3_S_PER_CFM))
    assert b200_k == pytest.approx(16.3, abs=0.1)
    for w in (120e3, 132e3):  # NVL72, 87 % into 150 lpm of water
        assert 9.9 < float(hydraulics.coolant_rise_k(0.87 * w, 150.0)) < 12.0
    assert np.isfinite(hydraulics.air_rise_k(0.0, 1.0))
