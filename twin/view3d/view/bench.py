"""Speed figures of the view on this machine, boxes against a bare draw of the same boxes in the same run.

All times are the best of several rounds: what else the machine does only ever adds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QApplication
from vispy import gloo

from twin.plant.geometry import build_geometry
from twin.plant.tables import RACK_FOOT_M, U_M, Plant
from twin.record.frame import Frame
from twin.view3d.base import camera
from twin.view3d.base.meshes import quad_indices
from twin.view3d.base.state import ViewState
from twin.view3d.gl.boxes import INSTANCE_TYPE, BoxBatch, unit_cube
from twin.view3d.place.picking import Picker
from twin.view3d.view.bench_hall import frame_of, hall_of
from twin.view3d.view.hall_view import HallView

ROUNDS = 9

_BARE_VERTEX = """
attribute vec3 a_corner;
attribute vec3 a_low;
attribute vec3 a_size;
uniform mat4 u_matrix;
void main() { gl_Position = u_matrix * vec4(a_low + a_corner * a_size, 1.0); }
"""
_BARE_FRAGMENT = "void main() { gl_FragColor = vec4(0.3, 0.6, 0.5, 1.0); }"


@dataclass(frozen=True)
class PanelBench:
    """Milliseconds of one picture.

    Parameters
    ----------
    panels_ms
        Rack panels, bodies and floor.
    bare_ms
        One flat box per GPU, instanced, with the smallest shader there is.
    boxes_ms
        The same boxes as this package draws them: lit, coloured by value.
    """

    gpus: int
    panels_ms: float
    bare_ms: float
    boxes_ms: float


@dataclass(frozen=True)
class ViewBench:
    """Milliseconds of one picture of the whole default view."""

    rest_ms: float
    moving_ms: float


def measure_panels(gpus: int) -> PanelBench:
    """Return the cost of panels, of bare boxes and of our boxes for a hall of so many GPUs, at the overview."""
    plant = hall_of(gpus)
    view = _view(plant, frame_of(plant))
    view.state.layers = frozenset({"racks"})
    boxes = _gpu_boxes(plant)
    low, size = boxes["a_low"].copy(), boxes["a_size"].copy()
    bare = gloo.Program(_BARE_VERTEX, _BARE_FRAGMENT)
    template = np.zeros(24, [("a_corner", np.float32, 3)])
    template["a_corner"] = unit_cube()["a_corner"]
    instancing = view.capability.instancing
    copies = 1 if instancing else len(boxes)
    bare.bind(gloo.VertexBuffer(np.tile(template, copies)))
    for name, column in (("a_low", low), ("a_size", size)):
        each = column if instancing else np.repeat(column, 24, axis=0)
        bare[name] = gloo.VertexBuffer(each, divisor=1 if instancing else None)
    indices = gloo.IndexBuffer(quad_indices(6 * copies))
    stage = view.stage()
    bare["u_matrix"] = stage.matrix.T.astype(np.float32)

    def draw_bare() -> None:
        _clear()
        bare.draw("triangles", indices)

    batch = BoxBatch(instancing)
    batch.set_boxes(boxes)

    def draw_boxes() -> None:
        _clear()
        batch.draw(stage, view.values)

    panels_ms, bare_ms, boxes_ms = _best_ms(view, lambda: _draw(view), draw_bare, draw_boxes)
    view.close()
    return PanelBench(len(plant.gpus.present), panels_ms, bare_ms, boxes_ms)


def measure_picking(gpus: int) -> float:
    """Return the usual time of one pick [ms] in a hall of so many GPUs; needs no display."""
    plant = hall_of(gpus)
    geometry = build_geometry(plant)
    picker = Picker(plant, geometry)
    rng = np.random.default_rng(1)
    targets = rng.uniform(geometry.bounds_m[0], geometry.bounds_m[1], (200, 3))
    eye = geometry.bounds_m[1] + 10.0
    spent = []
    for target in targets:
        direction = (target - eye) / np.linalg.norm(target - eye)
        began = time.perf_counter()
        picker.pick(eye, direction)
        spent.append(time.perf_counter() - began)
    return float(np.median(spent) * 1e3)


def measure_view(plant: Plant, frame: Frame | None = None) -> ViewBench:
    """Return the cost of the whole default view, at rest and while the camera moves."""
    view = _view(plant, frame if frame is not None else frame_of(plant))
    (rest_ms,) = _best_ms(view, lambda: _draw(view))
    start = view.pose
    turn = iter(range(1, 1000))

    def move() -> None:
        view.look(camera.orbit(start, 4.0 * next(turn), 0.0))
        _draw(view)

    (moving_ms,) = _best_ms(view, move)
    view.close()
    return ViewBench(rest_ms, moving_ms)


def measure_all(sizes: tuple[int, ...] = (16384, 100000)) -> dict[str, float]:
    """Return all figures by name, milliseconds; `boxes_ratio` is ours over bare."""
    out: dict[str, float] = {}
    for gpus in sizes:
        panel = measure_panels(gpus)
        view = measure_view(hall_of(gpus))
        name = f"{gpus // 1000}k"
        out[f"panels_{name}_ms"] = panel.panels_ms
        out[f"bare_instanced_{name}_ms"] = panel.bare_ms
        out[f"boxes_{name}_ms"] = panel.boxes_ms
        out[f"boxes_ratio_{name}"] = panel.boxes_ms / panel.bare_ms
        out[f"picking_{name}_ms"] = measure_picking(gpus)
        out[f"view_rest_{name}_ms"] = view.rest_ms
        out[f"view_moving_{name}_ms"] = view.moving_ms
    return out


def _view(plant: Plant, frame: Frame) -> HallView:
    view = HallView(ViewState(), size=(1280, 800), show=True, samples=0)
    QApplication.processEvents()
    view.set_plant(plant)
    view.set_frame(frame)
    QApplication.processEvents()
    return view


def _gpu_boxes(plant: Plant) -> NDArray[np.void]:
    """Return one box per GPU, where its tile is."""
    tiles, racks = build_geometry(plant).gpu_tiles, plant.racks
    out = np.zeros(len(tiles.rack), INSTANCE_TYPE)
    wide = (racks.width_m[tiles.rack] - 0.06) / tiles.columns
    x = racks.x_m[tiles.rack] - racks.width_m[tiles.rack] / 2 + 0.03 + tiles.column * wide
    y = racks.y_m[tiles.rack] - racks.depth_m[tiles.rack] / 2
    out["a_low"] = np.column_stack([x, y, RACK_FOOT_M + tiles.u0 * U_M])
    deep = racks.depth_m[tiles.rack]
    out["a_size"] = np.column_stack([wide * 0.96, deep, (tiles.u1 - tiles.u0) * U_M * 0.96])
    out["a_look"][:, :3] = 0.1
    out["a_look"][:, 3] = np.arange(len(out))
    return out


def _clear() -> None:
    gloo.set_state(depth_test=True, blend=False, cull_face=True, depth_mask=True)
    gloo.clear(color=(0.03, 0.03, 0.05, 1.0), depth=True)


def _draw(view: HallView) -> None:
    view.canvas.events.draw(region=None)


def _best_ms(view: HallView, *draws: Callable[[], None]) -> list[float]:
    """Return the best time of each drawing [ms], taken in turns so that all meet the same disturbances."""
    best = [float("inf")] * len(draws)
    for _ in range(ROUNDS):
        for k, draw in enumerate(draws):
            view.canvas.set_current()
            began = time.perf_counter()
            draw()
            view.canvas.context.flush_commands()
            gloo.gl.glFinish()
            best[k] = min(best[k], (time.perf_counter() - began) * 1e3)
    return best
