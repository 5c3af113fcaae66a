"""Nodes are counted in the rack they stand in, whatever their rack was made with."""

from __future__ import annotations

from twin.app.faults.break_choices import choices
from twin.app.palette.room_figures import figures_of
from twin.commands.edit.command import EditedScene
from twin.commands.place.move import MoveNodes
from twin.scenario import loads
from twin.scenario.file.patch_text import edit

_ROOM = """\
format: twin/scenario
version: 3
catalog: "2026.11"
title: Racks with doors
halls:
  - id: hall
    rows:
      - {id: gpu, racks: {count: 2, nodes: [{part: HGX-H100-8-OEM, count: 1}]}}
cooling:
  plants: [{id: water, kind: chiller, supply: 16 degC}]
  loops: [{id: door, kind: rear-door, part: RDHx-active, plant: water, serves: [gpu], supply: 22 degC}]
"""
_SHELVES = """\
format: twin/scenario
version: 3
catalog: "2026.11"
title: A rack that lost its trays, and one that has them
halls:
  - id: hall
    overrides: {OVERRIDES}
    rows:
      - {id: gpu, racks: {count: 2, part: GB200-NVL72}}
"""


def test_a_door_is_counted_where_a_node_stands() -> None:
    document = loads(_ROOM)
    scene = EditedScene.of(document)

    def cooling(one: EditedScene) -> str:
        return next(line.words for line in figures_of(one) if line.label == "Cooling")

    assert cooling(scene).endswith("by 2 rear doors")
    moved = edit(document, MoveNodes(("gpu/0/0/0",), "gpu/0/1").patch(scene))[0]
    assert cooling(EditedScene.of(moved)).endswith("by 1 rear door")


def test_supplies_break_where_something_draws_from_them() -> None:
    gone = ", ".join(f"gpu/0/0/{tray}: {{absent: true}}" for tray in range(18))
    scene = EditedScene.of(loads(_SHELVES.replace("OVERRIDES", gone)))
    offered = [{one.kind for one in choices(scene.scenario, scene.plant, f"gpu/0/{k}")} for k in range(2)]
    assert "psu_loss" not in offered[0]
    assert "psu_loss" in offered[1]
