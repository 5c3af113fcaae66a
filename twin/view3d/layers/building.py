"""The building round the halls: walls, columns, doors with the floor they sweep, all low; drawings on the floor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from vispy import gloo

from twin.arrays import Floats
from twin.scenario.formats.underlay_file import Picture, picture
from twin.scenario.generators.building_shape import LEAF_M, BuildingShape, DoorShape
from twin.scenario.generators.wall_line import WallLine
from twin.view3d.base.meshes import quad_indices
from twin.view3d.gl.draw_context import DrawContext, program
from twin.view3d.layers.glass import Panes
from twin.view3d.place.building_parts import CUT_M
from twin.view3d.place.underlay_image import pixels_of

_SWEEP_M = 0.012
"""Over the floor."""
_ARC_PIECES = 12
_WALL, _COLUMN, _DOOR, _SWEEP = 0.24, 0.42, 0.55, 0.16
"""Opacities."""
_LONGEST_PX = 4096

_FLAT_VERTEX = """
attribute vec3 a_position;
attribute vec2 a_place;
uniform float u_lift;
varying vec2 v_place;
void main() {
    vec3 position = a_position + vec3(0.0, 0.0, u_lift);
    gl_Position = u_matrix * vec4(position, 1.0);
    v_fog = fog_at(position);
    v_place = a_place;
}
"""
_SWEEP_FRAGMENT = """
uniform vec4 u_colour;
varying vec2 v_place;
void main() {
    gl_FragColor = vec4(mix(u_colour.rgb, u_ground, v_fog), u_colour.a + 0.0 * v_place.x);
}
"""
_PICTURE_FRAGMENT = """
uniform sampler2D u_picture;
uniform vec3 u_ink;
varying vec2 v_place;
void main() {
    vec4 texel = texture2D(u_picture, v_place);
    vec3 paper = mix(vec3(1.0), texel.rgb, texel.a);
    float ink = 1.0 - min(paper.r, min(paper.g, paper.b));
    vec3 own = (paper - (1.0 - ink)) / max(ink, 0.001);
    // Black ink has the colour of words on this floor, so that it is seen on a dark one too.
    vec3 colour = mix(u_ink, own, max(own.r, max(own.g, own.b)));
    gl_FragColor = vec4(mix(colour, u_ground, v_fog), 0.6 * ink);
}
"""
_FLAT_TYPE = np.dtype([("a_position", np.float32, 3), ("a_place", np.float32, 2)])


class BuildingLayer:
    """Draws the buildings of all halls; nothing of it can be picked."""

    def __init__(self, buildings: Sequence[BuildingShape]) -> None:
        self._walls = Panes(*_boxes(_walls(buildings)))
        self._columns = Panes(*_boxes(_columns(buildings)))
        self._doors = Panes(*_turned(_leaves(buildings)))
        self._inner = Panes(*_turned(_inner(buildings)))
        self._sweeps = _sweeps([door for building in buildings for door in building.doors])
        self._sweep_count = len(self._sweeps)
        if self._sweep_count:
            self._sweep = program(_FLAT_VERTEX, _SWEEP_FRAGMENT, self._sweeps)
            self._sweep_indices = gloo.IndexBuffer(np.arange(self._sweep_count, dtype=np.uint32))

    def draw(self, stage: DrawContext) -> None:
        """Draw with blending and depth test on, depth writing off."""
        colours = stage.colours
        if self._sweep_count:
            stage.light(self._sweep)
            self._sweep["u_lift"] = _lift_m(stage)
            self._sweep["u_colour"] = (*colours.hover, _SWEEP)
            self._sweep.draw("triangles", self._sweep_indices)
        self._columns.draw(stage, (*colours.steel, _COLUMN))
        self._walls.draw(stage, (*colours.steel, _WALL))
        self._inner.draw(stage, (*colours.steel, _WALL))
        self._doors.draw(stage, (*colours.hover, _DOOR))


class UnderlayLayer:
    """Draws drawings of the building on the floor."""

    def __init__(self, buildings: Sequence[BuildingShape]) -> None:
        self._drawn = []
        self._indices = gloo.IndexBuffer(quad_indices(1))
        for found, corners in underlays(buildings):
            vertices = np.zeros(4, _FLAT_TYPE)
            vertices["a_position"][:, :2] = corners
            vertices["a_place"] = [(0, 1), (1, 1), (1, 0), (0, 0)]  # the top row of a picture comes first
            made = program(_FLAT_VERTEX, _PICTURE_FRAGMENT, vertices)
            self._drawn.append((made, gloo.Texture2D(pixels_of(found, _LONGEST_PX), interpolation="linear")))

    def draw(self, stage: DrawContext) -> None:
        """Draw over the floor, with blending and depth test on."""
        for made, texture in self._drawn:
            stage.light(made)
            made["u_lift"] = _lift_m(stage)
            made["u_picture"] = texture
            made["u_ink"] = stage.colours.label
            made.draw("triangles", self._indices)


def underlays(buildings: Sequence[BuildingShape]) -> Iterator[tuple[Picture, Floats]]:
    """Yield the pictures that lie on floors, with their corners anticlockwise from the lowest, (4, 2) [m]."""
    for building in buildings:
        found = picture(building.underlay.digest) if building.underlay is not None else None
        if building.underlay is None or found is None:
            continue
        (x, y), wide_m = building.underlay_at, building.underlay.width_m
        high_m = wide_m * found.height / found.width
        yield found, np.array([(x, y), (x + wide_m, y), (x + wide_m, y + high_m), (x, y + high_m)])


def _lift_m(stage: DrawContext) -> float:
    """Return how far over the floor something lies on it, so that it is not taken for the floor from far away [m]."""
    return _SWEEP_M + 5e-4 * stage.distance_m


def _boxes(found: Iterator[tuple[float, ...]]) -> tuple[Floats, Floats]:
    table = np.array(list(found), np.float64).reshape(-1, 6)
    return table[:, :3], table[:, 3:]


def _walls(buildings: Sequence[BuildingShape]) -> Iterator[tuple[float, ...]]:
    for building in buildings:
        for x0, y0, x1, y1 in building.wall_pieces():
            yield x0, y0, 0.0, x1, y1, CUT_M


def _columns(buildings: Sequence[BuildingShape]) -> Iterator[tuple[float, ...]]:
    for building in buildings:
        for column in building.columns:
            x0, y0, x1, y1 = column.area
            yield x0, y0, 0.0, x1, y1, CUT_M


def _leaves(buildings: Sequence[BuildingShape]) -> Iterator[tuple[WallLine, float, float, float, float]]:
    for building in buildings:
        for door in building.doors:
            for leaf in door.leaf_lines:
                yield leaf, -LEAF_M / 2, LEAF_M / 2, 0.0, leaf.long_m


def _inner(buildings: Sequence[BuildingShape]) -> Iterator[tuple[WallLine, float, float, float, float]]:
    for building in buildings:
        for wall, from_m, to_m in building.inner_pieces():
            yield wall.line, -wall.thickness_m, 0.0, from_m, to_m


def _turned(
    found: Iterator[tuple[WallLine, float, float, float, float]],
) -> tuple[Floats, Floats, Floats]:
    """Return boxes along lines: lines with what lies between two distances aside, and between two places [m]."""
    rows = [
        (from_m, near_m, 0.0, to_m, far_m, CUT_M, *line.start, *line.ahead)
        for line, near_m, far_m, from_m, to_m in found
    ]
    table = np.array(rows, np.float64).reshape(-1, 10)
    return table[:, :3], table[:, 3:6], table[:, 6:]


def _sweeps(doors: Sequence[DoorShape]) -> np.ndarray:
    """Return triangles of the floor that the leaves of doors sweep."""
    turns = np.linspace(0.0, np.pi / 2, _ARC_PIECES + 1)[:, None]
    parts = []
    for door in doors:
        for hinge, shut, opened in door.leaves:
            centre = np.array(hinge)
            rim = (
                centre
                + np.cos(turns) * (np.array(shut) - centre)
                + np.sin(turns) * (np.array(opened) - centre)
            )
            (ax, ay), (bx, by) = rim[0] - centre, rim[-1] - centre
            rim = rim if ax * by > ay * bx else rim[::-1]  # anticlockwise: seen from above
            fan = np.stack([np.broadcast_to(centre, rim[1:].shape), rim[:-1], rim[1:]], axis=1).reshape(-1, 2)
            parts.append(fan)
    points = np.concatenate(parts) if parts else np.zeros((0, 2))
    out = np.zeros(len(points), _FLAT_TYPE)
    out["a_position"][:, :2] = points
    return out
