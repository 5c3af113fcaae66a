"""Machines that found their own place keep clear of racks by themselves: they are in no rack's way."""

from __future__ import annotations

import numpy as np
import pytest

from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.edit.draft import Draft
from twin.commands.place.floor_plan import FloorPlan
from twin.commands.place.footprint import standing, struck
from twin.commands.place.move import MoveThings, MoveTo
from twin.commands.place.place import AddPart
from twin.commands.room.copies import Array, Duplicate
from twin.plant.tables import Plant
from twin.scenario import loads

_SCENE = """\
format: twin/scenario
version: 3
catalog: "2026.11"
title: A rack with a CDU that nobody placed
halls:
  - id: hall
    rows:
      - {id: gpu, at: {x: 8 m, y: 2 m}, facing: south, racks: {count: 1, part: GB200-NVL72}}
cooling:
  plants:
    - {id: water, kind: dry-cooler}
  loops:
    - {id: cdu, kind: liquid, part: CDU-inrow-1350, plant: water, serves: [gpu]}
"""


@pytest.fixture
def draft() -> Draft:
    return Draft(loads(_SCENE))


def plant_of(draft: Draft) -> Plant:
    return EditedScene.of(draft.shown).plant


def apart(plant: Plant) -> bool:
    """Return whether nothing stands in anything."""
    boxes = standing(plant)
    return all(
        struck(boxes.moved(one, 0.0, 0.0), boxes.but(one)) is None
        for one in np.eye(len(boxes.ids), dtype=bool)
    )


def way(plant: Plant) -> tuple[float, float]:
    """Return from the rack to the machine."""
    return (
        float(plant.loops.x_m[0] - plant.racks.x_m[0]),
        float(plant.loops.y_m[0] - plant.racks.y_m[0]),
    )


def test_the_plant_knows_who_was_given_a_place(draft: Draft) -> None:
    assert plant_of(draft).loops.placed.tolist() == [False]
    assert FloorPlan.of(plant_of(draft), settled=True).ids == ["gpu/0/0"]
    draft.land(draft.propose(MoveTo((("cdu/0", 12.0, 3.0),))))
    assert plant_of(draft).loops.placed.tolist() == [True]
    assert FloorPlan.of(plant_of(draft), settled=True).ids == ["gpu/0/0", "cdu/0"]


@pytest.mark.parametrize("how", ["move", "add", "copy", "array"])
def test_a_rack_goes_where_such_a_machine_stands_and_the_machine_makes_room(draft: Draft, how: str) -> None:
    plant = plant_of(draft)
    x_m, y_m = way(plant)
    at = float(plant.loops.x_m[0]), float(plant.loops.y_m[0])
    command = {
        "move": MoveThings(("gpu/0/0",), (x_m, y_m)),
        "add": AddPart("GB200-NVL72", at=at),
        "copy": Duplicate(("gpu",), by=(x_m, y_m)),
        "array": Array(("gpu/0/0",), 2, 1, (x_m, 3.0)),
    }[how]
    draft.land(draft.propose(command))
    after = plant_of(draft)
    assert apart(after)
    assert np.hypot(after.racks.x_m - at[0], after.racks.y_m - at[1]).min() < 0.8


def test_what_was_given_a_place_stays_and_so_is_in_the_way(draft: Draft) -> None:
    draft.land(draft.propose(MoveTo((("cdu/0", 12.0, 3.0),))))
    with pytest.raises(CommandError, match="would overlap cdu/0"):
        draft.propose(MoveThings(("gpu/0/0",), way(plant_of(draft))))


def test_a_machine_does_not_make_room_for_another(draft: Draft) -> None:
    plant = plant_of(draft)
    at = float(plant.loops.x_m[0]), float(plant.loops.y_m[0])
    with pytest.raises(CommandError, match="would overlap cdu/0"):
        draft.propose(AddPart("CDU-inrow-1350", at=at))
