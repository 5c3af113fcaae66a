"""Picking: what is drawn under a pixel is what is picked there, by numbers alone."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from patience import HANG_S
from view_places import tile_point

from twin.plant.geometry import Geometry, build_geometry
from twin.plant.tables import Plant
from twin.view3d.base import camera
from twin.view3d.base.bounds import box_of, machine_boxes
from twin.view3d.base.state import CameraPose
from twin.view3d.base.tile_levels import TileLevel
from twin.view3d.place.picking import Picker
from twin.view3d.place.presets import before_obstacles, preset_pose
from twin.view3d.view.bench_hall import hall_of


def _before(plant: Plant, rack: int) -> CameraPose:
    facing = float(plant.racks.facing[rack])
    centre = (float(plant.racks.x_m[rack]), float(plant.racks.y_m[rack]), 1.1)
    return CameraPose(centre, 1.7, facing * 80.0, 4.0, 60.0)


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("facing", [-1, 1])
def test_gpu_tiles_round_trip_on_both_sides_of_an_aisle(
    hall: Plant, geometry: Geometry, facing: int, scale: float
) -> None:
    picker = Picker(hall, geometry)
    rack = int(np.flatnonzero(hall.racks.facing == facing)[2])
    pose = _before(hall, rack)
    width, height = 1280 * scale, 800 * scale
    gpus = np.flatnonzero(hall.gpus.rack == rack)
    assert len(gpus) == 32
    for gpu in gpus:
        x, y, _ = camera.project(pose, tile_point(hall, geometry, int(gpu))[None], width, height)[0]
        hit = picker.pick(*camera.ray(pose, x / scale, y / scale, 1280, 800))
        assert hit is not None
        assert (hit.kind, hit.slot, hit.id) == ("gpu", gpu, hall.gpu_id(int(gpu)))


def test_how_far_one_is_says_what_is_meant(hall: Plant, geometry: Geometry) -> None:
    picker = Picker(hall, geometry)
    rack = int(np.flatnonzero(hall.racks.facing == -1)[2])
    gpu = int(np.flatnonzero(hall.gpus.rack == rack)[0])
    target, kinds = tile_point(hall, geometry, gpu), []
    for distance_m in np.geomspace(1.0, 60.0, 40):
        pose = CameraPose((target[0], target[1], target[2]), distance_m, -90.0, 0.0, 38.0)
        size = partial(camera.px_per_m, pose, height_px=800.0)
        hit = picker.pick(*camera.ray(pose, 640, 400, 1280, 800), size)
        assert hit is not None
        assert hit.kind in ("gpu", "node", "rack")
        kinds.append(hit.kind)
    order = [kind for kind, before in zip(kinds, ["", *kinds], strict=False) if kind != before]
    assert order == ["gpu", "node", "rack"]


@pytest.mark.parametrize("name", ["top", "front", "side"])
def test_a_drawing_shows_parallel_lines_and_is_picked_as_shown(
    hall: Plant, geometry: Geometry, name: str
) -> None:
    picker, pose = Picker(hall, geometry), preset_pose(name, hall, geometry, 1.6)
    assert pose.flat
    racks = hall.racks
    low = np.column_stack([racks.x_m, racks.y_m, np.zeros(len(racks.ids))])
    high = low + np.column_stack([0 * racks.x_m, 0 * racks.y_m, racks.height_m])
    feet, heads = (camera.project(pose, points, 1280, 800)[:, :2] for points in (low, high))
    lean = heads - feet
    assert np.allclose(lean, lean[0], atol=1e-6), "equal heights are equal everywhere"
    assert (feet > 0).all()
    assert (feet < [1280, 800]).all()
    if name == "top":
        assert np.allclose(lean, 0.0, atol=1e-6)
        for rack, place in enumerate(feet):
            assert picker.rack(*camera.ray(pose, place[0], place[1], 1280, 800)) == rack


def test_rack_roofs_and_sides_are_the_rack(hall: Plant, geometry: Geometry) -> None:
    picker = Picker(hall, geometry)
    for rack in range(len(hall.racks.ids)):
        above = np.array([hall.racks.x_m[rack], hall.racks.y_m[rack], 30.0])
        hit = picker.pick(above, np.array([0.0, 0.0, -1.0]))
        assert hit is not None
        assert (hit.kind, hit.id) == ("rack", hall.racks.ids[rack])
        assert hit.distance_m == pytest.approx(30 - hall.racks.height_m[rack])


def test_machines_are_their_loop(hall: Plant, geometry: Geometry) -> None:
    picker = Picker(hall, geometry)
    low, high = machine_boxes(geometry, np.arange(len(geometry.machines.loop)))
    for k in range(len(low)):
        above = np.append((low[k] + high[k])[:2] / 2, 30.0)
        hit = picker.pick(above, np.array([0.0, 0.0, -1.0]))
        assert hit is not None
        assert (hit.kind, hit.slot) == ("loop", geometry.machines.loop[k])


def test_switch_is_picked_on_its_face(hall: Plant, geometry: Geometry) -> None:
    picker = Picker(hall, geometry)
    for switch in np.flatnonzero(hall.switches.present):
        box = box_of(hall, geometry, hall.switches.ids[switch])
        assert box is not None
        middle = (box[0] + box[1]) / 2
        outwards = float(hall.racks.facing[hall.switches.rack[switch]])
        hit = picker.pick(middle + np.array([0, outwards * 1.2, 0]), np.array([0.0, -outwards, 0.0]))
        assert hit is not None
        assert hit.id == hall.switches.ids[switch]


def test_the_sky_is_nothing(hall: Plant, geometry: Geometry) -> None:
    assert Picker(hall, geometry).pick(np.array([0.0, 0.0, 9.0]), np.array([0.0, 0.0, 1.0])) is None


def test_the_nearest_of_two_rows_wins(hall: Plant, geometry: Geometry) -> None:
    picker = Picker(hall, geometry)
    y = np.sort(np.unique(hall.racks.y_m))
    hit = picker.pick(np.array([hall.racks.x_m[0], y[0] - 5, 0.05]), np.array([0.0, 1.0, 0.0]))
    assert hit is not None
    assert (
        hit.id
        == hall.racks.ids[
            int(np.flatnonzero((hall.racks.y_m == y[0]) & (hall.racks.x_m == hall.racks.x_m[0]))[0])
        ]
    )


def test_labels_behind_racks_are_blocked(hall: Plant, geometry: Geometry) -> None:
    picker = Picker(hall, geometry)
    eye = np.array([float(hall.racks.x_m[3]), -20.0, 1.0])
    behind = np.array([[float(hall.racks.x_m[3]), 40.0, 1.0]])
    above = np.array([[float(hall.racks.x_m[3]), 40.0, 40.0]])
    assert picker.blocked(eye, behind).all()
    assert not picker.blocked(eye, above).any()


@pytest.mark.parametrize("name", ["overview", "row", "top", "aisle", "close"])
@pytest.mark.parametrize("aspect", [0.8, 1.6, 2.4])
def test_presets_look_at_racks(hall: Plant, geometry: Geometry, name: str, aspect: float) -> None:
    pose = preset_pose(name, hall, geometry, aspect)
    middles = np.column_stack([hall.racks.x_m, hall.racks.y_m, hall.racks.height_m / 2])
    shown = camera.project(pose, middles, aspect, 1.0)
    inside = (
        (shown[:, 2] > 0) & (shown[:, 0] > 0) & (shown[:, 0] < aspect) & (shown[:, 1] > 0) & (shown[:, 1] < 1)
    )
    assert inside.sum() >= (0.6 * len(middles) if name in ("overview", "top") else 2)
    assert camera.eye_m(pose)[2] > 0


def test_camera_stops_before_the_rack_across_the_aisle(hall: Plant, geometry: Geometry) -> None:
    picker = Picker(hall, geometry)
    inner = int(np.flatnonzero(hall.racks.y_m == np.sort(np.unique(hall.racks.y_m))[1])[2])
    facing = float(hall.racks.facing[inner])
    front = float(hall.racks.y_m[inner]) + facing * float(hall.racks.depth_m[inner]) / 2
    pose = CameraPose((float(hall.racks.x_m[inner]), front, 1.0), 6.0, facing * 80.0, 3.0, 38.0)
    nearer = before_obstacles(pose, picker)
    assert nearer.distance_m < 6.0
    assert nearer.fov_deg > 38.0
    hit = picker.pick(camera.eye_m(nearer), -camera.axes(nearer)[2])
    assert hit is not None
    assert hit.id.startswith(hall.racks.ids[inner])
    free = CameraPose(pose.centre_m, 6.0, facing * 80.0, 80.0)
    assert before_obstacles(free, picker) == free


@pytest.mark.parametrize(
    "module", ["place.picking", "place.presets", "colour.legend", "base.state", "base.camera", "base.bounds"]
)
def test_picking_and_cameras_need_no_display(module: str) -> None:
    code = f"import twin.view3d.{module}, sys; sys.exit(any(m in sys.modules for m in ('PySide6', 'vispy', 'OpenGL')))"
    assert subprocess.run([sys.executable, "-c", code], timeout=HANG_S).returncode == 0


def test_from_afar_what_is_picked_is_the_tile_that_is_drawn() -> None:
    site = hall_of(512, racks_per_row=4, halls=2)
    picker = Picker(site, build_geometry(site))
    tiles = picker.tiles
    middle = (tiles.low.min(axis=0) + tiles.high.max(axis=0)) / 2
    ids = {TileLevel.RACK: site.racks.ids, TileLevel.ROW: site.rows.ids, TileLevel.HALL: site.halls.ids}
    seen = set()
    for way in np.geomspace(10.0, 3000.0, 40):
        pose = CameraPose((middle[0], middle[1], 0.0), float(way), -60.0, 89.0)
        shown = np.append(tiles.opacity(pose, 800) > 0.5, False)
        for tile in np.flatnonzero(shown[:-1] & ~shown[tiles.parent]):
            top = (tiles.low[tile] + tiles.high[tile]) / 2
            top[2] = tiles.high[tile, 2]
            x, y, _ = camera.project(pose, top[None], 1280, 800)[0]
            hit = picker.pick_tile(*camera.ray(pose, x, y, 1280, 800), pose, 800)
            assert hit is not None
            level = TileLevel(int(tiles.level[tile]))
            assert hit.kind == level.name.lower()
            assert hit.id == ids[level][tiles.slot[tile]]
            seen.add(level)
    assert seen == set(TileLevel)
    near = CameraPose((middle[0], middle[1], 0.0), 5.0, -60.0, 60.0)
    assert picker.pick_tile(*camera.ray(near, 640, 400, 1280, 800), near, 800) is None
