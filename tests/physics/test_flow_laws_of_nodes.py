"""Power of nodes besides their GPUs: fans by their cube law, tanks without, and never past the nameplate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.catalog import load_catalog
from twin.physics.flow_laws import HELD_C, NodePower, warm_air
from twin.planning.job.job_power import besides_gpus

NODE = NodePower(idle_w=1264.0, full_w=2800.0, peak_w=4600.0, fans_w=1250.0, idle_share=92 / 700)
CARD_CFM = {25: 1.4, 30: 1.6, 35: 2.0, 40: 2.5, 45: 3.3, 50: 4.6}
"""Air that a network card wants by inlet temperature: AMD Alveo X3522, DS1002, normal flow at sea level."""


def test_what_the_catalogue_gives_is_met_in_air_of_25_c() -> None:
    assert NODE.power_w(0.0) == pytest.approx(1264.0)
    assert NODE.power_w(1.0) == pytest.approx(2800.0)
    assert NODE.power_w(1.0, at_peak=True) == pytest.approx(4600.0)


def test_fans_follow_the_cube_of_the_air() -> None:
    half = NODE.fan_power_w((0.5 - 92 / 700) / (1 - 92 / 700))
    assert float(half) == pytest.approx(1250 * (0.047 + 0.953 * (0.05 * 0.5 + 0.95 * 0.125)))
    assert float(NODE.fans_idle_w) == pytest.approx(1250 * (0.047 + 0.953 * (0.05 * 0.3 + 0.95 * 0.027)))


def test_in_a_tank_the_fans_are_gone_and_the_rest_stays() -> None:
    bare = NODE.without_fans()
    assert float(bare.power_w(1.0)) == pytest.approx(2800.0 - 1250.0)
    assert float(bare.power_w(0.0)) == pytest.approx(1264.0 - float(NODE.fans_idle_w))
    assert float(bare.fan_power_w(1.0, 40.0)) == 0.0
    assert bare.without_fans() == bare


@pytest.mark.parametrize(("inlet_c", "cfm"), CARD_CFM.items())
def test_warm_air_is_moved_as_a_network_card_wants_it(inlet_c: float, cfm: float) -> None:
    assert float(warm_air(inlet_c)) == pytest.approx(cfm / CARD_CFM[25], rel=0.08)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(-10, HELD_C), st.booleans())
def test_more_load_and_warmer_air_take_more_and_never_more_than_the_nameplate(
    one: float, other: float, inlet_c: float, at_peak: bool
) -> None:
    low, high = sorted((one, other))
    cool, warm = (NODE.power_w([low, high], air, at_peak) for air in (inlet_c, inlet_c + 5))
    assert cool[0] <= cool[1] + 1e-9
    assert np.all(cool <= warm + 1e-9)
    assert np.all(warm <= 4600.0)


def test_parts_of_every_node_of_the_catalogue_are_left_something_without_fans() -> None:
    catalog = load_catalog()
    for node in map(catalog.node, catalog.ids("node")):
        bare = besides_gpus(node, catalog.gpu(node.gpu)).without_fans()
        assert 0 < float(bare.idle_w) <= float(bare.full_w) <= float(bare.peak_w)
