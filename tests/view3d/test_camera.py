"""The camera: rays and projection are inverse, zoom keeps the pointer, flights arrive."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.plant.build import build
from twin.plant.geometry import build_geometry
from twin.plant.tables import RackKind
from twin.scenario import load
from twin.view3d.base import camera
from twin.view3d.base.camera import Flight
from twin.view3d.base.state import CameraPose
from twin.view3d.place.presets import PRESETS, corners_of, open_side, preset_pose
from twin.view3d.place.site_plan import site_plan
from twin.view3d.view.bench_hall import hall_of

_SCENES = Path(__file__).parents[2] / "scenes"

POSE = CameraPose((4.0, -3.0, 1.0), 25.0, -57.0, 24.0)

angles = st.floats(-720, 720)
poses = st.builds(
    CameraPose,
    st.tuples(st.floats(-50, 50), st.floats(-50, 50), st.floats(0, 5)),
    st.floats(1, 300),
    angles,
    st.floats(-4, 89),
    st.floats(20, 70),
)


@given(poses, st.floats(0, 1280), st.floats(0, 800), st.floats(0.5, 200))
def test_point_on_a_ray_projects_back_to_its_pixel(pose: CameraPose, x: float, y: float, far: float) -> None:
    origin, direction = camera.ray(pose, x, y, 1280, 800)
    shown = camera.project(pose, (origin + direction * far)[None], 1280, 800)[0]
    assert shown[:2] == pytest.approx([x, y], abs=1e-4)
    assert shown[2] > 0


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_logical_and_physical_pixels_give_the_same_ray(scale: float) -> None:
    logical = camera.ray(POSE, 300, 200, 1280, 800)
    physical = camera.ray(POSE, 300 * scale, 200 * scale, 1280 * scale, 800 * scale)
    assert np.allclose(logical[0], physical[0])
    assert np.allclose(logical[1], physical[1])


@given(poses)
def test_matrix_agrees_with_projection(pose: CameraPose) -> None:
    point = camera.eye_m(pose) - camera.axes(pose)[2] * 10 + camera.axes(pose)[0] * 0.7
    clip = camera.view_projection(pose, 1.6, 0.1, 1000.0) @ np.append(point, 1.0)
    shown = camera.project(pose, point[None], 1280, 800)[0]
    assert (clip[0] / clip[3] * 640 + 640, 400 - clip[1] / clip[3] * 400) == pytest.approx(
        shown[:2], abs=1e-6
    )
    assert -1 < clip[2] / clip[3] < 1


@given(st.floats(-6, 6), st.floats(100, 1180), st.floats(300, 750))
def test_zoom_keeps_what_is_under_the_pointer(notches: float, x: float, y: float) -> None:
    origin, direction = camera.ray(POSE, x, y, 1280, 800)
    target = origin + direction * 20.0
    zoomed = camera.zoom_to(POSE, notches, target)
    assert camera.project(zoomed, target[None], 1280, 800)[0, :2] == pytest.approx([x, y], abs=1e-3)
    assert (zoomed.distance_m - POSE.distance_m) * notches <= 0


def test_pan_moves_the_floor_with_the_pointer() -> None:
    before = camera.project(POSE, np.array([[4.0, -3.0, 1.0]]), 1280, 800)[0]
    after = camera.project(camera.pan(POSE, 40, 0, 800), np.array([[4.0, -3.0, 1.0]]), 1280, 800)[0]
    assert after[0] - before[0] == pytest.approx(40, rel=0.02)


def test_orbit_keeps_the_centre_in_the_middle() -> None:
    turned = camera.orbit(POSE, 123, -40)
    shown = camera.project(turned, np.array([POSE.centre_m]), 1280, 800)[0]
    assert shown[:2] == pytest.approx([640, 400])


@given(poses, poses)
def test_flight_starts_and_ends_where_it_should(start: CameraPose, end: CameraPose) -> None:
    flight = Flight.between(start, end)
    assert camera.eye_m(flight.at(0.0)) == pytest.approx(camera.eye_m(start), abs=1e-6)
    assert flight.at(flight.duration_s) == end
    assert 0.4 <= flight.duration_s <= 1.6
    just_before = camera.eye_m(flight.at(flight.duration_s * (1 - 1e-4)))
    assert just_before == pytest.approx(camera.eye_m(end), abs=0.05)


@pytest.mark.parametrize("scene", ["superpod-h100", "llama3-16k", "nvl72-row", "video-ingest", "lab-16"])
def test_the_aisle_place_looks_at_fronts_of_compute_racks(scene: str) -> None:
    plant = build(load(_SCENES / f"{scene}.twin.yaml").scenario)
    pose = preset_pose("aisle", plant, build_geometry(plant), 1.6)
    eye, ahead = camera.eye_m(pose), -camera.axes(pose)[2]
    racks = plant.racks
    compute = racks.present & (racks.kind == RackKind.COMPUTE)
    fronts = np.column_stack([racks.x_m, racks.y_m + racks.facing * racks.depth_m / 2])[compute]
    facing = racks.facing[compute]
    seen = (eye[1] - fronts[:, 1]) * facing > 0.2
    seen &= (fronts - eye[:2]) @ ahead[:2] > 0.3
    seen &= np.abs(fronts[:, 1] - pose.centre_m[1]) < 1.5
    assert seen.sum() >= min(2, compute.sum())
    if scene == "llama3-16k":
        assert set(facing[seen]) == {-1.0, 1.0}


@pytest.mark.parametrize("aspect", [1.2, 1.6, 2.7])
def test_the_overview_of_a_site_shows_racks_floors_and_yard_and_reaches_to_two_edges(aspect: float) -> None:
    plant = build(load(_SCENES / "campus-100k.twin.yaml").scenario)
    geometry = build_geometry(plant)
    outside = site_plan(plant, geometry, open_side(plant)).boxes(plant.power.present)
    pose = preset_pose("overview", plant, geometry, aspect, outside=outside)
    racks, halls, wide = plant.racks, plant.halls, 800 * aspect
    assert np.unique(racks.hall[racks.present]).size > 1
    floors = [(x, y, 0.0) for x0, x1 in zip(halls.x0_m, halls.x1_m, strict=True) for x in (x0, x1)
              for y in (halls.y0_m.min(), halls.y1_m.max())]  # fmt: skip
    standing = np.column_stack([racks.x_m, racks.y_m, racks.height_m])[racks.present]
    points = np.concatenate([standing, *outside, floors])
    x, y, depth = camera.project(pose, points, wide, 800).T
    assert (depth > 0).all()
    x, y = np.abs(2 * x / wide - 1), np.abs(2 * y / 800 - 1)
    assert max(x.max(), y.max()) <= 0.93
    assert max(x.max(), y.max()) >= 0.9, "and from no farther than that takes"


@pytest.mark.parametrize("aspect", [1.2, 1.6, 2.7])
def test_the_overview_of_a_small_hall_shows_what_feeds_it_whole(aspect: float) -> None:
    plant = build(load(_SCENES / "lab-16.twin.yaml").scenario)
    geometry = build_geometry(plant)
    low, high = site_plan(plant, geometry, open_side(plant)).boxes(plant.power.present)
    pdus = [item for item, kind in enumerate(plant.power.kind) if kind == "pdu"]
    assert pdus
    corners = corners_of((low[pdus], high[pdus]))
    x, y, _ = camera.project(
        preset_pose("overview", plant, geometry, aspect, outside=(low, high)), corners, 800 * aspect, 800
    ).T
    assert ((x > 0) & (x < 800 * aspect) & (y > 0) & (y < 800)).all()


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_of_the_hall_of_what_is_selected(name: str) -> None:
    site = hall_of(512, racks_per_row=4, halls=3)
    geometry, halls = build_geometry(site), site.halls
    for slot, id in enumerate(halls.ids):
        rack = site.racks.ids[int(np.flatnonzero(site.racks.hall == slot)[0])]
        for chosen in (id, rack):
            x, y, _ = preset_pose(name, site, geometry, 1.6, (chosen,)).centre_m
            assert halls.x0_m[slot] - 1 < x < halls.x1_m[slot] + 1
            assert halls.y0_m[slot] - 1 < y < halls.y1_m[slot] + 1
    both = preset_pose(name, site, geometry, 1.6, tuple(halls.ids[:2]))
    assert both == preset_pose(name, site, geometry, 1.6)
