"""What falls if one thing falls: hand cases of power, cooling and network, with the GPUs that go along."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from demo_scenes import superpod

from twin.catalog import load_catalog
from twin.plant.build import build
from twin.plant.cut_off import cut_off
from twin.plant.links import links_of
from twin.plant.single_points import single_points
from twin.scenario import loads

HALL = """\
format: twin/scenario
version: 3
catalog: "2026.11"
title: Two rows of two DGX
halls:
  - id: hall
    rows:
      - {id: one, racks: {count: 1, nodes: [{part: DGX-H100, count: 2}]}}
      - {id: two, at: {y: 4 m}, racks: {count: 1, nodes: [{part: DGX-H100, count: 2}]}}
"""


def lost(text: str) -> dict[str, tuple[int, int]]:
    """Return id -> GPUs that fall with it and spare machines in it, in the order of the list."""
    plant = build(loads(HALL + text).scenario)
    return {point.id: (point.gpus, point.spare) for point in single_points(plant, load_catalog())}


def test_one_chain_takes_what_hangs_below_and_two_feeds_take_none() -> None:
    text = """\
power:
  - {id: grid, kind: utility}
  - {id: ups, kind: ups, part: UPS-double-conversion-400, units: 3, needed: 2, from: grid}
  - {id: pdu, kind: pdu, count: 2, from: ups, feeds: [one, two]}
"""
    assert lost(text) == {"grid/0": (32, 0), "ups/0": (32, 1), "pdu/0": (16, 0), "pdu/1": (16, 0)}
    second = "  - {id: more, kind: pdu, from: grid, feeds: [one]}\n"
    assert lost(text + second) == {"grid/0": (32, 0), "ups/0": (16, 1), "pdu/1": (16, 0)}
    behind = "  - {id: gen, kind: generator, part: diesel-genset-500kW, at: grid}\n"
    assert lost(text + second + behind) == {"ups/0": (16, 1), "pdu/1": (16, 0)}


COOLED = """\
cooling:
  plants: [{id: water, kind: chiller, part: chiller-air-cooled-200, PLANT}]
  loops: [{id: crah, kind: air, part: CRAH-chilled, LOOP, plant: water, serves: [one, two]}]
"""


@pytest.mark.parametrize(
    ("plant", "loop", "spares"),
    [
        ("units: 1", "units: 1", (0, 0)),
        ("units: 2, needed: 1, pumps: 3", "units: 2, recover: 20 s", (1, 1)),
        ("units: 2, needed: 1", "units: 2", (0, 0)),  # the loss of one of two pumps is felt
        ("units: 2, needed: 1, pumps: 4", "units: 3, pumps: 3, recover: 20 s", (1, 2)),
    ],
)
def test_a_loop_and_its_chillers_take_all_they_cool(plant: str, loop: str, spares: tuple[int, int]) -> None:
    """41 kW for one air handler of 150 kW and one chiller of 200 kW."""
    text = COOLED.replace("PLANT", plant).replace("LOOP", loop)
    assert lost(text) == {"water": (32, spares[0]), "crah/0": (32, spares[1])}


@pytest.mark.parametrize(
    ("fabric", "switches"),
    [
        ("kind: single-switch, leaf: {part: QM9700}", {"ib/0/0": 32}),
        ("kind: rail-optimised, unit_nodes: 4, leaf: {part: QM9700}", {f"ib/0/{n}": 32 for n in range(8)}),
        ("kind: rail-optimised, unit_nodes: 4, homes: 2, leaf: {part: QM9700}", {}),
        # Two units meet in one spine: without it a rail of one unit does not reach that of the other.
        (
            "kind: rail-optimised, unit_nodes: 2, leaf: {part: QM9700}, spine: {part: QM9700, count: 1}",
            {"ib/1/0": 16} | {f"ib/0/{n}": 16 for n in range(16)},
        ),
        (
            "kind: rail-optimised, unit_nodes: 2, leaf: {part: QM9700}, spine: {part: QM9700, count: 2}",
            {f"ib/0/{n}": 16 for n in range(16)},
        ),
    ],
)
def test_a_switch_takes_whom_it_cuts_off(fabric: str, switches: dict[str, int]) -> None:
    found = lost(f"fabrics:\n  - {{id: ib, {fabric}}}\n")
    assert {id: gpus for id, (gpus, _) in found.items()} == switches


def test_racks_of_switches_without_power_cut_off_whom_they_join() -> None:
    text = """\
      - {id: net, at: {y: 8 m}, racks: {count: 1, role: network}}
fabrics:
  - {id: ib, kind: single-switch, leaf: {part: QM9700, racks: net}}
power:
  - {id: grid, kind: utility}
  - {id: pdu, kind: pdu, from: grid, feeds: [one]}
  - {id: low, kind: pdu, from: grid, feeds: [two]}
  - {id: net-pdu, kind: pdu, from: grid, feeds: [net]}
"""
    found = {id: gpus for id, (gpus, _) in lost(text).items()}
    assert found == {"grid/0": 32, "net-pdu/0": 32, "ib/0/0": 32, "pdu/0": 16, "low/0": 16}


def test_the_fast_way_says_the_same_as_every_switch_lost_one_by_one() -> None:
    plant: Any = build(superpod(2))
    links = links_of(plant)
    found = {point.id: point.gpus for point in single_points(plant, load_catalog()) if point.kind == "switch"}
    for switch, id in enumerate(plant.switches.ids):
        bytes_s = links.bytes_s.copy()
        bytes_s[links.of_switches(np.arange(links.switches) == switch)] = 0.0
        gpus = int(plant.nodes.gpu_count[cut_off(plant, links, bytes_s)].sum())
        assert found.get(id, 0) == gpus
