"""Locked things stay as they are; hidden ones are not drawn, and nothing else changes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from twin.app.world.locks import struck
from twin.commands.edit.command import Command, EditedScene
from twin.commands.place.delete import Delete
from twin.commands.place.generators import ChangeGenerator
from twin.commands.place.move import MoveThings
from twin.commands.place.properties import DrainNodes, Rename, SetProperty
from twin.plant.geometry import build_geometry
from twin.scenario import load
from twin.scenario.file.patch_text import edit
from twin.view3d.place.cable_field import CableField
from twin.view3d.place.hidden_plant import seen
from twin.view3d.place.site_plan import site_plan

_SCENES = Path(__file__).parents[2] / "scenes"
NONE: frozenset[str] = frozenset()


@cache
def lab() -> EditedScene:
    """Return the smallest scene without its job, which needs both nodes."""
    scene = EditedScene.of(load(_SCENES / "lab-16.twin.yaml"))
    return EditedScene.of(edit(scene.document, Delete(("llama3",)).patch(scene))[0])


@pytest.mark.parametrize(
    ("command", "locked", "stays"),
    [
        (MoveThings(("gpu/0/0",), (0.0, 3.0)), "gpu/0/0", True),
        (MoveThings(("gpu/0/0",), (0.0, 3.0)), "gpu", True),
        (MoveThings(("gpu/0/0",), (0.0, 3.0)), "gpu/0/1", False),
        (DrainNodes(("gpu/0/1/0",)), "gpu/0/1", True),
        (Delete(("gpu/0/1",)), "gpu/0/1", True),
        (ChangeGenerator("gpu", racks=1), "gpu/0/1", True),
        (ChangeGenerator("gpu", racks=3), "gpu/0/1", False),
        (Rename("gpu", "CELLAR"), "gpu/0/1", False),
        (SetProperty(("crah",), "supply", "20 degC"), "crah", True),
        (SetProperty(("crah",), "supply", "20 degC"), "gpu", False),
    ],
)
def test_a_lock_holds_what_would_change_and_nothing_else(command: Command, locked: str, stays: bool) -> None:
    scene = lab()
    after = edit(scene.document, command.patch(scene))[0].scenario
    assert struck(scene.scenario, after, {locked, "gone/7"}) == (locked if stays else "")


def test_hidden_racks_take_their_nodes_gpus_and_cables_along() -> None:
    plant = lab().plant
    drawn = seen(plant, frozenset({"gpu/0/0"}), NONE)
    assert drawn.racks.present.sum() == plant.racks.present.sum() - 1
    assert drawn.gpus.present.sum() == 8
    assert len(drawn.gpus.node) == len(plant.gpus.node)  # slots stay: frames fit
    assert plant.racks.present.all()
    used = CableField(drawn, build_geometry(drawn)).runs.used.sum()
    assert used < CableField(plant, build_geometry(plant)).runs.used.sum()


def test_only_what_is_wanted_is_left() -> None:
    plant = lab().plant
    alone = seen(plant, NONE, frozenset({"gpu/0/1/0"}))
    assert np.flatnonzero(alone.racks.present).tolist() == [plant.slots["gpu/0/1"][1]]
    assert np.flatnonzero(alone.nodes.present).tolist() == [plant.slots["gpu/0/1/0"][1]]
    assert not alone.loops.present.any()
    hall = seen(plant, NONE, frozenset(plant.halls.ids))
    assert hall.racks.present.all()
    assert hall.nodes.present.all()
    build_geometry(alone)


def test_machines_outside_are_hidden_and_the_others_stay_where_they_stand() -> None:
    plant = EditedScene.of(load(_SCENES / "frontier.twin.yaml")).plant
    geometry = build_geometry(plant)
    there = site_plan(plant, geometry, 1.0).yard
    for hidden, plants in enumerate(plant.plants.ids):
        left = site_plan(seen(plant, frozenset({plants}), NONE), geometry, 1.0).yard
        assert np.array_equal(left.low, there.low[there.plant != hidden])
    assert not len(site_plan(seen(plant, NONE, frozenset(plant.halls.ids)), geometry, 1.0).yard.low)


def test_nothing_hidden_is_the_plant_itself() -> None:
    assert seen(lab().plant, NONE, NONE) is lab().plant
