"""Energy flows: every node gives what it gets, and bands are as wide as what flows; no widgets."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from diagram_world import set_state, two_paths
from hypothesis import given
from hypothesis import strategies as st

from twin.app.diagrams.sankey import Flow, SankeyNode, through, unbalanced
from twin.app.diagrams.sankey import lay_out as lay_out_sankey
from twin.app.diagrams.sankey_flows import energy_flows
from twin.app.world.rows import World
from twin.record.channels import PowerState


@pytest.fixture
def world(tmp_path: Path) -> World:
    """The row of NVL72 with two paths, generators behind a board, the sun behind the other."""
    return two_paths(tmp_path)


def fill_site(world: World, **site: float) -> None:
    assert world.frame is not None
    for name, value in site.items():
        world.frame.values[f"site.{name}"][0] = value


def test_every_node_gives_what_it_gets(world: World) -> None:
    assert world.frame is not None
    set_state(world, "sun/0", PowerState.RUNNING, out_w=120e3)
    set_state(world, "ups-a/0", PowerState.LIVE, loss_w=20e3)
    world.frame.values["loop.heat_w"][:] = 150e3
    world.frame.values["plant.heat_w"][:] = 700e3
    world.frame.values["plant.power_w"][:] = 30e3
    world.frame.values["rack.loss_w"][:5] = 1e3
    fill_site(world, grid_w=700e3, on_site_w=120e3, it_w=720e3, loss_w=20e3, battery_w=-40e3)
    found = energy_flows(world)
    assert not unbalanced(found.nodes, found.flows, 0.5)
    amounts = through(found.nodes, found.flows)
    assert amounts["supply"] == pytest.approx(820e3)
    assert amounts["gpus"] == pytest.approx(576e3)
    assert amounts["rest"] == pytest.approx(139e3)
    assert amounts["shelf"] == pytest.approx(5e3)
    assert amounts["it"] == pytest.approx(720e3)  # as the tile has it
    assert amounts["loss ups"] == pytest.approx(20e3)
    assert amounts["charging"] == pytest.approx(40e3)
    assert amounts["sky"] == pytest.approx(750e3)
    assert amounts["stored"] == pytest.approx(820e3 - 40e3 - 750e3)
    assert "820 kW" in found.balance


def test_heat_given_back_by_the_water_comes_from_the_store(world: World) -> None:
    assert world.frame is not None
    world.frame.values["loop.heat_w"][:] = 150e3
    world.frame.values["plant.heat_w"][:] = 900e3
    fill_site(world, facility_w=720e3, it_w=720e3)
    found = energy_flows(world)
    amounts = through(found.nodes, found.flows)
    assert amounts["released"] == pytest.approx(180e3)
    assert not unbalanced(found.nodes, found.flows, 0.5)


def test_without_a_frame_nothing_flows(world: World) -> None:
    assert not energy_flows(replace(world, frame=None)).flows


powers = st.floats(min_value=0.0, max_value=5e7)


@given(st.lists(powers, min_size=2, max_size=9), st.integers(40, 900))
def test_bands_are_as_wide_as_what_flows_and_fill_their_bars(uses: list[float], height: int) -> None:
    nodes = (
        SankeyNode("in", "", 0),
        *(SankeyNode(f"u{k}", "", 2) for k in range(len(uses))),
        SankeyNode("out", "", 4),
    )
    flows = tuple(
        flow
        for k, power in enumerate(uses)
        for flow in (Flow("in", f"u{k}", power), Flow(f"u{k}", "out", power))
    )
    assert not unbalanced(nodes, flows)
    picture = lay_out_sankey(nodes, flows, 600.0, float(height), 80.0)
    leaving = [band for band in picture.bands if band.flow.source == "in"]
    for band in picture.bands:
        assert band.width == pytest.approx(max(band.flow.power_w * picture.px_w, 1.0))
        assert band.x0 < band.x1
    for one, other in combinations(leaving, 2):
        upper, lower = sorted((one, other), key=lambda band: band.y0)
        assert upper.y0 + upper.flow.power_w * picture.px_w <= lower.y0 + 1e-6
