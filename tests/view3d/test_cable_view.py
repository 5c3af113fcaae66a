"""Cables on screen: colour follows load, lost cables are crimson, dashes move, a click selects what is drawn there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from patience import HANG_S
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from twin.plant.cable_names import bundle_id
from twin.plant.geometry import Geometry
from twin.plant.tables import Plant
from twin.record.channels import State
from twin.record.frame import Frame
from twin.view3d.base import camera, palette
from twin.view3d.base.state import SHOWN_AT_FIRST, CameraPose, ViewState
from twin.view3d.colour.cable_colours import load_rgb
from twin.view3d.place.cable_field import CableField
from twin.view3d.view.hall_view import HallView

pytestmark = pytest.mark.gl
MakeView = Callable[..., HallView]
BARE = frozenset({"racks", "cables"})


@pytest.fixture
def trunk(hall: Plant, geometry: Geometry) -> tuple[int, np.ndarray]:
    """Return a piece in the tray across, and its highest line."""
    field = CableField(hall, geometry)
    drawn = geometry.bundles
    piece = int(np.flatnonzero((drawn.rack[field.runs.line] < 0) & (drawn.row[field.runs.line] < 0))[0])
    top = (field.runs.start_m[piece] + field.runs.stop_m[piece]) / 2
    return piece, top + np.array([0.0, 0.0, float(drawn.radius_m[field.runs.line[piece]])])


def look_down(view: HallView, at_m: np.ndarray) -> None:
    view.state.camera = CameraPose(tuple(at_m.tolist()), 3.0, -60.0, 62.0, 40.0)


def pixel_of(view: HallView, at_m: np.ndarray) -> tuple[int, int]:
    x, y, _ = camera.project(view.pose, at_m[None], *view.canvas.size)[0]
    return int(x), int(y)


def colour_at(view: HallView, at_m: np.ndarray) -> np.ndarray:
    x, y = pixel_of(view, at_m)
    picture = view.grab()
    scale = picture.shape[1] / view.canvas.size[0]
    x, y = int(x * scale), int(y * scale)
    return picture[y - 1 : y + 2, x - 1 : x + 2].reshape(-1, 3).mean(axis=0) / 255


def same_hue(colour: np.ndarray, expected: np.ndarray) -> bool:
    return bool(colour @ expected / (np.linalg.norm(colour) * np.linalg.norm(expected)) > 0.985)


def test_a_trunk_takes_the_colour_of_its_load_and_crimson_when_down(
    make_view: MakeView, frame: Frame, trunk: tuple[int, np.ndarray]
) -> None:
    view = make_view(ViewState(layers=BARE, cables_by="load"))
    look_down(view, trunk[1])
    for percent in (5, 40, 100):
        frame.values["bundle.load"][:] = percent
        view.set_frame(frame)
        assert same_hue(colour_at(view, trunk[1]), load_rgb(np.array([float(percent)]))[0]), percent
    frame.values["bundle.down"][:] = 1
    view.set_frame(frame)
    assert same_hue(colour_at(view, trunk[1]), np.array(palette.DEAD_RGB))
    view.state.cables_by = "rail"
    assert not same_hue(colour_at(view, trunk[1]), np.array(palette.DEAD_RGB))


def test_a_dead_switch_shows(make_view: MakeView, hall: Plant, frame: Frame) -> None:
    view = make_view(ViewState(layers=frozenset({"racks"})))
    frame.values["switch.state"][:] = State.RUNNING
    view.set_frame(frame)
    rack = int(hall.switches.rack[0])
    facing = float(hall.racks.facing[rack])
    centre = (float(hall.racks.x_m[rack]), float(hall.racks.y_m[rack]) + facing * 0.6, 1.9)
    view.state.camera = CameraPose(centre, 1.6, facing * 84.0, 3.0, 50.0)
    well = view.grab().astype(int)
    frame.values["switch.state"][0] = State.FAILED
    view.set_frame(frame)
    dead = view.grab().astype(int)
    red = (dead[..., 0] > 150) & (dead[..., 1] < 60) & (np.abs(dead - well).max(axis=2) > 60)
    assert red.sum() > 200


def test_dashes_move_with_time_only_in_the_collective_layer(
    make_view: MakeView, hall: Plant, frame: Frame, trunk: tuple[int, np.ndarray]
) -> None:
    view = make_view(ViewState(layers=BARE, cables_by="load"))
    view.set_frame(frame)
    look_down(view, trunk[1])
    everywhere = np.ones(len(hall.bundles.rail))
    view.show_traffic(everywhere, 0.0 * everywhere, np.zeros(0, np.int64), (0.3, 0.9, 1.0))
    plain = view.grab().astype(int)

    def later(seconds: float) -> np.ndarray:
        view.scene.phase_s += seconds
        return view.grab().astype(int)

    assert np.abs(later(0.25) - plain).max(axis=2).mean() < 0.5  # lights of switches at most
    view.state.layers = BARE | {"collective"}
    first = view.grab().astype(int)
    assert (np.abs(first - plain).max(axis=2) > 40).sum() > 300
    second = later(0.25)
    assert (np.abs(second - first).max(axis=2) > 40).sum() > 300
    x, y = pixel_of(view, trunk[1])
    seen = [later(0.05)[y, x].sum() for _ in range(16)]
    assert max(seen) - min(seen) > 150  # a dash passes by


def test_dashes_go_the_way_of_the_traffic(
    make_view: MakeView, hall: Plant, geometry: Geometry, frame: Frame
) -> None:
    """Two places on one trunk: the head of a dash comes to the one nearer to rack a first."""
    view = make_view(ViewState(layers=BARE | {"collective"}))
    view.set_frame(frame)
    field = CableField(hall, geometry)
    runs, drawn = field.runs, geometry.bundles
    crossing = (drawn.rack[runs.line[runs.first]] < 0) & (drawn.row[runs.line[runs.first]] < 0) & runs.ahead
    run = int(np.flatnonzero(crossing)[0])
    bundle, piece = int(runs.bundle[run]), int(runs.first[run])
    radius_m = float(drawn.radius_m[runs.line[piece]])
    way = runs.stop_m[piece] - runs.start_m[piece]
    way /= np.linalg.norm(way)
    middle = (runs.start_m[piece] + runs.stop_m[piece]) / 2 + [0.0, 0.0, radius_m]
    places = [middle - 0.12 * way, middle + 0.12 * way]
    look_down(view, middle)
    one = np.zeros(len(hall.bundles.rail))
    one[bundle] = 1.0
    nothing = 0.0 * one

    def heads(there: np.ndarray, back: np.ndarray) -> list[int]:
        view.show_traffic(there, back, np.zeros(0, np.int64), (0.3, 0.9, 1.0))
        view.scene.phase_s = 0.0
        seen = []
        for _ in range(34):
            view.scene.phase_s += 0.02
            picture = view.grab().astype(int)
            seen.append([picture[y, x].sum() for x, y in (pixel_of(view, p) for p in places)])
        return [int(np.argmax(series)) for series in np.array(seen).T]

    period = 34  # samples of 0.02 s: about one dash at 2.2 m/s every 1.5 m
    near, far = heads(one, nothing)
    assert 0 < (far - near) % period < period / 2
    near, far = heads(nothing, one)
    assert 0 < (near - far) % period < period / 2


def test_a_click_selects_the_cables_drawn_there_and_names_them(
    make_view: MakeView, hall: Plant, frame: Frame, trunk: tuple[int, np.ndarray]
) -> None:
    view = make_view(ViewState(layers=BARE, cables_by="load"))
    frame.values["bundle.load"][:] = 20
    view.set_frame(frame)
    look_down(view, trunk[1])
    before = view.grab().astype(int)
    QTest.mouseClick(view.native, Qt.MouseButton.LeftButton, pos=QPoint(*pixel_of(view, trunk[1])))
    (chosen,) = view.state.selection
    assert chosen.startswith("bundle/")
    assert (np.abs(view.grab().astype(int) - before).max(axis=2) > 30).sum() > 200
    view.state.layers = BARE - {"cables"}
    hit = view.pick(*pixel_of(view, trunk[1]))
    assert hit is None or hit.kind != "bundle"


def test_from_afar_a_rack_with_a_failed_gpu_is_not_hidden_by_cables(
    make_view: MakeView, hall: Plant, frame: Frame
) -> None:
    """Near, the cables over it are seen apart from it, and chosen."""
    view = make_view(ViewState(layers=BARE))
    states = frame.values["gpu.state"] = frame.values["gpu.state"].copy()
    view.set_frame(frame)
    field = CableField(hall, view.geometry)
    places = (field.runs.start_m + field.runs.stop_m) / 2
    assert view.picker is not None
    for metres, apart in ((40.0, False), (3.0, True)):
        for place in places[:: max(1, len(places) // 200)]:
            view.state.camera = CameraPose(tuple(place.tolist()), metres, -60.0, 62.0, 40.0)
            at = pixel_of(view, place)
            rack = view.picker.rack(*camera.ray(view.pose, *at, *view.size()))
            chosen = view.pick(*at)
            if rack is not None and chosen is not None and chosen.kind == "bundle":
                break
        else:
            pytest.fail(f"no cable lies before a rack from {metres} m")
        states[hall.gpus.rack == rack] = State.FAILED
        red = view.pick(*at)
        assert red is not None
        assert (red.kind == "bundle") == apart, metres
        states[:] = State.RUNNING


def test_near_a_failed_node_the_cables_before_it_are_chosen(
    make_view: MakeView, hall: Plant, frame: Frame
) -> None:
    view = make_view(ViewState(layers=BARE | {"nodes"}))
    states = frame.values["gpu.state"] = frame.values["gpu.state"].copy()
    view.set_frame(frame)
    field = CableField(hall, view.geometry)
    places = (field.runs.start_m + field.runs.stop_m) / 2
    assert view.picker is not None
    for place in places[:: max(1, len(places) // 200)]:
        view.state.camera = CameraPose(tuple(place.tolist()), 3.0, 45.0, 25.0, 40.0)
        at = pixel_of(view, place)
        size = partial(camera.px_per_m, view.pose, height_px=view.size()[1])
        behind = view.picker.pick(*camera.ray(view.pose, *at, *view.size()), size)
        chosen = view.pick(*at)
        if (
            behind is not None
            and behind.kind in ("node", "gpu")
            and chosen is not None
            and chosen.kind == "bundle"
        ):
            break
    else:
        pytest.fail("no cable lies before a node")
    states[(hall.gpus.node if behind.kind == "node" else np.arange(len(hall.gpus.node))) == behind.slot] = (
        State.FAILED
    )
    assert view.pick(*at) == chosen


def test_isolated_cables_keep_their_colour_while_others_fade(
    make_view: MakeView, hall: Plant, frame: Frame, trunk: tuple[int, np.ndarray]
) -> None:
    view = make_view(ViewState(layers=BARE, cables_by="load"))
    frame.values["bundle.load"][:] = 100
    view.set_frame(frame)
    look_down(view, trunk[1])
    bright = colour_at(view, trunk[1])
    here = CableField(hall, view.geometry).runs.bundles_at(trunk[0])  # type: ignore[arg-type]
    view.isolate(np.setdiff1d(np.arange(len(hall.bundles.rail)), here).astype(np.int32))
    assert colour_at(view, trunk[1]).sum() < 0.6 * bright.sum()
    view.isolate(here)
    assert np.abs(colour_at(view, trunk[1]) - bright).max() < 0.05
    view.isolate(None)
    assert np.abs(colour_at(view, trunk[1]) - bright).max() < 0.05


def test_flying_to_cables_shows_their_whole_way(make_view: MakeView, hall: Plant, frame: Frame) -> None:
    view = make_view(ViewState(layers=SHOWN_AT_FIRST, cables_by="load"))
    view.set_frame(frame)
    far = int(np.flatnonzero(hall.bundles.rack_a != hall.bundles.rack_b)[-1])
    view.state.selection = (bundle_id(far),)
    view.frame_selection(animate=False)
    for rack in (hall.bundles.rack_a[far], hall.bundles.rack_b[far]):
        top = np.array([[hall.racks.x_m[rack], hall.racks.y_m[rack], hall.racks.height_m[rack]]])
        x, y, _ = camera.project(view.pose, top, *view.canvas.size)[0]
        assert -40 <= x <= view.canvas.size[0] + 40
        assert -40 <= y <= view.canvas.size[1] + 40


@pytest.mark.slow
def test_old_opengl_runs_the_collective(tmp_path: Path) -> None:
    script = Path(__file__).with_name("old_opengl.py")
    environment = {**os.environ, "MESA_GL_VERSION_OVERRIDE": "2.1", "MESA_GLSL_VERSION_OVERRIDE": "120"}
    out = tmp_path / "collective.npy"
    done = subprocess.run(
        [sys.executable, str(script), "collective", str(out)],
        env=environment,
        capture_output=True,
        timeout=HANG_S,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert np.load(out).std() > 5
