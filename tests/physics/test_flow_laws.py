"""Laws of fans and pumps against the published curves they stand for, and their floors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics.flow_laws import (
    HELD_PUMPS,
    OUTDOOR_FANS,
    ROOM_FANS,
    FlowLaw,
    staged_flow,
)

AFFINITY = FlowLaw(least=0.0, standing=0.0, held=0.0)
CURVES = {  # of NREL openstudio-standards: 1, V, V^2, V^3
    "fans, pressure reset": (ROOM_FANS, (0.04076, 0.0881, -0.0729, 0.9437), 0.001),
    "single fans": (OUTDOOR_FANS, (0.027828, 0.026583, -0.087069, 1.030920), 0.004),
    "pumps, no reset": (HELD_PUMPS, (0.0, 0.5726, -0.301, 0.7347), 0.004),
}


@pytest.mark.parametrize("name", CURVES)
def test_laws_are_the_published_curves_within_their_width(name: str) -> None:
    law, curve, most = CURVES[name]
    flow = np.linspace(float(law.least), 1.0, 50)
    published = np.polynomial.Polynomial(curve)(flow) / sum(curve)
    assert np.abs(law.power_share(flow) - published).max() < most


def test_fans_draw_all_of_their_rating_at_rated_flow_and_no_less_than_their_floor() -> None:
    assert float(ROOM_FANS.power_share(1.0)) == 1.0
    floor = float(ROOM_FANS.power_share(0.3))
    assert float(ROOM_FANS.power_share(0.01)) == floor
    assert floor == pytest.approx(0.047 + 0.953 * (0.05 * 0.3 + 0.95 * 0.027))


def test_many_fans_take_turns_below_their_floor() -> None:
    least = float(OUTDOOR_FANS.power_share(0.2))
    assert [OUTDOOR_FANS.cycled_share(flow) for flow in (0.0, 0.1, 0.2)] == pytest.approx(
        [0.0, least / 2, least]
    )
    assert float(OUTDOOR_FANS.cycled_share(0.7)) == float(OUTDOOR_FANS.power_share(0.7))


def test_without_floor_drive_and_held_pressure_power_goes_with_the_cube_of_the_flow() -> None:
    assert float(AFFINITY.power_share(0.5)) == 0.125
    assert float(AFFINITY.power_share(1.389)) == pytest.approx(1.389**3)


def test_flow_is_what_is_asked_between_the_floor_and_the_design() -> None:
    assert ROOM_FANS.flow_share([0.0, 0.3, 0.6, 1.0, 1.2]).tolist() == [0.3, 0.3, 0.6, 1.0, 1.0]


def test_fans_stay_while_they_are_little_above_what_is_asked_and_else_take_the_next_stage() -> None:
    present = np.array([1.0, 1.0, 0.5, 0.5, 0.5])
    assert staged_flow(present, [0.94, 0.93, 0.5, 0.53, 0.56]) == pytest.approx([1.0, 0.95, 0.5, 0.55, 0.6])


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_fans_blow_at_least_what_is_asked_and_little_more(present: float, asked: float) -> None:
    flow = float(staged_flow(np.array([present]), asked)[0])
    assert asked - 1e-9 <= flow < asked + 1.25 * 0.05
    assert staged_flow(np.array([flow]), asked) == flow


@given(st.floats(0.0, 1.5), st.floats(0.0, 1.5))
def test_more_flow_never_takes_less_power(first: float, second: float) -> None:
    low, high = sorted((first, second))
    for law in (ROOM_FANS, HELD_PUMPS, OUTDOOR_FANS):
        assert law.power_share(low) <= law.power_share(high)
