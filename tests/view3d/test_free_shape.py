"""Where the eye stands that sees a site largest beside plates: hand cases, and against trying by brute force."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from twin.plant.build import build
from twin.plant.geometry import build_geometry
from twin.plant.tables import Plant
from twin.scenario import load
from twin.view3d.base.bounds import Box
from twin.view3d.base.camera import project
from twin.view3d.base.state import CameraPose
from twin.view3d.place.free_room import free_room, in_room
from twin.view3d.place.free_shape import is_behind, pose_beside, site_floors, site_pose, site_shape
from twin.view3d.place.presets import open_side, preset_pose
from twin.view3d.place.site_plan import site_plan

SCENES = Path(__file__).parents[2] / "scenes"
SIZE = (923.0, 333.0)
PLATES = [
    (14.0, 14.0, 245.0, 27.0),
    (14.0, 50.0, 465.0, 55.0),
    (792.0, 14.0, 117.0, 27.0),
    (14.0, 246.0, 174.0, 73.0),
]
FROM_ABOVE = CameraPose((0.0, 0.0, 0.0), 1.0, -90.0, 90.0, 38.0)
NO_EDGES = (0.0, 0.0, 0.0, 0.0)
SQUARE = np.array([(x, y, 0.0) for x in np.linspace(0, 10, 21) for y in np.linspace(0, 10, 21)])
NOWHERE = np.zeros((0, 3))


@pytest.fixture(scope="module")
def campus() -> tuple[Plant, Box]:
    plant = build(load(SCENES / "campus-100k.twin.yaml").scenario)
    plan = site_plan(plant, build_geometry(plant), open_side(plant))
    return plant, plan.boxes(plant.power.present)


def spans(
    pose: CameraPose, points: np.ndarray, size: tuple[float, float]
) -> tuple[float, float, float, float]:
    x, y, depth = project(pose, points, *size).T
    assert (depth > 0).all()
    return float(x.min()), float(x.max()), float(y.min()), float(y.max())


def test_a_square_fills_a_free_picture_from_edge_to_edge() -> None:
    pose = pose_beside(FROM_ABOVE, SQUARE, NOWHERE, (400.0, 200.0), [], NO_EDGES)
    assert pose is not None
    assert spans(pose, SQUARE, (400.0, 200.0)) == pytest.approx((100.0, 300.0, 0.0, 200.0), abs=1e-6)


def test_a_square_fills_what_a_plate_across_the_picture_leaves() -> None:
    plate = [(0.0, 0.0, 400.0, 92.0)]  # 8 px round it stay free: 100 px of 200 are left
    pose = pose_beside(FROM_ABOVE, SQUARE, NOWHERE, (400.0, 200.0), plate, NO_EDGES)
    assert pose is not None
    left, right, top, bottom = spans(pose, SQUARE, (400.0, 200.0))
    assert right - left == pytest.approx(bottom - top)
    assert 0.9 * 100 < bottom - top <= 100.0
    assert top >= 100.0 - 1e-6
    assert bottom <= 200.0 + 1e-6


def test_a_triangle_takes_more_than_the_largest_free_rectangle() -> None:
    triangle = SQUARE[SQUARE[:, 1] <= SQUARE[:, 0]]
    plate = [(0.0, 0.0, 120.0, 120.0)]  # in the corner that the triangle leaves free
    pose = pose_beside(FROM_ABOVE, triangle, NOWHERE, (300.0, 300.0), plate, NO_EDGES)
    assert pose is not None
    left, right, _, _ = spans(pose, triangle, (300.0, 300.0))
    room = free_room((300.0, 300.0), tuple(plate))
    assert right - left > 1.5 * min(room.width, room.height)
    assert not is_behind(pose, triangle, (300.0, 300.0), plate)


def test_where_no_place_is_free_there_is_no_pose() -> None:
    assert (
        pose_beside(FROM_ABOVE, SQUARE, NOWHERE, (400.0, 200.0), [(0.0, 0.0, 400.0, 200.0)], NO_EDGES) is None
    )


def test_a_campus_is_shown_much_larger_than_in_a_free_rectangle(campus: tuple[Plant, Box]) -> None:
    plant, outside = campus
    shape = site_shape(plant, build_geometry(plant), outside)
    assert shape is not None
    pose = site_pose(CameraPose((0.0, 0.0, 0.0), 1.0, -76.0, 40.0, 38.0), shape, SIZE, PLATES)
    assert pose is not None
    assert not is_behind(pose, shape.free, SIZE, PLATES)
    left, right, top, bottom = spans(pose, np.concatenate([shape.free, shape.yard]), SIZE)
    assert min(left, top) >= 0
    assert right <= SIZE[0]
    assert bottom <= SIZE[1]
    room = free_room(SIZE, tuple(PLATES))
    overview = preset_pose("overview", plant, build_geometry(plant), room.aspect, outside=outside)
    before = spans(in_room(overview, SIZE, room), shape.free, SIZE)
    now = spans(pose, shape.free, SIZE)
    assert (now[1] - now[0]) * (now[3] - now[2]) > 1.5 * (before[1] - before[0]) * (before[3] - before[2])
    assert now[1] - now[0] > 0.6 * SIZE[0]


def test_floors_are_those_of_halls_with_racks(campus: tuple[Plant, Box]) -> None:
    plant, outside = campus
    floors, halls = site_floors(plant), plant.halls
    assert len(floors) == 8 * len(halls.ids)
    assert floors[:, 0].min() == halls.x0_m.min()
    assert floors[:, 1].max() == halls.y1_m.max()
    large = build(load(SCENES / "llama3-16k.twin.yaml").scenario)
    assert site_shape(large, build_geometry(large), outside) is None, "its rows run out of the picture"
