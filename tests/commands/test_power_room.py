"""What the read-out of a drag says of power is what the design rules say after the drop."""

from __future__ import annotations

import pytest

from twin.catalog import Catalog, load_catalog
from twin.commands.budget.part_load import part_load
from twin.commands.budget.power_room import PowerRoom
from twin.plant.build import build
from twin.rules import check
from twin.scenario import Scenario, loads

_SCENE = """\
format: twin/scenario
version: 3
catalog: "2026.11"
title: A path of power
halls:
  - id: hall
    rows:
      - {id: gpu, racks: {count: 2, nodes: [{part: DGX-H100, count: 4}]}}
      - {id: more, at: {x: 0 m, y: 5 m}, racks: {count: RACKS, part: SU-H100-rack}}
power:
  - {id: utility, kind: utility, capacity: 130 kW}
  - {id: trafo, kind: transformer, part: transformer-MV-LV-630, from: utility}
  - {id: ups, kind: ups, part: UPS-double-conversion-400, from: trafo}
  - {id: pdu-a, kind: pdu, part: floor-PDU, from: ups, feeds: [gpu, more]}
  - {id: pdu-b, kind: pdu, part: floor-PDU, from: ups, feeds: [gpu, more]}
"""


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def scene(racks: int) -> Scenario:
    return loads(_SCENE.replace("RACKS", str(racks))).scenario


def test_the_stage_that_binds_is_named_with_the_sum_of_the_rule(catalog: Catalog) -> None:
    """One rack more than there are: the utility is over, though each PDU has room for it."""
    before, after = scene(1), scene(2)
    load = part_load(catalog, "SU-H100-rack")
    fullest = PowerRoom(build(before, catalog), catalog).with_more(load.power_w)
    assert fullest is not None
    assert fullest.id == "utility/0"
    found = next(
        one for one in check(after, build(after, catalog), catalog).findings if one.rule == "power-capacity"
    )
    assert found.value is not None
    assert found.limit is not None
    assert fullest.before < 1.0 < fullest.after
    assert fullest.after == pytest.approx(found.value.value / found.limit.value, rel=1e-9)


def test_what_is_put_into_a_rack_hangs_on_the_feeds_of_that_rack(catalog: Catalog) -> None:
    text = _SCENE.replace("RACKS", "1").replace("feeds: [gpu, more]}", "feeds: [gpu]}", 1)
    text = text.replace("feeds: [gpu, more]}", "capacity: 20 kW, feeds: [more]}").replace("130 kW", "900 kW")
    scenario = loads(text).scenario
    plant = build(scenario, catalog)
    room = PowerRoom(plant, catalog)
    in_rack = room.with_more(10e3, plant.racks.ids.index("more/0/0"))
    by_itself = room.with_more(10e3)
    assert in_rack is not None
    assert by_itself is not None
    assert in_rack.id == "pdu-b/0"
    assert in_rack.after == pytest.approx(in_rack.before + 0.5)
    assert by_itself.after < 1.0


def test_a_rack_costs_what_it_holds(catalog: Catalog) -> None:
    whole, cabinet = part_load(catalog, "SU-H100-rack"), catalog.part("EIA-48U").price_usd or 0.0
    assert whole.cost_usd == 4 * (part_load(catalog, "DGX-H100").cost_usd or 0.0) + cabinet
    assert whole.unpriced == ()
    assert part_load(catalog, "GB200-NVL72").unpriced == ()
