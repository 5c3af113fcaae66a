"""A place that no site reaches is refused, and one that is set holds whatever stood there before."""

from __future__ import annotations

import pytest

from twin.app.inspector.property_fields import X, Y, properties
from twin.app.inspector.property_values import command
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.edit.draft import Draft
from twin.commands.place.move import MoveThings, MoveTo
from twin.scenario import ScenarioError, load, loads

_SCENE = """\
format: twin/scenario
version: 3
catalog: "2026.11"
title: Far
halls: [{id: hall, rows: [{id: gpu, at: {x: PLACE}, racks: {count: 2}}]}]
power: [{id: grid, kind: utility, places: {grid/0: {x: 0 m, y: STAND}}}]
"""


def test_a_file_with_a_place_beyond_ten_kilometres_is_refused() -> None:
    loads(_SCENE.replace("PLACE", "-10 km").replace("STAND", "10 km"))
    for far, key in (("PLACE", "halls[hall].rows[gpu].at.x"), ("STAND", "power[grid].places[grid/0].y")):
        text = _SCENE.replace(far, "10.1 km").replace("PLACE", "1 m").replace("STAND", "1 m")
        with pytest.raises(ScenarioError) as caught:
            loads(text)
        (problem,) = caught.value.problems
        assert (problem.key, problem.value) == (key, "'10.1 km'")
        assert "at most 10 km" in str(problem)


@pytest.mark.parametrize("typed", ["1 lightyear", "20 km", "-1e9"])
def test_the_inspector_takes_no_place_so_far_away(typed: str) -> None:
    draft = Draft(load("builtin:lab-16"))
    scene = EditedScene.of(draft.shown)
    for key in (X, Y):
        field = next(one for one in properties(scene, "gpu/0/0") if one.key == key)
        with pytest.raises(CommandError, match="not on the floor"):
            draft.propose(command(scene, ("gpu/0/0",), field, typed))


def test_a_place_is_set_and_not_added() -> None:
    """From as far away as can be back by a foot: nothing of the place before is left in it."""
    draft = Draft(load("builtin:lab-16"))
    for at_m in (9_999.0, 0.21336):
        draft.land(draft.propose(MoveTo((("gpu/0/0", at_m, -2.0),))))
    plant = EditedScene.of(draft.shown).plant
    slot = plant.slots["gpu/0/0"][1]
    assert float(plant.racks.x_m[slot]) == pytest.approx(
        0.2134, abs=1e-9
    )  # a file holds tenths of a millimetre


def test_a_move_by_more_than_a_site_is_refused() -> None:
    draft = Draft(load("builtin:lab-16"))
    with pytest.raises(CommandError, match="at most 10 km"):
        draft.propose(MoveThings(("gpu/0/0",), (1e16, 0.0)))
