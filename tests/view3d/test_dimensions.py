"""Dimensions and grids of drawings, by numbers alone: between faces, of a thing itself, along axes; pitches by zoom."""

from __future__ import annotations

import numpy as np
import pytest

from twin.plant.build import build
from twin.plant.geometry import Geometry, build_geometry
from twin.plant.tables import Plant
from twin.scenario.file.load import loads
from twin.view3d.base import camera
from twin.view3d.base.bounds import Box
from twin.view3d.base.dimension import DimensionEnd, HallDimension, measure, ways_to_measure
from twin.view3d.base.state import CameraPose
from twin.view3d.place.drawing_scale import GridPitch, drawing_axes, grid_pitch
from twin.view3d.place.picking import LEAST_PX, Picker
from twin.view3d.place.presets import DRAWINGS, preset_pose

BOXES: dict[str, Box] = {
    "a": (np.array([0.0, 0.0, 0.0]), np.array([0.6, 1.2, 2.2])),
    "b": (np.array([3.6, 2.4, 0.0]), np.array([4.2, 3.6, 2.0])),
    "c": (np.array([0.6, 0.0, 0.0]), np.array([1.2, 1.2, 2.2])),
}
A, B, C = (DimensionEnd(id) for id in "abc")


def box_of(id: str, part: int) -> Box | None:
    return BOXES.get(id)


@pytest.mark.parametrize(
    ("start", "stop", "along", "length_m"),
    [
        (A, B, "x", 3.0),
        (B, A, "y", 1.2),
        (A, B, "xy", np.hypot(3.0, 1.2)),
        (A, A, "x", 0.6),
        (A, A, "z", 2.2),
        (A, DimensionEnd("b", 0, (0.5, 0.5, 0.0)), "x", 3.3),
        (DimensionEnd("a", 0, (0.0, 0.0, 0.0)), DimensionEnd(at=(3.0, 4.0, 0.0)), "xy", 5.0),
        (A, C, "x", 0.0),
    ],
)
def test_lengths_are_exact(start: DimensionEnd, stop: DimensionEnd, along: str, length_m: float) -> None:
    found = measure(HallDimension(start, stop, along), box_of)
    assert found is not None
    assert found.length_m == pytest.approx(length_m, abs=1e-12)
    assert measure(HallDimension(start, DimensionEnd("gone"), along), box_of) is None


def test_the_largest_gap_is_measured_first_and_points_straight() -> None:
    assert ways_to_measure(A, B, "xy", box_of) == ["x", "y", "xy"]
    assert ways_to_measure(A, C, "xy", box_of) == []
    assert ways_to_measure(A, A, "xz", box_of) == ["x", "z"]
    corners = [DimensionEnd(id, 0, (0.0, 0.0, 0.0)) for id in "ab"]
    assert ways_to_measure(*corners, "xy", box_of) == ["xy", "x", "y"]


def test_grids_are_of_tiles_or_metres_by_zoom() -> None:
    plan = drawing_axes(CameraPose((0, 0, 0), 10.0, -90.0, 90.0, 30.0, 5.0))
    front = drawing_axes(CameraPose((0, 0, 0), 10.0, -90.0, 0.0, 30.0, 5.0))
    assert plan is not None
    assert front is not None
    assert [(axis.name, axis.sign) for axis in (*plan, *front)] == [("x", 1), ("y", 1), ("x", 1), ("z", 1)]
    assert grid_pitch(60.0, plan) == GridPitch(0.6, 5)
    assert grid_pitch(14.0, plan) == GridPitch(1.0, 5)
    assert grid_pitch(4.0, plan) == GridPitch(5.0, 2)
    assert grid_pitch(60.0, front) == GridPitch(0.5, 2)
    assert drawing_axes(CameraPose((0, 0, 0), 10.0, 30.0, 90.0, 30.0, 5.0)) is None
    assert drawing_axes(CameraPose((0, 0, 0), 10.0, -90.0, 90.0)) is None


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_drawing_picks_by_pixels_however_far_its_camera_is(
    hall: Plant, geometry: Geometry, name: str
) -> None:
    """What is smaller than some pixels is not picked, and the distance to the plane of the drawing plays no part."""
    picker = Picker(hall, geometry)
    pose = preset_pose(name, hall, geometry, 1.6)
    front = name == "front"
    tile = 0.044 * 8  # a node of eight units high
    for near in (1.0, 40.0):
        close = CameraPose(
            pose.centre_m, pose.distance_m / near, pose.azimuth_deg, pose.elevation_deg, pose.fov_deg
        )
        close = CameraPose(*list(vars(close).values())[:5], pose.flat_m)
        scale = camera.px_per_m(close, 123.0, 800.0)
        assert scale == camera.px_per_m(close, 1.0, 800.0)
        hits = [
            picker.pick(*camera.ray(close, x, y, 1280.0, 800.0), lambda _, scale=scale: scale)
            for x in range(40, 1280, 40)
            for y in range(40, 800, 40)
        ]
        kinds = {hit.kind for hit in hits if hit is not None}
        if tile * scale < LEAST_PX or not front:
            assert not kinds & {"gpu", "node"}
        if front and near > 1:
            assert kinds & {"gpu", "node"}


def test_drawings_are_of_the_hall_that_is_selected() -> None:
    rack = "{id: gpu, count: 1, at: {x: 3 m, y: 3 m}, racks: {count: 4, nodes: [{part: DGX-H100, count: 2}]}}"
    other = rack.replace("gpu", "far").replace("x: 3 m", "x: 43 m")
    text = "format: twin/scenario\nversion: 3\ncatalog: '2026.11'\ntitle: two halls\n"
    text += f"halls:\n  - {{id: near, rows: [{rack}]}}\n  - {{id: away, rows: [{other}]}}\n"
    plant = build(loads(text).scenario)
    geometry = build_geometry(plant)
    halls, racks = plant.halls, plant.racks
    floors_m = (halls.x0_m + halls.x1_m) / 2
    rows_m = [float(racks.x_m[racks.hall == hall].mean()) for hall in (0, 1)]
    assert floors_m[1] - floors_m[0] > 5.0
    for name in DRAWINGS:
        whole = preset_pose(name, plant, geometry, 1.6)
        near, away = (preset_pose(name, plant, geometry, 1.6, (id,)) for id in ("near", "far/0/1"))
        assert preset_pose(name, plant, geometry, 1.6, ("gpu/0/1", "far/0/1")) == whole
        along_m = rows_m if name == "side" else floors_m  # what stands before the racks is left out
        assert away.centre_m[0] - near.centre_m[0] == pytest.approx(along_m[1] - along_m[0])
        assert near.distance_m == pytest.approx(away.distance_m, rel=0.1)
        assert name == "side" or near.distance_m < whole.distance_m / 1.5
        floor_m = np.array(
            [[x, y, 0.0] for x in (halls.x0_m[0], halls.x1_m[1]) for y in (halls.y0_m[0], halls.y1_m[1])]
        )
        seen = camera.project(whole, floor_m, 1600, 1000)
        assert (seen[:, 0] > 0).all()
        assert (seen[:, 0] < 1600).all(), "the whole floor, not its racks alone"
        assert name != "top" or ((seen[:, 1] > 0) & (seen[:, 1] < 1000)).all()
