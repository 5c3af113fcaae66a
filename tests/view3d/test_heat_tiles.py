"""Racks, rows and halls as blocks, with real GL: the picture from afar shows what their GPUs do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from vispy import gloo

from twin.plant.tables import Plant
from twin.record.channels import State
from twin.record.frame import Frame
from twin.view3d.base import camera, palette
from twin.view3d.base.state import CameraPose, ViewState
from twin.view3d.base.tile_levels import TileLevel
from twin.view3d.gl.antialias import seen
from twin.view3d.view.bench_hall import frame_of, hall_of
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


def test_what_stands_behind_tiles_is_left_out_and_triangles_are_seldom_sent_anew(
    make_view: MakeView, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall, view = hall_of(4096, racks_per_row=4), make_view(_racks())
    view.set_plant(hall)
    view.set_frame(frame_of(hall))
    view.preset("overview", animate=False)
    tiles, height_px, start = view.scene.tiles, view.canvas.physical_size[1], view.pose
    racks = len(hall.racks.ids)
    away_m = start.distance_m * np.geomspace(1.0, 60.0, 800)
    partly = [
        pose
        for pose in (replace(start, distance_m=float(each_m)) for each_m in away_m)
        if 0 < tiles.places.hidden_racks(tiles.places.opacity(pose, height_px), racks).sum() < racks
    ]
    some = partly[:: max(1, len(partly) // 5)]
    assert len(some) >= 5
    sent, left_out = [], []
    send = gloo.IndexBuffer.set_data
    monkeypatch.setattr(
        gloo.IndexBuffer,
        "set_data",
        lambda self, *data, **more: (sent.append(self), send(self, *data, **more)),
    )
    panels = view.scene.panels.shown.indices
    for pose in some:
        view.look(pose)  # the floor mirrors nothing then
        seen(view.native)
        view.canvas.update()
        whole = seen(view.native).astype(int)  # of a camera that stands: kept, and drawn over
        now = tiles.places.hidden_racks(tiles.opacity, len(tiles.hidden_racks))
        assert not (tiles.hidden_racks & ~now).any(), "nothing that is seen is left out"
        left_out.append(int(tiles.hidden_racks.sum()))
        with monkeypatch.context() as all_drawn:
            all_drawn.setattr(tiles, "hidden_racks", np.zeros_like(now))
            view.canvas.update()
            assert np.abs(seen(view.native) - whole).max() <= 2
    assert max(left_out) > 0.25 * racks
    sent.clear()
    middle = partly[len(partly) // 2]
    for turn in range(12):
        view.state.camera = replace(middle, azimuth_deg=middle.azimuth_deg + turn)
        view.grab()
    assert sent.count(panels) <= 4, "not in each picture"
