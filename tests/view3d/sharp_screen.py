"""Points at drawn GPUs on a screen of another pixel ratio, run as a process; prints which of them are picked."""

from __future__ import annotations

import json
import sys

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from twin.view3d.base.state import SHOWN_AT_FIRST, CameraPose, ViewState
from twin.view3d.view.bench_hall import frame_of, hall_of
from twin.view3d.view.hall_view import HallView


def main() -> int:
    app = QApplication([])
    view = HallView(ViewState(layers=SHOWN_AT_FIRST - {"labels"}), size=(640, 400), show=True, samples=0)
    app.processEvents()
    plant = hall_of(256, racks_per_row=8)
    view.set_plant(plant)
    facing = float(plant.racks.facing[3])
    centre = (float(plant.racks.x_m[3]), float(plant.racks.y_m[3]) + facing * 0.6, 1.0)
    view.state.camera = CameraPose(centre, 2.6, facing * 84.0, 3.0, 50.0)
    frame = frame_of(plant)
    frame.values["gpu.state"][:] = 3
    found = []
    for gpu in np.flatnonzero(plant.gpus.rack == 3)[[0, 9, 18, 31]].tolist():
        frame.values["gpu.temp_c"][:] = 30.0
        view.set_frame(frame)
        view.state.selection = ()
        cold = view.grab().astype(int)
        frame.values["gpu.temp_c"][gpu] = 94.0
        view.set_frame(frame)
        rows, columns = np.nonzero(np.abs(view.grab().astype(int) - cold).max(axis=2) > 90)
        ratio = view.native.devicePixelRatio()
        place = QPoint(round(float(np.median(columns)) / ratio), round(float(np.median(rows)) / ratio))
        QTest.mouseClick(view.native, Qt.MouseButton.LeftButton, pos=place)
        found.append((plant.gpu_id(gpu), list(view.state.selection), len(rows)))
    size = view.native.size().toTuple()
    print(json.dumps({"ratio": ratio, "size": size, "picture": view.grab().shape[:2], "found": found}))
    return 1 if view.errors else 0


if __name__ == "__main__":
    sys.exit(main())
