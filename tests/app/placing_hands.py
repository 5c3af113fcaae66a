"""A hall of two rows of racks, and the hands that drag things about in it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QMouseEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.app.two_rows import ROWS
from twin.app.placing.mime import Dragged, mime_of
from twin.app.shell.main_window import MainWindow
from twin.view3d.base import camera
from twin.view3d.base.edit_shapes import TONES

NODE, RACK = Dragged("DGX-H100", "node"), Dragged("GB200-NVL72", "rack")
NO_KEYS, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


SCENE = (
    ROWS
    + """\
power:
  - {id: grid, kind: utility, capacity: 1 MW, feeds: [gpu], places: {grid/0: {x: 4 m, y: 14 m}}}
cooling:
  plants:
    - {id: water, kind: chiller, supply: 16 degC}
  loops:
    - {id: crah, kind: air, part: CRAH-chilled, plant: water, serves: [gpu], supply: 22 degC}
"""
)


def look_at_rows(window: MainWindow) -> None:
    """See both rows from -y."""
    window.hall.view.state.camera = camera.CameraPose((4.5, 3.0, 0.8), 15.0, -90.0, 30.0)
    QApplication.processEvents()


def place_of(window: MainWindow, x_m: float, y_m: float, z_m: float = 0.0) -> QPointF:
    """Return where on the widget a place in the hall is."""
    view = window.hall.view
    x, y, depth = camera.project(view.pose, np.array([[x_m, y_m, z_m]]), *view.size())[0]
    assert depth > 0
    return QPointF(float(x), float(y))


def front_of(window: MainWindow, rack: str, z_m: float) -> QPointF:
    """Return where the front of a rack is at a height."""
    plant = window.session.plant
    assert plant is not None
    slot, racks = plant.slots[rack][1], plant.racks
    y = float(racks.y_m[slot]) + int(racks.facing[slot]) * float(racks.depth_m[slot]) / 2
    return place_of(window, float(racks.x_m[slot]), y, z_m)


def drag(
    window: MainWindow, kind: str, what: Dragged, at: QPointF, keys: Qt.KeyboardModifier = NO_KEYS
) -> bool:
    """Send one event of a drag, as Qt does; return whether it was taken."""
    data, native = mime_of(what), window.hall.view.native
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    if kind == "drop":
        event: QDropEvent = QDropEvent(at, copy, data, left, keys)
    else:
        event = (QDragEnterEvent if kind == "enter" else QDragMoveEvent)(at.toPoint(), copy, data, left, keys)
    event.ignore()
    QApplication.sendEvent(native, event)
    return event.isAccepted()


def mouse(window: MainWindow, kind: str, at: QPointF, keys: Qt.KeyboardModifier = NO_KEYS) -> None:
    """Press, move or release the left button."""
    native = window.hall.view.native
    left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    kinds = {
        "press": (QEvent.Type.MouseButtonPress, left, left),
        "move": (QEvent.Type.MouseMove, none, left),
        "release": (QEvent.Type.MouseButtonRelease, left, none),
    }
    QTest.qWait(20)  # vispy passes over moves that come within 10 ms of one another
    event = QMouseEvent(kinds[kind][0], at, native.mapToGlobal(at), *kinds[kind][1:], keys)
    QApplication.sendEvent(native, event)


def key(window: MainWindow, name: Qt.Key, keys: Qt.KeyboardModifier = NO_KEYS) -> None:
    """Press a key in the hall."""
    QTest.keyClick(window.hall.view.native, name, keys)


def racks(window: MainWindow) -> list[str]:
    """Return the racks that stand."""
    plant = window.session.plant
    assert plant is not None
    return [id for id, there in zip(plant.racks.ids, plant.racks.present, strict=True) if there]


def spot(window: MainWindow, id: str) -> tuple[float, float]:
    """Return where a rack stands."""
    plant = window.session.plant
    assert plant is not None
    slot = plant.slots[id][1]
    return round(float(plant.racks.x_m[slot]), 3), round(float(plant.racks.y_m[slot]), 3)


def greenness(window: MainWindow) -> tuple[float, float]:
    """Return the share of the picture in the colours of a good and of a refused ghost."""
    picture = window.hall.view.grab().astype(float) / 255
    out = []
    for tone in ("good", "bad"):
        rgb = np.array(TONES[tone])  # type: ignore[index]
        near = picture @ rgb / (np.linalg.norm(picture, axis=2) * np.linalg.norm(rgb) + 1e-9)
        out.append(float(((near > 0.985) & (picture.max(axis=2) > 0.45)).mean()))
    return out[0], out[1]
