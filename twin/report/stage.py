"""Environment for drawing off screen: a display, and a Qt application made in the right order."""

from __future__ import annotations

import os
import re
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

_X11 = re.compile(r"(?:unix/?|(?P<host>[^:/]*)):(?P<number>\d+)(?:\.\d+)?")


def has_display() -> bool:
    """Return whether a window can be opened: Wayland or X11 answers, or the system needs neither."""
    if sys.platform in ("win32", "darwin"):
        return True
    wayland = os.environ.get("WAYLAND_DISPLAY")
    if wayland:
        place = Path(os.environ.get("XDG_RUNTIME_DIR", "/run")) / wayland
        if place.is_socket():
            return True
    return _answers(os.environ.get("DISPLAY", ""))


def _answers(display: str) -> bool:
    match = _X11.fullmatch(display)
    if match is None:
        return display.startswith("/")  # a socket of launchd
    number, host = int(match["number"]), match["host"]
    if not host:
        # The abstract name first: it is there even when /tmp is somebody else's.
        for address in (f"\0/tmp/.X11-unix/X{number}", f"/tmp/.X11-unix/X{number}"):
            with socket.socket(socket.AF_UNIX) as x11:
                if x11.connect_ex(address) == 0:
                    return True
        host = "localhost"
    try:
        with socket.create_connection((host, 6000 + number), timeout=1.0):
            return True
    except OSError:
        return False


def qt_application() -> QApplication:
    """Return the Qt application of this process; needs a display."""
    from twin.report.platform_choice import decide_platform

    decide_platform()
    from PySide6.QtCore import QCoreApplication, Qt
    from PySide6.QtWidgets import QApplication

    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    running = QApplication.instance()
    return running if isinstance(running, QApplication) else QApplication(["twin"])
