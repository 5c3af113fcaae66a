"""Racks, rows and halls as blocks, with real GL: the picture from afar shows what their GPUs do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from twin.plant.tables import Plant
from twin.record.channels import State
from twin.record.frame import Frame
from twin.view3d.base import camera, palette
from twin.view3d.base.state import CameraPose, ViewState
from twin.view3d.base.tile_levels import TileLevel
from twin.view3d.view.hall_view import HallView

pytestmark = pytest.mark.gl
MakeView = Callable[..., HallView]


def _racks(**more: object) -> ViewState:
    return ViewState(layers=frozenset({"racks"}), **more)  # type: ignore[arg-type]


def _away(view: HallView, level: TileLevel) -> None:
    """Go so far that all is drawn as tiles of a level."""
    view.preset("top", animate=False)
    places, height_px = view.scene.tiles.places, view.canvas.physical_size[1]
    for distance_m in np.geomspace(5.0, 3900.0, 600):
        pose = replace(view.pose, distance_m=float(distance_m))
        opacity, tiles = places.opacity(pose, height_px), places.level == level
        if (opacity[tiles] >= 1.0).all() and not opacity[~tiles].any():
            view.state.camera = pose
            return
    raise AssertionError(f"nothing is drawn as {level.name} alone")


def _top_of(view: HallView, picture: np.ndarray, tile: int) -> np.ndarray:
    """Return the colour in the middle of the top of a tile, 0..1."""
    places = view.scene.tiles.places
    low, high = places.low[tile], places.high[tile]
    place = np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, high[2]])
    x, y, _ = camera.project(view.pose, place[None], picture.shape[1], picture.shape[0])[0]
    return np.asarray(picture[int(y), int(x)] / 255.0)


def _hue_near(colour: np.ndarray, expected: np.ndarray) -> bool:
    return bool(colour @ expected / (np.linalg.norm(colour) * np.linalg.norm(expected)) > 0.985)


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("level", [TileLevel.ROW, TileLevel.HALL])
def test_tiles_carry_the_mean_and_the_worst(
    make_view: MakeView, hall: Plant, frame: Frame, level: TileLevel, theme: str
) -> None:
    view = make_view(_racks(theme=theme))
    hot = hall.gpus.index < 4
    frame.values["gpu.temp_c"][:] = np.where(hot, 85.0, 45.0)
    view.set_frame(frame)
    _away(view, level)
    table = palette.look_up_table("turbo")[0] / 255.0
    for by, temp_c in (("mean", 65.0), ("worst", 85.0)):
        view.state.tiles_by = by  # type: ignore[assignment]
        picture = view.grab()
        for tile in view.scene.tiles.places.at(level):
            assert _hue_near(_top_of(view, picture, int(tile)), table[round((temp_c - 25) / 70 * 255)]), by


@pytest.mark.parametrize("level", list(TileLevel))
def test_one_failed_gpu_of_a_thousand_is_seen_from_any_distance(
    make_view: MakeView, frame: Frame, level: TileLevel
) -> None:
    view = make_view(_racks())
    view.set_frame(frame)
    _away(view, level)

    def crimson() -> int:
        picture = view.grab().astype(int)
        return int(((picture[..., 0] > 110) & (picture[..., 1] < 70) & (picture[..., 2] < 110)).sum())

    assert not crimson()
    frame.values["gpu.state"][0] = State.FAILED
    view.set_frame(frame)
    assert crimson() >= 2


def test_near_by_no_tile_is_drawn(make_view: MakeView, hall: Plant, frame: Frame) -> None:
    view = make_view(_racks())
    view.set_frame(frame)
    view.preset("close", animate=False)
    view.grab()
    at = CameraPose((float(hall.racks.x_m[0]), float(hall.racks.y_m[0]), 1.0), 4.0, -80.0, 10.0)
    view.state.camera = at
    view.grab()
    places, opacity = view.scene.tiles.places, view.scene.tiles.opacity
    assert not opacity[places.level != TileLevel.RACK].any()
    rack = int(np.flatnonzero((places.level == TileLevel.RACK) & (places.slot == 0))[0])
    assert opacity[rack] == 0.0
