"""Where a thing lands that is moved over the floor or along a rack: cases worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.commands.place.floor_plan import FloorPlan, MovedShape, Obstacle
from twin.commands.place.snap import snap, zones
from twin.commands.place.snap_units import snap_units, taken_units
from twin.plant.build import build
from twin.plant.tables import Plant
from twin.scenario import loads

_SCENE = """\
format: twin/scenario
version: 3
catalog: "2026.11"
title: two rows
halls:
  - id: main
    rows:
      - id: gpu
        count: 2
        at: {x: 3 m, y: 3 m}
        pitch: 3.0 m
        racks: {count: 4, pitch: 0.7 m, nodes: [{part: DGX-H100, count: 2}]}
"""
RACK = MovedShape.single(0.6, 1.2, -1)


@pytest.fixture(scope="module")
def plant() -> Plant:
    """Racks at x = 3.3, 4.0, 4.7, 5.4 on the lines y = 3.6 (fronts to -y) and y = 6.6 (fronts to +y)."""
    return build(loads(_SCENE).scenario)


@pytest.fixture(scope="module")
def floor(plant: Plant) -> FloorPlan:
    return FloorPlan.of(plant)


def test_alone_on_the_floor_edges_lie_on_joints_of_tiles(floor: FloorPlan) -> None:
    landed = snap(floor, RACK, 10.07, 12.1)
    assert landed.ok
    x, y = landed.place.x_m, landed.place.y_m
    assert ((x - 0.3) / 0.6, (y - 0.6) / 0.6) == pytest.approx((16, 19))
    assert landed.place.row == -1


def test_beside_a_row_it_joins_the_line_at_the_pitch_of_the_row(floor: FloorPlan) -> None:
    landed = snap(floor, RACK, 6.2, 3.75)
    assert (landed.place.x_m, landed.place.y_m) == pytest.approx((6.1, 3.6))
    assert landed.place.row == 0
    assert landed.ok
    line = next(guide for guide in landed.guides if guide.kind == "line")
    assert line.start[1] == line.stop[1] == pytest.approx(3.6)
    assert line.start[0] < 3.0
    assert line.stop[0] > 6.4
    gap = next(guide for guide in landed.guides if guide.kind == "gap")
    assert gap.text == "0.10 m"  # 0.6 m wide at a pitch of 0.7 m


def test_a_pitch_further_the_place_between_stays_free(floor: FloorPlan) -> None:
    assert snap(floor, RACK, 6.9, 3.6).place.x_m == pytest.approx(6.8)


def test_a_wider_rack_stands_side_by_side_with_its_neighbour(floor: FloorPlan) -> None:
    landed = snap(floor, MovedShape.single(0.8, 1.2, -1), 6.15, 3.6)
    assert landed.place.x_m == pytest.approx(5.4 + 0.3 + 0.4)
    assert landed.ok


def test_free_it_stays_where_it_was_wished(floor: FloorPlan) -> None:
    place = snap(floor, RACK, 6.234, 3.711, free=True).place
    assert (place.x_m, place.y_m) == (6.234, 3.711)


def test_along_one_axis_the_other_stays(floor: FloorPlan) -> None:
    landed = snap(floor, RACK, 9.0, 3.7, keep_y_m=12.34)
    assert landed.place.y_m == 12.34
    assert snap(floor, RACK, 9.0, 12.0, keep_x_m=7.77).place.x_m == 7.77


def test_what_would_stand_in_another_is_refused_and_named(floor: FloorPlan) -> None:
    landed = snap(floor, RACK, 4.05, 3.6)
    assert not landed.ok
    assert landed.reason == "it would overlap gpu/0/1"
    assert landed.problems[0].ids == ("gpu/0/1",)


def test_what_is_moved_is_not_in_its_own_way(plant: Plant) -> None:
    floor = FloorPlan.of(plant, without=("gpu/0/1",))
    assert snap(floor, RACK, 4.05, 3.6).ok


def test_several_keep_their_places_to_one_another(floor: FloorPlan) -> None:
    found = MovedShape.standing(floor, ["gpu/0/0", "gpu/1/3"])
    assert found is not None
    shape, at = found
    assert at == pytest.approx((3.3, 3.6))
    assert shape.dx_m == pytest.approx([0.0, 2.1])
    assert shape.dy_m == pytest.approx([0.0, 3.0])
    landed = snap(floor, shape, 12.0, 12.0)
    assert landed.ok
    assert not snap(floor, shape, 3.3 - 2.1, 3.6).ok  # the second would stand in gpu/1/0


def test_too_little_room_before_a_rack_is_told_with_its_distance(floor: FloorPlan) -> None:
    # The front of row 0 is at y = 3.0; a rack whose rear is at 2.2 leaves 0.8 m before it.
    landed = snap(floor, RACK, 4.0, 1.6, free=True)
    assert landed.ok  # only to be known
    assert landed.reason == "0.80 m clear between it and gpu/0/1; 1 m minimum, 1.2 m recommended"
    assert (
        snap(floor, MovedShape.single(0.6, 1.2, 1), 4.0, 1.2, free=True).problems == ()
    )  # 1.2 m, front to front
    close = snap(floor, MovedShape.single(0.6, 1.2, 1), 4.0, 1.35, free=True)
    assert close.reason == "1.05 m clear between it and gpu/0/1; 1.2 m recommended"


def test_room_behind_counts_too(floor: FloorPlan) -> None:
    landed = snap(
        floor, MovedShape.single(0.6, 1.2, 1), 4.0, 9.0, free=True
    )  # its rear looks to row 1, 1.2 m away
    assert [p.sentence for p in landed.problems] == []
    landed = snap(floor, MovedShape.single(0.6, 1.2, 1), 4.0, 8.6, free=True)
    assert landed.reason == "0.80 m clear between it and gpu/1/1; 1 m minimum, 1.2 m recommended"


def test_far_outside_is_refused_and_a_little_outside_the_hall_grows(floor: FloorPlan) -> None:
    x1 = float(floor.halls_m[0, 2])
    assert snap(floor, RACK, x1 + 6.0, 9.0, free=True).problems == ()
    far = snap(floor, RACK, x1 + 20.0, 6.0, free=True)
    assert not far.ok
    assert far.reason == "it would be 20.3 m outside main"


def test_other_things_on_the_floor_are_in_the_way(plant: Plant) -> None:
    floor = FloorPlan.of(plant, [Obstacle("pdu/0", (9.0, 9.0), (9.6, 9.9))])
    assert snap(floor, RACK, 9.3, 9.3, free=True).reason == "it would overlap pdu/0"


def test_on_an_empty_floor_only_tiles_draw(plant: Plant) -> None:
    floor = FloorPlan.of(plant, without=plant.racks.ids)
    place = snap(floor, RACK, 3.4, 3.5).place
    assert (place.x_m, place.y_m) == pytest.approx((3.3, 3.6))


@given(st.floats(2.0, 9.0), st.floats(1.0, 10.0))
def test_landing_again_changes_nothing(x_m: float, y_m: float) -> None:
    floor = FloorPlan.of(build(loads(_SCENE).scenario))
    first = snap(floor, RACK, x_m, y_m).place
    again = snap(floor, RACK, first.x_m, first.y_m).place
    assert (again.x_m, again.y_m) == pytest.approx((first.x_m, first.y_m), abs=1e-9)


def test_zones_lie_before_and_behind() -> None:
    front, rear = zones((0.0, 0.0), (0.6, 1.2), -1)
    assert front == ((0.0, pytest.approx(-1.2)), (0.6, pytest.approx(0.0)))
    assert rear == ((0.0, pytest.approx(1.2)), (0.6, pytest.approx(2.1)))


def test_a_turned_shape_looks_the_other_way() -> None:
    row = MovedShape.row(3, 0.6, 0.6, 1.2, 1).turned()
    assert row.facing.tolist() == [-1, -1, -1]
    assert row.dx_m == pytest.approx([0.0, -0.6, -1.2])


# --- units


def test_units_of_a_rack_are_taken_by_what_stands_there(plant: Plant) -> None:
    taken = taken_units(plant, 0)
    assert len(taken) == 48
    assert np.flatnonzero(taken).tolist() == list(range(16))  # two of 8 U from the floor
    assert not taken_units(plant, 0, plant.nodes.ids).any()


def test_a_node_lands_at_the_nearest_free_units(plant: Plant) -> None:
    landed = snap_units(plant, 0, 8, 30.0)
    assert (landed.ok, landed.u) == (True, 26)  # its middle is where the pointer is
    assert snap_units(plant, 0, 8, 10.0).u == 17  # above the two
    assert snap_units(plant, 0, 8, 48.9).u == 41  # below the roof
    assert landed.fits == tuple(range(17, 42))


def test_free_in_a_rack_it_is_refused_where_something_stands(plant: Plant) -> None:
    landed = snap_units(plant, 0, 8, 10.0, free=True)
    assert not landed.ok
    assert landed.reason == "units 6 to 13 of rack gpu/0/0 are taken"


def test_a_node_that_does_not_fit_says_why(plant: Plant) -> None:
    assert snap_units(plant, 0, 40, 20.0).reason == (
        "rack gpu/0/0 has no 40 U free in one piece: 32 of 48 U are"
    )
    assert snap_units(plant, 0, 60, 20.0).reason == "it needs 60 U, and rack gpu/0/0 has 48"
