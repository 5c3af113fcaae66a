"""What tests do in a window again and again, as a person does it, and what they look for in its picture."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from patience import wait_until
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from twin.app.branches.dialog import BranchDialog
from twin.app.shell.main_window import MainWindow


def wait(until: Callable[[], bool]) -> None:
    """Wait for what happens while the window goes on."""
    wait_until(until, "the window does not come to it", rest=lambda: QTest.qWait(5))


def with_palette(window: MainWindow) -> MainWindow:
    """Bring the palette of a window to the front with all its parts; return the window."""
    window.docks.enter("design")
    window.menus.execute("edit.parts")
    palette = window.docks.palette
    palette.search.clear()
    palette.group.setCurrentIndex(0)
    wait(lambda: bool(palette.list.rows.rows))
    return window


def run_to(window: MainWindow, qtbot: QtBot, t_s: float, speed: float = 43_200.0) -> None:
    """Play until `t_s` [s], pause there, and wait until what is told is of that moment."""
    session = window.session
    session.set_speed(speed)
    session.play()
    qtbot.waitUntil(lambda: session.t_s >= t_s)
    session.pause()
    qtbot.waitUntil(lambda: not session.running and session.frame is not None)
    qtbot.waitUntil(lambda: session.shown is session.frame)


def what_if(window: MainWindow) -> BranchDialog:
    """Ask what comes of a branch from here; return the question."""
    window.menus.execute("run.branch")
    dialog = window.branching.dialog
    assert dialog is not None
    assert dialog.isVisible()
    return dialog


def pixels(widget: QWidget) -> np.ndarray:
    """Return the picture of a widget as rows of red, green and blue."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    data = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)
    return data[:, :, 2::-1].astype(int)


def share(picture: np.ndarray, tint: str, near: int = 3) -> float:
    """Return how much of a picture has a colour, to within `near` of 255."""
    rgb = np.array(QColor(tint).getRgb()[:3])
    return float(np.mean(np.abs(picture - rgb).max(axis=2) <= near))


def action(menu: QMenu, *path: str) -> QAction:
    """Return an action of a menu by its words and those of the menus it lies in."""
    for title in path[:-1]:
        inside = menu.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)
        menu = next(sub for sub in inside if sub.title() == title)
    return next(a for a in menu.actions() if a.text().split("\t")[0] == path[-1])
