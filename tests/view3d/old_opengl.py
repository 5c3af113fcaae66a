"""Draws the test hall in a context of its own, run as a process with another OpenGL version; saves the picture."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
from PySide6.QtWidgets import QApplication

from twin.view3d.base.state import SHOWN_AT_FIRST, ViewState
from twin.view3d.gl import capability
from twin.view3d.view import hall_view
from twin.view3d.view.bench_hall import frame_of, hall_of


def main(case: str, path: str) -> int:
    app = QApplication([])
    if case == "bare":
        probe = capability.probe
        hall_view.probe = lambda: replace(probe(), instancing=False, value_format="packed")  # type: ignore[attr-defined]
    layers = SHOWN_AT_FIRST | ({"collective"} if case == "collective" else set())
    state = ViewState(layers=layers, cables_by="load" if case == "collective" else "rail")
    view = hall_view.HallView(state, size=(640, 400), show=True, samples=0)
    app.processEvents()
    plant = hall_of(1024, racks_per_row=8)
    view.set_plant(plant)
    frame = frame_of(plant)
    frame.values["gpu.temp_c"][:] = 60.0
    frame.values["gpu.state"][:] = 3
    frame.values["gpu.job"][:] = 0
    view.set_frame(frame)
    if case == "collective":
        everywhere = np.ones(len(plant.bundles.rail))
        view.show_traffic(everywhere, everywhere / 2, np.array([0, 9, 18, 0]), (0.3, 0.9, 1.0))
    app.processEvents()
    np.save(path, view.grab())
    if not view.capability.version.startswith("2.1"):
        print(f"context is {view.capability.version}", file=sys.stderr)
        return 2
    for error in view.errors:
        print(error, file=sys.stderr)
    return 1 if view.errors else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
