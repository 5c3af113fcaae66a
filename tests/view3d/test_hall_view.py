"""The view with real GL: the picture shows the data, and what is clicked is what is drawn."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from OpenGL import GL
from patience import HANG_S
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from usual_cases import usually
from view_places import tile_point

from twin.plant.geometry import Geometry
from twin.plant.tables import Plant
from twin.record.channels import State
from twin.record.frame import Frame, FrameLayout
from twin.view3d.base import camera, palette
from twin.view3d.base.edit_shapes import Ghost, GhostBox
from twin.view3d.base.state import CameraPose, ViewState
from twin.view3d.view.hall_view import HallView

pytestmark = pytest.mark.gl
MakeView = Callable[..., HallView]


def _look_at(view: HallView, plant: Plant, rack: int) -> None:
    facing = float(plant.racks.facing[rack])
    centre = (float(plant.racks.x_m[rack]), float(plant.racks.y_m[rack]) + facing * 0.6, 1.0)
    view.state.camera = CameraPose(centre, 2.6, facing * 84.0, 3.0, 50.0)


def _pixel_of(view: HallView, plant: Plant, geometry: Geometry, gpu: int) -> tuple[int, int]:
    width, height = view.canvas.size
    x, y, _ = camera.project(view.pose, tile_point(plant, geometry, gpu)[None], width, height)[0]
    return int(x), int(y)


def _colour_of(view: HallView, plant: Plant, geometry: Geometry, gpu: int) -> np.ndarray:
    x, y = _pixel_of(view, plant, geometry, gpu)
    picture = view.grab()
    scale = picture.shape[1] / view.canvas.size[0]
    x, y = int(x * scale), int(y * scale)
    return picture[y - 2 : y + 3, x - 2 : x + 3].reshape(-1, 3).mean(axis=0) / 255


def _hue_near(colour: np.ndarray, expected: np.ndarray) -> bool:
    """Tell whether two colours point the same way: brightness may differ by shading."""
    return bool(colour @ expected / (np.linalg.norm(colour) * np.linalg.norm(expected)) > 0.985)


@pytest.mark.parametrize("layers", [frozenset({"racks"}), ViewState().layers])
def test_tiles_carry_the_colour_of_their_value(
    make_view: MakeView, hall: Plant, geometry: Geometry, frame: Frame, layers: frozenset[str]
) -> None:
    view = make_view(ViewState(layers=layers))
    gpus = np.flatnonzero(hall.gpus.rack == 3)[:8]
    frame.values["gpu.temp_c"][gpus[:3]] = (30.0, 60.0, 90.0)
    frame.values["gpu.state"][gpus[3]] = State.FAILED
    view.set_frame(frame)
    _look_at(view, hall, 3)
    table = palette.look_up_table("turbo")[0] / 255.0
    for gpu, temp_c in zip(gpus[:3], (30.0, 60.0, 90.0), strict=True):
        expected = table[round((temp_c - 25) / 70 * 255)]
        assert _hue_near(_colour_of(view, hall, geometry, int(gpu)), expected), temp_c
    assert _hue_near(_colour_of(view, hall, geometry, int(gpus[3])), np.array(palette.DEAD_RGB))


def test_colour_by_changes_the_picture(make_view: MakeView, hall: Plant, frame: Frame) -> None:
    view = make_view()
    view.set_frame(frame)
    _look_at(view, hall, 3)
    warm = view.grab().astype(int)
    view.state.colour_by = "gpu.state"
    assert (np.abs(view.grab().astype(int) - warm).max(axis=2) > 30).mean() > 0.05


def test_hot_rack_differs_from_a_cold_one_at_the_overview(
    make_view: MakeView, hall: Plant, frame: Frame
) -> None:
    view = make_view()
    view.set_frame(frame)
    before = view.grab().astype(int)
    frame.values["gpu.temp_c"][hall.gpus.rack == int(hall.racks.x_m.argmax())] = 94.0
    view.set_frame(frame)
    assert (np.abs(view.grab().astype(int) - before).max(axis=2) > 40).sum() > 30


@pytest.mark.parametrize("layer", ["racks", "cables", "pipes", "air", "labels", "power"])
def test_every_layer_shows(make_view: MakeView, frame: Frame, layer: str) -> None:
    everything = frozenset({"racks", "trays", "cables", "pipes", "air", "labels", "power"})
    view = make_view(ViewState(layers=everything - {layer}))
    view.set_frame(frame)
    without = view.grab().astype(int)
    view.state.layers = everything
    changed = (np.abs(view.grab().astype(int) - without).max(axis=2) > 12).sum()
    # The test hall has no busways; what is not there cannot show.
    assert changed > 40 or layer == "power"


def test_near_trays_stand_out(make_view: MakeView, hall: Plant, frame: Frame) -> None:
    view = make_view()
    view.set_frame(frame)
    _look_at(view, hall, 3)
    with_boxes = view.grab().astype(int)
    view.state.layers = view.state.layers - {"trays"}
    assert (np.abs(view.grab().astype(int) - with_boxes).max(axis=2) > 12).sum() > 500


def test_themes_are_dark_and_light(make_view: MakeView) -> None:
    view = make_view()
    dark = view.grab().mean()
    view.state.theme = "light"
    assert dark < 70 < 130 < view.grab().mean()


def test_picture_follows_the_pixel_round_trip(
    make_view: MakeView, hall: Plant, geometry: Geometry, frame: Frame
) -> None:
    view = make_view()
    view.set_frame(frame)
    _look_at(view, hall, 3)
    for gpu in np.flatnonzero(hall.gpus.rack == 3)[::5]:
        x, y = _pixel_of(view, hall, geometry, int(gpu))
        hit = view.pick(x + 0.5, y + 0.5)
        assert hit is not None
        assert hit.id == hall.gpu_id(int(gpu))


def test_click_selects_and_outlines_and_control_adds(
    make_view: MakeView, qapp: QApplication, hall: Plant, geometry: Geometry, frame: Frame
) -> None:
    view = make_view()
    view.set_frame(frame)
    _look_at(view, hall, 3)
    plain = view.grab().astype(int)
    first, second = (int(g) for g in np.flatnonzero(hall.gpus.rack == 3)[[0, 9]])
    clicks: list[object] = []
    view.clicked.connect(clicks.append)
    QTest.mouseClick(
        view.native, Qt.MouseButton.LeftButton, pos=QPoint(*_pixel_of(view, hall, geometry, first))
    )
    assert view.state.selection == (hall.gpu_id(first),)
    assert len(clicks) == 1
    assert (np.abs(view.grab().astype(int) - plain).max(axis=2) > 40).sum() > 50
    control = Qt.KeyboardModifier.ControlModifier
    place = QPoint(*_pixel_of(view, hall, geometry, second))
    QTest.mouseClick(view.native, Qt.MouseButton.LeftButton, control, place)
    assert view.state.selection == (hall.gpu_id(first), hall.gpu_id(second))
    QTest.mouseClick(view.native, Qt.MouseButton.LeftButton, control, place)
    assert view.state.selection == (hall.gpu_id(first),)


def test_drag_orbits_wheel_zooms_f_frames(make_view: MakeView, qapp: QApplication, hall: Plant) -> None:
    view = make_view()
    start = view.pose
    QTest.mousePress(view.native, Qt.MouseButton.LeftButton, pos=QPoint(300, 200))
    for x in (320, 350, 380):
        QTest.mouseMove(view.native, QPoint(x, 210))
    QTest.mouseRelease(view.native, Qt.MouseButton.LeftButton, pos=QPoint(380, 210))
    assert view.pose.azimuth_deg != start.azimuth_deg
    assert view.state.selection == ()
    assert view.state.camera == view.pose
    turned = view.pose
    place = QPointF(320, 220)
    wheel = QWheelEvent(
        place,
        view.native.mapToGlobal(place),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    qapp.sendEvent(view.native, wheel)
    assert view.pose.distance_m < turned.distance_m
    view.state.selection = (hall.racks.ids[3],)
    view.tick(100.0)
    QTest.keyClick(view.native, Qt.Key.Key_F)
    view.tick(100.4)
    view.tick(102.5)
    box = np.array([hall.racks.x_m[3], hall.racks.y_m[3]])
    assert np.allclose(view.pose.centre_m[:2], box, atol=0.2)
    assert view.state.camera == view.pose


def test_hover_names_what_is_under_the_pointer(
    make_view: MakeView, hall: Plant, geometry: Geometry, frame: Frame
) -> None:
    view = make_view()
    view.set_frame(frame)
    _look_at(view, hall, 3)
    gpu = int(np.flatnonzero(hall.gpus.rack == 3)[4])
    QTest.mouseMove(view.native, QPoint(*_pixel_of(view, hall, geometry, gpu)))
    assert view.state.hovered == hall.gpu_id(gpu)


def test_tick_draws_only_when_something_changed(
    make_view: MakeView, qapp: QApplication, frame: Frame
) -> None:
    view = make_view()
    view.set_frame(frame)
    for k in range(5):
        view.tick(10.0 + k)
    qapp.processEvents()
    drawn: list[object] = []
    view.canvas.events.draw.connect(drawn.append)
    for k in range(10):
        view.tick(20.0 + k * 0.03)
        qapp.processEvents()
    assert not drawn
    view.preset("top")
    view.tick(21.0)
    qapp.processEvents()
    assert drawn


def test_stripes_move_while_frames_come_and_stop_with_them(
    make_view: MakeView, qapp: QApplication, frame: Frame
) -> None:
    view = make_view(ViewState(layers=frozenset({"pipes"})))
    view.preset("overview", animate=False)
    view.set_frame(frame)
    still = view.grab().astype(int)
    later = Frame(frame.layout, frame.t_s + 60, 0, frame.values)
    view.set_frame(later)
    for k in range(12):
        view.tick(5.0 + 0.15 * k)
    moved = view.grab().astype(int)
    assert (np.abs(moved - still).max(axis=2) > 20).sum() > 20
    for k in range(12):
        view.tick(7.0 + 0.15 * k, 0)
    assert np.array_equal(view.grab(), moved)
    for k in range(12):
        view.tick(9.0 + 0.15 * k, -1)
    assert not np.array_equal(view.grab(), moved)


def test_errors_in_drawing_are_told(qapp: QApplication, hall: Plant) -> None:
    view = HallView(ViewState(), size=(200, 150), show=True)
    qapp.processEvents()
    told: list[str] = []
    view.failed.connect(told.append)
    view.canvas.events.draw.connect(lambda _event: 1 / 0)
    view.grab()
    assert told
    assert view.errors == told
    view.close()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


KINDS = ("Buffer", "Texture", "Program", "Renderbuffer")
"""Of objects of OpenGL."""


def test_a_view_that_is_closed_leaves_nothing_in_the_contexts_that_share_with_it(
    make_view: MakeView, qapp: QApplication
) -> None:
    first = make_view()

    def living() -> dict[str, int]:
        qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        qapp.processEvents()
        first.grab()
        first.canvas.set_current()
        return {
            kind: sum(map(bool, map(getattr(GL, f"glIs{kind}"), range(1, next_name(kind))))) for kind in KINDS
        }

    def next_name(kind: str) -> int:
        """Return a name beyond all there were: Mesa gives none twice, and tests before this one took thousands."""
        made = GL.glCreateProgram() if kind == "Program" else getattr(GL, f"glGen{kind}s")(1)
        name = int(made)
        delete = getattr(GL, f"glDelete{kind}" + ("" if kind == "Program" else "s"))
        delete(name) if kind == "Program" else delete(1, [name])
        return name

    before = living()
    for _ in range(2):
        other = make_view()
        other.tick(0.0)
        other.grab()
        other.edit.show_ghost(Ghost((GhostBox((3.0, 3.0, 0.0), (3.6, 4.2, 2.0), "good"),)))
        other.grab()
        assert living()["Renderbuffer"] > before["Renderbuffer"]
        other.close()
    assert living() == before


@pytest.mark.parametrize("case", usually(["plain", "bare"], ["bare"]))
def test_old_opengl_draws_the_same(tmp_path: Path, make_view: MakeView, frame: Frame, case: str) -> None:
    """OpenGL 2.1 (macOS' legacy context), once with and once without instancing and float textures."""
    script = Path(__file__).with_name("old_opengl.py")
    environment = {**os.environ, "MESA_GL_VERSION_OVERRIDE": "2.1", "MESA_GLSL_VERSION_OVERRIDE": "120"}
    view = make_view(samples=0)
    view.set_frame(frame)
    modern = view.grab().astype(int)
    out = tmp_path / f"{case}.npy"
    done = subprocess.run(
        [sys.executable, str(script), case, str(out)],
        env=environment,
        capture_output=True,
        timeout=HANG_S,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert np.abs(np.load(out).astype(int) - modern).mean() < 2.0


def test_frame_of_another_epoch_is_passed_over(make_view: MakeView, hall: Plant, frame: Frame) -> None:
    view = make_view()
    view.set_frame(frame)
    before = view.grab()
    stale = Frame.empty(FrameLayout({"gpu": 3}, epoch=hall.epoch + 1))
    view.set_frame(stale)
    assert (view.grab() == before).all()


def test_a_selected_machine_carries_one_label(make_view: MakeView, hall: Plant) -> None:
    view = make_view(ViewState())
    scene = view.scene
    assert not scene.names.named_otherwise().any()
    view.state.selection = (hall.loops.ids[0],)
    view.grab()
    assert scene.names.named_otherwise().sum() == 1
    view.state.selection = ("no such thing",)
    assert not scene.names.named_otherwise().any()
