"""What comes is connected as it comes, in one step; what has no room for it is left alone."""

from __future__ import annotations

import pytest

from twin.commands.edit.command import EditedScene
from twin.commands.edit.draft import Draft
from twin.commands.place.place import AddPart
from twin.commands.wiring.auto_wire import wired
from twin.commands.wiring.connect_new import WiredIn
from twin.scenario import load
from twin.sim.engine.engine import Engine


@pytest.mark.parametrize(
    ("name", "part", "left"), [("superpod-h100", "DGX-H100", ["fabric"]), ("nvl72-row", "GB200-NVL72", [])]
)
def test_a_rack_that_comes_is_cooled_fed_and_linked(name: str, part: str, left: list[str]) -> None:
    """The four spines of the unit have no port for a 33rd node: that is left to a person, and to the checks."""
    draft = Draft(load(f"builtin:{name}"))
    before = draft.file.text
    add = WiredIn(AddPart(part, at=(2.0, 30.0)))
    draft.land(draft.propose(add))
    scene = EditedScene.of(draft.shown)
    (new,) = {rows.id for rows in scene.scenario.halls[0].rows} - {
        rows.id for rows in load(f"builtin:{name}").scenario.halls[0].rows
    }
    loose = [one for one in wired(scene) if one.id == new]
    assert [one.connection for one in loose] == left
    rack = scene.plant.racks.ids.index(f"{new}/0/0")
    assert max(scene.plant.racks.loop[rack], scene.plant.racks.air_loop[rack]) >= 0
    assert scene.plant.racks.feed_a[rack] >= 0
    Engine(draft.shown.scenario).advance(60.0)
    assert len(draft.done) == 1
    draft.undo()
    assert draft.file.text == before


def test_what_was_loose_before_stays_so() -> None:
    draft = Draft(load("builtin:nvl72-row"))
    draft.land(draft.propose(AddPart("GB200-NVL72", at=(2.0, 30.0))))
    loose = {one.id for one in wired(EditedScene.of(draft.shown))}
    assert loose
    draft.land(draft.propose(WiredIn(AddPart("GB200-NVL72", at=(6.0, 30.0)))))
    assert {one.id for one in wired(EditedScene.of(draft.shown))} == loose
