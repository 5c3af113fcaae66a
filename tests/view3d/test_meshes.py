"""Meshes: closed, turned outwards, of the right size."""

from __future__ import annotations

import numpy as np
import pytest
from view_places import tile_point

from twin.plant.geometry import Geometry
from twin.plant.tables import Plant
from twin.view3d.base.meshes import FACE_NAMES, box_face, quad_indices, straight_tubes, tubes
from twin.view3d.gl.outline import edge_vertices
from twin.view3d.layers.panels import panel_vertices
from twin.view3d.layers.solids import cabinets
from twin.view3d.place.lightmap import bake


def _volume(positions: np.ndarray, triangles: np.ndarray) -> float:
    a, b, c = (positions[triangles[k::3]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def test_tubes_made_at_once_are_those_made_alone() -> None:
    draw = np.random.default_rng(3)
    first = np.array([0, 2, 6, 7, 10, 14])
    points = np.cumsum(draw.normal(size=(14, 3)), axis=0)
    radius_m = draw.uniform(0.05, 0.2, 5)
    positions, normals, arc, line, triangles = tubes(points, first, radius_m, 8)
    corners = positions[triangles].reshape(-1, 3, 3)
    for k in range(5):
        own = points[first[k] : first[k + 1]]
        alone = tubes(own, np.array([0, len(own)]), radius_m[k : k + 1], 8)
        assert np.allclose(positions[line == k], alone[0])
        assert np.allclose(normals[line == k], alone[1])
        assert np.allclose(arc[line == k], alone[2])
        assert np.allclose(corners[line[triangles[::3]] == k], alone[0][alone[4]].reshape(-1, 3, 3))


def test_box_faces_enclose_the_box_and_look_outwards() -> None:
    low, high = np.array([[1.0, 2.0, 3.0]]), np.array([[2.0, 4.0, 6.0]])
    parts = [box_face(low, high, face) for face in FACE_NAMES]
    positions = np.concatenate([p[0].reshape(-1, 3) for p in parts])
    assert _volume(positions, quad_indices(6)) == pytest.approx(6.0)
    for corners, normal, place, size in parts:
        assert np.allclose(
            np.cross(corners[0, 1] - corners[0, 0], corners[0, 2] - corners[0, 0]) @ normal > 0, True
        )
        assert np.allclose(place[0, 2], size[0])


def test_bent_tube_is_closed_and_keeps_its_section() -> None:
    points = np.array([[0, 0, 0], [4, 0, 0], [4, 3, 0], [4, 3, 2.0]])
    positions, normals, arc, _, triangles = tubes(points, np.array([0, len(points)]), np.array([0.1]), 12)
    section = 12 / 2 * 0.1**2 * np.sin(2 * np.pi / 12)
    assert _volume(positions, triangles) == pytest.approx(section * 9.0, rel=1e-6)
    assert arc.max() == pytest.approx(9.0)
    assert np.allclose(np.linalg.norm(normals, axis=1), 1.0)


def test_tube_of_repeated_points_is_empty() -> None:
    assert len(tubes(np.zeros((3, 3)), np.array([0, 3]), np.array([0.1]), 8)[0]) == 0


def test_straight_tubes_look_outwards() -> None:
    start, end = np.array([[0, 0, 0.0], [5, 5, 5.0]]), np.array([[0, 0, 2.0], [6, 5, 5.0]])
    positions, normals, _, triangles = straight_tubes(start, end, np.array([0.1, 0.2]), 8)
    a, b, c = (positions[triangles[k::3]] for k in range(3))
    outward = np.cross(b - a, c - a)
    assert (np.einsum("ij,ij->i", outward, normals[triangles[0::3]]) > 0).all()


def test_every_gpu_has_one_tile_on_the_panels(hall: Plant, geometry: Geometry) -> None:
    quads = panel_vertices(hall, geometry).reshape(-1, 4)
    slots = []
    for quad in quads:
        columns, rows, origin = quad["a_grid"][0]
        across, up, _ = quad["a_step"][0]
        for j in range(int(rows)):
            slots += [origin + i * across + j * up for i in range(int(columns))]
    assert sorted(slots) == list(range(len(hall.gpus.present)))


def test_panel_tiles_lie_where_the_geometry_says(hall: Plant, geometry: Geometry) -> None:
    quads = panel_vertices(hall, geometry).reshape(-1, 4)
    for quad in quads[:: max(1, len(quads) // 24)]:
        corners = quad["a_position"].astype(float)
        columns, rows, origin = (int(v) for v in quad["a_grid"][0])
        across, up, _ = (int(v) for v in quad["a_step"][0])
        for i in range(columns):
            for j in range(rows):
                along = (corners[1] - corners[0]) * (i + 0.5) / columns
                upwards = (corners[3] - corners[0]) * (j + 0.5) / rows
                place = corners[0] + along + upwards
                expected = tile_point(hall, geometry, origin + i * across + j * up)
                assert place[[0, 2]] == pytest.approx(expected[[0, 2]], abs=1e-3)


def test_inner_cabinet_sides_are_left_out(hall: Plant) -> None:
    rows = len(np.unique(hall.racks.row))
    faces, racks = cabinets(hall)
    assert len(racks) == len(faces) // 4
    sides = faces["a_normal"][::4]
    assert (np.abs(sides[:, 0]) > 0.5).sum() == 2 * rows


def test_lightmap_is_dark_under_racks_and_lit_in_aisles(hall: Plant, geometry: Geometry) -> None:
    light = bake(hall, geometry)

    def at(x: float, y: float) -> np.ndarray:
        height, width = light.texels.shape[:2]
        column = int((x - light.origin_m[0]) / light.size_m[0] * width)
        row = int((y - light.origin_m[1]) / light.size_m[1] * height)
        return light.texels[row, column]

    assert at(float(hall.racks.x_m[3]), float(hall.racks.y_m[3]))[0] > 200
    aisles = geometry.aisles
    for k in range(len(aisles.kind)):
        middle = at(float(aisles.x0_m[k] + aisles.x1_m[k]) / 2, float(aisles.y0_m[k] + aisles.y1_m[k]) / 2)
        assert middle[1 + int(aisles.kind[k])] > 120


def test_outline_has_twelve_edges_a_box() -> None:
    assert len(edge_vertices([(np.zeros(3), np.ones(3))] * 3)) == 3 * 12 * 4
