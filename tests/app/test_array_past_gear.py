"""Copies stand where gear is that found its own place: it goes to the end of the longer row by itself."""

from __future__ import annotations

import pytest

from twin.app.files.scene_file import EMPTY
from twin.app.placing.array_preview import preview
from twin.app.placing.payload import carried_things, power_obstacles
from twin.commands.edit.command import EditedScene
from twin.commands.edit.draft import Draft
from twin.commands.place.move import MoveTo
from twin.commands.place.place import AddPart
from twin.commands.room.copies import Array, Duplicate
from twin.commands.wiring.auto_wire import AutoWire
from twin.plant.geometry import build_geometry
from twin.scenario import loads
from twin.view3d.place.presets import open_side
from twin.view3d.place.site_plan import SitePlan, site_plan


def planned(draft: Draft) -> tuple[EditedScene, SitePlan]:
    scene = EditedScene.of(draft.shown)
    return scene, site_plan(scene.plant, build_geometry(scene.plant), open_side(scene.plant))


@pytest.fixture
def draft() -> Draft:
    """One rack, with a PDU beside it that nobody placed."""
    made = Draft(loads(EMPTY))
    for command in (AddPart("DGX-H100", at=(3.0, 3.0)), AutoWire(add=True)):
        made.land(made.propose(command))
    return made


def test_gear_without_a_place_of_its_own_is_in_nobodys_way(draft: Draft) -> None:
    scene, plan = planned(draft)
    rack = scene.plant.racks.ids[0]

    found = preview(scene, plan, lambda _: None, Array((rack,), 4, 1, (0.6, 3.0)))
    assert found.reason == "", found.reason
    draft.land(draft.propose(Array((rack,), 4, 1, (0.6, 3.0))))
    after, _ = planned(draft)
    assert len(after.plant.racks.ids) == len(scene.plant.racks.ids) + 3


def test_what_was_given_a_place_is_in_the_way_and_either_can_be_moved(draft: Draft) -> None:
    scene, plan = planned(draft)
    pdu = next(
        id for id, kind in zip(scene.plant.power.ids, scene.plant.power.kind, strict=True) if kind == "pdu"
    )
    assert pdu not in [one.id for one in power_obstacles(scene.plant, plan)]
    assert not isinstance(carried_things(scene.plant, plan, (pdu,)), str)
    draft.land(draft.propose(MoveTo(((pdu, 4.2, 3.0),))))
    scene, plan = planned(draft)
    found = preview(scene, plan, lambda _: None, Array((scene.plant.racks.ids[0],), 4, 1, (0.6, 3.0)))
    assert "would overlap" in found.reason


def test_a_copy_beside_is_made(draft: Draft) -> None:
    scene, _ = planned(draft)
    draft.land(draft.propose(Duplicate((scene.plant.racks.ids[0],), by=(0.6, 0.0))))
