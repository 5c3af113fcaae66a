"""Walls, columns, doors and ceilings against racks: what rules find, and what a thing on its way to a place hears."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twin.app.placing.foreseen import foreseen
from twin.catalog import load_catalog
from twin.commands.edit.command import EditedScene
from twin.commands.place.floor_plan import FloorPlan, MovedShape
from twin.commands.place.place import AddPart
from twin.commands.place.snap import snap
from twin.plant.build import build
from twin.rules import Finding, check
from twin.rules.building import ReachedFloor
from twin.scenario import ScenarioError, loads
from twin.scenario.generators.building_shape import BuildingShape, shape_of
from twin.scenario.schema.building import Building

CATALOG = load_catalog()
HALL = """\
format: twin/scenario
version: 3
catalog: "2026.11"
title: a hall with walls
halls:
  - id: hall
    BUILDING
    rows:
      - {id: gpu, at: {x: 2 m, y: 3 m}, racks: {count: 2}}
"""
WALLS = "walls: {at: {x: -1 m, y: -1 m}, width: 12 m, depth: 9 m}"
RULES = ("wall", "column", "door-swing", "ceiling", "door-path")


def scene(building: str, at: str = "{x: 2 m, y: 3 m}") -> str:
    return HALL.replace("BUILDING", f"building: {{{building}}}").replace("{x: 2 m, y: 3 m}", at)


def found(building: str, at: str = "{x: 2 m, y: 3 m}") -> list[Finding]:
    scenario = loads(scene(building, at)).scenario
    return [one for one in check(scenario, build(scenario), CATALOG).findings if one.rule in RULES]


def shape(building: str) -> BuildingShape:
    made = loads(scene(building)).scenario.halls[0].building
    assert made is not None
    return shape_of(made)


@pytest.mark.parametrize(
    ("rule", "building", "at", "clause"),
    [
        (
            "column",
            "columns: [{id: c, at: {x: 2.3 m, y: 3.6 m}}]",
            "{x: 2 m, y: 3 m}",
            "stand on column c/0/0",
        ),
        (
            "column",
            "columns: [{id: c, at: {x: -4 m, y: 3.6 m}, along: 2, pitch: 6.3 m}]",
            "{x: 2 m, y: 3 m}",
            "stand on column c/1/0",
        ),
        ("wall", WALLS, "{x: -1.3 m, y: 3 m}", "stand in a wall"),
        ("wall", WALLS, "{x: 14 m, y: 3 m}", "stand outside the walls"),
        (
            "wall",
            "walls: {corners: [{x: -1 m, y: -1 m}, {x: 9 m, y: -1 m}, {x: 9 m, y: 3.4 m}, {x: 3 m, y: 3.4 m}, "
            "{x: 3 m, y: 9 m}, {x: -1 m, y: 9 m}]}",
            "{x: 2.4 m, y: 3 m}",
            "stand in a wall",
        ),
        (
            "door-swing",
            f"{WALLS}, doors: [{{id: d, at: {{x: 2.6 m, y: -1 m}}, width: 2 m}}]",
            "{x: 2 m, y: -0.5 m}",
            "stand in the swing of door d",
        ),
        (
            "ceiling",
            "height: 3.2 m, raised_floor: 0.6 m",
            "{x: 2 m, y: 3 m}",
            "reach 2.30 m up, under a ceiling at 2.60 m; 0.46 m must stay free",
        ),
    ],
)
def test_a_rule_and_a_ghost_say_the_same(rule: str, building: str, at: str, clause: str) -> None:
    one = next(one for one in found(building, at) if one.rule == rule)
    assert one.severity == "error"
    assert one.ids[0].startswith("gpu/0/")
    assert one.sentence.endswith(clause)
    plant = build(loads(scene(building, at)).scenario)
    rack = one.ids[0]
    floor = FloorPlan.of(plant, without=plant.racks.ids)
    moved = MovedShape.single(0.6, 1.2, -1).tall((2.3,))
    slot = plant.slots[rack][1]
    landing = snap(
        floor, moved, float(plant.racks.x_m[slot]), float(plant.racks.y_m[slot]), free=True, subject="R"
    )
    assert not landing.ok
    assert landing.reason == f"R would {clause}"


def test_what_stands_free_is_not_found() -> None:
    assert not found(
        f"{WALLS}, height: 3.4 m, raised_floor: 0.6 m, columns: [{{id: c, at: {{x: 8 m, y: 4 m}}}}], "
        "doors: [{id: d, at: {x: 5 m, y: -1 m}}, {id: s, at: {x: -1 m, y: 2 m}, swing: sliding, width: 0.8 m}]"
    )


def test_a_door_that_opens_outwards_keeps_no_floor_free() -> None:
    door = "doors: [{id: d, at: {x: 2.6 m, y: -1 m}, width: 2 m, swing: SWING}]"
    at = "{x: 2 m, y: -0.9 m}"
    told = {
        way: [one.rule for one in found(f"{WALLS}, {door.replace('SWING', way)}", at)]
        for way in ("in", "out")
    }
    assert "door-swing" in told["in"]
    assert "door-swing" not in told["out"]


def test_a_row_behind_columns_has_no_way_from_the_door() -> None:
    door = "doors: [{id: d, at: {x: 5 m, y: -1 m}}]"
    fence = f"columns: [{{id: c, at: {{x: -0.7 m, y: 1 m}}, along: LONG, pitch: 1.2 m}}], {door}"
    shut = found(f"{WALLS}, {fence.replace('LONG', '10')}")
    assert [one.rule for one in shut] == ["door-path"]
    assert shut[0].ids == ("gpu/0",)
    assert shut[0].sentence == "doors of hall leave no free way of 1 m to the front of gpu/0"
    assert not found(f"{WALLS}, {fence.replace('LONG', '8')}"), "1.6 m are free past the last column"


def test_a_door_too_low_for_the_racks_is_told() -> None:
    low = found(f"{WALLS}, doors: [{{id: d, at: {{x: 5 m, y: -1 m}}, height: 2.1 m}}]")
    assert [one.sentence for one in low] == [
        "doors of hall are too small for gpu/0/0 and 1 more, 0.60 m wide and 2.30 m high"
    ]


@given(st.lists(st.tuples(*[st.integers(0, 19)] * 2, *[st.integers(1, 6)] * 2), max_size=12))
@settings(max_examples=60, deadline=None)
def test_the_floor_reached_is_that_of_a_fine_grid(things: list[tuple[int, int, int, int]]) -> None:
    """Whole metres: what a square of 2 m reaches from the door, cell by cell."""
    room = Building.model_validate(
        {"walls": {"width": 20.0, "depth": 20.0}, "doors": [{"id": "d", "at": {"x": 3.0}, "width": 2.0}]}
    )
    areas = np.array([(x, y, x + wide, y + deep) for x, y, wide, deep in things], float).reshape(-1, 4)
    reached = ReachedFloor(shape_of(room), areas, 2.0)
    free = np.zeros((21, 21), bool)  # middles of the square, every metre
    free[1:20, 1:20] = True
    for x, y, wide, deep in things:
        free[max(0, y) : y + deep + 1, max(0, x) : x + wide + 1] = False
    seen = np.zeros_like(free)
    waiting = [(1, x) for x in (3,) if free[1, x]]
    while waiting:
        y, x = waiting.pop()
        if free[y, x] and not seen[y, x]:
            seen[y, x] = True
            waiting += [(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)]
    for y, x in np.argwhere(seen).tolist():
        assert reached.meets((x - 0.001, y - 0.001, x + 0.001, y + 0.001)), (x, y)


@pytest.mark.parametrize(
    ("building", "key", "reason"),
    [
        (
            f"{WALLS}, doors: [{{id: d, at: {{x: 2 m, y: -1 m}}, width: 13 m}}]",
            "doors[d].width",
            "wider than its wall",
        ),
        (
            f"{WALLS}, doors: [{{id: d, at: {{x: 2 m, y: 2 m}}}}]",
            "doors[d].at",
            "is 3.00 m from the nearest wall",
        ),
        (
            f"{WALLS}, doors: [{{id: d, at: {{x: -1 m, y: -1 m}}}}]",
            "doors[d].at",
            "0.60 m beyond the end of its wall",
        ),
        (
            f"{WALLS}, doors: [{{id: d, at: {{x: 2 m, y: -1 m}}}}, {{id: e, at: {{x: 3 m, y: -1 m}}}}]",
            "doors[e].at",
            "into door 'd'",
        ),
        ("doors: [{id: d}]", "doors", "need walls"),
        (f"{WALLS}, columns: [{{id: c, at: {{x: 20 m}}}}]", "columns[c]", "puts c/0/0 outside the walls"),
        (f"{WALLS}, columns: [{{id: gpu}}]", "columns[gpu].id", "duplicate"),
        ("columns: [{id: c, along: 3, pitch: 0.2 m}]", "columns[c].pitch", "less than a column is wide"),
        ("columns: [{id: c, width: -1 m}]", "columns[c].width", "more than 0 m"),
        ("height: 3 m, raised_floor: 3 m", "raised_floor", "not below the ceiling"),
        ("walls: {width: 3 m}", "walls", "need width and depth, or corners"),
        (
            "walls: {corners: [{}, {x: 4 m}, {x: 5 m, y: 4 m}, {y: 4 m}]}",
            "walls.corners[2]",
            "neither level with nor straight across",
        ),
    ],
)
def test_a_building_that_cannot_be_is_refused_at_its_key(building: str, key: str, reason: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        loads(scene(building), "hall.twin.yaml")
    (problem,) = caught.value.problems
    assert key in problem.key
    assert reason in problem.reason
    assert problem.line == 7


def test_walls_are_the_floor_of_the_hall_wherever_it_stands() -> None:
    second = f"  - {{id: two, building: {{{WALLS}}}, rows: [{{id: net, racks: {{count: 1}}}}]}}\n"
    halls = build(loads(scene(WALLS) + second).scenario).halls
    assert (float(halls.x0_m[0]), float(halls.x1_m[0]), float(halls.y0_m[0]), float(halls.y1_m[0])) == (
        -1,
        11,
        -1,
        8,
    )
    shift_m = float(halls.shift_x_m[1])
    assert shift_m > 12
    assert halls.buildings[1].corners[0] == (shift_m - 1, -1)
    assert (float(halls.x0_m[1]), float(halls.x1_m[1])) == (shift_m - 1, shift_m + 11)


def test_pieces_of_wall_close_the_outline_but_for_doors() -> None:
    walls = shape(
        f"{WALLS.replace('9 m}', '9 m, thickness: 0.3 m}')}, doors: [{{id: d, at: {{x: 5 m, y: -1 m}}, width: 2 m}}]"
    )
    area = sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in walls.wall_pieces())
    assert area == pytest.approx(12.6 * 9.6 - 12 * 9 - 2 * 0.3)


def test_an_empty_hall_with_walls_keeps_them() -> None:
    empty = HALL.replace("BUILDING", f"building: {{{WALLS}}}").partition("    rows:")[0]
    halls = build(loads(empty).scenario).halls
    assert (float(halls.x0_m[0]), float(halls.x1_m[0])) == (-1, 11)
    assert halls.buildings[0].binds


def test_a_rack_too_heavy_for_the_floor_is_refused_where_it_is_held() -> None:
    light = scene(WALLS).replace("    building:", "    floor_load: 500 kg/m2\n    building:")
    plant = build(loads(light).scenario)
    floor = FloorPlan.of(plant)
    moved = MovedShape.single(0.6, 1.2, -1).tall((2.3,), (1360.0,))
    landing = snap(floor, moved, 6.0, 3.0, free=True, subject="R")
    assert landing.reason == "R would put 9.26 kPa on the floor, above its limit of 4.9 kPa"
    assert not landing.ok
    assert snap(floor, moved.tall((2.3,), (500.0,)), 6.0, 3.0, free=True).ok


def test_the_way_that_a_rack_would_shut_is_foreseen() -> None:
    gap = f"{WALLS}, columns: [{{id: c, at: {{x: -0.7 m, y: 1 m}}, along: 9, pitch: 1.2 m}}], "
    document = loads(scene(f"{gap}doors: [{{id: d, at: {{x: 5 m, y: -1 m}}}}]"))
    plan = EditedScene.of(document, catalog=CATALOG)
    assert foreseen(plan, AddPart("EIA-48U", "hall", at=(10.0, 1.0))).startswith("No way from a door: gpu/0")
    assert "No way" not in foreseen(plan, AddPart("EIA-48U", "hall", at=(6.0, 6.0)))
