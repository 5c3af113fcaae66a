"""Inner walls: in any direction, with doors, in the way of racks and of ways to them, drawn, exported, taken away."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.rules.test_rules_building import CATALOG, RULES, WALLS, found, scene, shape
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.place.building import AddDoor, AddInnerWall
from twin.commands.place.delete import Delete
from twin.drawings.plan import plan_draft
from twin.drawings.plan_building import plan_bounds_m
from twin.drawings.revision import draw_mark, marked_things
from twin.drawings.sheet import SheetContents
from twin.plant.build import build
from twin.scenario import ScenarioError, loads
from twin.scenario.file.patch_text import apply
from twin.scenario.generators.wall_line import WallLine, overlaps_quad
from twin.solids.site_solids import site_solids

DOOR = "{id: in, at: {x: 4 m, y: -1 m}, width: 1.4 m, swing: out}"


def wall(start: tuple[float, float], end: tuple[float, float], more: str = "") -> str:
    ends = (f"{key}: {{x: {x} m, y: {y} m}}" for key, (x, y) in (("start", start), ("end", end)))
    return f"{{id: fire, {', '.join(ends)}{more}}}"


def test_a_slanted_wall_is_where_it_says_and_as_thick() -> None:
    made = shape(f"inner_walls: [{wall((1.0, 1.0), (4.0, 5.0))}]")
    ((inner, from_m, to_m),) = made.inner_pieces()
    assert (from_m, to_m) == (0.0, pytest.approx(5.0))
    corners = np.array(inner.line.quad(from_m, to_m, -inner.thickness_m, 0.0))
    assert ((corners[[0, 1]] + corners[[3, 2]]) / 2).tolist() == [
        pytest.approx([1.0, 1.0]),
        pytest.approx([4.0, 5.0]),
    ]
    assert math.dist(corners[0], corners[3]) == pytest.approx(0.1)
    assert set(made.part_boxes[0]) == {"fire/0", "fire/1"}, "its ends are measured from"


def test_a_rack_meets_a_slanted_wall_only_where_that_is() -> None:
    quad = WallLine((0.0, 0.0), (4.0, 4.0)).quad(0.0, math.sqrt(32.0), -0.1, 0.0)
    areas = np.array([[1.8, 1.8, 2.2, 2.2], [0.0, 3.0, 1.0, 4.0], [3.0, 0.0, 4.0, 1.0], [3.9, 3.9, 5.0, 5.0]])
    assert overlaps_quad(areas, quad).tolist() == [True, False, False, True], "not in all of its box"


@pytest.mark.parametrize("end", [(2.3, 5.0), (2.9, 5.0)])
def test_what_stands_in_an_inner_wall_is_told_by_its_name(end: tuple[float, float]) -> None:
    """Racks of 0.6 m stand from x = 2 m, y = 3 m on: an upright and a slanted wall through the first."""
    (told,) = found(f"inner_walls: [{wall((2.3, 2.0), end)}]")
    assert told.rule == "wall"
    assert "stand in wall fire" in told.reason
    assert "gpu/0/0" in told.ids
    assert found(f"inner_walls: [{wall((2.3, 0.0), (4.0, 2.5))}]") == []


def test_a_wall_across_the_hall_cuts_a_row_off_until_it_has_a_door() -> None:
    across = wall((-1.0, 0.6), (11.0, 1.2))
    (told,) = found(f"{WALLS}, doors: [{DOOR}], inner_walls: [{across}]")
    assert told.rule == "door-path"
    assert "no free way" in told.reason
    through = "{id: pass, at: {x: 2 m, y: 0.75 m}, width: 1.6 m, swing: sliding}"
    assert found(f"{WALLS}, doors: [{DOOR}, {through}], inner_walls: [{across}]") == []
    narrow = through.replace("1.6 m", "0.8 m")
    assert [one.rule for one in found(f"{WALLS}, doors: [{DOOR}, {narrow}], inner_walls: [{across}]")] == [
        "door-path"
    ]


@pytest.mark.parametrize(
    ("building", "reason"),
    [
        (f"inner_walls: [{wall((1.0, 1.0), (1.0, 1.0))}]", "is where the wall starts"),
        (f"inner_walls: [{wall((1.0, 1.0), (2.0, 2.0))}, {wall((1.0, 1.0), (3.0, 2.0))}]", "fire"),
        (f"inner_walls: [{wall((1.0, 1.0), (2.0, 2.0), ', thickness: 0 m')}]", "thickness"),
        (
            f"inner_walls: [{wall((1.0, 1.0), (2.0, 1.0))}], doors: [{{id: d, at: {{x: 1.5 m, y: 1 m}}}}]",
            "wider than its wall",
        ),
    ],
)
def test_walls_that_cannot_be_are_refused(building: str, reason: str) -> None:
    with pytest.raises(ScenarioError, match=reason):
        loads(scene(building))


def test_walls_are_added_get_doors_are_drawn_marked_exported_and_taken_away() -> None:
    document = loads(scene(WALLS))
    edited = EditedScene.of(document)
    shift_m = float(edited.plant.halls.shift_x_m[0])
    with pytest.raises(CommandError, match=r"at least 0.2 m long"):
        AddInnerWall("hall", (1.0, 1.0), (1.1, 1.0)).patch(edited)
    walled = apply(document, AddInnerWall("hall", (shift_m + 6.0, 0.0), (shift_m + 9.0, 4.0)).patch(edited))
    (added,) = walled.scenario.halls[0].building.inner_walls
    assert (added.id, added.start.x_m, added.end.x_m, added.end.y_m) == ("wall", 6.0, 9.0, 4.0)
    open_ = apply(walled, AddDoor("hall", (shift_m + 7.5, 2.1)).patch(EditedScene.of(walled)))
    (door,) = open_.scenario.halls[0].building.doors
    plant = build(open_.scenario)
    building = plant.halls.buildings[0]
    assert building.doors[0].wall == 4, "after the outer walls"
    assert [round(to_m - from_m, 3) for _, from_m, to_m in building.inner_pieces()] == pytest.approx(
        [(5.0 - door.width_m) / 2] * 2, abs=0.1
    )
    draft = plan_draft(plant, 0, "A1", plan_bounds_m(plant, 0))
    pieces = [s for s in draft.drawn.strokes if s.grey == 0.12 and s.closed and s.wide_mm == 0.35]
    drawn = [math.dist(piece.points[0], piece.points[1]) * draft.floor.scale / 1e3 for piece in pieces]
    assert sorted(drawn) == pytest.approx(
        sorted(to_m - from_m for _, from_m, to_m in building.inner_pieces())
    )
    assert {thing.id for thing in marked_things(build(document.scenario), plant, "hall")} == {"wall", "door"}
    solids = site_solids(plant, CATALOG)
    slanted = [kind for kind, turn_rad in zip(solids.kinds, solids.turn_rad, strict=True) if turn_rad]
    assert slanted == ["wall"] * 3 + ["door"] * 2, "beside its door and over it, and two leaves"
    gone = apply(open_, Delete(("door",)).patch(EditedScene.of(open_)))
    gone = apply(gone, Delete(("wall",)).patch(EditedScene.of(gone)))
    assert gone.scenario.halls[0].building.inner_walls == ()
    assert set(RULES) >= {"wall", "door-path"}


def test_a_revision_marks_a_slanted_wall_where_it_is_and_sees_it_turned_over() -> None:
    """The other diagonal of the same rectangle is another wall; its ends exchanged are the same one."""
    ends = ((6.0, 1.0), (9.0, 5.0)), ((6.0, 5.0), (9.0, 1.0)), ((9.0, 5.0), (6.0, 1.0))
    first, other, same = (build(loads(scene(f"inner_walls: [{wall(*each)}]")).scenario) for each in ends)
    assert marked_things(first, same, "hall") == []
    (told,) = marked_things(first, other, "hall")
    assert (told.id, told.mark) == ("fire", "moved")
    draft = plan_draft(other, 0, "A1", plan_bounds_m(other, 0))
    drawn = SheetContents()
    draw_mark(drawn, draft.floor, told)
    now, before, _ = drawn.strokes
    for stroke, plant in ((now, other), (before, first)):
        (inner,) = plant.halls.buildings[0].inner
        quad = inner.line.quad(0.0, inner.line.long_m, -inner.thickness_m, 0.0)
        wanted = [(draft.floor.x(x), draft.floor.y(y)) for x, y in quad]
        assert sorted(stroke.points) == [pytest.approx(point) for point in sorted(wanted)]
