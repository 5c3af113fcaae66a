"""The speed figures can be taken, and picking keeps its promise of scale: work grows with racks, not GPUs."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytest_benchmark.fixture import BenchmarkFixture

from twin.plant.geometry import build_geometry
from twin.view3d.place.picking import Picker
from twin.view3d.view.bench import measure_panels, measure_picking, measure_view
from twin.view3d.view.bench_hall import frame_of, hall_of


@pytest.mark.gl
def test_all_figures_of_a_small_hall(qapp: QApplication) -> None:
    panels = measure_panels(512)
    view = measure_view(hall_of(512))
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert panels.gpus >= 512
    assert min(panels.panels_ms, panels.bare_ms, panels.boxes_ms, view.rest_ms, view.moving_ms) > 0
    assert measure_picking(512) > 0


def test_hall_has_at_least_the_gpus_asked_for() -> None:
    for gpus in (1, 500, 4096, 40000):
        plant = hall_of(gpus)
        assert gpus <= len(plant.gpus.present) < gpus + 64 * 32
        assert len(frame_of(plant).values["gpu.temp_c"]) == len(plant.gpus.present)


def test_picking_speed_at_100k(benchmark: BenchmarkFixture) -> None:
    plant = hall_of(100_000)
    picker = Picker(plant, build_geometry(plant))
    eye = np.array([-10.0, -20.0, 8.0])
    direction = np.array([0.5, 0.8, -0.2]) / np.linalg.norm([0.5, 0.8, -0.2])
    benchmark(picker.pick, eye, direction)
