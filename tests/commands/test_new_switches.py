"""The switches told while a thing is carried are those that come with it when it is put down."""

from __future__ import annotations

import pytest

from twin.catalog import load_catalog
from twin.commands.budget.part_load import part_load
from twin.commands.edit.command import EditedScene
from twin.commands.place.place import AddPart
from twin.commands.wiring.connect_new import WiredIn
from twin.commands.wiring.new_switches import new_switches
from twin.scenario import loads
from twin.scenario.file.patch_text import edit

_SCENE = """\
format: twin/scenario
version: 3
catalog: "2026.11"
title: Eight racks
halls:
  - id: hall
    rows:
      - {id: gpu, at: {x: 4 m, y: 0 m}, racks: {count: 8, nodes: [{part: DGX-H100, count: 4}]}}
      - {id: net, at: {x: 4 m, y: 6 m}, racks: {count: 4, role: network}}
fabrics:
  - {id: ib, kind: KIND, ROWSleaf: {part: QM9700, racks: net}, spine: {part: QM9700, racks: net}}
"""


@pytest.mark.parametrize("kind", ["rail-optimised", "leaf-spine"])
@pytest.mark.parametrize("rows", ["", "rows: [gpu], "])
@pytest.mark.parametrize(("part", "rack"), [("SU-H100-rack", ""), ("DGX-H100", ""), ("DGX-H100", "gpu/0/3")])
def test_as_many_switches_are_told_as_come(kind: str, rows: str, part: str, rack: str) -> None:
    document = loads(_SCENE.replace("KIND", kind).replace("ROWS", rows))
    scene = EditedScene.of(document, catalog=load_catalog())
    nodes = dict(part_load(scene.catalog, part).nodes)
    told = new_switches(scene, nodes, rack.partition("/")[0])
    command = AddPart(part, rack=rack) if rack else AddPart(part, at=(14.0, 12.0))
    after = EditedScene.of(edit(document, WiredIn(command).patch(scene))[0], catalog=scene.catalog)
    came = int(after.plant.switches.present.sum()) - int(scene.plant.switches.present.sum())
    assert told.count == came
    assert told.load.power_w == pytest.approx(came * scene.catalog.switch("QM9700").typical_w)


def test_without_a_network_and_without_cards_none_come() -> None:
    text = _SCENE[: _SCENE.index("fabrics:")]
    scene = EditedScene.of(loads(text), catalog=load_catalog())
    assert new_switches(scene, {"DGX-H100": 4}).count == 0
    with_one = EditedScene.of(
        loads(_SCENE.replace("KIND", "leaf-spine").replace("ROWS", "")), catalog=load_catalog()
    )
    assert new_switches(with_one, {}).count == 0
